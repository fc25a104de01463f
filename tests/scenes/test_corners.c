/// Lines that the other tests do not reach: refusals that few scenes meet, and functions that few
/// programs call. validation/coverage lists the lines still unreached.
#include "program/settings.h"
#include "tests/rig.h"
#include "trammel/trammel_batch.h"
#include "trammel/trammel_contact.h"
#include "trammel/trammel_dae.h"

// ------------------------------------------------------------------------------------- scenes

typedef struct refusal {
    const char *json, *says;
} refusal;

#define BAR "'bodies':[{'name':'a','mass':1,'ends':[[0,0],[1,0]]}]"
#define PIN "'joints':[{'name':'j','type':'revolute','bodies':['ground','a'],'at':[0,0]}]"
#define FLAT "'dimension':2,"

static const refusal refusals[] = {
    {"<robot/>", "there is no link"},
    {"{'dimension':false," BAR "}", "got false"},
    {"{" FLAT BAR "," PIN ",'constraints':[{'name':'c','type':'gear','joints':['j','j']}]}", ""},
    {"{" FLAT BAR "," PIN ",'constraints':[{'name':'c','type':'coupling','joints':['j'],"
     "'polynomial':[0,1]}]}",
     "joint"},
    {"{" FLAT BAR "," PIN ",'constraints':[{'name':'c','type':'belt','joints':['j','j'],"
     "'radii':[1]}]}",
     ""},
    {"{" FLAT BAR "," PIN ",'stops':[{'name':'s','gap':'t'}]}", "depends on no moving body"},
    {"{" FLAT BAR "," PIN ",'forces':[{'name':'f','type':'tendon','markers':['a.end'],"
     "'stiffness':1}]}",
     ""},
    {"{" FLAT "'definitions':{'d':'t'},'bodies':[{'name':'a','mass':'d','ends':[[0,0],[1,0]]}]}",
     "d"},
    {"{" FLAT "'bodies':[{'name':'b{i}','repeat':{'i':[1]},'mass':1,'ends':[[0,0],[1,0]]}]}", ""},
    {"{" FLAT BAR ",'joints':[{'name':'j','type':'revolute','bodies':['ground','a'],'at':[0,0],"
     "'limits':[1]}]}",
     "expected [lo, hi], got 1 entries"},
};

CLAIM(scenes_are_refused_with_their_reason)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        char json[1000];
        trm_error err = {0};
        trm_scene *scene = NULL;
        trm_model *model = NULL;
        const size_t n = strlen(refusals[i].json);
        for (size_t k = 0; k <= n; k++) {
            json[k] = (char)(refusals[i].json[k] == '\'' ? '"' : refusals[i].json[k]);
        }
        trm_status status = trm_scene_parse(json, n, &scene, &err);
        status = status == TRM_OK ? trm_model_build(scene, &model, &err) : status;
        trm_model_destroy(model);
        trm_scene_destroy(scene);
        if (status == TRM_OK || !err.message[0] || !strstr(err.message, refusals[i].says)) {
            fail_msg("%s: status %d, \"%s\"", json, (int)status, err.message);
        }
    }
}

CLAIM(a_text_beyond_the_bound_is_not_read)
{
    trm_error err = {0};
    trm_scene *scene = NULL;
    assert_int_equal(trm_scene_parse("{}", (size_t)1 << 40, &scene, &err), TRM_ERR_IO);
    assert_non_null(strstr(err.message, "larger than"));
    assert_null(scene);
}

// ------------------------------------------------------------------------------------ constants

CLAIM(constants_are_values_or_refused)
{
    static const char *const wrong[] = {"",
                                        "x",
                                        "1/0",
                                        "log(-1)",
                                        "1 +",
                                        "(1",
                                        "70 deg",
                                        "1 && 2",
                                        "!1",
                                        "a = 1",
                                        "10 mm",
                                        "1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1 deg",
                                        "1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1 = 3"};
    trm_error err;
    double value = 0;
    assert_int_equal(trm_constant("180*deg", &value, &err), TRM_OK);
    near("180*deg", value, 3.14159265358979323846, 1e-15);
    assert_int_equal(trm_constant("2^3/4", &value, &err), TRM_OK);
    near("2^3/4", value, 2, 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        err = (trm_error){0};
        if (trm_constant(wrong[i], &value, &err) != TRM_ERR_SYNTAX || !err.message[0]) {
            fail_msg("\"%s\" is taken for a number, or nothing is said", wrong[i]);
        }
    }
    assert_int_equal(trm_constant(NULL, &value, &err), TRM_ERR_OPTIONS);
}

/// n times `open`, a 1, n times `close`.
static void deep(const char *open, const char *close, int n, char *out)
{
    *out = '\0';
    for (int i = 0; i < n; i++) {
        out += strlen(strcpy(out, open));
    }
    out += strlen(strcpy(out, "1"));
    for (int i = 0; i < n; i++) {
        out += strlen(strcpy(out, close));
    }
}

CLAIM(nesting_has_a_bound)
{
    static const char *const brackets[][2] = {{"(", ")"},     {"not ", ""},     {"sin(", ")"},
                                              {"2^", ""},     {"if(1,", ",0)"}, {"1+(", ")"},
                                              {"max(1,", ")"}};
    static char text[16000];
    for (size_t i = 0; i < sizeof brackets / sizeof *brackets; i++) {
        double value;
        trm_error err = {0};
        deep(brackets[i][0], brackets[i][1], 1500, text);
        assert_int_equal(trm_constant(text, &value, &err), TRM_ERR_SYNTAX);
        if (!strstr(err.message, "nested deeper than")) {
            fail_msg("%s: %s", brackets[i][0], err.message);
        }
    }
}

// -------------------------------------------------------------------------------- small functions

CLAIM(names_are_there)
{
    assert_true(strlen(trm_version()) >= 5);
    for (int s = -5; s < 50; s++) {
        assert_non_null(trm_status_name((trm_status)s));
    }
}

CLAIM(contacts_are_counted)
{
    rig r = rig_parse("{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"a\","
                      "\"mass\":1,\"ends\":[[0,0],[1,0]]}],\"joints\":[{\"name\":\"j\","
                      "\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],"
                      "\"limits\":[-1,1]}]}");
    assert_int_equal(trm_model_sizes(r.model).ncontact, 1);
    const trm_contact_info info = trm_model_contact_info(r.model, 0);
    assert_string_equal(info.name, "j");
    near("lo", info.lo, -1, 0);
    near("hi", info.hi, 1, 0);
    assert_null(trm_model_contact_info(r.model, 1).name);
    assert_null(trm_model_contact_info(r.model, -1).name);
    assert_null(trm_model_contact_info(NULL, 0).name);
    assert_int_equal(trm_model_sizes(NULL).ncontact, 0);
    rig_close(&r);
}

// ----------------------------------------------------------------------------- x' = f - B y, 0 = g

static int rest(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    out[0] = 0;
    return 0;
}

static int one(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    out[0] = 1;
    return 0;
}

static int gap(double t, const double *x, double *out, void *user)
{
    (void)user;
    out[0] = x[0] - sin(t);
    return 0;
}

static int gap_rate(double t, const double *x, double *out, void *user)
{
    (void)x, (void)user;
    out[0] = -cos(t);
    return 0;
}

static int near_y(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    out[0] = -1; // y = -cos t, right with its derivative at t = 0
    return 0;
}

static int no_number(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    out[0] = NAN;
    return 0;
}

/// x = sin t, y = -cos t. y_0(t) as a function has no layer, and a value that is not a number is
/// told.
CLAIM(a_start_may_be_a_function)
{
    const trm_dae_problem problem = {.name = "line",
                                     .nx = 1,
                                     .ny = 1,
                                     .f = rest,
                                     .B = one,
                                     .g = gap,
                                     .G = one,
                                     .g_t = gap_rate,
                                     .linear = 1};
    const double x0 = 0;
    trm_error err = {0};
    static const trm_dae_integrator by[] = {TRM_DAE_INTEGRATOR_HEUN,
                                            TRM_DAE_INTEGRATOR_BACKWARD_EULER};
    for (int k = 0; k < 4; k++) {
        trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
        trm_dae_sim *sim = NULL;
        options.integrator = by[k % 2];
        options.h = 1e-4;
        options.epsilon = 1e-2;
        options.iterations = 1;
        options.start = TRM_DAE_START_FUNCTION;
        options.y0_of_t = k < 2 ? near_y : no_number;
        trm_status status = trm_dae_sim_create(&problem, &options, 0, &x0, &sim, &err);
        status = status == TRM_OK ? trm_dae_sim_run(sim, 0.01, &err) : status;
        if (k < 2) {
            assert_int_equal(status, TRM_OK);
            // y_1 - y_0 = (1/epsilon) g, which follows y - y_0 = 1 - cos t <= t^2/2 = 5e-5
            near("y", trm_dae_sim_state(sim, 1).y[0], -cos(0.01), 2e-4);
        } else {
            assert_int_equal(status, TRM_ERR_CALLBACK);
            assert_non_null(strstr(err.where, "y0_of_t"));
        }
        trm_dae_sim_destroy(sim);
    }
}

static int two(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    out[0] = 2;
    return 0;
}

static int double_x(double t, const double *x, double *out, void *user)
{
    (void)t, (void)user;
    out[0] = 2 * x[0] - 6;
    return 0;
}

static int none(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    out[0] = 0;
    return 0;
}

/// x = 1 - y, 0 = 2 x - 6: x = 3, y = -2.
CLAIM(without_x_dot_it_iterates_and_refuses)
{
    trm_error err = {0};
    trm_dae_problem problem = {
        .name = "still", .nx = 1, .ny = 1, .f = one, .B = one, .g = double_x, .G = two};
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    trm_dae_static *still = NULL;
    options.E = TRM_SRM_MATRIX_IDENTITY;
    options.epsilon = 1e-3;
    assert_int_equal(trm_dae_static_create(&problem, &options, 0, &still, &err), TRM_OK);
    for (int s = 0; s < 6; s++) { // each gains epsilon/(epsilon + 2)
        assert_int_equal(trm_dae_static_iterate(still, &err), TRM_OK);
    }
    near("x", trm_dae_static_state(still).x[0], 3, 1e-14);
    near("y", trm_dae_static_state(still).y[0], -2, 1e-14);
    assert_int_equal(trm_dae_static_renew(still, NAN, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_dae_static_renew(NULL, 0, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_dae_static_iterate(NULL, &err), TRM_ERR_OPTIONS);
    assert_null(trm_dae_static_state(NULL).x);
    trm_dae_static_destroy(still);
    assert_int_equal(trm_dae_static_create(&problem, &options, NAN, &still, &err), TRM_ERR_OPTIONS);
    assert_null(still);
    options.E = TRM_SRM_MATRIX_GB_TRANSPOSED;
    assert_int_equal(trm_dae_static_create(&problem, &options, 0, &still, &err), TRM_ERR_OPTIONS);
    problem.B = none; // GB = 0, and E = (GB)^-1
    options.E = TRM_SRM_MATRIX_GB_INVERSE;
    assert_int_equal(trm_dae_static_create(&problem, &options, 0, &still, &err), TRM_ERR_SINGULAR);
    assert_null(still);
}

/// With E = I the penalty form needs no GB: one matrix is factored in an evaluation, and a GB that
/// is singular does not stop it.
CLAIM(a_penalty_with_E_of_one_forms_no_GB)
{
    const trm_dae_problem problem = {.name = "line",
                                     .nx = 1,
                                     .ny = 1,
                                     .f = rest,
                                     .B = one,
                                     .g = gap,
                                     .G = one,
                                     .g_t = gap_rate,
                                     .linear = 1};
    const double x0 = 0;
    trm_error err = {0};
    for (int E = TRM_SRM_MATRIX_IDENTITY; E <= TRM_SRM_MATRIX_GB_TRANSPOSED; E++) {
        trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_PENALTY);
        trm_dae_sim *sim = NULL;
        options.E = (trm_srm_matrix)E;
        options.h = 1e-3;
        assert_int_equal(trm_dae_sim_create(&problem, &options, 0, &x0, &sim, &err), TRM_OK);
        const trm_dae_stats start = trm_dae_sim_stats(sim);
        assert_int_equal(trm_dae_sim_run(sim, 0.1, &err), TRM_OK);
        const trm_dae_stats end = trm_dae_sim_stats(sim);
        assert_int_equal(end.factorizations - start.factorizations, end.f_evals - start.f_evals);
        near("x", trm_dae_sim_state(sim, 0).x[0], sin(0.1), 1e-6);
        trm_dae_sim_destroy(sim);
    }
}

// ----------------------------------------------------------------------------------------- batches

/// IDA keeps its history elsewhere, so that a reset is a start again.
CLAIM(a_batch_of_ida_starts_again)
{
    rig r = rig_load("pendulum", NULL);
    trm_error err = {0};
    trm_batch *batch = NULL;
    const trm_options options = trm_default_options(TRM_INTEGRATOR_IDA, TRM_STABILIZATION_GGL);
    trm_status status = trm_batch_create(r.model, &options, 2, 1, &batch, &err);
    if (status == TRM_OK) {
        assert_int_equal(trm_batch_reset(batch, 1, 0, NULL, NULL, &err), TRM_OK);
        assert_int_equal(trm_batch_reset(batch, 2, 0, NULL, NULL, &err), TRM_ERR_OPTIONS);
    }
    trm_batch_destroy(batch);
    rig_close(&r);
}
