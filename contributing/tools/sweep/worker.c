#include "tools/sweep/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int write_all(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t n = write(file, bytes, size);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return -1;
        }
        bytes += n;
        size -= (size_t)n;
    }
    return 0;
}

int trm_worker_serve(const trm_study *study, FILE *in, int out)
{
    char text[64];
    while (fgets(text, sizeof text, in) != NULL) {
        char *end;
        const long index = strtol(text, &end, 10);
        if (end == text || *end != '\n' || index < 0 || index >= study->axes.runs) {
            return -1;
        }
        char *const line = trm_row_make(study, index);
        const size_t length = line == NULL ? 0 : strlen(line);
        // Half a row ends the worker: its crew would wait for the rest, and the worker for its crew
        const int failed =
            length == 0 || write_all(out, line, length) != 0 || line[length - 1] != '\n';
        free(line);
        if (failed) {
            return -1;
        }
    }
    return 0;
}
