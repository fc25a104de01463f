/// Bodies, initial state and names: scene -> arrays by kind.
#include "base/rank_numbers.h"
#include "engine/compiler/compile.h"
#include "program/view.h"

#include <math.h>
#include <string.h>

int trm_body_or_ground(const trm_scene *scene, int body)
{
    return body == TRM_INDEX_GROUND ? scene->nbodies : body;
}

void trm_initial_rotation(const trm_scene *scene, int body, double R[9])
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(R, identity, sizeof identity);
    if (body < 0 || body >= scene->nbodies) {
        return;
    }
    if (scene->dimension == 2) {
        const double c = cos(scene->bodies[body].angle);
        const double s = sin(scene->bodies[body].angle);
        R[0] = c;
        R[1] = -s;
        R[3] = s;
        R[4] = c;
        return;
    }
    const double *e = scene->bodies[body].quaternion;
    const double w = e[0];
    const double x = e[1];
    const double y = e[2];
    const double z = e[3];
    // R = (w^2 - u.u) I + 2 u u^T + 2 w [u]x,  u = (x, y, z)
    R[0] = w * w + x * x - y * y - z * z;
    R[1] = 2 * (x * y - w * z);
    R[2] = 2 * (x * z + w * y);
    R[3] = 2 * (x * y + w * z);
    R[4] = w * w - x * x + y * y - z * z;
    R[5] = 2 * (y * z - w * x);
    R[6] = 2 * (x * z - w * y);
    R[7] = 2 * (y * z + w * x);
    R[8] = w * w - x * x - y * y + z * z;
}

/// Inverse of a symmetric positive definite 3x3 matrix by cofactors.
static void invert3(const double A[9], double out[9])
{
    const double c0 = A[4] * A[8] - A[5] * A[7];
    const double c1 = A[5] * A[6] - A[3] * A[8];
    const double c2 = A[3] * A[7] - A[4] * A[6];
    const double determinant = A[0] * c0 + A[1] * c1 + A[2] * c2;
    out[0] = c0 / determinant;
    out[1] = (A[2] * A[7] - A[1] * A[8]) / determinant;
    out[2] = (A[1] * A[5] - A[2] * A[4]) / determinant;
    out[3] = c1 / determinant;
    out[4] = (A[0] * A[8] - A[2] * A[6]) / determinant;
    out[5] = (A[2] * A[3] - A[0] * A[5]) / determinant;
    out[6] = c2 / determinant;
    out[7] = (A[1] * A[6] - A[0] * A[7]) / determinant;
    out[8] = (A[0] * A[4] - A[1] * A[3]) / determinant;
}

/// The arrays of trm_bodies while they are written.
typedef struct body_arrays {
    int *q0, *v0, *point;
    double *mass, *inverse_mass, *inertia, *inverse_inertia, *M, *inverse_M, *moves, *turns;
    int *light;
    double *inverse_heavy;
} body_arrays;

/// Whether body b is light, by the axis nearest to that.
static void fill_light(trm_bodies *bodies, int b, const body_arrays *out)
{
    const double *const I = out->inertia + 9 * b, *const W = out->inverse_inertia + 9 * b;
    const int axis = W[4] > fmax(W[0], W[8]) ? 1 : W[8] > W[0] ? 2 : 0;
    const double least = 1 / W[4 * axis], most = fmax(I[0], fmax(I[4], I[8]));
    double heavy[9];
    memcpy(heavy, I, sizeof heavy);
    out->light[b] = least < TRM_LIGHT * most ? axis : -1;
    if (out->light[b] >= 0) {
        heavy[4 * axis] += most;
        bodies->nlight++;
        bodies->least_light = fmin(least / most, bodies->least_light);
    }
    invert3(heavy, out->inverse_heavy + 9 * b);
}

static void fill_inertia(const trm_scene_body *body, int dimension, int b, const body_arrays *out)
{
    out->mass[b] = body->mass;
    out->inverse_mass[b] = 1 / body->mass;
    out->moves[b] = 1;
    out->turns[b] = !body->point_mass;
    if (body->point_mass) {
        return;
    }
    if (dimension == 2) {
        out->inertia[b] = body->inertia[8];
        out->inverse_inertia[b] = 1 / body->inertia[8];
    } else {
        memcpy(out->inertia + 9 * b, body->inertia, 9 * sizeof(double));
        invert3(body->inertia, out->inverse_inertia + 9 * b);
    }
}

/// Whether the mass matrix has nothing beside its diagonal.
static int is_diagonal(const trm_scene *scene)
{
    int all = 1;
    for (int b = 0; scene->dimension == 3 && b < scene->nbodies; b++) {
        const double *J = scene->bodies[b].inertia;
        all = all && (scene->bodies[b].point_mass ||
                      (J[1] == 0 && J[2] == 0 && J[3] == 0 && J[5] == 0 && J[6] == 0 && J[7] == 0));
    }
    return all;
}

static void fill_diagonal(const trm_body_info *info, int dimension, int b, const body_arrays *out)
{
    for (int k = 0; k < info->nv; k++) {
        const int J = dimension == 2 ? b : 9 * b + 4 * (k - 3);
        out->M[info->v0 + k] = k < dimension ? out->mass[b] : out->inertia[J];
        out->inverse_M[info->v0 + k] =
            k < dimension ? out->inverse_mass[b] : out->inverse_inertia[J];
    }
}

static void fill_state(trm_model *model, const trm_scene_body *body, int dimension, int b)
{
    double *q = model->q0 + model->bodies.q0[b];
    double *v = model->v0 + model->bodies.v0[b];
    memcpy(q, body->position, (size_t)dimension * sizeof(double));
    memcpy(v, body->velocity, (size_t)dimension * sizeof(double));
    if (body->point_mass) {
        return;
    }
    if (dimension == 2) {
        q[2] = body->angle;
        v[2] = body->rate[2];
    } else {
        memcpy(q + 3, body->quaternion, 4 * sizeof(double));
        memcpy(v + 3, body->rate, 3 * sizeof(double));
    }
}

/// Behind the bodies, in units of their scales.
static void fill_states(trm_model *model, const trm_scene *scene, const body_arrays *out)
{
    const int first = model->sizes.nv - scene->nstates;
    for (int k = 0; k < scene->nstates; k++) {
        model->v0[first + k] = scene->states[k].start / scene->states[k].scale;
        if (model->bodies.diagonal) {
            out->M[first + k] = out->inverse_M[first + k] = 1;
        }
    }
}

static int coordinates_of(const trm_scene *scene, const trm_scene_body *body)
{
    return body->point_mass ? scene->dimension : scene->dimension == 2 ? 3 : 7;
}

static int velocities_of(const trm_scene *scene, const trm_scene_body *body)
{
    return body->point_mass ? scene->dimension : scene->dimension == 2 ? 3 : 6;
}

static void fill_bodies(trm_model *model, const trm_scene *scene, const body_arrays *out)
{
    int q0 = 0;
    int v0 = 0;
    for (int b = 0; b < scene->nbodies; b++) {
        const trm_scene_body *body = &scene->bodies[b];
        out->q0[b] = q0;
        out->v0[b] = v0;
        out->point[b] = body->point_mass;
        model->body_info[b].q0 = q0;
        model->body_info[b].v0 = v0;
        model->body_info[b].nq = coordinates_of(scene, body);
        model->body_info[b].nv = velocities_of(scene, body);
        q0 += model->body_info[b].nq;
        v0 += model->body_info[b].nv;
        fill_inertia(body, scene->dimension, b, out);
        if (scene->dimension == 3 && body->point_mass) {
            out->light[b] = -1;
        } else if (scene->dimension == 3) {
            fill_light(&model->bodies, b, out);
        }
        if (model->bodies.diagonal) {
            fill_diagonal(&model->body_info[b], scene->dimension, b, out);
        }
        fill_state(model, body, scene->dimension, b);
    }
}

void trm_compile_bodies(trm_model *model, const trm_draft *draft)
{
    const trm_scene *scene = draft->scene;
    trm_arena *arena = &model->arena;
    const int n = scene->nbodies;
    const int per_body = scene->dimension == 2 ? 1 : 9;
    const int diagonal = is_diagonal(scene), solid = scene->dimension == 3;
    int nq = 0;
    int nv = 0;
    int points = 0;
    for (int b = 0; b < n; b++) {
        points += scene->bodies[b].point_mass != 0;
        nq += coordinates_of(scene, &scene->bodies[b]);
        nv += velocities_of(scene, &scene->bodies[b]);
    }
    nv += scene->nstates;
    const body_arrays out = {
        .q0 = trm_arena_ints(arena, n),
        .v0 = trm_arena_ints(arena, n),
        .point = trm_arena_ints(arena, n),
        .mass = trm_arena_doubles(arena, n + 1),
        .inverse_mass = trm_arena_doubles(arena, n + 1),
        .inertia = trm_arena_doubles(arena, per_body * (n + 1)),
        .inverse_inertia = trm_arena_doubles(arena, per_body * (n + 1)),
        .M = trm_arena_doubles(arena, diagonal ? nv : 0),
        .inverse_M = trm_arena_doubles(arena, diagonal ? nv : 0),
        .moves = trm_arena_doubles(arena, n + 1),
        .turns = trm_arena_doubles(arena, n + 1),
        .light = trm_arena_ints(arena, solid ? n : 0),
        .inverse_heavy = trm_arena_doubles(arena, solid ? 9 * (n + 1) : 0),
    };
    model->q0 = trm_arena_doubles(arena, nq);
    model->v0 = trm_arena_doubles(arena, nv);
    model->body_info = trm_arena_take(arena, (size_t)n, sizeof *model->body_info);
    for (int b = 0; b < n; b++) {
        const char *name = trm_arena_text(arena, scene->bodies[b].name);
        if (model->body_info) {
            model->body_info[b].name = name;
        }
    }
    model->sizes.nbody = n;
    model->sizes.nq = nq;
    model->sizes.nv = nv;
    model->sizes.nstate = scene->nstates;
    model->bodies = (trm_bodies){.n = n,
                                 .dimension = scene->dimension,
                                 .width = scene->dimension == 2 ? 3 : 6,
                                 .nq = nq,
                                 .nv = nv,
                                 .states = scene->nstates,
                                 .points = points,
                                 .q0 = out.q0,
                                 .v0 = out.v0,
                                 .point = out.point,
                                 .mass = out.mass,
                                 .inverse_mass = out.inverse_mass,
                                 .inertia = out.inertia,
                                 .inverse_inertia = out.inverse_inertia,
                                 .least_light = 1,
                                 .light = out.light,
                                 .inverse_heavy = out.inverse_heavy,
                                 .diagonal = diagonal,
                                 .M = out.M,
                                 .inverse_M = out.inverse_M,
                                 .moves = out.moves,
                                 .turns = out.turns};
    if (arena->base) {
        fill_bodies(model, scene, &out);
        fill_states(model, scene, &out);
    }
}
