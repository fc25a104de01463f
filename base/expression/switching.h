/// The switching functions of an expression: where its formula changes from one smooth mode to
/// another. A switching function has a value g. Its *mode* is an integer that says in which of the
/// intervals of g the formula stands; within an interval the formula is as smooth as its parts.
///
///   kind                  words                     g             mode and its interval
///   TRM_SWITCHING_SIGN    min max < <= > >= == !=      a - b         -1: g < 0, 0: g = 0, 1: g > 0
///                      abs sign                     a             the same
///   TRM_SWITCHING_FLOOR   floor, mod(a, b)             a, a/b        n: n <= g < n + 1
///   TRM_SWITCHING_CEIL    ceil                         a             n: n - 1 < g <= n
///   TRM_SWITCHING_STEP    step, pulse with flanks      (x-a)/(b-a)   0: g <= 0, 1: inside, 2: g >=
///   1 TRM_SWITCHING_TABLE   table                        x             number of the piece, see
///   table.h TRM_SWITCHING_ANGLE   atan2 (roll, pitch, yaw)     its value     1: g >= 0, up to pi;
///   -1: g < 0
///
/// An angle jumps at pi alone. Its modes hold a quarter of a turn longer than they begin, 1 down to
/// g = -pi/2 and -1 up to pi/2: an angle that is held at 0 does not change them.
///
/// `if`, `and`, `or` and `not` have none of their own: theirs are those of the comparisons. All of
/// them are written with these words: clamp(x, a, b) is min(max(x, a), b).
///
/// Frozen modes. An evaluation with mode[k] given for every switching function continues the
/// formula of the mode beyond its interval: min(x, 1) in mode -1 is x everywhere, floor(x) in mode
/// 3 is 3, a table keeps its polynomial, an angle goes on beyond pi. So the expression and its
/// derivatives are smooth. Where it has no value behind its interval (max(0, x)^1.5 with mode -1
/// and x < 0) it goes on with arguments cut off at the edges of their domains: sqrt gives 0, log
/// -inf. Without modes (NULL) each one follows from g.
///
/// The tape itself, for arithmetic of other kinds (intervals), is in expression_tape.h.
#pragma once

#include "base/expression/expression.h"

#include <stdint.h>

typedef int64_t trm_switching_mode;

/// The mode of a g that is no number.
#define TRM_SWITCHING_MODE_NONE INT64_MIN

/// Not frozen: the mode is the one of g, wherever that goes.
#define TRM_BRANCH_FREE (INT64_MIN + 1)

typedef enum trm_switching_kind {
    TRM_SWITCHING_SIGN,
    TRM_SWITCHING_FLOOR,
    TRM_SWITCHING_CEIL,
    TRM_SWITCHING_STEP,
    TRM_SWITCHING_TABLE,
    TRM_SWITCHING_ANGLE
} trm_switching_kind;

/// One switching function, in the order of the evaluation: g of function k may depend on the modes
/// of functions before k, never on later ones.
typedef struct trm_switching_function {
    trm_switching_kind kind;
    const char *name; ///< as written: "min", "<", "table"
    int smoothness;   ///< continuous derivatives of the formula across it: -1 the value jumps, 0 a
                      ///< kink, 1 the curvature jumps, 2 what is higher
    int of_time;      ///< nonzero: g depends on t alone (and constants)
    int of_rest;      ///< nonzero: g depends on other variables; of neither: never, it is folded
    int text;         ///< of which text it is: 0 the expression, else 1 + the id of a definition
    int column;       ///< of the word in that text, bytes from 0
} trm_switching_function;

/// Number of switching functions of an expression, and the k-th.
int trm_expression_switching_functions(const trm_expression *code);
trm_switching_function trm_expression_switching_function(const trm_expression *code, int k);

/// The variables that the arguments of the operation of switching function k are; -1 where they are
/// others.
void trm_expression_switching_arguments(const trm_expression *code, int k, int arguments[2]);

/// The continuous derivatives that the expression has at least: the smallest smoothness of its
/// switching functions, 3 when it has none. That an angle jumps at pi does not count: a run that
/// holds it stops there. *worst (NULL: not wanted) is that switching function, or -1.
int trm_expression_smoothness(const trm_expression *code, int *worst);

/// Returns nonzero if the expression has two continuous derivatives although words in it have kinks
/// or jump, as x^3 (10 - 15 x + 6 x^2) with x = clamp(t, 0, 1): only as t passes, which is the
/// variable number `time`. Returns 0 as well where that is not decided: a switching function whose
/// g is not piecewise linear in t, floor, tables; no memory.
int trm_expression_is_smooth_in_time(const trm_expression *code, int time);

/// Returns nonzero if the expression depends on nothing except t.
int trm_expression_is_of_time(const trm_expression *code);

/// g[nswitching_functions] at x. mode[nswitching_functions] as below, or NULL. The workspace is
/// that of the expression.
void trm_expression_switching_values(const trm_expression *code, const double *x,
                                     const trm_switching_mode *mode, double *workspace, double *g);

/// g and g', g'' of every switching function along a curve, as trm_expression_jet:
/// out[nswitching_functions][3].
void trm_expression_switching_jets(const trm_expression *code, const double (*x)[3],
                                   const trm_switching_mode *mode, double *workspace,
                                   double (*out)[3]);

/// error[nswitching_functions]: bounds of what rounding makes of g at x, to first order; x and
/// constants count as rounded. The running error analysis of Higham, Accuracy and Stability of
/// Numerical Algorithms, 2nd ed., 3.3. The unit of every operation is DBL_EPSILON: that of the C
/// library's functions, and twice that of the four basic ones.
void trm_expression_switching_rounding(const trm_expression *code, const double *x,
                                       double *workspace, double *error);

/// error[3]: the same for the jet along a curve whose points are exact, in modes as
/// trm_expression_jet_in has them, and constant exponents too. Errors of an argument that act by
/// third derivatives are left out. The workspace is twice that of the expression.
void trm_expression_jet_rounding(const trm_expression *code, const double (*x)[3],
                                 const trm_switching_mode *mode, double *workspace,
                                 double error[3]);

/// The mode of switching function k where its function has the value g; TRM_SWITCHING_MODE_NONE
/// when g is NaN, or beyond the integers that a double counts.
trm_switching_mode trm_switching_mode_at(const trm_expression *code, int k, double g);

/// The interval of g of a mode, lo <= g <= hi; infinite where it does not end. With
/// TRM_SWITCHING_SIGN the mode 0 has lo = hi = 0.
void trm_switching_mode_interval(const trm_expression *code, int k, trm_switching_mode mode,
                                 double *lo, double *hi);

/// As trm_expression_value, _jet and _gradient, with mode[nswitching_functions] frozen (NULL: as g
/// says).
double trm_expression_value_in(const trm_expression *code, const double *x,
                               const trm_switching_mode *mode, double *workspace);
void trm_expression_jet_in(const trm_expression *code, const double (*x)[3],
                           const trm_switching_mode *mode, double *workspace, double out[3]);
double trm_expression_gradient_in(const trm_expression *code, const double *x,
                                  const trm_switching_mode *mode, double *workspace,
                                  double *gradient);
