/// Functions of switches that rest on their edge: the rate of a joint that a drive, a stop or
/// friction holds, the coordinate of a slide on its mark. Their values are zero to rounding, and
/// rounding is no change.
///
/// A function rests in a step if it is on its edge at both ends of the step, and a little later
/// would be. Its switch then has the branch of the edge itself: of S.rate > 0 that in which it does
/// not hold, of S.rate == 0 that in which it does. A function that rests, and is not on its edge at
/// the end of the next step, has left at the beginning of this step: what moves it begins there,
/// for steps end where formulas change. Before a function rests, and behind, rounding and the
/// tolerance decide on which side of the edge it comes and goes; so a step that ends in rest, and
/// a step that begins there, give it as much as the motion errs by.
#include "simulation/events/switching_functions.h"

#include "base/accuracy_policy.h"
#include "engine/enclosure/switch_numbers.h"
#include "engine/multibody/consistency.h"

#include <float.h>
#include <math.h>

/// ahead->gap, with that at now.
static void see_gap(trm_ahead *ahead, trm_run *run)
{
    trm_system *const system = run->system;
    const double *const q = run->now.z;
    if (ahead->gap_seen || system->nc == 0) {
        return;
    }
    ahead->gap_seen = 1;
    if (!trm_system_position(system, run->now.t, q)) {
        const trm_residual r = trm_residual_of(system, q + system->nq, ahead->rows);
        ahead->gap.position = fmax(ahead->gap.position, r.position);
        ahead->gap.velocity = fmax(ahead->gap.velocity, r.velocity);
    }
}

/// As wide as rounding and open gaps make the edge of switch k at an end of the step; more by
/// `part` of the terms; `still` as for trm_ahead_blur.
static double width(trm_ahead *ahead, trm_run *run, int k, const trm_point_of_run *at, double part,
                    int still)
{
    int number;
    const trm_changing *const formula = trm_ahead_formula(ahead, k, &number);
    see_gap(ahead, run);
    return trm_ahead_blur(ahead, run, formula, number, at, part + TRM_SWITCH_EDGE * DBL_EPSILON,
                          &ahead->gap, still);
}

/// The same at now, where the function goes from `now` to `later`. Friction and stops hold bodies
/// by forces that balance others to rounding. What moves at this rate by less than the rounding of
/// its size in the time looked ahead, while one of them holds, is known to that.
static double width_now(trm_ahead *ahead, trm_run *run, int k, double now, double later)
{
    const int held = run->contact && trm_contact_list_held(run->contact) > 0;
    const double away = fabs(later - now) / trm_ahead_little(ahead, run) * trm_ahead_time(ahead);
    const double wide = held ? width(ahead, run, k, &run->now, 0, 1) : 0;
    return held && away <= wide ? wide : width(ahead, run, k, &run->now, 0, 0);
}

int trm_ahead_is_angle(const trm_ahead *ahead, int k)
{
    int number;
    const trm_changing *const formula = trm_ahead_formula(ahead, k, &number);
    return trm_expression_switch(formula->f.code, number).kind == TRM_SWITCH_ANGLE;
}

double trm_ahead_from_edge(const trm_ahead *ahead, int k, double g, trm_branch *branch)
{
    int number;
    const trm_expression *const code = trm_ahead_formula(ahead, k, &number)->f.code;
    double lo, hi;
    *branch = trm_switch_branch(code, number, g);
    trm_switch_interval(code, number, *branch, &lo, &hi);
    const double edge = fabs(g - lo) < fabs(hi - g) ? lo : hi;
    *branch = isfinite(edge) ? trm_switch_branch(code, number, edge) : *branch;
    return fabs(g - edge);
}

int trm_ahead_on_edge(trm_ahead *ahead, trm_run *run, int k, double now, double later,
                      trm_branch *branch)
{
    trm_branch of_later;
    if (trm_ahead_is_angle(ahead, k) || !isfinite(now) || !isfinite(later)) {
        return 0; // branches of angles overlap
    }
    const double d = trm_ahead_from_edge(ahead, k, now, branch);
    const double d_later = trm_ahead_from_edge(ahead, k, later, &of_later);
    return of_later == *branch && fmax(d, d_later) <= width_now(ahead, run, k, now, later);
}

void trm_ahead_lay_down(trm_ahead *ahead, trm_run *run, int k, double now, double later)
{
    trm_branch branch;
    trm_hover *const hover = &ahead->hover[k];
    hover->rests = trm_ahead_on_edge(ahead, run, k, now, later, &branch);
    hover->turns = 0;
    hover->t_away = -INFINITY;
    ahead->branch[k] = hover->rests ? branch : ahead->branch[k];
}

/// The function of switch k a little after the end of the step.
static double later(trm_ahead *ahead, trm_run *run, int k)
{
    trm_system *const system = run->system;
    double t;
    trm_ahead_a_little_later(ahead, run, &t);
    trm_system_switching(system, t, ahead->z, ahead->z + system->nq, ahead->g_inside);
    return ahead->g_inside[k];
}

/// What a function that comes to its edge, or leaves it, is given: what it errs by where its terms
/// have the accuracy asked for, at the end of the step that makes more of that. A product of what
/// comes to zero together errs by nothing there, and on the way.
static double given(trm_ahead *ahead, trm_run *run, int k)
{
    const double part = TRM_STEPS_IN_A * run->options.rtol;
    const double first = width(ahead, run, k, &run->before, part, 0);
    return fmax(first, width(ahead, run, k, &run->now, part, 0));
}

/// It has rested in the step (`rests`), or has left at its beginning: in this branch.
static trm_rest found(trm_ahead *ahead, const trm_run *run, int k, trm_branch to, int rests)
{
    trm_hover *const hover = &ahead->hover[k];
    hover->turns = to != ahead->branch[k];
    hover->to = to;
    hover->stays = rests;
    hover->t_shown = run->now.t;
    return hover->turns ? TRM_REST_TURNS : rests ? TRM_REST_STAYS : TRM_REST_NONE;
}

/// The first value within the step that is farther from g1, the one at its end, than is given;
/// else g1.
static double strays(trm_ahead *ahead, trm_run *run, int k, double g1)
{
    for (int i = 1; i < TRM_STEP_PARTS; i++) {
        const double g = trm_ahead_part(ahead, run, k, i);
        if (fabs(g - g1) > ahead->given) {
            return g;
        }
    }
    return g1;
}

trm_rest trm_ahead_rest(trm_ahead *ahead, trm_run *run, int k)
{
    trm_hover *const hover = &ahead->hover[k];
    const double g0 = ahead->g0[k], g1 = ahead->g1[k];
    trm_branch of0, of1, edge;
    hover->turns = hover->stays = 0;
    if (trm_ahead_is_angle(ahead, k) || isnan(g0) || isnan(g1)) {
        return TRM_REST_NONE;
    }
    const double d0 = trm_ahead_from_edge(ahead, k, g0, &of0),
                 d1 = trm_ahead_from_edge(ahead, k, g1, &of1);
    if (isfinite(hover->t_away)) {
        ahead->given = given(ahead, run, k);
        if (run->before.t < hover->t_away) {
            return TRM_REST_NONE;
        }
        if (d0 > ahead->given) { // farther than the motion errs by
            ahead->given = 0;
            hover->t_away = -INFINITY;
        }
    }
    double wide = width(ahead, run, k, &run->now, 0, 1);
    const double then = d1 <= wide ? later(ahead, run, k) : NAN;
    wide = width_now(ahead, run, k, g1, then);
    const int ends = trm_ahead_on_edge(ahead, run, k, g1, then, &edge);
    if (!hover->rests && !ends) {
        return TRM_REST_NONE;
    }
    ahead->given = fmax(given(ahead, run, k), wide);
    const double away = strays(ahead, run, k, g1);
    if (hover->rests && (d1 > wide || away != g1)) {
        return found(ahead, run, k, trm_ahead_branch_of(ahead, k, away), 0);
    }
    if (d0 <= wide && of0 == of1 && away == g1) {
        return found(ahead, run, k, ends ? edge : ahead->branch[k], 1);
    }
    return TRM_REST_NONE; // it comes
}

/// Of switches of a formula the innermost one, which the functions of others may depend on.
static int turn_one(trm_ahead *ahead, const trm_changing *formula)
{
    int n = 0;
    for (int k = 0; k < trm_expression_switches(formula->f.code); k++) {
        const int number = formula->f.first_switch + k;
        trm_hover *const hover = &ahead->hover[number];
        if (hover->turns && n == 0) {
            ahead->then[number] = hover->to;
            hover->rests = hover->stays;
            hover->t_away = hover->stays ? -INFINITY : hover->t_shown;
            n = 1;
        }
        hover->turns = 0;
    }
    return n;
}

int trm_ahead_turn_resting(trm_ahead *ahead)
{
    int n = 0;
    for (int i = 0; i < ahead->model->nchanging; i++) {
        n += turn_one(ahead, &ahead->model->changing[i]);
    }
    return n;
}
