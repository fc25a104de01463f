/// A box of sides a, b, c has J_x = m (b^2 + c^2)/12 and so on; hence a^2 = 6 (J_y + J_z - J_x)/m
/// in the principal axes, which Jacobi rotations find: Golub & Van Loan, Matrix Computations, 8.5.
#include "tools/page/page_scene.h"

#include <math.h>
#include <string.h>

/// A := R^T A R, V := V R, R the rotation in the plane (p, q) that makes A[p][q] vanish.
static void rotate(double A[3][3], double V[3][3], int p, int q)
{
    if (A[p][q] == 0) {
        return;
    }
    const double tau = (A[q][q] - A[p][p]) / (2 * A[p][q]);
    const double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau));
    const double c = 1 / sqrt(1 + t * t), s = t * c;
    for (int k = 0; k < 3; k++) {
        const double akp = A[k][p], akq = A[k][q];
        A[k][p] = c * akp - s * akq;
        A[k][q] = s * akp + c * akq;
    }
    for (int k = 0; k < 3; k++) {
        const double apk = A[p][k], aqk = A[q][k], vkp = V[k][p], vkq = V[k][q];
        A[p][k] = c * apk - s * aqk;
        A[q][k] = s * apk + c * aqk;
        V[k][p] = c * vkp - s * vkq;
        V[k][q] = s * vkp + c * vkq;
    }
}

/// A proper rotation matrix -> unit quaternion wxyz, by the largest of its four components.
static void quaternion(double R[3][3], double out[4])
{
    const double trace = R[0][0] + R[1][1] + R[2][2];
    double four[4] = {trace, R[0][0], R[1][1], R[2][2]};
    int best = 0;
    for (int i = 1; i < 4; i++) {
        best = four[i] > four[best] ? i : best;
    }
    if (best == 0) {
        out[0] = 1 + trace;
        out[1] = R[2][1] - R[1][2];
        out[2] = R[0][2] - R[2][0];
        out[3] = R[1][0] - R[0][1];
    } else {
        const int i = best - 1, j = (i + 1) % 3, k = (i + 2) % 3;
        out[0] = R[k][j] - R[j][k];
        out[1 + i] = 1 + R[i][i] - R[j][j] - R[k][k];
        out[1 + j] = R[i][j] + R[j][i];
        out[1 + k] = R[i][k] + R[k][i];
    }
    const double norm = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]);
    for (int i = 0; i < 4; i++) {
        out[i] /= norm;
    }
}

int trm_page_inertia_box(double mass, const double inertia[9], double size[3], double turn[4])
{
    enum { SWEEPS = 12 }; // quadratic convergence: six do
    double A[3][3], V[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memcpy(A, inertia, sizeof A);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        rotate(A, V, 0, 1);
        rotate(A, V, 0, 2);
        rotate(A, V, 1, 2);
    }
    const double sum = A[0][0] + A[1][1] + A[2][2];
    for (int i = 0; i < 3; i++) {
        const double square = 6 * (sum - 2 * A[i][i]) / mass;
        if (!(square >= -1e-9 * sum / mass) || !isfinite(square)) {
            return 0;
        }
        size[i] = sqrt(fmax(square, 0));
    }
    const double det = V[0][0] * (V[1][1] * V[2][2] - V[1][2] * V[2][1]) -
                       V[0][1] * (V[1][0] * V[2][2] - V[1][2] * V[2][0]) +
                       V[0][2] * (V[1][0] * V[2][1] - V[1][1] * V[2][0]);
    for (int i = 0; i < 3 && det < 0; i++) {
        V[i][2] = -V[i][2];
    }
    quaternion(V, turn);
    return sum > 0;
}
