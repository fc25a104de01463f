/// Single steps: Runge-Kutta methods with every stabilization of the index-1 form, and the
/// half-explicit one, against their formulas, written here for two rows and three unknowns.
#include "integrators/rk/dormand_prince.h"
#include "tests/integrators/one_step.h"

// --------------------------------------------------------------------------------- stabilizations

/// x = F r = W G^T (G W G^T)^-1 r
static void F_times(point *p, const double *r, double *x)
{
    double y[NC];
    solve(p->S, r, y);
    times(p->W, y, x);
}

static double larger_of(const double *r)
{
    return fmax(fabs(r[0]), fabs(r[1]));
}

/// q -= alpha F g and v -= alpha F h, of the parts that are wanted, F and h at z.
static void correct_once(const trm_options *o, int position, int velocity, double t, double *z)
{
    point p = point_at(t, z, o->mass_metric);
    double dq[NV], dv[NV];
    F_times(&p, p.g, dq);
    F_times(&p, p.h, dv);
    for (int j = 0; j < NV; j++) {
        z[j] -= position * o->post.alpha * dq[j];
        z[NV + j] -= velocity * o->post.alpha * dv[j];
    }
}

/// z -= alpha W G(at)^T (G W G^T)(inverse)^-1 h(z)
static void correct_with(const trm_options *o, const point *at, point *inverse, double t, double *z)
{
    point p = point_at(t, z, o->mass_metric), mixed = *at;
    double dq[NV], dv[NV];
    memcpy(mixed.S, inverse->S, sizeof mixed.S);
    F_times(&mixed, p.g, dq);
    F_times(&mixed, p.h, dv);
    for (int j = 0; j < NV; j++) {
        z[j] -= o->post.alpha * dq[j];
        z[NV + j] -= o->post.alpha * dv[j];
    }
}

/// S-both twice; w: the argument of the last stage.
static void correct_twice(const trm_options *o, double t, const double *w, double *z)
{
    point first = point_at(t, o->post.formula == TRM_POST_FORMULA_STAGE ? w : z, o->mass_metric);
    correct_with(o, &first, &first, t, z);
    const point second = point_at(t, z, o->mass_metric);
    correct_with(o, o->post.formula == TRM_POST_FORMULA_TABLES ? &second : &first, &first, t, z);
}

/// A x = r of n unknowns by elimination with partial pivoting; A and r are overwritten.
static void eliminate(int n, double A[4][4], double *r, double *x)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++) {
            best = fabs(A[i][k]) > fabs(A[best][k]) ? i : best;
        }
        for (int j = 0; j < n; j++) {
            const double held = A[k][j];
            A[k][j] = A[best][j], A[best][j] = held;
        }
        const double held = r[k];
        r[k] = r[best], r[best] = held;
        for (int i = k + 1; i < n; i++) {
            const double factor = A[i][k] / A[k][k];
            for (int j = k; j < n; j++) {
                A[i][j] -= factor * A[k][j];
            }
            r[i] -= factor * r[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        x[i] = r[i];
        for (int j = i + 1; j < n; j++) {
            x[i] -= A[i][j] * x[j];
        }
        x[i] /= A[i][i];
    }
}

/// (A + delta I) x = r
static void solve_damped(double A[4][4], double delta, const double *r, double *x)
{
    double L[4][4], right[4] = {r[0], r[1], r[2], r[3]};
    memcpy(L, A, sizeof L);
    for (int i = 0; i < 4; i++) {
        L[i][i] += delta;
    }
    eliminate(4, L, right, x);
}

/// z -= alpha H^T (H H^T)^-1 (g, h), H = (G 0; C G), C = d(G v + g_t)/dq, the inverse by a damped
/// one and one proximal step: y = y1 + (A + delta)^-1 (r - A y1).
static void correct_fully(const trm_options *o, double t, double *z)
{
    const point p = point_at(t, z, 0);
    const double *v = z + NV;
    double r[4] = {p.g[0], p.g[1], p.h[0], p.h[1]}, y[4], more[4], A[4][4] = {{0.0}};
    double H[4][2 * NV] = {{0.0}};
    for (int i = 0; i < NC; i++) {
        for (int j = 0; j < NV; j++) {
            H[i][j] = H[NC + i][NV + j] = p.G[i][j];
        }
    }
    H[2][0] = 2.0 * v[0], H[2][2] = 0.2;
    H[3][1] = v[2], H[3][2] = v[1];
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) {
            for (int j = 0; j < 2 * NV; j++) {
                A[i][k] += H[i][j] * H[k][j];
            }
        }
    }
    const double delta = o->damping * fmax(fmax(A[0][0], A[1][1]), fmax(A[2][2], A[3][3]));
    solve_damped(A, delta, r, y);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) {
            r[i] -= A[i][k] * y[k];
        }
    }
    solve_damped(A, delta, r, more);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 2 * NV; j++) {
            z[j] -= o->post.alpha * (y[i] + more[i]) * H[i][j];
        }
    }
}

/// q + alpha F(q) g(q) = q~, by an iteration that takes 1/(1 + alpha) of the defect;
/// v = v~ - alpha/(1 + alpha) F h.
static void correct_implicitly(const trm_options *o, double t, double *z)
{
    const double alpha = o->post.alpha, from[NV] = {z[0], z[1], z[2]};
    double x[NV];
    for (int k = 0; k < 200; k++) {
        point p = point_at(t, z, o->mass_metric);
        F_times(&p, p.g, x);
        for (int j = 0; j < NV; j++) {
            z[j] -= (z[j] + alpha * x[j] - from[j]) / (1.0 + alpha);
        }
    }
    point p = point_at(t, z, o->mass_metric);
    F_times(&p, p.h, x);
    for (int j = 0; j < NV; j++) {
        z[NV + j] -= alpha / (1.0 + alpha) * x[j];
    }
}

/// q -= F(q) g(q) until g = 0, then v -= F h
static void project(const trm_options *o, double t, double *z)
{
    trm_options once = *o;
    once.post.alpha = 1.0;
    for (int k = 0; k < 20; k++) {
        const point p = point_at(t, z, o->mass_metric);
        if (larger_of(p.g) < 1e-15) {
            break;
        }
        correct_once(&once, 1, 0, t, z);
    }
    correct_once(&once, 0, 1, t, z);
}

/// Along D = W G^T of where the step began, or along the coordinates 0 and 1, which complete
/// pivoting of G finds there: q - D y with g = 0, v - D y with h = 0.
static void along_D(const trm_options *o, const point *begin, double t, double *z)
{
    point p;
    double D[NV][NC] = {{1.0, 0.0}, {0.0, 1.0}}, y[NC], x[NV];
    if (o->state_space.tangent) {
        memcpy(D, begin->W, sizeof D);
    }
    for (int k = 0; k < 30; k++) {
        p = point_at(t, z, o->mass_metric);
        for (int i = 0; i < NC; i++) {
            for (int c = 0; c < NC; c++) {
                p.S[i][c] = p.G[i][0] * D[0][c] + p.G[i][1] * D[1][c] + p.G[i][2] * D[2][c];
            }
        }
        solve(p.S, p.g, y);
        times(D, y, x);
        for (int j = 0; j < NV; j++) {
            z[j] -= x[j];
        }
    }
    solve(p.S, p.h, y);
    times(D, y, x);
    for (int j = 0; j < NV; j++) {
        z[NV + j] -= x[j];
    }
}

/// dz and lambda at a stage of the step that began at `begin`.
static void rates(const trm_options *o, const point *begin, double t, const double *z, double *dz,
                  double *lambda)
{
    if (o->stabilization == TRM_STABILIZATION_BAUMGARTE) {
        index1_of(t, z, o->baumgarte.alpha1, o->baumgarte.alpha0, dz, lambda);
        return;
    }
    double on[NZ];
    memcpy(on, z, sizeof on);
    if (o->stabilization == TRM_STABILIZATION_STATE_SPACE) {
        along_D(o, begin, t, on);
    }
    index1_of(t, on, 0.0, 0.0, dz, lambda);
    if (o->stabilization == TRM_STABILIZATION_S_CONTINUOUS) {
        point p = point_at(t, z, o->mass_metric);
        double dq[NV], dv[NV];
        F_times(&p, p.g, dq);
        F_times(&p, p.h, dv);
        for (int j = 0; j < NV; j++) {
            dz[j] -= o->post.gamma * dq[j];
            dz[NV + j] -= o->post.gamma * dv[j];
        }
    }
}

static void correct(const trm_options *o, const point *begin, double t, const double *w, double *z)
{
    switch (o->stabilization) {
    case TRM_STABILIZATION_S_BOTH:
        correct_once(o, 1, 1, t, z);
        break;
    case TRM_STABILIZATION_S_POS:
        correct_once(o, 1, 0, t, z);
        break;
    case TRM_STABILIZATION_S_VEL:
        correct_once(o, 0, 1, t, z);
        break;
    case TRM_STABILIZATION_S_BOTH2:
        correct_twice(o, t, w, z);
        break;
    case TRM_STABILIZATION_S_FULL:
        correct_fully(o, t, z);
        break;
    case TRM_STABILIZATION_S_IMPLICIT:
        correct_implicitly(o, t, z);
        break;
    case TRM_STABILIZATION_PROJECTION:
        project(o, t, z);
        break;
    case TRM_STABILIZATION_STATE_SPACE:
        along_D(o, begin, t, z);
        break;
    default:
        break;
    }
}

// ------------------------------------------------------------------------------------ the methods

enum { STAGES = TRM_EMBEDDED_STAGES };

typedef struct tableau {
    int stages;
    double c[STAGES], a[STAGES][STAGES], b[STAGES];
} tableau;

// clang-format off
static const tableau heun = {2, {0, 1}, {{0}, {1}}, {0.5, 0.5}};
static const tableau midpoint = {2, {0, 0.5}, {{0}, {0.5}}, {0, 1}};
static const tableau kutta = {4, {0, 0.5, 0.5, 1}, {{0}, {0.5}, {0, 0.5}, {0, 0, 1}},
                              {1.0 / 6, 2.0 / 6, 2.0 / 6, 1.0 / 6}};
// clang-format on

/// The table of dopri5 fulfils the order conditions: test_tableaux.c.
static tableau dormand_prince(void)
{
    tableau rk = {.stages = trm_embedded_5.stages};
    for (int i = 0; i < rk.stages; i++) {
        rk.c[i] = trm_embedded_5.c[i];
        rk.b[i] = trm_embedded_5.a[rk.stages][i];
        memcpy(rk.a[i], trm_embedded_5.a[i], sizeof rk.a[i]);
    }
    return rk;
}

/// One step from t, corrected; w: the argument of the last stage.
static void explicit_step(const trm_options *o, const tableau *rk, double t, double *z)
{
    const point begin = point_at(t, z, o->mass_metric);
    double k[STAGES][NZ], w[NZ], lambda[NC];
    for (int i = 0; i < rk->stages; i++) {
        memcpy(w, z, sizeof w);
        for (int l = 0; l < i * NZ; l++) {
            w[l % NZ] += o->h * rk->a[i][l / NZ] * k[l / NZ][l % NZ];
        }
        rates(o, &begin, t + rk->c[i] * o->h, w, k[i], lambda);
    }
    for (int l = 0; l < rk->stages * NZ; l++) {
        z[l % NZ] += o->h * rk->b[l / NZ] * k[l / NZ][l % NZ];
    }
    correct(o, &begin, t + o->h, w, z);
}

/// Q_i = q + h sum a_ij V_j, V_i = v + h sum a_ij k_j, k_j = M^-1 f - B lambda_j, and lambda_{i-1}
/// from 0 = G(Q_i) V_i + g_t; the last row of a is b.
static void half_explicit_step(const trm_options *o, const tableau *unused, double t, double *z)
{
    static const double c[4] = {0.0, 1.0 / 3.0, 1.0, 1.0};
    static const double a[4][3] = {{0}, {1.0 / 3.0}, {-1.0, 2.0}, {0.0, 0.75, 0.25}};
    double Z[4][NZ], k[3][NZ];
    (void)unused;
    memcpy(Z[0], z, sizeof Z[0]);
    for (int i = 1; i < 4; i++) {
        point last = point_at(t + c[i - 1] * o->h, Z[i - 1], 1);
        double S[NC][NC] = {{0.0}}, lambda[NC], reaction[NV];
        memcpy(k[i - 1], Z[i - 1] + NV, NV * sizeof(double));
        memcpy(k[i - 1] + NV, last.a, sizeof last.a);
        k[i - 1][NZ - 1] = 0.0;
        memcpy(Z[i], z, sizeof Z[i]);
        for (int l = 0; l < i * NZ; l++) {
            Z[i][l % NZ] += o->h * a[i][l / NZ] * k[l / NZ][l % NZ];
        }
        const point here = point_at(t + c[i] * o->h, Z[i], 1);
        for (int l = 0; l < NC * NC * NV; l++) {
            const int r = l / NV / NC, s = l / NV % NC, j = l % NV;
            S[r][s] += o->h * a[i][i - 1] * here.G[r][j] * last.B[j][s];
        }
        solve(S, here.h, lambda);
        times(last.B, lambda, reaction);
        for (int j = 0; j < NV; j++) {
            k[i - 1][NV + j] -= reaction[j];
            Z[i][NV + j] -= o->h * a[i][i - 1] * reaction[j];
        }
        k[i - 1][NZ - 1] = lambda[0] * last.g_t[0] + lambda[1] * last.g_t[1];
        Z[i][NZ - 1] += o->h * a[i][i - 1] * k[i - 1][NZ - 1];
    }
    memcpy(z, Z[3], sizeof Z[3]);
    correct(o, NULL, t + o->h, NULL, z);
}

typedef void step_fn(const trm_options *o, const tableau *rk, double t, double *z);

/// Five steps; what a run shows at their ends is of the index-1 form there, or of the method's.
static void follow(const char *what, const trm_options *o, step_fn *step, const tableau *rk)
{
    double z[NZ], dz[NZ], lambda[NC];
    rig r = open_bent();
    start_of(z);
    rig_start(&r, *o);
    for (int n = 1; n <= 5; n++) {
        step(o, rk, (n - 1) * o->h, z);
        rig_run(&r, n * o->h);
        const point here = point_at(n * o->h, z, o->mass_metric);
        rates(o, &here, n * o->h, z, dz, lambda);
        check_step(what, &r, z, dz, lambda);
    }
    assert_int_equal(trm_sim_stats(r.sim).steps, 5);
    rig_close(&r);
}

static const trm_stabilization stabilizations[] = {
    TRM_STABILIZATION_PLAIN,        TRM_STABILIZATION_BAUMGARTE,  TRM_STABILIZATION_S_BOTH,
    TRM_STABILIZATION_S_BOTH2,      TRM_STABILIZATION_S_POS,      TRM_STABILIZATION_S_VEL,
    TRM_STABILIZATION_S_FULL,       TRM_STABILIZATION_S_IMPLICIT, TRM_STABILIZATION_PROJECTION,
    TRM_STABILIZATION_S_CONTINUOUS, TRM_STABILIZATION_STATE_SPACE};

enum { COUNT = sizeof stabilizations / sizeof *stabilizations };

/// Options of each stabilization that no table of the papers has; 2 (metrics) each.
static trm_options long_steps(trm_integrator integrator, trm_stabilization stabilization,
                              int mass_metric)
{
    trm_options o = rig_fixed(integrator, stabilization, 0.1);
    const int post =
        stabilization != TRM_STABILIZATION_PLAIN && stabilization != TRM_STABILIZATION_BAUMGARTE;
    o.mass_metric = post && stabilization != TRM_STABILIZATION_S_FULL ? mass_metric : o.mass_metric;
    if (stabilization == TRM_STABILIZATION_BAUMGARTE) {
        o.baumgarte.alpha1 = 3.0;
        o.baumgarte.alpha0 = 2.0;
    } else if (stabilization == TRM_STABILIZATION_S_CONTINUOUS) {
        o.post.gamma = 3.0;
    } else if (stabilization == TRM_STABILIZATION_S_IMPLICIT) {
        o.post.alpha = 2.0;
    } else if (post && stabilization != TRM_STABILIZATION_PROJECTION &&
               stabilization != TRM_STABILIZATION_STATE_SPACE) {
        o.post.alpha = 0.8;
    }
    return o;
}

static void follow_all(trm_integrator integrator, const tableau *rk)
{
    for (int k = 0; k < 2 * COUNT; k++) {
        trm_options o = long_steps(integrator, stabilizations[k / 2], k % 2);
        char what[40];
        snprintf(what, sizeof what, "stabilization %d", (int)o.stabilization);
        follow(what, &o, explicit_step, rk);
        if (o.stabilization == TRM_STABILIZATION_S_FULL) {
            o.damping = 5e-3;
            follow("s-full, damped", &o, explicit_step, rk);
        }
        if (o.stabilization == TRM_STABILIZATION_BAUMGARTE) {
            o.baumgarte =
                (trm_baumgarte_options){.alpha1 = k % 2 ? 0.7 : 0.0, .alpha0 = k % 2 ? 0.0 : 0.7};
            follow("baumgarte with one term", &o, explicit_step, rk);
        }
        if (o.stabilization == TRM_STABILIZATION_S_BOTH2) {
            o.post.formula = TRM_POST_FORMULA_PRINTED;
            follow("s-both2 as printed", &o, explicit_step, rk);
        }
        if (o.stabilization == TRM_STABILIZATION_STATE_SPACE) {
            o.state_space.tangent = 0;
            follow("state-space by coordinates", &o, explicit_step, rk);
        }
    }
}

CLAIM(heun_is_its_formula)
{
    follow_all(TRM_INTEGRATOR_HEUN, &heun);
}

CLAIM(midpoint_is_its_formula)
{
    follow_all(TRM_INTEGRATOR_MIDPOINT, &midpoint);
}

CLAIM(rk4_is_its_formula)
{
    follow_all(TRM_INTEGRATOR_RK4, &kutta);
}

/// With a tolerance that refuses nothing, and an end of run at each mesh point.
CLAIM(dopri5_takes_F_of_its_last_stage)
{
    const tableau rk = dormand_prince();
    for (int metric = 0; metric < 2; metric++) {
        trm_options o = long_steps(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_S_BOTH2, metric);
        o.rtol = o.atol = 1.0;
        follow("dopri5", &o, explicit_step, &rk);
        o.post.formula = TRM_POST_FORMULA_STAGE;
        follow("dopri5 with F of the last stage", &o, explicit_step, &rk);
    }
}

CLAIM(hem3_is_its_formula)
{
    for (int metric = 0; metric < 2; metric++) {
        trm_options o = long_steps(TRM_INTEGRATOR_HEM3, TRM_STABILIZATION_S_BOTH2, metric);
        follow("hem3", &o, half_explicit_step, NULL);
        o.post.formula = TRM_POST_FORMULA_PRINTED;
        follow("hem3 as printed", &o, half_explicit_step, NULL);
        o = long_steps(TRM_INTEGRATOR_HEM3, TRM_STABILIZATION_PROJECTION, metric);
        follow("hem3, projected", &o, half_explicit_step, NULL);
    }
}

/// Kutta's, Heun's, Dormand and Prince's, and Hairer, Lubich and Roche's. Others show
/// theirs in test_tree.
CLAIM(orders_are_those_of_the_literature)
{
    static const int orders[] = {
        [TRM_INTEGRATOR_HEUN] = 2,   [TRM_INTEGRATOR_MIDPOINT] = 2, [TRM_INTEGRATOR_RK4] = 4,
        [TRM_INTEGRATOR_DOPRI5] = 5, [TRM_INTEGRATOR_DOP853] = 8,   [TRM_INTEGRATOR_HEM3] = 3};
    enum { KNOWN = sizeof orders / sizeof *orders };
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    for (int i = 0; i < n; i++) {
        const trm_integrator integrator = methods[i].integrator;
        if ((int)integrator < KNOWN && orders[integrator] > 0) {
            assert_int_equal(methods[i].order, orders[integrator]);
        }
    }
}
