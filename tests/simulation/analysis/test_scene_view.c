// What trammel_view.h shows of a scene, and what single forces exert: closed forms.

#include "program/view.h"
#include "tests/near.h"
#include "tests/query_rig.h"

#include <math.h>
#include <string.h>

#define SCENE                                                                                      \
    "{\"dimension\": 2, \"gravity\": [0, -9.81],"                                                  \
    " \"bodies\": [" ROD("a", 0, 0, 2, 0) ", " ROD(                                                \
        "b", 2, 0, 4,                                                                              \
        0) "],"                                                                                    \
           " \"markers\": [{\"name\": \"tip\", \"body\": \"b\", \"at\": [4, 0]},"                  \
           " {\"name\": \"nail\", \"body\": \"ground\", \"at\": [4, 3]},"                          \
           " {\"name\": \"unused\", \"body\": \"ground\", \"at\": [9, 9]}],"                       \
           " \"joints\": [" PIN("O", "ground", "a", 0, 0) ", " PIN(                                \
               "A", "a", "b", 2,                                                                   \
               0) "],"                                                                             \
                  " \"forces\": [{\"name\": \"twist\", \"type\": \"torque\", \"body\": \"a\","     \
                  " \"reaction\": \"b\", \"value\": 5},"                                           \
                  " {\"name\": \"spring\", \"type\": \"spring_damper\", \"markers\": [\"tip\", "   \
                  "\"nail\"],"                                                                     \
                  " \"stiffness\": 10, \"rest_length\": 1},"                                       \
                  " {\"name\": \"push\", \"type\": \"force\", \"marker\": \"tip\", \"value\": "    \
                  "[\"2*t\", 0]}]}"

CLAIM(a_scene_is_shown_as_it_is_written)
{
    bench b = parse(SCENE);
    const trm_scene *scene = b.r.scene;
    const trm_scene_view view = trm_view_scene(scene);
    assert_int_equal(view.dimension, 2);
    assert_int_equal(view.nbodies, 2);
    assert_int_equal(view.nforces, 3);
    assert_near(view.gravity[1], -9.81, 0);
    const trm_joint_view A = trm_view_joint(scene, 1);
    assert_string_equal(A.name, "A");
    assert_string_equal(A.type, "revolute");
    assert_int_equal(A.body[0], 0);
    assert_int_equal(A.body[1], 1);
    assert_int_equal(A.symbol, TRM_JOINT_SYMBOL_PIN);
    assert_near(A.local[0][0], 1, 1e-15); // half the length from the centre of mass
    assert_int_equal(trm_view_joint(scene, 0).body[0], TRM_INDEX_GROUND);
    assert_null(trm_view_joint(scene, 2).name);
    assert_null(trm_view_body(scene, -1).name);
    assert_near(trm_view_force(scene, 1).stiffness, 10, 0);
    assert_true(trm_view_marker_in_use(scene, 1));
    assert_false(trm_view_marker_in_use(scene, 2));
    close_bench(&b);
}

/// The spring is 3 m long, 2 m more than at rest: 20 N up at the tip, 1 m from the centre of b.
CLAIM(a_force_is_what_its_law_says)
{
    bench b = parse(SCENE);
    trm_error err = {.status = TRM_OK};
    double F[12];
    trm_model_initial_state(b.r.model, b.q, b.v);
    assert_int_equal(trm_query_force(b.query, 0, 0, b.q, b.v, F, &err), TRM_OK);
    assert_near(F[5], 5, 1e-15);
    assert_near(F[11], -5, 1e-15);
    assert_int_equal(trm_query_force(b.query, 1, 0, b.q, b.v, F, &err), TRM_OK);
    assert_near(F[0], 0, 1e-15);
    assert_near(F[6], 0, 1e-14);
    assert_near(F[7], 20, 1e-14);
    assert_near(F[11], 20, 1e-14);
    assert_int_equal(trm_query_force(b.query, 2, 1.5, b.q, b.v, F, &err), TRM_OK);
    assert_near(F[6], 3, 1e-15);
    assert_near(F[7], 0, 0);
    close_bench(&b);
}

CLAIM(another_force_is_refused)
{
    bench b = parse(SCENE);
    trm_error err = {.status = TRM_OK};
    double F[12];
    assert_int_equal(trm_query_force(b.query, 3, 0, b.q, b.v, F, &err), TRM_ERR_OPTIONS);
    assert_non_null(strstr(err.message, "3 forces"));
    assert_int_equal(trm_query_force(b.query, 0, 0, b.q, b.v, NULL, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_query_force(b.query, 0, 0, b.q, NULL, F, &err), TRM_ERR_OPTIONS);
    close_bench(&b);
}

/// The rotor of an armature stands behind all others, and is marked.
CLAIM(a_rotor_is_marked)
{
    bench b =
        parse("{\"dimension\": 2, \"bodies\": [{\"name\": \"arm\", \"mass\": 1, \"ends\": [[0, 0], "
              "[1, 0]]}], \"joints\": [{\"name\": \"O\", \"type\": \"revolute\", \"bodies\": "
              "[\"ground\", \"arm\"], \"at\": [0, 0], \"armature\": 2}]}");
    assert_int_equal(trm_view_scene(b.r.scene).nbodies, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(trm_view_body(b.r.scene, i).rotor, i);
        assert_int_equal(trm_view_joint(b.r.scene, i).rotor, i);
    }
    close_bench(&b);
}

#define WHEEL                                                                                      \
    "{\"dimension\": 2, \"gravity\": [0, 0], \"bodies\": ["                                        \
    "{\"name\": \"w\", \"mass\": 1, \"inertia\": 1, \"position\": [0, 0.5]},"                      \
    "{\"name\": \"s\", \"mass\": 1, \"inertia\": 1, \"position\": [2, 0]}],"                       \
    "\"markers\": [{\"name\": \"hub\", \"body\": \"w\", \"on\": [0, 0]},"                          \
    "{\"name\": \"road\", \"body\": \"ground\", \"at\": [0, 0]},"                                  \
    "{\"name\": \"p\", \"body\": \"s\", \"on\": [0, 0]}],"                                         \
    "\"joints\": [{\"name\": \"S\", \"type\": \"prismatic\", \"bodies\": [\"ground\", \"s\"],"     \
    "\"at\": [2, 0], \"axis\": [1, 0], \"limits\": [-1, null]}],"                                  \
    "\"constraints\": [{\"name\": \"roll\", \"type\": \"rolling\", \"markers\": [\"hub\","         \
    "\"road\"], \"normal\": [0, 2], \"radius\": 0.5}],"                                            \
    "\"stops\": [{\"name\": \"apart\", \"marker\": \"hub\", \"on\": \"p\", \"distance\": 1},"      \
    "{\"name\": \"gap\", \"gap\": \"p.x - hub.x + w.angle\"},"                                     \
    "{\"name\": \"turn\", \"gap\": \"5 - w.angle\"}]}"

CLAIM(wheels_limits_and_stops_are_shown)
{
    bench b = parse(WHEEL);
    const trm_scene *scene = b.r.scene;
    const trm_constraint_view roll = trm_view_constraint(scene, 0);
    assert_int_equal(roll.marker[0], 0);
    assert_int_equal(roll.marker[1], 1);
    assert_near(roll.normal[1], 1, 0);
    assert_near(roll.axis[2], 1, 0);
    assert_near(roll.semi_axes[0], 0.5, 0);
    assert_int_equal(roll.joint[0], TRM_INDEX_NONE);
    assert_int_equal(trm_view_scene(scene).ncontacts, 4);
    const trm_contact_view limit = trm_view_contact(scene, 0), apart = trm_view_contact(scene, 1);
    assert_int_equal(limit.joint, 0);
    assert_near(limit.lo, -1, 0);
    assert_true(isinf(limit.hi));
    assert_int_equal(apart.joint, TRM_INDEX_NONE);
    assert_near(apart.apart, 1, 0);
    assert_int_equal(apart.between[0] + apart.between[1], 0 + 2);
    const trm_contact_view gap = trm_view_contact(scene, 2), turn = trm_view_contact(scene, 3);
    assert_int_equal(gap.between[0] + gap.between[1], 0 + 2);
    assert_near(gap.apart, 0, 0);
    assert_int_equal(turn.between[0], TRM_INDEX_NONE);
    assert_int_equal(turn.body, 0);
    assert_null(trm_view_contact(scene, 4).name);
    close_bench(&b);
}

/// A ball of radius 0.2 inside of another of radius 0.7: centres, radii with their signs, no
/// normal.
CLAIM(a_pair_that_rolls_is_shown)
{
    bench b = parse("{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": ["
                    "{\"name\": \"w\", \"mass\": 1, \"inertia\": 1, \"position\": [0, -0.5]}],"
                    "\"markers\": [{\"name\": \"o\", \"body\": \"ground\", \"at\": [0, 0]},"
                    "{\"name\": \"hub\", \"body\": \"w\", \"on\": [0, 0]}],"
                    "\"constraints\": [{\"name\": \"roll\", \"type\": \"rolling_pair\","
                    "\"markers\": [\"hub\", \"o\"], \"radii\": [0.2, -0.7]}]}");
    const trm_constraint_view roll = trm_view_constraint(b.r.scene, 0);
    assert_int_equal(roll.marker[0], 1);
    assert_int_equal(roll.marker[1], 0);
    assert_near(roll.radius[0], 0.2, 0);
    assert_near(roll.radius[1], -0.7, 0);
    assert_near(hypot(roll.normal[0], roll.normal[1]), 0, 0);
    close_bench(&b);
}

#define BEAD                                                                                       \
    "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": ["                                    \
    "{\"name\": \"bead\", \"mass\": 1, \"shape\": {\"type\": \"point\"}, \"position\": [1, 2]},"   \
    "{\"name\": \"other\", \"mass\": 1, \"shape\": {\"type\": \"point\"}, \"position\": [7, 2]}]," \
    "\"markers\": [{\"name\": \"m\", \"body\": \"bead\", \"on\": [0, 0]},"                         \
    "{\"name\": \"o\", \"body\": \"ground\", \"at\": [0, 2]},"                                     \
    "{\"name\": \"read\", \"body\": \"other\", \"on\": [0, 0]}],"                                  \
    "\"constraints\": [{\"name\": \"ring\", \"type\": \"curve\", \"markers\": [\"m\", \"o\"],"     \
    "\"formulas\": [\"cos(s)\", \"sin(s)\"], \"range\": [0, \"2*pi\"],"                            \
    "\"closed\": true}, {\"name\": \"line\", \"expression\": \"read.y - 2\"}]}"

/// A circle of radius 1 about (0, 2): five points of it are a quarter of a turn apart.
CLAIM(a_curve_is_shown_by_its_points)
{
    bench b = parse(BEAD);
    const trm_scene *scene = b.r.scene;
    double place[15];
    int body = 7, closed = 0;
    assert_int_equal(trm_view_curve(scene, 0, 5, place, &body, &closed), 5);
    assert_int_equal(body, TRM_INDEX_GROUND);
    assert_int_equal(closed, 1);
    for (int k = 0; k < 5; k++) {
        assert_near(place[3 * k], cos(k * pi / 2), 1e-14);
        assert_near(place[3 * k + 1], 2 + sin(k * pi / 2), 1e-14);
        assert_near(place[3 * k + 2], 0, 0);
    }
    assert_int_equal(trm_view_curve(scene, 1, 5, place, &body, &closed), 0);
    assert_int_equal(trm_view_curve(scene, 2, 5, place, &body, &closed), 0);
    assert_int_equal(trm_view_curve(scene, 0, 1, place, &body, &closed), 0);
    assert_true(trm_view_marker_in_use(scene, 2)); // in a formula alone
    assert_int_equal(trm_view_scene(NULL).nbodies, 0);
    assert_null(trm_view_constraint(scene, 2).name);
    assert_null(trm_view_force(scene, 0).name);
    close_bench(&b);
}
