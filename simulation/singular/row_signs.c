#include "simulation/singular/row_signs.h"
#include "base/loops.h"
#include "base/rank_numbers.h"

#include <float.h>
#include <math.h>
#include <string.h>

int trm_continuation_is_near(const trm_singularity_monitor *monitor, const trm_continuation *f,
                             int p)
{
    return monitor->most[p] > 0 && f->now.sigma[p] < TRM_NEAR * monitor->sigma_max[p];
}

int trm_continuation_smallest(const trm_singularity_monitor *monitor, int p)
{
    const trm_continuation *const f = monitor->continuation;
    int least = 0;
    for (int k = 1; k < monitor->most[p]; k++) {
        least = f[k].now.sigma[p] < f[least].now.sigma[p] ? k : least;
    }
    return least;
}

double trm_monitor_near(const trm_singularity_monitor *monitor, int p)
{
    return trm_larger(TRM_NEAR, TRM_FEW * sqrt(monitor->misfit[p]));
}

double trm_monitor_damping(const trm_singularity_monitor *monitor, int p, double gap)
{
    const double corner = trm_lesser(TRM_TANGENT * monitor->misfit[p], TRM_REGULAR);
    return trm_larger(trm_larger(TRM_GAPS * gap * gap, corner), TRM_LEAST_DAMPING);
}

int trm_continuation_gap_explains(const trm_singularity_monitor *monitor, int p, double sigma)
{
    const double gap = trm_larger(monitor->gap, monitor->gap_before), size = monitor->sigma_max[p];
    return sigma * sigma < TRM_GAPS * gap * size * size;
}

/// Whether the gap of the joints explains that component p turns: open by e, the run may turn from
/// one motion to the other where sigma^2 is some e, step by step. Where rows are redundant, those
/// that are null everywhere are opened by e as well, and tell nothing. With a gap above 1/TRM_GAPS
/// this holds in every position and says nothing more; the constraints are POOR then.
static int gap_may_explain(const trm_singularity_monitor *monitor, const trm_continuation *f, int p)
{
    return !monitor->repeats[p] && TRM_GAPS * trm_larger(monitor->gap, monitor->gap_before) < 1 &&
           trm_continuation_gap_explains(monitor, p, trm_lesser(f->seen.sigma[p], f->now.sigma[p]));
}

/// Whether a direction of component p is not seen at one of the last two points, and says nothing.
static int is_blind(const trm_singularity_monitor *monitor, const trm_continuation *f, int p)
{
    return f->seen.sigma[p] < trm_direction_blind() ||
           (trm_continuation_is_near(monitor, f, p) && f->now.sigma[p] < trm_direction_blind());
}

/// How far the bodies of component p have moved since `seen`.
static double motion_since(const trm_singularity_monitor *monitor, const trm_run *run,
                           const trm_continuation *f, int p)
{
    const double h = run->now.t - run->before.t;
    return monitor->motion[p] * (f->now.t[p] - f->seen.t[p]) / trm_larger(h, DBL_MIN);
}

double trm_continuation_near_zero(const trm_singularity_monitor *monitor, const trm_run *run,
                                  const trm_continuation *f, int p)
{
    const double size = (f->seen.sigma[p] + f->now.sigma[p]) / motion_since(monitor, run, f, p);
    return trm_monitor_near(monitor, p) * trm_larger(monitor->sigma_max[p], size);
}

int trm_continuation_may_have_vanished(const trm_singularity_monitor *monitor, const trm_run *run,
                                       const trm_continuation *f, int p)
{
    return monitor->gap_explains[p] || monitor->model->joints ||
           f->seen.sigma[p] + f->now.sigma[p] < TRM_REACH * motion_since(monitor, run, f, p);
}

static double cosine_of(const trm_singularity_monitor *monitor, const trm_continuation *f, int p)
{
    return trm_direction_cosine(&monitor->model->components, p, &f->seen, &f->now);
}

/// Whether a row of component p is the same, or its opposite, at both points. Two motions meet at
/// any angle, in the metric of M; where the position is open between them, a row that has not
/// changed its sign turns no more than the bodies: hardly at all.
static int is_alike(const trm_singularity_monitor *monitor, const trm_continuation *f, int p)
{
    return fabs(cosine_of(monitor, f, p)) >= (monitor->gap_explains[p] ? 1 - TRM_NEAR : TRM_ALIKE);
}

/// Whether more than half of a direction of component p is what it was: no other can be more so.
static int is_same(const trm_singularity_monitor *monitor, const trm_continuation *f, int p)
{
    const double part = trm_direction_overlap(&monitor->model->components, p, &f->seen, &f->now);
    return 2 * part * part >= 1;
}

/// Whether a substep of the last step is short enough for its ends to tell: rows of component p
/// turn by a rad at most; or there are eight such substeps.
static int is_short(const trm_singularity_monitor *monitor, const trm_run *run, int p,
                    double substep)
{
    const double part = substep / (run->now.t - run->before.t);
    return TRM_REACH * monitor->motion[p] * part <= 1 || part <= 0.125;
}

/// Whether a direction of component p has turned round past one that has not, and is smaller at
/// either end: near where it vanished the two are mixed, and its row along what it was is zero
/// elsewhere.
static int has_passed_smaller(const trm_singularity_monitor *monitor, const trm_continuation *f,
                              int p)
{
    int any = 0;
    for (int k = 0; k < monitor->most[p] && !any && cosine_of(monitor, f, p) < 0; k++) {
        const trm_continuation *g = &monitor->continuation[k];
        any = (g->seen.sigma[p] < f->seen.sigma[p] || g->now.sigma[p] < f->now.sigma[p]) &&
              cosine_of(monitor, g, p) > 0;
    }
    return any;
}

/// Whether the last two points tell what a direction of component p does between them.
static int is_decided(const trm_singularity_monitor *monitor, const trm_run *run,
                      const trm_continuation *f, int p)
{
    return is_blind(monitor, f, p) || !trm_continuation_may_have_vanished(monitor, run, f, p) ||
           (is_alike(monitor, f, p) && is_same(monitor, f, p) &&
            !has_passed_smaller(monitor, f, p) &&
            (monitor->gap_explains[p] || is_short(monitor, run, p, f->now.t[p] - f->seen.t[p])));
}

int trm_continuation_is_decided(const trm_singularity_monitor *monitor, const trm_run *run)
{
    int all = 1;
    for (int p = 0; p < monitor->model->components.n; p++) {
        for (int k = 0; k < monitor->most[p] && monitor->undecided[p] && all; k++) {
            all = is_decided(monitor, run, &monitor->continuation[k], p);
        }
    }
    return all;
}

trm_null_vector_change trm_continuation_change(const trm_singularity_monitor *monitor,
                                               const trm_run *run, const trm_continuation *f, int p)
{
    if (is_blind(monitor, f, p) || !trm_continuation_may_have_vanished(monitor, run, f, p)) {
        return TRM_NULL_VECTOR_KEPT;
    }
    if (!is_alike(monitor, f, p)) {
        // far from where motions meet, two directions have changed their order instead
        const double gap = trm_larger(monitor->gap, monitor->gap_before);
        const double size = monitor->sigma_max[p], at = f->seen.sigma[p] * f->now.sigma[p];
        const int meet = !monitor->gap_explains[p] || at < TRM_TANGENT * gap * size * size;
        return meet ? TRM_NULL_VECTOR_LEFT : TRM_NULL_VECTOR_KEPT;
    }
    return cosine_of(monitor, f, p) > 0 ? TRM_NULL_VECTOR_KEPT : TRM_NULL_VECTOR_REVERSED;
}

int trm_continuation_count_undecided(trm_singularity_monitor *monitor, const trm_run *run,
                                     int *open)
{
    int undecided = 0;
    *open = 0;
    for (int p = 0; p < monitor->model->components.n; p++) {
        monitor->gap_explains[p] = monitor->undecided[p] = 0;
        for (int k = 0; k < monitor->most[p]; k++) {
            const trm_continuation *f = &monitor->continuation[k];
            monitor->gap_explains[p] |= gap_may_explain(monitor, f, p);
            monitor->undecided[p] |= !is_blind(monitor, f, p) &&
                                     (monitor->gap_explains[p] || !is_decided(monitor, run, f, p));
        }
        *open |= monitor->gap_explains[p] && monitor->undecided[p];
        undecided += monitor->undecided[p];
    }
    return undecided;
}

double trm_continuation_longest_substep(const trm_singularity_monitor *monitor, const trm_run *run)
{
    double substep = run->now.t - run->before.t;
    for (int p = 0; p < monitor->model->components.n; p++) {
        for (int k = 0; k < 3 && monitor->undecided[p] && !monitor->gap_explains[p]; k++) {
            substep /= is_short(monitor, run, p, substep) ? 1 : 2;
        }
    }
    return substep;
}

// ---------------------------------------------------------------------------------------- volume

int trm_volume_may_vanish(const trm_singularity_monitor *monitor, const trm_run *run, int p,
                          int first, int n, int more)
{
    // rows of joints change with each body on their path, so that a zero may begin and end within
    // one step: those of two steps are asked for (one missed 3 of 288 runs)
    const int ahead = monitor->model->joints ? 2 : 1;
    const trm_fall *const fall = &monitor->fall[p], *const fell = &monitor->fell[p];
    double now = fall->all, then = fell->all;
    for (int k = first; k < first + n; k++) {
        const trm_continuation *f = &monitor->continuation[k];
        now *= is_same(monitor, f, p) ? f->now.sigma[p] / f->seen.sigma[p] : 1;
        then *= f->fell[p];
    }
    for (int k = 0; k < more; k++) {
        now = now > 1 ? fmax(now / fall->most, 1) : fmin(now / fall->least, 1);
        then = then > 1 ? fmax(then / fell->most, 1) : fmin(then / fell->least, 1);
    }
    const double steps = (run->now.t - run->before.t) / monitor->h_before;
    const double change = fmax(fabs(1 - now), steps * fabs(1 - then) * now);
    const int unknown = isnan(fell->all) || ahead * TRM_REACH * monitor->motion[p] > 1;
    return unknown ? more == 0 : !(trm_lesser(1, now) >= ahead * change);
}

void trm_volume_measure(trm_singularity_monitor *monitor, const trm_run *run)
{
    const trm_connected_components *c = &monitor->model->components;
    const trm_solver *solver = &run->system->solver;
    for (int p = 0; p < c->n; p++) {
        double all = 1, most = 0, least = INFINITY, largest = 0;
        for (int i = c->first_row[p]; i < c->first_row[p + 1]; i++) {
            const int place = solver->pattern->place_of[c->row[i]];
            const double square = monitor->pivot[i] * solver->inverse_pivot[place];
            monitor->pivot[i] = solver->pivot[place];
            all *= square;
            most = trm_larger(square, most);
            least = trm_lesser(square, least);
            largest = trm_larger(solver->D[place] * solver->inverse_pivot[place], largest);
        }
        monitor->fall[p] = (trm_fall){sqrt(all), sqrt(most), sqrt(least), 1 / largest};
    }
}

void trm_volume_keep(trm_singularity_monitor *monitor, const trm_run *run)
{
    for (int p = 0; p < monitor->model->components.n; p++) {
        for (int k = 0; k < monitor->most[p]; k++) {
            trm_continuation *const f = &monitor->continuation[k];
            f->fell[p] = is_same(monitor, f, p) ? f->now.sigma[p] / f->seen.sigma[p] : 1;
        }
        monitor->fell[p] = monitor->fall[p];
    }
    monitor->h_before = run->now.t - run->before.t;
}
