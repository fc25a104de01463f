/// Every kind of joint: the motions that it allows, its rank, freedom, labels and motor.
#include "constraints/joint.h"
#include "tests/near.h"
#include "tests/random_bodies.h"

// --------------------------------------------------------------------------------------- joints

/// What b may do relative to a, in the frame of the joint (sides 1 and 2, axis).
typedef struct freedom_case {
    const char *name;
    int rows[2];     ///< in 2-D and 3-D; 0: no such joint
    int turn[2][3];  ///< nonzero where b may turn about side 1, side 2, axis
    int slide[2][3]; ///< nonzero where b's point may move along them
} freedom_case;

static const freedom_case freedoms[] = {
    {"revolute", {2, 5}, {{0, 0, 1}, {0, 0, 1}}, {{0, 0, 0}, {0, 0, 0}}},
    {"prismatic", {2, 5}, {{0, 0, 0}, {0, 0, 0}}, {{0, 0, 1}, {0, 0, 1}}},
    {"weld", {3, 6}, {{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}},
    {"rod", {1, 1}, {{0, 0, 1}, {1, 1, 1}}, {{0, 0, 0}, {0, 0, 0}}},
    {"pin_in_slot", {1, 0}, {{0, 0, 1}, {0, 0, 0}}, {{0, 0, 1}, {0, 0, 0}}},
    {"spherical", {0, 3}, {{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {0, 0, 0}}},
    {"universal", {0, 4}, {{0, 0, 0}, {0, 0, 1}}, {{0, 0, 0}, {0, 0, 0}}},
    {"cylindrical", {0, 4}, {{0, 0, 0}, {0, 0, 1}}, {{0, 0, 0}, {0, 0, 1}}},
    {"planar", {0, 3}, {{0, 0, 0}, {0, 0, 1}}, {{0, 0, 0}, {1, 1, 0}}},
    {"point_on_line", {0, 2}, {{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {0, 0, 1}}},
    {"point_on_plane", {0, 1}, {{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 0}}},
};
enum { KNOWN = sizeof freedoms / sizeof *freedoms };

/// Of a kind that is not listed nothing but this is known: it stays closed while both bodies move
/// as one.
static const freedom_case unlisted = {.name = "unlisted"};

static const freedom_case *freedom_of(const trm_joint_kind *kind)
{
    for (int k = 0; k < KNOWN; k++) {
        if (strcmp(freedoms[k].name, kind->name) == 0) {
            return &freedoms[k];
        }
    }
    return &unlisted;
}

/// A joint between two bodies of w, with its rows as batches of one.
typedef struct joint_case {
    const trm_joint_kind *kind;
    const freedom_case *freedom;
    trm_joint_frame frame;
    trm_row_list rows;
    double turn, slide; ///< rad, m: of the last motion, about and along the axis
} joint_case;

/// Unit vectors (side 1, side 2, axis); in the plane the axis lies in it, as frames have it.
static void random_axes(uint64_t *seed, int dimension, double e[3][3])
{
    double other[3];
    memset(e, 0, 3 * sizeof *e);
    random_direction(seed, e[2], dimension);
    if (dimension == 2) {
        set3(e[0], -e[2][1], e[2][0], 0.0);
        return;
    }
    random_direction(seed, other, 3);
    cross(e[2], other, e[0]);
    scale(1.0 / sqrt(dot(e[0], e[0])), e[0], e[0]);
    cross(e[2], e[0], e[1]);
}

static const double *rotation_of(const world *w, int body, double R[9])
{
    if (w->bodies.dimension == 3) {
        return memcpy(R, &w->R[9 * body], 9 * sizeof *R);
    }
    set3(R + 0, w->c[body], -w->s[body], 0.0);
    set3(R + 3, w->s[body], w->c[body], 0.0);
    set3(R + 6, 0.0, 0.0, 1.0);
    return R;
}

static void origin_of(const world *w, int body, double p[3])
{
    if (w->bodies.dimension == 3) {
        set3(p, w->p[3 * body], w->p[3 * body + 1], w->p[3 * body + 2]);
    } else {
        set3(p, w->x[body], w->y[body], 0.0);
    }
}

/// The frame of a joint that is closed in the present pose.
static void make_frame(world *w, int a, int b, int apart, trm_joint_frame *frame)
{
    const int dimension = w->bodies.dimension, body[2] = {a, b};
    double e[3][3], point[2][3] = {{0.0}}, axis2[3], R[9], p[3], r[3];
    *frame = (trm_joint_frame){.dimension = dimension, .a = a, .b = b};
    random_axes(&w->seed, dimension, e);
    add(scale(0.6, e[0], axis2), scale(-0.8, e[1], r), axis2);
    random_vector(&w->seed, point[0], dimension);
    memcpy(point[1], point[0], sizeof point[0]);
    if (apart) {
        random_vector(&w->seed, point[1], dimension);
        subtract(point[1], point[0], r);
        frame->length = sqrt(dot(r, r));
    }
    frame->angle = dimension == 2 ? w->angle[b] - w->angle[a] : 0.0;
    for (int i = 0; i < 2; i++) {
        rotation_of(w, body[i], R);
        origin_of(w, body[i], p);
        rotate_back(R, subtract(point[i], p, r), frame->point[i]);
        rotate_back(R, e[0], frame->side[i][0]);
        rotate_back(R, e[1], frame->side[i][1]);
        rotate_back(R, e[2], frame->axis[i]);
        rotate_back(R, axis2, frame->axis2[i]);
    }
}

/// g of all rows of the joint, and G as [rows][2][width]; returns the number of scalar rows.
static int evaluate_joint(const joint_case *joint, const world *w, double *g, double *G)
{
    const int dimension = w->bodies.dimension, width = w->bodies.width;
    const int zero = 0;
    int rows = 0;
    for (int k = 0; k < joint->rows.n; k++) {
        const trm_row *row = &joint->rows.row[k];
        const trm_row_ops *ops = trm_row_table[dimension - 2][row->kind];
        double block[2 * 3 * 6];
        const int Gb = ops->rows * width;
        const trm_row_batch batch = {1,       1,       &row->a, &row->b,       &zero,
                                     &zero,   &Gb,     row->la, row->lb,       row->ua,
                                     row->ub, row->sa, row->sb, &row->constant};
        ops->position(&batch, &w->pose, g + rows, block);
        for (int r = 0; r < ops->rows; r++, rows++) {
            memcpy(&G[(2 * rows + 0) * width], &block[r * width], (size_t)width * sizeof *G);
            memcpy(&G[(2 * rows + 1) * width], &block[Gb + r * width], (size_t)width * sizeof *G);
        }
    }
    return rows;
}

/// R := R(turn) R, turn in world axes, and so for the quaternion or angle of body b.
static void turn_body(world *w, int b, const double turn[3])
{
    double *q = &w->q[w->q0[b]], step[4], old[4];
    if (w->bodies.dimension == 2) {
        q[2] += turn[2];
        return;
    }
    memcpy(old, q + 3, sizeof old);
    quaternion_exponential(turn, step);
    quaternion_product(step, old, q + 3);
}

/// Put body b's joint point at `target`.
static void put_point(world *w, const joint_case *joint, int b, const double target[3])
{
    double R[9], r[3], *q = &w->q[w->q0[b]];
    place(w);
    rotate(rotation_of(w, b, R), joint->frame.point[1], r);
    for (int k = 0; k < w->bodies.dimension; k++) {
        q[k] = target[k] - r[k];
    }
    place(w);
}

/// World directions (side 1, side 2, axis of rotation or sliding) and point of a's half.
static void half_of_a(const world *w, const joint_case *joint, double e[3][3], double point[3])
{
    double R[9], p[3];
    rotation_of(w, joint->frame.a, R);
    origin_of(w, joint->frame.a, p);
    rotate(R, joint->frame.side[0][0], e[0]);
    rotate(R, joint->frame.side[0][1], e[1]);
    rotate(R, joint->frame.axis[0], e[2]);
    add(p, rotate(R, joint->frame.point[0], point), point);
}

/// Turn about an axis of b first, as only a universal joint allows.
static void turn_about_axis2(world *w, const joint_case *joint, double angle)
{
    double R[9], axis[3];
    rotation_of(w, joint->frame.b, R);
    rotate(R, joint->frame.axis2[1], axis);
    turn_body(w, joint->frame.b, scale(angle, axis, axis));
}

static void point_of_b(const world *w, const joint_case *joint, double point[3])
{
    double R[9], p[3];
    origin_of(w, joint->frame.b, p);
    add(p, rotate(rotation_of(w, joint->frame.b, R), joint->frame.point[1], point), point);
}

/// A random motion of b that the joint allows, up to half a turn and a metre. For a rod b's point
/// goes to another point of the sphere around a's. The ground does not move.
static void move_as_allowed(world *w, joint_case *joint)
{
    static const double z[3] = {0.0, 0.0, 1.0};
    const int planar = w->bodies.dimension == 2, b = joint->frame.b;
    const int *may_turn = joint->freedom->turn[!planar],
              *may_slide = joint->freedom->slide[!planar];
    double e[3][3], target[3], step[3];
    if (b == GROUND) {
        return;
    }
    if (strcmp(joint->kind->name, "universal") == 0) {
        turn_about_axis2(w, joint, uniform(&w->seed));
        place(w);
    }
    half_of_a(w, joint, e, target);
    if (strcmp(joint->kind->name, "rod") == 0) {
        double direction[3] = {0.0};
        random_direction(&w->seed, direction, w->bodies.dimension);
        add(target, scale(joint->frame.length, direction, step), target);
    }
    for (int k = 0; k < 3; k++) {
        joint->turn = may_turn[k] ? 3.0 * uniform(&w->seed) : 0.0;
        joint->slide = may_slide[k] ? uniform(&w->seed) : 0.0;
        turn_body(w, b, scale(joint->turn, planar ? z : e[k], step));
        add(target, scale(joint->slide, e[k], step), target);
    }
    put_point(w, joint, b, target);
}

/// Move both bodies of the joint as one.
static void move_together(world *w, const joint_case *joint)
{
    const int a = joint->frame.a, b = joint->frame.b;
    double turn[3] = {0.0}, R0[9], Ra[9], to_b[3], r[3], target[3], e[3][3];
    if (a == GROUND || b == GROUND) {
        return;
    }
    half_of_a(w, joint, e, target);
    point_of_b(w, joint, r);
    rotate_back(rotation_of(w, a, R0), subtract(r, target, to_b), r);
    random_vector(&w->seed, turn, 3);
    turn_body(w, a, turn);
    turn_body(w, b, turn);
    random_vector(&w->seed, &w->q[w->q0[a]], w->bodies.dimension);
    place(w);
    half_of_a(w, joint, e, target);
    add(target, rotate(rotation_of(w, a, Ra), r, to_b), target);
    put_point(w, joint, b, target);
}

/// Smallest ratio of an orthogonalized row of G to the row itself: 0 when the rows are dependent.
static double independence(const double *G, int rows, int n)
{
    double Q[TRM_JOINT_ROWS][12], smallest = 1.0;
    for (int r = 0; r < rows; r++) {
        double before = 0.0, after = 0.0;
        memcpy(Q[r], &G[r * n], (size_t)n * sizeof *G);
        for (int k = 0; k < n; k++) {
            before += Q[r][k] * Q[r][k];
        }
        for (int pass = 0; pass < 2; pass++) {
            for (int s = 0; s < r; s++) {
                double projection = 0.0;
                for (int k = 0; k < n; k++) {
                    projection += Q[s][k] * Q[r][k];
                }
                for (int k = 0; k < n; k++) {
                    Q[r][k] -= projection * Q[s][k];
                }
            }
        }
        for (int k = 0; k < n; k++) {
            after += Q[r][k] * Q[r][k];
        }
        for (int k = 0; k < n; k++) {
            Q[r][k] /= sqrt(after);
        }
        smallest = fmin(smallest, sqrt(after / before));
    }
    return smallest;
}

static void make_joint(world *w, joint_case *joint, const freedom_case *freedom,
                       const trm_joint_kind *kind, int a, int b)
{
    *joint = (joint_case){.kind = kind, .freedom = freedom};
    make_frame(w, a, b, strcmp(kind->name, "rod") == 0, &joint->frame);
    kind->rows(&joint->frame, &joint->rows);
}

typedef void joint_check_fn(joint_case *joint, world *w);

/// The check for every kind in its dimensions, the ground on neither and on either side.
static void for_every_joint(joint_check_fn *check)
{
    static const int ends[3][2] = {{0, 2}, {GROUND, 2}, {0, GROUND}};
    int listed = 0;
    for (int k = 0; trm_joint_kinds[k]; k++) {
        const trm_joint_kind *kind = trm_joint_kinds[k];
        const freedom_case *freedom = freedom_of(kind);
        listed += freedom != &unlisted;
        for (int dimension = 2; dimension <= 3; dimension++) {
            if (kind->dimension != 0 && kind->dimension != dimension) {
                assert_int_equal(freedom->rows[dimension - 2], 0);
                continue;
            }
            for (uint64_t seed = 1; seed <= 20; seed++) {
                world w;
                joint_case joint;
                make_world(&w, dimension, seed);
                make_joint(&w, &joint, freedom, kind, ends[seed % 3][0], ends[seed % 3][1]);
                check(&joint, &w);
            }
        }
    }
    assert_int_equal(listed, KNOWN);
}

/// The rows of a listed kind are as many as it is listed with.
static void check_count(const joint_case *joint, const world *w, int rows)
{
    if (joint->freedom != &unlisted) {
        assert_int_equal(rows, joint->freedom->rows[w->bodies.dimension - 2]);
    }
}

static void check_closed(joint_case *joint, world *w)
{
    double g[TRM_JOINT_ROWS], G[2 * TRM_JOINT_ROWS * 6];
    for (int motion = 0; motion < 5; motion++) {
        const int rows = evaluate_joint(joint, w, g, G);
        check_count(joint, w, rows);
        for (int r = 0; r < rows; r++) {
            assert_near(g[r], 0.0, 1e-14);
        }
        move_as_allowed(w, joint);
        move_together(w, joint);
    }
}

CLAIM(a_joint_stays_closed_in_every_motion_it_allows)
{
    for_every_joint(check_closed);
}

static void check_rank(joint_case *joint, world *w)
{
    const int width = w->bodies.width;
    double g[TRM_JOINT_ROWS], G[2 * TRM_JOINT_ROWS * 6], of_b[TRM_JOINT_ROWS * 6];
    for (int motion = 0; motion < 5; motion++) {
        const int rows = evaluate_joint(joint, w, g, G);
        for (int r = 0; r < rows; r++) {
            memcpy(&of_b[r * width], &G[(2 * r + 1) * width], (size_t)width * sizeof *G);
        }
        assert_true(independence(of_b, rows, width) > 1e-3);
        assert_true(independence(G, rows, 2 * width) > 1e-3);
        move_as_allowed(w, joint);
    }
}

CLAIM(the_rows_of_a_joint_are_independent)
{
    for_every_joint(check_rank);
}

CLAIM(the_rows_of_a_joint_leave_exactly_its_freedom)
{
    for (int k = 0; k < KNOWN; k++) {
        for (int d = 0; d < 2; d++) {
            int freedom = 0;
            for (int i = 0; i < 3; i++) {
                freedom += freedoms[k].turn[d][i] + freedoms[k].slide[d][i];
            }
            freedom += strcmp(freedoms[k].name, "universal") == 0 ? d : 0; // the second axis
            freedom += strcmp(freedoms[k].name, "rod") == 0 ? 1 + d : 0; // the direction of the rod
            if (freedoms[k].rows[d] > 0) {
                assert_int_equal(freedoms[k].rows[d] + freedom, d == 0 ? 3 : 6);
            }
        }
    }
}

static void check_labels(joint_case *joint, world *w)
{
    double g[TRM_JOINT_ROWS], G[2 * TRM_JOINT_ROWS * 6];
    const int rows = evaluate_joint(joint, w, g, G);
    check_count(joint, w, rows);
    assert_int_equal(joint->rows.nlabels, rows);
    for (int i = 0; i < joint->rows.nlabels; i++) {
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(joint->rows.label[i], joint->rows.label[j]);
        }
        assert_true(strcmp(joint->rows.unit[i], "m") == 0 ||
                    strcmp(joint->rows.unit[i], "rad") == 0);
    }
}

CLAIM(every_row_has_a_label_of_its_own)
{
    for_every_joint(check_labels);
}

static void check_motor(joint_case *joint, world *w)
{
    const int turns = joint->kind->freedom == TRM_FREEDOM_ANGLE;
    double g[TRM_JOINT_ROWS], G[2 * TRM_JOINT_ROWS * 6];
    if (joint->kind->freedom == TRM_FREEDOM_NONE) {
        return;
    }
    trm_joint_motor_row(joint->kind, &joint->frame, &joint->rows);
    joint->turn = joint->slide = 0.0;
    double turned = 0.0;
    for (int motion = 0; motion < 4; motion++) {
        const int rows = evaluate_joint(joint, w, g, G);
        assert_int_equal(rows, joint->rows.nlabels);
        turned += joint->turn;
        const double expected = w->bodies.dimension == 2 ? turned : atan2(sin(turned), cos(turned));
        assert_near(g[rows - 1], turns ? expected : joint->slide, 1e-13);
        assert_true(independence(G, rows, 2 * w->bodies.width) > 1e-3);
        move_as_allowed(w, joint);
    }
}

CLAIM(a_motor_drives_the_angle_or_displacement_from_the_initial_pose)
{
    for_every_joint(check_motor);
}

CLAIM(a_motor_needs_a_revolute_or_prismatic_joint)
{
    for (int k = 0; trm_joint_kinds[k]; k++) {
        int has_key = 0;
        for (const trm_key *key = trm_joint_kinds[k]->keys; key->name; key++) {
            has_key += strcmp(key->name, "motor") == 0;
        }
        assert_int_equal(has_key, trm_joint_kinds[k]->freedom != TRM_FREEDOM_NONE);
    }
}

/// Where a joint sits on its bodies: a pin, a ball and the ends of a rod at one point of each, what
/// slides along a body of a at a point of b alone, slides and welds anywhere.
CLAIM(seats_are_the_points_that_stay)
{
    static const struct {
        const char *name;
        int seats;
    } seated[] = {{"revolute", 3},    {"spherical", 3},     {"universal", 3},     {"rod", 3},
                  {"pin_in_slot", 2}, {"point_on_line", 2}, {"point_on_plane", 2}};
    for (int k = 0; trm_joint_kinds[k]; k++) {
        int seats = 0;
        for (size_t i = 0; i < sizeof seated / sizeof *seated; i++) {
            seats |= strcmp(trm_joint_kinds[k]->name, seated[i].name) == 0 ? seated[i].seats : 0;
        }
        if (freedom_of(trm_joint_kinds[k]) != &unlisted) {
            assert_int_equal(trm_joint_kinds[k]->seats, seats);
        }
    }
}

/// A key belongs to a dimension in which its joint exists.
CLAIM(keys_are_of_the_dimension)
{
    for (int k = 0; trm_joint_kinds[k]; k++) {
        const trm_joint_kind *const kind = trm_joint_kinds[k];
        for (const trm_key *key = kind->keys; key->name; key++) {
            assert_true(key->dimension == 0 || key->dimension == 2 || key->dimension == 3);
            assert_true(key->dimension == 0 || kind->dimension == 0 ||
                        key->dimension == kind->dimension);
        }
    }
}
