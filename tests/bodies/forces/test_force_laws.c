/// Laws that every kind of force obeys: potential against force, power balance, action and
/// reaction.
#include "tests/bodies/forces/force_site.h"

// ------------------------------------------------------------------------------ all combinations

typedef void check_fn(site *s, int n);

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
    if (!s->kind->potential || s->varies) {
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

CLAIM(a_force_is_minus_the_gradient_of_its_potential)
{
    for_every_force(check_potential);
}

/// How fast the lines of an element along which its tension acts become longer.
static double rate_of_length(site *s, const void *element)
{
    const double h = 3e-4;
    double l[5] = {0.0}, d[TRM_MOST_LISTED][3];
    for (int j = 0; j < 5; j++) {
        place_after(&s->w, five[j] * h);
        for (int k = s->kind->directions(element, &s->w.pose, d) - 1; k >= 0; k--) {
            l[j] += sqrt(dot(d[k], d[k]));
        }
    }
    place(&s->w);
    return first_difference(l, h);
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
    double power = s->kind->power ? s->kind->power(s->elements, n, &s->w.pose, s->w.V) : 0.0;
    for (int i = 0; s->kind->effort && !s->kind->potential && i < n; i++) {
        const void *const element = (const char *)s->elements + (size_t)i * s->kind->size;
        trm_joint_motion motion = {.x = 0}; // the first member of drives is their axis
        if (s->kind->directions) {
            motion.rate = -rate_of_length(s, element);
        } else {
            trm_joint_measure(element, &s->w.pose, s->w.V, &motion);
        }
        power += s->kind->effort(element, &s->w.pose, s->w.V) * motion.rate;
    }
    const int known = s->kind->potential || s->kind->power || s->kind->effort; // else it is `work`
    if (known && !jumps(e)) {
        assert_close(work, power - first_difference(e, h), 1e-8);
    }
}

CLAIM(the_power_of_a_force_is_what_its_potential_loses_and_its_power_adds)
{
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

CLAIM(action_is_reaction)
{
    for_every_force(check_reaction);
}

static void check_dissipation(site *s, int n)
{
    if (s->kind->potential && s->kind->power && !s->varies) {
        assert_true(s->kind->power(s->elements, n, &s->w.pose, s->w.V) < 0.0);
    }
}

CLAIM(a_damper_only_takes_energy)
{
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

CLAIM(forces_are_added_to_what_is_there)
{
    for_every_force(check_addition);
}

// ------------------------------------------------------------------------------------ not finite

/// A sound element in front of an element that fails in component `sick`: the answer is 1 + 1.
static void check_not_finite(const char *kind, int dimension, int sick)
{
    site s;
    double F[SLOTS] = {0.0};
    make_site(&s, dimension, 1, kind);
    make_joint(&s, "revolute", 0, 2);
    s.def.marker[0] = s.def.body[0] = 2;
    s.def.marker[1] = s.def.body[1] = 0;
    s.def.markers = (trm_index_list){.n = 2, .item = {2, 0}};
    set_formula(&s, 0, "1");
    set_formula(&s, 1, "log(-1 - x0^2)");
    const int constant = s.kind->potential != NULL; // numbers, of which one is not finite
    const trm_function sound = constant ? (trm_function){0} : s.value[0];
    const trm_function not_finite = constant ? sound : s.value[1];
    s.value[0] = s.value[1] = s.value[2] = sound;
    compile(&s, 0);
    s.value[sick] = not_finite;
    s.def.stiffness = INFINITY;
    (sick ? s.def.turning_stiffnesses : s.def.stiffnesses)[2 - !sick * 2] = INFINITY;
    s.def.mu = INFINITY;
    compile(&s, 1);
    assert_int_equal(s.kind->apply(s.elements, 1, &s.w.pose, s.w.V, F), 0);
    assert_int_equal(s.kind->apply(s.elements, 2, &s.w.pose, s.w.V, F), 2);
    free_site(&s);
}

CLAIM(a_value_that_is_not_finite_is_reported)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        check_not_finite("spring_damper", dimension, 0);
        check_not_finite("joint_spring_damper", dimension, 0);
        check_not_finite("joint_force", dimension, 0);
        check_not_finite("servo", dimension, 0);
        check_not_finite("tendon", dimension, 0);
        check_not_finite("point_gravity", dimension, 0);
        check_not_finite("bushing", dimension, 0);
        check_not_finite("bushing", dimension, 1);
        for (int k = 0; k < dimension; k++) {
            check_not_finite("force", dimension, k);
        }
        for (int k = 0; k < (dimension == 2 ? 1 : 3); k++) {
            check_not_finite("torque", dimension, k);
        }
    }
}

/// And those that a scene does not write as forces: the rates of states.
CLAIM(gravity_comes_first_and_has_no_keys)
{
    assert_string_equal(trm_force_kinds[0]->name, "gravity");
    assert_null(trm_force_kinds[0]->keys);
    for (int k = 1; trm_force_kinds[k]; k++) {
        assert_true(trm_force_kinds[k]->keys || strcmp(trm_force_kinds[k]->name, "state") == 0);
    }
}
