#include "simulation/singular/step_interior.h"
#include "base/loops.h"
#include "base/rank_numbers.h"
#include "simulation/singular/row_signs.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ------------------------------------------------------------------------------------------ points

/// Gaps, in mechanisms or radians, that hide nothing: open by e, sigma^2 is e at least where two
/// motions meet. Roundoff of g is not closed: that of nc rows, of coordinates so large.
static double closed_enough(const trm_run *run)
{
    const double away = trm_extents_away(&run->extent, run->system->nq, run->now.z);
    const double roundoff = TRM_FEW * DBL_EPSILON * away * sqrt(run->system->nc);
    return trm_larger(0.01 * trm_direction_blind() * trm_direction_blind(), roundoff);
}

double trm_inside_gap_allowed(const trm_singularity_monitor *monitor, double sigma)
{
    return trm_larger(sigma * sigma / TRM_TANGENT, monitor->closed_enough);
}

int trm_inside_close(trm_singularity_monitor *monitor, trm_run *run, double t, double *z,
                     double enough)
{
    double least = INFINITY;
    for (int i = 0; i < run->system->nc; i++) {
        least = trm_lesser(run->extent.g[i], least);
    }
    return trm_close_positions(run->system, &monitor->closing, t, z, enough * least);
}

/// The direction whose zero is looked for takes what damped solves do not see, and gives its own:
/// there w is any of those that null directions, brought here, leave; it continues no other w.
static void take_unseen(trm_singularity_monitor *monitor, trm_continuation *f, const trm_run *run,
                        int p)
{
    const trm_connected_components *const components = &monitor->model->components;
    const double seen = TRM_FEW * sqrt(run->system->solver.delta);
    for (int k = 0; k < monitor->most[p]; k++) {
        trm_direction *const at = &monitor->continuation[k].probe;
        if (at->sigma[p] < seen && f->probe.sigma[p] >= seen) {
            trm_direction_copy(components, p, &f->probe, &monitor->probe);
            trm_direction_copy(components, p, at, &f->probe);
            trm_direction_copy(components, p, &monitor->probe, at);
        }
    }
}

/// All directions at the system's current point, which becomes factored, from those seen before or,
/// `again`, from the last of these points: by itself one would turn to any that is smaller.
static int find_here(trm_singularity_monitor *monitor, trm_continuation *f, trm_run *run, int p,
                     double t, int again)
{
    trm_direction *at[TRM_CONTINUATIONS];
    const trm_direction *from[TRM_CONTINUATIONS], *seen[TRM_CONTINUATIONS];
    for (int k = 0; k < monitor->ncontinuations; k++) {
        at[k] = &monitor->continuation[k].probe;
        seen[k] = &monitor->continuation[k].seen;
        from[k] = again ? at[k] : seen[k];
    }
    const int code = trm_system_factor(run->system, TRM_METRIC_MASS);
    if (!code) {
        trm_directions_find(run->system, &monitor->model->components, t, monitor->ncontinuations,
                            monitor->most, from, seen, monitor->x, at);
        take_unseen(monitor, f, run, p);
    }
    return code;
}

/// Add to z[nq] what closes it at t: the polynomial through all that has been closed, which goes on
/// level outside.
static void add_shift(const trm_shift *shift, double t, int nq, double *z)
{
    double first = INFINITY, last = -INFINITY;
    for (int k = 0; k < shift->n; k++) {
        first = trm_lesser(shift->t[k], first);
        last = trm_larger(shift->t[k], last);
    }
    t = fmin(fmax(t, first), last);
    for (int k = 0; k < shift->n; k++) {
        double weight = 1;
        for (int j = 0; j < shift->n; j++) {
            weight *= j == k ? 1 : (t - shift->t[j]) / (shift->t[k] - shift->t[j]);
        }
        for (int i = 0; i < nq; i++) {
            z[i] += weight * shift->by[k][i];
        }
    }
}

/// Whether the end of the last step, or its beginning, lies near a singular position. Accelerations
/// are known there to the error of velocities over sigma: to nothing, where steps are coarse.
static int is_any_near(const trm_singularity_monitor *monitor, int beginning)
{
    int any = 0;
    for (int p = 0; p < monitor->model->components.n; p++) {
        for (int k = 0; k < monitor->most[p]; k++) {
            const trm_continuation *f = &monitor->continuation[k];
            const double sigma = beginning ? f->seen.sigma[p] : f->now.sigma[p];
            any |= sigma < TRM_NEAR * monitor->sigma_max[p];
        }
    }
    return any;
}

void trm_inside_begin(trm_singularity_monitor *monitor, trm_run *run)
{
    monitor->shift.n = 0;
    if (!monitor->interior_known) {
        trm_run_by_ends(run, !is_any_near(monitor, 1), !is_any_near(monitor, 0), monitor->work,
                        monitor->ends);
        monitor->closed_enough = closed_enough(run);
        monitor->interior_known = 1;
    }
}

void trm_inside_position(const trm_singularity_monitor *monitor, const trm_run *run, double t,
                         double *z)
{
    const trm_point_of_run *before = &run->before;
    trm_run_interpolate(run->n, (t - before->t) / (run->now.t - before->t), TRM_BY_ENDS,
                        monitor->ends, before->z, z);
    trm_system_normalize(run->system, z);
}

/// Directions at t, open as it comes apart from what has been closed nearby; the system's current
/// point. Returns a system's code.
static int probe(trm_singularity_monitor *monitor, trm_continuation *f, trm_run *run, int p,
                 double t, int again)
{
    trm_inside_position(monitor, run, t, monitor->z);
    add_shift(&monitor->shift, t, run->system->nq, monitor->z);
    const int code = trm_system_position(run->system, t, monitor->z);
    return code ? code : find_here(monitor, f, run, p, t, again);
}

// ------------------------------------------------------------------------------------------- zeros

/// tau of component p: its row at `at` along the row at `a`, of either sign. It passes zero where
/// the row vanishes, whatever the row is across.
static double tau_of(const trm_singularity_monitor *monitor, int p, const trm_direction *a,
                     const trm_direction *at)
{
    return trm_direction_cosine(&monitor->model->components, p, a, at) * at->sigma[p];
}

/// Where y is zero, by the three points as t of y [inverse quadratic interpolation]; without a
/// third point (NaN), or where that lies outside the first two, between which it is, by these
/// alone.
static double zero_between(const double *t, const double *y)
{
    const double straight = t[0] + (t[1] - t[0]) * y[0] / (y[0] - y[1]);
    const double a = y[1] * y[2] / ((y[0] - y[1]) * (y[0] - y[2]));
    const double b = y[0] * y[2] / ((y[1] - y[0]) * (y[1] - y[2]));
    const double curved = t[2] + a * (t[0] - t[2]) + b * (t[1] - t[2]);
    return curved > t[0] && curved < t[1] ? curved : straight;
}

/// The zero of tau of component p, which changes its sign between the last two points, near
/// `guess`. Leaves the system there. It is found to a tenth of what sigma is there, which closing
/// brings down. Returns |tau|, NaN where none is.
static double find_zero(trm_singularity_monitor *monitor, trm_continuation *f, trm_run *run, int p,
                        double guess)
{
    enum { PROBES = 12 }; // takes 2 to 5; what is left of a zero is told by tau
    const trm_direction *a = &f->seen, *b = &f->now;
    trm_direction *const at = &f->probe;
    double t[3] = {a->t[p], b->t[p], NAN}, y[3] = {a->sigma[p], -b->sigma[p], NAN};
    double tau = NAN;
    for (int k = 0; k < PROBES; k++) {
        const double next = k == 0 ? guess : zero_between(t, y);
        if (probe(monitor, f, run, p, next, k > 0)) {
            return NAN;
        }
        // at the zero of a mechanism with a misfit it mixes with a row left out, and loses its sign
        if (trm_direction_overlap(&monitor->model->components, p, a, at) < 0) {
            trm_direction_reverse(&monitor->model->components, p, at);
        }
        tau = tau_of(monitor, p, a, at);
        if (fabs(tau) <= trm_larger(trm_direction_blind(), at->sigma[p] / TRM_TANGENT) ||
            t[1] - t[0] < TRM_LEAST_SCALE * (b->t[p] - a->t[p])) {
            break;
        }
        const int side = tau > 0 ? 0 : 1;
        t[2] = t[side], y[2] = y[side];
        t[side] = next, y[side] = tau;
    }
    return fabs(tau);
}

/// Close the position at t, `away` from a zero, unless one has been as near as makes the
/// polynomial magnify what is left of both. Returns a system's code.
static int close_here(trm_singularity_monitor *monitor, trm_run *run, double t, double away)
{
    trm_system *system = run->system;
    trm_shift *shift = &monitor->shift;
    double *const z = monitor->z, *const by = shift->by[shift->n];
    for (int k = 0; k < shift->n; k++) {
        if (fabs(t - shift->t[k]) < away / TRM_TANGENT) {
            return 0;
        }
    }
    trm_inside_position(monitor, run, t, z);
    memcpy(by, z, (size_t)system->nq * sizeof(double));
    add_shift(shift, t, system->nq, z);
    const int code = trm_inside_close(monitor, run, t, z, monitor->closed_enough);
    for (int i = 0; i < system->nq; i++) {
        by[i] = z[i] - by[i];
    }
    shift->t[shift->n++] = t;
    return code;
}

/// The system at the zero of tau, open: closed apart from the row that vanishes, by
/// Newton's method: what is left is the gap to the fourth power. Returns a system's code.
static int settle(trm_singularity_monitor *monitor, trm_continuation *f, trm_run *run, int p,
                  double t)
{
    enum { CLOSINGS = 2 };
    int code = 0;
    for (int k = 0; k < CLOSINGS && !code; k++) {
        const double gap = trm_extents_gap(&run->extent, run->system->nc, run->system->g);
        if (!(gap > monitor->closed_enough)) {
            break;
        }
        const double least = trm_monitor_damping(monitor, p, gap);
        code = trm_close_once(run->system, &monitor->closing, t, monitor->z, least);
        code = code ? code : find_here(monitor, f, run, p, t, 1);
    }
    return code;
}

/// At the zero nothing tells the y of x y = e; it is closed before and behind, and a polynomial
/// through all these shifts leaves of it what positions do otherwise in between. On it nearer
/// points are closed, too, ten y off or, as far as a gap e may close onto the other motion, where
/// e is a tenth of the square of the way, until the zero lies near the singular position. Zeros of
/// directions that are lost together lie apart by y, or by the gap.
double trm_inside_locate(trm_singularity_monitor *monitor, trm_continuation *f, trm_run *run, int p)
{
    const trm_direction *a = &f->seen, *b = &f->now, *at = &f->probe;
    const double slope = (a->sigma[p] + b->sigma[p]) / (b->t[p] - a->t[p]);
    const double near = trm_monitor_near(monitor, p);
    const double near_zero = trm_continuation_near_zero(monitor, run, f, p);
    const double rate = monitor->motion[p] / (run->now.t - run->before.t);
    double t = a->t[p] + a->sigma[p] / slope, nearest = INFINITY;
    trm_inside_begin(monitor, run);
    for (int k = 0; k <= TRM_CLOSED / 2; k++) {
        const double tau = find_zero(monitor, f, run, p, t);
        const double gap = trm_extents_gap(&run->extent, run->system->nc, run->system->g);
        const double open = sqrt(TRM_TANGENT * gap) / rate;
        const double away =
            trm_lesser(trm_larger(TRM_TANGENT * at->sigma[p] / slope, open), nearest);
        t = at->t[p];
        const int last = k == TRM_CLOSED / 2;
        if (!(tau >= 0) || ((last || gap < near) && settle(monitor, f, run, p, t))) {
            return NAN;
        }
        if (last || (gap < near && at->sigma[p] < near_zero)) {
            return tau;
        }
        if (close_here(monitor, run, trm_larger(t - away, a->t[p]), away) ||
            close_here(monitor, run, trm_lesser(t + away, b->t[p]), away)) {
            return NAN;
        }
        nearest = away / 2; // 4 and 8: the tables count the same
    }
    return NAN;
}
