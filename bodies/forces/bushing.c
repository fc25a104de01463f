// A bushing between two points: stiffness and damping along and about axes E fixed in the first
// body, its own or those of a joint;  K = E^T diag(k) E.
//
//   u = R_a^T (x_b - x_a),   R = R_0^T R_a^T R_b = exp(theta),   R_0 the value in the initial pose
//   V = (u . K u + theta . K' theta)/2
//   force on b at x_b  R_a f,  f = -K u - C u';   the reaction acts on a at the same point
//   torque on b   R_a t,   t = -J^-T K' theta - C' w,   theta' = J^-1 w,   w = R_a^T (w_b - w_a)
//
//   J^-1 = 1 - [theta]/2 + c [theta]^2,   c = (1 - (|theta|/2) cot(|theta|/2))/|theta|^2
//
// Where a number of k is a formula there is no V, and power that of the whole force.
// u' is the rate of u. Turns must be well below half a turn, where theta has no direction.

#include <math.h>
#include <string.h>

#include "bodies/forces/force.h"
#include "bodies/rotation.h"
#include "bodies/vector.h"
#include "program/view.h"

typedef struct bushing {
    int body[2];
    double local[2][3];     ///< m
    double K[4][9];         ///< in the frame of a: stiffness and damping, N/m and N s/m; turning,
                            ///< N m/rad and N m s/rad, planar: the third
    double zero[9];         ///< R_0, rows; planar: zero[0] is the angle, rad
    double E[9], now[4][3]; ///< the axes, and diag(k) of each K
    const trm_function *varying; ///< of these
} bushing;

/// A body's axes in its initial pose.
static void initial_axes(const trm_scene *scene, int body, double R[9])
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (body == TRM_INDEX_GROUND) {
        memcpy(R, identity, sizeof identity);
    } else {
        trm_rotation_matrix(scene->bodies[body].quaternion, R);
    }
}

static void find_zero(const trm_scene *scene, const int body[2], double zero[9])
{
    if (scene->dimension == 2) {
        const double a = body[0] == TRM_INDEX_GROUND ? 0.0 : scene->bodies[body[0]].angle;
        const double b = body[1] == TRM_INDEX_GROUND ? 0.0 : scene->bodies[body[1]].angle;
        zero[0] = b - a;
        return;
    }
    double Ra[9], Rb[9];
    initial_axes(scene, body[0], Ra);
    initial_axes(scene, body[1], Rb);
    for (int i = 0; i < 9; i++) { // R_a^T R_b
        zero[i] =
            Ra[i / 3] * Rb[i % 3] + Ra[3 + i / 3] * Rb[3 + i % 3] + Ra[6 + i / 3] * Rb[6 + i % 3];
    }
}

/// The axes of a joint as rows: its sides and its axis; in the plane the axis, where it has one.
static void axes_of(const trm_scene_joint *joint, const trm_force_site *site, double E[9])
{
    const double *const axis = site->joint_local[2];
    if (site->scene->dimension == 3) {
        memcpy(E, site->joint_side[0], 3 * sizeof *E);
        cross(axis, E, E + 3);
        memcpy(E + 6, axis, 3 * sizeof *E);
    } else if (joint->axis_given) {
        set3(E, axis[0], axis[1], 0);
        set3(E + 3, -axis[1], axis[0], 0);
    }
}

/// Every K := E^T diag(k) E.
static void along_axes(bushing *e)
{
    for (int i = 0; i < 4 * 9; i++) {
        const double *const row = e->E + i % 9 / 3, *const column = e->E + i % 3;
        double sum = 0;
        for (int m = 0; m < 3; m++) {
            sum += e->now[i / 9][m] * row[3 * m] * column[3 * m];
        }
        e->K[i / 9][i % 9] = sum;
    }
}

/// The bushing at this pose: itself, or in `room`.
static const bushing *now(const bushing *e, const trm_pose *pose, const double *V, bushing *room)
{
    if (!e->varying) {
        return e;
    }
    *room = *e;
    trm_varying_find(e->varying, TRM_FORCE_VALUES, pose, V, room->now[0]);
    along_axes(room);
    return room;
}

static void compile(const trm_scene_force *def, const trm_force_site *site, void *element)
{
    bushing *e = element;
    const trm_scene_joint *const joint = def->joint >= 0 ? &site->scene->joints[def->joint] : NULL;
    const double *const k[4] = {def->stiffnesses, def->dampings, def->turning_stiffnesses,
                                def->turning_dampings};
    int body[2];
    *e = (bushing){.E = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                   .varying = trm_varying_of(site->value, TRM_FORCE_VALUES)};
    for (int i = 0; i < 2; i++) {
        const trm_scene_marker *const marker = joint ? NULL : &site->scene->markers[def->marker[i]];
        body[i] = joint ? joint->body[i] : marker->body;
        e->body[i] = body[i] == TRM_INDEX_GROUND ? site->ground : body[i];
        memcpy(e->local[i], joint ? site->joint_local[i] : marker->local, sizeof e->local[i]);
    }
    if (joint) {
        axes_of(joint, site, e->E);
    }
    for (int i = 0; i < 4; i++) {
        memcpy(e->now[i], k[i], sizeof e->now[i]);
    }
    along_axes(e);
    find_zero(site->scene, body, e->zero);
}

/// The state of a bushing, in the frame of a.
typedef struct strain {
    double u[3], du[3];    ///< m, m/s
    double theta[3], w[3]; ///< rad, rad/s; planar: the third
    double contact[3];     ///< m, the point of a that the force acts on
} strain;

/// theta of the rotation Q = exp(theta), less than half a turn.
static void rotation_vector(const double Q[9], double theta[3])
{
    double q[4], distance;
    trm_quaternion_from_matrix(Q, q, &distance);
    const double sine = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double half = atan2(q[0] < 0.0 ? -sine : sine, fabs(q[0]));
    const double factor = sine > 0.0 ? 2.0 * half / sine : 2.0;
    set3(theta, factor * q[1], factor * q[2], factor * q[3]);
}

static void turn_spatial(const bushing *e, const trm_pose *pose, const double *V, strain *out)
{
    const double *Ra = &pose->R[9 * e->body[0]], *Rb = &pose->R[9 * e->body[1]];
    double D[9], Q[9], wb[3], w[3];
    for (int i = 0; i < 9; i++) { // R_a^T R_b
        D[i] =
            Ra[i / 3] * Rb[i % 3] + Ra[3 + i / 3] * Rb[3 + i % 3] + Ra[6 + i / 3] * Rb[6 + i % 3];
    }
    for (int i = 0; i < 9; i++) { // D R_0^T turns the axes of b in the frame of a
        Q[i] = dot(&D[3 * (i / 3)], &e->zero[3 * (i % 3)]);
    }
    rotation_vector(Q, out->theta);
    if (V) {
        rotate(D, &V[6 * e->body[1] + 3], wb);
        memcpy(w, &V[6 * e->body[0] + 3], sizeof w);
        subtract(wb, w, out->w);
    }
}

static strain measure(const bushing *e, const trm_pose *pose, const double *V)
{
    strain s = {.theta = {0.0}};
    double xa[3], xb[3], ua[3], ub[3], d[3];
    trm_point(pose, e->body[0], e->local[0], NULL, xa, NULL);
    trm_point(pose, e->body[1], e->local[1], V, xb, V ? ub : NULL);
    trm_to_body(pose, e->body[0], subtract(xb, xa, d), s.u);
    add(e->local[0], s.u, s.contact);
    if (V) {
        trm_point(pose, e->body[0], s.contact, V, xa, ua);
        trm_to_body(pose, e->body[0], subtract(ub, ua, d), s.du);
    }
    if (pose->width == 3) {
        s.theta[2] = pose->angle[e->body[1]] - pose->angle[e->body[0]] - e->zero[0];
        s.w[2] = V ? V[3 * e->body[1] + 2] - V[3 * e->body[0] + 2] : 0.0;
    } else {
        turn_spatial(e, pose, V, &s);
    }
    return s;
}

/// out = J^-T x of theta.
static void transposed_inverse(const double theta[3], const double x[3], double out[3])
{
    double first[3], second[3];
    const double square = dot(theta, theta), angle = sqrt(square);
    // 1/12 + angle^2/720 + ...: below 1e-4 the second term is under roundoff of x
    const double c = angle < 1e-4 ? 1.0 / 12.0 : (1.0 - 0.5 * angle / tan(0.5 * angle)) / square;
    cross(theta, x, first);
    cross(theta, first, second);
    for (int k = 0; k < 3; k++) {
        out[k] = x[k] + 0.5 * first[k] + c * second[k];
    }
}

/// Force and torque on b, in the frame of a.
static void load_of(const bushing *e, const strain *s, double force[3], double torque[3])
{
    double elastic[3], viscous[3];
    rotate(e->K[0], s->u, elastic);
    rotate(e->K[1], s->du, viscous);
    add(elastic, viscous, force);
    scale(-1.0, force, force);
    rotate(e->K[2], s->theta, elastic);
    rotate(e->K[3], s->w, viscous);
    transposed_inverse(s->theta, elastic, torque);
    add(torque, viscous, torque);
    scale(-1.0, torque, torque);
}

/// F += a torque of the frame of a on b, and its reaction on a.
static void twist(const bushing *e, const trm_pose *pose, const double torque[3], double *F)
{
    const int a = e->body[0], b = e->body[1];
    if (pose->width == 3) {
        F[3 * a + 2] -= torque[2];
        F[3 * b + 2] += torque[2];
        return;
    }
    double world[3], on_b[3];
    trm_to_body(pose, b, trm_to_world(pose, a, torque, world), on_b);
    subtract(&F[6 * a + 3], torque, &F[6 * a + 3]);
    add(&F[6 * b + 3], on_b, &F[6 * b + 3]);
}

static int apply(const void *elements, int n, const trm_pose *pose, const double *V, double *F)
{
    const bushing *e = elements;
    for (int i = 0; i < n; i++) {
        double force[3], torque[3], world[3], back[3];
        bushing room;
        const strain s = measure(&e[i], pose, V);
        load_of(now(&e[i], pose, V, &room), &s, force, torque);
        if (!isfinite(dot(force, force)) || !isfinite(dot(torque, torque))) {
            return 1 + i;
        }
        trm_to_world(pose, e[i].body[0], force, world);
        trm_push(pose, e[i].body[1], e[i].local[1], world, F);
        trm_push(pose, e[i].body[0], s.contact, scale(-1.0, world, back), F);
        twist(&e[i], pose, torque, F);
    }
    return 0;
}

static double potential(const void *elements, int n, const trm_pose *pose)
{
    double sum = 0.0, f[3], t[3];
    for (const bushing *e = elements; e < (const bushing *)elements + n; e++) {
        const strain s = measure(e, pose, NULL);
        rotate(e->K[0], s.u, f);
        rotate(e->K[2], s.theta, t);
        sum += e->varying ? 0 : 0.5 * (dot(f, s.u) + dot(t, s.theta));
    }
    return sum;
}

static double power(const void *elements, int n, const trm_pose *pose, const double *V)
{
    double sum = 0.0, f[3], t[3];
    for (const bushing *e = elements; e < (const bushing *)elements + n; e++) {
        const strain s = measure(e, pose, V);
        bushing room, part = *now(e, pose, V, &room);
        if (!e->varying) { // dampers alone
            memset(part.K[0], 0, sizeof part.K[0]);
            memset(part.K[2], 0, sizeof part.K[2]);
        }
        load_of(&part, &s, f, t);
        sum += dot(f, s.du) + dot(t, s.w);
    }
    return sum;
}

static const trm_key keys[] = {
    TRM_KEY("markers", MARKER_PAIR, trm_scene_force, marker,
            "The two points, a and b. Without load they coincide, turned as in the initial pose; "
            "this or `joint`."),
    TRM_KEY("joint", JOINT, trm_scene_force, joint,
            "Between the frames of this joint: its point in a and in b. The axes are two sides of "
            "its axis (first `axis2`, where it has one) and its axis; in the plane along its axis "
            "and across."),
    TRM_KEY("stiffness", VECTOR, trm_scene_force, stiffnesses,
            "Force per displacement, along each axis (of the body of a).", TRM_VARIES(0),
            .range = TRM_NOT_NEGATIVE, .unit = "N/m", .fallback = "zero"),
    TRM_KEY("damping", VECTOR, trm_scene_force, dampings, "Force per speed, likewise.",
            TRM_VARIES(3), .range = TRM_NOT_NEGATIVE, .unit = "N s/m", .fallback = "zero"),
    TRM_KEY("turning_stiffness", VECTOR3, trm_scene_force, turning_stiffnesses,
            "Torque per angle, about each axis (of the body of a).", .dimension = 3, TRM_VARIES(6),
            .range = TRM_NOT_NEGATIVE, .unit = "N m/rad", .fallback = "zero"),
    TRM_KEY("turning_stiffness", NUMBER, trm_scene_force, turning_stiffnesses[2],
            "Torque per angle.", .dimension = 2, TRM_VARIES(8), .range = TRM_NOT_NEGATIVE,
            .unit = "N m/rad", .fallback = "0"),
    TRM_KEY("turning_damping", VECTOR3, trm_scene_force, turning_dampings,
            "Torque per rate, likewise.", .dimension = 3, TRM_VARIES(9), .range = TRM_NOT_NEGATIVE,
            .unit = "N m s/rad", .fallback = "zero"),
    TRM_KEY("turning_damping", NUMBER, trm_scene_force, turning_dampings[2], "Torque per rate.",
            .dimension = 2, TRM_VARIES(11), .range = TRM_NOT_NEGATIVE, .unit = "N m s/rad",
            .fallback = "0"),
    {.name = NULL},
};

static const trm_key_group groups[] = {
    {1, {"markers", "joint"}},
    {TRM_SOME, {"stiffness", "damping", "turning_stiffness", "turning_damping"}},
    {0, {NULL}}};

const trm_force_kind trm_force_bushing = {
    .name = "bushing",
    .of_frames = 1,
    .doc = "An elastic bearing: stiffness along and about three axes; it turns by less than half a "
           "turn.",
    .keys = keys,
    .groups = groups,
    .size = sizeof(bushing),
    .compile = compile,
    .apply = apply,
    .potential = potential,
    .power = power,
};
