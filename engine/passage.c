#include "engine/passage.h"
#include "engine/loops.h"
#include "engine/rho.h"

#include <math.h>
#include <string.h>

/// A larger relative jump of the velocity is no smooth motion.
static const double smooth = 0.3;
/// A kink of v in a step of size h leaves the polynomial through its ends off the constraints by about
/// (h/8)^2/2 gamma; one that stays within this part of h^2 gamma has no kink in it.
static const double kink = 1e-3;

int trm_seen_is_far(const trm_monitor *monitor, const trm_seen *seen)
{
    return seen->rho > trm_rho_far * monitor->rho_max;
}

/// Whether the polynomial through the last three points fits every joint at t, within a step of size h.
static int fits(trm_monitor *monitor, trm_run *run, double t, double h)
{
    trm_system *system = run->system;
    double *gamma = run->work_c;
    if (trm_rho_go_to(monitor, run, t) ||
        trm_system_gamma(system, monitor->before.z + system->nq, gamma)) {
        return 0;
    }
    for (int i = 0; i < system->nc;) {
        const char *const name = run->row_info[i].name;
        double gap = 0;
        double bend = 0;
        for (; i < system->nc && run->row_info[i].name == name; i++) {
            gap = trm_larger(fabs(system->g[i]), gap);
            bend = trm_larger(fabs(gamma[i]), bend);
        }
        if (gap > kink * h * h * bend) {
            return 0;
        }
    }
    return 1;
}

/// Whether the last two steps are one smooth motion through a crossing at t: long steps, over which no
/// velocity can be extrapolated, are judged by this.
static int passes_smoothly(trm_monitor *monitor, trm_run *run, double t)
{
    const double t0 = monitor->older.t;
    const double t1 = monitor->before.t;
    const double t2 = monitor->now.t;
    return t < t2 && fits(monitor, run, t, t < t1 ? t1 - t0 : t2 - t1) &&
           fits(monitor, run, (t0 + t1) / 2, t1 - t0) && fits(monitor, run, (t1 + t2) / 2, t2 - t1);
}

static void remember_anchor(trm_monitor *monitor, const trm_seen *seen)
{
    monitor->t_anchor = seen->t;
    monitor->anchor_balance = seen->balance;
    monitor->anchor_rank = seen->rank;
    monitor->t_judged = monitor->t_crossing;
    monitor->pending = 1;
}

void trm_jump_clear(const trm_monitor *monitor, double *jump)
{
    memset(jump, 0, (size_t)monitor->model->sizes.nv * sizeof(double));
}

void trm_jump_raise(const trm_monitor *monitor, const double *jump, double *most)
{
    for (int i = 0; i < monitor->model->sizes.nv; i++) {
        most[i] = trm_larger(jump[i], most[i]);
    }
}

void trm_passage_begin(trm_monitor *monitor)
{
    trm_passage *p = &monitor->passage;
    trm_jump_clear(monitor, p->jump);
    trm_jump_clear(monitor, p->fine);
    trm_jump_clear(monitor, p->since);
    p->lowest = 1;
    p->gap = 0;
    p->inside = 0;
}

/// The largest jump in the mechanism of the last crossing: what else moves in the scene has not passed it.
static double largest_of(const trm_monitor *monitor, const double *jump)
{
    double largest = 0;
    for (int i = 0; i < monitor->model->sizes.nv; i++) {
        largest = monitor->concerned[i] ? trm_larger(jump[i], largest) : largest;
    }
    return largest;
}

/// Whether the accepted points show a regular motion near the singular position, not through it: an
/// error e of the positions makes rho of the order of e.
static int is_resolved(const trm_monitor *monitor)
{
    enum { POINTS = 8 };
    const double trusted = 100;
    const trm_passage *p = &monitor->passage;
    return p->inside >= POINTS && largest_of(monitor, p->fine) < smooth &&
           p->lowest > trusted * p->gap;
}

/// The largest jump of the velocity among the steps of the passage, the long one over t* included.
static double largest_jump(const trm_monitor *monitor)
{
    const trm_seen *const seen[] = {&monitor->older, &monitor->before, &monitor->now};
    double jump = largest_of(monitor, monitor->passage.jump);
    for (int i = 0; i < 3; i++) {
        const int across = seen[i]->t_from <= monitor->t_judged && monitor->t_judged <= seen[i]->t;
        jump = across ? fmax(jump, largest_of(monitor, seen[i]->jump)) : jump;
    }
    return jump;
}

void trm_passage_judge(trm_monitor *monitor, const trm_seen *after)
{
    const int resolved = is_resolved(monitor);
    const int changed = !resolved && largest_jump(monitor) > smooth && !monitor->passed_smoothly;
    const trm_verdict verdict = {.resolved = resolved,
                                 .branch_changed = changed,
                                 .rank_before = monitor->anchor_rank,
                                 .rank_after = after->rank,
                                 .energy_lost = monitor->anchor_balance - after->balance};
    monitor->pending = 0;
    trm_jump_clear(monitor, monitor->passage.jump);
    monitor->resolved += resolved;
    trm_passport_judge(&monitor->passport, &verdict);
    if (changed && monitor->branch_changes++ == 0) {
        monitor->first_branch_change = monitor->t_judged;
    }
}

/// The mechanisms of the bodies involved.
static void find_concerned(trm_monitor *monitor)
{
    const int *const part = monitor->model->part;
    const int nv = monitor->model->sizes.nv;
    memset(monitor->concerned, part == NULL, (size_t)nv);
    for (int i = 0; part && i < nv; i++) {
        monitor->concerned[part[i]] |= monitor->involved[i];
    }
    for (int i = 0; part && i < nv; i++) {
        monitor->concerned[i] = monitor->concerned[part[i]];
    }
}

void trm_passage_find_involved(trm_monitor *monitor, const trm_system *system)
{
    const trm_model *const model = monitor->model;
    int nrows = 0;
    const int *const rows = trm_passport_rows(&monitor->passport, &nrows);
    const int all = nrows == 0 || model->from_equations;
    memset(monitor->involved, all, (size_t)system->nv);
    for (int b = 0, i = 0; !all && b < model->nblocks; b++) {
        const trm_block *const block = &model->blocks[b];
        while (i < nrows && rows[i] < block->row) {
            i++;
        }
        const int here = i < nrows && rows[i] < block->row + block->rows;
        for (int k = 0; here && k < block->nbodies; k++) {
            const int body = model->block_bodies[block->body + k];
            if (body < model->sizes.nbody) {
                const trm_body_info *const info = &model->body_info[body];
                memset(monitor->involved + info->v0, 1, (size_t)info->nv);
            }
        }
    }
    find_concerned(monitor);
}

double trm_passage_speed(const trm_monitor *monitor, const trm_run *run, const double *v)
{
    double speed = 0;
    for (int i = 0; i < run->system->nv; i++) {
        if (monitor->involved[i]) {
            speed = trm_larger(monitor->root_mass[i] * fabs(v[i]), speed);
        }
    }
    return speed;
}

/// Whether they are at rest at t, within the last two steps, where v is straight enough: next to nothing
/// is left of what is usual for them.
static int rests_at(const trm_monitor *monitor, const trm_run *run, double t)
{
    const double rest = 1e-6;
    const trm_seen *b = t < monitor->before.t ? &monitor->before : &monitor->now;
    const trm_seen *a = t < monitor->before.t ? &monitor->older : &monitor->before;
    const double x = (t - a->t) / (b->t - a->t);
    const int nq = run->system->nq;
    double speed = 0, usual = 0;
    for (int i = 0; i < run->system->nv; i++) {
        if (monitor->involved[i]) {
            const double v = (1 - x) * a->z[nq + i] + x * b->z[nq + i];
            speed = fmax(speed, monitor->root_mass[i] * fabs(v));
            usual = fmax(usual, run->usual[i]);
        }
    }
    return !(speed > rest * usual);
}

/// Put a crossing at t into the passport; the pivots at t decide.
static void enter(trm_monitor *monitor, trm_run *run, double t)
{
    trm_passport *passport = &monitor->passport;
    if (t < monitor->now.t) {
        trm_rho_at(monitor, run, t);
    }
    const double low = trm_rho_dependent * monitor->rho_max;
    trm_passport_note(passport, run->system, t, monitor->pivot_max, trm_redundant, low);
    const double h = t > monitor->before.t ? monitor->now.t - monitor->before.t
                                           : monitor->before.t - monitor->older.t;
    trm_passage_find_involved(monitor, run->system);
    trm_passport_met(passport, h, rests_at(monitor, run, t));
}

/// The remembered point between two crossings that is farthest from both; NULL when none is far enough
/// for its velocity to tell branches apart.
static const trm_seen *between(const trm_monitor *monitor, double t0, double t1)
{
    const trm_seen *const seen[] = {&monitor->before, &monitor->older, &monitor->turn};
    const trm_seen *best = NULL;
    for (int i = 0; i < 3; i++) {
        const int inside = seen[i]->t > t0 && seen[i]->t < t1;
        if (inside && seen[i]->rho > trm_rho_regular * monitor->rho_max &&
            (best == NULL || seen[i]->rho > best->rho)) {
            best = seen[i];
        }
    }
    return best;
}

/// The last remembered point before t where rho is large; NULL when there is none.
static const trm_seen *far_before(const trm_monitor *monitor, double t)
{
    const trm_seen *const seen[] = {&monitor->before, &monitor->older, &monitor->safe};
    for (int i = 0; i < 3; i++) {
        if (seen[i]->t < t && trm_seen_is_far(monitor, seen[i])) {
            return seen[i];
        }
    }
    return NULL;
}

void trm_passage_cross(trm_monitor *monitor, trm_run *run, double t)
{
    const trm_seen *turn = monitor->pending ? between(monitor, monitor->t_crossing, t) : NULL;
    if (turn != NULL) {
        trm_passage_judge(monitor, turn);
    }
    enter(monitor, run, t);
    monitor->crossings++;
    monitor->t_crossing = t;
    monitor->turn.rho = 0;
    const trm_seen *anchor = turn != NULL ? turn : far_before(monitor, t);
    if (anchor != NULL) {
        remember_anchor(monitor, anchor);
        monitor->passed_smoothly = passes_smoothly(monitor, run, t);
    }
    if (monitor->pending && monitor->before.t > t && trm_seen_is_far(monitor, &monitor->before)) {
        trm_passage_judge(monitor, &monitor->before);
    }
}
