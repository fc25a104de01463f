/// Points of bodies straight from q and v, for the functions of a user:
///
///   x = p + R l,   x' = linear v,   omega = angular v
///   linear' v = R (omega x (omega x l)),   angular' v = R (omega x omega) = 0
///
/// with omega in body axes.
#include "base/finite.h"
#include "base/status.h"
#include "bodies/forces/force.h"
#include "bodies/vector.h"
#include "engine/multibody/model.h"
#include "trammel/trammel_query.h"

#include <math.h>
#include <string.h>

/// One body of the model as a set of bodies of its own, with room for its pose and slots.
typedef struct single {
    trm_bodies bodies;
    trm_pose pose;
    double x[2], y[2], angle[2], c[2], s[2], p[6], R[18];
    double V[12]; ///< slots of the body and of the ground
} single;

static void single_at(single *one, const trm_model *model, int body, const double *q)
{
    static const int zero = 0;
    const trm_bodies *all = &model->bodies;
    one->bodies = *all;
    one->bodies.n = 1;
    one->bodies.q0 = &zero;
    one->bodies.v0 = &zero;
    one->bodies.point = all->point + body;
    one->bodies.nq = model->body_info[body].nq;
    one->bodies.nv = model->body_info[body].nv;
    one->bodies.states = 0;
    one->pose = (trm_pose){.nbody = 1,
                           .width = all->width,
                           .x = one->x,
                           .y = one->y,
                           .angle = one->angle,
                           .c = one->c,
                           .s = one->s,
                           .p = one->p,
                           .R = one->R};
    memset(one->angle, 0, sizeof one->angle); // a point has none
    trm_bodies_pose(&one->bodies, 0, q + all->q0[body], &one->pose);
}

void trm_model_point(const trm_model *model, int body, const double local[3], const double *q,
                     const double *v, double x[3], double *u)
{
    single one;
    double own[3];
    x = x ? x : own;
    if (!model || !local || (!q && body >= 0) || body >= model->sizes.nbody) { // there is none
        for (int i = 0; i < 3; i++) {
            x[i] = NAN;
            if (u) {
                u[i] = NAN;
            }
        }
        return;
    }
    if (body < 0) { // the ground
        for (int i = 0; i < 3; i++) {
            x[i] = local[i];
        }
        if (u) {
            memset(u, 0, 3 * sizeof(double));
        }
        return;
    }
    single_at(&one, model, body, q);
    if (v && u) {
        trm_bodies_gather(&one.bodies, v + model->bodies.v0[body], one.V);
    }
    trm_point(&one.pose, 0, local, one.V, x, v ? u : NULL);
}

void trm_model_push(const trm_model *model, int body, const double local[3], const double F[3],
                    const double *q, double *f)
{
    single one;
    double generalized[6];
    if (!model || !local || !F || !q || !f || body < 0 || body >= model->sizes.nbody) {
        return;
    }
    single_at(&one, model, body, q);
    memset(one.V, 0, sizeof one.V);
    trm_push(&one.pose, 0, local, F, one.V);
    trm_bodies_scatter(&one.bodies, one.V, generalized);
    for (int i = 0; i < one.bodies.nv; i++) {
        f[model->bodies.v0[body] + i] += generalized[i];
    }
}

// -------------------------------------------------------------------------------------- Jacobians

/// Row k of the Jacobian is the generalized force of the unit vector k.
static void linear_jacobian(const trm_model *model, int body, const double *local, const double *q,
                            double *J)
{
    const size_t nv = (size_t)model->sizes.nv;
    memset(J, 0, 3 * nv * sizeof(double));
    for (size_t k = 0; k < 3; k++) {
        const double e[3] = {k == 0, k == 1, k == 2};
        if (k < 2 || model->bodies.dimension == 3) {
            trm_model_push(model, body, local, e, q, J + k * nv);
        }
    }
}

/// omega: the rate about z in the plane, R omega in space.
static void angular_jacobian(const trm_model *model, int body, const single *one, double *J)
{
    const size_t nv = (size_t)model->sizes.nv;
    memset(J, 0, 3 * nv * sizeof(double));
    if (body < 0 || model->bodies.point[body]) {
        return;
    }
    const size_t v0 = (size_t)model->body_info[body].v0;
    if (model->bodies.dimension == 2) {
        J[2 * nv + v0 + 2] = 1;
        return;
    }
    for (size_t k = 0; k < 3; k++) {
        for (size_t j = 0; j < 3; j++) {
            J[k * nv + v0 + 3 + j] = one->R[3 * k + j];
        }
    }
}

/// The centripetal acceleration of the point.
static void linear_bias(const trm_model *model, int body, const single *one, const double *local,
                        const double *v, double *bias)
{
    memset(bias, 0, 3 * sizeof(double));
    if (body < 0 || model->bodies.point[body]) {
        return;
    }
    const double *const vb = v + model->body_info[body].v0;
    double omega[3] = {0}, u[3], w[3];
    if (model->bodies.dimension == 2) {
        omega[2] = vb[2];
    } else {
        memcpy(omega, vb + 3, sizeof omega);
    }
    const double l[3] = {local[0], local[1], model->bodies.dimension == 2 ? 0 : local[2]};
    trm_to_world(&one->pose, 0, cross(omega, cross(omega, l, u), w), bias);
}

static trm_status check_question(const trm_model *model, int body, const double *local,
                                 const double *q, const double *v, const trm_jacobian *out,
                                 trm_error *err)
{
    if (!model || !local || !q || !out || (out->linear_bias && !v)) {
        return TRM_FAIL(
            err, TRM_ERR_OPTIONS,
            !model   ? "model"
            : !local ? "local"
            : !q     ? "q"
            : !out   ? "out"
                     : "v",
            "expected a model, a point, a state and a place for its Jacobian, got NULL");
    }
    if (model->from_equations) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "model",
                        "a model from equations has no bodies whose points could move");
    }
    if (body >= model->sizes.nbody) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "body", "expected one of the %d bodies, got %d",
                        model->sizes.nbody, body);
    }
    if (!trm_all_finite(3, local) || !trm_all_finite(model->sizes.nq, q) ||
        (v && !trm_all_finite(model->sizes.nv, v))) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, NULL,
                        "expected finite numbers in local, q and v, got one that is not");
    }
    return TRM_OK;
}

trm_status trm_model_jacobian(const trm_model *model, int body, const double local[3],
                              const double *q, const double *v, const trm_jacobian *out,
                              trm_error *err)
{
    single one;
    TRM_TRY(check_question(model, body, local, q, v, out, err));
    if (body >= 0) {
        single_at(&one, model, body, q);
    }
    if (out->linear) {
        linear_jacobian(model, body, local, q, out->linear);
    }
    if (out->angular) {
        angular_jacobian(model, body, &one, out->angular);
    }
    if (out->linear_bias) {
        linear_bias(model, body, &one, local, v, out->linear_bias);
    }
    if (out->angular_bias) {
        memset(out->angular_bias, 0, 3 * sizeof(double));
    }
    return TRM_OK;
}
