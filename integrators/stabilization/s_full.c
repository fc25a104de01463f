/// Post-stabilization S-full [ACPR95 (5.4) with (4.4), D = H^T]:
///
///     z := z~ - alpha H^T (H H^T)^-1 h,    h = (g, G v + g_t),    H = ( G  0 )
///                                                                     ( C  G ),
///     C = d(G v + g_t)/dq, column j:  C e_j = -(gamma(v + e_j) - gamma(v - e_j))/4.
///
/// gamma is quadratic in v, so that its polarization is exact, parts with g_t included. Where N
/// depends on q (angular velocities in body axes), it gives the part of C that is symmetric under
/// the exchange of v and e_j, which is all that g'' sees.
///
/// H H^T + delta scale I is dense, 2 nc by 2 nc, and factored by Cholesky with one proximal step
/// as in engine/linear/constraint_solver.h. For small mechanisms and comparisons.
#include "base/linear/dense.h"
#include "base/status.h"
#include "integrators/trajectory/stabilization.h"
#include "trammel/trammel_methods.h"

#include <math.h>
#include <string.h>

typedef struct s_full_memory {
    double *H;         ///< [2nc * 2nv]
    double *A, *L;     ///< [2nc * 2nc] H H^T, and its factor
    double *h, *y, *r; ///< [2nc]
    double *probe;     ///< [nv] v +- e_j
    double *gamma[2];  ///< [nc]
} s_full_memory;

static void layout(trm_run *run, trm_arena *arena)
{
    s_full_memory counted,
        *memory = trm_arena_struct(arena, sizeof counted, &counted, &run->stabilization_memory);
    const int nc = run->system->nc;
    const int nv = run->system->nv;
    memory->H = trm_arena_matrix(arena, 2 * nc, 2 * nv);
    memory->A = trm_arena_matrix(arena, 2 * nc, 2 * nc);
    memory->L = trm_arena_matrix(arena, 2 * nc, 2 * nc);
    TRM_ARENA_DOUBLES(arena, 2 * nc, &memory->h, &memory->y, &memory->r);
    memory->probe = trm_arena_doubles(arena, nv);
    TRM_ARENA_DOUBLES(arena, nc, &memory->gamma[0], &memory->gamma[1]);
}

/// Both blocks G of H: column j of G is G e_j.
static void fill_G(trm_run *run)
{
    trm_system *system = run->system;
    s_full_memory *memory = run->stabilization_memory;
    const int nc = system->nc;
    const int nv = system->nv;
    memset(memory->H, 0, (size_t)(4 * nc * nv) * sizeof(double));
    memset(run->work_v, 0, (size_t)nv * sizeof(double));
    for (int j = 0; j < nv; j++) {
        run->work_v[j] = 1;
        trm_system_multiply_G(system, run->work_v, run->work_c);
        trm_system_leave_out(system, run->work_c);
        run->work_v[j] = 0;
        for (int i = 0; i < nc; i++) {
            memory->H[i * 2 * nv + j] = run->work_c[i];
            memory->H[(nc + i) * 2 * nv + nv + j] = run->work_c[i];
        }
    }
}

/// C by polarization.
static int fill_C(trm_run *run, const double *v)
{
    trm_system *system = run->system;
    s_full_memory *memory = run->stabilization_memory;
    const int nc = system->nc;
    const int nv = system->nv;
    memcpy(memory->probe, v, (size_t)nv * sizeof(double));
    for (int j = 0; j < nv; j++) {
        memory->probe[j] = v[j] + 1;
        int code = trm_system_gamma(system, memory->probe, memory->gamma[0]);
        memory->probe[j] = v[j] - 1;
        code = code ? code : trm_system_gamma(system, memory->probe, memory->gamma[1]);
        memory->probe[j] = v[j];
        if (code) {
            return code;
        }
        for (int i = 0; i < nc; i++) {
            memory->gamma[0][i] = -(memory->gamma[0][i] - memory->gamma[1][i]) / 4;
        }
        trm_system_leave_out(system, memory->gamma[0]);
        for (int i = 0; i < nc; i++) {
            memory->H[(nc + i) * 2 * nv + j] = memory->gamma[0][i];
        }
    }
    return 0;
}

static void multiply(int rows, int columns, const double *A, const double *x, double *y)
{
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int j = 0; j < columns; j++) {
            sum += A[i * columns + j] * x[j];
        }
        y[i] = sum;
    }
}

/// L = the Cholesky factor of H H^T + delta scale I.
static int factor(const trm_run *run)
{
    s_full_memory *memory = run->stabilization_memory;
    const int n = 2 * run->system->nc;
    const int m = 2 * run->system->nv;
    double scale = 0;
    for (int i = 0; i < n; i++) {
        multiply(n, m, memory->H, memory->H + i * m, memory->A + i * n);
        scale = fmax(scale, memory->A[i * n + i]);
    }
    memcpy(memory->L, memory->A, (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < n; i++) {
        memory->L[i * n + i] += run->options.damping * scale;
    }
    return trm_cholesky(n, memory->L);
}

/// y = (H H^T)^+ h with one proximal step.
static void solve(const trm_run *run)
{
    s_full_memory *memory = run->stabilization_memory;
    const int n = 2 * run->system->nc;
    memcpy(memory->y, memory->h, (size_t)n * sizeof(double));
    trm_cholesky_solve(n, memory->L, memory->y);
    multiply(n, n, memory->A, memory->y, memory->r);
    for (int i = 0; i < n; i++) {
        memory->r[i] = memory->h[i] - memory->r[i];
    }
    trm_cholesky_solve(n, memory->L, memory->r);
    for (int i = 0; i < n; i++) {
        memory->y[i] += memory->r[i];
    }
}

/// z := z - alpha H^T y
static void apply(trm_run *run, double *q, double *v)
{
    trm_system *system = run->system;
    const s_full_memory *memory = run->stabilization_memory;
    const int nv = system->nv;
    memset(run->work_v, 0, (size_t)nv * sizeof(double));
    for (int i = 0; i < 2 * system->nc; i++) {
        const double *row = memory->H + i * 2 * nv;
        const double weight = run->options.post.alpha * memory->y[i];
        for (int j = 0; j < nv; j++) {
            run->work_v[j] -= weight * row[j];
            v[j] -= weight * row[nv + j];
        }
    }
    trm_system_move(system, run->work_v, q);
}

static int correct(trm_run *run, double t, double *z)
{
    trm_system *system = run->system;
    s_full_memory *memory = run->stabilization_memory;
    double *v = z + system->nq;
    if (system->nc == 0) {
        return 0;
    }
    TRM_TRY(trm_system_position(system, t, z));
    memcpy(memory->h, system->g, (size_t)system->nc * sizeof(double));
    trm_system_leave_out(system, memory->h);
    trm_system_velocity_residual(system, v, memory->h + system->nc);
    fill_G(run);
    TRM_TRY(fill_C(run, v));
    TRM_TRY(factor(run));
    solve(run);
    apply(run, z, v);
    return 0;
}

const trm_stabilization_ops trm_s_full = {
    .id = TRM_STABILIZATION_S_FULL,
    .name = "s-full",
    .doc = "corrected once, with the full Jacobian of both constraints",
    .source = "ACPR95 (5.4), (4.4), D = H^T",
    .parameters = "alpha",
    .takes_contacts = 1,
    .layout = layout,
    .rates = trm_index1_rates,
    .correct = correct,
    .closes = 1,
};
