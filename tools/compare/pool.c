/// fork, a pipe for the results, poll, kill when the time is up, wait4 for what it used.
#define _DEFAULT_SOURCE
#include "tools/compare/pool.h"
#include "tools/common/progress.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK = 100, PIECE = 1 << 16 }; // ms between two looks at the clock; bytes of one read

typedef struct child {
    pid_t pid; // 0: this place is free
    int job, pipe;
    double started; // s
    int killed;     // trm_child_end, when we did
    char *bytes;
    size_t length, size;
} child;

// ------------------------------------------------------------------------------------- the child

/// An interrupt is the parent's to handle; with the parent the kernel ends the child.
static void be_child(const trm_pool *pool, int job, int pipe)
{
    const rlim_t seconds = (rlim_t)fmin(ceil(pool->budget) + 1, 1e9);
    setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(SIGINT, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    FILE *const out = fdopen(pipe, "wb");
    if (out == NULL) {
        _exit(1);
    }
    pool->work(job, out, pool->user);
    _exit(fclose(out) == 0 ? 0 : 1);
}

static int start(const trm_pool *pool, int job, child *c)
{
    int ends[2];
    *c = (child){.job = job, .started = trm_wall_clock()};
    if (pipe(ends) != 0) {
        return -1;
    }
    c->pid = fork();
    if (c->pid == 0) {
        close(ends[0]);
        be_child(pool, job, ends[1]);
    }
    close(ends[1]);
    c->pipe = ends[0];
    if (c->pid < 0) {
        close(ends[0]);
        c->pid = 0;
        return -1;
    }
    return 0;
}

// ------------------------------------------------------------------------------------ the parent

/// Reads what is there; returns 0 at the end of it.
static int receive(child *c)
{
    if (c->length + PIECE > c->size) {
        const size_t size = 2 * c->size + PIECE;
        char *const grown = realloc(c->bytes, size);
        if (grown == NULL) {
            kill(c->pid, SIGKILL); // it may wait for ever for room in the pipe
            return 0;              // the result is cut off, and found to be
        }
        c->bytes = grown;
        c->size = size;
    }
    const ssize_t n = read(c->pipe, c->bytes + c->length, PIECE);
    if (n < 0) {
        return errno == EINTR || errno == EAGAIN;
    }
    c->length += (size_t)n;
    return n > 0;
}

static void finish(const trm_pool *pool, child *c)
{
    int status = 0;
    struct rusage used = {0};
    while (wait4(c->pid, &status, 0, &used) < 0 && errno == EINTR) {
    }
    close(c->pipe);
    const int well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    const int out_of_time = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
    const trm_child_result result = {
        .end = c->killed     ? (trm_child_end)c->killed
               : out_of_time ? TRM_CHILD_OVER_BUDGET
               : well        ? TRM_CHILD_DONE
                             : TRM_CHILD_CRASHED,
        .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
        .bytes = c->bytes,
        .length = c->length,
        .wall = trm_wall_clock() - c->started,
        .peak_memory_kb = used.ru_maxrss,
    };
    c->pid = 0;
    pool->done(c->job, &result, pool->user);
    free(c->bytes);
    *c = (child){0};
}

static void kill_late(const trm_pool *pool, child *children)
{
    const double now = trm_wall_clock();
    for (int i = 0; i < pool->width; i++) {
        child *const c = &children[i];
        if (c->pid > 0 && !c->killed && (*pool->interrupted || now - c->started > pool->budget)) {
            c->killed = *pool->interrupted ? TRM_CHILD_INTERRUPTED : TRM_CHILD_OVER_BUDGET;
            kill(c->pid, SIGKILL);
        }
    }
}

/// Wait for news of any child; the pipe of one that ended says so.
static void listen_to(const trm_pool *pool, child *children, struct pollfd *pipes)
{
    for (int i = 0; i < pool->width; i++) {
        pipes[i] = (struct pollfd){children[i].pid > 0 ? children[i].pipe : -1, POLLIN, 0};
    }
    if (poll(pipes, (nfds_t)pool->width, LOOK) <= 0) {
        return;
    }
    for (int i = 0; i < pool->width; i++) {
        if (children[i].pid > 0 && pipes[i].revents != 0 && !receive(&children[i])) {
            finish(pool, &children[i]);
        }
    }
}

/// A job whose child cannot be started is done at once.
static void give_up(const trm_pool *pool, int job)
{
    pool->done(job, &(trm_child_result){.end = TRM_CHILD_CRASHED}, pool->user);
}

static int fill(const trm_pool *pool, child *children)
{
    int busy = 0;
    for (int i = 0; i < pool->width; i++) {
        while (children[i].pid == 0 && !*pool->interrupted) {
            const int job = pool->next(pool->user);
            if (job < 0) {
                break;
            }
            if (start(pool, job, &children[i]) != 0) {
                give_up(pool, job);
            }
        }
        busy += children[i].pid > 0;
    }
    return busy;
}

int trm_pool_run(const trm_pool *pool)
{
    child *const children = calloc((size_t)pool->width, sizeof *children);
    struct pollfd *const pipes = calloc((size_t)pool->width, sizeof *pipes);
    const int ready = children != NULL && pipes != NULL;
    fflush(NULL); // or the children would write it again
    while (ready && fill(pool, children) > 0) {
        listen_to(pool, children, pipes);
        kill_late(pool, children);
    }
    free(children);
    free(pipes);
    return ready ? 0 : -1;
}
