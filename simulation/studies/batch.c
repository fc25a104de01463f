/// Runs of one model in threads, and in each thread in lanes. Each run is an ordinary one with
/// memory of its own: which thread steps it, and when, cannot change it.
#include "program/lanes.h"
#include "trammel/trammel_batch.h"

#include "base/status.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// What is done with every run: by the caller and the threads, each run once.
typedef enum task { TASK_SHOW, TASK_STEP, TASK_END } task;

enum { MOST_LANES = 8 };

/// One thread at work.
typedef struct hand {
    trm_batch *batch;
    pthread_t thread;
    trm_lanes *lanes; ///< NULL: memory was short, its runs step one by one
} hand;

struct trm_batch {
    const trm_model *model;
    trm_sizes sizes;
    int n;
    trm_sim **sim;       ///< [n]
    char *start;         ///< a state of the model's start; NULL: the method keeps none
    size_t start_size;   //
    double *inputs;      ///< [n*ninput]
    double *set;         ///< [n*ninput] what the runs have
    double *t, *q, *v;   ///< [n], [n*nq], [n*nv]
    int *status;         ///< [n]
    trm_error *error;    ///< [n]
    int nsensors, width; ///< width: numbers of all of them
    trm_sensor *sensors;
    double *readings; ///< [n*width]

    task task;
    double *end;     ///< [n] s, where the runs are to go
    long most;       ///< steps of each run in one call; LONG_MAX: all
    pid_t owner;     ///< the process that has the threads
    atomic_int next; ///< run that nobody has taken yet
    int nthreads;    ///< besides the caller's
    hand *hands;     ///< [nthreads+1], the caller's first
    pthread_mutex_t lock;
    pthread_cond_t begins, ends;
    long round; ///< of tasks; threads wait for the next one
    int busy;   ///< threads that have not finished it
};

// --------------------------------------------------------------------------------------- one run

static void show(trm_batch *b, int i)
{
    const trm_state state = trm_sim_state(b->sim[i]);
    const size_t nq = (size_t)b->sizes.nq, nv = (size_t)b->sizes.nv, k = (size_t)i;
    b->t[i] = state.t;
    if (state.q && state.v) {
        memcpy(b->q + k * nq, state.q, nq * sizeof(double));
        memcpy(b->v + k * nv, state.v, nv * sizeof(double));
    }
    double *out = b->width > 0 ? b->readings + k * (size_t)b->width : NULL;
    for (int s = 0; s < b->nsensors; s++) {
        if (trm_sim_read(b->sim[i], &b->sensors[s], out, NULL) != TRM_OK) {
            for (int j = 0; j < b->sensors[s].size; j++) {
                out[j] = NAN;
            }
        }
        out += b->sensors[s].size;
    }
}

static trm_status give_inputs(trm_batch *b, int i)
{
    const size_t first = (size_t)i * (size_t)b->sizes.ninput;
    for (int k = 0; k < b->sizes.ninput; k++) {
        const double value = b->inputs[first + (size_t)k];
        if (value != b->set[first + (size_t)k]) { // NaN too, which is refused
            TRM_TRY(trm_sim_set_input(b->sim[i], k, value, &b->error[i]));
            b->set[first + (size_t)k] = value;
        }
    }
    return TRM_OK;
}

static int is_to_step(const trm_batch *b, int i)
{
    return b->status[i] == TRM_OK && b->end[i] - b->t[i] >= DBL_MIN; // as trm_sim_run
}

static void step(trm_batch *b, int i)
{
    if (!is_to_step(b, i)) {
        return;
    }
    trm_status status = give_inputs(b, i);
    if (status == TRM_OK) {
        status = trm_sim_steps_to(b->sim[i], b->end[i], b->most, &b->error[i]);
    }
    b->status[i] = status;
    show(b, i);
}

/// Its inputs have the values of the model's start.
static void settle_inputs(trm_batch *b, int i)
{
    const size_t first = (size_t)i * (size_t)b->sizes.ninput;
    for (int k = 0; k < b->sizes.ninput; k++) {
        const double value = trm_model_input_info(b->model, k).value;
        b->inputs[first + (size_t)k] = b->set[first + (size_t)k] = value;
    }
}

// --------------------------------------------------------------------------------------- threads

static int pause_here(trm_sim *sim, void *user)
{
    (void)sim, (void)user;
    return 1;
}

/// One step of run i, in its lane, towards t. Returns nonzero when it was the last one.
static int step_once(trm_batch *b, int i, double t)
{
    const trm_status status = trm_sim_run(b->sim[i], t, pause_here, NULL, &b->error[i]);
    if (status == TRM_STOPPED && trm_sim_state(b->sim[i]).t < t) {
        return 0;
    }
    b->status[i] = status == TRM_STOPPED ? TRM_OK : status; // runs in lanes have no events
    show(b, i);
    return 1;
}

/// Runs first ... first+n-1, one to a lane; those that cannot be in lanes one after the other.
static void step_lanes(trm_batch *b, trm_lanes *lanes, int first, int n)
{
    trm_sim *sim[MOST_LANES] = {NULL};
    double end[MOST_LANES] = {0};
    int left = 0;
    for (int l = 0; l < n; l++) {
        const int i = first + l;
        if (n < 2 || !is_to_step(b, i) || trm_lanes_take_slot(lanes, l, b->sim[i]) != NULL) {
            step(b, i);
            continue;
        }
        b->status[i] = give_inputs(b, i);
        if (b->status[i] == TRM_OK) {
            sim[l] = b->sim[i];
            end[l] = b->end[i];
            left++;
        } else {
            show(b, i);
        }
    }
    for (long round = 0; left > 0 && round < b->most; round++) { // a step of every run that is left
        trm_lanes_prepare(lanes, sim, end);
        for (int l = 0; l < n; l++) {
            if (sim[l] && step_once(b, first + l, end[l])) {
                sim[l] = NULL;
                left--;
            }
        }
    }
    for (int l = 0; l < n; l++) {
        if (sim[l]) {
            show(b, first + l);
        }
    }
}

/// As many lanes as leave every thread its part.
static int share_of(const trm_batch *b, const hand *own)
{
    const int width = own->lanes && b->task == TASK_STEP ? trm_lanes_width(own->lanes) : 1;
    const int part = b->n / (b->nthreads + 1);
    return part < 1 ? 1 : part < width ? part : width;
}

static void do_share(const hand *own)
{
    trm_batch *const b = own->batch;
    const int share = share_of(b, own);
    for (int i = atomic_fetch_add(&b->next, share); i < b->n;
         i = atomic_fetch_add(&b->next, share)) {
        if (b->task == TASK_STEP) {
            step_lanes(b, own->lanes, i, i + share < b->n ? share : b->n - i);
        } else {
            show(b, i);
        }
    }
}

static void *serve(void *user)
{
    const hand *const own = user;
    trm_batch *const b = own->batch;
    pthread_mutex_lock(&b->lock);
    for (long round = 0; b->task != TASK_END;) {
        if (b->round == round) {
            pthread_cond_wait(&b->begins, &b->lock);
            continue;
        }
        round = b->round;
        pthread_mutex_unlock(&b->lock);
        do_share(own);
        pthread_mutex_lock(&b->lock);
        if (--b->busy == 0) {
            pthread_cond_signal(&b->ends);
        }
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

static void do_task(trm_batch *b, task what)
{
    pthread_mutex_lock(&b->lock);
    b->task = what;
    atomic_store(&b->next, 0);
    b->busy = b->nthreads;
    b->round++;
    pthread_cond_broadcast(&b->begins);
    pthread_mutex_unlock(&b->lock);
    do_share(&b->hands[0]);
    pthread_mutex_lock(&b->lock);
    while (b->busy > 0) {
        pthread_cond_wait(&b->ends, &b->lock);
    }
    pthread_mutex_unlock(&b->lock);
}

static void set_hand(trm_batch *b, int i)
{
    b->hands[i].batch = b;
    (void)trm_lanes_create(0, &b->hands[i].lanes, NULL);
}

/// As many as can be had: the caller's is one. Returns 0 when memory is short.
static int start_threads(trm_batch *b, int threads)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const long wanted = threads > 0 ? threads : cores > 0 ? cores : 1;
    const int most = (int)(wanted < b->n ? wanted : b->n) - 1;
    b->hands = calloc((size_t)most + 1, sizeof *b->hands);
    if (!b->hands) {
        return 0;
    }
    set_hand(b, 0);
    for (int i = 1; i <= most; i++) {
        set_hand(b, i);
        if (pthread_create(&b->hands[i].thread, NULL, serve, &b->hands[i]) != 0) {
            trm_lanes_destroy(b->hands[i].lanes);
            break;
        }
        b->nthreads++;
    }
    return 1;
}

static void end_threads(trm_batch *b)
{
    pthread_mutex_lock(&b->lock);
    b->task = TASK_END;
    pthread_cond_broadcast(&b->begins);
    pthread_mutex_unlock(&b->lock);
    for (int i = 0; b->hands && i <= b->nthreads; i++) {
        if (i > 0) {
            pthread_join(b->hands[i].thread, NULL);
        }
        trm_lanes_destroy(b->hands[i].lanes);
    }
    free(b->hands);
    pthread_cond_destroy(&b->ends);
    pthread_cond_destroy(&b->begins);
    pthread_mutex_destroy(&b->lock);
}

// ---------------------------------------------------------------------------------------- create

static double *numbers(int n, int of_each)
{
    return calloc((size_t)n * (size_t)of_each + 1, sizeof(double));
}

static int take_memory(trm_batch *b)
{
    b->end = numbers(b->n, 1);
    b->sim = calloc((size_t)b->n, sizeof(trm_sim *));
    b->inputs = numbers(b->n, b->sizes.ninput);
    b->set = numbers(b->n, b->sizes.ninput);
    b->t = numbers(b->n, 1);
    b->q = numbers(b->n, b->sizes.nq);
    b->v = numbers(b->n, b->sizes.nv);
    b->status = calloc((size_t)b->n, sizeof *b->status);
    b->error = calloc((size_t)b->n, sizeof *b->error);
    return b->end && b->sim && b->inputs && b->set && b->t && b->q && b->v && b->status && b->error;
}

/// Every run; and what a reset to the start needs.
static trm_status open_runs(trm_batch *b, const trm_options *options, trm_error *err)
{
    for (int i = 0; i < b->n; i++) {
        TRM_TRY(trm_sim_create(b->model, options, &b->sim[i], err));
        settle_inputs(b, i);
    }
    b->start_size = trm_sim_state_size(b->sim[0]);
    if (b->start_size == 0) {
        return TRM_OK;
    }
    b->start = malloc(b->start_size);
    return b->start ? trm_sim_save(b->sim[0], b->start, b->start_size, err)
                    : TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "not enough memory for a batch");
}

trm_status trm_batch_create(const trm_model *model, const trm_options *options, int n, int threads,
                            trm_batch **out, trm_error *err)
{
    TRM_CLEAR(out);
    if (!model || !out || n < 1 || threads < 0) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS,
                        !model  ? "model"
                        : !out  ? "out"
                        : n < 1 ? "n"
                                : "threads",
                        "expected a model, a place for the batch, at least one run and no negative "
                        "number of threads");
    }
    trm_batch *b = calloc(1, sizeof *b);
    if (!b) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "not enough memory for a batch");
    }
    *b = (trm_batch){.model = model,
                     .sizes = trm_model_sizes(model),
                     .n = n,
                     .most = LONG_MAX,
                     .owner = getpid()};
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->begins, NULL);
    pthread_cond_init(&b->ends, NULL);
    trm_status status = take_memory(b)
                            ? open_runs(b, options, err)
                            : TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "not enough memory for a batch");
    if (status != TRM_OK) {
        trm_batch_destroy(b);
        return status;
    }
    if (!start_threads(b, threads)) {
        trm_batch_destroy(b);
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "not enough memory for a batch");
    }
    do_task(b, TASK_SHOW);
    *out = b;
    return TRM_OK;
}

void trm_batch_destroy(trm_batch *b)
{
    if (!b) {
        return;
    }
    if (b->owner == getpid()) { // else they have stayed with the parent
        end_threads(b);
    }
    for (int i = 0; b->sim && i < b->n; i++) {
        trm_sim_destroy(b->sim[i]);
    }
    free(b->end);
    free(b->sim);
    free(b->start);
    free(b->inputs);
    free(b->set);
    free(b->t);
    free(b->q);
    free(b->v);
    free(b->status);
    free(b->error);
    free(b->sensors);
    free(b->readings);
    free(b);
}

// ------------------------------------------------------------------------------------------- use

static trm_status check(const trm_batch *b, trm_error *err)
{
    if (!b) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "batch", "expected a batch, got NULL");
    }
    return b->owner == getpid()
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_OPTIONS, "batch",
                          "its threads have stayed with the process that made it; behind fork() "
                          "make a new batch");
}

/// The start of the model is restored from a saved run; a method that keeps
/// its history elsewhere starts again.
static trm_status restart(trm_batch *b, int run, double t, const double *q, const double *v,
                          trm_error *err)
{
    if (!q && b->start) {
        return trm_sim_restore(b->sim[run], b->start, b->start_size, err);
    }
    for (int k = 0; k < b->sizes.ninput; k++) {
        TRM_TRY(trm_sim_set_input(b->sim[run], k, trm_model_input_info(b->model, k).value, err));
    }
    if (q) {
        return trm_sim_set_state(b->sim[run], t, q, v, err);
    }
    double *const start = numbers(1, b->sizes.nq + b->sizes.nv);
    if (!start) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "not enough memory for a reset");
    }
    trm_model_initial_state(b->model, start, start + b->sizes.nq);
    const trm_status status = trm_sim_set_state(b->sim[run], 0, start, start + b->sizes.nq, err);
    free(start);
    return status;
}

trm_status trm_batch_reset(trm_batch *b, int run, double t, const double *q, const double *v,
                           trm_error *err)
{
    TRM_TRY(check(b, err));
    if (run < 0 || run >= b->n || !q != !v || !isfinite(t)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "run",
                        "expected a run from 0 to %d, a finite time, and q and v or neither; got "
                        "run %d",
                        b->n - 1, run);
    }
    // the state as it is shown, but with inputs that have come to rest
    const trm_status status = restart(b, run, t, q, v, err);
    b->status[run] = status;
    settle_inputs(b, run);
    show(b, run);
    return status;
}

trm_status trm_batch_set_sensors(trm_batch *b, int n, const trm_sensor *sensors, trm_error *err)
{
    TRM_TRY(check(b, err));
    int width = 0;
    for (int i = 0; sensors && i < n; i++) {
        if (sensors[i].model != b->model) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, "sensors", "sensor %d is of another model", i);
        }
        width += sensors[i].size;
    }
    if (n < 0 || (n > 0 && !sensors)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "sensors", "expected %d sensors, got NULL", n);
    }
    trm_sensor *const chosen = calloc((size_t)n + 1, sizeof *chosen);
    double *const readings = numbers(b->n, width);
    if (!chosen || !readings) {
        free(chosen);
        free(readings);
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "not enough memory for readings");
    }
    if (n > 0) {
        memcpy(chosen, sensors, (size_t)n * sizeof *chosen);
    }
    free(b->sensors);
    free(b->readings);
    b->sensors = chosen;
    b->readings = readings;
    b->nsensors = n;
    b->width = width;
    do_task(b, TASK_SHOW);
    return TRM_OK;
}

/// The status and error of the first run that has failed, or else of the first that was stopped.
static trm_status tell(const trm_batch *b, trm_error *err)
{
    int told = -1;
    for (int i = 0; i < b->n; i++) {
        const int failed = b->status[i] < 0, told_failed = told >= 0 && b->status[told] < 0;
        if (b->status[i] != TRM_OK && (told < 0 || (failed && !told_failed))) {
            told = i;
        }
    }
    if (told < 0) {
        return TRM_OK;
    }
    if (err && b->status[told] < 0) {
        *err = b->error[told];
        err->status = (trm_status)b->status[told];
        snprintf(err->where, sizeof err->where, "run %d%s%.130s", told,
                 *b->error[told].where ? ": " : "", b->error[told].where);
    }
    return (trm_status)b->status[told];
}

trm_status trm_batch_set_most(trm_batch *b, long most, trm_error *err)
{
    TRM_TRY(check(b, err));
    if (most < 0) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "most", "expected steps >= 0, got %ld", most);
    }
    b->most = most > 0 ? most : LONG_MAX;
    return TRM_OK;
}

trm_status trm_batch_go_on(trm_batch *b, trm_error *err)
{
    TRM_TRY(check(b, err));
    do_task(b, TASK_STEP);
    return tell(b, err);
}

trm_status trm_batch_step_by(trm_batch *b, double dt, trm_error *err)
{
    TRM_TRY(check(b, err));
    const int wrong = !(dt > 0) || !isfinite(dt);
    for (int i = 0; i < b->n; i++) { // of what was begun before nothing is left
        b->end[i] = wrong ? b->t[i] : b->t[i] + dt;
    }
    if (wrong) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "dt", "expected a time > 0, got %g", dt);
    }
    return trm_batch_go_on(b, err);
}

trm_status trm_batch_step_to(trm_batch *b, double t, trm_error *err)
{
    TRM_TRY(check(b, err));
    for (int i = 0; i < b->n; i++) {
        b->end[i] = isfinite(t) ? t : b->t[i];
    }
    if (!isfinite(t)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "t", "expected a finite time, got %g", t);
    }
    return trm_batch_go_on(b, err);
}

trm_batch_arrays trm_batch_arrays_of(trm_batch *b)
{
    if (!b) {
        return (trm_batch_arrays){0};
    }
    int left = 0;
    for (int i = 0; b->owner == getpid() && i < b->n; i++) {
        left += is_to_step(b, i);
    }
    return (trm_batch_arrays){.n = b->n,
                              .sensor_width = b->width,
                              .inputs = b->inputs,
                              .t = b->t,
                              .q = b->q,
                              .v = b->v,
                              .status = b->status,
                              .sensor_values = b->width > 0 ? b->readings : NULL,
                              .left = left};
}
