// Every kind of force: potential against force, power balance, action and reaction, known cases.

#include <stdio.h>

#include "bodies/forces/force.h"
#include "constraints/joint.h"
#include "tests/near.h"
#include "tests/random_bodies.h"

// --------------------------------------------------------------------------------- a small scene

enum { MARKERS = 4, FORMULAS = 3, ELEMENT_BYTES = 1000 };

/// Markers 0, 1, 2 on the bodies of that number and 3 on the ground, one joint, one force.
typedef struct site {
    world w;
    trm_scene scene;
    trm_scene_marker markers[MARKERS];
    trm_scene_body bodies[BODIES];
    trm_scene_joint joint;
    trm_scene_force def;
    double joint_local[4][3], joint_side[2][3], joint_angle;
    trm_quantity x[3];
    trm_expression *code[FORMULAS];
    trm_function value[FORMULAS];
    const trm_force_kind *kind;
    _Alignas(64) char elements[ELEMENT_BYTES];
} site;

static const trm_force_kind *find_kind(const char *name)
{
    for (int k = 0; trm_force_kinds[k]; k++) {
        if (strcmp(trm_force_kinds[k]->name, name) == 0) {
            return trm_force_kinds[k];
        }
    }
    fail_msg("no force %s", name);
    return NULL;
}

static const trm_joint_kind *find_joint(const char *name)
{
    for (int k = 0; trm_joint_kinds[k]; k++) {
        if (strcmp(trm_joint_kinds[k]->name, name) == 0) {
            return trm_joint_kinds[k];
        }
    }
    fail_msg("no joint %s", name);
    return NULL;
}

/// x0 is t, x1 a coordinate of marker 0, x2 a velocity of marker 2.
static int resolve(const char *name, size_t length, trm_symbol *out, void *user)
{
    (void)user;
    if (length != 2 || name[0] != 'x' || name[1] < '0' || name[1] > '2') {
        return 0;
    }
    *out = (trm_symbol){.index = name[1] - '0'};
    return 1;
}

static void set_formula(site *s, int k, const char *text)
{
    trm_expression_error error;
    trm_expression_destroy(s->code[k]);
    assert_int_equal(trm_expression_compile(text, resolve, NULL, &s->code[k], &error), TRM_OK);
    s->value[k] = (trm_function){.code = s->code[k], .n = 3, .x = s->x};
}

static void make_site(site *s, int dimension, uint64_t seed, const char *kind)
{
    *s = (site){.kind = find_kind(kind)};
    make_world(&s->w, dimension, seed);
    for (int i = 0; i < MARKERS; i++) {
        s->markers[i].body = i == GROUND ? TRM_GROUND : i;
        if (i != 1) {
            random_vector(&s->w.seed, s->markers[i].local, dimension);
        }
    }
    s->scene = (trm_scene){.dimension = dimension,
                           .nbodies = BODIES,
                           .nmarkers = MARKERS,
                           .njoints = 1,
                           .nforces = 1,
                           .bodies = s->bodies,
                           .markers = s->markers,
                           .joints = &s->joint,
                           .forces = &s->def};
    s->def = (trm_scene_force){.kind = s->kind,
                               .body = {TRM_NONE, TRM_NONE},
                               .marker = {TRM_NONE, TRM_NONE},
                               .joint = TRM_NONE,
                               .stiffness = 3.0,
                               .damping = 0.7,
                               .rest = 0.4,
                               .preload = 0.6,
                               .mu = 2.5,
                               .stiffnesses = {3.0, 2.0, 1.0},
                               .dampings = {0.3, 0.1, 0.5},
                               .turning_stiffnesses = {0.5, 1.5, 2.5},
                               .turning_dampings = {0.2, 0.4, 0.1}};
    for (int i = 0; i < BODIES; i++) {
        double *q = s->bodies[i].quaternion;
        random_vector(&s->w.seed, q, 3);
        q[3] = 1.0;
        const double length = sqrt(dot(q, q) + 1.0);
        for (int k = 0; k < 4; k++) {
            q[k] /= length;
        }
        s->bodies[i].angle = q[0];
    }
    s->x[0] = (trm_quantity){.kind = TRM_VARIABLE_TIME};
    s->x[1] = (trm_quantity){.kind = TRM_VARIABLE_POSITION, .body = 0, .axis = 1};
    s->x[2] = (trm_quantity){.kind = TRM_VARIABLE_VELOCITY, .body = 2};
}

static void free_site(site *s)
{
    for (int k = 0; k < FORMULAS; k++) {
        trm_expression_destroy(s->code[k]);
    }
}

/// A joint that need not be closed: random points, an axis and a side in either body.
static void make_joint(site *s, const char *kind, int a, int b)
{
    const int dimension = s->w.bodies.dimension;
    s->joint = (trm_scene_joint){.kind = find_joint(kind), .body = {a, b}};
    s->def.joint = 0;
    for (int i = 0; i < 2; i++) {
        double other[3];
        random_vector(&s->w.seed, s->joint_local[i], dimension);
        random_direction(&s->w.seed, s->joint_local[2 + i], dimension);
        if (dimension == 3) {
            random_direction(&s->w.seed, other, 3);
            cross(s->joint_local[2 + i], other, s->joint_side[i]);
            scale(1.0 / sqrt(dot(s->joint_side[i], s->joint_side[i])), s->joint_side[i],
                  s->joint_side[i]);
        }
    }
    s->joint_angle = dimension == 2 ? 0.3 : 0.0;
}

/// Element i of the array from the definition as it stands.
static void compile(site *s, int i)
{
    const trm_force_site given = {.scene = &s->scene,
                                  .ground = GROUND,
                                  .value = s->value,
                                  .joint_local = (const double(*)[3])s->joint_local,
                                  .joint_side = (const double(*)[3])s->joint_side,
                                  .joint_angle = s->joint_angle,
                                  .mass = s->w.mass};
    assert_true(((size_t)i + 1) * s->kind->size <= ELEMENT_BYTES);
    s->kind->compile(&s->def, &given, s->elements + (size_t)i * s->kind->size);
}

static void apply(site *s, int n, const double *V, double *F)
{
    memset(F, 0, SLOTS * sizeof *F);
    assert_int_equal(s->kind->apply(s->elements, n, &s->w.pose, V, F), 0);
}

// ------------------------------------------------------------------------------ all combinations

typedef void check_fn(site *s, int n);

enum { CASES = 22 };

/// Two different elements of one kind; returns how many, 0 where there is no such case.
static int make_case(site *s, int which, int dimension, uint64_t seed)
{
    static const char *const kinds[CASES] = {"gravity",
                                             "spring_damper",
                                             "spring_damper",
                                             "spring_damper",
                                             "joint_spring_damper",
                                             "joint_spring_damper",
                                             "joint_spring_damper",
                                             "joint_spring_damper",
                                             "joint_spring_damper",
                                             "force",
                                             "force",
                                             "force",
                                             "torque",
                                             "torque",
                                             "torque",
                                             "servo",
                                             "servo",
                                             "joint_force",
                                             "joint_force",
                                             "bushing",
                                             "bushing",
                                             "point_gravity"};
    static const int ends[3][2] = {{0, 2}, {TRM_GROUND, 0}, {2, TRM_GROUND}};
    static const int markers[3][2] = {{0, 2}, {GROUND, 0}, {1, 2}};
    make_site(s, dimension, seed, kinds[which]);
    set3(s->scene.gravity, 0.3, -9.81, dimension == 3 ? 1.7 : 0.0);
    set_formula(s, 0, "1 + 2*sin(x1) - x2");
    set_formula(s, 1, "x0 + 0.5*x2");
    if (dimension == 3) {
        set_formula(s, 2, "x1*x2 - 0.7");
    }
    if (which == 0) {
        compile(s, 0);
        return 1;
    }
    for (int i = 0; i < 2; i++) {
        if (which <= 3) {
            memcpy(s->def.marker, markers[(which - 1 + i) % 3], sizeof s->def.marker);
        } else if (which == 19 || which == 20) {
            memcpy(s->def.marker, markers[(which + i) % 2], sizeof s->def.marker);
            s->bodies[0].angle += 0.1;
        } else if (which == 21) {
            s->def.marker[0] = i == 0 ? GROUND : 2;
        } else if (which <= 8 || which >= 15) {
            make_joint(s, which % 2 ? "revolute" : "prismatic", ends[(which + i) % 3][0],
                       ends[(which + i) % 3][1]);
        } else if (which <= 11) {
            s->def.axes = which % 2;
            s->def.marker[0] = which == 11 ? GROUND : 2;
            s->def.marker[1] = which == 9 && i == 0 ? TRM_NONE : 0;
        } else {
            s->def.axes = which % 2;
            s->def.body[0] = which == 14 ? TRM_GROUND : 2;
            s->def.body[1] = which == 12 && i == 0 ? TRM_NONE : (i ? 0 : TRM_GROUND);
        }
        s->def.stiffness += 1.0;
        s->def.rest += 0.1;
        compile(s, i);
    }
    return 2;
}

static void for_every_force(check_fn *check)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (int which = 0; which < CASES; which++) {
            for (uint64_t seed = 1; seed <= 10; seed++) {
                site s;
                check(&s, make_case(&s, which, dimension, seed));
                free_site(&s);
            }
        }
    }
}

/// Spatial angles jump by a turn: derivatives by differences make no sense there.
static int jumps(const double f[5])
{
    double span = 0.0;
    for (int j = 1; j < 5; j++) {
        span = fmax(span, fabs(f[j] - f[0]));
    }
    return span > 1.0;
}

static void check_potential(site *s, int n)
{
    const double h = 3e-4, at_rest[SLOTS] = {0.0};
    double F[SLOTS], e[5];
    if (!s->kind->potential) {
        return;
    }
    apply(s, n, at_rest, F);
    for (int body = 0; body < BODIES; body++) {
        const int components = s->w.point[body] ? s->w.bodies.dimension : s->w.bodies.width;
        for (int k = 0; k < components; k++) {
            for (int j = 0; j < 5; j++) {
                place_moved(&s->w, s->w.v0[body] + k, five[j] * h);
                e[j] = s->kind->potential(s->elements, n, &s->w.pose);
            }
            if (!jumps(e)) {
                assert_close(F[s->w.bodies.width * body + k], -first_difference(e, h), 1e-8);
            }
        }
    }
}

static void a_force_is_minus_the_gradient_of_its_potential(void **state)
{
    (void)state;
    for_every_force(check_potential);
}

static void check_power(site *s, int n)
{
    const double h = 3e-4;
    double F[SLOTS], e[5] = {0.0}, work = 0.0;
    for (int j = 0; s->kind->potential && j < 5; j++) {
        place_after(&s->w, five[j] * h);
        e[j] = s->kind->potential(s->elements, n, &s->w.pose);
    }
    place(&s->w);
    apply(s, n, s->w.V, F);
    for (int k = 0; k < s->w.bodies.width * (BODIES + 1); k++) {
        work += F[k] * s->w.V[k];
    }
    const double power = s->kind->power ? s->kind->power(s->elements, n, &s->w.pose, s->w.V) : 0.0;
    if (!jumps(e)) {
        assert_close(work, power - first_difference(e, h), 1e-8);
    }
}

static void the_power_of_a_force_is_what_its_potential_loses_and_its_power_adds(void **state)
{
    (void)state;
    for_every_force(check_power);
}

/// Sum of all forces and of all moments about the world's origin.
static void resultant(const site *s, const double *F, double force[3], double moment[3])
{
    const int width = s->w.bodies.width;
    set3(force, 0.0, 0.0, 0.0);
    set3(moment, 0.0, 0.0, 0.0);
    for (int i = 0; i <= BODIES; i++) {
        static const double origin[3] = {0.0, 0.0, 0.0};
        double f[3] = {0.0}, torque[3] = {0.0}, p[3], lever[3];
        memcpy(f, &F[width * i], (size_t)(width == 3 ? 2 : 3) * sizeof *f);
        if (width == 3) {
            torque[2] = F[3 * i + 2];
        } else {
            trm_to_world(&s->w.pose, i, &F[6 * i + 3], torque);
        }
        trm_point(&s->w.pose, i, origin, NULL, p, NULL);
        add(force, f, force);
        add(moment, add(cross(p, f, lever), torque, torque), moment);
    }
}

static void check_reaction(site *s, int n)
{
    double F[SLOTS], force[3], moment[3];
    const char *name = s->kind->name;
    const int between_markers = strcmp(name, "force") == 0 && s->def.marker[1] >= 0;
    if (strcmp(name, "gravity") == 0) {
        return;
    }
    // the last of the elements always has a reaction
    const char *last = s->elements + (size_t)(n - 1) * s->kind->size;
    memset(F, 0, sizeof F);
    assert_int_equal(s->kind->apply(last, 1, &s->w.pose, s->w.V, F), 0);
    assert_true(fabs(F[s->w.bodies.width - 1]) + fabs(F[3 * s->w.bodies.width - 1]) > 1e-6);
    resultant(s, F, force, moment);
    for (int k = 0; k < 3; k++) {
        assert_near(force[k], 0.0, 1e-13);
        if (!between_markers) { // two opposite forces at a distance are a couple
            assert_near(moment[k], 0.0, 1e-12);
        }
    }
}

static void action_is_reaction(void **state)
{
    (void)state;
    for_every_force(check_reaction);
}

static void check_dissipation(site *s, int n)
{
    if (s->kind->potential && s->kind->power) {
        assert_true(s->kind->power(s->elements, n, &s->w.pose, s->w.V) < 0.0);
    }
}

static void a_damper_only_takes_energy(void **state)
{
    (void)state;
    for_every_force(check_dissipation);
}

static void check_addition(site *s, int n)
{
    const double mark = 0.125;
    double F[SLOTS], alone[SLOTS];
    for (int k = 0; k < SLOTS; k++) {
        F[k] = mark;
    }
    assert_int_equal(s->kind->apply(s->elements, n, &s->w.pose, s->w.V, F), 0);
    apply(s, n, s->w.V, alone);
    for (int k = 0; k < s->w.bodies.width * (BODIES + 1); k++) {
        assert_near(F[k], alone[k] + mark, 1e-13);
    }
}

static void forces_are_added_to_what_is_there(void **state)
{
    (void)state;
    for_every_force(check_addition);
}

// ----------------------------------------------------------------------------------- known cases

static void gravity_pulls_every_body_with_its_weight(void **state)
{
    (void)state;
    site s;
    double F[SLOTS];
    make_case(&s, 0, 3, 1);
    apply(&s, 1, s.w.V, F);
    for (int i = 0; i < BODIES; i++) {
        assert_near(F[6 * i + 1], -9.81 * s.w.mass[i], 1e-14);
        assert_near(F[6 * i + 2], 1.7 * s.w.mass[i], 1e-14);
        assert_true(F[6 * i + 5] == 0.0);
    }
    assert_true(F[6 * GROUND + 1] == 0.0);
    free_site(&s);
}

/// The point mass (body 1) at (3, 4), tied to the origin, moving away at 0.5 m/s.
static void make_tied_point(site *s, double rest)
{
    make_site(s, 2, 1, "spring_damper");
    memset(s->markers[3].local, 0, sizeof s->markers[3].local);
    s->w.q[s->w.q0[1]] = 3.0;
    s->w.q[s->w.q0[1] + 1] = 4.0;
    s->w.V[3] = 0.3;
    s->w.V[4] = 0.4;
    place(&s->w);
    s->def = (trm_scene_force){
        .marker = {3, 1}, .stiffness = 2.0, .damping = 6.0, .rest = rest, .joint = TRM_NONE};
    compile(s, 0);
}

static void a_stretched_spring_pulls_and_a_damper_resists(void **state)
{
    (void)state;
    site s;
    double F[SLOTS];
    make_tied_point(&s, 1.0);
    apply(&s, 1, s.w.V, F);
    const double tension = 2.0 * (5.0 - 1.0) + 6.0 * 0.5;
    assert_near(F[3], -0.6 * tension, 1e-14);
    assert_near(F[4], -0.8 * tension, 1e-14);
    assert_near(F[9], 0.6 * tension, 1e-14);
    assert_near(s.kind->potential(s.elements, 1, &s.w.pose), 16.0, 1e-14);
    assert_near(s.kind->power(s.elements, 1, &s.w.pose, s.w.V), -1.5, 1e-14);
    free_site(&s);
}

static void a_spring_between_coincident_markers_does_nothing(void **state)
{
    (void)state;
    site s;
    double F[SLOTS];
    make_tied_point(&s, 1.0);
    s.w.q[s.w.q0[1]] = s.w.q[s.w.q0[1] + 1] = 0.0;
    place(&s.w);
    apply(&s, 1, s.w.V, F);
    for (int k = 0; k < SLOTS; k++) {
        assert_true(F[k] == 0.0);
    }
    assert_near(s.kind->potential(s.elements, 1, &s.w.pose), 1.0, 1e-15);
    assert_true(s.kind->power(s.elements, 1, &s.w.pose, s.w.V) == 0.0);
    free_site(&s);
}

static void a_planar_torsion_spring_counts_turns_from_the_initial_pose(void **state)
{
    (void)state;
    site s;
    double F[SLOTS];
    make_site(&s, 2, 1, "joint_spring_damper");
    s.def.preload = 0.0;
    make_joint(&s, "revolute", TRM_GROUND, 2);
    s.joint_angle = 0.3;
    s.def.rest = 1.0;
    compile(&s, 0);
    s.w.q[s.w.q0[2] + 2] = 20.3;
    s.w.V[8] = 2.0;
    place(&s.w);
    apply(&s, 1, s.w.V, F);
    assert_near(F[8], -3.0 * 19.0 - 0.7 * 2.0, 1e-13);
    assert_near(F[11], 3.0 * 19.0 + 0.7 * 2.0, 1e-13);
    free_site(&s);
}

static void a_spatial_torsion_spring_starts_slack_in_the_initial_pose(void **state)
{
    (void)state;
    site s;
    double R[9], q[4], turn[3], step[4];
    const double angle = 0.8;
    make_site(&s, 3, 1, "joint_spring_damper");
    s.def.preload = 0.0;
    make_joint(&s, "revolute", TRM_GROUND, 2);
    s.def.rest = 0.0;
    // the same side in the frame of body 2
    memcpy(R, &s.w.R[18], sizeof R);
    rotate_back(R, s.joint_side[0], s.joint_side[1]);
    compile(&s, 0);
    assert_near(s.kind->potential(s.elements, 1, &s.w.pose), 0.0, 1e-15);
    // body 2 turns about the axis
    memcpy(q, &s.w.q[s.w.q0[2] + 3], sizeof q);
    quaternion_exponential(scale(angle, s.joint_local[2], turn), step);
    quaternion_product(step, q, &s.w.q[s.w.q0[2] + 3]);
    place(&s.w);
    assert_near(s.kind->potential(s.elements, 1, &s.w.pose), 1.5 * angle * angle, 1e-14);
    free_site(&s);
}

static void body_axes_turn_with_the_body_that_carries_the_marker(void **state)
{
    (void)state;
    site s;
    double F[SLOTS];
    make_site(&s, 2, 1, "force");
    set_formula(&s, 0, "2");
    set_formula(&s, 1, "0");
    s.def.marker[0] = 2;
    s.def.axes = 1;
    compile(&s, 0);
    s.w.q[s.w.q0[2] + 2] = acos(-1.0) / 2.0;
    place(&s.w);
    apply(&s, 1, s.w.V, F);
    assert_near(F[6], 0.0, 1e-15);
    assert_near(F[7], 2.0, 1e-15);
    free_site(&s);
}

static void without_a_reaction_only_the_named_body_feels_anything(void **state)
{
    (void)state;
    static const char *const kinds[2] = {"force", "torque"};
    for (int i = 0; i < 2; i++) {
        site s;
        double F[SLOTS];
        make_site(&s, 2, 1, kinds[i]);
        set_formula(&s, 0, "2");
        s.def.marker[0] = s.def.body[0] = 2;
        compile(&s, 0);
        apply(&s, 1, s.w.V, F);
        assert_true(F[8] != 0.0);
        for (int k = 0; k < SLOTS; k++) {
            assert_true(F[k] == 0.0 || (k >= 6 && k <= 8));
        }
        free_site(&s);
    }
}

static void a_torque_in_world_axes_does_not_turn_with_the_body(void **state)
{
    (void)state;
    site s;
    double F[SLOTS], world_axes[3];
    make_site(&s, 3, 1, "torque");
    set_formula(&s, 0, "1");
    set_formula(&s, 1, "-2");
    set_formula(&s, 2, "3");
    s.def.body[0] = 2;
    compile(&s, 0);
    s.def.axes = 1;
    compile(&s, 1);
    memset(F, 0, sizeof F);
    assert_int_equal(s.kind->apply(s.elements, 1, &s.w.pose, s.w.V, F), 0);
    trm_to_world(&s.w.pose, 2, &F[15], world_axes);
    assert_near(world_axes[0], 1.0, 1e-14);
    assert_near(world_axes[1], -2.0, 1e-14);
    assert_near(world_axes[2], 3.0, 1e-14);
    memset(F, 0, sizeof F);
    assert_int_equal(s.kind->apply(s.elements + s.kind->size, 1, &s.w.pose, s.w.V, F), 0);
    assert_near(F[15], 1.0, 1e-14);
    assert_near(F[16], -2.0, 1e-14);
    assert_near(F[17], 3.0, 1e-14);
    free_site(&s);
}

// ------------------------------------------------------------------------------------ not finite

/// A sound element in front of one that is sick in component `sick`: the answer is 1 + 1.
static void check_not_finite(const char *kind, int dimension, int sick)
{
    site s;
    double F[SLOTS] = {0.0};
    make_site(&s, dimension, 1, kind);
    make_joint(&s, "revolute", 0, 2);
    s.def.marker[0] = s.def.body[0] = 2;
    s.def.marker[1] = s.def.body[1] = 0;
    set_formula(&s, 0, "1");
    set_formula(&s, 1, "log(-1 - x0^2)");
    const trm_function sound = s.value[0], not_finite = s.value[1];
    s.value[1] = s.value[2] = sound;
    compile(&s, 0);
    s.value[sick] = not_finite;
    s.def.stiffness = INFINITY;
    compile(&s, 1);
    assert_int_equal(s.kind->apply(s.elements, 1, &s.w.pose, s.w.V, F), 0);
    assert_int_equal(s.kind->apply(s.elements, 2, &s.w.pose, s.w.V, F), 2);
    free_site(&s);
}

static void a_value_that_is_not_finite_is_reported(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        check_not_finite("spring_damper", dimension, 0);
        check_not_finite("joint_spring_damper", dimension, 0);
        check_not_finite("joint_force", dimension, 0);
        check_not_finite("servo", dimension, 0);
        for (int k = 0; k < dimension; k++) {
            check_not_finite("force", dimension, k);
        }
        for (int k = 0; k < (dimension == 2 ? 1 : 3); k++) {
            check_not_finite("torque", dimension, k);
        }
    }
}

static void gravity_comes_first_and_has_no_keys(void **state)
{
    (void)state;
    assert_string_equal(trm_force_kinds[0]->name, "gravity");
    assert_null(trm_force_kinds[0]->keys);
    for (int k = 1; trm_force_kinds[k]; k++) {
        assert_non_null(trm_force_kinds[k]->keys);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_force_is_minus_the_gradient_of_its_potential),
        cmocka_unit_test(the_power_of_a_force_is_what_its_potential_loses_and_its_power_adds),
        cmocka_unit_test(action_is_reaction),
        cmocka_unit_test(a_damper_only_takes_energy),
        cmocka_unit_test(forces_are_added_to_what_is_there),
        cmocka_unit_test(gravity_pulls_every_body_with_its_weight),
        cmocka_unit_test(a_stretched_spring_pulls_and_a_damper_resists),
        cmocka_unit_test(a_spring_between_coincident_markers_does_nothing),
        cmocka_unit_test(a_planar_torsion_spring_counts_turns_from_the_initial_pose),
        cmocka_unit_test(a_spatial_torsion_spring_starts_slack_in_the_initial_pose),
        cmocka_unit_test(body_axes_turn_with_the_body_that_carries_the_marker),
        cmocka_unit_test(without_a_reaction_only_the_named_body_feels_anything),
        cmocka_unit_test(a_torque_in_world_axes_does_not_turn_with_the_body),
        cmocka_unit_test(a_value_that_is_not_finite_is_reported),
        cmocka_unit_test(gravity_comes_first_and_has_no_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
