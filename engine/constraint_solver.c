#include "engine/constraint_solver.h"
#include "engine/block_ldl.h"
#include "engine/loops.h"
#include "engine/pair.h"
#include "engine/pair_ldl.h"
#include "engine/quad.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

void trm_solver_layout(trm_solver *solver, const trm_pattern *pattern, double delta,
                       trm_arena *arena)
{
    const int room = (pattern->n + 3) / 4 * 4; // for the pivots to be judged four at a time
    solver->pattern = pattern;
    solver->n = pattern->rows;
    solver->values = pattern->values;
    solver->delta = delta;
    solver->damped = 0;
    solver->corner = 0;
    solver->again = 0;
    solver->ratio_min[0] = 0;
    solver->ratio_min[1] = 0;
    solver->S = trm_arena_doubles(arena, pattern->values);
    solver->kept = trm_arena_doubles(arena, delta > 0 ? pattern->values : 0);
    solver->pivot = trm_arena_doubles(arena, room);
    solver->inverse_pivot = trm_arena_doubles(arena, room);
    solver->ratio = trm_arena_doubles(arena, room);
    solver->idle = trm_arena_doubles(arena, pattern->rows);
    solver->slack = trm_arena_doubles(arena, room);
    solver->idle_row = trm_arena_ints(arena, pattern->rows);
    solver->nidle = 0;
    solver->D[0] = trm_arena_doubles(arena, pattern->n);
    solver->D[1] = trm_arena_doubles(arena, pattern->n);
    solver->inverse_D[0] = trm_arena_doubles(arena, room);
    solver->inverse_D[1] = trm_arena_doubles(arena, room);
    solver->work = trm_arena_doubles(arena, pattern->n + room);
    for (int i = pattern->n; i < room && arena->base; i++) {
        solver->pivot[i] = solver->inverse_pivot[i] = 1;
        solver->inverse_D[0][i] = solver->inverse_D[1][i] = 1;
    }
}

void trm_solver_reset(trm_solver *solver)
{
    const size_t bytes = (size_t)solver->pattern->n * sizeof(double);
    memset(solver->D[0], 0, bytes);
    memset(solver->D[1], 0, bytes);
    memset(solver->idle, 0, (size_t)solver->n * sizeof(double));
    memset(solver->slack, 0, bytes);
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

/// x by row of g -> out by row of S.
static void fill(const trm_pattern *p, const double *x, double *out)
{
    if (p->n == p->rows && p->n > 0) {
        memcpy(out, x, (size_t)p->n * sizeof(double));
        return;
    }
    for (int row = 0; row < p->rows; row++) {
        out[p->place_of[row]] = x[row];
    }
    for (int k = 0; k < p->n - p->rows; k++) {
        out[p->filler[k]] = 0;
    }
}

/// And back.
static void drop_fillers(const trm_pattern *p, const double *x, double *out)
{
    if (p->n == p->rows && p->n > 0) {
        memcpy(out, x, (size_t)p->n * sizeof(double));
        return;
    }
    for (int row = 0; row < p->rows; row++) {
        out[row] = x[p->place_of[row]];
    }
}

void trm_solver_set_idle(trm_solver *solver, int row, int idle)
{
    const double slack = 1; // relative to D
    solver->idle[row] = idle ? slack : 0;
    solver->nidle = 0;
    for (int i = 0; i < solver->n; i++) {
        if (solver->idle[i] > 0) {
            solver->idle_row[solver->nidle++] = i;
        }
    }
    fill(solver->pattern, solver->idle, solver->slack);
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
    for (int i = 0; i < solver->pattern->n; i++) {
        largest = D[i] > largest ? D[i] : largest;
    }
    for (int i = 0; i < solver->pattern->n; i++) {
        D[i] = D[i] > least * largest ? D[i] : least * largest;
        solver->inverse_D[which][i] = D[i] > 0 ? 1 / D[i] : 0;
    }
}

void trm_solver_remember(const trm_solver *solver, trm_solver_memory *memory)
{
    for (int which = 0; which < 2; which++) {
        memcpy(memory->D[which], solver->D[which], (size_t)solver->pattern->n * sizeof(double));
        memory->ratio_min[which] = solver->ratio_min[which];
        memory->ratio_best[which] = solver->ratio_best[which];
        memory->in_it[which] = solver->in_it[which];
    }
}

void trm_solver_recall(trm_solver *solver, const trm_solver_memory *memory)
{
    for (int which = 0; which < 2; which++) {
        memcpy(solver->D[which], memory->D[which], (size_t)solver->pattern->n * sizeof(double));
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
    trm_pair_truth pairs = {0, 0};
    int larger = 0;
    for (int k = 0; k < p->nblocks && p->pairs; k++) {
        const double *block = S + p->pairs[k].values;
        pairs |= (trm_pair){block[0], block[3]} > trm_pair_load(D + p->pairs[k].first);
    }
    for (int i = 0; i + 2 <= p->n && !p->pairs; i += 2) {
        pairs |= (trm_pair){S[p->pivot[i]], S[p->pivot[i + 1]]} > trm_pair_load(D + i);
    }
    if (p->n % 2) {
        larger = S[p->pivot[p->n - 1]] > D[p->n - 1];
    }
    return larger || (pairs[0] | pairs[1]) != 0;
}

/// D_i := the largest S_ii so far, of the matrix that stands in S. Most matrices leave D as it is.
static void update_scale(const trm_solver *solver, int which)
{
    const trm_pattern *p = solver->pattern;
    double *D = solver->D[which];
    if (!exceeds(p, solver->S, D)) {
        return;
    }
    for (int i = 0; i < p->n; i++) {
        const double diagonal = solver->S[p->pivot[i]];
        const int larger =
            diagonal > D[i] && diagonal <= DBL_MAX; // overflow would spoil the whole run
        D[i] = larger ? diagonal : D[i];
    }
    invert_scale(solver, which);
}

/// The diagonal entries of fillers, which nobody has written: as large as their D.
static void write_fillers(const trm_solver *solver, const double *D)
{
    const trm_pattern *p = solver->pattern;
    for (int k = 0; k < p->n - p->rows; k++) {
        const int i = p->filler[k];
        solver->S[p->pivot[i]] = D[i] > 0 ? D[i] : 1;
    }
}

/// S := S + damping D.
static void damp(trm_solver *solver, double damping, const double *D)
{
    const trm_pattern *p = solver->pattern;
    for (int i = 0; i < p->n; i++) {
        solver->S[p->pivot[i]] += damping * D[i];
    }
}

/// The slack of idle rows.
static void loosen(trm_solver *solver, const double *D)
{
    const trm_pattern *p = solver->pattern;
    for (int k = 0; k < solver->nidle; k++) {
        const int i = p->place_of[solver->idle_row[k]];
        solver->S[p->pivot[i]] += solver->slack[i] * D[i];
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

/// ratio[n] = d/D - damping without the slack of idle rows; *smallest of them. Returns whether all 1/d are
/// positive and finite. Four at once, those behind the last one too (see trm_solver_layout).
TRM_WIDE static int compare(int n, const trm_solver *solver, const double *inverse_D,
                            double damping, double *ratio, double *smallest)
{
    const double *d = solver->pivot, *inverse = solver->inverse_pivot, *slack = solver->slack;
    trm_quad least_of = {INFINITY, INFINITY, INFINITY, INFINITY};
    trm_quad_truth definite = {-1, -1, -1, -1};
    for (int i = 0; i < n; i += 4) {
        const trm_quad scaled = *trm_quad_at(d + i) * *trm_quad_at(inverse_D + i);
        const trm_quad own = (scaled - damping) - *trm_quad_at(slack + i);
        const trm_quad inverses = *trm_quad_at(inverse + i);
        const trm_quad_truth less = own < least_of;
        *trm_quad_to(ratio + i) = own;
        least_of = (trm_quad)((less & (trm_quad_truth)own) | (~less & (trm_quad_truth)least_of));
        definite &= (inverses > 0) & (inverses <= DBL_MAX);
    }
    *smallest =
        trm_lesser(trm_lesser(least_of[0], least_of[1]), trm_lesser(least_of[2], least_of[3]));
    return (definite[0] & definite[1] & definite[2] & definite[3]) != 0;
}

/// The smallest ratio of the rows between idle ones.
static double smallest_at_work(const trm_solver *solver)
{
    double smallest = INFINITY;
    int from = 0;
    for (int k = 0; k <= solver->nidle; k++) {
        const int to = k < solver->nidle ? solver->idle_row[k] : solver->n;
        smallest = trm_smallest(to - from, solver->ratio + from, smallest);
        from = to + 1;
    }
    return smallest;
}

/// Judge the last factorization: its ratios, and the smallest of rows that are not idle. Returns nonzero when a
/// pivot is not positive and finite.
static int judge(trm_solver *solver, int which, double damping)
{
    const trm_pattern *p = solver->pattern;
    const int fillers = p->n > p->rows;
    double *ratio = fillers ? solver->work + p->n : solver->ratio;
    double *smallest = &solver->ratio_min[which];
    const int definite = compare(p->n, solver, solver->inverse_D[which], damping, ratio, smallest);
    if (fillers) {
        drop_fillers(p, ratio, solver->ratio);
    }
    if (solver->nidle > 0) {
        *smallest = smallest_at_work(solver);
    }
    return !definite;
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
static void factor(trm_solver *solver, const double *x)
{
    if (x) {
        fill(solver->pattern, x, solver->work);
    }
    trm_ldl_factor(solver->pattern, solver->S, solver->pivot, solver->inverse_pivot,
                   x ? solver->work : NULL);
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
    if (damping > 0) {
        damp(solver, damping, solver->D[which]);
    }
    loosen(solver, solver->D[which]);
    factor(solver, x);
    return judge(solver, which, damping);
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
    write_fillers(solver, solver->D[which]);
    const double best = solver->ratio_best[which];
    const double sure = trm_lesser(surely_regular, surely_regular_part * best);
    solver->damped = solver->again || !(solver->ratio_min[which] > sure);
    solver->corner = 0;
    if (solver->damped) {
        memcpy(solver->kept, solver->S, (size_t)solver->values * sizeof(double));
    }
    int code = factor_with(solver, which, solver->damped ? solver->delta : 0, x);
    const double enough = trm_lesser(regular, regular_part * best);
    solver->again = !solver->damped && (code || !(solver->ratio_min[which] > enough));
    solver->ratio_best[which] = trm_larger(solver->ratio_min[which], best);
    if (solver->damped) {
        code = refine(solver, which, code, x);
    }
    return solver->again ? TRM_SOLVER_AGAIN : code;
}

/// S is regular.
static int factor_plain(trm_solver *solver, int which, const double *x)
{
    write_fillers(solver, solver->D[which]);
    factor(solver, x);
    return !is_definite(solver->pattern->n, solver->inverse_pivot);
}

// ------------------------------------------------------------------------------------ the solve

/// x := S^+ x, the work of trm_ldl_forward done.
static void finish_solve(const trm_solver *solver, double *x)
{
    const trm_pattern *p = solver->pattern;
    double *x0 = solver->work;
    trm_ldl_backward(p, solver->S, x0); // x_0 = (S + delta D)^-1 r
    if (solver->damped) {
        double *r = solver->work + p->n;
        fill(p, x, r);
        trm_blocks_subtract(p, solver->kept, x0, r); // r - S x_0
        trm_ldl_forward(p, solver->S, solver->inverse_pivot, r);
        trm_ldl_backward(p, solver->S, r);
        for (int i = 0; i < p->n; i++) {
            x0[i] += r[i];
        }
    }
    drop_fillers(p, x0, x);
}

int trm_solver_factor(trm_solver *solver, int which, double *x)
{
    const int code =
        solver->delta > 0 ? factor_damped(solver, which, x) : factor_plain(solver, which, x);
    if (x && !code) {
        finish_solve(solver, x);
    }
    return code;
}

void trm_solver_solve(const trm_solver *solver, double *x)
{
    fill(solver->pattern, x, solver->work);
    trm_ldl_forward(solver->pattern, solver->S, solver->inverse_pivot, solver->work);
    finish_solve(solver, x);
}

void trm_solver_solve_two(const trm_solver *solver, double *x, double *y)
{
    const trm_pattern *p = solver->pattern;
    double *x0 = solver->work, *y0 = solver->work + p->n;
    if (solver->damped || !p->pairs) {
        trm_solver_solve(solver, x);
        trm_solver_solve(solver, y);
        return;
    }
    fill(p, x, x0);
    fill(p, y, y0);
    trm_pairs_solve_two(p, solver->S, solver->inverse_pivot, x0, y0);
    drop_fillers(p, x0, x);
    drop_fillers(p, y0, y);
}

/// y = L^-T e_k is that combination: y^T S y = d_k, and y^T D y = 1 after scaling, so that
/// d_k / (y^T D y) bounds the smallest eigenvalue of D^-1/2 S D^-1/2 from above, and equals it to
/// first order where it vanishes.
void trm_solver_dependence(const trm_solver *solver, int which, int row, double *y, double *sigma)
{
    const trm_pattern *p = solver->pattern;
    const double *D = solver->D[which];
    double *x = solver->work;
    const int at = p->place_of[row];
    memset(x, 0, (size_t)p->n * sizeof(double));
    x[at] = 1;
    trm_ldl_backward(p, solver->S, x);
    double length = 0;
    for (int i = 0; i < p->n; i++) {
        length += D[i] * x[i] * x[i];
    }
    for (int r = 0; r < solver->n; r++) {
        const int i = p->place_of[r];
        y[r] = x[i] * sqrt(D[i] / length);
    }
    const double ratio = solver->ratio[row];
    *sigma = ratio > 0 ? sqrt(ratio * D[at] / length) : 0;
}
