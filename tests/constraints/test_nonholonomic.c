/// Constraints on velocities: closed forms, the literature, every method.
#include "tests/rig.h"

static rig start(const char *json, double tolerance)
{
    rig r = rig_parse(json);
    rig_start(&r,
              rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, tolerance, tolerance));
    return r;
}

// ------------------------------------------------------------------------------ Chaplygin's sleigh

static const char sleigh[] =
    "{\"dimension\":2,\"bodies\":[{\"name\":\"sleigh\",\"position\":[0.3,0],\"mass\":2,"
    "\"inertia\":0.5,\"velocity\":[-1,0.6],\"rate\":2}],"
    "\"markers\":[{\"name\":\"blade\",\"body\":\"sleigh\",\"on\":[-0.3,0]}],"
    "\"constraints\":[{\"name\":\"edge\",\"type\":\"knife_edge\",\"marker\":\"blade\","
    "\"normal\":[0,1]}]}";

/// u = U tanh(k t + b), w = W sech(k t + b), with m U^2 = (I + m a^2) W^2 and k = a W^2/U: the
/// speed of the blade and the rate. It sets out backwards and turns around.
static void check_sleigh(const rig *r, double t, double tolerance)
{
    const double m = 2, I = 0.5, a = 0.3, u0 = -1, w0 = 2, J = I + m * a * a;
    const double U = sqrt(u0 * u0 + J / m * w0 * w0), W = U * sqrt(m / J), k = a * W * W / U;
    const double b = atanh(u0 / U), s = k * t + b;
    const double angle = rig_q(r, "sleigh", 2), rate = rig_v(r, "sleigh", 2);
    const double along = cos(angle) * rig_v(r, "sleigh", 0) + sin(angle) * rig_v(r, "sleigh", 1);
    const double turned = W / k * 2 * (atan(tanh(s / 2)) - atan(tanh(b / 2)));
    near("speed", along, U * tanh(s), tolerance);
    near("rate", rate, W / cosh(s), tolerance);
    near("angle", angle, turned, tolerance);
}

CLAIM(the_sleigh_turns_around)
{
    rig r = start(sleigh, 1e-12);
    rig_run(&r, 1.5);
    check_sleigh(&r, 1.5, 1e-10);
    rig_close(&r);
}

/// All methods that take it, with the steps that make a method of order 2 good to 1e-4; state-space
/// refuses it by name.
CLAIM(every_method_runs_the_sleigh)
{
    const trm_method *methods;
    const int n = trm_methods(&methods);
    int ran = 0;
    for (int i = 0; i < n; i++) {
        if (methods[i].integrator == TRM_INTEGRATOR_MOREAU) {
            continue; // there are no contacts
        }
        const trm_method *m = &methods[i];
        trm_error err = {.status = TRM_OK};
        rig r = rig_parse(sleigh);
        if (trm_method_fits(m, r.model, &err) != TRM_OK) {
            assert_true(m->stabilization == TRM_STABILIZATION_STATE_SPACE);
            assert_non_null(strstr(err.message, "edge"));
        } else {
            trm_options options = trm_default_options(m->integrator, m->stabilization);
            options.h = m->adaptive ? 0 : 1e-3;
            options.rtol = options.atol = 1e-8;
            rig_start(&r, options);
            rig_run(&r, 1.5);
            check_sleigh(&r, 1.5, 1e-3);
            ran++;
        }
        rig_close(&r);
    }
    assert_true(ran > 10);
}

/// A row of velocities is a problem of index 2, 0 = v_y, of a mass pushed across with e^(i w t).
/// From lambda_0 = 0, [AL95 (2.4)-(2.5)] says of iterate s
///
///   m v_s' = F - lambda_s,  lambda_s = lambda_(s-1) + v_s/epsilon
///   1 - lambda_s/F = z^s,   v_s/F = z^s/(i w m),   z = i w m epsilon/(1 + i w m epsilon)
///
/// after the start has died out: of order epsilon^s, with its constants.
CLAIM(sequential_regularization_takes_them_as_index_2)
{
    const double m = 2, w = 5, epsilon = 0.01, t = 1.0;
    for (int s = 1; s <= 4; s++) {
        rig r = rig_parse("{\"dimension\":2,\"bodies\":[{\"name\":\"p\",\"mass\":2,\"shape\":{"
                          "\"type\":\"point\"},\"velocity\":[0.3,0]}],\"markers\":[{\"name\":\"a\","
                          "\"body\":\"p\",\"on\":[0,0]}],\"constraints\":[{\"name\":\"k\","
                          "\"type\":\"velocity\",\"expression\":\"a.vy\"}],\"forces\":[{"
                          "\"name\":\"F\",\"type\":\"force\",\"marker\":\"a\","
                          "\"value\":[0,\"cos(5*t)\"]}]}");
        trm_options options = rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_SRM, 1e-4);
        options.srm = (trm_srm_options){
            .E = TRM_SRM_MATRIX_IDENTITY, .epsilon = epsilon, .iterations = s, .lambda0_zero = 1};
        rig_start(&r, options);
        rig_run(&r, t);
        // z^s e^(i w t) and the same over i w m, real parts; z = |z| e^(i a)
        const double x = w * m * epsilon, size = pow(x / hypot(1, x), s),
                     a = s * (pi / 2 - atan(x));
        const double least = 1e-3 * size; // of Heun's method (h/epsilon)^2, and of the start
        near("v_s", rig_v(&r, "p", 1), size * sin(w * t + a) / (w * m), least / (w * m));
        near("lambda_s", trm_sim_state(r.sim).lambda[0], cos(w * t) - size * cos(w * t + a), least);
        near("free way", rig_q(&r, "p", 0), 0.3 * t, 1e-12);
        rig_close(&r);
    }
}

// ---------------------------------------------------------------------------------- the snakeboard

/// Wheels at +-l, locked at angles +-phi: the board turns about (0, l/tan phi), and the momentum
/// about that point is conserved whatever the rider's rotor does: (J + (m + M) R^2) w + K w_rotor.
CLAIM(a_snakeboard_keeps_its_momentum)
{
    const double l = 0.4, phi = 0.5, R = l / tan(phi), J = 0.3, m = 3, M = 6, K = 0.2;
    char json[1600];
    snprintf(
        json, sizeof json,
        "{\"dimension\":2,\"bodies\":["
        "{\"name\":\"board\",\"position\":[0,0],\"mass\":3,\"inertia\":0.3},"
        "{\"name\":\"rotor\",\"position\":[0,0],\"mass\":6,\"inertia\":0.2}],"
        "\"markers\":[{\"name\":\"front\",\"body\":\"board\",\"on\":[0.4,0]},"
        "{\"name\":\"rear\",\"body\":\"board\",\"on\":[-0.4,0]}],"
        "\"joints\":[{\"name\":\"pivot\",\"type\":\"revolute\",\"bodies\":[\"board\",\"rotor\"],"
        "\"at\":[0,0]}],"
        "\"constraints\":["
        "{\"name\":\"f\",\"type\":\"knife_edge\",\"marker\":\"front\",\"normal\":[%.17g,%.17g]},"
        "{\"name\":\"r\",\"type\":\"knife_edge\",\"marker\":\"rear\",\"normal\":[%.17g,%.17g]}],"
        "\"forces\":[{\"name\":\"rider\",\"type\":\"joint_force\",\"joint\":\"pivot\","
        "\"value\":\"0.7*sin(3*t)\"}]}",
        -sin(phi), cos(phi), sin(phi), cos(phi));
    rig r = start(json, 1e-12);
    rig_run(&r, 2.0);
    const double total = J + (m + M) * R * R, impulse = 0.7 / 3 * (1 - cos(6.0));
    near("rotor", rig_v(&r, "rotor", 2), impulse / K, 1e-9);
    near("board", rig_v(&r, "board", 2), -impulse / total, 1e-10);
    near("momentum", total * rig_v(&r, "board", 2) + K * rig_v(&r, "rotor", 2), 0, 1e-10);
    near("round its centre", hypot(rig_q(&r, "board", 0), rig_q(&r, "board", 1) - R), R, 1e-10);
    rig_close(&r);
}

/// Trucks that turn freely on their pivots: the forces that hold their wheels act at the pivot, so
/// that each keeps its rate Omega, as the rotor does apart from the rider's torque. With the centre
/// of rotation (X, Y) of the board, where the axles meet, T = M(X, Y) w^2/2 of what is left, and u
/// = sqrt(M) w,
///
///   u' = -torque/sqrt(M),   theta' = u/sqrt(M),   x' = R(theta) (Y, -X) theta'
///
/// Without a rider u is conserved.
typedef struct snakeboard {
    double l, J, m, truck, at[2], Omega[2], torque;
} snakeboard;

/// X, Y and M: (X -+ l) cos phi + Y sin phi = 0, phi the angles of the wheels against the board.
static double centre_of(const snakeboard *s, double t, double theta, double *X, double *Y)
{
    const double f = s->at[0] + s->Omega[0] * t - theta, b = s->at[1] + s->Omega[1] * t - theta;
    const double det = sin(b - f), l = s->l;
    *X = l * (cos(f) * sin(b) + cos(b) * sin(f)) / det;
    *Y = -2 * l * cos(f) * cos(b) / det;
    return s->J + s->m * (*X * *X + *Y * *Y) + 2 * s->truck * (*X * *X + *Y * *Y + l * l);
}

/// y = (theta, u, x, y)
static void slope_of(const snakeboard *s, double t, const double y[4], double out[4])
{
    double X, Y;
    const double root = sqrt(centre_of(s, t, y[0], &X, &Y)), w = y[1] / root;
    out[0] = w;
    out[1] = -s->torque * sin(3 * t) / root;
    out[2] = w * (cos(y[0]) * Y + sin(y[0]) * X);
    out[3] = w * (sin(y[0]) * Y - cos(y[0]) * X);
}

static void follow_snakeboard(const snakeboard *s, double end, double y[4])
{
    enum { STEPS = 4000 };
    const double h = end / STEPS, c[4] = {0, 0.5, 0.5, 1}, b[4] = {1, 2, 2, 1};
    for (int i = 0; i < STEPS; i++) {
        double k[4] = {0}, z[4], next[4];
        memcpy(next, y, sizeof next);
        for (int stage = 0; stage < 4; stage++) {
            for (int j = 0; j < 4; j++) {
                z[j] = y[j] + c[stage] * h * k[j];
            }
            slope_of(s, h * (i + c[stage]), z, k);
            for (int j = 0; j < 4; j++) {
                next[j] += b[stage] * h / 6 * k[j];
            }
        }
        memcpy(y, next, sizeof next);
    }
}

#define TRUCK(name, place, angle)                                                                  \
    "{\"name\":\"" name "\",\"position\":[" place ",0],\"angle\":" angle                           \
    ",\"mass\":0.5,\"inertia\":0.01,\"rate\":%.17g,\"velocity\":[%.17g,%.17g]}"

CLAIM(trucks_that_turn_freely_keep_their_momenta)
{
    const double K = 0.2, w = 1, spin = -0.8;
    for (int ridden = 0; ridden < 2; ridden++) {
        const snakeboard s = {.l = 0.4,
                              .J = 0.3,
                              .m = 9,
                              .truck = 0.5,
                              .at = {0.5, -0.4},
                              .Omega = {0.6, -0.3},
                              .torque = ridden ? 0.7 : 0};
        double X, Y, y[4] = {0};
        y[1] = w * sqrt(centre_of(&s, 0, 0, &X, &Y));
        const double u = y[1];
        char json[2400];
        snprintf(
            json, sizeof json,
            "{\"dimension\":2,\"bodies\":["
            "{\"name\":\"board\",\"position\":[0,0],\"mass\":3,\"inertia\":0.3,\"rate\":%.17g,"
            "\"velocity\":[%.17g,%.17g]},"
            "{\"name\":\"rotor\",\"position\":[0,0],\"mass\":6,\"inertia\":0.2,\"rate\":%.17g,"
            "\"velocity\":[%.17g,%.17g]}," TRUCK("front", "0.4", "0.5") "," TRUCK(
                "rear", "-0.4",
                "-0.4") "],"
                        "\"markers\":[{\"name\":\"f\",\"body\":\"front\",\"on\":[0,0]},"
                        "{\"name\":\"r\",\"body\":\"rear\",\"on\":[0,0]}],"
                        "\"joints\":["
                        "{\"name\":\"pivot\",\"type\":\"revolute\",\"bodies\":[\"board\",\"rotor\"]"
                        ","
                        "\"at\":[0,0]},"
                        "{\"name\":\"F\",\"type\":\"revolute\",\"bodies\":[\"board\",\"front\"],"
                        "\"at\":[0.4,0]},"
                        "{\"name\":\"R\",\"type\":\"revolute\",\"bodies\":[\"board\",\"rear\"],"
                        "\"at\":[-0.4,0]}],"
                        "\"constraints\":["
                        "{\"name\":\"kf\",\"type\":\"knife_edge\",\"marker\":\"f\","
                        "\"normal\":[\"-sin(0.5)\",\"cos(0.5)\"]},"
                        "{\"name\":\"kr\",\"type\":\"knife_edge\",\"marker\":\"r\","
                        "\"normal\":[\"sin(0.4)\",\"cos(0.4)\"]}],"
                        "\"forces\":[{\"name\":\"rider\",\"type\":\"joint_force\",\"joint\":"
                        "\"pivot\","
                        "\"value\":\"%.17g*sin(3*t)\"}]}",
            w, w * Y, -w * X, spin, w * Y, -w * X, s.Omega[0], w * Y, w * (s.l - X), s.Omega[1],
            w * Y, w * (-s.l - X), s.torque);
        rig r = start(json, 1e-12);
        rig_run(&r, 1.5);
        follow_snakeboard(&s, 1.5, y);
        near("front", rig_v(&r, "front", 2), s.Omega[0], 1e-10);
        near("rear", rig_v(&r, "rear", 2), s.Omega[1], 1e-10);
        near("rotor", rig_v(&r, "rotor", 2), spin + s.torque / 3 * (1 - cos(4.5)) / K, 1e-10);
        const double M = centre_of(&s, 1.5, rig_q(&r, "board", 2), &X, &Y);
        near("momentum", sqrt(M) * rig_v(&r, "board", 2), y[1], 1e-9);
        if (!ridden) {
            near("kept", y[1], u, 1e-13);
        }
        near("angle", rig_q(&r, "board", 2), y[0], 1e-9);
        near("x", rig_q(&r, "board", 0), y[2], 1e-9);
        near("y", rig_q(&r, "board", 1), y[3], 1e-9);
        rig_close(&r);
    }
}
