/// What a query cannot answer is refused with a sentence: points, motions, forces, linearizations,
/// equilibria, and forces of the user that fail.
#include "tests/query_rig.h"
#include "validation/papers/problems/problems_arm.h"

// -------------------------------------------------------------------------------------- bad input

/// NULL, wrong sizes and numbers that are not finite: a status and a sentence each.
static void all_refused(const trm_status *got, size_t n, const trm_error *e)
{
    for (size_t k = 0; k < n; k++) {
        if (got[k] != TRM_ERR_OPTIONS) {
            fail_msg("question %zu: %s", k, trm_status_name(got[k]));
        }
    }
    assert_true(strlen(e->message) > 20);
}

static const double zero[9] = {0}, no_number[9] = {[4] = NAN}, many[18] = {[7] = NAN};

CLAIM(bad_points_get_a_sentence)
{
    bench b = parse(FOUR_BAR);
    rig r = rig_equations(&parabola_arm);
    double out[81];
    const double local[3] = {0}, bad_local[3] = {0, INFINITY, 0};
    const trm_jacobian jacobian = {.linear = out};
    const trm_jacobian biased = {.linear_bias = out};
    trm_error e = {0};
    const trm_model *const m = b.r.model;
    const double *const q = b.q, *const v = b.v;
    const trm_status got[] = {
        trm_model_jacobian(NULL, 0, local, q, v, &jacobian, &e),
        trm_model_jacobian(m, 0, NULL, q, v, &jacobian, &e),
        trm_model_jacobian(m, 0, local, NULL, v, &jacobian, &e),
        trm_model_jacobian(m, 0, local, q, NULL, &biased, &e),
        trm_model_jacobian(m, 0, local, q, v, NULL, &e),
        trm_model_jacobian(m, 3, local, q, v, &jacobian, &e),
        trm_model_jacobian(m, 0, bad_local, q, v, &jacobian, &e),
        trm_model_jacobian(m, 0, local, no_number, v, &jacobian, &e),
        trm_model_jacobian(m, 0, local, q, no_number, &jacobian, &e),
        trm_model_jacobian(r.model, 0, local, q, v, &jacobian, &e),
    };
    all_refused(got, sizeof got / sizeof *got, &e);
    rig_close(&r);
    close_bench(&b);
}

CLAIM(bad_motions_get_a_sentence)
{
    bench b = parse(FOUR_BAR);
    trm_query *query = NULL;
    double out[81], closed[9] = {0};
    trm_error e = {0};
    const trm_model *const m = b.r.model;
    trm_query *const Q = b.query;
    const double *const q = b.q;
    const trm_status got[] = {
        trm_query_create(NULL, &query, &e),
        trm_query_create(m, NULL, &e),
        trm_query_close(NULL, 0, out, out, &e),
        trm_query_close(Q, 0, NULL, out, &e),
        trm_query_close(Q, 0, out, NULL, &e),
        trm_query_close(Q, INFINITY, closed, closed, &e),
        trm_query_motions(NULL, 0, q, NULL, NULL, NULL, &e),
        trm_query_motions(Q, 0, no_number, NULL, NULL, NULL, &e),
        trm_query_set_input(NULL, 0, 0, &e),
        trm_query_set_input(Q, 0, 0, &e),
    };
    all_refused(got, sizeof got / sizeof *got, &e);
    assert_int_equal(trm_query_freedoms(NULL, 0, q, &e), -1);
    assert_int_equal(trm_query_freedoms(Q, NAN, q, &e), -1);
    assert_null(query);
    trm_query_destroy(NULL);
    close_bench(&b);
}

CLAIM(bad_forces_get_a_sentence)
{
    bench b = parse(FOUR_BAR);
    trm_drive_forces forces = {.tau = NULL};
    double out[81];
    const double no_weight[1] = {0};
    const trm_drive_task task = {.a = zero}, no_a = {.nu = 0}, no_B = {.a = zero, .nu = 1},
                         bad_a = {.a = no_number}, minus = {.a = zero, .nu = -1},
                         bad_B = {.a = zero, .B = many, .nu = 2},
                         weightless = {.a = zero, .B = zero, .nu = 1, .weight = no_weight};
    const int far = 9, below = -1, first = 0;
    const trm_joint_space none = {.n = 1}, minus_one = {.scene = b.r.scene, .n = -1},
                          beyond = {.scene = b.r.scene, .n = 1, .joints = &far},
                          before = {.scene = b.r.scene, .n = 1, .joints = &below},
                          homeless = {.n = 1, .joints = &first};
    trm_error e = {0};
    trm_query *const Q = b.query;
    const double *const q = b.q, *const v = b.v;
    const trm_status got[] = {
        trm_query_joint_space(NULL, 0, q, v, &minus_one, &e),
        trm_query_joint_space(Q, 0, q, NULL, &beyond, &e),
        trm_query_joint_space(Q, 0, q, v, NULL, &e),
        trm_query_joint_space(Q, 0, q, v, &none, &e),
        trm_query_joint_space(Q, 0, q, v, &homeless, &e),
        trm_query_joint_space(Q, 0, q, v, &minus_one, &e),
        trm_query_joint_space(Q, 0, q, v, &beyond, &e),
        trm_query_joint_space(Q, 0, q, v, &before, &e),
        trm_query_motor_forces(NULL, 0, q, v, out, NULL, &e),
        trm_query_motor_forces(Q, 0, q, NULL, out, NULL, &e),
        trm_query_motor_forces(Q, 0, q, v, NULL, NULL, &e),
        trm_query_motor_forces(Q, 0, q, no_number, out, NULL, &e),
        trm_query_joint_direction(Q, -1, q, out, &e),
        trm_query_joint_direction(Q, 4, q, out, &e),
        trm_query_joint_direction(Q, 0, NULL, out, &e),
        trm_query_joint_direction(Q, 0, q, NULL, &e),
        trm_query_inverse_dynamics(NULL, 0, q, v, &task, &forces, &e),
        trm_query_inverse_dynamics(Q, 0, NULL, v, &task, &forces, &e),
        trm_query_inverse_dynamics(Q, 0, q, NULL, &task, &forces, &e),
        trm_query_inverse_dynamics(Q, 0, q, v, NULL, &forces, &e),
        trm_query_inverse_dynamics(Q, 0, q, v, &task, NULL, &e),
        trm_query_inverse_dynamics(Q, 0, q, v, &no_a, &forces, &e),
        trm_query_inverse_dynamics(Q, 0, q, v, &no_B, &forces, &e),
        trm_query_inverse_dynamics(Q, 0, q, v, &bad_a, &forces, &e),
        trm_query_inverse_dynamics(Q, 0, q, v, &bad_B, &forces, &e),
        trm_query_inverse_dynamics(Q, 0, q, v, &minus, &forces, &e),
        trm_query_inverse_dynamics(Q, 0, q, v, &weightless, &forces, &e),
        trm_query_inverse_dynamics(Q, NAN, q, v, &task, &forces, &e),
    };
    all_refused(got, sizeof got / sizeof *got, &e);
    close_bench(&b);
}

CLAIM(bad_linearizations_get_a_sentence)
{
    bench b = parse(FOUR_BAR);
    trm_linear *linear = NULL;
    double out[81];
    const int bad_input = 0;
    const trm_output far_body = {.body = 3}, twice = {.derivative = 3};
    const trm_output bent = {.axis = {NAN, 0, 0}};
    const trm_linear_task no_forces = {.nforce = 1}, less = {.nforce = -1, .forces = zero},
                          bad_forces = {.nforce = 2, .forces = many}, no_inputs = {.ninput = 1},
                          no_such = {.ninput = 1, .inputs = &bad_input},
                          no_outputs = {.noutput = 1},
                          negative = {.noutput = -1, .outputs = &twice},
                          out_of_range = {.noutput = 1, .outputs = &far_body},
                          third = {.noutput = 1, .outputs = &twice},
                          bent_axis = {.noutput = 1, .outputs = &bent};
    trm_error e = {0};
    trm_query *const Q = b.query;
    const double *const q = b.q, *const v = b.v;
    const trm_status got[] = {
        trm_query_linearize(NULL, 0, q, v, NULL, &linear, &e),
        trm_query_linearize(Q, 0, NULL, v, NULL, &linear, &e),
        trm_query_linearize(Q, 0, q, NULL, NULL, &linear, &e),
        trm_query_linearize(Q, 0, q, v, NULL, NULL, &e),
        trm_query_linearize(Q, NAN, q, v, NULL, &linear, &e),
        trm_query_linearize(Q, 0, no_number, v, NULL, &linear, &e),
        trm_query_linearize(Q, 0, q, no_number, NULL, &linear, &e),
        trm_query_linearize(Q, 0, q, v, &no_forces, &linear, &e),
        trm_query_linearize(Q, 0, q, v, &less, &linear, &e),
        trm_query_linearize(Q, 0, q, v, &bad_forces, &linear, &e),
        trm_query_linearize(Q, 0, q, v, &no_inputs, &linear, &e),
        trm_query_linearize(Q, 0, q, v, &no_such, &linear, &e),
        trm_query_linearize(Q, 0, q, v, &no_outputs, &linear, &e),
        trm_query_linearize(Q, 0, q, v, &negative, &linear, &e),
        trm_query_linearize(Q, 0, q, v, &out_of_range, &linear, &e),
        trm_query_linearize(Q, 0, q, v, &third, &linear, &e),
        trm_query_linearize(Q, 0, q, v, &bent_axis, &linear, &e),
        trm_linear_deviation(NULL, q, v, out, &e),
    };
    all_refused(got, sizeof got / sizeof *got, &e);
    assert_null(linear);
    rig_ok(trm_query_linearize(Q, 0, q, v, NULL, &linear, &e), &e);
    assert_int_equal(trm_linear_deviation(linear, NULL, v, out, &e), TRM_ERR_OPTIONS);
    assert_int_equal(trm_linear_deviation(linear, q, NULL, out, &e), TRM_ERR_OPTIONS);
    assert_int_equal(trm_linear_deviation(linear, q, v, NULL, &e), TRM_ERR_OPTIONS);
    trm_linear_destroy(linear);
    // without a place for the error, and nothing to destroy
    assert_int_equal(trm_query_linearize(NULL, 0, q, v, NULL, &linear, NULL), TRM_ERR_OPTIONS);
    trm_linear_destroy(NULL);
    close_bench(&b);
}

CLAIM(bad_equilibria_get_a_sentence)
{
    bench b = parse(FOUR_BAR);
    trm_equilibrium found;
    double out[9] = {0}, start[9] = {0}, bad_start[9] = {[4] = NAN};
    trm_equilibrium_options never = trm_default_equilibrium_options(), old = {.iterations = 10};
    trm_equilibrium_options exact = never, when = never;
    never.iterations = 0, exact.tolerance = 0, when.t = NAN;
    trm_error e = {0};
    trm_query *const Q = b.query;
    const trm_status got[] = {
        trm_query_equilibrium(NULL, NULL, out, NULL, &found, &e),
        trm_query_equilibrium(Q, NULL, NULL, NULL, &found, &e),
        trm_query_equilibrium(Q, NULL, start, NULL, NULL, &e),
        trm_query_equilibrium(Q, NULL, bad_start, NULL, &found, &e),
        trm_query_equilibrium(Q, &never, start, NULL, &found, &e),
        trm_query_equilibrium(Q, &old, start, NULL, &found, &e),
        trm_query_equilibrium(Q, &exact, start, NULL, &found, &e),
        trm_query_equilibrium(Q, &when, start, NULL, &found, &e),
    };
    all_refused(got, sizeof got / sizeof *got, &e);
    close_bench(&b);
}

static int failing_force(const trm_model *model, double t, const double *q, const double *v,
                         double *f, void *user)
{
    (void)model, (void)t, (void)q, (void)v;
    f[0] += 0;
    return *(int *)user;
}

/// Functions of the user that fail, and values that are no numbers.
CLAIM(a_failing_force_is_named)
{
    trm_error err = {.status = TRM_OK};
    trm_linear *linear = NULL;
    trm_equilibrium found;
    int code = 0;
    rig r = {NULL, NULL, NULL};
    const trm_force_def def = {.name = "wind", .force = failing_force, .user = &code};
    rig_ok(trm_scene_parse(FOUR_BAR, strlen(FOUR_BAR), &r.scene, &err), &err);
    rig_ok(trm_scene_add_force(r.scene, &def, &err), &err);
    rig_ok(trm_model_build(r.scene, &r.model, &err), &err);
    bench b = open_bench(r);
    double a[9] = {0};
    const trm_drive_task task = {.a = a};
    trm_drive_forces forces = {.tau = NULL};
    for (code = -1; code <= 1; code += 2) {
        const trm_status got[] = {
            trm_query_linearize(b.query, 0, b.q, b.v, NULL, &linear, &err),
            trm_query_inverse_dynamics(b.query, 0, b.q, b.v, &task, &forces, &err),
            trm_query_motor_forces(b.query, 0, b.q, b.v, a, NULL, &err),
            trm_query_equilibrium(b.query, NULL, b.q, NULL, &found, &err)};
        for (int k = 0; k < 4; k++) {
            assert_int_equal(got[k], TRM_ERR_CALLBACK);
        }
        assert_non_null(strstr(err.message, "'wind'"));
        assert_null(linear);
    }
    code = 0;
    rig_ok(trm_query_linearize(b.query, 0, b.q, b.v, NULL, &linear, &err), &err);
    trm_linear_destroy(linear);
    close_bench(&b);
}

/// q' = (v_1, 0): v_2 does not follow from q'.
static int idle_column(const trm_model *model, double t, const double *q, double *N, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    N[0] = 1;
    N[1] = N[2] = N[3] = 0;
    return 0;
}

/// q' = (v_1 + v_2) (0.1, 0.7): the columns are the same, and rounding leaves a pivot of 6e-17.
static int equal_columns(const trm_model *model, double t, const double *q, double *N, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    N[0] = N[1] = 0.1;
    N[2] = N[3] = 0.7;
    return 0;
}

static int no_push(const trm_model *model, double t, const double *q, const double *v, double *f,
                   void *user)
{
    (void)model, (void)t, (void)q, (void)v, (void)user;
    f[0] = f[1] = 0;
    return 0;
}

CLAIM(equations_have_no_bodies_and_need_a_rank)
{
    trm_error e = {0};
    trm_linear *linear = NULL;
    const trm_output first = {.body = 0};
    const trm_linear_task task = {.noutput = 1, .outputs = &first};
    bench arm = open_bench(rig_equations(&parabola_arm));
    assert_int_equal(trm_query_linearize(arm.query, 0, arm.q, arm.v, &task, &linear, &e),
                     TRM_ERR_OPTIONS);
    assert_non_null(strstr(e.message, "no bodies to observe"));
    close_bench(&arm);
    int (*const N[])(const trm_model *, double, const double *, double *, void *) = {idle_column,
                                                                                     equal_columns};
    for (int k = 0; k < 2; k++) {
        const trm_equations twice = {
            .name = "twice", .nq = 2, .nv = 2, .M = rig_unit_M, .N = N[k], .f = no_push};
        bench b = open_bench(rig_equations(&twice));
        const trm_status status = trm_query_linearize(b.query, 0, b.q, b.v, NULL, &linear, &e);
        assert_int_equal(status, TRM_ERR_SINGULAR);
        assert_non_null(strstr(e.message, "does not determine v"));
        assert_null(linear);
        close_bench(&b);
    }
}

static int corner_g(const trm_model *model, double t, const double *q, double *g, void *user)
{
    (void)model, (void)t, (void)user;
    g[0] = q[0] * q[1];
    return 0;
}

static int corner_G(const trm_model *model, double t, const double *q, double *G, void *user)
{
    (void)model, (void)t, (void)user;
    G[0] = q[1];
    G[1] = q[0];
    return 0;
}

/// (x y)'' = 2 x' y' and what G v' is.
static int corner_gamma(const trm_model *model, double t, const double *q, const double *v,
                        double *gamma, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    gamma[0] = -2 * v[0] * v[1];
    return 0;
}

/// x y = 0 at its corner: two lines meet there, and no row of G is left.
CLAIM(a_corner_of_equations_is_singular)
{
    trm_error e = {0};
    trm_linear *linear = NULL;
    const trm_equations corner = {.name = "corner",
                                  .nq = 2,
                                  .nv = 2,
                                  .nc = 1,
                                  .M = rig_unit_M,
                                  .f = no_push,
                                  .g = corner_g,
                                  .G = corner_G,
                                  .gamma = corner_gamma};
    bench b = open_bench(rig_equations(&corner));
    assert_int_equal(trm_query_linearize(b.query, 0, b.q, b.v, NULL, &linear, &e),
                     TRM_ERR_SINGULAR);
    assert_non_null(strstr(e.message, "row 0 of G depends on others here and not nearby"));
    assert_null(linear);
    close_bench(&b);
}

/// sqrt(-1 - t) is no number: the force is named. An input that is none is refused.
CLAIM(what_is_no_number_is_named)
{
    trm_error e = {0};
    double F[6];
    bench b =
        parse(PLANE "\"parameters\": {\"u\": {\"value\": 0, \"input\": true}}, \"bodies\": [" ROD(
            "a", 0, 0, 2, 0) "], \"forces\": [{\"name\": \"root\", \"type\": "
                             "\"torque\", \"body\": \"a\", \"value\": \"sqrt(u - 1 - t)\"}]}");
    assert_int_equal(trm_query_force(b.query, 0, 0, b.q, b.v, F, &e), TRM_ERR_CALLBACK);
    assert_non_null(strstr(e.message, "no finite number"));
    assert_string_equal(e.where, "root");
    assert_int_equal(trm_query_set_input(b.query, 0, NAN, &e), TRM_ERR_OPTIONS);
    assert_non_null(strstr(e.message, "must be finite"));
    rig_ok(trm_query_set_input(b.query, 0, 5, &e), &e);
    rig_ok(trm_query_force(b.query, 0, 0, b.q, b.v, F, &e), &e);
    near("root", F[5], 2, 1e-15);
    close_bench(&b);
}
