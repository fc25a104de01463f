/// Friction of a screw's thread by its own reaction, against closed forms:
/// docs/explanation/contact.md.
///
/// With a the slope of the thread, tan(a) = lead/(2 pi r), and tan(b) = mu, the axial force F on
/// the nut takes the torque M = F r tan(a + b) to lift it and F r tan(a - b) to lower it.
#include "tests/rig.h"
#include "trammel/trammel_contact.h"
#include "trammel/trammel_query.h"

#define G 9.81

typedef struct jack {
    double lead, radius, mu; ///< m, m, 1
    double J, m;             ///< kg m^2 of the screw, kg of the nut
    double rate;             ///< rad/s at the start
    const char *T;           ///< N m on the screw, a formula
    const char *more, *nut;  ///< keys of the screw's hinge, of the nut's slide; NULL: none
    int space;               ///< nonzero: in space
} jack;

static const jack steep = {.lead = 0.05, .radius = 0.01, .mu = 0.2, .J = 1e-3, .m = 40, .T = "0"};
static const jack flat = {.lead = 0.006, .radius = 0.01, .mu = 0.2, .J = 1e-3, .m = 40, .T = "0"};

static double slope(const jack *j)
{
    return atan(j->lead / (2 * pi * j->radius));
}

/// M/F to lift (1) or to lower (-1).
static double arm(const jack *j, int way)
{
    return j->radius * tan(slope(j) + way * atan(j->mu));
}

static trm_status start(const jack *j, rig *r, trm_error *err)
{
    char text[2000], rate[80], torque[80];
    const char *const more = j->more ? j->more : "", *const up = j->space ? "0,0," : "0,";
    const char *const aside = j->space ? "[1,0,0]" : "[1,0]", *const z = j->space ? "]" : "";
    snprintf(rate, sizeof rate, j->space ? "[0,0,%.17g]" : "%.17g", j->rate);
    snprintf(torque, sizeof torque, j->space ? "[0,0,\"%s\"]" : "\"%s\"", j->T);
    snprintf(text, sizeof text,
             "{\"dimension\":%d,\"gravity\":[%s-9.81],\"bodies\":[{\"name\":\"screw\",\"mass\":1,"
             "\"inertia\":%s%.17g%s,\"rate\":%s},{\"name\":\"nut\",\"mass\":%.17g,\"inertia\":"
             "%s1%s,\"position\":%s,\"velocity\":[%s%.17g]}],\"joints\":[{\"name\":\"turn\","
             "\"type\":\"revolute\",\"bodies\":[\"ground\",\"screw\"],\"at\":[%s0]%s%s},{\"name\":"
             "\"slide\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"nut\"],\"at\":%s,\"axis\":"
             "[%s1]%s}],\"constraints\":[{\"name\":\"thread\",\"type\":\"screw\",\"joints\":"
             "[\"turn\",\"slide\"],\"lead\":%.17g,\"friction\":%.17g,\"radius\":%.17g}],"
             "\"forces\":[{\"name\":\"T\",\"type\":\"torque\",\"body\":\"screw\",\"value\":%s}]}",
             j->space ? 3 : 2, up, j->space ? "[1,1," : "", j->J, z, rate, j->m,
             j->space ? "[1,1," : "", z, aside, up, j->lead / (2 * pi) * j->rate, up,
             j->space ? ",\"axis\":[0,0,1]" : "", more, aside, up, j->nut ? j->nut : "", j->lead,
             j->mu, j->radius, torque);
    *r = rig_parse(text);
    const trm_options options =
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12);
    return trm_sim_create(r->model, &options, &r->sim, err);
}

static double rate_of(const rig *r, const jack *j)
{
    return rig_v(r, "screw", j->space ? 5 : 2);
}

static double height(const rig *r, const jack *j)
{
    return rig_q(r, "nut", j->space ? 2 : 1);
}

static rig begin(const jack *j)
{
    rig r;
    trm_error err = {.status = TRM_OK};
    rig_ok(start(j, &r, &err), &err);
    return r;
}

/// It holds at torques from m g r tan(a - b) to m g r tan(a + b), and moves outside of them.
CLAIM(test_torques_that_move_it)
{
    const jack kinds[] = {steep, flat};
    for (int i = 0; i < 8; i++) {
        jack j = kinds[i / 4];
        char T[40];
        const int way = i & 1 ? 1 : -1, moves = i >> 1 & 1;
        j.space = i & 1;
        const double edge = j.m * G * arm(&j, way), beyond = 1e-6 * fabs(edge);
        snprintf(T, sizeof T, "%.17g", edge + way * (moves ? beyond : -beyond));
        j.T = T;
        rig r = begin(&j);
        rig_run(&r, moves ? 1 : 1e4);
        const double p = j.lead / (2 * pi), all = j.J + j.m * p * arm(&j, way);
        near("rate", rate_of(&r, &j), moves ? way * beyond / all : 0, moves ? 1e-8 : 1e-15);
        near("no creep", moves ? 0 : height(&r, &j), 0, 1e-15);
        rig_close(&r);
    }
}

/// phi'' while it moves: (J + m p r tan(a +- b)) phi'' = T - m g r tan(a +- b).
static double turn_of(const jack *j, double torque, int flank)
{
    const double c = arm(j, flank);
    return (torque - j->m * G * c) / (j->J + j->m * j->lead / (2 * pi) * c);
}

/// F = m (g + p phi''); where F < 0, pulled down faster than it falls, b has the other sign.
/// Negative leads turn the other way.
CLAIM(test_it_lifts_and_lowers)
{
    const double torques[] = {5, -2, 8, -6};
    for (int i = 0; i < 8; i++) {
        jack j = i < 4 ? steep : flat;
        const int way = i & 1 ? -1 : 1, left = i & 2 ? -1 : 1;
        char T[40];
        snprintf(T, sizeof T, "%g", left * torques[i & 3]);
        j.T = T;
        j.space = i & 1;
        j.lead *= left;
        rig r = begin(&j);
        rig_run(&r, 0.5);
        j.lead *= left;
        const double p = j.lead / (2 * pi), torque = torques[i & 3];
        int flank = way; // 1: the nut brakes the screw
        double turn = turn_of(&j, torque, flank);
        flank = G + p * turn < 0 ? -way : way;
        turn = turn_of(&j, torque, flank);
        near("rate", rate_of(&r, &j), left * turn * 0.5, 1e-9 * fabs(turn));
        near("place", height(&r, &j), p * turn * 0.125, 1e-9 * p * fabs(turn));
        // across the thread N (cos(a) - mu sin(a)) = F when it lifts
        const double a = slope(&j), F = fabs(j.m * (G + p * turn));
        near("along the thread", rig_contact(&r, 0).force,
             -way * left * j.mu * F / (cos(a) - flank * j.mu * sin(a)), 1e-9 * F);
        below("energy", rig_energy_error(&r), 1e-10);
        rig_close(&r);
    }
}

/// Spun up and left alone, a screw with mu > tan(a) comes to rest and stays; with less it comes
/// back.
CLAIM(test_it_locks_itself)
{
    jack j = flat;
    j.rate = 30;
    rig r = begin(&j);
    const double p = j.lead / (2 * pi), up = arm(&j, 1);
    const double stop = j.rate * (j.J + j.m * p * up) / (j.m * G * up);
    const double top = p * j.rate * stop / 2;
    rig_run(&r, stop * (1 - 1e-9));
    assert_int_equal(rig_contact(&r, 0).mode, TRM_CONTACT_SLIDES);
    rig_run(&r, stop * (1 + 1e-9));
    assert_int_equal(rig_contact(&r, 0).mode, TRM_CONTACT_MODE_STICKS);
    rig_run(&r, 1e4);
    near("top", height(&r, &j), top, 1e-10);
    near("rests", rate_of(&r, &j), 0, 1e-15);
    rig_close(&r);

    j.mu = 0.999 * tan(slope(&j));
    r = begin(&j);
    const double late = j.rate * (j.J + j.m * p * arm(&j, 1)) / (j.m * G * arm(&j, 1));
    const double down = arm(&j, -1);
    rig_run(&r, late + 1);
    near("comes back", rate_of(&r, &j), -j.m * G * down / (j.J + j.m * p * down), 1e-8);
    rig_close(&r);
}

/// Driven at a constant rate: of the motor's work the part tan(a)/tan(a + b) lifts the nut; a nut
/// that is driven down gives tan(a - b)/tan(a) of its work to what brakes the screw.
CLAIM(test_efficiency)
{
    for (int i = 0; i < 2; i++) {
        const int way = i == 0 ? 1 : -1;
        jack j = steep;
        char motor[40];
        j.rate = way * 7;
        snprintf(motor, sizeof motor, ",\"motor\":\"%g*t\"", j.rate);
        j.more = motor;
        rig r = begin(&j);
        rig_run(&r, 1);
        trm_error err = {.status = TRM_OK};
        trm_sensor torque;
        double M = 0;
        rig_ok(trm_model_sensor(r.model, "turn.motor", &torque, &err), &err);
        rig_ok(trm_sim_read(r.sim, &torque, &M, &err), &err);
        const double lifts = j.m * G * j.lead / (2 * pi), b = atan(j.mu);
        near("efficiency", way > 0 ? lifts / M : M / lifts,
             way > 0 ? tan(slope(&j)) / tan(slope(&j) + b) : tan(slope(&j) - b) / tan(slope(&j)),
             1e-12);
        below("energy", rig_energy_error(&r), 1e-10);
        rig_close(&r);
    }
}

static void refused(const jack *j, double end, trm_error *err)
{
    rig r;
    trm_status status = start(j, &r, err);
    status = status ? status : trm_sim_run(r.sim, end, NULL, NULL, err);
    assert_true(status == TRM_ERR_SINGULAR);
    if (!strstr(err->message, "'thread': Painleve's paradox") || strcmp(err->where, "") == 0) {
        fail_msg("\"%s\" at \"%s\"", err->message, err->where);
    }
    rig_close(&r);
}

/// Where J + m p r tan(a - b) < 0 a screw that is lowered has no acceleration that fits: the force
/// of the thread grows by what friction brakes [Vahid-Araghi, Golnaraghi, Friction-Induced
/// Vibration in Lead Screw Drives (2011), kinematic constraint instability].
CLAIM(test_a_screw_that_jams)
{
    trm_error err = {.status = TRM_OK};
    jack j = flat;
    const double p = j.lead / (2 * pi), critical = -j.m * p * arm(&j, -1);
    j.rate = -30;
    j.J = critical * 0.999;
    refused(&j, 1e-6, &err);
    j.J = critical * 1.001;
    rig r = begin(&j);
    const double turn = turn_of(&j, 0, -1);
    rig_run(&r, 1e-6);
    near("it brakes", rate_of(&r, &j), -30 + 1e-6 * turn, 1e-9);
    rig_close(&r);
    // while it lifts there is a solution, until F = m J (g + p T/J)/(J + m p r tan(a + b)) is zero
    j.J = critical / 2;
    j.rate = 300;
    j.T = "1.5 - 100*t";
    refused(&j, 1, &err);
    near("it jams", err.t, (1.5 + G * j.J / p) / 100, 1e-10);
}

/// A nut that is driven turns the screw by J a = F r tan(a - b): not where mu > tan(a). Its speed
/// at the start is there before the jam is known: the thread is named all the same.
CLAIM(test_a_nut_that_jams)
{
    trm_error err = {.status = TRM_OK};
    for (int i = 0; i < 4; i++) {
        jack j = flat;
        const double v = i % 2 ? -0.05 : 0.05;
        char motor[80];
        snprintf(motor, sizeof motor, ",\"motor\":\"%g*(t + 0.3*t^2)\"", v);
        j.space = i / 2;
        j.nut = motor;
        j.rate = 2 * pi / j.lead * v;
        j.mu = 1.01 * tan(slope(&j));
        refused(&j, 0.1, &err);
        j.mu = 0.99 * tan(slope(&j));
        rig r = begin(&j);
        rig_run(&r, 0.1);
        near("it turns", rate_of(&r, &j), j.rate * 1.06, 1e-9 * fabs(j.rate));
        rig_close(&r);
    }
}
