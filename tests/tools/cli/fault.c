/// Loaded before the C library: makes calls fail as the environment says.
///
///     FAULT_ALLOC=K       request number K for memory fails; -K: that one and all after it
///     FAULT_WRITE=K:E     write number K to a file fails with error number E; E = 0: it takes one
///                         byte only
///     FAULT_SIGNAL=K      calls of flock, fsync and close number K, counted each by itself, are
///                         interrupted
///     FAULT_TERM=K        SIGTERM comes in the one that is number K of all
///     FAULT_COUNT=FILE    how many requests and writes there were, when the process ends
///
/// fault_arm(K, LOW, HIGH) does the first for the requests that code between two addresses makes,
/// from that call on; a program in Python calls it, whose own requests do not count.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

static long requests, writes, fail_request, fail_write;
static int write_error, ready, watched, finished;
static long fail_signal, locks, syncs, closes, term_at, calls_of_all;

static void begin(void)
{
    const char *const alloc = getenv("FAULT_ALLOC");
    const char *const write_at = getenv("FAULT_WRITE");
    ready = 1;
    fail_request = alloc ? atol(alloc) : 0;
    fail_write = write_at ? atol(write_at) : 0;
    fail_signal = getenv("FAULT_SIGNAL") ? atol(getenv("FAULT_SIGNAL")) : 0;
    term_at = getenv("FAULT_TERM") ? atol(getenv("FAULT_TERM")) : 0;
    write_error = write_at && strchr(write_at, ':') ? atoi(strchr(write_at, ':') + 1) : 0;
}

__attribute__((constructor)) static void start(void)
{
    begin();
    requests = writes = 0;
}

__attribute__((destructor)) static void end(void)
{
    const char *const path = getenv("FAULT_COUNT");
    FILE *const file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld %ld\n", requests, writes);
        fclose(file);
    }
}

/// The program has ended. What runs behind it is not its own: gcov asks for memory to write its
/// counters, and does not look at what it gets.
static void finish(void)
{
    finished = 1;
}

static long armed, seen;
static uintptr_t low, high;

void fault_arm(long k, uintptr_t from, uintptr_t to);
void fault_arm(long k, uintptr_t from, uintptr_t to)
{
    armed = k;
    seen = 0;
    low = from;
    high = to;
}

/// How many requests there were between the addresses.
long fault_seen(void);
long fault_seen(void)
{
    return seen;
}

static int fails(const void *caller)
{
    if (armed != 0 && (uintptr_t)caller >= low && (uintptr_t)caller < high) {
        return ++seen == armed;
    }
    if (!ready || finished) {
        return 0;
    }
    if (!watched) { // from here on: what is registered by the program's start is called too late
        watched = 1;
        atexit(finish);
    }
    requests++;
    return fail_request > 0 ? requests == fail_request
                            : fail_request < 0 && requests >= -fail_request;
}

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    return fails(__builtin_return_address(0)) ? (errno = ENOMEM, NULL) : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(__builtin_return_address(0)) ? (errno = ENOMEM, NULL) : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails(__builtin_return_address(0)) ? (errno = ENOMEM, NULL) : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(__builtin_return_address(0)) ? (errno = ENOMEM, NULL)
                                              : __libc_memalign(alignment, size);
}

ssize_t write(int file, const void *bytes, size_t size)
{
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) {
        *(void **)&real = dlsym(RTLD_NEXT, "write");
    }
    if (ready && !finished && file > 2 && ++writes == fail_write) {
        if (write_error) {
            errno = write_error;
            return -1;
        }
        return real(file, bytes, size > 1 ? 1 : size);
    }
    return real(file, bytes, size);
}

static int interrupted(long *calls)
{
    if (ready && !finished && ++calls_of_all == term_at) {
        raise(SIGTERM);
    }
    if (ready && !finished && ++*calls == fail_signal) {
        errno = EINTR;
        return -1;
    }
    return 0;
}

int flock(int file, int how)
{
    return interrupted(&locks) ? -1 : (int)syscall(SYS_flock, file, how);
}

int fsync(int file)
{
    return interrupted(&syncs) ? -1 : (int)syscall(SYS_fsync, file);
}

int close(int file)
{
    const int code = (int)syscall(SYS_close, file); // Linux closes before it tells of a signal
    return interrupted(&closes) ? -1 : code;
}
