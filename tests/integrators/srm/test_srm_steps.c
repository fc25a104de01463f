/// Sequential regularization, step by step: every form of its equations against the formulas of its
/// papers, written here for two rows and three unknowns, and the epsilon that is chosen.
#include "tests/integrators/one_step.h"

enum { MOST = 3, NY = 4 }; // iterates; entries of y

/// dz and y at (t, z) from y of the iterate before; lambda: the multipliers that belong to y.
typedef void form_fn(const trm_options *o, double t, const double *z, const double *before,
                     double *dz, double *y, double *lambda);
/// y of iterate 0 at the start.
typedef void first_fn(double t, const double *z, const double *lambda, double *y);

/// x := E x, with (G W G^T)^T = G W G^T
static void apply_E(point *p, trm_srm_matrix E, double *x)
{
    const double r[NC] = {x[0], x[1]};
    if (E == TRM_SRM_MATRIX_GB_INVERSE) {
        solve(p->S, r, x);
    } else if (E == TRM_SRM_MATRIX_GB_TRANSPOSED) {
        x[0] = p->S[0][0] * r[0] + p->S[0][1] * r[1];
        x[1] = p->S[1][0] * r[0] + p->S[1][1] * r[1];
    }
}

/// [AL95 (5.3)-(5.4)]
static void sequential(const trm_options *o, double t, const double *z, const double *before,
                       double *dz, double *y, double *lambda)
{
    point p = point_at(t, z, 1);
    double g[NC] = {p.g[0], p.g[1]}, reaction[NV], back[NV];
    y[0] = p.h[0], y[1] = p.h[1];
    apply_E(&p, o->srm.E, y);
    apply_E(&p, o->srm.E, g);
    for (int i = 0; i < NC; i++) {
        lambda[i] = y[i] = before[i] + y[i] / o->srm.epsilon;
    }
    times(p.B, y, reaction);
    times(p.B, g, back);
    for (int j = 0; j < NV; j++) {
        dz[j] = z[NV + j] - back[j] / o->srm.epsilon;
        dz[NV + j] = p.a[j] - reaction[j];
    }
    dz[NZ - 1] = y[0] * p.g_t[0] + y[1] * p.g_t[1];
}

static void lambda_itself(double t, const double *z, const double *lambda, double *y)
{
    (void)t, (void)z;
    y[0] = lambda[0], y[1] = lambda[1];
}

/// [AL95 (5.5)-(5.6)]: y is lambda-hat.
static void singular(const trm_options *o, double t, const double *z, const double *before,
                     double *dz, double *y, double *lambda)
{
    point p = point_at(t, z, 1);
    double r[NC], g[NC], back[NV];
    times_G(&p, before, r);
    for (int i = 0; i < NC; i++) {
        r[i] += p.h[i] / o->srm.epsilon;
    }
    solve(p.S, r, lambda);
    solve(p.S, p.g, g);
    times(p.B, lambda, y);
    times(p.B, g, back);
    for (int j = 0; j < NV; j++) {
        dz[j] = z[NV + j] - back[j] / o->srm.epsilon;
        dz[NV + j] = p.a[j] - y[j];
    }
    dz[NZ - 1] = lambda[0] * p.g_t[0] + lambda[1] * p.g_t[1];
}

static void B_lambda(double t, const double *z, const double *lambda, double *y)
{
    point p = point_at(t, z, 1);
    times(p.B, lambda, y);
}

/// [AL95 (4.12)]: y = zeta, of g and of G v + g_t.
static void invariant(const trm_options *o, double t, const double *z, const double *before,
                      double *dz, double *y, double *lambda)
{
    point p = point_at(t, z, o->mass_metric);
    double position[NV], velocity[NV];
    index1_of(t, z, 0.0, 0.0, dz, lambda);
    for (int i = 0; i < NC; i++) {
        y[i] = p.g[i];
        y[NC + i] = p.h[i];
    }
    apply_E(&p, o->srm.E, y);
    apply_E(&p, o->srm.E, y + NC);
    for (int i = 0; i < 2 * NC; i++) {
        y[i] = before[i] + y[i] / o->srm.epsilon;
    }
    times(p.W, y, position);
    times(p.W, y + NC, velocity);
    for (int j = 0; j < NV; j++) {
        dz[j] -= position[j];
        dz[NV + j] -= velocity[j];
    }
}

static void zeta_of_zero(double t, const double *z, const double *lambda, double *y)
{
    (void)t, (void)z, (void)lambda;
    memset(y, 0, NY * sizeof *y);
}

/// [AL95 (4.4)-(4.5)]: (epsilon I + alpha2 G B) d = alpha2 (G a - gamma) + alpha1 h + alpha0 g
static void augmented(const trm_options *o, double t, const double *z, const double *before,
                      double *dz, double *y, double *lambda)
{
    point p = point_at(t, z, 1);
    double a[NV], reaction[NV], d[NC];
    times(p.B, before, reaction);
    for (int j = 0; j < NV; j++) {
        a[j] = p.a[j] - reaction[j];
    }
    times_G(&p, a, d);
    for (int i = 0; i < NC; i++) {
        d[i] = o->alf.alpha2 * (d[i] - p.gamma[i]) + o->baumgarte.alpha1 * p.h[i] +
               o->baumgarte.alpha0 * p.g[i];
        for (int k = 0; k < NC; k++) {
            p.S[i][k] = o->alf.alpha2 * p.S[i][k] + (i == k ? o->srm.epsilon : 0.0);
        }
    }
    solve(p.S, d, d);
    times(p.B, d, reaction);
    for (int j = 0; j < NV; j++) {
        dz[j] = z[NV + j];
        dz[NV + j] = a[j] - reaction[j];
    }
    for (int i = 0; i < NC; i++) {
        lambda[i] = y[i] = before[i] + d[i];
    }
    dz[NZ - 1] = y[0] * p.g_t[0] + y[1] * p.g_t[1];
}

// ------------------------------------------------------------------------------------------ steps

/// All iterates at one time.
typedef struct mesh_point {
    double z[MOST + 1][NZ], dz[MOST + 1][NZ], y[MOST + 1][NY], lambda[NC];
} mesh_point;

/// k1 = F(t_n), k2 = F(t_n + h, z + h k1), both with y of iterate s-1 at their time.
static void heun_step(const trm_options *o, form_fn *form, double t, mesh_point *now)
{
    mesh_point next = *now;
    for (int s = 1; s <= o->srm.iterations; s++) {
        double stage[NZ], k2[NZ], y[NY];
        for (int i = 0; i < NZ; i++) {
            stage[i] = now->z[s][i] + o->h * now->dz[s][i];
        }
        form(o, t + o->h, stage, next.y[s - 1], k2, y, next.lambda);
        for (int i = 0; i < NZ; i++) {
            next.z[s][i] = now->z[s][i] + 0.5 * o->h * (now->dz[s][i] + k2[i]);
        }
        form(o, t + o->h, next.z[s], next.y[s - 1], next.dz[s], next.y[s], next.lambda);
    }
    *now = next;
}

/// All iterates at z, and their y.
static mesh_point begin_at(const trm_options *o, form_fn *form, first_fn *first, double t,
                           const double *z)
{
    mesh_point now = {.lambda = {0.0}};
    double dz[NZ], lambda[NC];
    index1_of(t, z, 0.0, 0.0, dz, lambda);
    if (!o->srm.lambda0_zero) {
        first(t, z, lambda, now.y[0]);
    }
    for (int s = 1; s <= o->srm.iterations; s++) {
        memcpy(now.z[s], z, sizeof now.z[s]);
        form(o, t, z, now.y[s - 1], now.dz[s], now.y[s], now.lambda);
    }
    return now;
}

/// Two steps, then five more from where a shock has moved the last iterate.
static void follow(const char *what, const trm_options *o, form_fn *form, first_fn *first)
{
    static const double dq[NV] = {0.01, 0.02, -0.03}, dv[NV] = {-0.05, 0.04, 0.02};
    const int m = o->srm.iterations;
    trm_error err;
    double z[NZ];
    rig r = open_bent();
    rig_start(&r, *o);
    start_of(z);
    mesh_point now = begin_at(o, form, first, 0.0, z);
    check_step(what, &r, now.z[m], now.dz[m], now.lambda);
    for (int n = 0; n < 7; n++) {
        if (n == 2) {
            rig_ok(trm_sim_perturb(r.sim, dq, dv, &err), &err);
            memcpy(z, now.z[m], sizeof z);
            for (int j = 0; j < NV; j++) {
                z[j] += dq[j];
                z[NV + j] += dv[j];
            }
            now = begin_at(o, form, first, n * o->h, z);
        }
        heun_step(o, form, n * o->h, &now);
        rig_run(&r, (n + 1) * o->h);
        check_step(what, &r, now.z[m], now.dz[m], now.lambda);
    }
    rig_close(&r);
}

static trm_options long_steps(trm_stabilization stabilization, int iterations)
{
    trm_options o = rig_fixed(TRM_INTEGRATOR_HEUN, stabilization, 0.05);
    o.srm.epsilon = 0.2;
    o.srm.iterations = iterations;
    return o;
}

static const trm_srm_matrix all_E[] = {TRM_SRM_MATRIX_IDENTITY, TRM_SRM_MATRIX_GB_TRANSPOSED,
                                       TRM_SRM_MATRIX_GB_INVERSE};

CLAIM(srm_is_its_formula)
{
    for (int k = 0; k < 12; k++) {
        trm_options o = long_steps(TRM_STABILIZATION_SRM, k % 2 == 0 ? 1 : MOST);
        o.srm.E = all_E[k % 3];
        o.srm.lambda0_zero = k >= 6;
        follow("srm", &o, sequential, lambda_itself);
    }
}

CLAIM(lambda_hat_is_its_formula)
{
    for (int k = 0; k < 4; k++) {
        trm_options o = long_steps(TRM_STABILIZATION_SRM, k % 2 == 0 ? 1 : MOST);
        o.srm.form = TRM_SRM_LAMBDA_HAT;
        o.srm.lambda0_zero = k >= 2;
        follow("lambda-hat", &o, singular, B_lambda);
    }
}

CLAIM(srm_invariant_is_its_formula)
{
    for (int k = 0; k < 12; k++) {
        trm_options o = long_steps(TRM_STABILIZATION_SRM_INVARIANT, k % 2 == 0 ? 1 : 2);
        o.srm.E = all_E[k % 3];
        o.mass_metric = k >= 6;
        follow("srm-invariant", &o, invariant, zeta_of_zero);
    }
}

CLAIM(alf_is_its_formula)
{
    for (int k = 0; k < 8; k++) {
        trm_options o = long_steps(TRM_STABILIZATION_ALF, k % 2 == 0 ? 1 : MOST);
        o.alf.alpha2 = k % 4 < 2 ? 0.0 : 0.3;
        o.baumgarte.alpha1 = 0.9;
        o.baumgarte.alpha0 = 1.7;
        o.srm.lambda0_zero = k >= 4;
        follow("alf", &o, augmented, lambda_itself);
    }
}

// ---------------------------------------------------------------------------------------- epsilon

/// Largest eigenvalue of a 2 x 2 matrix with real ones.
static double largest_eigenvalue(double A[NC][NC])
{
    const double half = 0.5 * (A[0][0] + A[1][1]);
    return half + sqrt(half * half - A[0][0] * A[1][1] + A[0][1] * A[1][0]);
}

static void check_epsilon(trm_options o, double epsilon, double safe)
{
    rig r = open_bent();
    o.srm.epsilon = 0.0;
    rig_start(&r, o);
    near("epsilon", trm_sim_stats(r.sim).epsilon, epsilon, 1e-6 * epsilon);
    near("epsilon_safe", trm_sim_stats(r.sim).epsilon_safe, safe, 1e-6 * safe);
    rig_close(&r);
}

/// Heun's method is stable on [-2, 0]: h rho/epsilon <= 2. Chosen is three times that epsilon where
/// rho changes on the way, and twice where it is 1 everywhere.
CLAIM(epsilon_follows_from_the_step)
{
    double z[NZ];
    start_of(z);
    for (int metric = 0; metric < 2; metric++) {
        point p = point_at(0.0, z, metric);
        const double rho = largest_eigenvalue(p.S), h = 0.05;
        trm_options o = long_steps(TRM_STABILIZATION_SRM_INVARIANT, 1);
        o.mass_metric = metric;
        o.srm.E = TRM_SRM_MATRIX_IDENTITY;
        check_epsilon(o, 1.5 * h * rho, 0.5 * h * rho);
        o.srm.E = TRM_SRM_MATRIX_GB_TRANSPOSED;
        check_epsilon(o, 1.5 * h * rho * rho, 0.5 * h * rho * rho);
        o.srm.E = TRM_SRM_MATRIX_GB_INVERSE;
        check_epsilon(o, 1.5 * h, 0.5 * h);
        if (metric) {
            o.stabilization = TRM_STABILIZATION_SRM;
            check_epsilon(o, h, 0.5 * h);
            o.srm.E = TRM_SRM_MATRIX_GB_TRANSPOSED;
            check_epsilon(o, 1.5 * h * rho * rho, 0.5 * h * rho * rho);
            o.srm.E = TRM_SRM_MATRIX_IDENTITY;
            check_epsilon(o, 1.5 * h * rho, 0.5 * h * rho);
            o.srm.form = TRM_SRM_LAMBDA_HAT;
            o.srm.E = TRM_SRM_MATRIX_GB_INVERSE;
            check_epsilon(o, h, 0.5 * h);
            o.srm.form = TRM_SRM_LAMBDA;
            o.srm.E = TRM_SRM_MATRIX_IDENTITY;
            o.stabilization = TRM_STABILIZATION_ALF;
            o.alf.alpha2 = 0.0;
            o.baumgarte.alpha1 = 4.0;
            check_epsilon(o, 1.5 * h * 4.0 * rho, 0.5 * h * 4.0 * rho);
            o.alf.alpha2 = 1.0;
            check_epsilon(o, 1e-8, 0.0);
        }
    }
}

/// 1e-10 kg pushed by 1e-10 N, from x = 0.102 m on by 1e300 N, an acceleration beyond all numbers.
static int sudden_f(const trm_model *model, double t, const double *q, const double *v, double *f,
                    void *user)
{
    (void)model, (void)t, (void)v, (void)user;
    f[0] = q[0] > 0.102 ? 1e300 : 1e-10;
    f[1] = 0.0;
    return 0;
}

static int light_M(const trm_model *model, double t, const double *q, double *M, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    M[0] = M[3] = 1e-10;
    M[1] = M[2] = 0.0;
    return 0;
}

static int height(const trm_model *model, double t, const double *q, double *g, void *user)
{
    (void)model, (void)t, (void)user;
    g[0] = q[1];
    return 0;
}

static int of_height(const trm_model *model, double t, const double *q, double *G, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    G[0] = 0.0;
    G[1] = 1.0;
    return 0;
}

static int no_gamma(const trm_model *model, double t, const double *q, const double *v,
                    double *gamma, void *user)
{
    (void)model, (void)t, (void)q, (void)v, (void)user;
    gamma[0] = 0.0;
    return 0;
}

/// With h = 0.1 s and v = 1 m/s the stage is at 0.1 m, the end at 0.105 m: a finite state, whose
/// rates are not. The step is refused.
CLAIM(a_step_ends_with_finite_rates)
{
    static const double q0[2] = {0.0, 0.0}, v0[2] = {1.0, 0.0};
    rig r = rig_equations(&(trm_equations){.name = "sudden",
                                           .nq = 2,
                                           .nv = 2,
                                           .nc = 1,
                                           .q0 = q0,
                                           .v0 = v0,
                                           .M = light_M,
                                           .f = sudden_f,
                                           .g = height,
                                           .G = of_height,
                                           .gamma = no_gamma});
    trm_error err = {.status = TRM_OK};
    trm_options o = rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_SRM, 0.1);
    rig_start(&r, o);
    assert_int_equal(trm_sim_step(r.sim, &err), TRM_ERR_DIVERGED);
    assert_non_null(strstr(err.message, "the state is not finite after the step"));
    assert_true(trm_sim_state(r.sim).t == 0.0);
    rig_close(&r);
}
