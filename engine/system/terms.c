/// Dense matrices column by column from the products of a system, and
///
///   G M^-1 G^T lambda = G M^-1 (f + force) - gamma,    a = M^-1 (f + force - G^T lambda).
#include "engine/system/terms.h"
#include "base/status.h"
#include "trammel/trammel_equations.h"

#include <stdio.h>
#include <string.h>

static void unit(double *x, int n, int j)
{
    memset(x, 0, (size_t)n * sizeof *x);
    x[j] = 1;
}

static void copy(double *out, const double *x, int n)
{
    if (out && n > 0) {
        memcpy(out, x, (size_t)n * sizeof *x);
    }
}

/// M[nv*nv] is symmetric: its columns are its rows.
static void mass(trm_system *system, double *M)
{
    const int nv = system->nv;
    for (int j = 0; M && j < nv; j++) {
        unit(M + (size_t)j * (size_t)nv, nv, j);
        trm_system_multiply_M(system, M + (size_t)j * (size_t)nv);
    }
}

/// Row i of G[nc*nv] is G^T e_i.
static void jacobian(trm_system *system, double *G, double *e)
{
    for (int i = 0; G && i < system->nc; i++) {
        unit(e, system->nc, i);
        trm_system_multiply_GT(system, e, G + (size_t)i * (size_t)system->nv);
    }
}

/// Column j of N[nq*nv] is N e_j.
static void rates(trm_system *system, const double *q, double *N, double *e, double *column)
{
    const int nq = system->nq;
    const int nv = system->nv;
    for (int j = 0; N && j < nv; j++) {
        unit(e, nv, j);
        trm_system_rates(system, q, e, column);
        for (int i = 0; i < nq; i++) {
            N[(size_t)i * (size_t)nv + (size_t)j] = column[i];
        }
    }
}

/// a := M^-1 (f + force) on entry, the constrained acceleration on return; gamma[nc] is given.
static int constrain(trm_system *system, const double *gamma, double *a, double *lambda, double *x)
{
    if (system->nc == 0) {
        return 0;
    }
    TRM_TRY(trm_system_factor(system, TRM_METRIC_MASS));
    trm_system_multiply_G(system, a, lambda);
    for (int i = 0; i < system->nc; i++) {
        lambda[i] -= gamma[i];
    }
    trm_system_solve_S(system, lambda);
    trm_system_spread(system, TRM_METRIC_MASS, lambda, x);
    for (int i = 0; i < system->nv; i++) {
        a[i] -= x[i];
    }
    return 0;
}

int trm_terms_at(trm_system *system, double t, const double *q, const double *v,
                 const double *force, const trm_terms *out, const trm_terms_work *work)
{
    const int nv = system->nv;
    const int nc = system->nc;
    double *a = work->a;
    double power;
    TRM_TRY(trm_system_position(system, t, q));
    copy(out->g, system->g, nc);
    copy(out->g_t, system->g_t, nc);
    mass(system, out->M);
    jacobian(system, out->G, work->lambda);
    rates(system, q, out->N, work->x, work->a);
    TRM_TRY(trm_system_force(system, v, a, &power));
    copy(out->f, a, nv);
    for (int i = 0; force && i < nv; i++) {
        a[i] += force[i];
    }
    int code = nc > 0 ? trm_system_gamma(system, v, work->gamma) : 0;
    copy(out->gamma, work->gamma, nc);
    if (code || (!out->a && !out->lambda)) {
        return code;
    }
    trm_system_solve_M(system, a);
    code = constrain(system, work->gamma, a, work->lambda, work->x);
    code = code || !out->lambda ? code : trm_system_least(system, work->lambda, work->gamma);
    copy(out->a, a, nv);
    copy(out->lambda, work->lambda, nc);
    return code;
}

trm_status trm_terms_fail(const trm_system *system, const char *when, double t, int code,
                          trm_error *err)
{
    const char *const name = system->failed;
    const int told = name && system->explained == name;
    const char *const reason = told ? system->reason : "";
    const char *const place = told ? system->explained_at : "";
    char where[160];
    snprintf(where, sizeof where, *place ? "%s" : "'%s'", *place ? place : name ? name : "");
    const trm_status status =
        !name     ? TRM_FAIL(err, TRM_ERR_SINGULAR, NULL,
                             "the constraints cannot be solved for %s t = %.9g", when, t)
        : *reason ? TRM_FAIL(err, TRM_ERR_CALLBACK, where, "'%s' has no value %s t = %.9g: %s",
                             name, when, t, reason)
                  : TRM_FAIL(err, TRM_ERR_CALLBACK, where,
                             "the value of '%s' is not a finite number, or its function failed "
                             "(%d), %s t = %.9g",
                             name, code, when, t);
    return trm_at_time(err, t, status);
}
