#include "bodies/joint_freedom.h"

#include <float.h>
#include <math.h>

#include "bodies/point.h"
#include "bodies/rotation.h"
#include "bodies/vector.h"

static int is_in_tree(const trm_joint_axis *joint, const trm_pose *pose)
{
    return pose->tree && joint->alone[0] > 0;
}

/// x = n . (r_b - r_a). Seen from a, b's point is where the force acts.
static void slider(const trm_joint_axis *e, const trm_pose *pose, const double *V,
                   trm_joint_motion *f)
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

static void hinge_planar(const trm_joint_axis *e, const trm_pose *pose, const double *V,
                         trm_joint_motion *f)
{
    f->x = pose->angle[e->b] - pose->angle[e->a] - e->zero;
    f->rate = V ? V[3 * e->b + 2] - V[3 * e->a + 2] : 0.0;
    set3(f->grad_a, 0.0, 0.0, -1.0);
    set3(f->grad_b, 0.0, 0.0, 1.0);
}

/// The angle equal to x up to whole turns that is nearest to where the hinge is expected at t.
static double count_turns(double x, const trm_turn *was, double t)
{
    return trm_angle_near(x, was->x + was->rate * (t - was->t) + was->more);
}

/// A direction of b in the frame of a.
static void seen_from_a(const trm_joint_axis *e, const trm_pose *pose, const double *local,
                        double out[3])
{
    double world[3];
    trm_to_body(pose, e->a, trm_to_world(pose, e->b, local, world), out);
}

static void to_b(const trm_joint_axis *e, const trm_pose *pose, const double *of_a, double out[3])
{
    double world[3];
    trm_to_body(pose, e->b, trm_to_world(pose, e->a, of_a, world), out);
}

/// dx = h . dw with h = (c pa - s sa)/(s^2 + c^2), so dx/d omega_a = h x w and
/// dx/d omega_b = sb x R_b^T R_a h. A twist has k . dq beside, k = -(c sa + s pa)/(s^2 + c^2).
static void hinge_spatial(const trm_joint_axis *e, const trm_pose *pose, const double *V,
                          trm_joint_motion *f)
{
    double w[3], q[3], h[3], h_b[3], k[3], more[3];
    const int twists = e->freedom == TRM_FREEDOM_TWIST;
    seen_from_a(e, pose, e->sb, w);
    double c = dot(w, e->sa), s = dot(w, e->pa);
    if (twists) {
        seen_from_a(e, pose, e->pb, q);
        c += dot(q, e->pa);
        s -= dot(q, e->sa);
    }
    const double rho = s * s + c * c;
    for (int i = 0; i < 3; i++) {
        h[i] = (c * e->pa[i] - s * e->sa[i]) / rho;
        k[i] = -(c * e->sa[i] + s * e->pa[i]) / rho;
    }
    f->s = s, f->c = c;
    to_b(e, pose, h, h_b);
    cross(h, w, f->grad_a);
    cross(e->sb, h_b, f->grad_b);
    if (twists) {
        add(f->grad_a, cross(k, q, more), f->grad_a);
        to_b(e, pose, k, h_b);
        add(f->grad_b, cross(e->pb, h_b, more), f->grad_b);
    }
    f->rate = V ? dot(f->grad_a, &V[6 * e->a + 3]) + dot(f->grad_b, &V[6 * e->b + 3]) : 0.0;
}

/// w := the angular velocity of b beside a, in the world. Returns its length.
static double turning(const trm_joint_axis *e, const trm_pose *pose, const double *V, double w[3])
{
    double w_a[3];
    subtract(trm_to_world(pose, e->b, &V[6 * e->b + 3], w),
             trm_to_world(pose, e->a, &V[6 * e->a + 3], w_a), w);
    return sqrt(dot(w, w));
}

/// The rate at which both axes part, where they are one.
static double parting_rate(const trm_joint_axis *e, const trm_pose *pose, const double *V)
{
    double n[3], w[3], across[3];
    trm_to_world(pose, e->a, e->axis, n);
    (void)turning(e, pose, V, w);
    cross(n, w, across);
    return sqrt(dot(across, across));
}

/// dx/d omega_b = (axis_a x m)/|axis_a x m| in the frame of a, dx/d omega_a its opposite.
static void swing(const trm_joint_axis *e, const trm_pose *pose, const double *V,
                  trm_joint_motion *f)
{
    double m[3], across[3];
    seen_from_a(e, pose, e->sb, m);
    cross(e->axis, m, across);
    const double s = sqrt(dot(across, across));
    f->s = s, f->c = dot(e->axis, m);
    scale(s > 0.0 ? 1.0 / s : 0.0, across, across);
    to_b(e, pose, across, f->grad_b);
    scale(-1.0, across, f->grad_a);
    const int one = s < 4.0 * DBL_EPSILON && f->c > 0.0; // by rounding
    f->rate = !V    ? 0.0
              : one ? parting_rate(e, pose, V)
                    : dot(f->grad_a, &V[6 * e->a + 3]) + dot(f->grad_b, &V[6 * e->b + 3]);
}

/// All but x, which costs as much again at a spatial hinge.
static void measure_rate(const trm_joint_axis *joint, const trm_pose *pose, const double *V,
                         trm_joint_motion *out)
{
    if (is_in_tree(joint, pose)) {
        out->x = pose->tree->q[joint->alone[1]];
        out->rate = V ? pose->tree->u[joint->alone[0] - 1] : 0.0;
    } else if (joint->freedom == TRM_FREEDOM_DISTANCE) {
        slider(joint, pose, V, out);
    } else if (pose->width == 3) {
        hinge_planar(joint, pose, V, out);
    } else if (joint->freedom == TRM_FREEDOM_SWING) {
        swing(joint, pose, V, out);
    } else {
        hinge_spatial(joint, pose, V, out);
    }
}

double trm_joint_coordinate(const trm_joint_axis *joint, const trm_pose *pose,
                            const trm_joint_motion *motion)
{
    if (joint->freedom == TRM_FREEDOM_DISTANCE || pose->width == 3 || is_in_tree(joint, pose)) {
        return motion->x;
    }
    const double x = atan2(motion->s, motion->c);
    const int turns = pose->turn && joint->freedom != TRM_FREEDOM_SWING;
    return turns ? count_turns(x, &pose->turn[joint->turn], pose->t) : x;
}

void trm_joint_measure(const trm_joint_axis *joint, const trm_pose *pose, const double *V,
                       trm_joint_motion *out)
{
    measure_rate(joint, pose, V, out);
    out->x = trm_joint_coordinate(joint, pose, out);
}

void trm_joints_wind(const trm_joint_axis *joints, int n, const double *V, trm_pose *pose)
{
    for (int j = 0; j < n; j++) {
        if (joints[j].turn >= 0) {
            trm_joint_motion now;
            double w[3];
            trm_joint_measure(&joints[j], pose, V, &now);
            // near its pole an angle of a ball changes ever faster, and not for long
            const int has_pole = V && !is_in_tree(&joints[j], pose);
            const double most = has_pole ? turning(&joints[j], pose, V, w) : fabs(now.rate);
            now.rate = isnan(now.rate) ? 0 : copysign(fmin(fabs(now.rate), most), now.rate);
            pose->turn[joints[j].turn] = (trm_turn){now.x, now.rate, pose->t, .known = 1.0};
        }
    }
}

void trm_joint_drive(const trm_joint_axis *joint, const trm_pose *pose,
                     const trm_joint_motion *motion, double T, double *F)
{
    double force[3];
    if (is_in_tree(joint, pose)) {
        pose->tree->f[joint->alone[0] - 1] += T;
        return;
    }
    if (joint->freedom == TRM_FREEDOM_DISTANCE) {
        trm_push(pose, joint->a, motion->contact, scale(-T, motion->n, force), F);
        trm_push(pose, joint->b, joint->point[1], scale(T, motion->n, force), F);
        return;
    }
    for (int k = 0; k < 3; k++) {
        F[pose->width * (joint->a + 1) - 3 + k] += T * motion->grad_a[k];
        F[pose->width * (joint->b + 1) - 3 + k] += T * motion->grad_b[k];
    }
}

int trm_joint_apply(trm_joint_law *law, size_t size, const void *elements, int n,
                    const trm_pose *pose, const double *V, double *F)
{
    const char *element = elements;
    for (int i = 0; i < n; i++, element += size) {
        const trm_joint_axis *joint = (const void *)element;
        trm_joint_motion motion;
        measure_rate(joint, pose, V, &motion);
        const double T = law(element, pose, V, &motion);
        if (!isfinite(T)) {
            return 1 + i;
        }
        trm_joint_drive(joint, pose, &motion, T, F);
    }
    return 0;
}

double trm_joint_power(trm_joint_law *law, size_t size, const void *elements, int n,
                       const trm_pose *pose, const double *V)
{
    const char *element = elements;
    double sum = 0.0;
    for (int i = 0; i < n; i++, element += size) {
        trm_joint_motion motion;
        measure_rate((const void *)element, pose, V, &motion);
        sum += law(element, pose, V, &motion) * motion.rate;
    }
    return sum;
}

double trm_joint_effort(trm_joint_law *law, const void *element, const trm_pose *pose,
                        const double *V)
{
    trm_joint_motion motion;
    measure_rate(element, pose, V, &motion);
    return law(element, pose, V, &motion);
}
