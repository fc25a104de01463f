/// Inactive roots: switching functions that stay on their edge, as the rate of a joint that a
/// drive, a stop or friction holds, or the coordinate of a slide on its mark. Their values are zero
/// to rounding, and rounding is no mode change.
///
///   state              what is seen                                next state
///   TRM_ROOT_ACTIVE    in a step: on an edge at both ends, and     TRM_ROOT_INACTIVE from the
///                      a short time later                          beginning of the step on
///                      at an instant: on an edge, and later        TRM_ROOT_INACTIVE
///   TRM_ROOT_INACTIVE  in a step: off the dead band                TRM_ROOT_LEAVING from its
///                                                                  beginning on, in another
///                                                                  mode; else TRM_ROOT_ACTIVE
///                      at an instant: off the edge                 TRM_ROOT_ACTIVE
///   TRM_ROOT_LEAVING   farther from the edge than the motion       TRM_ROOT_ACTIVE
///                      errs by
///
/// While inactive, the mode is that of the edge itself: S.rate > 0 does not hold, S.rate == 0 does.
/// Kinks are left free instead (mode_changes.c): a dead band may be thousands of their widths.
/// What leaves does so at the beginning of the step that shows it: what moves it begins there,
/// since steps end where formulas change. On arrival and departure rounding and the tolerance
/// decide on which side of the edge g lies. So steps that end or begin at an inactive root have a
/// dead band as wide as the error of the motion.
#include "simulation/events/switching_functions.h"

#include "base/accuracy_policy.h"
#include "base/linear/sums.h"
#include "engine/enclosure/switch_numbers.h"
#include "engine/multibody/consistency.h"
#include "trammel/trammel_simulation.h"

#include <float.h>
#include <math.h>

static int held_rows(const trm_run *run)
{
    return run->contact ? trm_contact_list_held(run->contact) : 0;
}

/// Includes the gap at now in locator->gap, and finds the rounding of accelerations there: that of
/// the forces that they are what is left of, of one term from each row.
static void update_gap(trm_locator *locator, trm_run *run)
{
    trm_system *const system = run->system;
    const double *const q = run->now.z, *const v = q + system->nq;
    const int rows = system->nc + (locator->gap_known ? 0 : held_rows(run));
    double power;
    if (locator->gap_known || rows == 0) {
        return;
    }
    locator->gap_known = 1;
    if (trm_system_position(system, run->now.t, q)) {
        return;
    }
    if (system->nc > 0) {
        const trm_residual r = trm_residual_of(system, v, locator->rows);
        locator->gap.position = fmax(locator->gap.position, r.position);
        locator->gap.velocity = fmax(locator->gap.velocity, r.velocity);
    }
    if (!trm_system_free_acceleration(system, v, locator->z, &power)) {
        // accelerations, those by the forces alone, and what rates of directions give
        const int nq = system->nq, n = trm_system_motions(system);
        const double *const dz = run->now.dz;
        const double rate = fmax(trm_extents_rate(&run->extent, nq, n, dz, dz + nq),
                                 trm_extents_rate(&run->extent, 0, n, dz, locator->z));
        locator->noise = TRM_EVENT_BAND * DBL_EPSILON * (1 + rows) * 3 * rate * rate *
                         trm_max_norm(system->nv, run->extent.v);
    }
}

/// Band of the edge of function k at an end of the step, by rounding, open gaps and `part` of the
/// terms; `still` as for trm_locator_tolerance_bands.
static double band_at(trm_locator *locator, trm_run *run, int k, const trm_point_of_run *at,
                      double part, int still)
{
    const trm_switching_place function = trm_locator_function_of(locator, k);
    update_gap(locator, run);
    return trm_locator_tolerance_bands(locator, run, function.formula, at,
                                       part + TRM_EVENT_BAND * DBL_EPSILON, &locator->gap,
                                       still)[function.k];
}

/// The same at now, where nothing moves: for all functions of a formula at once.
static double band_at_rest(trm_locator *locator, trm_run *run, int k)
{
    const trm_switching_place function = trm_locator_function_of(locator, k);
    if (locator->values.at_rest != function.formula) {
        (void)band_at(locator, run, k, &run->now, 0, 1);
        locator->values.at_rest = function.formula;
    }
    return locator->values.bands[function.k];
}

/// Whether g changes at this rate by no more than the rounding of accelerations. A lock, a drive
/// and friction hold a rate by forces that balance others, and the balance leaves their rounding.
static int is_balanced(trm_locator *locator, trm_run *run, int k, double rate)
{
    const trm_switching_place function = trm_locator_function_of(locator, k);
    update_gap(locator, run);
    const trm_drift noise = {0, locator->noise, -1};
    return rate <= trm_locator_tolerance_bands(locator, run, function.formula, &run->now, 0, &noise,
                                               0)[function.k];
}

/// Band of the edge at now, where g goes from `now` to `later`. Friction and stops hold bodies by
/// forces that balance others to rounding. What moves at this rate by less than the rounding of its
/// size in the horizon, while one of them holds, is known to that; a rate that is balanced, to what
/// the rounding of accelerations makes of it in a step.
static double band_now(trm_locator *locator, trm_run *run, int k, double now, double later)
{
    const int held = held_rows(run) > 0;
    const double delta = trm_locator_short_time(locator, run), rate = fabs(later - now) / delta;
    const trm_drift gap = locator->gap;
    const double own = held ? band_at(locator, run, k, &run->now, 0, 1) : 0;
    if (held && rate * trm_locator_horizon(locator) <= own) {
        return own;
    }
    if (is_balanced(locator, run, k, rate)) {
        locator->gap.velocity += locator->noise * fmax(run->now.t - run->before.t, delta);
    }
    const double band = band_at(locator, run, k, &run->now, 0, 0);
    locator->gap = gap;
    return band;
}

int trm_locator_is_angle(const trm_locator *locator, int k)
{
    const trm_switching_place function = trm_locator_function_of(locator, k);
    return trm_expression_switching_function(function.formula->f.code, function.k).kind ==
           TRM_SWITCHING_ANGLE;
}

int trm_locator_is_kink(const trm_locator *locator, int k)
{
    const trm_switching_place at = trm_locator_function_of(locator, k);
    return at.formula->event < 0 && !trm_locator_is_angle(locator, k) &&
           (trm_expression_switching_function(at.formula->f.code, at.k).smoothness >= 0 ||
            locator->root[k].kind == TRM_EDGE_KINK);
}

/// The edge nearest to the value g of function k; infinite: there is none.
static double nearest_edge(const trm_locator *locator, int k, double g)
{
    const trm_switching_place function = trm_locator_function_of(locator, k);
    const trm_expression *const code = function.formula->f.code;
    double lo, hi;
    trm_switching_mode_interval(code, function.k, trm_locator_mode_of(locator, k, g), &lo, &hi);
    return fabs(g - lo) < fabs(hi - g) ? lo : hi;
}

double trm_locator_edge_distance(const trm_locator *locator, int k, double g,
                                 trm_switching_mode *mode)
{
    const double edge = nearest_edge(locator, k, g);
    *mode = trm_locator_mode_of(locator, k, isfinite(edge) ? edge : g);
    return fabs(g - edge);
}

trm_switching_mode trm_locator_mode_beside(const trm_locator *locator, int k, double g,
                                           double later)
{
    const double edge = nearest_edge(locator, k, g);
    const double little = 2 * fmax(DBL_EPSILON * fabs(edge), DBL_MIN); // not subnormal
    return trm_locator_mode_of(locator, k, edge + (later > edge ? little : -little));
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

/// The switching function k a little after the end of the step.
static double later(trm_locator *locator, trm_run *run, int k)
{
    double t;
    trm_locator_extrapolate_shortly(locator, run, &t);
    trm_locator_formulas_at(run, t, locator->z, locator->values.g_inside);
    return locator->values.g_inside[k];
}

double trm_locator_errs_by(trm_locator *locator, trm_run *run, int k)
{
    const trm_switching_place function = trm_locator_function_of(locator, k);
    const double part = TRM_ACCURACY_STEPS * run->options.rtol,
                 least = TRM_ACCURACY_STEPS * run->options.atol;
    const trm_drift gap = {least, least, -1};
    return trm_locator_tolerance_bands(locator, run, function.formula, &run->now, part, &gap,
                                       0)[function.k];
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

/// The step has shown this state of root k from its beginning on, in this mode.
static trm_root_state show(trm_locator *locator, const trm_run *run, int k, trm_root_state state,
                           trm_switching_mode mode)
{
    trm_root *const root = &locator->root[k];
    root->state_shown = state;
    root->mode_shown = mode;
    root->t_shown = run->now.t;
    return state;
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

trm_root_state trm_locator_show_root(trm_locator *locator, trm_run *run, int k)
{
    trm_root *const root = &locator->root[k];
    const double g0 = locator->values.g0[k], g1 = locator->values.g1[k];
    trm_switching_mode of0, of1, edge;
    root->state_shown = TRM_ROOT_ACTIVE;
    if ((trm_locator_is_kink(locator, k) && root->kind != TRM_EDGE_STEEP) ||
        trm_locator_is_angle(locator, k) || isnan(g0) || isnan(g1)) {
        return TRM_ROOT_ACTIVE;
    }
    const double d0 = trm_locator_edge_distance(locator, k, g0, &of0),
                 d1 = trm_locator_edge_distance(locator, k, g1, &of1);
    if (root->state == TRM_ROOT_LEAVING) {
        locator->band = arrival_band(locator, run, k);
        if (run->before.t < root->t_leaving) {
            return TRM_ROOT_ACTIVE;
        }
        if (d0 > locator->band) { // farther than the motion errs by
            locator->band = 0;
            root->state = TRM_ROOT_ACTIVE;
        }
    }
    const int was_inactive = root->state == TRM_ROOT_INACTIVE;
    const int near = d1 <= band_at_rest(locator, run, k);
    const double value_later = near ? later(locator, run, k) : NAN;
    const int ends = near && trm_locator_is_on_edge(locator, run, k, g1, value_later, &edge);
    if (!was_inactive && !ends) {
        return TRM_ROOT_ACTIVE;
    }
    const double band = band_now(locator, run, k, g1, value_later);
    locator->band = fmax(arrival_band(locator, run, k), band);
    const double away = first_outside_band(locator, run, k, g1);
    if (was_inactive && (d1 > band || away != g1)) {
        const trm_switching_mode mode = trm_locator_mode_of(locator, k, away);
        const int leaves = mode != locator->mode[k];
        return show(locator, run, k, leaves ? TRM_ROOT_LEAVING : TRM_ROOT_ACTIVE, mode);
    }
    if (d0 <= band && of0 == of1 && away == g1) {
        return show(locator, run, k, TRM_ROOT_INACTIVE, ends ? edge : locator->mode[k]);
    }
    return TRM_ROOT_ACTIVE; // it comes
}

void trm_locator_accept_root(trm_root *root)
{
    const int leaving = root->state == TRM_ROOT_LEAVING;
    root->state = root->state_shown == TRM_ROOT_INACTIVE ? TRM_ROOT_INACTIVE
                  : leaving                              ? TRM_ROOT_LEAVING
                                                         : TRM_ROOT_ACTIVE;
    root->state_shown = TRM_ROOT_ACTIVE;
}

/// Changes the mode of the innermost function of a formula, which the others may depend on.
static int release_one(trm_locator *locator, const trm_switching_formula *formula)
{
    int n = 0;
    for (int k = 0; k < trm_expression_switching_functions(formula->f.code); k++) {
        const int number = formula->f.first_switching_function + k;
        trm_root *const root = &locator->root[number];
        if (n == 0 && trm_locator_changes_at_start(locator, number)) {
            locator->mode_after[number] = root->mode_shown;
            root->state = root->state_shown;
            root->t_leaving = root->t_shown;
            n = 1;
        }
        root->state_shown = TRM_ROOT_ACTIVE;
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
