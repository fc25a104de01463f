// The workers of trammel sweep. A worker that exits without a row, crashes, writes half a row or
// the row of another run costs no other run, and its own run becomes a row that says so.
//
// Runs are made by the functions below, in place of tools/sweep/row.c.

#define _DEFAULT_SOURCE
#include "tests/rig.h"

#include "tools/sweep/pool.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 40 };

static const char header[] = "index,status,checks,x,reason";
static volatile sig_atomic_t interrupted;

static char *line_of(long index, const char *status, const char *reason)
{
    char *line = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&line, &size);
    fprintf(out, "%ld,%s,good,%ld.5,%s", index, status, index, reason);
    return trm_log_seal(out, &line, &size);
}

struct trm_row {
    long index;
};

trm_row *trm_row_begin(const trm_study *study, long index)
{
    trm_row *const row = malloc(sizeof *row);
    (void)study;
    assert_non_null(row);
    row->index = index;
    return row;
}

/// None has a lane.
trm_sim *trm_row_sim(const trm_row *row, double *end)
{
    (void)row;
    *end = 0;
    return NULL;
}

int trm_row_step(trm_row *row)
{
    (void)row;
    return 1;
}

void trm_row_go(trm_row *row)
{
    (void)row;
}

/// What a run does to its worker: by its index.
char *trm_row_close(trm_row *row)
{
    const long index = row->index;
    free(row);
    switch (index) {
    case 3:
        _exit(0); // well, without a row
    case 7:
        abort();
    case 11: // after a while: its worker has all that it was given, and gets no more
        usleep(400000);
        return strdup("11,done,go");
    case 19:
        return line_of(18, "done", "");
    case 23:
        raise(SIGKILL);
        break;
    case 29: { // the first worker only: the file tells
        FILE *const once = fopen("met_29", "wx");
        if (once != NULL) {
            fclose(once);
            raise(SIGKILL);
        }
        break;
    }
    default:
        break;
    }
    return line_of(index, "done", "");
}

char *trm_row_killed(const trm_study *study, long index, const char *reason)
{
    (void)study;
    return line_of(index, "killed", reason);
}

static void look(void *user)
{
    ++*(int *)user;
}

static char *read_log(const char *path)
{
    char *text = calloc(1, 1 << 16);
    FILE *const in = fopen(path, "rb");
    assert_non_null(in);
    assert_true(fread(text, 1, (1 << 16) - 1, in) > 0);
    fclose(in);
    return text;
}

/// All runs of `study` by `width` workers -> the log; *failed: how many are no results.
static char *log_of_all(trm_study *study, int width, long *failed)
{
    trm_log log;
    trm_error err = {0};
    int looks = 0;
    remove("pool.log");
    remove("met_29");
    const long runs = study->axes.runs;
    assert_int_equal(trm_log_open("pool.log", header, runs, &log, &err), TRM_OK);
    const trm_crew crew = {.study = study,
                           .log = &log,
                           .width = width,
                           .interrupted = &interrupted,
                           .look = look,
                           .user = &looks};
    assert_int_equal(trm_crew_work(&crew, &err), TRM_OK);
    assert_int_equal(log.rows, runs);
    *failed = log.failed;
    trm_log_close(&log);
    char *const text = read_log("pool.log");
    remove("pool.log");
    remove("met_29");
    return text;
}

/// Nobody may take its exit for a result, or wait for the row: it is a row `killed`.
CLAIM(a_worker_that_exits_0_without_a_row_is_not_done)
{
    trm_study study = {.axes.runs = 4}; // 0 to 3: the last one exits
    long failed = 0;
    char *const text = log_of_all(&study, 1, &failed);
    assert_int_equal(failed, 1);
    assert_non_null(strstr(text, "\n3,killed,"));
    assert_non_null(strstr(text, "exit code 0"));
    assert_null(strstr(text, "\n3,done,"));
    free(text);
}

CLAIM(misbehaving_runs_are_rows_and_the_others_are_made)
{
    static const struct {
        long index;
        const char *says;
    } bad[] = {{3, "exit code 0"}, {7, "signal 6"}, {11, "died"}, {19, "died"}, {23, "signal 9"}};
    for (int width = 1; width <= 4; width += 3) {
        trm_study study = {.axes.runs = RUNS};
        long failed = 0;
        char *const text = log_of_all(&study, width, &failed);
        assert_int_equal(failed, 5);
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            char begins[40];
            snprintf(begins, sizeof begins, "\n%ld,killed,", bad[i].index);
            const char *const row = strstr(text, begins);
            assert_non_null(row);
            assert_true(strcspn(row + 1, "\n") > (size_t)(strstr(row, bad[i].says) - row));
        }
        assert_non_null(strstr(text, "\n29,done,"));
        assert_non_null(strstr(text, "\n18,done,"));
        assert_null(strstr(text, "\n\n"));
        free(text);
    }
}
