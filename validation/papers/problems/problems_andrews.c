/// The seven-body squeezing mechanism of Andrews [ACPR95 Example 3], data from the handbook of
/// Schiehlen as printed by Hairer and Wanner, VII.7: q = (beta, Theta, gamma, Phi, delta, Omega,
/// epsilon), m and kg. The constraints close three loops from the pin of the crank:
///
///   (rr cos b - d cos bT, rr sin b - d sin bT) - (ss sin c, -ss cos c)                 = (xb, yb)
///   (rr cos b - d cos bT, rr sin b - d sin bT) - (e sin Pd + zt cos d, zt sin d - e cos Pd)
///                                                                                      = (xa, ya)
///   (rr cos b - d cos bT, rr sin b - d sin bT) - (zf cos Oe + u sin e, zf sin Oe - u cos e)
///                                                                                      = (xa, ya)
///
/// with b = beta, bT = beta + Theta, c = gamma, Pd = Phi + delta, Oe = Omega + epsilon. Every term
/// is a length times the cosine or sine of a sum of angles, so one table of terms gives g, G and
/// gamma: (cos s)'' = -sin s s'' - cos s s'^2.
#include "validation/papers/problems/problems.h"

#include <math.h>
#include <string.h>

enum { BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON, ANGLES, LOOPS = 6, ALONE = -1 };

static const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050,
                    m6 = 0.00706, m7 = 0.05498;
static const double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5,
                    I6 = 5.667e-7, I7 = 1.912e-5;
static const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014,
                    yc = 0.072;
static const double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, zf = 0.02, fa = 0.01421,
                    rr = 0.007, ra = 0.00092, ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018,
                    sd = 0.02, zt = 0.04, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228,
                    ub = 0.00449;
static const double stiffness = 4530, rest = 0.07785, torque = 0.033; // N/m, m, N m

// -------------------------------------------------------------------------------- constraints

typedef struct term {
    int row, sign;
    const double *length;
    double (*of)(double); // cos or sin
    int i, j;             // of angle i, or of angles i + j
} term;

// clang-format off
static const term terms[] = {
    {0, +1, &rr, cos, BETA, ALONE},
    {0, -1, &d,  cos, BETA, THETA},
    {0, -1, &ss, sin, GAMMA, ALONE},
    {1, +1, &rr, sin, BETA, ALONE},
    {1, -1, &d,  sin, BETA, THETA},
    {1, +1, &ss, cos, GAMMA, ALONE},
    {2, +1, &rr, cos, BETA, ALONE},
    {2, -1, &d,  cos, BETA, THETA},
    {2, -1, &e,  sin, PHI, DELTA},
    {2, -1, &zt, cos, DELTA, ALONE},
    {3, +1, &rr, sin, BETA, ALONE},
    {3, -1, &d,  sin, BETA, THETA},
    {3, +1, &e,  cos, PHI, DELTA},
    {3, -1, &zt, sin, DELTA, ALONE},
    {4, +1, &rr, cos, BETA, ALONE},
    {4, -1, &d,  cos, BETA, THETA},
    {4, -1, &zf, cos, OMEGA, EPSILON},
    {4, -1, &u,  sin, EPSILON, ALONE},
    {5, +1, &rr, sin, BETA, ALONE},
    {5, -1, &d,  sin, BETA, THETA},
    {5, -1, &zf, sin, OMEGA, EPSILON},
    {5, +1, &u,  cos, EPSILON, ALONE},
};
// clang-format on
static const double *const fixed[LOOPS] = {&xb, &yb, &xa, &ya, &xa, &ya};

enum { TERMS = sizeof terms / sizeof *terms };

static double sum(const term *s, const double *x)
{
    return x[s->i] + (s->j != ALONE ? x[s->j] : 0);
}

static int loops(const trm_model *model, double t, const double *q, double *g, void *user)
{
    (void)model, (void)t, (void)user;
    for (int i = 0; i < LOOPS; i++) {
        g[i] = -*fixed[i];
    }
    for (const term *s = terms; s < terms + TERMS; s++) {
        g[s->row] += s->sign * *s->length * s->of(sum(s, q));
    }
    return 0;
}

static int jacobian(const trm_model *model, double t, const double *q, double *G, void *user)
{
    (void)model, (void)t, (void)user;
    memset(G, 0, LOOPS * ANGLES * sizeof *G);
    for (const term *s = terms; s < terms + TERMS; s++) {
        const double angle = sum(s, q);
        const double slope = s->sign * *s->length * (s->of == cos ? -sin(angle) : cos(angle));
        G[s->row * ANGLES + s->i] += slope;
        if (s->j != ALONE) {
            G[s->row * ANGLES + s->j] += slope;
        }
    }
    return 0;
}

static int gamma_of(const trm_model *model, double t, const double *q, const double *v,
                    double *gamma, void *user)
{
    (void)model, (void)t, (void)user;
    memset(gamma, 0, LOOPS * sizeof *gamma);
    for (const term *s = terms; s < terms + TERMS; s++) {
        const double rate = sum(s, v);
        gamma[s->row] += s->sign * *s->length * s->of(sum(s, q)) * rate * rate;
    }
    return 0;
}

// ------------------------------------------------------------------------- masses and forces

static int masses(const trm_model *model, double t, const double *q, double *M, void *user)
{
    (void)model, (void)t, (void)user;
    const double cT = cos(q[THETA]), sP = sin(q[PHI]), sO = sin(q[OMEGA]);
    const double a = e - ea, b = zf - fa;
    double(*const row)[ANGLES] = (double(*)[ANGLES])M;
    memset(M, 0, ANGLES * ANGLES * sizeof *M);
    row[BETA][BETA] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * cT + da * da) + I1 + I2;
    row[BETA][THETA] = row[THETA][BETA] = m2 * (da * da - da * rr * cT) + I2;
    row[THETA][THETA] = m2 * da * da + I2;
    row[GAMMA][GAMMA] = m3 * (sa * sa + sb * sb) + I3;
    row[PHI][PHI] = m4 * a * a + I4;
    row[PHI][DELTA] = row[DELTA][PHI] = m4 * (a * a + zt * a * sP) + I4;
    row[DELTA][DELTA] =
        m4 * (zt * zt + 2 * zt * a * sP + a * a) + m5 * (ta * ta + tb * tb) + I4 + I5;
    row[OMEGA][OMEGA] = m6 * b * b + I6;
    row[OMEGA][EPSILON] = row[EPSILON][OMEGA] = m6 * (b * b - u * b * sO) + I6;
    row[EPSILON][EPSILON] =
        m6 * (b * b - 2 * u * b * sO + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7;
    return 0;
}

/// The spring from (xc, yc) to a point of body 3 at (sd cos c + sc sin c, sd sin c - sc cos c)
/// from its pin: its moment about the pin.
static double spring_moment(double angle)
{
    const double c = cos(angle), s = sin(angle);
    const double x = sd * c + sc * s + xb - xc, y = sd * s - sc * c + yb - yc;
    const double length = hypot(x, y);
    const double force = -stiffness * (length - rest) / length;
    return force * (x * (sc * c - sd * s) + y * (sd * c + sc * s));
}

static int forces(const trm_model *model, double t, const double *q, const double *v, double *f,
                  void *user)
{
    (void)model, (void)t, (void)user;
    const double a = m4 * zt * (e - ea) * cos(q[PHI]);
    const double b = m6 * u * (zf - fa) * cos(q[OMEGA]);
    const double c = m2 * da * rr * sin(q[THETA]);
    f[BETA] = torque - c * v[THETA] * (v[THETA] + 2 * v[BETA]);
    f[THETA] = c * v[BETA] * v[BETA];
    f[GAMMA] = spring_moment(q[GAMMA]);
    f[PHI] = a * v[DELTA] * v[DELTA];
    f[DELTA] = -a * v[PHI] * (v[PHI] + 2 * v[DELTA]);
    f[OMEGA] = -b * v[EPSILON] * v[EPSILON];
    f[EPSILON] = b * v[OMEGA] * (v[OMEGA] + 2 * v[EPSILON]);
    return 0;
}

static const double start[ANGLES] = {-0.0617138900142764496, 0,
                                     0.455279819163070380,   0.222668390165885885,
                                     0.487364979543842550,   -0.222668390165885885,
                                     1.230547444549821192};

const trm_equations trm_paper_andrews = {
    .name = "seven-body mechanism",
    .nq = ANGLES,
    .nv = ANGLES,
    .nc = LOOPS,
    .q0 = start,
    .M = masses,
    .f = forces,
    .g = loops,
    .G = jacobian,
    .gamma = gamma_of,
};
