// Forces in runs, against closed forms: an orbit, a rope that tightens and slackens, a bushing, a
// preload.

#include "tests/rig.h"

static rig run(const char *json, double end)
{
    rig r = rig_parse(json);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PROJECTION, 1e-12, 1e-12));
    rig_run(&r, end);
    return r;
}

/// Eccentricity 0.6, from the apocentre; the period is 2 pi sqrt(a^3/mu).
CLAIM(an_orbit_closes_after_its_period)
{
    const double a = 2, e = 0.6, mu = 5, period = 2 * pi * sqrt(a * a * a / mu);
    rig r = run("{\"dimension\":3,\"parameters\":{\"a\":2,\"e\":0.6,\"mu\":5},\"bodies\":["
                "{\"name\":\"moon\",\"mass\":3,\"shape\":{\"type\":\"point\"},"
                "\"position\":[\"a*(1+e)\",0,0],"
                "\"velocity\":[0,\"sqrt(mu/a*(1-e)/(1+e))\",0]}],"
                "\"markers\":[{\"name\":\"sun\",\"body\":\"ground\",\"at\":[0,0,0]}],"
                "\"forces\":[{\"name\":\"pull\",\"type\":\"point_gravity\",\"marker\":\"sun\","
                "\"mu\":\"mu\"}]}",
                period);
    near("x", rig_q(&r, "moon", 0), a * (1 + e), 1e-9);
    near("y", rig_q(&r, "moon", 1), 0, 1e-8);
    rig_run(&r, 1.5 * period);
    near("pericentre", rig_q(&r, "moon", 0), -a * (1 - e), 1e-8);
    rig_close(&r);
}

/// Two bodies, the centre on one of them: it is drawn back, their centre of mass keeps its way, and
/// V = -mu m/r. A body at the centre has no force.
CLAIM(what_draws_is_drawn)
{
    rig r = run("{\"dimension\":3,\"bodies\":["
                "{\"name\":\"sun\",\"mass\":6,\"shape\":{\"type\":\"point\"},\"position\":[0,0,0]},"
                "{\"name\":\"moon\",\"mass\":3,\"shape\":{\"type\":\"point\"},\"position\":[0,2,0],"
                "\"velocity\":[1,0,0]}],"
                "\"markers\":[{\"name\":\"c\",\"body\":\"sun\",\"on\":[0,0,0]}],"
                "\"forces\":[{\"name\":\"pull\",\"type\":\"point_gravity\",\"marker\":\"c\","
                "\"mu\":5}]}",
                0);
    near("potential", trm_sim_energy(r.sim).potential, -5 * 3 / 2.0, 1e-14);
    near("moon", trm_sim_state(r.sim).a[4], -5 / 4.0, 1e-14);
    near("sun", trm_sim_state(r.sim).a[1], 5 * 3 / 4.0 / 6, 1e-14);
    rig_run(&r, 1);
    near("centre", rig_q(&r, "sun", 0) * 6 + rig_q(&r, "moon", 0) * 3, 3, 1e-10);
    const double zero[6] = {0};
    trm_error err = {.status = TRM_OK};
    assert_true(trm_sim_set_state(r.sim, 0, zero, zero, &err) != TRM_OK);
    assert_non_null(strstr(err.message, "pull"));
    rig_close(&r);
}

/// A ball falls 1 m, is caught by a rope of stiffness k and thrown back: x'' = g - k x/m while
/// stretched.
CLAIM(a_rope_pulls_and_never_pushes)
{
    const double g = 9.81, k = 100, w = sqrt(k), v = sqrt(2 * g), fall = v / g;
    // g/k (1 - cos w s) + v/w sin w s = 0 again at w s = 2 (pi - atan(v w/g))
    const double caught = 2 * (pi - atan(v * w / g)) / w, t = 1.1, up = t - fall - caught;
    rig r = run("{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"ball\","
                "\"position\":[0,0],\"mass\":1,\"shape\":{\"type\":\"point\"}}],"
                "\"markers\":[{\"name\":\"top\",\"body\":\"ground\",\"at\":[3,0.1]},"
                "{\"name\":\"hub\",\"body\":\"ground\",\"at\":[0,0.1]},"
                "{\"name\":\"end\",\"body\":\"ball\",\"on\":[0,0]}],"
                "\"forces\":[{\"name\":\"rope\",\"type\":\"tendon\","
                "\"markers\":[\"top\",\"hub\",\"end\"],\"stiffness\":100,\"rest_length\":4.1}]}",
                t);
    assert_true(up > 0);
    near("y", rig_q(&r, "ball", 1), -1 + v * up - g * up * up / 2, 1e-9);
    near("speed", rig_v(&r, "ball", 1), v - g * up, 1e-9);
    rig_close(&r);
}

/// Displaced along x and turned about z: two oscillations that do not know of each other.
CLAIM(a_bushing_is_a_spring_along_and_about_each_axis)
{
    rig r = run("{\"dimension\":3,\"bodies\":[{\"name\":\"box\",\"position\":[0,0,0],\"mass\":2,"
                "\"inertia\":[0.1,0.2,0.15],\"velocity\":[0.3,0,0],\"rate\":[0,0,0.7]}],"
                "\"markers\":[{\"name\":\"a\",\"body\":\"ground\",\"at\":[0,0,0]},"
                "{\"name\":\"b\",\"body\":\"box\",\"on\":[0,0,0]}],"
                "\"forces\":[{\"name\":\"rubber\",\"type\":\"bushing\",\"markers\":[\"a\",\"b\"],"
                "\"stiffness\":[50,70,90],\"damping\":[2,0,0],"
                "\"turning_stiffness\":[3,4,5],\"turning_damping\":[0,0,0.1]}]}",
                1.7);
    const double d = 0.5, w = sqrt(25 - d * d);                  // x'' + 2 d x' + 25 x = 0
    const double D = 0.1 / 0.15 / 2, W = sqrt(5 / 0.15 - D * D); // likewise of the angle
    const double angle = 0.7 / W * exp(-D * 1.7) * sin(W * 1.7);
    near("x", rig_q(&r, "box", 0), 0.3 / w * exp(-d * 1.7) * sin(w * 1.7), 1e-10);
    near("quaternion", rig_q(&r, "box", 6), sin(angle / 2), 1e-10);
    rig_close(&r);
}

/// Between bodies that are turned, either way round: in the initial pose there is no load and no
/// energy. In the plane it then swings about its angle there, J phi'' = -k (phi - 0.7).
CLAIM(a_bushing_is_slack_in_the_initial_pose)
{
    static const char *const bodies[2] = {
        "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":0.1,\"angle\":0.7,"
        "\"rate\":0.3},{\"name\":\"b\",\"mass\":1,\"inertia\":0.2,\"angle\":-0.4}],",
        "{\"dimension\":3,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":[1,2,3],"
        "\"rpy\":[0.3,0.8,-0.5]},{\"name\":\"b\",\"mass\":1,\"inertia\":[1,2,3],"
        "\"rpy\":[-0.6,0.1,0.9]}],"};
    static const char *const pairs[3] = {"a\",\"b", "a\",\"o", "o\",\"a"};
    for (int k = 0; k < 6; k++) {
        char json[900];
        const int space = k / 3;
        const char *const zero = space ? "[0,0,0]" : "[0,0]";
        snprintf(json, sizeof json,
                 "%s\"markers\":[{\"name\":\"o\",\"body\":\"ground\",\"at\":%s},"
                 "{\"name\":\"ma\",\"body\":\"a\",\"on\":%s},{\"name\":\"mb\",\"body\":\"b\","
                 "\"on\":%s}],\"forces\":[{\"name\":\"r\",\"type\":\"bushing\",\"markers\":["
                 "\"%s%.1s\",\"%s%s\"],\"turning_stiffness\":%s,\"turning_damping\":%s}]}",
                 bodies[space], zero, zero, zero, pairs[k % 3][0] == 'o' ? "" : "m", pairs[k % 3],
                 pairs[k % 3][4] == 'o' ? "" : "m", pairs[k % 3] + 4, space ? "[3,4,5]" : "2.5",
                 space ? "[1,2,3]" : "0");
        rig r = run(json, 0);
        near("energy", trm_sim_energy(r.sim).potential, 0, 1e-14);
        for (int i = 0; i < trm_model_sizes(r.model).nv; i++) {
            near("acceleration", trm_sim_state(r.sim).a[i], 0, 1e-13);
        }
        if (!space && k > 0) { // between a and the ground
            rig_run(&r, 1.1);
            near("angle", rig_q(&r, "a", 2), 0.7 + 0.3 / 5 * sin(5.5), 1e-10);
        }
        rig_close(&r);
    }
}

/// Turned by a small angle f about (1, 1, 0), with stiffness k about x alone: the torque about y is
/// of third order, -k f^3/(24 sqrt(2)), by the series of the logarithm.
CLAIM(a_bushing_has_the_terms_of_third_order)
{
    rig r = run("{\"dimension\":3,\"bodies\":[{\"name\":\"box\",\"mass\":2,\"inertia\":[1,1,1]}],"
                "\"markers\":[{\"name\":\"a\",\"body\":\"ground\",\"at\":[0,0,0]},"
                "{\"name\":\"b\",\"body\":\"box\",\"on\":[0,0,0]}],"
                "\"forces\":[{\"name\":\"rubber\",\"type\":\"bushing\",\"markers\":[\"a\",\"b\"],"
                "\"turning_stiffness\":[3,0,0]}]}",
                0);
    for (double f = 0.5e-4; f < 1e-2; f *= 3) { // on both sides of where a series is used
        double a[6];
        const double s = sin(f / 2) / sqrt(2), v[6] = {0};
        const double q[7] = {0, 0, 0, cos(f / 2), s, s, 0};
        trm_error err = {.status = TRM_OK};
        const trm_terms wanted = {.a = a};
        rig_ok(trm_sim_terms(r.sim, 0, q, v, NULL, &wanted, &err), &err);
        const double third = -3 * f * f * f / (24 * sqrt(2));
        near("torque", a[4], third, 1e-5 * fabs(third));
    }
    rig_close(&r);
}

/// A load that stretches a damped rope: the work includes the loss of the damper, so that the
/// balance holds.
CLAIM(a_rope_takes_its_work)
{
    rig r = run("{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"ball\","
                "\"position\":[0,0],\"mass\":1,\"shape\":{\"type\":\"point\"}}],"
                "\"markers\":[{\"name\":\"hub\",\"body\":\"ground\",\"at\":[0,0.4]},"
                "{\"name\":\"ring\",\"body\":\"ground\",\"at\":[0,0.2]},"
                "{\"name\":\"end\",\"body\":\"ball\",\"on\":[0,0]}],"
                "\"forces\":[{\"name\":\"rope\",\"type\":\"tendon\","
                "\"markers\":[\"hub\",\"ring\",\"end\"],\"stiffness\":100,\"damping\":3,"
                "\"rest_length\":0.45}]}",
                1.3);
    const trm_report report = trm_sim_report(r.sim);
    below("balance", report.energy_error / report.energy_scale, 1e-9);
    below("has fallen", rig_q(&r, "ball", 1), -0.1);
    rig_close(&r);
}

/// A rope over a pin that two bodies share has a span of length zero: it runs as without. One that
/// begins where it ends, x = v exp(-d t) sin(w t)/w with 2 d = c/m, is damped from the start.
CLAIM(a_rope_over_markers_that_coincide)
{
    double x[2];
    for (int twice = 0; twice < 2; twice++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":["
            "{\"name\":\"a\",\"ends\":[[0,0],[1,0]],\"mass\":1},"
            "{\"name\":\"b\",\"ends\":[[1,0],[2,0]],\"mass\":1}],\"joints\":["
            "{\"name\":\"A\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0]},"
            "{\"name\":\"B\",\"type\":\"revolute\",\"bodies\":[\"a\",\"b\"],\"at\":[1,0]}],"
            "\"markers\":[{\"name\":\"o\",\"body\":\"ground\",\"at\":[1,1]},"
            "{\"name\":\"p\",\"body\":\"a\",\"at\":[1,0]},"
            "{\"name\":\"q\",\"body\":\"b\",\"at\":[1,0]},"
            "{\"name\":\"r\",\"body\":\"b\",\"at\":[2,0]}],\"forces\":[{\"name\":\"rope\","
            "\"type\":\"tendon\",\"markers\":[\"o\",\"p\"%s,\"r\"],\"stiffness\":30,"
            "\"damping\":2,\"rest_length\":1.8}]}",
            twice ? ",\"q\"" : "");
        rig r = run(text, 1);
        x[twice] = rig_q(&r, "b", 1);
        rig_close(&r);
    }
    near("with a span of no length", x[1], x[0], 1e-9);
    for (int dimension = 2; dimension <= 3; dimension++) {
        char text[1000];
        const char *const z = dimension == 3 ? ",0" : "";
        snprintf(text, sizeof text,
                 "{\"dimension\":%d,\"bodies\":[{\"name\":\"ball\",\"position\":[0,0%s],\"mass\":2,"
                 "\"velocity\":[0.3,0.4%s],\"shape\":{\"type\":\"point\"}}],\"markers\":["
                 "{\"name\":\"o\",\"body\":\"ground\",\"at\":[0,0%s]},{\"name\":\"p\",\"body\":"
                 "\"ball\",\"on\":[0,0%s]}],\"forces\":[{\"name\":\"rope\",\"type\":\"tendon\","
                 "\"markers\":[\"o\",\"p\"],\"stiffness\":50,\"damping\":4,\"rest_length\":0}]}",
                 dimension, z, z, z, z);
        rig r = rig_parse(text);
        double a[3];
        const trm_terms wanted = {.a = a};
        trm_error err = {.status = TRM_OK};
        rig_start(&r,
                  rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PROJECTION, 1e-11, 1e-11));
        const trm_state s = trm_sim_state(r.sim);
        rig_ok(trm_sim_terms(r.sim, 0, s.q, s.v, NULL, &wanted, &err), &err);
        near("at the start", a[0], -4 * 0.3 / 2, 1e-15);
        const double t = 0.4, d = 1, w = sqrt(50 / 2.0 - d * d);
        rig_run(&r, t);
        near("y", rig_q(&r, "ball", 1), 0.4 * exp(-d * t) * sin(w * t) / w, 1e-10);
        rig_close(&r);
    }
}

/// J phi'' = T0 - k phi from rest: phi = T0/k (1 - cos w t).
CLAIM(a_preload_turns_a_slack_spring)
{
    rig r = run("{\"dimension\":2,\"bodies\":[{\"name\":\"arm\",\"position\":[0,0],\"mass\":2,"
                "\"inertia\":0.1}],\"joints\":[{\"name\":\"O\",\"type\":\"revolute\","
                "\"bodies\":[\"ground\",\"arm\"],\"at\":[0,0]}],"
                "\"forces\":[{\"name\":\"coil\",\"type\":\"joint_spring_damper\",\"joint\":\"O\","
                "\"stiffness\":0.4,\"preload\":3}]}",
                2.0);
    near("angle", rig_q(&r, "arm", 2), 3 / 0.4 * (1 - cos(2.0 * 2)), 1e-9);
    rig_close(&r);
}

/// A double pendulum, stretched out and at rest: (M + diag(J)) phi'' = Q in the coordinates of its
/// joints.
CLAIM(an_armature_adds_to_the_inertia_of_its_joint_alone)
{
    rig r = rig_parse(
        "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":["
        "{\"name\":\"arm\",\"ends\":[[0,0],[1,0]],\"mass\":1},"
        "{\"name\":\"fore\",\"ends\":[[1,0],[2,0]],\"mass\":1}],"
        "\"joints\":[{\"name\":\"S\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"arm\"],"
        "\"at\":[0,0],\"armature\":0.5},"
        "{\"name\":\"E\",\"type\":\"revolute\",\"bodies\":[\"arm\",\"fore\"],"
        "\"at\":[1,0],\"armature\":0.3}]}");
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PROJECTION, 1e-11, 1e-11));
    const double g = 9.81, M11 = 8.0 / 3 + 0.5, M12 = 5.0 / 6, M22 = 1.0 / 3 + 0.3;
    const double Q1 = -2 * g, Q2 = -g / 2, det = M11 * M22 - M12 * M12;
    const double one = (M22 * Q1 - M12 * Q2) / det, two = (M11 * Q2 - M12 * Q1) / det;
    const double *a = trm_sim_state(r.sim).a;
    near("arm", a[2], one, 1e-9);
    near("fore", a[5], one + two, 1e-9);
    const trm_energy first = trm_sim_energy(r.sim);
    rig_run(&r, 2.0);
    const trm_energy last = trm_sim_energy(r.sim);
    near("energy", last.kinetic + last.potential, first.kinetic + first.potential, 1e-8);
    rig_close(&r);
}

/// In space: a slider of 3 kg that drags 5 kg along falls with 3/8 of g, already under way, and a
/// hinge about a slanted axis whose armature outweighs its body.
CLAIM(armatures_in_space)
{
    rig r =
        run("{\"dimension\":3,\"gravity\":[0,0,-9.81],\"bodies\":["
            "{\"name\":\"weight\",\"mass\":3,\"inertia\":[1,1,1],\"position\":[1,2,3],"
            "\"velocity\":[0,0,-1]},"
            "{\"name\":\"wheel\",\"mass\":2,\"inertia\":[0.2,0.2,0.2],\"position\":[0,0,0]}],"
            "\"joints\":[{\"name\":\"G\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"weight\"],"
            "\"at\":[1,2,3],\"axis\":[0,0,2],\"armature\":5},"
            "{\"name\":\"H\",\"type\":\"revolute\",\"bodies\":[\"wheel\",\"ground\"],"
            "\"at\":[0,0,0],\"axis\":[1,2,2],\"armature\":0.8}],"
            "\"forces\":[{\"name\":\"T\",\"type\":\"torque\",\"body\":\"wheel\","
            "\"value\":[0.1,0.2,0.2]}]}",
            3.0);
    near("fallen", rig_q(&r, "weight", 2), 3 - 3.0 - 3.0 / 8 * 9.81 * 9 / 2, 1e-8);
    near("rate", rig_v(&r, "wheel", 3), 0.3 / (0.2 + 0.8) * 3 / 3, 1e-9); // 0.3 N m along the axis
    near("turns", fabs(rig_q(&r, "H.rotor", 6)), fabs(sin(0.3 * 9 / 4)), 1e-9);
    rig_close(&r);
}
