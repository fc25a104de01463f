/// Stabilizations of one row, and of none: closed forms.
#include "tests/rig.h"

enum { NV = 2 };

static int no_force(const trm_model *model, double t, const double *q, const double *v, double *f,
                    void *user)
{
    (void)model, (void)t, (void)q, (void)v, (void)user;
    f[0] = f[1] = 0.0;
    return 0;
}

static int short_force(const trm_model *model, double t, const double *q, const double *v,
                       double *f, void *user)
{
    return t > 0.05 ? 1 : no_force(model, t, q, v, f, user);
}

static int straight_g(const trm_model *model, double t, const double *q, double *g, void *user)
{
    (void)model, (void)t, (void)user;
    g[0] = q[0];
    return 0;
}

static int straight_G(const trm_model *model, double t, const double *q, double *G, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    G[0] = 1.0;
    G[1] = 0.0;
    return 0;
}

static int straight_gamma(const trm_model *model, double t, const double *q, const double *v,
                          double *gamma, void *user)
{
    (void)model, (void)t, (void)q, (void)v, (void)user;
    gamma[0] = 0.0;
    return 0;
}

static const double off = 1e-9; // less than a start may be off

static rig open_row(int rows, trm_velocity_fn *f)
{
    static const double q0[NV] = {1e-9, 0.0}, v0[NV] = {0.0, 2.0};
    return rig_equations(&(trm_equations){.name = "row",
                                          .nq = NV,
                                          .nv = NV,
                                          .nc = rows,
                                          .q0 = q0,
                                          .v0 = v0,
                                          .M = rig_unit_M,
                                          .f = f,
                                          .g = straight_g,
                                          .G = straight_G,
                                          .gamma = straight_gamma});
}

/// q0 = off falls to 0 at once, or by 1 - gamma h + (gamma h)^2/2 in a step of Heun's method.
CLAIM(one_row_is_stabilized)
{
    for (int continuous = 0; continuous < 2; continuous++) {
        const double h = 0.01, gamma = 10.0;
        trm_error err;
        rig r = open_row(1, no_force);
        rig_start(&r, rig_fixed(TRM_INTEGRATOR_HEUN,
                                continuous ? TRM_STABILIZATION_S_CONTINUOUS
                                           : TRM_STABILIZATION_PROJECTION,
                                h));
        near("start", trm_sim_state(r.sim).q[0], off, 0.0);
        rig_ok(trm_sim_step(r.sim, &err), &err);
        const double left = 1.0 - gamma * h + 0.5 * gamma * gamma * h * h;
        near("q0", trm_sim_state(r.sim).q[0], continuous ? left * off : 0.0, 1e-9 * off);
        near("q1", trm_sim_state(r.sim).q[1], 2.0 * h, 1e-15);
        rig_close(&r);
    }
}

/// Nothing to stabilize: straight on.
CLAIM(no_row_moves_freely)
{
    const trm_stabilization all[] = {
        TRM_STABILIZATION_PLAIN,       TRM_STABILIZATION_BAUMGARTE,  TRM_STABILIZATION_S_BOTH2,
        TRM_STABILIZATION_S_FULL,      TRM_STABILIZATION_S_BOTH,     TRM_STABILIZATION_S_VEL,
        TRM_STABILIZATION_S_POS,       TRM_STABILIZATION_S_IMPLICIT, TRM_STABILIZATION_S_CONTINUOUS,
        TRM_STABILIZATION_STATE_SPACE, TRM_STABILIZATION_PROJECTION};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        rig r = open_row(0, no_force);
        rig_start(&r, rig_fixed(TRM_INTEGRATOR_HEUN, all[i], 0.25));
        rig_run(&r, 1.0);
        near("q0", trm_sim_state(r.sim).q[0], off, 0.0);
        near("q1", trm_sim_state(r.sim).q[1], 2.0, 0.0);
        rig_close(&r);
    }
}

/// In either metric.
CLAIM(a_force_that_fails_is_told)
{
    for (int metric = 0; metric < 2; metric++) {
        trm_error err = {.status = TRM_OK};
        trm_options o = rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_S_CONTINUOUS, 0.01);
        o.mass_metric = metric;
        rig r = open_row(1, short_force);
        rig_start(&r, o);
        assert_int_equal(trm_sim_run(r.sim, 1.0, NULL, NULL, &err), TRM_ERR_CALLBACK);
        near("t", trm_sim_state(r.sim).t, 0.05, 1e-12);
        rig_close(&r);
    }
}

/// q^2 = 1 at the start, q^2 = 0 behind it: a double root.
static int double_g(const trm_model *model, double t, const double *q, double *g, void *user)
{
    (void)model, (void)user;
    g[0] = q[0] * q[0] - (t > 0.0 ? 0.0 : 1.0);
    return 0;
}

static int double_G(const trm_model *model, double t, const double *q, double *G, void *user)
{
    (void)model, (void)t, (void)user;
    G[0] = 2.0 * q[0];
    G[1] = 0.0;
    return 0;
}

/// Newton's method halves its distance from a double root, and ends after ten passes: 1/2^10. The
/// last passes are a little shorter, S is damped there; the bound tells ten passes from nine and
/// eleven.
CLAIM(ten_passes_project)
{
    static const double q0[NV] = {1.0, 0.0}, v0[NV] = {0.0, 2.0};
    rig r = rig_equations(&(trm_equations){.name = "double root",
                                           .nq = NV,
                                           .nv = NV,
                                           .nc = 1,
                                           .q0 = q0,
                                           .v0 = v0,
                                           .M = rig_unit_M,
                                           .f = no_force,
                                           .g = double_g,
                                           .G = double_G,
                                           .gamma = straight_gamma});
    trm_error err = {.status = TRM_OK};
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_PROJECTION, 0.01));
    rig_ok(trm_sim_step(r.sim, &err), &err);
    near("halvings", -log2(trm_sim_state(r.sim).q[0]), 10.0, 0.5);
    rig_close(&r);
}
