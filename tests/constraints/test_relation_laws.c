// What the rows of each kind of constraint say: their values against formulas that are written
// here, the equations and units that trammel check shows.

#include "tests/derivatives.h"

#include "constraints/transmissions/relation.h"

// ------------------------------------------------------------------------ coordinates of joints

/// Coordinates of the joints A to F below; P, Q are further turns of b.
static const double coordinate[] = {0.7, -1.3, 0.4, 2.1, -0.6, 0.9, 1.7, -0.2};

#define PLANE(constraint)                                                                          \
    "{\"dimension\":2,\"bodies\":["                                                                \
    "{\"name\":\"a\",\"mass\":1,\"inertia\":1},"                                                   \
    "{\"name\":\"b\",\"mass\":1,\"inertia\":1,\"position\":[0.3,0]},"                              \
    "{\"name\":\"c\",\"mass\":1,\"inertia\":1,\"position\":[0,1]},"                                \
    "{\"name\":\"d\",\"mass\":1,\"inertia\":1,\"position\":[0,2]}],"                               \
    "\"markers\":[{\"name\":\"tip\",\"body\":\"a\",\"on\":[0.1,0.2]}],"                            \
    "\"joints\":["                                                                                 \
    "{\"name\":\"A\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0]},"           \
    "{\"name\":\"B\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"b\"],\"at\":[0.3,0]},"         \
    "{\"name\":\"C\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"c\"],\"at\":[0,1],"           \
    "\"axis\":[1,0]},"                                                                             \
    "{\"name\":\"D\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"d\"],"                        \
    "\"at\":[[-0.5,2],[0,2]],\"axis\":[1,0]},"                                                     \
    "{\"name\":\"P\",\"type\":\"revolute\",\"bodies\":[\"b\",\"ground\"],\"at\":[0.3,0]},"         \
    "{\"name\":\"Q\",\"type\":\"revolute\",\"bodies\":[\"a\",\"b\"],\"at\":[0.3,0]},"              \
    "{\"name\":\"R\",\"type\":\"revolute\",\"bodies\":[\"d\",\"ground\"],\"at\":[0.3,0.4]}],"      \
    "\"constraints\":[{\"name\":\"k\",\"type\":" constraint "}]}"

#define HINGE_3(name, one, other, at, axis)                                                        \
    "{\"name\":\"" name "\",\"type\":\"revolute\",\"bodies\":[\"" one "\",\"" other                \
    "\"],\"at\":[" at "],\"axis\":[" axis "]}"

/// A along z, B the same at x = 0.3, C slides along z, D turns about -z there; P and Q are along x
/// and -x, 0.2 before and behind the place where they meet the axis of A.
#define SPACE(constraint)                                                                          \
    "{\"dimension\":3,\"bodies\":["                                                                \
    "{\"name\":\"a\",\"mass\":1,\"inertia\":[1,1,1]},"                                             \
    "{\"name\":\"b\",\"mass\":1,\"inertia\":[1,1,1],\"position\":[0.3,0,0]},"                      \
    "{\"name\":\"c\",\"mass\":1,\"inertia\":[1,1,1],\"position\":[0,0,1]},"                        \
    "{\"name\":\"d\",\"mass\":1,\"inertia\":[1,1,1]}],"                                            \
    "\"markers\":[{\"name\":\"tip\",\"body\":\"c\",\"on\":[0.1,0.2,0.3]}],"                        \
    "\"joints\":[" HINGE_3("A", "ground", "a", "0,0,0.5", "0,0,1") "," HINGE_3(                    \
        "B", "ground", "b", "0.3,0,0",                                                             \
        "0,0,1") ","                                                                               \
                 "{\"name\":\"C\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"c\"],\"at\":[0," \
                 "0,1],"                                                                           \
                 "\"axis\":[0,0,1]}," HINGE_3(                                                     \
                     "D", "ground", "d", "0.3,0,0",                                                \
                     "0,0,-1") "," HINGE_3("P", "ground", "b", "0.2,0,0",                          \
                                           "1,0,0") "," HINGE_3("Q", "ground", "d", "0.2,0,0",     \
                                                                "-1,0,0") "],"                     \
                                                                          "\"constraints\":[{"     \
                                                                          "\"name\":\"k\","        \
                                                                          "\"type\":" constraint   \
                                                                          "}]}"

typedef struct law {
    const char *json;
    double g; ///< at these coordinates
    const char *unit, *shown;
} law;

static double value_of(const trm_formula *formula)
{
    double x[16] = {0}, work[200];
    assert_true(formula->nvariables <= 16);
    assert_true(trm_expression_workspace(formula->code) <= 200);
    for (int i = 0; i < formula->nvariables; i++) {
        const trm_variable *v = &formula->variables[i];
        x[i] = v->kind == TRM_VARIABLE_JOINT      ? coordinate[v->index]
               : v->kind == TRM_VARIABLE_POSITION ? 1.0 + v->axis
                                                  : NAN;
    }
    return trm_expression_value(formula->code, x, work);
}

/// Where two pitch circles touch they have one velocity. In the plane all axes point towards the
/// reader; P is B seen the other way round, its coordinate turns against b.
CLAIM(relations_say_what_they_should)
{
    const double *const x = coordinate;
    const law laws[] = {
        {PLANE("\"coupling\",\"joints\":[\"A\",\"B\",\"P\"],\"coefficients\":[2,-3,0.5]"),
         2 * x[0] - 3 * x[1] + 0.5 * x[4], "rad", "2*A.angle - 3*B.angle + 0.5*P.angle"},
        {PLANE("\"coupling\",\"joints\":[\"D\",\"C\"],\"coefficients\":[-2,0]"),
         -2 * x[3] + 2 * 0.5, "m", "-2*D.position + 0*C.position + 1"},
        {PLANE("\"coupling\",\"joints\":[\"A\",\"C\"],\"coefficients\":[0,1],\"constant\":0.25"),
         x[2] - 0.25, "", "0*A.angle + 1*C.position - 0.25"},
        {PLANE("\"coupling\",\"joints\":[\"C\",\"A\"],\"polynomial\":[1,-2,3]"),
         x[2] - (1 - 2 * x[0] + 3 * x[0] * x[0]), "m",
         "C.position - (1 + A.angle*((-2) + A.angle*(3)))"},
        {PLANE("\"coupling\",\"joints\":[\"A\",\"C\"],\"polynomial\":[0.5]"), x[0] - 0.5, "rad",
         "A.angle - (0.5)"},
        {PLANE("\"gear\",\"joints\":[\"A\",\"B\"],\"radii\":[0.2,0.1]"), 0.2 * x[0] + 0.1 * x[1],
         "m", "0.2*A.angle + 0.1*B.angle"},
        {PLANE("\"gear\",\"joints\":[\"A\",\"P\"],\"radii\":[0.2,0.1]"), 0.2 * x[0] - 0.1 * x[4],
         "m", "0.2*A.angle - 0.1*P.angle"},
        {PLANE("\"gear\",\"joints\":[\"A\",\"B\"],\"radii\":[0.4,0.1],\"mesh\":\"internal\""),
         0.4 * x[0] - 0.1 * x[1], "m", "0.4*A.angle - 0.1*B.angle"},
        {PLANE("\"gear\",\"joints\":[\"A\",\"R\"],\"radii\":[0.3,0.2]"), 0.3 * x[0] - 0.2 * x[6],
         "m", "0.3*A.angle - 0.2*R.angle"},
        {PLANE("\"gear\",\"joints\":[\"A\",\"C\"],\"ratio\":2.5"), NAN, NULL, NULL},
        {PLANE("\"gear\",\"joints\":[\"A\",\"B\"],\"ratio\":-2.5"), x[1] + 2.5 * x[0], "rad",
         "B.angle + 2.5*A.angle"},
        {PLANE("\"belt\",\"joints\":[\"A\",\"B\"],\"radii\":[0.1,0.15]"), 0.1 * x[0] - 0.15 * x[1],
         "m", "0.1*A.angle - 0.15*B.angle"},
        {PLANE("\"belt\",\"joints\":[\"A\",\"P\"],\"radii\":[0.1,0.15],\"crossed\":true"),
         0.1 * x[0] - 0.15 * x[4], "m", "0.1*A.angle - 0.15*P.angle"},
        {PLANE("\"rack_and_pinion\",\"joints\":[\"A\",\"D\"],\"radius\":0.3"),
         x[3] - 0.5 - 0.3 * x[0], "m", "D.position - 0.3*A.angle - 0.5"},
        {PLANE("\"screw\",\"joints\":[\"B\",\"C\"],\"lead\":-2"), x[2] + x[1] / pi, "m",
         "C.position + 0.31831*B.angle"},
        {PLANE("\"cam\",\"follower\":\"C\",\"profile\":\"0.1*B.angle^2\""),
         x[2] - 0.1 * x[1] * x[1], "m", "C.position - (0.1*B.angle^2)"},
        {PLANE("\"cam\",\"follower\":\"A\",\"profile\":\"C.position\""), x[0] - x[2], "rad",
         "A.angle - (C.position)"},
        {PLANE("\"cam\",\"marker\":\"tip\",\"direction\":[0.3,-0.4],\"profile\":\"B.angle\""),
         0.6 * 1 - 0.8 * 2 - x[1], "m", "0.6*tip.x + (-0.8)*tip.y - (B.angle)"},
        {SPACE("\"gear\",\"joints\":[\"A\",\"B\"],\"radii\":[0.2,0.1]"), 0.2 * x[0] + 0.1 * x[1],
         "m", "0.2*A.angle + 0.1*B.angle"},
        {SPACE("\"gear\",\"joints\":[\"A\",\"D\"],\"radii\":[0.2,0.1]"), 0.2 * x[0] - 0.1 * x[3],
         "m", "0.2*A.angle - 0.1*D.angle"},
        {SPACE("\"gear\",\"joints\":[\"A\",\"D\"],\"radii\":[0.1,0.4],\"mesh\":\"internal\""),
         0.1 * x[0] + 0.4 * x[3], "m", "0.1*A.angle + 0.4*D.angle"},
        // both point away from where the axes meet: contrary turns; Q points towards it
        {SPACE("\"gear\",\"joints\":[\"A\",\"P\"],\"radii\":[0.2,0.5],\"mesh\":\"bevel\""),
         0.2 * x[0] + 0.5 * x[4], "m", "0.2*A.angle + 0.5*P.angle"},
        {SPACE("\"gear\",\"joints\":[\"Q\",\"A\"],\"radii\":[0.5,0.2],\"mesh\":\"bevel\""),
         -0.5 * x[5] + 0.2 * x[0], "m", "-0.5*Q.angle + 0.2*A.angle"},
        {SPACE("\"belt\",\"joints\":[\"A\",\"D\"],\"radii\":[0.1,0.15]"), 0.1 * x[0] + 0.15 * x[3],
         "m", "0.1*A.angle + 0.15*D.angle"},
        {SPACE("\"belt\",\"joints\":[\"B\",\"A\"],\"radii\":[0.1,0.15],\"crossed\":true"),
         0.1 * x[1] + 0.15 * x[0], "m", "0.1*B.angle + 0.15*A.angle"},
        {SPACE("\"rack_and_pinion\",\"joints\":[\"P\",\"C\"],\"radius\":-0.3"), x[2] + 0.3 * x[4],
         "m", "C.position + 0.3*P.angle"},
        {SPACE("\"cam\",\"marker\":\"tip\",\"direction\":[2,-1,2],\"profile\":\"A.angle\""),
         (2 * 1 - 2 + 2 * 3) / 3.0 - x[0], "m",
         "0.666667*tip.x + (-0.333333)*tip.y + 0.666667*tip.z - (A.angle)"},
    };
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        trm_error err = {.status = TRM_OK};
        trm_scene *scene = NULL;
        const trm_status status = trm_scene_parse(laws[i].json, strlen(laws[i].json), &scene, &err);
        if (!laws[i].unit) {
            assert_int_equal(status, TRM_ERR_SCENE);
            continue;
        }
        rig_ok(status, &err);
        const trm_scene_constraint *def = &scene->constraints[0];
        assert_int_equal(def->nrows, 1);
        near(laws[i].shown, value_of(&def->expression[0]), laws[i].g, 1e-14);
        assert_string_equal(def->expression[0].text, laws[i].shown);
        assert_string_equal(def->unit, laws[i].unit);
        trm_scene_destroy(scene);
    }
}

// ---------------------------------------------------------------------------- rows of velocities

/// Body to world, and the rate in the world, of a body of a spatial model; of the ground none.
typedef struct frame {
    double R[9], rate[3];
} frame;

static frame frame_of(const rig *r, const char *body, const double *q, const double *v)
{
    frame f = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
    if (body) {
        const trm_body_info info = trm_model_body_info(r->model, rig_body(r, body));
        const double *p = &q[info.q0 + 3], *w = &v[info.v0 + 3];
        const double a = p[0], b = p[1], c = p[2], d = p[3];
        const double R[9] = {a * a + b * b - c * c - d * d, 2 * (b * c - a * d),
                             2 * (b * d + a * c),           2 * (b * c + a * d),
                             a * a - b * b + c * c - d * d, 2 * (c * d - a * b),
                             2 * (b * d - a * c),           2 * (c * d + a * b),
                             a * a - b * b - c * c + d * d};
        memcpy(f.R, R, sizeof R);
        for (int k = 0; k < 3; k++) {
            f.rate[k] = R[3 * k] * w[0] + R[3 * k + 1] * w[1] + R[3 * k + 2] * w[2];
        }
    }
    return f;
}

static double inner(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Velocity of the point of a body that is at x: u + w x (x - y) of its point y.
static void carried(const frame *f, const double y[3], const double u[3], const double x[3],
                    double out[3])
{
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = u[k] + f->rate[i] * (x[j] - y[j]) - f->rate[j] * (x[i] - y[i]);
    }
}

enum { DISC, BALL, ELLIPSOID, PAIR };

typedef struct roller {
    const char *name, *base; ///< the body below; NULL: the ground
    int shape;
    double size[3];            ///< the radius, radii, or semi-axes
    double normal[3], axis[3]; ///< in the initial pose, world
} roller;

#define BASE_ON "[0.1,0.2,0.3]"
#define FLOOR_AT "[0.3,0.1,0.2]"
static const double hub_on[3] = {0.05, 0.02, -0.1};

static const char rollers[] =
    "{\"dimension\":3,\"bodies\":["
    "{\"name\":\"plate\",\"position\":[0,0,0.5],\"rpy\":[0.3,0.2,0.5],\"mass\":1,"
    "\"inertia\":[0.2,0.3,0.4]},"
    "{\"name\":\"wheel\",\"position\":[0.1,0.2,1],\"rpy\":[-0.3,0.4,0.1],\"mass\":1,"
    "\"inertia\":[0.1,0.15,0.2]}],"
    "\"markers\":[{\"name\":\"hub\",\"body\":\"wheel\",\"on\":[0.05,0.02,-0.1]},"
    "{\"name\":\"deck\",\"body\":\"plate\",\"on\":" BASE_ON "},"
    "{\"name\":\"road\",\"body\":\"ground\",\"at\":" FLOOR_AT "}],"
    "\"constraints\":["
    "{\"name\":\"disc\",\"type\":\"rolling\",\"markers\":[\"hub\",\"road\"],"
    "\"normal\":[0.2,0.1,1],\"radius\":0.3,\"axis\":[1,-2,0.3]},"
    "{\"name\":\"disc_on\",\"type\":\"rolling\",\"markers\":[\"hub\",\"deck\"],"
    "\"normal\":[0.9,0.1,0.3],\"radius\":0.3,\"axis\":[1,-2,0.3]},"
    "{\"name\":\"ball\",\"type\":\"rolling\",\"markers\":[\"hub\",\"deck\"],"
    "\"normal\":[-0.3,1,0.2],\"radius\":0.2,\"shape\":\"ball\"},"
    "{\"name\":\"egg\",\"type\":\"rolling\",\"markers\":[\"hub\",\"deck\"],"
    "\"normal\":[0.3,0.2,0.9],\"shape\":\"ellipsoid\",\"semi_axes\":[0.2,0.3,0.4]},"
    "{\"name\":\"pair\",\"type\":\"rolling_pair\",\"markers\":[\"hub\",\"deck\"],"
    "\"radii\":[0.2,0.3]},"
    "{\"name\":\"inner\",\"type\":\"rolling_pair\",\"markers\":[\"hub\",\"road\"],"
    "\"radii\":[0.2,-0.9]},"
    "{\"name\":\"inner_on\",\"type\":\"rolling_pair\",\"markers\":[\"hub\",\"deck\"],"
    "\"radii\":[0.2,-0.9]},"
    "{\"name\":\"edge\",\"type\":\"knife_edge\",\"marker\":\"hub\",\"normal\":[2,-3,6]}]}";

static const roller kinds[] = {
    {"disc", NULL, DISC, {0.3}, {0.2, 0.1, 1}, {1, -2, 0.3}},
    {"disc_on", "plate", DISC, {0.3}, {0.9, 0.1, 0.3}, {1, -2, 0.3}},
    {"ball", "plate", BALL, {0.2}, {-0.3, 1, 0.2}, {0}},
    {"egg", "plate", ELLIPSOID, {0.2, 0.3, 0.4}, {0.3, 0.2, 0.9}, {0}},
    {"pair", "plate", PAIR, {0.2, 0.3}, {0}, {0}},
    {"inner", NULL, PAIR, {0.2, -0.9}, {0}, {0}},
    {"inner_on", "plate", PAIR, {0.2, -0.9}, {0}, {0}},
};

/// A direction of the world in the initial pose, turned with its body, of unit length.
static void turned(const frame *first, const frame *now, const double x[3], double out[3])
{
    const double length = sqrt(inner(x, x));
    double local[3];
    for (int k = 0; k < 3; k++) {
        local[k] = (first->R[k] * x[0] + first->R[3 + k] * x[1] + first->R[6 + k] * x[2]) / length;
    }
    for (int k = 0; k < 3; k++) {
        out[k] = inner(&now->R[3 * k], local);
    }
}

/// How far the roller reaches down along n from its centre, and to where: out, from the centre.
static double reach(const roller *k, const frame *own, const frame *first, const double n[3],
                    double out[3])
{
    double local[3], d[3], h = 0;
    if (k->shape == DISC) { // along what n has in the plane of the disc
        turned(first, own, k->axis, d);
        const double across = inner(n, d), rest = sqrt(1 - across * across);
        for (int i = 0; i < 3; i++) {
            out[i] = -k->size[0] * (n[i] - across * d[i]) / rest;
        }
    } else if (k->shape == ELLIPSOID) { // where its normal a^-2 x is along -n
        for (int i = 0; i < 3; i++) {
            local[i] = own->R[i] * n[0] + own->R[3 + i] * n[1] + own->R[6 + i] * n[2];
            d[i] = k->size[i] * k->size[i] * local[i];
            h += d[i] * local[i];
        }
        for (int i = 0; i < 3; i++) {
            out[i] = -inner(&own->R[3 * i], d) / sqrt(h);
        }
    } else {
        for (int i = 0; i < 3; i++) {
            out[i] = -k->size[0] * n[i];
        }
    }
    return -inner(out, n);
}

/// The first row is the gap, the others the components of the slip: whatever the directions t are,
/// the sum of their squares is that of the slip's part along the surfaces.
static void check_roller(const bare *b, const point *p, const frame first[2], const roller *k,
                         int row)
{
    static const double deck_on[3] = {0.1, 0.2, 0.3}, road_at[3] = {0.3, 0.1, 0.2};
    const trm_model *model = b->r.model;
    double C[3], c[3], P[3], u[3] = {0}, n[3], arm[3], touch[3], one[3], other[3], w[3], rate[64];
    const frame own = frame_of(&b->r, "wheel", p->q, p->v);
    const frame base = frame_of(&b->r, k->base, p->q, p->v);
    trm_model_point(model, rig_body(&b->r, "wheel"), hub_on, p->q, p->v, C, c);
    memcpy(P, road_at, sizeof P);
    if (k->base) {
        trm_model_point(model, rig_body(&b->r, k->base), deck_on, p->q, p->v, P, u);
    }
    const double d[3] = {C[0] - P[0], C[1] - P[1], C[2] - P[2]}, away = sqrt(inner(d, d));
    double gap;
    if (k->shape == PAIR) {
        for (int i = 0; i < 3; i++) { // from the hub to where it touches
            n[i] = d[i] / away;
            arm[i] = (k->size[1] > 0 ? -1 : 1) * k->size[0] * n[i];
            touch[i] = P[i] + fabs(k->size[1]) * n[i];
        }
        gap = away - fabs(k->size[0] + k->size[1]);
    } else {
        turned(&first[0], &base, k->normal, n);
        gap = inner(n, d) - reach(k, &own, &first[1], n, arm);
        for (int i = 0; i < 3; i++) {
            touch[i] = C[i] + arm[i];
        }
    }
    const double at_own[3] = {C[0] + arm[0], C[1] + arm[1], C[2] + arm[2]};
    carried(&own, C, c, at_own, one);
    carried(&base, P, u, touch, other);
    for (int i = 0; i < 3; i++) {
        w[i] = one[i] - other[i];
    }
    const double along = inner(w, n), slip = inner(w, w) - along * along;
    at(b, t0, p->q);
    trm_system_velocity_residual(b->system, p->v, rate);
    near(k->name, b->system->g[row], gap, 1e-13);
    near(k->name, rate[row + 1] * rate[row + 1] + rate[row + 2] * rate[row + 2], slip,
         1e-12 * (1 + slip));
}

CLAIM(rollers_say_what_they_should)
{
    bare b;
    open_bare(rollers, &b);
    double q[LARGEST], v[LARGEST];
    trm_model_initial_state(b.r.model, q, v);
    const int n = sizeof kinds / sizeof *kinds;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        const point p = random_point(&b, seed);
        const frame wheel = frame_of(&b.r, "wheel", q, v);
        for (int i = 0; i < n; i++) {
            const frame first[2] = {frame_of(&b.r, kinds[i].base, q, v), wheel};
            check_roller(&b, &p, first, &kinds[i], 3 * i);
        }
        // a blade: the velocity along its normal
        static const double hub[3] = {0.05, 0.02, -0.1}, across[3] = {2, -3, 6};
        const frame own = frame_of(&b.r, "wheel", p.q, p.v);
        double x[3], u[3], normal[3], rate[64];
        trm_model_point(b.r.model, rig_body(&b.r, "wheel"), hub, p.q, p.v, x, u);
        turned(&wheel, &own, across, normal);
        at(&b, t0, p.q);
        trm_system_velocity_residual(b.system, p.v, rate);
        near("blade", rate[3 * n], inner(normal, u), 1e-13);
    }
    for (int i = 0; i < b.system->nc; i++) {
        assert_int_equal(b.system->speed[i] != 0, i % 3 != 0 || i == 3 * n);
    }
    close_bare(&b);
}

// ------------------------------------------------------------------------------- in the plane

static const char planar_rollers[] =
    "{\"dimension\":2,\"bodies\":["
    "{\"name\":\"cart\",\"position\":[0,0.5],\"angle\":0.3,\"mass\":1,\"inertia\":0.2},"
    "{\"name\":\"wheel\",\"position\":[0.1,1.5],\"angle\":-0.8,\"mass\":1,\"inertia\":0.1}],"
    "\"markers\":[{\"name\":\"hub\",\"body\":\"wheel\",\"on\":[0.05,0.02]},"
    "{\"name\":\"deck\",\"body\":\"cart\",\"on\":[0.1,0.2]},"
    "{\"name\":\"road\",\"body\":\"ground\",\"at\":[0.3,0.1]}],\"constraints\":["
    "{\"name\":\"a\",\"type\":\"rolling\",\"markers\":[\"hub\",\"road\"],\"normal\":[0.6,0.8],"
    "\"radius\":0.3},"
    "{\"name\":\"b\",\"type\":\"rolling\",\"markers\":[\"hub\",\"deck\"],\"normal\":[-0.6,0.8],"
    "\"radius\":0.2},"
    "{\"name\":\"p\",\"type\":\"rolling_pair\",\"markers\":[\"hub\",\"deck\"],\"radii\":[0.2,0.3]},"
    "{\"name\":\"i\",\"type\":\"rolling_pair\",\"markers\":[\"hub\",\"road\"],\"radii\":[0.2,-0.9]}"
    ",{\"name\":\"c\",\"type\":\"knife_edge\",\"marker\":\"hub\",\"normal\":[3,4]}]}";

/// Place, velocity, angle and rate: of the hub, and of what it rolls on.
typedef struct planar {
    double x[3], u[3], angle, rate;
} planar;

static planar planar_of(const rig *r, const char *body, const double local[3], const double *q,
                        const double *v)
{
    planar p = {{local[0], local[1], 0}, {0, 0, 0}, 0, 0};
    if (body) {
        const int i = rig_body(r, body);
        const trm_body_info info = trm_model_body_info(r->model, i);
        trm_model_point(r->model, i, local, q, v, p.x, p.u);
        p.angle = q[info.q0 + 2];
        p.rate = v[info.v0 + 2];
    }
    return p;
}

/// On a line with the normal N, which turns by `turned` with the base.
static void check_line(const bare *b, int row, const planar now[2], const planar first[2], double r,
                       double nx, double ny)
{
    const double a = now[1].angle - first[1].angle;
    const double N[2] = {cos(a) * nx - sin(a) * ny, sin(a) * nx + cos(a) * ny};
    const double d[2] = {now[0].x[0] - now[1].x[0], now[0].x[1] - now[1].x[1]};
    const double d0[2] = {first[0].x[0] - first[1].x[0], first[0].x[1] - first[1].x[1]};
    const double rolled = r * (now[0].angle - first[0].angle - a);
    near("gap", b->system->g[row], N[0] * d[0] + N[1] * d[1] - r, 1e-14);
    near("rolled", b->system->g[row + 1],
         N[1] * d[0] - N[0] * d[1] + rolled - (ny * d0[0] - nx * d0[1]), 1e-14);
}

/// On a circle; own: the signed radius of the first one.
static void check_circle(const bare *b, int row, const planar now[2], double own, double other,
                         double between, const double *rate)
{
    const double d[2] = {now[0].x[0] - now[1].x[0], now[0].x[1] - now[1].x[1]};
    const double l = hypot(d[0], d[1]), n[2] = {d[0] / l, d[1] / l};
    const double slip = n[0] * (now[0].u[1] - now[1].u[1]) - n[1] * (now[0].u[0] - now[1].u[0]);
    near("gap", b->system->g[row], l - between, 1e-14);
    near("slip", rate[row + 1], slip - own * now[0].rate - other * now[1].rate, 1e-13);
}

CLAIM(planar_rollers_say_what_they_should)
{
    static const double hub[3] = {0.05, 0.02, 0}, deck[3] = {0.1, 0.2, 0}, road[3] = {0.3, 0.1, 0};
    bare b;
    double q[LARGEST], v[LARGEST], rate[LARGEST];
    open_bare(planar_rollers, &b);
    trm_model_initial_state(b.r.model, q, v);
    const planar first[3] = {planar_of(&b.r, "wheel", hub, q, v), planar_of(&b.r, NULL, road, q, v),
                             planar_of(&b.r, "cart", deck, q, v)};
    for (uint64_t seed = 1; seed <= 10; seed++) {
        const point p = random_point(&b, seed);
        const planar own = planar_of(&b.r, "wheel", hub, p.q, p.v);
        const planar on_road[2] = {own, first[1]};
        const planar on_deck[2] = {own, planar_of(&b.r, "cart", deck, p.q, p.v)};
        const planar start[2] = {first[0], first[2]};
        at(&b, t0, p.q);
        trm_system_velocity_residual(b.system, p.v, rate);
        check_line(&b, 0, on_road, first, 0.3, 0.6, 0.8);
        check_line(&b, 2, on_deck, start, 0.2, -0.6, 0.8);
        check_circle(&b, 4, on_deck, 0.2, 0.3, 0.5, rate);
        check_circle(&b, 6, on_road, -0.2, 0.9, 0.7, rate);
        const double a = own.angle - first[0].angle;
        const double n[2] = {0.6 * cos(a) - 0.8 * sin(a), 0.6 * sin(a) + 0.8 * cos(a)};
        near("blade", rate[8], n[0] * own.u[0] + n[1] * own.u[1], 1e-14);
    }
    // the rows of a line, and the gaps, are of positions
    for (int i = 0; i < b.system->nc; i++) {
        assert_int_equal(b.system->speed[i] != 0, i == 5 || i == 7 || i == 8);
    }
    close_bare(&b);
}

// ------------------------------------------------------------------- starts that do not fit

static void start_is_refused(const char *json, const char *where, const char *says)
{
    rig r = rig_parse(json);
    trm_error err = {.status = TRM_OK};
    trm_options options =
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-8, 1e-8);
    assert_true(trm_sim_create(r.model, &options, &r.sim, &err) != TRM_OK);
    assert_string_equal(err.message, says);
    assert_string_equal(err.where, where);
    options.assemble = 1; // and closes, or comes to roll
    rig_start(&r, options);
    rig_close(&r);
}

#define WHEEL(z, v)                                                                                \
    "{\"dimension\":3,\"bodies\":[{\"name\":\"disc\",\"mass\":2,\"inertia\":[1,1,2],"              \
    "\"position\":[0,0," z "],\"matrix\":[[1,0,0],[0,0,-1],[0,1,0]],\"velocity\":[" v ",0,0],"     \
    "\"rate\":[0,0,-3]}],\"markers\":[{\"name\":\"hub\",\"body\":\"disc\",\"on\":[0,0,0]},"        \
    "{\"name\":\"floor\",\"body\":\"ground\",\"at\":[0,0,0]}],\n\"constraints\":["                 \
    "{\"name\":\"edge\",\"type\":\"rolling\",\"markers\":[\"hub\",\"floor\"],\"normal\":[0,0,1],"  \
    "\"radius\":0.3,\"axis\":[0,-1,0]}]}"

#define BALLS(more)                                                                                \
    "{\"dimension\":3,\"bodies\":[{\"name\":\"a\",\"mass\":2,\"inertia\":[1,1,1],"                 \
    "\"position\":[0,0,0.5],\"velocity\":[0.25,0,0]},{\"name\":\"b\",\"mass\":2,"                  \
    "\"inertia\":[1,1,1]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0,0]},"           \
    "{\"name\":\"o\",\"body\":\"b\",\"on\":[0,0,0]}],\n\"constraints\":[{\"name\":\"k\","          \
    "\"type\":\"rolling_pair\",\"markers\":[\"p\",\"o\"]," more "}]}"

CLAIM(starts_that_do_not_fit_are_refused)
{
    start_is_refused(WHEEL("0.3", "1"), "scene:2:16 /constraints/0",
                     "the initial velocities violate 'edge' by 0.1 m/s; "
                     "options.assemble makes them fit");
    start_is_refused(WHEEL("0.35", "0.9"), "scene:2:16 /constraints/0",
                     "the start does not close: 'edge' is open by 0.05 m; options.assemble closes "
                     "it where it can");
    start_is_refused(
        BALLS("\"radii\":[0.1,0.2]"), "scene:2:16 /constraints/0",
        "the start does not close: 'k' is open by 0.2 m; options.assemble closes it where it can");
    start_is_refused(
        BALLS("\"radii\":[0.2,-0.8]"), "scene:2:16 /constraints/0",
        "the start does not close: 'k' is open by 0.1 m; options.assemble closes it where it can");
    start_is_refused(BALLS("\"radii\":[0.2,0.3]"), "scene:2:16 /constraints/0",
                     "the initial velocities violate 'k' by 0.25 m/s; "
                     "options.assemble makes them fit");
}
