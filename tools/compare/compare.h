/// A comparison: many methods on one model, measured against one reference.
///
/// compare_command.c runs it; plan.c says which rows; reference.c and recording.c make the
/// reference; row.c is one run; error.c the distance of two states; advice.c draws the
/// conclusions; text.c and json.c tell them.
#pragma once

#include "tools/common/options.h"
#include "tools/common/output.h"
#include "trammel/trammel_methods.h"
#include "trammel/trammel_report.h"
#include "trammel/trammel_simulation.h"

#include <signal.h>
#include <stdio.h>

enum {
    TRM_SAMPLES = 100,  ///< common times at most
    TRM_SERIES = 300,   ///< points of a row's curves at most
    TRM_LEVELS = 3,     ///< accuracies that get a recommendation
    TRM_CANDIDATES = 8, ///< runs that may become the reference, at most
    TRM_VIEWS = 8       ///< runs that are shown moving, at most
};

extern const double trm_levels[TRM_LEVELS]; ///< 1e-4, 1e-6, 1e-9

typedef enum trm_force_kind {
    TRM_FORCE_FORCE,        ///< N
    TRM_FORCE_TORQUE,       ///< N m
    TRM_FORCE_ACCELERATION, ///< m/s^2
    TRM_FORCE_ANGULAR,      ///< rad/s^2
    TRM_FORCE_KINDS,
    TRM_FORCE_UNDETERMINED = TRM_FORCE_KINDS ///< how far friction is not determined; not compared
} trm_force_kind;

typedef struct trm_force {
    int kind; ///< trm_force_kind
    int row;  ///< whose multiplier it is; -1: a number of the sensors
} trm_force;

/// Multipliers stand before what sensors read.
typedef struct trm_force_list {
    int n, nsensors;
    trm_force *at;       ///< [n]
    trm_sensor *sensors; ///< [nsensors]
} trm_force_list;

/// Distance of two states of a model, the largest of all bodies.
typedef struct trm_distance {
    double position; ///< m, of the centres of mass
    double angle;    ///< rad, of the rotation from one to the other; planar: of the angles
    double velocity; ///< m/s
    double rate;     ///< rad/s
    double relative; ///< the largest of the four, each over its scale
    double forces[TRM_FORCE_KINDS]; ///< the largest of each kind
} trm_distance;

typedef enum trm_row_status {
    TRM_ROW_WAITING,
    TRM_ROW_DONE,        ///< reached the end
    TRM_ROW_FAILED,      ///< the engine stopped it
    TRM_ROW_OVER_BUDGET, ///< killed: no more seconds
    TRM_ROW_CRASHED,     ///< its process died
    TRM_ROW_SKIPPED,     ///< a coarser row of the pair was over budget
    TRM_ROW_INTERRUPTED  ///< not run, or not to its end: Ctrl-C
} trm_row_status;

/// What a row's process sends back, first of all.
typedef struct trm_row_facts {
    trm_status status;
    char reason[256], where[160];
    double t_failed; ///< s
    trm_stats stats;
    double position_drift, velocity_drift; ///< m or rad; m/s or rad/s
    double energy_error;                   ///< of the exchanged energy
    trm_verdict forces;                    ///< good where nothing is known of them
    long branch_changes, crossings, bifurcations;
    double first_branch_change, first_bifurcation; ///< s; NAN: none
    int nsamples, nseries;
} trm_row_facts;

/// Curves of a run: of each of up to TRM_SERIES equal pieces of time the worst.
typedef struct trm_series_point {
    double t;      ///< s, last step of the piece
    double drift;  ///< largest position drift, m or rad
    double energy; ///< largest energy error, of the exchanged energy
    double h;      ///< s, smallest step
} trm_series_point;

/// A method with parameters that the list of methods gives it.
typedef struct trm_form {
    trm_method method;      ///< its stabilization_name is `name`
    const trm_method *base; ///< as trm_methods has it
    char name[112];         ///< "srm(E=GBinv, iterations=3)"
    char options[200];      ///< as a run takes them: " --E GBinv --iterations 3"
    trm_arguments given;    ///< the values
    struct trm_form *next;
} trm_form;

/// The states of another program's recording.
typedef struct trm_recorded {
    const char *path;
    trm_method method; ///< its stabilization_name is the file's name
    double *q, *v;     ///< [n*nq], [n*nv] at the common times
} trm_recorded;
enum { TRM_OTHER_PROGRAM = 1 << 20 }; ///< its integrator and its stabilization

typedef struct trm_compare_row {
    const trm_method *method;
    int recorded;   ///< nonzero: a file, nothing is run
    int pair;       ///< rows of the same pair follow each other, from coarse to fine
    double setting; ///< rtol, or step in s; NAN: recorded
    char id[160];   ///< "dop853+s-both2 rtol 1e-06"
    trm_row_status status;
    trm_row_facts facts;                ///< zero when nothing came back
    double cpu_at[TRM_SAMPLES];         ///< s of CPU from the start to each common time, first pass
    trm_distance distance[TRM_SAMPLES]; ///< [facts.nsamples] from the reference
    trm_series_point *series;           ///< [facts.nseries]
    trm_distance error; ///< largest up to reference.t_agree; NAN when it did not get there
    int resolved;       ///< nonzero: the reference is two digits better than `error`
    double cpu, cpu_min, cpu_max; ///< s up to t_agree, median of `repeats`; NAN
    int repeats;                  ///< 0: not timed alone, cpu is of the first pass
    long peak_memory_kb;          ///< of the row's process
    int pareto;                   ///< nonzero: no row is both more exact and cheaper
    double budget;                ///< s, when it was over it
    int signal;                   ///< when it crashed
} trm_compare_row;

typedef struct trm_compare_passage {
    double t;         ///< s
    double sigma;     ///< see trm_crossing
    char joints[120]; ///< that depend on each other there: "A, B, C"
    int bifurcation;
} trm_compare_passage;

/// The states at the common times that errors are measured from.
typedef struct trm_reference {
    char method[96], partner[96]; ///< of the two runs that agree; a file has no partner
    int from_file;
    int n;                                ///< common times
    double t[TRM_SAMPLES];                ///< s; the last one is the end
    double *q, *v;                        ///< [n*nq], [n*nv]
    double *q0, *v0;                      ///< at t = 0
    double *forces;                       ///< [n*c->forces.n]; NULL for a file
    double forces_apart[TRM_FORCE_KINDS]; ///< of the two runs up to t_agree
    trm_distance *pair_apart;             ///< [n] forces of the two runs
    trm_distance scale;                   ///< size of the motion; relative unused
    double apart[TRM_SAMPLES];            ///< relative distance of the two runs at each time
    double agreement;                     ///< largest of it up to t_agree; NAN for a file
    int n_agree;                          ///< times up to t_agree
    double t_agree;                       ///< s
    double apart_at_end;                  ///< largest of it over all times
    char verdict[400];                    ///< sentences: how good it is, and why not longer
    int npassages;
    trm_compare_passage *passages;
    double first_bifurcation; ///< s; NAN: none
} trm_reference;

typedef struct trm_advice {
    double accuracy;
    int row, runner_up; ///< -1: none; the runner-up is of another pair
    double factor;      ///< CPU time of the runner-up over that of the row
    int within_noise;   ///< other pairs as fast as the row, as far as one can tell
    char sentence[1000];
    char run[600]; ///< the command that runs it; "" without a row
} trm_advice;

/// Why a stabilization is not to be used here, or where it stops.
typedef struct trm_warning {
    const char *stabilization;
    int rows, bad; ///< rows run; of these stopped, killed or wrong
    double t;      ///< s, of the first failure; NAN
    char sentence[600];
} trm_warning;

typedef struct trm_comparison {
    trm_arguments arguments;
    char *command; ///< as typed
    trm_scene *scene;
    trm_model *model;
    double end; ///< s
    int jobs, repeat;
    double budget;   ///< s
    trm_form *forms; ///< those that the rows have
    char *study;     ///< the methods of --study; NULL without
    char *row_paths; ///< of c->recorded
    int nrecorded;
    trm_recorded *recorded; ///< of --row
    int nrows, npairs;
    trm_compare_row *rows;
    trm_force_list forces;
    double first_step; ///< s, that the plan is made from: the mean step of dopri5 at rtol 1e-6
    int left_out;      ///< rows of the default plan that would have taken too long
    trm_reference reference;
    trm_advice advice[TRM_LEVELS];
    int nwarnings;
    trm_warning *warnings;             ///< one for each stabilization that has one
    double noise;                      ///< relative: times that differ by less are the same
    double wall[3];                    ///< s: reference, rows, timing
    trm_outfile page;                  ///< of --report
    char *picture;                     ///< SVG; NULL without
    int nviews, views[TRM_VIEWS];      ///< rows in the page that moves, beside the report
    const volatile sig_atomic_t *stop; ///< nonzero: Ctrl-C
    int interrupted;                   ///< nonzero: not all rows were run, or not timed
    trm_status status;
    trm_error error; ///< when status < 0: nothing was compared
} trm_comparison;

const char *trm_row_status_name(trm_row_status status); ///< "done", "failed", "over-budget", ...

/// The comparison as one JSON object; `complete` adds each row's series and the picture, as the
/// HTML report needs them.
void trm_compare_json(const trm_comparison *c, FILE *out, int complete);
void trm_compare_text(const trm_comparison *c); ///< for people, to stdout
