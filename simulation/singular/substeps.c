#include "simulation/singular/substeps.h"
#include "base/loops.h"
#include "base/rank_numbers.h"
#include "simulation/singular/row_signs.h"
#include "simulation/singular/singular_crossing.h"
#include "simulation/singular/step_interior.h"

#include <math.h>
#include <string.h>

/// What is seen of component p counts as seen before, where its direction is known.
static void remember(const trm_singularity_monitor *monitor, trm_continuation *f, int p, int always)
{
    if (always || isinf(f->seen.sigma[p]) || f->now.sigma[p] >= trm_direction_blind() ||
        f->seen.sigma[p] < trm_direction_blind()) {
        trm_direction_copy(&monitor->model->components, p, &f->now, &f->seen);
    }
}

void trm_substeps_remember(trm_singularity_monitor *monitor, int always)
{
    for (int k = 0; k < monitor->ncontinuations; k++) {
        for (int p = 0; p < monitor->model->components.n; p++) {
            remember(monitor, &monitor->continuation[k], p, always);
        }
    }
}

/// Whether directions of component p other than the n from the first on may have vanished in the
/// last step, and as many as may be followed would tell.
static int may_be_told(const trm_singularity_monitor *monitor, const trm_run *run, int p, int first,
                       int n)
{
    return trm_volume_may_vanish(monitor, run, p, first, n, 0) &&
           !trm_volume_may_vanish(monitor, run, p, first, n, monitor->room[p] - n);
}

/// Whether a direction of component p that is not followed may have vanished in the last step: one
/// that is no smaller than all those which are may have if they may [Weyl]. Or whether one is
/// smaller: a pivot d_i is w^T A w of w = L^-T e_i, |w| >= 1, so that no sigma^2 is the smallest
/// that exceeds one by more than it is known to.
static int has_missed(const trm_singularity_monitor *monitor, const trm_run *run, int p)
{
    int any = may_be_told(monitor, run, p, 0, monitor->most[p]);
    for (int k = 0; k < monitor->most[p] && any; k++) {
        any = trm_continuation_may_have_vanished(monitor, run, &monitor->continuation[k], p);
    }
    const double least = monitor->continuation[trm_continuation_smallest(monitor, p)].now.sigma[p];
    const double smaller = monitor->fall[p].pivot * (1 + TRM_SETTLED);
    return any || (!monitor->repeats[p] && smaller < least * least);
}

void trm_substeps_begin(trm_singularity_monitor *monitor, int k, int p)
{
    const trm_connected_components *components = &monitor->model->components;
    trm_continuation *const f = &monitor->continuation[k];
    f->number[p] = 0;
    f->sigma_least[p] = f->energy_before[p] = 0;
    f->fell[p] = 1;
    f->counted_near[p] = f->reversed[p] = f->left_branch[p] = f->is_shared[p] = 0;
    f->stands[p] = NAN;
    trm_direction_any(components, p, k, &f->now);
    trm_direction_copy(components, p, &f->now, &f->seen);
}

static void count_directions(trm_singularity_monitor *monitor)
{
    monitor->ncontinuations = 1;
    for (int p = 0; p < monitor->model->components.n; p++) {
        const int most = monitor->most[p];
        monitor->ncontinuations = most > monitor->ncontinuations ? most : monitor->ncontinuations;
    }
}

/// At a time half of as many as the volume asks for, where each changes as its fastest pivot does:
/// directions change more.
int trm_substeps_follow_more(trm_singularity_monitor *monitor, trm_run *run)
{
    int any = 0;
    for (int p = 0; p < monitor->model->components.n; p++) {
        const int n = monitor->most[p], room = monitor->room[p] - n;
        int more = room > 0 && has_missed(monitor, run, p);
        for (int k = more; k > 0 && k < room; k++) {
            more += more == k && trm_volume_may_vanish(monitor, run, p, 0, n, k);
        }
        for (int k = 0; 2 * k < more; k++) {
            trm_substeps_begin(monitor, monitor->most[p]++, p);
        }
        any |= more;
    }
    count_directions(monitor);
    return any;
}

/// Those of component p from the n-th on go; each takes the place of the largest before, if it is
/// smaller.
static void keep_smallest(trm_singularity_monitor *monitor, int n, int p)
{
    for (; monitor->most[p] > n; monitor->most[p]--) {
        trm_continuation *const f = monitor->continuation, *to = f + monitor->most[p] - 1;
        const trm_continuation *const from = to;
        for (int i = 0; i < n; i++) {
            to = f[i].now.sigma[p] > to->now.sigma[p] ? f + i : to;
        }
        if (to != from) {
            trm_direction_copy(&monitor->model->components, p, &from->now, &to->now);
            trm_direction_copy(&monitor->model->components, p, &from->seen, &to->seen);
            to->fell[p] = from->fell[p];
        }
    }
}

void trm_substeps_follow_fewer(trm_singularity_monitor *monitor, const trm_run *run)
{
    for (int p = 0; p < monitor->model->components.n; p++) {
        const int k = trm_continuation_smallest(monitor, p), least = 1 + monitor->repeats[p];
        int inside = monitor->most[p] <= least;
        for (int i = 0; i < monitor->most[p]; i++) {
            inside |= monitor->continuation[i].counted_near[p];
        }
        if (!inside && !may_be_told(monitor, run, p, k, 1)) {
            keep_smallest(monitor, least, p);
        }
    }
    count_directions(monitor);
}

/// All directions at the last point, (t, monitor->place), the system's current one, factored, from
/// those before or, `again`, from what is known of this one.
static void find_directions(trm_singularity_monitor *monitor, trm_run *run, double t, int again)
{
    trm_direction *now[TRM_CONTINUATIONS];
    const trm_direction *from[TRM_CONTINUATIONS], *seen[TRM_CONTINUATIONS];
    for (int k = 0; k < monitor->ncontinuations; k++) {
        now[k] = &monitor->continuation[k].now;
        seen[k] = &monitor->continuation[k].seen;
        from[k] = again ? now[k] : seen[k];
    }
    monitor->t = t;
    trm_directions_find(run->system, &monitor->model->components, t, monitor->ncontinuations,
                        monitor->most, from, seen, monitor->x, now);
}

/// The last point is run->now, the system's current one, factored.
void trm_substeps_look(trm_singularity_monitor *monitor, trm_run *run)
{
    memcpy(monitor->place, run->now.z, (size_t)run->n * sizeof(double));
    find_directions(monitor, run, run->now.t, 1);
}

void trm_substeps_look_before(trm_singularity_monitor *monitor, trm_run *run, int others)
{
    if (!trm_system_position(run->system, run->before.t, run->before.z) &&
        !trm_system_factor(run->system, TRM_METRIC_MASS)) {
        find_directions(monitor, run, run->before.t, 1);
        trm_substeps_remember(monitor, others);
        (void)trm_system_position(run->system, run->now.t, run->now.z);
        (void)trm_system_factor(run->system, TRM_METRIC_MASS);
    }
}

/// One direction of component p; `moved`: the system is not at the last point. Returns nonzero
/// where it then is not.
static int follow_one(trm_singularity_monitor *monitor, trm_continuation *f, trm_run *run, int p,
                      int moved)
{
    if (moved && trm_continuation_is_near(monitor, f, p)) {
        trm_monitor_restore(monitor, run);
        moved = 0;
    }
    moved |= trm_monitor_follow(monitor, f, run, p);
    remember(monitor, f, p, 0);
    return moved;
}

/// Whether direction i of component p is told before k. Those that are near a singular position are
/// first: others that have passed it as well are known by when that was. Of others the smallest
/// are: inverse iteration finds their zeros without them.
static int is_first(const trm_continuation *i, const trm_continuation *k, int p)
{
    const int nearer = i->counted_near[p] - k->counted_near[p];
    return nearer != 0 ? nearer > 0
                       : i->seen.sigma[p] + i->now.sigma[p] < k->seen.sigma[p] + k->now.sigma[p];
}

static int follow_component(trm_singularity_monitor *monitor, trm_run *run, int p, int moved)
{
    trm_continuation *left[TRM_CONTINUATIONS];
    for (int k = 0; k < monitor->most[p]; k++) {
        left[k] = &monitor->continuation[k];
    }
    for (int n = monitor->most[p]; n > 0; n--) {
        int next = 0;
        for (int k = 1; k < n; k++) {
            next = is_first(left[k], left[next], p) ? k : next;
        }
        moved = follow_one(monitor, left[next], run, p, moved);
        left[next] = left[n - 1];
    }
    return moved;
}

/// The undecided components, or those that are not, between the last two points, the system at the
/// last. Returns nonzero where it is not there any more.
static int follow_components(trm_singularity_monitor *monitor, trm_run *run, int undecided,
                             int moved)
{
    for (int p = 0; p < monitor->model->components.n; p++) {
        moved =
            monitor->undecided[p] == undecided ? follow_component(monitor, run, p, moved) : moved;
    }
    return moved;
}

/// Of the undecided components, at the last point or, `before`, at that before.
static double least_sigma(const trm_singularity_monitor *monitor, int before)
{
    double least = INFINITY;
    for (int p = 0; p < monitor->model->components.n; p++) {
        for (int k = 0; k < monitor->most[p] && monitor->undecided[p]; k++) {
            const trm_continuation *f = &monitor->continuation[k];
            least = trm_lesser(before ? f->seen.sigma[p] : f->now.sigma[p], least);
        }
    }
    return least;
}

/// t, inside the last step, becomes the last point, closed as far as directions need; as far as it
/// goes where the gap decides on which of two motions that meet it lies. Returns a system's code.
static int find_inside(trm_singularity_monitor *monitor, trm_run *run, double t, int open)
{
    enum { CLOSINGS = 2 }; // by Newton's method: what is left is the gap to the fourth power
    trm_system *system = run->system;
    trm_inside_position(monitor, run, t, monitor->place);
    int code = trm_system_position(system, t, monitor->place);
    for (int k = 0; !code && k <= CLOSINGS; k++) {
        const double gap = trm_extents_gap(&run->extent, system->nc, system->g);
        const double enough =
            trm_inside_gap_allowed(monitor, open ? 0 : least_sigma(monitor, k == 0));
        if (gap > enough) {
            code = trm_inside_close(monitor, run, t, monitor->place, enough);
        } else if (k > 0) {
            break;
        }
        code = code ? code : trm_system_factor(system, TRM_METRIC_MASS);
        if (!code) {
            find_directions(monitor, run, t, 0);
        }
    }
    return code;
}

/// A step that is open is closed at its beginning, too, and seen there: near to each other its ends
/// may lie on two motions. Returns a system's code.
static int begin(trm_singularity_monitor *monitor, trm_run *run, int open)
{
    trm_inside_begin(monitor, run);
    const int code = open ? find_inside(monitor, run, run->before.t, open) : 0;
    for (int p = 0; p < monitor->model->components.n && open && !code; p++) {
        for (int k = 0; k < monitor->most[p] && monitor->undecided[p]; k++) {
            remember(monitor, &monitor->continuation[k], p, 1);
        }
    }
    return code;
}

/// The undecided components, followed from substep to substep of the last step, each at closed
/// positions and as short as it takes. Between two motions positions close to where these meet:
/// directions are blind there, and those before and behind are compared.
static void follow_substeps(trm_singularity_monitor *monitor, trm_run *run, int open)
{
    const double end = run->now.t, least = (end - run->before.t) * TRM_LEAST_SUBSTEP;
    const double longest = trm_continuation_longest_substep(monitor, run);
    double substep = longest, t = run->before.t;
    int code = begin(monitor, run, open);
    for (int evaluations = 0; evaluations < TRM_MOST_LOOKS && t < end && !code; evaluations++) {
        const double next = t + substep > end - least ? end : t + substep;
        code = find_inside(monitor, run, next, open);
        const int told = !code && (substep <= least || trm_continuation_is_decided(monitor, run));
        if (told) {
            (void)follow_components(monitor, run, 1, 0);
            t = next;
        }
        substep = told ? trm_lesser(2 * substep, longest) : substep / 2;
    }
    memcpy(monitor->place, run->now.z, (size_t)run->n * sizeof(double));
    monitor->t = end;
    trm_monitor_restore(monitor, run);
    if (t < end) { // what is left of the step is not told
        find_directions(monitor, run, end, 0);
        trm_crossing_record_untold(&monitor->record, t);
    }
    trm_substeps_remember(monitor, 0);
}

void trm_substeps_follow(trm_singularity_monitor *monitor, trm_run *run)
{
    int open;
    monitor->interior_known = 0;
    const int undecided = trm_continuation_count_undecided(monitor, run, &open);
    const int moved = follow_components(monitor, run, 0, 0);
    if (undecided > 0) {
        follow_substeps(monitor, run, open);
    } else if (moved) {
        trm_monitor_restore(monitor, run);
    }
}
