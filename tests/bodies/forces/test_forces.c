/// Known cases of forces: weight, springs, dampers, torsion springs, torques in body and world
/// axes.
#include "program/view.h"
#include "tests/bodies/forces/force_site.h"

// ----------------------------------------------------------------------------------- known cases

CLAIM(gravity_pulls_every_body_with_its_weight)
{
    site s;
    double F[SLOTS];
    make_case(&s, 0, 3, 1);
    apply(&s, 1, s.w.V, F);
    for (int i = 0; i < BODIES; i++) {
        assert_near(F[6 * i + 1], -9.81 * s.w.mass[i], 1e-14);
        assert_near(F[6 * i + 2], 1.7 * s.w.mass[i], 1e-14);
        assert_true(F[6 * i + 5] == 0.0);
    }
    assert_true(F[6 * GROUND + 1] == 0.0);
    free_site(&s);
}

/// The point mass (body 1) at (3, 4), tied to the origin, moving away at 0.5 m/s.
static void make_tied_point(site *s, double rest)
{
    make_site(s, 2, 1, "spring_damper");
    memset(s->markers[3].local, 0, sizeof s->markers[3].local);
    s->w.q[s->w.q0[1]] = 3.0;
    s->w.q[s->w.q0[1] + 1] = 4.0;
    s->w.V[3] = 0.3;
    s->w.V[4] = 0.4;
    place(&s->w);
    s->def = (trm_scene_force){
        .marker = {3, 1}, .stiffness = 2.0, .damping = 6.0, .rest = rest, .joint = TRM_INDEX_NONE};
    compile(s, 0);
}

CLAIM(a_stretched_spring_pulls_and_a_damper_resists)
{
    site s;
    double F[SLOTS];
    make_tied_point(&s, 1.0);
    apply(&s, 1, s.w.V, F);
    const double tension = 2.0 * (5.0 - 1.0) + 6.0 * 0.5;
    assert_near(F[3], -0.6 * tension, 1e-14);
    assert_near(F[4], -0.8 * tension, 1e-14);
    assert_near(F[9], 0.6 * tension, 1e-14);
    assert_near(s.kind->potential(s.elements, 1, &s.w.pose), 16.0, 1e-14);
    assert_near(s.kind->power(s.elements, 1, &s.w.pose, s.w.V), -1.5, 1e-14);
    free_site(&s);
}

CLAIM(a_spring_between_coincident_markers_does_nothing)
{
    site s;
    double F[SLOTS];
    make_tied_point(&s, 1.0);
    s.w.q[s.w.q0[1]] = s.w.q[s.w.q0[1] + 1] = 0.0;
    place(&s.w);
    apply(&s, 1, s.w.V, F);
    for (int k = 0; k < SLOTS; k++) {
        assert_true(F[k] == 0.0);
    }
    assert_near(s.kind->potential(s.elements, 1, &s.w.pose), 1.0, 1e-15);
    assert_true(s.kind->power(s.elements, 1, &s.w.pose, s.w.V) == 0.0);
    free_site(&s);
}

CLAIM(a_planar_torsion_spring_counts_turns_from_the_initial_pose)
{
    site s;
    double F[SLOTS];
    make_site(&s, 2, 1, "joint_spring_damper");
    s.def.preload = 0.0;
    make_joint(&s, "revolute", TRM_INDEX_GROUND, 2);
    s.joint_angle = 0.3;
    s.def.rest = 1.0;
    compile(&s, 0);
    s.w.q[s.w.q0[2] + 2] = 20.3;
    s.w.V[8] = 2.0;
    place(&s.w);
    apply(&s, 1, s.w.V, F);
    assert_near(F[8], -3.0 * 19.0 - 0.7 * 2.0, 1e-13);
    assert_near(F[11], 3.0 * 19.0 + 0.7 * 2.0, 1e-13);
    free_site(&s);
}

CLAIM(a_spatial_torsion_spring_starts_slack_in_the_initial_pose)
{
    site s;
    double R[9], q[4], turn[3], step[4];
    const double angle = 0.8;
    make_site(&s, 3, 1, "joint_spring_damper");
    s.def.preload = 0.0;
    make_joint(&s, "revolute", TRM_INDEX_GROUND, 2);
    s.def.rest = 0.0;
    // the same side in the frame of body 2
    memcpy(R, &s.w.R[18], sizeof R);
    rotate_back(R, s.joint_side[0], s.joint_side[1]);
    compile(&s, 0);
    assert_near(s.kind->potential(s.elements, 1, &s.w.pose), 0.0, 1e-15);
    // body 2 turns about the axis
    memcpy(q, &s.w.q[s.w.q0[2] + 3], sizeof q);
    quaternion_exponential(scale(angle, s.joint_local[2], turn), step);
    quaternion_product(step, q, &s.w.q[s.w.q0[2] + 3]);
    place(&s.w);
    assert_near(s.kind->potential(s.elements, 1, &s.w.pose), 1.5 * angle * angle, 1e-14);
    free_site(&s);
}

CLAIM(body_axes_turn_with_the_body_that_carries_the_marker)
{
    site s;
    double F[SLOTS];
    make_site(&s, 2, 1, "force");
    set_formula(&s, 0, "2");
    set_formula(&s, 1, "0");
    s.def.marker[0] = 2;
    s.def.axes = 1;
    compile(&s, 0);
    s.w.q[s.w.q0[2] + 2] = acos(-1.0) / 2.0;
    place(&s.w);
    apply(&s, 1, s.w.V, F);
    assert_near(F[6], 0.0, 1e-15);
    assert_near(F[7], 2.0, 1e-15);
    free_site(&s);
}

CLAIM(without_a_reaction_only_the_named_body_feels_anything)
{
    static const char *const kinds[2] = {"force", "torque"};
    for (int i = 0; i < 2; i++) {
        site s;
        double F[SLOTS];
        make_site(&s, 2, 1, kinds[i]);
        set_formula(&s, 0, "2");
        s.def.marker[0] = s.def.body[0] = 2;
        compile(&s, 0);
        apply(&s, 1, s.w.V, F);
        assert_true(F[8] != 0.0);
        for (int k = 0; k < SLOTS; k++) {
            assert_true(F[k] == 0.0 || (k >= 6 && k <= 8));
        }
        free_site(&s);
    }
}

CLAIM(a_torque_in_world_axes_does_not_turn_with_the_body)
{
    site s;
    double F[SLOTS], world_axes[3];
    make_site(&s, 3, 1, "torque");
    set_formula(&s, 0, "1");
    set_formula(&s, 1, "-2");
    set_formula(&s, 2, "3");
    s.def.body[0] = 2;
    compile(&s, 0);
    s.def.axes = 1;
    compile(&s, 1);
    memset(F, 0, sizeof F);
    assert_int_equal(s.kind->apply(s.elements, 1, &s.w.pose, s.w.V, F), 0);
    trm_to_world(&s.w.pose, 2, &F[15], world_axes);
    assert_near(world_axes[0], 1.0, 1e-14);
    assert_near(world_axes[1], -2.0, 1e-14);
    assert_near(world_axes[2], 3.0, 1e-14);
    memset(F, 0, sizeof F);
    assert_int_equal(s.kind->apply(s.elements + s.kind->size, 1, &s.w.pose, s.w.V, F), 0);
    assert_near(F[15], 1.0, 1e-14);
    assert_near(F[16], -2.0, 1e-14);
    assert_near(F[17], 3.0, 1e-14);
    free_site(&s);
}
