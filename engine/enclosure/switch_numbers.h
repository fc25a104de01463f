/// The numbers by which mode changes and peaks of formulas are located. None depends on a scene.
/// tests/tools/numbers/switch_numbers_test.py doubles and halves each.
#pragma once

/// Intervals looked at before values at the ends of the rest decide: forty halvings lead to a
/// change, two intervals each, so this is patience for fifty changes close to each other. And
/// changes, beside one of each switching function, within TRM_EVENT_CLOSE of the horizon: at that
/// rate a run would take 1e16 steps.
#define TRM_EVENT_PATIENCE 4096

/// Part of the horizon: two mode changes of one switching function that are closer are not
/// detected. A thousand roundings of that time, so that formulas of it still have three digits
/// there.
#define TRM_EVENT_CLOSE 1e-13

/// Part of a step: after it a function on its edge shows where it goes: rounding, 1e-16, is a
/// ten-million-millionth of what it does in a step.
#define TRM_EVENT_SHORT_TIME 1e-3

/// A function is sampled within the step where its edge is closer than so many of its changes from
/// the ends to the middle: a parabola goes no farther than one of them.
#define TRM_EVENT_NEAR_EDGE 2

/// Part of the largest value in the step: rounding of a function, thousands of roundings of its
/// terms.
#define TRM_EVENT_ROUNDING 1e-12

/// Mode changes in a row within rounding of the edge: there and back for each of two functions of
/// the same edge, twice.
#define TRM_EVENT_CHANGES_AT_EDGE 8

/// Zeno guard: mode changes over which their rate is taken, and the part of the remaining interval
/// that each of them takes at least, as steps do (trm_run_is_zeno): else there would be a billion
/// more.
#define TRM_ZENO_CHANGES 10000
#define TRM_ZENO_PART 1e-9

/// Roundings of the largest value in the run: the rounding band of an edge.
#define TRM_EVENT_BAND 16

/// Part of the spread of a formula's values at the stages of a step: a peak that they have not seen
/// lies so far beyond them. A parabola through them goes beyond by 0.07 of the spread in dop853,
/// 0.26 in dopri5 (its top in the middle of the widest gap between stages): a peak goes beyond by
/// twice that.
#define TRM_PEAK_SPREAD 0.5

/// Part of its size: a formula whose values at the stages spread by less is constant there. The
/// path errs by so much in a step of a radian: a cubic through the ends of it with their rates, by
/// x^4/384 of a sine, 0.003, and four times as much in a step of 1.4 radians.
#define TRM_PEAK_CONSTANT 0.01

/// Powers of a higher degree count as functions that may peak, as (1 - x^2/n)^n, a bell: the five
/// places in a step that the estimate of dopri5 weighs determine a polynomial of degree four, which
/// cannot be zero at all of them. The estimate of dop853 weighs more.
#define TRM_PEAK_DEGREE 4

/// Intervals looked at in one search: thirty halvings lead to the shortest peak, two each.
#define TRM_PEAK_BOXES 64

/// Part of a step: no shorter peak is promised, and where a formula has no value at a time, as at
/// the edge of a domain, no more than that is left open.
#define TRM_PEAK_SHORTEST 1e-9
