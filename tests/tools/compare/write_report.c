/// JSON from standard input -> the report of trammel compare on
/// standard output. For report_test.py.
#include "tools/compare/report/report.h"

#include <stdlib.h>

int main(void)
{
    char *json = NULL;
    size_t length = 0;
    FILE *const text = open_memstream(&json, &length);
    if (text == NULL) {
        return 1;
    }
    for (int c = getchar(); c != EOF; c = getchar()) {
        putc(c, text);
    }
    const int closed = fclose(text);
    const int failed = closed != 0 || trm_report_write(stdout, json, length) != 0;
    free(json);
    return failed;
}
