/// trammel-mpi: trammel sweep by ranks of MPI. Rank 0 hands out
/// blocks of runs and is the only writer.
///
/// MPI promises no more than this: a rank that dies ends the job. Rows that rank 0 has are safe,
/// and the same command goes on.
#define _DEFAULT_SOURCE
#include "tools/common/diagnose.h"
#include "tools/common/output.h"
#include "tools/sweep/rows.h"
#include "tools/sweep/sweep.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAG_ROWS = 1, TAG_BLOCK = 2, MOST = 4096, NAP = 200000 }; // runs of a block at most; ns
static const double short_block = 0.1, long_block = 0.4; // s: a block is made larger, smaller

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
}

/// Waits for a message without keeping a processor busy.
static MPI_Status wait_for(int source, int tag)
{
    MPI_Status status;
    for (int there = 0; !there;) {
        MPI_Iprobe(source, tag, MPI_COMM_WORLD, &there, &status);
        if (!there) {
            nap();
        }
    }
    return status;
}

// ------------------------------------------------------------------------------------------ ranks

typedef struct block_ends {
    const long *block;
    int n, taken;
    FILE *out;
} block_ends;

static long next_of_block(void *user, int wait)
{
    block_ends *const b = user;
    (void)wait;
    return b->taken < b->n ? b->block[b->taken++] : -2;
}

static int put_in_block(void *user, const char *line)
{
    return fputs(line, ((block_ends *)user)->out) < 0;
}

/// Rows of a block in one text.
static char *make_block(const trm_study *study, const long *block, int n, size_t *size)
{
    char *text = NULL;
    block_ends b = {.block = block, .n = n, .out = trm_text_stream(&text, size)};
    const trm_rows_ends ends = {next_of_block, put_in_block, &b};
    if (b.out != NULL) {
        (void)trm_rows_make(study, (int)study->arguments.lanes, &ends);
        if (trm_stream_close(b.out) != 0) {
            free(text);
            text = NULL;
            *size = 0;
        }
    }
    return text;
}

/// Asks for blocks until there is none.
static void serve(const trm_study *study)
{
    static long block[MOST];
    size_t size = 0;
    char *text = NULL;
    for (int n = 1; n > 0;) {
        MPI_Send(text, (int)size, MPI_CHAR, 0, TAG_ROWS, MPI_COMM_WORLD);
        free(text);
        text = NULL;
        size = 0;
        const MPI_Status status = wait_for(0, TAG_BLOCK);
        MPI_Get_count(&status, MPI_LONG, &n);
        MPI_Recv(block, n, MPI_LONG, 0, TAG_BLOCK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        text = n > 0 ? make_block(study, block, n, &size) : NULL;
    }
}

/// The ranks besides 0: silent except for what rank 0 cannot know.
static int be_rank(int argc, char **argv)
{
    trm_study study = {.nfacts = 0};
    trm_error err = {.t = NAN};
    trm_status status = trm_arguments_parse(TRM_COMMAND_SWEEP, argc, argv, &study.arguments, &err);
    const int works = status == TRM_OK && !study.arguments.help && !study.arguments.merge;
    status = works ? trm_study_create(&study, &err) : TRM_ERR_OPTIONS; // rank 0 says why
    unsigned long long sum = status == TRM_OK ? study.sum : 0;
    unsigned long long of_root = 0;
    MPI_Bcast(&of_root, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
    MPI_Gather(&sum, 1, MPI_UNSIGNED_LONG_LONG, NULL, 0, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
    int go = 0;
    MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (go) {
        serve(&study);
    }
    trm_study_destroy(&study);
    trm_arguments_destroy(&study.arguments);
    return 0;
}

// ------------------------------------------------------------------------------------------ rank 0

typedef struct place {
    int size;       // of its next block
    double started; // s: of the block it has
} place;

static trm_status keep_rows(const trm_crew *crew, char *text, trm_error *err)
{
    trm_status status = TRM_OK;
    for (char *at = text; status == TRM_OK && *at != '\0';) {
        const size_t n = strcspn(at, "\n") + 1;
        char *const line = strndup(at, n);
        status = line != NULL ? trm_log_append(crew->log, line, err)
                              : TRM_FAIL(err, TRM_ERR_MEMORY, "trammel-mpi", "out of memory");
        free(line);
        at += n - (at[n - 1] != '\n');
    }
    return status;
}

/// The next runs that the log has not; *next goes on.
static int take_block(const trm_crew *crew, long *next, int size, long *block)
{
    const long step = crew->part.n > 0 ? crew->part.n : 1;
    int n = 0;
    for (; n < size && *next < crew->study->axes.runs; *next += step) {
        if (!trm_log_has(crew->log, *next)) {
            block[n++] = *next;
        }
    }
    return n;
}

/// Takes rows of any rank and gives it the next block; an empty one ends it.
static trm_status deal(const trm_crew *crew, place *places, int ranks, trm_error *err)
{
    static long block[MOST];
    long next = crew->part.n > 0 ? crew->part.i - 1 : 0;
    trm_status status = TRM_OK;
    for (int working = ranks - 1; working > 0;) {
        const MPI_Status message = wait_for(MPI_ANY_SOURCE, TAG_ROWS);
        const int rank = message.MPI_SOURCE;
        int size = 0;
        MPI_Get_count(&message, MPI_CHAR, &size);
        char *const text = calloc((size_t)size + 1, 1);
        if (text == NULL) {
            MPI_Abort(MPI_COMM_WORLD, TRM_EXIT_IO);
        }
        MPI_Recv(text, size, MPI_CHAR, rank, TAG_ROWS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        status = status == TRM_OK ? keep_rows(crew, text, err) : status;
        status = status == TRM_OK ? trm_log_sync(crew->log, 0, err) : status;
        free(text);
        place *const p = &places[rank];
        const double took = MPI_Wtime() - p->started;
        p->size = size == 0            ? 1
                  : took < short_block ? (2 * p->size < MOST ? 2 * p->size : MOST)
                  : took > long_block  ? (p->size + 1) / 2
                                       : p->size;
        const int ends = status != TRM_OK || *crew->interrupted;
        const int n = ends ? 0 : take_block(crew, &next, p->size, block);
        p->started = MPI_Wtime();
        MPI_Send(block, n, MPI_LONG, rank, TAG_BLOCK, MPI_COMM_WORLD);
        working -= n == 0;
        crew->look(crew->user);
    }
    return status == TRM_OK ? trm_log_sync(crew->log, 1, err) : status;
}

/// Before the first run: all have the same study.
static trm_status compare_ranks(const trm_crew *crew, int ranks, trm_error *err)
{
    unsigned long long ours = crew->study->sum;
    unsigned long long *const sums = calloc((size_t)ranks, sizeof *sums);
    if (sums == NULL) {
        MPI_Abort(MPI_COMM_WORLD, TRM_EXIT_IO);
    }
    MPI_Bcast(&ours, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
    MPI_Gather(&ours, 1, MPI_UNSIGNED_LONG_LONG, sums, 1, MPI_UNSIGNED_LONG_LONG, 0,
               MPI_COMM_WORLD);
    int odd = 0;
    for (int i = 1; sums != NULL && i < ranks; i++) {
        odd = odd == 0 && sums[i] != ours ? i : odd;
    }
    free(sums);
    int go = odd == 0;
    MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return go ? TRM_OK
              : TRM_FAIL(err, TRM_ERR_OPTIONS, "trammel-mpi",
                         "rank %d has another version, program or scene than rank 0", odd);
}

static int dealt; // the ranks wait for nothing any more

static trm_status by_ranks(const trm_crew *crew, trm_error *err)
{
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    dealt = 1;
    TRM_TRY(compare_ranks(crew, ranks, err));
    place *const places = calloc((size_t)ranks, sizeof *places);
    if (places == NULL) {
        MPI_Abort(MPI_COMM_WORLD, TRM_EXIT_IO);
    }
    const trm_status status = deal(crew, places, ranks, err);
    free(places);
    return status;
}

int main(int argc, char **argv)
{
    int rank, ranks, code = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int named = argc > 1 && strcmp(argv[1], "sweep") == 0;
    if (!named || ranks < 2) {
        if (rank == 0) {
            fputs(named ? "error: rank 0 only hands out the runs: start two ranks or more (mpirun "
                          "-n 3)\n"
                        : "error: trammel-mpi sweep SCENE ...; everything else is trammel's\n",
                  stderr);
        }
        MPI_Finalize();
        return TRM_EXIT_USAGE;
    }
    if (rank > 0) {
        code = be_rank(argc - 1, argv + 1);
    } else {
        code = trm_sweep(by_ranks, argc - 1, argv + 1);
        if (!dealt) { // refused, or nothing left to do: the ranks still wait
            unsigned long long none = 0;
            int go = 0;
            unsigned long long *const sums = calloc((size_t)ranks, sizeof *sums);
            MPI_Bcast(&none, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
            MPI_Gather(&none, 1, MPI_UNSIGNED_LONG_LONG, sums, 1, MPI_UNSIGNED_LONG_LONG, 0,
                       MPI_COMM_WORLD);
            MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
            free(sums);
        }
    }
    MPI_Finalize();
    return code;
}
