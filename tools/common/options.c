/// argv -> trm_arguments. Every number may be a constant expression: "70*deg", "1/3".
#include "tools/common/options.h"

#include "tools/common/load_methods.h"

#include "program/settings.h"
#include "program/suggest.h"
#include "trammel/trammel_error.h"
#include "trammel/trammel_methods.h"

#include <getopt.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind {
    FLAG,         // no value               int
    TEXT,         // kept as it is          const char *
    NUMBER,       // any finite number      double
    NOT_NEGATIVE, // number >= 0            double
    POSITIVE,     // number > 0             double
    COUNT,        // whole number >= 1      double
    WHOLE,        // whole number, 0 to 1e9 double
    LIST,         // positive numbers separated by commas  trm_list
    TIMES,        // numbers >= 0 likewise
    CHOICE,       // one of `choices`       int, its index
    SETTING       // may be repeated        appended to trm_arguments.set
} kind;

typedef struct option_def {
    const char *name;
    int letter; // 0 without a short form
    unsigned commands;
    kind kind;
    size_t offset;
    unsigned given;
    const char *argument; // as the help prints it; CHOICE: the choices
    const char *doc;
} option_def;

enum {
    RUN = TRM_COMMAND_RUN,
    CHECK = TRM_COMMAND_CHECK,
    VIEW = TRM_COMMAND_VIEW,
    METHODS = TRM_COMMAND_METHODS,
    SCHEMA = TRM_COMMAND_SCHEMA,
    PAPER = TRM_COMMAND_PAPER,
    COMPARE = TRM_COMMAND_COMPARE,
    LINEARIZE = TRM_COMMAND_LINEARIZE,
    PLOT = TRM_COMMAND_PLOT,
    SWEEP = TRM_COMMAND_SWEEP,
    CONVERT = TRM_COMMAND_CONVERT,
    IMPORT = TRM_COMMAND_IMPORT,
    EXPERT = 1 << 30, // listed last: options of single methods, for those who compare them
    EVERYWHERE = SWEEP | CONVERT | IMPORT | RUN | CHECK | VIEW | METHODS | SCHEMA | PAPER |
                 COMPARE | LINEARIZE | PLOT | TRM_COMMAND_PLAIN
};

static const option_def options[] = {
    {"method", 0, RUN | SWEEP, TEXT, offsetof(trm_arguments, method), 0, "NAME",
     "stabilization, see trammel methods (default: the engine chooses)"},
    {"integrator", 0, RUN | SWEEP, TEXT, offsetof(trm_arguments, integrator), 0, "NAME",
     "see trammel methods (default: the engine chooses)"},
    {"step", 0, RUN | SWEEP, POSITIVE, offsetof(trm_arguments, step), TRM_GIVEN_STEP, "H",
     "s, step of the fixed-step integrators"},
    {"rtol", 0, RUN | EXPERT | SWEEP, POSITIVE, offsetof(trm_arguments, rtol), TRM_GIVEN_RTOL, "R",
     "relative tolerance of the adaptive integrators"},
    {"atol", 0, RUN | EXPERT | SWEEP, POSITIVE, offsetof(trm_arguments, atol), TRM_GIVEN_ATOL, "A",
     "absolute tolerance, in SI units (default: as --rtol)"},
    {"accuracy", 0, RUN | SWEEP, POSITIVE, offsetof(trm_arguments, accuracy), TRM_GIVEN_ACCURACY,
     "A", "wanted error of the motion, relative to its range, below 1 (default: 1e-6)"},
    {"until", 0, RUN | SWEEP, TEXT, offsetof(trm_arguments, until), 0, "CONDITION",
     "end where it begins to hold: \"tip.y < 0\""},
    {"max-step", 0, RUN | EXPERT | SWEEP, POSITIVE, offsetof(trm_arguments, max_step),
     TRM_GIVEN_MAX_STEP, "H", "s, no step is longer (default: no bound)"},
    {"end", 0, RUN | VIEW | COMPARE | SWEEP, NOT_NEGATIVE, offsetof(trm_arguments, end),
     TRM_GIVEN_END, "T", "s, time to stop at (default: simulation.end of the scene)"},
    {"at", 0, LINEARIZE, NOT_NEGATIVE, offsetof(trm_arguments, at), TRM_GIVEN_AT, "T",
     "s, run to this time and linearize there (default 0: the start)"},
    {"at", 0, VIEW, TIMES, offsetof(trm_arguments, phases), 0, "T1,T2,...",
     "s, of a still: solid at the first of these times, faint at the others"},
    {"equilibrium", 0, LINEARIZE, FLAG, offsetof(trm_arguments, equilibrium), 0, NULL,
     "find a stable equilibrium, downhill from the start, and linearize there"},
    {"nearest", 0, LINEARIZE, FLAG, offsetof(trm_arguments, nearest), 0, NULL,
     "with --equilibrium: the nearest one, stable or not"},
    {"response", 0, LINEARIZE, TEXT, offsetof(trm_arguments, response), 0, "IN,OUT",
     "frequency response of an input to what a sensor reads: \"u,tip.x\""},
    {"from", 0, LINEARIZE, POSITIVE, offsetof(trm_arguments, from), 0, "F",
     "Hz, of --response (default: a tenth of the slowest mode)"},
    {"to", 0, LINEARIZE, POSITIVE, offsetof(trm_arguments, to), 0, "F",
     "Hz (default: ten times the fastest mode)"},
    {"points", 0, LINEARIZE, COUNT, offsetof(trm_arguments, points), 0, "N",
     "frequencies, by equal factors (default: 31); steps of --step"},
    {"step", 0, LINEARIZE, POSITIVE, offsetof(trm_arguments, step_to), 0, "T",
     "s, with --response: what follows a unit step of the input, up to T"},
    {"set", 0, RUN | CHECK | VIEW | COMPARE | LINEARIZE, SETTING, 0, 0, "NAME=VALUE",
     "override a parameter or a number of the start (bar.rate=2, start.JOINT=0.3)"},
    {"set", 0, SWEEP, SETTING, 0, 0, "NAME=VALUE",
     "V, A:B:N, log:A:B:N, a list X,Y,Z, uniform:A:B or normal:MEAN:DEVIATION; may be repeated"},
    {"assemble", 0, RUN | CHECK | VIEW | COMPARE | LINEARIZE | SWEEP, FLAG,
     offsetof(trm_arguments, assemble), 0, NULL,
     "close the mechanism at the start and say what moved"},
    {"allow-files", 0, RUN | CHECK | VIEW | COMPARE | LINEARIZE | SWEEP, TEXT,
     offsetof(trm_arguments, allow_files), 0, "DIR",
     "a folder in which tables of the scene may lie beside its own folder"},
    {"misfit", 0, RUN | CHECK | VIEW | COMPARE | LINEARIZE | SWEEP, NOT_NEGATIVE,
     offsetof(trm_arguments, misfit), TRM_GIVEN_MISFIT, "M",
     "play, of the size or rad, of rows that repeat others; 0: none (default 1e-3)"},
    {"coordinates", 0, RUN | CHECK | VIEW | COMPARE | LINEARIZE | SWEEP, CHOICE,
     offsetof(trm_arguments, coordinates), TRM_GIVEN_COORDINATES, "auto|joint|absolute",
     "of a run: of the bodies, or of joints; auto: the faster ones"},
    {"epsilon", 0, RUN | EXPERT | SWEEP, NOT_NEGATIVE, offsetof(trm_arguments, epsilon),
     TRM_GIVEN_EPSILON, "E", "s, regularization of srm (default 0: from step, E and G)"},
    {"iterations", 0, RUN | EXPERT | SWEEP, COUNT, offsetof(trm_arguments, iterations),
     TRM_GIVEN_ITERATIONS, "M", "iterates carried per step by srm"},
    {"E", 0, RUN | EXPERT | SWEEP, CHOICE, offsetof(trm_arguments, E), TRM_GIVEN_E,
     "I|GBt|GBinv|block",
     "matrix E of srm: identity, (GB)^T, inverse of GB, or of its blocks by joint"},
    {"lambda0", 0, RUN | EXPERT | SWEEP, CHOICE, offsetof(trm_arguments, lambda0),
     TRM_GIVEN_LAMBDA0, "exact|zero", "first multiplier of srm"},
    {"alpha1", 0, RUN | EXPERT | SWEEP, NOT_NEGATIVE, offsetof(trm_arguments, alpha1),
     TRM_GIVEN_ALPHA1, "X", "1/s, of baumgarte and alf, on g'"},
    {"alpha0", 0, RUN | EXPERT | SWEEP, NOT_NEGATIVE, offsetof(trm_arguments, alpha0),
     TRM_GIVEN_ALPHA0, "Y", "1/s^2, of baumgarte and alf, on g"},
    {"metric", 0, RUN | EXPERT | SWEEP, CHOICE, offsetof(trm_arguments, metric), TRM_GIVEN_METRIC,
     "mass|identity", "of post-stabilization and projection"},
    {"alpha", 0, RUN | EXPERT | SWEEP, POSITIVE, offsetof(trm_arguments, alpha), TRM_GIVEN_ALPHA,
     "X", "factor of post-stabilization, between 0 and 2 (s-implicit: any)"},
    {"gamma", 0, RUN | EXPERT | SWEEP, NOT_NEGATIVE, offsetof(trm_arguments, gamma),
     TRM_GIVEN_GAMMA, "X", "1/s, of s-continuous"},
    {"formula", 0, RUN | EXPERT | SWEEP, CHOICE, offsetof(trm_arguments, formula),
     TRM_GIVEN_FORMULA, "tables|printed|stage", "F of s-both2's second pass; stage: of both"},
    {"form", 0, RUN | EXPERT | SWEEP, CHOICE, offsetof(trm_arguments, form), TRM_GIVEN_FORM,
     "lambda|lambda-hat", "what iterates of srm carry; lambda-hat passes singular positions"},
    {"order", 0, RUN | EXPERT | SWEEP, COUNT, offsetof(trm_arguments, order), TRM_GIVEN_ORDER, "K",
     "1 to 8: steps of the past that srm predicts by (default 8)"},
    {"alpha2", 0, RUN | EXPERT | SWEEP, NOT_NEGATIVE, offsetof(trm_arguments, alpha2),
     TRM_GIVEN_ALPHA2, "X", "of alf, on g''"},
    {"local", 0, RUN | EXPERT | SWEEP, CHOICE, offsetof(trm_arguments, local), TRM_GIVEN_LOCAL,
     "partition|tangent", "coordinates of state-space (default: tangent)"},
    {"control", 0, RUN | EXPERT | SWEEP, CHOICE, offsetof(trm_arguments, control),
     TRM_GIVEN_CONTROL, "pi|acpr",
     "step control of dopri5: ours, or the one nearest to the paper's"},
    {"verify", 0, RUN, FLAG, offsetof(trm_arguments, verify), 0, NULL,
     "always check by a second run with a tenth of the error, however long"},
    {"no-verify", 0, RUN, FLAG, offsetof(trm_arguments, no_verify), 0, NULL,
     "no second run; without either: one that takes at most 5 s"},
    {"output", 'o', RUN, TEXT, offsetof(trm_arguments, output), 0, "FILE",
     "recording (.csv), or page for a browser (.html)"},
    {"output", 'o', VIEW, TEXT, offsetof(trm_arguments, output), 0, "FILE",
     "page (.html) or picture (.svg, .png)"},
    {"output", 'o', PAPER | PLOT, TEXT, offsetof(trm_arguments, output), 0, "FILE",
     "figure (.svg)"},
    {"output", 'o', LINEARIZE, TEXT, offsetof(trm_arguments, output), 0, "FILE",
     "with --response: Bode, Nyquist and step as a figure (.svg)"},
    {"over", 0, PLOT, TEXT, offsetof(trm_arguments, over), 0, "COLUMN",
     "an x-y plot: over this column in place of the time"},
    {"output", 'o', SWEEP, TEXT, offsetof(trm_arguments, output), 0, "FILE", "table (.csv)"},
    {"every", 0, RUN | SWEEP, NOT_NEGATIVE, offsetof(trm_arguments, every), TRM_GIVEN_EVERY, "DT",
     "s, interval of recording, 0: every step (default: as the scene says)"},
    {"columns", 0, RUN, TEXT, offsetof(trm_arguments, record_columns), 0, "A,B,...",
     "what to record: bar.x, bar, O.force, *.angle (default: everything)"},
    {"header", 0, RUN, CHOICE, offsetof(trm_arguments, header), 0, "units|plain",
     "names of the recording: bar.x[m], or bar_x for readers that allow no more"},
    {"live", 0, RUN, FLAG, offsetof(trm_arguments, live), 0, NULL,
     "with -o: write to FILE itself, not to FILE.part first"},
    {"checkpoint", 0, RUN, NOT_NEGATIVE, offsetof(trm_arguments, checkpoint), TRM_GIVEN_CHECKPOINT,
     "S", "with -o: every S s of real time, a state to resume from in FILE.state"},
    {"resume", 0, RUN, TEXT, offsetof(trm_arguments, resume), 0, "FILE.state",
     "go on with the run that left this checkpoint, to the same bits"},
    {"samples", 0, SWEEP, TEXT, offsetof(trm_arguments, samples), 0, "FILE.csv",
     "one run for each row; columns named as in --set"},
    {"runs", 0, SWEEP, WHOLE, offsetof(trm_arguments, runs), 0, "N",
     "draws of uniform and normal numbers, for each point of the grid (default: 1)"},
    {"seed", 0, SWEEP, WHOLE, offsetof(trm_arguments, seed), 0, "S",
     "root seed of the draws (default: 0)"},
    {"latin", 0, SWEEP, FLAG, offsetof(trm_arguments, latin), 0, NULL,
     "draws form a Latin hypercube over all runs"},
    {"design", 0, SWEEP, CHOICE, offsetof(trm_arguments, design), 0, "plain|sobol|morris",
     "samples for sensitivity, by Saltelli or Morris; --runs of them"},
    {"outputs", 0, SWEEP, TEXT, offsetof(trm_arguments, outputs), 0, "A,B,...",
     "bar.x, bar.x@0.5 (at 0.5 s), max(bar.x), run.steps, ... (default: the end state)"},
    {"recordings", 0, SWEEP, TEXT, offsetof(trm_arguments, record_folder), 0, "FOLDER",
     "also record every run there, as trammel run does: INDEX.csv"},
    {"shard", 0, SWEEP, TEXT, offsetof(trm_arguments, shard), 0, "I/N",
     "only the I-th of N parts (default in a Slurm array: its task)"},
    {"merge", 0, SWEEP, FLAG, offsetof(trm_arguments, merge), 0, NULL,
     "make one table of all parts"},
    {"collect", 0, SWEEP | EXPERT, FLAG, offsetof(trm_arguments, collect), 0, NULL,
     "keep the log: missing runs to standard output, rows from standard input"},
    {"rows", 0, SWEEP | EXPERT, FLAG, offsetof(trm_arguments, rows), 0, NULL,
     "be a worker: indices from standard input, rows to standard output"},
    {"methods", 0, COMPARE, TEXT, offsetof(trm_arguments, methods), 0, "A,B,...",
     "s-both2, dop853, dop853+s-both2, srm(E=GBinv, iterations=3) (default: all)"},
    {"load", 0, RUN | COMPARE | METHODS, TEXT, offsetof(trm_arguments, load), 0, "FILE.so",
     "methods of a shared library, see trammel_register.h"},
    {"row", 0, COMPARE, TEXT, offsetof(trm_arguments, row), 0, "A.csv,B.csv,...",
     "also compare recordings, of other programs too: columns as run -o names them"},
    {"study", 0, COMPARE, CHOICE, offsetof(trm_arguments, study), 0, "none|srm",
     "errors of heun + srm over epsilon, iterates and step, beside the theory's slopes"},
    {"steps", 0, COMPARE, LIST, offsetof(trm_arguments, steps), 0, "H1,H2,...",
     "s, of fixed-step integrators (default: 4 or 5, as the scene asks)"},
    {"rtols", 0, COMPARE, LIST, offsetof(trm_arguments, rtols), 0, "R1,R2,...",
     "of adaptive integrators (default: 1e-4,1e-6,1e-8,1e-10,1e-12)"},
    {"reference", 0, COMPARE, TEXT, offsetof(trm_arguments, reference), 0, "METHOD|FILE",
     "what errors are measured from: a method, or a recording .csv"},
    {"repeat", 0, COMPARE, COUNT, offsetof(trm_arguments, repeat), 0, "N",
     "times that each row is timed (default: 3 of the rows that matter)"},
    {"jobs", 'j', COMPARE | SWEEP, COUNT, offsetof(trm_arguments, jobs), 0, "N",
     "rows or runs at a time; timing is always alone (default: the cores)"},
    {"lanes", 0, SWEEP, COUNT, offsetof(trm_arguments, lanes), 0, "W",
     "runs that step together in each process (default: 2, 4 or 8, by the processor)"},
    {"budget", 0, COMPARE, POSITIVE, offsetof(trm_arguments, budget), 0, "S",
     "s of wall time after which a row is stopped (default: 10)"},
    {"budget", 0, SWEEP, POSITIVE, offsetof(trm_arguments, budget), 0, "S",
     "s of CPU time after which a run is stopped (default: no bound)"},
    {"report", 0, COMPARE | SWEEP, TEXT, offsetof(trm_arguments, report), 0, "FILE",
     "also write a page for a browser (.html), complete in itself"},
    {"series", 0, COMPARE, FLAG, offsetof(trm_arguments, series), 0, NULL,
     "with --json: also drift, energy and step size over time"},
    {"json", 0, RUN | CHECK | METHODS | PAPER | COMPARE | LINEARIZE, FLAG,
     offsetof(trm_arguments, json), 0, NULL, "print one JSON object instead of text"},
    {"quiet", 0, RUN | COMPARE | SWEEP, FLAG, offsetof(trm_arguments, quiet), 0, NULL,
     "print nothing but errors"},
    {"watch", 0, RUN, FLAG, offsetof(trm_arguments, watch), 0, NULL,
     "draw the mechanism in the terminal while it runs (planar scenes)"},
    {"animate", 0, VIEW, FLAG, offsetof(trm_arguments, animate), 0, NULL,
     "with -o x.svg: a moving picture, without a script; .gif, .webp and .mp4 always move"},
    {"live", 0, VIEW, FLAG, offsetof(trm_arguments, serve), 0, NULL,
     "a page where the scene runs: sliders for inputs, drag a body to pull it"},
    {"port", 0, VIEW, WHOLE, offsetof(trm_arguments, port), 0, "N",
     "of --live, on this machine only (default: any that is free)"},
    {"fps", 0, VIEW, COUNT, offsetof(trm_arguments, fps), 0, "N",
     "of a video: pictures a second (default: 20)"},
    {"width", 0, VIEW, WHOLE, offsetof(trm_arguments, width), 0, "PX",
     "of a video: its width, up to 8192 (default: 800)"},
    {"format", 0, SCHEMA, FLAG, offsetof(trm_arguments, format), 0, NULL,
     "print the reference of the scene format (Markdown) instead"},
    {"output", 'o', IMPORT, TEXT, offsetof(trm_arguments, output), 0, "FILE",
     "the scene (.json); without it: to standard output"},
    {"root", 0, IMPORT, TEXT, offsetof(trm_arguments, root), 0, "fixed|free",
     "hold the robot's first link, or let it float (default: as its file says)"},
    {"start", 0, IMPORT, TEXT, offsetof(trm_arguments, start), 0, "NAME",
     "the keyframe to start from (default: zero, as the file draws it)"},
    {"loops", 0, IMPORT, TEXT, offsetof(trm_arguments, loops), 0, "FILE.yaml",
     "pairs of frames that close the loops of a URDF"},
    {"strict", 0, IMPORT, FLAG, offsetof(trm_arguments, strict), 0, NULL,
     "write no scene where the motion may differ for what is not in it"},
    {"help", 'h', EVERYWHERE, FLAG, offsetof(trm_arguments, help), 0, NULL, "print this"},
};

enum { NOPTIONS = (int)(sizeof options / sizeof *options), LETTERS = 256 };

static void name_option(const option_def *def, char where[32])
{
    snprintf(where, 32, "--%s", def->name);
}

trm_status trm_number_read(const char *text, double *out, const char *where, trm_error *err)
{
    trm_error wrong = {0};
    const trm_status status = trm_constant(text, out, &wrong);
    return status == TRM_OK ? status
                            : TRM_FAIL(err, status == TRM_ERR_SYNTAX ? TRM_ERR_OPTIONS : status,
                                       where, "%s", wrong.message);
}

static trm_status read_number(const option_def *def, const char *text, double *out, trm_error *err)
{
    char where[32];
    name_option(def, where);
    TRM_TRY(trm_number_read(text, out, where, err));
    if (def->kind == POSITIVE && *out <= 0) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, where, "must be > 0, got %g", *out);
    }
    if (def->kind == NOT_NEGATIVE && *out < 0) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, where, "must be >= 0, got %g", *out);
    }
    if (def->kind == COUNT && (*out < 1 || *out > 1000 || *out != floor(*out))) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, where,
                        "expected a whole number from 1 to 1000, got %g", *out);
    }
    if (def->kind == WHOLE && (*out < 0 || *out > 1e9 || *out != floor(*out))) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, where,
                        "expected a whole number from 0 to 1e9, got %g", *out);
    }
    return TRM_OK;
}

/// Index of `text` among words separated by '|'.
static trm_status read_choice(const option_def *def, const char *text, int *out, trm_error *err)
{
    char where[32];
    name_option(def, where);
    const char *word = def->argument;
    for (int i = 0; word != NULL; i++) {
        const size_t length = strcspn(word, "|");
        if (strlen(text) == length && strncmp(text, word, length) == 0) {
            *out = i;
            return TRM_OK;
        }
        word = word[length] == '|' ? word + length + 1 : NULL;
    }
    return TRM_FAIL(err, TRM_ERR_OPTIONS, where, "expected one of %s, got \"%.60s\"", def->argument,
                    text);
}

static trm_status read_list(const option_def *def, const char *text, trm_list *out, trm_error *err)
{
    const option_def each = {.name = def->name,
                             .kind = def->kind == LIST ? POSITIVE : NOT_NEGATIVE};
    char where[32], piece[128];
    name_option(def, where);
    for (out->n = 0; text != NULL; out->n++) {
        const size_t length = strcspn(text, ",");
        if (out->n == TRM_LIST || length >= sizeof piece) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, where, "takes %d numbers at most", TRM_LIST);
        }
        snprintf(piece, sizeof piece, "%.*s", (int)length, text);
        TRM_TRY(read_number(&each, piece, &out->x[out->n], err));
        text = text[length] == ',' ? text + length + 1 : NULL;
    }
    return TRM_OK;
}

static trm_status store(const option_def *def, const char *value, trm_arguments *a, trm_error *err)
{
    void *const target = (char *)a + def->offset;
    a->given |= def->given;
    switch (def->kind) {
    case FLAG:
        *(int *)target = 1;
        return TRM_OK;
    case TEXT:
        *(const char **)target = value;
        return TRM_OK;
    case LIST:
    case TIMES:
        return read_list(def, value, target, err);
    case CHOICE:
        return read_choice(def, value, target, err);
    case SETTING:
        if (strchr(value, '=') == NULL || value[0] == '=') {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, "--set", "expected NAME=VALUE, got \"%.60s\"",
                            value);
        }
        a->set[a->nset++] = value;
        return TRM_OK;
    default:
        return read_number(def, value, target, err);
    }
}

/// The error for an option that other subcommands take.
static trm_status of_others(const option_def *def, const char *typed, trm_error *err)
{
    static const struct {
        unsigned command;
        const char *name;
    } all[] = {
        {RUN, "run"},       {CHECK, "check"},     {VIEW, "view"},           {METHODS, "methods"},
        {SCHEMA, "schema"}, {COMPARE, "compare"}, {LINEARIZE, "linearize"}, {PLOT, "plot"},
        {SWEEP, "sweep"}};
    char names[64] = "";
    unsigned commands = 0;
    for (int i = 0; i < NOPTIONS; i++) {
        commands |= strcmp(options[i].name, def->name) == 0 ? options[i].commands : 0;
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const size_t used = strlen(names);
        if (commands & all[i].command) {
            snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", all[i].name);
        }
    }
    return TRM_FAIL(err, TRM_ERR_OPTIONS, typed, "not an option of this subcommand, but of: %s",
                    names);
}

/// What other programs, or earlier checkouts, call an option of ours; NULL: nothing that is known.
static const char *word_of_others(trm_command command, const char *typed)
{
    static const struct {
        const char *word, *ours;
    } words[] = {
        {"--dt", "--step H (of a fixed-step integrator) or --every DT (of the recording)"},
        {"--timestep", "--step H (of a fixed-step integrator) or --every DT (of the recording)"},
        {"--time-step", "--step H (of a fixed-step integrator) or --every DT (of the recording)"},
        {"--time", "--end T"},
        {"--duration", "--end T"},
        {"--tmax", "--end T"},
        {"--t-end", "--end T"},
        {"--stop-time", "--end T"},
        {"--tol", "--accuracy A"},
        {"--tolerance", "--accuracy A"},
        {"--solver", "--integrator NAME"},
        {"--param", "--set NAME=VALUE"},
        {"--out", "--output FILE"},
        {"--passes", "--method srm alone, which predicts by itself"},
        {"--degree", "--method srm alone, which predicts by itself"},
    };
    for (size_t i = 0; (command & RUN) && i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i].word, typed) == 0) {
            return words[i].ours;
        }
    }
    return NULL;
}

/// The error for an option that getopt_long does not take, `typed` as on the command line.
static trm_status unknown_option(trm_command command, const char *typed, trm_error *err)
{
    char names[NOPTIONS][24], word[64], hint[64];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(typed, "="), typed);
    trm_suggestion suggestion = trm_suggest(word, strlen(word));
    for (int i = 0; i < NOPTIONS; i++) {
        snprintf(names[i], sizeof names[i], "--%s", options[i].name);
        if (strcmp(names[i], word) == 0) {
            return of_others(&options[i], word, err);
        }
        if (options[i].commands & command) {
            trm_suggest_consider(&suggestion, names[i]);
        }
    }
    const char *const other = word_of_others(command, word);
    if (other != NULL) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, word, "unknown option; did you mean %s?", other);
    }
    return TRM_FAIL(err, TRM_ERR_OPTIONS, word, "unknown option%s",
                    trm_suggest_text(&suggestion, hint, sizeof hint));
}

/// The option with that short form, -1 without one.
static int row_of_letter(int letter)
{
    for (int i = 0; i < NOPTIONS; i++) {
        if (options[i].letter == letter) {
            return i;
        }
    }
    return -1;
}

/// The error behind '?' and ':' of getopt_long.
static trm_status refuse(trm_command command, int answer, char **argv, trm_error *err)
{
    char where[32];
    if (optopt >= LETTERS) { // a long option of ours, its value missing or too much
        name_option(&options[optopt - LETTERS], where);
        return TRM_FAIL(err, TRM_ERR_OPTIONS, where,
                        answer == ':' ? "needs a value" : "takes no value");
    }
    if (optopt != 0) {
        snprintf(where, sizeof where, "-%c", optopt);
        const int row = row_of_letter(optopt);
        if (row >= 0 && answer == '?') {
            return of_others(&options[row], where, err);
        }
        return TRM_FAIL(err, TRM_ERR_OPTIONS, where,
                        answer == ':' ? "needs a value" : "unknown option");
    }
    return unknown_option(command, argv[optind - 1], err);
}

/// The table as getopt_long wants it; val is LETTERS + the row of the option.
static void getopt_tables(trm_command command, struct option *longs, char *shorts)
{
    int n = 0;
    *shorts++ = ':';
    for (int i = 0; i < NOPTIONS; i++) {
        if (!(options[i].commands & command)) {
            continue;
        }
        const int valued = options[i].kind != FLAG;
        longs[n++] = (struct option){options[i].name, valued ? required_argument : no_argument,
                                     NULL, LETTERS + i};
        if (options[i].letter != 0) {
            *shorts++ = (char)options[i].letter;
            if (valued) {
                *shorts++ = ':';
            }
        }
    }
    longs[n] = (struct option){0};
    *shorts = '\0';
}

static trm_status parse_options(trm_command command, int argc, char **argv, trm_arguments *a,
                                trm_error *err)
{
    struct option longs[NOPTIONS + 1];
    char shorts[2 * NOPTIONS + 2];
    getopt_tables(command, longs, shorts);
    opterr = 0;
    optind = 1;
    int answer;
    while ((answer = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        if (answer == '?' || answer == ':') {
            return refuse(command, answer, argv, err);
        }
        const int row = answer >= LETTERS ? answer - LETTERS : row_of_letter(answer);
        TRM_TRY(store(&options[row], optarg, a, err));
    }
    return TRM_OK;
}

static int ends_in(const char *name, const char *suffix)
{
    const size_t n = strlen(name), m = strlen(suffix);
    return n >= m && strcmp(name + n - m, suffix) == 0;
}

/// VIEW: one scene (.json), recordings, in any order.
static trm_status parse_views(int argc, char **argv, trm_arguments *a, trm_error *err)
{
    enum { MOST = (int)(sizeof a->recordings / sizeof *a->recordings) };
    for (int i = optind; i < argc; i++) {
        const int is_scene = !ends_in(argv[i], ".csv") && !ends_in(argv[i], ".csv.part");
        if (is_scene && a->scene != NULL) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, argv[i],
                            "one scene at a time; recordings end in .csv");
        }
        if (!is_scene && a->nrecordings == MOST) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, argv[i], "takes %d recordings at most", MOST);
        }
        if (is_scene) {
            a->scene = argv[i];
        } else {
            a->recordings[a->nrecordings++] = argv[i];
        }
    }
    return a->scene != NULL || a->nrecordings > 0
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_OPTIONS, "",
                          "which scene? Give the name of a scene file, of recordings, or both");
}

/// PLOT: recordings, which end in .csv, then columns.
static trm_status parse_plot(int argc, char **argv, trm_arguments *a, trm_error *err)
{
    if (argc == optind) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "", "which recording? Give the name of its file");
    }
    enum { MOST = (int)(sizeof a->recordings / sizeof *a->recordings) };
    do {
        if (a->nrecordings == MOST) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, argv[optind], "takes %d recordings at most",
                            MOST);
        }
        a->recordings[a->nrecordings++] = argv[optind++];
    } while (optind < argc && ends_in(argv[optind], ".csv"));
    a->columns = argv + optind;
    a->ncolumns = argc - optind;
    return TRM_OK;
}

/// CONVERT: from, to.
static trm_status parse_pair(int argc, char **argv, trm_arguments *a, trm_error *err)
{
    if (argc - optind != 2) {
        return TRM_FAIL(
            err, TRM_ERR_OPTIONS, "",
            "expected a table or recording (.csv) and the file to write (.h5), or a scene "
            "and the scene to write (.json)");
    }
    a->recordings[a->nrecordings++] = argv[optind];
    a->recordings[a->nrecordings++] = argv[optind + 1];
    return TRM_OK;
}

static trm_status parse_operands(trm_command command, int argc, char **argv, trm_arguments *a,
                                 trm_error *err)
{
    const unsigned takes = RUN | CHECK | VIEW | PAPER | COMPARE | LINEARIZE | SWEEP | IMPORT;
    const int accepted = command & takes && !a->merge ? 1 : 0;
    const int wanted = command & PAPER || a->resume != NULL ? 0 : accepted;
    if (a->help) {
        return TRM_OK;
    }
    if (command & CONVERT) {
        return parse_pair(argc, argv, a, err);
    }
    if (command & PLOT) {
        return parse_plot(argc, argv, a, err);
    }
    if (command & VIEW) {
        return parse_views(argc, argv, a, err);
    }
    if (argc - optind > accepted) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, argv[optind + accepted],
                        command & PAPER ? "one table or figure at a time"
                        : accepted      ? "one scene at a time"
                                        : "takes no file");
    }
    if (argc - optind < wanted) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "", "which scene? Give the name of a scene file");
    }
    a->scene = argc > optind ? argv[optind] : NULL;
    return TRM_OK;
}

/// Whether some pair has an integrator, or else a stabilization, of that name.
static int is_method_part(const char *name, int integrator)
{
    const trm_method *methods;
    const int n = trm_methods(&methods);
    for (int i = 0; i < n; i++) {
        const char *const known =
            integrator ? methods[i].integrator_name : methods[i].stabilization_name;
        if (strcmp(known, name) == 0) {
            return 1;
        }
    }
    return 0;
}

/// --method rk4, --integrator s-both.
static trm_status check_swapped(const trm_arguments *a, trm_error *err)
{
    if (a->method != NULL && !is_method_part(a->method, 0) && is_method_part(a->method, 1)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--method",
                        "%s is an integrator; write --integrator %s", a->method, a->method);
    }
    if (a->integrator != NULL && !is_method_part(a->integrator, 1) &&
        is_method_part(a->integrator, 0)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--integrator",
                        "%s is a stabilization; write --method %s", a->integrator, a->integrator);
    }
    return TRM_OK;
}

/// Options that exclude others, or have no effect without them.
static trm_status check_exclusive(const trm_arguments *a, trm_error *err)
{
    const unsigned given = a->given, tolerances = TRM_GIVEN_RTOL | TRM_GIVEN_ATOL;
    const int nowhere = a->output == NULL, frequencies = a->from > 0 || a->to > 0 || a->points > 0;
    const struct {
        int wrong;
        const char *option, *text;
    } rules[] = {
        {(given & TRM_GIVEN_STEP) && (given & (tolerances | TRM_GIVEN_ACCURACY)), "--step",
         "goes without --rtol, --atol and --accuracy: fixed or adaptive, not both"},
        {(given & TRM_GIVEN_ACCURACY) && (given & tolerances), "--accuracy",
         "goes without --rtol and --atol, which it sets itself"},
        {(given & TRM_GIVEN_AT) && a->equilibrium, "--at",
         "goes without --equilibrium: a moment of the motion, or a place of rest"},
        {a->nearest && !a->equilibrium, "--nearest", "says which --equilibrium; give both"},
        {a->verify && a->no_verify, "--verify", "goes without --no-verify"},
        {a->port > 0 && !a->serve, "--port", "is for the page of --live"},
        {frequencies && a->response == NULL, a->points > 0 ? "--points" : "--from or --to",
         "belongs to --response IN,OUT"},
        {(given & TRM_GIVEN_EVERY) && nowhere && !a->rows, "--every",
         "is the interval of a recording; say where to with -o FILE"},
        {a->record_columns != NULL && nowhere, "--columns",
         "chooses what a recording has; say where to with -o FILE"},
        {a->header > 0 && nowhere, "--header", "names a recording's columns; give -o FILE"},
        {(given & TRM_GIVEN_CHECKPOINT) && nowhere, "--checkpoint",
         "stands beside a recording; say where to with -o FILE"},
        {a->resume != NULL && (a->scene != NULL || given || !nowhere || a->nset > 0), "--resume",
         "goes alone, or with --json and --quiet: the command line is in the file"},
        {a->live && nowhere, "--live", "is a way to write a recording; say where to with -o FILE"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i].wrong) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, rules[i].option, "%s", rules[i].text);
        }
    }
    if ((given & TRM_GIVEN_STEP) && (given & TRM_GIVEN_END) && a->step > a->end) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--step",
                        "a step of %g s is larger than the run of %g s", a->step, a->end);
    }
    return TRM_OK;
}

trm_status trm_arguments_parse(trm_command command, int argc, char **argv, trm_arguments *out,
                               trm_error *err)
{
    *out = (trm_arguments){0};
    out->set = calloc((size_t)argc, sizeof *out->set);
    if (out->set == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    TRM_TRY(parse_options(command, argc, argv, out, err));
    TRM_TRY(parse_operands(command, argc, argv, out, err));
    TRM_TRY(out->load != NULL ? trm_load_methods(out->load, err) : TRM_OK);
    TRM_TRY(check_swapped(out, err));
    return check_exclusive(out, err);
}

void trm_arguments_destroy(trm_arguments *arguments)
{
    free(arguments->set);
    *arguments = (trm_arguments){0};
}

int trm_arguments_want_json(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            return 1;
        }
    }
    return 0;
}

int trm_options_has(trm_command command, const char *name)
{
    for (int i = 0; i < NOPTIONS; i++) {
        if ((options[i].commands & command) && strcmp(options[i].name, name) == 0) {
            return 1;
        }
    }
    return 0;
}

static void list_option(const option_def *def)
{
    char left[64], letter[8] = "";
    if (def->letter != 0) {
        snprintf(letter, sizeof letter, "-%c, ", def->letter);
    }
    snprintf(left, sizeof left, "%s--%s%s%s", letter, def->name, def->argument != NULL ? " " : "",
             def->argument != NULL ? def->argument : "");
    printf("  %-28s %s\n", left, def->doc);
}

/// Options that `command` takes and `other` does not, those of everyday or those of single methods.
static void list_options(unsigned command, unsigned other, int expert, const char *title)
{
    int n = 0;
    for (int i = 0; i < NOPTIONS; i++) {
        const option_def *const def = &options[i];
        if ((def->commands & command) && !(def->commands & other) &&
            !(def->commands & EXPERT) == !expert) {
            if (n++ == 0) {
                puts(title);
            }
            list_option(def);
        }
    }
}

int trm_option_name(trm_command command, int i, char out[32])
{
    if (i >= NOPTIONS) {
        return 0;
    }
    out[0] = '\0';
    if (options[i].commands & command) {
        name_option(&options[i], out);
    }
    return 1;
}

void trm_options_help(trm_command command)
{
    list_options(command, 0, 0, "Options");
    if (command & METHODS) {
        list_options(RUN, 0, 1, "\nOptions of run and sweep for single methods");
    }
    if (command & SWEEP) {
        list_options(command, RUN, 1, "\nFor schedulers of your own");
    }
    if (command & (RUN | SWEEP)) {
        puts("\nOptions of single methods: trammel help methods.");
    }
    if (command & (RUN | CHECK | VIEW | COMPARE | SWEEP)) {
        puts("Every number may be a constant expression, such as 70*deg.");
    }
    if (command & COMPARE) {
        puts(
            "\nThe reference is computed: the two of several runs at tight tolerance, by "
            "different\n"
            "methods, that agree longest and best. An error is the largest distance from it at 40 "
            "to\n"
            "100 times, of position, angle, velocity and rate, each over the size of the motion "
            "of\n"
            "its kind. Rows are those of the tables, then more that are aimed at errors of 1e-4,\n"
            "1e-6 and 1e-9. All but the times is the same whatever -j is, as long as no row comes\n"
            "near its budget. A row that fails is a result, not an error: exit 0. Ctrl-C reports\n"
            "the rows finished so far: exit 130.");
    }
    if (command & RUN) {
        puts(
            "Columns: docs/reference/recordings.md. Good, fair, POOR: docs/reference/verdicts.md.");
    }
}
