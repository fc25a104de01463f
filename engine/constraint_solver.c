#include "engine/constraint_solver.h"
#include "engine/block_ldl.h"
#include "engine/loops.h"
#include "engine/pair.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

void trm_solver_layout(trm_solver *solver, const trm_pattern *pattern, double delta,
                       trm_arena *arena)
{
    solver->pattern = pattern;
    solver->n = pattern->n;
    solver->values = pattern->values;
    solver->delta = delta;
    solver->damped = 0;
    solver->corner = 0;
    solver->again = 0;
    solver->ratio_min[0] = 0;
    solver->ratio_min[1] = 0;
    solver->S = trm_arena_doubles(arena, pattern->values);
    solver->kept = trm_arena_doubles(arena, delta > 0 ? pattern->values : 0);
    solver->pivot = trm_arena_doubles(arena, pattern->n);
    solver->inverse_pivot = trm_arena_doubles(arena, pattern->n);
    solver->ratio = trm_arena_doubles(arena, pattern->n);
    solver->idle = trm_arena_doubles(arena, pattern->n);
    solver->slack = trm_arena_doubles(arena, pattern->n);
    solver->nidle = 0;
    solver->D[0] = trm_arena_doubles(arena, pattern->n);
    solver->D[1] = trm_arena_doubles(arena, pattern->n);
    solver->inverse_D[0] = trm_arena_doubles(arena, pattern->n);
    solver->inverse_D[1] = trm_arena_doubles(arena, pattern->n);
    solver->work = trm_arena_doubles(arena, 2 * pattern->n);
}

void trm_solver_reset(trm_solver *solver)
{
    memset(solver->D[0], 0, (size_t)solver->n * sizeof(double));
    memset(solver->D[1], 0, (size_t)solver->n * sizeof(double));
    memset(solver->idle, 0, (size_t)solver->n * sizeof(double));
    memset(solver->slack, 0, (size_t)solver->n * sizeof(double));
    solver->nidle = 0;
    solver->refines = 0;
    solver->damped = 0;
    solver->corner = 0;
    solver->again = 0;
    for (int which = 0; which < 2; which++) {
        solver->ratio_min[which] = 0;
        solver->ratio_best[which] = 0;
        solver->in_it[which] = 0;
    }
}

/// x[n] by row of g -> out[n] in elimination order. The rows of a block are neighbours in both.
static void sort(const trm_pattern *p, const double *x, double *out)
{
    if (p->pairs) {
        for (int i = 0; i < p->n; i += 2) {
            trm_pair_store(trm_pair_load(x + p->row_of[i]), out + i);
        }
        return;
    }
    for (int i = 0; i < p->n; i++) {
        out[i] = x[p->row_of[i]];
    }
}

/// And back.
static void unsort(const trm_pattern *p, const double *x, double *out)
{
    if (p->pairs) {
        for (int i = 0; i < p->n; i += 2) {
            trm_pair_store(trm_pair_load(x + i), out + p->row_of[i]);
        }
        return;
    }
    for (int i = 0; i < p->n; i++) {
        out[p->row_of[i]] = x[i];
    }
}

void trm_solver_set_idle(trm_solver *solver, int row, int idle)
{
    const double slack = 1; // relative to D
    solver->nidle += idle - (solver->idle[row] > 0);
    solver->idle[row] = idle ? slack : 0;
    sort(solver->pattern, solver->idle, solver->slack);
    solver->ratio_min[0] = 0; // of another matrix
    solver->ratio_min[1] = 0;
}

/// A row that is nothing but roundoff has no scale of its own: the least D, against the largest.
static const double least = 1e-12;

/// 1/D, no entry of D next to nothing.
static void invert_scale(const trm_solver *solver, int which)
{
    double *D = solver->D[which];
    double largest = 0;
    for (int i = 0; i < solver->n; i++) {
        largest = D[i] > largest ? D[i] : largest;
    }
    for (int i = 0; i < solver->n; i++) {
        D[i] = D[i] > least * largest ? D[i] : least * largest;
        solver->inverse_D[which][i] = D[i] > 0 ? 1 / D[i] : 0;
    }
}

void trm_solver_remember(const trm_solver *solver, trm_solver_memory *memory)
{
    for (int which = 0; which < 2; which++) {
        memcpy(memory->D[which], solver->D[which], (size_t)solver->n * sizeof(double));
        memory->ratio_min[which] = solver->ratio_min[which];
        memory->ratio_best[which] = solver->ratio_best[which];
        memory->in_it[which] = solver->in_it[which];
    }
}

void trm_solver_recall(trm_solver *solver, const trm_solver_memory *memory)
{
    for (int which = 0; which < 2; which++) {
        memcpy(solver->D[which], memory->D[which], (size_t)solver->n * sizeof(double));
        invert_scale(solver, which);
        solver->ratio_min[which] = memory->ratio_min[which];
        solver->ratio_best[which] = memory->ratio_best[which];
        solver->in_it[which] = memory->in_it[which];
    }
}

void trm_solver_clear(trm_solver *solver)
{
    memset(solver->S, 0, (size_t)solver->values * sizeof(double));
}

// ---------------------------------------------------------------------------- the factorization

/// Whether a diagonal entry of S is larger than its D.
static int exceeds(const trm_pattern *p, const double *S, const double *D)
{
    int larger = 0;
    if (p->pairs) {
        trm_pair_truth in_pairs = {0, 0};
        for (int i = 0; i < p->n; i += 2) {
            const double *block = S + p->pivot[i];
            in_pairs |= (trm_pair){block[0], block[3]} > trm_pair_load(D + i);
        }
        return (in_pairs[0] | in_pairs[1]) != 0;
    }
    for (int i = 0; i < p->n; i++) {
        larger |= S[p->pivot[i]] > D[i];
    }
    return larger;
}

/// D_i := the largest S_ii so far, of the matrix that stands in S. Most matrices leave D as it is.
static void update_scale(const trm_solver *solver, int which)
{
    const trm_pattern *p = solver->pattern;
    double *D = solver->D[which];
    if (!exceeds(p, solver->S, D)) {
        return;
    }
    for (int i = 0; i < solver->n; i++) {
        const double diagonal = solver->S[p->pivot[i]];
        const int larger =
            diagonal > D[i] && diagonal <= DBL_MAX; // overflow would spoil the whole run
        D[i] = larger ? diagonal : D[i];
    }
    invert_scale(solver, which);
}

/// S := S + damping D, and the slack of idle rows.
static void damp(trm_solver *solver, double damping, const double *D)
{
    const trm_pattern *p = solver->pattern;
    for (int i = 0; i < solver->n; i++) {
        solver->S[p->pivot[i]] += (damping + solver->slack[i]) * D[i];
    }
}

/// Whether 1/d[n] is positive and finite.
TRM_WIDE static int is_definite(int n, const double *restrict inverse_pivot)
{
    int64_t definite = 1; // as wide as a double, for the sake of vectors
    for (int i = 0; i < n; i++) {
        definite &= (inverse_pivot[i] > 0) & (inverse_pivot[i] <= DBL_MAX);
    }
    return definite != 0;
}

/// x[n] := x/D - damping without the slack of idle rows. Returns the smallest.
TRM_WIDE static double compare(int n, const double *inverse_D, const double *slack, double damping,
                               double *x)
{
    trm_pair of_pairs = {INFINITY, INFINITY};
    int i = 0;
    for (; i + 2 <= n; i += 2) {
        const trm_pair scaled = trm_pair_load(x + i) * trm_pair_load(inverse_D + i);
        const trm_pair ratio = (scaled - damping) - trm_pair_load(slack + i);
        trm_pair_store(ratio, x + i);
        of_pairs = trm_pair_smaller(ratio, of_pairs);
    }
    double smallest = of_pairs[0] < of_pairs[1] ? of_pairs[0] : of_pairs[1];
    if (i < n) {
        x[i] = (x[i] * inverse_D[i] - damping) - slack[i];
        smallest = x[i] < smallest ? x[i] : smallest;
    }
    return smallest;
}

/// The ratios of the last factorization, in the order of g. Returns the smallest of rows that are not idle.
static double compare_pivots(trm_solver *solver, double damping, const double *inverse_D)
{
    double *ratio = solver->pivot; // d is not asked for again
    const double smallest = compare(solver->n, inverse_D, solver->slack, damping, ratio);
    unsort(solver->pattern, ratio, solver->ratio);
    if (solver->nidle == 0) {
        return smallest;
    }
    for (int i = 0; i < solver->n; i++) {
        ratio[i] = solver->slack[i] > 0 ? INFINITY : ratio[i];
    }
    return trm_smallest(solver->n, ratio, INFINITY);
}

/// A matrix is regular when its smallest ratio exceeds the first, and is tried without damping when
/// that of the last one exceeded the second. There the proximal step would change x by less than
/// (delta/ratio)^2, and it costs as much as the solve itself. Thin bars have small ratios everywhere: then
/// both are parts of the best one that was met.
static const double regular = 1e-3;
static const double surely_regular = 1e-2;
static const double regular_part = 1e-2;
static const double surely_regular_part = 1e-1;

/// With an x that is not NULL, the first half of its solve is done on the way.
static int factor(trm_solver *solver, const double *x)
{
    if (x) {
        sort(solver->pattern, x, solver->work);
    }
    trm_ldl_factor(solver->pattern, solver->S, solver->pivot, solver->inverse_pivot,
                   x ? solver->work : NULL);
    return !is_definite(solver->n, solver->inverse_pivot);
}

/// Damping adds its own size to the ratios, and its error is harmless only where they are larger than the
/// first times delta. A mechanism that comes near to a singular position, but not into it, turns there, and
/// needs its multipliers exactly: it is damped by a part of the ratio, not less than the roundoff of S. A row
/// whose ratio is then below `dependent` is in it; finer damping is given up until all ratios exceed
/// `apart` times delta again, always where rows are redundant everywhere.
static const double harmless = 1e6;
static const double share = 1e-6;
static const double least_damping = 1e-13;
static const double dependent = 0.01; // times delta
static const double apart = 100;

/// Factor what stands in S, with this damping.
static int factor_with(trm_solver *solver, int which, double damping, const double *x)
{
    if (damping > 0 || solver->nidle > 0) {
        damp(solver, damping, solver->D[which]);
    }
    const int code = factor(solver, x);
    solver->ratio_min[which] = compare_pivots(solver, damping, solver->inverse_D[which]);
    return code;
}

/// Factor what is kept, with this damping.
static int factor_again(trm_solver *solver, int which, double damping, const double *x)
{
    memcpy(solver->S, solver->kept, (size_t)solver->values * sizeof(double));
    return factor_with(solver, which, damping, x);
}

/// After a factorization with delta, of that code: a better one where that is possible.
static int refine(trm_solver *solver, int which, int code, const double *x)
{
    const double delta = solver->delta;
    const double ratio = solver->ratio_min[which];
    solver->in_it[which] &= ratio < apart * delta;
    if (!solver->refines || solver->in_it[which] || !(ratio < harmless * delta)) {
        return code;
    }
    const int finer = factor_again(solver, which, fmax(share * ratio, least_damping), x);
    solver->in_it[which] = finer || !(solver->ratio_min[which] > dependent * delta);
    solver->corner = !solver->in_it[which];
    return solver->in_it[which] ? factor_again(solver, which, delta, x) : finer;
}

static int factor_damped(trm_solver *solver, int which, const double *x)
{
    update_scale(solver, which);
    const double best = solver->ratio_best[which];
    const double sure = fmin(surely_regular, surely_regular_part * best);
    solver->damped = solver->again || !(solver->ratio_min[which] > sure);
    solver->corner = 0;
    if (solver->damped) {
        memcpy(solver->kept, solver->S, (size_t)solver->values * sizeof(double));
    }
    int code = factor_with(solver, which, solver->damped ? solver->delta : 0, x);
    const double enough = fmin(regular, regular_part * best);
    solver->again = !solver->damped && (code || !(solver->ratio_min[which] > enough));
    solver->ratio_best[which] = fmax(best, solver->ratio_min[which]);
    if (solver->damped) {
        code = refine(solver, which, code, x);
    }
    return solver->again ? TRM_SOLVER_AGAIN : code;
}

// ------------------------------------------------------------------------------------ the solve

/// x := S^+ x, the work of trm_ldl_forward done.
static void finish_solve(const trm_solver *solver, double *x)
{
    const trm_pattern *p = solver->pattern;
    double *x0 = solver->work;
    trm_ldl_backward(p, solver->S, x0); // x_0 = (S + delta D)^-1 r
    if (solver->damped) {
        double *r = solver->work + solver->n;
        sort(p, x, r);
        trm_blocks_subtract(p, solver->kept, x0, r); // r - S x_0
        trm_ldl_forward(p, solver->S, solver->inverse_pivot, r);
        trm_ldl_backward(p, solver->S, r);
        for (int i = 0; i < solver->n; i++) {
            x0[i] += r[i];
        }
    }
    unsort(p, x0, x);
}

int trm_solver_factor(trm_solver *solver, int which, double *x)
{
    const int code = solver->delta > 0 ? factor_damped(solver, which, x) : factor(solver, x);
    if (x && !code) {
        finish_solve(solver, x);
    }
    return code;
}

void trm_solver_solve(const trm_solver *solver, double *x)
{
    sort(solver->pattern, x, solver->work);
    trm_ldl_forward(solver->pattern, solver->S, solver->inverse_pivot, solver->work);
    finish_solve(solver, x);
}

/// y = L^-T e_k is that combination: y^T S y = d_k, and y^T D y = 1 after scaling, so that
/// d_k / (y^T D y) bounds the smallest eigenvalue of D^-1/2 S D^-1/2 from above, and equals it to
/// first order where it vanishes.
void trm_solver_dependence(const trm_solver *solver, int which, int row, double *y, double *sigma)
{
    const trm_pattern *p = solver->pattern;
    const double *D = solver->D[which];
    double *x = solver->work;
    int at = 0;
    for (int i = 0; i < solver->n; i++) {
        x[i] = p->row_of[i] == row;
        at = p->row_of[i] == row ? i : at;
    }
    trm_ldl_backward(p, solver->S, x);
    double length = 0;
    for (int i = 0; i < solver->n; i++) {
        length += D[i] * x[i] * x[i];
    }
    for (int i = 0; i < solver->n; i++) {
        y[p->row_of[i]] = x[i] * sqrt(D[i] / length);
    }
    const double ratio = solver->ratio[row];
    *sigma = ratio > 0 ? sqrt(ratio * D[at] / length) : 0;
}
