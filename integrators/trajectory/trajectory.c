/// Shared by all methods: the points of a run, the times of fixed steps, messages.
#include "base/accuracy_policy.h"
#include "base/linear/sums.h"
#include "base/loops.h"
#include "base/quad.h"
#include "base/status.h"
#include "engine/system/terms.h"
#include "integrators/trajectory/stabilization.h"
#include "trammel/trammel_methods.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void point_layout(trm_point_of_run *point, int n, int nc, trm_arena *arena)
{
    TRM_ARENA_DOUBLES(arena, n, &point->z, &point->dz);
    point->lambda = trm_arena_doubles(arena, nc);
}

void trm_run_layout(trm_run *run, trm_arena *arena)
{
    const trm_system *system = run->system;
    point_layout(&run->now, run->n, system->nc, arena);
    point_layout(&run->before, run->n, system->nc, arena);
    trm_extents_layout(&run->extent, system->nq, system->nv, system->nc, arena);
    trm_motion_range_layout(&run->range, system->nq, system->nv, arena);
    const size_t workspace = arena->used;
    TRM_ARENA_DOUBLES(arena, system->nv, &run->work_v, &run->work_v2);
    TRM_ARENA_DOUBLES(arena, system->nc, &run->work_c, &run->work_c2);
    trm_arena_workspace(arena, workspace);
    trm_stiffness_layout(&run->stiffness, run->n, arena);
    if (run->stabilization && run->stabilization->layout) {
        run->stabilization->layout(run, arena);
    }
    run->method_ops->layout(run, arena);
}

void trm_run_advance(trm_run *run)
{
    const trm_point_of_run now = run->now;
    run->now = run->before;
    run->before = now;
}

/// How far from a mesh point t an end may lie and still count as this
/// point: rounding of n h and of the end.
static double trm_run_slack(const trm_run *run, double t)
{
    return fmin(1e-9 * run->options.h + 4 * DBL_EPSILON * fabs(t), 1e-2 * run->options.h);
}

double trm_run_next(const trm_run *run, double t_limit, double *h)
{
    const double next = run->t_origin + (double)(run->count + 1) * run->options.h;
    const double beside = trm_run_slack(run, next);
    if (next < t_limit - beside) {
        *h = run->options.h;
        return next;
    }
    *h = fabs(next - t_limit) <= beside ? run->options.h : t_limit - run->now.t;
    return t_limit;
}

void trm_run_land(trm_run *run, double t)
{
    const double next = run->t_origin + (double)(run->count + 1) * run->options.h;
    run->count++;
    if (fabs(next - t) > trm_run_slack(run, next)) {
        run->t_origin = t;
        run->count = 0;
    }
    run->now.t = t;
    run->stats.steps++;
    run->stats.h = t - run->before.t;
}

/// Both with contacts; separate, so that a run without contacts pays for a comparison only.
__attribute__((noinline)) static int rates_in_contact(trm_run *run, double t, const double *z,
                                                      double *dz, double *lambda)
{
    const int code = run->stabilization->rates(run, t, z, dz, lambda);
    return code ? code : trm_contact_rates(run->contact, run->system, t, z, dz, lambda);
}

__attribute__((noinline)) static int correct_in_contact(trm_run *run, double t, double *z)
{
    const int code = run->stabilization->correct ? run->stabilization->correct(run, t, z) : 0;
    return code ? code : trm_contact_correct(run->contact, run->system, t, z);
}

int trm_run_rates(trm_run *run, double t, const double *z, double *dz, double *lambda)
{
    return run->contact ? rates_in_contact(run, t, z, dz, lambda)
                        : run->stabilization->rates(run, t, z, dz, lambda);
}

int trm_run_correct(trm_run *run, double t, double *z)
{
    return run->contact                  ? correct_in_contact(run, t, z)
           : run->stabilization->correct ? run->stabilization->correct(run, t, z)
                                         : 0;
}

static trm_status not_finite(const trm_run *run, trm_error *err)
{
    return trm_run_fail(run, TRM_ERR_DIVERGED, "the state is not finite after the step", err);
}

trm_status trm_run_close_step(trm_run *run, double t_next, trm_error *err)
{
    trm_point_of_run *end = &run->before;
    if (!trm_all_finite(run->n, end->z)) {
        return not_finite(run, err);
    }
    trm_system_normalize(run->system, end->z);
    int code = trm_run_correct(run, t_next, end->z);
    code = code ? code : trm_run_rates(run, t_next, end->z, end->dz, end->lambda);
    if (code) {
        return trm_run_fail_code(run, code, err);
    }
    return trm_all_finite(run->n, end->z) && trm_all_finite(run->n, end->dz) ? TRM_OK
                                                                             : not_finite(run, err);
}

int trm_run_hermite(trm_run *run, double t, double *z)
{
    const double h = run->now.t - run->before.t;
    const double x = h > 0 ? (t - run->before.t) / h : 1;
    const double y = 1 - x;
    const double *z0 = run->before.z;
    const double *z1 = run->now.z;
    for (int i = 0; i < run->n; i++) {
        const double d0 = h * run->before.dz[i];
        const double d1 = h * run->now.dz[i];
        z[i] =
            y * y * (1 + 2 * x) * z0[i] + x * x * (1 + 2 * y) * z1[i] + x * y * (y * d0 - x * d1);
    }
    return 0;
}

/// Four numbers at a time.
TRM_WIDE static void interpolate(int n, double x, int count, double *const *F, const double *y0,
                                 double *y)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        trm_quad sum = {0};
        for (int r = count - 1; r >= 0; r--) {
            sum = (sum + *trm_quad_at(F[r] + i)) * (r % 2 == 0 ? x : 1 - x);
        }
        *trm_quad_to(y + i) = *trm_quad_at(y0 + i) + sum;
    }
    for (; i < n; i++) {
        double sum = 0;
        for (int r = count - 1; r >= 0; r--) {
            sum = (sum + F[r][i]) * (r % 2 == 0 ? x : 1 - x);
        }
        y[i] = y0[i] + sum;
    }
}

void trm_run_interpolate(int n, double x, int count, double *const *F, const double *y0, double *y)
{
    interpolate(n, x, count, F, y0, y);
}

/// out[nq] := q'' at z, whose derivative is dz: N a, and N v along q', N linear in q or constant.
static void curvature(trm_run *run, const double *z, const double *dz, double *work, double *out)
{
    trm_system *system = run->system;
    const int nq = system->nq;
    for (int i = 0; i < nq; i++) {
        work[i] = z[i] + dz[i];
    }
    trm_system_rates(system, work, z + nq, out);
    trm_system_rates(system, z, dz + nq, work);
    for (int i = 0; i < nq; i++) {
        out[i] += work[i] - dz[i];
    }
}

void trm_run_by_ends(trm_run *run, int known_before, int known_now, double *work, double *const *F)
{
    const trm_point_of_run *a = &run->before, *b = &run->now;
    const double h = b->t - a->t;
    curvature(run, a->z, a->dz, work, F[3]);
    curvature(run, b->z, b->dz, work, F[4]);
    for (int i = 0; i < run->n; i++) {
        const int is_position = i < run->system->nq;
        const double difference = b->z[i] - a->z[i];
        const double F1 = h * a->dz[i] - difference, F2 = h * b->dz[i] - difference;
        F[0][i] = difference;
        F[1][i] = F1;
        F[2][i] = -F1 - F2;
        const double of_before = h * h / 2 * F[3][i] + 2 * F1 + F2,
                     of_now = h * h / 2 * F[4][i] - F1 - 2 * F2;
        F[3][i] = is_position ? (known_before ? of_before : known_now ? of_now : 0) : 0;
        F[4][i] = is_position && known_before && known_now ? of_now - of_before : 0;
    }
}

/// Whether this many steps of h, at the present speed, move nothing by more than its tolerance.
static int stands_still(const trm_run *run, double steps, double h)
{
    for (int i = 0; i < run->system->nq; i++) {
        const double may = run->options.atol + run->options.rtol * run->extent.q[i];
        if (!(fabs(run->now.dz[i]) * steps * h <= may)) {
            return 0;
        }
    }
    return 1;
}

enum { PATIENCE = 100000 }; // steps in a row

int trm_run_is_zeno(const trm_run *run, double t_limit, double h, int *tiny)
{
    const double left = t_limit - run->now.t;
    const int is_tiny =
        isfinite(t_limit) &&
        (h < 1e-9 * left || (h < 0.1 / PATIENCE * left && stands_still(run, PATIENCE, h)));
    *tiny = is_tiny ? *tiny + 1 : 0;
    return *tiny > PATIENCE;
}

double trm_run_finite_step(const trm_run *run)
{
    const double longest = DBL_MAX / 4; // twice that is finite
    return run->h_next > longest ? longest : run->h_next;
}

trm_try trm_run_plan(const trm_run *run, double t_limit, double wanted, double stretch)
{
    const double left = t_limit - run->now.t;
    const int last = left <= wanted * stretch;
    const double h = last ? left : wanted;
    return (trm_try){.t_next = last ? t_limit : run->now.t + h, .h = h, .last = last};
}

double trm_run_little_while(const trm_run *run)
{
    const double left = run->t_limit - run->now.t;
    return sqrt(DBL_EPSILON) * (left > 0 && isfinite(left) ? left : 1);
}

/// s. At t = 0 nothing rounds, and 1e-3 s ends the tries; only runs of 1e-15 s need shorter ones.
static double shortest(const trm_run *run)
{
    return 16 * DBL_EPSILON * fmax(fabs(run->now.t), 1e-3);
}

int trm_run_is_resolved(const trm_run *run, const trm_try *planned)
{
    return (planned->last && planned->h > 0) || planned->h >= shortest(run);
}

trm_status trm_run_makes_headway(trm_run *run, double t_limit, double h, int *tiny, trm_error *err)
{
    return trm_run_is_zeno(run, t_limit, h, tiny)
               ? trm_run_fail_zeno(run, t_limit, h,
                                   " (too stiff for an explicit method, or locked)", err)
               : TRM_OK;
}

trm_status trm_run_fail_try(trm_run *run, int code, trm_error *err)
{
    return code < 0 || (code && run->system->failed) ? trm_run_fail_code(run, code, err)
                                                     : trm_run_fail_step_size(run, err);
}

int trm_run_is_adaptive(const trm_run *run)
{
    const trm_method *method = run->pair;
    return method && method->adaptive;
}

void trm_run_name_row(const trm_run *run, int row, char *out, size_t size)
{
    const trm_row_info *info = &run->row_info[row];
    const int constraint = strstr(info->where, "/constraints/") != NULL;
    snprintf(out, size, "%s '%.63s'", constraint ? "constraint" : "joint", info->name);
}

static void name_method(const trm_run *run, char *out, size_t size)
{
    const trm_method *method = run->pair;
    if (method) {
        snprintf(out, size, "method '%s' with '%s'", method->integrator_name,
                 method->stabilization_name);
    }
}

/// The place of an error without a weak row: the row with the largest gap, or the method.
static void name_place(const trm_run *run, char *out, size_t size)
{
    const double *g = run->system->g;
    int worst = -1;
    double most = TRM_ACCURACY_DEFAULT_GOOD;
    for (int i = 0; g && run->row_info && i < run->system->nc; i++) {
        const double gap = isnan(g[i]) ? INFINITY : fabs(g[i]) / run->extent.g[i];
        if (gap > most) {
            worst = i;
            most = gap;
        }
    }
    if (worst >= 0) {
        trm_run_name_row(run, worst, out, size);
    } else {
        name_method(run, out, size);
    }
}

trm_status trm_run_fail(const trm_run *run, trm_status status, const char *what, trm_error *err)
{
    char where[80] = "";
    char weak[160] = "";
    if (run->weak_row >= 0) {
        trm_run_name_row(run, run->weak_row, where, sizeof where);
        snprintf(weak, sizeof weak,
                 "; the mechanism may be locked: %s is nearly singular (sigma %.1e)", where,
                 run->weak_sigma);
    } else {
        name_place(run, where, sizeof where);
    }
    status = TRM_FAIL(err, status, where, "%sat t = %.6g s: %s%s",
                      run->stats.steps > 0 ? "stopped " : "", run->now.t, what, weak);
    return trm_at_time(err, run->now.t, status);
}

/// In sizes of the mechanism, or rad, per second.
static double fastest(const trm_run *run)
{
    double most = 0;
    for (int i = 0; i < run->system->nq; i++) {
        most = fmax(fabs(run->now.dz[i]) / run->extent.q[i], most);
    }
    return most;
}

trm_status trm_run_fail_zeno(trm_run *run, double t_limit, double h, const char *why,
                             trm_error *err)
{
    char what[200];
    if (PATIENCE * h * fastest(run) >= 1) {
        snprintf(what, sizeof what,
                 "the end at %g s is too far: %.1e steps of %.2g s away, as long as the motion "
                 "allows",
                 t_limit, (t_limit - run->now.t) / h, h);
    } else {
        run->step_vanished = 1;
        snprintf(what, sizeof what, "%d steps in a row made no headway%s", PATIENCE, why);
    }
    return trm_run_fail(run, TRM_ERR_DIVERGED, what, err);
}

trm_status trm_run_fail_step_size(trm_run *run, trm_error *err)
{
    run->step_vanished = 1;
    const double finest = DBL_EPSILON * trm_max_norm(run->n - 1, run->now.z);
    const double asked =
        run->options.atol + run->options.rtol * trm_max_norm(run->n - 1, run->now.z);
    const double rate = fastest(run);
    char why[100] = "";
    if (asked < finest) {
        snprintf(why, sizeof why, ": rtol and atol ask for more than double precision holds");
    } else if (rate * shortest(run) > 1) {
        snprintf(why, sizeof why, ": a body moves by %.1e of its size, or rad, per second", rate);
    }
    char what[140];
    snprintf(what, sizeof what, "the step size went to zero%s", why);
    return trm_run_fail(run, TRM_ERR_DIVERGED, what, err);
}

/// A function that fails for an absurd state is not to blame: a fixed step outside its region of
/// stability makes the state grow until it overflows, and so does a force of 1e100 N.
static trm_status fail_overgrown(const trm_run *run, double state, double rate, trm_error *err)
{
    char where[80] = "";
    const char *const stopped = run->stats.steps > 0 ? "stopped " : "";
    name_method(run, where, sizeof where);
    const trm_status status =
        state > 0
            ? TRM_FAIL(
                  err, TRM_ERR_DIVERGED, where,
                  "%sat t = %.6g s: the state has grown to %.1e; the step of %g s is too large",
                  stopped, run->now.t, state, run->options.h)
            : TRM_FAIL(
                  err, TRM_ERR_DIVERGED, where,
                  "%sat t = %.6g s: the accelerations reach %.1e; a force or an input is beyond "
                  "what a step can follow",
                  stopped, run->now.t, rate);
    return trm_at_time(err, run->now.t, status);
}

trm_status trm_run_fail_code(const trm_run *run, int code, trm_error *err)
{
    static const double overgrown = 1e8; // within a step
    static const double absurd = 1e30;   // per second, however small the steps
    const char *name = run->system->failed;
    const int fixed = !trm_run_is_adaptive(run);
    const double state = fixed ? trm_max_norm(run->n - 1, run->now.z) : 0;
    const double rate = trm_max_norm(run->n - 1, run->now.dz);
    if (name &&
        (state > overgrown || rate > absurd || (fixed && rate * run->options.h > overgrown))) {
        return fail_overgrown(run, state > overgrown ? state : 0, rate, err);
    }
    if (name) {
        return trm_terms_fail(run->system, "in the step after", run->now.t, code, err);
    }
    return trm_run_fail(run, TRM_ERR_SINGULAR, "the constraints cannot be solved for", err);
}
