/// One `trammel run`, from its command line to what is reported of it.
#pragma once

#include "tools/common/assembly.h"
#include "tools/common/method_choice.h"
#include "tools/common/options.h"
#include "tools/page/record.h"
#include "tools/recording/csv_out.h"
#include "tools/run/checkpoint.h"
#include "tools/watch/watch.h"
#include "trammel/trammel_simulate.h"

/// An event that has happened, with the state there.
typedef struct trm_happened {
    double t;  ///< s
    int event; ///< as in trm_model_event_info
    double *z; ///< [nq + nv]
} trm_happened;

typedef struct trm_program_run {
    trm_arguments arguments;
    trm_scene *scene;
    trm_model *model;
    trm_choice choice;  ///< method NULL until it is made
    double end, every;  ///< s
    trm_result *result; ///< owns ->sim; NULL: whoever prepared the run does
    trm_sim *sim;       ///< NULL until the start was accepted
    trm_assembly assembly;
    const char *record;       ///< the file of the recording; NULL without one
    trm_recording *recording; ///< NULL without one
    int paged;                ///< nonzero: the recording is kept for a page only
    trm_tape events;          ///< then: what happened on the way
    trm_page_counts counted;  ///< for them
    trm_terminal_view *watch; ///< NULL without --watch
    int *unique; ///< [nc] whether a multiplier is determined at the start; NULL: not known
    char **argv; ///< [argc] of the subcommand
    int argc;
    trm_checkpoint from;    ///< that it is resumed from; its argc is 0 when it is not
    char *state_path;       ///< of its own checkpoints; NULL without
    double cpu;             ///< s of process CPU time, stepping alone
    trm_happened *happened; ///< [nhappened] events of the scene, in the order of the time
    long nhappened;
    int ended;   ///< nonzero: the last of them has ended the run
    int started; ///< nonzero once time may have advanced
    trm_status status;
    trm_error error; ///< when status is neither TRM_OK nor TRM_STOPPED
} trm_program_run;

/// From loading to the end of the run; `arguments`, `record` and `paged` are set. Errors: those of
/// loading, choosing, starting, recording and stepping.
trm_status trm_run_simulate(trm_program_run *run);
/// As trm_exit_code; of a run that a signal ended, 128 and its number.
int trm_run_exit_code(trm_status status, int started);
/// The middle part, for those who have built scene and model: times, method, tolerances, ->sim at
/// its start. Errors: those of choosing and starting.
trm_status trm_run_prepare(trm_program_run *run);
/// ->unique: which multipliers redundancy leaves open, where that
/// does not take long. Errors: MEMORY.
trm_status trm_run_find_unique(trm_program_run *run);
/// Then to its end. Errors: those of stepping.
trm_status trm_run_step_to_end(trm_program_run *run, trm_observer_fn *look, void *user);
void trm_run_destroy(trm_program_run *run); ///< everything, `arguments` too

/// argv[0] is the subcommand; cut where it does not fit.
void trm_page_command(int argc, char **argv, char *out, size_t size);
/// The page of a run that was recorded to run->record. Errors: IO, MEMORY.
trm_status trm_page_of_run(trm_program_run *run, const char *path, const char *command,
                           trm_error *err);

/// What output `output` of the scene shows now; NAN where it has no value.
double trm_run_output(const trm_program_run *run, int output);

void trm_run_json(const trm_program_run *run); ///< one JSON object to stdout
void trm_run_text(const trm_program_run *run); ///< the same for people; once started
struct trm_json;
void trm_run_print_contacts(const trm_program_run *run); ///< nothing without any
void trm_run_write_contacts(struct trm_json *json, const trm_program_run *run);
