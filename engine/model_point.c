/// Points of bodies straight from q and v, for the functions of a user.
#include "bodies/force.h"
#include "engine/model.h"

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
    if (body < 0) {
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
