/// Equations of the user as a system: M, f, g, G, g_t, gamma and N from callbacks, all dense.
#include "base/linear/dense.h"
#include "base/status.h"
#include "engine/multibody/model.h"
#include "trammel/trammel_equations.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct equations {
    trm_system system;
    const trm_model *model;
    double t;
    double *q;       ///< [nq] the current point
    double *M, *L;   ///< [nv*nv] and its Cholesky factor
    double *G;       ///< [nc*nv]
    double *WG;      ///< [nv] one column of W G^T
    double *N;       ///< [nq*nv]
    double *step;    ///< [nq] N dx
    double *g, *g_t; ///< [nc]
} equations;

static equations *self(trm_system *system)
{
    return (equations *)system;
}

/// Record the function that failed, if `code` is a failure.
static int blame(trm_system *system, int code)
{
    if (code) {
        system->failed = self(system)->model->equations.name;
    }
    return code;
}

/// Nonzero when a value that a function gave is not finite.
static int check_finite(trm_system *system, int n, const double *x)
{
    return trm_system_check_finite(system, self(system)->model->equations.name, n, x);
}

/// M, N and the constraints; N only to learn whether its function succeeds.
static int evaluate(equations *eq, const trm_equations *def, double t, const double *q)
{
    int code = def->M(eq->model, t, q, eq->M, def->user);
    if (!code && def->N) {
        code = def->N(eq->model, t, q, eq->N, def->user);
    }
    if (code || eq->system.nc == 0) {
        return code;
    }
    code = def->g(eq->model, t, q, eq->g, def->user);
    code = code ? code : def->G(eq->model, t, q, eq->G, def->user);
    if (!code && def->g_t) {
        code = def->g_t(eq->model, t, q, eq->g_t, def->user);
    }
    return code;
}

static int position(trm_system *system, double t, const double *q)
{
    equations *eq = self(system);
    const int nv = system->nv;
    eq->t = t;
    memcpy(eq->q, q, (size_t)system->nq * sizeof(double));
    const trm_equations *def = &eq->model->equations;
    const int code = evaluate(eq, def, t, q);
    if (code) {
        return blame(system, code);
    }
    if (check_finite(system, nv * nv, eq->M) || check_finite(system, system->nc, eq->g) ||
        check_finite(system, system->nc * nv, eq->G) || check_finite(system, system->nc, eq->g_t) ||
        (def->N && check_finite(system, system->nq * nv, eq->N))) {
        return 1;
    }
    memcpy(eq->L, eq->M, (size_t)(nv * nv) * sizeof(double));
    return blame(system, trm_cholesky(nv, eq->L));
}

static int force(trm_system *system, const double *v, double *f, double *power)
{
    equations *eq = self(system);
    const trm_equations *def = &eq->model->equations;
    *power = 0;
    const int code = blame(system, def->f(eq->model, eq->t, eq->q, v, f, def->user));
    return code ? code : check_finite(system, system->nv, f);
}

/// y[rows] = A x, A[rows*columns].
static void multiply(int rows, int columns, const double *A, const double *x, double *y)
{
    for (int i = 0; i < rows; i++) {
        y[i] = 0;
        for (int j = 0; j < columns; j++) {
            y[i] += A[i * columns + j] * x[j];
        }
    }
}

/// gamma is asked for again too: there is no memory for it.
static int acceleration_residual(trm_system *system, const double *v, const double *a, int again,
                                 double *r)
{
    equations *eq = self(system);
    const trm_equations *def = &eq->model->equations;
    const int nv = system->nv;
    (void)again;
    if (system->nc == 0) {
        return 0;
    }
    int code = blame(system, def->gamma(eq->model, eq->t, eq->q, v, r, def->user));
    code = code ? code : check_finite(system, system->nc, r);
    for (int i = 0; i < system->nc; i++) {
        double sum = 0;
        for (int j = 0; a && j < nv; j++) {
            sum += eq->G[i * nv + j] * a[j];
        }
        r[i] = sum - r[i];
    }
    return code;
}

static void multiply_M(trm_system *system, double *x)
{
    equations *eq = self(system);
    multiply(system->nv, system->nv, eq->M, x, eq->WG);
    memcpy(x, eq->WG, (size_t)system->nv * sizeof(double));
}

static void solve_M(trm_system *system, double *x)
{
    trm_cholesky_solve(system->nv, self(system)->L, x);
}

static void multiply_G(trm_system *system, const double *x, double *y)
{
    multiply(system->nc, system->nv, self(system)->G, x, y);
}

static void spread(trm_system *system, trm_metric metric, const double *y, double *x)
{
    const double *G = self(system)->G;
    memset(x, 0, (size_t)system->nv * sizeof(double));
    for (int i = 0; i < system->nc; i++) {
        for (int j = 0; j < system->nv; j++) {
            x[j] += G[i * system->nv + j] * y[i];
        }
    }
    if (metric != TRM_METRIC_IDENTITY) {
        solve_M(system, x);
    }
}

static void subtract_spread(trm_system *system, trm_metric metric, const double *y, double *x)
{
    double *part = self(system)->WG;
    spread(system, metric, y, part);
    for (int i = 0; i < system->nv; i++) {
        x[i] -= part[i];
    }
}

/// One dense block; column i of S is G W G^T e_i.
static void form_S(trm_system *system, trm_metric metric, double *S)
{
    equations *eq = self(system);
    const int nc = system->nc;
    const int nv = system->nv;
    for (int i = 0; i < nc; i++) {
        memcpy(eq->WG, eq->G + i * nv, (size_t)nv * sizeof(double));
        if (metric == TRM_METRIC_MASS) {
            solve_M(system, eq->WG);
        }
        multiply_G(system, eq->WG, S + i * nc);
    }
}

static void rates(trm_system *system, const double *q, const double *v, double *qdot)
{
    equations *eq = self(system);
    const trm_equations *def = &eq->model->equations;
    if (!def->N) {
        memcpy(qdot, v, (size_t)system->nv * sizeof(double));
    } else if (def->N(eq->model, eq->t, q, eq->N, def->user) == 0) {
        multiply(system->nq, system->nv, eq->N, v, qdot);
    } else {
        for (int i = 0; i < system->nq; i++) {
            qdot[i] = NAN; // no step survives this
        }
    }
}

static void move(trm_system *system, const double *dx, double *q)
{
    equations *eq = self(system);
    rates(system, q, dx, eq->step);
    for (int i = 0; i < system->nq; i++) {
        q[i] += eq->step[i];
    }
}

/// Coordinates of the user need no normalization that is known here.
static void normalize(trm_system *system, double *q)
{
    (void)system;
    (void)q;
}

static double kinetic(trm_system *system, const double *v)
{
    equations *eq = self(system);
    double sum = 0;
    multiply(system->nv, system->nv, eq->M, v, eq->WG);
    for (int i = 0; i < system->nv; i++) {
        sum += v[i] * eq->WG[i] / 2;
    }
    return sum;
}

/// f holds forces with and without potential, and parts of d(Mv)/dt, so there is no energy balance.
static double potential(trm_system *system)
{
    (void)system;
    return NAN;
}

static void mass_diagonal(trm_system *system, double *m)
{
    for (int i = 0; i < system->nv; i++) {
        m[i] = self(system)->M[i * system->nv + i];
    }
}

static const trm_system_ops ops = {
    TRM_SYSTEM_OPS,
};

trm_system *trm_equations_layout(const trm_model *model, double delta, trm_arena *arena)
{
    const trm_sizes n = model->sizes;
    void *placed;
    equations counted, *eq = trm_arena_struct(arena, sizeof counted, &counted, &placed);
    *eq = (equations){.model = model};
    TRM_ARENA_DOUBLES(arena, n.nq, &eq->q, &eq->step);
    TRM_ARENA_DOUBLES(arena, n.nv * n.nv, &eq->M, &eq->L);
    eq->G = trm_arena_doubles(arena, n.nc * n.nv);
    eq->WG = trm_arena_doubles(arena, n.nv);
    eq->N = trm_arena_doubles(arena, model->equations.N ? n.nq * n.nv : 0);
    TRM_ARENA_DOUBLES(arena, n.nc, &eq->g, &eq->g_t);
    eq->system = (trm_system){.ops = &ops,
                              .nq = n.nq,
                              .nv = n.nv,
                              .nc = n.nc,
                              .moving = model->equations.g_t != NULL,
                              .structure = &model->structure,
                              .g = eq->g,
                              .g_t = eq->g_t};
    trm_solver_layout(&eq->system.solver, model->pattern, delta, arena);
    return placed ? &eq->system : NULL;
}

// ------------------------------------------------------------------------------------- the model

static trm_status check_equations(const trm_equations *eq, trm_error *err)
{
    if (eq->nq < 1 || eq->nv < 1 || eq->nc < 0 || eq->nq < eq->nv) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, eq->name,
                        "expected nq >= nv >= 1 and nc >= 0, got nq = %d, nv = %d, nc = %d", eq->nq,
                        eq->nv, eq->nc);
    }
    if ((double)eq->nq * eq->nv > INT_MAX || (double)eq->nc * fmax(eq->nc, eq->nv) > INT_MAX) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, eq->name,
                        "matrices of nq = %d, nv = %d, nc = %d are more than a model can hold",
                        eq->nq, eq->nv, eq->nc);
    }
    if (!eq->M || !eq->f || (eq->nc > 0 && (!eq->g || !eq->G || !eq->gamma))) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, eq->name, "expected functions M, f%s, one is missing",
                        eq->nc > 0 ? ", g, G, gamma" : "");
    }
    if (eq->nq != eq->nv && !eq->N) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, eq->name,
                        "expected the function N, since nq = %d and nv = %d differ", eq->nq,
                        eq->nv);
    }
    return TRM_OK;
}

/// A copy of x[n], zero when x is NULL.
static double *copy_of(const double *x, int n, trm_arena *arena)
{
    double *copy = trm_arena_doubles(arena, n);
    if (copy && x) {
        memcpy(copy, x, (size_t)n * sizeof(double));
    }
    return copy;
}

/// Everything may depend on everything.
static void one_cell(trm_model *model, const trm_equations *eq)
{
    int *bounds = trm_arena_ints(&model->arena, 4);
    int *member = trm_arena_ints(&model->arena, 1);
    trm_tie *tie = trm_arena_take(&model->arena, 1, sizeof *tie);
    if (tie) {
        bounds[1] = eq->nq;
        bounds[3] = eq->nv;
        *tie = (trm_tie){.row = 0, .rows = eq->nc, .first = 0, .n = 1};
        model->structure = (trm_structure){.ncells = 1,
                                           .q0 = bounds,
                                           .v0 = bounds + 2,
                                           .nties = 1,
                                           .ties = tie,
                                           .members = member};
    }
}

static void equations_model_layout(trm_model *model, const trm_equations *eq)
{
    trm_arena *arena = &model->arena;
    const size_t length = strlen(eq->name ? eq->name : "") + 1;
    model->q0 = copy_of(eq->q0, eq->nq, arena);
    model->v0 = copy_of(eq->v0, eq->nv, arena);
    model->row_info = trm_arena_take(arena, (size_t)eq->nc, sizeof *model->row_info);
    char *name = trm_arena_take(arena, length, 1);
    one_cell(model, eq);
    trm_model_find_components(model);
    if (name) {
        memcpy(name, eq->name ? eq->name : "", length);
        model->equations.name = name;
        for (int i = 0; i < eq->nc; i++) {
            model->row_info[i] = (trm_row_info){name, "", "", ""};
        }
    }
}

trm_status trm_model_from_equations(const trm_equations *eq, trm_model **out, trm_error *err)
{
    TRM_CLEAR(out);
    if (!eq || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, eq ? "out" : "eq",
                        "expected equations and a place for the model, got NULL");
    }
    TRM_TRY(check_equations(eq, err));
    trm_model *model = calloc(1, sizeof *model);
    int ok = model != NULL;
    if (ok) {
        model->sizes = (trm_sizes){.nq = eq->nq, .nv = eq->nv, .nc = eq->nc};
        model->from_equations = 1;
        model->may_lose_rank = 1;
        model->equations = *eq;
        equations_model_layout(model, eq);
        ok = trm_arena_open(&model->arena);
    }
    if (ok) {
        equations_model_layout(model, eq);
        model->pattern = trm_pattern_create(eq->nc > 0, &eq->nc, 0, NULL);
        ok = model->pattern != NULL;
    }
    if (!ok) {
        trm_model_destroy(model);
        return TRM_FAIL(err, TRM_ERR_MEMORY, eq->name, "not enough memory for a model");
    }
    *out = model;
    return TRM_OK;
}
