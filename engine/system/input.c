#include "engine/system/input.h"

#include <math.h>

/// The first half of the way from its begin, the second from its end: so u leaves its first value
/// and comes to its last one as powers do, free of rounding, and u >= value begins to hold once.
static void evaluate(const trm_ramp *ramp, double T, double t, double out[3])
{
    const double *c = ramp->c;
    const double x = T > 0 ? fmax(t - ramp->since, 0) / T : 1;
    out[0] = ramp->value;
    out[1] = out[2] = 0;
    if (x < 0.5) {
        out[0] = c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * c[5]))));
        out[1] = (c[1] + x * (2 * c[2] + x * (3 * c[3] + x * (4 * c[4] + x * 5 * c[5])))) / T;
        out[2] = (2 * c[2] + x * (6 * c[3] + x * (12 * c[4] + x * 20 * c[5]))) / (T * T);
    } else if (x < 1) { // not for a jump, nor for a constant
        const double r = 1 - x;
        double e[3];
        trm_ramp_from_end(ramp, e);
        out[0] += r * r * r * (e[0] + r * (e[1] + r * e[2]));
        out[1] = -r * r * (3 * e[0] + r * (4 * e[1] + r * 5 * e[2])) / T;
        out[2] = r * (6 * e[0] + r * (12 * e[1] + r * 20 * e[2])) / (T * T);
    }
}

void trm_ramp_from_end(const trm_ramp *ramp, double e[3])
{
    const double *c = ramp->c;
    e[0] = -(c[3] + 4 * c[4] + 10 * c[5]);
    e[1] = c[4] + 5 * c[5];
    e[2] = -c[5];
}

/// The quintic with u(0) = u[0], T u'(0) and T^2 u''(0)/2 given, u(1) = value, u'(1) = u''(1) = 0.
static void plan(trm_ramp *ramp, const double u[3], double T)
{
    const double b = T * u[1];
    const double c = T * T * u[2] / 2;
    // what is missing at x = 1 in value, slope and curvature
    const double d = ramp->value - u[0] - b - c;
    const double d1 = -b - 2 * c;
    const double d2 = -2 * c;
    ramp->c[0] = u[0];
    ramp->c[1] = b;
    ramp->c[2] = c;
    ramp->c[3] = 10 * d - 4 * d1 + d2 / 2;
    ramp->c[4] = -15 * d + 7 * d1 - d2;
    ramp->c[5] = 6 * d - 3 * d1 + d2 / 2;
}

void trm_input_settle(trm_input *input, double value)
{
    input->now = (trm_ramp){.since = -INFINITY, .value = value};
    input->before = input->now;
}

int trm_input_set(trm_input *input, double t, double value)
{
    if (value == input->now.value) {
        return 0;
    }
    double u[3];
    evaluate(&input->now, input->smooth, t, u);
    if (t != input->now.since) { // else the earlier value set at t never came into force
        input->before = input->now;
    } else {
        evaluate(&input->before, input->smooth, t, u);
    }
    input->now = (trm_ramp){.since = t, .value = value};
    if (input->smooth > 0) {
        plan(&input->now, u, input->smooth);
    }
    return 1;
}

void trm_input_at(const trm_input *input, double t, double out[3])
{
    evaluate(t < input->now.since ? &input->before : &input->now, input->smooth, t, out);
}

void trm_inputs_at(const trm_input *inputs, int n, double t, double *out)
{
    for (int i = 0; i < n; i++) {
        trm_input_at(&inputs[i], t, &out[3 * i]);
    }
}
