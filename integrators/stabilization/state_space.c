/// State-space form [ACPR95 (3.1)-(3.2)]: independent local coordinates
///
///     u = R z,    [R; G] well conditioned, R constant while it is,
///
/// are integrated, and z follows from them and the constraints. R is not formed, but the directions
/// D that it does not see, R D = 0, nc of them: since a Runge-Kutta step is linear in R, each of
/// its stages is the stage of z in all coordinates, brought back to
///
///     0 = g(q) along N(q_n) D:    q := q - N(q_n) D y,    (G D) y = g          Newton's method
///     0 = G v + g_t along D:      v := v - D y,           (G D) y = G v + g_t
///
/// Coordinate partitioning takes for D the unit vectors of dependent coordinates, those that
/// the elimination of G with complete pivoting finds; the tangent form takes R with R W G^T =
/// 0, that is D = W G^T, W = M^-1 or the identity, with G of q_n in each step. A partition is
/// kept until the smallest pivot of G D falls below half of that of a new one
/// (trm_stats.switches); at a singular position no partition is good, and long steps with a
/// partition are then less reliable than the tangent form. G D is dense: for small mechanisms.
/// No drift; redundant rows are left out.
#include "base/linear/sums.h"
#include "base/status.h"
#include "engine/rank/pivoting.h"
#include "integrators/stabilization/post.h"
#include "trammel/trammel_methods.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NEWTON = 20 };

static const double worn = 0.5; // of the smallest pivot at a new choice: one binary digit is lost

typedef struct state_space_memory {
    double *q;         ///< [nq] q_n, where the step began
    int chosen;        ///< nonzero: D is there
    double *D;         ///< [nc*nv] by rows; unused rows are zero
    double *fresh;     ///< [nc*nv] D as chosen at the present point
    double *GD;        ///< [nc*nc] eliminated
    double *G;         ///< [nc*nv] eliminated, to choose from
    int rank;          ///< of GD
    int *row, *column; ///< [nc] order of the elimination of GD
    int *dependent;    ///< [nv] of G: the dependent coordinates first
    double *y, *dx;    ///< [nc], [nv]
    double *dq;        ///< [nq]
    double *z;         ///< [n] a stage brought back
} state_space_memory;

static void layout(trm_run *run, trm_arena *arena)
{
    state_space_memory counted,
        *memory = trm_arena_struct(arena, sizeof counted, &counted, &run->stabilization_memory);
    const int nc = run->system->nc;
    const int nv = run->system->nv;
    memory->q = trm_arena_doubles(arena, run->system->nq);
    memory->D = trm_arena_matrix(arena, nc, nv);
    memory->fresh = trm_arena_matrix(arena, nc, nv);
    memory->GD = trm_arena_matrix(arena, nc, nc);
    memory->G = trm_arena_matrix(arena, nc, nv);
    TRM_ARENA_INTS(arena, nc, &memory->row, &memory->column);
    memory->dependent = trm_arena_ints(arena, nv);
    memory->y = trm_arena_doubles(arena, nc);
    memory->dx = trm_arena_doubles(arena, nv);
    memory->dq = trm_arena_doubles(arena, run->system->nq);
    memory->z = trm_arena_doubles(arena, run->n);
}

// -------------------------------------------------------------------------------- the directions

/// GD = G D at the current point, eliminated; returns the smallest pivot.
static double eliminate(trm_run *run)
{
    state_space_memory *m = run->stabilization_memory;
    m->rank = trm_post_eliminate(run, m->D, m->GD, m->row, m->column);
    return trm_eliminate_smallest(run->system->nc, m->rank, m->GD, m->row, m->column);
}

/// fresh = unit vectors of the dependent coordinates.
static void partition(trm_run *run)
{
    state_space_memory *memory = run->stabilization_memory;
    const int nc = run->system->nc;
    const int nv = run->system->nv;
    trm_post_rows(run, TRM_METRIC_IDENTITY, memory->G);
    const int rank = trm_eliminate(nc, nv, memory->G, TRM_PIVOT, memory->row, memory->dependent);
    memset(memory->fresh, 0, (size_t)(nc * nv) * sizeof(double));
    for (int k = 0; k < rank; k++) {
        memory->fresh[k * nv + memory->dependent[k]] = 1;
    }
}

static void exchange(state_space_memory *memory)
{
    double *held = memory->D;
    memory->D = memory->fresh;
    memory->fresh = held;
}

/// Choose D at the current point, or keep the present partition if it is about as good.
static void choose(trm_run *run)
{
    state_space_memory *memory = run->stabilization_memory;
    const int first = !memory->chosen || run->stats.steps == 0;
    const double old = first ? 0 : eliminate(run);
    const int old_rank = memory->rank;
    if (run->options.state_space.tangent) {
        trm_post_rows(run, trm_post_metric(run), memory->fresh);
    } else {
        partition(run);
    }
    exchange(memory);
    const double best = eliminate(run);
    for (int k = memory->rank; k < run->system->nc; k++) { // the same directions at every stage
        memset(memory->D + memory->column[k] * run->system->nv, 0,
               (size_t)run->system->nv * sizeof(double));
    }
    memory->chosen = 1;
    if (run->options.state_space.tangent || first) {
        return;
    }
    if (old >= worn * best && old_rank >= memory->rank) {
        exchange(memory);
        eliminate(run);
    } else {
        run->stats.switches++;
    }
}

/// Make D good at the beginning of the step.
static int renew(trm_run *run)
{
    state_space_memory *memory = run->stabilization_memory;
    const double *q = run->now.z;
    const size_t bytes = (size_t)run->system->nq * sizeof(double);
    if (memory->chosen && !memcmp(memory->q, q, bytes)) {
        return 0;
    }
    const int code = trm_system_position(run->system, run->now.t, q);
    if (!code) {
        memcpy(memory->q, q, bytes);
        choose(run);
    }
    return code;
}

// ------------------------------------------------------------------------------------- the chart

/// dx = D y, (G D) y = r, with GD as eliminated last; r is overwritten.
static void along_D(trm_run *run, double *r)
{
    state_space_memory *memory = run->stabilization_memory;
    const int nc = run->system->nc;
    const int nv = run->system->nv;
    trm_eliminate_solve(nc, memory->rank, memory->GD, memory->row, memory->column, r, memory->y);
    memset(memory->dx, 0, (size_t)nv * sizeof(double));
    for (int k = 0; k < nc; k++) {
        for (int j = 0; memory->y[k] != 0 && j < nv; j++) {
            memory->dx[j] += memory->y[k] * memory->D[k * nv + j];
        }
    }
}

/// 0 = g(q) along N(q_n) D. Leaves (t, q) the current point, GD eliminated near it.
static int close_positions(trm_run *run, double t, double *q)
{
    trm_system *system = run->system;
    state_space_memory *memory = run->stabilization_memory;
    double before = INFINITY;
    for (int k = 0; k < NEWTON; k++) {
        TRM_TRY(trm_system_position(system, t, q));
        eliminate(run);
        memcpy(run->work_c, system->g, (size_t)system->nc * sizeof(double));
        trm_system_leave_out(system, run->work_c);
        const double residual = trm_max_norm(system->nc, run->work_c);
        if (residual <= DBL_EPSILON || residual >= 0.5 * before || !isfinite(residual)) {
            return !(residual <= run->options.tolerance);
        }
        before = residual;
        along_D(run, run->work_c);
        trm_system_rates(system, memory->q, memory->dx, memory->dq);
        for (int i = 0; i < system->nq; i++) {
            q[i] -= memory->dq[i];
        }
    }
    return 1;
}

/// Bring z back to both constraints.
static int correct(trm_run *run, double t, double *z)
{
    trm_system *system = run->system;
    const state_space_memory *memory = run->stabilization_memory;
    double *v = z + system->nq;
    if (system->nc == 0) {
        return 0;
    }
    TRM_TRY(renew(run));
    TRM_TRY(close_positions(run, t, z));
    trm_system_velocity_residual(system, v, run->work_c);
    along_D(run, run->work_c);
    for (int i = 0; i < system->nv; i++) {
        v[i] -= memory->dx[i];
    }
    return 0;
}

static int rates(trm_run *run, double t, const double *z, double *dz, double *lambda)
{
    const state_space_memory *memory = run->stabilization_memory;
    memcpy(memory->z, z, (size_t)run->n * sizeof(double));
    const int code = correct(run, t, memory->z);
    return code ? code : trm_index1_rates(run, t, memory->z, dz, lambda);
}

const trm_stabilization_ops trm_state_space = {
    .id = TRM_STABILIZATION_STATE_SPACE,
    .name = "state-space",
    .doc = "independent local coordinates, changed when ill conditioned",
    .source = "ACPR95 (3.1)-(3.2)",
    .parameters = "local metric",
    .layout = layout,
    .rates = rates,
    .correct = correct,
};
