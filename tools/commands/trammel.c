/// trammel: the command line. Picks the subcommand; tools/run/run.c and its neighbours do the work.
#include "program/suggest.h"
#include "tools/common/commands.h"
#include "tools/common/diagnose.h"
#include "tools/common/terminal.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static int command_version(int argc, char **argv);
static int command_completion(int argc, char **argv);
static int command_help(int argc, char **argv);

typedef struct subcommand {
    const char *name;
    int (*run)(int argc, char **argv); // NULL: planned, not in this version
    trm_command command;
    const char *synopsis, *doc;
} subcommand;

static const subcommand subcommands[] = {
    {"new", trm_command_new, TRM_COMMAND_PLAIN, "[NAME]",
     "a first scene to change, and a page that explains it"},
    {"run", trm_command_run, TRM_COMMAND_RUN, "SCENE [OPTION]...",
     "simulate a scene, check the result, record it"},
    {"compare", trm_command_compare, TRM_COMMAND_COMPARE,
     "SCENE [--methods A,B,...] [--steps H1,...] [--rtols R1,...] [--end T] [--set NAME=VALUE]...\n"
     "            [--reference METHOD|FILE.csv] [--repeat N] [-j N] [--budget S] [--report "
     "F.html]\n"
     "            [--json] [--quiet]",
     "every method on one scene, against a reference: errors, costs"},
    {"sweep", trm_command_sweep, TRM_COMMAND_SWEEP,
     "SCENE --set NAME=A:B:N ... | --samples FILE.csv [--outputs A,B,...] [-j N] -o out.csv\n"
     "              [--runs N] [--seed S] [--latin] [--design sobol|morris] [--report page.html]\n"
     "              [--shard I/N] [options of run]\n"
     "       trammel sweep --merge -o out.csv [--report page.html]",
     "thousands of runs with other parameters, one table"},
    {"import", trm_command_import, TRM_COMMAND_IMPORT,
     "ROBOT.xml|.urdf|.sdf [-o SCENE.json] [--root fixed|free] [--start NAME]\n"
     "               [--loops PAIRS.yaml] [--strict]",
     "a robot of another program as a scene, and what is not in it"},
    {"convert", trm_command_convert, TRM_COMMAND_CONVERT,
     "TABLE.csv OUT.h5 | SCENE.json PLANE.json",
     "a table or recording as HDF5; a planar scene in space in 2-D"},
    {"check", trm_command_check, TRM_COMMAND_CHECK,
     "SCENE [--set NAME=VALUE]... [--assemble] [--json]",
     "coordinates, rank, degrees of freedom, consistency of the start"},
    {"linearize", trm_command_linearize, TRM_COMMAND_LINEARIZE,
     "SCENE [--at T | --equilibrium [--nearest]] [--set NAME=VALUE]... [--assemble] [--json]\n"
     "                  [--response IN,OUT [--from F] [--to F] [--points N]]",
     "small motions: frequencies, damping, responses; equilibria"},
    {"view", trm_command_view, TRM_COMMAND_VIEW,
     "SCENE|RECORDING... [--set NAME=VALUE]... [--assemble] [--end T]\n"
     "             [-o out.html|out.svg|out.png|out.mp4] [--animate | --at T1,T2,... | --live]",
     "see the mechanism move: a page for a browser, or a picture"},
    {"plot", trm_command_plot, TRM_COMMAND_PLOT,
     "RECORDING... [COLUMN]... [--over COLUMN] [-o out.svg]",
     "columns of a recording over time, in characters or as a picture"},
    {"methods", trm_command_methods, TRM_COMMAND_METHODS, "[--json]",
     "which integrators and stabilizations go together"},
    {"elements", trm_command_elements, TRM_COMMAND_PLAIN, "[NAME]",
     "what a scene can be made of; the keys of one of them"},
    {"schema", trm_command_schema, TRM_COMMAND_SCHEMA, "[--format]",
     "JSON schema of scene files, or their reference"},
    {"version", command_version, TRM_COMMAND_PLAIN, "", "version of the program and its library"},
    {"completion", command_completion, TRM_COMMAND_PLAIN, "bash|zsh",
     "a script for the shell: source <(trammel completion bash)"},
    {"help", command_help, TRM_COMMAND_PLAIN, "[SUBCOMMAND]", "this, or help on a subcommand"},
};

enum { NSUBCOMMANDS = (int)(sizeof subcommands / sizeof *subcommands) };

static const subcommand *find(const char *name)
{
    for (int i = 0; i < NSUBCOMMANDS; i++) {
        if (strcmp(subcommands[i].name, name) == 0) {
            return &subcommands[i];
        }
    }
    return NULL;
}

static void overview(FILE *out)
{
    fputs("trammel: dynamics of mechanisms, from a scene file to a trajectory\n\n", out);
    for (int i = 0; i < NSUBCOMMANDS; i++) {
        if (subcommands[i].run != NULL) {
            fprintf(out, "  %-10s %s\n", subcommands[i].name, subcommands[i].doc);
        }
    }
    fputs("\nTo start: trammel new pendulum     Options: trammel help run\n"
          "Exit codes: 0 done, 1 usage, 2 bad scene, 3 cannot assemble or inconsistent,\n"
          "            4 integration failed, 5 input or output\n",
          out);
}

static void help_on(const subcommand *sub)
{
    printf("trammel %s %s\n\n%s\n\n", sub->name, sub->synopsis, sub->doc);
    trm_options_help(sub->command);
}

void trm_help(trm_command command)
{
    for (int i = 0; i < NSUBCOMMANDS; i++) {
        if (subcommands[i].command == command) {
            help_on(&subcommands[i]);
            return;
        }
    }
}

/// What other programs call a subcommand of ours, and what is not there; NULL: nothing known.
static const char *word_of_others(const char *typed)
{
    static const char *const words[][2] = {
        {"simulate", "did you mean \"trammel run\"?"},
        {"sim", "did you mean \"trammel run\"?"},
        {"solve", "did you mean \"trammel run\"?"},
        {"animate", "did you mean \"trammel view SCENE -o FILE.html\"?"},
        {"show", "did you mean \"trammel view\"?"},
        {"draw", "did you mean \"trammel view\"?"},
        {"render", "did you mean \"trammel view\"?"},
        {"validate", "did you mean \"trammel check\"?"},
        {"modes", "did you mean \"trammel linearize\"?"},
        {"paper", "the papers' tables are printed by trammel-papers, of the build folder"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i][0], typed) == 0) {
            return words[i][1];
        }
    }
    return NULL;
}

static int unknown_subcommand(const char *name)
{
    char hint[64];
    const subcommand *const planned = find(name);
    if (planned != NULL) {
        fprintf(stderr, "error: \"trammel %s\" is not in this version\n", planned->name);
        return TRM_EXIT_USAGE;
    }
    const size_t length = strlen(name);
    if (length > 5 && strcmp(name + length - 5, ".json") == 0) {
        trm_terminal_printf(stderr, "error: no subcommand \"%s\"; did you mean \"trammel run %s\"?",
                            name, name);
        fputs("\nTry \"trammel help\".\n", stderr);
        return TRM_EXIT_USAGE;
    }
    const char *const other = word_of_others(name);
    if (other != NULL) {
        fprintf(stderr, "error: no subcommand \"%s\"; %s\nTry \"trammel help\".\n", name, other);
        return TRM_EXIT_USAGE;
    }
    trm_suggestion suggestion = trm_suggest(name, length);
    for (int i = 0; i < NSUBCOMMANDS; i++) {
        if (subcommands[i].run != NULL) {
            trm_suggest_consider(&suggestion, subcommands[i].name);
        }
    }
    trm_terminal_printf(stderr, "error: no subcommand \"%s\"%s", name,
                        trm_suggest_text(&suggestion, hint, sizeof hint));
    fputs("\nTry \"trammel help\".\n", stderr);
    return TRM_EXIT_USAGE;
}

static int command_version(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        fputs("error: \"trammel version\" takes no arguments\n", stderr);
        return TRM_EXIT_USAGE;
    }
    printf("trammel %s\n", TRM_VERSION);
    if (strcmp(TRM_VERSION, trm_version()) != 0) {
        printf("libtrammel %s\n", trm_version());
    }
    return TRM_EXIT_DONE;
}

/// One line for each subcommand: its name, then its options.
static void list_completions(void)
{
    for (int i = 0; i < NSUBCOMMANDS; i++) {
        char name[32];
        printf("        %s) words=\"", subcommands[i].name);
        for (int k = 0; trm_option_name(subcommands[i].command, k, name); k++) {
            printf("%s%s", name, *name ? " " : "");
        }
        puts("\" ;;");
    }
}

/// zsh reads the script of bash by its own bashcompinit.
static int command_completion(int argc, char **argv)
{
    if (argc != 2 || (strcmp(argv[1], "bash") != 0 && strcmp(argv[1], "zsh") != 0)) {
        fputs("error: expected \"trammel completion bash\" or \"trammel completion zsh\"\n",
              stderr);
        return TRM_EXIT_USAGE;
    }
    if (strcmp(argv[1], "zsh") == 0) {
        puts("autoload -Uz +X compinit bashcompinit && compinit -u && bashcompinit");
    }
    puts("_trammel()\n{\n    local words=\"\" word=\"${COMP_WORDS[COMP_CWORD]}\"\n"
         "    if [ \"$COMP_CWORD\" -eq 1 ]; then");
    fputs("        words=\"", stdout);
    for (int i = 0; i < NSUBCOMMANDS; i++) {
        printf("%s ", subcommands[i].name);
    }
    puts("\"\n    elif [ \"${word#-}\" != \"$word\" ]; then\n        case \"${COMP_WORDS[1]}\" in");
    list_completions();
    puts("        esac\n    fi\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\n"
         "complete -o default -F _trammel trammel");
    return TRM_EXIT_DONE;
}

static int command_help(int argc, char **argv)
{
    if (argc < 2) {
        overview(stdout);
        return TRM_EXIT_DONE;
    }
    const subcommand *const sub = find(argv[1]);
    if (sub == NULL || sub->run == NULL) {
        return unknown_subcommand(argv[1]);
    }
    help_on(sub);
    return TRM_EXIT_DONE;
}

/// A closed or full stdout is a failure too, unless there was a worse one.
static int close_stdout(int code)
{
    const int failed = fflush(stdout) != 0 || ferror(stdout);
    if (failed && code == TRM_EXIT_DONE) {
        fputs("error: standard output cannot be written\n", stderr);
        return TRM_EXIT_IO;
    }
    return code;
}

static const char *without_dashes(const char *name)
{
    static const char *const flags[][2] = {
        {"--help", "help"}, {"-h", "help"}, {"--version", "version"}, {"-V", "version"}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (strcmp(name, flags[i][0]) == 0) {
            return flags[i][1];
        }
    }
    return name;
}

int trm_output_is(const char *path, const char *extension)
{
    const size_t n = path != NULL ? strlen(path) : 0, tail = strlen(extension);
    return n > tail && strcmp(path + n - tail, extension) == 0;
}

trm_status trm_output_kind(const char *path, const char *extension, trm_error *err)
{
    const char *const slash = path != NULL ? strrchr(path, '/') : NULL;
    const char *const dot = path != NULL ? strrchr(slash != NULL ? slash : path, '.') : NULL;
    if (path == NULL || dot == NULL || strcmp(dot, extension) == 0) {
        return TRM_OK;
    }
    return TRM_FAIL(err, TRM_ERR_OPTIONS, "-o",
                    "\"%.60s\" has no ending that this command writes, such as %s", path,
                    extension);
}

#ifdef __GNUC__
/// There when LAPACK is OpenBLAS. Its threads cost more than they give on matrices of this size,
/// and their waiting would be counted as ours. A library may not decide this; a program may.
extern void openblas_set_num_threads(int n) __attribute__((weak));

static void use_one_thread(void)
{
    if (openblas_set_num_threads) {
        openblas_set_num_threads(1);
    }
}
#else
static void use_one_thread(void)
{
}
#endif

int trm_program_of(int (*run)(int argc, char **argv), int argc, char **argv)
{
    use_one_thread();
#ifdef SIGXFSZ
    signal(SIGXFSZ, SIG_IGN); // a file-size limit then shows as a write error
#endif
    return close_stdout(run(argc, argv));
}

static int run_subcommand(int argc, char **argv)
{
    if (argc < 2) {
        overview(stderr);
        return TRM_EXIT_USAGE;
    }
    const char *const name = without_dashes(argv[1]);
    const subcommand *const sub = find(name);
    if (sub == NULL || sub->run == NULL) {
        return unknown_subcommand(name);
    }
    return sub->run(argc - 1, argv + 1);
}

int trm_program(int argc, char **argv)
{
    return trm_program_of(run_subcommand, argc, argv);
}
