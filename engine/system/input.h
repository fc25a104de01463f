/// An input of a run as a function of time: constant, or on its way to a new value.
///
/// With `smooth` = T > 0 a value set at time s is approached along a quintic: it starts with the
/// value, rate and second derivative of the input at s, and ends at s + T with both derivatives
/// zero, since motors and constraints need g_t and g_tt. With T = 0 the input jumps.
///
///   x = (t - s)/T,   u = c_0 + c_1 x + ... + c_5 x^5 for x < 1,   u = value from then on
///   r = 1 - x,       u = value + r^3 (e_0 + e_1 r + e_2 r^2), the same
#pragma once

/// The course of an input from `since` on.
typedef struct trm_ramp {
    double since; ///< s
    double value; ///< in the end
    double c[6];  ///< of the quintic; unused when the input jumps
} trm_ramp;

typedef struct trm_input {
    double smooth;        ///< s
    trm_ramp now, before; ///< before: until now.since, for a look back into the last step
} trm_input;

/// The coefficients e of the quintic seen from its end.
void trm_ramp_from_end(const trm_ramp *ramp, double e[3]);

/// The input is constant, for all past and future times.
void trm_input_settle(trm_input *input, double value);

/// A new value from t on. Returns zero, and does nothing, when it is the present or coming value.
int trm_input_set(trm_input *input, double t, double value);

/// out[3]: u, u' and u'' at t.
void trm_input_at(const trm_input *input, double t, double out[3]);
/// out[3*n]: those of n inputs.
void trm_inputs_at(const trm_input *inputs, int n, double t, double *out);
