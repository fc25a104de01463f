/// The freedom of a joint: turns counted, rates without velocities.
#include "bodies/joint_freedom.h"
#include "tests/near.h"
#include "tests/random_bodies.h"

static const double pi = 3.14159265358979323846;

/// A hinge about z of the frames of bodies 0 and 2.
static trm_joint_axis hinge_about_z(void)
{
    return (trm_joint_axis){.freedom = TRM_FREEDOM_ANGLE,
                            .turn = 0,
                            .a = 0,
                            .b = 2,
                            .axis = {0, 0, 1},
                            .sa = {1, 0, 0},
                            .pa = {0, 1, 0},
                            .sb = {1, 0, 0}};
}

/// Body 0 stands, body 2 is turned about z by `angle`.
static void turn_to(world *w, double angle)
{
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double turned[9] = {cos(angle), -sin(angle), 0, sin(angle), cos(angle), 0, 0, 0, 1};
    memcpy(w->R, one, sizeof one);
    memcpy(w->R + 18, turned, sizeof turned);
}

/// Less than 150 degrees away from where the angle was kept it is known, whatever the turn.
CLAIM(angles_go_on_from_where_they_were)
{
    const trm_joint_axis joint = hinge_about_z();
    world w;
    make_world(&w, 3, 1);
    for (double was = -40; was < 40; was += 0.7) {
        for (double by = -2.6; by < 2.6; by += 0.4) {
            trm_turn kept = {.x = was};
            trm_joint_motion motion;
            w.pose.turn = &kept;
            turn_to(&w, was + by);
            trm_joint_measure(&joint, &w.pose, NULL, &motion);
            assert_near(motion.x, was + by, 1e-13);
        }
    }
    trm_joint_motion motion;
    w.pose.turn = NULL;
    turn_to(&w, 4);
    trm_joint_measure(&joint, &w.pose, NULL, &motion);
    assert_near(motion.x, 4 - 2 * pi, 1e-15);
}

/// A hinge that turns on is counted however far it goes: its angle by its rate and the time, ahead
/// and back, up to 150 degrees beside that; a full turn, back in the same direction, too.
CLAIM(turns_are_counted_by_the_rate)
{
    const trm_joint_axis joint = hinge_about_z(), planar = {.turn = -1};
    world w;
    make_world(&w, 3, 1);
    memset(w.V, 0, sizeof w.V);
    w.V[17] = 8; // of body 2 about z
    for (double after = -5; after < 5; after += pi / 8) {
        for (double by = -2.6; by < 2.6; by += 0.4) {
            trm_turn kept[2] = {{.x = 50}, {.x = 5, .rate = 6, .t = 7}};
            trm_joint_motion motion;
            w.pose.turn = kept;
            w.pose.t = 3;
            turn_to(&w, 50);
            trm_joints_wind(&planar, 1, w.V, &w.pose);
            assert_true(kept[0].x == 50 && kept[0].rate == 0 && kept[0].t == 0);
            trm_joints_wind(&joint, 1, w.V, &w.pose);
            w.pose.t += after;
            turn_to(&w, 50 + 8 * after + by);
            trm_joint_measure(&joint, &w.pose, w.V, &motion);
            assert_near(motion.x, 50 + 8 * after + by, 1e-12);
            trm_joints_wind(&joint, 1, w.V, &w.pose);
            trm_joint_measure(&joint, &w.pose, w.V, &motion);
            assert_near(motion.x, 50 + 8 * after + by, 1e-12);
            assert_true(kept[1].x == 5 && kept[1].rate == 6 && kept[1].t == 7);
        }
    }
}

/// A joint of each freedom; `turn` of none is kept.
static trm_joint_axis any_joint(world *w, trm_freedom freedom)
{
    trm_joint_axis joint = {.freedom = freedom, .turn = -1, .a = 0, .b = 2};
    random_vector(&w->seed, joint.point[0], 3);
    random_vector(&w->seed, joint.point[1], 3);
    random_direction(&w->seed, joint.axis, 3);
    random_direction(&w->seed, joint.sa, 3);
    cross(joint.axis, joint.sa, joint.pa);
    scale(1 / sqrt(dot(joint.pa, joint.pa)), joint.pa, joint.pa);
    cross(joint.pa, joint.axis, joint.sa);
    random_direction(&w->seed, joint.sb, 3);
    random_direction(&w->seed, joint.pb, 3);
    joint.zero = uniform(&w->seed);
    return joint;
}

/// x does not hear of velocities, and x' is zero without; a drive of T has the power T x'.
CLAIM(a_drive_has_the_power_of_its_rate)
{
    for (int n = 0; n < 40; n++) {
        world w;
        static const trm_freedom all[] = {TRM_FREEDOM_ANGLE, TRM_FREEDOM_DISTANCE,
                                          TRM_FREEDOM_TWIST, TRM_FREEDOM_SWING};
        const trm_freedom freedom = all[n % 4];
        make_world(&w, n % 8 < 2 ? 2 : 3, 100 + (uint64_t)n);
        const trm_joint_axis joint = any_joint(&w, freedom);
        trm_joint_motion at_rest, motion;
        double F[SLOTS] = {0}, power = 0, a[6], b[6], rate = 0;
        trm_joint_measure(&joint, &w.pose, NULL, &at_rest);
        trm_joint_measure(&joint, &w.pose, w.V, &motion);
        assert_true(at_rest.rate == 0 && at_rest.x == motion.x);
        trm_joint_drive(&joint, &w.pose, &motion, 3, F);
        trm_joint_gradient(&joint, &w.pose, &motion, a, b);
        for (int k = 0; k < w.pose.width * BODIES; k++) {
            power += F[k] * w.V[k];
        }
        for (int k = 0; k < w.pose.width; k++) {
            rate += a[k] * w.V[k] + b[k] * w.V[2 * w.pose.width + k];
        }
        assert_near(power, 3 * motion.rate, 1e-13);
        assert_near(rate, motion.rate, 1e-13);
    }
}
