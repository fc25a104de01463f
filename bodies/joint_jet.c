// Derivatives of the freedom of a joint, for formulas that name it.
//
// A direction u fixed in a body turns, with omega constant, as u' = omega x u and
// u'' = omega x (omega x u). With n, A, P fixed in a and W in b:
//
//   slider   x = n . d,  d = r_b - r_a:   x'' = n''. d + 2 n'. d' + n . d''
//   hinge    x = atan2(s, c),  c = A . W,  s = P . W:
//         x' = (c s' - s c')/r,   x'' = (c s'' - s c'')/r - 2 x' (c c' + s s')/r,   r = c^2 + s^2
//   twist    the same with c = A . W + P . Q,  s = P . W - A . Q
//   swing    cos x = c = n . m:   x' = -c'/sin x,   x'' = -(c'' + c x'^2)/sin x

#include <math.h>
#include <string.h>

#include "bodies/joint_freedom.h"
#include "bodies/point.h"
#include "bodies/vector.h"

/// out: a body-fixed direction in the world, and its first two derivatives.
static void turning(const trm_pose *pose, int body, const double *V, const double *local,
                    double out[3][3])
{
    if (pose->width == 3) {
        const double rate = V[3 * body + 2];
        trm_to_world(pose, body, local, out[0]);
        set3(out[1], -rate * out[0][1], rate * out[0][0], 0.0);
        scale(-rate * rate, out[0], out[2]);
        return;
    }
    const double *omega = &V[6 * body + 3], *R = &pose->R[9 * body];
    double first[3], second[3];
    cross(omega, local, first);
    cross(omega, first, second);
    rotate(R, local, out[0]);
    rotate(R, first, out[1]);
    rotate(R, second, out[2]);
}

/// The same of a body-fixed point.
static void moving(const trm_pose *pose, int body, const double *V, const double *local,
                   double out[3][3])
{
    turning(pose, body, V, local, out);
    trm_point(pose, body, local, V, out[0], out[1]);
}

static void slider_jet(const trm_joint_axis *e, const trm_pose *pose, const double *V,
                       double out[3])
{
    double n[3][3], ra[3][3], d[3][3];
    turning(pose, e->a, V, e->axis, n);
    moving(pose, e->a, V, e->point[0], ra);
    moving(pose, e->b, V, e->point[1], d);
    for (int k = 0; k < 3; k++) {
        subtract(d[k], ra[k], d[k]);
    }
    dot_jet(n, d, out);
}

void trm_joint_direction(const trm_joint_axis *e, const trm_pose *pose, const double *V,
                         double c[3], double s[3])
{
    double A[3][3], P[3][3], W[3][3];
    turning(pose, e->a, V, e->sa, A);
    turning(pose, e->a, V, e->pa, P);
    turning(pose, e->b, V, e->sb, W);
    dot_jet(A, W, c);
    dot_jet(P, W, s);
    if (e->freedom == TRM_FREEDOM_TWIST) {
        double Q[3][3], more[3], less[3];
        turning(pose, e->b, V, e->pb, Q);
        dot_jet(P, Q, more);
        dot_jet(A, Q, less);
        add(c, more, c);
        subtract(s, less, s);
    }
}

static void hinge_jet(const trm_joint_axis *e, const trm_pose *pose, const double *V, double out[3])
{
    double c[3], s[3];
    trm_joint_direction(e, pose, V, c, s);
    const double r = c[0] * c[0] + s[0] * s[0];
    out[1] = (c[0] * s[1] - s[0] * c[1]) / r;
    out[2] = (c[0] * s[2] - s[0] * c[2] - 2.0 * out[1] * (c[0] * c[1] + s[0] * s[1])) / r;
}

/// out[0] is x.
static void swing_jet(const trm_joint_axis *e, const trm_pose *pose, const double *V, double out[3])
{
    double n[3][3], m[3][3], c[3];
    const double s = sin(out[0]);
    turning(pose, e->a, V, e->axis, n);
    turning(pose, e->b, V, e->sb, m);
    dot_jet(n, m, c);
    out[1] = s > 0.0 ? -c[1] / s : 0.0;
    out[2] = s > 0.0 ? -(c[2] + c[0] * out[1] * out[1]) / s : 0.0;
}

void trm_joint_jet(const trm_joint_axis *joint, const trm_pose *pose, const double *V,
                   double out[3])
{
    if (joint->freedom == TRM_FREEDOM_DISTANCE) {
        slider_jet(joint, pose, V, out);
        return;
    }
    trm_joint_motion motion;
    trm_joint_measure(joint, pose, V, &motion);
    out[0] = motion.x;
    out[1] = motion.rate;
    out[2] = 0.0;
    if (pose->width == 6) {
        (joint->freedom == TRM_FREEDOM_SWING ? swing_jet : hinge_jet)(joint, pose, V, out);
    }
}

void trm_joint_gradient(const trm_joint_axis *joint, const trm_pose *pose,
                        const trm_joint_motion *motion, double *a, double *b)
{
    const int width = pose->width;
    memset(a, 0, (size_t)width * sizeof *a);
    memset(b, 0, (size_t)width * sizeof *b);
    if (joint->freedom == TRM_FREEDOM_DISTANCE) {
        double back[3];
        trm_force_at(pose, joint->a, motion->contact, scale(-1.0, motion->n, back), a);
        trm_force_at(pose, joint->b, joint->point[1], motion->n, b);
        return;
    }
    memcpy(a + width - 3, motion->grad_a, sizeof motion->grad_a);
    memcpy(b + width - 3, motion->grad_b, sizeof motion->grad_b);
}
