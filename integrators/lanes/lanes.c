#include "integrators/lanes/lanes.h"
#include "base/rank_numbers.h"
#include "base/subnormals.h"
#include "integrators/rk/stage_closing.h"

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

// ------------------------------------------------------------------------------------------ slots

/// The shape of those that sit; NULL without any.
static const trm_lane_shape *shape_of_all(const trm_lane_slots *slots)
{
    for (int l = 0; l < slots->ops->width; l++) {
        if (slots->slot[l].model) {
            return &slots->slot[l].shape;
        }
    }
    return NULL;
}

const char *trm_lane_slots_take(trm_lane_slots *slots, int slot, const trm_model *model,
                                const trm_run *run)
{
    trm_lane_slot *const own = &slots->slot[slot];
    if (model && own->model == model && own->stabilization == run->stabilization) {
        return NULL;
    }
    *own = (trm_lane_slot){0};
    if (!model) {
        return NULL;
    }
    const char *const refusal = trm_lane_refusal(model, run);
    if (refusal) {
        return refusal;
    }
    const trm_lane_shape shape = trm_lane_shape_of(model, run);
    const trm_lane_shape *const others = shape_of_all(slots);
    if (others && !trm_lane_shapes_agree(others, &shape)) {
        return "its structure is another one than that of the runs beside it";
    }
    if (!others) {
        trm_lane_slots_close(slots);
        slots->group = slots->ops->create(&shape);
    }
    if (!slots->group) {
        return "memory is short";
    }
    *own = (trm_lane_slot){.model = model, .stabilization = run->stabilization, .shape = shape};
    slots->ops->take(slots->group, slot, &shape);
    return NULL;
}

void trm_lane_slots_close(trm_lane_slots *slots)
{
    if (slots->group) {
        slots->ops->destroy(slots->group);
        slots->group = NULL;
    }
}

// ----------------------------------------------------------------------------------------- arrays

/// Where the arrays of a trial lie in its run. (The two ends of a step change places.)
static void set_arrays(trm_lane_slots *slots, int lane)
{
    const trm_lane_slot *slot = &slots->slot[lane];
    const trm_trial *trial = &slot->trial;
    const trm_run *run = slot->run;
    trm_system *system = run->system;
    trm_solver *solver = &system->solver;
    const trm_planar_place place = trm_system_place(system);
    trm_lane_arrays *const at = slots->at;
    at[TRM_LANE_Y][lane] = (double *)trial->y; // read only
    at[TRM_LANE_ARGUMENT][lane] = trial->argument;
    at[TRM_LANE_END][lane] = trial->end;
    at[TRM_LANE_LAMBDA][lane] = run->before.lambda;
    at[TRM_LANE_SCALE][lane] = solver->scale[0];
    at[TRM_LANE_EXTENT][lane] = run->extent.g;
    at[TRM_LANE_X][lane] = place.x;
    at[TRM_LANE_HEIGHT][lane] = place.y;
    at[TRM_LANE_ANGLE][lane] = place.angle;
    at[TRM_LANE_COSINE][lane] = place.c;
    at[TRM_LANE_SINE][lane] = place.s;
    at[TRM_LANE_G][lane] = place.g;
    at[TRM_LANE_MOMENTS][lane] = place.m;
    at[TRM_LANE_S][lane] = solver->S;
    at[TRM_LANE_PIVOT][lane] = solver->pivot;
    at[TRM_LANE_INVERSE][lane] = solver->inverse_pivot;
    at[TRM_LANE_D][lane] = solver->D;
    for (int s = 0; s <= trial->stages; s++) {
        at[TRM_LANE_K + s][lane] = trial->k[s];
    }
}

/// One array of all lanes of this round.
static void load(trm_lane_slots *slots, int place)
{
    slots->ops->load(slots->group, place, place, slots->at, slots->absent);
}

/// Of the lanes whose bit is not set in `but`.
static void store(trm_lane_slots *slots, int first, int last, unsigned but)
{
    slots->ops->store(slots->group, first, last, slots->at, but | slots->absent);
}

// ----------------------------------------------------------------------------------------- trials

static void count(const trm_system *system, long counted[3])
{
    counted[0] = system->force_evals;
    counted[1] = system->jacobian_evals;
    counted[2] = system->factorizations;
}

static void count_again(trm_system *system, const long counted[3])
{
    system->force_evals = counted[0];
    system->jacobian_evals = counted[1];
    system->factorizations = counted[2];
}

/// The run takes part in this round if its method is that of `other` (NULL: any).
static int begin(trm_lane_slots *slots, int lane, const trm_lane_rider *rider,
                 const trm_lane_slot *other)
{
    trm_run *const run = rider->run;
    trm_lane_slot *const slot = &slots->slot[lane];
    slot->run = NULL;
    if (!run || !slot->model || run->stabilization != slot->stabilization ||
        (other && (run->method_ops != other->run->method_ops ||
                   trm_lane_passes(run) != trm_lane_passes(other->run))) ||
        trm_null_is_used(run->system->solver.null.used)) {
        return 0;
    }
    run->method_ops->trial(run, rider->t_limit, &slot->trial);
    if (trm_stage_closing_closes_end(run)) {
        return 0;
    }
    slot->run = run;
    slot->weakest = rider->weakest;
    slot->known = slot->trial.stages;
    slot->alone = 0;
    set_arrays(slots, lane);
    count(run->system, slot->counted);
    return 1;
}

/// Below this ratio a stage is the run's own: it may need damping, or is near a singular position.
static double least_ratio(const trm_run *run)
{
    return TRM_WELL * run->system->solver.delta < TRM_REGULAR ? TRM_REGULAR : INFINITY;
}

static void set_round(const trm_lane_slots *slots, const trm_lane_slot *any, trm_lane_round *round)
{
    *round = (trm_lane_round){.stages = any->trial.stages, .passes = trm_lane_passes(any->run)};
    for (int l = 0; l < slots->ops->width; l++) {
        const trm_lane_slot *const slot = slots->slot[l].run ? &slots->slot[l] : any;
        round->h[l] = slot->trial.h;
        round->least[l] = least_ratio(slot->run);
        round->delta[l] = slot->run->system->solver.delta;
        round->row_size[l] = slot->run->row_size;
        round->alpha[l] = slot->run->options.post.alpha;
    }
}

/// Whether forces come from the runs, lane by lane: servos, formulas.
static int asks_for_forces(const trm_lane_slot *slot)
{
    return slot->shape.forces == TRM_FORCES_OF_RUNS;
}

/// M^-1 f and the power at (t, z), into dz. Returns a system's code.
static int find_forces(const trm_lane_slot *slot, double t, const double *z, double *dz)
{
    trm_system *system = slot->run->system;
    const int code = trm_system_position(system, t, z);
    return code ? code
                : trm_system_free_acceleration(system, z + system->nq, dz + system->nq,
                                               &dz[slot->shape.n - 1]);
}

/// Those at (t, array `place`), into k_s. Returns the lanes that have none.
static unsigned find_all_forces(trm_lane_slots *slots, int s, int place)
{
    unsigned none = 0;
    store(slots, place, place, 0);
    for (int l = 0; l < slots->ops->width; l++) {
        const trm_lane_slot *const slot = &slots->slot[l];
        const trm_trial *const trial = &slot->trial;
        if (slot->run) {
            const double t = s == trial->stages ? trial->t_end : trial->t + trial->c[s] * trial->h;
            long counted[3];
            count(slot->run->system, counted);
            none |= (unsigned)(find_forces(slot, t, slots->at[place][l], trial->k[s]) != 0) << l;
            count_again(slot->run->system, counted);
        }
    }
    load(slots, TRM_LANE_K + s);
    return none;
}

/// What evaluations of the run count: forces, and positions and factorizations of loops.
static void add_counts(const trm_lane_slot *slot, int forces, int positions, int factorizations)
{
    trm_system *system = slot->run->system;
    system->force_evals += forces;
    system->jacobian_evals += positions;
    system->factorizations += factorizations;
}

/// The stage of one lane by its run.
static int find_alone(trm_lane_slots *slots, int lane, int stage)
{
    trm_lane_slot *const slot = &slots->slot[lane];
    const trm_trial *trial = &slot->trial;
    long counted[3];
    count(slot->run->system, counted);
    slots->ops->get(slots->group, TRM_LANE_ARGUMENT, lane, trial->argument);
    const double t = trial->t + trial->c[stage] * trial->h;
    if (trial->rates(slot->run, t, trial->argument, trial->k[stage])) {
        count_again(slot->run->system, counted); // the step asks again
        return 0;
    }
    slots->ops->put(slots->group, TRM_LANE_K + stage, lane, trial->k[stage]);
    slot->alone++;
    return 1;
}

/// Stage s of the lanes that are not `lost`: those whose runs could not compute a stage. Returns
/// these.
static unsigned find_stage(trm_lane_slots *slots, const trm_lane_slot *any, int s,
                           const trm_lane_round *round, unsigned lost)
{
    unsigned alone = 0;
    slots->ops->sum(slots->group, &any->shape, &any->trial.row[s], round);
    if (asks_for_forces(any)) {
        alone = find_all_forces(slots, s, TRM_LANE_ARGUMENT);
    }
    alone = (alone | slots->ops->stage(slots->group, &any->shape, s, round)) & ~lost;
    for (int l = 0; alone >> l != 0; l++) {
        trm_lane_slot *const slot = &slots->slot[l];
        if ((alone >> l & 1) && slot->run && !find_alone(slots, l, s)) {
            slot->known = s;
            lost |= 1U << l;
        }
    }
    return lost;
}

/// Stages of all lanes. Returns the lanes that have not got all.
static unsigned find_stages(trm_lane_slots *slots, const trm_lane_slot *any,
                            const trm_lane_round *round)
{
    unsigned lost = 0;
    for (int s = 1; s < round->stages; s++) {
        lost = find_stage(slots, any, s, round, lost);
    }
    for (int l = 0; l < slots->ops->width; l++) {
        trm_lane_slot *const slot = &slots->slot[l];
        if (slot->run) {
            const int together = slot->known - 1 - slot->alone;
            add_counts(slot, together, together, together);
        }
    }
    return lost;
}

/// The ends of all lanes whose stages are known. Returns bits of the lanes that find their own.
static unsigned find_end(trm_lane_slots *slots, const trm_lane_slot *any, trm_lane_round *round,
                         unsigned lost)
{
    unsigned but = lost;
    slots->ops->sum(slots->group, &any->shape, &any->trial.row[round->stages], round);
    but |= slots->ops->correct(slots->group, &any->shape, round);
    if (asks_for_forces(any)) {
        but |= find_all_forces(slots, round->stages, TRM_LANE_END);
    }
    but |= slots->ops->end(slots->group, &any->shape, round);
    slots->ops->measure(slots->group, &any->shape, round);
    store(slots, TRM_LANE_END, TRM_LANE_MOMENTS, but);
    store(slots, TRM_LANE_K + round->stages, TRM_LANE_K + round->stages, but);
    store(slots, TRM_LANE_S, TRM_LANE_D, but);
    return but;
}

/// Weakest directions at the ends of the lanes whose bit is not set in `but`.
static void find_weakest(trm_lane_slots *slots, const trm_lane_slot *any, unsigned but,
                         trm_lane_round *round)
{
    unsigned others = 0;
    for (int l = 0; l < slots->ops->width; l++) {
        const trm_lane_slot *const slot = &slots->slot[l];
        others |= (unsigned)!(slot->run && slot->weakest) << l;
        slots->at[TRM_LANE_W][l] = (double *)slot->weakest; // read only
    }
    if (others == (1U << slots->ops->width) - 1) {
        return;
    }
    slots->ops->load(slots->group, TRM_LANE_W, TRM_LANE_W, slots->at, others);
    slots->ops->iterate(slots->group, &any->shape, round);
    for (int l = 0; l < slots->ops->width; l++) {
        trm_found *const found = slots->slot[l].run ? &slots->slot[l].run->system->found : NULL;
        slots->at[TRM_LANE_W][l] = found ? found->w : NULL;
        slots->at[TRM_LANE_GT_W][l] = found ? found->f : NULL;
        slots->at[TRM_LANE_U][l] = found ? found->u : NULL;
    }
    store(slots, TRM_LANE_W, TRM_LANE_U, but | others);
}

/// What the steps read of the stages: an adaptive step all, of other runs those that find their own
/// end.
static void store_stages(trm_lane_slots *slots, const trm_lane_slot *any, unsigned but)
{
    const int adaptive = any->run->method_ops->adaptive;
    const unsigned read_by = adaptive ? ~0U : but;
    if (read_by & ~slots->absent) {
        store(slots, TRM_LANE_K + 1, TRM_LANE_K + any->trial.stages - 1, ~read_by);
    }
    if (adaptive) {
        store(slots, TRM_LANE_ARGUMENT, TRM_LANE_ARGUMENT, but); // what was corrected
    }
}

/// What the system finds when it comes to the end.
static void set_found(const trm_lane_slot *slot, int lane, const trm_lane_round *round)
{
    trm_found *const found = &slot->run->system->found;
    found->position = round->position[lane];
    found->position_row = (int)round->row[lane];
    found->velocity = round->velocity[lane];
    found->gap = round->gap[lane];
    found->rate = round->rate[lane];
    found->rate_row = (int)round->rate_row[lane];
    found->load = round->load[lane];
    found->energies = slot->shape.forces != TRM_FORCES_OF_RUNS;
    found->kinetic = round->kinetic[lane];
    found->potential = round->potential[lane];
    found->iterated = slot->weakest != NULL;
    found->sigma = round->sigma[lane];
    found->along = round->along[lane];
    found->before = round->before[lane];
}

/// The run gets what has been found; its step counts it.
static void hand_over(trm_lane_slot *slot, int lane, int with_end, const trm_lane_round *round)
{
    trm_system *system = slot->run->system;
    trm_handed *const to = slot->trial.handed;
    long counted[3];
    if (with_end) { // the step makes the end the current point by itself
        const int corrections = (round->passes > 0) + (int)(round->again >> lane & 1);
        add_counts(slot, 1, round->passes, 1 + corrections);
        system->solver.ratio_min = round->ratio[lane];
        system->solver.damped = 0;
        set_found(slot, lane, round);
    }
    count(system, counted);
    *to = (trm_handed){.h = slot->trial.h, .stages = slot->known, .end = with_end};
    for (int i = 0; i < 3; i++) {
        to->evals[i] = counted[i] - slot->counted[i];
    }
    count_again(system, slot->counted);
}

static void find_all(trm_lane_slots *slots, const trm_lane_slot *any)
{
    trm_lane_round round;
    unsigned but = ~0U;
    set_round(slots, any, &round);
    load(slots, TRM_LANE_Y);
    load(slots, TRM_LANE_K);
    load(slots, TRM_LANE_EXTENT);
    load(slots, TRM_LANE_SCALE);
    const unsigned lost = find_stages(slots, any, &round);
    if (round.passes >= 0) {
        but = find_end(slots, any, &round, lost);
        find_weakest(slots, any, but, &round);
    }
    store_stages(slots, any, but);
    for (int l = 0; l < slots->ops->width; l++) {
        if (slots->slot[l].run) {
            hand_over(&slots->slot[l], l, !(but >> l & 1), &round);
        }
    }
}

void trm_lane_slots_prepare(trm_lane_slots *slots, const trm_lane_rider *rider)
{
    const trm_lane_slot *any = NULL;
    int n = 0;
    slots->absent = 0;
    for (int l = 0; l < slots->ops->width; l++) {
        if (begin(slots, l, &rider[l], any)) {
            any = any ? any : &slots->slot[l];
            n++;
        } else {
            slots->absent |= 1U << l;
        }
    }
    if (n >= 2) { // a run alone is as quick without
        const unsigned mode = trm_subnormals_flush();
        find_all(slots, any);
        trm_subnormals_restore(mode);
    }
}
