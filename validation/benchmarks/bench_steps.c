/// bench_steps: the CPU time of the stepping loop of one scene, for validation/bench.
///
/// The first pass is timed with cold caches, the second is watched and not timed (the branch is
/// measured from the angles of the bodies, apart from the checks of the library, and the largest
/// kinetic energy, which energy errors are compared with), the others are timed. Each starts from
/// the initial state with a simulation of its own. Prints one JSON object.
#include "tools/common/json_out.h"
#include "trammel/trammel_error.h"
#include "trammel/trammel_methods.h"
#include "trammel/trammel_query.h"
#include "trammel/trammel_report.h"
#include "trammel/trammel_simulation.h"
#include "validation/benchmarks/cpu_clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_WATCHED = 8 };

static const char usage[] =
    "usage: bench_steps [-e END | -n STEPS] [-r REPEATS] [-s NAME=VALUE]... [-b BODY]...\n"
    "                   [-a ACCURACY] [-m STABILIZATION] [-i INTEGRATOR] [-h STEP]\n"
    "                   [-p PREFIX: these bodies stay parallel] [-x BODY: turns against the "
    "first]\n"
    "-r 0 loads and creates; -n steps without looking at the time; srm takes E = I.\n";

typedef struct job {
    const char *scene, *stabilization, *integrator, *prefix, *mirror;
    const char *bodies[MAX_WATCHED];
    int nbodies;
    double end, accuracy, h;
    long steps;
    int repeats;
} job;

typedef struct bench {
    job job;
    trm_scene *scene;
    trm_model *model;
    trm_sim *sim;
    trm_options options;
    trm_error error;
    double loading, building, creating; // s of CPU
    double kinetic;                     // J, the largest
    double branch;                      // largest distance from the regular branch, bars of 1 m
    double *times;                      // [job.repeats]
} bench;

static trm_status refuse(bench *b, const char *where, const char *message)
{
    b->error.status = TRM_ERR_OPTIONS;
    snprintf(b->error.where, sizeof b->error.where, "%s", where);
    snprintf(b->error.message, sizeof b->error.message, "%s", message);
    return TRM_ERR_OPTIONS;
}

// --------------------------------------------------------------------------------- what is run

static trm_status set_parameter(bench *b, char *setting)
{
    char *const equals = strchr(setting, '=');
    if (equals == NULL) {
        return refuse(b, setting, "is no setting of the form NAME=VALUE");
    }
    *equals = '\0';
    return trm_scene_set(b->scene, setting, equals + 1, &b->error);
}

static trm_status load(bench *b, char *const settings[], int n)
{
    const double start = cpu_clock();
    trm_status status = trm_scene_load(b->job.scene, &b->scene, &b->error);
    for (int i = 0; status == TRM_OK && i < n; i++) {
        status = set_parameter(b, settings[i]);
    }
    const double loaded = cpu_clock();
    if (status == TRM_OK) {
        status = trm_model_build(b->scene, &b->model, &b->error);
    }
    b->loading = loaded - start;
    b->building = cpu_clock() - loaded;
    return status;
}

static trm_status choose(bench *b)
{
    const job *const j = &b->job;
    const trm_method *methods;
    const int n = trm_methods(&methods);
    TRM_TRY(trm_choose_options(b->model, j->accuracy, &b->options, NULL, &b->error));
    if (j->stabilization == NULL) {
        return TRM_OK;
    }
    const double rtol = b->options.rtol, atol = b->options.atol;
    for (int i = 0; i < n; i++) {
        if (strcmp(methods[i].stabilization_name, j->stabilization) == 0 &&
            strcmp(methods[i].integrator_name, j->integrator) == 0) {
            b->options = trm_default_options(methods[i].integrator, methods[i].stabilization);
            b->options.h = j->h;
            b->options.srm.E = TRM_SRM_MATRIX_IDENTITY;
            if (methods[i].adaptive) {
                b->options.rtol = rtol;
                b->options.atol = atol;
            }
            return trm_method_fits(&methods[i], b->model, &b->error);
        }
    }
    return refuse(b, j->stabilization, "is no method that goes with this integrator");
}

// ------------------------------------------------------------------------------------- branch

static double angle(const bench *b, const trm_state *s, int body)
{
    return s->q[trm_model_body_info(b->model, body).q0 + 2];
}

/// Distance of the tips of two bars of 1 m that should be parallel.
static double apart(double alpha, double beta)
{
    return 2 * fabs(sin((alpha - beta) / 2));
}

static double branch_distance(const bench *b, const trm_state *s)
{
    const int n = trm_model_sizes(b->model).nbody;
    const double first = angle(b, s, 0);
    double d = 0;
    for (int i = 1; b->job.prefix != NULL && i < n; i++) {
        const char *const name = trm_model_body_info(b->model, i).name;
        if (strncmp(name, b->job.prefix, strlen(b->job.prefix)) == 0) {
            d = fmax(d, apart(angle(b, s, i), first));
        }
    }
    if (b->job.mirror != NULL) {
        d = fmax(d, apart(angle(b, s, trm_model_find(b->model, TRM_ELEMENT_BODY, b->job.mirror)),
                          -first));
    }
    return d;
}

static int watch(trm_sim *sim, void *user)
{
    bench *const b = user;
    const trm_state s = trm_sim_state(sim);
    b->kinetic = fmax(b->kinetic, trm_sim_energy(sim).kinetic);
    b->branch = fmax(b->branch, branch_distance(b, &s));
    return 0;
}

// ------------------------------------------------------------------------------------- passes

static trm_status advance(bench *b, int watched)
{
    trm_status status = TRM_OK;
    if (b->job.steps <= 0) {
        return trm_sim_run(b->sim, b->job.end, watched ? watch : NULL, b, &b->error);
    }
    for (long i = 0; i < b->job.steps && status == TRM_OK; i++) {
        status = trm_sim_step(b->sim, &b->error);
    }
    return status;
}

static trm_status pass(bench *b, int watched, double *time)
{
    const double start = cpu_clock();
    trm_sim_destroy(b->sim);
    b->sim = NULL;
    trm_status status = trm_sim_create(b->model, &b->options, &b->sim, &b->error);
    const double created = cpu_clock();
    if (status == TRM_OK) {
        status = b->job.repeats > 0 ? advance(b, watched) : TRM_OK;
        *time = cpu_clock() - created;
    }
    b->creating = created - start;
    return status;
}

static trm_status passes(bench *b)
{
    double unused;
    trm_status status = pass(b, 0, &b->times[0]);
    if (status == TRM_OK && b->job.steps <= 0) {
        status = pass(b, 1, &unused);
    }
    for (int i = 1; i < b->job.repeats && status == TRM_OK; i++) {
        status = pass(b, 0, &b->times[i]);
    }
    return status;
}

// ------------------------------------------------------------------------------------ printing

static void print_method(trm_json *json, const bench *b)
{
    const trm_options *const o = &b->options;
    const trm_method *methods;
    const int n = trm_methods(&methods);
    for (int i = 0; i < n; i++) {
        if (methods[i].integrator == o->integrator &&
            methods[i].stabilization == o->stabilization) {
            trm_json_key_string(json, "integrator", methods[i].integrator_name);
            trm_json_key_string(json, "stabilization", methods[i].stabilization_name);
            trm_json_key_number(json, "rtol", methods[i].adaptive ? o->rtol : NAN);
        }
    }
}

static void print_run(trm_json *json, const bench *b)
{
    const trm_report report = trm_sim_report(b->sim);
    const trm_stats stats = trm_sim_stats(b->sim);
    const trm_state state = trm_sim_state(b->sim);
    print_method(json, b);
    trm_json_key_number(json, "t", state.t);
    trm_json_key_integer(json, "steps", stats.steps);
    trm_json_key_integer(json, "rejected", stats.rejected);
    trm_json_key_integer(json, "evaluations", stats.force_evals);
    trm_json_key_integer(json, "factorizations", stats.factorizations);
    trm_json_key_number(json, "energy", report.energy_error / b->kinetic);
    trm_json_key_number(json, "gap", report.position_drift);
    trm_json_key_integer(json, "branch_changes", report.branch_changes);
    trm_json_key_number(json, "branch_distance", b->branch);
    trm_json_key(json, "cpu_s");
    trm_json_vector(json, b->job.repeats, b->times);
    trm_json_key(json, "bodies");
    trm_json_object(json);
    for (int i = 0; i < b->job.nbodies; i++) {
        const int body = trm_model_find(b->model, TRM_ELEMENT_BODY, b->job.bodies[i]);
        const trm_body_info info = trm_model_body_info(b->model, body);
        trm_json_key(json, b->job.bodies[i]);
        trm_json_vector(json, info.nq, state.q + info.q0);
    }
    trm_json_end(json);
}

/// The high-water mark of this program; that of getrusage may be inherited from the caller.
static long max_rss_kb(void)
{
    FILE *const file = fopen("/proc/self/status", "r");
    char line[128];
    long kb = 0;
    while (file != NULL && kb == 0 && fgets(line, sizeof line, file) != NULL) {
        kb = strncmp(line, "VmHWM:", 6) == 0 ? strtol(line + 6, NULL, 10) : 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    return kb;
}

static void print(const bench *b)
{
    trm_json json = {.out = stdout};
    trm_json_object(&json);
    trm_json_key_integer(&json, "nbody", trm_model_sizes(b->model).nbody);
    trm_json_key_number(&json, "load_s", b->loading);
    trm_json_key_number(&json, "build_s", b->building);
    trm_json_key_number(&json, "create_s", b->creating);
    trm_json_key_integer(&json, "max_rss_kb", max_rss_kb());
    if (b->sim != NULL) {
        print_run(&json, b);
    }
    trm_json_end(&json);
}

// ------------------------------------------------------------------------------------ the job

static int read_option(bench *b, int option, const char *value)
{
    job *const j = &b->job;
    switch (option) {
    case 'a':
        return j->accuracy = strtod(value, NULL), 0;
    case 'b':
        return j->nbodies == MAX_WATCHED ? 1 : (j->bodies[j->nbodies++] = value, 0);
    case 'e':
        return j->end = strtod(value, NULL), 0;
    case 'h':
        return j->h = strtod(value, NULL), 0;
    case 'i':
        return j->integrator = value, 0;
    case 'm':
        return j->stabilization = value, 0;
    case 'n':
        return j->steps = strtol(value, NULL, 10), 0;
    case 'p':
        return j->prefix = value, 0;
    case 'r':
        return j->repeats = (int)strtol(value, NULL, 10), 0;
    case 'x':
        return j->mirror = value, 0;
    default:
        return 1;
    }
}

/// The settings are left in argv[0] ... argv[*nsettings - 1].
static int read_job(bench *b, int argc, char **argv, int *nsettings)
{
    int option;
    b->job = (job){.accuracy = 1e-6, .repeats = 1, .integrator = "dop853"};
    while ((option = getopt(argc, argv, "a:b:e:h:i:m:n:p:r:s:x:")) != -1) {
        if (option == 's') {
            argv[(*nsettings)++] = optarg;
        } else if (read_option(b, option, optarg)) {
            return 1;
        }
    }
    b->job.scene = optind == argc - 1 ? argv[optind] : NULL;
    return b->job.scene == NULL || b->job.repeats < 0;
}

static trm_status check_bodies(bench *b)
{
    for (int i = 0; i < b->job.nbodies; i++) {
        if (trm_model_find(b->model, TRM_ELEMENT_BODY, b->job.bodies[i]) < 0) {
            return refuse(b, b->job.bodies[i], "is no body of the scene");
        }
    }
    if (b->job.mirror != NULL && trm_model_find(b->model, TRM_ELEMENT_BODY, b->job.mirror) < 0) {
        return refuse(b, b->job.mirror, "is no body of the scene");
    }
    return TRM_OK;
}

static trm_status run(bench *b, char *const settings[], int nsettings)
{
    trm_status status = load(b, settings, nsettings);
    status = status == TRM_OK ? check_bodies(b) : status;
    status = status == TRM_OK ? choose(b) : status;
    if (status == TRM_OK) {
        b->options.assemble = trm_scene_simulation(b->scene).assemble;
        b->job.end = b->job.end > 0 ? b->job.end : trm_scene_simulation(b->scene).end;
        status = passes(b);
    }
    return status;
}

int main(int argc, char **argv)
{
    bench b = {.error.t = NAN};
    int nsettings = 0;
    if (read_job(&b, argc, argv, &nsettings)) {
        fputs(usage, stderr);
        return 2;
    }
    b.times = calloc((size_t)b.job.repeats + 1, sizeof *b.times);
    if (b.times == NULL) {
        fputs("bench_steps: out of memory\n", stderr);
        return 1;
    }
    const trm_status status = run(&b, argv, nsettings);
    if (status == TRM_OK) {
        print(&b);
    } else {
        fprintf(stderr, "%s: %s\n", b.error.where, b.error.message);
    }
    trm_sim_destroy(b.sim);
    trm_model_destroy(b.model);
    trm_scene_destroy(b.scene);
    free(b.times);
    return status != TRM_OK;
}
