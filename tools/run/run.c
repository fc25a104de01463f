/// trammel run: load, choose, close or check the start, open the recording, step, report.
#include "tools/run/run.h"

#include "program/verdict.h"
#include "tools/common/commands.h"
#include "tools/common/diagnose.h"
#include "tools/common/load.h"
#include "tools/common/progress.h"
#include "tools/common/terminal.h"
#include "tools/page/record.h"
#include "tools/run/accuracy.h"
#include "tools/run/lines.h"
#include "trammel/trammel_check.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { STEPS_PER_LOOK = 128 }; // steps between two looks at the clock for the progress bar

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    interrupted = number;
}

/// Ctrl-C, and what a batch system or a shell that closes sends: the recording is completed up to
/// there.
static void listen_to_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        sigaction(signals[i], &(struct sigaction){.sa_handler = on_interrupt}, NULL);
    }
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double cpu_clock(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

static double wall_clock(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

// ------------------------------------------------------------------------------------ recording

typedef struct observer {
    trm_program_run *run;
    trm_progress progress;
    trm_lines lines;
    long calls;
    double recording;           // s of CPU spent on lines
    double started, cpu_before; // s of CPU: at the start, and of the run this one resumes
    double deadline;            // s of CPU: until when a further run may go on
    double next_checkpoint;     // s on the wall
    long implicit_steps;        // at the last checkpoint
} observer;

static trm_status record(observer *o)
{
    trm_program_run *const run = o->run;
    double t = run->recording != NULL ? trm_recording_last(run->recording) : INFINITY;
    if (!trm_sim_next_line(run->sim, run->every, run->end, &t)) {
        return TRM_OK;
    }
    const double before = cpu_clock();
    const trm_status status = trm_lines_due(&o->lines, run);
    o->recording += cpu_clock() - before;
    return status;
}

/// Take over the events that have happened since the last look.
static trm_status take_events(trm_program_run *run)
{
    const trm_sizes n = trm_model_sizes(run->model);
    const size_t nq = (size_t)n.nq, nv = (size_t)n.nv;
    const long count = run->sim != NULL ? trm_sim_events(run->sim) : 0;
    for (trm_event event;
         run->nhappened < count && trm_sim_event(run->sim, run->nhappened, &event);) {
        const size_t room = (size_t)run->nhappened + 1;
        trm_happened *grown = realloc(run->happened, room * sizeof *grown);
        double *z = malloc((nq + nv) * sizeof *z);
        if (grown == NULL || z == NULL) {
            run->happened = grown != NULL ? grown : run->happened;
            free(z);
            run->error = (trm_error){.status = TRM_ERR_MEMORY, .message = "out of memory"};
            return TRM_ERR_MEMORY;
        }
        memcpy(z, event.q, nq * sizeof *z);
        memcpy(z + nq, event.v, nv * sizeof *z);
        grown[run->nhappened++] = (trm_happened){event.t, event.event, z};
        run->happened = grown;
    }
    return TRM_OK;
}

/// What the run is now, on the disk.
static trm_status leave_checkpoint(observer *o)
{
    trm_program_run *const run = o->run;
    trm_checkpoint now = {.argc = run->argc,
                          .argv = run->argv,
                          .unfinished = !o->lines.whole,
                          .cpu = o->cpu_before + cpu_clock() - o->started - o->recording,
                          .scene = run->from.scene,
                          .state_size = trm_sim_state_size(run->sim)};
    now.state = malloc(now.state_size + 1);
    trm_status status =
        now.state != NULL ? TRM_OK
                          : TRM_FAIL(&run->error, TRM_ERR_MEMORY, "--checkpoint", "out of memory");
    if (status == TRM_OK) {
        status = trm_sim_export(run->sim, now.state, now.state_size, &run->error);
    }
    if (status == TRM_OK) {
        status = trm_recording_mark(run->recording, &now.recorded, &run->error);
    }
    if (status == TRM_OK) {
        status = trm_checkpoint_write(run->state_path, &now, &run->error);
    }
    free(now.state);
    return status;
}

static trm_status keep_checkpoint(observer *o)
{
    trm_program_run *const run = o->run;
    const double now = wall_clock();
    const trm_hand_over ida = trm_sim_hand_over(run->sim);
    // a checkpoint ends ida, which needs 100 steps to come back: not before five times as many
    const int too_soon = ida.implicit && ida.implicit_steps < o->implicit_steps + 500;
    if (run->state_path == NULL || now < o->next_checkpoint || too_soon) {
        return TRM_OK;
    }
    o->implicit_steps = ida.implicit_steps;
    o->next_checkpoint = now + run->arguments.checkpoint;
    return leave_checkpoint(o);
}

static int observe(trm_sim *sim, void *user)
{
    observer *const o = user;
    o->run->status = record(o);
    o->run->status = o->run->status == TRM_OK ? take_events(o->run) : o->run->status;
    if (o->run->status == TRM_OK) {
        o->run->status = keep_checkpoint(o);
    }
    if (o->run->status == TRM_OK && o->run->recording != NULL) {
        o->run->status = trm_recording_tick(o->run->recording, &o->run->error);
    }
    if (o->run->paged) {
        trm_page_watch(&o->run->events, o->run->model, sim, &o->run->counted);
    }
    if (o->run->watch != NULL && o->run->status == TRM_OK) {
        o->run->status = trm_terminal_view_show(o->run->watch, sim, &o->run->error);
    }
    if (o->progress.active && ++o->calls % STEPS_PER_LOOK == 0) {
        trm_progress_draw(&o->progress, trm_sim_state(sim).t, trm_sim_stats(sim).steps);
    }
    return o->run->status != TRM_OK || interrupted;
}

/// The last accepted state ends the recording, wherever the run stopped; then nothing is buffered.
static void finish_recording(trm_program_run *run)
{
    const double t = trm_sim_state(run->sim).t;
    trm_error late = {0};
    if (run->status != TRM_ERR_IO && trm_recording_last(run->recording) < t) {
        const trm_error first = run->error;
        late.status = trm_lines_now(run);
        late = late.status == TRM_OK ? late : run->error;
        run->error = first;
    }
    if (late.status == TRM_OK) {
        trm_recording_close(run->recording, run->status == TRM_OK, &late);
    }
    if (late.status != TRM_OK && (run->status == TRM_OK || run->status == TRM_STOPPED)) {
        run->error = late;
        run->status = late.status;
    }
}

// ----------------------------------------------------------------------------------------- run

trm_status trm_run_step_to_end(trm_program_run *run, trm_observer_fn *look, void *user)
{
    return run->end > trm_sim_state(run->sim).t
               ? trm_sim_run(run->sim, run->end, look, user, &run->error)
               : TRM_OK;
}

/// The lines that the run before owed of its last step. Stopped again among them, the run owes the
/// rest: one more step, and they could not be sampled any more.
static trm_status write_owed(observer *o)
{
    if (!o->run->from.unfinished) {
        return TRM_OK;
    }
    TRM_TRY(record(o));
    return o->lines.whole ? TRM_OK : TRM_STOPPED;
}

static trm_status choose_times(trm_program_run *run)
{
    const double most_lines = 1e9;
    const trm_arguments *const a = &run->arguments;
    const trm_simulation of_scene = trm_scene_simulation(run->scene);
    run->end = a->given & TRM_GIVEN_END ? a->end : of_scene.end;
    run->every = a->given & TRM_GIVEN_EVERY ? a->every
                 : run->paged               ? trm_page_interval(run->model, run->end)
                                            : of_scene.every;
    if (!(a->given & TRM_GIVEN_END) && run->end <= 0) {
        return TRM_FAIL(&run->error, TRM_ERR_OPTIONS, "--end",
                        "the scene has no simulation.end; say how many seconds to simulate");
    }
    if ((a->given & TRM_GIVEN_STEP) && a->step > run->end) {
        return TRM_FAIL(&run->error, TRM_ERR_OPTIONS, "--step",
                        "a step of %g s is larger than the run of %g s", a->step, run->end);
    }
    const int too_many = run->every > 0 && run->end / run->every > most_lines;
    if (run->record == NULL && too_many) {
        run->every = 0;
    } else if (too_many) {
        return TRM_FAIL(&run->error, TRM_ERR_OPTIONS, "--every",
                        "%g s makes %.1g lines of a run of %g s; a recording has %g at most",
                        run->every, run->end / run->every, run->end, most_lines);
    }
    return TRM_OK;
}

/// A fixed step that nobody chose must not exceed the run.
static trm_status choose_step(trm_program_run *run)
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

/// Times, method, tolerances.
static trm_status choose(trm_program_run *run)
{
    trm_program_run *const r = run;
    const trm_simulation of_scene = trm_scene_simulation(r->scene);
    r->arguments.assemble |= of_scene.assemble != 0;
    TRM_TRY(choose_times(r));
    TRM_TRY(trm_choose_method(&r->arguments, r->model, of_scene.accuracy, &r->choice, &r->error));
    TRM_TRY(choose_step(r));
    return TRM_OK;
}

trm_status trm_run_prepare(trm_program_run *run)
{
    TRM_TRY(choose(run));
    return trm_sim_create(run->model, &run->choice.options, &run->sim, &run->error);
}

trm_status trm_run_find_unique(trm_program_run *run)
{
    enum { MOST_ROWS = 400 };
    const int nc = trm_model_sizes(run->model).nc;
    const trm_state state = trm_sim_state(run->sim);
    if (nc == 0 || nc > MOST_ROWS) {
        return TRM_OK;
    }
    run->unique = calloc((size_t)nc, sizeof *run->unique);
    if (run->unique == NULL) {
        return TRM_FAIL(&run->error, TRM_ERR_MEMORY, "", "out of memory");
    }
    trm_error wrong = {0};
    const trm_status status =
        trm_unique_multipliers(run->model, state.t, state.q, run->unique, &wrong);
    if (status != TRM_OK) {
        free(run->unique);
        run->unique = NULL;
    }
    if (status == TRM_ERR_MEMORY) { // else undetermined forces would look determined
        run->error = wrong;
        return status;
    }
    return TRM_OK;
}

/// Checkpoints stand beside the recording; the one that a run leaves holds its scene fixed.
static trm_status prepare_checkpoints(trm_program_run *run)
{
    const trm_arguments *const a = &run->arguments;
    const uint64_t scene = trm_load_sum(run->scene);
    if (!(a->given & TRM_GIVEN_CHECKPOINT)) {
        return TRM_OK;
    }
    if (trm_sim_state_size(run->sim) == 0) {
        return TRM_FAIL(&run->error, TRM_ERR_OPTIONS, "--checkpoint",
                        "%s keeps its history in another library: such a run cannot be resumed",
                        run->choice.method->integrator_name);
    }
    if (run->from.argc > 0 && run->from.scene != scene) {
        return TRM_FAIL(&run->error, TRM_ERR_OPTIONS, "--resume",
                        "the scene or a table has changed since the checkpoint");
    }
    run->from.scene = scene;
    run->state_path = trm_checkpoint_path(a->output);
    return run->state_path != NULL
               ? trm_outfile_refuse(run->state_path, &run->error)
               : TRM_FAIL(&run->error, TRM_ERR_MEMORY, "--checkpoint", "out of memory");
}

static trm_status go_back(trm_program_run *run)
{
    const trm_checkpoint *const from = &run->from;
    TRM_TRY(trm_sim_import(run->sim, from->state, from->state_size, &run->error));
    return trm_recording_go_back(run->recording, &from->recorded, &run->error);
}

/// A page says so at its head when the run is not good.
static void note_verdict(trm_program_run *run)
{
    const trm_report report = trm_sim_report(run->sim);
    const trm_verdict of_gaps = trm_verdict_of_constraints(&report);
    const trm_verdict of_run = trm_verdict_of_report(&report);
    const trm_accuracy known = trm_result_accuracy(run->result);
    run->events.verdict = trm_verdict_name(of_run);
    if (known.runs > 1 && known.asked > 0 && known.rating != TRM_VERDICT_GOOD) {
        trm_tape_note(&run->events,
                      "Accuracy %s: asked %.1g, differs by %.1g of the motion; known to that up to "
                      "t = %.6g s.",
                      trm_verdict_name(known.rating), known.asked, known.differs,
                      known.known_until);
    }
    if (of_run == TRM_VERDICT_GOOD) {
        return;
    }
    trm_tape_note(&run->events,
                  "%s: constraints %s, violated by %.2g of the size, in velocity by "
                  "%.2g of the speed; energy %s, off by %.2g of the exchanged energy; branch %s.",
                  of_run == TRM_VERDICT_POOR ? "Do not use this result" : "Fair",
                  trm_verdict_name(of_gaps),
                  fmax(report.position_drift_relative, report.between_relative),
                  report.velocity_drift_relative, trm_verdict_name(trm_verdict_of_energy(&report)),
                  trm_energy_relative(&report),
                  of_gaps == TRM_VERDICT_POOR ? "not judged, since the constraints do not hold"
                  : report.undecided > 0      ? "undecided"
                                              : trm_verdict_name(trm_verdict_of_branch(&report)));
}

static void note_happened(trm_program_run *run)
{
    for (long i = 0; i < run->nhappened; i++) {
        const trm_event_info event = trm_model_event_info(run->model, run->happened[i].event);
        trm_page_event e = {.kind = TRM_EVENT_SCENE, .t = run->happened[i].t};
        snprintf(e.text, sizeof e.text, "Event '%.80s'.", event.name);
        trm_tape_add(&run->events, &e);
    }
}

/// The recording, and what has happened on the way, from its beginning.
static trm_status open_recording(trm_program_run *run)
{
    const trm_outfile_wish wish = {.path = run->record,
                                   .live = run->arguments.live || run->paged,
                                   .resume = run->from.argc > 0};
    const trm_recording_form form = {.unique = run->unique,
                                     .columns = run->paged ? NULL : run->arguments.record_columns,
                                     .header = run->paged ? TRM_HEADER_UNITS
                                                          : (trm_header)run->arguments.header};
    trm_recording_destroy(run->recording);
    run->recording = NULL;
    listen_to_signals(); // before the first byte is in the file
    return trm_recording_open(&wish, run->scene, run->model, &form, &run->recording, &run->error);
}

static void forget_events(trm_program_run *run)
{
    for (long i = 0; i < run->nhappened; i++) {
        free(run->happened[i].z);
    }
    run->nhappened = 0;
    free(run->counted.mode);
    run->counted = (trm_page_counts){0};
    trm_tape_destroy(&run->events);
}

/// What belongs to the first run alone.
static trm_status begin_first(trm_program_run *run)
{
    if (run->arguments.assemble) {
        const trm_state state = trm_sim_state(run->sim);
        TRM_TRY(trm_assembly_measure(run->scene, run->model, &state, &run->assembly, &run->error));
    }
    TRM_TRY(trm_run_find_unique(run));
    if (run->arguments.watch) {
        TRM_TRY(
            trm_terminal_view_create(run->scene, run->model, run->end, &run->watch, &run->error));
    }
    return TRM_OK;
}

static trm_status begin(trm_sim *sim, int number, void *user, trm_error *err)
{
    observer *const o = user;
    trm_program_run *const run = o->run;
    const int resumed = run->from.argc > 0;
    (void)err; // is run->error
    run->sim = sim;
    forget_events(run);
    TRM_TRY(number == 0 ? begin_first(run) : TRM_OK);
    TRM_TRY(run->record != NULL ? open_recording(run) : TRM_OK);
    TRM_TRY(number == 0 ? prepare_checkpoints(run) : TRM_OK);
    TRM_TRY(resumed ? go_back(run) : TRM_OK);
    if (run->state_path == NULL) { // a checkpoint is that of a whole step
        trm_sim_set_interrupt(sim, &interrupted);
    }
    run->status = TRM_OK;
    o->lines = (trm_lines){1, &interrupted};
    o->cpu_before = run->from.cpu;
    o->next_checkpoint = wall_clock() + run->arguments.checkpoint;
    o->progress = trm_progress_start(run->end, !run->arguments.quiet && run->watch == NULL);
    const int watched =
        o->progress.active || run->watch != NULL || trm_model_sizes(run->model).nevent > 0;
    if (watched) {
        listen_to_signals();
    }
    run->started = 1;
    TRM_TRY(run->recording != NULL && !resumed ? trm_lines_now(run) : TRM_OK);
    o->recording = 0;
    return write_owed(o);
}

static void finish(int number, void *user)
{
    observer *const o = user;
    (void)number;
    o->run->cpu = o->cpu_before = o->cpu_before + cpu_clock() - o->started - o->recording;
    o->started = cpu_clock(); // of the next one
    o->recording = 0;
}

/// The rule that the help states: what is above half of the 10 s for which attention holds (Miller,
/// Response time in man-computer conversational transactions, 1968) is asked for.
static int may_verify(double times, void *user)
{
    const double at_once = 5; // s
    observer *const o = user;
    const trm_arguments *const a = &o->run->arguments;
    const int seen = !a->quiet && !a->json && isatty(STDERR_FILENO);
    const double seconds = times * o->run->cpu;
    trm_progress_clear(&o->progress);
    o->deadline = a->verify || seen ? INFINITY : cpu_clock() + at_once;
    if (!a->verify && seconds > at_once && !seen) {
        return 0;
    }
    if (seconds > at_once && seen) {
        listen_to_signals();
        fprintf(stderr,
                "a second run checks the motion, in some %.0f s; Ctrl-C or --no-verify leaves it "
                "out\n",
                seconds);
    }
    return 1;
}

static int takes_long(void *user)
{
    const observer *const o = user;
    return cpu_clock() > o->deadline;
}

static int is_interrupted(void *user)
{
    (void)user;
    return interrupted != 0;
}

/// What is written as the run goes on, or into what is no file, cannot be written anew.
static int is_written_once(const trm_program_run *run)
{
    struct stat about;
    const trm_arguments *const a = &run->arguments;
    const int piped =
        run->record != NULL && stat(run->record, &about) == 0 && !S_ISREG(about.st_mode);
    return piped || a->live || a->watch || (a->given & TRM_GIVEN_CHECKPOINT) != 0;
}

static trm_status advance(trm_program_run *run)
{
    observer o = {.run = run, .started = cpu_clock()}; // its start, which looks around, counts
    trm_simulate_options options = trm_default_simulate_options();
    const int once = is_written_once(run);
    options.method = &run->choice.options;
    options.every = run->every;
    options.verify = !run->arguments.no_verify && (run->arguments.verify || !once);
    options.keep_first = once;
    options.begin = begin;
    options.observe = observe;
    options.finish = finish;
    options.may_verify = may_verify;
    options.is_stopped = is_interrupted;
    options.takes_long = takes_long;
    options.user = &o;
    const trm_status status =
        trm_simulate(run->model, run->end, 0, &options, &run->result, &run->error);
    run->sim = trm_result_sim(run->result);
    run->ended = trm_result_ended_by(run->result) >= 0;
    trm_progress_clear(&o.progress);
    TRM_TRY(status == TRM_STOPPED ? run->status : TRM_OK);
    TRM_TRY(status == TRM_STOPPED && run->state_path ? leave_checkpoint(&o) : TRM_OK);
    const trm_status taken = take_events(run);
    return status == TRM_OK ? taken : status;
}

trm_status trm_run_simulate(trm_program_run *run)
{
    TRM_TRY(trm_load(&run->arguments, &run->scene, &run->model, &run->error));
    TRM_TRY(choose(run));
    run->status = advance(run);
    if (!run->started) {
        return run->status;
    }
    if (run->recording != NULL) {
        finish_recording(run);
    }
    if (run->state_path != NULL && run->status == TRM_OK) {
        remove(run->state_path); // the recording is whole
    }
    if (run->paged) {
        note_verdict(run);
        note_happened(run);
        trm_page_crossings(&run->events, run->model, run->sim,
                           run->status < 0 ? &run->error : NULL);
    }
    return run->status;
}

/// Baumgarte's terms are divided by the vanishing pivots: such a run is never silent. Neither is
/// an interval of recording that records nothing in between.
static void warn(const trm_program_run *run)
{
    if (run->recording != NULL && (run->arguments.given & TRM_GIVEN_EVERY) &&
        run->every > run->end) {
        fprintf(stderr,
                "warning: --every %g s is longer than the run of %g s; only its start and its end "
                "are recorded\n",
                run->every, run->end);
    }
    const long crossings = run->started ? trm_sim_report(run->sim).crossings : 0;
    if (crossings > 0 && run->choice.options.stabilization == TRM_STABILIZATION_BAUMGARTE) {
        fprintf(stderr,
                "warning: Baumgarte's method met %ld singular %s, where it may lose energy or "
                "change branch; compare with another method\n",
                crossings, crossings == 1 ? "position" : "positions");
    }
}

int trm_run_exit_code(trm_status status, int started)
{
    return status == TRM_STOPPED && interrupted ? 128 + interrupted
                                                : trm_exit_code(status, started);
}

static int report(trm_program_run *run)
{
    const trm_arguments *const a = &run->arguments;
    const int code = trm_run_exit_code(run->status, run->started);
    if (run->status < 0) {
        run->error.status = run->status;
        trm_diagnose_as_options(&run->error);
        trm_diagnose(&run->error, a->scene);
    }
    if (run->status != TRM_OK && run->recording != NULL && !a->live && !run->paged &&
        trm_recording_rows(run->recording) > 0) {
        fputs("the lines so far are in ", stderr);
        trm_terminal_text(stderr, trm_recording_path(run->recording));
        fputc('\n', stderr);
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

double trm_run_output(const trm_program_run *run, int output)
{
    trm_sensor sensor;
    double x = NAN;
    const int known = run->sim != NULL &&
                      trm_model_sensor(run->model, trm_model_output_info(run->model, output).name,
                                       &sensor, NULL) == TRM_OK;
    return known && trm_sim_read(run->sim, &sensor, &x, NULL) == TRM_OK ? x : NAN;
}

void trm_run_destroy(trm_program_run *run)
{
    trm_terminal_view_destroy(run->watch);
    trm_recording_destroy(run->recording);
    trm_checkpoint_destroy(&run->from);
    free(run->state_path);
    trm_assembly_destroy(&run->assembly);
    free(run->unique);
    forget_events(run);
    free(run->happened);
    trm_result_destroy(run->result);
    trm_model_destroy(run->model);
    trm_scene_destroy(run->scene);
    trm_arguments_destroy(&run->arguments);
}

/// The arguments of the run that left the checkpoint, for those that name it.
static trm_status resume(trm_program_run *run)
{
    const trm_arguments typed = run->arguments;
    TRM_TRY(trm_checkpoint_read(typed.resume, &run->from, &run->error));
    run->argc = run->from.argc;
    run->argv = run->from.argv;
    trm_arguments_destroy(&run->arguments);
    TRM_TRY(
        trm_arguments_parse(TRM_COMMAND_RUN, run->argc, run->argv, &run->arguments, &run->error));
    run->arguments.json = typed.json;
    run->arguments.quiet = typed.quiet;
    return TRM_OK;
}

/// -o x.html: the recording is kept in a temporary file until it is drawn.
static trm_status simulate_to_page(trm_program_run *run, int argc, char **argv)
{
    char temporary[1024], command[1024];
    if (run->arguments.live || (run->arguments.given & TRM_GIVEN_CHECKPOINT)) {
        return TRM_FAIL(&run->error, TRM_ERR_OPTIONS,
                        run->arguments.live ? "--live" : "--checkpoint",
                        "stands beside a recording (-o FILE.csv), not beside a page");
    }
    TRM_TRY(trm_can_write(run->arguments.output, &run->error));
    TRM_TRY(trm_page_temporary(temporary, sizeof temporary, &run->error));
    run->record = temporary;
    run->paged = 1;
    const trm_status status = trm_run_simulate(run);
    run->status = status;
    if (run->started) {
        trm_error late = {0};
        trm_page_command(argc, argv, command, sizeof command);
        if (trm_page_of_run(run, run->arguments.output, command, &late) != TRM_OK && status >= 0) {
            run->error = late;
            run->status = late.status;
        }
    }
    run->record = NULL;
    unlink(temporary);
    return run->status;
}

static trm_status simulate(trm_program_run *run, int argc, char **argv)
{
    const char *const output = run->arguments.output;
    if (trm_output_is(output, ".html")) {
        return simulate_to_page(run, argc, argv);
    }
    TRM_TRY(trm_output_kind(output, ".csv", &run->error));
    run->record = output;
    return trm_run_simulate(run);
}

int trm_command_run(int argc, char **argv)
{
    trm_program_run run = {.error.t = NAN, .argc = argc, .argv = argv};
    run.status = trm_arguments_parse(TRM_COMMAND_RUN, argc, argv, &run.arguments, &run.error);
    if (run.status == TRM_OK && run.arguments.resume != NULL) {
        run.status = resume(&run);
    }
    if (run.status == TRM_OK && run.arguments.help) {
        trm_help(TRM_COMMAND_RUN);
        trm_run_destroy(&run);
        return TRM_EXIT_DONE;
    }
    if (run.status != TRM_OK) {
        run.arguments.json = trm_arguments_want_json(argc, argv);
    } else {
        run.status = simulate(&run, argc, argv);
    }
    const int code = report(&run);
    trm_run_destroy(&run);
    return code;
}
