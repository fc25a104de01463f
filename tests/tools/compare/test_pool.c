// The worker pool of trammel compare: what children write arrives whole at any length; children
// that hang or crash, or whose results find no memory, are ended and reported, and the others go
// on.
//
// The linker replaces realloc by the function below (--wrap in meson.build).

#include "tests/rig.h"

#include "tools/compare/pool.h"

#include <time.h>
#include <unistd.h>

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

static size_t most; ///< realloc gives no more; 0: any

void *__wrap_realloc(void *old, size_t size)
{
    return most > 0 && size > most ? NULL : __real_realloc(old, size);
}

enum { JOBS = 9 };

/// What each job is to do, and what came of it.
typedef struct record {
    int n, started, interrupt_at;
    long length[JOBS];
    int hangs[JOBS], crashes[JOBS];
    trm_child_end end[JOBS];
    size_t received[JOBS];
    int intact[JOBS];
    volatile sig_atomic_t interrupted;
} record;

static unsigned char byte_at(int job, size_t i)
{
    return (unsigned char)((i * 2654435761u >> 7) + (unsigned)job);
}

static int next(void *user)
{
    record *r = user;
    return r->started < r->n ? r->started++ : -1;
}

static void work(int job, FILE *out, void *user)
{
    const record *r = user;
    for (long i = 0; i < r->length[job]; i++) {
        putc(byte_at(job, (size_t)i), out);
    }
    while (r->hangs[job]) {
        pause();
    }
    if (r->crashes[job]) {
        raise(SIGKILL);
    }
}

static void done(int job, const trm_child_result *result, void *user)
{
    record *r = user;
    r->end[job] = result->end;
    r->received[job] = result->length;
    r->intact[job] = 1;
    for (size_t i = 0; i < result->length; i++) {
        r->intact[job] &= (unsigned char)result->bytes[i] == byte_at(job, i);
    }
    r->interrupted = r->interrupted || job == r->interrupt_at;
}

static void run(record *r, double budget)
{
    const trm_pool pool = {.width = 3,
                           .budget = budget,
                           .next = next,
                           .work = work,
                           .done = done,
                           .user = r,
                           .interrupted = &r->interrupted};
    assert_int_equal(trm_pool_run(&pool), 0);
}

CLAIM(results_arrive_whole_at_any_length)
{
    record r = {.n = JOBS,
                .interrupt_at = -1,
                .length = {0, 1, 65535, 65536, 65537, 131072, 196609, 1000000, 9000000}};
    run(&r, 60);
    for (int k = 0; k < JOBS; k++) {
        assert_int_equal(r.end[k], TRM_CHILD_DONE);
        assert_int_equal(r.received[k], r.length[k]);
        assert_true(r.intact[k]);
    }
}

/// The parent runs out of memory while a result grows: that child is ended, not waited for, and
/// what there is of its result is handed on as cut off.
CLAIM(a_result_that_finds_no_memory_ends_its_child_alone)
{
    record r = {.n = 4, .interrupt_at = -1, .length = {100, 5000000, 70000, 100}};
    most = 1000000;
    run(&r, 60);
    most = 0;
    assert_int_equal(r.end[1], TRM_CHILD_CRASHED);
    assert_true(r.received[1] > 0 && r.received[1] < 1000000 && r.intact[1]);
    for (int k = 0; k < 4; k++) {
        assert_true(k == 1 || (r.end[k] == TRM_CHILD_DONE && r.intact[k]));
        assert_true(k == 1 || r.received[k] == (size_t)r.length[k]);
    }
}

CLAIM(children_that_hang_or_crash_are_said_to)
{
    record r = {.n = 4,
                .interrupt_at = -1,
                .length = {10, 70000, 10, 10},
                .hangs = {0, 1, 0, 0},
                .crashes = {0, 0, 1, 0}};
    run(&r, 1);
    assert_int_equal(r.end[0], TRM_CHILD_DONE);
    assert_int_equal(r.end[1], TRM_CHILD_OVER_BUDGET);
    assert_int_equal(r.end[2], TRM_CHILD_CRASHED);
    assert_int_equal(r.end[3], TRM_CHILD_DONE);
}

CLAIM(an_interrupt_ends_all_and_begins_none)
{
    record r = {.n = 6, .interrupt_at = 0, .hangs = {0, 1, 1, 1, 1, 1}};
    for (int k = 0; k < 6; k++) {
        r.end[k] = TRM_CHILD_DONE;
    }
    run(&r, 1000);
    assert_int_equal(r.end[1], TRM_CHILD_INTERRUPTED);
    assert_int_equal(r.end[2], TRM_CHILD_INTERRUPTED);
    assert_true(r.started < 6);
}
