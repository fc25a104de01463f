/// x'' = f - B y, 0 = g with B not M^-1 G^T, as index 2. q = (cos t, sin t) on the unit circle, y =
/// 1 + sin t,
///
///     g = (q.q - 1)/2,  G = q^T,  B = (q1, 2 q2 + q1/2)^T,  f = q''(t) + B(q(t)) y(t) + v - q'(t)
#include "trammel/trammel_error.h"
#include "validation/papers/boundary/boundary_values.h"
#include "validation/papers/claims/claims.h"

#include "trammel/trammel_dae.h"

#include <math.h>
#include <string.h>

static double y_of(double t)
{
    return 1 + sin(t);
}

/// The velocity and the force, out[4], at x = (q, v).
static int field(double t, const double *x, double *out, void *user)
{
    (void)user;
    const double c = cos(t), s = sin(t);
    out[0] = x[2];
    out[1] = x[3];
    out[2] = -c + c * y_of(t) + x[2] + s;
    out[3] = -s + (2 * s + c / 2) * y_of(t) + x[3] - c;
    return 0;
}

// ------------------------------------------------------------------------- (4.14)-(4.16), E = I

static int gap(double t, const double *x, double *out, void *user)
{
    (void)t, (void)user;
    out[0] = (x[0] * x[0] + x[1] * x[1] - 1) / 2;
    return 0;
}

static int gap_G(double t, const double *x, double *out, void *user)
{
    (void)t, (void)user;
    const double G[4] = {x[0], x[1], 0, 0};
    memcpy(out, G, sizeof G);
    return 0;
}

// ------------ (4.4)-(4.5): the constraint G v + g, whose derivative is g'' + g': alpha's (1, 2, 1)

static int one_gap(double t, const double *x, double *out, void *user)
{
    gap(t, x, out, user);
    out[0] += x[0] * x[2] + x[1] * x[3];
    return 0;
}

static int one_G(double t, const double *x, double *out, void *user)
{
    (void)t, (void)user;
    out[0] = x[0] + x[2];
    out[1] = x[1] + x[3];
    out[2] = x[0];
    out[3] = x[1];
    return 0;
}

static int one_B(double t, const double *x, double *out, void *user)
{
    (void)t, (void)user;
    out[0] = out[1] = 0;
    out[2] = x[0];
    out[3] = 2 * x[1] + x[0] / 2;
    return 0;
}

static const trm_dae_problem literal = {
    .name = "index 3", .nx = 4, .ny = 1, .f = field, .B = one_B, .g = gap, .G = gap_G};
static const trm_dae_problem single = {.name = "index 3, Baumgarte type",
                                       .nx = 4,
                                       .ny = 1,
                                       .f = field,
                                       .B = one_B,
                                       .g = one_gap,
                                       .G = one_G};

/// Largest error of q and v, and g, at t = 1.
static trm_status error_of(const trm_dae_problem *problem, const trm_dae_options *options,
                           double *off, double *drift, trm_error *err)
{
    const double x0[4] = {1, 0, 0, 1};
    trm_dae_sim *sim = NULL;
    trm_status status = trm_dae_sim_create(problem, options, 0, x0, &sim, err);
    status = status == TRM_OK ? trm_dae_sim_run(sim, 1, err) : status;
    if (status == TRM_OK) {
        const double exact[4] = {cos(1), sin(1), -sin(1), cos(1)};
        const double *x = trm_dae_sim_state(sim, 0).x;
        *off = 0;
        *drift = trm_dae_sim_state(sim, 0).drift;
        for (int i = 0; i < 4; i++) {
            *off = fmax(*off, fabs(x[i] - exact[i]));
        }
    }
    trm_dae_sim_destroy(sim);
    return status;
}

/// The largest distance of log2(error(epsilon)/error(epsilon/2)) from s, s = 1, 2.
static trm_status orders(const trm_dae_problem *problem, trm_dae_options options, double epsilon,
                         double *found, trm_error *err)
{
    *found = 0;
    for (int s = 1; s <= 2; s++) {
        double off[2] = {0, 0}, drift;
        for (int k = 0; k < 2; k++) {
            options.iterations = s;
            options.epsilon = epsilon / (1 << k);
            TRM_TRY(error_of(problem, &options, &off[k], &drift, err));
        }
        *found = fmax(*found, fabs(log2(off[0] / off[1]) - s));
    }
    return TRM_OK;
}

// -------------- (4.2): q1'' = -q1 + e^t - y, q2'' = -q2 + e^t - y, 0 = q1 + 2 q2 - sin t - 2 cos t

static int linear_field(double t, const double *x, double *out, void *user)
{
    (void)user;
    out[0] = x[2];
    out[1] = x[3];
    out[2] = -x[0] + exp(t);
    out[3] = -x[1] + exp(t);
    return 0;
}

static int linear_gaps(double t, const double *x, double *out, void *user)
{
    (void)user;
    out[0] = x[0] + 2 * x[1] - sin(t) - 2 * cos(t);
    out[1] = x[2] + 2 * x[3] - cos(t) + 2 * sin(t);
    return 0;
}

static int linear_rates(double t, const double *x, double *out, void *user)
{
    (void)x, (void)user;
    out[0] = -cos(t) + 2 * sin(t);
    out[1] = sin(t) + 2 * cos(t);
    return 0;
}

static int linear_G(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    static const double G[8] = {1, 2, 0, 0, 0, 0, 1, 2};
    for (int k = 0; k < 8; k++) {
        out[k] = G[k];
    }
    return 0;
}

static int linear_B(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    static const double B[8] = {1, 0, 1, 0, 0, 1, 0, 1};
    for (int k = 0; k < 8; k++) {
        out[k] = B[k];
    }
    return 0;
}

/// q1(0) = 0 and q1(1) = sin 1; the solution is q = (sin t, cos t), y = e^t.
static trm_status boundary_error(int steps, trm_dae_points points, int npoints, double *off,
                                 trm_error *err)
{
    static const double B0[8] = {1}, B1[8] = {0, 0, 0, 0, 1};
    const double beta[2] = {0, sin(1)};
    const trm_dae_problem problem = {.name = "boundary values of index 3",
                                     .nx = 4,
                                     .ny = 2,
                                     .f = linear_field,
                                     .B = linear_B,
                                     .g = linear_gaps,
                                     .G = linear_G,
                                     .g_t = linear_rates,
                                     .linear = 1};
    const trm_dae_boundary boundary = {.t0 = 0,
                                       .tf = 1,
                                       .steps = steps,
                                       .B0 = B0,
                                       .B1 = B1,
                                       .beta = beta,
                                       .points = points,
                                       .npoints = npoints};
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    trm_dae_bvp *bvp = NULL;
    options.epsilon = 1e-6;
    trm_status status = trm_dae_bvp_create(&problem, &options, &boundary, &bvp, err);
    for (int s = 0; s < 3 && status == TRM_OK; s++) {
        status = trm_dae_bvp_iterate(bvp, err);
    }
    *off = 0;
    for (int i = 0; i <= steps && status == TRM_OK; i++) {
        const trm_dae_state state = trm_dae_bvp_state(bvp, i);
        *off = fmax(*off, fabs(state.x[0] - sin(state.t)));
        *off = fmax(*off, fabs(state.x[3] + sin(state.t)));
    }
    trm_dae_bvp_destroy(bvp);
    return status;
}

trm_status trm_paper_claim_index3_boundary(double *found, trm_error *err)
{
    double coarse, fine = 1;
    trm_status status = boundary_error(20, TRM_DAE_POINTS_GAUSS, 1, &coarse, err);
    status = status == TRM_OK ? boundary_error(40, TRM_DAE_POINTS_GAUSS, 1, &fine, err) : status;
    *found = log2(coarse / fine);
    return status;
}

/// The larger distance of the observed orders from those of index 2: 4 with three Gauss points, 3
/// with two Radau points.
trm_status trm_paper_claim_collocation(double *found, trm_error *err)
{
    const struct {
        trm_dae_points points;
        int k, order;
    } all[] = {{TRM_DAE_POINTS_GAUSS, 3, 4}, {TRM_DAE_POINTS_RADAU, 2, 3}};
    *found = 0;
    for (int i = 0; i < 2; i++) {
        double coarse, fine = 1;
        trm_status status = boundary_error(5, all[i].points, all[i].k, &coarse, err);
        status =
            status == TRM_OK ? boundary_error(10, all[i].points, all[i].k, &fine, err) : status;
        if (status != TRM_OK) {
            return status;
        }
        *found = fmax(*found, fabs(log2(coarse / fine) - all[i].order));
    }
    return TRM_OK;
}

// -------------------- (4.23): q = (t - 1/2, t^2 - 1/4), y = e^t, B = (q1, 2 q2), GB = 0 at t = 1/2
//
//     z1' = z2 - (1/epsilon) B (GB)^-1 g(z1),    z2' = f - yhat_s,
//     yhat_s = P yhat_{s-1} + (1/epsilon) P z2
//
// The second line is (3.2) for the constraint G z2, the first stands in f.

static const double singular_epsilon = 2e-3;

static int singular_field(double t, const double *x, double *out, void *user)
{
    (void)user;
    const double q1 = t - 0.5, q2 = t * t - 0.25;
    const double gap = (x[0] * x[0] + x[1] * x[1] - q1 * q1 - q2 * q2) / 2;
    const double back = gap / (x[0] * x[0] + 2 * x[1] * x[1]) / singular_epsilon;
    out[0] = x[2] - x[0] * back;
    out[1] = x[3] - 2 * x[1] * back;
    out[2] = q1 * exp(t);
    out[3] = 2 + 2 * q2 * exp(t);
    return 0;
}

static int singular_gap(double t, const double *x, double *out, void *user)
{
    (void)user;
    out[0] = x[0] * x[2] + x[1] * x[3] - (t - 0.5) - 2 * t * (t * t - 0.25);
    return 0;
}

static int singular_rate(double t, const double *x, double *out, void *user)
{
    (void)x, (void)user;
    out[0] = -1 - 2 * (t * t - 0.25) - 4 * t * t;
    return 0;
}

static int singular_G(double t, const double *x, double *out, void *user)
{
    (void)t, (void)user;
    const double G[4] = {x[2], x[3], x[0], x[1]};
    for (int k = 0; k < 4; k++) {
        out[k] = G[k];
    }
    return 0;
}

static int singular_B(double t, const double *x, double *out, void *user)
{
    (void)t, (void)user;
    out[0] = out[1] = 0;
    out[2] = x[0];
    out[3] = 2 * x[1];
    return 0;
}

/// The error of q at t = 1. The mesh is shifted at t = 0.4003: where a mesh point hits t = 1/2, q
/// is roundoff there, P has no direction, and the velocity is lost.
trm_status trm_paper_claim_index3_singular(double *found, trm_error *err)
{
    const trm_dae_problem problem = {.name = "singular index 3",
                                     .nx = 4,
                                     .ny = 1,
                                     .f = singular_field,
                                     .B = singular_B,
                                     .g = singular_gap,
                                     .G = singular_G,
                                     .g_t = singular_rate};
    const double x0[4] = {-0.5, -0.25, 1, 0};
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM_SINGULAR);
    options.epsilon = singular_epsilon;
    options.iterations = 3;
    options.start = TRM_DAE_START_GIVEN;
    trm_dae_sim *sim = NULL;
    trm_status status = trm_dae_sim_create(&problem, &options, 0, x0, &sim, err);
    status = status == TRM_OK ? trm_dae_sim_run(sim, 0.4003, err) : status;
    status = status == TRM_OK ? trm_dae_sim_run(sim, 1, err) : status;
    if (status == TRM_OK) {
        const double *x = trm_dae_sim_state(sim, 0).x;
        *found = fmax(fabs(x[0] - 0.5), fabs(x[1] - 0.75));
    }
    trm_dae_sim_destroy(sim);
    return status;
}

// -------------------- nonholonomic: a skate on a slope, x = (x, y, theta, x', y', theta'), g = G v

static const double slope = 1, spin = 1; // g sin(alpha), theta'

static int skate(double t, const double *x, double *out, void *user)
{
    (void)t, (void)user;
    out[0] = x[3];
    out[1] = x[4];
    out[2] = x[5];
    out[3] = slope;
    out[4] = out[5] = 0;
    return 0;
}

static int skate_gap(double t, const double *x, double *out, void *user)
{
    (void)t, (void)user;
    out[0] = x[3] * sin(x[2]) - x[4] * cos(x[2]);
    return 0;
}

static int skate_G(double t, const double *x, double *out, void *user)
{
    (void)t, (void)user;
    out[0] = out[1] = out[5] = 0;
    out[2] = x[3] * cos(x[2]) + x[4] * sin(x[2]);
    out[3] = sin(x[2]);
    out[4] = -cos(x[2]);
    return 0;
}

static int skate_B(double t, const double *x, double *out, void *user)
{
    (void)t, (void)user;
    out[0] = out[1] = out[2] = out[5] = 0;
    out[3] = sin(x[2]);
    out[4] = -cos(x[2]);
    return 0;
}

/// From rest: x = sin^2(w t)/2, y = (w t - sin(2 w t)/2)/2 with g
/// sin(alpha) = w = 1: a cycloid, sideways.
trm_status trm_paper_claim_nonholonomic(double *found, trm_error *err)
{
    const trm_dae_problem problem = {.name = "skate on a slope",
                                     .nx = 6,
                                     .ny = 1,
                                     .f = skate,
                                     .B = skate_B,
                                     .g = skate_gap,
                                     .G = skate_G};
    const double x0[6] = {0, 0, 0, 0, 0, spin};
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_BAUMGARTE);
    options.alpha2 = 10;
    trm_dae_sim *sim = NULL;
    trm_status status = trm_dae_sim_create(&problem, &options, 0, x0, &sim, err);
    status = status == TRM_OK ? trm_dae_sim_run(sim, 5, err) : status;
    if (status == TRM_OK) {
        const double *x = trm_dae_sim_state(sim, 0).x;
        *found = fmax(fabs(x[0] - sin(5) * sin(5) / 2), fabs(x[1] - (5 - sin(10) / 2) / 2));
    }
    trm_dae_sim_destroy(sim);
    return status;
}

// -------------------------------------------------------------------------------- what is measured

static trm_dae_options options_of(double h)
{
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    options.h = h;
    options.E = TRM_SRM_MATRIX_IDENTITY;
    return options;
}

trm_status trm_paper_claim_index3(double *found, trm_error *err)
{
    trm_dae_options options = options_of(1e-4);
    options.method = TRM_DAE_METHOD_SRM_INDEX3;
    return orders(&literal, options, 0.01, found, err);
}

trm_status trm_paper_claim_index3_drift(double *found, trm_error *err)
{
    trm_dae_options options = options_of(1e-4);
    double off, drift[2] = {0, 1};
    trm_status status = TRM_OK;
    options.method = TRM_DAE_METHOD_SRM_INDEX3;
    options.E = TRM_SRM_MATRIX_GB_INVERSE;
    for (int k = 0; k < 2 && status == TRM_OK; k++) {
        options.epsilon = 0.02 / (1 << k);
        status = error_of(&literal, &options, &off, &drift[k], err);
    }
    *found = log2(drift[0] / drift[1]);
    return status;
}

trm_status trm_paper_claim_index3_uniform(double *found, trm_error *err)
{
    trm_dae_options options = options_of(1e-4);
    options.alpha1 = 1;
    options.start = TRM_DAE_START_GIVEN; // y_0 = 0
    return orders(&single, options, 0.02, found, err);
}
