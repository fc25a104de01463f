#include "simulation/events/turning_ends.h"
#include "bodies/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// d of all directions at (t, z); d NULL: only counts them.
static int directions(const trm_model *model, const trm_pose *pose, double (*d)[3])
{
    int count = 0;
    for (int k = 0; k < model->ngroups; k++) {
        const trm_force_group *const group = &model->groups[k];
        for (int i = 0; group->kind->directions && i < group->n; i++) {
            const char *const element =
                (const char *)group->elements + (size_t)i * group->kind->size;
            count += group->kind->directions(element, pose, d ? d + count : NULL);
        }
    }
    return count;
}

void trm_turning_ends_layout(trm_turning_ends *ends, const trm_model *model, const trm_run *run,
                             trm_arena *arena)
{
    const int steps = !run->method_ops->steps_contacts && run->method_ops->dense;
    ends->n = steps ? directions(model, NULL, NULL) : 0;
    for (int i = 0; i < 2; i++) {
        ends->d[i] = trm_arena_take(arena, (size_t)ends->n, sizeof *ends->d[i]);
    }
    ends->inside = trm_arena_take(arena, (size_t)ends->n, sizeof *ends->inside);
    ends->z = trm_arena_doubles(arena, ends->n > 0 ? run->n : 0);
}

void trm_turning_ends_forget(trm_turning_ends *ends)
{
    ends->t[0] = ends->t[1] = NAN;
}

static void look(const trm_model *model, trm_run *run, double t, const double *z, double (*d)[3])
{
    const double *const v = z + run->system->nq;
    directions(model, trm_assembler_kinematics(run->system, t, z, v, v).pose, d);
}

/// Both ends of the step just taken: its beginning is the end of the last one, or of this one's try
/// before.
static void look_at_step(trm_turning_ends *ends, const trm_model *model, trm_run *run)
{
    if (ends->t[1] == run->before.t) {
        memcpy(ends->d[0], ends->d[1], (size_t)ends->n * sizeof *ends->d[0]);
    } else if (ends->t[0] != run->before.t) {
        look(model, run, run->before.t, run->before.z, ends->d[0]);
    }
    look(model, run, run->now.t, run->now.z, ends->d[1]);
    ends->t[0] = run->before.t;
    ends->t[1] = run->now.t;
}

/// Where the step is to be split for direction k. Halves lead to the interval in which it turns by
/// more than a right angle while it does not in either half of it. They end at the part s of the
/// step that is planned where a force of the wrong sign, s, weighs as much as rounding beside a
/// singular position, where linkages often meet, eps/s^2 (integrators/rk/stage_closing.h).
static double split(trm_turning_ends *ends, const trm_model *model, trm_run *run, int k)
{
    const double t0 = run->before.t, h = run->now.t - t0;
    const double planned = fmax(fmax(run->h_next, run->options.h), h);
    const double time = 16 * DBL_EPSILON * fabs(run->now.t); // two times closer than this are one
    const double least = fmax(cbrt(DBL_EPSILON) * planned, time) / h;
    double from = 0, to = 1, d_from[3], d_to[3];
    memcpy(d_from, ends->d[0][k], sizeof d_from);
    memcpy(d_to, ends->d[1][k], sizeof d_to);
    while (to - from > least) {
        const double middle = 0.5 * (from + to);
        if (run->method_ops->dense(run, t0 + middle * h, ends->z)) {
            return INFINITY;
        }
        look(model, run, t0 + middle * h, ends->z, ends->inside);
        const double *const d = ends->inside[k];
        if (dot(d_from, d) < 0) {
            to = middle;
            memcpy(d_to, d, sizeof d_to);
        } else if (dot(d, d_to) < 0) {
            from = middle;
            memcpy(d_from, d, sizeof d_from);
        } else {
            break;
        }
    }
    return from > 0 ? t0 + from * h : to < 1 ? t0 + to * h : INFINITY;
}

double trm_turning_ends_split(trm_turning_ends *ends, const trm_model *model, trm_run *run,
                              int *moved)
{
    double first = INFINITY;
    *moved = 0;
    if (ends->n == 0) {
        return first;
    }
    look_at_step(ends, model, run);
    for (int k = 0; k < ends->n; k++) {
        if (dot(ends->d[0][k], ends->d[1][k]) < 0) {
            first = fmin(first, split(ends, model, run, k));
            *moved = 1;
        }
    }
    return first;
}
