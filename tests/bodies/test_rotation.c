/// Rotations of poses against matrices in plain arithmetic.
#include "bodies/rotation.h"
#include "tests/near.h"

#include <math.h>
#include <string.h>

static unsigned long long seed = 7;

/// Uniform in -1 ... 1.
static double any(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

static void product(const double A[9], const double B[9], double out[9])
{
    for (int i = 0; i < 9; i++) {
        out[i] = 0;
        for (int k = 0; k < 3; k++) {
            out[i] += A[3 * (i / 3) + k] * B[3 * k + i % 3];
        }
    }
}

/// About x, y or z.
static void turn(int axis, double angle, double R[9])
{
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    memset(R, 0, 9 * sizeof *R);
    R[4 * axis] = 1;
    R[4 * i] = R[4 * j] = cos(angle);
    R[3 * j + i] = sin(angle);
    R[3 * i + j] = -sin(angle);
}

static void check_matrix(const double q[4], const double R[9])
{
    double of_q[9];
    trm_rotation_matrix(q, of_q);
    for (int i = 0; i < 9; i++) {
        assert_near(of_q[i], R[i], 1e-14);
    }
}

CLAIM(roll_comes_first_and_yaw_last)
{
    for (int n = 0; n < 100; n++) {
        const double rpy[3] = {4 * any(), 4 * any(), 4 * any()};
        double x[9], y[9], z[9], zy[9], R[9], q[4];
        turn(0, rpy[0], x);
        turn(1, rpy[1], y);
        turn(2, rpy[2], z);
        product(z, y, zy);
        product(zy, x, R);
        trm_quaternion_from_rpy(rpy, q);
        check_matrix(q, R);
        double distance, back[4];
        assert_int_equal(trm_quaternion_from_matrix(R, back, &distance), 1);
        assert_true(distance < 1e-14);
        check_matrix(back, R);
        for (int i = 0; i < 3; i++) {
            R[3 * i + n % 3] = -R[3 * i + n % 3]; // a reflection
        }
        assert_int_equal(trm_quaternion_from_matrix(R, back, &distance), 0);
    }
}

/// R^T R of a matrix stretched by sqrt(1 + e) is off by e; a tenth is the bound.
CLAIM(matrices_far_from_rotations_are_left_alone)
{
    double R[9], q[4] = {5, 5, 5, 5}, distance;
    for (int far = 0; far < 2; far++) {
        const double e = far ? 0.11 : 0.09;
        turn(2, 1, R);
        for (int i = 0; i < 9; i++) {
            R[i] *= sqrt(1 + e);
        }
        assert_int_equal(trm_quaternion_from_matrix(R, q, &distance), 1);
        assert_near(distance, e, 1e-14);
        assert_true((q[0] == 5) == far);
        q[0] = 5;
    }
}

CLAIM(vectors_get_the_length_one)
{
    double x[4] = {3e200, 0, -4e200, 0}, nothing[2] = {0, 0}, endless[2] = {1, INFINITY};
    assert_int_equal(trm_unit_vector(4, x), 1);
    assert_near(x[0], 0.6, 1e-15);
    assert_near(x[2], -0.8, 1e-15);
    double small[2] = {3e-3, 4e-3};
    assert_int_equal(trm_unit_vector(2, small), 1);
    assert_near(small[0], 0.6, 1e-15);
    assert_int_equal(trm_unit_vector(2, nothing), 0);
    assert_int_equal(trm_unit_vector(2, endless), 0);
}

/// k := permutation n of the axes. Returns its sign.
static int permutation(int n, int k[3])
{
    static const int all[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    memcpy(k, all[n], sizeof all[n]);
    return n < 3 ? 1 : -1;
}

/// Of the six products of a determinant one is not zero.
CLAIM(axes_may_change_places)
{
    for (int n = 0; n < 48; n++) {
        int k[3], sign = permutation(n / 8, k);
        double R[9] = {0}, q[4], distance;
        for (int i = 0; i < 3; i++) {
            const int negative = n >> i & 1;
            R[3 * i + k[i]] = negative ? -1 : 1;
            sign = negative ? -sign : sign;
        }
        assert_int_equal(trm_quaternion_from_matrix(R, q, &distance), sign > 0);
        assert_true(distance == 0);
        if (sign > 0) {
            check_matrix(q, R);
        }
    }
}

/// Vectors turned, and turned back, component by component.
CLAIM(vectors_turn_and_turn_back)
{
    for (int n = 0; n < 20; n++) {
        const double rpy[3] = {4 * any(), 4 * any(), 4 * any()}, v[3] = {any(), any(), any()};
        double q[4], R[9], out[3], back[3];
        trm_quaternion_from_rpy(rpy, q);
        trm_rotation_matrix(q, R);
        trm_rotate(R, v, out);
        trm_rotate_back(R, out, back);
        for (int i = 0; i < 3; i++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) {
                sum += R[3 * i + k] * v[k];
            }
            assert_near(out[i], sum, 1e-15);
            assert_near(back[i], v[i], 1e-14);
        }
    }
}

/// n, and the angle: R n = n, and the trace is 1 + 2 cos. What stands behind q stays.
CLAIM(turns_about_an_axis)
{
    for (int n = 0; n < 20; n++) {
        const double axis[4] = {3 * any(), 3 * any(), 3 * any(), 7}, angle = 3 * any();
        double q[5] = {0, 0, 0, 0, 9}, R[9], x[9];
        trm_quaternion_from_axis(axis, angle, q);
        assert_true(q[4] == 9);
        trm_rotation_matrix(q, R);
        for (int i = 0; i < 3; i++) {
            assert_near(R[3 * i] * axis[0] + R[3 * i + 1] * axis[1] + R[3 * i + 2] * axis[2],
                        axis[i], 1e-14);
        }
        assert_near(R[0] + R[4] + R[8], 1 + 2 * cos(angle), 1e-14);
        turn(n % 3, angle, x);
        const double unit[3] = {n % 3 == 0, n % 3 == 1, n % 3 == 2};
        trm_quaternion_from_axis(unit, angle, q);
        check_matrix(q, x);
    }
}

/// The axis of the smallest rotation from x to u is perpendicular to both; a small angle keeps its
/// digits, and so does what is missing to half a turn.
CLAIM(x_is_taken_where_it_is_wanted)
{
    for (int n = 0; n < 60; n++) {
        const double small = 2e-8 * pow(10, n % 10), around = 3 * any();
        const double a = n < 20 ? 3 * any() : n < 40 ? small : 3.14159265358979323846 - small;
        const double u[3] = {cos(a), sin(a) * cos(around), sin(a) * sin(around)};
        double q[5] = {0, 0, 0, 0, 9}, R[9];
        trm_quaternion_from_x_axis(u, q);
        assert_true(q[0] >= 0 && q[1] == 0 && q[4] == 9);
        trm_rotation_matrix(q, R);
        for (int i = 0; i < 3; i++) {
            assert_near(R[3 * i], u[i], 1e-15);
        }
    }
    const double back[3] = {-1, 0, 0};
    double q[4];
    trm_quaternion_from_x_axis(back, q);
    assert_true(q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 1);
}

static int of_axes(const double axis[3], int k)
{
    int least = 1;
    for (int i = 0; i < 3; i++) {
        least &= fabs(axis[k]) <= fabs(axis[i]);
    }
    return least;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
}

CLAIM(a_frame_stands_around_an_axis)
{
    for (int n = 0; n < 63; n++) {
        double axis[3] = {n == 60, n == 61, n == 62}, side[2][3], e[3] = {0, 0, 0}, third[3];
        for (int i = 0; i < 3 && n < 60; i++) {
            axis[i] = any();
        }
        assert_int_equal(trm_unit_vector(3, axis), 1);
        trm_frame_around(axis, side[0], side[1]);
        cross(side[0], side[1], third);
        for (int i = 0; i < 3; i++) {
            assert_near(third[i], axis[i], 1e-15);
        }
        for (int i = 0; i < 2; i++) {
            assert_near(dot(side[i], axis), 0, 1e-15);
            assert_near(dot(side[i], side[i]), 1, 1e-15);
        }
        const int k = of_axes(axis, 0) ? 0 : of_axes(axis, 1) ? 1 : 2;
        e[k] = 1;
        cross(axis, e, third);
        if (n < 60) { // else two are least
            assert_near(dot(third, side[0]), 0, 1e-15);
            assert_true(side[0][k] > 0);
        }
    }
}

/// A = sum of moment_k e_k e_k^T with axes known, near to each other and far apart.
CLAIM(eigenvalues_are_those_of_the_axes)
{
    static const double moment[][3] = {{1, 2, 2.5},      {1e-4, 1, 1},    {-3, 0, 1e-3},
                                       {1, 1 + 1e-9, 2}, {0.5, 0.5, 0.5}, {1e-12, 2e-12, 1}};
    for (int n = 0; n < 120; n++) {
        const double *m = moment[n % 6], rpy[3] = {4 * any(), 4 * any(), 4 * any()};
        const int aligned = n >= 108; // A is diagonal, or has equal entries there
        double q[4], R[9], A[9], out[3];
        const double none[3] = {0, 0, n % 2 ? 3.14159265358979323846 / 4 : 0};
        trm_quaternion_from_rpy(aligned ? none : rpy, q);
        trm_rotation_matrix(q, R);
        for (int i = 0; i < 9; i++) {
            A[i] = 0;
            for (int k = 0; k < 3; k++) {
                A[i] += m[(k + n / 6) % 3] * R[3 * (i / 3) + k] * R[3 * (i % 3) + k];
            }
        }
        trm_eigenvalues(A, out);
        for (int k = 0; k < 3; k++) {
            assert_near(out[k], m[k], 1e-14);
        }
    }
}
