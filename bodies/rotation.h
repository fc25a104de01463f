/// Unit quaternions (w, x, y, z), body to world, for reading poses; angles that count turns.
#pragma once

#include "base/pi.h"

#include <math.h>

/// rad: the angle equal to x up to whole turns that is nearest to `near`.
static inline double trm_angle_near(double x, double near)
{
    return x + 2 * TRM_PI * nearbyint((near - x) / (2 * TRM_PI));
}

/// Divide by the length. Returns 0 when it is zero or not finite.
int trm_unit_vector(int n, double *u);

void trm_quaternion_from_axis(const double axis[3], double angle, double q[4]);
/// R = Rz(yaw) Ry(pitch) Rx(roll).
void trm_quaternion_from_rpy(const double rpy[3], double q[4]);
/// Of the rotation nearest to R in the Frobenius norm; *distance is the largest |R^T R - 1|_ij and
/// R is a reflection when the return value is 0.
int trm_quaternion_from_matrix(const double R[9], double q[4], double *distance);
/// The smallest rotation that takes x to the unit vector u; half a turn about z for u = -x.
void trm_quaternion_from_x_axis(const double u[3], double q[4]);

/// out = p q; out may be one of them.
void trm_quaternion_product(const double p[4], const double q[4], double out[4]);
/// out = 1/2 quat * (0, omega)
static inline void trm_quaternion_rate(const double *quat, const double *omega, double *out)
{
    const double w = quat[0], x = quat[1], y = quat[2], z = quat[3];
    out[0] = 0.5 * (-x * omega[0] - y * omega[1] - z * omega[2]);
    out[1] = 0.5 * (w * omega[0] + y * omega[2] - z * omega[1]);
    out[2] = 0.5 * (w * omega[1] + z * omega[0] - x * omega[2]);
    out[3] = 0.5 * (w * omega[2] + x * omega[1] - y * omega[0]);
}

void trm_rotation_matrix(const double q[4], double R[9]);
/// R v and R^T v; out may not be v.
void trm_rotate(const double R[9], const double v[3], double out[3]);
void trm_rotate_back(const double R[9], const double v[3], double out[3]);

/// Unit vectors that make (side0, side1, axis) a right-handed frame, axis of unit length; side0
/// lies in the plane of the axis and of the coordinate direction that is least along it.
void trm_frame_around(const double axis[3], double side0[3], double side1[3]);

/// Eigenvalues of a symmetric matrix, ascending.
void trm_eigenvalues(const double A[9], double out[3]);
