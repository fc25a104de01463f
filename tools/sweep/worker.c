#include "tools/sweep/worker.h"
#include "tools/sweep/rows.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 4096, NONE_YET = -1, NO_MORE = -2 };

typedef struct worker {
    long runs; // of the study
    int in, out;
    char text[ROOM + 1]; // [length] what was read and not taken
    size_t length;
    int ended; // the input
    int wrong; // an index is none, or a row could not be written
} worker;

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

/// More of the input, if there is any by now.
static void read_more(worker *w, int wait)
{
    struct pollfd there = {w->in, POLLIN, 0};
    if (w->ended || w->length == ROOM || poll(&there, 1, wait ? -1 : 0) <= 0) {
        return;
    }
    const ssize_t n = read(w->in, w->text + w->length, ROOM - w->length);
    if (n > 0) {
        w->length += (size_t)n;
    } else if (n == 0 || errno != EINTR) {
        w->ended = 1;
    }
}

/// The index on the first line, which is taken.
static long take_index(worker *w, const char *line_end)
{
    const size_t taken = (size_t)(line_end - w->text) + 1;
    char *end;
    const long index = strtol(w->text, &end, 10);
    w->wrong = end == w->text || end != line_end || index < 0 || index >= w->runs;
    w->length -= taken;
    memmove(w->text, w->text + taken, w->length);
    return w->wrong ? NO_MORE : index;
}

static long next_index(void *user, int wait)
{
    worker *const w = user;
    for (;;) {
        const char *const end = memchr(w->text, '\n', w->length);
        if (w->wrong) {
            return NO_MORE;
        }
        if (end != NULL) {
            return take_index(w, end);
        }
        if (w->ended || w->length == ROOM) {
            w->wrong = w->length > 0; // half a line
            return NO_MORE;
        }
        const size_t before = w->length;
        read_more(w, wait);
        if (!wait && w->length == before && !w->ended) {
            return NONE_YET;
        }
    }
}

static int put_line(void *user, const char *line)
{
    worker *const w = user;
    const size_t length = strlen(line);
    // Half a row ends the worker: its crew would wait for the rest, and the worker for its crew
    w->wrong |= length == 0 || write_all(w->out, line, length) != 0 || line[length - 1] != '\n';
    return w->wrong;
}

int trm_worker_serve(const trm_study *study, int lanes, int in, int out)
{
    worker w = {.runs = study->axes.runs, .in = in, .out = out};
    const trm_rows_ends ends = {.next = next_index, .put = put_line, .user = &w};
    const int failed = trm_rows_make(study, lanes, &ends);
    return failed || w.wrong ? -1 : 0;
}
