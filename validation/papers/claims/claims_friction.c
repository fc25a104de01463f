/// [TH 7.2]: f(t, x, x', y) = 0 with y in it nonlinearly, y_s = y_{s-1} + e(g)/epsilon. A bead of
/// mass 1 on the parabola q2 = q1^2/2 with Coulomb friction, whose force goes with |y|:
///
///     v' = (0, -9.81) - G^T y - mu |y| |G| sigma tau,    0 = g = q2 - q1^2/2,    G = (-q1, 1)
///
/// tau the tangent, sigma the sign of the speed. Of index 3, hence as (4.14)-(4.16) of [AL95]:
///
///     q_s' = v_s - (1/epsilon) G^T g/|G|^2,    y_s = y_{s-1} + (1/epsilon) G v_s/|G|^2
///
/// Beside it the same in the coordinate q1 and the speed w along the wire, from event to event:
///
///     w' = -9.81 sin - mu N sigma,    N = 9.81 cos + w^2 cos^3,    q1' = w cos,    tan = q1
///
/// Where the speed vanishes the bead stays if |q1| <= mu, and else turns.
#include "validation/papers/claims/claims.h"

#include <math.h>
#include <string.h>

enum { MOST_ITERATES = 3, MOST_STATE = 4 * MOST_ITERATES };

static const double gravity = 9.81, mu = 0.2, q0 = 1, h_bead = 1e-4;

/// A system of n equations with an event at speed = 0.
typedef struct bead {
    int n;
    double epsilon, sigma;
    void (*rates)(const struct bead *bead, const double *z, double *dz);
    double (*speed)(const struct bead *bead, const double *z); ///< along the wire
} bead;

// -------------------------------------------------------------------------- by one coordinate

static void wire_rates(const bead *b, const double *z, double *dz)
{
    const double cosine = 1 / sqrt(1 + z[0] * z[0]), sine = z[0] * cosine;
    const double N = gravity * cosine + z[1] * z[1] * cosine * cosine * cosine;
    dz[0] = z[1] * cosine;
    dz[1] = -gravity * sine - mu * N * b->sigma;
}

static double wire_speed(const bead *b, const double *z)
{
    (void)b;
    return z[1];
}

// ---------------------------------------------------------------------- by regularization

static void srm_rates(const bead *b, const double *z, double *dz)
{
    double y = -gravity / (1 + q0 * q0); // y_0: that of the start
    for (int s = 0; s < b->n / 4; s++, z += 4, dz += 4) {
        const double GG = 1 + z[0] * z[0];
        const double back = (z[1] - z[0] * z[0] / 2) / (GG * b->epsilon);
        y += (z[3] - z[0] * z[2]) / (GG * b->epsilon);
        dz[0] = z[2] + z[0] * back;
        dz[1] = z[3] - back;
        dz[2] = z[0] * y - mu * fabs(y) * b->sigma;
        dz[3] = -gravity - y - mu * fabs(y) * b->sigma * z[0];
    }
}

static double srm_speed(const bead *b, const double *z)
{
    const double *const last = z + b->n - 4;
    return last[2] + last[0] * last[3];
}

// --------------------------------------------------------------------------------- the run

/// next := a step of the classical Runge-Kutta method.
static void step(const bead *b, double h, const double *z, double *next)
{
    static const double c[] = {0, 0.5, 0.5, 1}, w[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double k[MOST_STATE] = {0}, stage[MOST_STATE];
    memcpy(next, z, (size_t)b->n * sizeof *z);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < b->n; j++) {
            stage[j] = z[j] + c[i] * h * k[j];
        }
        b->rates(b, stage, k);
        for (int j = 0; j < b->n; j++) {
            next[j] += w[i] * h * k[j];
        }
    }
}

/// z at t_end or where the bead rests, whose time is returned.
static double run(bead *b, double t_end, double *z)
{
    double t = 0;
    b->sigma = -1; // it falls from q0
    while (t < t_end) {
        double next[MOST_STATE], h = fmin(h_bead, t_end - t);
        step(b, h, z, next);
        const int turns = t > h_bead && b->speed(b, next) * b->sigma < 0;
        for (double a = 0, e = h; turns && e - a > 1e-15;) {
            h = (a + e) / 2;
            step(b, h, z, next);
            *(b->speed(b, next) * b->sigma < 0 ? &e : &a) = h;
        }
        memcpy(z, next, (size_t)b->n * sizeof *z);
        t += h;
        b->sigma = turns ? -b->sigma : b->sigma;
        if (turns && fabs(z[b->n > 2 ? b->n - 4 : 0]) <= mu) {
            return t;
        }
    }
    return t;
}

/// q1 by both, and the times to rest.
static void both(double epsilon, int iterates, double t_end, double place[2], double time[2])
{
    double wire[2] = {q0, 0}, z[MOST_STATE] = {0};
    bead by_events = {2, 0, 0, wire_rates, wire_speed};
    bead by_srm = {4 * iterates, epsilon, 0, srm_rates, srm_speed};
    for (int s = 0; s < iterates; s++) {
        z[4 * s] = q0;
        z[4 * s + 1] = q0 * q0 / 2;
    }
    time[0] = run(&by_events, t_end, wire);
    time[1] = run(&by_srm, t_end, z);
    place[0] = wire[0];
    place[1] = z[4 * iterates - 4];
}

/// At t = 2, when the bead has turned and moves.
trm_status trm_paper_claim_friction(double *found, trm_error *err)
{
    (void)err;
    *found = 0;
    for (int s = 1; s <= MOST_ITERATES; s++) {
        double off[2], time[2];
        for (int k = 0; k < 2; k++) {
            double place[2];
            both(0.01 / (1 << k), s, 2, place, time);
            off[k] = fabs(place[1] - place[0]);
        }
        *found = fmax(*found, fabs(log2(off[0] / off[1]) - s));
    }
    return TRM_OK;
}

/// Where and when it rests.
trm_status trm_paper_claim_friction_rest(double *found, trm_error *err)
{
    (void)err;
    double place[2], time[2];
    both(1e-3, 2, 100, place, time);
    *found = fmax(fabs(place[1] - place[0]), fabs(time[1] - time[0]));
    return TRM_OK;
}
