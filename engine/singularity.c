#include "engine/singularity.h"

#include <math.h>
#include <string.h>

/// rho below this part of its maximum counts as a drop of rank, above that one as far from it;
/// a row whose pivot never exceeds the third is redundant everywhere.
static const double singular = 1e-6;
static const double far = 0.05;
static const double redundant = 1e-8;
/// A larger relative jump of the velocity is no smooth motion.
static const double smooth = 0.3;

static void seen_layout(trm_seen *seen, int n, trm_arena *arena)
{
    seen->z = trm_arena_doubles(arena, n);
    seen->dz = trm_arena_doubles(arena, n);
}

void trm_monitor_layout(trm_monitor *monitor, const trm_run *run, trm_arena *arena)
{
    monitor->pivot_max = trm_arena_doubles(arena, run->system->nc);
    monitor->root_mass = trm_arena_doubles(arena, run->system->nv);
    monitor->probe = trm_arena_doubles(arena, run->n);
    monitor->anchor = trm_arena_doubles(arena, run->system->nv);
    seen_layout(&monitor->older, run->n, arena);
    seen_layout(&monitor->before, run->n, arena);
    seen_layout(&monitor->now, run->n, arena);
    seen_layout(&monitor->safe, run->n, arena);
}

// ------------------------------------------------------------------------------------------- rho

/// rho of the last factorization.
static double rho_of(trm_monitor *monitor, const trm_system *system)
{
    double rho = 1;
    for (int i = 0; i < system->nc; i++) {
        const double ratio = system->solver.ratio[i];
        monitor->pivot_max[i] = fmax(monitor->pivot_max[i], ratio);
        if (monitor->pivot_max[i] > redundant) {
            rho = fmin(rho, ratio);
        }
    }
    return fmax(rho, 0);
}

/// rho at t between two remembered points, by cubic Hermite interpolation of z.
static double rho_between(trm_monitor *monitor, trm_run *run, const trm_seen *a, const trm_seen *b,
                          double t)
{
    const double h = b->t - a->t;
    const double x = (t - a->t) / h;
    const double y = 1 - x;
    for (int i = 0; i < run->n; i++) {
        monitor->probe[i] = y * y * (1 + 2 * x) * a->z[i] + x * x * (1 + 2 * y) * b->z[i] +
                            x * y * h * (y * a->dz[i] - x * b->dz[i]);
    }
    trm_system_normalize(run->system, monitor->probe);
    if (trm_system_position(run->system, t, monitor->probe) ||
        trm_system_factor(run->system, TRM_METRIC_MASS)) {
        return 0; // what cannot be factored is singular
    }
    return rho_of(monitor, run->system);
}

static double rho_at(trm_monitor *monitor, trm_run *run, double t)
{
    return t < monitor->before.t ? rho_between(monitor, run, &monitor->older, &monitor->before, t)
                                 : rho_between(monitor, run, &monitor->before, &monitor->now, t);
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

/// Minimum of rho around monitor->before, where it is smaller than on both sides: parabolas, and
/// a bisection where the parabola proposes a point that we know. Returns rho, *t_min its place.
static double minimize_rho(trm_monitor *monitor, trm_run *run, double *t_min)
{
    enum { PROBES = 12 };
    double t[3] = {monitor->older.t, monitor->before.t, monitor->now.t};
    double r[3] = {monitor->older.rho, monitor->before.rho, monitor->now.rho};
    const double width = t[2] - t[0];
    for (int k = 0; k < PROBES && r[1] > 1e-3 * singular * monitor->rho_max; k++) {
        double s = vertex(t, r);
        const int known = !(s > t[0] && s < t[2]) || fabs(s - t[1]) < 1e-6 * width;
        if (known) {
            s = t[1] + (t[2] - t[1] > t[1] - t[0] ? 0.3 * (t[2] - t[1]) : -0.3 * (t[1] - t[0]));
        }
        const double rs = rho_at(monitor, run, s);
        const int settled = !known && r[1] - rs < 0.01 * r[1] && rs > 100 * singular;
        shrink(t, r, s, rs);
        if (settled) {
            break; // a minimum, but no zero
        }
    }
    *t_min = t[1];
    return r[1];
}

// --------------------------------------------------------------------------------------- branches

static int is_far(const trm_monitor *monitor, const trm_seen *seen)
{
    return seen->rho > far * monitor->rho_max;
}

/// v + a (t - t_seen)
static double extrapolated(const trm_run *run, const trm_seen *seen, double t, int i)
{
    const int at = run->system->nq + i;
    return seen->z[at] + seen->dz[at] * (t - seen->t);
}

static void remember_anchor(trm_monitor *monitor, const trm_run *run, const trm_seen *seen)
{
    for (int i = 0; i < run->system->nv; i++) {
        monitor->anchor[i] = extrapolated(run, seen, monitor->t_crossing, i);
    }
    monitor->t_anchor = monitor->t_crossing;
    monitor->pending = 1;
}

/// Compare the velocity behind the crossing with the one before it, in units of kinetic energy.
static void judge(trm_monitor *monitor, const trm_run *run, const trm_seen *after)
{
    double jump = 0;
    double size = 0;
    for (int i = 0; i < run->system->nv; i++) {
        const double v = extrapolated(run, after, monitor->t_anchor, i);
        const double m = monitor->root_mass[i];
        jump = fmax(jump, m * fabs(v - monitor->anchor[i]));
        size = fmax(size, m * fmax(fabs(v), fabs(monitor->anchor[i])));
    }
    monitor->pending = 0;
    if (jump > smooth * size) {
        if (monitor->branch_changes++ == 0) {
            monitor->first_branch_change = monitor->t_anchor;
        }
    }
}

/// A crossing at t: note it, and judge it as soon as the points on both sides are known.
static void note_crossing(trm_monitor *monitor, const trm_run *run, double t)
{
    const trm_seen *const seen[] = {&monitor->before, &monitor->older, &monitor->safe};
    monitor->crossings++;
    monitor->t_crossing = t;
    for (int i = 0; i < 3; i++) {
        if (seen[i]->t < t && is_far(monitor, seen[i])) {
            remember_anchor(monitor, run, seen[i]);
            break;
        }
    }
    if (monitor->pending && monitor->before.t > t && is_far(monitor, &monitor->before)) {
        judge(monitor, run, &monitor->before);
    }
}

// ------------------------------------------------------------------------------------- the points

static void copy_seen(trm_seen *to, double t, double rho, const double *z, const double *dz, int n)
{
    to->t = t;
    to->rho = rho;
    memcpy(to->z, z, (size_t)n * sizeof(double));
    memcpy(to->dz, dz, (size_t)n * sizeof(double));
}

static double rho_now(trm_monitor *monitor, trm_run *run)
{
    if (monitor->must_factor) {
        trm_system_factor(run->system, TRM_METRIC_MASS);
    }
    return rho_of(monitor, run->system);
}

static void note_rho(trm_monitor *monitor, double rho, double t)
{
    if (rho < monitor->rho_min) {
        monitor->rho_min = rho;
        monitor->t_rho_min = t;
    }
}

void trm_monitor_start(trm_monitor *monitor, trm_run *run)
{
    const trm_point_of_run *now = &run->now;
    monitor->must_factor =
        run->options.stabilization == TRM_SRM && run->options.E != TRM_E_GB_INVERSE;
    monitor->count = 0;
    monitor->crossings = 0;
    monitor->branch_changes = 0;
    monitor->first_branch_change = NAN;
    monitor->t_crossing = -INFINITY;
    monitor->pending = 0;
    monitor->rho_min = 1;
    monitor->t_rho_min = now->t;
    monitor->rho_max = 0;
    monitor->safe.t = INFINITY;
    monitor->older.t = INFINITY;
    memset(monitor->pivot_max, 0, (size_t)run->system->nc * sizeof(double));
    if (!monitor->active) {
        return;
    }
    trm_system_mass_diagonal(run->system, monitor->root_mass);
    for (int i = 0; i < run->system->nv; i++) {
        monitor->root_mass[i] = sqrt(monitor->root_mass[i]);
    }
    const double rho = rho_now(monitor, run);
    monitor->rho_max = rho;
    note_rho(monitor, rho, now->t);
    copy_seen(&monitor->now, now->t, rho, now->z, now->dz, run->n);
    monitor->count = 1;
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

/// Whether rho has a minimum at `before` that deserves a look inside the steps around it.
static int minimum_passed(const trm_monitor *monitor)
{
    const double older = monitor->older.rho;
    const double before = monitor->before.rho;
    const double now = monitor->now.rho;
    return monitor->count > 2 && before < 0.7 * monitor->rho_max && before <= older &&
           before <= now && fmax(older, now) > 1.1 * before;
}

void trm_monitor_update(trm_monitor *monitor, trm_run *run)
{
    const trm_point_of_run *now = &run->now;
    if (!monitor->active) {
        return;
    }
    shift(monitor);
    const double rho = rho_now(monitor, run);
    monitor->rho_max = fmax(monitor->rho_max, rho);
    note_rho(monitor, rho, now->t);
    copy_seen(&monitor->now, now->t, rho, now->z, now->dz, run->n);
    monitor->count++;
    if (minimum_passed(monitor)) {
        double t = 0;
        const double smallest = minimize_rho(monitor, run, &t);
        const double width = monitor->now.t - monitor->older.t;
        note_rho(monitor, smallest, t);
        if (smallest < singular * monitor->rho_max && t > monitor->t_crossing + 0.01 * width) {
            note_crossing(monitor, run, t);
        }
    }
    if (monitor->pending && monitor->now.t > monitor->t_crossing &&
        is_far(monitor, &monitor->now)) {
        judge(monitor, run, &monitor->now);
    }
}
