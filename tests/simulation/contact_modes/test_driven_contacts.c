/// What drives presses and strikes: the work of motors and of moving stops, and a Geneva drive.
#include "tests/rig.h"
#include "trammel/trammel_contact.h"

static rig begin(rig r)
{
    trm_options options =
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12);
    options.assemble = 1;
    rig_start(&r, options);
    return r;
}

/// A slider driven along x = s(t), and a slider of 1 kg in front of it, x = 1 + b.
#define PUSH(s, v, b, w)                                                                           \
    "{\"dimension\":2,\"bodies\":["                                                                \
    "{\"name\":\"a\",\"mass\":1,\"inertia\":1,\"velocity\":[" v ",0]},"                            \
    "{\"name\":\"b\",\"mass\":1,\"inertia\":1,\"position\":[\"1+" b "\",0],\"velocity\":[" w       \
    ",0]}],"                                                                                       \
    "\"joints\":["                                                                                 \
    "{\"name\":\"A\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],"           \
    "\"axis\":[1,0],\"motor\":\"" s "\"},"                                                         \
    "{\"name\":\"B\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"b\"],"                        \
    "\"at\":[[1,0],[\"1+" b "\",0]],\"axis\":[1,0]}],"                                             \
    "\"stops\":[{\"name\":\"s\",\"gap\":\"B.position - A.position\"}],"                            \
    "\"forces\":[{\"name\":\"load\",\"type\":\"joint_force\",\"joint\":\"B\",\"value\":-2}]}"

/// Pushed with 1 m/s against 2 N: the motor does 2 W.
CLAIM(a_motor_works_through_a_contact)
{
    rig r = begin(rig_parse(PUSH("t", "1", "0", "1")));
    rig_run(&r, 2);
    near("place", rig_q(&r, "b", 0), 3, 1e-12);
    near("force", rig_contact(&r, 0).force, 2, 1e-12);
    near("work", trm_sim_energy(r.sim).work, 0, 1e-11); // 4 J of the motor, -4 J of the load
    below("balance", rig_energy_error(&r), 1e-9);
    rig_close(&r);
}

/// Struck by a motor-driven slider of 1 m/s, a slider at rest takes that speed: the motor gives 1 J
/// in the impulse, half of it stays. At the start, or on the way (there the load has pushed it to x
/// = 0.5 - t^2, which t meets at (sqrt(3) - 1)/2).
CLAIM(a_motor_works_in_an_impact)
{
    rig r = begin(rig_parse(PUSH("t", "1", "0", "0")));
    near("lost", trm_sim_impacts(r.sim).energy_lost, 0.5, 1e-13);
    near("speed", rig_v(&r, "b", 0), 1, 1e-13);
    rig_run(&r, 1);
    below("balance", rig_energy_error(&r), 1e-9);
    rig_close(&r);
    r = begin(rig_parse(PUSH("t", "1", "0.5", "0")));
    rig_run(&r, 1);
    const double met = (sqrt(3) - 1) / 2, closing = 1 + 2 * met;
    assert_int_equal(trm_sim_impacts(r.sim).count, 1);
    near("when", trm_sim_impacts(r.sim).last, met, 1e-12);
    near("lost", trm_sim_impacts(r.sim).energy_lost, closing * closing / 2, 1e-11);
    below("balance", rig_energy_error(&r), 1e-9);
    rig_close(&r);
}

/// A bat that comes with 0.3 m/s towards a ball of 2 kg with -1 m/s, e = 0.5.
CLAIM(a_moving_stop_works_in_an_impact)
{
    for (int apart = 0; apart < 2; apart++) {
        rig r = begin(rig_parse(
            apart ? "{\"dimension\":2,\"bodies\":[{\"name\":\"b\",\"mass\":2,\"inertia\":1,"
                    "\"velocity\":[-1,0]}],\"markers\":[{\"name\":\"p\",\"body\":\"b\",\"on\":[0,0]"
                    "}],\"stops\":[{\"name\":\"s\",\"gap\":\"p.x + 1.3 - 0.3*t\","
                    "\"restitution\":0.5}]}"
                  : "{\"dimension\":2,\"bodies\":[{\"name\":\"b\",\"mass\":2,\"inertia\":1,"
                    "\"velocity\":[-1,0]}],\"markers\":[{\"name\":\"p\",\"body\":\"b\",\"on\":[0,0]"
                    "}],\"stops\":[{\"name\":\"s\",\"gap\":\"p.x - 0.3*t\","
                    "\"restitution\":0.5}]}"));
        rig_run(&r, 2);
        near("speed", rig_v(&r, "b", 0), 0.3 + 0.5 * 1.3, 1e-12);
        near("lost", trm_sim_impacts(r.sim).energy_lost, 1.3 * 1.3 * 0.75, 1e-12);
        below("balance", rig_energy_error(&r), 1e-9);
        rig_close(&r);
    }
}

// ------------------------------------------------------------------------------ the Geneva drive

/// The crank at x from its place in the middle of a slot: the pin is seen from the wheel's axis at
/// beta, tan beta = l sin x/(1 - l cos x), l = a/c = sin(pi/n), and the wheel goes with it. Behind,
/// it is locked at whole n-ths of a turn.
CLAIM(the_geneva_drive_turns_and_rests)
{
    const double n = 6, l = sin(pi / n), w = 4, J = 0.004, load = 2, edge = pi / 2 - pi / n;
    rig r = begin(rig_load("geneva", NULL));
    for (int k = 0; k < 4; k++) {
        for (int i = -4; i <= 4; i++) { // where the wall is straight
            const double x = i * (edge - 0.05) / 4, m = 1 + l * l - 2 * l * cos(x);
            const double beta = atan2(l * sin(x), 1 - l * cos(x));
            const double first = l * (cos(x) - l) / m;
            const double second = l * (l * l - 1) * sin(x) / (m * m);
            rig_run(&r, (1.5 + 2 * pi * k + x) / w);
            near("angle", -rig_q(&r, "wheel", 2), (2 * k + 1) * pi / n + beta, 1e-10);
            near("rate", -rig_v(&r, "wheel", 2), first * w, 1e-9);
            const trm_contact_state wall = rig_contact(&r, k);
            assert_int_equal(wall.mode, TRM_CONTACT_MODE_LOW);
            near("wall", wall.force, load + J * second * w * w, 1e-8);
        }
        for (int i = 0; i <= 2; i++) { // the arc holds it
            const double x = edge + 0.06 + i * (2 * pi - 2 * edge - 0.1) / 2;
            rig_run(&r, (1.5 + 2 * pi * k + x) / w);
            near("locked", -rig_q(&r, "wheel", 2), 2 * pi * (k + 1) / n, 1e-12);
            near("at rest", rig_v(&r, "wheel", 2), 0, 1e-12);
            const trm_contact_state arc = rig_contact(&r, 4 + k + 1);
            assert_int_equal(arc.mode, TRM_CONTACT_MODE_LOW);
            near("arc", arc.force, load, 1e-10);
        }
    }
    below("balance", rig_energy_error(&r), 1e-8);
    rig_close(&r);
}
