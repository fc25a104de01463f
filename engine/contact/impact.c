/// Impacts of n rows that touch: rates u along x, or against it at an
/// upper limit, u < 0 closes; W likewise.
///
///   Newton     u' = u + W P,   0 <= P  _|_  u' + e u >= 0     of the closing rows
///   Poisson    compression  u_c = u + W P_c,  0 <= P_c _|_ u_c >= 0;  expansion  u' = u_c + W P_e,
///              0 <= P_e - e P_c _|_ u' >= 0     [Glocker, Pfeiffer, Nonlinear Dynamics 7 (1995)]
///
/// Rows that touch without closing take no impulse in the first wave; the next wave takes the rows
/// that the first has made close. Newton's cradle is a sequence of such waves. Friction of a
/// pushing stop has an impulse abs(P_t) <= mu P against the sliding after the impact (coulomb.h).
/// An impact by Newton's law with equal e, or of a single row, loses -P (u + u')/2 >= 0. After a
/// number of waves the rows that still close are plastic.
#include "engine/contact/contact.h"
#include "engine/contact/projected.h"

#include <float.h>
#include <math.h>
#include <string.h>

// n rows need up to n waves (a cradle); with e < 1 the rest falls as e to the number of waves
enum { WAVES = 200 };

/// Writes the rows that close, faster than still[i] or (NULL) at all, into contact->list, then
/// their rows of friction.
static int closing(trm_contact *contact, int n, const double *still)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (contact->kin[i] < 0 && contact->u[i] < (still ? -still[i] : INFINITY)) {
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

/// Impulses contact->p of the m rows listed: 0 <= p _|_ b + W p >= 0, and friction. Returns nonzero
/// where there are none.
static int impulses(trm_contact *contact, int n, int m)
{
    enum { SWEEPS = 100000 };
    int friction = 0, pairs = 0;
    double most = 0;
    for (int i = 0; i < m; i++) {
        const int k = contact->list[i], kin = contact->kin[k];
        const int mate = contact->model->contacts[contact->touching[k]].mate;
        trm_coulomb_row *row = &contact->coulomb.row[i];
        *row = (trm_coulomb_row){.lo = 0, .hi = INFINITY, .kin = -1, .mate = -1};
        contact->lo[i] = 0;
        contact->hi[i] = INFINITY;
        contact->noise[i] = TRM_IMPACT_NOISE * fabs(contact->b[i]);
        for (int j = 0; j < m; j++) {
            contact->part[i * m + j] = contact->W[k * n + contact->list[j]];
            row->kin = kin >= 0 && contact->list[j] == kin ? j : row->kin;
        }
        for (int j = 0; j < m; j++) {
            const int pair = kin >= 0 && mate >= 0 && contact->touching[contact->list[j]] == mate;
            row->mate = pair ? j : row->mate;
        }
        row->mu = contact->mu[k];
        friction |= row->kin >= 0;
        pairs |= row->mate >= 0;
        contact->p[i] = 0;
        most = fmax(most, fabs(contact->b[i]));
    }
    if (pairs) {
        return trm_projected_solve(m, contact->coulomb.row, contact->links, contact->part,
                                   contact->b, TRM_IMPACT_SUM * DBL_EPSILON * most, SWEEPS,
                                   contact->p);
    }
    return friction
               ? trm_coulomb_solve(&contact->coulomb, m, contact->part, contact->b, contact->noise,
                                   0, contact->p)
               : trm_complementarity_solve(&contact->complementarity, m, contact->part, contact->b,
                                           contact->lo, contact->hi, contact->noise, contact->p);
}

/// Their impulses, added to P, W p to u. Returns the loss, NAN without a solution.
static double solve(trm_contact *contact, int n, int m, double *P)
{
    double *const p = contact->p, *const u = contact->u;
    double lost = 0;
    if (impulses(contact, n, m)) {
        return NAN;
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

double trm_contact_strike(trm_contact *contact, int n, const double *e, const double *still,
                          const volatile sig_atomic_t *interrupt, double *P)
{
    double lost = 0;
    memset(P, 0, (size_t)n * sizeof *P);
    for (int waves = 0; waves < WAVES * n; waves++) {
        const int m = closing(contact, n, still);
        if (m == 0) {
            return lost;
        }
        lost +=
            contact->model->poisson ? poisson(contact, n, m, e, P) : newton(contact, n, m, e, P);
        if (isnan(lost) || (interrupt && *interrupt)) {
            return NAN;
        }
    }
    const int m = closing(contact, n, NULL);
    for (int i = 0; i < m; i++) {
        contact->b[i] = contact->u[contact->list[i]];
    }
    return lost + solve(contact, n, m, P);
}
