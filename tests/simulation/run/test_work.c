/// Motors follow their formulas, and the energy less the work stays constant.
#include "simulation/run/simulation.h"
#include "tests/rig.h"

// ------------------------------------------------------------------------------------------ motors

#define CRANK(more)                                                                                \
    "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [{\"name\": \"arm\", \"mass\": 2,"    \
    " \"ends\": [[0, 0], [1, 0]]" more

/// phi = c(t), phi' = c', phi'' = c'' to roundoff, by every row of G, g_t and gamma; the torque of
/// the motor from Newton and Euler.
CLAIM(a_motor_follows_its_expression)
{
    rig r =
        rig_parse(CRANK(", \"rate\": 0.9}], \"joints\": [{\"name\": \"O\", \"type\": \"revolute\","
                        " \"bodies\": [\"ground\", \"arm\"], \"at\": [0, 0], \"motor\": "
                        "\"0.3*sin(3*t) + t^3\"}]}"));
    trm_options options =
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12);

    options.assemble = 1; // v of the centre follows the rate
    rig_start(&r, options);
    for (int k = 1; k <= 20; k++) {
        const double t = 0.1 * k;
        rig_run(&r, t);
        const trm_state s = trm_sim_state(r.sim);
        const double c1 = 0.9 * cos(3.0 * t) + 3.0 * t * t, c2 = -2.7 * sin(3.0 * t) + 6.0 * t;
        near("phi", s.q[2], 0.3 * sin(3.0 * t) + t * t * t, 1e-13);
        near("phi'", s.v[2], c1, 1e-12);
        near("phi''", s.a[2], c2, 1e-10);
        // m l^2/3 c'' = torque - m g l/2 cos(phi), and the torque is -lambda of the last row
        near("torque", -s.lambda[2], 2.0 / 3.0 * c2 + 9.81 * cos(s.q[2]), 1e-10);
    }
    below("energy error", trm_sim_report(r.sim).energy_error_relative, 1e-9);
    assert_true(trm_sim_energy(r.sim).work > 1.0);
    rig_close(&r);
}

CLAIM(a_sliding_motor_follows_its_expression)
{
    rig r =
        rig_parse("{\"dimension\": 3, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"s\","
                  "\"mass\": 3, \"inertia\": [1, 1, 1], \"position\": [0.3, 0, 0]}], \"joints\":"
                  "[{\"name\": \"rail\", \"type\": \"prismatic\", \"bodies\": [\"ground\", \"s\"],"
                  "\"at\": [0.3, 0, 0], \"axis\": [0, 3, 4], \"motor\": \"1 - cos(2*t)\"}]}");

    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PROJECTION, 1e-12, 1e-12));
    for (int k = 1; k <= 10; k++) {
        const double t = 0.2 * k;
        rig_run(&r, t);
        const trm_state s = trm_sim_state(r.sim);
        const double c = 1.0 - cos(2.0 * t), c1 = 2.0 * sin(2.0 * t), c2 = 4.0 * cos(2.0 * t);
        near("x", s.q[0], 0.3, 1e-13);
        near("y", s.q[1], 0.6 * c, 1e-13);
        near("z'", s.v[2], 0.8 * c1, 1e-12);
        near("y''", s.a[1], 0.6 * c2, 1e-11);
    }
    // work of the motor: what it has lifted and accelerated
    const trm_energy e = trm_sim_energy(r.sim);
    near("work", e.work, 1.5 * 4.0 * sin(4.0) * sin(4.0) + 3.0 * 9.81 * 0.8 * (1.0 - cos(4.0)),
         1e-9);
    rig_close(&r);
}

// ------------------------------------------------------------------------------------------ energy

/// Relative error of the energy balance after 1 s in which work was done.
static double energy_error(rig *r, trm_options options)
{
    rig_start(r, options);
    rig_run(r, 1.0);
    assert_true(fabs(trm_sim_energy(r->sim).work) > 0.05);
    return trm_sim_report(r->sim).energy_error_relative;
}

/// Kinetic + potential - work for damped, driven and pushed mechanisms, every method with its
/// default options and a small step.
CLAIM(energy_less_work_is_constant)
{
    const char *const damped = CRANK(
        "}, {\"name\": \"end\", \"mass\": 1, \"ends\": [[1, 0], [1, -1]]}], \"markers\": [{"
        "\"name\": \"tip\", \"body\": \"end\", \"on\": [0.5, 0]}, {\"name\": \"wall\", \"body\":"
        "\"ground\", \"at\": [2, -1]}], \"joints\": [{\"name\": \"O\", \"type\": \"revolute\","
        "\"bodies\": [\"ground\", \"arm\"], \"at\": [0, 0]}, {\"name\": \"P\", \"type\": "
        "\"revolute\", \"bodies\": [\"arm\", \"end\"], \"at\": [1, 0]}], \"forces\": [{\"name\":"
        "\"s\", \"type\": \"spring_damper\", \"markers\": [\"tip\", \"wall\"], \"stiffness\": 30,"
        "\"damping\": 2, \"rest_length\": 0.5}, {\"name\": \"friction\", \"type\": "
        "\"joint_spring_damper\", \"joint\": \"P\", \"damping\": 0.3}, {\"name\": \"wind\", "
        "\"type\": \"force\", \"marker\": \"tip\", \"value\": [\"3*sin(5*t)\", 0]}]}");
    const char *const driven = CRANK(
        "}, {\"name\": \"end\", \"mass\": 1, \"ends\": [[1, 0], [2, 0]]}], \"joints\": [{\"name\":"
        "\"O\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"arm\"], \"at\": [0, 0], "
        "\"motor\": \"1 - cos(4*t)\"}, {\"name\": \"P\", \"type\": \"revolute\", \"bodies\": "
        "[\"arm\", \"end\"], \"at\": [1, 0]}]}");
    const char *const scenes[] = {damped, driven};
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);

    for (int k = 0; k < 2; k++) {
        rig r = rig_parse(scenes[k]);
        for (int i = 0; i < n; i++) {
            const trm_method *m = &methods[i];
            if (!rig_fits(&r, m)) {
                continue;
            }
            trm_options options = trm_default_options(m->integrator, m->stabilization);
            if (m->adaptive) {
                options.rtol = options.atol = 1e-10;
            }
            const double error = energy_error(&r, options);
            options.h /= 2.0;
            // methods of low order: as h^2, at least
            if (!(error < 1e-6) && !(error > 3.0 * energy_error(&r, options))) {
                fail_msg("scene %d, %s with %s: energy off by %.2e", k, m->integrator_name,
                         m->stabilization_name, error);
            }
        }
        rig_close(&r);
    }
}

// ------------------------------------------------------------------------ forces of the time alone

/// 1 kg that slides along x under these forces, with this velocity at the start.
static rig slider(const char *force, const char *velocity)
{
    char text[600];
    snprintf(text, sizeof text,
             "{\"dimension\": 2, \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": 1, "
             "\"velocity\": [%s, 0]}], \"markers\": [{\"name\": \"p\", \"body\": \"a\", \"on\": "
             "[0, 0]}], "
             "\"joints\": [{\"name\": \"P\", \"type\": \"prismatic\", \"bodies\": [\"ground\", "
             "\"a\"], \"at\": [0, 0], \"axis\": [1, 0]}], \"forces\": [{\"name\": \"f\", \"type\": "
             "\"force\", \"marker\": \"p\", \"value\": [\"%s\", 0]}]}",
             velocity, force);
    return rig_parse(text);
}

static double imbalance(const trm_sim *sim)
{
    const trm_report report = trm_sim_report(sim);
    return report.energy_error / report.energy_scale;
}

/// v = (1 - cos(W t))/W over up to 16,000 turns: the work is v^2/2, known to 20 A of it, as the
/// verdict of energy asks; by the weights of the pairs alone it was off by 0.8 of it and more.
CLAIM(work_of_forces_of_the_time_adds_up)
{
    static const struct {
        trm_integrator pair;
        double W, accuracy;
    } runs[] = {{TRM_INTEGRATOR_DOP853, 1e3, 1e-2}, {TRM_INTEGRATOR_DOP853, 1e3, 1e-3},
                {TRM_INTEGRATOR_DOP853, 1e3, 1e-6}, {TRM_INTEGRATOR_DOP853, 1e4, 1e-3},
                {TRM_INTEGRATOR_DOP853, 1e4, 1e-6}, {TRM_INTEGRATOR_DOP853, 1e5, 1e-3},
                {TRM_INTEGRATOR_DOPRI5, 1e3, 1e-2}, {TRM_INTEGRATOR_DOPRI5, 1e3, 1e-3},
                {TRM_INTEGRATOR_DOPRI5, 1e3, 1e-6}, {TRM_INTEGRATOR_DOPRI5, 1e4, 1e-3},
                {TRM_INTEGRATOR_DOPRI5, 1e4, 1e-6}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char force[40];
        snprintf(force, sizeof force, "sin(%g*t)", runs[i].W);
        const double A = runs[i].accuracy, W = runs[i].W;
        rig r = slider(force, "0");
        rig_start(&r, rig_adaptive(runs[i].pair, TRM_STABILIZATION_S_BOTH2, A / 100, A / 100));
        rig_run(&r, 1);
        near("v", trm_sim_state(r.sim).v[0], (1 - cos(W)) / W, 10 * A / W);
        below("imbalance", imbalance(r.sim), 20 * A);
        rig_close(&r);
    }
}

/// What the work does not explain stays: velocities that a fault of an engine would scale.
CLAIM(a_fault_of_the_motion_stays_out_of_balance)
{
    static const double fault[] = {0.1, 1e-3};
    for (int k = 0; k < 4; k++) {
        rig r = slider("sin(1e3*t) - 0.1*p.vx", "1");
        rig_start(&r, rig_adaptive(k < 2 ? TRM_INTEGRATOR_DOP853 : TRM_INTEGRATOR_DOPRI5,
                                   TRM_STABILIZATION_S_BOTH2, 1e-8, 1e-8));
        rig_run(&r, 0.5);
        r.sim->run.now.z[r.sim->run.system->nq] *= 1 + fault[k % 2];
        rig_run(&r, 1);
        const double before = exp(-0.1) / 2; // J; so much more is out of balance
        const double gained = before * fault[k % 2] * (2 + fault[k % 2]);
        near("error", trm_sim_report(r.sim).energy_error / gained, 1, 0.01);
        rig_close(&r);
    }
}

/// A tenth of the velocity at t = 8 s is (1.1^2 - 1) v^2/2 = 0.1 J that no force has given, POOR of
/// the few J that go through in this step; the 4500 J of the next 92 s excuse nothing.
CLAIM(a_fault_is_not_excused_by_what_passes_later)
{
    rig r = slider("100*sin(t) - 100*p.vx", "0");
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-8, 1e-8));
    rig_run(&r, 8);
    below("before", imbalance(r.sim), 1e-6);
    r.sim->run.now.z[r.sim->run.system->nq] *= 1.1;
    rig_run(&r, 9);
    const double then = imbalance(r.sim);
    assert_true(then > 1e-2);
    rig_run(&r, 100);
    near("stays", imbalance(r.sim), then, 1e-3 * then);
    rig_close(&r);
}
