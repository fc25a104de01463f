/// The terms of the equations of motion, against differences and against runs.
#include "tests/rig.h"
#include "validation/papers/problems/problems_arm.h"

typedef struct terms {
    trm_sizes n;
    trm_terms at;
    double *memory;
} terms;

static terms open_terms(const rig *r)
{
    const trm_sizes n = trm_model_sizes(r->model);
    const size_t nq = (size_t)n.nq, nv = (size_t)n.nv, nc = (size_t)n.nc;
    terms x = {.n = n,
               .memory = calloc(nv * nv + nc * nv + nq * nv + 2 * nv + 4 * nc, sizeof(double))};
    assert_non_null(x.memory);
    double *next = x.memory;
    x.at.M = next, next += nv * nv;
    x.at.G = next, next += nc * nv;
    x.at.N = next, next += nq * nv;
    x.at.f = next, next += nv;
    x.at.a = next, next += nv;
    x.at.g = next, next += nc;
    x.at.g_t = next, next += nc;
    x.at.gamma = next, next += nc;
    x.at.lambda = next;
    return x;
}

static void take(const rig *r, double t, const double *q, const double *v, const double *force,
                 const terms *out)
{
    trm_error err = {.status = TRM_OK};
    rig_ok(trm_sim_terms(r->sim, t, q, v, force, &out->at, &err), &err);
}

/// q + e N x.
static void moved(const terms *x, const double *q, const double *along, double e, double *out)
{
    const int nv = x->n.nv;
    for (int i = 0; i < x->n.nq; i++) {
        out[i] = q[i];
        for (int j = 0; j < nv; j++) {
            out[i] += e * x->at.N[i * nv + j] * along[j];
        }
    }
}

/// r_i = (G v + g_t)_i.
static double rate(const terms *x, const double *v, int i)
{
    double sum = x->at.g_t[i];
    for (int j = 0; j < x->n.nv; j++) {
        sum += x->at.G[i * x->n.nv + j] * v[j];
    }
    return sum;
}

enum { LARGEST = 128 };
static const double little = 1e-6;

typedef struct point {
    double t, q[LARGEST], v[LARGEST];
} point;

/// The state of the run, moved off its constraints.
static point state_of(const rig *r)
{
    const trm_state s = trm_sim_state(r->sim);
    const trm_sizes n = trm_model_sizes(r->model);
    point p = {.t = s.t};
    assert_true(n.nq <= LARGEST && n.nv <= LARGEST);
    for (int i = 0; i < n.nq; i++) {
        p.q[i] = s.q[i];
    }
    for (int i = 0; i < n.nv; i++) {
        p.v[i] = s.v[i] + 0.1 * sin(1 + 3.0 * i);
    }
    return p;
}

/// G N^-1 column by column, g_t in t.
static void check_G(const char *what, const rig *r, const point *p)
{
    terms here = open_terms(r), more = open_terms(r), less = open_terms(r);
    take(r, p->t, p->q, p->v, NULL, &here);
    for (int j = 0; j <= here.n.nv; j++) { // the last one: time
        double e[LARGEST] = {0}, q[LARGEST];
        const int time = j == here.n.nv;
        e[time ? 0 : j] = time ? 0 : 1;
        moved(&here, p->q, e, little, q);
        take(r, p->t + time * little, q, p->v, NULL, &more);
        moved(&here, p->q, e, -little, q);
        take(r, p->t - time * little, q, p->v, NULL, &less);
        for (int i = 0; i < here.n.nc; i++) {
            const double difference = (more.at.g[i] - less.at.g[i]) / (2 * little);
            near(what, time ? here.at.g_t[i] : here.at.G[i * here.n.nv + j], difference, 2e-7);
        }
    }
    free(here.memory);
    free(more.memory);
    free(less.memory);
}

/// gamma = -(d/dt)(G v + g_t) along q' = N v, v held.
static void check_gamma(const char *what, const rig *r, const point *p)
{
    terms here = open_terms(r), more = open_terms(r), less = open_terms(r);
    double q[LARGEST];
    take(r, p->t, p->q, p->v, NULL, &here);
    moved(&here, p->q, p->v, little, q);
    take(r, p->t + little, q, p->v, NULL, &more);
    moved(&here, p->q, p->v, -little, q);
    take(r, p->t - little, q, p->v, NULL, &less);
    for (int i = 0; i < here.n.nc; i++) {
        const double difference = (rate(&more, p->v, i) - rate(&less, p->v, i)) / (2 * little);
        near(what, here.at.gamma[i], -difference, 1e-6 * (1 + fabs(difference)));
    }
    free(here.memory);
    free(more.memory);
    free(less.memory);
}

/// M a = f + force - G^T lambda, G a = gamma, M symmetric.
static void check_equations(const char *what, const rig *r, const point *p)
{
    terms x = open_terms(r);
    const int nv = x.n.nv;
    double force[LARGEST];
    for (int i = 0; i < nv; i++) {
        force[i] = cos(2.0 * i);
    }
    take(r, p->t, p->q, p->v, force, &x);
    for (int i = 0; i < nv; i++) {
        double left = 0, right = x.at.f[i] + force[i], scale = 1 + fabs(right);
        for (int j = 0; j < nv; j++) {
            left += x.at.M[i * nv + j] * x.at.a[j];
            assert_true(x.at.M[i * nv + j] == x.at.M[j * nv + i]);
        }
        for (int k = 0; k < x.n.nc; k++) {
            right -= x.at.G[k * nv + i] * x.at.lambda[k];
            scale += fabs(x.at.G[k * nv + i] * x.at.lambda[k]);
        }
        near(what, left, right, 1e-11 * scale);
    }
    for (int k = 0; k < x.n.nc; k++) {
        double left = 0, scale = 1 + fabs(x.at.gamma[k]);
        for (int j = 0; j < nv; j++) {
            left += x.at.G[k * nv + j] * x.at.a[j];
            scale += fabs(x.at.G[k * nv + j] * x.at.a[j]);
        }
        near(what, left, x.at.gamma[k], 1e-8 * scale);
    }
    free(x.memory);
}

static const char *const scenes[] = {"four_bar",     "spatial_slider_crank",
                                     "arm_parabola", "double_pendulum_3d",
                                     "flyball",      "heavy_top",
                                     "andrews",      "slider_crank_turn",
                                     "chain_10"};
enum { SCENES = sizeof scenes / sizeof *scenes };

CLAIM(terms_are_derivatives)
{
    for (int k = 0; k < SCENES; k++) {
        rig r = rig_load(scenes[k], NULL);
        rig_start(&r, rig_choose(&r, 1e-6));
        rig_run(&r, 0.01);
        const point p = state_of(&r);
        check_G(scenes[k], &r, &p);
        check_gamma(scenes[k], &r, &p);
        check_equations(scenes[k], &r, &p);
        rig_close(&r);
    }
}

/// A body that many joints of all sizes hold, others closed in loops over it: S has blocks of every
/// kind, and fills in where no two joints meet.
CLAIM(terms_of_a_net_of_joints)
{
    rig r = rig_load("../tests/scenes/terms_of_a_net_of_joints", NULL);
    rig_start(&r, rig_choose(&r, 1e-6));
    for (int k = 1; k <= 2; k++) {
        rig_run(&r, 0.01 * k);
        const point p = state_of(&r);
        check_G("net", &r, &p);
        check_gamma("net", &r, &p);
        check_equations("net", &r, &p);
    }
    rig_close(&r);
}

/// Lines of two rows and rods of one in space: S gets fillers there too, in every order of
/// elimination.
CLAIM(terms_of_lines_and_rods)
{
    rig r = rig_load("../tests/scenes/terms_of_lines_and_rods", NULL);
    rig_start(&r, rig_choose(&r, 1e-6));
    for (int k = 1; k <= 2; k++) {
        rig_run(&r, 0.01 * k);
        const point p = state_of(&r);
        check_G("lines", &r, &p);
        check_equations("lines", &r, &p);
    }
    rig_close(&r);
}

CLAIM(terms_of_equations)
{
    rig r = rig_equations(&parabola_arm);
    rig_start(&r, trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2));
    rig_run(&r, 0.1);
    const point p = state_of(&r);
    terms x = open_terms(&r);
    double M[LARGEST], f[LARGEST];
    check_G("parabola arm", &r, &p);
    check_gamma("parabola arm", &r, &p);
    check_equations("parabola arm", &r, &p);
    take(&r, p.t, p.q, p.v, NULL, &x);
    assert_int_equal(parabola_arm.M(r.model, p.t, p.q, M, parabola_arm.user), 0);
    assert_int_equal(parabola_arm.f(r.model, p.t, p.q, p.v, f, parabola_arm.user), 0);
    assert_memory_equal(x.at.M, M, (size_t)(x.n.nv * x.n.nv) * sizeof(double));
    assert_memory_equal(x.at.f, f, (size_t)x.n.nv * sizeof(double));
    free(x.memory);
    rig_close(&r);
}

/// Along a run, q' = N v and v' = a, and kinetic energy is v^T M v / 2.
CLAIM(a_run_moves_as_its_terms_say)
{
    for (int k = 0; k < SCENES; k++) {
        rig r = rig_load(scenes[k], NULL);
        rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-13, 1e-13));
        const double t = 0.01, h = 1e-6;
        point p[3];
        terms x = open_terms(&r);
        double kinetic = 0;
        for (int i = 0; i < 3; i++) {
            rig_run(&r, t + (i - 1) * h);
            const trm_state s = trm_sim_state(r.sim);
            memcpy(p[i].q, s.q, (size_t)x.n.nq * sizeof(double));
            memcpy(p[i].v, s.v, (size_t)x.n.nv * sizeof(double));
            if (i == 1) {
                kinetic = trm_sim_energy(r.sim).kinetic;
                take(&r, s.t, s.q, s.v, NULL, &x);
            }
        }
        const int nv = x.n.nv;
        double zero[LARGEST] = {0}, q[LARGEST], sum = 0;
        moved(&x, zero, p[1].v, 1, q);
        for (int i = 0; i < x.n.nq; i++) {
            near(scenes[k], q[i], (p[2].q[i] - p[0].q[i]) / (2 * h), 1e-5 * (1 + fabs(q[i])));
        }
        for (int i = 0; i < nv; i++) {
            near(scenes[k], x.at.a[i], (p[2].v[i] - p[0].v[i]) / (2 * h),
                 1e-5 * (1 + fabs(x.at.a[i])));
            for (int j = 0; j < nv; j++) {
                sum += p[1].v[i] * x.at.M[i * nv + j] * p[1].v[j] / 2;
            }
        }
        near(scenes[k], sum, kinetic, 1e-12 * (1 + kinetic));
        free(x.memory);
        rig_close(&r);
    }
}

#define PENDULUM                                                                                   \
    "{\"dimension\": 2, \"gravity\": [0, -9.81],"                                                  \
    " \"bodies\": [{\"name\": \"bob\", \"mass\": 3, \"ends\": [[0, 0], [2, 0]]}],"                 \
    " \"joints\": [{\"name\": \"pin\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"bob\"]," \
    "               \"at\": [0, 0]}]"

/// The rod of length l: (m l^2 / 3) x'' = torque - m g l / 2 when it is level.
CLAIM(a_given_force_acts_as_one_of_the_scene)
{
    rig free_one = rig_parse(PENDULUM "}");
    rig driven = rig_parse(PENDULUM ", \"forces\": [{\"name\": \"drive\", \"type\": \"torque\","
                                    " \"body\": \"bob\", \"value\": 7}]}");
    terms x = open_terms(&free_one), y = open_terms(&driven);
    const double torque[3] = {0, 0, 7};
    double q[3], v[3];
    trm_model_initial_state(driven.model, q, v);
    rig_start(&free_one, trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2));
    rig_start(&driven, trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2));
    take(&free_one, 0, q, v, torque, &x);
    take(&driven, 0, q, v, NULL, &y);
    near("closed form", x.at.a[2], (7 - 3 * 9.81) / 4, 1e-12);
    for (int i = 0; i < 3; i++) {
        near("a", x.at.a[i], y.at.a[i], 1e-13);
        near("f", x.at.f[i] + torque[i], y.at.f[i], 1e-13);
    }
    free(x.memory);
    free(y.memory);
    rig_close(&free_one);
    rig_close(&driven);
}

/// A run asked after every step is the run that was not asked.
CLAIM(asking_changes_nothing)
{
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    for (int i = 0; i < n; i++) {
        rig r = rig_load("four_bar", NULL), asked = rig_load("four_bar", NULL);
        if (!rig_fits(&r, &methods[i])) {
            rig_close(&r);
            rig_close(&asked);
            continue;
        }
        trm_options options = trm_default_options(methods[i].integrator, methods[i].stabilization);
        options.h = 1e-3;
        rig_start(&r, options);
        rig_start(&asked, options);
        terms x = open_terms(&asked);
        for (int k = 1; k <= 30; k++) {
            rig_run(&r, 0.01 * k);
            rig_run(&asked, 0.01 * k);
            const point p = state_of(&asked);
            take(&asked, p.t + 0.3, p.q, p.v, NULL, &x);
        }
        const trm_state a = trm_sim_state(r.sim), b = trm_sim_state(asked.sim);
        assert_memory_equal(a.q, b.q, (size_t)x.n.nq * sizeof(double));
        assert_memory_equal(a.v, b.v, (size_t)x.n.nv * sizeof(double));
        assert_memory_equal(a.lambda, b.lambda, (size_t)x.n.nc * sizeof(double));
        const trm_stats s = trm_sim_stats(r.sim), u = trm_sim_stats(asked.sim);
        assert_int_equal(s.force_evals, u.force_evals);
        assert_int_equal(s.jacobian_evals, u.jacobian_evals);
        assert_int_equal(s.factorizations, u.factorizations);
        free(x.memory);
        rig_close(&r);
        rig_close(&asked);
    }
}

CLAIM(bad_questions)
{
    trm_error err = {.status = TRM_OK};
    rig r = rig_load("four_bar", NULL);
    rig_start(&r, trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2));
    point p = state_of(&r);
    const trm_terms nothing = {0};
    assert_int_equal(trm_sim_terms(r.sim, 0, p.q, p.v, NULL, &nothing, &err), TRM_OK);
    assert_int_equal(trm_sim_terms(r.sim, 0, NULL, p.v, NULL, &nothing, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_sim_terms(r.sim, 0, p.q, NULL, NULL, &nothing, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_sim_terms(r.sim, 0, p.q, p.v, NULL, NULL, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_sim_terms(r.sim, NAN, p.q, p.v, NULL, &nothing, &err), TRM_ERR_OPTIONS);
    p.v[1] = INFINITY;
    assert_int_equal(trm_sim_terms(r.sim, 0, p.q, p.v, NULL, &nothing, &err), TRM_ERR_OPTIONS);
    rig_close(&r);
}

/// The step is a quarter of the period: every period takes four, no slivers, and ends on the bit.
CLAIM(a_control_loop_has_a_fixed_rate)
{
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    const double period = 1e-3;
    for (int i = 0; i < n; i++) {
        rig r = rig_load("four_bar", NULL);
        if (!rig_fits(&r, &methods[i])) {
            rig_close(&r);
            continue;
        }
        trm_options options = trm_default_options(methods[i].integrator, methods[i].stabilization);
        options.h = period / 4;
        rig_start(&r, options);
        for (int k = 1; k <= 300; k++) {
            rig_run(&r, k * period);
            assert_true(trm_sim_state(r.sim).t == k * period);
            if (!methods[i].adaptive) {
                assert_int_equal(trm_sim_stats(r.sim).steps, 4 * k);
            }
        }
        rig_close(&r);
    }
}

/// Where a bead is on its wire follows from the state: a run at its start, asked for states that
/// another run has come to, finds no gap there, and the same multipliers.
CLAIM(terms_are_those_of_the_state)
{
    rig far = rig_load("bead_on_helix", NULL), fresh = rig_load("bead_on_helix", NULL);
    rig_start(&far, rig_choose(&far, 1e-8));
    rig_start(&fresh, rig_choose(&fresh, 1e-8));
    terms x = open_terms(&far), y = open_terms(&fresh);
    trm_error err = {.status = TRM_OK};
    double largest = 0;
    for (int k = 1; k <= 40; k++) {
        rig_ok(trm_sim_step_to(far.sim, 0.1 * k, &err), &err);
        const trm_state now = trm_sim_state(far.sim);
        take(&far, now.t, now.q, now.v, NULL, &x);
        take(&fresh, now.t, now.q, now.v, NULL, &y);
        for (int i = 0; i < x.n.nc; i++) {
            assert_true(fabs(y.at.g[i]) <= 1e-6);
            assert_true(fabs(y.at.lambda[i] - x.at.lambda[i]) <=
                        1e-6 * fmax(1, fabs(x.at.lambda[i])));
        }
        largest = fmax(largest, fabs(now.q[2]));
    }
    assert_true(largest > 0.5); // it has gone around
    free(x.memory);
    free(y.memory);
    rig_close(&far);
    rig_close(&fresh);
}
