/// fork, a pipe in and a pipe out for each worker. A worker that ends with runs left has died at
/// the first of them.
#define _DEFAULT_SOURCE
#include "tools/sweep/pool.h"
#include "tools/common/progress.h"

#include "tools/sweep/worker.h"
#include "trammel/trammel_error.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    LOOK = 100,
    PIECE = 1 << 14,
    DEPTH = 64,
    MOST_LANES = 8
};                                // ms; bytes; runs given to a worker ahead at most
static const double ahead = 0.02; // s of work that a worker has waiting

typedef struct worker {
    pid_t pid; // 0: this place is free
    int alone; // its runs are made one by one
    int in, out;
    int n;
    long index[DEPTH]; // [n] given to it, in order
    char *bytes;
    size_t length, size;
} worker;

typedef struct death {
    long index;
    int count;
} death;

typedef struct pool {
    const trm_crew *crew;
    worker *workers; // [width]
    struct pollfd *polled;
    long next;   // the first index that was not given out yet
    long *again; // [nagain] of workers that died
    long nagain, room;
    death *deaths;
    long ndeaths;
    int died;  // a worker has
    long left; // runs without a row
    double started;
    long rows; // since then
    trm_status status;
    trm_error error;
} pool;

long trm_part_runs(trm_part part, long runs)
{
    return part.n > 0 ? (runs - part.i + part.n) / part.n : runs;
}

static void fail(pool *p, trm_status status)
{
    p->status = p->status == TRM_OK ? status : p->status;
}

// ------------------------------------------------------------------------------------- the child

static void be_worker(const pool *p, const worker *w, int in, int out)
{
    for (int i = 0; i < p->crew->width; i++) { // pipes of the others would never end
        if (p->workers[i].pid > 0) {
            close(p->workers[i].in);
            close(p->workers[i].out);
        }
    }
    close(w->in);
    close(w->out);
    close(p->crew->log->file.file);
    signal(SIGINT, SIG_IGN); // the parent's to handle
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    const int lanes = w->alone ? 1 : (int)p->crew->study->arguments.lanes;
    _exit(trm_worker_serve(p->crew->study, lanes, in, out) == 0 ? 0 : 1);
}

/// Once a worker has died, it has to be known of which run the next one dies.
static int start(const pool *p, worker *w)
{
    int in[2], out[2];
    w->alone = p->died;
    if (pipe(in) != 0) {
        return -1;
    }
    if (pipe(out) != 0) {
        close(in[0]);
        close(in[1]);
        return -1;
    }
    w->in = in[1];
    w->out = out[0];
    w->length = 0;
    w->n = 0;
    const pid_t pid = fork();
    if (pid == 0) {
        be_worker(p, w, in[0], out[1]);
    }
    close(in[0]);
    close(out[1]);
    if (pid < 0) {
        close(in[1]);
        close(out[0]);
        return -1;
    }
    w->pid = pid;
    return 0;
}

// ------------------------------------------------------------------------------------ giving out

/// -1: there is none.
static long take_index(pool *p)
{
    const trm_part part = p->crew->part;
    const long step = part.n > 0 ? part.n : 1;
    if (p->nagain > 0) {
        return p->again[--p->nagain];
    }
    while (p->next < p->crew->study->axes.runs) {
        const long index = p->next;
        p->next += step;
        if (!trm_log_has(p->crew->log, index)) {
            return index;
        }
    }
    return -1;
}

static void give_back(pool *p, long index)
{
    if (p->nagain == p->room) {
        const long room = 2 * p->room + DEPTH;
        long *const grown = realloc(p->again, (size_t)room * sizeof *grown);
        if (grown == NULL) {
            fail(p, TRM_FAIL(&p->error, TRM_ERR_MEMORY, "-j", "out of memory"));
            return;
        }
        p->again = grown;
        p->room = room;
    }
    p->again[p->nagain++] = index;
}

/// Enough that a worker need not wait for the next one, few enough that
/// none waits for a worker at the end.
static int depth_of(const pool *p)
{
    const double each =
        p->rows > 0 ? (trm_wall_clock() - p->started) * p->crew->width / (double)p->rows : INFINITY;
    const double lanes = 2 * MOST_LANES; // a lane that is done finds the next run
    const double wanted = fmin(fmax(1 + ahead / each, p->died ? 1 : lanes), DEPTH);
    const double fair = 1 + (double)p->left / (2.0 * p->crew->width);
    return (int)fmin(wanted, fair);
}

/// A worker without a run to make is not started.
static void give(pool *p, worker *w, int depth)
{
    char text[32];
    while (w->n < depth && p->status == TRM_OK) {
        const long index = take_index(p);
        if (index < 0) {
            return;
        }
        if (w->pid == 0 && start(p, w) != 0) {
            give_back(p, index);
            fail(p, TRM_FAIL(&p->error, TRM_ERR_IO, "-j", "a worker cannot be started: %s",
                             strerror(errno)));
            return;
        }
        const int n = snprintf(text, sizeof text, "%ld\n", index);
        w->index[w->n++] = index;
        if (write(w->in, text, (size_t)n) != n) {
            return; // it has died: its pipe will say so
        }
    }
}

// ------------------------------------------------------------------------------------ taking rows

static void keep_row(pool *p, const char *line)
{
    fail(p, trm_log_append(p->crew->log, line, &p->error));
    p->left--;
    p->rows++;
}

static int count_death(pool *p, long index)
{
    for (long i = 0; i < p->ndeaths; i++) {
        if (p->deaths[i].index == index) {
            return ++p->deaths[i].count;
        }
    }
    death *const grown = realloc(p->deaths, ((size_t)p->ndeaths + 1) * sizeof *grown);
    if (grown == NULL) {
        return TRM_DEATHS;
    }
    p->deaths = grown;
    grown[p->ndeaths++] = (death){index, 1};
    return 1;
}

/// The run it was at is tried again, a few times; those behind it as if nothing had been. One that
/// had several at a time is no evidence against any of them.
static void bury(pool *p, worker *w)
{
    int status = 0;
    char reason[120];
    close(w->in);
    close(w->out);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR) {
    }
    w->pid = 0;
    p->died = 1;
    for (int i = w->n - 1; i > 0; i--) {
        give_back(p, w->index[i]);
    }
    if (w->n > 0 && (!w->alone || count_death(p, w->index[0]) < TRM_DEATHS)) {
        give_back(p, w->index[0]);
    } else if (w->n > 0) {
        const int by_signal = WIFSIGNALED(status);
        snprintf(reason, sizeof reason, "%d workers have died of this run, the last by %s %d",
                 TRM_DEATHS, by_signal ? "signal" : "exit code",
                 by_signal ? WTERMSIG(status) : WEXITSTATUS(status));
        char *const line = trm_row_killed(p->crew->study, w->index[0], reason);
        if (line == NULL) {
            fail(p, TRM_FAIL(&p->error, TRM_ERR_MEMORY, "-j", "out of memory"));
        } else {
            keep_row(p, line);
        }
        free(line);
    }
    w->n = 0;
}

/// The first row in the buffer; 0 when it is none that was asked for.
static int take_row(pool *p, worker *w, size_t length)
{
    trm_log_row row;
    const char after = w->bytes[length];
    w->bytes[length] = '\0';
    const int sound =
        trm_log_read_row(w->bytes, length, &row) && w->n > 0 && row.index == w->index[0];
    if (sound) {
        keep_row(p, w->bytes);
        memmove(w->index, w->index + 1, (size_t)(--w->n) * sizeof *w->index);
    }
    w->bytes[length] = after;
    w->length -= length;
    memmove(w->bytes, w->bytes + length, w->length);
    return sound;
}

static void receive(pool *p, worker *w)
{
    if (w->length + PIECE + 1 > w->size) {
        const size_t size = 2 * w->size + PIECE + 1;
        char *const grown = realloc(w->bytes, size);
        if (grown == NULL) {
            fail(p, TRM_FAIL(&p->error, TRM_ERR_MEMORY, "-j", "out of memory"));
            return;
        }
        w->bytes = grown;
        w->size = size;
    }
    const ssize_t n = read(w->out, w->bytes + w->length, PIECE);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
        return;
    }
    if (n <= 0) {
        bury(p, w);
        return;
    }
    w->length += (size_t)n;
    for (char *end; p->status == TRM_OK && w->length > 0 &&
                    (end = memchr(w->bytes, '\n', w->length)) != NULL;) {
        if (!take_row(p, w, (size_t)(end - w->bytes) + 1)) {
            kill(w->pid, SIGKILL);
            bury(p, w);
            return;
        }
    }
}

static void listen_to(pool *p)
{
    const int width = p->crew->width;
    for (int i = 0; i < width; i++) {
        const worker *const w = &p->workers[i];
        p->polled[i] = (struct pollfd){w->pid > 0 ? w->out : -1, POLLIN, 0};
    }
    if (poll(p->polled, (nfds_t)width, LOOK) <= 0) {
        return;
    }
    for (int i = 0; i < width && p->status == TRM_OK; i++) {
        if (p->polled[i].revents != 0 && p->workers[i].pid > 0) {
            receive(p, &p->workers[i]);
        }
    }
}

// ------------------------------------------------------------------------------------ all of them

static void dismiss(pool *p)
{
    for (int i = 0; p->workers != NULL && i < p->crew->width; i++) {
        worker *const w = &p->workers[i];
        if (w->pid > 0) {
            close(w->in);
            kill(w->pid, SIGKILL);
            close(w->out);
            while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR) {
            }
        }
        free(w->bytes);
    }
    free(p->workers);
    free(p->polled);
    free(p->again);
    free(p->deaths);
}

static void work(pool *p)
{
    while (p->status == TRM_OK && p->left > 0 && !*p->crew->interrupted) {
        const int depth = depth_of(p);
        for (int i = 0; i < p->crew->width; i++) {
            give(p, &p->workers[i], depth);
        }
        listen_to(p);
        if (p->status == TRM_OK) {
            fail(p, trm_log_sync(p->crew->log, 0, &p->error));
        }
        p->crew->look(p->crew->user);
    }
    if (p->status == TRM_OK) {
        fail(p, trm_log_sync(p->crew->log, 1, &p->error));
    }
}

trm_status trm_crew_work(const trm_crew *crew, trm_error *err)
{
    const size_t width = (size_t)crew->width;
    pool p = {
        .crew = crew, .started = trm_wall_clock(), .next = crew->part.n > 0 ? crew->part.i - 1 : 0};
    p.left = trm_part_runs(crew->part, crew->study->axes.runs) - crew->log->rows;
    p.workers = calloc(width, sizeof *p.workers);
    p.polled = calloc(width, sizeof *p.polled);
    if (p.workers == NULL || p.polled == NULL) {
        fail(&p, TRM_FAIL(&p.error, TRM_ERR_MEMORY, "-j", "out of memory"));
    }
    fflush(NULL); // or the children would write it again
    signal(SIGPIPE, SIG_IGN);
    work(&p);
    dismiss(&p);
    if (p.status != TRM_OK) {
        *err = p.error;
    }
    return p.status;
}
