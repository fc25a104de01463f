#include "validation/papers/claims/claims.h"
#include "validation/papers/shared/dae.h"

#include <math.h>
#include <string.h>

// ------------------------------------------------------------- layers: y_0 with M derivatives of y

static int y0_of(double t, const double *x, double *out, void *user)
{
    (void)x, (void)user;
    out[0] = 1 + t; // of y = e^t in Example 6.1
    return 0;
}

/// The largest error of By up to t = 5 epsilon, two iterates.
static trm_status layer(double epsilon, int M, double *off, trm_error *err)
{
    static const double right = 1;
    const trm_paper_dae *dae = &trm_paper_al95_61;
    trm_dae_options options =
        trm_paper_dae_options(TRM_DAE_METHOD_SRM, TRM_DAE_INTEGRATOR_HEUN, epsilon, 2);
    trm_dae_sim *sim = NULL;
    options.h = epsilon / 40;
    options.y0 = M == 0 ? &right : NULL;
    options.start = M == 1 ? TRM_DAE_START_FUNCTION : TRM_DAE_START_GIVEN;
    options.y0_of_t = y0_of;
    trm_status status = trm_dae_sim_create(&dae->problem, &options, 0, dae->x0, &sim, err);
    *off = 0;
    for (int n = 0; n < 200 && status == TRM_OK; n++) {
        const trm_dae_state state = trm_dae_sim_state(sim, 0);
        *off = fmax(*off, trm_paper_dae_ey(dae, &state, state.t));
        status = trm_dae_sim_step(sim, err);
    }
    trm_dae_sim_destroy(sim);
    return status;
}

trm_status trm_paper_claim_layers(double *found, trm_error *err)
{
    *found = 0;
    for (int M = -1; M <= 1; M++) {
        double wide, narrow;
        trm_status status = layer(0.01, M, &wide, err);
        status = status == TRM_OK ? layer(0.005, M, &narrow, err) : status;
        if (status != TRM_OK) {
            return status;
        }
        *found = fmax(*found, fabs(log2(wide / narrow) - (M + 1)));
    }
    return TRM_OK;
}

// ------------------------------------------------------------------------------ other choices of E

static trm_status error_at(const trm_paper_dae *dae, const trm_dae_options *options, double t,
                           double *off, trm_error *err)
{
    trm_dae_sim *sim = NULL;
    trm_status status = trm_dae_sim_create(&dae->problem, options, 0, dae->x0, &sim, err);
    status = status == TRM_OK ? trm_dae_sim_run(sim, t, err) : status;
    if (status == TRM_OK) {
        const trm_dae_state state = trm_dae_sim_state(sim, 0);
        *off = trm_paper_dae_ex(dae, &state);
    }
    trm_dae_sim_destroy(sim);
    return status;
}

trm_status trm_paper_claim_delta(double *found, trm_error *err)
{
    double moved = 1, shifted = 1;
    trm_dae_options options = trm_paper_dae_options(TRM_DAE_METHOD_SRM_SINGULAR,
                                                    TRM_DAE_INTEGRATOR_FORWARD_EULER, 0.1, 3);
    trm_status status = error_at(&trm_paper_al93_1, &options, 1, &moved, err);
    options.shift = 0;
    options.delta = 1e-8;
    status = status == TRM_OK ? error_at(&trm_paper_al93_1, &options, 1, &shifted, err) : status;
    *found = shifted / moved;
    return status;
}

trm_status trm_paper_claim_transposed(double *found, trm_error *err)
{
    trm_dae_options options =
        trm_paper_dae_options(TRM_DAE_METHOD_SRM_SINGULAR, TRM_DAE_INTEGRATOR_HEUN, 5e-3, 4);
    options.E = TRM_SRM_MATRIX_GB_TRANSPOSED;
    return error_at(&trm_paper_al95_61, &options, 1, found, err);
}

// ----------------------------------------------------------- Example 3.1: x = (t - pi/2, t + pi/2)

static const double half_pi = 1.57079632679489661923;

static int f_31(double t, const double *x, double *out, void *user)
{
    (void)t, (void)user;
    const double d = sin(x[1]) - sin(x[0]);
    out[0] = sin(x[0]) / d;
    out[1] = (2 * sin(x[1]) - sin(x[0])) / d;
    return 0;
}

static int G_31(double t, const double *x, double *out, void *user)
{
    (void)t, (void)user;
    out[0] = sin(x[0]);
    out[1] = sin(x[1]);
    return 0;
}

static int g_31(double t, const double *x, double *out, void *user)
{
    (void)t, (void)user;
    out[0] = -cos(x[0]) - cos(x[1]);
    return 0;
}

static void x_31(double t, double x[2])
{
    x[0] = t - half_pi;
    x[1] = t + half_pi;
}

/// By = (sin x1, sin x2)/(sin x2 - sin x1) = (-1/2, 1/2).
static void By_31(double t, double By[2])
{
    (void)t;
    By[0] = -0.5;
    By[1] = 0.5;
}

static const trm_paper_dae example_31 = {
    .problem =
        {.name = "AL95 example 3.1", .nx = 2, .ny = 1, .f = f_31, .B = G_31, .g = g_31, .G = G_31},
    .x0 = {-1.57079632679489661923, 1.57079632679489661923},
    .x = x_31,
    .By = By_31};

trm_status trm_paper_claim_direction(double *found, trm_error *err)
{
    double before = 1, after = 1;
    const trm_dae_options options =
        trm_paper_dae_options(TRM_DAE_METHOD_SRM_SINGULAR, TRM_DAE_INTEGRATOR_HEUN, 1e-3, 3);
    trm_status status = error_at(&example_31, &options, 1, &before, err);
    status = status == TRM_OK ? error_at(&example_31, &options, 2.5, &after, err) : status;
    *found = after / before;
    return status;
}

// ---------------------------------------------- Example 1.1: x' = y, 0 = x - p(t) - delta sin(w t)

typedef struct noise {
    double delta, w;
} noise;

static int rest(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    out[0] = 0;
    return 0;
}

static int minus_one(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    out[0] = -1;
    return 0;
}

static int gap_11(double t, const double *x, double *out, void *user)
{
    const noise *n = user;
    out[0] = sin(t) + n->delta * sin(n->w * t) - x[0];
    return 0;
}

static int rate_11(double t, const double *x, double *out, void *user)
{
    (void)x;
    const noise *n = user;
    out[0] = cos(t) + n->delta * n->w * cos(n->w * t);
    return 0;
}

/// The largest distance of y from p' up to t = 0.1.
trm_status trm_paper_claim_ill_posed(double *found, trm_error *err)
{
    noise n = {1e-6, 1000};
    const double x0 = 0;
    const trm_dae_problem problem = {.name = "thesis example 1.1",
                                     .nx = 1,
                                     .ny = 1,
                                     .f = rest,
                                     .B = minus_one,
                                     .g = gap_11,
                                     .G = minus_one,
                                     .g_t = rate_11,
                                     .user = &n};
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_BAUMGARTE);
    trm_dae_sim *sim = NULL;
    options.h = 1e-4;
    options.alpha2 = 1;
    trm_status status = trm_dae_sim_create(&problem, &options, 0, &x0, &sim, err);
    *found = 0;
    for (int k = 0; k < 1000 && status == TRM_OK; k++) {
        const trm_dae_state state = trm_dae_sim_state(sim, 0);
        *found = fmax(*found, fabs(state.y[0] - cos(state.t)) / (n.delta * n.w));
        status = trm_dae_sim_step(sim, err);
    }
    trm_dae_sim_destroy(sim);
    return status;
}

// -------------------------------------------------------------- a nonlinear boundary value problem
//
//     x1' = -x1 + (x1^2 - e^-2t)/2,  x2' = x1 x2 + q - y,  0 = x2 + x1^3 - sin t - e^-3t,
//     x1(0) + x1(1) = 1 + 1/e,
//     solution x = (e^-t, sin t), y = cos t with q = 2 cos t - e^-t sin t

static int f_nonlinear(double t, const double *x, double *out, void *user)
{
    (void)user;
    out[0] = -x[0] + (x[0] * x[0] - exp(-2 * t)) / 2;
    out[1] = x[0] * x[1] + 2 * cos(t) - exp(-t) * sin(t);
    return 0;
}

static int B_second(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    out[0] = 0;
    out[1] = 1;
    return 0;
}

static int g_nonlinear(double t, const double *x, double *out, void *user)
{
    (void)user;
    out[0] = x[1] + x[0] * x[0] * x[0] - sin(t) - exp(-3 * t);
    return 0;
}

static int G_nonlinear(double t, const double *x, double *out, void *user)
{
    (void)t, (void)user;
    out[0] = 3 * x[0] * x[0];
    out[1] = 1;
    return 0;
}

static int g_t_nonlinear(double t, const double *x, double *out, void *user)
{
    (void)x, (void)user;
    out[0] = -cos(t) + 3 * exp(-3 * t);
    return 0;
}

static int guess_one(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    out[0] = 1;
    out[1] = 0;
    return 0;
}

/// Largest error of x at mesh points; the mesh is uniform or (i/N)^2.
static trm_status boundary_error(int steps, trm_dae_method method, int graded, double *off,
                                 trm_error *err)
{
    static const double B0[2] = {1, 0}, B1[2] = {1, 0};
    const double beta = 1 + exp(-1);
    const trm_dae_problem problem = {.name = "nonlinear boundary values",
                                     .nx = 2,
                                     .ny = 1,
                                     .f = f_nonlinear,
                                     .B = B_second,
                                     .g = g_nonlinear,
                                     .G = G_nonlinear,
                                     .g_t = g_t_nonlinear};
    double mesh[81];
    for (int i = 0; i <= steps; i++) {
        mesh[i] = (double)(i * i) / (steps * steps);
    }
    const trm_dae_boundary boundary = {.t0 = 0,
                                       .tf = 1,
                                       .steps = steps,
                                       .B0 = B0,
                                       .B1 = B1,
                                       .beta = &beta,
                                       .mesh = graded ? mesh : NULL,
                                       .guess = guess_one};
    trm_dae_options options = trm_dae_default_options(method);
    trm_dae_bvp *bvp = NULL;
    options.epsilon = 1e-6;
    trm_status status = trm_dae_bvp_create(&problem, &options, &boundary, &bvp, err);
    for (int s = 0; s < 3 && status == TRM_OK; s++) {
        status = trm_dae_bvp_iterate(bvp, err);
    }
    *off = 0;
    for (int i = 0; i <= steps && status == TRM_OK; i++) {
        const trm_dae_state state = trm_dae_bvp_state(bvp, i);
        *off = fmax(*off, fmax(fabs(state.x[0] - exp(-state.t)), fabs(state.x[1] - sin(state.t))));
    }
    trm_dae_bvp_destroy(bvp);
    return status;
}

static trm_status boundary_order(trm_dae_method method, int graded, double *found, trm_error *err)
{
    double coarse, fine = 1;
    trm_status status = boundary_error(40, method, graded, &coarse, err);
    status = status == TRM_OK ? boundary_error(80, method, graded, &fine, err) : status;
    *found = log2(coarse / fine);
    return status;
}

trm_status trm_paper_claim_nonlinear_boundary(double *found, trm_error *err)
{
    return boundary_order(TRM_DAE_METHOD_SRM, 0, found, err);
}

trm_status trm_paper_claim_graded_mesh(double *found, trm_error *err)
{
    return boundary_order(TRM_DAE_METHOD_SRM, 1, found, err);
}

trm_status trm_paper_claim_baumgarte_boundary(double *found, trm_error *err)
{
    return boundary_order(TRM_DAE_METHOD_BAUMGARTE, 0, found, err);
}
