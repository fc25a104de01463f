/// Mechanisms: [AL95 (5.3)-(5.4)], E = (GB)^-1, B = M^-1 G^T, one iterate, lambda_0 = 0:
///
///     q' = N (v - (1/epsilon) B E g),    v' = M^-1 f - (1/epsilon) B E (G v + g_t)
///
/// Its error is O(epsilon), so that a small epsilon needs no second iterate; what is left of
/// G v is epsilon lambda. As integrators for `trammel --load`, one an epsilon:
///
///     cc -shared -fPIC mechanism.c bdf.c -o stiff.so -lsundials_cvode -lsundials_nvecserial
///         -lsundials_sunlinsoldense -lsundials_sunmatrixdense
///     trammel run SCENE --load ./stiff.so --integrator bdf-1e-8 --method stiff-srm-1e-8 --step
///     0.01
#include "bdf.h"

#include <trammel/trammel_register.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

int trammel_load(const trm_registry *registry);

/// One integrator, with the solver of its run.
typedef struct problem {
    double epsilon;
    const trm_mechanism *m;
    int n;             ///< nq + nv
    double *z;         ///< [n] where the solver is
    double *x, *y, *v; ///< [nv], [nc], [nv]
    double t;          ///< of z
    bdf *solver;
} problem;

/// x := (1/epsilon) B E y
static void spread(const problem *p, double *y, double *x)
{
    p->m->solve(p->m, y);
    p->m->spread(p->m, y, x);
    for (int i = 0; i < p->m->nv; i++) {
        x[i] /= p->epsilon;
    }
}

static int rates(double t, const double *z, double *dz, void *user)
{
    const problem *p = user;
    const trm_mechanism *m = p->m;
    const double *v = z + m->nq;
    double *a = dz + m->nq;
    int code = m->position(m, t, z, p->y);
    code = code ? code : m->factor(m);
    code = code ? code : m->force(m, v, a);
    if (code) {
        return code;
    }
    spread(p, p->y, p->x);
    for (int i = 0; i < m->nv; i++) {
        p->v[i] = v[i] - p->x[i];
    }
    m->rates(m, z, p->v, dz);
    m->solve_M(m, a);
    m->velocity_residual(m, v, p->y);
    spread(p, p->y, p->x);
    for (int i = 0; i < m->nv; i++) {
        a[i] -= p->x[i];
    }
    return 0;
}

/// The solver at (t, q, v), with no history.
static int begin(problem *p, double t)
{
    static const double tolerance = 1e-9;
    if (!p->solver) {
        p->solver = bdf_open(p->n, rates, p, tolerance, t, p->z);
        return p->solver ? 0 : -1;
    }
    return bdf_restart(p->solver, t, p->z);
}

static int start(const trm_mechanism *m, double t, const double *q, const double *v, double *memory,
                 void *user)
{
    problem *const p = user;
    (void)t, (void)q, (void)v, (void)memory;
    bdf_close(p->solver);
    p->solver = NULL;
    p->m = m;
    p->n = m->nq + m->nv;
    double *const z = realloc(p->z, (size_t)(p->n + 2 * m->nv + m->nc) * sizeof *z);
    if (!z) {
        return -1;
    }
    p->z = z;
    p->x = z + p->n;
    p->v = p->x + m->nv;
    p->y = p->v + m->nv;
    p->t = NAN;
    return 0;
}

/// The solver goes on unless the run is elsewhere than it.
static int step(const trm_mechanism *m, double t, double h, double *q, double *v, double *memory,
                void *user)
{
    problem *const p = user;
    const size_t nq = (size_t)m->nq * sizeof *q, nv = (size_t)m->nv * sizeof *v;
    (void)memory;
    p->m = m;
    if (p->t != t || memcmp(p->z, q, nq) != 0 || memcmp(p->z + m->nq, v, nv) != 0) {
        memcpy(p->z, q, nq);
        memcpy(p->z + m->nq, v, nv);
        if (begin(p, t)) {
            return -1;
        }
    }
    const int code = bdf_advance(p->solver, t + h, p->z);
    p->t = t + h;
    memcpy(q, p->z, nq);
    memcpy(v, p->z + m->nq, nv);
    return code;
}

int trammel_load(const trm_registry *registry)
{
    static problem problems[] = {{.epsilon = 1e-6}, {.epsilon = 1e-8}, {.epsilon = 1e-10}};
    static const char *const name[] = {"bdf-1e-6", "bdf-1e-8", "bdf-1e-10"};
    static const char *const method[] = {"stiff-srm-1e-6", "stiff-srm-1e-8", "stiff-srm-1e-10"};
    int failed = 0;
    for (int i = 0; i < 3; i++) {
        const trm_own_integrator own = {.version = TRM_REGISTER_VERSION,
                                        .name = name[i],
                                        .doc = "CVODE's BDF, errors of a step below 1e-9",
                                        .source = "AL95 (5.3)-(5.4)",
                                        .stabilization = method[i],
                                        .order = 5,
                                        .start = start,
                                        .step = step,
                                        .user = &problems[i]};
        failed |= registry->integrator(&own, NULL, NULL, registry->err) != TRM_OK;
    }
    return failed;
}
