/// Constraints by functions of the user, against the joints that they repeat.
#include "tests/simulation/run/user_parts.h"

static int rod_g_t(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)model, (void)q;
    const rod *d = user;
    out[0] = -rod_length(d, t) * 3.0 * d->swing * cos(3.0 * t);
    return 0;
}

CLAIM(a_rod_by_functions_is_the_rod_joint)
{
    const char joint[] =
        PENDULUM(", \"joints\": [{\"name\": \"rod\", \"type\": \"rod\", \"bodies\": [\"ground\", "
                 "\"bob\"], \"on\": {\"ground\": [0, 0], \"bob\": [0.1, 0.3]}, \"length\": 1.2}]");
    const double L = 1.2;

    for (int with_gamma = 0; with_gamma < 2; with_gamma++) {
        rod d = {.length = L};
        const trm_constraint_def def = {.name = "rod by functions",
                                        .rows = 1,
                                        .g = rod_g,
                                        .G = rod_G,
                                        .gamma = with_gamma ? rod_gamma : NULL,
                                        .user = &d};
        rig a = open_with(free_bob, &def, NULL), b = open_with(joint, NULL, NULL);
        check_bob(&a, &b, 3.0, 1e-8);
        assert_int_equal(d.asked > 0, with_gamma);
        // g here is L times the joint's: lambda is its L-th part
        near("lambda", trm_sim_state(a.sim).lambda[0] * L, trm_sim_state(b.sim).lambda[0], 1e-5);
        assert_string_equal(trm_model_row_info(a.model, 0).name, "rod by functions");
        assert_string_equal(trm_model_row_info(a.model, 0).where, "");
        rig_close(&a);
        rig_close(&b);
    }
}

/// The rod of changing length, against the same row as an expression: g_t, and work done by the
/// drive.
CLAIM(rows_that_move_carry_g_t)
{
    const char expression[] = PENDULUM(", \"constraints\": [{\"name\": \"rod\", \"expression\": "
                                       "\"(pin.x^2 + pin.y^2 - (1.2 + 0.2*sin(3*t))^2)/2\"}]");

    for (int with_gamma = 0; with_gamma < 2; with_gamma++) {
        rod d = {.length = 1.2, .swing = 0.2};
        const trm_constraint_def def = {.name = "winch",
                                        .rows = 1,
                                        .g = rod_g,
                                        .G = rod_G,
                                        .g_t = rod_g_t,
                                        .gamma = with_gamma ? rod_gamma : NULL,
                                        .user = &d};
        rig a = open_with(free_bob, &def, NULL), b = open_with(expression, NULL, NULL);
        check_bob(&a, &b, 3.0, 1e-8);
        assert_true(fabs(trm_sim_energy(a.sim).work) > 0.1);
        near("work", trm_sim_energy(a.sim).work, trm_sim_energy(b.sim).work, 1e-6);
        below("drift", trm_sim_report(a.sim).velocity_drift, 1e-9);
        rig_close(&a);
        rig_close(&b);
    }
}

/// Several rows at once over planar and spatial bodies: a pin by functions is a revolute joint's
/// point.
static int hook_g(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)t, (void)user;
    const double l[3] = {-0.5, 0.1, 0.2};
    trm_model_point(model, 0, l, q, NULL, out, NULL);
    return 0;
}

static int hook_G(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)t, (void)user;
    const double l[3] = {-0.5, 0.1, 0.2};
    const int nv = trm_model_sizes(model).nv;
    memset(out, 0, 3 * (size_t)nv * sizeof *out);
    for (int i = 0; i < 3; i++) {
        const double F[3] = {i == 0, i == 1, i == 2};
        trm_model_push(model, 0, l, F, q, out + i * nv);
    }
    return 0;
}

CLAIM(a_ball_joint_by_functions_is_the_spherical_joint)
{
    const char body[] = "{\"dimension\": 3, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": "
                        "\"bob\", \"mass\": 2, \"inertia\": [0.1, 0.2, 0.25], \"position\": "
                        "[0.5, -0.1, -0.2], \"rate\": [1, 5, -2]}]";
    char bare[600], jointed[800];
    const trm_constraint_def def = {.name = "hook", .rows = 3, .g = hook_g, .G = hook_G};
    trm_options options =
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-11, 1e-11);

    snprintf(bare, sizeof bare, "%s}", body);
    snprintf(jointed, sizeof jointed,
             "%s, \"joints\": [{\"name\": \"j\", \"type\": \"spherical\", \"bodies\": [\"ground\", "
             "\"bob\"], \"at\": [0, 0, 0]}]}",
             body);
    rig a = open_with(bare, &def, NULL), b = open_with(jointed, NULL, NULL);
    options.assemble = 1;
    rig_start(&a, options);
    rig_start(&b, options);
    rig_run(&a, 2.0);
    rig_run(&b, 2.0);
    for (int i = 0; i < 7; i++) {
        near("q", rig_q(&a, "bob", i), rig_q(&b, "bob", i), 1e-8);
    }
    for (int i = 0; i < 3; i++) {
        near("lambda", trm_sim_state(a.sim).lambda[i], trm_sim_state(b.sim).lambda[i], 1e-5);
    }
    rig_close(&a);
    rig_close(&b);
}

CLAIM(definitions_that_lack_something_are_refused)
{
    const trm_constraint_def good = {.name = "r", .rows = 1, .g = rod_g, .G = rod_G};
    trm_constraint_def bad[5] = {good, good, good, good, good};
    trm_force_def no_force = {.name = "f"}, no_name = {0};
    trm_scene *scene = NULL;
    trm_error err = {.status = TRM_OK};

    bad[0].name = NULL;
    bad[1].name = "";
    bad[2].rows = 0;
    bad[3].g = NULL;
    bad[4].G = NULL;
    rig_ok(trm_scene_parse(free_bob, sizeof free_bob - 1, &scene, &err), &err);
    for (int k = 0; k < 5; k++) {
        assert_int_equal(trm_scene_add_constraint(scene, &bad[k], &err), TRM_ERR_SCENE);
        assert_true(strlen(err.message) > 0);
    }
    assert_int_equal(trm_scene_add_force(scene, &no_force, &err), TRM_ERR_SCENE);
    assert_int_equal(trm_scene_add_force(scene, &no_name, &err), TRM_ERR_SCENE);
    rig_ok(trm_scene_add_constraint(scene, &good, &err), &err);
    assert_int_equal(trm_scene_add_constraint(scene, &good, &err), TRM_ERR_SCENE); // twice
    assert_non_null(strstr(err.message, "\"r\""));
    trm_scene_destroy(scene);
}

/// G = 0 all along: the rows contradict each other, and no function of the user is to blame.
static int nothing(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    out[0] = out[1] = 0.0;
    return 0;
}

static int zero_g(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    out[0] = 0.0;
    return 0;
}

CLAIM(rows_that_vanish_for_good_are_singular)
{
    trm_equations eq = parabola_arm;
    trm_error err = {.status = TRM_OK};
    eq.g = zero_g;
    eq.G = nothing;
    rig r = rig_equations(&eq);
    const trm_options options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN);

    assert_int_equal(trm_sim_create(r.model, &options, &r.sim, &err), TRM_ERR_SINGULAR);
    rig_close(&r);
}

static const double *hanging(void)
{
    static double q0[6];
    // phi1 = 3 pi/2, phi2 = -phi1: the crank hangs and the last row of G, 2 cos phi, is roundoff
    const double phi = 3.0 * pi / 2.0;
    q0[0] = cos(phi);
    q0[1] = sin(phi);
    q0[2] = phi;
    q0[3] = 3.0 * cos(phi);
    q0[4] = sin(phi);
    q0[5] = -phi;
    return q0;
}

/// A run may start where a row of G vanishes: 1.8e-16 must not be divided by its square.
CLAIM(a_run_may_start_where_a_row_vanishes)
{
    // at rate w there: the crank rises to 7 pi/4 in a quarter of a period, 16/3 w^2 = 19.62 (1 -
    // 1/sqrt 2)
    const double w = sqrt(3.0 * 19.62 * (1.0 - sqrt(0.5)) / 16.0), quarter = 4.296576241 / 4.0;
    const double v0[6] = {w, 0, w, 3.0 * w, 0, -w};
    trm_equations eq = swinging_crank;
    eq.q0 = hanging();
    eq.v0 = v0;
    rig r = rig_equations(&eq);
    const trm_stabilization stabilizations[] = {TRM_STABILIZATION_S_BOTH2,
                                                TRM_STABILIZATION_PROJECTION};

    for (int k = 0; k < 2; k++) {
        rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, stabilizations[k], 1e-3));
        near("phi'' at the start", trm_sim_state(r.sim).a[2], 0.0, 1e-5);
        rig_run(&r, quarter);
        near("phi", trm_sim_state(r.sim).q[2], 7.0 * pi / 4.0, 1e-5);
        near("phi'", trm_sim_state(r.sim).v[2], 0.0, 1e-4);
    }
    rig_close(&r);
}
