#include "simulation/studies/variation.h"
#include "base/quad.h"
#include "bodies/rotation.h"
#include "bodies/vector.h"

#include <math.h>
#include <string.h>

enum { QUAD = 4 };

int trm_variation_is_known(const trm_model *model)
{
    return !model->from_equations || (!model->equations.N && model->sizes.nq == model->sizes.nv);
}

/// Whether body b turns in space: its rotation is a quaternion.
static const trm_body_info *turning(const trm_variation *x, int b)
{
    const trm_body_info *const body = &x->model->body_info[b];
    return body->nv == 6 ? body : NULL;
}

static int bodies_in_space(const trm_variation *x)
{
    const trm_model *const model = x->model;
    return x->reduced || model->from_equations || model->bodies.dimension == 2 ? 0
                                                                               : model->sizes.nbody;
}

/// The world's components of what is in axes of the body: of its angular velocity or its rate.
static void to_world(const trm_body_info *body, const double R[9], const double *local, double *out)
{
    trm_rotate(R, local + body->v0 + 3, out + body->v0 + 3);
}

void trm_variation_look(trm_variation *x, const trm_run *run)
{
    const double *const z = run->now.z, *const dz = run->now.dz;
    x->z = x->room;
    if (x->reduced) {
        trm_system_select(run->system, dz, dz + run->system->nq, x->room, x->A);
        trm_system_select(run->system, z, z + run->system->nq, x->room, x->V);
        return;
    }
    memcpy(x->V, z + x->nq, (size_t)x->n * sizeof *x->V);
    memcpy(x->A, dz + x->nq, (size_t)x->n * sizeof *x->A);
    if (bodies_in_space(x) == 0) {
        memcpy(x->room, z, (size_t)x->n * sizeof *z);
        return;
    }
    x->z = z;
    for (int b = 0; b < bodies_in_space(x); b++) {
        const trm_body_info *const body = turning(x, b);
        if (body) {
            double R[9];
            trm_rotation_matrix(z + body->q0 + 3, R);
            to_world(body, R, z + x->nq, x->V);
            to_world(body, R, dz + x->nq, x->A);
        }
    }
}

/// p q of quaternions
static void multiply(const double p[4], const double q[4], double out[4])
{
    double turned[3];
    cross(p + 1, q + 1, turned);
    out[0] = p[0] * q[0] - dot(p + 1, q + 1);
    for (int i = 0; i < 3; i++) {
        out[1 + i] = p[0] * q[1 + i] + q[0] * p[1 + i] + turned[i];
    }
}

/// Places and quaternions of all bodies, and their velocities.
static void set_in_space(const trm_variation *x, double eps, const double *dq, const double *dv,
                         double *z)
{
    for (int b = 0; b < bodies_in_space(x); b++) {
        const trm_body_info *const body = &x->model->body_info[b];
        for (int i = 0; i < 3; i++) {
            z[body->q0 + i] = x->z[body->q0 + i] + eps * dq[body->v0 + i];
            z[x->nq + body->v0 + i] = x->z[x->nq + body->v0 + i] + eps * dv[body->v0 + i];
        }
        if (!turning(x, b)) {
            continue;
        }
        const double *const theta = dq + body->v0 + 3, *const u = dv + body->v0 + 3;
        const double *const Omega = x->V + body->v0 + 3;
        // of length 1 up to (eps theta)^4
        const double turn[4] = {1 - eps * eps * dot(theta, theta) / 8, eps * theta[0] / 2,
                                eps * theta[1] / 2, eps * theta[2] / 2};
        double *const R = x->R + 9 * b;
        double turned[3], beside[3];
        multiply(turn, x->z + body->q0 + 3, z + body->q0 + 3);
        cross(Omega, theta, turned);
        for (int i = 0; i < 3; i++) {
            beside[i] = Omega[i] + eps * (u[i] - turned[i]);
        }
        trm_rotation_matrix(z + body->q0 + 3, R);
        trm_rotate_back(R, beside, z + x->nq + body->v0 + 3);
    }
}

/// z[n + m] := (q + eps dq, V + eps dv); what is beyond n of the first is overwritten.
TRM_INLINE void set_numbers(int m, const trm_variation *x, double eps, const double *dq,
                            const double *dv, double *z)
{
    const int n = x->n;
    const double *const q = x->z, *const V = x->V;
    for (int i = 0; i < m; i += QUAD) {
        *trm_quad_to(z + i) = *trm_quad_at(q + i) + eps * *trm_quad_at(dq + i);
    }
    for (int i = 0; i < m; i += QUAD) {
        *trm_quad_to(z + n + i) = *trm_quad_at(V + i) + eps * *trm_quad_at(dv + i);
    }
}

TRM_WIDE static void set_in_plane(const trm_variation *x, double eps, const double *dq,
                                  const double *dv, double *z)
{
    if (x->m == QUAD) {
        set_numbers(QUAD, x, eps, dq, dv, z); // no loops (tangent_sums.c)
    } else {
        set_numbers(x->m, x, eps, dq, dv, z);
    }
}

void trm_variation_set(const trm_variation *x, double eps, const double *dq, const double *dv,
                       double *z)
{
    if (bodies_in_space(x) > 0) {
        set_in_space(x, eps, dq, dv, z);
    } else {
        set_in_plane(x, eps, dq, dv, z);
    }
    z[x->nq + x->n] = 0; // the work
}

/// rate[m] := (a - A)/eps; what follows a[n] does not count.
TRM_INLINE void rates_of_numbers(int m, const trm_variation *x, double eps, const double *a,
                                 double *rate)
{
    const double per_eps = 1 / eps;
    for (int i = 0; i < m; i += QUAD) {
        *trm_quad_to(rate + i) = (*trm_quad_at(a + i) - *trm_quad_at(x->A + i)) * per_eps;
    }
    for (int i = x->n; i < m; i++) {
        rate[i] = 0;
    }
}

TRM_WIDE static void rates_in_plane(const trm_variation *x, double eps, const double *a,
                                    double *rate)
{
    if (x->m == QUAD) {
        rates_of_numbers(QUAD, x, eps, a, rate);
    } else {
        rates_of_numbers(x->m, x, eps, a, rate);
    }
}

static void rates_in_space(const trm_variation *x, double eps, const double *dq, const double *dv,
                           const double *dz, double *rate)
{
    memcpy(rate, dz + x->nq, (size_t)x->n * sizeof *rate);
    for (int b = 0; b < bodies_in_space(x); b++) {
        const trm_body_info *const body = turning(x, b);
        if (body) {
            to_world(body, x->R + 9 * b, dz + x->nq, rate);
        }
    }
    const double per_eps = 1 / eps;
    for (int i = 0; i < x->n; i++) {
        rate[i] = (rate[i] - x->A[i]) * per_eps;
    }
    for (int b = 0; b < bodies_in_space(x); b++) {
        const trm_body_info *const body = turning(x, b);
        double turned[3];
        for (int k = 0; body && k < 2; k++) {
            cross((k ? x->V : x->A) + body->v0 + 3, (k ? dv : dq) + body->v0 + 3, turned);
            add(rate + body->v0 + 3, turned, rate + body->v0 + 3);
        }
    }
}

void trm_variation_rates(const trm_variation *x, double eps, const double *dq, const double *dv,
                         const double *dz, double *rate)
{
    if (bodies_in_space(x) > 0) {
        rates_in_space(x, eps, dq, dv, dz, rate);
    } else {
        rates_in_plane(x, eps, dz + x->nq, rate);
    }
}

void trm_variation_of(const trm_variation *x, double eps, const double *z, double *dq, double *dv)
{
    for (int i = 0; i < x->n && bodies_in_space(x) == 0; i++) {
        dq[i] = (z[i] - x->z[i]) / eps;
        dv[i] = (z[x->n + i] - x->V[i]) / eps;
    }
    for (int b = 0; b < bodies_in_space(x); b++) {
        const trm_body_info *const body = &x->model->body_info[b];
        const double *const q = x->z + body->q0 + 3, back[4] = {q[0], -q[1], -q[2], -q[3]};
        const double *const Omega = x->V + body->v0 + 3;
        double *const theta = dq + body->v0 + 3, *const u = dv + body->v0 + 3;
        double turn[4], turned[3];
        for (int i = 0; i < 3; i++) {
            dq[body->v0 + i] = (z[body->q0 + i] - x->z[body->q0 + i]) / eps;
            dv[body->v0 + i] = (z[x->nq + body->v0 + i] - x->z[x->nq + body->v0 + i]) / eps;
        }
        if (!turning(x, b)) {
            continue;
        }
        double R[9];
        multiply(z + body->q0 + 3, back, turn);
        trm_rotation_matrix(z + body->q0 + 3, R);
        trm_rotate(R, z + x->nq + body->v0 + 3, u);
        for (int i = 0; i < 3; i++) {
            theta[i] = 2 * turn[1 + i] / (turn[0] * eps);
            u[i] = (u[i] - Omega[i]) / eps;
        }
        add(u, cross(Omega, theta, turned), u);
    }
}
