// Transmissions: G and gamma against differences, known gear trains, screws and cams, bad input.

#include "tests/derivatives.h"

#include "constraints/transmissions/relation.h"

// ------------------------------------------------------------------------------------ derivatives

#define TABLE                                                                                      \
    "\"tables\":{\"lift\":{\"points\":[[0,0],[1,0.3],[2,0.1],[3,0.4],[6.283185307179586,0]],"      \
    "\"interpolation\":\"cubic\",\"outside\":\"periodic\"}},"

static const char plane[] =
    "{\"dimension\":2," TABLE "\"bodies\":["
    "{\"name\":\"arm\",\"position\":[0,0],\"mass\":1,\"inertia\":0.2},"
    "{\"name\":\"sun\",\"position\":[0,0],\"mass\":1,\"inertia\":0.1},"
    "{\"name\":\"planet\",\"position\":[0.5,0],\"mass\":1,\"inertia\":0.1},"
    "{\"name\":\"rack\",\"position\":[0,1],\"mass\":2,\"inertia\":0.3}],"
    "\"markers\":[{\"name\":\"tip\",\"body\":\"planet\",\"on\":[0.1,0.2]}],"
    "\"joints\":["
    "{\"name\":\"A\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"arm\"],\"at\":[0,0]},"
    "{\"name\":\"S-1\",\"type\":\"revolute\",\"bodies\":[\"arm\",\"sun\"],\"at\":[0,0]},"
    "{\"name\":\"P\",\"type\":\"revolute\",\"bodies\":[\"arm\",\"planet\"],\"at\":[0.5,0]},"
    "{\"name\":\"R\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"rack\"],\"at\":[0,1],"
    "\"axis\":[1,0.2]}],"
    "\"constraints\":["
    "{\"name\":\"g\",\"type\":\"gear\",\"joints\":[\"S-1\",\"P\"],\"radii\":[0.3,0.2]},"
    "{\"name\":\"i\",\"type\":\"gear\",\"joints\":[\"A\",\"P\"],\"radii\":[0.7,0.2],"
    "\"mesh\":\"internal\"},"
    "{\"name\":\"q\",\"type\":\"gear\",\"joints\":[\"A\",\"P\"],\"ratio\":-2.5},"
    "{\"name\":\"r\",\"type\":\"rack_and_pinion\",\"joints\":[\"A\",\"R\"],\"radius\":0.4},"
    "{\"name\":\"s\",\"type\":\"screw\",\"joints\":[\"A\",\"R\"],\"lead\":0.4},"
    "{\"name\":\"b\",\"type\":\"belt\",\"joints\":[\"A\",\"P\"],\"radii\":[0.2,0.1],"
    "\"crossed\":true},"
    "{\"name\":\"o\",\"type\":\"belt\",\"joints\":[\"A\",\"P\"],\"radii\":[0.2,0.1]},"
    "{\"name\":\"c\",\"type\":\"coupling\",\"joints\":[\"A\",\"S-1\",\"R\"],"
    "\"coefficients\":[1,-2,3]},"
    "{\"name\":\"p\",\"type\":\"coupling\",\"joints\":[\"R\",\"P\"],\"polynomial\":[0.1,-1,2,0.5]},"
    "{\"name\":\"f\",\"type\":\"cam\",\"follower\":\"R\",\"profile\":\"table(lift, A.angle)\"},"
    "{\"name\":\"m\",\"type\":\"cam\",\"marker\":\"tip\",\"direction\":[1,2],"
    "\"profile\":\"0.2*sin(2*A.angle)+0.1*t\"}]}";

static const char space[] =
    "{\"dimension\":3," TABLE "\"bodies\":["
    "{\"name\":\"cage\",\"position\":[0,0,0],\"mass\":1,\"inertia\":[0.2,0.3,0.4]},"
    "{\"name\":\"left\",\"position\":[0.3,0,0],\"mass\":1,\"inertia\":[0.1,0.2,0.3]},"
    "{\"name\":\"spider\",\"position\":[0,0.2,0],\"mass\":1,\"inertia\":[0.1,0.15,0.2]},"
    "{\"name\":\"nut\",\"position\":[0,1,0.2],\"mass\":2,\"inertia\":[0.3,0.2,0.1]}],"
    "\"markers\":[{\"name\":\"tip\",\"body\":\"spider\",\"on\":[0.1,0.2,0.3]}],"
    "\"joints\":["
    "{\"name\":\"C\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"cage\"],\"at\":[0,0,0],"
    "\"axis\":[1,0,0]},"
    "{\"name\":\"L\",\"type\":\"revolute\",\"bodies\":[\"cage\",\"left\"],\"at\":[0.3,0,0],"
    "\"axis\":[1,0,0]},"
    "{\"name\":\"S\",\"type\":\"revolute\",\"bodies\":[\"spider\",\"cage\"],\"at\":[0,0.2,0],"
    "\"axis\":[0,-1,0]},"
    "{\"name\":\"M\",\"type\":\"revolute\",\"bodies\":[\"cage\",\"nut\"],\"at\":[0.3,0.5,0],"
    "\"axis\":[1,0,0]},"
    "{\"name\":\"N\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"nut\"],"
    "\"at\":[[0,1,0],[0,1,0.2]],\"axis\":[1,0.2,3]}],"
    "\"constraints\":["
    "{\"name\":\"g\",\"type\":\"gear\",\"joints\":[\"L\",\"S\"],\"radii\":[0.3,0.2],"
    "\"mesh\":\"bevel\"},"
    "{\"name\":\"q\",\"type\":\"gear\",\"joints\":[\"L\",\"S\"],\"ratio\":1.5},"
    "{\"name\":\"b\",\"type\":\"belt\",\"joints\":[\"L\",\"M\"],\"radii\":[0.1,0.2]},"
    "{\"name\":\"r\",\"type\":\"rack_and_pinion\",\"joints\":[\"S\",\"N\"],\"radius\":-0.4},"
    "{\"name\":\"s\",\"type\":\"screw\",\"joints\":[\"C\",\"N\"],\"lead\":0.4},"
    "{\"name\":\"c\",\"type\":\"coupling\",\"joints\":[\"C\",\"S\",\"N\"],"
    "\"coefficients\":[1,-2,3],\"constant\":0.5},"
    "{\"name\":\"p\",\"type\":\"coupling\",\"joints\":[\"S\",\"L\"],\"polynomial\":[0.1,-1,2]},"
    "{\"name\":\"f\",\"type\":\"cam\",\"follower\":\"N\",\"profile\":\"table(lift, L.angle)\"},"
    "{\"name\":\"m\",\"type\":\"cam\",\"marker\":\"tip\",\"direction\":[1,2,-1],"
    "\"profile\":\"0.2*sin(2*C.angle)+0.1*t\"}]}";

CLAIM(rows_have_exact_derivatives_in_the_plane)
{
    check_scene(plane);
}

CLAIM(rows_have_exact_derivatives_in_space)
{
    check_scene(space);
}

static const char rollers_in_the_plane[] =
    "{\"dimension\":2,\"bodies\":["
    "{\"name\":\"cart\",\"position\":[0,0.5],\"angle\":0.3,\"mass\":1,\"inertia\":0.2},"
    "{\"name\":\"wheel\",\"position\":[0.1,1],\"mass\":1,\"inertia\":0.1}],"
    "\"markers\":[{\"name\":\"hub\",\"body\":\"wheel\",\"on\":[0.05,0.02]},"
    "{\"name\":\"deck\",\"body\":\"cart\",\"on\":[0.1,0.2]},"
    "{\"name\":\"road\",\"body\":\"ground\",\"at\":[0.3,0.1]}],"
    "\"joints\":[{\"name\":\"P\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"cart\"],"
    "\"at\":[0,0.5]}],"
    "\"constraints\":["
    "{\"name\":\"a\",\"type\":\"rolling\",\"markers\":[\"hub\",\"road\"],\"normal\":[0.2,1],"
    "\"radius\":0.3},"
    "{\"name\":\"b\",\"type\":\"rolling\",\"markers\":[\"hub\",\"deck\"],\"normal\":[-0.3,1],"
    "\"radius\":0.2},"
    "{\"name\":\"c\",\"type\":\"knife_edge\",\"marker\":\"hub\",\"normal\":[1,2]},"
    "{\"name\":\"p\",\"type\":\"rolling_pair\",\"markers\":[\"hub\",\"deck\"],\"radii\":[0.2,0.3]},"
    "{\"name\":\"i\",\"type\":\"rolling_pair\",\"markers\":[\"hub\",\"road\"],\"radii\":[0.2,-0.9]}"
    ","
    "{\"name\":\"w\",\"type\":\"curve\",\"markers\":[\"hub\",\"deck\"],"
    "\"formulas\":[\"s\",\"0.02*s^2\"],\"range\":[-9,9]},"
    "{\"name\":\"x\",\"expression\":\"hub.x*deck.y - sin(w.parameter + t)\"},"
    "{\"name\":\"d\",\"type\":\"velocity\",\"expression\":"
    "\"hub.vx*sin(hub.y + t) - 2*P.rate*cos(wheel.angle) + cart.rate + 0.3*t\"}]}";

static const char rollers_in_space[] =
    "{\"dimension\":3,\"bodies\":["
    "{\"name\":\"plate\",\"position\":[0,0,0.5],\"rpy\":[0.3,0.2,0.5],\"mass\":1,"
    "\"inertia\":[0.2,0.3,0.4]},"
    "{\"name\":\"wheel\",\"position\":[0.1,0.2,1],\"rpy\":[-0.3,0.4,0.1],\"mass\":1,"
    "\"inertia\":[0.1,0.15,0.2]}],"
    "\"markers\":[{\"name\":\"hub\",\"body\":\"wheel\",\"on\":[0.05,0.02,-0.1]},"
    "{\"name\":\"deck\",\"body\":\"plate\",\"on\":[0.1,0.2,0.3]},"
    "{\"name\":\"road\",\"body\":\"ground\",\"at\":[0.3,0.1,0.2]}],"
    "\"joints\":[{\"name\":\"P\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"plate\"],"
    "\"at\":[0,0,0.5],\"axis\":[1,2,3]}],"
    "\"constraints\":["
    "{\"name\":\"a\",\"type\":\"rolling\",\"markers\":[\"hub\",\"road\"],\"normal\":[0.2,0.1,1],"
    "\"radius\":0.3,\"axis\":[1,-2,0.3]},"
    "{\"name\":\"b\",\"type\":\"rolling\",\"markers\":[\"hub\",\"deck\"],\"normal\":[-0.3,1,0.2],"
    "\"radius\":0.2,\"shape\":\"ball\"},"
    "{\"name\":\"e\",\"type\":\"rolling\",\"markers\":[\"hub\",\"deck\"],\"normal\":[0.3,0.2,0.9],"
    "\"shape\":\"ellipsoid\",\"semi_axes\":[0.2,0.3,0.4]},"
    "{\"name\":\"c\",\"type\":\"knife_edge\",\"marker\":\"hub\",\"normal\":[1,2,3]},"
    "{\"name\":\"p\",\"type\":\"rolling_pair\",\"markers\":[\"hub\",\"deck\"],\"radii\":[0.2,0.3]},"
    "{\"name\":\"i\",\"type\":\"rolling_pair\",\"markers\":[\"hub\",\"road\"],\"radii\":[0.2,-0.9]}"
    ","
    "{\"name\":\"w\",\"type\":\"curve\",\"markers\":[\"hub\",\"deck\"],"
    "\"formulas\":[\"s\",\"0.02*s^2\",\"-0.01*s^2\"],\"range\":[-9,9]},"
    "{\"name\":\"x\",\"expression\":\"hub.x*deck.y - sin(w.parameter + t)\"},"
    "{\"name\":\"d\",\"type\":\"velocity\",\"expression\":"
    "\"hub.vx*sin(hub.y + t) - 2*P.rate*wheel.R02 + plate.wy*hub.z + deck.vz\"}]}";

CLAIM(rows_of_velocity_have_exact_derivatives)
{
    little = 3e-4; // centres of a pair come near each other: the fifth derivative is large there
    check_scene(rollers_in_the_plane);
    check_scene(rollers_in_space);
}

/// Every kind of the registry stands in one of these scenes, in the plane and in space.
CLAIM(no_kind_is_left_out)
{
    const char *const scenes[2][2] = {{plane, rollers_in_the_plane}, {space, rollers_in_space}};
    for (int i = 0; trm_relation_kinds[i]; i++) {
        const trm_relation_kind *kind = trm_relation_kinds[i];
        char type[80];
        snprintf(type, sizeof type, i ? "\"type\":\"%s\"" : "\"%s\":", kind->name);
        for (int d = 0; d < 2; d++) {
            if (!strstr(scenes[d][0], type) && !strstr(scenes[d][1], type)) {
                fail_msg("no %s in %d dimensions", kind->name, d + 2);
            }
        }
    }
}

// --------------------------------------------------------------------------------- known solutions

static trm_terms acceleration_of(const rig *r, double *a, double *lambda)
{
    trm_error err = {.status = TRM_OK};
    const trm_state s = trm_sim_state(r->sim);
    const trm_terms wanted = {.a = a, .lambda = lambda};
    rig_ok(trm_sim_terms(r->sim, s.t, s.q, s.v, NULL, &wanted, &err), &err);
    return wanted;
}

static double of_body(const rig *r, const double *x, const char *body, int k)
{
    return x[trm_model_body_info(r->model, rig_body(r, body)).v0 + k];
}

static double of_row(const rig *r, const double *lambda, const char *name)
{
    for (int i = 0; i < trm_model_sizes(r->model).nc; i++) {
        if (strcmp(trm_model_row_info(r->model, i).name, name) == 0) {
            return lambda[i];
        }
    }
    fail_msg("no row \"%s\"", name);
    return 0;
}

#define PLANETS(forces)                                                                            \
    "{\"dimension\":2,\"parameters\":{\"s\":0.03,\"p\":0.02},"                                     \
    "\"bodies\":[{\"name\":\"carrier\",\"position\":[0,0],\"mass\":1,\"inertia\":0.002},"          \
    "{\"name\":\"sun\",\"position\":[0,0],\"mass\":0.5,\"inertia\":0.0003},"                       \
    "{\"name\":\"planet\",\"position\":[\"s+p\",0],\"mass\":0.2,\"inertia\":0.00005}],"            \
    "\"joints\":["                                                                                 \
    "{\"name\":\"arm\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"carrier\"],\"at\":[0,0]},"   \
    "{\"name\":\"S\",\"type\":\"revolute\",\"bodies\":[\"carrier\",\"sun\"],\"at\":[0,0]},"        \
    "{\"name\":\"P\",\"type\":\"revolute\",\"bodies\":[\"carrier\",\"planet\"],"                   \
    "\"at\":[\"s+p\",0]}],"                                                                        \
    "\"constraints\":["                                                                            \
    "{\"name\":\"in\",\"type\":\"gear\",\"joints\":[\"S\",\"P\"],\"radii\":[\"s\",\"p\"]},"        \
    "{\"name\":\"out\",\"type\":\"gear\",\"joints\":[\"arm\",\"P\"],\"radii\":[\"s+2*p\",\"p\"],"  \
    "\"mesh\":\"internal\"}],"                                                                     \
    "\"forces\":[" forces "]}"

/// w_sun = (1 + r_ring/r_sun) w_carrier with the ring at rest; the torque works on one inertia.
CLAIM(a_planetary_gear_turns_as_willis_says)
{
    rig r =
        rig_parse(PLANETS("{\"name\":\"T\",\"type\":\"torque\",\"body\":\"sun\",\"value\":0.1}"));
    const double s = 0.03, p = 0.02, i = 1 + (s + 2 * p) / s, w = -(s + 2 * p - p) / p;
    // rates of sun and planet for one of the carrier; kinetic energy is half of J times its square
    const double J = 0.002 + 0.0003 * i * i + 0.00005 * w * w + 0.2 * (s + p) * (s + p);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PROJECTION, 1e-11, 1e-11));
    rig_run(&r, 2.0);
    const double carrier = 0.1 * i / J * 2.0;
    near("carrier", rig_v(&r, "carrier", 2), carrier, 1e-8 * carrier);
    near("sun", rig_v(&r, "sun", 2), i * carrier, 1e-8 * i * carrier);
    near("planet", rig_v(&r, "planet", 2), w * carrier, 1e-8 * fabs(w) * carrier);
    near("turns", rig_q(&r, "sun", 2), i * carrier, 1e-8 * i * carrier); // many, all counted
    rig_close(&r);
}

/// Balance: T_carrier = -(1 + r_ring/r_sun) T_sun, and the teeth carry T_sun/r_sun.
CLAIM(a_planetary_gear_balances_as_willis_says)
{
    double a[9], lambda[8];
    rig r = rig_parse(PLANETS("{\"name\":\"T\",\"type\":\"torque\",\"body\":\"sun\",\"value\":0.3},"
                              "{\"name\":\"U\",\"type\":\"torque\",\"body\":\"carrier\",\"value\":"
                              "\"-0.3*(1+0.07/0.03)\"}"));
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PROJECTION, 1e-9, 1e-9));
    acceleration_of(&r, a, lambda);
    for (int k = 0; k < 9; k++) {
        near("acceleration", a[k], 0, 1e-10);
    }
    near("teeth of the sun", of_row(&r, lambda, "in"), 0.3 / 0.03, 1e-10);
    near("teeth of the ring", of_row(&r, lambda, "out"), 0.3 / 0.03, 1e-10);
    rig_close(&r);
}

/// w_left + w_right = 2 w_cage. With w_c = (l + r)/2 and the spider's spin s = 2 (l - w_c) the
/// kinetic energy is (J_l l^2 + J_r r^2 + (J_c + J_x + m a^2) w_c^2 + J_y s^2)/2; T works on w_c.
CLAIM(a_differential_halves_the_torque)
{
    rig r = rig_load("../tests/scenes/differential", NULL);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PROJECTION, 1e-11, 1e-11));
    rig_run(&r, 1.0);
    const double J = 0.04 + 0.001 + 0.5 * 0.06 * 0.06, D = 0.002;
    const double a = 0.02 + J / 4 + D, b = J / 4 - D, c = 0.05 + J / 4 + D, T = 3.0 / 2;
    const double det = a * c - b * b, left = T * (c - b) / det, right = T * (a - b) / det;
    near("left", rig_v(&r, "left", 3), left, 1e-8 * left);
    near("right", rig_v(&r, "right", 3), right, 1e-8 * right);
    near("cage", rig_v(&r, "cage", 3), (left + right) / 2, 1e-8 * left);
    rig_close(&r);
}

/// (J + m p^2) phi'' = T - m g p,   p = lead/(2 pi); the thread carries m (g + p phi'').
CLAIM(a_screw_press_falls_and_lifts_as_one_mass)
{
    double a[12], lambda[11];
    rig r = rig_load("../tests/scenes/screw_press", NULL);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PROJECTION, 1e-11, 1e-11));
    rig_run(&r, 1.0);
    const double p = 0.02 / (2 * pi), turn = (5 - 40 * 9.81 * p) / (0.01 + 40 * p * p);
    near("screw", rig_v(&r, "screw", 5), turn, 1e-8 * turn);
    near("ram", rig_q(&r, "ram", 2), -0.5 + p * turn / 2, 1e-9); // many turns
    acceleration_of(&r, a, lambda);
    near("thread", of_row(&r, lambda, "thread"), -40 * (9.81 + p * turn), 1e-6);
    rig_close(&r);
}

/// Arms and links of length l, balls of m, a sleeve of M that turns a throttle of J by a screw of
/// lead p, at a steady speed w. With c the cosine of the arms and M' = M + J (2 pi/p)^2,
///
///   U = m w^2 l^2 (c - c0)^2,   c0 = (m + M) g/(m l w^2);   T = l^2 (m + 2 M' (1 - c^2)) a'^2
///
/// so it swings as c = c0 + d cos s, 2 pi of s in (2/w) integral of sqrt(1/(1 - c^2) + 2 M'/m) ds
/// from 0 to pi.
CLAIM(watts_governor_swings_and_turns_its_screw)
{
    enum { SAMPLES = 64 }; // of a periodic function: the trapezoidal rule has all digits
    const double g = 9.81, l = 0.3, m = 1.2, M = 3, J = 0.0004, p = 0.05, c0 = 0.5;
    const double w = sqrt((m + M) * g / (m * l * c0)), screw = 2 * pi / p,
                 all = M + J * screw * screw;
    const double first = cos(pi / 3 - 4 * pi / 180), d = first - c0, s2 = 1 - first * first;
    double a[24], lambda[23], period = 0;
    for (int i = 0; i < SAMPLES; i++) {
        const double c = c0 + d * cos(2 * pi * i / SAMPLES);
        period += 2 * pi / SAMPLES * sqrt(1 / (1 - c * c) + 2 * all / m) / w;
    }
    rig r = rig_load("watt_governor", NULL);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PROJECTION, 1e-12, 1e-12));
    const double start = rig_q(&r, "collar", 2), turn = w * w * d * s2 * m / (m + 2 * all * s2);
    acceleration_of(&r, a, lambda);
    near("lifted", of_body(&r, a, "collar", 2), 2 * l * turn, 1e-9);
    near("thread", of_row(&r, lambda, "thread"), J * screw * screw * 2 * l * turn, 1e-8);
    near("screw", of_body(&r, a, "valve", 5), screw * 2 * l * turn, 1e-7);
    rig_run(&r, period / 2);
    near("other side", rig_q(&r, "collar", 2), -2 * l * (c0 - d), 1e-9);
    rig_run(&r, period);
    near("back", rig_q(&r, "collar", 2), start, 1e-9);
    near("at rest", rig_v(&r, "collar", 2), 0, 1e-8);
    rig_run(&r, 0.3 * period + period);
    near("rate", rig_v(&r, "valve", 5), screw * rig_v(&r, "collar", 2), 1e-8);
    rig_close(&r);
    const char *const steady[] = {"swing", "0", NULL};
    r = rig_load("watt_governor", steady);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PROJECTION, 1e-10, 1e-10));
    rig_run(&r, 3);
    near("steady", rig_q(&r, "collar", 2), -2 * l * c0, 1e-9);
    rig_close(&r);
}

/// x = e (1 - cos w t): the groove pulls with m (g + x''), the motor turns with that times dx/dphi.
CLAIM(a_cam_lifts_its_follower)
{
    double a[6], lambda[6];
    rig r = rig_load("../tests/scenes/cam_lifter", NULL);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PROJECTION, 1e-11, 1e-11));
    rig_run(&r, 1.3);
    const double e = 0.02, w = 8, phi = w * 1.3;
    const double F = 0.7 * (9.81 + e * w * w * cos(phi));
    acceleration_of(&r, a, lambda);
    near("rod", rig_q(&r, "rod", 1), 0.1 + e * (1 - cos(phi)), 1e-12);
    near("speed", rig_v(&r, "rod", 1), e * w * sin(phi), 1e-11);
    near("acceleration", of_body(&r, a, "rod", 1), e * w * w * cos(phi), 1e-9);
    near("groove", of_row(&r, lambda, "groove"), -F, 1e-9);
    near("motor", lambda[2], -F * e * sin(phi), 1e-9);
    rig_close(&r);
}

/// The reactions of all these rows do no work: 3 s, gravity alone.
CLAIM(reactions_have_no_power)
{
    rig r = rig_load("../tests/scenes/belt_and_polynomial", NULL);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PROJECTION, 1e-11, 1e-11));
    const trm_energy start = trm_sim_energy(r.sim);
    rig_run(&r, 3.0);
    const trm_energy end = trm_sim_energy(r.sim);
    near("energy", end.kinetic + end.potential, start.kinetic + start.potential, 1e-8);
    below("falling crank", rig_q(&r, "crank", 2), -0.1);
    rig_close(&r);
}
