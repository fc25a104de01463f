// A tendon over markers: a rope fixed at its ends, sliding without
// friction between, that only pulls.
//
//   l = sum |x_{i+1} - x_i|,   T = max(0, k (l - rest) + c l')  while l >= rest, else 0
//   force on marker i: T (e_i - e_{i-1}),   e_i from marker i to i + 1
//   power = -T l'
//
// A drum whose joint is x pays out r x: rest + r x in the place of rest, l' - r x' in that of l',
// and the torque r T on the joint.
//
// One that does not stretch is a stop of the scene, l <= rest + r angle, and has no T here.
//
// T is a formula, so that a step ends where the rope slackens or tightens. Other formulas may
// use l and l': rope.length, rope.rate.

#include <math.h>
#include <string.h>

#include "bodies/forces/joint_axis.h"
#include "bodies/vector.h"
#include "program/view.h"

typedef struct tendon {
    int n, body[TRM_MOST_LISTED];
    double local[TRM_MOST_LISTED][3]; ///< m
    trm_function tension;             ///< N
    double radius;                    ///< m, of the drum; 0 without one
    trm_joint_axis drum;
} tendon;

static void compile(const trm_scene_force *def, const trm_force_site *site, void *element)
{
    tendon *e = element;
    *e = (tendon){.n = def->markers.n, .tension = site->value[0]};
    for (int i = 0; i < e->n; i++) {
        const trm_scene_marker *marker = &site->scene->markers[def->markers.item[i]];
        e->body[i] = marker->body == TRM_INDEX_GROUND ? site->ground : marker->body;
        memcpy(e->local[i], marker->local, sizeof e->local[i]);
    }
    if (def->joint != TRM_INDEX_NONE) {
        e->radius = def->drum_radius;
        trm_joint_axis_compile(&site->scene->joints[def->joint], site, &e->drum);
    }
}

/// From marker i to the next; where they meet the direction in which they part, and none where they
/// stay together. Returns the rate of that length.
static double span(const tendon *s, const trm_pose *pose, const double *V, int i, double e[3])
{
    double x[2][3], u[2][3], d[3], w[3];
    for (int k = 0; k < 2; k++) {
        trm_point(pose, s->body[i + k], s->local[i + k], V, x[k], u[k]);
    }
    subtract(x[1], x[0], d);
    subtract(u[1], u[0], w);
    const double *const way = dot(d, d) > 0.0 ? d : w, l = sqrt(dot(way, way));
    scale(l > 0.0 ? 1.0 / l : 0.0, way, e);
    return dot(e, w);
}

static int apply(const void *elements, int n, const trm_pose *pose, const double *V, double *F)
{
    const tendon *s = elements;
    for (int k = 0; k < n; k++) {
        const double T = trm_function_value(&s[k].tension, pose, V);
        if (!isfinite(T)) {
            return 1 + k;
        }
        for (int i = 0; T > 0.0 && i + 1 < s[k].n; i++) {
            double e[3], f[3];
            span(&s[k], pose, V, i, e);
            trm_push(pose, s[k].body[i], s[k].local[i], scale(T, e, f), F);
            trm_push(pose, s[k].body[i + 1], s[k].local[i + 1], scale(-T, e, f), F);
        }
        if (T > 0.0 && s[k].radius != 0.0) {
            trm_joint_motion motion;
            trm_joint_measure(&s[k].drum, pose, NULL, &motion);
            trm_joint_drive(&s[k].drum, pose, &motion, T * s[k].radius, F);
        }
    }
    return 0;
}

static double effort(const void *element, const trm_pose *pose, const double *V)
{
    return trm_function_value(&((const tendon *)element)->tension, pose, V);
}

static int directions(const void *element, const trm_pose *pose, double (*d)[3])
{
    const tendon *s = element;
    double before[3], x[3] = {0.0};
    for (int i = 0; i < s->n && d; i++) {
        memcpy(before, x, sizeof before);
        trm_point(pose, s->body[i], s->local[i], NULL, x, NULL);
        if (i > 0) {
            subtract(x, before, d[i - 1]);
        }
    }
    return s->n - 1;
}

static const trm_key keys[] = {
    TRM_KEY("markers", MARKERS, trm_scene_force, markers,
            "The points that it runs over, in order; two at least.", .required = 1),
    TRM_KEY("stiffness", NUMBER, trm_scene_force, stiffness,
            "Tension per stretch; this or `inextensible`.", TRM_VARIES(0), .range = TRM_POSITIVE,
            .unit = "N/m", .excludes = "inextensible"),
    TRM_KEY("damping", NUMBER, trm_scene_force, damping,
            "Tension per rate of length, while it is stretched.", TRM_VARIES(1),
            .range = TRM_NOT_NEGATIVE, .unit = "N s/m", .fallback = "0", .needs = "stiffness"),
    TRM_KEY("rest_length", NUMBER, trm_scene_force, rest, "Length at which it tightens.",
            .required = 1, TRM_VARIES(2), .range = TRM_NOT_NEGATIVE, .unit = "m"),
    TRM_KEY("inextensible", BOOLEAN, trm_scene_force, inextensible,
            "true: it does not stretch. It is slack, or taut as a stop that pulls; tightening is "
            "an impact.",
            .fallback = "false"),
    TRM_KEY("restitution", NUMBER, trm_scene_force, restitution,
            "0 to 1: the part of the rate that this impact sends back.", .range = TRM_NOT_NEGATIVE,
            .fallback = "0", .needs = "inextensible"),
    TRM_KEY("pulleys", NUMBERS, trm_scene_force, pulleys,
            "For every marker the radius of a pulley about it: 0 at the ends "
            "and where there is none, positive where the rope turns to the left, negative to the "
            "right. It leaves one between two points, and comes back; of several in a row the run "
            "ends where it leaves one, and from a turn of -80 or 260 degrees on.",
            .unit = "m", .needs = "inextensible"),
    TRM_KEY("axis", MARKER_PAIR, trm_scene_force, axle,
            "Two points of one body along the axis of its pulleys, smooth cylinders, all parallel. "
            "Left is as seen from the second point to the first. Between points the rope is the "
            "shortest line on them.",
            .dimension = 3, .needs = "pulleys"),
    TRM_KEY("friction", NUMBER, trm_scene_force, friction.coefficient,
            "In the plane Coulomb's coefficient mu about its pulleys, which turn with the body of "
            "their markers. The ratio of the tensions is exp(mu angle) at most.",
            .dimension = 2, .given = offsetof(trm_scene_force, friction.given),
            .range = TRM_NOT_NEGATIVE, .fallback = "0", .needs = "pulleys"),
    TRM_KEY("rubs_on", BODY, trm_scene_force, rubs,
            "The body whose pulleys these are, a drum; about others it is smooth.", .dimension = 2,
            .fallback = "the only one", .needs = "friction"),
    TRM_HOLDING_KEYS(trm_scene_force, friction),
    TRM_KEY("pays_out", JOINT, trm_scene_force, drum,
            "The joint of a winch: its coordinate times `drum_radius` is added to `rest_length`. "
            "The run ends where no rope is left.",
            .needs = "drum_radius"),
    TRM_KEY("drum_radius", NUMBER, trm_scene_force, drum_radius,
            "Negative: the rope winds up as the joint turns forward. 1 beside a prismatic joint.",
            .range = TRM_NOT_ZERO, .unit = "m", .needs = "pays_out"),
    {.name = NULL},
};

const trm_force_kind trm_force_tendon = {
    .name = "tendon",
    .doc =
        "A rope over markers, which pulls only; formulas of forces know its `length` and `rate`.",
    .keys = keys,
    .size = sizeof(tendon),
    .compile = compile,
    .apply = apply,
    .passive = 1,
    .effort = effort,
    .directions = directions,
};
