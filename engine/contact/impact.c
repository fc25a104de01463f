/// Impacts of n rows that touch: rates u along x, or against it at an
/// upper limit, u < 0 closes; W likewise.
///
///   Newton     u' = u + W P,   0 <= P  _|_  u' + e u >= 0     of the closing rows
///   Poisson    compression  u_c = u + W P_c,  0 <= P_c _|_ u_c >= 0;  expansion  u' = u_c + W P_e,
///              0 <= P_e - e P_c _|_ u' >= 0     [Glocker, Pfeiffer, Nonlinear Dynamics 7 (1995)]
///
/// Rows that touch and do not close take no impulse at once: what reaches them is the next wave,
/// when the first has made them close. Newton's cradle is such waves. Friction of a stop that
/// pushes has its part, abs(P_t) <= mu P, against what slides behind the impact: a box whose bounds
/// follow from P, found in turn. Each of Newton's with one e, or of a single row, loses
/// -P (u + u')/2 >= 0. Where the waves do not end, what still closes after some is plastic.
#include "engine/contact/contact.h"

#include <float.h>
#include <math.h>
#include <string.h>

// n rows need up to n waves (a cradle); with e < 1 what is left falls as e to the number of waves
enum { WAVES = 200 };

/// Their numbers into contact->list, then those of their friction.
static int closing(trm_contact *contact, int n, double least)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (contact->kin[i] < 0 && contact->u[i] < -least) {
            contact->list[count++] = i;
        }
    }
    const int normals = count;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < normals; j++) {
            if (contact->kin[i] == contact->list[j]) {
                contact->list[count++] = i;
            }
        }
    }
    return count;
}

/// The bounds of p: of friction by the impulses of its stops. Returns the
/// largest part by which one has changed.
static double set_bounds(trm_contact *contact, int m, const double *p)
{
    double change = 0;
    for (int i = 0; i < m; i++) {
        const int k = contact->list[i], kin = contact->kin[k];
        double most = INFINITY;
        for (int j = 0; kin >= 0 && j < m; j++) {
            if (contact->list[j] == kin) {
                most = p ? contact->mu[k] * fmax(p[j], 0) : 0;
                change = fmax(fabs(most - contact->hi[i]) / (most + DBL_MIN), change);
            }
        }
        contact->lo[i] = kin >= 0 ? -most : 0;
        contact->hi[i] = most;
    }
    return change;
}

/// The complementarity problem 0 <= p _|_ b + W p >= 0 of the m rows listed; p added to P, W p to
/// u. Returns the loss, NAN without a solution.
static double solve(trm_contact *contact, int n, int m, double *P)
{
    enum { TURNS = 200 };
    double *const p = contact->p, *const u = contact->u;
    double lost = 0, change = INFINITY;
    (void)set_bounds(contact, m, NULL);
    for (int i = 0; i < m; i++) {
        contact->noise[i] = 1e-15 * fabs(contact->b[i]);
        for (int j = 0; j < m; j++) {
            contact->part[i * m + j] = contact->W[contact->list[i] * n + contact->list[j]];
        }
    }
    for (int turns = 0; change > 1e-13; turns++) {
        if (turns > TURNS ||
            trm_complementarity_solve(&contact->complementarity, m, contact->part, contact->b,
                                      contact->lo, contact->hi, contact->noise, p)) {
            return NAN;
        }
        change = set_bounds(contact, m, p);
    }
    for (int i = 0; i < m; i++) {
        P[contact->list[i]] += p[i];
        lost -= p[i] * u[contact->list[i]] / 2;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            u[i] += contact->W[i * n + contact->list[j]] * p[j];
        }
    }
    for (int i = 0; i < m; i++) {
        lost -= p[i] * u[contact->list[i]] / 2;
    }
    return lost;
}

static double newton(trm_contact *contact, int n, int m, const double *e, double *P)
{
    for (int i = 0; i < m; i++) {
        const int k = contact->list[i];
        contact->b[i] = (1 + e[k]) * contact->u[k];
    }
    return solve(contact, n, m, P);
}

/// Impulses p of the rows listed at once.
static double push(trm_contact *contact, int n, int m, const double *p, double *P)
{
    double lost = 0;
    for (int i = 0; i < m; i++) {
        P[contact->list[i]] += p[i];
        lost -= p[i] * contact->u[contact->list[i]] / 2;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            contact->u[i] += contact->W[i * n + contact->list[j]] * p[j];
        }
    }
    for (int i = 0; i < m; i++) {
        lost -= p[i] * contact->u[contact->list[i]] / 2;
    }
    return lost;
}

static double poisson(trm_contact *contact, int n, int m, const double *e, double *P)
{
    double *const back = contact->back;
    for (int i = 0; i < m; i++) {
        contact->b[i] = contact->u[contact->list[i]];
    }
    double lost = solve(contact, n, m, P);
    for (int i = 0; i < m; i++) {
        back[i] = e[contact->list[i]] * contact->p[i];
    }
    lost += push(contact, n, m, back, P);
    for (int i = 0; i < m; i++) {
        contact->b[i] = contact->u[contact->list[i]];
    }
    return lost + solve(contact, n, m, P);
}

double trm_contact_strike(trm_contact *contact, int n, const double *e, double least, double *P)
{
    double lost = 0;
    memset(P, 0, (size_t)n * sizeof *P);
    for (int waves = 0; waves < WAVES * n; waves++) {
        const int m = closing(contact, n, least);
        if (m == 0) {
            return lost;
        }
        lost +=
            contact->model->poisson ? poisson(contact, n, m, e, P) : newton(contact, n, m, e, P);
    }
    const int m = closing(contact, n, -INFINITY);
    for (int i = 0; i < m; i++) {
        contact->b[i] = contact->u[contact->list[i]];
    }
    return lost + solve(contact, n, m, P);
}
