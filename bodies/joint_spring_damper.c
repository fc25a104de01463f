// Spring and damper on the freedom x of a joint: torsion spring, slider spring, viscous friction.
//
//   T = k (x - rest) + c x'        generalized force -T grad x on both bodies
//   V = k (x - rest)^2/2,   power = -c x'^2
//
//   slider           x = n . (r_b - r_a),   n = R_a axis_a
//   hinge, planar    x = angle_b - angle_a, zero in the initial pose, any number of turns
//   hinge, spatial   x = atan2(s, c),   c = w . sa,   s = w . (axis_a x sa),   w = R_a^T R_b sb
//
// In space x lies in (-pi, pi]: a spring that is not slack at half a turn jumps there.

#include <math.h>
#include <string.h>

#include "bodies/force.h"
#include "bodies/vector.h"
#include "constraints/joint.h"

typedef struct joint_spring_damper {
    trm_freedom freedom;
    int a, b;
    double point[2][3]; ///< m, in a and in b
    double axis[3];     ///< unit, in a
    double sa[3];       ///< unit, in a, square to the axis
    double pa[3];       ///< axis x sa
    double sb[3];       ///< unit, in b, equal to sa in the initial pose
    double zero;        ///< rad, planar: angle_b - angle_a in the initial pose
    double k, c, rest;  ///< N/m, N s/m, m; or N m/rad, N m s/rad, rad
} joint_spring_damper;

/// x, x' and what is needed of grad x.
typedef struct freedom {
    double x, rate;
    double n[3];                 ///< slider: the axis in the world
    double contact[3];           ///< m, slider: b's point in the frame of a
    double grad_a[3], grad_b[3]; ///< hinge: dx/d omega, body axes; planar: the last component
} freedom;

static void compile(const trm_scene_force *def, const trm_force_site *site, void *element)
{
    const trm_scene_joint *joint = &site->scene->joints[def->joint];
    joint_spring_damper *e = element;
    *e = (joint_spring_damper){
        .freedom = joint->kind->freedom,
        .a = joint->body[0] == TRM_GROUND ? site->ground : joint->body[0],
        .b = joint->body[1] == TRM_GROUND ? site->ground : joint->body[1],
        .zero = site->joint_angle,
        .k = def->stiffness,
        .c = def->damping,
        .rest = def->rest,
    };
    memcpy(e->point, site->joint_local, sizeof e->point);
    memcpy(e->axis, site->joint_local[2], sizeof e->axis);
    if (site->scene->dimension == 3) {
        memcpy(e->sa, site->joint_side[0], sizeof e->sa);
        memcpy(e->sb, site->joint_side[1], sizeof e->sb);
        cross(e->axis, e->sa, e->pa);
    }
}

/// x = n . (r_b - r_a). Seen from a, b's point is where the force acts.
static void slider(const joint_spring_damper *e, const trm_pose *pose, const double *V, freedom *f)
{
    double ra[3], rb[3], d[3], d_a[3], ua[3], ub[3], u[3];
    trm_point(pose, e->a, e->point[0], NULL, ra, NULL);
    trm_point(pose, e->b, e->point[1], V, rb, V ? ub : NULL);
    trm_to_world(pose, e->a, e->axis, f->n);
    trm_to_body(pose, e->a, subtract(rb, ra, d), d_a);
    add(e->point[0], d_a, f->contact);
    f->x = dot(f->n, d);
    f->rate = 0.0;
    if (V) {
        trm_point(pose, e->a, f->contact, V, ra, ua);
        f->rate = dot(f->n, subtract(ub, ua, u));
    }
}

static void hinge_planar(const joint_spring_damper *e, const trm_pose *pose, const double *V,
                         freedom *f)
{
    f->x = pose->angle[e->b] - pose->angle[e->a] - e->zero;
    f->rate = V ? V[3 * e->b + 2] - V[3 * e->a + 2] : 0.0;
    set3(f->grad_a, 0.0, 0.0, -1.0);
    set3(f->grad_b, 0.0, 0.0, 1.0);
}

/// dx = h . dw with h = (c pa - s sa)/(s^2 + c^2), so dx/d omega_a = h x w and
/// dx/d omega_b = sb x R_b^T R_a h.
static void hinge_spatial(const joint_spring_damper *e, const trm_pose *pose, const double *V,
                          freedom *f)
{
    double sb[3], w[3], h[3], h_w[3], h_b[3];
    trm_to_body(pose, e->a, trm_to_world(pose, e->b, e->sb, sb), w);
    const double c = dot(w, e->sa), s = dot(w, e->pa), rho = s * s + c * c;
    for (int k = 0; k < 3; k++) {
        h[k] = (c * e->pa[k] - s * e->sa[k]) / rho;
    }
    trm_to_body(pose, e->b, trm_to_world(pose, e->a, h, h_w), h_b);
    f->x = atan2(s, c);
    cross(h, w, f->grad_a);
    cross(e->sb, h_b, f->grad_b);
    f->rate = V ? dot(f->grad_a, &V[6 * e->a + 3]) + dot(f->grad_b, &V[6 * e->b + 3]) : 0.0;
}

/// x, and with V also x'.
static void measure(const joint_spring_damper *e, const trm_pose *pose, const double *V, freedom *f)
{
    if (e->freedom == TRM_FREEDOM_DISTANCE) {
        slider(e, pose, V, f);
    } else if (pose->width == 3) {
        hinge_planar(e, pose, V, f);
    } else {
        hinge_spatial(e, pose, V, f);
    }
}

/// F -= T grad x.
static void push(const joint_spring_damper *e, const trm_pose *pose, const freedom *f, double T,
                 double *F)
{
    double force[3];
    if (e->freedom == TRM_FREEDOM_DISTANCE) {
        trm_push(pose, e->a, f->contact, scale(T, f->n, force), F);
        trm_push(pose, e->b, e->point[1], scale(-T, f->n, force), F);
        return;
    }
    const int width = pose->width, first = width == 3 ? 2 : 0;
    for (int k = first; k < 3; k++) {
        F[width * (e->a + 1) - 3 + k] -= T * f->grad_a[k];
        F[width * (e->b + 1) - 3 + k] -= T * f->grad_b[k];
    }
}

static int apply(const void *elements, int n, const trm_pose *pose, const double *V, double *F)
{
    const joint_spring_damper *e = elements;
    for (int i = 0; i < n; i++) {
        freedom f;
        measure(&e[i], pose, V, &f);
        const double T = e[i].k * (f.x - e[i].rest) + e[i].c * f.rate;
        if (!isfinite(T)) {
            return 1 + i;
        }
        push(&e[i], pose, &f, T, F);
    }
    return 0;
}

static double potential(const void *elements, int n, const trm_pose *pose)
{
    const joint_spring_damper *e = elements;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        freedom f;
        measure(&e[i], pose, NULL, &f);
        const double stretch = f.x - e[i].rest;
        sum += 0.5 * e[i].k * stretch * stretch;
    }
    return sum;
}

static double power(const void *elements, int n, const trm_pose *pose, const double *V)
{
    const joint_spring_damper *e = elements;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        freedom f;
        measure(&e[i], pose, V, &f);
        sum -= e[i].c * f.rate * f.rate;
    }
    return sum;
}

static const trm_key keys[] = {
    {.name = "joint",
     .type = TRM_KEY_JOINT,
     .offset = offsetof(trm_scene_force, joint),
     .required = 1,
     .doc = "A revolute joint (the angle of b relative to a) or a prismatic one (the displacement "
            "along its axis)."},
    {.name = "stiffness",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_scene_force, stiffness),
     .range = TRM_NOT_NEGATIVE,
     .unit = "N m/rad or N/m",
     .fallback = "0",
     .doc = "Torque per angle, or force per displacement."},
    {.name = "damping",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_scene_force, damping),
     .range = TRM_NOT_NEGATIVE,
     .unit = "N m s/rad or N s/m",
     .fallback = "0",
     .doc = "Torque per rate, or force per speed: viscous friction."},
    {.name = "rest",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_scene_force, rest),
     .given = offsetof(trm_scene_force, rest_given),
     .unit = "rad or m",
     .fallback = "0",
     .doc = "Where the spring is slack: an angle counted from the initial pose, or a displacement "
            "of b's point from a's."},
    {.name = NULL},
};

const trm_force_kind trm_force_joint_spring_damper = {
    .name = "joint_spring_damper",
    .doc = "A linear spring and damper about a revolute or along a prismatic joint; about a 3-D "
           "revolute joint the angle is counted within half a turn from the initial pose.",
    .keys = keys,
    .size = sizeof(joint_spring_damper),
    .compile = compile,
    .apply = apply,
    .potential = potential,
    .power = power,
};
