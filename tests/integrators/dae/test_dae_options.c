/// Options of the methods for DAEs: the defaults that trammel_dae.h promises, both edges of every
/// range, and what goes with what.
#include "tests/integrators/dae/large_problems.h"

#include <stdio.h>

static net plain_net;

/// The message of the refusal; empty: the run begins.
static const char *answer(const trm_dae_problem *problem, const trm_dae_options *options)
{
    static trm_error err;
    trm_dae_sim *sim = NULL;
    double x0[NX];
    net_start(x0);
    err = (trm_error){0};
    const trm_status status = trm_dae_sim_create(problem, options, 0, x0, &sim, &err);
    assert_true((status == TRM_OK) == (sim != NULL));
    trm_dae_sim_destroy(sim);
    return status == TRM_OK ? "" : err.message;
}

static void says(const trm_dae_problem *problem, const trm_dae_options *options, const char *text)
{
    const char *said = answer(problem, options);
    if (*text == 0 ? *said != 0 : strstr(said, text) == NULL) {
        print_error("expected '%s', got '%s'\n", text, said);
        fail();
    }
}

CLAIM(defaults_are_those_of_the_header)
{
    for (int m = TRM_DAE_METHOD_SRM; m <= TRM_DAE_METHOD_PSEUDO_COMPRESSIBILITY; m++) {
        const trm_dae_options o = trm_dae_default_options((trm_dae_method)m);
        assert_int_equal(o.method, m);
        assert_int_equal(o.integrator, TRM_DAE_INTEGRATOR_HEUN);
        assert_true(o.h == 1e-3 && o.epsilon == (m == TRM_DAE_METHOD_PENALTY ? 1e-8 : 1e-3));
        assert_int_equal(o.iterations, 2);
        assert_int_equal(o.E, TRM_SRM_MATRIX_GB_INVERSE);
        assert_true(o.delta == 0 && o.alpha1 == 0);
        assert_near(o.alpha2, m == TRM_DAE_METHOD_BAUMGARTE ? 1000 : 1, 1e-9);
        assert_int_equal(o.start, TRM_DAE_START_EXACT);
        assert_null(o.y0);
        assert_true(o.y0_of_t == NULL && o.tolerance == 1e-9 && o.shift == 0.5 && o.pivot == 1e-13);
        assert_int_equal(o.solver, TRM_DAE_SOLVER_AUTO);
        assert_near(o.solve_tolerance, o.tolerance / 10, 1e-24);
        assert_int_equal(o.solve_iterations, 10000);
    }
}

// ---------------------------------------------------------------------------------------- ranges

/// A number and whether it is one: `name` is the field that the message names.
typedef struct edge {
    const char *name;
    size_t offset;
    double value;
    int good;
} edge;

#define D(field, value, good)                                                                      \
    {                                                                                              \
#field, offsetof(trm_dae_options, field), value, good                                      \
    }

static const edge numbers[] = {
    D(h, 1e-300, 1),
    D(h, 0, 0),
    D(h, -1, 0),
    D(h, NAN, 0),
    D(h, INFINITY, 0),
    D(epsilon, 1e-300, 1),
    D(epsilon, 0, 0),
    D(epsilon, NAN, 0),
    D(epsilon, INFINITY, 0),
    D(delta, 0, 1),
    D(delta, -1e-300, 0),
    D(delta, INFINITY, 0),
    D(alpha1, 0, 1),
    D(alpha1, -1e-300, 0),
    D(alpha1, INFINITY, 0),
    D(alpha2, 0, 1),
    D(alpha2, -1e-300, 0),
    D(alpha2, INFINITY, 0),
    D(tolerance, 0, 1),
    D(tolerance, -1e-300, 0),
    D(tolerance, NAN, 0),
    D(shift, 0.999, 1),
    D(shift, -0.999, 1),
    D(shift, 1, 0),
    D(shift, -1, 0),
    D(pivot, 0, 1),
    D(pivot, 0.999, 1),
    D(pivot, 1, 0),
    D(pivot, -1e-300, 0),
    D(solve_tolerance, 1e-300, 1),
    D(solve_tolerance, 0.999, 1),
    D(solve_tolerance, 0, 0),
    D(solve_tolerance, 1, 0),
};

static const edge counts[] = {
    D(method, TRM_DAE_METHOD_PSEUDO_COMPRESSIBILITY, 1),
    D(method, TRM_DAE_METHOD_SRM_INDEX3 + 1, 0),
    D(method, -1, 0),
    D(integrator, TRM_DAE_INTEGRATOR_HEUN, 1),
    D(integrator, TRM_DAE_INTEGRATOR_IMEX, 1),
    D(integrator, TRM_DAE_INTEGRATOR_IMEX + 1, 0),
    D(iterations, 1, 1),
    D(iterations, 1000, 1),
    D(iterations, 0, 0),
    D(iterations, 1001, 0),
    D(E, TRM_SRM_MATRIX_IDENTITY, 1),
    D(E, TRM_SRM_MATRIX_GB_INVERSE, 1),
    D(E, TRM_SRM_MATRIX_GB_INVERSE + 1, 0),
    D(start, TRM_DAE_START_EXACT, 1),
    D(start, TRM_DAE_START_GIVEN, 1),
    D(start, TRM_DAE_START_FUNCTION + 1, 0),
    D(solver, TRM_DAE_SOLVER_AUTO, 1),
    D(solver, TRM_DAE_SOLVER_FACTORS, 1),
    D(solver, TRM_DAE_SOLVER_FACTORS + 1, 0),
    D(solve_iterations, 1, 1),
    D(solve_iterations, 0, 0),
    D(project, 0, 1),
    D(project, 1, 1),
    D(project, -1, 0),
};

static void check_edge(const trm_dae_options *options, const edge *e)
{
    const trm_dae_problem problem = dense_net(&plain_net);
    char expected[64];
    snprintf(expected, sizeof expected, "%s is out of range", e->name);
    const int refused = strcmp(answer(&problem, options), expected) == 0;
    if (refused == e->good) {
        print_error("%s = %g: %s\n", e->name, e->value, answer(&problem, options));
        fail();
    }
}

CLAIM(every_range_ends_where_it_says)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
        memcpy((char *)&options + numbers[i].offset, &numbers[i].value, sizeof(double));
        check_edge(&options, &numbers[i]);
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
        const int value = (int)counts[i].value;
        memcpy((char *)&options + counts[i].offset, &value, sizeof value);
        check_edge(&options, &counts[i]);
    }
    const trm_dae_problem problem = dense_net(&plain_net);
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    options.start = TRM_DAE_START_FUNCTION;
    says(&problem, &options, "y0_of_t is out of range");
    options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    options.struct_size--;
    says(&problem, &options, "did not start from trm_dae_default_options");
    says(&problem, NULL, "expected options, got NULL");
}

// --------------------------------------------------------------------------- what goes with what

CLAIM(a_constraint_of_no_weight_is_refused)
{
    const trm_dae_problem problem = dense_net(&plain_net);
    for (int m = TRM_DAE_METHOD_SRM; m <= TRM_DAE_METHOD_PENALTY; m++) {
        trm_dae_options o = trm_dae_default_options((trm_dae_method)m);
        o.alpha2 = 0;
        says(&problem, &o, m == TRM_DAE_METHOD_PENALTY ? "" : "alpha1 and alpha2 are both zero");
        o.alpha1 = 1;
        says(&problem, &o, "");
    }
    trm_dae_options o = trm_dae_default_options(TRM_DAE_METHOD_SRM_SINGULAR);
    for (int E = TRM_SRM_MATRIX_IDENTITY; E <= TRM_SRM_MATRIX_GB_TRANSPOSED; E++) {
        o.E = (trm_srm_matrix)E;
        o.alpha1 = 0;
        says(&problem, &o, "");
        o.alpha1 = 0.5;
        says(&problem, &o, "SRM_SINGULAR with alpha1 > 0 goes with E = (GB)^-1 only");
    }
}

static int solve_no_L(double c0, double c1, double t, const double *x, const double *r, double *out,
                      void *user)
{
    (void)c1, (void)t, (void)x, (void)user;
    for (int i = 0; i < NX; i++) {
        out[i] = r[i] / c0;
    }
    return 0;
}

CLAIM(imex_needs_L_in_one_way)
{
    static const char needs[] = "an IMEX integrator needs L_rows or solve_L";
    trm_dae_options o = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    const trm_dae_problem dense = dense_net(&plain_net);
    for (int integrator = TRM_DAE_INTEGRATOR_IMEX_EULER; integrator <= TRM_DAE_INTEGRATOR_IMEX;
         integrator++) {
        o.integrator = (trm_dae_integrator)integrator;
        trm_dae_large large = by_products();
        const trm_dae_problem problem = large_net(&plain_net, &large);
        says(&dense, &o, needs);
        says(&problem, &o, needs);
        large.solve_L = solve_no_L;
        says(&problem, &o, "");
        if (trm_factor_available(0)) {
            large = by_rows_with_L();
            says(&problem, &o, "");
        }
    }
}

CLAIM(backward_euler_needs_all_rows)
{
    static const char needs[] = "backward Euler of a large problem goes with SRM and E = I";
    if (!trm_factor_available(0)) {
        return;
    }
    trm_dae_large large = by_rows_with_L();
    trm_dae_problem problem = large_net(&plain_net, &large);
    trm_dae_options good = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    problem.f = stiff_f;
    problem.linear = 1;
    good.integrator = TRM_DAE_INTEGRATOR_BACKWARD_EULER;
    good.E = TRM_SRM_MATRIX_IDENTITY;
    says(&problem, &good, "");
    for (int k = 0; k < 5; k++) {
        trm_dae_options o = good;
        large = by_rows_with_L();
        large.B_rows.start = k == 0 ? NULL : large.B_rows.start;
        large.B = k == 0 ? times_B : NULL;
        large.G_rows.start = k == 1 ? NULL : large.G_rows.start;
        large.G = k == 1 ? times_G : NULL;
        large.L_rows.start = k == 2 ? NULL : large.L_rows.start;
        o.method = k == 3 ? TRM_DAE_METHOD_PSEUDO_COMPRESSIBILITY : o.method;
        o.E = k == 4 ? TRM_SRM_MATRIX_GB_INVERSE : o.E;
        says(&problem, &o, needs);
    }
    large = by_rows_with_L();
    problem.linear = 0;
    says(&problem, &good, "backward Euler is for problems with linear set");
    good.integrator = TRM_DAE_INTEGRATOR_HEUN;
    says(&problem, &good, "");
}

/// E = (GB)^T is products with B^T and G^T, and delta a shift of GB: without alpha1.
CLAIM(large_problems_take_only_what_has_a_form)
{
    trm_dae_large large = by_products();
    const trm_dae_problem problem = large_net(&plain_net, &large);
    for (int m = TRM_DAE_METHOD_SRM; m <= TRM_DAE_METHOD_BAUMGARTE; m++) {
        trm_dae_options o = trm_dae_default_options((trm_dae_method)m);
        o.E = TRM_SRM_MATRIX_GB_TRANSPOSED;
        large = by_products();
        says(&problem, &o,
             m == TRM_DAE_METHOD_PENALTY ? "E = (GB)^T goes with alpha1 = 0 only" : "");
        o.alpha1 = 0.5;
        says(&problem, &o,
             m == TRM_DAE_METHOD_BAUMGARTE ? "" : "E = (GB)^T goes with alpha1 = 0 only");
        o.alpha1 = 0;
        large.B_transposed = NULL;
        if (m <= TRM_DAE_METHOD_SRM_SINGULAR) {
            says(&problem, &o, "E = (GB)^T needs B_transposed and G_transposed");
            large = by_products();
            large.G_transposed = NULL;
            says(&problem, &o, "E = (GB)^T needs B_transposed and G_transposed");
            large.G = NULL;
            large.G_rows = by_rows().G_rows;
            says(&problem, &o, "");
            large = by_products();
            large.B = large.B_transposed = NULL;
            large.B_rows = by_rows().B_rows;
            says(&problem, &o, "");
        } else if (m == TRM_DAE_METHOD_BAUMGARTE) {
            says(&problem, &o, "");
        }
        large = by_products();
        o.E = TRM_SRM_MATRIX_GB_INVERSE;
        o.delta = 0.1;
        says(&problem, &o, "");
        o.alpha1 = 0.5;
        says(&problem, &o, "delta > 0 goes with alpha1 = 0 only in large problems");
        o.delta = 0;
        says(&problem, &o, "");
    }
}
