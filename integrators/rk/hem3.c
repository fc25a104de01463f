/// Half-explicit Runge-Kutta method of order 3 for the index-2 form of the equations of motion:
/// [EOM] and [VEL], no second derivative of g [Hairer, Lubich, Roche, The Numerical Solution of
/// Differential-Algebraic Systems by Runge-Kutta Methods, 1989].
///
///     Q_i  = q + h sum_{j<i} a_ij N(Q_j) V_j,     V_i = v + h sum_{j<i} a_ij k_j
///     k_j  = M^-1 f(Q_j, V_j) - B_j lambda_j,     B = M^-1 G^T
///     0 = G(Q_i) V_i + g_t, determines lambda_{i-1}
///
/// c = (0, 1/3, 1), a = (1/3; -1 2), b = (0, 3/4, 1/4); the end of the step is stage 4, a_4j = b_j.
/// Then the stabilization corrects positions and velocities.
///
/// G(Q_i) B(Q_{i-1}) is not symmetric; it is formed and eliminated as a dense matrix with complete
/// pivoting, redundant rows left out: for small mechanisms. The accelerations and multipliers that
/// a run reports are those of the index-1 form at the end of the step; the steps do not use them.
#include "base/status.h"
#include "engine/rank/pivoting.h"
#include "integrators/stabilization/post.h"
#include "trammel/trammel_methods.h"

#include <string.h>

enum { STAGES = 3 };

// clang-format off
static const double c[STAGES + 1] = {[1] = 1.0/3, 1, 1};
static const double a[STAGES + 1][STAGES] = {[1] = {1.0/3}, {-1, 2}, {0, 3.0/4, 1.0/4}};
// clang-format on

typedef struct hem3_memory {
    double *z;         ///< [n] Q_i, V_i, work
    double *k[STAGES]; ///< [n] N V_i, k_i, power
    double *B;         ///< [nc*nv] row r is M^-1 G^T e_r at Q_{i-1}
    double *g_t;       ///< [nc] at Q_{i-1}
    double *GB;        ///< [nc*nc] G(Q_i) B(Q_{i-1}), eliminated
    int *row, *column; ///< [nc] order of the elimination
    double *lambda;    ///< [nc]
} hem3_memory;

static void layout(trm_run *run, trm_arena *arena)
{
    hem3_memory counted, *memory = trm_arena_struct(arena, sizeof counted, &counted, &run->method);
    const int nc = run->system->nc;
    memory->z = trm_arena_doubles(arena, run->n);
    for (int i = 0; i < STAGES; i++) {
        memory->k[i] = trm_arena_doubles(arena, run->n);
    }
    memory->B = trm_arena_matrix(arena, nc, run->system->nv);
    memory->g_t = trm_arena_doubles(arena, nc);
    memory->GB = trm_arena_matrix(arena, nc, nc);
    TRM_ARENA_INTS(arena, nc, &memory->row, &memory->column);
    memory->lambda = trm_arena_doubles(arena, nc);
}

static trm_status start(trm_run *run, trm_error *err)
{
    trm_point_of_run *now = &run->now;
    const int code = trm_index1_rates(run, now->t, now->z, now->dz, now->lambda);
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}

/// k = (N V, M^-1 f, power of f) at stage i, and B and g_t there.
static int free_rates(trm_run *run, double t, const double *z, double *k)
{
    trm_system *system = run->system;
    hem3_memory *memory = run->method;
    const int nc = system->nc;
    TRM_TRY(trm_system_position(system, t, z));
    TRM_TRY(trm_system_force(system, z + system->nq, k + system->nq, &k[run->n - 1]));
    trm_system_solve_M(system, k + system->nq);
    trm_system_rates(system, z, z + system->nq, k);
    memcpy(memory->g_t, system->g_t, (size_t)nc * sizeof(double));
    trm_post_rows(run, TRM_METRIC_MASS, memory->B);
    return 0;
}

/// x[nv] := x - scale B r
static void subtract_B(const trm_run *run, const double *r, double *x)
{
    const hem3_memory *memory = run->method;
    const int nv = run->system->nv;
    for (int i = 0; i < run->system->nc; i++) {
        const double *row = memory->B + i * nv;
        for (int j = 0; j < nv; j++) {
            x[j] -= r[i] * row[j];
        }
    }
}

/// z = z_n + h sum_{j<i} a_ij k_j
static void combine(trm_run *run, double h, int i, double *z)
{
    const hem3_memory *memory = run->method;
    memcpy(z, run->now.z, (size_t)run->n * sizeof(double));
    for (int j = 0; j < i; j++) {
        for (int l = 0; l < run->n; l++) {
            z[l] += h * a[i][j] * memory->k[j][l];
        }
    }
}

/// lambda from 0 = G(Q_i) V_i + g_t, and that V_i; V comes with lambda = 0. The current point is
/// Q_i, scale = h a_i,i-1.
static void multipliers(trm_run *run, double scale, double *V)
{
    trm_system *system = run->system;
    hem3_memory *memory = run->method;
    const int nc = system->nc;
    const int rank = trm_post_eliminate(run, memory->B, memory->GB, memory->row, memory->column);
    trm_system_velocity_residual(system, V, run->work_c);
    trm_eliminate_solve(nc, rank, memory->GB, memory->row, memory->column, run->work_c,
                        memory->lambda);
    subtract_B(run, memory->lambda, V);
    for (int i = 0; i < nc; i++) {
        memory->lambda[i] /= scale;
    }
}

/// Stage i from those before it: z = (Q_i, V_i, work), and k_{i-1} complete.
static int stage(trm_run *run, double t, double h, int i, double *z)
{
    const hem3_memory *memory = run->method;
    trm_system *system = run->system;
    const int nc = system->nc;
    double *k = memory->k[i - 1];
    combine(run, h, i, z);
    if (!trm_all_finite(run->n, z)) {
        return 1;
    }
    TRM_TRY(trm_system_position(system, t + c[i] * h, z));
    multipliers(run, h * a[i][i - 1], z + system->nq);
    subtract_B(run, memory->lambda, k + system->nq);
    double power = 0; // of moving constraints
    for (int r = 0; r < nc; r++) {
        power += memory->lambda[r] * memory->g_t[r];
    }
    k[run->n - 1] += power;
    z[run->n - 1] += h * a[i][i - 1] * power;
    return 0;
}

static int stages(trm_run *run, double t, double h)
{
    const hem3_memory *memory = run->method;
    const double *last = run->now.z;
    int code = 0;
    for (int i = 1; !code && i <= STAGES; i++) {
        double *z = i < STAGES ? memory->z : run->before.z;
        code = free_rates(run, t + c[i - 1] * h, last, memory->k[i - 1]);
        code = code ? code : stage(run, t, h, i, z);
        last = z;
    }
    return code;
}

static trm_status step(trm_run *run, double t_limit, trm_error *err)
{
    double h;
    const double t_next = trm_run_next(run, t_limit, &h);
    trm_point_of_run *end = &run->before;
    int code = stages(run, run->now.t, h);
    if (!code) {
        trm_system_normalize(run->system, end->z);
        code = run->stabilization->correct(run, t_next, end->z);
    }
    code = code ? code : trm_index1_rates(run, t_next, end->z, end->dz, end->lambda);
    if ((code > 0 && !run->system->failed) ||
        (!code && (!trm_all_finite(run->n, end->z) || !trm_all_finite(run->n, end->dz)))) {
        return trm_run_fail(run, TRM_ERR_DIVERGED, "the state is not finite after the step", err);
    }
    if (code) {
        return trm_run_fail_code(run, code, err);
    }
    trm_run_advance(run);
    trm_run_land(run, t_next);
    return TRM_OK;
}

static const trm_stabilization_ops *const partners[] = {&trm_projection, &trm_s_both2, NULL};

const trm_method_ops trm_hem3 = {
    .integrator = TRM_INTEGRATOR_HEM3,
    .name = "hem3",
    .doc = "half-explicit; needs no second derivatives of g",
    .order = 3,
    .adaptive = 0,
    .source = "half-explicit",
    .partners = partners,
    .layout = layout,
    .start = start,
    .step = step,
    .dense = trm_run_hermite,
};
