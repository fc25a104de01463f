#include "integrators/srm/srm_heun.h"
#include "base/linear/sums.h"
#include "base/status.h"
#include "trammel/trammel_methods.h"
#include "trammel/trammel_simulation.h"

#include <math.h>
#include <string.h>

/// One iterate at a mesh point.
typedef struct iterate {
    double *z;  ///< [n]
    double *dz; ///< [n] F there
    double *y;  ///< [nc] or [nv]
} iterate;

typedef struct srm_memory {
    iterate *now, *next; ///< [m+1]; of iterate 0 only y exists
    double *stage, *k2;  ///< [n]
    double *spare;       ///< [nc or nv] y at a stage, unused
    double *lambda;      ///< [nc]
    int size;            ///< of y
} srm_memory;

static iterate *iterates_layout(int count, int n, int size, trm_arena *arena)
{
    iterate *list = trm_arena_take(arena, (size_t)count, sizeof *list);
    for (int s = 0; s < count; s++) {
        const iterate one = {trm_arena_doubles(arena, n), trm_arena_doubles(arena, n),
                             trm_arena_doubles(arena, size)};
        if (list) {
            list[s] = one;
        }
    }
    return list;
}

static int entries(const trm_run *run, trm_srm_unknown of)
{
    const int nc = run->system->nc;
    return of == TRM_SRM_ROWS ? nc : of == TRM_SRM_INVARIANTS ? 2 * nc : run->system->nv;
}

static const trm_srm_form *form_of(const trm_run *run)
{
    return run->method_ops->form(run);
}

void trm_srm_first(trm_run *run, const double *lambda, double *y)
{
    memcpy(y, lambda, (size_t)run->system->nc * sizeof(double));
}

void trm_srm_layout(trm_run *run, trm_arena *arena)
{
    srm_memory counted, *memory = trm_arena_struct(arena, sizeof counted, &counted, &run->method);
    const int m = run->options.srm.iterations;
    memory->size = entries(run, form_of(run)->of);
    memory->now = iterates_layout(m + 1, run->n, memory->size, arena);
    memory->next = iterates_layout(m + 1, run->n, memory->size, arena);
    TRM_ARENA_DOUBLES(arena, run->n, &memory->stage, &memory->k2);
    memory->spare = trm_arena_doubles(arena, memory->size);
    memory->lambda = trm_arena_doubles(arena, run->system->nc);
}

/// x := x/|x|; returns |x|.
static double normalize(int n, double *x)
{
    const double length = trm_length(n, x);
    for (int i = 0; length > 0 && i < n; i++) {
        x[i] /= length;
    }
    return length;
}

/// Largest eigenvalue of G B E at the current point by a few power iterations.
static double spectral_radius(trm_run *run, const trm_srm_form *form)
{
    enum { POWER_ITERATIONS = 20 };
    const int nc = run->system->nc;
    double *x = ((srm_memory *)run->method)->lambda;
    for (int i = 0; i < nc; i++) {
        x[i] = 1 + 0.5 * sin(1.0 + i); // a vector that is unlikely to be an eigenvector
    }
    double rho = form->multiply_GBE ? normalize(nc, x) : 1;
    for (int k = 0; k < POWER_ITERATIONS && form->multiply_GBE; k++) {
        form->multiply_GBE(run, x);
        rho = normalize(nc, x);
    }
    return rho;
}

static void choose_epsilon(trm_run *run, const trm_srm_form *form)
{
    const double h = run->options.h;
    const double rho = spectral_radius(run, form);
    const double chosen = form->margin > 0 ? form->margin * h * rho : form->fixed;
    run->stats.epsilon_safe = form->margin > 0 ? h * rho / 2 : 0;
    run->stats.epsilon = run->options.srm.epsilon > 0 ? run->options.srm.epsilon : chosen;
    const int scaled = run->options.srm.E != TRM_SRM_MATRIX_IDENTITY;
    run->stats.row_scales = form->scales && !scaled ? form->scales(run) : 0;
}

/// Below h rho/2 Heun's method multiplies what is open in every step.
static trm_status check_epsilon(const trm_run *run, trm_error *err)
{
    const trm_stats *const s = &run->stats;
    return s->epsilon >= s->epsilon_safe * (1 - TRM_SRM_ROUGHLY)
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_OPTIONS, "srm.epsilon",
                          "epsilon = %.4g s is below h rho(GBE)/2 = %.4g s, from which a step of "
                          "%g s is stable; give a larger epsilon, a smaller step, or none",
                          s->epsilon, s->epsilon_safe, run->options.h);
}

/// Iterate s at t, given iterate s-1 there.
static int renew(trm_run *run, const trm_srm_form *form, double t, iterate *list, int s)
{
    srm_memory *memory = run->method;
    return form->rates(run, t, list[s].z, list[s - 1].y, list[s].dz, list[s].y, memory->lambda);
}

static void publish(const trm_run *run, const iterate *last, trm_point_of_run *point)
{
    const srm_memory *memory = run->method;
    memcpy(point->z, last->z, (size_t)run->n * sizeof(double));
    memcpy(point->dz, last->dz, (size_t)run->n * sizeof(double));
    memcpy(point->lambda, memory->lambda, (size_t)run->system->nc * sizeof(double));
}

trm_status trm_srm_start(trm_run *run, trm_error *err)
{
    const trm_srm_form *form = form_of(run);
    srm_memory *memory = run->method;
    const int m = run->options.srm.iterations;
    trm_point_of_run *now = &run->now;
    double *y0 = memory->now[0].y;
    run->unfactored = form->unfactored;
    int code = trm_index1_rates(run, now->t, now->z, now->dz, now->lambda);
    if (code) {
        return trm_run_fail_code(run, code, err);
    }
    choose_epsilon(run, form);
    TRM_TRY(check_epsilon(run, err));
    memset(y0, 0, (size_t)memory->size * sizeof(double));
    if (form->first && !run->options.srm.lambda0_zero) {
        form->first(run, now->lambda, y0);
    }
    memcpy(memory->next[0].y, y0, (size_t)memory->size * sizeof(double));
    for (int s = 1; s <= m && !code; s++) {
        memcpy(memory->now[s].z, now->z, (size_t)run->n * sizeof(double));
        code = renew(run, form, now->t, memory->now, s);
    }
    if (code) {
        return trm_run_fail_code(run, code, err);
    }
    publish(run, &memory->now[m], now);
    return TRM_OK;
}

/// Heun's step of iterate s from now to next; next[s-1] is finished.
static int step_iterate(trm_run *run, const trm_srm_form *form, double t_next, double h, int s)
{
    srm_memory *memory = run->method;
    const iterate *from = &memory->now[s];
    iterate *to = &memory->next[s];
    for (int i = 0; i < run->n; i++) {
        memory->stage[i] = from->z[i] + h * from->dz[i];
    }
    TRM_TRY(form->rates(run, t_next, memory->stage, memory->next[s - 1].y, memory->k2,
                        memory->spare, memory->lambda));
    for (int i = 0; i < run->n; i++) {
        to->z[i] = from->z[i] + h / 2 * (from->dz[i] + memory->k2[i]);
    }
    trm_system_normalize(run->system, to->z);
    return renew(run, form, t_next, memory->next, s);
}

trm_status trm_srm_step(trm_run *run, double t_limit, trm_error *err)
{
    const trm_srm_form *form = form_of(run);
    srm_memory *memory = run->method;
    const int m = run->options.srm.iterations;
    double h;
    if (run->shifted) { // the iterates have points of their own
        TRM_TRY(trm_srm_start(run, err));
        run->shifted = 0;
    }
    const double t_next = trm_run_next(run, t_limit, &h);
    for (int s = 1; s <= m; s++) {
        const int code = step_iterate(run, form, t_next, h, s);
        if (code) {
            return trm_run_fail_code(run, code, err);
        }
    }
    const iterate *last = &memory->next[m];
    if (!trm_all_finite(run->n, last->z) || !trm_all_finite(run->n, last->dz)) {
        return trm_run_fail(run, TRM_ERR_DIVERGED,
                            "the state is not finite after the step (is epsilon below its limit?)",
                            err);
    }
    publish(run, last, &run->before);
    trm_run_advance(run);
    trm_run_land(run, t_next);
    iterate *swap = memory->now;
    memory->now = memory->next;
    memory->next = swap;
    return TRM_OK;
}
