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

static void roll_comes_first_and_yaw_last(void **state)
{
    (void)state;
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
static void matrices_far_from_rotations_are_left_alone(void **state)
{
    (void)state;
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

static void vectors_get_the_length_one(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roll_comes_first_and_yaw_last),
        cmocka_unit_test(matrices_far_from_rotations_are_left_alone),
        cmocka_unit_test(vectors_get_the_length_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
