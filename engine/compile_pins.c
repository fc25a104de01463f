/// Which joints are pins, and how they meet: scene -> model.
#include "engine/compile.h"

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
                               .row = d->blocks[block].row,
                               .S = model->pattern->diagonal[k],
                               .la = {row->la[0], row->la[1]},
                               .lb = {row->lb[0], row->lb[1]}};
        }
        n += is_pin;
    }
    return n;
}

/// Uses i and j of a body by two pins, see draft.uses.
static trm_pin_pair pair_of(const trm_model *model, int body, const int *i, const int *j)
{
    int transposed = 0;
    const int S = trm_pattern_offset(model->pattern, i[0], j[0], &transposed);
    return transposed ? pair_of(model, body, j, i)
                      : (trm_pin_pair){.body = body,
                                       .i = 4 * model->pins.of_block[i[0]] + 2 * i[1],
                                       .j = 4 * model->pins.of_block[j[0]] + 2 * j[1],
                                       .S = S,
                                       .sign = i[1] == j[1] ? 1 : -1};
}

/// All pairs of pins that share a moving body. Returns how many; pair may be NULL.
static int list_pairs(const trm_model *model, const trm_draft *d, trm_pin_pair *pair)
{
    int n = 0;
    for (int body = 0; body < d->scene->nbodies; body++) {
        for (int i = d->first_use[body]; i < d->first_use[body + 1]; i++) {
            for (int j = d->first_use[body]; j < i; j++) {
                if (trm_is_pin(d, d->uses[2 * i]) && trm_is_pin(d, d->uses[2 * j])) {
                    if (pair) {
                        pair[n] = pair_of(model, body, d->uses + 2 * i, d->uses + 2 * j);
                    }
                    n++;
                }
            }
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

void trm_compile_pins(trm_model *model, const trm_draft *d)
{
    trm_arena *arena = &model->arena;
    trm_pins *pins = &model->pins;
    pins->n = list_pins(model, d, NULL, NULL);
    pins->npairs = list_pairs(model, d, NULL);
    pins->ncopies = list_copies(model, d, NULL);
    trm_pin *pin = trm_arena_take(arena, (size_t)pins->n, sizeof *pin);
    trm_pin_pair *pair = trm_arena_take(arena, (size_t)pins->npairs, sizeof *pair);
    trm_pin_copy *copy = trm_arena_take(arena, (size_t)pins->ncopies, sizeof *copy);
    int *of_block = trm_arena_ints(arena, d->nblocks);
    pins->pin = pin;
    pins->pair = pair;
    pins->copy = copy;
    pins->of_block = of_block;
    if (arena->base) {
        list_pins(model, d, pin, of_block);
        list_pairs(model, d, pair);
        list_copies(model, d, copy);
    }
}
