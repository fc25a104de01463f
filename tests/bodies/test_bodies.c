// Kinematics and mass matrices of the bodies, against differences and against clouds of particles.

#include "bodies/bodies.h"
#include "bodies/sincos.h"
#include "tests/near.h"
#include "tests/random_bodies.h"

typedef void check_fn(world *w);

static void in_many_states(int dimension, check_fn *check)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        world w;
        make_world(&w, dimension, seed);
        check(&w);
    }
}

static void in_both_dimensions(check_fn *check)
{
    in_many_states(2, check);
    in_many_states(3, check);
}

// ----------------------------------------------------------------------------------- kinematics

static void check_rates(world *w)
{
    const double h = 1e-3;
    double q[5][COORDINATES], qdot[COORDINATES];
    for (int j = 0; j < 5; j++) {
        flow(w, five[j] * h, q[j]);
    }
    trm_bodies_rates(&w->bodies, w->q, w->v, qdot);
    for (int k = 0; k < w->bodies.nq; k++) {
        const double f[5] = {q[0][k], q[1][k], q[2][k], q[3][k], q[4][k]};
        assert_close(qdot[k], first_difference(f, h), 1e-11);
    }
}

CLAIM(rates_are_the_derivative_of_q_along_the_motion)
{
    in_both_dimensions(check_rates);
}

static void check_move(world *w)
{
    const double h = 1e-3;
    double q[5][COORDINATES], qdot[COORDINATES], dx[6 * BODIES];
    for (int j = 0; j < 5; j++) {
        memcpy(q[j], w->q, sizeof q[j]);
        for (int k = 0; k < w->bodies.nv; k++) {
            dx[k] = five[j] * h * w->v[k];
        }
        trm_bodies_move(&w->bodies, dx, q[j]);
    }
    trm_bodies_rates(&w->bodies, w->q, w->v, qdot);
    for (int k = 0; k < w->bodies.nq; k++) {
        const double f[5] = {q[0][k], q[1][k], q[2][k], q[3][k], q[4][k]};
        assert_close(qdot[k], first_difference(f, h), 1e-11);
    }
}

CLAIM(a_small_move_follows_the_rates)
{
    in_both_dimensions(check_move);
}

static double length_of(const double quat[4])
{
    return sqrt(quat[0] * quat[0] + dot(quat + 1, quat + 1));
}

static void check_unit_length(world *w)
{
    trm_bodies_move(&w->bodies, w->v, w->q);
    assert_near(length_of(&w->q[w->q0[0] + 3]), 1.0, 1e-15);
    assert_near(length_of(&w->q[w->q0[2] + 3]), 1.0, 1e-15);
}

CLAIM(a_large_move_keeps_quaternions_at_unit_length)
{
    in_many_states(3, check_unit_length);
}

static void check_tangent(world *w)
{
    double qdot[COORDINATES];
    const double *quat = &w->q[w->q0[2] + 3], *rate = &qdot[w->q0[2] + 3];
    for (int k = 0; k < 4; k++) {
        w->q[w->q0[2] + 3 + k] *= 1.7;
    }
    trm_bodies_rates(&w->bodies, w->q, w->v, qdot);
    assert_near(quat[0] * rate[0] + dot(quat + 1, rate + 1), 0.0, 1e-15);
}

CLAIM(rates_leave_the_length_of_a_quaternion_alone)
{
    in_many_states(3, check_tangent);
}

static void check_normalize(world *w)
{
    double before[COORDINATES];
    memcpy(before, w->q, sizeof before);
    for (int k = 0; k < 4; k++) {
        w->q[w->q0[0] + 3 + k] *= 1.01;
        w->q[w->q0[2] + 3 + k] *= 0.3;
    }
    trm_bodies_normalize(&w->bodies, w->q);
    for (int k = 0; k < w->bodies.nq; k++) {
        assert_near(w->q[k], before[k], 1e-15);
    }
}

CLAIM(normalize_changes_nothing_but_lengths)
{
    in_many_states(3, check_normalize);
}

static void check_orthogonal(world *w)
{
    double *quat = &w->q[w->q0[2] + 3], R[9], third[3];
    memcpy(R, &w->R[18], sizeof R);
    for (int k = 0; k < 4; k++) {
        quat[k] *= 3.0;
    }
    place(w);
    for (int k = 0; k < 9; k++) {
        assert_near(w->R[18 + k], R[k], 1e-15);
    }
    cross(R, R + 3, third);
    assert_near(dot(R, R), 1.0, 1e-15);
    assert_near(dot(R + 3, R + 3), 1.0, 1e-15);
    assert_near(dot(R, R + 3), 0.0, 1e-15);
    for (int k = 0; k < 3; k++) {
        assert_near(third[k], R[6 + k], 1e-15);
    }
}

CLAIM(a_rotation_matrix_is_orthogonal_whatever_the_length_of_the_quaternion)
{
    in_many_states(3, check_orthogonal);
}

static void check_turning(world *w)
{
    const double h = 1e-3;
    double R[5][9], expected[9];
    for (int body = 0; body < BODIES; body++) {
        for (int j = 0; j < 5; j++) {
            place_after(w, five[j] * h);
            memcpy(R[j], &w->R[9 * body], sizeof R[j]);
        }
        for (int row = 0; row < 3; row++) {
            // row of R [omega]x
            cross(&R[2][3 * row], &w->V[6 * body + 3], &expected[3 * row]);
        }
        for (int k = 0; k < 9; k++) {
            const double f[5] = {R[0][k], R[1][k], R[2][k], R[3][k], R[4][k]};
            assert_close(expected[k], first_difference(f, h), 1e-11);
        }
    }
}

CLAIM(omega_is_in_body_axes)
{
    in_many_states(3, check_turning);
}

CLAIM(a_quaternion_takes_body_axes_to_world_axes)
{
    world w;
    make_world(&w, 3, 1);
    // a quarter turn about z takes x to y
    const double quat[4] = {sqrt(0.5), 0.0, 0.0, sqrt(0.5)};
    memcpy(&w.q[w.q0[0] + 3], quat, sizeof quat);
    place(&w);
    static const double expected[9] = {0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0};
    for (int k = 0; k < 9; k++) {
        assert_near(w.R[k], expected[k], 1e-15);
    }
}

static void check_pose(world *w)
{
    for (int i = 0; i < BODIES; i++) {
        const double *q = &w->q[w->q0[i]];
        if (w->bodies.dimension == 3) {
            assert_memory_equal(&w->p[3 * i], q, 3 * sizeof *q);
            continue;
        }
        assert_true(w->x[i] == q[0] && w->y[i] == q[1]);
        assert_true(w->angle[i] == (w->point[i] ? 0.0 : q[2]));
        assert_near(w->c[i], cos(w->angle[i]), 1e-15);
        assert_near(w->s[i], sin(w->angle[i]), 1e-15);
    }
    assert_true(w->pose.t == w->t);
}

CLAIM(a_pose_says_where_the_bodies_are)
{
    in_both_dimensions(check_pose);
}

CLAIM(ground_and_points_do_not_turn)
{
    static const double identity[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    world w;
    make_world(&w, 2, 1);
    assert_true(w.x[GROUND] == 0.0 && w.y[GROUND] == 0.0);
    assert_true(w.c[GROUND] == 1.0 && w.s[GROUND] == 0.0 && w.angle[GROUND] == 0.0);
    assert_true(w.c[1] == 1.0 && w.s[1] == 0.0);
    make_world(&w, 3, 1);
    assert_true(w.p[9] == 0.0 && w.p[10] == 0.0 && w.p[11] == 0.0);
    assert_memory_equal(&w.R[9 * GROUND], identity, sizeof identity);
    assert_memory_equal(&w.R[9 * 1], identity, sizeof identity);
}

// ---------------------------------------------------------------------------------------- slots

static void check_slots(world *w)
{
    const int width = w->bodies.width;
    double V[SLOTS], v[6 * BODIES];
    for (int k = 0; k < SLOTS; k++) {
        V[k] = NAN;
    }
    trm_bodies_gather(&w->bodies, w->v, V);
    for (int k = 0; k < width; k++) {
        assert_true(V[width * GROUND + k] == 0.0);
        assert_true(V[k] == w->v[k]);
        assert_true(V[width + k] == (k < w->bodies.dimension ? w->v[w->v0[1] + k] : 0.0));
    }
    trm_bodies_scatter(&w->bodies, V, v);
    assert_memory_equal(v, w->v, (size_t)w->bodies.nv * sizeof *v);
}

CLAIM(slots_hold_every_velocity_and_zeros_for_ground_and_points)
{
    in_both_dimensions(check_slots);
}

static void check_inverse(world *w)
{
    double x[SLOTS];
    memcpy(x, w->v, (size_t)w->bodies.nv * sizeof *x);
    trm_bodies_multiply(&w->bodies, x);
    assert_near(x[0], w->mass[0] * w->v[0], 1e-15);
    trm_bodies_solve(&w->bodies, x);
    for (int k = 0; k < w->bodies.nv; k++) {
        assert_near(x[k], w->v[k], 1e-14);
    }
}

CLAIM(solving_undoes_multiplying)
{
    in_both_dimensions(check_inverse);
}

/// M^-1 F of the bodies one by one, F in slots; a point's rotation takes no moment.
static void divide(const world *w, const double *F, double *v)
{
    const int dimension = w->bodies.dimension, width = w->bodies.width;
    for (int i = 0; i < BODIES; i++) {
        const double *force = F + width * i, *moment = force + dimension;
        const double *inverse = w->inverse_inertia + (dimension == 2 ? i : 9 * i);
        const int turns = w->point[i] ? 0 : width - dimension;
        for (int k = 0; k < dimension; k++) {
            v[w->v0[i] + k] = force[k] / w->mass[i];
        }
        for (int k = 0; k < turns; k++) {
            double sum = 0;
            for (int j = 0; j < turns; j++) {
                sum += inverse[turns * k + j] * moment[j];
            }
            v[w->v0[i] + dimension + k] = sum;
        }
    }
}

static void check_solved(world *w)
{
    double F[SLOTS], expected[SLOTS], v[SLOTS], rest[SLOTS], room[SLOTS];
    random_vector(&w->seed, F, SLOTS);
    random_vector(&w->seed, rest, SLOTS);
    divide(w, F, expected);
    memcpy(v, rest, sizeof v);
    trm_bodies_subtract_solved(&w->bodies, F, room, v);
    for (int k = 0; k < w->bodies.nv; k++) {
        assert_near(v[k], rest[k] - expected[k], 1e-14);
    }
    trm_bodies_scatter_solved(&w->bodies, F, v);
    for (int k = 0; k < w->bodies.nv; k++) {
        assert_near(v[k], expected[k], 1e-14);
    }
}

CLAIM(forces_in_slots_become_accelerations)
{
    in_both_dimensions(check_solved);
}

static void check_kinetic(world *w)
{
    double MV[SLOTS], sum = 0.0;
    memcpy(MV, w->v, (size_t)w->bodies.nv * sizeof *MV);
    trm_bodies_multiply(&w->bodies, MV);
    for (int k = 0; k < w->bodies.nv; k++) {
        sum += 0.5 * w->v[k] * MV[k];
    }
    assert_close(trm_bodies_kinetic(&w->bodies, w->V), sum, 1e-14);
}

CLAIM(kinetic_energy_is_half_v_M_v)
{
    in_both_dimensions(check_kinetic);
}

// ------------------------------------------------------------------------------------ particles

enum { PARTICLES = 6 };

/// Body 0 becomes a cloud of particles at `at` (body frame, centred) of mass m each.
static void make_cloud(world *w, double at[PARTICLES][3], double m)
{
    double centre[3] = {0.0, 0.0, 0.0}, *J = w->inertia;
    for (int i = 0; i < PARTICLES; i++) {
        set3(at[i], 0.0, 0.0, 0.0);
        random_vector(&w->seed, at[i], w->bodies.dimension);
        add(centre, at[i], centre);
    }
    w->mass[0] = PARTICLES * m;
    memset(J, 0, (w->bodies.dimension == 2 ? 1 : 9) * sizeof *J);
    for (int i = 0; i < PARTICLES; i++) {
        for (int k = 0; k < 3; k++) {
            at[i][k] -= centre[k] / PARTICLES;
        }
        const double r2 = dot(at[i], at[i]);
        if (w->bodies.dimension == 2) {
            J[0] += m * r2;
            continue;
        }
        for (int k = 0; k < 9; k++) {
            J[k] += m * ((k % 4 == 0 ? r2 : 0.0) - at[i][k / 3] * at[i][k % 3]);
        }
    }
}

static void particle(const world *w, const double *at, double dt, double x[3])
{
    double q[COORDINATES], quat[4], p[4] = {0.0, at[0], at[1], at[2]}, turned[4], back[4];
    flow(w, dt, q);
    if (w->bodies.dimension == 2) {
        set3(x, q[0] + cos(q[2]) * at[0] - sin(q[2]) * at[1],
             q[1] + sin(q[2]) * at[0] + cos(q[2]) * at[1], 0.0);
        return;
    }
    memcpy(quat, q + 3, sizeof quat);
    quaternion_product(quat, p, turned);
    scale(-1.0, quat + 1, quat + 1);
    quaternion_product(turned, quat, back);
    add(q, back + 1, x);
}

static void check_cloud(world *w)
{
    const double m = 0.3, h = 1e-3;
    double at[PARTICLES][3], x[5][3], expected = 0.0, one[SLOTS] = {0.0};
    make_cloud(w, at, m);
    for (int i = 0; i < PARTICLES; i++) {
        for (int j = 0; j < 5; j++) {
            particle(w, at[i], five[j] * h, x[j]);
        }
        for (int k = 0; k < 3; k++) {
            const double f[5] = {x[0][k], x[1][k], x[2][k], x[3][k], x[4][k]};
            const double u = first_difference(f, h);
            expected += 0.5 * m * u * u;
        }
    }
    memcpy(one, w->V, (size_t)w->bodies.width * sizeof *one);
    assert_close(trm_bodies_kinetic(&w->bodies, one), expected, 1e-11);
}

CLAIM(kinetic_energy_of_a_body_is_that_of_its_particles)
{
    in_both_dimensions(check_cloud);
}

/// World angular momentum R J omega of body 2 after dt with omega + dt omega'.
static void momentum(const world *w, const double *acceleration, double dt, double L[3])
{
    double omega[3], turn[3], step[4], quat[4], local[4] = {0.0}, back[4], turned[4];
    const double *w0 = &w->V[15];
    scale(dt, acceleration, omega);
    add(omega, w0, omega);
    add(scale(dt, w0, turn), scale(0.5 * dt * dt, acceleration, L), turn);
    quaternion_exponential(turn, step);
    quaternion_product(&w->q[w->q0[2] + 3], step, quat);
    rotate(&w->inertia[18], omega, local + 1);
    quaternion_product(quat, local, turned);
    scale(-1.0, quat + 1, quat + 1);
    quaternion_product(turned, quat, back);
    set3(L, back[1], back[2], back[3]);
}

static void check_gyroscopic(world *w)
{
    const double h = 1e-4;
    double F[SLOTS] = {0.0}, before[3], after[3];
    trm_bodies_gyroscopic(&w->bodies, w->V, F);
    for (int k = 0; k < 12; k++) {
        assert_true(F[k] == 0.0 || (k >= 3 && k < 6)); // no force, and nothing on the point
    }
    assert_near(dot(&F[15], &w->V[15]), 0.0, 1e-15);
    assert_true(dot(&F[15], &F[15]) > 1e-6);
    double a[SLOTS];
    trm_bodies_scatter(&w->bodies, F, a);
    trm_bodies_solve(&w->bodies, a);
    trm_bodies_gather(&w->bodies, a, F);
    momentum(w, &F[15], -h, before);
    momentum(w, &F[15], h, after);
    for (int k = 0; k < 3; k++) {
        assert_near((after[k] - before[k]) / (2.0 * h), 0.0, 1e-6);
    }
}

CLAIM(a_free_body_keeps_its_angular_momentum)
{
    in_many_states(3, check_gyroscopic);
}

CLAIM(nothing_is_gyroscopic_in_the_plane)
{
    world w;
    double F[SLOTS] = {0.0};
    make_world(&w, 2, 1);
    trm_bodies_gyroscopic(&w.bodies, w.V, F);
    for (int k = 0; k < SLOTS; k++) {
        assert_true(F[k] == 0.0);
    }
}

CLAIM(sines_and_cosines_are_those_of_the_library)
{
    double x[1001], sines[1001], cosines[1001];
    for (int k = 0; k < 6; k++) {
        const double range = pow(10.0, k);
        for (int i = 0; i < 1001; i++) {
            x[i] = range * ((i - 500) / 500.0 + 1e-3 * k);
        }
        x[0] = 3e7; // beyond the range of the polynomials
        x[1] = -0.0;
        trm_sincos(1001, x, sines, cosines);
        for (int i = 0; i < 1001; i++) {
            assert_near(sines[i], sin(x[i]), 2.5e-16);
            assert_near(cosines[i], cos(x[i]), 2.5e-16);
        }
    }
    x[0] = 3e7; // by itself
    trm_sincos(1, x, sines, cosines);
    assert_near(sines[0], sin(3e7), 2.5e-16);
    assert_near(cosines[0], cos(3e7), 2.5e-16);
    x[0] = NAN;
    trm_sincos(1, x, sines, cosines);
    assert_true(isnan(sines[0]) && isnan(cosines[0]));
}
