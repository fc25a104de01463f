// Quaternions.
//
//     axis n, angle a:  q = (cos a/2, n sin a/2)
//     product:          (p q)_w = p_w q_w - p.q,   (p q)_v = p_w q_v + q_w p_v + p x q
//     matrix:           R = (w^2 - v.v) 1 + 2 v v^T + 2 w [v]x
#include "bodies/rotation.h"

#include <math.h>
#include <string.h>

int trm_unit_vector(int n, double *u)
{
    double largest = 0, sum = 0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(u[i]));
    }
    if (!(largest > 0) || !isfinite(largest)) {
        return 0;
    }
    for (int i = 0; i < n; i++) {
        u[i] /= largest; // so that squares neither overflow nor vanish
        sum += u[i] * u[i];
    }
    for (int i = 0; i < n; i++) {
        u[i] /= sqrt(sum);
    }
    return 1;
}

void trm_quaternion_from_axis(const double axis[3], double angle, double q[4])
{
    memcpy(q + 1, axis, 3 * sizeof *q);
    trm_unit_vector(3, q + 1);
    q[0] = cos(angle / 2);
    for (int i = 1; i < 4; i++) {
        q[i] *= sin(angle / 2);
    }
}

void trm_quaternion_product(const double p[4], const double q[4], double out[4])
{
    const double r[4] = {p[0] * q[0] - (p[1] * q[1] + p[2] * q[2] + p[3] * q[3]),
                         p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
                         p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
                         p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]};
    memcpy(out, r, sizeof r);
}

void trm_quaternion_from_rpy(const double rpy[3], double q[4])
{
    const double cr = cos(rpy[0] / 2), cp = cos(rpy[1] / 2), cy = cos(rpy[2] / 2);
    const double sr = sin(rpy[0] / 2), sp = sin(rpy[1] / 2), sy = sin(rpy[2] / 2);
    q[0] = cy * cp * cr + sy * sp * sr;
    q[1] = cy * cp * sr - sy * sp * cr;
    q[2] = cy * sp * cr + sy * cp * sr;
    q[3] = sy * cp * cr - cy * sp * sr;
    trm_unit_vector(4, q);
}

static double determinant(const double R[9])
{
    return R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) +
           R[2] * (R[3] * R[7] - R[4] * R[6]);
}

static double distance_from_orthogonal(const double R[9])
{
    double largest = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double product = R[i] * R[j] + R[3 + i] * R[3 + j] + R[6 + i] * R[6 + j];
            largest = fmax(largest, fabs(product - (i == j)));
        }
    }
    return largest;
}

/// R := (3 R - R R^T R)/2, Newton's iteration for the nearest orthogonal matrix.
static void orthogonalize(double R[9])
{
    for (int pass = 0; pass < 4; pass++) {
        double S[9], T[9]; // S = R^T R
        for (int i = 0; i < 9; i++) {
            S[i] = R[i / 3] * R[i % 3] + R[3 + i / 3] * R[3 + i % 3] + R[6 + i / 3] * R[6 + i % 3];
        }
        for (int i = 0; i < 9; i++) {
            const double *row = R + 3 * (i / 3);
            T[i] = 1.5 * R[i] -
                   0.5 * (row[0] * S[i % 3] + row[1] * S[3 + i % 3] + row[2] * S[6 + i % 3]);
        }
        memcpy(R, T, sizeof T);
    }
}

/// From the largest of the four components, so that no digits cancel.
static void largest_first(const double R[9], double q[4])
{
    const double trace = R[0] + R[4] + R[8];
    const double square[4] = {trace, 2 * R[0] - trace, 2 * R[4] - trace, 2 * R[8] - trace};
    int k = 0;
    for (int i = 1; i < 4; i++) {
        k = square[i] > square[k] ? i : k;
    }
    // 4 q_i q_k
    const double product[4][4] = {
        {1 + square[0], R[7] - R[5], R[2] - R[6], R[3] - R[1]},
        {R[7] - R[5], 1 + square[1], R[1] + R[3], R[2] + R[6]},
        {R[2] - R[6], R[1] + R[3], 1 + square[2], R[5] + R[7]},
        {R[3] - R[1], R[2] + R[6], R[5] + R[7], 1 + square[3]},
    };
    memcpy(q, product[k], 4 * sizeof *q);
    trm_unit_vector(4, q);
}

int trm_quaternion_from_matrix(const double R[9], double q[4], double *distance)
{
    double copy[9];
    memcpy(copy, R, sizeof copy);
    *distance = distance_from_orthogonal(R);
    if (!(*distance < 0.1)) {
        return 1;
    }
    if (determinant(R) < 0) {
        return 0;
    }
    orthogonalize(copy);
    largest_first(copy, q);
    return 1;
}

void trm_quaternion_from_x_axis(const double u[3], double q[4])
{
    // w^2 is proportional to 1 + u_x; near u = -x the other components give it more exactly
    const double across = u[1] * u[1] + u[2] * u[2];
    const double w = u[0] < 0 ? across / (1 - u[0]) : 1 + u[0];
    const double turn[4] = {w, 0, -u[2], u[1]};
    const double half_turn[4] = {0, 0, 0, 1};
    memcpy(q, w > 0 ? turn : half_turn, sizeof turn);
    trm_unit_vector(4, q);
}

void trm_rotation_matrix(const double q[4], double R[9])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double rows[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y),
    };
    memcpy(R, rows, sizeof rows);
}

void trm_rotate(const double R[9], const double v[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = R[3 * i] * v[0] + R[3 * i + 1] * v[1] + R[3 * i + 2] * v[2];
    }
}

void trm_rotate_back(const double R[9], const double v[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = R[i] * v[0] + R[3 + i] * v[1] + R[6 + i] * v[2];
    }
}

/// One Jacobi rotation that makes A[p][q] zero.
static void jacobi_rotation(double A[3][3], int p, int q)
{
    if (A[p][q] == 0) {
        return;
    }
    const double theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
    const double t = copysign(1, theta) / (fabs(theta) + hypot(theta, 1));
    const double c = 1 / hypot(t, 1), s = t * c;
    for (int k = 0; k < 3; k++) { // A := A J
        const double x = A[k][p], y = A[k][q];
        A[k][p] = c * x - s * y;
        A[k][q] = s * x + c * y;
    }
    for (int k = 0; k < 3; k++) { // A := J^T A
        const double x = A[p][k], y = A[q][k];
        A[p][k] = c * x - s * y;
        A[q][k] = s * x + c * y;
    }
}

void trm_eigenvalues(const double A[9], double out[3])
{
    double B[3][3];
    memcpy(B, A, sizeof B);
    for (int sweep = 0; sweep < 10; sweep++) { // converges quadratically; 5 are enough in practice
        jacobi_rotation(B, 0, 1);
        jacobi_rotation(B, 0, 2);
        jacobi_rotation(B, 1, 2);
    }
    const double low = fmin(B[0][0], fmin(B[1][1], B[2][2]));
    const double high = fmax(B[0][0], fmax(B[1][1], B[2][2]));
    out[0] = low;
    out[1] = fmax(fmin(B[0][0], B[1][1]), fmin(fmax(B[0][0], B[1][1]), B[2][2]));
    out[2] = high;
}

void trm_frame_around(const double axis[3], double side0[3], double side1[3])
{
    // the coordinate direction that is least along the axis
    int k = fabs(axis[0]) <= fabs(axis[1]) ? 0 : 1;
    k = fabs(axis[2]) < fabs(axis[k]) ? 2 : k;
    double e[3] = {0, 0, 0};
    e[k] = 1;
    double length = 0;
    for (int i = 0; i < 3; i++) {
        side0[i] = e[i] - axis[k] * axis[i];
        length += side0[i] * side0[i];
    }
    for (int i = 0; i < 3; i++) {
        side0[i] /= sqrt(length);
    }
    side1[0] = axis[1] * side0[2] - axis[2] * side0[1];
    side1[1] = axis[2] * side0[0] - axis[0] * side0[2];
    side1[2] = axis[0] * side0[1] - axis[1] * side0[0];
}
