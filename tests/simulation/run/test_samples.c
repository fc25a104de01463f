/// Samples inside the last step: their order, and all that they hold.
#include "tests/simulation/run/runs.h"

// ---------------------------------------------------------------------------------------- samples

CLAIM(samples_outside_the_last_step_are_refused)
{
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);

    for (int i = 0; i < n; i++) {
        if (methods[i].integrator == TRM_INTEGRATOR_MOREAU) {
            continue; // there are no contacts
        }
        rig r = rig_parse(spinning_pendulum);
        trm_error err = {.status = TRM_OK};
        trm_sample sample;
        rig_start(&r, loose(&methods[i]));
        rig_ok(trm_sim_sample(r.sim, 0.0, &sample, &err), &err);
        assert_int_equal(trm_sim_sample(r.sim, -1e-9, &sample, &err), TRM_ERR_OPTIONS);
        assert_int_equal(trm_sim_sample(r.sim, 1e-9, &sample, &err), TRM_ERR_OPTIONS);
        rig_run(&r, 0.1);
        const double end = trm_sim_state(r.sim).t, begin = end - trm_sim_stats(r.sim).h;
        rig_ok(trm_sim_sample(r.sim, end, &sample, &err), &err);
        rig_ok(trm_sim_sample(r.sim, begin + 1e-9, &sample, &err), &err);
        const double outside[] = {begin - 1e-6, nextafter(end, 1.0), NAN, INFINITY, -INFINITY};
        for (size_t k = 0; k < sizeof outside / sizeof *outside; k++) {
            assert_int_equal(trm_sim_sample(r.sim, outside[k], &sample, &err), TRM_ERR_OPTIONS);
        }
        rig_close(&r);
    }
}

/// The largest distance between samples inside the steps of a run with steps h and the truth, a run
/// with tight tolerances landing there.
static double sample_error(trm_integrator integrator, double h)
{
    rig r = rig_parse(spinning_pendulum), truth = rig_parse(spinning_pendulum);
    trm_options options = trm_default_options(integrator, TRM_STABILIZATION_S_BOTH2);
    trm_error err = {.status = TRM_OK};
    double largest = 0.0;

    options.h = h;
    options.rtol = options.atol = 1.0; // every step is accepted
    rig_start(&r, options);
    rig_start(&truth, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-13, 1e-13));
    for (int k = 1; k * h < 1.0; k++) {
        rig_run(&r, k * h);
        for (int j = 1; j < 4; j++) {
            trm_sample sample;
            const double t = (k - 1) * h + j / 4.0 * h;
            rig_ok(trm_sim_sample(r.sim, t, &sample, &err), &err);
            rig_run(&truth, t);
            assert_true(sample.state.t == t);
            largest = fmax(largest, fabs(sample.state.q[2] - rig_q(&truth, "bob", 2)));
            largest = fmax(largest, fabs(sample.state.v[2] - rig_v(&truth, "bob", 2)));
        }
    }
    rig_close(&r);
    rig_close(&truth);
    return largest;
}

/// Cubic Hermite: 4; the pairs' own: one more than their order, so that the method's own shows.
CLAIM(samples_have_their_order)
{
    const struct {
        trm_integrator integrator;
        double h, order;
    } rows[] = {{TRM_INTEGRATOR_HEUN, 1.0 / 64, 2},
                {TRM_INTEGRATOR_MIDPOINT, 1.0 / 64, 2},
                {TRM_INTEGRATOR_RK4, 1.0 / 32, 4},
                {TRM_INTEGRATOR_DOPRI5, 1.0 / 16, 5},
                {TRM_INTEGRATOR_DOP853, 1.0 / 4, 8}};

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const double coarse = sample_error(rows[k].integrator, rows[k].h);
        const double fine = sample_error(rows[k].integrator, rows[k].h / 2.0);
        const double order = log2(coarse / fine);
        if (!(order > rows[k].order - 0.5)) {
            fail_msg("integrator %d: order %.2f of samples, errors %.2e and %.2e",
                     (int)rows[k].integrator, order, coarse, fine);
        }
    }
}

/// A sample satisfies [ACC] and carries drift and energy of its own point.
CLAIM(a_sample_is_a_whole_state)
{
    rig r = rig_parse(spinning_pendulum);
    trm_error err = {.status = TRM_OK};
    trm_sample s;

    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-10, 1e-10));
    rig_run(&r, 0.5);
    rig_ok(trm_sim_sample(r.sim, 0.5 - trm_sim_stats(r.sim).h / 3.0, &s, &err), &err);
    // I phi'' = -m g l/2 cos phi, I = m l^2/3
    near("phi''", s.state.a[2], -9.81 * 1.5 * cos(s.state.q[2]), 1e-6);
    const double w = s.state.v[2], phi = s.state.q[2];
    near("kinetic", s.energy.kinetic, w * w / 3.0, 1e-8);
    near("potential + kinetic", s.energy.potential + s.energy.kinetic,
         trm_sim_report(r.sim).energy_initial, 1e-7);
    near("position", s.drift.position,
         fmax(fabs(s.state.q[0] - 0.5 * cos(phi)), fabs(s.state.q[1] - 0.5 * sin(phi))), 1e-15);
    // the force of the joint on the bob is -G^T lambda; m x'' = m g + it
    const double fx = 2.0 * s.state.a[0], fy = 2.0 * (s.state.a[1] + 9.81);
    near("|lambda|", hypot(s.state.lambda[0], s.state.lambda[1]), hypot(fx, fy), 1e-9);
    rig_close(&r);
}

enum { PLACES = 200, FLAP = 3 };

/// The velocity of the flap at k/100 s.
typedef struct places {
    double v[PLACES][FLAP];
    int n;
} places;

static int take_places(trm_sim *sim, void *user)
{
    places *const at = user;
    for (; at->n < PLACES && at->n / 100.0 <= trm_sim_state(sim).t; at->n++) {
        trm_sample sample;
        trm_error err;
        rig_ok(trm_sim_sample(sim, at->n / 100.0, &sample, &err), &err);
        memcpy(at->v[at->n], sample.state.v, sizeof at->v[at->n]);
    }
    return 0;
}

/// A redundant mechanism with dimensions of 12 digits stays open by 1e-12, which no polynomial
/// mends: of two that are as open as each other the one by the stages is better by four digits.
CLAIM(samples_of_redundant_loops_are_as_good_as_steps)
{
    static places exact, at;
    const double accuracies[] = {1e-11, 1e-10, 1e-9};
    for (int k = 0; k < 4; k++) {
        rig r = rig_load("../tests/scenes/flap", NULL);
        rig_start(&r, rig_choose(&r, k == 0 ? 1e-8 : accuracies[k - 1]));
        at.n = 0;
        rig_observe(&r, 2, take_places, &at);
        assert_int_equal(at.n, PLACES);
        for (int i = 0; k > 0 && i < PLACES; i++) {
            for (int c = 0; c < FLAP; c++) { // at most 2 m/s
                near("velocity", at.v[i][c], exact.v[i][c], 5e-8);
            }
        }
        exact = k == 0 ? at : exact;
        rig_close(&r);
    }
}
