/// The page of tools/web with the data in it. A "<" in JSON can only stand within a string; written
/// as \u003c it can neither end the element it is in nor open a comment there.
#include "tools/compare/report/report.h"

#include "tools/compare/report/page.h"
#include "tools/page/page.h"

#include <string.h>

int trm_report_fill(FILE *out, const char *const *head, const char *const *tail, const char *json,
                    size_t length)
{
    trm_page_lines(out, head);
    const char *const end = json + length;
    while (json < end) {
        const char *const mark = memchr(json, '<', (size_t)(end - json));
        const char *const stop = mark != NULL ? mark : end;
        fwrite(json, 1, (size_t)(stop - json), out);
        if (mark != NULL) {
            fputs("\\u003c", out);
        }
        json = mark != NULL ? mark + 1 : end;
    }
    trm_page_lines(out, tail);
    return fflush(out) != 0 || ferror(out) ? -1 : 0;
}

int trm_report_write(FILE *out, const char *json, size_t length)
{
    return trm_report_fill(out, trm_compare_page_head, trm_compare_page_tail, json, length);
}
