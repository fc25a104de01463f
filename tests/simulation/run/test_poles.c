/// Angles of a ball joint where they have no value: a run ends there if anything acts on them, and
/// goes on as if nothing were there if nothing does, or if the motion passes beside.
#include "tests/rig.h"

/// A rod of 1 m on a ball that turns about y by 3 rad/s, about x by `side` and about itself by
/// `spin`; without a spin all of it is constant: about the ball two of its moments are equal. Its
/// axis comes to lie along x, the side, at t = pi/6 if side is 0, and against itself at t = pi/3.
static rig rod(double side, double spin, const char *freedoms, const char *forces)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"dimension\": 3, \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": [0.02, "
             "0.02, 0.02], \"position\": [0, 0, -0.5], \"rate\": [%.17g, 3, %.17g], \"velocity\": "
             "[-1.5, %.17g, 0]}], \"joints\": [{\"name\": \"J\", \"type\": \"spherical\", "
             "\"bodies\": [\"ground\", \"b\"], \"at\": [0, 0, 0], \"axis\": [0, 0, -1], \"axis2\": "
             "[1, 0, 0]%s}], \"forces\": [%s]}",
             side, spin, 0.5 * side, freedoms, forces);
    return rig_parse(text);
}

static void check_position(const rig *r, double side, double t)
{
    const double rate = hypot(3, side), s = 0.5 * sin(rate * t) / rate;
    const double expected[3] = {-3 * s, side * s, -0.5 * cos(rate * t)};
    const double *const x = trm_sim_state(r->sim).q;
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(x[i] - expected[i]) < 1e-6);
    }
}

static const trm_coordinates coordinates[] = {TRM_COORDINATES_ABSOLUTE, TRM_COORDINATES_JOINT};

#define FORCE(type, joint, rest)                                                                   \
    "{\"name\": \"F\", \"type\": \"" type "\", \"joint\": \"" joint "\", " rest "}"
#define SPRING(joint, k, c)                                                                        \
    FORCE("joint_spring_damper", joint, "\"stiffness\": " k ", \"damping\": " c)

/// What acts on a tilt: the sum of what leads a motion through its pole, which this one meets
/// exactly.
static const char *const acting[][2] = {
    {", \"angle\": {\"friction\": 0.5}", ""},
    {", \"angle\": {\"friction\": {\"sliding\": 0.5, \"viscous\": 0.2}}", ""},
    {", \"angle\": {\"limits\": [-0.6, 0.4]}", ""},
    {", \"angle\": {\"limits\": [-0.6, 0.4], \"limit_stiffness\": 1000}", ""},
    {", \"angle\": {\"motor\": \"0*t\"}", ""},
    {", \"angle\": {\"armature\": 0.01}", ""},
    {"", SPRING("J.angle", "5", "0")},
    {"", SPRING("J.angle", "0", "0.5")},
    {"", FORCE("servo", "J.angle", "\"target\": \"0\", \"kp\": 10, \"kd\": 5")},
    {"", FORCE("joint_force", "J.angle", "\"value\": \"-0.1*J.angle.rate\"")},
    {"", "{\"name\": \"F\", \"type\": \"torque\", \"body\": \"b\", \"value\": [0, "
         "\"0*J.angle\", 0]}"},
};

static void check_refused(const rig *r, const char *name, double t)
{
    trm_error err = {.status = TRM_OK};
    assert_int_equal(trm_sim_run(r->sim, 2, NULL, NULL, &err), TRM_ERR_DIVERGED);
    if (!strstr(err.message, name) || !strstr(err.message, "limits of \"swing\"") ||
        !strstr(err.where, "/joints/0")) {
        fail_msg("%s: %s", err.where, err.message);
    }
    assert_true(fabs(err.t - t) < 0.02);
    assert_true(trm_sim_state(r->sim).t < t);
}

CLAIM(a_run_ends_at_the_pole_of_a_tilt)
{
    for (size_t k = 0; k < sizeof acting / sizeof *acting; k++) {
        for (int c = 0; c < 2; c++) {
            rig r = rod(0, 0, acting[k][0], acting[k][1]);
            rig_take(&r, coordinates[c]);
            rig_start(&r, rig_choose(&r, 1e-6));
            check_refused(&r, "'J.angle'", pi / 6);
            check_position(&r, 0, trm_sim_state(r.sim).t);
            rig_close(&r);
        }
    }
}

/// Damped, it comes to a swing of pi, near which it would have to turn the faster.
CLAIM(a_run_ends_at_the_pole_of_a_twist_that_is_damped)
{
    for (int c = 0; c < 2; c++) {
        rig r = rod(0, 0.5, "", SPRING("J.twist", "0", "0.05"));
        rig_take(&r, coordinates[c]);
        rig_start(&r, rig_choose(&r, 1e-6));
        check_refused(&r, "'J.twist'", pi / 3);
        rig_close(&r);
    }
}

/// Without a law, 0.03 rad beside the pole with a weak one, and a twist that a motor or friction
/// holds, which a swing of pi does not change.
CLAIM(other_motions_go_on)
{
    static const char *const free[][2] = {
        {"", ""},
        {"", SPRING("J.angle", "0", "1e-12")},
        {", \"twist\": {\"motor\": \"0*t\"}", ""},
        {", \"twist\": {\"friction\": 0.1}", ""},
    };
    for (size_t k = 0; k < sizeof free / sizeof *free; k++) {
        for (int c = 0; c < 2; c++) {
            const double side = k == 1 ? 0.1 : 0;
            trm_error err = {.status = TRM_OK};
            rig r = rod(side, 0, free[k][0], free[k][1]);
            rig_take(&r, coordinates[c]);
            rig_start(&r, rig_choose(&r, 1e-6));
            rig_ok(trm_sim_run(r.sim, 2, NULL, NULL, &err), &err);
            check_position(&r, side, 2);
            const int first = trm_sim_report(r.sim).uncounted - 1; // of the angles without a value
            assert_string_equal(trm_model_joint_info(r.model, first).name,
                                k == 1 ? "J.twist" : "J.angle");
            rig_close(&r);
        }
    }
}
