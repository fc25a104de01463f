/// The parts of a formula that depend on the time alone, and their enclosures over an interval of
/// times.
///
/// A *signal* is a largest sub-expression of t, inputs and constants in which t stands, sums taken
/// apart: of "x*sin(t) + max(0, t - 1) - 2" these are sin(t) and max(0, t - 1). A *switching
/// function of the time* is a switching function (base/expression/switching.h) whose function g is
/// of t, inputs and constants: that of max, g = 0 - (t - 1).
#pragma once

#include "base/expression/switching.h"
#include "engine/enclosure/time_path.h"
#include "engine/system/input.h"

enum {
    TRM_SOURCE_TIME = -1, ///< a variable that is t
    TRM_SOURCE_STATE = -2 ///< a variable of the motion
};

/// The role of an instruction of the tape.
/// TRM_MAY_PEAK: of the state, a function that is no polynomial, or what follows from one.
enum { TRM_OF_STATE = 1, TRM_OF_TIME = 2, TRM_IS_SIGNAL = 4, TRM_MAY_PEAK = 8 };

/// A formula, and of each of its variables the source: TIME, STATE, or the index of an input.
/// Borrowed.
typedef struct trm_time_formula {
    const trm_expression *code;
    const int *source;         ///< of every variable
    const unsigned char *role; ///< of every instruction
    int last;                  ///< the last function that may peak; -1: there is none
} trm_time_formula;

/// Instructions of the code, the length of `role`.
int trm_time_formula_length(const trm_expression *code);
/// Fill role[length]. Returns the number of signals.
int trm_time_formula_roles(const trm_expression *code, const int *source, unsigned char *role);
/// Returns nonzero if a function in it is no polynomial.
int trm_time_formula_bends(const trm_expression *code);
/// How many instructions may peak, by their roles; *last: the last function of them.
int trm_time_formula_peaking(const trm_expression *code, const unsigned char *role, int *last);
/// Returns nonzero if switching function k is a switching function of the time: of t and inputs.
/// One of inputs alone, as mode == 1, may rest on its edge, where mode 0 is in force.
int trm_time_formula_is_switching(const trm_time_formula *formula, int k);

/// Bytes of workspace that the calls below need.
int trm_time_formula_room(const trm_expression *code);

/// Inputs, the path of the state, and a workspace. With a path the state is known as a function of
/// the time, so that every switching function is a switching function of the time. With ranges of
/// the variables it is known to lie in them.
typedef struct trm_time_context {
    const trm_input *inputs;
    void *room;
    const trm_time_path *path; ///< NULL: nothing is known of the state
    const trm_interval *range; ///< [variables] in place of a path, or NULL
} trm_time_context;

/// A query about a formula in an interval of times. With `frozen` no switching function of the time
/// changes within the interval, and the modes of its middle hold; else the coefficients enclose all
/// modes, from order 2 on only where the mode is certain.
typedef struct trm_time_query {
    trm_interval t;
    int order;
    int frozen;
    trm_interval *points; ///< NULL, or [instructions] the values at the middle of t: enclosures are
                          ///< then also those of the mean value theorem; order 1 at least
} trm_time_query;

/// out[signals], in the order of the tape.
void trm_time_formula_signals(const trm_time_formula *formula, const trm_time_query *query,
                              const trm_time_context *context, trm_series *out);
/// Of an interval.
typedef enum trm_time_domain {
    TRM_DOMAIN_WHOLE,   ///< a value at all times
    TRM_DOMAIN_PART,    ///< perhaps not at some
    TRM_DOMAIN_NOTHING, ///< at none
} trm_time_domain;

/// g of switching function of the time k. Returns where it has a value.
trm_time_domain trm_time_formula_switching_series(const trm_time_formula *formula, int k,
                                                  const trm_time_query *query,
                                                  const trm_time_context *context, trm_series *out);

/// width[switching functions], of their g, at order 0.
void trm_time_formula_switching_widths(const trm_time_formula *formula, const trm_time_query *query,
                                       const trm_time_context *context, double *width);

/// With a path: the results that may peak (engine/enclosure/peak.h), out[results]; with a path or
/// ranges, whether no argument of a function moves by more than the length of that function within
/// t.
void trm_time_formula_results(const trm_time_formula *formula, const trm_time_query *query,
                              const trm_time_context *context, trm_series *out);
/// The results' values, narrower, for three times the work: by the mean value theorem too.
void trm_time_formula_narrow(const trm_time_formula *formula, trm_interval t,
                             const trm_time_context *context, trm_series *out);
int trm_time_formula_is_mild(const trm_time_formula *formula, trm_interval t,
                             const trm_time_context *context);

/// The mode of switching function of the time k at t.
trm_switching_mode trm_time_formula_mode(const trm_time_formula *formula, int k, double t,
                                         const trm_time_context *context);
