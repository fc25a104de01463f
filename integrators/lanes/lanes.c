#include "integrators/lanes/lanes.h"
#include "engine/base/rank_numbers.h"
#include "engine/base/subnormals.h"

#include <math.h>
#include <string.h>

const trm_lane_ops *trm_lane_ops_of(int width)
{
    const int most = width > 0 ? width : TRM_MOST_LANES;
#ifdef __x86_64__
    if (most >= 8 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
        return &trm_lane_width_8;
    }
    if (most >= 4 && __builtin_cpu_supports("avx2")) {
        return &trm_lane_width_4;
    }
#endif
    return most >= 2 ? &trm_lane_width_2 : NULL;
}

// ------------------------------------------------------------------------------------------ seats

/// The shape of those that sit; NULL without any.
static const trm_lane_shape *shape_of_all(const trm_seats *seats)
{
    for (int l = 0; l < seats->ops->width; l++) {
        if (seats->seat[l].model) {
            return &seats->seat[l].shape;
        }
    }
    return NULL;
}

const char *trm_seats_take(trm_seats *seats, int seat, const trm_model *model, const trm_run *run)
{
    trm_lane_seat *const own = &seats->seat[seat];
    if (model && own->model == model && own->stabilization == run->stabilization) {
        return NULL;
    }
    *own = (trm_lane_seat){0};
    if (!model) {
        return NULL;
    }
    const char *const refusal = trm_lane_refusal(model, run);
    if (refusal) {
        return refusal;
    }
    const trm_lane_shape shape = trm_lane_shape_of(model, run);
    const trm_lane_shape *const others = shape_of_all(seats);
    if (others && !trm_lane_shapes_agree(others, &shape)) {
        return "its structure is another one than that of the runs beside it";
    }
    if (!others) {
        trm_seats_close(seats);
        seats->group = seats->ops->create(&shape);
    }
    if (!seats->group) {
        return "memory is short";
    }
    *own = (trm_lane_seat){.model = model, .stabilization = run->stabilization, .shape = shape};
    seats->ops->take(seats->group, seat, &shape);
    return NULL;
}

void trm_seats_close(trm_seats *seats)
{
    if (seats->group) {
        seats->ops->destroy(seats->group);
        seats->group = NULL;
    }
}

// ----------------------------------------------------------------------------------------- trials

/// The run takes part in this round, with its state, if its method is that of `other` (NULL: any).
static int begin(trm_seats *seats, int lane, trm_run *run, double t_limit,
                 const trm_lane_seat *other)
{
    trm_lane_seat *const seat = &seats->seat[lane];
    seat->run = NULL;
    if (!run || !seat->model || (other && run->method_ops != other->run->method_ops) ||
        run->stabilization != seat->stabilization || run->system->solver.null.used.parts > 0 ||
        !trm_trial_begin(run, t_limit, &seat->trial)) {
        return 0;
    }
    seat->run = run;
    seat->known = 1;
    seats->ops->begin(seats->group, lane, seat->trial.y, seat->trial.k[0],
                      seat->shape.reduced ? NULL : run->system->solver.scale[0]);
    return 1;
}

/// Below this ratio a stage is the run's own: it may need damping, or is near a singular position.
static double least_ratio(const trm_run *run)
{
    return TRM_WELL * run->system->solver.delta < TRM_REGULAR ? TRM_REGULAR : INFINITY;
}

/// What an evaluation of the run counts.
static void count(const trm_lane_seat *seat)
{
    trm_system *system = seat->run->system;
    system->force_evals++;
    system->jacobian_evals += !seat->shape.reduced;
    system->factorizations += !seat->shape.reduced;
}

/// The stage of one lane by its run.
static int find_alone(trm_seats *seats, int lane, int stage)
{
    trm_lane_seat *const seat = &seats->seat[lane];
    trm_system *system = seat->run->system;
    const long counted[3] = {system->force_evals, system->jacobian_evals, system->factorizations};
    seats->ops->argument(seats->group, lane, seat->trial.argument);
    if (trm_trial_rates(seat->run, &seat->trial, stage)) {
        system->force_evals = counted[0]; // the step asks again
        system->jacobian_evals = counted[1];
        system->factorizations = counted[2];
        return 0;
    }
    seats->ops->put(seats->group, lane, stage, seat->trial.k[stage]);
    return 1;
}

/// Stage s of all lanes.
static void find_stage(trm_seats *seats, const trm_lane_seat *any, int s, const double *least)
{
    double h[TRM_MOST_LANES] = {0};
    for (int l = 0; l < seats->ops->width; l++) {
        h[l] = seats->seat[l].run ? seats->seat[l].trial.h : 0;
    }
    const unsigned alone =
        seats->ops->stage(seats->group, &any->shape, &any->trial.row[s], s, h, least);
    for (int l = 0; l < seats->ops->width; l++) {
        trm_lane_seat *const seat = &seats->seat[l];
        if (!seat->run || seat->known != s) {
            continue;
        }
        if (alone >> l & 1) {
            seat->known += find_alone(seats, l, s);
        } else {
            seats->ops->get(seats->group, l, s, seat->trial.k[s]);
            count(seat);
            seat->known++;
        }
    }
}

void trm_seats_look_ahead(trm_seats *seats, trm_run *const *run, const double *t_limit)
{
    double least[TRM_MOST_LANES] = {0};
    const trm_lane_seat *any = NULL;
    int n = 0;
    for (int l = 0; l < seats->ops->width; l++) {
        if (begin(seats, l, run[l], t_limit[l], any)) {
            any = any ? any : &seats->seat[l];
            least[l] = least_ratio(run[l]);
            n++;
        }
    }
    if (n < 2) {
        return; // a run alone is as quick without
    }
    const unsigned mode = trm_subnormals_flush();
    for (int s = 1; s < any->trial.stages; s++) {
        find_stage(seats, any, s, least);
    }
    trm_subnormals_restore(mode);
    for (int l = 0; l < seats->ops->width; l++) {
        if (seats->seat[l].run) {
            trm_trial_end(seats->seat[l].run, &seats->seat[l].trial, seats->seat[l].known);
        }
    }
}
