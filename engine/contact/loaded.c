/// Friction by a coefficient. Held forces and multipliers are affine in the friction phi of the
/// sliding rows. p0 is the share of rows that depend on each other: zero, or what active_set.c has
/// found in the cones of friction.
///
///   p = h + F phi,   h = p0 + W_HH^+ (b - W_HH p0),   F = -W_HH^+ W_Hs
///   multipliers lambda + L_H^T p + L_s^T phi
///   0 = phi_s + slip_s mu_s N_s(phi),      J = 1 + slip mu dN/dphi.
///
/// N is |p| of one held row or the length of a joint's multipliers. With a stop the equation is
/// linear. The length of a joint's multipliers is convex: of one row, slip phi_s + mu N has no
/// zero, or two, or one where mu |dN/dphi| < 1 on both sides. Newton's method starts without
/// friction, where the left side is not negative, and goes to the next zero, with J > 0: the
/// solution of joints with a small compliance. Without a zero it does not converge, and the
/// residual shows it.
#include "base/linear/dense.h"
#include "engine/contact/contact.h"

#include <float.h>
#include <math.h>
#include <string.h>

double trm_contact_coefficient(const trm_contact *contact, int k)
{
    const trm_contact_row *const row = &contact->model->contacts[k];
    const double across = row->across < 0 ? 0 : contact->rate[row->across];
    const double x = hypot(contact->rate[k], across) / row->friction.stribeck;
    const double part = contact->hold[k] || contact->at_rest[k] ? 1
                        : row->friction.stribeck > 0            ? exp(-x * x)
                                                                : 0;
    const double mu = contact->scale[k] * row->coefficient * (1 + row->more * part);
    return row->friction.wraps ? 2 * tanh(mu / 2) : row->normal < 0 ? row->coefficient : mu;
}

/// p of the row listed at place i by friction phi. *terms: the sum of its absolute terms.
static double force_at(const trm_contact *contact, int held, int sliding, int i, double *terms)
{
    double p = i < held ? contact->problem.h[i] : contact->problem.phi[i - held];
    *terms = fabs(p);
    for (int s = 0; i < held && s < sliding; s++) {
        const double part = contact->problem.F[i * sliding + s] * contact->problem.phi[s];
        p += part;
        *terms += fabs(part);
    }
    return p;
}

/// What a unit of p of the row listed at place i adds to multiplier r that loads `row`: that of a
/// joint in row r of g, or the force of its stop.
static double loads(const trm_contact *contact, const trm_contact_row *row, int i, int r)
{
    const int k = contact->problem.list[i];
    return row->normal >= 0 ? k == row->normal : trm_sparse_row_multiplier(&contact->sparse[k], r);
}

/// N of row k times the coefficient: of a stop the force to its side, of a joint the length of its
/// multipliers. gradient (or NULL): by phi. *terms: the sum of the absolute terms of N.
static double load_of(const trm_contact *contact, int held, int sliding, int k,
                      const double *lambda, double *gradient, double *terms)
{
    const trm_contact_row *const row = &contact->model->contacts[k];
    const int stop = row->normal >= 0, first = stop ? 0 : row->row;
    const double side = stop ? trm_hold_side(contact->hold[row->normal]) : 0;
    const double mu = stop ? trm_contact_coefficient(contact, k) : row->coefficient;
    double square = 0, x = 0, of;
    *terms = 0;
    for (int s = 0; gradient && s < sliding; s++) {
        gradient[s] = 0;
    }
    for (int r = first; r < first + (stop ? 1 : row->rows); r++) {
        x = stop ? 0 : lambda[r];
        *terms += mu * fabs(x);
        for (int i = 0; i < held + sliding; i++) {
            const double l = loads(contact, row, i, r);
            x += l != 0 ? l * force_at(contact, held, sliding, i, &of) : 0;
            *terms += l != 0 ? mu * fabs(l) * of : 0;
        }
        square += x * x;
        for (int s = 0; gradient && s < sliding; s++) {
            double d = loads(contact, row, held + s, r);
            for (int i = 0; i < held; i++) {
                d += loads(contact, row, i, r) * contact->problem.F[i * sliding + s];
            }
            gradient[s] += (stop ? side : x) * d;
        }
    }
    const double length = sqrt(square), unit = stop ? 1 : length;
    for (int s = 0; gradient && s < sliding; s++) {
        gradient[s] *= unit > 0 ? mu / unit : 0;
    }
    return mu * (stop ? side * x : length);
}

/// b minus the part of the held rows' shares.
static double beyond_shares(const trm_contact *contact, int held, int n, int i, double b)
{
    for (int j = 0; j < held && contact->model->npairs > 0; j++) {
        b -= contact->problem.W[i * n + j] * contact->share[contact->problem.list[j]];
    }
    return b;
}

/// h and F. Both directions of a pair weigh alike: one that others hardly let move would else take
/// all of the pair's friction, which does nothing.
static int held_forces(trm_contact *contact, int held, int sliding, const double *b, double least)
{
    const int n = held + sliding, pairs = contact->model->npairs > 0;
    int code = 0;
    for (int i = 0; i < held && pairs; i++) {
        const int mate = contact->model->contacts[contact->problem.list[i]].mate;
        const double *const W = contact->problem.W, own = W[i * (n + 1)];
        contact->problem.phi[i] = 1;
        for (int j = 0; j < held && own > 0; j++) {
            const double ratio = contact->problem.list[j] == mate ? W[j * (n + 1)] / own : 1;
            contact->problem.phi[i] = fmax(ratio, contact->problem.phi[i]);
        }
    }
    contact->problem.complementarity.unit = pairs ? contact->problem.phi : NULL;
    for (int s = -1; !code && s < sliding; s++) {
        for (int i = 0; i < held; i++) {
            contact->problem.h[i] = s < 0 ? beyond_shares(contact, held, n, i, b[i])
                                          : -contact->problem.W[i * n + held + s];
        }
        code = trm_semidefinite_solve(&contact->problem.complementarity, held, NULL,
                                      contact->problem.W, n, s < 0 ? least : INFINITY,
                                      contact->problem.h);
        for (int i = 0; i < held && s < 0; i++) {
            contact->problem.p[i] =
                contact->share[contact->problem.list[i]] + contact->problem.h[i];
        }
        for (int i = 0; i < held && s >= 0; i++) {
            contact->problem.F[i * sliding + s] = contact->problem.h[i];
        }
    }
    contact->problem.complementarity.unit = NULL;
    memcpy(contact->problem.h, contact->problem.p, (size_t)held * sizeof(double));
    return code;
}

/// One step of Newton's method. Returns the largest relative change of phi; NAN where the step
/// fails.
static double newton(trm_contact *contact, int held, int sliding, const double *lambda)
{
    double *const J = contact->problem.J, *const r = contact->problem.residual;
    double largest = 0;
    for (int s = 0; s < sliding; s++) {
        const int k = contact->problem.list[held + s];
        double *const row = J + s * sliding, terms;
        r[s] = -contact->problem.phi[s] -
               contact->slip_direction[k] * load_of(contact, held, sliding, k, lambda, row, &terms);
        for (int j = 0; j < sliding; j++) {
            row[j] = contact->slip_direction[k] * row[j] + (s == j);
        }
    }
    trm_lu(sliding, J, contact->work.pivots);
    contact->problem.determinant = 1;
    for (int s = 0; s < sliding; s++) {
        contact->problem.determinant *=
            J[s * sliding + s] * (contact->work.pivots[s] == s + 1 ? 1 : -1);
    }
    if (!(fabs(contact->problem.determinant) > DBL_EPSILON)) {
        return NAN;
    }
    trm_lu_solve(sliding, J, contact->work.pivots, r);
    for (int s = 0; s < sliding; s++) {
        contact->problem.phi[s] += r[s];
        largest = fmax(fabs(r[s]) / (fabs(contact->problem.phi[s]) + DBL_MIN), largest);
    }
    return largest;
}

/// Forces of all rows by phi, and the loads. Returns nonzero where the friction of a sliding row
/// disagrees with its load.
static int take_loads(trm_contact *contact, int held, int sliding, const double *lambda)
{
    int differs = 0;
    double terms;
    for (int i = 0; i < held + sliding; i++) {
        contact->problem.p[i] = force_at(contact, held, sliding, i, &terms);
    }
    for (int i = 0; i < held + sliding; i++) {
        const int k = contact->problem.list[i];
        if (!(contact->model->contacts[k].coefficient > 0)) {
            continue;
        }
        contact->load[k] = load_of(contact, held, sliding, k, lambda, NULL, &terms);
        const double left = contact->problem.p[i] + contact->slip_direction[k] * contact->load[k];
        differs |=
            i >= held && !(fabs(left) <= TRM_CONTACT_GRAIN * (terms + fabs(contact->problem.p[i])));
    }
    return differs;
}

int trm_contact_load(trm_contact *contact, int held, int sliding, const double *b, double least,
                     const double *lambda)
{
    enum { STEPS = 50 };
    double change = sliding > 0 ? INFINITY : 0;
    if (held_forces(contact, held, sliding, b, least)) {
        return 1;
    }
    const int before = contact->problem.unsolved;
    contact->problem.unsolved = 1;
    // always the same start: the same bits
    memset(contact->problem.phi, 0, (size_t)sliding * sizeof(double));
    for (int steps = 0; steps < STEPS && change > TRM_CONTACT_LOAD; steps++) {
        change = newton(contact, held, sliding, lambda);
        if (isnan(change)) {
            return 1;
        }
    }
    if (take_loads(contact, held, sliding, lambda)) {
        contact->problem.determinant = 0; // no solution
        return 1;
    }
    contact->problem.unsolved = before;
    return 0;
}
