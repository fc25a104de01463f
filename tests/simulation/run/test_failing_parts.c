// A function of the user that fails once, at each of its calls in turn: under every method, every
// question and the diagnosis. Whatever was asked ends in a status with a sentence, or did not need
// the answer.

#include "tests/rig.h"

#include "program/run_details.h"
#include "trammel/trammel_check.h"
#include "trammel/trammel_equations.h"
#include "trammel/trammel_methods.h"
#include "trammel/trammel_query.h"
#include "trammel/trammel_report.h"

static long calls;   ///< of the functions below, so far
static long fail_at; ///< this one fails; 0: none
static int failed;   ///< whether it has been

static int next(double *out)
{
    if (++calls == fail_at) {
        failed = 1;
        *out = NAN;
        return 3;
    }
    return 0;
}

static int pushing(const trm_model *model, double t, const double *q, const double *v, double *f,
                   void *user)
{
    double ignored;
    (void)model, (void)t, (void)q, (void)user;
    f[2] -= v[2];
    return next(&ignored);
}

/// The second bar turns half as far as the first.
static int row_g(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)model, (void)t, (void)user;
    out[0] = q[5] - q[2] / 2;
    return next(out);
}

static int row_G(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)t, (void)q, (void)user;
    memset(out, 0, (size_t)trm_model_sizes(model).nv * sizeof *out);
    out[5] = 1;
    out[2] = -0.5;
    return next(out);
}

static int row_zero(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    out[0] = 0;
    return next(out);
}

static int row_gamma(const trm_model *model, double t, const double *q, const double *v,
                     double *out, void *user)
{
    (void)v;
    return row_zero(model, t, q, out, user);
}

#define BARS                                                                                       \
    "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":["                                          \
    "{\"name\":\"a\",\"mass\":1,\"ends\":[[0,0],[1,0]]},"                                          \
    "{\"name\":\"b\",\"mass\":2,\"ends\":[[1,0],[2,0]]},"                                          \
    "{\"name\":\"c\",\"mass\":2,\"ends\":[[2,0],[3,0]]}],\"joints\":["                             \
    "{\"name\":\"A\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0]},"           \
    "{\"name\":\"B\",\"type\":\"revolute\",\"bodies\":[\"a\",\"b\"],\"at\":[1,0]%s},"              \
    "{\"name\":\"C\",\"type\":\"revolute\",\"bodies\":[\"b\",\"c\"],\"at\":[2,0]}]"                \
    "%s}"

typedef struct variant {
    const char *joint, *more; ///< what the scene has besides
    int rows;                 ///< whether a user's constraint is there
    int gamma;                ///< whether it gives gamma itself
} variant;

static const variant plain = {"", "", 1, 1};
static const variant differences = {"", "", 1, 0};
static const variant forces = {"", "", 0, 0};
static const variant stops = {",\"limits\":[-0.01,0.5],\"friction\":0.3,\"restitution\":0.2", "", 1,
                              1};
static const variant drive = {",\"motor\":\"0.1*t\"", "", 1, 1};

static rig open_rig(const variant *as)
{
    char text[2000];
    trm_error err = {.status = TRM_OK};
    rig r = {NULL, NULL, NULL};
    const trm_force_def force = {.name = "push", .force = pushing};
    const trm_constraint_def rows = {.name = "half",
                                     .rows = 1,
                                     .g = row_g,
                                     .G = row_G,
                                     .g_t = row_zero,
                                     .gamma = as->gamma ? row_gamma : NULL};
    snprintf(text, sizeof text, BARS, as->joint, as->more);
    fail_at = 0;
    rig_ok(trm_scene_parse(text, strlen(text), &r.scene, &err), &err);
    rig_ok(trm_scene_add_force(r.scene, &force, &err), &err);
    if (as->rows) {
        rig_ok(trm_scene_add_constraint(r.scene, &rows, &err), &err);
    }
    rig_ok(trm_model_build(r.scene, &r.model, &err), &err);
    return r;
}

/// What is done with a model; returns the first status that is none of success.
typedef trm_status deed(const rig *r, const trm_method *method, trm_error *err);

/// Whatever the call that fails: a sentence, or success. With failures spread over all calls where
/// they are many; fewer of them under sanitizers, which see in a line what it does each time.
static void try_all(const char *name, const rig *r, const trm_method *method, deed *what)
{
    const long most = getenv("TRAMMEL_SANITIZED") != NULL ? 100 : 400;
    trm_error err = {.status = TRM_OK};
    calls = fail_at = 0;
    const trm_status whole = what(r, method, &err);
    const long total = calls, stride = 1 + total / most;
    for (long k = 1; k <= total; k += k < most / 2 ? 1 : stride) {
        err = (trm_error){.status = TRM_OK};
        calls = failed = 0;
        fail_at = k;
        const trm_status status = what(r, method, &err);
        if (status != TRM_OK && status != whole &&
            (status != err.status || strlen(err.message) < 10)) {
            fail_msg("%s, call %ld of %ld: %s, \"%s\"", name, k, total, trm_status_name(status),
                     err.message);
        }
    }
    fail_at = 0;
}

static trm_status run(const rig *r, const trm_method *method, trm_error *err)
{
    trm_sim *sim = NULL;
    trm_options options = trm_default_options(method->integrator, method->stabilization);
    options.h = method->adaptive ? options.h : 0.005;
    options.assemble = 1;
    trm_status status = trm_sim_create(r->model, &options, &sim, err);
    for (int k = 0; status == TRM_OK && k < 4; k++) {
        status = trm_sim_step(sim, err);
    }
    if (status == TRM_OK) {
        status = trm_sim_step_to(sim, trm_sim_state(sim).t + 1e-3, err);
    }
    trm_sim_destroy(sim);
    return status;
}

/// A run that is asked, moved and gone on from.
static trm_status ask_run(const rig *r, const trm_method *method, trm_error *err)
{
    trm_sim *sim = NULL;
    trm_sample sample;
    trm_stiff stiff;
    double a[9], gamma[16], sigma;
    const trm_terms wanted = {.a = a, .gamma = gamma};
    const trm_options options = trm_default_options(method->integrator, method->stabilization);
    trm_status status = trm_sim_create(r->model, &options, &sim, err);
    status = status ? status : trm_sim_step(sim, err);
    if (status == TRM_OK) {
        const trm_state s = trm_sim_state(sim);
        const double dv[9] = {0, 0, 1e-9};
        status = trm_sim_sample(sim, s.t / 2, &sample, err);
        status = status ? status : trm_sim_terms(sim, s.t, s.q, s.v, NULL, &wanted, err);
        status = status ? status : trm_sim_singular_value(sim, s.t, &sigma, err);
        (void)trm_sim_stiff(sim, &stiff);
        (void)trm_sim_report(sim);
        status = status ? status : trm_sim_perturb(sim, NULL, dv, err);
        status = status ? status : trm_sim_set_state(sim, s.t, s.q, s.v, err);
        status = status ? status : trm_sim_step(sim, err);
    }
    trm_sim_destroy(sim);
    return status;
}

static trm_status diagnose(const rig *r, const trm_method *method, trm_error *err)
{
    trm_check *check = NULL;
    trm_diagnosis *diagnosis = NULL;
    int unique[16];
    const trm_options options =
        trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2);
    const trm_sizes n = trm_model_sizes(r->model);
    double q[9], v[9];
    (void)method;
    trm_model_initial_state(r->model, q, v);
    assert_true(n.nq <= 9 && n.nc <= 16);
    trm_status status = trm_check_create(r->model, &options, &check, err);
    trm_check_destroy(check);
    status =
        status ? status : trm_diagnosis_create(r->scene, r->model, &options, 1, &diagnosis, err);
    trm_diagnosis_destroy(diagnosis);
    return status ? status : trm_unique_multipliers(r->model, 0, q, unique, err);
}

static trm_status ask(const rig *r, const trm_method *method, trm_error *err)
{
    trm_query *query = NULL;
    double q[9], v[9], Z[81], W[81], B[9] = {0, 0, 1}, tau, force[3], a[9] = {0};
    int d = 0, unique[3], joint = 0;
    const trm_drive_task task = {.a = a, .B = B, .nu = 1};
    trm_drive_forces answer = {.tau = &tau};
    (void)method;
    trm_model_initial_state(r->model, q, v);
    trm_status status = trm_query_create(r->model, &query, err);
    status = status ? status : trm_query_close(query, 0, q, v, err);
    if (status == TRM_OK && trm_query_freedoms(query, 0, q, err) < 0) {
        status = err->status;
    }
    status = status ? status : trm_query_motions(query, 0, q, &d, Z, W, err);
    if (d == 1) {
        const trm_joint_space space = {.scene = r->scene, .n = 1, .joints = &joint, .S = Z};
        status = status ? status : trm_query_joint_space(query, 0, q, v, &space, err);
    }
    status = status ? status : trm_query_motor_forces(query, 0, q, v, force, unique, err);
    status = status ? status : trm_query_inverse_dynamics(query, 0, q, v, &task, &answer, err);
    trm_query_destroy(query);
    return status;
}

static trm_status linearize(const rig *r, const trm_method *method, trm_error *err)
{
    trm_query *query = NULL;
    trm_linear *linear = NULL;
    trm_equilibrium found;
    double q[9], v[9];
    (void)method;
    trm_model_initial_state(r->model, q, v);
    trm_status status = trm_query_create(r->model, &query, err);
    status = status ? status : trm_query_linearize(query, 0, q, v, NULL, &linear, err);
    trm_linear_destroy(linear);
    status = status ? status : trm_query_equilibrium(query, NULL, q, NULL, &found, err);
    trm_query_destroy(query);
    return status;
}

CLAIM(every_method_says_so)
{
    const variant *const all[] = {&plain, &differences, &forces, &stops, &drive};
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        rig r = open_rig(all[k]);
        for (int i = 0; i < n; i++) {
            if (rig_fits(&r, &methods[i])) {
                char name[80];
                snprintf(name, sizeof name, "%s with %s", methods[i].integrator_name,
                         methods[i].stabilization_name);
                try_all(name, &r, &methods[i], run);
            }
        }
        rig_close(&r);
    }
}

CLAIM(every_question_says_so)
{
    const variant *const all[] = {&plain, &differences, &forces, &stops, &drive};
    const trm_method methods[] = {
        {.integrator = TRM_INTEGRATOR_DOP853, .stabilization = TRM_STABILIZATION_S_BOTH2},
        {.integrator = TRM_INTEGRATOR_RK4, .stabilization = TRM_STABILIZATION_S_BOTH2}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        rig r = open_rig(all[k]);
        for (size_t i = 0; i < 2; i++) {
            if (k != 3 || i == 0) {
                try_all("a run that is asked", &r, &methods[i], ask_run);
            }
        }
        try_all("check", &r, NULL, diagnose);
        try_all("queries", &r, NULL, ask);
        try_all("linearize", &r, NULL, linearize);
        rig_close(&r);
    }
}
