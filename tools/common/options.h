/// Options of the command line. One table (options.c) drives the parser, its messages and the help.
#pragma once

#include "trammel/trammel_status.h"

/// Which subcommand is asking; bits, so that an option can serve several.
typedef enum trm_command {
    TRM_COMMAND_RUN = 1,
    TRM_COMMAND_CHECK = 2,
    TRM_COMMAND_VIEW = 4,
    TRM_COMMAND_METHODS = 8,
    TRM_COMMAND_SCHEMA = 16,
    TRM_COMMAND_PLAIN = 32, ///< elements, version: nothing but --help
    TRM_COMMAND_PAPER = 64,
    TRM_COMMAND_COMPARE = 128,
    TRM_COMMAND_LINEARIZE = 256,
    TRM_COMMAND_PLOT = 512,
    TRM_COMMAND_SWEEP = 1024,
    TRM_COMMAND_CONVERT = 2048,
    TRM_COMMAND_IMPORT = 4096
} trm_command;

/// Options whose presence matters, not only their value: bits of trm_arguments.given.
typedef enum trm_given {
    TRM_GIVEN_STEP = 1,
    TRM_GIVEN_RTOL = 2,
    TRM_GIVEN_ATOL = 4,
    TRM_GIVEN_ACCURACY = 8,
    TRM_GIVEN_END = 16,
    TRM_GIVEN_EVERY = 32,
    TRM_GIVEN_EPSILON = 64,
    TRM_GIVEN_ITERATIONS = 128,
    TRM_GIVEN_E = 256,
    TRM_GIVEN_ALPHA1 = 512,
    TRM_GIVEN_ALPHA0 = 1024,
    TRM_GIVEN_METRIC = 2048,
    TRM_GIVEN_LAMBDA0 = 4096,
    TRM_GIVEN_ALPHA = 8192,
    TRM_GIVEN_GAMMA = 16384,
    TRM_GIVEN_FORMULA = 32768,
    TRM_GIVEN_FORM = 65536,
    TRM_GIVEN_ALPHA2 = 262144,
    TRM_GIVEN_LOCAL = 524288,
    TRM_GIVEN_CONTROL = 1048576,
    TRM_GIVEN_AT = 2097152,
    TRM_GIVEN_MAX_STEP = 4194304,
    TRM_GIVEN_CHECKPOINT = 8388608,
    TRM_GIVEN_MISFIT = 16777216,
    TRM_GIVEN_COORDINATES = 67108864,
    TRM_GIVEN_ORDER = 33554432
} trm_given;

enum { TRM_LIST = 12 };

/// Numbers separated by commas.
typedef struct trm_list {
    int n;
    double x[TRM_LIST];
} trm_list;

/// The command line of one subcommand. Texts are borrowed from argv.
typedef struct trm_arguments {
    const char *scene;         ///< PAPER: the table or figure; NULL when not given
    const char *recordings[8]; ///< [nrecordings] VIEW: files that are no scene; PLOT: likewise
    int nrecordings;
    char **columns; ///< [ncolumns] PLOT
    int ncolumns;
    const char *until, *method, *integrator, *output, *methods, *load, *row, *reference,
        *report;                   ///< NULL when not given
    trm_list steps, rtols, phases; ///< n is 0 when not given
    const char **set;              ///< [nset] "k=v"
    int nset;
    double step, max_step, rtol, atol, accuracy, misfit, end, every, epsilon, iterations, alpha1,
        alpha0, alpha, gamma, order, alpha2, at, repeat, jobs, budget, fps, width,
        port;                   ///< from `repeat` on 0 when not given
    const char *record_columns; ///< of the recording; NULL when not given
    const char *over;           ///< PLOT: the abscissa; NULL: the time
    int E, metric, lambda0, formula, local, form, control, coordinates,
        header; ///< index of the word among its choices
    int assemble, verify, no_verify, equilibrium, nearest, json, quiet, format, series, animate,
        watch, live, serve, help;
    double checkpoint;
    const char *response;             ///< LINEARIZE; NULL when not given
    double from, to, points, step_to; ///< LINEARIZE; 0 when not given
    const char *resume;
    const char *allow_files;
    const char *root, *start, *loops;                      ///< IMPORT; NULL when not given
    int strict;                                            ///< IMPORT
    const char *samples, *outputs, *record_folder, *shard; ///< SWEEP; NULL when not given
    double runs, seed, lanes;                              ///< SWEEP; 0 when not given
    int latin, merge, design, study;                       ///< SWEEP; design: trm_design
    int collect;                                           ///< SWEEP: keep the log for others
    int rows;       ///< SWEEP: indices from standard input, rows to standard output
    unsigned given; ///< bits of trm_given
} trm_arguments;

/// Errors: OPTIONS (err->where is the option), MEMORY.
trm_status trm_arguments_parse(trm_command command, int argc, char **argv, trm_arguments *out,
                               trm_error *err);
void trm_arguments_destroy(trm_arguments *arguments);

/// The value of a constant expression. Errors: OPTIONS at `where` (no number, not finite), MEMORY.
trm_status trm_number_read(const char *text, double *out, const char *where, trm_error *err);

/// Returns nonzero if "--json" stands among the arguments, for errors raised before they are
/// parsed.
int trm_arguments_want_json(int argc, char **argv);

/// Returns nonzero if the subcommand has an option --NAME.
int trm_options_has(trm_command command, const char *name);

/// The options of a subcommand, to stdout.
void trm_options_help(trm_command command);
/// Row i of the table of options: "--step", or "" where the subcommand has it not; 0 behind the
/// last row.
int trm_option_name(trm_command command, int i, char out[32]);
