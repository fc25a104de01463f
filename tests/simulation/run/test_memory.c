// Memory: nothing is allocated between trm_sim_create and trm_sim_destroy, and whichever allocation
// fails, a call ends in TRM_ERR_MEMORY, leaves *out NULL and keeps nothing.

#include "tests/counted_requests.h"
#include "tests/rig.h"

#include "base/arena.h"
#include "base/arena_zones.h"
#include "program/texts.h"
#include "trammel/trammel_check.h"
#include "trammel/trammel_query.h"
#include "validation/papers/problems/problems_arm.h"

// ------------------------------------------------------------------------- no allocation in a step

/// Save, ask, restore.
static void roll_out(trm_sim *sim)
{
    static char state[1 << 20];
    static double a[64];
    trm_error err = {.status = TRM_OK};
    const trm_terms wanted = {.a = a};
    assert_true(trm_sim_state_size(sim) <= sizeof state);
    if (trm_sim_state_size(sim) == 0) {
        return; // IDA
    }
    rig_ok(trm_sim_save(sim, state, sizeof state, &err), &err);
    const trm_state s = trm_sim_state(sim);
    rig_ok(trm_sim_terms(sim, s.t, s.q, s.v, NULL, &wanted, &err), &err);
    rig_ok(trm_sim_restore(sim, state, sizeof state, &err), &err);
}

/// Steps, runs, samples, and a restart, which judges the rank anew: all that a front end does
/// between create and destroy.
static void use(trm_sim *sim, const trm_model *model)
{
    trm_error err = {.status = TRM_OK};
    trm_sample sample;
    double q[64], v[64];

    for (int k = 0; k < 3; k++) {
        const double before = trm_sim_state(sim).t;
        rig_ok(trm_sim_step(sim, &err), &err);
        const double now = trm_sim_state(sim).t;
        rig_ok(trm_sim_sample(sim, (before + now) / 2.0, &sample, &err), &err);
    }
    rig_ok(trm_sim_run(sim, trm_sim_state(sim).t + 0.01, NULL, NULL, &err), &err);
    (void)trm_sim_report(sim);
    (void)trm_sim_stats(sim);
    roll_out(sim);
    trm_model_initial_state(model, q, v);
    rig_ok(trm_sim_set_state(sim, 0.0, q, v, &err), &err);
    rig_ok(trm_sim_run(sim, 0.02, NULL, NULL, &err), &err);
}

static rig open_equations(const char *name)
{
    return strcmp(name, "parabola") == 0 ? rig_equations(&parabola_arm) : rig_equations(&sine_arm);
}

static void check_no_allocation(rig *r, const trm_method *method, int assemble)
{
    trm_options options = trm_default_options(method->integrator, method->stabilization);
    options.assemble = assemble;
    rig_start(r, options);
    const long before = requests, blocks = alive;
    use(r->sim, r->model);
    assert_int_equal(requests, before);
    assert_int_equal(alive, blocks);
}

CLAIM(no_method_allocates_in_a_step)
{
    const char *const scenes[] = {"four_bar", "arm_sine", "spatial_slider_crank", "bricard",
                                  "chain_10"};
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);

    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        rig r = rig_load(scenes[k], NULL);
        for (int i = 0; i < n; i++) {
            const int ours =
                methods[i].integrator != TRM_INTEGRATOR_IDA; // SUNDIALS may allocate as it pleases
            if (ours && rig_fits(&r, &methods[i])) {
                check_no_allocation(&r, &methods[i], i % 2);
            }
        }
        rig_close(&r);
    }
    for (int k = 0; k < 2; k++) {
        rig r = open_equations(k ? "parabola" : "sine");
        for (int i = 0; i < n; i++) {
            const int ours = methods[i].integrator != TRM_INTEGRATOR_IDA;
            if (ours && rig_fits(&r, &methods[i])) {
                check_no_allocation(&r, &methods[i], i % 2);
            }
        }
        rig_close(&r);
    }
}

CLAIM(a_failed_step_does_not_allocate_either)
{
    rig r =
        rig_parse("{\"dimension\": 2, \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"shape\": "
                  "{\"type\": \"point\"}, \"position\": [0, 0]}], \"markers\": [{\"name\": \"m\","
                  "\"body\": \"b\", \"on\": [0, 0]}], \"forces\": [{\"name\": \"f\", \"type\": "
                  "\"force\", \"marker\": \"m\", \"value\": [\"log(1 - t)\", 0]}]}");
    trm_error err = {.status = TRM_OK};

    rig_start(&r, trm_default_options(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_PLAIN));
    const long before = requests;
    assert_int_equal(trm_sim_run(r.sim, 2.0, NULL, NULL, &err), TRM_ERR_CALLBACK);
    assert_int_equal(requests, before);
    rig_close(&r);
}

// ----------------------------------------------------------------------- the k-th allocation fails

static int user_force(const trm_model *model, double t, const double *q, const double *v, double *f,
                      void *user)
{
    (void)model, (void)t, (void)q, (void)v, (void)user;
    f[0] += 1.0;
    return 0;
}

static int user_g(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)model, (void)t, (void)user;
    out[0] = q[0] - q[0];
    return 0;
}

static int user_G(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)t, (void)q, (void)user;
    memset(out, 0, (size_t)trm_model_sizes(model).nv * sizeof *out);
    return 0;
}

/// A scene with one of nearly everything.
static const char everything[] =
    "{\"title\": \"everything\", \"dimension\": 2, \"gravity\": [0, \"-g\"],"
    " \"parameters\": {\"g\": 9.81, \"l\": \"2*0.5\", \"k\": 40},"
    " \"bodies\": [{\"name\": \"a\", \"ends\": [[0, 0], [\"l\", 0]], \"mass\": 1},"
    "  {\"name\": \"b\", \"ends\": [[\"l\", 0], [\"2*l\", 0]], \"density\": 2},"
    "  {\"name\": \"c\", \"mass\": 1, \"inertia\": 1, \"position\": [5, 5]},"
    "  {\"name\": \"p\", \"mass\": 1, \"shape\": {\"type\": \"point\"}, \"position\": [3, 0]}],"
    " \"markers\": [{\"name\": \"tip\", \"body\": \"b\", \"at\": [\"2*l\", 0]},"
    "  {\"name\": \"foot\", \"body\": \"ground\", \"at\": [0, -1]},"
    "  {\"name\": \"m\", \"body\": \"p\", \"on\": [0, 0]}],"
    " \"joints\": [{\"name\": \"A\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"a\"],"
    "   \"at\": [0, 0], \"motor\": \"0*t\"},"
    "  {\"name\": \"B\", \"type\": \"revolute\", \"bodies\": [\"a\", \"b\"], \"at\": [\"l\", 0]},"
    "  {\"name\": \"C\", \"type\": \"prismatic\", \"bodies\": [\"ground\", \"c\"], \"at\": [5, 5],"
    "   \"axis\": [0, 1]},"
    "  {\"name\": \"R\", \"type\": \"rod\", \"bodies\": [\"b\", \"p\"], \"at\": [[\"2*l\", 0], [3, "
    "0]]}],"
    " \"constraints\": [{\"name\": \"path\", \"expression\": \"m.y - 0*sin(t)\"}],"
    " \"forces\": [{\"name\": \"s\", \"type\": \"spring_damper\", \"markers\": [\"tip\", \"foot\"],"
    "   \"stiffness\": \"k\", \"damping\": 1, \"rest_length\": 1},"
    "  {\"name\": \"j\", \"type\": \"joint_spring_damper\", \"joint\": \"B\", \"stiffness\": 1,"
    "   \"damping\": 1},"
    "  {\"name\": \"f\", \"type\": \"force\", \"marker\": \"tip\", \"value\": [\"sin(t)\", "
    "\"tip.vx\"]},"
    "  {\"name\": \"q\", \"type\": \"torque\", \"body\": \"c\", \"value\": \"-c.rate\"}],"
    " \"simulation\": {\"end\": 1}}";

/// OK, or MEMORY with nothing handed out. Returns nonzero when OK.
static int check_outcome(trm_status status, const void *out, const trm_error *err)
{
    if (status == TRM_OK) {
        return 1;
    }
    if (status != TRM_ERR_MEMORY) {
        fail_msg("request %ld: %s: %s", fail_at, trm_status_name(status), err->message);
    }
    assert_int_equal(err->status, TRM_ERR_MEMORY);
    assert_true(strlen(err->message) > 0);
    assert_null(out);
    return 0;
}

static char garbage[1];

/// All the questions of trammel_query.h that allocate. Returns nonzero when nothing failed.
static int ask(const trm_model *model)
{
    static double q[256], v[256], a[256], B[256], tau[1], force[64];
    static int unique[64];
    trm_error err = {.status = TRM_OK};
    trm_query *query = (void *)garbage;
    trm_linear *linear = (void *)garbage;
    trm_equilibrium found;
    trm_equilibrium_options few = trm_default_equilibrium_options();
    const trm_sizes n = trm_model_sizes(model);
    assert_true(n.nq <= 256 && n.njoint <= 64);
    trm_status status = trm_query_create(model, &query, &err);
    if (!check_outcome(status, query, &err)) {
        return 0;
    }
    few.iterations = 1;
    trm_model_initial_state(model, q, v);
    B[0] = 1;
    const trm_drive_task task = {.a = a, .B = B, .nu = 1};
    trm_drive_forces out = {.tau = tau};
    int ok = check_outcome(trm_query_motions(query, 0, q, NULL, NULL, NULL, &err), NULL, &err);
    ok &= check_outcome(trm_query_inverse_dynamics(query, 0, q, v, &task, &out, &err), NULL, &err);
    ok &= check_outcome(trm_query_motor_forces(query, 0, q, v, force, unique, &err), NULL, &err);
    status = trm_query_linearize(query, 0, q, v, NULL, &linear, &err);
    if (status == TRM_ERR_SINGULAR || status == TRM_ERR_INCONSISTENT) {
        assert_null(linear);
    } else {
        ok &= check_outcome(status, linear, &err);
    }
    trm_linear_destroy(linear);
    status = trm_query_equilibrium(query, &few, q, NULL, &found, &err);
    if (status != TRM_ERR_DIVERGED && status != TRM_ERR_INCONSISTENT) {
        ok &= check_outcome(status, NULL, &err);
    }
    trm_query_destroy(query);
    return ok;
}

/// Scene to run and check, as far as it gets. Returns nonzero when nothing failed.
static int build_and_run(trm_scene *scene)
{
    trm_error err = {.status = TRM_OK};
    trm_model *model = (void *)garbage;
    trm_sim *sim = (void *)garbage;
    trm_check *check = (void *)garbage;
    const trm_options options =
        trm_default_options(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_S_BOTH2);

    trm_status status = trm_model_build(scene, &model, &err);
    if (!check_outcome(status, model, &err)) {
        return 0;
    }
    status = trm_sim_create(model, &options, &sim, &err);
    int ok = check_outcome(status, sim, &err);
    status = trm_check_create(model, &options, &check, &err);
    ok &= check_outcome(status, check, &err);
    trm_diagnosis *diagnosis = (void *)garbage;
    status = trm_diagnosis_create(NULL, model, &options, 1, &diagnosis, &err);
    ok &= check_outcome(status, diagnosis, &err);
    trm_diagnosis_destroy(diagnosis);
    trm_result *result = (void *)garbage;
    const long before = requests;
    status = trm_simulate(model, 0.01, 1e-6, NULL, &result, &err);
    assert_true(status == TRM_OK || status == TRM_ERR_MEMORY);
    assert_true(result != (void *)garbage && (status != TRM_OK || result != NULL));
    // a second run that fails leaves the first one, not checked, or checked by a coarser one
    ok &= status == TRM_OK && !(fail_at > before && fail_at <= requests);
    trm_result_destroy(result);
    ok &= ask(model);
    trm_check_destroy(check);
    trm_sim_destroy(sim);
    trm_model_destroy(model);
    return ok;
}

static int from_text(void)
{
    trm_error err = {.status = TRM_OK};
    trm_scene *scene = (void *)garbage;
    const trm_force_def force = {.name = "user's force", .force = user_force};
    const trm_constraint_def rows = {.name = "user's rows", .rows = 1, .g = user_g, .G = user_G};

    const trm_status status = trm_scene_parse(everything, sizeof everything - 1, &scene, &err);
    int ok = check_outcome(status, scene, &err);
    if (ok) {
        ok &= check_outcome(trm_scene_set(scene, "k", "30 + 10", &err), NULL, &err);
        ok &= check_outcome(trm_scene_add_force(scene, &force, &err), NULL, &err);
        ok &= check_outcome(trm_scene_add_constraint(scene, &rows, &err), NULL, &err);
        ok &= build_and_run(scene); // whatever failed has left the scene as it was
    }
    trm_scene_destroy(scene);
    return ok;
}

static int from_file(const char *name)
{
    char path[512];
    trm_error err = {.status = TRM_OK};
    trm_scene *scene = (void *)garbage;

    snprintf(path, sizeof path, "%s/scenes/%s.json", rig_root(), name);
    const trm_status status = trm_scene_load(path, &scene, &err);
    int ok = check_outcome(status, scene, &err);
    ok = ok && build_and_run(scene);
    trm_scene_destroy(scene);
    return ok;
}

static int from_bricard(void)
{
    return from_file("bricard");
}

static int from_double_four_bar(void)
{
    return from_file("double_four_bar");
}

static int from_equations(void)
{
    trm_error err = {.status = TRM_OK};
    trm_model *model = (void *)garbage;
    trm_sim *sim = (void *)garbage;
    const trm_options options = trm_default_options(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_SRM);

    trm_status status = trm_model_from_equations(&sine_arm, &model, &err);
    if (!check_outcome(status, model, &err)) {
        return 0;
    }
    status = trm_sim_create(model, &options, &sim, &err);
    int ok = check_outcome(status, sim, &err);
    ok &= ask(model);
    trm_sim_destroy(sim);
    trm_model_destroy(model);
    return ok;
}

/// A door on two hinges, one askew: how much play would free it is looked for, and refused.
static int of_a_lock(void)
{
    const char *const json =
        "{\"dimension\": 3, \"bodies\": [{\"name\": \"d\", \"mass\": 1, \"inertia\": [1, 1, 1], "
        "\"position\": [1, 0, 0]}], \"joints\": [{\"name\": \"A\", \"type\": \"revolute\", "
        "\"bodies\": [\"ground\", \"d\"], \"at\": [0, 0, 0], \"axis\": [0, 0, 1]}, {\"name\": "
        "\"B\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"d\"], \"at\": [0, 0, 1], "
        "\"axis\": [0, 0.02, 1]}]}";
    const trm_options options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2);
    trm_error err = {.status = TRM_OK};
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_sim *sim = (void *)garbage;
    trm_status status = trm_scene_parse(json, strlen(json), &scene, &err);
    status = status == TRM_OK ? trm_model_build(scene, &model, &err) : status;
    status = status == TRM_OK ? trm_sim_create(model, &options, &sim, &err) : status;
    assert_int_equal(status, requests < fail_at ? TRM_ERR_INCONSISTENT : TRM_ERR_MEMORY);
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return requests < fail_at;
}

static int texts(void)
{
    const trm_text all[] = {TRM_TEXT_SCHEMA, TRM_TEXT_FORMAT, TRM_TEXT_ELEMENTS};
    trm_error err = {.status = TRM_OK};
    int ok = 1;

    for (size_t k = 0; k < 3; k++) {
        char *text = garbage;
        const trm_status status = trm_text_create(all[k], &text, &err);
        ok &= check_outcome(status, text, &err);
        trm_text_destroy(text);
    }
    return ok;
}

/// Fail request 1, 2, 3, ... until there is none left to fail.
static void check_every_failure(int (*everything_once)(void))
{
    for (int kind = 0; kind < 2; kind++) {
        forever = kind;
        for (fail_at = 1;; fail_at++) {
            const long blocks = alive;
            requests = 0;
            const int ok = everything_once();
            const long made = requests;
            if (alive != blocks) {
                fail_msg("request %ld: %ld blocks kept", fail_at, alive - blocks);
            }
            if (made < fail_at) {
                assert_true(ok);
                break;
            }
            assert_false(ok);
            assert_true(fail_at < 20000);
        }
    }
    fail_at = 0;
}

static int stop_failing(void **state)
{
    (void)state;
    fail_at = 0;
    return 0;
}

CLAIM_BETWEEN(every_failure_from_text, NULL, stop_failing)
{
    check_every_failure(from_text);
}

CLAIM_BETWEEN(every_failure_from_a_spatial_file, NULL, stop_failing)
{
    check_every_failure(from_bricard);
}

CLAIM_BETWEEN(every_failure_from_a_planar_file, NULL, stop_failing)
{
    check_every_failure(from_double_four_bar);
}

CLAIM_BETWEEN(every_failure_from_equations, NULL, stop_failing)
{
    check_every_failure(from_equations);
}

CLAIM_BETWEEN(every_failure_of_a_lock, NULL, stop_failing)
{
    check_every_failure(of_a_lock);
}

CLAIM_BETWEEN(every_failure_of_the_texts, NULL, stop_failing)
{
    check_every_failure(texts);
}

CLAIM(destroying_nothing_is_fine)
{
    trm_scene_destroy(NULL);
    trm_model_destroy(NULL);
    trm_sim_destroy(NULL);
    trm_check_destroy(NULL);
    trm_text_destroy(NULL);
}

/// Iterates by the billion: more than there is memory for, or more than the options allow.
CLAIM(absurd_sizes_are_refused)
{
    const int counts[] = {2147483647, 2147483646, 1000000000};
    rig r = rig_equations(&sine_arm);
    trm_error err = {.status = TRM_OK};

    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        trm_options options = trm_default_options(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_SRM);
        options.srm.iterations = counts[k];
        const trm_status status = trm_sim_create(r.model, &options, &r.sim, &err);
        assert_true(status == TRM_ERR_MEMORY || status == TRM_ERR_OPTIONS);
        assert_null(r.sim);
    }
    rig_close(&r);
}

/// Matrices with more entries than an int counts.
CLAIM(models_too_large_to_number_are_refused)
{
    const int sizes[][3] = {
        {50000, 50000, 1}, {2147483647, 2147483647, 1}, {2, 2, 50000}, {30000, 30000, 80000}};
    trm_error err = {.status = TRM_OK};

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        trm_model *model = (void *)garbage;
        trm_equations eq = sine_arm;
        eq.nq = sizes[k][0];
        eq.nv = sizes[k][1];
        eq.nc = sizes[k][2];
        eq.q0 = NULL;
        eq.N = eq.G;
        assert_int_equal(trm_model_from_equations(&eq, &model, &err), TRM_ERR_OPTIONS);
        assert_null(model);
    }
    const int rows[] = {2147483647, 200000000, 50000};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        trm_scene *scene = NULL;
        trm_model *model = (void *)garbage;
        const trm_constraint_def def = {.name = "many", .rows = rows[k], .g = user_g, .G = user_G};
        rig_ok(trm_scene_parse(everything, sizeof everything - 1, &scene, &err), &err);
        rig_ok(trm_scene_add_constraint(scene, &def, &err), &err);
        assert_int_equal(trm_model_build(scene, &model, &err), TRM_ERR_SCENE);
        assert_null(model);
        assert_non_null(strstr(err.message, "\"many\""));
        trm_scene_destroy(scene);
    }
}

/// 46341^2 is the first square beyond an int; an allocation of the rest, which would be small, must
/// not pass for the whole.
CLAIM(a_matrix_too_large_to_count_does_not_open)
{
    trm_arena arena = {.base = NULL};
    assert_null(trm_arena_matrix(&arena, 46341, 46341));
    trm_arena_doubles(&arena, 8);
    const long before = requests;
    assert_int_equal(trm_arena_open(&arena), 0);
    assert_int_equal(requests, before);
    trm_arena_close(&arena);
    trm_arena_take(&arena, 1, (size_t)1 << 50); // more than any machine has
    assert_int_equal(trm_arena_open(&arena), 0);
    assert_int_equal(requests, before);
    trm_arena_close(&arena);
    trm_arena_matrix(&arena, 3, 5);
    assert_int_equal(trm_arena_open(&arena), 1);
    assert_int_equal(arena.size, 128 + TRM_ARENA_ZONE); // 15 doubles, on lines of 64 bytes
    trm_arena_close(&arena);
}
