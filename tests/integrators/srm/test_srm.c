/// Sequential regularization: the gain of each iterate, the invariant form, redundant rows.
#include "tests/integrators/on_the_arm.h"

/// Largest error of prescribed_arm in angles and rates: q = (sin t, -2 sin t).
static double prescribed_error(const rig *r)
{
    const trm_state s = trm_sim_state(r->sim);
    const double eq = fmax(fabs(s.q[0] - sin(s.t)), fabs(s.q[1] + 2.0 * sin(s.t)));
    const double ev = fmax(fabs(s.v[0] - cos(s.t)), fabs(s.v[1] + 2.0 * cos(s.t)));
    return fmax(eq, ev);
}

// ------------------------------------------------------------------- sequential regularization

/// A variant with lambda_0 = 0, and where to see its O(epsilon^s): the step is so small that its
/// own error hides nothing. `last` is the last iterate of which that is true.
typedef struct srm_variant {
    const char *name;
    trm_stabilization stabilization;
    trm_srm_carried form;
    trm_srm_matrix E;
    double alpha2, alpha1, alpha0;
    double epsilon;
    int last;
} srm_variant;

static trm_options variant_options(const srm_variant *x, double h, double epsilon, int s)
{
    trm_options options = rig_fixed(TRM_INTEGRATOR_HEUN, x->stabilization, h);
    if (x->stabilization == TRM_STABILIZATION_ALF) {
        options.alf.alpha2 = x->alpha2;
        options.baumgarte = (trm_baumgarte_options){x->alpha1, x->alpha0};
    } else {
        options.srm.form = x->form;
        options.srm.E = x->E;
    }
    options.srm.epsilon = epsilon;
    options.srm.iterations = s;
    options.srm.lambda0_zero = 1;
    return options;
}

static double variant_on_the_arm(const srm_variant *x, double epsilon, int s)
{
    rig r = rig_equations(&prescribed_arm);
    rig_start(&r, variant_options(x, 2.5e-4, epsilon, s));
    rig_run(&r, 0.5);
    const double error = prescribed_error(&r);
    rig_close(&r);
    return error;
}

static void check_gain(const srm_variant *x, int s, double gain)
{
    if (!(gain > 0.75 * pow(2.0, s))) {
        fail_msg("%s, iterate %d: halving epsilon gains %.2f", x->name, s, gain);
    }
}

CLAIM(iterates_gain_epsilon_to_the_s_on_the_arm)
{
    static const srm_variant variants[] = {
        {"lambda-hat", TRM_STABILIZATION_SRM, TRM_SRM_LAMBDA_HAT, TRM_SRM_MATRIX_GB_INVERSE, 0.0,
         0.0, 0.0, 1e-2, 3},
        {"alf with g''", TRM_STABILIZATION_ALF, TRM_SRM_LAMBDA, TRM_SRM_MATRIX_IDENTITY, 1.0, 20.0,
         100.0, 4e-2, 3},
        {"alf without g''", TRM_STABILIZATION_ALF, TRM_SRM_LAMBDA, TRM_SRM_MATRIX_IDENTITY, 0.0,
         1.0, 5.0, 1e-2, 3},
    };
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        const srm_variant *x = &variants[i];
        for (int s = 1; s <= x->last; s++) {
            check_gain(x, s,
                       variant_on_the_arm(x, x->epsilon, s) /
                           variant_on_the_arm(x, x->epsilon / 2.0, s));
        }
    }
}

static double variant_in_space(const srm_variant *x, const double *z, double epsilon, int s)
{
    rig r = rig_load("spatial_slider_crank", NULL);
    rig_take(&r, TRM_COORDINATES_ABSOLUTE);
    rig_start(&r, variant_options(x, 5e-5, epsilon, s));
    rig_run(&r, 0.25);
    const double error = distance(&r, z);
    rig_close(&r);
    return error;
}

CLAIM(iterates_gain_epsilon_to_the_s_in_space)
{
    rig_figures();
    static const srm_variant variants[] = {
        {"srm, inv(GB)", TRM_STABILIZATION_SRM, TRM_SRM_LAMBDA, TRM_SRM_MATRIX_GB_INVERSE, 0.0, 0.0,
         0.0, 1e-3, 3},
        {"lambda-hat", TRM_STABILIZATION_SRM, TRM_SRM_LAMBDA_HAT, TRM_SRM_MATRIX_GB_INVERSE, 0.0,
         0.0, 0.0, 2e-3, 3},
        {"alf with g''", TRM_STABILIZATION_ALF, TRM_SRM_LAMBDA, TRM_SRM_MATRIX_IDENTITY, 1.0, 20.0,
         100.0, 1e-3, 2},
    };
    double z[SPACE];

    reference_in_space(0.25, z);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        const srm_variant *x = &variants[i];
        for (int s = 1; s <= x->last; s++) {
            check_gain(x, s,
                       variant_in_space(x, z, x->epsilon, s) /
                           variant_in_space(x, z, x->epsilon / 2.0, s));
        }
    }
}

/// One joint is one block, which is all of GB.
CLAIM(a_block_of_one_joint_is_all_of_GB)
{
    double end[2] = {0};
    for (int k = 0; k < 2; k++) {
        rig r = rig_load("pendulum", NULL);
        trm_options o = rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_SRM, 1e-3);
        o.srm.epsilon = 1e-3;
        o.srm.E = k ? TRM_SRM_MATRIX_BLOCKS : TRM_SRM_MATRIX_GB_INVERSE;
        rig_start(&r, o);
        rig_run(&r, 0.5);
        end[k] = trm_sim_state(r.sim).q[0];
        rig_close(&r);
    }
    near("x by blocks", end[1], end[0], 1e-12);
}

/// Rows in m beside rows of angles: the default takes steps that E = I cannot, which is told.
CLAIM(blocks_take_mixed_units)
{
    trm_error err;
    rig r = rig_load("spatial_slider_crank", NULL);
    rig_take(&r, TRM_COORDINATES_ABSOLUTE);
    trm_options o = rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_SRM, 1e-3);
    rig_start(&r, o);
    rig_run(&r, 0.2);
    below("gap of the default", trm_sim_report(r.sim).position_drift, 0.1);
    assert_true(trm_sim_stats(r.sim).row_scales == 0);
    o.srm.E = TRM_SRM_MATRIX_IDENTITY;
    rig_start(&r, o);
    assert_true(trm_sim_stats(r.sim).row_scales > 100);
    assert_int_equal(trm_sim_run(r.sim, 0.2, NULL, NULL, &err), TRM_ERR_DIVERGED);
    rig_close(&r);
}

/// Heun's method multiplies what is open where h rho/epsilon > 2.
CLAIM(an_epsilon_that_the_step_cannot_stand_is_refused)
{
    trm_error err;
    trm_sim *sim = NULL;
    rig r = rig_load("pendulum", NULL);
    trm_options o = rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_SRM, 1e-3);
    o.srm.epsilon = 0.45e-3;
    o.srm.E = TRM_SRM_MATRIX_GB_INVERSE; // rho = 1
    assert_int_equal(trm_sim_create(r.model, &o, &sim, &err), TRM_ERR_OPTIONS);
    assert_string_equal(err.where, "srm.epsilon");
    o.srm.epsilon = 0.55e-3;
    rig_start(&r, o);
    rig_run(&r, 0.2);
    rig_close(&r);
}

/// Four times the time would be sixteen times the drift of a pendulum without (4.12).
CLAIM(srm_invariant_stops_the_growth_of_drift)
{
    const double period = 2.36784194757623745; // 4 K(1/2) sqrt(l/g)
    static const trm_srm_matrix forms[] = {TRM_SRM_MATRIX_IDENTITY, TRM_SRM_MATRIX_GB_TRANSPOSED,
                                           TRM_SRM_MATRIX_GB_INVERSE};
    rig r = rig_load("pendulum", NULL);

    for (size_t i = 0; i < 3; i++) {
        for (int mass_metric = 0; mass_metric < 2; mass_metric++) {
            trm_options options =
                rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_SRM_INVARIANT, 5e-3);
            options.srm.E = forms[i];
            options.mass_metric = mass_metric;
            rig_start(&r, options);
            rig_run(&r, 4.0 * period);
            const double four = trm_sim_report(r.sim).position_drift;
            rig_run(&r, 16.0 * period);
            below("growth of |g|", trm_sim_report(r.sim).position_drift / four, 2.0);
        }
    }
    rig_close(&r);
}

/// Bayo and Avello's form is defined where rows of G depend on each other: Bricard's mechanism.
CLAIM(alf_takes_redundant_rows)
{
    rig r = rig_load("bricard", NULL);
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_ALF, 1e-3));
    rig_run(&r, 1.0);
    below("|g|", trm_sim_report(r.sim).position_drift, 1e-4);
    below("energy", trm_sim_report(r.sim).energy_error_relative, 1e-4);
    rig_close(&r);
}
