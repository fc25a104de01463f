/// Implicit form of post-stabilization [ACPR95 (5.2)]:
///
///     z + alpha F(z) h(z) = z~,    h = (g, G v + g_t),    alpha > 0,
///     F = W G^T (G W G^T)^-1 (I 0; 0 I),    W = M^-1 (5.5) or the identity (5.6)
///
/// that is backward Euler on -gamma F h with alpha = h gamma. Drift is O(h^(p+1)/alpha), and
/// alpha -> infinity gives coordinate projection. With c = alpha F g the position is q~ - N c, and
///
///     rho = c - alpha F(q) g(q),    c := c - (I - alpha/(1 + alpha) F G) rho
///
/// is Newton's method up to the derivative of F, which multiplies g. Given q, the velocity equation
/// is linear: v = v~ - alpha/(1 + alpha) F(q) (G v~ + g_t).
#include "base/status.h"
#include "integrators/stabilization/post.h"
#include "trammel/trammel_methods.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS = 20 };

typedef struct s_implicit_memory {
    double *q;         ///< [nq] q~
    double *c, *minus; ///< [nv] c and -c
} s_implicit_memory;

static void layout(trm_run *run, trm_arena *arena)
{
    s_implicit_memory counted,
        *memory = trm_arena_struct(arena, sizeof counted, &counted, &run->stabilization_memory);
    memory->q = trm_arena_doubles(arena, run->system->nq);
    TRM_ARENA_DOUBLES(arena, run->system->nv, &memory->c, &memory->minus);
}

/// x = F r; r is overwritten.
static void apply_F(trm_run *run, double *r, double *x)
{
    trm_system_solve_S(run->system, r);
    trm_system_spread(run->system, trm_post_metric(run), r, x);
}

/// One Newton step at the current point (t, q); returns max|rho|.
static double renew(trm_run *run)
{
    trm_system *system = run->system;
    s_implicit_memory *memory = run->stabilization_memory;
    const double alpha = run->options.post.alpha;
    double *rho = run->work_v;
    double max = 0;
    memcpy(run->work_c, system->g, (size_t)system->nc * sizeof(double));
    apply_F(run, run->work_c, rho);
    for (int i = 0; i < system->nv; i++) {
        rho[i] = memory->c[i] - alpha * rho[i];
        max = fmax(max, fabs(rho[i]));
    }
    trm_system_multiply_G(system, rho, run->work_c);
    apply_F(run, run->work_c, run->work_v2);
    for (int i = 0; i < system->nv; i++) {
        memory->c[i] -= rho[i] - alpha / (1 + alpha) * run->work_v2[i];
    }
    return max;
}

/// q := q~ - N c
static void place(trm_run *run, double *q)
{
    s_implicit_memory *memory = run->stabilization_memory;
    memcpy(q, memory->q, (size_t)run->system->nq * sizeof(double));
    for (int i = 0; i < run->system->nv; i++) {
        memory->minus[i] = -memory->c[i];
    }
    trm_system_move(run->system, memory->minus, q);
}

/// Leaves the last position as the current point, factored.
static int solve_positions(trm_run *run, double t, double *q)
{
    trm_system *system = run->system;
    s_implicit_memory *memory = run->stabilization_memory;
    double before = INFINITY;
    memcpy(memory->q, q, (size_t)system->nq * sizeof(double));
    memset(memory->c, 0, (size_t)system->nv * sizeof(double));
    for (int k = 0; k < STEPS; k++) {
        TRM_TRY(trm_system_position(system, t, q));
        TRM_TRY(trm_system_factor(system, trm_post_metric(run)));
        const double rho = renew(run);
        if (!isfinite(rho)) {
            return 1;
        }
        if (rho <= DBL_EPSILON || rho >= 0.5 * before) {
            return 0;
        }
        before = rho;
        place(run, q);
    }
    return trm_system_position(system, t, q);
}

static int correct(trm_run *run, double t, double *z)
{
    trm_system *system = run->system;
    const double alpha = run->options.post.alpha;
    double *v = z + system->nq;
    if (system->nc == 0) {
        return 0;
    }
    TRM_TRY(solve_positions(run, t, z));
    trm_system_velocity_residual(system, v, run->work_c);
    apply_F(run, run->work_c, run->work_v);
    for (int i = 0; i < system->nv; i++) {
        v[i] -= alpha / (1 + alpha) * run->work_v[i];
    }
    return 0;
}

const trm_stabilization_ops trm_s_implicit = {
    .id = TRM_STABILIZATION_S_IMPLICIT,
    .name = "s-implicit",
    .doc = "the correction taken at the end that it leads to",
    .source = "ACPR95 (5.2)",
    .parameters = "alpha metric",
    .layout = layout,
    .rates = trm_index1_rates,
    .correct = correct,
    .closes = 1,
};
