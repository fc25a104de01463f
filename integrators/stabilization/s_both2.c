/// Post-stabilization S-both, twice [ACPR95 (5.4) with (5.5) or (5.6)]:
///
///     F  = W G^T (G W G^T)^-1,    W = M^-1 (5.5) or the identity (5.6)
///     z^ := z~ - alpha F h(z~),    z := z^ - alpha F h(z^),    h = (g, G v + g_t)
///
/// The second pass evaluates G^T anew and keeps the inverse of the first, F = W G(q^)^T
/// (G W G^T)(q~)^-1: that is what gives the printed tables of fixed steps. The formula as printed
/// keeps all of F(z~), G^T too; the tables of adaptive steps have F(w) in both passes, w the
/// argument of the last stage (trm_post_formula). Drift is O(h^(2p)) with z~; w is O(h^2) off with
/// the stages of DOPRI5, and each pass leaves O(h^2) of what it found.
#include "base/status.h"
#include "integrators/stabilization/post.h"
#include "trammel/trammel_methods.h"

#include <string.h>

typedef struct s_both2_memory {
    double *q;       ///< [n] q~, or w
    double *rq, *rv; ///< [nc] h at z^
} s_both2_memory;

static void layout(trm_run *run, trm_arena *arena)
{
    s_both2_memory counted,
        *memory = trm_arena_struct(arena, sizeof counted, &counted, &run->stabilization_memory);
    memory->q = trm_arena_doubles(arena, run->n);
    TRM_ARENA_DOUBLES(arena, run->system->nc, &memory->rq, &memory->rv);
}

/// z := z - alpha F h(z), F of memory->q; the current point is z, and memory->q afterwards.
static int pass_with_kept_F(trm_run *run, double t, double *q, double *v)
{
    trm_system *system = run->system;
    s_both2_memory *memory = run->stabilization_memory;
    for (int i = 0; i < system->nc; i++) {
        memory->rq[i] = -system->g[i];
    }
    trm_system_velocity_residual(system, v, memory->rv);
    TRM_TRY(trm_system_position(system, t, memory->q));
    trm_post_stabilizer(run, memory->rv, run->work_v);
    for (int i = 0; i < system->nv; i++) {
        v[i] -= run->work_v[i];
    }
    trm_post_stabilizer(run, memory->rq, run->work_v);
    trm_system_move(system, run->work_v, q);
    return 0;
}

static int correct_by_stage(trm_run *run, double t, double *z)
{
    trm_system *system = run->system;
    s_both2_memory *memory = run->stabilization_memory;
    run->method_ops->last_stage(run, t, memory->q);
    int code = trm_system_position(system, t, memory->q);
    code = code ? code : trm_post_factor(run);
    for (int pass = 0; pass < 2 && !code; pass++) {
        code = trm_system_position(system, t, z);
        code = code ? code : pass_with_kept_F(run, t, z, z + system->nq);
    }
    return code;
}

static int correct(trm_run *run, double t, double *z)
{
    trm_system *system = run->system;
    s_both2_memory *memory = run->stabilization_memory;
    double *q = z;
    double *v = z + system->nq;
    if (system->nc == 0) {
        return 0;
    }
    if (run->options.post.formula == TRM_POST_FORMULA_STAGE) {
        return correct_by_stage(run, t, z);
    }
    if (run->options.post.formula == TRM_POST_FORMULA_PRINTED) {
        memcpy(memory->q, q, (size_t)system->nq * sizeof(double));
    }
    TRM_TRY(trm_system_position(system, t, q));
    TRM_TRY(trm_post_factor(run));
    trm_post_pass_of_two(run, q, v);
    TRM_TRY(trm_system_position(system, t, q));
    if (run->options.post.formula == TRM_POST_FORMULA_PRINTED) {
        return pass_with_kept_F(run, t, q, v);
    }
    TRM_TRY(trm_post_factor_again(run));
    trm_post_pass_of_two(run, q, v);
    return 0;
}

const trm_stabilization_ops trm_s_both2 = {
    .id = TRM_STABILIZATION_S_BOTH2,
    .name = "s-both2",
    .doc = "positions and velocities corrected twice after each step",
    .source = "ACPR95 (5.4)-(5.6), twice",
    .parameters = "alpha metric formula",
    .takes_contacts = 1,
    .layout = layout,
    .rates = trm_index1_rates,
    .correct = correct,
    .closes = 1,
};
