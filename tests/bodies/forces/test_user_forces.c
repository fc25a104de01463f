/// Forces by functions of the user; a function that fails or gives no number is named.
#include "tests/simulation/run/user_parts.h"

// ------------------------------------------------------------------------------------- user forces

/// Drag -c u at the pin, and a push that depends on t.
static int drag(const trm_model *model, double t, const double *q, const double *v, double *f,
                void *user)
{
    double x[3], u[3];
    const double c = *(const double *)user;
    trm_model_point(model, 0, pin, q, v, x, u);
    const double F[3] = {-c * u[0] + sin(2.0 * t), -c * u[1], 0.0};
    trm_model_push(model, 0, pin, F, q, f);
    return 0;
}

CLAIM(a_force_by_function_is_the_force_of_the_scene)
{
    const char scene[] =
        PENDULUM(", \"forces\": [{\"name\": \"drag\", \"type\": \"force\", \"marker\": \"pin\", "
                 "\"value\": [\"-0.8*pin.vx + sin(2*t)\", \"-0.8*pin.vy\"]}]");
    double c = 0.8;
    rod d = {.length = 1.2};
    const trm_constraint_def rows = {
        .name = "rod", .rows = 1, .g = rod_g, .G = rod_G, .gamma = rod_gamma, .user = &d};
    const trm_force_def force = {.name = "drag", .force = drag, .user = &c};
    rig a = open_with(free_bob, &rows, &force), b = open_with(scene, &rows, NULL);

    check_bob(&a, &b, 3.0, 1e-8);
    assert_true(trm_sim_energy(a.sim).work < -0.1);
    near("work", trm_sim_energy(a.sim).work, trm_sim_energy(b.sim).work, 1e-7);
    rig_close(&a);
    rig_close(&b);
}

static int half_a_map(const trm_model *model, double t, const double *q, double *N, void *user)
{
    (void)model, (void)q, (void)user;
    N[0] = N[3] = 1.0;
    N[1] = N[2] = 0.0;
    return t > 0.5;
}

/// N fails: the run stops there and says whose equations they are.
CLAIM(a_map_that_fails_stops_the_run)
{
    trm_equations eq = parabola_arm;
    trm_error err = {.status = TRM_OK};
    eq.N = half_a_map;
    rig r = rig_equations(&eq);

    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 0.01));
    assert_int_equal(trm_sim_run(r.sim, 1.0, NULL, NULL, &err), TRM_ERR_CALLBACK);
    near("t", trm_sim_state(r.sim).t, 0.5, 1e-12);
    assert_non_null(strstr(err.where, parabola_arm.name));
    rig_close(&r);
}

/// Functions that give NAN from t = 0.5 on, or from the start; `user` says which.
static double nan_after(double t, const void *user)
{
    return t >= *(const double *)user ? NAN : 0.0;
}

static int nan_force(const trm_model *model, double t, const double *q, const double *v, double *f,
                     void *user)
{
    (void)model, (void)q, (void)v;
    f[0] += nan_after(t, user);
    return 0;
}

static int nan_g(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)model;
    out[0] = q[0] + nan_after(t, user);
    return 0;
}

static int plain_g(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)model, (void)t, (void)user;
    out[0] = q[0];
    return 0;
}

static int slope_x(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    out[0] = 1.0;
    out[1] = 0.0;
    return 0;
}

static int nan_gamma(const trm_model *model, double t, const double *q, const double *v,
                     double *out, void *user)
{
    (void)model, (void)q, (void)v;
    out[0] = nan_after(t, user);
    return 0;
}

static int no_gamma(const trm_model *model, double t, const double *q, const double *v, double *out,
                    void *user)
{
    (void)model, (void)t, (void)q, (void)v, (void)user;
    out[0] = 0.0;
    return 0;
}

/// No method goes on with a value that is not a number, nor a method that chooses its first step by
/// it.
CLAIM(values_that_are_no_numbers_are_blamed_on_their_function)
{
    static const char json[] = "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,"
                               "\"shape\":{\"type\":\"point\"},\"velocity\":[0,1]}]}";
    const double from[] = {0, 0.5};
    for (int i = 0; i < 6; i++) {
        void *const user = (void *)&from[i % 2];
        trm_scene *scene = NULL;
        trm_model *model = NULL;
        trm_sim *sim = NULL;
        trm_error err = {.status = TRM_OK};
        const trm_force_def force = {.name = "bad", .force = nan_force, .user = user};
        const trm_constraint_def rows = {
            "bad", 1, i < 4 ? nan_g : plain_g, slope_x, NULL, i < 4 ? no_gamma : nan_gamma, user};
        assert_int_equal(trm_scene_parse(json, sizeof json - 1, &scene, &err), TRM_OK);
        assert_int_equal(i < 2 ? trm_scene_add_force(scene, &force, &err)
                               : trm_scene_add_constraint(scene, &rows, &err),
                         TRM_OK);
        assert_int_equal(trm_model_build(scene, &model, &err), TRM_OK);
        const trm_options options =
            trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2);
        trm_status status = trm_sim_create(model, &options, &sim, &err);
        assert_true((status == TRM_OK) == (from[i % 2] > 0));
        status = status == TRM_OK ? trm_sim_run(sim, 1, NULL, NULL, &err) : status;
        assert_int_equal(status, TRM_ERR_CALLBACK);
        assert_string_equal(err.where, "'bad'");
        trm_sim_destroy(sim);
        trm_model_destroy(model);
        trm_scene_destroy(scene);
    }
}
