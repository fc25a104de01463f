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
            const char *const one = (const char *)group->elements + (size_t)i * group->kind->size;
            count += group->kind->directions(one, pose, d ? d + count : NULL);
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
    ends->t = NAN;
}

double trm_turning_ends_farthest(const trm_turning_ends *ends)
{
    double most = 0;
    for (int k = 0; k < ends->n && isfinite(ends->t); k++) {
        most = fmax(most, dot(ends->d[1][k], ends->d[1][k]));
    }
    return sqrt(most);
}

static void look(const trm_model *model, trm_run *run, double t, const double *z, double (*d)[3])
{
    const double *const v = z + run->system->nq;
    directions(model, trm_assembler_kinematics(run->system, t, z, v, v).pose, d);
}

/// Both ends of the step just taken: its beginning may be the end of the last one.
static void look_at_step(trm_turning_ends *ends, const trm_model *model, trm_run *run)
{
    if (ends->t == run->before.t) {
        memcpy(ends->d[0], ends->d[1], (size_t)ends->n * sizeof *ends->d[0]);
    } else {
        look(model, run, run->before.t, run->before.z, ends->d[0]);
    }
    look(model, run, run->now.t, run->now.z, ends->d[1]);
    ends->t = run->now.t;
}

/// Where the step is to be split for direction k. Halves lead to the interval in which it turns by
/// more than a right angle while it does not in either half of it. They end at the part s of the
/// step that is planned where a force of the wrong sign, s, weighs as much as rounding beside a
/// singular position, where linkages often meet, eps/s^2 (integrators/rk/stage_closing.h). A step
/// GROWTH times longer than that over a turn has one stage in its tail, which no estimate sees.
static double split(trm_turning_ends *ends, const trm_model *model, trm_run *run, int k)
{
    enum { GROWTH = 6 }; // of steps, as controllers allow
    const double t0 = run->before.t, h = run->now.t - t0;
    const double planned = fmax(fmax(run->h_next, run->options.h), h);
    const double time = 16 * DBL_EPSILON * fabs(run->now.t); // two times closer than this are one
    const double least = fmax(cbrt(DBL_EPSILON) * planned, time) / h;
    double end[2] = {0, 1}, d[2][3];
    if (h <= time) {
        return INFINITY; // the step over the turn, which is too short for the next one
    }
    memcpy(d[0], ends->d[0][k], sizeof d[0]);
    memcpy(d[1], ends->d[1][k], sizeof d[1]);
    for (int side = 0; side >= 0 && end[1] - end[0] > least;) {
        const double middle = 0.5 * (end[0] + end[1]);
        if (run->method_ops->dense(run, t0 + middle * h, ends->z)) {
            return INFINITY;
        }
        look(model, run, t0 + middle * h, ends->z, ends->inside);
        side = dot(d[0], ends->inside[k]) < 0 ? 1 : dot(ends->inside[k], d[1]) < 0 ? 0 : -1;
        if (side >= 0) {
            end[side] = middle;
            memcpy(d[side], ends->inside[k], sizeof d[side]);
        }
    }
    const double over = end[1] - end[0], c = dot(d[0], d[1]);
    const double straight = (1 - sqrt(DBL_EPSILON)) * dot(d[0], d[0]) * dot(d[1], d[1]);
    if (c * c < straight) { // forces beside the turn are others than far from it
        run->h_next = fmin(run->h_next, h);
        end[0] -= over > least && end[0] > GROWTH * over ? end[0] / GROWTH : 0;
    }
    return end[0] > 0 ? t0 + end[0] * h : end[1] < 1 ? t0 + end[1] * h : INFINITY;
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
