/// Large problems whose parts disagree, or that a method cannot take: named and refused.
#include "tests/integrators/dae/large_problems.h"

#include <string.h>

static int bent_f(double t, const double *x, double *out, void *user)
{
    stiff_f(t, x, out, user);
    out[4] += 0.01 * x[4] * x[4];
    return 0;
}

// --------------------------------------------------------------------------------- what is refused

static void is_refused(const trm_dae_problem *problem, const trm_dae_options *options,
                       const double *x0, const char *says)
{
    trm_error err = {0};
    trm_dae_sim *sim = NULL;
    const trm_status status = trm_dae_sim_create(problem, options, 0, x0, &sim, &err);
    if (status != TRM_ERR_OPTIONS || strstr(err.message, says) == NULL) {
        print_error("expected '%s', got %s: %s\n", says, trm_status_name(status), err.message);
    }
    assert_int_equal(status, TRM_ERR_OPTIONS);
    assert_non_null(strstr(err.message, says));
    assert_null(sim);
}

static void is_taken(const trm_dae_problem *problem, const trm_dae_options *options,
                     const double *x0)
{
    trm_error err = {0};
    trm_dae_sim *sim = NULL;
    assert_done(trm_dae_sim_create(problem, options, 0, x0, &sim, &err), &err);
    trm_dae_sim_destroy(sim);
}

static const double idle[NY] = {1, -2, 1, 1, 1};

/// B of v less what v has along `idle`.
static int without_idle_B(double t, const double *x, const double *v, double *out, void *user)
{
    double rest[NY], along = 0;
    for (int i = 0; i < NY; i++) {
        along += idle[i] * v[i] / 8; // of idle.idle
    }
    for (int i = 0; i < NY; i++) {
        rest[i] = v[i] - along * idle[i];
    }
    return times_B(t, x, rest, out, user);
}

CLAIM(what_disagrees_is_named)
{
    net p = {.wrong_transpose = 1e-3};
    double x0[NX];
    net_start(x0);
    const trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    trm_dae_large large = by_products();
    trm_dae_problem problem = large_net(&p, &large);
    is_refused(&problem, &options, x0, "B and B_transposed disagree");
    large = by_products();
    large.B_transposed = NULL;
    large.G_transposed = times_Bt; // of the wrong matrix, by the same shape
    p = (net){.skew = 1};
    large.G_transposed = times_B;
    is_refused(&problem, &options, x0, "G and G_transposed disagree");
    large.G_transposed = NULL;
    is_refused(&problem, &options, x0, "GB is not symmetric");
    p.skew = 0;
    problem.g_t = NULL;
    is_refused(&problem, &options, x0, "g_t and g disagree");
    problem.g_t = net_g_t;
    large.null = idle;
    is_refused(&problem, &options, x0, "B null is not zero");
    large.B = without_idle_B;
    large.B_transposed = NULL;
    is_refused(&problem, &options, x0, "G^T null is not zero");
    large = by_products();
    large.B_rows = by_rows().B_rows;
    is_refused(&problem, &options, x0, "one of them; got 2");
    large = by_rows();
    columns_B[1] = 0;
    is_refused(&problem, &options, x0, "expected ascending columns below 5 in row 0, got 0");
    large = by_rows();
    starts_G[2] = 1;
    is_refused(&problem, &options, x0, "expected start to begin with 0 and not to fall");
}

static int other_G(double t, const double *x, const double *v, double *out, void *user)
{
    const int code = times_G(t, x, v, out, user);
    out[0] += 0.01 * v[5];
    return code;
}

static int negative_B(double t, const double *x, const double *v, double *out, void *user)
{
    const int code = times_B(t, x, v, out, user);
    for (int i = 0; i < NX; i++) {
        out[i] = -out[i];
    }
    return code;
}

CLAIM(what_the_method_cannot_take_is_refused)
{
    net p = {0};
    double x0[NX];
    net_start(x0);
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    trm_dae_large large = by_products();
    const trm_dae_problem problem = large_net(&p, &large);
    large.G = other_G;
    is_refused(&problem, &options, x0, "G and g disagree");
    large = by_products();
    large.B = negative_B;
    large.B_transposed = NULL;
    is_refused(&problem, &options, x0, "GB must be positive; change the sign of g and G, or of B");
    large = by_products();
    options.integrator = TRM_DAE_INTEGRATOR_BACKWARD_EULER;
    is_refused(&problem, &options, x0, "backward Euler is for problems with linear set");
    trm_dae_problem linear = problem;
    linear.linear = 1;
    is_refused(&linear, &options, x0, "needs B_rows, G_rows and L_rows");
    if (trm_factor_available(0)) {
        const trm_dae_large with_L = by_rows_with_L();
        linear = large_net(&p, &with_L);
        linear.linear = 1;
        linear.f = bent_f;
        options.E = TRM_SRM_MATRIX_IDENTITY;
        is_refused(&linear, &options, x0, "f(v) - f(0) is off L v");
        linear.f = stiff_f;
        options.alpha1 = 1;
        is_refused(&linear, &options, x0, "takes a G that does not depend on t");
        options.alpha1 = 0;
        options.E = TRM_SRM_MATRIX_GB_INVERSE;
    }
    options.integrator = TRM_DAE_INTEGRATOR_IMEX;
    is_refused(&problem, &options, x0, "an IMEX integrator needs L_rows or solve_L");
    options.integrator = TRM_DAE_INTEGRATOR_HEUN;
    options.solver = TRM_DAE_SOLVER_FACTORS;
    is_refused(&problem, &options, x0, "sparse factors need B_rows and G_rows");
    options.solver = TRM_DAE_SOLVER_AUTO;
    options.E = TRM_SRM_MATRIX_IDENTITY;
    options.alpha1 = 1;
    options.epsilon = 1e-17;
    options.start = TRM_DAE_START_GIVEN;
    is_refused(&problem, &options, x0, "is lost in the rounding of alpha1 GB");
    options.E = TRM_SRM_MATRIX_GB_TRANSPOSED;
    is_refused(&problem, &options, x0, "E = (GB)^T goes with alpha1 = 0 only");
    options.alpha1 = 0;
    large.B_transposed = NULL;
    is_refused(&problem, &options, x0, "needs B_transposed and G_transposed");
}

static int bent_g(double t, const double *x, double *out, void *user)
{
    const int code = net_g(0 * t, x, out, user);
    out[1] += 0.01 * x[1] * x[1];
    return code;
}

static int still_g_t(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    memset(out, 0, NY * sizeof *out);
    return 0;
}

/// What only problems given by rows, their null vectors and their boundary values can have wrong.
CLAIM(what_rows_lack_is_refused)
{
    net p = {.skew = 1};
    double x0[NX];
    net_start(x0);
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    trm_dae_large large = by_rows();
    const trm_dae_problem problem = large_net(&p, &large);
    options.E = TRM_SRM_MATRIX_IDENTITY;
    options.solver = TRM_DAE_SOLVER_CG;
    is_refused(&problem, &options, x0, "conjugate gradients need a symmetric GB, and this is not");
    large.B_rows.column = NULL;
    is_refused(&problem, &options, x0, "column or values is missing");
    options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    if (trm_factor_available(0)) {
        p.skew = 0;
        const trm_dae_large with_L = by_rows_with_L();
        trm_dae_problem linear = large_net(&p, &with_L);
        linear.linear = 1;
        linear.f = stiff_f;
        linear.g = bent_g;
        linear.g_t = still_g_t;
        x0[1] = 0; // there its slope is that of G
        options.integrator = TRM_DAE_INTEGRATOR_BACKWARD_EULER;
        options.E = TRM_SRM_MATRIX_IDENTITY;
        is_refused(&linear, &options, x0, "g(v) - g(0) is off G v");
    }
}

/// A GB that is not symmetric is refused where something is solved with it by products alone.
CLAIM(only_what_solves_with_GB_needs_a_solver)
{
    static const struct {
        trm_dae_method method;
        trm_srm_matrix E;
        double alpha1;
        int solves;
    } all[] = {
        {TRM_DAE_METHOD_SRM, TRM_SRM_MATRIX_IDENTITY, 0, 0},
        {TRM_DAE_METHOD_SRM, TRM_SRM_MATRIX_IDENTITY, 1, 1},
        {TRM_DAE_METHOD_SRM, TRM_SRM_MATRIX_GB_TRANSPOSED, 0, 0},
        {TRM_DAE_METHOD_SRM, TRM_SRM_MATRIX_GB_INVERSE, 0, 1},
        {TRM_DAE_METHOD_SRM_SINGULAR, TRM_SRM_MATRIX_GB_INVERSE, 0, 1},
        {TRM_DAE_METHOD_PENALTY, TRM_SRM_MATRIX_IDENTITY, 0, 1},
        {TRM_DAE_METHOD_PENALTY, TRM_SRM_MATRIX_GB_INVERSE, 0, 1},
        {TRM_DAE_METHOD_BAUMGARTE, TRM_SRM_MATRIX_IDENTITY, 0, 1},
        {TRM_DAE_METHOD_PSEUDO_COMPRESSIBILITY, TRM_SRM_MATRIX_GB_INVERSE, 0, 0},
        {TRM_DAE_METHOD_PSEUDO_COMPRESSIBILITY, TRM_SRM_MATRIX_GB_INVERSE, 1, 0},
    };
    net p = {.skew = 1};
    double x0[NX];
    net_start(x0);
    const trm_dae_large large = by_products();
    const trm_dae_problem problem = large_net(&p, &large);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        trm_dae_options options = trm_dae_default_options(all[i].method);
        options.E = all[i].E;
        options.alpha1 = all[i].alpha1;
        options.start = TRM_DAE_START_GIVEN;
        if (all[i].solves) {
            is_refused(&problem, &options, x0, "GB is not symmetric");
        } else {
            is_taken(&problem, &options, x0);
        }
    }
}

/// E = (GB)^-1 takes GB out of epsilon I + alpha1 E GB: any epsilon is large enough.
CLAIM(an_inverse_takes_any_epsilon)
{
    net p = {0};
    double x0[NX];
    net_start(x0);
    const trm_dae_large large = by_products();
    const trm_dae_problem problem = large_net(&p, &large);
    for (int k = 0; k < 2; k++) {
        trm_dae_options options =
            trm_dae_default_options(k ? TRM_DAE_METHOD_PENALTY : TRM_DAE_METHOD_SRM);
        options.start = TRM_DAE_START_GIVEN;
        options.epsilon = 1e-17;
        options.alpha1 = 1;
        is_taken(&problem, &options, x0);
        options.E = TRM_SRM_MATRIX_IDENTITY;
        is_refused(&problem, &options, x0, "is lost in the rounding of alpha1 GB");
    }
}
