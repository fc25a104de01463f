/// The switches of an expression: where its formula changes from one smooth branch to another.
///
/// A switch has a switching function g, a number. Its *branch* is an integer that says in which of
/// the intervals of g the formula stands; within an interval the formula is as smooth as its parts.
///
///   kind               words                        g             branch and its interval
///   TRM_SWITCH_SIGN    min max < <= > >= == !=      a - b         -1: g < 0, 0: g = 0, 1: g > 0
///                      abs sign                     a             the same
///   TRM_SWITCH_FLOOR   floor, mod(a, b)             a, a/b        n: n <= g < n + 1
///   TRM_SWITCH_CEIL    ceil                         a             n: n - 1 < g <= n
///   TRM_SWITCH_STEP    step, pulse with flanks      (x-a)/(b-a)   0: g <= 0, 1: inside, 2: g >= 1
///   TRM_SWITCH_TABLE   table                        x             number of the piece, see table.h
///   TRM_SWITCH_ANGLE   atan2 (roll, pitch, yaw)     its value     1: g >= 0, up to pi; -1: g < 0
///
/// An angle jumps at pi alone. Its branches hold a quarter of a turn longer than they begin, 1 down
/// to g = -pi/2 and -1 up to pi/2: an angle that is held at 0 does not change them.
///
/// `if`, `and`, `or` and `not` have none of their own: theirs are those of the comparisons. All of
/// them are written with these words: clamp(x, a, b) is min(max(x, a), b).
///
/// Frozen branches. An evaluation with branch[k] given for every switch continues the branch beyond
/// its interval: min(x, 1) with branch -1 is x everywhere, floor(x) with branch 3 is 3, a table
/// keeps its polynomial, an angle goes on beyond pi. So the expression and its derivatives are
/// smooth. Where it has no value behind its interval (max(0, x)^1.5 with branch -1 and x < 0) it
/// goes on with arguments cut off at the edges of their domains: sqrt gives 0, log -inf.
/// Without branches (NULL) each switch stands where its g says.
///
/// The tape itself, for arithmetic of other kinds (intervals), is in expression_tape.h.
#ifndef TRM_SWITCHING_H
#define TRM_SWITCHING_H

#include "base/expression/expression.h"

#include <stdint.h>

typedef int64_t trm_branch;

/// The branch of a g that is no number.
#define TRM_BRANCH_NONE INT64_MIN

typedef enum trm_switch_kind {
    TRM_SWITCH_SIGN,
    TRM_SWITCH_FLOOR,
    TRM_SWITCH_CEIL,
    TRM_SWITCH_STEP,
    TRM_SWITCH_TABLE,
    TRM_SWITCH_ANGLE
} trm_switch_kind;

/// One switch, in the order in which the evaluation meets them: g of switch k may depend on the
/// branches of switches before k, never on later ones.
typedef struct trm_switch {
    trm_switch_kind kind;
    const char *name; ///< as written: "min", "<", "table"
    int smoothness;   ///< continuous derivatives of the formula across it: -1 the value jumps, 0 a
                      ///< kink, 1 the curvature jumps, 2 what is higher
    int of_time;      ///< nonzero: g depends on t alone (and constants)
    int of_rest;      ///< nonzero: g depends on other variables; of neither: never, it is folded
    int curved;       ///< nonzero: g is not a sum of multiples of variables and constants
    int text;         ///< of which text it is: 0 the expression, else 1 + the id of a definition
    int column;       ///< of the word in that text, bytes from 0
} trm_switch;

/// How many, and the k-th.
int trm_expression_switches(const trm_expression *code);
trm_switch trm_expression_switch(const trm_expression *code, int k);

/// The variables that the arguments of the operation of switch k are; -1 where they are others.
void trm_expression_switch_arguments(const trm_expression *code, int k, int arguments[2]);

/// The continuous derivatives that the expression has at least: the smallest smoothness of its
/// switches, 3 when it has none. That an angle jumps at pi does not count: a run that holds it
/// stops there. *worst (NULL: not wanted) is that switch, or -1.
int trm_expression_smoothness(const trm_expression *code, int *worst);

/// Whether the expression, of t alone, has two continuous derivatives although words in it have
/// kinks or jump, as x^3 (10 - 15 x + 6 x^2) with x = clamp(t, 0, 1). Returns 0 as well where that
/// is not decided: a switch whose g is not piecewise linear in t, floor, tables; no memory.
int trm_expression_is_smooth_in_time(const trm_expression *code);

/// Whether the expression depends on nothing except t.
int trm_expression_is_of_time(const trm_expression *code);

/// g[switches] at x. branch[switches] as below, or NULL. The workspace is that of the expression.
void trm_expression_switch_values(const trm_expression *code, const double *x,
                                  const trm_branch *branch, double *workspace, double *g);

/// g and g', g'' of every switch along a curve, as trm_expression_jet: out[switches][3].
void trm_expression_switch_jets(const trm_expression *code, const double (*x)[3],
                                const trm_branch *branch, double *workspace, double (*out)[3]);

/// error[switches]: bounds of what rounding makes of g at x, to first order; x and constants count
/// as rounded. The running error analysis of Higham, Accuracy and Stability of Numerical
/// Algorithms, 2nd ed., 3.3, with the unit of every operation DBL_EPSILON, twice that of the four
/// basic ones and that of the C library's functions.
void trm_expression_switch_rounding(const trm_expression *code, const double *x, double *workspace,
                                    double *error);

/// error[3]: the same for the jet along a curve whose points are exact, in branches as
/// trm_expression_jet_in has them, and constant exponents too. Errors of an argument that act by
/// third derivatives are left out. The workspace is twice that of the expression.
void trm_expression_jet_rounding(const trm_expression *code, const double (*x)[3],
                                 const trm_branch *branch, double *workspace, double error[3]);

/// The branch of switch k where its function has the value g; TRM_BRANCH_NONE when g is NaN, or
/// beyond the integers that a double counts.
trm_branch trm_switch_branch(const trm_expression *code, int k, double g);

/// The interval of g of a branch, lo <= g <= hi; infinite where it does not end. With
/// TRM_SWITCH_SIGN the branch 0 has lo = hi = 0.
void trm_switch_interval(const trm_expression *code, int k, trm_branch branch, double *lo,
                         double *hi);

/// As trm_expression_value, _jet and _gradient, with branch[switches] frozen (NULL: as g says).
double trm_expression_value_in(const trm_expression *code, const double *x,
                               const trm_branch *branch, double *workspace);
void trm_expression_jet_in(const trm_expression *code, const double (*x)[3],
                           const trm_branch *branch, double *workspace, double out[3]);
double trm_expression_gradient_in(const trm_expression *code, const double *x,
                                  const trm_branch *branch, double *workspace, double *gradient);

#endif
