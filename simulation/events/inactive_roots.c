/// Inactive roots: switching functions that stay on their edge, as the rate of a joint that a
/// drive, a stop or friction holds, or the coordinate of a slide on its mark. Their values are zero
/// to rounding, and rounding is no mode change.
///
/// A root is inactive in a step if g is on its edge at both ends of the step, and a short time
/// later would be. The mode is then that of the edge itself: S.rate > 0 does not hold, S.rate == 0
/// does. A root that was inactive, and is off its edge at the end of the next step, has left at the
/// beginning of this step: what moves it begins there, since steps end where formulas change. On
/// arrival and departure rounding and the tolerance decide on which side of the edge g lies. So
/// steps that end or begin at an inactive root have a dead band as wide as the error of the motion.
#include "simulation/events/switching_functions.h"

#include "base/accuracy_policy.h"
#include "engine/enclosure/switch_numbers.h"
#include "engine/multibody/consistency.h"

#include <float.h>
#include <math.h>

/// Includes the gap at now in locator->gap.
static void update_gap(trm_locator *locator, trm_run *run)
{
    trm_system *const system = run->system;
    const double *const q = run->now.z;
    if (locator->gap_known || system->nc == 0) {
        return;
    }
    locator->gap_known = 1;
    if (!trm_system_position(system, run->now.t, q)) {
        const trm_residual r = trm_residual_of(system, q + system->nq, locator->rows);
        locator->gap.position = fmax(locator->gap.position, r.position);
        locator->gap.velocity = fmax(locator->gap.velocity, r.velocity);
    }
}

/// Band of the edge of function k at an end of the step, by rounding, open gaps and `part` of the
/// terms; `still` as for trm_locator_tolerance_band.
static double band_at(trm_locator *locator, trm_run *run, int k, const trm_point_of_run *at,
                      double part, int still)
{
    int number;
    const trm_switching_formula *const formula = trm_locator_formula(locator, k, &number);
    update_gap(locator, run);
    return trm_locator_tolerance_band(locator, run, formula, number, at,
                                      part + TRM_EVENT_BAND * DBL_EPSILON, &locator->gap, still);
}

/// Band of the edge at now, where g goes from `now` to `later`. Friction and stops hold bodies by
/// forces that balance others to rounding. What moves at this rate by less than the rounding of its
/// size in the horizon, while one of them holds, is known to that.
static double band_now(trm_locator *locator, trm_run *run, int k, double now, double later)
{
    const int held = run->contact && trm_contact_list_held(run->contact) > 0;
    const double away =
        fabs(later - now) / trm_locator_short_time(locator, run) * trm_locator_horizon(locator);
    const double band = held ? band_at(locator, run, k, &run->now, 0, 1) : 0;
    return held && away <= band ? band : band_at(locator, run, k, &run->now, 0, 0);
}

int trm_locator_is_angle(const trm_locator *locator, int k)
{
    int number;
    const trm_switching_formula *const formula = trm_locator_formula(locator, k, &number);
    return trm_expression_switching_function(formula->f.code, number).kind == TRM_SWITCHING_ANGLE;
}

double trm_locator_edge_distance(const trm_locator *locator, int k, double g,
                                 trm_switching_mode *mode)
{
    int number;
    const trm_expression *const code = trm_locator_formula(locator, k, &number)->f.code;
    double lo, hi;
    *mode = trm_switching_mode_at(code, number, g);
    trm_switching_mode_interval(code, number, *mode, &lo, &hi);
    const double edge = fabs(g - lo) < fabs(hi - g) ? lo : hi;
    *mode = isfinite(edge) ? trm_switching_mode_at(code, number, edge) : *mode;
    return fabs(g - edge);
}

int trm_locator_is_on_edge(trm_locator *locator, trm_run *run, int k, double now, double later,
                           trm_switching_mode *mode)
{
    trm_switching_mode of_later;
    if (trm_locator_is_angle(locator, k) || !isfinite(now) || !isfinite(later)) {
        return 0; // modes of angles overlap
    }
    const double d = trm_locator_edge_distance(locator, k, now, mode);
    const double d_later = trm_locator_edge_distance(locator, k, later, &of_later);
    return of_later == *mode && fmax(d, d_later) <= band_now(locator, run, k, now, later);
}

void trm_locator_set_inactive(trm_locator *locator, trm_run *run, int k, double now, double later)
{
    trm_switching_mode mode;
    trm_root *const root = &locator->root[k];
    root->is_inactive = trm_locator_is_on_edge(locator, run, k, now, later, &mode);
    root->changes_at_start = 0;
    root->t_left_band = -INFINITY;
    locator->mode[k] = root->is_inactive ? mode : locator->mode[k];
}

/// The switching function k a little after the end of the step.
static double later(trm_locator *locator, trm_run *run, int k)
{
    trm_system *const system = run->system;
    double t;
    trm_locator_extrapolate_shortly(locator, run, &t);
    trm_system_switching_values(system, t, locator->z, locator->z + system->nq, locator->g_inside);
    return locator->g_inside[k];
}

double trm_locator_errs_by(trm_locator *locator, trm_run *run, int k)
{
    int number;
    const trm_switching_formula *const formula = trm_locator_formula(locator, k, &number);
    const double part = trm_accuracy_for(run->options.rtol),
                 least = trm_accuracy_for(run->options.atol);
    const trm_drift gap = {least, least, -1};
    return trm_locator_tolerance_band(locator, run, formula, number, &run->now, part, &gap, 0);
}

/// Dead band for arrival and departure: the error of g when its variables err by 100 rtol, at the
/// end of the step where it is larger. A product of what comes to zero together errs by nothing
/// there, and on the way.
static double arrival_band(trm_locator *locator, trm_run *run, int k)
{
    const double part = run->options.accuracy;
    const double first = band_at(locator, run, k, &run->before, part, 0);
    return fmax(first, band_at(locator, run, k, &run->now, part, 0));
}

/// Records that root k was inactive in the step (`is_inactive`), or has left at its beginning, in
/// mode `to`.
static trm_root_state set_root(trm_locator *locator, const trm_run *run, int k,
                               trm_switching_mode to, int is_inactive)
{
    trm_root *const root = &locator->root[k];
    root->changes_at_start = to != locator->mode[k];
    root->next_mode = to;
    root->inactive_in_step = is_inactive;
    root->t_change_shown = run->now.t;
    return root->changes_at_start ? TRM_ROOT_LEFT
           : is_inactive          ? TRM_ROOT_INACTIVE
                                  : TRM_ROOT_ACTIVE;
}

/// First value within the step that is farther from g1, the value at its end, than the band; else
/// g1.
static double first_outside_band(trm_locator *locator, trm_run *run, int k, double g1)
{
    for (int i = 1; i < TRM_EVENT_SUBSTEPS; i++) {
        const double g = trm_locator_sampled_value(locator, run, k, i);
        if (fabs(g - g1) > locator->band) {
            return g;
        }
    }
    return g1;
}

trm_root_state trm_locator_root_state(trm_locator *locator, trm_run *run, int k)
{
    trm_root *const root = &locator->root[k];
    const double g0 = locator->g0[k], g1 = locator->g1[k];
    trm_switching_mode of0, of1, edge;
    root->changes_at_start = root->inactive_in_step = 0;
    if (trm_locator_is_angle(locator, k) || isnan(g0) || isnan(g1)) {
        return TRM_ROOT_ACTIVE;
    }
    const double d0 = trm_locator_edge_distance(locator, k, g0, &of0),
                 d1 = trm_locator_edge_distance(locator, k, g1, &of1);
    if (isfinite(root->t_left_band)) {
        locator->band = arrival_band(locator, run, k);
        if (run->before.t < root->t_left_band) {
            return TRM_ROOT_ACTIVE;
        }
        if (d0 > locator->band) { // farther than the motion errs by
            locator->band = 0;
            root->t_left_band = -INFINITY;
        }
    }
    double band = band_at(locator, run, k, &run->now, 0, 1);
    const double value_later = d1 <= band ? later(locator, run, k) : NAN;
    band = band_now(locator, run, k, g1, value_later);
    const int ends = trm_locator_is_on_edge(locator, run, k, g1, value_later, &edge);
    if (!root->is_inactive && !ends) {
        return TRM_ROOT_ACTIVE;
    }
    locator->band = fmax(arrival_band(locator, run, k), band);
    const double away = first_outside_band(locator, run, k, g1);
    if (root->is_inactive && (d1 > band || away != g1)) {
        return set_root(locator, run, k, trm_locator_mode_of(locator, k, away), 0);
    }
    if (d0 <= band && of0 == of1 && away == g1) {
        return set_root(locator, run, k, ends ? edge : locator->mode[k], 1);
    }
    return TRM_ROOT_ACTIVE; // it comes
}

/// Changes the mode of the innermost function of a formula, which the others may depend on.
static int release_one(trm_locator *locator, const trm_switching_formula *formula)
{
    int n = 0;
    for (int k = 0; k < trm_expression_switching_functions(formula->f.code); k++) {
        const int number = formula->f.first_switching_function + k;
        trm_root *const root = &locator->root[number];
        if (root->changes_at_start && n == 0) {
            locator->mode_after[number] = root->next_mode;
            root->is_inactive = root->inactive_in_step;
            root->t_left_band = root->inactive_in_step ? -INFINITY : root->t_change_shown;
            n = 1;
        }
        root->changes_at_start = 0;
    }
    return n;
}

int trm_locator_release_inactive(trm_locator *locator)
{
    int n = 0;
    for (int i = 0; i < locator->model->nswitching_formulas; i++) {
        n += release_one(locator, &locator->model->switching_formulas[i]);
    }
    return n;
}
