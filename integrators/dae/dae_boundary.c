/// Sequential regularization of a linear boundary value problem by the midpoint (box) scheme
/// [AL93 section 4.1], E = (GB)^-1 or as chosen; m = i - 1/2, in our sign of y:
///
///     (x_i - x_{i-1})/h = A_m x_m + q_m - (By_s)_m,    x_m = (x_i + x_{i-1})/2
///     (By_s)_m = (By_{s-1})_m + (1/epsilon) B_m E_m (C_m x_m + r_m)
///     B0 x_0 + B1 x_N = beta,    C_0 x_0 + r_0 = 0
///
/// With the second line put into the first, x' = J x + c at each midpoint:
///
///     (I - h J/2) x_i - (I + h J/2) x_{i-1} = h c.
///
/// With several points a step is condensed to x_i = S x_{i-1} + s (dae_collocation.c) first.
///
/// Boundary values couple x_0 with x_N, outside of any band; folded in the middle, in the order
/// x_0, x_N, x_1, x_{N-1}, .., the two points of every equation are neighbours: the matrix is a
/// band of 2 nx - 1 entries on each side of the diagonal.
#include "integrators/dae/dae_boundary.h"
#include "base/status.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------ folded order

/// The place of x_i among 0..N.
static int place_of_point(int N, int i)
{
    return 2 * i <= N ? 2 * i : 2 * (N - i) + 1;
}

/// The place of the equation of step i = 1..N, after the conditions at place 0.
static int place_of_step(int N, int i)
{
    const int from_end = 2 * (N - i + 1);
    return 2 * i <= N ? 2 * i - 1 : from_end < N ? from_end : N;
}

/// The places of a step's two points are at most one from its own, and so are those of x_0 and x_N
/// from the conditions'.
static int width_of(int nx)
{
    return 2 * nx - 1;
}

// ---------------------------------------------------------------------------------------- memory

static void layout(trm_dae_bvp *bvp, const trm_dae_problem *problem, const trm_dae_options *options,
                   const trm_dae_boundary *boundary, trm_arena *arena)
{
    trm_dae_law_layout(&bvp->law, problem, options, arena);
    const int nx = problem->nx;
    const int ny = problem->ny;
    const int N = boundary->steps;
    const int n = (N + 1) * nx;
    bvp->B0 = trm_arena_doubles(arena, (nx - ny) * nx);
    bvp->B1 = trm_arena_doubles(arena, (nx - ny) * nx);
    bvp->beta = trm_arena_doubles(arena, nx - ny);
    bvp->x = trm_arena_doubles(arena, n);
    bvp->x_next = trm_arena_doubles(arena, n);
    bvp->g = trm_arena_doubles(arena, (N + 1) * ny);
    bvp->g_next = trm_arena_doubles(arena, (N + 1) * ny);
    bvp->rule.k = boundary->npoints > 0 ? boundary->npoints : 1;
    bvp->midpoints = bvp->rule.k == 1 && boundary->points == TRM_DAE_POINTS_GAUSS;
    const int points = N * bvp->rule.k;
    bvp->reaction = trm_arena_doubles(arena, points * bvp->law.nr);
    bvp->reaction_next = trm_arena_doubles(arena, points * bvp->law.nr);
    bvp->By = trm_arena_doubles(arena, points * nx);
    bvp->By_next = trm_arena_doubles(arena, points * nx);
    trm_dae_collocation_layout(&bvp->rule, nx, arena);
    bvp->band = trm_band_of(n, width_of(nx));
    bvp->band.A = trm_arena_doubles(arena, trm_band_size(&bvp->band));
    bvp->band.exchanged = trm_arena_ints(arena, n);
    bvp->midpoint = trm_arena_doubles(arena, nx);
    bvp->dx = trm_arena_doubles(arena, nx);
    bvp->rows = trm_arena_doubles(arena, nx * (2 * nx + 1));
    bvp->taken = trm_arena_ints(arena, nx);
    bvp->last = trm_arena_doubles(arena, bvp->law.nr);
}

static void copy_boundary(trm_dae_bvp *bvp, const trm_dae_boundary *boundary)
{
    const trm_dae_problem *problem = &bvp->law.system.problem;
    const int rows = problem->nx - problem->ny;
    const size_t size = (size_t)(rows * problem->nx) * sizeof(double);
    bvp->N = boundary->steps;
    bvp->t0 = boundary->t0;
    bvp->h = (boundary->tf - boundary->t0) / boundary->steps;
    bvp->points = boundary->points;
    trm_dae_collocation_choose(&bvp->rule, bvp->points, bvp->rule.k);
    if (rows > 0) {
        memcpy(bvp->B0, boundary->B0, size);
        memcpy(bvp->B1, boundary->B1, size);
        memcpy(bvp->beta, boundary->beta, (size_t)rows * sizeof(double));
    }
}

static trm_status check(const trm_dae_problem *problem, const trm_dae_options *options,
                        const trm_dae_boundary *boundary, trm_error *err)
{
    char text[128];
    TRM_TRY(trm_dae_check_problem(problem, err));
    TRM_TRY(trm_dae_check_options(problem, options, err));
    if (problem->large) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, trm_dae_place(problem, NULL, text),
                        "boundary values form dense matrices: not for `large` problems");
    }
    if (!problem->linear) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, trm_dae_place(problem, NULL, text),
                        "boundary values are for problems with linear set");
    }
    if (options->method != TRM_DAE_METHOD_SRM && options->method != TRM_DAE_METHOD_SRM_SINGULAR) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "options",
                        "boundary values go with SRM and SRM_SINGULAR only");
    }
    if (!(boundary->tf > boundary->t0) || isinf(boundary->tf - boundary->t0) ||
        boundary->steps < 1) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "boundary",
                        "expected tf > t0 and steps >= 1, got %g, %g and %d", boundary->tf,
                        boundary->t0, boundary->steps);
    }
    if ((boundary->points != TRM_DAE_POINTS_GAUSS && boundary->points != TRM_DAE_POINTS_RADAU) ||
        boundary->npoints < 0 || boundary->npoints > TRM_DAE_MOST_POINTS) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "boundary",
                        "expected 1 to %d Gauss or Radau points, got %d", TRM_DAE_MOST_POINTS,
                        boundary->npoints);
    }
    const double entries = (double)problem->nx * (boundary->steps + 1.0) * (6.0 * problem->nx - 2);
    if (entries > INT_MAX) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "boundary",
                        "%d steps are too many: the band would have %.3g entries", boundary->steps,
                        entries);
    }
    if (problem->nx > problem->ny && (!boundary->B0 || !boundary->B1 || !boundary->beta)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "boundary", "B0, B1 or beta is missing");
    }
    return TRM_OK;
}

trm_status trm_dae_bvp_create(const trm_dae_problem *problem, const trm_dae_options *options,
                              const trm_dae_boundary *boundary, trm_dae_bvp **out, trm_error *err)
{
    TRM_CLEAR(out);
    if (!boundary || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, boundary ? "out" : "boundary",
                        "expected boundary values and a place for the solution, got NULL");
    }
    TRM_TRY(check(problem, options, boundary, err));
    trm_dae_bvp *bvp = calloc(1, sizeof *bvp);
    if (!bvp) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "no memory for a boundary value problem");
    }
    layout(bvp, problem, options, boundary, &bvp->arena);
    if (!trm_arena_open(&bvp->arena)) {
        free(bvp);
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "no memory for a boundary value problem");
    }
    layout(bvp, problem, options, boundary, &bvp->arena);
    copy_boundary(bvp, boundary);
    const trm_status status =
        trm_dae_check_functions(&bvp->law.system, bvp->t0, bvp->midpoint, err);
    if (status != TRM_OK) {
        trm_dae_bvp_destroy(bvp);
        return status;
    }
    *out = bvp;
    return TRM_OK;
}

void trm_dae_bvp_destroy(trm_dae_bvp *bvp)
{
    if (bvp) {
        trm_arena_close(&bvp->arena);
        free(bvp);
    }
}

// -------------------------------------------------------------------------------------- the system

static double time_of(const trm_dae_bvp *bvp, double i)
{
    return bvp->t0 + i * bvp->h;
}

/// Of point j of step i.
static double time_of_point(const trm_dae_bvp *bvp, int i, int j)
{
    return time_of(bvp, i - 1 + bvp->rule.c[j]);
}

/// The reaction of the iterate before at point j of step i; NULL: that of y_0.
static const double *before(const trm_dae_bvp *bvp, int i, int j)
{
    const int point = (i - 1) * bvp->rule.k + j;
    const double *iterate = bvp->solved ? bvp->reaction + point * bvp->law.nr : NULL;
    return bvp->constant ? bvp->constant : iterate;
}

trm_dae_code trm_dae_constraint_rows(trm_dae_bvp *bvp, int at_end)
{
    trm_dae_system *system = &bvp->law.system;
    const int nx = system->problem.nx;
    const int ny = system->problem.ny;
    const int length = 2 * nx + 1;
    memset(bvp->midpoint, 0, (size_t)nx * sizeof(double));
    const trm_dae_code code = trm_dae_at(system, time_of(bvp, at_end ? bvp->N : 0), bvp->midpoint,
                                         TRM_DAE_WITH_GAP | TRM_DAE_WITH_JACOBIAN);
    for (int k = 0; k < ny; k++) {
        double *row = bvp->rows + (nx - ny + k) * length;
        memset(row, 0, (size_t)length * sizeof(double));
        memcpy(row + (at_end ? nx : 0), system->G + k * nx, (size_t)nx * sizeof(double));
        row[2 * nx] = -system->g[k]; // g(0, t) = r
    }
    return code;
}

static void put_conditions(trm_dae_bvp *bvp, double *rhs)
{
    const int nx = bvp->law.system.problem.nx;
    const int end = place_of_point(bvp->N, bvp->N) * nx;
    for (int k = 0; k < nx; k++) {
        const double *row = bvp->rows + k * (2 * nx + 1);
        for (int j = 0; j < nx; j++) {
            *trm_band_at(&bvp->band, k, j) = row[j];
            *trm_band_at(&bvp->band, k, end + j) = row[nx + j];
        }
        rhs[k] = row[2 * nx];
    }
}

/// J and c at the points of step i, and the matrix of its slopes.
static trm_dae_code collocate(trm_dae_bvp *bvp, int i)
{
    trm_dae_code code = TRM_DAE_FINE;
    for (int j = 0; j < bvp->rule.k && !code; j++) {
        code = trm_dae_affine(&bvp->law, time_of_point(bvp, i, j), before(bvp, i, j));
        trm_dae_collocation_take(&bvp->rule, &bvp->law, j);
    }
    return code ? code : trm_dae_collocation_factor(&bvp->rule, bvp->law.nz, bvp->h);
}

/// x_i - S x_{i-1} = s
static trm_dae_code put_collocated(trm_dae_bvp *bvp, int i, double *rhs)
{
    const int nx = bvp->law.system.problem.nx;
    const int row = place_of_step(bvp->N, i) * nx;
    const int left = place_of_point(bvp->N, i - 1) * nx;
    const int right = place_of_point(bvp->N, i) * nx;
    const trm_dae_code code = collocate(bvp, i);
    if (code) {
        return code;
    }
    trm_dae_collocation_condense(&bvp->rule, nx, bvp->h);
    for (int k = 0; k < nx; k++) {
        for (int j = 0; j < nx; j++) {
            *trm_band_at(&bvp->band, row + k, left + j) = -bvp->rule.S[k * nx + j];
        }
        *trm_band_at(&bvp->band, row + k, right + k) = 1;
        rhs[row + k] = bvp->rule.s[k];
    }
    return TRM_DAE_FINE;
}

/// (I - h J/2) x_i - (I + h J/2) x_{i-1} = h c
static trm_dae_code put_midpoint(trm_dae_bvp *bvp, int i, double *rhs)
{
    const int nx = bvp->law.system.problem.nx;
    const double h = bvp->h;
    const int row = place_of_step(bvp->N, i) * nx;
    const int left = place_of_point(bvp->N, i - 1) * nx;
    const int right = place_of_point(bvp->N, i) * nx;
    const trm_dae_code code = trm_dae_affine(&bvp->law, time_of(bvp, i - 0.5), before(bvp, i, 0));
    for (int k = 0; k < nx && !code; k++) {
        for (int j = 0; j < nx; j++) {
            const double J = bvp->law.J[k * nx + j];
            *trm_band_at(&bvp->band, row + k, left + j) = -((k == j ? 1 : 0) + h / 2 * J);
            *trm_band_at(&bvp->band, row + k, right + j) = (k == j ? 1 : 0) - h / 2 * J;
        }
        rhs[row + k] = h * bvp->law.c[k];
    }
    return code;
}

/// x_next from the folded solution in x_next itself, by way of the band, which is no longer used.
static void unfold(trm_dae_bvp *bvp)
{
    const int nx = bvp->law.system.problem.nx;
    const size_t size = (size_t)nx * sizeof(double);
    memcpy(bvp->band.A, bvp->x_next, (size_t)(bvp->N + 1) * size);
    for (int i = 0; i <= bvp->N; i++) {
        memcpy(bvp->x_next + i * nx, bvp->band.A + place_of_point(bvp->N, i) * nx, size);
    }
}

static trm_dae_code solve(trm_dae_bvp *bvp)
{
    trm_band_clear(&bvp->band);
    put_conditions(bvp, bvp->x_next);
    for (int i = 1; i <= bvp->N; i++) {
        const trm_dae_code code = bvp->midpoints ? put_midpoint(bvp, i, bvp->x_next)
                                                 : put_collocated(bvp, i, bvp->x_next);
        if (code) {
            return code;
        }
    }
    if (trm_band_solve(&bvp->band, bvp->x_next)) {
        return TRM_DAE_SINGULAR;
    }
    unfold(bvp);
    return TRM_DAE_FINE;
}

/// The reaction at point j of step i, where x is bvp->midpoint, with its By.
static trm_dae_code renew_point(trm_dae_bvp *bvp, int i, int j)
{
    trm_dae_law *law = &bvp->law;
    const int nx = law->system.problem.nx;
    const int point = (i - 1) * bvp->rule.k + j;
    double *reaction = bvp->reaction_next + point * law->nr;
    double *By = bvp->By_next + point * nx;
    const trm_dae_code code = trm_dae_rates(law, time_of_point(bvp, i, j), bvp->midpoint,
                                            before(bvp, i, j), bvp->dx, reaction);
    if (law->form->carries_By) {
        memcpy(By, reaction, (size_t)nx * sizeof(double));
    } else {
        trm_dae_multiply_B(&law->system, reaction, By);
    }
    return code;
}

/// The reactions at all points.
static trm_dae_code renew(trm_dae_bvp *bvp)
{
    const int nx = bvp->law.system.problem.nx;
    trm_dae_code code = TRM_DAE_FINE;
    for (int i = 1; i <= bvp->N && !code; i++) {
        const double *x = bvp->x_next + i * nx;
        if (!bvp->midpoints) {
            code = collocate(bvp, i);
            trm_dae_collocation_slopes(&bvp->rule, nx, x - nx);
        }
        for (int j = 0; j < bvp->rule.k && !code; j++) {
            for (int k = 0; k < nx && bvp->midpoints; k++) {
                bvp->midpoint[k] = (x[k] + x[k - nx]) / 2;
            }
            if (!bvp->midpoints) {
                trm_dae_collocation_point(&bvp->rule, nx, bvp->h, x - nx, j, bvp->midpoint);
            }
            code = renew_point(bvp, i, j);
        }
    }
    return code;
}

static trm_dae_code measure(trm_dae_bvp *bvp)
{
    trm_dae_system *system = &bvp->law.system;
    const int nx = system->problem.nx;
    const int ny = system->problem.ny;
    trm_dae_code code = TRM_DAE_FINE;
    for (int i = 0; i <= bvp->N && !code; i++) {
        code = trm_dae_at(system, time_of(bvp, i), bvp->x_next + i * nx, TRM_DAE_WITH_GAP);
        memcpy(bvp->g_next + i * ny, system->g, (size_t)ny * sizeof(double));
    }
    return code;
}

static void exchange(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

trm_status trm_dae_box(trm_dae_bvp *bvp, trm_error *err)
{
    trm_dae_code code = solve(bvp);
    code = code ? code : renew(bvp);
    code = code ? code : measure(bvp);
    if (code) {
        return trm_dae_fail(&bvp->law.system, code, bvp->law.system.t, err);
    }
    exchange(&bvp->x, &bvp->x_next);
    exchange(&bvp->g, &bvp->g_next);
    exchange(&bvp->reaction, &bvp->reaction_next);
    exchange(&bvp->By, &bvp->By_next);
    bvp->constant = NULL;
    bvp->solved = 1;
    return TRM_OK;
}

trm_status trm_dae_check_bvp(const trm_dae_bvp *bvp, trm_error *err)
{
    return bvp ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_OPTIONS, "bvp",
                          "expected a boundary value problem, got NULL");
}

trm_status trm_dae_bvp_iterate(trm_dae_bvp *bvp, trm_error *err)
{
    TRM_TRY(trm_dae_check_bvp(bvp, err));
    const trm_dae_problem *problem = &bvp->law.system.problem;
    const int nx = problem->nx;
    for (int k = 0; k < nx - problem->ny; k++) {
        double *row = bvp->rows + k * (2 * nx + 1);
        memcpy(row, bvp->B0 + k * nx, (size_t)nx * sizeof(double));
        memcpy(row + nx, bvp->B1 + k * nx, (size_t)nx * sizeof(double));
        row[2 * nx] = bvp->beta[k];
    }
    const trm_dae_code code = trm_dae_constraint_rows(bvp, 0);
    if (code) {
        return trm_dae_fail(&bvp->law.system, code, bvp->t0, err);
    }
    return trm_dae_box(bvp, err);
}

// ----------------------------------------------------------------------------------------- access

double trm_dae_bvp_midpoint(const trm_dae_bvp *bvp, int i)
{
    return bvp ? time_of_point(bvp, i > 0 ? i : 1, bvp->rule.k - 1) : NAN;
}

trm_dae_state trm_dae_bvp_state(const trm_dae_bvp *bvp, int i)
{
    if (!bvp || !bvp->solved || i < 0 || i > bvp->N) {
        return (trm_dae_state){.t = NAN, .drift = NAN};
    }
    const trm_dae_law *law = &bvp->law;
    const int nx = law->system.problem.nx;
    const int ny = law->system.problem.ny;
    const int point = (i > 0 ? i : 1) * bvp->rule.k - 1;
    return (trm_dae_state){.t = time_of(bvp, i),
                           .x = bvp->x + i * nx,
                           .y = law->form->carries_By ? NULL : bvp->reaction + point * ny,
                           .By = bvp->By + point * nx,
                           .g = bvp->g + i * ny,
                           .drift = trm_dae_drift(ny, bvp->g + i * ny)};
}
