/// Which joints are pins, and how they meet: scene -> model.
#include "engine/compiler/compile.h"

#include <stdlib.h>

int trm_is_pin(const trm_draft *d, int block)
{
    return d->scene->dimension == 2 && block < d->scene->njoints && d->rows[block].n == 1 &&
           d->rows[block].row[0].kind == TRM_ROW_COINCIDENT;
}

/// The bodies of pin `block`.
static const int *ends_of(const trm_draft *d, int block)
{
    return d->block_bodies + d->blocks[block].body;
}

static int is_on_ground(const trm_draft *d, int block)
{
    const int *ends = ends_of(d, block);
    return ends[0] == d->scene->nbodies || ends[1] == d->scene->nbodies;
}

/// l and l turned left.
static void set_arm(const double *l, double arm[2][2])
{
    arm[0][0] = l[0];
    arm[0][1] = l[1];
    arm[1][0] = -l[1];
    arm[1][1] = l[0];
}

static trm_ground_pin ground_pin_of(const trm_draft *d, int block)
{
    const trm_row *row = &d->rows[block].row[0];
    const int is_b = row->a == d->scene->nbodies;
    const int body = is_b ? row->b : row->a;
    const double *at = is_b ? row->la : row->lb;
    trm_ground_pin pin = {.body = body,
                          .v = 3 * body,
                          .row = d->blocks[block].row,
                          .sign = is_b ? 1 : -1,
                          .at = {at[0], at[1]}};
    set_arm(is_b ? row->lb : row->la, pin.l);
    return pin;
}

static trm_pin pin_of(const trm_draft *d, int block)
{
    const trm_row *row = &d->rows[block].row[0];
    trm_pin pin = {
        .a = row->a, .b = row->b, .va = 3 * row->a, .vb = 3 * row->b, .row = d->blocks[block].row};
    set_arm(row->la, pin.la);
    set_arm(row->lb, pin.lb);
    return pin;
}

/// The pins, on the ground or the others, in elimination order.
/// Returns how many; blocks[] may be NULL.
static int list_pins(const trm_model *model, const trm_draft *d, int on_ground, int *blocks)
{
    int n = 0;
    for (int k = 0; k < d->nblocks; k++) {
        const int block = model->pattern->order[k];
        if (trm_is_pin(d, block) && is_on_ground(d, block) == on_ground) {
            if (blocks) {
                blocks[n] = block;
            }
            n++;
        }
    }
    return n;
}

/// All of them, those on the ground first, and where their moments
/// begin; `blocks` is room for a list.
static void number_pins(const trm_model *model, const trm_draft *d, int *blocks,
                        trm_ground_pin *ground, trm_pin *pin, int *moment)
{
    const trm_pins *pins = &model->pins;
    for (int block = 0; block < d->nblocks; block++) {
        moment[block] = -1;
    }
    list_pins(model, d, 1, blocks);
    for (int i = 0; i < pins->nground; i++) {
        ground[i] = ground_pin_of(d, blocks[i]);
        moment[blocks[i]] = 2 * i;
    }
    list_pins(model, d, 0, blocks);
    for (int i = 0; i < pins->n; i++) {
        pin[i] = pin_of(d, blocks[i]);
        moment[blocks[i]] = 2 * pins->nground + 4 * i;
    }
}

/// Where the moment of end number `use` of a pin begins, an end that moves.
static int moment_of(const trm_model *model, const trm_draft *d, int block, int use)
{
    return model->pins.moment[block] + (is_on_ground(d, block) ? 0 : 2 * use);
}

int trm_meet_before(const trm_draft *d, int i, int j, int body)
{
    for (int b = 0; b < d->blocks[i].nbodies; b++) {
        const int shared = d->block_bodies[d->blocks[i].body + b];
        for (int c = 0; shared < body && c < d->blocks[j].nbodies; c++) {
            if (d->block_bodies[d->blocks[j].body + c] == shared) {
                return 1;
            }
        }
    }
    return 0;
}

/// W = diag(w, w, u) by body, the ground's included.
typedef struct weights {
    const double *w, *u;
} weights;

static void list_diagonals(const trm_model *model, const trm_draft *d, weights by,
                           trm_pin_diagonal *diagonal)
{
    const trm_pins *pins = &model->pins;
    for (int block = 0; block < d->nblocks; block++) {
        if (pins->moment[block] < 0) {
            continue;
        }
        const int *ends = ends_of(d, block);
        const int on_ground = is_on_ground(d, block);
        const int moments = pins->moment[block] / 2;
        const int i = on_ground ? moments : (moments + pins->nground) / 2;
        diagonal[i] = (trm_pin_diagonal){
            .S = model->pattern->diagonal[model->pattern->place[block]],
            .both = by.w[ends[0]] + by.w[ends[1]],
            .u = {on_ground ? by.u[ends[0]] + by.u[ends[1]] : by.u[ends[0]], by.u[ends[1]]}};
    }
}

/// Uses i and j of a body by two pins, see draft.uses.
static trm_pin_pair pair_of(const trm_model *model, const trm_draft *d, weights by, int body,
                            const int *i, const int *j)
{
    int transposed = 0;
    const int S = trm_pattern_offset(model->pattern, i[0], j[0], &transposed);
    return transposed ? pair_of(model, d, by, body, j, i)
                      : (trm_pin_pair){.i = moment_of(model, d, i[0], i[1]),
                                       .j = moment_of(model, d, j[0], j[1]),
                                       .S = S,
                                       .more = trm_meet_before(d, i[0], j[0], body),
                                       .plain = i[1] == j[1] ? by.w[body] : -by.w[body],
                                       .u = by.u[body]};
}

/// All pairs of pins that share a moving body. Returns how many; pair may be NULL.
static int list_pairs(const trm_model *model, const trm_draft *d, weights by, trm_pin_pair *pair)
{
    int n = 0;
    for (int body = 0; body < d->scene->nbodies; body++) {
        for (int i = d->first_use[body]; i < d->first_use[body + 1]; i++) {
            for (int j = d->first_use[body]; j < i; j++) {
                if (trm_is_pin(d, d->uses[2 * i]) && trm_is_pin(d, d->uses[2 * j])) {
                    if (pair) {
                        pair[n] = pair_of(model, d, by, body, d->uses + 2 * i, d->uses + 2 * j);
                    }
                    n++;
                }
            }
        }
    }
    return n;
}

/// Those that write a block before those that add to it.
static int in_order_of_S(const void *a, const void *b)
{
    const trm_pin_pair *x = a, *y = b;
    return x->more != y->more ? x->more - y->more : x->S - y->S;
}

/// Whether a moving body carries a block that is no pin.
static int has_others(const trm_draft *d, int body)
{
    for (int i = d->first_use[body]; i < d->first_use[body + 1]; i++) {
        if (!trm_is_pin(d, d->uses[2 * i])) {
            return 1;
        }
    }
    return 0;
}

/// The pins of bodies that carry other joints too. Returns how many; copy may be NULL.
static int list_copies(const trm_model *model, const trm_draft *d, trm_pin_copy *copy)
{
    int n = 0;
    for (int body = 0; body < d->scene->nbodies; body++) {
        for (int i = d->first_use[body]; i < d->first_use[body + 1] && has_others(d, body); i++) {
            const int block = d->uses[2 * i], use = d->uses[2 * i + 1];
            if (trm_is_pin(d, block)) {
                if (copy) {
                    copy[n] = (trm_pin_copy){.m = moment_of(model, d, block, use),
                                             .G = d->blocks[block].G + 6 * use,
                                             .sign = 2 * use - 1};
                }
                n++;
            }
        }
    }
    return n;
}

/// The blocks of S for one W.
static void compile_blocks(trm_model *model, const trm_draft *d, int metric)
{
    const trm_bodies *bodies = &model->bodies;
    const int mass = metric == TRM_METRIC_MASS;
    const weights by = {mass ? bodies->inverse_mass : bodies->moves,
                        mass ? bodies->inverse_inertia : bodies->turns};
    trm_pins *pins = &model->pins;
    trm_pin_diagonal *diagonal =
        trm_arena_take(&model->arena, (size_t)(pins->nground + pins->n), sizeof *diagonal);
    trm_pin_pair *pair = trm_arena_take(&model->arena, (size_t)pins->npairs, sizeof *pair);
    pins->diagonal[metric] = diagonal;
    pins->pair[metric] = pair;
    if (diagonal && pair) {
        list_diagonals(model, d, by, diagonal);
        list_pairs(model, d, by, pair);
        qsort(pair, (size_t)pins->npairs, sizeof *pair, in_order_of_S);
        pins->nfirst = 0;
        while (pins->nfirst < pins->npairs && !pair[pins->nfirst].more) {
            pins->nfirst++;
        }
    }
}

void trm_compile_pins(trm_model *model, const trm_draft *d)
{
    trm_arena *arena = &model->arena;
    trm_pins *pins = &model->pins;
    pins->nground = list_pins(model, d, 1, NULL);
    pins->n = list_pins(model, d, 0, NULL);
    pins->nmoments = 2 * pins->nground + 4 * pins->n;
    pins->npairs = list_pairs(model, d, (weights){NULL, NULL}, NULL);
    pins->ncopies = list_copies(model, d, NULL);
    trm_ground_pin *ground = trm_arena_take(arena, (size_t)pins->nground, sizeof *ground);
    trm_pin *pin = trm_arena_take(arena, (size_t)pins->n, sizeof *pin);
    trm_pin_copy *copy = trm_arena_take(arena, (size_t)pins->ncopies, sizeof *copy);
    int *moment = trm_arena_ints(arena, d->nblocks);
    int *blocks = trm_arena_ints(arena, d->nblocks);
    pins->ground = ground;
    pins->pin = pin;
    pins->copy = copy;
    pins->moment = moment;
    if (arena->base) {
        number_pins(model, d, blocks, ground, pin, moment);
        list_copies(model, d, copy);
    }
    compile_blocks(model, d, TRM_METRIC_MASS);
    compile_blocks(model, d, TRM_METRIC_IDENTITY);
}
