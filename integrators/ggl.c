/// Stabilized index 2: projected invariants [ACPR95 (3.3)], both levels of constraints.
///
///     q'   = N(q) (v - W G^T mu),     W = M^-1 or the identity
///     M v' = f - G^T lambda
///     0    = G v + g_t - delta lambda,    0 = g - delta mu
///     work' = power + lambda^T g_t
///
/// mu vanishes along the exact motion. delta settles the multipliers of rows that depend on others,
/// at the price of a residual delta |lambda|, so it is there only where it is needed: it is zero while
/// G M^-1 G^T is regular at the last accepted point, else the diagonal trm_options.damping times D of
/// constraint_solver.h, times 1 s. Singular positions and redundant rows therefore set a floor to
/// the error, regular motions do not. (A proximal step, delta (lambda - lambda_n), has a lower floor
/// on scenes/four_bar.json, but does not get through scenes/double_four_bar.json.)
///
/// The matrix of Newton's method, with c from the BDF formula,
///
///     [ c - d(N..)/dq                      -N            .        N W G^T ]
///     [ d(M v' + G^T lambda - f)/dq    c M - df/dv      G^T          .    ]
///     [ d(G v + g_t)/dq                     G         -delta         .    ]
///     [ dg/dq                               .            .        -delta  ]
///
/// has the columns of q and v by differences, the others as they stand.
#include "integrators/ida.h"

#include <string.h>

static trm_metric metric_of(const trm_run *run)
{
    return run->options.mass_metric ? TRM_METRIC_MASS : TRM_METRIC_IDENTITY;
}

/// Whether rows may depend on others, as the last accepted point tells. Near to such a position
/// delta has to be there before the steps are: without it Newton's method multiplies roundoff by
/// the inverse of the smallest singular value of G.
static int is_damped(const trm_run *run)
{
    static const double regular = 1e-2; // the smallest pivot, in units of D
    const trm_solver *solver = &run->system->solver;
    return solver->delta > 0 &&
           (solver->nidle > 0 || !(solver->ratio_min[TRM_METRIC_MASS] > regular));
}

/// delta of lambda and mu in row solver.pattern->row_of[k].
static double delta_of_lambda(const trm_run *run, int k)
{
    return is_damped(run) ? run->options.damping * run->system->solver.D[TRM_METRIC_MASS][k] : 0;
}

static double delta_of_mu(const trm_run *run, int k)
{
    return run->options.mass_metric ? delta_of_lambda(run, k)
           : is_damped(run)         ? run->options.damping
                                    : 0;
}

/// Subtract delta lambda and delta mu from the residuals of the constraints.
static void damp(const trm_run *run, const double *lambda, const double *mu, double *r)
{
    const int nc = run->system->nc;
    for (int k = 0; is_damped(run) && k < nc; k++) {
        const int i = run->system->solver.pattern->row_of[k];
        r[i] -= delta_of_lambda(run, k) * lambda[i];
        r[nc + i] -= delta_of_mu(run, k) * mu[i];
    }
}

/// F at v, a, lambda, mu; the system is already at (t, q).
static int residual_here(trm_run *run, double t, const double *y, const double *dy, double *r)
{
    (void)t;
    trm_system *system = run->system;
    trm_ida *ida = run->method;
    const int nq = system->nq, nv = system->nv, nc = system->nc, w = run->n - 1;
    const double *q = y, *v = y + nq, *lambda = y + run->n, *mu = lambda + nc;
    double power = 0;
    const int code = trm_system_force(system, v, ida->x, &power);
    if (code) {
        return code;
    }
    // M v' - f + G^T lambda
    memcpy(r + nq, dy + nq, (size_t)nv * sizeof(double));
    trm_system_multiply_M(system, r + nq);
    trm_system_multiply_GT(system, lambda, ida->x2);
    for (int i = 0; i < nv; i++) {
        r[nq + i] += ida->x2[i] - ida->x[i];
    }
    // q' - N (v - W G^T mu)
    trm_system_spread(system, metric_of(run), mu, ida->x);
    for (int i = 0; i < nv; i++) {
        ida->x[i] = v[i] - ida->x[i];
    }
    trm_system_rates(system, q, ida->x, r);
    for (int i = 0; i < nq; i++) {
        r[i] = dy[i] - r[i];
    }
    trm_ida_keep_norm(run, q, r);
    r[w] = dy[w] - power;
    for (int i = 0; i < nc; i++) {
        r[w] -= lambda[i] * system->g_t[i];
    }
    trm_system_velocity_residual(system, v, r + run->n);
    memcpy(r + run->n + nc, system->g, (size_t)nc * sizeof(double));
    damp(run, lambda, mu, r + run->n);
    return 0;
}

static int residual(trm_run *run, double t, const double *y, const double *dy, double *r)
{
    const int code = trm_system_position(run->system, t, y);
    return code ? code : residual_here(run, t, y, dy, r);
}

/// The columns of lambda_j and mu_j, j = row_of[k].
static void multiplier_columns(trm_run *run, const double *q, int k, double **columns)
{
    trm_system *system = run->system;
    trm_ida *ida = run->method;
    const int j = system->solver.pattern->row_of[k];
    const int nq = system->nq, l = run->n + j, m = l + system->nc;
    ida->e[j] = 1;
    trm_system_multiply_GT(system, ida->e, columns[l] + nq);
    trm_system_spread(system, metric_of(run), ida->e, ida->x);
    trm_system_rates(system, q, ida->x, columns[m]);
    ida->e[j] = 0;
    columns[l][run->n - 1] = -system->g_t[j];
    columns[l][l] = -delta_of_lambda(run, k);
    columns[m][m] = -delta_of_mu(run, k);
}

/// The columns of v, at the position where the system is.
static int velocity_columns(trm_run *run, double t, double c, double *y, const double *dy,
                            double **columns)
{
    trm_system *system = run->system;
    trm_ida *ida = run->method;
    const int nq = system->nq, nv = system->nv;
    const double size = trm_ida_size(nv, y + nq);
    for (int j = 0; j < nv; j++) {
        const int code =
            trm_ida_difference(run, residual_here, t, y, dy, nq + j, size, columns[nq + j]);
        if (code) {
            return code;
        }
        memset(ida->x, 0, (size_t)nv * sizeof(double));
        ida->x[j] = c;
        trm_system_multiply_M(system, ida->x);
        for (int i = 0; i < nv; i++) {
            columns[nq + j][nq + i] += ida->x[i];
        }
    }
    return 0;
}

static int jacobian(trm_run *run, double t, double c, double *y, const double *dy, double **columns)
{
    trm_system *system = run->system;
    trm_ida *ida = run->method;
    int code = residual(run, t, y, dy, ida->r0);
    code = code ? code : velocity_columns(run, t, c, y, dy, columns);
    for (int k = 0; !code && k < system->nc; k++) {
        multiplier_columns(run, y, k, columns);
    }
    columns[run->n - 1][run->n - 1] = c;
    const double size = trm_ida_size(system->nq, y);
    for (int j = 0; !code && j < system->nq; j++) {
        code = trm_ida_difference(run, residual, t, y, dy, j, size, columns[j]);
        columns[j][j] += c;
    }
    return code;
}

const trm_ida_form trm_ida_ggl_form = {2, residual, jacobian};

/// Accelerations and multipliers at the end of a step are those of [EOM] and [ACC].
const trm_stabilization_ops trm_ggl = {.rates = trm_index1_rates};
