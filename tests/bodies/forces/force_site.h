/// A small scene for every kind of force: four markers, one joint, one force.
#pragma once

#include "bodies/forces/force.h"
#include "constraints/joint.h"
#include "program/view.h"
#include "tests/near.h"
#include "tests/random_bodies.h"

// --------------------------------------------------------------------------------- a small scene

enum { MARKERS = 4, FORMULAS = TRM_FORCE_VALUES, ELEMENT_BYTES = 1500 };

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
    int varies;
    const trm_force_kind *kind;
    _Alignas(64) char elements[ELEMENT_BYTES];
} site;

static inline const trm_force_kind *find_kind(const char *name)
{
    for (int k = 0; trm_force_kinds[k]; k++) {
        if (strcmp(trm_force_kinds[k]->name, name) == 0) {
            return trm_force_kinds[k];
        }
    }
    fail_msg("no force %s", name);
    return NULL;
}

static inline const trm_joint_kind *find_joint(const char *name)
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
static inline int resolve(const char *name, size_t length, trm_symbol *out, void *user)
{
    (void)user;
    if (length != 2 || name[0] != 'x' || name[1] < '0' || name[1] > '2') {
        return 0;
    }
    *out = (trm_symbol){.index = name[1] - '0'};
    return 1;
}

static inline void set_formula(site *s, int k, const char *text)
{
    trm_expression_error error;
    trm_expression_destroy(s->code[k]);
    assert_int_equal(trm_expression_compile(NULL, text, resolve, NULL, &s->code[k], &error),
                     TRM_OK);
    s->value[k] = (trm_function){.code = s->code[k], .n = 3, .x = s->x};
}

static inline void make_site(site *s, int dimension, uint64_t seed, const char *kind)
{
    *s = (site){.kind = find_kind(kind)};
    make_world(&s->w, dimension, seed);
    for (int i = 0; i < MARKERS; i++) {
        s->markers[i].body = i == GROUND ? TRM_INDEX_GROUND : i;
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
                               .body = {TRM_INDEX_NONE, TRM_INDEX_NONE},
                               .marker = {TRM_INDEX_NONE, TRM_INDEX_NONE},
                               .joint = TRM_INDEX_NONE,
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

static inline void free_site(site *s)
{
    for (int k = 0; k < FORMULAS; k++) {
        trm_expression_destroy(s->code[k]);
    }
}

/// A joint that need not be closed: random points, an axis and a side in either body.
static inline void make_joint(site *s, const char *kind, int a, int b)
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
static inline void compile(site *s, int i)
{
    const trm_force_site given = {.scene = &s->scene,
                                  .ground = GROUND,
                                  .value = s->value,
                                  .joint_local = (const double(*)[3])s->joint_local,
                                  .joint_side = (const double(*)[3])s->joint_side,
                                  .joint_angle = s->joint_angle,
                                  .joint_freedom =
                                      s->joint.kind ? s->joint.kind->freedom : TRM_FREEDOM_NONE,
                                  .mass = s->w.mass};
    assert_true(((size_t)i + 1) * s->kind->size <= ELEMENT_BYTES);
    s->kind->compile(&s->def, &given, s->elements + (size_t)i * s->kind->size);
}

static inline void apply(site *s, int n, const double *V, double *F)
{
    memset(F, 0, SLOTS * sizeof *F);
    assert_int_equal(s->kind->apply(s->elements, n, &s->w.pose, V, F), 0);
}

enum { CASES = 24 };

/// Two different elements of one kind; returns how many, 0 where there is no such case.
static inline int make_case(site *s, int which, int dimension, uint64_t seed)
{
    static const struct {
        int cases;
        const char *name;
    } kinds[] = {{1, "gravity"},     {3, "spring_damper"}, {5, "joint_spring_damper"},
                 {3, "force"},       {3, "torque"},        {2, "servo"},
                 {2, "joint_force"}, {2, "bushing"},       {1, "point_gravity"},
                 {2, "tendon"}};
    static const int ropes[2][3] = {{0, GROUND, 2}, {2, 1, 0}};
    static const int ends[3][2] = {{0, 2}, {TRM_INDEX_GROUND, 0}, {2, TRM_INDEX_GROUND}};
    static const int markers[3][2] = {{0, 2}, {GROUND, 0}, {1, 2}};
    int kind = 0;
    for (int left = which; left >= kinds[kind].cases; kind++) {
        left -= kinds[kind].cases;
    }
    make_site(s, dimension, seed, kinds[kind].name);
    set3(s->scene.gravity, 0.3, -9.81, dimension == 3 ? 1.7 : 0.0);
    const int springs = which < 9 || which == 19 || which == 20; // each second one varies
    s->varies = springs && seed % 2 == 0;
    if (!springs || s->varies) {
        set_formula(s, 0, "1 + 2*sin(x1) - x2");
        set_formula(s, 1, "x0 + 0.5*x2");
    }
    if (springs ? s->varies : dimension == 3) {
        set_formula(s, 2, "x1*x2 - 0.7");
    }
    if (s->varies && which >= 19) { // a turning damping; the turning stiffness is constant
        set_formula(s, 11, "x0 - x1");
    }
    if (which == 0) {
        compile(s, 0);
        return 1;
    }
    if (which >= 22) { // its tension is a formula
        set_formula(s, 0, "0.5 + 0.4*sin(x1 - x2)");
    }
    for (int i = 0; i < 2; i++) {
        if (which <= 3) {
            memcpy(s->def.marker, markers[(which - 1 + i) % 3], sizeof s->def.marker);
        } else if (which == 19 || which == 20) {
            memcpy(s->def.marker, markers[(which + i) % 2], sizeof s->def.marker);
            s->bodies[0].angle += 0.1;
        } else if (which >= 22) {
            memcpy(s->def.markers.item, ropes[(which + i) % 2], sizeof ropes[0]);
            s->def.markers.n = 3;
        } else if (which == 21) {
            s->def.marker[0] = i == 0 ? GROUND : 2;
        } else if (which <= 8 || which >= 15) {
            make_joint(s, which % 2 ? "revolute" : "prismatic", ends[(which + i) % 3][0],
                       ends[(which + i) % 3][1]);
        } else if (which <= 11) {
            s->def.axes = which % 2;
            s->def.marker[0] = which == 11 ? GROUND : 2;
            s->def.marker[1] = which == 9 && i == 0 ? TRM_INDEX_NONE : 0;
        } else {
            s->def.axes = which % 2;
            s->def.body[0] = which == 14 ? TRM_INDEX_GROUND : 2;
            s->def.body[1] = which == 12 && i == 0 ? TRM_INDEX_NONE : (i ? 0 : TRM_INDEX_GROUND);
        }
        s->def.stiffness += 1.0;
        s->def.rest += 0.1;
        compile(s, i);
    }
    return 2;
}
