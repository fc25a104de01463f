/// Which joints are pins, and how they meet: scene -> model.
#include "engine/compile.h"

#include <stdlib.h>

int trm_is_pin(const trm_draft *d, int block)
{
    return d->scene->dimension == 2 && block < d->scene->njoints && d->rows[block].n == 1 &&
           d->rows[block].row[0].kind == TRM_ROW_COINCIDENT;
}

/// The pins in elimination order. Returns how many; pin and of_block may be NULL.
static int list_pins(const trm_model *model, const trm_draft *d, trm_pin *pin, int *of_block)
{
    int n = 0;
    for (int k = 0; k < d->nblocks; k++) {
        const int block = model->pattern->order[k];
        const int is_pin = trm_is_pin(d, block);
        if (of_block) {
            of_block[block] = is_pin ? n : -1;
        }
        if (is_pin && pin) {
            const trm_row *row = &d->rows[block].row[0];
            pin[n] = (trm_pin){.a = row->a,
                               .b = row->b,
                               .va = 3 * row->a,
                               .vb = 3 * row->b,
                               .row = d->blocks[block].row,
                               .la = {row->la[0], row->la[1]},
                               .lb = {row->lb[0], row->lb[1]}};
        }
        n += is_pin;
    }
    return n;
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
        const int i = pins->of_block[block];
        if (i >= 0) {
            const trm_pin *pin = &pins->pin[i];
            diagonal[i] =
                (trm_pin_diagonal){.S = model->pattern->diagonal[model->pattern->place[block]],
                                   .both = by.w[pin->a] + by.w[pin->b],
                                   .ua = by.u[pin->a],
                                   .ub = by.u[pin->b]};
        }
    }
}

/// Uses i and j of a body by two pins, see draft.uses.
static trm_pin_pair pair_of(const trm_model *model, const trm_draft *d, weights by, int body,
                            const int *i, const int *j)
{
    int transposed = 0;
    const int S = trm_pattern_offset(model->pattern, i[0], j[0], &transposed);
    return transposed ? pair_of(model, d, by, body, j, i)
                      : (trm_pin_pair){.i = 4 * model->pins.of_block[i[0]] + 2 * i[1],
                                       .j = 4 * model->pins.of_block[j[0]] + 2 * j[1],
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

/// Whether pins, or the couplings of a spatial model, write all of the block (i, j) of S.
static int is_written(const trm_draft *d, int i, int j)
{
    const int pins = trm_is_pin(d, i) && trm_is_pin(d, j);
    const int meet = trm_meet_before(d, i, j, d->scene->nbodies);
    return d->scene->dimension == 3 ? meet : pins && (i == j || meet);
}

/// The values of S that are not written, in stretches. Returns how many; blank may be NULL.
static int list_blanks(const trm_model *model, const trm_draft *d, trm_pin_blank *blank)
{
    const trm_pattern *p = model->pattern;
    int n = 0;
    int end = -1; // of the last one
    for (int k = 0; k < p->nblocks; k++) {
        for (int e = p->column[k] - 1; e < p->column[k + 1]; e++) {
            const int below = e < p->column[k] ? k : p->block[e];
            const int begin = below == k ? p->diagonal[k] : p->offset[e];
            const int count = p->size[below] * p->size[k];
            if (is_written(d, p->order[below], p->order[k])) {
                continue;
            }
            if (begin != end) {
                n++;
            }
            if (blank) {
                const int first = begin == end ? blank[n - 1].begin : begin;
                blank[n - 1] = (trm_pin_blank){first, begin + count - first};
            }
            end = begin + count;
        }
    }
    return n;
}

/// Whether a moving body of the block belongs to a block that is no pin.
static int has_other_neighbour(const trm_draft *d, int block)
{
    for (int k = 0; k < d->blocks[block].nbodies; k++) {
        const int body = d->block_bodies[d->blocks[block].body + k];
        for (int i = d->first_use[body]; body < d->scene->nbodies && i < d->first_use[body + 1];
             i++) {
            if (!trm_is_pin(d, d->uses[2 * i])) {
                return 1;
            }
        }
    }
    return 0;
}

static int list_copies(const trm_model *model, const trm_draft *d, trm_pin_copy *copy)
{
    int n = 0;
    for (int block = 0; block < d->nblocks; block++) {
        if (trm_is_pin(d, block) && has_other_neighbour(d, block)) {
            if (copy) {
                copy[n] = (trm_pin_copy){model->pins.of_block[block], d->blocks[block].G};
            }
            n++;
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
    trm_pin_diagonal *diagonal = trm_arena_take(&model->arena, (size_t)pins->n, sizeof *diagonal);
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
    pins->n = list_pins(model, d, NULL, NULL);
    pins->npairs = list_pairs(model, d, (weights){NULL, NULL}, NULL);
    pins->ncopies = list_copies(model, d, NULL);
    pins->nblanks = list_blanks(model, d, NULL);
    trm_pin *pin = trm_arena_take(arena, (size_t)pins->n, sizeof *pin);
    trm_pin_copy *copy = trm_arena_take(arena, (size_t)pins->ncopies, sizeof *copy);
    trm_pin_blank *blank = trm_arena_take(arena, (size_t)pins->nblanks, sizeof *blank);
    int *of_block = trm_arena_ints(arena, d->nblocks);
    pins->pin = pin;
    pins->copy = copy;
    pins->blank = blank;
    pins->of_block = of_block;
    if (arena->base) {
        list_pins(model, d, pin, of_block);
        list_copies(model, d, copy);
        list_blanks(model, d, blank);
    }
    compile_blocks(model, d, TRM_METRIC_MASS);
    compile_blocks(model, d, TRM_METRIC_IDENTITY);
}
