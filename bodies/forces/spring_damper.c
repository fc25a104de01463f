// Spring and damper between two markers.
//
//   d = x_b - x_a,   l = |d|,   e = d/l,   l' = e . (u_b - u_a)
//   T = k (l - rest) + c l'         tension: +T e acts on a's marker, -T e on b's
//   V = k (l - rest)^2/2,   power = -c l'^2
//
// Where k, c or rest is a formula there is no V, and power = -T l'.
// Where the markers coincide e has no direction and no force acts. With rest = 0 zero is the limit;
// with other lengths the force is not continuous at this point.

#include <math.h>
#include <string.h>

#include "bodies/forces/force.h"
#include "bodies/forces/spring.h"
#include "bodies/vector.h"
#include "program/view.h"

static void compile(const trm_scene_force *def, const trm_force_site *site, void *element)
{
    trm_scene_spring *const spring = element;
    trm_spring *const e = &spring->now;
    *spring = (trm_scene_spring){.now = {.k = def->stiffness, .c = def->damping, .rest = def->rest},
                                 .varying = trm_varying_of(site->value, 3)};
    for (int i = 0; i < 2; i++) {
        const trm_scene_marker *marker = &site->scene->markers[def->marker[i]];
        e->body[i] = marker->body == TRM_INDEX_GROUND ? site->ground : marker->body;
        memcpy(e->local[i], marker->local, sizeof e->local[i]);
    }
}

/// In space: length, direction (zero when there is none) and, with V, rate of length.
static double length(const trm_spring *s, const trm_pose *pose, const double *V, double e[3],
                     double *rate)
{
    double x[2][3], u[2][3] = {{0.0}}, d[3], w[3];
    for (int i = 0; i < 2; i++) {
        trm_point(pose, s->body[i], s->local[i], V, x[i], V ? u[i] : NULL);
    }
    subtract(x[1], x[0], d);
    subtract(u[1], u[0], w);
    const double l = sqrt(dot(d, d));
    scale(l > 0.0 ? 1.0 / l : 0.0, d, e);
    *rate = dot(e, w);
    return l;
}

/// T, with the direction and the rate of the length.
static double tension(const trm_scene_spring *s, const trm_pose *pose, const double *V, double e[3],
                      double *rate)
{
    double now[3] = {s->now.k, s->now.c, s->now.rest};
    const double l = length(&s->now, pose, V, e, rate);
    trm_varying_find(s->varying, 3, pose, V, now);
    return now[0] * (l - now[2]) + now[1] * *rate;
}

/// trm_spring_push in space, or of what varies.
static int push(const trm_scene_spring *s, const trm_pose *pose, const double *V, double *F)
{
    double e[3], f[3], rate;
    const double T = tension(s, pose, V, e, &rate);
    trm_push(pose, s->now.body[0], s->now.local[0], scale(T, e, f), F);
    trm_push(pose, s->now.body[1], s->now.local[1], scale(-T, e, f), F);
    return isfinite(T);
}

static int in_plane(const trm_scene_spring *s, const trm_pose *pose)
{
    return pose->width == 3 && !s->varying;
}

static int apply(const void *elements, int n, const trm_pose *pose, const double *V, double *F)
{
    const trm_scene_spring *s = elements;
    for (int i = 0; i < n; i++) {
        const int finite = in_plane(&s[i], pose) ? trm_spring_push(&s[i].now, pose, V, F, NULL) != 0
                                                 : push(&s[i], pose, V, F);
        if (!finite) {
            return 1 + i;
        }
    }
    return 0;
}

static double energy(const trm_scene_spring *s, const trm_pose *pose)
{
    double e[3], rate;
    const double more = length(&s->now, pose, NULL, e, &rate) - s->now.rest;
    return s->varying ? 0 : 0.5 * s->now.k * more * more;
}

static double potential(const void *elements, int n, const trm_pose *pose)
{
    const trm_scene_spring *s = elements;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += in_plane(&s[i], pose) ? trm_spring_energy(&s[i].now, pose) : energy(&s[i], pose);
    }
    return sum;
}

static double loss(const trm_scene_spring *s, const trm_pose *pose, const double *V)
{
    double e[3], rate;
    const double T = tension(s, pose, V, e, &rate);
    return s->varying ? T * rate : s->now.c * rate * rate;
}

static double power(const void *elements, int n, const trm_pose *pose, const double *V)
{
    const trm_scene_spring *s = elements;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum -= in_plane(&s[i], pose) ? trm_spring_loss(&s[i].now, pose, V) : loss(&s[i], pose, V);
    }
    return sum;
}

static double effort(const void *element, const trm_pose *pose, const double *V)
{
    double e[3], rate;
    return tension(element, pose, V, e, &rate);
}

static int directions(const void *element, const trm_pose *pose, double (*d)[3])
{
    const trm_spring *s = &((const trm_scene_spring *)element)->now;
    const int count = s->k * s->rest > 0.0;
    double x[2][3] = {{0.0}};
    for (int i = 0; i < 2 && d && count; i++) {
        trm_point(pose, s->body[i], s->local[i], NULL, x[i], NULL);
    }
    if (d && count) {
        subtract(x[1], x[0], d[0]);
    }
    return count;
}

static const trm_key keys[] = {
    TRM_KEY("markers", MARKER_PAIR, trm_scene_force, marker, "The two ends.", .required = 1),
    TRM_KEY("stiffness", NUMBER, trm_scene_force, stiffness, "Tension per stretch.", TRM_VARIES(0),
            .range = TRM_NOT_NEGATIVE, .unit = "N/m", .fallback = "0"),
    TRM_KEY("damping", NUMBER, trm_scene_force, damping, "Tension per rate of length.",
            TRM_VARIES(1), .range = TRM_NOT_NEGATIVE, .unit = "N s/m", .fallback = "0"),
    TRM_KEY("rest_length", NUMBER, trm_scene_force, rest, "Length without tension, required.",
            .given = offsetof(trm_scene_force, rest_given), TRM_VARIES(2),
            .range = TRM_NOT_NEGATIVE, .unit = "m", .needs = "stiffness"),
    {.name = NULL},
};

static const trm_key_group groups[] = {{TRM_SOME, {"stiffness", "damping"}}, {0, {NULL}}};

const trm_force_kind trm_force_spring_damper = {
    .name = "spring_damper",
    .doc = "A linear spring and damper between two markers; no force while they coincide.",
    .keys = keys,
    .groups = groups,
    .size = sizeof(trm_scene_spring),
    .compile = compile,
    .apply = apply,
    .potential = potential,
    .power = power,
    .passive = 1,
    .effort = effort,
    .directions = directions,
};
