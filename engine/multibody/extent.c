// Of a mechanism with points x_i,
//
//     size = max(|max x_i - min x_i|, longest rod, 2 longest arm of a joint)
#include "engine/multibody/extent.h"
#include "base/loops.h"
#include "bodies/forces/gravity.h"

#include <math.h>

enum { ALL = -1 };

// ------------------------------------------------------------------------------------------- size

typedef struct box {
    double low[3], high[3];
} box;

static void include(box *b, const trm_model *model, const double *q, int body,
                    const double local[3])
{
    double x[3];
    trm_model_point(model, body, local, q, NULL, x, NULL);
    for (int k = 0; k < 3; k++) {
        b->low[k] = fmin(b->low[k], x[k]);
        b->high[k] = fmax(b->high[k], x[k]);
    }
}

static double distance(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/// Whether the body moves, with `part` (trm_model.part).
static int belongs(const trm_model *model, int body, int part)
{
    return body >= 0 && body < model->sizes.nbody &&
           (part == ALL || model->component[model->body_info[body].v0] == part);
}

/// Points of the ground count where a joint uses them. Returns how
/// far from its centre a body is held.
static double include_joint(box *b, const trm_model *model, const double *q, int joint)
{
    double reach = 0;
    const trm_joint_axis *axis = &model->joint_axis[joint];
    const int bodies[] = {axis->a, axis->b};
    for (int side = 0; side < 2; side++) {
        const int body = bodies[side] < model->sizes.nbody ? bodies[side] : -1;
        include(b, model, q, body, axis->point[side]);
        reach = fmax(reach, body >= 0 ? distance(axis->point[side]) : 0);
    }
    return reach;
}

/// Twice the longest arm of a joint, or the longest rod.
static double longest_arm(box *b, const trm_model *model, const double *q, int part)
{
    double longest = 0;
    const trm_row_batch *const rods = &model->batch[TRM_ROW_DISTANCE];
    for (int j = 0; j < model->sizes.njoint; j++) {
        const trm_joint_axis *axis = &model->joint_axis[j];
        if (belongs(model, axis->a, part) || belongs(model, axis->b, part)) {
            longest = fmax(longest, 2 * include_joint(b, model, q, j));
        }
    }
    for (int i = 0; i < rods->n; i++) {
        if (belongs(model, rods->a[i], part) || belongs(model, rods->b[i], part)) {
            longest = fmax(longest, fabs(rods->constant[i]));
        }
    }
    return longest;
}

static double size_of(const trm_model *model, const double *q, int part)
{
    static const double centre[3] = {0, 0, 0};
    box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    if (model->from_equations || model->sizes.nbody == 0) {
        return 0;
    }
    for (int i = 0; i < model->sizes.nbody; i++) {
        if (belongs(model, i, part)) {
            include(&b, model, q, i, centre);
        }
    }
    for (int i = 0; i < model->sizes.nmarker; i++) {
        if (belongs(model, model->marker_info[i].body, part)) {
            include(&b, model, q, model->marker_info[i].body, model->marker_info[i].local);
        }
    }
    const double longest = longest_arm(&b, model, q, part);
    const double diagonal[] = {b.high[0] - b.low[0], b.high[1] - b.low[1], b.high[2] - b.low[2]};
    return fmax(distance(diagonal), longest);
}

// ---------------------------------------------------------------------------------------- extents

void trm_extents_layout(trm_extents *extents, int nq, int nv, int nc, trm_arena *arena)
{
    extents->q = trm_arena_doubles(arena, nq);
    extents->v = trm_arena_doubles(arena, nv);
    extents->g = trm_arena_doubles(arena, nc);
}

static void fill(int n, double value, double *x)
{
    for (int i = 0; i < n; i++) {
        x[i] = value;
    }
}

/// Coordinates of the body that are lengths; the others turn it.
static int lengths_of(const trm_model *model, int n)
{
    const int linear = model->bodies.width == 3 ? 2 : 3;
    return n < linear ? n : linear;
}

/// `size`, or `other` where `size` is the rounding of points at a distance of `other`.
static double visible(double size, double other)
{
    return size > 1e-12 * other ? size : other;
}

double trm_extents_gyration(const trm_bodies *bodies, int b)
{
    const int linear = bodies->dimension, terms = linear == 2 ? 1 : 3;
    double most = 0;
    for (int k = 0; k < terms && !bodies->point[b]; k++) {
        const double J = bodies->inertia[linear == 2 ? b : 9 * b + 4 * k];
        most = fmax(most, sqrt(J * bodies->inverse_mass[b]));
    }
    return most;
}

double trm_extents_arm(const trm_bodies *bodies)
{
    double most = 0;
    for (int b = 0; b < bodies->n; b++) {
        most = fmax(most, trm_extents_gyration(bodies, b));
    }
    return most;
}

double trm_model_size(const trm_model *model, const double *q)
{
    const double size = size_of(model, q, ALL);
    return visible(size, trm_extents_arm(&model->bodies)) > size ? 0 : size;
}

/// Where the size of the mechanism is not known; 0: no length is.
static double other_size(const trm_model *model, const double *q)
{
    double farthest = 0;
    for (int i = 0; model->from_equations && i < model->sizes.nq; i++) {
        farthest = fmax(farthest, fabs(q[i]));
    }
    for (int b = 0; !model->from_equations && b < model->sizes.nbody; b++) {
        for (int k = 0; k < lengths_of(model, model->body_info[b].nq); k++) {
            farthest = fmax(farthest, fabs(q[model->body_info[b].q0 + k]));
        }
    }
    const double least = model->from_equations ? 1 : trm_extents_arm(&model->bodies);
    return visible(visible(trm_model_size(model, q), farthest), least);
}

double trm_extents_whole(const trm_extents *extents, const trm_model *model, double size)
{
    const double alone = size > 0 || model->from_equations ? size : trm_extents_arm(&model->bodies);
    return alone > 0 ? alone : model->sizes.nbody > 0 ? extents->size[0] : 1;
}

/// Bodies of one part have one size.
static void measure_bodies(trm_extents *extents, const trm_model *model, const double *q,
                           double other)
{
    for (int b = 0; b < model->sizes.nbody; b++) {
        const trm_body_info *const info = &model->body_info[b];
        const int part = model->component[info->v0];
        if (part == info->v0) {
            extents->v[part] = visible(size_of(model, q, part), other);
        }
    }
    for (int b = 0; b < model->sizes.nbody; b++) {
        const trm_body_info *const info = &model->body_info[b];
        const double size = extents->v[model->component[info->v0]];
        extents->size[b] = size;
        fill(info->nq, 1, extents->q + info->q0);
        fill(info->nv, 1, extents->v + info->v0);
        fill(lengths_of(model, info->nq), size, extents->q + info->q0);
        fill(lengths_of(model, info->nv), size, extents->v + info->v0);
    }
}

/// Bodies of a part stand side by side, mostly.
static void measure_joints(trm_extents *extents, const trm_model *model, const double *q,
                           double other)
{
    const trm_model *const bodies = model->absolute;
    int part = ALL;
    for (int b = 0; b < model->sizes.nbody; b++) {
        const trm_body_info *const info = &model->body_info[b];
        const int own = bodies->component[bodies->body_info[b].v0];
        const double size =
            own == part ? extents->size[b - 1] : visible(size_of(bodies, q, own), other);
        part = own;
        extents->size[b] = size;
        for (int k = 0; k < info->nq; k++) {
            extents->q[info->q0 + k] = trm_model_q_turns(model, info, k) ? 1 : size;
        }
        for (int k = 0; k < info->nv; k++) {
            extents->v[info->v0 + k] = trm_model_v_turns(model, info, k) ? 1 : size;
        }
    }
}

/// Rows of unknown unit count as lengths here; trm_extents_set_rows knows better.
static void measure_rows(trm_extents *extents, const trm_model *model)
{
    for (int b = 0; b < model->nblocks; b++) {
        const trm_block *const block = &model->blocks[b];
        double size = 1;
        for (int k = 0; k < block->nbodies; k++) {
            const int body = model->block_bodies[block->body + k];
            size = body < model->sizes.nbody ? extents->size[body] : size;
        }
        for (int i = block->row; i < block->row + block->rows; i++) {
            extents->g[i] = model->row_info[i].unit[0] == 'r' ? 1 : size;
        }
    }
}

void trm_extents_measure(trm_extents *extents, const trm_model *model, const double *q)
{
    const trm_model *const bodies = model->joints ? model->absolute : model;
    const double found = other_size(bodies, q), other = visible(found, 1);
    extents->known = other == found || model->sizes.nc > 0; // rows close to a size
    const int weighs = bodies->ngroups > 0 && bodies->groups[0].kind == &trm_force_gravity;
    const trm_gravity *const gravity = weighs ? bodies->groups[0].elements : NULL;
    extents->weight = gravity ? distance(gravity->field) : 0;
    fill(model->sizes.nq, other, extents->q);
    fill(model->sizes.nv, other, extents->v);
    fill(model->sizes.nc, other, extents->g);
    if (!model->from_equations) {
        (model->joints ? measure_joints : measure_bodies)(extents, model, q, other);
        fill(model->bodies.states, 1, extents->v + model->sizes.nv - model->bodies.states);
        measure_rows(extents, model);
    }
    extents->least_g = INFINITY;
    for (int i = 0; i < model->sizes.nc; i++) {
        extents->least_g = trm_lesser(extents->g[i], extents->least_g);
    }
}

/// max |x_i|/unit_i, at least `most`.
static double largest(int n, const double *x, const double *unit, double most)
{
    for (int i = 0; i < n; i++) {
        most = trm_larger(fabs(x[i]) / unit[i], most);
    }
    return most;
}

int trm_extents_is_unknown(const trm_model *model, int i)
{
    return !model->from_equations && model->row_info[i].unit[0] == '\0';
}

int trm_extents_any_unknown(const trm_model *model)
{
    int any = 0;
    for (int i = 0; i < model->sizes.nc; i++) {
        any |= trm_extents_is_unknown(model, i);
    }
    return any;
}

void trm_extents_set_rows(trm_extents *extents, int nc, const double *length)
{
    for (int i = 0; i < nc; i++) {
        extents->g[i] = length[i] > 0 ? length[i] : extents->g[i];
        extents->least_g = trm_lesser(extents->g[i], extents->least_g);
    }
}

double trm_extents_gap(const trm_extents *extents, int nc, const double *g)
{
    return largest(nc, g, extents->g, 0);
}

double trm_extents_speed(const trm_extents *extents, int nv, const double *v)
{
    return largest(nv, v, extents->v, 0);
}

double trm_extents_rate(const trm_extents *extents, int nq, int nv, const double *dq,
                        const double *dv)
{
    double fastest = 0, strongest = 0;
    for (int i = 0; i < nq; i++) {
        fastest = trm_larger(fabs(dq[i]) / extents->q[i], fastest);
    }
    for (int i = 0; i < nv; i++) {
        strongest = trm_larger(fabs(dv[i]) / extents->v[i], strongest);
    }
    return trm_larger(fastest, sqrt(strongest));
}

double trm_extents_away(const trm_extents *extents, int nq, const double *q)
{
    return largest(nq, q, extents->q, 1);
}

void trm_extents_largest(const trm_model *model, const trm_pose *pose, const double *z, double arm,
                         double most[2])
{
    const int spatial = pose->width == 6, n = (spatial ? 3 : 1) * (pose->nbody + 1);
    most[0] = 0;
    most[1] = 1;
    for (int i = 0; i < n; i++) {
        const double x = spatial ? pose->p[i] : hypot(pose->x[i], pose->y[i]);
        most[0] = fmax(fabs(x), most[0]);
    }
    for (int b = 0; b < model->sizes.nbody; b++) {
        const trm_body_info *const info = &model->body_info[b];
        for (int k = 0; k < info->nq; k++) {
            most[1] = fmax(trm_model_q_turns(model, info, k) ? fabs(z[info->q0 + k]) : 0, most[1]);
        }
    }
    most[1] = arm > 0 ? fmax(most[0] / arm, most[1]) : most[1]; // joints far away turn by that
}
