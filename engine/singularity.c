#include "engine/singularity.h"
#include "engine/loops.h"
#include "engine/passage.h"
#include "engine/rho.h"
#include "integrators/jump.h"

#include <math.h>
#include <string.h>

static void seen_layout(trm_seen *seen, const trm_run *run, trm_arena *arena)
{
    seen->z = trm_arena_doubles(arena, run->n);
    seen->dz = trm_arena_doubles(arena, run->n);
    seen->qdd = trm_arena_doubles(arena, run->system->nq);
    seen->ratio = trm_arena_doubles(arena, run->system->nc);
    seen->jump = trm_arena_doubles(arena, run->system->nv);
}

void trm_monitor_layout(trm_monitor *monitor, const trm_run *run, trm_arena *arena)
{
    monitor->pivot_max = trm_arena_doubles(arena, run->system->nc);
    monitor->log_ratio = trm_arena_doubles(arena, run->system->nc);
    monitor->mean = trm_arena_doubles(arena, run->system->nc);
    monitor->unit = run->usual_ratio;
    monitor->root_mass = trm_arena_doubles(arena, run->system->nv);
    monitor->involved = trm_arena_take(arena, (size_t)run->system->nv, 1);
    monitor->concerned = trm_arena_take(arena, (size_t)run->system->nv, 1);
    monitor->step_jump = trm_arena_doubles(arena, run->system->nv);
    monitor->at_once = trm_arena_doubles(arena, run->system->nv);
    monitor->passage.jump = trm_arena_doubles(arena, run->system->nv);
    monitor->passage.fine = trm_arena_doubles(arena, run->system->nv);
    monitor->passage.since = trm_arena_doubles(arena, run->system->nv);
    monitor->probe = trm_arena_doubles(arena, run->system->nq);
    monitor->turned = trm_arena_doubles(arena, run->system->nq);
    trm_passport_layout(&monitor->passport, run->system->nc, arena);
    seen_layout(&monitor->older, run, arena);
    seen_layout(&monitor->before, run, arena);
    seen_layout(&monitor->now, run, arena);
    seen_layout(&monitor->safe, run, arena);
    seen_layout(&monitor->turn, run, arena);
    seen_layout(&monitor->last, run, arena);
}

/// q'' = N a + N' v; N' v by a central difference along q', which is exact for quaternions.
static void second_derivative(const trm_monitor *monitor, const trm_run *run, trm_seen *seen)
{
    const double tau = 1e-4;
    trm_system *system = run->system;
    const int nq = system->nq;
    const double *v = seen->z + nq;
    trm_system_rates(system, seen->z, seen->dz + nq, seen->qdd);
    for (int side = -1; side <= 1 && nq != system->nv; side += 2) {
        for (int i = 0; i < nq; i++) {
            monitor->probe[i] = seen->z[i] + side * tau * seen->dz[i];
        }
        trm_system_rates(system, monitor->probe, v, monitor->turned);
        for (int i = 0; i < nq; i++) {
            seen->qdd[i] += side * monitor->turned[i] / (2 * tau);
        }
    }
}

/// Rows that are neither redundant everywhere nor dependent at the point just factored.
static int rank_here(const trm_monitor *monitor, const trm_system *system)
{
    const double low = trm_rho_dependent * monitor->rho_max;
    int rank = 0;
    for (int i = 0; i < system->nc; i++) {
        rank += monitor->pivot_max[i] > trm_redundant &&
                !(system->solver.ratio[i] < low * monitor->pivot_max[i]);
    }
    return rank;
}

static void copy_seen(const trm_monitor *monitor, const trm_run *run, double rho, trm_seen *to)
{
    const trm_point_of_run *now = &run->now;
    to->t = now->t;
    to->rho = rho;
    to->balance = monitor->balance;
    to->rank = rank_here(monitor, run->system);
    to->rcond = trm_monitor_rho(monitor, run->system);
    trm_rho_keep(monitor, &run->system->solver, to);
    memcpy(to->z, now->z, (size_t)run->n * sizeof(double));
    memcpy(to->dz, now->dz, (size_t)run->n * sizeof(double));
    second_derivative(monitor, run, to);
}

static void copy_point(const trm_run *run, const trm_seen *from, trm_seen *to)
{
    to->t = from->t;
    to->rho = from->rho;
    to->balance = from->balance;
    to->rank = from->rank;
    to->rcond = from->rcond;
    memcpy(to->z, from->z, (size_t)run->n * sizeof(double));
    memcpy(to->dz, from->dz, (size_t)run->n * sizeof(double));
}

/// Until more is known.
static void has_not_jumped(const trm_monitor *monitor, trm_seen *seen)
{
    trm_jump_clear(monitor, seen->jump);
    seen->t_from = seen->t;
}

static double rho_now(trm_monitor *monitor, trm_run *run)
{
    if (monitor->must_factor) {
        trm_system_factor(run->system, TRM_METRIC_MASS);
    }
    return trm_rho_of(monitor, run->system, run->now.t);
}

/// Rows whose pivot is not that of a redundant row.
static int rank_of(const trm_monitor *monitor, const trm_system *system)
{
    int rank = 0;
    for (int i = 0; i < system->nc; i++) {
        rank += monitor->pivot_max[i] > trm_redundant;
    }
    return rank;
}

int trm_monitor_rank(const trm_monitor *monitor, const trm_system *system)
{
    return monitor->active ? rank_of(monitor, system) : system->nc;
}

int trm_monitor_doubts_start(const trm_monitor *monitor, const trm_run *run)
{
    return monitor->active && rank_of(monitor, run->system) < run->system->nc;
}

/// At rest, bodies involved: |v|^2 is next to nothing against the size of the mechanism times M^-1 f, what the mechanism would do unconstrained.
static int at_rest(const trm_monitor *monitor, trm_run *run)
{
    const double rest = 1e-12;
    trm_system *system = run->system;
    const double *v = run->now.z + system->nq;
    double *a = monitor->turned; // [nq >= nv]
    double power = 0;
    double size = 0;
    if (trm_system_force(system, v, a, &power)) {
        return 0;
    }
    trm_system_solve_M(system, a);
    for (int i = 0; i < system->nv; i++) {
        const double own = monitor->root_mass[i] * run->extent.v[i];
        size = monitor->involved[i] ? fmax(size, own) : size;
    }
    const double speed = trm_passage_speed(monitor, run, v);
    return !(speed * speed > rest * trm_passage_speed(monitor, run, a) * size);
}

void trm_monitor_judge_start(trm_monitor *monitor, trm_run *run)
{
    trm_passport *passport = &monitor->passport;
    const trm_point_of_run *now = &run->now;
    if (trm_system_position(run->system, now->t, now->z) ||
        trm_system_factor(run->system, TRM_METRIC_MASS)) {
        return;
    }
    // pivots are still small at a position nearby, damping leaves 1e-10 of itself here
    trm_passport_note(passport, run->system, now->t, monitor->pivot_max, trm_redundant,
                      trm_rho_regular);
    trm_passage_find_involved(monitor, run->system);
    trm_passport_met(passport, 0, at_rest(monitor, run));
    passport->kept[0].rank_after = passport->kept[0].rank_before;
    passport->kept[0].rank_before = 0;
    trm_rho_note(monitor, trm_monitor_rho(monitor, run->system), now->t);
    trm_rho_keep(monitor, &run->system->solver, &monitor->now);
    trm_rho_measure(monitor, run->system->nc, &monitor->now);
    monitor->now.rcond = trm_monitor_rho(monitor, run->system);
    monitor->crossings = 1;
    monitor->t_crossing = now->t;
    monitor->inside = 1;
}

void trm_monitor_forget(trm_monitor *monitor, trm_run *run)
{
    memset(monitor->pivot_max, 0, (size_t)run->system->nc * sizeof(double));
    memset(run->usual, 0, (size_t)run->system->nv * sizeof(double));
}

void trm_monitor_start(trm_monitor *monitor, trm_run *run)
{
    const trm_point_of_run *now = &run->now;
    monitor->must_factor = run->unfactored;
    run->t_dip = NAN;
    monitor->count = 0;
    monitor->crossings = 0;
    monitor->resolved = 0;
    monitor->branch_changes = 0;
    monitor->first_branch_change = NAN;
    trm_passport_start(&monitor->passport);
    monitor->t_crossing = -INFINITY;
    monitor->pending = 0;
    monitor->inside = 0;
    monitor->rho_min = 1;
    monitor->t_rho_min = now->t;
    monitor->rho_max = 0;
    monitor->safe.t = INFINITY;
    monitor->turn.t = INFINITY;
    monitor->turn.rho = 0;
    monitor->older.t = INFINITY;
    memset(monitor->log_ratio, 0, (size_t)run->system->nc * sizeof(double));
    for (int i = 0; i < run->system->nc; i++) {
        monitor->mean[i] = INFINITY; // nothing is usual yet
    }
    monitor->way = 0;
    if (!monitor->active) {
        return;
    }
    trm_system_mass_diagonal(run->system, monitor->root_mass);
    for (int i = 0; i < run->system->nv; i++) {
        monitor->root_mass[i] = sqrt(monitor->root_mass[i]);
    }
    const double rho = rho_now(monitor, run);
    monitor->rho_max = rho;
    copy_seen(monitor, run, rho, &monitor->now);
    copy_point(run, &monitor->now, &monitor->last);
    has_not_jumped(monitor, &monitor->now);
    trm_passage_begin(monitor);
    monitor->count = 1;
    trm_speeds_start(run, monitor->root_mass);
}

/// Shift the memory by one point; what falls out of it may serve as the safe one.
static void shift(trm_monitor *monitor)
{
    trm_seen spare = monitor->older;
    if (monitor->count > 2 && trm_seen_is_far(monitor, &monitor->older)) {
        spare = monitor->safe;
        monitor->safe = monitor->older;
    }
    monitor->older = monitor->before;
    monitor->before = monitor->now;
    monitor->now = spare;
}

/// Whether rho has a minimum at `before` whose bottom may lie inside the steps around it, and has not been
/// found there.
static int minimum_passed(const trm_monitor *monitor)
{
    const int known = monitor->t_crossing > monitor->older.t;
    const double older = monitor->older.rho;
    const double before = monitor->before.rho;
    const double now = monitor->now.rho;
    return monitor->count > 2 && !known && before < 0.7 * monitor->rho_max && before <= older &&
           before <= now && fmax(older, now) > 1.1 * before;
}

/// A minimum between accepted points.
static void look_around(trm_monitor *monitor, trm_run *run)
{
    double t[3] = {monitor->older.t, monitor->before.t, monitor->now.t};
    double r[3] = {monitor->older.rho, monitor->before.rho, monitor->now.rho};
    if (trm_rho_minimize(monitor, run, t, r) < trm_rho_singular * monitor->rho_max) {
        trm_passage_cross(monitor, run, t[1]);
    }
}

/// Whether the stages have rho low in the last step, clear of its ends: a zero next to one of them is judged
/// as a point in the dip, or as the minimum of three points.
static int dip_passed(const trm_monitor *monitor, const trm_run *run)
{
    const double clear = trm_rho_regular * monitor->rho_max;
    const double t = run->t_dip;
    return monitor->count > 2 && t > monitor->before.t && t < monitor->now.t &&
           !(monitor->t_crossing > monitor->before.t) && monitor->before.rho > clear &&
           monitor->now.rho > clear;
}

/// A zero within the last step that the points on both sides do not show: rho may rise to it, or fall.
static void look_inside(trm_monitor *monitor, trm_run *run)
{
    double t[3] = {monitor->before.t, run->t_dip, monitor->now.t};
    double r[3] = {monitor->before.rho, trm_rho_at(monitor, run, t[1]), monitor->now.rho};
    if (r[1] < fmin(r[0], r[2]) &&
        trm_rho_minimize(monitor, run, t, r) < trm_rho_singular * monitor->rho_max) {
        trm_passage_cross(monitor, run, t[1]);
    }
}

/// sqrt(rho) falls in a straight line and rises again behind its zero: whether the last two points let it
/// reach zero in the last step, or nearly.
static int may_lie_behind(const trm_monitor *monitor)
{
    const double s0 = sqrt(monitor->older.rho);
    const double s1 = sqrt(monitor->before.rho);
    const double h0 = monitor->before.t - monitor->older.t;
    const double h1 = monitor->now.t - monitor->before.t;
    const int judged = monitor->inside || monitor->t_crossing > monitor->before.t;
    return monitor->count > 2 && !judged && monitor->now.rho <= monitor->before.rho &&
           s1 + (s1 - s0) * h1 / h0 < 0.75 * s1;
}

void trm_monitor_look_behind(trm_monitor *monitor, trm_run *run)
{
    const trm_seen *before = &monitor->before;
    const trm_seen *now = &monitor->now;
    if (!monitor->active || !may_lie_behind(monitor)) {
        return;
    }
    const double s1 = sqrt(before->rho);
    const double part = s1 / (s1 + sqrt(now->rho)); // of the step, to the zero
    const double parts[] = {part, (1 + part) / 2, (3 + part) / 4};
    for (int k = 0; k < 3; k++) {
        double t[3] = {before->t, before->t + parts[k] * (now->t - before->t), now->t};
        double r[3] = {before->rho, trm_rho_at(monitor, run, t[1]), now->rho};
        if (r[1] < r[2]) {
            if (trm_rho_minimize(monitor, run, t, r) < trm_rho_singular * monitor->rho_max) {
                trm_passage_cross(monitor, run, t[1]);
            }
            break;
        }
    }
    if (monitor->pending && now->t > monitor->t_judged && trm_seen_is_far(monitor, now)) {
        trm_passage_judge(monitor, now);
    }
}

/// An accepted point in the dip itself: steps near a singular position can be as short as roundoff
/// allows, and there rho is flat at the level of the damping.
static void follow_dip(trm_monitor *monitor, trm_run *run)
{
    const double rho = monitor->now.rho;
    if (rho > trm_rho_regular * monitor->rho_max) {
        monitor->inside = 0;
    } else if (rho < trm_rho_singular * monitor->rho_max && !monitor->inside) {
        monitor->inside = 1;
        trm_passage_cross(monitor, run, monitor->now.t);
    }
}

static int is_next_to_zero(const trm_monitor *monitor, const trm_seen *seen)
{
    return !(seen->rho > trm_rho_regular * monitor->rho_max);
}

/// since += the last step. Steps between points next to t* are short: a velocity that turns there, each step smooth, has
/// turned all the same.
static void add_step(const trm_monitor *monitor, const trm_run *run, double *since)
{
    const trm_seen *from = &monitor->before, *now = &monitor->now;
    const int turns = is_next_to_zero(monitor, from) && is_next_to_zero(monitor, now);
    const double *const jump = turns ? monitor->at_once : monitor->step_jump;
    if (turns) {
        trm_run_jump(run, monitor->root_mass, 0, from->z, from->dz, now->z, now->dz,
                     monitor->at_once);
    }
    for (int i = 0; i < run->system->nv; i++) {
        since[i] += jump[i];
    }
}

/// now->jump, since the last point not next to t*. A method that knows the kink of each step knows it of all.
static void find_jump(const trm_monitor *monitor, const trm_run *run, trm_seen *now)
{
    const trm_seen *from = &monitor->last;
    const double *const since = monitor->passage.since;
    now->t_from = from->t;
    if (from->t == monitor->before.t) {
        memcpy(now->jump, monitor->step_jump, (size_t)run->system->nv * sizeof(double));
        return;
    }
    trm_run_jump(run, monitor->root_mass, now->t - from->t, from->z, from->dz, now->z, now->dz,
                 now->jump);
    for (int i = 0; run->kink && i < run->system->nv; i++) {
        now->jump[i] = since[i] < now->jump[i] ? since[i] : now->jump[i];
    }
}

/// monitor->now is a new point of the passage, or the beginning of another.
static void follow_velocity(trm_monitor *monitor, const trm_run *run)
{
    trm_passage *p = &monitor->passage;
    trm_seen *before = &monitor->before, *now = &monitor->now;
    if (!monitor->pending && trm_seen_is_far(monitor, before) &&
        trm_seen_is_far(monitor, &monitor->older)) {
        trm_passage_begin(monitor);
    }
    trm_run_jump_of_step(run, monitor->root_mass, now->t - before->t, before->z, before->dz, now->z,
                         now->dz, monitor->step_jump);
    trm_jump_raise(monitor, monitor->step_jump, p->fine);
    add_step(monitor, run, p->since);
    if (!is_next_to_zero(monitor, now)) {
        find_jump(monitor, run, now);
        if (!trm_seen_is_far(monitor, now) || !trm_seen_is_far(monitor, &monitor->last)) {
            trm_jump_raise(monitor, now->jump, p->jump);
        }
        copy_point(run, now, &monitor->last);
        trm_jump_clear(monitor, p->since);
    }
    p->lowest = fmin(p->lowest, now->rho);
    p->gap = fmax(p->gap, monitor->gap);
    p->inside += now->rho < trm_rho_singular * monitor->rho_max;
}

void trm_monitor_shifted(trm_monitor *monitor, trm_run *run)
{
    if (!monitor->active) {
        return;
    }
    trm_seen *now = &monitor->now;
    trm_seen *last = &monitor->last;
    for (int i = 0; i < run->n; i++) {
        last->z[i] += run->now.z[i] - now->z[i];
    }
    copy_seen(monitor, run, trm_rho_of(monitor, run->system, run->now.t), now);
    if (last->t == now->t) {
        copy_point(run, now, last);
    }
}

void trm_monitor_update(trm_monitor *monitor, trm_run *run)
{
    if (!monitor->active) {
        return;
    }
    shift(monitor);
    const double rho = rho_now(monitor, run);
    trm_rho_learn_usual(monitor, run, run->now.t - monitor->before.t);
    trm_speeds_update(run, monitor->root_mass, run->now.t - monitor->before.t);
    copy_seen(monitor, run, rho, &monitor->now);
    has_not_jumped(monitor, &monitor->now);
    trm_rho_measure(monitor, run->system->nc, &monitor->now);
    trm_rho_measure(monitor, run->system->nc, &monitor->before);
    if (monitor->count > 1) {
        trm_rho_measure(monitor, run->system->nc, &monitor->older);
    }
    monitor->rho_max = fmax(monitor->rho_max, monitor->now.rho);
    if (monitor->pending && monitor->before.rho > monitor->turn.rho &&
        monitor->before.t > monitor->t_crossing) {
        copy_point(run, &monitor->before, &monitor->turn);
    }
    monitor->count++;
    follow_velocity(monitor, run);
    if (!monitor->inside && minimum_passed(monitor)) {
        look_around(monitor, run);
    }
    if (!monitor->inside && dip_passed(monitor, run)) {
        look_inside(monitor, run);
    }
    follow_dip(monitor, run);
    if (monitor->pending && monitor->now.t > monitor->t_judged &&
        trm_seen_is_far(monitor, &monitor->now)) {
        trm_passage_judge(monitor, &monitor->now);
    }
}
