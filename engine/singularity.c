#include "engine/singularity.h"
#include "engine/loops.h"
#include "integrators/jump.h"

#include <math.h>
#include <string.h>

/// rho below this part of its maximum counts as a drop of rank, above the next as its end, above
/// that one as far from it.
static const double singular = 1e-6;
static const double regular = 1e-4;
static const double far = 0.01;
static const double dependent = 1e-5; // ten times `singular`: rows that take part in a drop
/// A larger relative jump of the velocity is no smooth motion.
static const double smooth = 0.3;
/// A kink of v in a step of size h leaves the polynomial through its ends off the constraints by about
/// (h/8)^2/2 gamma; one that stays within this part of h^2 gamma has no kink in it.
static const double kink = 1e-3;

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

// ------------------------------------------------------------------------------------------- rho

double trm_monitor_rho(const trm_monitor *monitor, const trm_system *system)
{
    double rho = 1;
    for (int i = 0; monitor->active && i < system->nc; i++) {
        if (monitor->pivot_max[i] > trm_redundant) {
            rho = system->solver.ratio[i] < rho ? system->solver.ratio[i] : rho;
        }
    }
    return fmax(rho, 0);
}

double trm_monitor_sigma(trm_monitor *monitor, const trm_system *system)
{
    int at = -1;
    double sigma = 1;
    for (int i = 0; monitor->active && i < system->nc; i++) {
        const double ratio = system->solver.ratio[i];
        if (monitor->pivot_max[i] > trm_redundant && (at < 0 || ratio < system->solver.ratio[at])) {
            at = i;
        }
    }
    if (at >= 0) {
        trm_solver_dependence(&system->solver, TRM_METRIC_MASS, at, monitor->passport.y, &sigma);
    }
    return sigma;
}

static void note_rho(trm_monitor *monitor, double rho, double t)
{
    if (rho < monitor->rho_min) {
        monitor->rho_min = rho;
        monitor->t_rho_min = t;
    }
}

static int count_redundant(const double *pivot_max, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        count += !(pivot_max[i] > trm_redundant);
    }
    return count;
}

/// The largest pivot; where rows are redundant, which share what the others leave them, a few times the usual one,
/// if that is less: a row that falls to zero and rises again like sin^2 has its largest pivot at four times
/// the geometric mean.
static void choose_units(trm_monitor *monitor, int nc)
{
    const double few = 6;
    const int share = count_redundant(monitor->pivot_max, nc) > 0;
    for (int i = 0; i < nc; i++) {
        const double most = monitor->pivot_max[i];
        const double usual = few * monitor->mean[i];
        monitor->unit[i] = share && usual < most ? usual : most;
    }
}

void trm_monitor_learn(trm_monitor *monitor, const trm_system *system)
{
    for (int i = 0; i < system->nc; i++) {
        monitor->pivot_max[i] = trm_larger(system->solver.ratio[i], monitor->pivot_max[i]);
    }
    choose_units(monitor, system->nc);
}

/// run->now, factored last, lies T behind the point before. Where no row is redundant, and none will be, nobody asks.
static void learn_what_is_usual(trm_monitor *monitor, const trm_run *run, double T)
{
    const double least = 1e-12; // a crossing met exactly counts as much as one passed closely
    const double *const v = run->now.z + run->system->nq;
    double speed = 0;
    if (count_redundant(monitor->pivot_max, run->system->nc) == 0) {
        return;
    }
    for (int i = 0; i < run->system->nv; i++) {
        speed = trm_larger(fabs(v[i]) / run->extent.v[i], speed);
    }
    monitor->way += T * speed;
    for (int i = 0; i < run->system->nc; i++) {
        monitor->log_ratio[i] += T * speed * log(trm_larger(run->system->solver.ratio[i], least));
        monitor->mean[i] = monitor->way > 0 ? exp(monitor->log_ratio[i] / monitor->way) : INFINITY;
    }
    choose_units(monitor, run->system->nc);
}

/// What damping has left in every pivot of the last factorization.
static double left_over(const double *pivot_max, const trm_solver *solver)
{
    const double part = 30; // of delta
    return count_redundant(pivot_max, solver->n) > 0 && !solver->corner ? part * solver->delta : 0;
}

/// The smallest ratio in units of its row, redundant rows left out.
static double smallest_part(int n, const double *pivot_max, const double *unit, const double *ratio,
                            double none)
{
    double rho = 1;
    for (int i = 0; i < n; i++) {
        if (pivot_max[i] > trm_redundant) {
            rho = trm_lesser((ratio[i] - none) / unit[i], rho);
        }
    }
    return fmax(rho, 0);
}

double trm_relative_rho(const double *pivot_max, const double *unit, const trm_solver *solver)
{
    return smallest_part(solver->n, pivot_max, unit, solver->ratio, left_over(pivot_max, solver));
}

/// Of the last factorization.
static void keep_ratios(const trm_monitor *monitor, const trm_solver *solver, trm_seen *seen)
{
    seen->spared = left_over(monitor->pivot_max, solver);
    memcpy(seen->ratio, solver->ratio, (size_t)solver->n * sizeof(double));
}

/// rho of a point in the units of today: what is compared must be measured alike.
static void measure_again(const trm_monitor *monitor, int nc, trm_seen *seen)
{
    seen->rho = smallest_part(nc, monitor->pivot_max, monitor->unit, seen->ratio, seen->spared);
}

/// rho of the last factorization, at t.
static double rho_of(trm_monitor *monitor, const trm_system *system, double t)
{
    trm_monitor_learn(monitor, system);
    note_rho(monitor, trm_monitor_rho(monitor, system), t);
    return trm_relative_rho(monitor->pivot_max, monitor->unit, &system->solver);
}

/// q at t by the polynomial of degree 8 that has q, q' and q'' of the last three points: steps of a
/// method of high order are long, and an error e of q lifts the zero of rho to e^2. With x = t - t_i,
/// s = sum_j 1/(t_i - t_j), p = sum_j 1/(t_i - t_j)^2 and L = prod_j ((t - t_j)/(t_i - t_j))^3,
///
///     q = sum_i L ((1 - 3 s x + (9 s^2 + 3 p)/2 x^2) q_i + (x - 3 s x^2) q_i' + x^2/2 q_i'')
static void interpolate(const trm_monitor *monitor, double t, int nq, double *q)
{
    const trm_seen *const seen[] = {&monitor->older, &monitor->before, &monitor->now};
    memset(q, 0, (size_t)nq * sizeof(double));
    for (int i = 0; i < 3; i++) {
        const double x = t - seen[i]->t;
        double L = 1, s = 0, p = 0;
        for (int j = 0; j < 3; j++) {
            if (j != i) {
                const double d = seen[i]->t - seen[j]->t;
                const double factor = (t - seen[j]->t) / d;
                L *= factor * factor * factor;
                s += 1 / d;
                p += 1 / (d * d);
            }
        }
        const double w0 = L * (1 - 3 * s * x + (9 * s * s + 3 * p) / 2 * x * x);
        const double w1 = L * (x - 3 * s * x * x);
        const double w2 = L * x * x / 2;
        for (int k = 0; k < nq; k++) {
            q[k] += w0 * seen[i]->z[k] + w1 * seen[i]->dz[k] + w2 * seen[i]->qdd[k];
        }
    }
}

/// Make t, within the last two steps, the current point of the system.
static int go_to(trm_monitor *monitor, trm_run *run, double t)
{
    interpolate(monitor, t, run->system->nq, monitor->probe);
    trm_system_normalize(run->system, monitor->probe);
    return trm_system_position(run->system, t, monitor->probe);
}

/// rho at t, within the last two steps.
static double rho_at(trm_monitor *monitor, trm_run *run, double t)
{
    if (go_to(monitor, run, t) || trm_system_factor(run->system, TRM_METRIC_MASS)) {
        return 0; // what cannot be factored is singular
    }
    return rho_of(monitor, run->system, t);
}

/// Abscissa of the vertex of the parabola through three points.
static double vertex(const double t[3], const double r[3])
{
    const double d0 = (t[1] - t[0]) * (r[1] - r[2]);
    const double d2 = (t[1] - t[2]) * (r[1] - r[0]);
    return t[1] - 0.5 * ((t[1] - t[0]) * d0 - (t[1] - t[2]) * d2) / (d0 - d2);
}

/// Replace the outer point of the bracket (t, r) that the probe (s, rs) makes superfluous.
static void shrink(double t[3], double r[3], double s, double rs)
{
    const int inner = rs < r[1]; // the probe is the new middle
    const int left = s < t[1];
    const int outer = left == inner ? 2 : 0;
    if (inner) {
        t[outer] = t[1];
        r[outer] = r[1];
        t[1] = s;
        r[1] = rs;
    } else {
        t[outer] = s;
        r[outer] = rs;
    }
}

/// Minimum of rho in the bracket (t, r), within the last two steps: parabolas, and a point well inside where
/// the parabola proposes one that we know, or creeps along a flat bottom far from one end. Returns rho, t[1] is its
/// place.
static double minimize_rho(trm_monitor *monitor, trm_run *run, double t[3], double r[3])
{
    enum { PROBES = 24 };
    int creeps = 0;
    for (int k = 0; k < PROBES && r[1] > 1e-3 * singular * monitor->rho_max; k++) {
        double s = vertex(t, r);
        const int known = !(s > t[0] && s < t[2]) || fabs(s - t[1]) < 1e-3 * (t[2] - t[0]);
        const int well_inside = known || creeps;
        if (well_inside) {
            s = t[1] + (t[2] - t[1] > t[1] - t[0] ? 0.3 * (t[2] - t[1]) : -0.3 * (t[1] - t[0]));
        }
        const double rs = rho_at(monitor, run, s);
        const int flat = fabs(r[1] - rs) < 0.02 * r[1] && !well_inside;
        const int settled = flat && fmax(r[0], r[2]) < 4 * r[1];
        creeps = flat;
        shrink(t, r, s, rs);
        if (settled) {
            break; // a minimum, but no zero
        }
    }
    return r[1];
}

// --------------------------------------------------------------------------------------- branches

static int is_far(const trm_monitor *monitor, const trm_seen *seen)
{
    return seen->rho > far * monitor->rho_max;
}

/// Whether the polynomial through the last three points fits every joint at t, within a step of size h.
static int fits(trm_monitor *monitor, trm_run *run, double t, double h)
{
    trm_system *system = run->system;
    double *gamma = run->work_c;
    if (go_to(monitor, run, t) || trm_system_gamma(system, monitor->before.z + system->nq, gamma)) {
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

static void clear(const trm_monitor *monitor, double *jump)
{
    memset(jump, 0, (size_t)monitor->model->sizes.nv * sizeof(double));
}

/// most := max(most, jump)
static void raise_to(const trm_monitor *monitor, const double *jump, double *most)
{
    for (int i = 0; i < monitor->model->sizes.nv; i++) {
        most[i] = trm_larger(jump[i], most[i]);
    }
}

static void begin_passage(trm_monitor *monitor)
{
    trm_passage *p = &monitor->passage;
    clear(monitor, p->jump);
    clear(monitor, p->fine);
    clear(monitor, p->since);
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

static void judge(trm_monitor *monitor, const trm_seen *after)
{
    const int resolved = is_resolved(monitor);
    const int changed = !resolved && largest_jump(monitor) > smooth && !monitor->passed_smoothly;
    const trm_verdict verdict = {.resolved = resolved,
                                 .branch_changed = changed,
                                 .rank_before = monitor->anchor_rank,
                                 .rank_after = after->rank,
                                 .energy_lost = monitor->anchor_balance - after->balance};
    monitor->pending = 0;
    clear(monitor, monitor->passage.jump);
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

/// The bodies that the rows of the last crossing hold; all where no row is known, or no body.
static void find_involved(trm_monitor *monitor, const trm_system *system)
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

/// max |M^1/2 v| of a velocity, bodies involved.
static double speed_of(const trm_monitor *monitor, const trm_run *run, const double *v)
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
        rho_at(monitor, run, t);
    }
    const double low = dependent * monitor->rho_max;
    trm_passport_note(passport, run->system, t, monitor->pivot_max, trm_redundant, low);
    const double h = t > monitor->before.t ? monitor->now.t - monitor->before.t
                                           : monitor->before.t - monitor->older.t;
    find_involved(monitor, run->system);
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
        if (inside && seen[i]->rho > regular * monitor->rho_max &&
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
        if (seen[i]->t < t && is_far(monitor, seen[i])) {
            return seen[i];
        }
    }
    return NULL;
}

/// A crossing at t: note it, and judge it as soon as the points on both sides are known. A mechanism
/// that turns back near a singular position passes it twice without going far in between.
static void note_crossing(trm_monitor *monitor, trm_run *run, double t)
{
    const trm_seen *turn = monitor->pending ? between(monitor, monitor->t_crossing, t) : NULL;
    if (turn != NULL) {
        judge(monitor, turn);
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
    if (monitor->pending && monitor->before.t > t && is_far(monitor, &monitor->before)) {
        judge(monitor, &monitor->before);
    }
}

// ------------------------------------------------------------------------------------- the points

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
    const double low = dependent * monitor->rho_max;
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
    keep_ratios(monitor, &run->system->solver, to);
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
    clear(monitor, seen->jump);
    seen->t_from = seen->t;
}

static double rho_now(trm_monitor *monitor, trm_run *run)
{
    if (monitor->must_factor) {
        trm_system_factor(run->system, TRM_METRIC_MASS);
    }
    return rho_of(monitor, run->system, run->now.t);
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
    const double speed = speed_of(monitor, run, v);
    return !(speed * speed > rest * speed_of(monitor, run, a) * size);
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
    trm_passport_note(passport, run->system, now->t, monitor->pivot_max, trm_redundant, regular);
    find_involved(monitor, run->system);
    trm_passport_met(passport, 0, at_rest(monitor, run));
    passport->kept[0].rank_after = passport->kept[0].rank_before;
    passport->kept[0].rank_before = 0;
    note_rho(monitor, trm_monitor_rho(monitor, run->system), now->t);
    keep_ratios(monitor, &run->system->solver, &monitor->now);
    measure_again(monitor, run->system->nc, &monitor->now);
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
    begin_passage(monitor);
    monitor->count = 1;
    trm_speeds_start(run, monitor->root_mass);
}

/// Shift the memory by one point; what falls out of it may serve as the safe one.
static void shift(trm_monitor *monitor)
{
    trm_seen spare = monitor->older;
    if (monitor->count > 2 && is_far(monitor, &monitor->older)) {
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
    if (minimize_rho(monitor, run, t, r) < singular * monitor->rho_max) {
        note_crossing(monitor, run, t[1]);
    }
}

/// Whether the stages have rho low in the last step, clear of its ends: a zero next to one of them is judged
/// as a point in the dip, or as the minimum of three points.
static int dip_passed(const trm_monitor *monitor, const trm_run *run)
{
    const double clear = regular * monitor->rho_max;
    const double t = run->t_dip;
    return monitor->count > 2 && t > monitor->before.t && t < monitor->now.t &&
           !(monitor->t_crossing > monitor->before.t) && monitor->before.rho > clear &&
           monitor->now.rho > clear;
}

/// A zero within the last step that the points on both sides do not show: rho may rise to it, or fall.
static void look_inside(trm_monitor *monitor, trm_run *run)
{
    double t[3] = {monitor->before.t, run->t_dip, monitor->now.t};
    double r[3] = {monitor->before.rho, rho_at(monitor, run, t[1]), monitor->now.rho};
    if (r[1] < fmin(r[0], r[2]) && minimize_rho(monitor, run, t, r) < singular * monitor->rho_max) {
        note_crossing(monitor, run, t[1]);
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
        double r[3] = {before->rho, rho_at(monitor, run, t[1]), now->rho};
        if (r[1] < r[2]) {
            if (minimize_rho(monitor, run, t, r) < singular * monitor->rho_max) {
                note_crossing(monitor, run, t[1]);
            }
            break;
        }
    }
    if (monitor->pending && now->t > monitor->t_judged && is_far(monitor, now)) {
        judge(monitor, now);
    }
}

/// An accepted point in the dip itself: steps near a singular position can be as short as roundoff
/// allows, and there rho is flat at the level of the damping.
static void follow_dip(trm_monitor *monitor, trm_run *run)
{
    const double rho = monitor->now.rho;
    if (rho > regular * monitor->rho_max) {
        monitor->inside = 0;
    } else if (rho < singular * monitor->rho_max && !monitor->inside) {
        monitor->inside = 1;
        note_crossing(monitor, run, monitor->now.t);
    }
}

static int is_next_to_zero(const trm_monitor *monitor, const trm_seen *seen)
{
    return !(seen->rho > regular * monitor->rho_max);
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
    if (!monitor->pending && is_far(monitor, before) && is_far(monitor, &monitor->older)) {
        begin_passage(monitor);
    }
    trm_run_jump_of_step(run, monitor->root_mass, now->t - before->t, before->z, before->dz, now->z,
                         now->dz, monitor->step_jump);
    raise_to(monitor, monitor->step_jump, p->fine);
    add_step(monitor, run, p->since);
    if (!is_next_to_zero(monitor, now)) {
        find_jump(monitor, run, now);
        if (!is_far(monitor, now) || !is_far(monitor, &monitor->last)) {
            raise_to(monitor, now->jump, p->jump);
        }
        copy_point(run, now, &monitor->last);
        clear(monitor, p->since);
    }
    p->lowest = fmin(p->lowest, now->rho);
    p->gap = fmax(p->gap, monitor->gap);
    p->inside += now->rho < singular * monitor->rho_max;
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
    copy_seen(monitor, run, rho_of(monitor, run->system, run->now.t), now);
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
    learn_what_is_usual(monitor, run, run->now.t - monitor->before.t);
    trm_speeds_update(run, monitor->root_mass, run->now.t - monitor->before.t);
    copy_seen(monitor, run, rho, &monitor->now);
    has_not_jumped(monitor, &monitor->now);
    measure_again(monitor, run->system->nc, &monitor->now);
    measure_again(monitor, run->system->nc, &monitor->before);
    if (monitor->count > 1) {
        measure_again(monitor, run->system->nc, &monitor->older);
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
    if (monitor->pending && monitor->now.t > monitor->t_judged && is_far(monitor, &monitor->now)) {
        judge(monitor, &monitor->now);
    }
}
