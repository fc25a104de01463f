/// Compiled once for each W > 1, with the kernels it calls. The order of operations is that of
/// trm_index1 (integrators/stabilization/index1.c), as far as a regular
/// evaluation of pins under constant forces goes.
#include "integrators/lanes/width.h"
#include "base/arena_zones.h"
#include "base/largest.h"
#include "base/loops.h"
#include "base/rank_numbers.h"
#include "bodies/forces/spring.h"
#include "bodies/forces/torque.h"
#include "bodies/planar_energy.h"
#include "bodies/sincos.h"
#include "engine/linear/pair_ldl.h"
#include "engine/linear/pivots.h"
#include "engine/multibody/pins.h"
#include "integrators/stabilization/post_damping.h"

#include <stdlib.h>
#include <string.h>

struct trm_lane_group {
    trm_lane *at[TRM_LANE_PLACES];
    int count[TRM_LANE_PLACES];
    double *nowhere; ///< for what no lane wants
    void *array[TRM_LANE_ARRAYS];
    trm_lane *inverse_M, *constant, *mass, *inertia, *field;
    trm_pose pose;
    trm_lane *m, *g, *rates; // of pins
    trm_lane *F, *V, *gaps, *proximal;
};

/// The bytes before the numbers of an element whose head takes this many with one lane.
static size_t wide_head(size_t head)
{
    return (head + sizeof(trm_lane) - 1) / sizeof(trm_lane) * sizeof(trm_lane);
}

static size_t wide_size(const trm_lane_array *array)
{
    return wide_head(array->head) + (size_t)array->numbers * sizeof(trm_lane);
}

// ----------------------------------------------------------------------------------------- memory

/// The next `bytes` of a block, or of one that is only counted (NULL).
static void *carve(char *block, size_t *used, size_t bytes)
{
    void *const here = block ? block + *used : NULL;
    *used += (bytes + TRM_ARENA_LINE - 1) / TRM_ARENA_LINE * TRM_ARENA_LINE;
    return here;
}

static trm_lane *lanes(char *block, size_t *used, int count)
{
    return carve(block, used, (size_t)count * sizeof(trm_lane));
}

/// An array of runs.
static void place_lanes(trm_lane_group *group, int place, char *block, size_t *used, int count)
{
    group->at[place] = lanes(block, used, count);
    group->count[place] = count;
}

static void layout_loops(trm_lane_group *group, const trm_lane_shape *shape, char *block,
                         size_t *used)
{
    static const int of_rows[] = {TRM_LANE_SCALE, TRM_LANE_PIVOT, TRM_LANE_INVERSE, TRM_LANE_D,
                                  TRM_LANE_W};
    const int n = shape->nbody + 1, rows = shape->nc;
    for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) {
        place_lanes(group, of_rows[i], block, used, rows);
    }
    place_lanes(group, TRM_LANE_GT_W, block, used, shape->nv);
    place_lanes(group, TRM_LANE_U, block, used, shape->nv);
    place_lanes(group, TRM_LANE_S, block, used, shape->pattern ? shape->pattern->values : 0);
    group->gaps = lanes(block, used, rows);
    group->proximal = lanes(block, used, 2 * rows);
    group->F = lanes(block, used, 3 * n);
    group->V = lanes(block, used, 3 * n);
    group->inverse_M = lanes(block, used, shape->nv);
}

/// Bodies, and the gaps of their pins.
static void layout_place(trm_lane_group *group, const trm_lane_shape *shape, char *block,
                         size_t *used)
{
    const int n = shape->nbody;
    for (int place = TRM_LANE_X; place <= TRM_LANE_SINE; place++) {
        place_lanes(group, place, block, used, n + 1);
    }
    place_lanes(group, TRM_LANE_G, block, used, shape->nc);
    place_lanes(group, TRM_LANE_MOMENTS, block, used, shape->nmoments);
    place_lanes(group, TRM_LANE_EXTENT, block, used, shape->nc);
    group->pose = (trm_pose){.nbody = n,
                             .x = group->at[TRM_LANE_X],
                             .y = group->at[TRM_LANE_HEIGHT],
                             .angle = group->at[TRM_LANE_ANGLE],
                             .c = group->at[TRM_LANE_COSINE],
                             .s = group->at[TRM_LANE_SINE]};
    group->g = group->at[TRM_LANE_G];
    group->m = group->at[TRM_LANE_MOMENTS];
    group->rates = lanes(block, used, shape->nc);
    group->mass = lanes(block, used, n);
    group->inertia = lanes(block, used, n);
    group->field = lanes(block, used, 2);
}

static void layout(trm_lane_group *group, const trm_lane_shape *shape, char *block, size_t *used)
{
    place_lanes(group, TRM_LANE_Y, block, used, shape->n);
    place_lanes(group, TRM_LANE_ARGUMENT, block, used, shape->n);
    place_lanes(group, TRM_LANE_END, block, used, shape->n);
    place_lanes(group, TRM_LANE_LAMBDA, block, used, shape->nc);
    for (int place = TRM_LANE_K; place < TRM_LANE_PLACES; place++) {
        place_lanes(group, place, block, used, shape->n);
    }
    for (int i = 0; i < TRM_LANE_ARRAYS; i++) {
        const trm_lane_array *array = &shape->array[i];
        group->array[i] = carve(block, used, (size_t)array->count * wide_size(array));
    }
    group->constant = lanes(block, used, shape->nconstant);
    layout_place(group, shape, block, used);
    layout_loops(group, shape, block, used);
    int most = 0;
    for (int place = 0; place < TRM_LANE_PLACES; place++) {
        most = group->count[place] > most ? group->count[place] : most;
    }
    group->nowhere = carve(block, used, (size_t)most * sizeof(double));
}

static trm_lane_group *create(const trm_lane_shape *shape)
{
    trm_lane_group counted = {0};
    size_t own = 0, used = 0;
    carve(NULL, &own, sizeof counted);
    layout(&counted, shape, NULL, &used);
    char *const block = aligned_alloc(TRM_ARENA_LINE, own + used);
    if (!block) {
        return NULL;
    }
    memset(block, 0, own + used);
    trm_lane_group *const group = (trm_lane_group *)(void *)block;
    used = 0;
    layout(group, shape, block + own, &used);
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

/// Indices are the same in all lanes.
static void put_array(void *to, int lane, const trm_lane_array *array)
{
    const size_t head = wide_head(array->head), size = wide_size(array);
    for (size_t i = 0; i < (size_t)array->count; i++) {
        char *const out = (char *)to + i * size;
        const char *const in = (const char *)array->at + i * array->size;
        memcpy(out, in, array->head);
        put_numbers((trm_lane *)(void *)(out + head), lane, array->numbers,
                    (const double *)(const void *)(in + array->head));
    }
}

static void take(trm_lane_group *group, int lane, const trm_lane_shape *shape)
{
    for (int i = 0; i < TRM_LANE_ARRAYS; i++) {
        put_array(group->array[i], lane, &shape->array[i]);
    }
    put_numbers(group->constant, lane, shape->nconstant, shape->constant);
    put_numbers(group->mass, lane, shape->nbody, shape->mass);
    put_numbers(group->inertia, lane, shape->nbody, shape->inertia);
    put_numbers(group->field, lane, shape->field ? 2 : 0, shape->field);
    put_numbers(group->inverse_M, lane, shape->nv, shape->inverse_M);
}

static void put(trm_lane_group *group, int place, int lane, const double *from)
{
    put_numbers(group->at[place], lane, group->count[place], from);
}

static void get(const trm_lane_group *group, int place, int lane, double *to)
{
    const double *const in = (const double *)group->at[place] + lane;
    for (int i = 0; i < group->count[place]; i++) {
        to[i] = in[(ptrdiff_t)i * TRM_W];
    }
}

// A square of W by W numbers, W = 2, 4, 8, is transposed in passes, one for each power of two `b`
// below W: numbers i of row r that have b are exchanged with those of row r + b that have not.

#define UPPER(i, b) ((i) & (b) ? TRM_W + ((i) ^ (b)) : (i))
#define LOWER(i, b) ((i) & (b) ? TRM_W + (i) : ((i) | (b)))
#if TRM_W == 2
#define PICK(x, y, f, b) __builtin_shufflevector(x, y, f(0, b), f(1, b))
#elif TRM_W == 4
#define PICK(x, y, f, b) __builtin_shufflevector(x, y, f(0, b), f(1, b), f(2, b), f(3, b))
#else
#define PICK(x, y, f, b)                                                                           \
    __builtin_shufflevector(x, y, f(0, b), f(1, b), f(2, b), f(3, b), f(4, b), f(5, b), f(6, b),   \
                            f(7, b))
#endif
#define EXCHANGE(b)                                                                                \
    TRM_UNROLL                                                                                     \
    for (int r = 0; r < TRM_W; r++) {                                                              \
        if (!(r & (b))) {                                                                          \
            const trm_lane x = row[r], y = row[r | (b)];                                           \
            row[r] = PICK(x, y, UPPER, b);                                                         \
            row[r | (b)] = PICK(x, y, LOWER, b);                                                   \
        }                                                                                          \
    }

TRM_INLINE void turn_over(trm_lane row[TRM_W])
{
    EXCHANGE(1)
#if TRM_W > 2
    EXCHANGE(2)
#endif
#if TRM_W > 4
    EXCHANGE(4)
#endif
}

/// Lanes as they lie in an array of one run.
typedef trm_lane lane_there __attribute__((aligned(sizeof(double)), may_alias));

static void load_array(trm_lane *to, int n, double *const of[TRM_W])
{
    int i = 0;
    for (; i + TRM_W <= n; i += TRM_W) {
        trm_lane row[TRM_W];
        TRM_UNROLL
        for (int l = 0; l < TRM_W; l++) {
            row[l] = *(const lane_there *)(of[l] + i);
        }
        turn_over(row);
        TRM_UNROLL
        for (int l = 0; l < TRM_W; l++) {
            to[i + l] = row[l];
        }
    }
    for (; i < n; i++) {
        for (int l = 0; l < TRM_W; l++) {
            to[i][l] = of[l][i];
        }
    }
}

static void store_array(const trm_lane *from, int n, double *const of[TRM_W])
{
    int i = 0;
    for (; i + TRM_W <= n; i += TRM_W) {
        trm_lane row[TRM_W];
        TRM_UNROLL
        for (int l = 0; l < TRM_W; l++) {
            row[l] = from[i + l];
        }
        turn_over(row);
        TRM_UNROLL
        for (int l = 0; l < TRM_W; l++) {
            *(lane_there *)(of[l] + i) = row[l];
        }
    }
    for (; i < n; i++) {
        for (int l = 0; l < TRM_W; l++) {
            of[l][i] = from[i][l];
        }
    }
}

static void load(trm_lane_group *group, int first, int last, trm_lane_arrays *at, unsigned but)
{
    int any = 0;
    for (int l = TRM_W - 1; l >= 0; l--) {
        any = but >> l & 1 ? any : l;
    }
    for (int place = first; place <= last; place++) {
        double *of[TRM_W];
        TRM_UNROLL
        for (int l = 0; l < TRM_W; l++) {
            of[l] = at[place][but >> l & 1 ? any : l];
        }
        load_array(group->at[place], group->count[place], of);
    }
}

static void store(trm_lane_group *group, int first, int last, trm_lane_arrays *at, unsigned but)
{
    for (int place = first; place <= last; place++) {
        double *of[TRM_W];
        TRM_UNROLL
        for (int l = 0; l < TRM_W; l++) {
            of[l] = but >> l & 1 ? group->nowhere : at[place][l];
        }
        store_array(group->at[place], group->count[place], of);
    }
}

// ---------------------------------------------------------------------------------------- verdicts

static trm_lane lane_at(const double *x)
{
    return *(const lane_there *)x;
}

/// Bit l: so in lane l.
static unsigned lanes_where(trm_lane_truth truth)
{
    unsigned bits = 0;
    for (int l = 0; l < TRM_W; l++) {
        bits |= (unsigned)(truth[l] != 0) << l;
    }
    return bits;
}

/// Bit l: not so in lane l.
static unsigned exceptions(trm_lane_truth truth)
{
    return lanes_where(~truth);
}

static trm_lane_truth finite(int n, const trm_lane *x)
{
    trm_lane_truth all = (trm_lane){0} == 0.0;
    for (int i = 0; i < n; i++) {
        all &= x[i] * 0.0 == 0.0;
    }
    return all;
}

// ------------------------------------------------------------------------------------ evaluations

static void copy(int n, const trm_lane *from, trm_lane *to)
{
    for (int i = 0; i < n; i++) {
        to[i] = from[i];
    }
}

static void sincos_of(int n, const trm_lane *x, trm_lane *s, trm_lane *c)
{
    trm_sincos(n * TRM_W, (const double *)x, (double *)s, (double *)c);
}

/// The pose of q without the sines.
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

/// S + damping D, factored; lambda := diag(1/d) L^-1 lambda on the way (NULL: nothing). Returns min
/// d/D, 0 where it is not known to be positive.
static trm_lane factor(trm_lane_group *group, const trm_lane_shape *shape, const trm_pins *pins,
                       const trm_lane *damping, trm_lane *lambda)
{
    const trm_pattern *p = shape->pattern;
    trm_lane **const at = group->at, *const S = at[TRM_LANE_S];
    for (int k = 0; k < shape->nblanks; k++) {
        memset(S + shape->blanks[2 * k], 0, (size_t)shape->blanks[2 * k + 1] * sizeof *S);
    }
    trm_pins_form_S(pins, group->m, 0, S);
    trm_pivots_scale(p, S, at[TRM_LANE_SCALE], at[TRM_LANE_D]);
    for (int i = 0; damping && i < p->n; i++) {
        S[p->pivot[i]] += *damping * at[TRM_LANE_D][i];
    }
    trm_pairs_factor(p, S, at[TRM_LANE_PIVOT], at[TRM_LANE_INVERSE], lambda);
    return 1 / trm_pivots_decide(p->n, at[TRM_LANE_INVERSE], at[TRM_LANE_D]);
}

/// F = G^T y
static void collect(trm_lane_group *group, const trm_pins *pins, int n, const trm_lane *y)
{
    for (int i = 0; i < 3 * (n + 1); i++) {
        group->F[i] = (trm_lane){0};
    }
    trm_pins_multiply_GT(pins, group->m, y, group->F);
}

/// The current point is q.
static void go_to(trm_lane_group *group, const trm_lane_shape *shape, const trm_pins *pins,
                  const trm_lane *q)
{
    const trm_pose *pose = &group->pose;
    place(group, shape->nbody, q);
    sincos_of(shape->nbody, pose->angle, pose->s, pose->c);
    trm_pins_position(pins, pose, group->g, group->m, NULL);
}

/// a := M^-1 f at the current point, *power of the forces without a potential (assembler.c: force).
/// Returns the lanes where it is finite.
static trm_lane_truth accelerate(trm_lane_group *group, const trm_lane_shape *shape,
                                 const trm_lane *v, trm_lane *a, trm_lane *power)
{
    const trm_spring *const spring = group->array[TRM_SPRINGS];
    const trm_planar_torque *const torque = group->array[TRM_TORQUES];
    const int nv = shape->nv, nsprings = shape->array[TRM_SPRINGS].count;
    trm_lane *const F = group->F, *const V = group->V; // the ground's slots of V stay zero
    trm_lane losses = {0}, drives = {0};
    trm_lane_truth finite_all = losses == 0.0;
    copy(nv, v, V);
    copy(shape->nconstant, group->constant, F);
    for (int i = 0; i < nsprings; i++) {
        trm_lane loss;
        finite_all &= trm_spring_push(&spring[i], &group->pose, V, F, &loss);
        losses -= loss;
    }
    for (int i = 0; i < shape->array[TRM_TORQUES].count; i++) {
        const trm_planar_torque *const T = &torque[i];
        finite_all &= T->constant * 0.0 == 0.0;
        trm_torque_push(T->body, T->reaction, T->constant, F);
        drives += trm_torque_power(T->body, T->reaction, T->constant, V);
    }
    for (int i = 0; i < nv; i++) {
        a[i] = group->inverse_M[i] * F[i];
    }
    *power = trm_lane_of(0) + losses + drives;
    return finite_all;
}

/// Returns min d/D; 0 where forces are not finite.
static trm_lane loop_rates(trm_lane_group *group, const trm_lane_shape *shape, const trm_lane *z,
                           trm_lane *dz)
{
    const int nv = shape->nv, n = shape->nbody;
    trm_lane_truth known = (trm_lane){0} == 0.0;
    const trm_lane *v = z + nv;
    trm_lane *const a = dz + nv, *const lambda = group->at[TRM_LANE_LAMBDA];
    const trm_lane *free = a; // M^-1 f
    const trm_pins pins = pins_of(group, shape);
    go_to(group, shape, &pins, z);
    copy(nv, v, dz);
    if (shape->forces == TRM_FORCES_CONSTANT) {
        free = group->constant;
        dz[2 * nv] = (trm_lane){0};
    } else if (shape->forces == TRM_FORCES_IN_LANES) {
        known = accelerate(group, shape, v, a, &dz[2 * nv]);
    }
    trm_pins_acceleration_residual(&pins, group->m, v, free, lambda);
    const trm_lane ratio = factor(group, shape, &pins, NULL, lambda);
    trm_pairs_backward(shape->pattern, group->at[TRM_LANE_S], lambda);
    collect(group, &pins, n, lambda);
    for (int i = 0; i < nv; i++) {
        a[i] = free[i] - group->inverse_M[i] * group->F[i];
    }
    return trm_lane_choose(known, ratio, (trm_lane){0});
}

static void sum(trm_lane_group *group, const trm_lane_shape *shape,
                const trm_stage_weights *weights, const trm_lane_round *round)
{
    trm_lane **const at = group->at;
    trm_stage_sum(weights, 0, shape->n, at[TRM_LANE_Y], lane_at(round->h), at + TRM_LANE_K,
                  at[TRM_LANE_ARGUMENT]);
}

static unsigned stage(trm_lane_group *group, const trm_lane_shape *shape, int s,
                      const trm_lane_round *round)
{
    trm_lane **const at = group->at;
    const trm_lane *y = at[TRM_LANE_ARGUMENT];
    return exceptions(loop_rates(group, shape, y, at[TRM_LANE_K + s]) >= lane_at(round->least));
}

// ------------------------------------------------------------------------------------------- ends

/// A step to a solution by the last factorization.
static void solve_once(const trm_lane_group *group, const trm_pattern *p, trm_lane *x, trm_lane *y)
{
    const trm_lane *const S = group->at[TRM_LANE_S], *const inverse = group->at[TRM_LANE_INVERSE];
    if (y) {
        trm_pairs_solve_two(p, S, inverse, x, y);
    } else {
        trm_pairs_forward(p, S, inverse, x);
        trm_pairs_backward(p, S, x);
    }
}

/// x := S^+ x, and y (NULL: none) likewise; the second step counts where S is damped
/// (trm_solver_solve).
static void solve(trm_lane_group *group, const trm_lane_shape *shape, trm_lane damping, trm_lane *x,
                  trm_lane *y)
{
    const trm_lane *const D = group->at[TRM_LANE_D];
    trm_lane *const of[2] = {x, y};
    trm_lane *const r[2] = {group->proximal, y ? group->proximal + shape->nc : NULL};
    const trm_lane_truth damped = damping > 0.0;
    solve_once(group, shape->pattern, x, y);
    if (!lanes_where(damped)) {
        return;
    }
    for (int k = 0; k < 2 && of[k]; k++) {
        for (int i = 0; i < shape->nc; i++) {
            r[k][i] = damping * D[i] * of[k][i];
        }
    }
    solve_once(group, shape->pattern, r[0], r[1]);
    for (int k = 0; k < 2 && of[k]; k++) {
        for (int i = 0; i < shape->nc; i++) {
            of[k][i] = trm_lane_choose(damped, of[k][i] + r[k][i], of[k][i]);
        }
    }
}

/// max |x_i|/extent_i, x[nc]
static trm_lane relative_gap(const trm_lane_group *group, const trm_lane_shape *shape,
                             const trm_lane *x)
{
    const trm_lane *const extent = group->at[TRM_LANE_EXTENT];
    trm_lane gap = {0};
    for (int i = 0; i < shape->nc; i++) {
        gap = trm_lane_larger(trm_lane_magnitude(x[i]) / extent[i], gap);
    }
    return gap;
}

/// S, damped by delta in the lanes that need it (trm_system_factor_damped); *damping: 0 in the
/// others; *ratio: min d/D without it. Returns the lanes that have factors.
static trm_lane_truth factor_damped(trm_lane_group *group, const trm_lane_shape *shape,
                                    const trm_pins *pins, trm_lane delta, trm_lane *damping,
                                    trm_lane *ratio)
{
    *ratio = factor(group, shape, pins, NULL, NULL);
    const trm_lane_truth enough = *ratio > TRM_WELL * delta;
    *damping = trm_lane_choose(enough, (trm_lane){0}, delta);
    return exceptions(enough) ? factor(group, shape, pins, damping, NULL) > 0.0 : enough;
}

/// What remains of g after a correction, as a gap (post.c).
static trm_lane gap_left(trm_lane_group *group, const trm_lane_shape *shape, const trm_pins *pins,
                         trm_lane damping)
{
    trm_lane *const x = group->gaps, *const left = group->rates, *const F = group->F;
    copy(shape->nc, group->g, x);
    solve(group, shape, damping, x, NULL);
    collect(group, pins, shape->nbody, x);
    for (int i = 0; i < shape->nv; i++) {
        F[i] *= group->inverse_M[i];
    }
    trm_pins_multiply_G(pins, group->m, F, left);
    for (int i = 0; i < shape->nc; i++) {
        left[i] -= group->g[i];
    }
    return relative_gap(group, shape, left);
}

/// S at z, factored for corrections (trm_post_factor); a second factorization leaves the lanes that
/// do not ask for it as they are. Returns the lanes that have factors, for all passes.
static trm_lane_truth factor_for_corrections(trm_lane_group *group, const trm_lane_shape *shape,
                                             const trm_pins *pins, trm_lane_round *round,
                                             trm_lane *damping)
{
    const trm_lane least = lane_at(round->delta);
    const trm_lane gap = relative_gap(group, shape, group->g), size = lane_at(round->row_size);
    trm_lane aside, ratio;
    const trm_lane noise = trm_post_damping(gap, size, least, &aside);
    const trm_lane delta =
        trm_lane_choose(least > 0.0, trm_lane_larger(noise, aside), (trm_lane){0});
    trm_lane_truth regular = factor_damped(group, shape, pins, delta, damping, &ratio);
    const trm_lane_truth noisy = regular & (noise > aside) & (*damping > 0.0);
    if (lanes_where(noisy)) {
        const trm_lane left = gap_left(group, shape, pins, *damping);
        const trm_lane_truth again = noisy & (left > TRM_FEW * DBL_EPSILON);
        round->again = lanes_where(again);
        if (round->again) {
            const trm_lane less = trm_lane_choose(again, aside, delta);
            regular &= factor_damped(group, shape, pins, less, damping, &ratio);
        }
    }
    // S would be needed anew (trm_post_factor_again)
    const trm_lane_truth turned = (*damping == 0.0) & (ratio < trm_post_turned(gap));
    return regular & ~turned;
}

/// One pass at the current point z = (q, v) (trm_post_pass).
static void correct_once(trm_lane_group *group, const trm_lane_shape *shape, const trm_pins *pins,
                         trm_lane alpha, trm_lane damping, trm_lane *q)
{
    const int nc = shape->nc, nv = shape->nv;
    trm_lane *const v = q + nv, *const F = group->F;
    trm_lane *const rq = group->gaps, *const rv = group->rates;
    trm_pins_multiply_G(pins, group->m, v, rv);
    for (int i = 0; i < nc; i++) {
        rq[i] = -group->g[i];
        rv[i] += 0.0; // g_t
    }
    solve(group, shape, damping, rq, rv);
    for (int i = 0; i < nc; i++) {
        rq[i] *= alpha;
        rv[i] *= alpha;
    }
    collect(group, pins, shape->nbody, rv);
    for (int i = 0; i < nv; i++) {
        v[i] -= group->inverse_M[i] * F[i];
    }
    collect(group, pins, shape->nbody, rq);
    for (int i = 0; i < nv; i++) {
        q[i] += group->inverse_M[i] * F[i];
    }
}

static unsigned correct(trm_lane_group *group, const trm_lane_shape *shape, trm_lane_round *round)
{
    trm_lane damping = {0}, *const z = group->at[TRM_LANE_END];
    const trm_pins pins = pins_of(group, shape);
    copy(shape->n, group->at[TRM_LANE_ARGUMENT], z);
    trm_lane_truth regular = finite(shape->n, z);
    for (int pass = 0; pass < round->passes; pass++) {
        go_to(group, shape, &pins, z);
        if (pass == 0) {
            regular &= factor_for_corrections(group, shape, &pins, round, &damping);
        }
        correct_once(group, shape, &pins, lane_at(round->alpha), damping, z);
    }
    return exceptions(regular & finite(shape->n, z));
}

static unsigned end(trm_lane_group *group, const trm_lane_shape *shape, trm_lane_round *round)
{
    trm_lane **const at = group->at, *const dy = at[TRM_LANE_K + round->stages];
    const trm_lane ratio = loop_rates(group, shape, at[TRM_LANE_END], dy);
    memcpy(round->ratio, &ratio, sizeof ratio);
    return exceptions((ratio >= lane_at(round->least)) & finite(shape->n, dy));
}

static void store_numbers(double *to, trm_lane x)
{
    *(lane_there *)to = x;
}

/// As trm_residual_of, trm_extents_gap, load_of (results.c) and trm_energy_of.
static void measure(trm_lane_group *group, const trm_lane_shape *shape, trm_lane_round *round)
{
    const trm_lane *const v = group->at[TRM_LANE_END] + 3 * shape->nbody;
    const trm_lane *const lambda = group->at[TRM_LANE_LAMBDA];
    const trm_lane *const extent = group->at[TRM_LANE_EXTENT];
    const trm_spring *const spring = group->array[TRM_SPRINGS];
    const trm_pose *const pose = &group->pose;
    const trm_pins pins = pins_of(group, shape);
    trm_lane row, load = {0}, potential = {0}, springs = {0};
    store_numbers(round->position, trm_largest(shape->nc, group->g, &row));
    store_numbers(round->row, row);
    trm_pins_multiply_G(&pins, group->m, v, group->rates);
    store_numbers(round->velocity, trm_largest(shape->nc, group->rates, &row));
    store_numbers(round->gap, relative_gap(group, shape, group->g));
    for (int i = 0; i < shape->nc; i++) {
        load += trm_lane_magnitude(lambda[i]) * extent[i];
        group->rates[i] /= extent[i];
    }
    store_numbers(round->rate, trm_largest(shape->nc, group->rates, &row));
    store_numbers(round->rate_row, row);
    store_numbers(round->load, load);
    store_numbers(round->kinetic, trm_planar_kinetic(shape->nbody, group->mass, group->inertia, v));
    if (shape->field) {
        potential += trm_planar_height(shape->nbody, group->mass, group->field, pose->x, pose->y);
    }
    for (int i = 0; i < shape->array[TRM_SPRINGS].count; i++) {
        springs += trm_spring_energy(&spring[i], pose);
    }
    store_numbers(round->potential, potential + springs);
}

/// x^T y, in the order of trm_product.
static trm_lane product(int n, const trm_lane *x, const trm_lane *y)
{
    trm_lane sum[4] = {{0}}, rest = {0};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; k++) {
            sum[k] += x[i + k] * y[i + k];
        }
    }
    for (; i < n; i++) {
        rest += x[i] * y[i];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest;
}

/// y[n] := D x. Returns x^T y.
static trm_lane weigh(int n, const trm_lane *D, const trm_lane *x, trm_lane *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = D[i] * x[i];
    }
    return product(n, x, y);
}

/// As trm_directions_find with one part and one pass.
static void iterate(trm_lane_group *group, const trm_lane_shape *shape, trm_lane_round *round)
{
    trm_lane **const at = group->at, *const w = at[TRM_LANE_W], *const D = at[TRM_LANE_D];
    trm_lane *const u = at[TRM_LANE_U], *const weighted = group->gaps;
    const trm_pins pins = pins_of(group, shape);
    trm_lane sum = {0};
    store_numbers(round->before, weigh(shape->nc, D, w, weighted));
    copy(shape->nc, weighted, w);
    solve_once(group, shape->pattern, w, NULL);
    const trm_lane square = weigh(shape->nc, D, w, group->proximal);
    const trm_lane inverse =
        trm_lane_choose(square > 0.0, 1 / trm_lane_root(square), (trm_lane){0});
    for (int i = 0; i < shape->nc; i++) {
        w[i] *= inverse;
    }
    store_numbers(round->along, product(shape->nc, weighted, w));
    collect(group, &pins, shape->nbody, w);
    copy(shape->nv, group->F, at[TRM_LANE_GT_W]);
    for (int i = 0; i < shape->nv; i++) {
        u[i] = group->inverse_M[i] * group->F[i];
        sum += group->F[i] * u[i];
    }
    store_numbers(round->sigma, trm_lane_root(trm_lane_larger(sum, (trm_lane){0})));
}

const trm_lane_ops trm_lane_width = {
    .width = TRM_W,
    .create = create,
    .destroy = destroy,
    .take = take,
    .load = load,
    .store = store,
    .put = put,
    .get = get,
    .sum = sum,
    .stage = stage,
    .correct = correct,
    .end = end,
    .measure = measure,
    .iterate = iterate,
};
