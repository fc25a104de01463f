/// Sequential regularization of a boundary value problem by the midpoint (box) scheme
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
/// Of a nonlinear problem J and c are those of Newton's method, near the x of its step before.
///
/// With several points a step is condensed to x_i = S x_{i-1} + s (collocation.c) first.
///
/// Boundary values couple x_0 with x_N, outside of any band; folded in the middle, in the order
/// x_0, x_N, x_1, x_{N-1}, .., the two points of every equation are neighbours: the matrix is a
/// band of 2 nx - 1 entries on each side of the diagonal.
#include "base/linear/sums.h"
#include "base/status.h"
#include "validation/papers/boundary/boundary_values.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
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
    TRM_ARENA_DOUBLES(arena, (nx - ny) * nx, &bvp->B0, &bvp->B1);
    bvp->beta = trm_arena_doubles(arena, nx - ny);
    TRM_ARENA_DOUBLES(arena, n, &bvp->x, &bvp->x_next);
    TRM_ARENA_DOUBLES(arena, (N + 1) * ny, &bvp->g, &bvp->g_next);
    bvp->rule.k = boundary->npoints > 0 ? boundary->npoints : 1;
    bvp->midpoints = bvp->rule.k == 1 && boundary->points == TRM_DAE_POINTS_GAUSS;
    const int points = N * bvp->rule.k;
    TRM_ARENA_DOUBLES(arena, points * bvp->law.nr, &bvp->reaction, &bvp->reaction_next);
    TRM_ARENA_DOUBLES(arena, points * nx, &bvp->By, &bvp->By_next);
    trm_dae_collocation_layout(&bvp->rule, nx, arena);
    bvp->band = trm_band_of(n, width_of(nx));
    bvp->band.A = trm_arena_doubles(arena, trm_band_size(&bvp->band));
    bvp->mesh = trm_arena_doubles(arena, N + 1);
    bvp->at = trm_arena_doubles(arena, points * nx);
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
    const double h = (boundary->tf - boundary->t0) / boundary->steps;
    for (int i = 0; i <= bvp->N; i++) {
        bvp->mesh[i] = boundary->mesh ? boundary->mesh[i] : boundary->t0 + i * h;
    }
    bvp->points = boundary->points;
    trm_dae_collocation_choose(&bvp->rule, bvp->points, bvp->rule.k);
    if (rows > 0) {
        memcpy(bvp->B0, boundary->B0, size);
        memcpy(bvp->B1, boundary->B1, size);
        memcpy(bvp->beta, boundary->beta, (size_t)rows * sizeof(double));
    }
}

static trm_status check(const trm_dae_problem *problem, const trm_dae_options *options,
                        trm_error *err)
{
    TRM_TRY(trm_dae_check_problem(problem, err));
    TRM_TRY(trm_dae_check_options(problem, options, err));
    const trm_dae_method method = options->method;
    return method == TRM_DAE_METHOD_SRM || method == TRM_DAE_METHOD_SRM_SINGULAR ||
                   method == TRM_DAE_METHOD_BAUMGARTE
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_OPTIONS, "options",
                          "boundary values go with SRM, SRM_SINGULAR and BAUMGARTE only");
}

/// x at mesh points, from which Newton's method begins.
static trm_status guess(trm_dae_bvp *bvp, const trm_dae_boundary *boundary, trm_error *err)
{
    trm_dae_system *const system = &bvp->law.system;
    const int nx = system->problem.nx;
    trm_dae_code code = TRM_DAE_FINE;
    for (int i = 0; boundary->guess && i <= bvp->N && !code; i++) {
        double *const x = bvp->x + i * nx;
        const int answer = boundary->guess(bvp->mesh[i], x, x, system->problem.user);
        code = trm_dae_answer(system, "guess", answer, nx, x);
        system->t = bvp->mesh[i];
    }
    return trm_dae_fail(system, code, system->t, err);
}

trm_status trm_dae_bvp_create(const trm_dae_problem *problem, const trm_dae_options *options,
                              const trm_dae_boundary *boundary, trm_dae_bvp **out, trm_error *err)
{
    *out = NULL;
    TRM_TRY(check(problem, options, err));
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
    trm_status status = guess(bvp, boundary, err);
    status = status ? status : trm_dae_check_functions(&bvp->law.system, bvp->mesh[0], bvp->x, err);
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

/// The length of step i.
static double length_of(const trm_dae_bvp *bvp, int i)
{
    return bvp->mesh[i] - bvp->mesh[i - 1];
}

/// Of point j of step i.
static double time_of_point(const trm_dae_bvp *bvp, int i, int j)
{
    return bvp->mesh[i - 1] + bvp->rule.c[j] * length_of(bvp, i);
}

/// x at point j of step i.
static double *point(const trm_dae_bvp *bvp, int i, int j)
{
    return bvp->at + ((i - 1) * bvp->rule.k + j) * bvp->law.system.problem.nx;
}

/// The reaction of the iterate before at point j of step i; NULL: that of y_0.
static const double *before(const trm_dae_bvp *bvp, int i, int j)
{
    const int place = (i - 1) * bvp->rule.k + j;
    const double *iterate = bvp->solved ? bvp->reaction + place * bvp->law.nr : NULL;
    return bvp->constant ? bvp->constant : iterate;
}

trm_dae_code trm_dae_constraint_rows(trm_dae_bvp *bvp, const double *x)
{
    trm_dae_system *system = &bvp->law.system;
    const int nx = system->problem.nx;
    const int ny = system->problem.ny;
    const int length = 2 * nx + 1;
    for (int i = 0; i < nx; i++) {
        bvp->dx[i] = system->problem.linear ? 0 : x[i]; // dx for the moment
    }
    const trm_dae_code code = trm_dae_at(system, bvp->mesh[bvp->at_end ? bvp->N : 0], bvp->dx,
                                         TRM_DAE_WITH_GAP | TRM_DAE_WITH_JACOBIAN);
    for (int k = 0; k < ny; k++) {
        double *row = bvp->rows + (nx - ny + k) * length;
        memset(row, 0, (size_t)length * sizeof(double));
        memcpy(row + (bvp->at_end ? nx : 0), system->G + k * nx, (size_t)nx * sizeof(double));
        row[2 * nx] = -system->g[k];
        for (int i = 0; i < nx; i++) {
            row[2 * nx] += system->G[k * nx + i] * bvp->dx[i];
        }
    }
    return code;
}

/// J[n*n] := its transpose, c := c - J z.
static void turn(int n, const double *z, double *J, double *c)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            const double upper = J[j * n + i];
            J[j * n + i] = J[i * n + j];
            J[i * n + j] = upper;
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            c[i] -= J[i * n + j] * z[j];
        }
    }
}

/// J and c of F(z,t) = J z + c at t: exact of a linear problem, else near at[nz], by differences.
static trm_dae_code affine(trm_dae_bvp *bvp, double t, const double *at, const double *before)
{
    trm_dae_law *const law = &bvp->law;
    const int n = law->nz, exact = law->system.problem.linear;
    for (int j = 0; j < n; j++) {
        law->z[j] = exact ? 0 : at[j];
    }
    trm_dae_code code = trm_dae_rates(law, t, law->z, before, law->c, law->spare);
    for (int j = 0; j < n && !code; j++) {
        double *const column = law->J + j * n; // a row for the moment
        const double here = law->z[j];
        law->z[j] = exact ? 1 : here + sqrt(DBL_EPSILON) * (1 + fabs(here));
        const double moved = law->z[j] - here;
        code = trm_dae_rates(law, t, law->z, before, column, law->spare);
        law->z[j] = here;
        for (int i = 0; i < n; i++) {
            column[i] = (column[i] - law->c[i]) / moved;
            bvp->steepest = fmax(bvp->steepest, fabs(column[i]));
        }
    }
    if (!code) {
        turn(n, law->z, law->J, law->c);
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
        code = affine(bvp, time_of_point(bvp, i, j), point(bvp, i, j), before(bvp, i, j));
        trm_dae_collocation_take(&bvp->rule, &bvp->law, j);
    }
    return code ? code : trm_dae_collocation_factor(&bvp->rule, bvp->law.nz, length_of(bvp, i));
}

/// x_i - S x_{i-1} = s
static trm_dae_code put_collocated(trm_dae_bvp *bvp, int i, double *rhs)
{
    const int nx = bvp->law.system.problem.nx;
    const int row = place_of_step(bvp->N, i) * nx;
    const int left = place_of_point(bvp->N, i - 1) * nx;
    const int right = place_of_point(bvp->N, i) * nx;
    TRM_DAE_TRY(collocate(bvp, i));
    trm_dae_collocation_condense(&bvp->rule, nx, length_of(bvp, i));
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
    const double h = length_of(bvp, i);
    const int row = place_of_step(bvp->N, i) * nx;
    const int left = place_of_point(bvp->N, i - 1) * nx;
    const int right = place_of_point(bvp->N, i) * nx;
    const trm_dae_code code =
        affine(bvp, time_of_point(bvp, i, 0), point(bvp, i, 0), before(bvp, i, 0));
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
        TRM_DAE_TRY(bvp->midpoints ? put_midpoint(bvp, i, bvp->x_next)
                                   : put_collocated(bvp, i, bvp->x_next));
    }
    if (trm_band_solve(&bvp->band, bvp->x_next)) {
        return TRM_DAE_SINGULAR;
    }
    unfold(bvp);
    return TRM_DAE_FINE;
}

/// The points by the mesh points x_next. change: the largest of theirs, in parts of 1 + |x|.
static trm_dae_code move_points(trm_dae_bvp *bvp, double *change)
{
    const int nx = bvp->law.system.problem.nx;
    trm_dae_code code = TRM_DAE_FINE;
    *change = 0;
    for (int i = 1; i <= bvp->N && !code; i++) {
        const double *const x = bvp->x_next + (i - 1) * nx;
        if (!bvp->midpoints) {
            code = collocate(bvp, i);
            trm_dae_collocation_slopes(&bvp->rule, nx, x);
        }
        for (int j = 0; j < bvp->rule.k && !code; j++) {
            for (int k = 0; k < nx && bvp->midpoints; k++) {
                bvp->dx[k] = (x[k] + x[k + nx]) / 2;
            }
            if (!bvp->midpoints) {
                trm_dae_collocation_point(&bvp->rule, nx, length_of(bvp, i), x, j, bvp->dx);
            }
            for (int k = 0; k < nx; k++) {
                double *const at = &point(bvp, i, j)[k];
                *change = fmax(*change, fabs(bvp->dx[k] - *at) / (1 + fabs(*at)));
                *at = bvp->dx[k];
            }
        }
    }
    return code;
}

/// Newton's method for x_next. J by differences is right to sqrt(DBL_EPSILON), and that part of a
/// change is left behind each step: one of that size leaves roundoff. That of J x, DBL_EPSILON
/// |J|, adds up over the interval.
static trm_dae_code newton(trm_dae_bvp *bvp)
{
    enum { PATIENCE = 30 };
    trm_dae_system *const system = &bvp->law.system;
    const int nx = system->problem.nx;
    const double length = bvp->mesh[bvp->N] - bvp->mesh[0];
    double change = INFINITY;
    memcpy(bvp->x_next, bvp->x, (size_t)((bvp->N + 1) * nx) * sizeof(double));
    for (int i = 1; i <= bvp->N && !bvp->placed; i++) {
        for (int j = 0; j < bvp->rule.k; j++) {
            for (int k = 0; k < nx; k++) {
                const double *const x = &bvp->x[(i - 1) * nx + k];
                point(bvp, i, j)[k] = x[0] + bvp->rule.c[j] * (x[nx] - x[0]);
            }
        }
    }
    bvp->placed = 0;
    for (int pass = 0; pass < PATIENCE; pass++) {
        bvp->steepest = 0;
        trm_dae_code code =
            trm_dae_constraint_rows(bvp, bvp->x_next + (bvp->at_end ? bvp->N * nx : 0));
        code = code ? code : solve(bvp);
        code = code ? code : move_points(bvp, &change);
        const double roundoff = DBL_EPSILON * bvp->steepest * length;
        bvp->placed =
            !code && (system->problem.linear || change <= fmax(sqrt(DBL_EPSILON), roundoff));
        if (code || bvp->placed) {
            return code;
        }
    }
    snprintf(system->detail, sizeof system->detail,
             "%d steps of Newton's method leave x with changes of %.3g: begin nearer, by `guess`",
             PATIENCE, change);
    return TRM_DAE_UNSOLVED;
}

static void exchange(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

/// The reactions at all points, with their By.
static trm_dae_code renew(trm_dae_bvp *bvp)
{
    trm_dae_law *law = &bvp->law;
    const int nx = law->system.problem.nx;
    trm_dae_code code = TRM_DAE_FINE;
    for (int place = 0; place < bvp->N * bvp->rule.k && !code; place++) {
        const int i = place / bvp->rule.k + 1, j = place % bvp->rule.k;
        double *const reaction = bvp->reaction_next + place * law->nr;
        double *const By = bvp->By_next + place * nx;
        code = trm_dae_rates(law, time_of_point(bvp, i, j), point(bvp, i, j), before(bvp, i, j),
                             bvp->dx, reaction);
        if (law->form->carries_By) {
            memcpy(By, reaction, (size_t)nx * sizeof(double));
        } else {
            trm_dae_multiply_B(&law->system, reaction, By);
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
        code = trm_dae_at(system, bvp->mesh[i], bvp->x_next + i * nx, TRM_DAE_WITH_GAP);
        memcpy(bvp->g_next + i * ny, system->g, (size_t)ny * sizeof(double));
    }
    return code;
}

trm_status trm_dae_box(trm_dae_bvp *bvp, trm_error *err)
{
    trm_dae_code code = newton(bvp);
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

trm_status trm_dae_bvp_iterate(trm_dae_bvp *bvp, trm_error *err)
{
    const trm_dae_problem *problem = &bvp->law.system.problem;
    const int nx = problem->nx;
    for (int k = 0; k < nx - problem->ny; k++) {
        double *row = bvp->rows + k * (2 * nx + 1);
        memcpy(row, bvp->B0 + k * nx, (size_t)nx * sizeof(double));
        memcpy(row + nx, bvp->B1 + k * nx, (size_t)nx * sizeof(double));
        row[2 * nx] = bvp->beta[k];
    }
    bvp->at_end = 0;
    return trm_dae_box(bvp, err);
}

// ----------------------------------------------------------------------------------------- access

double trm_dae_bvp_midpoint(const trm_dae_bvp *bvp, int i)
{
    return time_of_point(bvp, i > 0 ? i : 1, bvp->rule.k - 1);
}

trm_dae_state trm_dae_bvp_state(const trm_dae_bvp *bvp, int i)
{
    if (!bvp->solved || i < 0 || i > bvp->N) {
        return (trm_dae_state){.t = NAN, .drift = NAN};
    }
    const trm_dae_law *law = &bvp->law;
    const int nx = law->system.problem.nx;
    const int ny = law->system.problem.ny;
    const int last = (i > 0 ? i : 1) * bvp->rule.k - 1;
    return (trm_dae_state){.t = bvp->mesh[i],
                           .x = bvp->x + i * nx,
                           .y = law->form->carries_By ? NULL : bvp->reaction + last * ny,
                           .By = bvp->By + last * nx,
                           .g = bvp->g + i * ny,
                           .drift = trm_max_norm(ny, bvp->g + i * ny)};
}
