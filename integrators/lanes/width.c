/// Compiled once for each W > 1, with the kernels it calls. The order of operations is that of
/// trm_index1 (integrators/index1/index1.c) and of trm_tree_accelerate, as far as a regular
/// evaluation of pins under constant forces goes.
#include "integrators/lanes/width.h"
#include "bodies/sincos.h"
#include "engine/mechanism/pins.h"
#include "engine/mechanism/tree.h"
#include "engine/solver/pair_ldl.h"
#include "engine/solver/pivots.h"

#include <stdlib.h>
#include <string.h>

enum { STAGES = 16, LINE = 64 };

struct trm_lane_group {
    int n, nv, nc;
    trm_lane *y, *argument, *k[STAGES];
    void *array[TRM_LANE_ARRAYS];
    trm_lane *inverse_M, *constant, *scale;
    // loops of pins
    trm_pose pose;
    trm_lane *m, *g, *S, *pivot, *inverse, *D, *lambda, *F;
    // trees
    trm_tree tree;
    trm_tree_motion motion;
};

/// The bytes before the numbers of an element whose head takes this many with one lane.
static size_t wide_head(size_t head)
{
    return (head + sizeof(trm_lane) - 1) / sizeof(trm_lane) * sizeof(trm_lane);
}

static size_t numbers_of(const trm_lane_array *array)
{
    return (array->size - array->head) / sizeof(double);
}

static size_t wide_size(const trm_lane_array *array)
{
    return wide_head(array->head) + numbers_of(array) * sizeof(trm_lane);
}

// ----------------------------------------------------------------------------------------- memory

/// The next `bytes` of a block, or of one that is only counted (NULL).
static void *carve(char *block, size_t *used, size_t bytes)
{
    void *const here = block ? block + *used : NULL;
    *used += (bytes + LINE - 1) / LINE * LINE;
    return here;
}

static trm_lane *lanes(char *block, size_t *used, int count)
{
    return carve(block, used, (size_t)count * sizeof(trm_lane));
}

static void layout_loops(trm_lane_group *group, const trm_lane_shape *shape, char *block,
                         size_t *used)
{
    const int n = shape->nbody + 1, rows = shape->nc;
    trm_pose *pose = &group->pose;
    trm_lane **const of_bodies[] = {&pose->x, &pose->y, &pose->angle, &pose->c, &pose->s};
    trm_lane **const of_rows[] = {&group->g, &group->pivot, &group->inverse,
                                  &group->D, &group->scale, &group->lambda};
    for (size_t i = 0; i < sizeof of_bodies / sizeof *of_bodies; i++) {
        *of_bodies[i] = lanes(block, used, n);
    }
    for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) {
        *of_rows[i] = lanes(block, used, rows);
    }
    group->m = lanes(block, used, shape->nmoments);
    group->S = lanes(block, used, shape->pattern ? shape->pattern->values : 0);
    group->F = lanes(block, used, 3 * n);
    group->inverse_M = lanes(block, used, shape->nv);
}

static void layout_tree(trm_lane_group *group, const trm_lane_shape *shape, char *block,
                        size_t *used)
{
    const int n = shape->array[TRM_LINKS].count;
    trm_tree_motion *motion = &group->motion;
    motion->c = lanes(block, used, n);
    motion->s = lanes(block, used, n);
    motion->square = lanes(block, used, n);
    motion->e = lanes(block, used, 2 * n);
    motion->h = lanes(block, used, 2 * n);
    motion->mu = lanes(block, used, n);
    motion->sum = lanes(block, used, 9 * n);
    motion->A = lanes(block, used, 2 * n);
}

static void layout(trm_lane_group *group, const trm_lane_shape *shape, char *block, size_t *used)
{
    group->y = lanes(block, used, shape->n);
    group->argument = lanes(block, used, shape->n);
    for (int s = 0; s < STAGES; s++) {
        group->k[s] = lanes(block, used, shape->n);
    }
    for (int i = 0; i < TRM_LANE_ARRAYS; i++) {
        const trm_lane_array *array = &shape->array[i];
        group->array[i] = carve(block, used, (size_t)array->count * wide_size(array));
    }
    group->constant = lanes(block, used, shape->nconstant);
    if (shape->reduced) {
        layout_tree(group, shape, block, used);
    } else {
        layout_loops(group, shape, block, used);
    }
}

static trm_lane_group *create(const trm_lane_shape *shape)
{
    trm_lane_group counted = {0};
    size_t own = 0, used = 0;
    carve(NULL, &own, sizeof counted);
    layout(&counted, shape, NULL, &used);
    char *const block = aligned_alloc(LINE, own + used);
    if (!block) {
        return NULL;
    }
    memset(block, 0, own + used);
    trm_lane_group *const group = (trm_lane_group *)(void *)block;
    used = 0;
    layout(group, shape, block + own, &used);
    group->n = shape->n;
    group->nv = shape->nv;
    group->nc = shape->nc;
    return group;
}

static void destroy(trm_lane_group *group)
{
    free(group);
}

// ---------------------------------------------------------------------------------- in and out

static void put_numbers(trm_lane *to, int lane, int n, const double *from)
{
    double *const out = (double *)to + lane;
    for (int i = 0; i < n; i++) {
        out[(ptrdiff_t)i * TRM_W] = from[i];
    }
}

static void get_numbers(const trm_lane *from, int lane, int n, double *to)
{
    const double *const in = (const double *)from + lane;
    for (int i = 0; i < n; i++) {
        to[i] = in[(ptrdiff_t)i * TRM_W];
    }
}

/// Indices are the same in all lanes.
static void put_array(void *to, int lane, const trm_lane_array *array)
{
    const size_t head = wide_head(array->head), size = wide_size(array);
    for (size_t i = 0; i < (size_t)array->count; i++) {
        char *const out = (char *)to + i * size;
        const char *const in = (const char *)array->at + i * array->size;
        memcpy(out, in, array->head);
        put_numbers((trm_lane *)(void *)(out + head), lane, (int)numbers_of(array),
                    (const double *)(const void *)(in + array->head));
    }
}

static void take(trm_lane_group *group, int lane, const trm_lane_shape *shape)
{
    for (int i = 0; i < TRM_LANE_ARRAYS; i++) {
        put_array(group->array[i], lane, &shape->array[i]);
    }
    put_numbers(group->constant, lane, shape->nconstant, shape->constant);
    if (!shape->reduced) {
        put_numbers(group->inverse_M, lane, shape->nv, shape->inverse_M);
    }
}

static void begin(trm_lane_group *group, int lane, const double *y, const double *dy,
                  const double *scale)
{
    put_numbers(group->y, lane, group->n, y);
    put_numbers(group->k[0], lane, group->n, dy);
    if (scale) {
        put_numbers(group->scale, lane, group->nc, scale);
    }
}

static void argument(const trm_lane_group *group, int lane, double *y)
{
    get_numbers(group->argument, lane, group->n, y);
}

static void put(trm_lane_group *group, int lane, int stage, const double *k)
{
    put_numbers(group->k[stage], lane, group->n, k);
}

static void get(const trm_lane_group *group, int lane, int stage, double *k)
{
    get_numbers(group->k[stage], lane, group->n, k);
}

// ------------------------------------------------------------------------------------ evaluations

static void sincos_of(int n, const trm_lane *x, trm_lane *s, trm_lane *c)
{
    trm_sincos(n * TRM_W, (const double *)x, (double *)s, (double *)c);
}

static void tree_rates(trm_lane_group *group, const trm_lane_shape *shape, const trm_lane *y,
                       trm_lane *dy)
{
    const int nu = shape->nv, n = shape->array[TRM_LINKS].count;
    trm_tree_motion *motion = &group->motion;
    group->tree = (trm_tree){.n = n, .link = group->array[TRM_LINKS]};
    motion->tree = &group->tree;
    memcpy(dy, y + nu, (size_t)nu * sizeof *dy);
    sincos_of(n, y, motion->s, motion->c);
    trm_tree_sweep_in(motion, y + nu, group->constant);
    trm_tree_sweep_out(motion, dy + nu);
    for (int k = 0; k < shape->nfree; k++) {
        trm_pair_store(trm_pair_load(motion->A + 2 * shape->free[k]), dy + nu + n + 2 * k);
    }
    dy[2 * nu] = (trm_lane){0};
}

static void place(trm_lane_group *group, int n, const trm_lane *q)
{
    trm_pose *pose = &group->pose;
    for (int i = 0; i < n; i++) {
        pose->x[i] = q[3 * i];
        pose->y[i] = q[3 * i + 1];
        pose->angle[i] = q[3 * i + 2];
    }
    pose->x[n] = pose->y[n] = pose->angle[n] = pose->s[n] = (trm_lane){0};
    pose->c[n] = trm_lane_of(1);
    sincos_of(n, pose->angle, pose->s, pose->c);
}

static trm_pins pins_of(const trm_lane_group *group, const trm_lane_shape *shape)
{
    return (trm_pins){.n = shape->array[TRM_PINS].count,
                      .nground = shape->array[TRM_GROUND_PINS].count,
                      .npairs = shape->array[TRM_PIN_PAIRS].count,
                      .nfirst = shape->nfirst,
                      .nmoments = shape->nmoments,
                      .ground = group->array[TRM_GROUND_PINS],
                      .pin = group->array[TRM_PINS],
                      .diagonal = {group->array[TRM_DIAGONALS]},
                      .pair = {group->array[TRM_PIN_PAIRS]}};
}

/// lambda = S^-1 lambda. Returns the largest D/d, and in *definite whether all are positive.
static trm_lane solve(trm_lane_group *group, const trm_lane_shape *shape, const trm_pins *pins,
                      trm_lane_truth *definite)
{
    const trm_pattern *p = shape->pattern;
    trm_lane *const S = group->S, largest;
    for (int k = 0; k < shape->nblanks; k++) {
        memset(S + shape->blanks[2 * k], 0, (size_t)shape->blanks[2 * k + 1] * sizeof *S);
    }
    trm_pins_form_S(pins, group->m, 0, S);
    trm_pivots_scale(p, S, group->scale, group->D);
    trm_pairs_factor(p, S, group->pivot, group->inverse, group->lambda);
    *definite = trm_pivots_judge(p->n, group->inverse, group->D, &largest);
    trm_pairs_backward(p, S, group->lambda);
    return largest;
}

/// Bit l: lane l is not regular.
static unsigned loop_rates(trm_lane_group *group, const trm_lane_shape *shape, const trm_lane *z,
                           trm_lane *dz, const double *least)
{
    const int nv = shape->nv, n = shape->nbody;
    const trm_lane *v = z + nv;
    trm_lane *const a = dz + nv, *const F = group->F;
    const trm_pins pins = pins_of(group, shape);
    trm_lane_truth definite;
    unsigned irregular = 0;
    place(group, n, z);
    trm_pins_position(&pins, &group->pose, group->g, group->m, NULL);
    memcpy(dz, v, (size_t)nv * sizeof *dz);
    memcpy(a, group->constant, (size_t)nv * sizeof *a);
    dz[2 * nv] = (trm_lane){0};
    trm_pins_acceleration_residual(&pins, group->m, v, a, group->lambda);
    const trm_lane largest = solve(group, shape, &pins, &definite);
    memset(F, 0, (size_t)(3 * (n + 1)) * sizeof *F);
    trm_pins_multiply_GT(&pins, group->m, group->lambda, F);
    for (int i = 0; i < nv; i++) {
        a[i] -= group->inverse_M[i] * F[i];
    }
    for (int l = 0; l < TRM_W; l++) {
        const int regular = definite[l] && largest[l] > 0 && 1 / largest[l] >= least[l];
        irregular |= (unsigned)!regular << l;
    }
    return irregular;
}

static unsigned stage(trm_lane_group *group, const trm_lane_shape *shape,
                      const trm_stage_weights *weights, int s, const double *h, const double *least)
{
    trm_lane step;
    memcpy(&step, h, sizeof step);
    trm_stage_sum(weights, 0, group->n, group->y, step, group->k, group->argument);
    if (shape->reduced) {
        tree_rates(group, shape, group->argument, group->k[s]);
        return 0;
    }
    return loop_rates(group, shape, group->argument, group->k[s], least);
}

const trm_lane_ops trm_lane_width = {
    .width = TRM_W,
    .create = create,
    .destroy = destroy,
    .take = take,
    .begin = begin,
    .stage = stage,
    .argument = argument,
    .put = put,
    .get = get,
};
