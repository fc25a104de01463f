/// trammel run: load, choose, close or check the start, open the recording, step, report.
#include "tools/run.h"

#include "engine/status.h"
#include "engine/trammel_check.h"
#include "tools/commands.h"
#include "tools/diagnose.h"
#include "tools/load.h"
#include "tools/progress.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STEPS_PER_LOOK = 128 }; // steps between two looks at the clock for the progress bar

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

static double cpu_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ------------------------------------------------------------------------------------ recording

typedef struct observer {
    trm_run *run;
    trm_progress progress;
    long next; // the next line is due at next * every
    long calls;
    double recording; // s of CPU spent on lines
} observer;

static trm_status record_at(trm_run *run, double t)
{
    trm_sample sample;
    double sigma = 1;
    TRM_TRY(trm_sim_singular_value(run->sim, t, &sigma, &run->error));
    TRM_TRY(trm_sim_sample(run->sim, t, &sample, &run->error));
    return trm_recording_write(run->recording, run->sim, &sample, sigma, &run->error);
}

/// The current state needs no dense output.
static trm_status record_now(trm_run *run)
{
    return record_at(run, trm_sim_state(run->sim).t);
}

/// Whether n * every is one of the times of recording; the end has a line of its own.
static int before_end(const trm_run *run, long n)
{
    return (double)n * run->every < run->end - 1e-9 * run->every;
}

static trm_status record_due(observer *o, double t_now)
{
    trm_run *const run = o->run;
    for (; (double)o->next * run->every <= t_now && before_end(run, o->next); o->next++) {
        if (interrupted) {
            return TRM_OK; // one step may have millions of lines
        }
        TRM_TRY(record_at(run, (double)o->next * run->every));
    }
    return t_now == run->end ? record_now(run) : TRM_OK;
}

static trm_status record(observer *o)
{
    trm_run *const run = o->run;
    const double t = trm_sim_state(run->sim).t;
    const int due = run->every <= 0 || t == run->end || (double)o->next * run->every <= t;
    if (run->recording == NULL || !due) {
        return TRM_OK;
    }
    const double before = cpu_clock();
    const trm_status status = run->every > 0 ? record_due(o, t) : record_now(run);
    o->recording += cpu_clock() - before;
    return status;
}

static int observe(trm_sim *sim, void *user)
{
    observer *const o = user;
    o->run->status = record(o);
    if (o->progress.active && ++o->calls % STEPS_PER_LOOK == 0) {
        trm_progress_draw(&o->progress, trm_sim_state(sim).t, trm_sim_stats(sim).steps);
    }
    return o->run->status != TRM_OK || interrupted;
}

/// The last accepted state ends the recording, wherever the run stopped; then nothing is buffered.
static void finish_recording(trm_run *run)
{
    const double t = trm_sim_state(run->sim).t;
    trm_error late = {0};
    if (run->status != TRM_ERR_IO && trm_recording_last(run->recording) < t) {
        const trm_error first = run->error;
        late.status = record_now(run);
        late = late.status == TRM_OK ? late : run->error;
        run->error = first;
    }
    if (late.status == TRM_OK) {
        trm_recording_close(run->recording, &late);
    }
    if (late.status != TRM_OK && (run->status == TRM_OK || run->status == TRM_STOPPED)) {
        run->error = late;
        run->status = late.status;
    }
}

// ----------------------------------------------------------------------------------------- run

static trm_status advance(trm_run *run)
{
    observer o = {
        .run = run,
        .progress = trm_progress_start(run->end, !run->arguments.quiet),
        .next = 1,
    };
    const int watched = run->recording != NULL || o.progress.active;
    if (watched) {
        sigaction(SIGINT, &(struct sigaction){.sa_handler = on_interrupt}, NULL);
    }
    run->started = 1;
    if (run->recording != NULL) {
        TRM_TRY(record_now(run));
    }
    const double before = cpu_clock();
    trm_status status = TRM_OK;
    if (run->end > 0) {
        status = trm_sim_run(run->sim, run->end, watched ? observe : NULL, &o, &run->error);
    }
    run->cpu = cpu_clock() - before - o.recording;
    trm_progress_clear(&o.progress);
    return status == TRM_STOPPED && run->status != TRM_OK ? run->status : status;
}

static trm_status choose_times(trm_run *run)
{
    const double most_lines = 1e9;
    const trm_arguments *const a = &run->arguments;
    const trm_simulation of_scene = trm_scene_simulation(run->scene);
    run->end = a->given & TRM_GIVEN_END ? a->end : of_scene.end;
    run->every = a->given & TRM_GIVEN_EVERY ? a->every : of_scene.every;
    if (!(a->given & TRM_GIVEN_END) && run->end <= 0) {
        return TRM_FAIL(&run->error, TRM_ERR_OPTIONS, "--end",
                        "the scene has no simulation.end; say how many seconds to simulate");
    }
    if ((a->given & TRM_GIVEN_STEP) && a->step > run->end) {
        return TRM_FAIL(&run->error, TRM_ERR_OPTIONS, "--step",
                        "a step of %g s is larger than the run of %g s", a->step, run->end);
    }
    if (a->output != NULL && run->every > 0 && run->end / run->every > most_lines) {
        return TRM_FAIL(&run->error, TRM_ERR_OPTIONS, "--every",
                        "%g s makes %.1g lines of a run of %g s; a recording has %g at most",
                        run->every, run->end / run->every, run->end, most_lines);
    }
    return TRM_OK;
}

/// A fixed step that nobody chose must not exceed the run.
static trm_status choose_step(trm_run *run)
{
    trm_options *const o = &run->choice.options;
    const int fixed = !run->choice.method->adaptive;
    if (fixed && o->h <= 0) {
        return TRM_FAIL(&run->error, TRM_ERR_OPTIONS, "--step", "%s takes fixed steps; say which",
                        run->choice.method->integrator_name);
    }
    if (fixed && run->end > 0) {
        o->h = fmin(o->h, run->end);
    }
    return TRM_OK;
}

static trm_status start(trm_run *run)
{
    trm_run *const r = run;
    TRM_TRY(trm_load(&r->arguments, &r->scene, &r->model, &r->error));
    const trm_simulation of_scene = trm_scene_simulation(r->scene);
    r->arguments.assemble |= of_scene.assemble != 0;
    TRM_TRY(choose_times(r));
    TRM_TRY(trm_choose_method(&r->arguments, r->model, of_scene.accuracy, &r->choice, &r->error));
    TRM_TRY(choose_step(r));
    TRM_TRY(trm_sim_create(r->model, &r->choice.options, &r->sim, &r->error));
    if (r->arguments.assemble) {
        const trm_state state = trm_sim_state(r->sim);
        TRM_TRY(trm_assembly_measure(r->scene, r->model, &state, &r->assembly, &r->error));
    }
    return TRM_OK;
}

/// Which multipliers redundancy leaves open, where that does not take long.
static void find_unique(trm_run *run)
{
    enum { MOST_ROWS = 400 };
    const int nc = trm_model_sizes(run->model).nc;
    const trm_state state = trm_sim_state(run->sim);
    run->unique = nc > 0 && nc <= MOST_ROWS ? calloc((size_t)nc, sizeof *run->unique) : NULL;
    if (run->unique != NULL &&
        trm_unique_multipliers(run->model, state.t, state.q, run->unique, NULL) != TRM_OK) {
        free(run->unique);
        run->unique = NULL;
    }
}

static trm_status simulate(trm_run *run)
{
    const char *const output = run->arguments.output;
    TRM_TRY(start(run));
    find_unique(run);
    if (output != NULL) {
        TRM_TRY(trm_recording_open(output, run->scene, run->model, run->unique, &run->recording,
                                   &run->error));
    }
    run->status = TRM_OK;
    run->status = advance(run);
    if (run->recording != NULL) {
        finish_recording(run);
    }
    return run->status;
}

/// Baumgarte's terms are divided by the vanishing pivots: such a run is never silent. Neither is
/// an interval of recording that records nothing in between.
static void warn(const trm_run *run)
{
    if (run->recording != NULL && (run->arguments.given & TRM_GIVEN_EVERY) &&
        run->every > run->end) {
        fprintf(stderr,
                "warning: --every %g s is longer than the run of %g s; only its start and its end "
                "are recorded\n",
                run->every, run->end);
    }
    const long crossings = run->started ? trm_sim_report(run->sim).crossings : 0;
    if (crossings > 0 && run->choice.options.stabilization == TRM_BAUMGARTE) {
        fprintf(stderr,
                "warning: Baumgarte's method met %ld singular %s, where it may lose energy or "
                "change branch; compare with another method\n",
                crossings, crossings == 1 ? "position" : "positions");
    }
}

static int report(trm_run *run)
{
    const trm_arguments *const a = &run->arguments;
    const int code = trm_exit_code(run->status, run->started);
    if (run->status < 0) {
        run->error.status = run->status;
        trm_diagnose_as_options(&run->error);
        trm_diagnose(&run->error, a->scene);
    }
    if (code == TRM_EXIT_USAGE) {
        fputs("Try \"trammel help run\".\n", stderr);
    }
    warn(run);
    if (a->json) {
        trm_run_json(run);
    } else if (!a->quiet && run->started) {
        trm_run_text(run);
    }
    return code;
}

static void destroy(trm_run *run)
{
    trm_recording_destroy(run->recording);
    trm_assembly_destroy(&run->assembly);
    free(run->unique);
    trm_sim_destroy(run->sim);
    trm_model_destroy(run->model);
    trm_scene_destroy(run->scene);
    trm_arguments_destroy(&run->arguments);
}

int trm_command_run(int argc, char **argv)
{
    trm_run run = {.error.t = NAN};
    run.status = trm_arguments_parse(TRM_COMMAND_RUN, argc, argv, &run.arguments, &run.error);
    if (run.status == TRM_OK && run.arguments.help) {
        trm_help(TRM_COMMAND_RUN);
        destroy(&run);
        return TRM_EXIT_DONE;
    }
    if (run.status != TRM_OK) {
        run.arguments.json = trm_arguments_want_json(argc, argv);
    } else {
        run.status = trm_output_kind(run.arguments.output, ".csv", &run.error);
    }
    if (run.status == TRM_OK) {
        run.status = simulate(&run);
    }
    const int code = report(&run);
    destroy(&run);
    return code;
}
