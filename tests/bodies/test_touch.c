/// Pairs of shapes against differences of their gap along the motion, at random states.
#include "tests/random_bodies.h"

#include "tests/near.h"

#include "base/expression/expression.h"
#include "bodies/point.h"
#include "bodies/rotation.h"
#include "bodies/shapes/touch.h"

enum { STATES = 40, A = 0, B = 2 }; ///< of random_bodies.h, both rigid

static int names_of_terrain(const char *name, size_t length, trm_symbol *out, void *user)
{
    (void)user;
    *out = (trm_symbol){.index = name[0] == 'y'};
    return length == 1;
}

static trm_expression *terrain(int dimension)
{
    trm_expression *code = NULL;
    trm_expression_error error;
    const char *const text =
        dimension == 2 ? "0.1*sin(x) + 0.05*x^2" : "0.1*sin(x + 2*y) + 0.05*x*y";
    assert_int_equal(trm_expression_compile(NULL, text, names_of_terrain, NULL, &code, &error),
                     TRM_OK);
    return code;
}

/// A pair of random numbers, side 0 well off side 1, as no contact in use is: all formulas hold
/// there too.
static trm_touch_pair random_pair(world *w, trm_touch_kind kind, const trm_expression *height)
{
    trm_touch_pair pair = {.kind = kind, .side = {{.body = A}, {.body = B}}, .height = height};
    const int planar = w->bodies.dimension == 2;
    for (int i = 0; i < 2; i++) {
        trm_touch_side *const side = &pair.side[i];
        random_vector(&w->seed, side->center, planar ? 2 : 3);
        random_direction(&w->seed, side->axis, planar ? 2 : 3);
        double turned[4] = {1, 0, 0, 0};
        random_direction(&w->seed, turned, planar ? 1 : 4); // in the plane: 1 or -1
        trm_rotation_matrix(turned, side->axes);
        for (int k = 0; k < (planar ? 2 : 3); k++) {
            side->size[k] = 0.3 + 0.1 * uniform(&w->seed);
        }
    }
    random_direction(&w->seed, pair.across, planar ? 2 : 3);
    return pair;
}

static int only_in_space(trm_touch_kind kind)
{
    return kind == TRM_TOUCH_BALL_FUNNEL || kind == TRM_TOUCH_BALL_CYLINDER ||
           kind == TRM_TOUCH_ELLIPSOID_PLANE || kind == TRM_TOUCH_RIM_PLANE;
}

/// x' and x'' of the gap are its differences along the motion; x'' along the surface is that of x';
/// the gradient gives x' of the velocities.
static void check_rows(world *w, const trm_touch_pair *pair)
{
    const double h = 1e-3, fine = 2e-4;
    const int rows = w->bodies.dimension;
    for (int axis = 0; axis < rows; axis++) {
        double now[3], gap[5], rate[5], jet[3], G[2][6], sum = 0;
        trm_touch_jet(pair, axis, &w->pose, w->V, now);
        for (int k = 0; k < 5; k++) {
            place_after(w, five[k] * h);
            trm_touch_jet(pair, axis, &w->pose, w->V, jet);
            gap[k] = jet[0];
            place_after(w, five[k] * fine);
            trm_touch_jet(pair, axis, &w->pose, w->V, jet);
            rate[k] = jet[1];
        }
        place_after(w, 0);
        if (axis == 0) {
            assert_close(now[1], first_difference(gap, h), 1e-8);
            assert_close(now[2], second_difference(gap, h), 1e-5);
        }
        assert_close(now[2], first_difference(rate, fine), 1e-8);
        trm_touch_gradient(pair, axis, &w->pose, w->V, G);
        for (int i = 0; i < 2 * w->bodies.width; i++) {
            const int side = i / w->bodies.width, k = i % w->bodies.width;
            sum += G[side][k] * w->V[pair->side[side].body * w->bodies.width + k];
        }
        assert_close(sum, now[1], 1e-13);
    }
}

/// Smooth here: the nearest point does not go over an edge within the differences, and the centre
/// of the ball is not inside a solid or below the ground.
static int is_smooth(world *w, const trm_touch_pair *pair)
{
    double second[2];
    int outside = 1;
    for (int k = 0; k < 2; k++) {
        double jet[3];
        place_after(w, (k == 0 ? -1 : 1) * 4e-3);
        trm_touch_jet(pair, 0, &w->pose, w->V, jet);
        second[k] = jet[2];
        outside &= jet[0] > -0.9 * pair->side[0].size[0];
    }
    place_after(w, 0);
    const int solid = pair->kind == TRM_TOUCH_BALL_BOX || pair->kind == TRM_TOUCH_BALL_ROD ||
                      pair->kind == TRM_TOUCH_BALL_CYLINDER || pair->kind == TRM_TOUCH_BALL_TERRAIN;
    return (outside || !solid) && fabs(second[1] - second[0]) < 0.2 * (1 + fabs(second[0]));
}

static void check_dimension(int dimension)
{
    trm_expression *const height = terrain(dimension);
    for (int kind = 0; kind < TRM_TOUCH_KINDS; kind++) {
        if (dimension == 2 && only_in_space((trm_touch_kind)kind)) {
            continue;
        }
        int seen = 0;
        for (uint64_t seed = 0; seed < STATES; seed++) {
            world w;
            make_world(&w, dimension, seed);
            const trm_touch_pair pair = random_pair(&w, (trm_touch_kind)kind, height);
            if (is_smooth(&w, &pair)) {
                check_rows(&w, &pair);
                seen++;
            }
        }
        assert_true(seen > STATES / 4);
    }
    trm_expression_destroy(height);
}

CLAIM(test_rows_in_the_plane)
{
    check_dimension(2);
}

CLAIM(test_rows_in_space)
{
    check_dimension(3);
}

/// n and both tangents are of unit length and at right angles, and P is on both shapes where the
/// gap is closed: seen by the distances of a ball from a box.
CLAIM(test_a_ball_over_an_edge)
{
    world w;
    make_world(&w, 3, 1);
    memset(w.V, 0, sizeof w.V);
    trm_touch_pair pair = {.kind = TRM_TOUCH_BALL_BOX,
                           .side = {{.body = GROUND, .size = {0.5}}, {.body = GROUND}},
                           .across = {0, 0, 1}};
    const double half[3] = {1, 2, 3}, axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(pair.side[1].size, half, sizeof half);
    memcpy(pair.side[1].axes, axes, sizeof axes);
    static const struct {
        double at[3], gap, normal[3];
    } cases[] = {
        {{4, 1, -2}, 2.5, {1, 0, 0}},                 // beside a face
        {{4, 6, 1}, 4.5, {0.6, 0.8, 0}},              // an edge
        {{3, 3, -5}, 2.5, {2. / 3, 1. / 3, -2. / 3}}, // a corner
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trm_touch out;
        memcpy(pair.side[0].center, cases[i].at, sizeof cases[i].at);
        trm_touch_measure(&pair, &w.pose, w.V, &out);
        assert_near(out.gap, cases[i].gap, 1e-15);
        for (int k = 0; k < 3; k++) {
            assert_near(out.normal[k], cases[i].normal[k], 1e-15);
        }
    }
}
