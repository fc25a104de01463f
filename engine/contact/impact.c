/// Impacts of n rows that touch: rates u along x, or against it at an upper limit, u < 0 closes; W
/// likewise.
///
///   Newton     u' = u + W P,   0 <= P  _|_  u' + e u >= 0     of the closing rows
///   Poisson    compression  u_c = u + W P_c,  0 <= P_c _|_ u_c >= 0;  expansion  u' = u_c + W P_e,
///              0 <= P_e - e P_c _|_ u' >= 0     [Glocker, Pfeiffer, Nonlinear Dynamics 7 (1995)]
///
/// Rows that touch without closing take no impulse in the first wave; the next wave takes the rows
/// that the first has made close. Newton's cradle is a sequence of such waves. Friction of a
/// pushing stop has an impulse abs(P_t) <= mu P against the sliding after the impact (coulomb.h).
/// A wave loses -P (u + u')/2. Where that is below 0, as it may be with friction or with several e,
/// as much of the bounce is left out as makes it 0: P = P_0 + s (P_e - P_0), P_0 that of e = 0. P
/// stays in its cone, u' >= -s e u. Where no P_e fits, as where friction jams a point that moves
/// along one line, s is 0. After a number of waves what still closes is plastic.
#include "base/linear/sums.h"
#include "engine/contact/contact.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// Writes the rows that close, faster than still[i] or (NULL) at all, into contact->problem.list,
/// then their rows of friction.
static int closing(trm_contact *contact, int n, const double *still)
{
    int count = 0;
    for (int friction = 0; friction < 2; friction++) {
        for (int i = 0; i < n; i++) {
            const int kin = contact->impact.kin[i], stop = kin < 0 ? i : kin;
            if ((kin >= 0) == friction &&
                contact->impact.u[stop] < (still ? -still[stop] : INFINITY)) {
                contact->problem.list[count++] = i;
            }
        }
    }
    return count;
}

int trm_contact_pivot(trm_contact_problem *problem, int n, const double *W, const double *b,
                      const double *noise, double *p)
{
    const trm_coulomb_row *const row = problem->coulomb.row;
    int friction = 0;
    for (int i = 0; i < n; i++) {
        friction |= row[i].kin >= 0 && row[i].mu > 0;
        problem->lo[i] = row[i].lo;
        problem->hi[i] = row[i].hi;
    }
    return friction ? trm_coulomb_solve(&problem->coulomb, n, W, b, noise, p)
                    : trm_complementarity_solve(&problem->complementarity, n, W, b, problem->lo,
                                                problem->hi, noise, p);
}

/// Impulses contact->problem.p of the m rows listed: 0 <= p _|_ b + W p >= 0, and friction. Returns
/// nonzero where there are none.
static int impulses(trm_contact *contact, int n, int m)
{
    enum { SWEEPS = 100000 };
    int pairs = 0;
    double most = 0;
    for (int i = 0; i < m; i++) {
        const int k = contact->problem.list[i], kin = contact->impact.kin[k];
        const int mate = contact->model->contacts[contact->impact.touching[k]].mate;
        trm_coulomb_row *row = &contact->problem.coulomb.row[i];
        *row = (trm_coulomb_row){.lo = 0, .hi = INFINITY, .kin = -1, .mate = -1};
        contact->problem.noise[i] = // of b, and of the rates before all waves
            TRM_IMPACT_NOISE *
            fmax(fabs(contact->problem.b[i]), contact->impact.still[k] / TRM_CONTACT_ROUNDOFF);
        for (int j = 0; j < m; j++) {
            const int other = contact->problem.list[j];
            contact->problem.part[i * m + j] = contact->problem.W[k * n + other];
            row->kin = kin >= 0 && other == kin ? j : row->kin;
            row->mate = mate >= 0 && contact->impact.touching[other] == mate ? j : row->mate;
        }
        row->mu = contact->impact.mu[k];
        pairs |= row->mate >= 0;
        contact->problem.p[i] = 0;
        most = fmax(most, fabs(contact->problem.b[i]));
    }
    trm_projected_link(&contact->problem.rows, m, contact->problem.part);
    if (pairs) {
        return trm_projected_solve(&contact->problem.rows, contact->problem.coulomb.row,
                                   contact->problem.b, TRM_IMPACT_SUM * DBL_EPSILON * most, SWEEPS,
                                   contact->problem.p);
    }
    return trm_contact_pivot(&contact->problem, m, contact->problem.part, contact->problem.b,
                             contact->problem.noise, contact->problem.p);
}

/// Impulses p of the rows listed, added to P, W p to u.
static void push(trm_contact *contact, int n, int m, const double *p, double *P)
{
    for (int j = 0; j < m; j++) {
        P[contact->problem.list[j]] += p[j];
        for (int i = 0; i < n; i++) {
            contact->impact.u[i] += contact->problem.W[i * n + contact->problem.list[j]] * p[j];
        }
    }
}

/// Those after which no listed row closes any more, or (e given) each leaves at e times its rate.
static int newton(trm_contact *contact, int n, int m, const double *e)
{
    for (int i = 0; i < m; i++) {
        const int k = contact->problem.list[i];
        contact->problem.b[i] = (1 + (e ? e[k] : 0)) * contact->impact.u[k];
    }
    return impulses(contact, n, m);
}

static int poisson(trm_contact *contact, int n, int m, const double *e)
{
    double *const p = contact->problem.p, *const back = contact->impact.back;
    int code = newton(contact, n, m, NULL);
    for (int i = 0; i < m; i++) {
        back[i] = (1 + e[contact->problem.list[i]]) * p[i];
    }
    for (int i = 0; i < m; i++) {
        contact->problem.b[i] = contact->impact.u[contact->problem.list[i]] +
                                trm_dot(m, contact->problem.part + i * m, back);
    }
    code = code ? code : impulses(contact, n, m);
    for (int i = 0; i < m; i++) {
        p[i] += back[i];
    }
    return code;
}

/// The impulses of a wave. Returns the loss; NAN without a solution.
static double solve(trm_contact *contact, int n, int m, const double *e, double *P)
{
    const trm_projected_rows *const W = &contact->problem.rows;
    double *const p = contact->problem.p, *const b = contact->problem.b, lost;
    int code = contact->model->poisson && e ? poisson(contact, n, m, e) : newton(contact, n, m, e);
    const int fits = !code;
    for (int i = 0; i < m; i++) {
        b[i] = contact->impact.u[contact->problem.list[i]];
    }
    if ((trm_projected_gains(W, b, p, &lost) || !fits) && e) {
        memcpy(contact->impact.back, p, (size_t)m * sizeof *p);
        code = newton(contact, n, m, NULL);
        (void)trm_projected_gains(W, b, p, &lost);
        if (fits) {
            trm_projected_bound(W, b, contact->impact.back, p);
            lost = 0;
        }
    }
    push(contact, n, m, p, P);
    return code ? NAN : lost;
}

double trm_contact_strike(trm_contact *contact, int n, const double *e, const double *still,
                          const volatile sig_atomic_t *interrupt, double *P)
{
    double lost = 0;
    memset(P, 0, (size_t)n * sizeof *P);
    for (int waves = 0; waves < TRM_CONTACT_WAVES * n; waves++) {
        const int m = closing(contact, n, still);
        if (m == 0) {
            return lost;
        }
        lost += solve(contact, n, m, e, P);
        if (isnan(lost) || (interrupt && *interrupt)) {
            return NAN;
        }
    }
    return lost + solve(contact, n, closing(contact, n, NULL), NULL, P);
}
