// Variables of formulas: values against positions, jets and gradients against differences.

#include <stdlib.h>

#include "bodies/forces/force.h"
#include "bodies/formulas/variable.h"
#include "tests/near.h"
#include "tests/random_bodies.h"

enum { VARIABLES = 11, JOINTS = 2 };

/// x0, x1, ... of a formula are the quantities in the order of their array.
static int resolve(const char *name, size_t length, trm_symbol *out, void *user)
{
    (void)user;
    if (length != 2 || name[0] != 'x' || name[1] < 'a' || name[1] >= 'a' + VARIABLES) {
        return 0;
    }
    *out = (trm_symbol){.index = name[1] - 'a'};
    return 1;
}

/// A formula over all quantities, with exactly as much workspace as it asks for.
typedef struct formula {
    trm_quantity x[VARIABLES];
    trm_joint_axis joints[JOINTS];
    trm_expression *code;
    trm_function function;
    double *scratch;
} formula;

/// A hinge and a slider between bodies 0 and 2 in any position: their coordinates are defined there
/// too.
static void make_joints(world *w, trm_joint_axis joints[JOINTS])
{
    static const double x[3] = {1, 0, 0}, z[3] = {0, 0, 1};
    const int spatial = w->bodies.dimension == 3;
    for (int j = 0; j < JOINTS; j++) {
        trm_joint_axis *e = &joints[j];
        *e = (trm_joint_axis){.freedom = j ? TRM_FREEDOM_DISTANCE : TRM_FREEDOM_ANGLE,
                              .turn = -1,
                              .b = 2,
                              .zero = 0.2};
        random_vector(&w->seed, e->point[0], w->bodies.dimension);
        random_vector(&w->seed, e->point[1], w->bodies.dimension);
        memcpy(e->axis, spatial ? z : x, sizeof x);
        memcpy(e->sa, x, sizeof x);
        e->pa[1] = 1;
        e->sb[0] = 0.6;
        e->sb[1] = -0.8;
    }
}

static void make_quantities(world *w, trm_quantity x[VARIABLES], trm_joint_axis joints[JOINTS])
{
    static const trm_quantity planar[VARIABLES] = {
        {TRM_VARIABLE_TIME, 0, 0, 0, {0}, NULL, NULL, NULL},
        {TRM_VARIABLE_POSITION, 0, 0, 0, {0}, NULL, NULL, NULL},
        {TRM_VARIABLE_POSITION, 0, 1, 0, {0}, NULL, NULL, NULL},
        {TRM_VARIABLE_POSITION, 2, 1, 0, {0}, NULL, NULL, NULL},
        {TRM_VARIABLE_ANGLE, 0, 0, 0, {0}, NULL, NULL, NULL},
        {TRM_VARIABLE_ANGLE, 2, 0, 0, {0}, NULL, NULL, NULL},
        {TRM_VARIABLE_POSITION, 1, 0, 0, {0}, NULL, NULL, NULL},
        {TRM_VARIABLE_POSITION, GROUND, 1, 0, {0}, NULL, NULL, NULL},
        {TRM_VARIABLE_POSITION, 2, 0, 0, {0}, NULL, NULL, NULL},
        {TRM_VARIABLE_JOINT, GROUND, 0, 0, {0}, NULL, NULL, NULL},
        {TRM_VARIABLE_JOINT, GROUND, 0, 0, {0}, NULL, NULL, NULL},
    };
    static const trm_quantity spatial[VARIABLES] = {
        {TRM_VARIABLE_TIME, 0, 0, 0, {0}, NULL, NULL, NULL},
        {TRM_VARIABLE_POSITION, 0, 0, 0, {0}, NULL, NULL, NULL},
        {TRM_VARIABLE_POSITION, 0, 1, 0, {0}, NULL, NULL, NULL},
        {TRM_VARIABLE_POSITION, 2, 2, 0, {0}, NULL, NULL, NULL},
        {TRM_VARIABLE_ROTATION, 0, 2, 1, {0}, NULL, NULL, NULL},
        {TRM_VARIABLE_ROTATION, 2, 0, 2, {0}, NULL, NULL, NULL},
        {TRM_VARIABLE_POSITION, 1, 1, 0, {0}, NULL, NULL, NULL},
        {TRM_VARIABLE_POSITION, GROUND, 2, 0, {0}, NULL, NULL, NULL},
        {TRM_VARIABLE_ROTATION, 0, 1, 0, {0}, NULL, NULL, NULL},
        {TRM_VARIABLE_JOINT, GROUND, 0, 0, {0}, NULL, NULL, NULL},
        {TRM_VARIABLE_JOINT, GROUND, 0, 0, {0}, NULL, NULL, NULL},
    };
    memcpy(x, w->bodies.dimension == 2 ? planar : spatial, sizeof planar);
    for (int i = 0; i < VARIABLES; i++) {
        random_vector(&w->seed, x[i].local, w->bodies.dimension);
    }
    make_joints(w, joints);
    for (int j = 0; j < JOINTS; j++) {
        x[VARIABLES - JOINTS + j].joint = &joints[j];
    }
}

static void make_formula(world *w, const char *text, formula *f)
{
    trm_expression_error error;
    make_quantities(w, f->x, f->joints);
    assert_int_equal(trm_expression_compile(NULL, text, resolve, NULL, &f->code, &error), TRM_OK);
    f->function = (trm_function){.code = f->code, .n = VARIABLES, .x = f->x};
    const int scratch = trm_function_scratch(&f->function);
    f->scratch = malloc((size_t)scratch * sizeof *f->scratch);
    assert_non_null(f->scratch);
    w->pose.scratch = f->scratch;
}

static void free_formula(formula *f)
{
    free(f->scratch);
    trm_expression_destroy(f->code);
}

typedef void check_fn(world *w, const formula *f);

/// Every variable by itself, then all of them in one formula.
static void for_every_variable(check_fn *check)
{
    static const char *const texts[] = {
        "xa", "xb", "xc",
        "xd", "xe", "xf",
        "xg", "xh", "xi",
        "xj", "xk", "sin(xb)*xc + xd*xe^2 - exp(xf)*cos(2*xa) + xg*xh + xa*xb*xi + xj*xk*xb + xj^2",
    };
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            for (uint64_t seed = 1; seed <= 5; seed++) {
                world w;
                formula f;
                make_world(&w, dimension, seed);
                make_formula(&w, texts[i], &f);
                check(&w, &f);
                free_formula(&f);
            }
        }
    }
}

static void check_jet(world *w, const formula *f)
{
    const double h = 1e-3;
    double e[5], jet[3];
    for (int j = 0; j < 5; j++) {
        place_after(w, five[j] * h);
        e[j] = trm_function_value(&f->function, &w->pose, NULL);
    }
    place(w);
    trm_function_jet(&f->function, &w->pose, w->V, jet);
    assert_close(jet[0], e[2], 1e-15);
    assert_close(jet[1], first_difference(e, h), 1e-10);
    assert_close(jet[2], second_difference(e, h), 1e-8);
}

CLAIM(a_jet_holds_two_derivatives_along_the_motion)
{
    for_every_variable(check_jet);
}

static void check_gradient(world *w, const formula *f)
{
    static const int bodies[BODIES] = {2, 0, 1};
    const double h = 1e-3;
    const int width = w->bodies.width;
    double G[6 * BODIES], e[5], g_t;
    for (int k = 0; k < 6 * BODIES; k++) {
        G[k] = 10.0;
    }
    const trm_gradient_place at = {bodies, BODIES, w->bodies.width, G};
    const double value = trm_function_gradient(&f->function, &w->pose, &at, &g_t);
    assert_close(value, trm_function_value(&f->function, &w->pose, NULL), 1e-15);
    for (int body = 0; body < BODIES; body++) {
        const double *block = &G[width * (body == 2 ? 0 : body + 1)];
        const int n = w->point[body] ? w->bodies.dimension : width;
        for (int k = 0; k < n; k++) {
            for (int j = 0; j < 5; j++) {
                place_moved(w, w->v0[body] + k, five[j] * h);
                e[j] = trm_function_value(&f->function, &w->pose, NULL);
            }
            assert_close(block[k] - 10.0, first_difference(e, h), 1e-10);
        }
    }
    place(w);
    for (int j = 0; j < 5; j++) {
        w->pose.t = w->t + five[j] * h;
        e[j] = trm_function_value(&f->function, &w->pose, NULL);
    }
    assert_close(g_t, first_difference(e, h), 1e-10);
}

CLAIM(a_gradient_is_the_derivative_by_every_velocity_and_t)
{
    for_every_variable(check_gradient);
}

static double value_of(world *w, trm_quantity quantity, const double *V)
{
    trm_expression_error error;
    trm_expression *code = NULL;
    assert_int_equal(trm_expression_compile(NULL, "xa", resolve, NULL, &code, &error), TRM_OK);
    const trm_function function = {.code = code, .n = 1, .x = &quantity};
    const double value = trm_function_value(&function, &w->pose, V);
    trm_expression_destroy(code);
    return value;
}

static void check_velocity(world *w, int body, int axis)
{
    const double h = 1e-3;
    double x[5];
    trm_quantity quantity = {TRM_VARIABLE_POSITION, body, axis, 0,
                             {0.3, -0.7, 0.0},      NULL, NULL, NULL};
    quantity.local[2] = w->bodies.dimension == 3 ? 0.4 : 0.0;
    for (int j = 0; j < 5; j++) {
        place_after(w, five[j] * h);
        x[j] = value_of(w, quantity, NULL);
    }
    place(w);
    quantity.kind = TRM_VARIABLE_VELOCITY;
    assert_close(value_of(w, quantity, w->V), first_difference(x, h), 1e-11);
}

CLAIM(a_velocity_is_the_derivative_of_the_position)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (int body = 0; body <= GROUND; body++) {
            for (int axis = 0; axis < dimension; axis++) {
                world w;
                make_world(&w, dimension, 7);
                check_velocity(&w, body, axis);
            }
        }
    }
}

CLAIM(a_rate_is_the_velocity_slot_of_the_rotation)
{
    world w;
    make_world(&w, 2, 1);
    assert_true(value_of(&w, (trm_quantity){.kind = TRM_VARIABLE_RATE, .body = 2}, w.V) ==
                w.v[w.v0[2] + 2]);
    make_world(&w, 3, 1);
    for (int axis = 0; axis < 3; axis++) {
        const trm_quantity rate = {.kind = TRM_VARIABLE_RATE, .body = 2, .axis = axis};
        assert_true(value_of(&w, rate, w.V) == w.v[w.v0[2] + 3 + axis]);
    }
}

/// e = 2 u + 3 r - s + t^2 + x with u, x of a point of body 2, r and s the rates of body 0 and of
/// the ground: b is 2 du/dv and 3 dr/dv, c is t^2 + x; e' and e without accelerations.
static void check_speeds(int dimension)
{
    world w;
    formula f;
    make_world(&w, dimension, 3);
    make_formula(&w, "2*xa + 3*xb - xd + xc^2 + xe", &f);
    f.x[4] = f.x[3]; // a position of body 2
    f.x[0] = f.x[4];
    f.x[0].kind = TRM_VARIABLE_VELOCITY;
    f.x[1] = (trm_quantity){.kind = TRM_VARIABLE_RATE, .body = 0, .axis = 1};
    f.x[2] = (trm_quantity){.kind = TRM_VARIABLE_TIME};
    f.x[3] = (trm_quantity){.kind = TRM_VARIABLE_RATE, .body = GROUND};
    static const int bodies[2] = {2, 0};
    const int width = w.bodies.width;
    double G[12] = {0}, power = 0, jet[3], e[2];
    const trm_gradient_place at = {bodies, 2, width, G};
    const double c = trm_function_speed_gradient(&f.function, &w.pose, &at);
    const double x = value_of(&w, f.x[4], NULL);
    assert_near(c, w.t * w.t + x, 1e-14);
    for (int k = 0; k < width; k++) {
        power += G[k] * w.V[2 * width + k] + G[width + k] * w.V[k];
        assert_true(G[width + k] == (k == (dimension == 2 ? 2 : 4) ? 3 : 0));
    }
    for (int k = 0; k < 2; k++) {
        const double h = 1e-6;
        place_after(&w, k ? h : -h);
        e[k] = trm_function_value(&f.function, &w.pose, w.V);
    }
    place(&w);
    const double value = trm_function_value(&f.function, &w.pose, w.V);
    assert_near(power, value - c, 1e-13);
    trm_function_jet(&f.function, &w.pose, w.V, jet);
    assert_near(jet[0], value, 1e-14);
    assert_near(jet[1], (e[1] - e[0]) / 2e-6, 1e-8);
    assert_true(trm_function_reads(&f.function, TRM_VARIABLE_RATE) == 1);
    assert_true(trm_function_reads(&f.function, TRM_VARIABLE_TIME) == 1);
    assert_true(trm_function_reads(&f.function, TRM_VARIABLE_INPUT) == 0);
    free_formula(&f);
}

CLAIM(a_function_of_speeds_is_linear_in_them)
{
    check_speeds(2);
    check_speeds(3);
}

/// x1^2 of the second of two inputs: with x1', g_t = 2 x1 x1'.
CLAIM(inputs_move_with_the_time)
{
    world w;
    formula f;
    double input[6] = {NAN, NAN, NAN, 3, 0.5, 7}, g_t, jet[3];
    make_world(&w, 2, 1);
    make_formula(&w, "xa^2", &f);
    f.x[0] = (trm_quantity){.kind = TRM_VARIABLE_INPUT, .axis = 1};
    w.pose.input = input;
    const trm_gradient_place at = {NULL, 0, 3, NULL};
    assert_near(trm_function_gradient(&f.function, &w.pose, &at, &g_t), 9, 0);
    assert_near(g_t, 3, 1e-15);
    f.function.n = 1;
    trm_function_jet(&f.function, &w.pose, w.V, jet);
    assert_near(jet[1], 3, 1e-15);
    assert_near(jet[2], 2 * 0.25 + 2 * 3 * 7, 1e-14);
    free_formula(&f);
}

CLAIM(a_function_of_time_has_two_derivatives)
{
    trm_expression_error error;
    trm_expression *code = NULL;
    double scratch[100], c[3];
    assert_int_equal(trm_expression_compile(NULL, "sin(3*xa) + xa^2", resolve, NULL, &code, &error),
                     TRM_OK);
    const trm_quantity t = {.kind = TRM_VARIABLE_TIME};
    const trm_function function = {.code = code, .n = 1, .x = &t};
    assert_true(trm_function_scratch(&function) <= 100);
    const trm_pose pose = {.t = 0.7, .scratch = scratch};
    trm_function_of_time(&function, &pose, c);
    assert_near(c[0], sin(2.1) + 0.49, 1e-15);
    assert_near(c[1], 3.0 * cos(2.1) + 1.4, 1e-14);
    assert_near(c[2], -9.0 * sin(2.1) + 2.0, 1e-14);
    trm_expression_destroy(code);
}

CLAIM(a_formula_that_was_not_given_is_zero)
{
    world w;
    double jet[3] = {1.0, 1.0, 1.0}, G[6] = {0.0}, g_t = 1.0;
    const int body = 0;
    const trm_function nothing = {0};
    make_world(&w, 3, 1);
    assert_int_equal(trm_function_scratch(&nothing), 0);
    assert_true(trm_function_value(&nothing, &w.pose, w.V) == 0.0);
    trm_function_jet(&nothing, &w.pose, w.V, jet);
    assert_true(jet[0] == 0.0 && jet[1] == 0.0 && jet[2] == 0.0);
    const trm_gradient_place at = {&body, 1, w.bodies.width, G};
    assert_true(trm_function_gradient(&nothing, &w.pose, &at, &g_t) == 0.0);
    assert_true(g_t == 0.0 && dot(G, G) == 0.0);
    assert_true(trm_function_speed_gradient(&nothing, &w.pose, &at) == 0.0);
    assert_true(dot(G, G) == 0.0);
    set3(jet, 1.0, 1.0, 1.0);
    trm_function_of_time(&nothing, &w.pose, jet);
    assert_true(jet[0] == 0.0 && jet[1] == 0.0 && jet[2] == 0.0);
}

// ------------------------------------------------------------------------- points and directions

static void check_virtual_work(world *w, int body)
{
    double f[3] = {0.0}, local[3] = {0.0}, u[3], F[SLOTS] = {0.0}, power = 0.0;
    random_vector(&w->seed, f, w->bodies.dimension);
    random_vector(&w->seed, local, w->bodies.dimension);
    trm_push(&w->pose, body, local, f, F);
    trm_point(&w->pose, body, local, w->V, NULL, u);
    for (int k = 0; k < SLOTS; k++) {
        power += F[k] * w->V[k];
    }
    assert_close(power, dot(f, u), 1e-14);
}

CLAIM(a_force_at_a_point_works_along_the_velocity_of_the_point)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (int body = 0; body <= GROUND; body++) {
            world w;
            make_world(&w, dimension, (uint64_t)body + 1);
            check_virtual_work(&w, body);
        }
    }
}

CLAIM(directions_go_to_the_world_and_back)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        world w;
        double local[3] = {0.3, -0.2, 0.9}, world_axes[3], back[3], tip[3], base[3];
        static const double origin[3] = {0.0, 0.0, 0.0};
        make_world(&w, dimension, 4);
        local[2] = dimension == 2 ? 0.0 : local[2];
        trm_to_body(&w.pose, 2, trm_to_world(&w.pose, 2, local, world_axes), back);
        trm_point(&w.pose, 2, local, NULL, tip, NULL);
        trm_point(&w.pose, 2, origin, NULL, base, NULL);
        for (int k = 0; k < 3; k++) {
            assert_near(back[k], local[k], 1e-15);
            assert_near(world_axes[k], tip[k] - base[k], 1e-15);
        }
    }
}
