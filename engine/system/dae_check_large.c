/// Whether the products of a large problem agree with each other and with g, by a few vectors
/// instead of every column. With fixed vectors y, v of no regularity:
///
///     v.(B y) = y.(B^T v),   y.(G v) = v.(G^T y)      the transposed products
///     g(x + d, t) - g(x - d, t) = 2 G d,              and g_t by the differences of dae_check.c
///     B z = 0,  z.(G v) = 0                           the null vector z
///     y1.(GB y2) = y2.(GB y1)                         GB is symmetric
///
/// The largest eigenvalue of GB comes from a few steps of the power method.
#include "base/linear/sums.h"
#include "base/rank_numbers.h"
#include "base/status.h"
#include "engine/system/dae_operators.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/// Entries between -1 and 1 without a pattern.
static void fill(int n, int which, double *v)
{
    for (int i = 0; i < n; i++) {
        v[i] = sin(1.0 + which + 1.7 * i + 0.61 * which * i);
    }
}

static double length(int n, const double *v)
{
    return sqrt(trm_dot(n, v, v));
}

/// Two vectors of each kind, taken for the time of the checks.
typedef struct bench {
    trm_dae_system *system;
    double t;
    const double *x;
    int nx, ny;
    double *v[3]; ///< [nx]
    double *y[3]; ///< [ny]
    double *block;
} bench;

static int bench_open(bench *b)
{
    const size_t n = (size_t)b->nx + (size_t)b->ny;
    b->block = calloc(3 * n, sizeof *b->block);
    for (int i = 0; b->block && i < 3; i++) {
        b->v[i] = b->block + (size_t)i * n;
        b->y[i] = b->v[i] + b->nx;
    }
    return b->block == NULL;
}

static trm_status refuse(const bench *b, const char *function, trm_error *err, const char *format,
                         double left, double right)
{
    char text[128];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    return TRM_FAIL(err, TRM_ERR_OPTIONS, trm_dae_place(&b->system->problem, function, text),
                    format, left, right);
#pragma GCC diagnostic pop
}

// -------------------------------------------------------------------------------------- transposed

static int differ(double left, double right, double scale)
{
    return fabs(left - right) > TRM_DAE_ROUNDING * scale;
}

static trm_status check_transposed(bench *b, trm_error *err)
{
    trm_dae_operators *large = b->system->large;
    fill(b->nx, 1, b->v[0]);
    fill(b->ny, 2, b->y[0]);
    if (large->given.B_transposed && !large->B.start) {
        trm_dae_product_B(b->system, b->y[0], b->v[1]);
        trm_dae_product_Bt(b->system, b->v[0], b->y[1]);
        const double left = trm_dot(b->nx, b->v[0], b->v[1]);
        const double right = trm_dot(b->ny, b->y[0], b->y[1]);
        if (differ(left, right, length(b->nx, b->v[0]) * length(b->nx, b->v[1]))) {
            return refuse(b, "B_transposed", err,
                          "B and B_transposed disagree: v.(B y) = %.9g, y.(B_transposed v) = %.9g",
                          left, right);
        }
    }
    if (large->given.G_transposed && !large->G.start) {
        trm_dae_product_G(b->system, b->v[0], b->y[1]);
        trm_dae_product_Gt(b->system, b->y[0], b->v[1]);
        const double left = trm_dot(b->ny, b->y[0], b->y[1]);
        const double right = trm_dot(b->nx, b->v[0], b->v[1]);
        if (differ(left, right, length(b->ny, b->y[0]) * length(b->ny, b->y[1]))) {
            return refuse(b, "G_transposed", err,
                          "G and G_transposed disagree: y.(G v) = %.9g, v.(G_transposed y) = %.9g",
                          left, right);
        }
    }
    return TRM_OK;
}

// ------------------------------------------------------------------------------------- derivatives

/// y[which] := g at (t + delta_t in_time, x + d in_x); nonzero when g fails there.
static int gap_at(bench *b, int which, int in_time, int in_x, const double *d)
{
    for (int j = 0; j < b->nx; j++) {
        b->v[2][j] = b->x[j] + in_x * d[j];
    }
    const double then = b->t + in_time * TRM_DIFFERENCE * (1 + fabs(b->t));
    const trm_dae_code code = trm_dae_at(b->system, then, b->v[2], TRM_DAE_WITH_GAP);
    for (int i = 0; i < b->ny; i++) {
        b->y[which][i] = b->system->g[i];
    }
    return code != TRM_DAE_FINE;
}

static trm_status check_jacobian(bench *b, trm_error *err)
{
    const double size = trm_max_norm(b->nx, b->x);
    fill(b->nx, 3, b->v[0]);
    for (int j = 0; j < b->nx; j++) {
        b->v[0][j] *= TRM_DIFFERENCE * (1 + size);
    }
    if (gap_at(b, 0, 0, 1, b->v[0]) || gap_at(b, 1, 0, -1, b->v[0])) {
        return TRM_OK;
    }
    if (trm_dae_at(b->system, b->t, b->x, TRM_DAE_WITH_B | TRM_DAE_WITH_JACOBIAN)) {
        return TRM_OK;
    }
    trm_dae_product_G(b->system, b->v[0], b->y[2]);
    double off = 0, scale = TRM_DIFFERENCE;
    for (int i = 0; i < b->ny; i++) {
        off = fmax(off, fabs(b->y[0][i] - b->y[1][i] - 2 * b->y[2][i]));
        scale = fmax(scale, fabs(2 * b->y[2][i]) + TRM_DAE_NOISE * fabs(b->y[0][i]));
    }
    if (off > TRM_DAE_DIFFERENCE * scale) {
        return refuse(b, "G", err,
                      "G and g disagree: g(x + d) - g(x - d) is off 2 G d by %.3g of %.3g", off,
                      scale);
    }
    return TRM_OK;
}

static trm_status check_g_t(bench *b, trm_error *err)
{
    fill(b->nx, 3, b->v[0]);
    if (gap_at(b, 0, 0, 0, b->v[0]) || gap_at(b, 1, 1, 0, b->v[0]) || gap_at(b, 2, 2, 0, b->v[0]) ||
        trm_dae_at(b->system, b->t, b->x, TRM_DAE_WITH_G_T)) {
        return TRM_OK;
    }
    double off = 0, scale = TRM_DIFFERENCE;
    for (int i = 0; i < b->ny; i++) {
        const double expected = 2 * b->system->g_t[i] * TRM_DIFFERENCE * (1 + fabs(b->t));
        const double found = 4 * (b->y[1][i] - b->y[0][i]) - (b->y[2][i] - b->y[0][i]);
        off = fmax(off, fabs(found - expected));
        scale = fmax(scale, fabs(expected) + TRM_DAE_NOISE * fabs(b->y[0][i]));
    }
    if (off > TRM_DAE_DIFFERENCE * scale) {
        return refuse(b, "g_t", err,
                      "g_t and g disagree: differences of g in t are off by %.3g of %.3g", off,
                      scale);
    }
    return TRM_OK;
}

// --------------------------------------------------------------------------------- GB and its null

static trm_status check_null(bench *b, trm_error *err)
{
    trm_dae_operators *large = b->system->large;
    if (!large->null) {
        return TRM_OK;
    }
    fill(b->nx, 4, b->v[0]);
    fill(b->ny, 5, b->y[0]);
    trm_dae_product_B(b->system, large->null, b->v[1]);
    trm_dae_product_B(b->system, b->y[0], b->v[2]);
    const double left = length(b->nx, b->v[1]);
    const double usual = length(b->nx, b->v[2]) / length(b->ny, b->y[0]);
    if (!(left <= TRM_DAE_ROUNDING * usual)) {
        return refuse(b, "null", err, "B null is not zero: |B null|/|null| = %.3g beside %.3g",
                      left, usual);
    }
    trm_dae_product_G(b->system, b->v[0], b->y[1]);
    const double along = trm_dot(b->ny, large->null, b->y[1]);
    if (differ(along, 0, length(b->ny, b->y[1]) * sqrt(b->ny))) {
        return refuse(b, "null", err,
                      "G^T null is not zero: null.(G v)/|null| = %.3g beside |G v| = %.3g", along,
                      length(b->ny, b->y[1]));
    }
    return TRM_OK;
}

static void multiply_GB(bench *b, const double *y, double *out)
{
    trm_dae_product_B(b->system, y, b->v[0]);
    trm_dae_product_G(b->system, b->v[0], out);
}

/// The power method from y[0], which ends as the vector; returns the last factor.
static double largest_eigenvalue(bench *b)
{
    enum { STEPS = 12 }; // within a few per cent for our use: the scale of GB
    double value = 0;
    for (int k = 0; k < STEPS; k++) {
        const double size = length(b->ny, b->y[0]);
        multiply_GB(b, b->y[0], b->y[1]);
        value = length(b->ny, b->y[1]) / size;
        for (int i = 0; i < b->ny; i++) {
            b->y[0][i] = b->y[1][i] / (value * size);
        }
        if (!(value > 0)) {
            break;
        }
    }
    return value;
}

/// Sets symmetric and norm, after GB y1 and GB y2.
static trm_status look_at_GB(bench *b, int needs_solver, trm_error *err)
{
    trm_dae_operators *large = b->system->large;
    fill(b->ny, 6, b->y[0]);
    fill(b->ny, 7, b->y[1]);
    multiply_GB(b, b->y[0], b->y[2]);
    const double left = trm_dot(b->ny, b->y[1], b->y[2]);
    const double own = trm_dot(b->ny, b->y[0], b->y[2]);
    const double scale = length(b->ny, b->y[1]) * length(b->ny, b->y[2]);
    multiply_GB(b, b->y[1], b->y[2]);
    const double right = trm_dot(b->ny, b->y[0], b->y[2]);
    large->symmetric = !differ(left, right, scale);
    large->norm = largest_eigenvalue(b);
    const int rows = large->G.start && large->B.start;
    if (!needs_solver || large->given.solve) {
        return TRM_OK;
    }
    if (large->symmetric && !(own > 0)) {
        return refuse(
            b, "GB", err,
            "y.(GB y) = %.3g for a vector of length %.3g: GB must be positive; change the "
            "sign of g and G, or of B",
            own, length(b->ny, b->y[0]));
    }
    if (!large->symmetric && (!rows || !trm_factor_available(0))) {
        return refuse(
            b, "GB", err,
            "GB is not symmetric: y1.(GB y2) = %.9g, y2.(GB y1) = %.9g; it needs `solve`, or "
            "rows and KLU",
            left, right);
    }
    return TRM_OK;
}

static trm_status choose_solver(bench *b, const trm_dae_options *options, trm_error *err)
{
    trm_dae_operators *large = b->system->large;
    const int rows = large->G.start && large->B.start;
    const int can = rows && trm_factor_available(large->symmetric);
    char text[128];
    const char *where = trm_dae_place(&b->system->problem, NULL, text);
    if (options->solver == TRM_DAE_SOLVER_FACTORS && !can && !large->given.solve) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, where, "sparse factors need %s",
                        rows ? "CHOLMOD and KLU, which this library was built without"
                             : "B_rows and G_rows");
    }
    if (options->solver == TRM_DAE_SOLVER_CG && !large->symmetric && !large->given.solve) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, where,
                        "conjugate gradients need a symmetric GB, and this is not");
    }
    const int choose = options->solver == TRM_DAE_SOLVER_AUTO &&
                       (!large->given.precondition || !large->symmetric) && can;
    large->solver = options->solver == TRM_DAE_SOLVER_FACTORS || choose ? TRM_DAE_SOLVER_FACTORS
                                                                        : TRM_DAE_SOLVER_CG;
    return TRM_OK;
}

/// c0 = epsilon is added to entries of the size of GB: below their last digit the shift is lost.
static trm_status check_epsilon(bench *b, const trm_dae_options *options, int needs_GB_inverse,
                                trm_error *err)
{
    const double least = DBL_EPSILON * options->alpha1 * b->system->large->norm;
    const int shifts =
        options->method == TRM_DAE_METHOD_SRM || options->method == TRM_DAE_METHOD_PENALTY;
    if (shifts && !needs_GB_inverse && options->epsilon < least) {
        return refuse(
            b, NULL, err,
            "epsilon = %.3g is lost in the rounding of alpha1 GB, which needs at least %.3g; "
            "the limit epsilon = 0 is the method baumgarte",
            options->epsilon, least);
    }
    return TRM_OK;
}

// ------------------------------------------------------------------------------------ linear and L

static trm_status look_at_L(bench *b, trm_error *err)
{
    trm_dae_operators *large = b->system->large;
    if (!large->L.start) {
        return TRM_OK;
    }
    fill(b->nx, 8, b->v[0]);
    fill(b->nx, 9, b->v[1]);
    trm_sparse_multiply(&large->L, b->v[0], b->v[2]);
    const double left = trm_dot(b->nx, b->v[1], b->v[2]);
    const double scale = length(b->nx, b->v[1]) * length(b->nx, b->v[2]);
    trm_sparse_multiply(&large->L, b->v[1], b->v[2]);
    large->symmetric_L = !differ(left, trm_dot(b->nx, b->v[0], b->v[2]), scale);
    if (!large->symmetric_L && !trm_factor_available(0)) {
        return refuse(b, "L_rows", err,
                      "L is not symmetric (y1.(L y2) = %.9g, y2.(L y1) = %.9g): it needs solve_L, "
                      "or KLU",
                      left, trm_dot(b->nx, b->v[0], b->v[2]));
    }
    return TRM_OK;
}

/// g_t free of x, as backward Euler with alpha1 > 0 takes it.
static trm_status check_steady_G(bench *b, trm_error *err)
{
    trm_dae_system *const s = b->system;
    fill(b->nx, 8, b->v[0]);
    for (int i = 0; i < b->nx; i++) {
        b->v[1][i] = 0;
    }
    if (!s->problem.g_t || trm_dae_at(s, b->t, b->v[1], TRM_DAE_WITH_G_T)) {
        return TRM_OK;
    }
    for (int i = 0; i < b->ny; i++) {
        b->y[1][i] = s->g_t[i];
    }
    if (trm_dae_at(s, b->t, b->v[0], TRM_DAE_WITH_G_T)) {
        return TRM_OK;
    }
    double off = 0;
    for (int i = 0; i < b->ny; i++) {
        off = fmax(off, fabs(s->g_t[i] - b->y[1][i]));
    }
    const double size = length(b->ny, b->y[1]);
    return off <= TRM_DAE_ROUNDING * (1 + size)
               ? TRM_OK
               : refuse(b, "g_t", err,
                        "backward Euler with alpha1 > 0 takes a G that does not depend on t: g_t "
                        "moves by %.3g with x, beside %.3g",
                        off, size);
}

/// f(v) - f(0) = L v and g(v) - g(0) = G v, as backward Euler takes them.
static trm_status check_affine(bench *b, trm_error *err)
{
    trm_dae_system *const s = b->system;
    const unsigned what = TRM_DAE_WITH_ALL & ~(unsigned)TRM_DAE_WITH_G_T;
    fill(b->nx, 8, b->v[0]);
    for (int i = 0; i < b->nx; i++) {
        b->v[1][i] = 0;
    }
    if (trm_dae_at(s, b->t, b->v[1], what)) {
        return TRM_OK; // the run reports it
    }
    for (int i = 0; i < b->nx; i++) {
        b->v[1][i] = s->f[i];
    }
    for (int i = 0; i < b->ny; i++) {
        b->y[1][i] = s->g[i];
    }
    if (trm_dae_at(s, b->t, b->v[0], what)) {
        return TRM_OK;
    }
    trm_sparse_multiply(&s->large->L, b->v[0], b->v[2]);
    trm_dae_product_G(s, b->v[0], b->y[2]);
    double off_f = 0, off_g = 0;
    for (int i = 0; i < b->nx; i++) {
        off_f = fmax(off_f, fabs(s->f[i] - b->v[1][i] - b->v[2][i]));
    }
    for (int i = 0; i < b->ny; i++) {
        off_g = fmax(off_g, fabs(s->g[i] - b->y[1][i] - b->y[2][i]));
    }
    const double size_f = length(b->nx, b->v[1]) + length(b->nx, b->v[2]);
    const double size_g = length(b->ny, b->y[1]) + length(b->ny, b->y[2]);
    if (!(off_f <= TRM_DAE_ROUNDING * (1 + size_f))) {
        return refuse(b, "L_rows", err,
                      "backward Euler takes f = L x + q: f(v) - f(0) is off L v by %.3g of %.3g",
                      off_f, size_f);
    }
    if (!(off_g <= TRM_DAE_ROUNDING * (1 + size_g))) {
        return refuse(b, "g", err,
                      "backward Euler takes g = G x + r: g(v) - g(0) is off G v by %.3g of %.3g",
                      off_g, size_g);
    }
    return TRM_OK;
}

static trm_status check_all(bench *b, const trm_dae_options *options, int needs_solver,
                            int needs_GB_inverse, trm_error *err)
{
    TRM_TRY(check_jacobian(b, err));
    TRM_TRY(check_g_t(b, err));
    if (trm_dae_at(b->system, b->t, b->x, TRM_DAE_WITH_B | TRM_DAE_WITH_JACOBIAN)) {
        return TRM_OK; // the run reports it
    }
    TRM_TRY(check_transposed(b, err));
    TRM_TRY(check_null(b, err));
    TRM_TRY(look_at_GB(b, needs_solver, err));
    TRM_TRY(look_at_L(b, err));
    if (needs_solver) {
        TRM_TRY(choose_solver(b, options, err));
        TRM_TRY(check_epsilon(b, options, needs_GB_inverse, err));
    }
    if (options->integrator != TRM_DAE_INTEGRATOR_BACKWARD_EULER) {
        return TRM_OK;
    }
    TRM_TRY(check_affine(b, err));
    return options->alpha1 > 0 ? check_steady_G(b, err) : TRM_OK;
}

trm_status trm_dae_check_operators(trm_dae_system *system, const trm_dae_options *options, double t,
                                   const double *x, int needs_solver, int needs_GB_inverse,
                                   trm_error *err)
{
    bench b = {
        .system = system, .t = t, .x = x, .nx = system->problem.nx, .ny = system->problem.ny};
    if (bench_open(&b)) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "no memory for the checks of a large problem");
    }
    const trm_status status = check_all(&b, options, needs_solver, needs_GB_inverse, err);
    free(b.block);
    system->f_evals = system->jacobian_evals = 0;
    system->failed = NULL;
    return status;
}
