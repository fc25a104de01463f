#include "simulation/singular/crossing_record.h"
#include "base/loops.h"
#include "trammel/trammel_report.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

void trm_crossing_record_layout(trm_crossing_record *record, const trm_system *system,
                                trm_arena *arena)
{
    const size_t nc = (size_t)system->nc;
    record->kept = trm_arena_take(arena, TRM_CROSSINGS_KEPT + 1, sizeof *record->kept);
    record->rows = trm_arena_take(arena, nc * (TRM_CROSSINGS_KEPT + 1), sizeof *record->rows);
    record->weight = trm_arena_doubles(arena, system->nc);
    record->involved = trm_arena_take(arena, (size_t)system->nv, 1);
    for (int i = 0; record->kept && i <= TRM_CROSSINGS_KEPT; i++) {
        record->kept[i].rows = record->rows + (size_t)i * nc;
    }
}

void trm_crossing_record_start(trm_crossing_record *record)
{
    record->count = record->resolved = record->undecided = 0;
    record->branch_changes = record->bifurcations = 0;
    record->last_not_reached = 0;
    record->first_undecided = record->first_branch_change = record->first_bifurcation = NAN;
    record->energy_lost = 0;
    record->t_energy_lost = NAN;
}

trm_crossing *trm_crossing_record_of(const trm_crossing_record *record, long number)
{
    const int gone = number + TRM_CROSSINGS_KEPT <= record->count;
    return &record->kept[gone ? TRM_CROSSINGS_KEPT : (number - 1) % TRM_CROSSINGS_KEPT];
}

trm_crossing *trm_crossing_record_last(const trm_crossing_record *record)
{
    return trm_crossing_record_of(record, record->count);
}

long trm_crossing_record_reached(const trm_crossing_record *record)
{
    return record->count - record->last_not_reached;
}

trm_crossing *trm_crossing_record_new(trm_crossing_record *record)
{
    record->count++;
    record->last_not_reached = 0;
    trm_crossing *crossing = trm_crossing_record_last(record);
    const size_t nc = (size_t)(record->kept[1].rows - record->kept[0].rows);
    int *const rows = record->rows + (crossing - record->kept) * (ptrdiff_t)nc;
    // a saved state has the same bytes whatever was here; it is cut in words of two ints
    memset(rows, 0, (nc + 1) * sizeof *rows);
    *crossing = (trm_crossing){.rows = rows};
    return crossing;
}

/// weight[nc] := the largest part that row i has in a dependence; returns how many there are.
static int find_dependences(trm_crossing_record *record, trm_system *system,
                            const trm_connected_components *components, int p, double low)
{
    const int nc = system->nc;
    const int found = trm_rank_loss_find(record->loss, system, components, p, low);
    const int described = found > 0 ? found : 1; // the one that is followed
    memset(record->weight, 0, (size_t)nc * sizeof *record->weight);
    for (int k = 0; k < described; k++) {
        const double *w = record->loss->W + (size_t)k * (size_t)nc;
        for (int i = 0; i < nc; i++) {
            record->weight[i] = trm_larger(fabs(w[i]), record->weight[i]);
        }
    }
    for (int i = 0; i < nc; i++) {
        record->weight[i] *= sqrt(record->loss->D[i]);
    }
    return described;
}

/// The bodies of the rows of the last crossing; all where no row is known, or no body.
static void find_involved(trm_crossing_record *record, const trm_model *model,
                          const trm_crossing *crossing)
{
    const int all = crossing->nrows == 0 || model->from_equations || model->joints;
    memset(record->involved, all, (size_t)model->sizes.nv);
    for (int b = 0, i = 0; !all && b < model->nblocks; b++) {
        const trm_block *block = &model->blocks[b];
        while (i < crossing->nrows && crossing->rows[i] < block->row) {
            i++;
        }
        const int here = i < crossing->nrows && crossing->rows[i] < block->row + block->rows;
        for (int k = 0; here && k < block->nbodies; k++) {
            const int body = model->block_bodies[block->body + k];
            if (body < model->sizes.nbody) {
                const trm_body_info *info = &model->body_info[body];
                memset(record->involved + info->v0, 1, (size_t)info->nv);
            }
        }
    }
}

void trm_crossing_record_describe(trm_crossing_record *record, const trm_model *model,
                                  trm_system *system, const trm_connected_components *components,
                                  int p, const trm_direction *d, double low, trm_crossing *crossing)
{
    const double involved = 0.05; // of a dependence of length one
    int *rows = record->rows + (size_t)(crossing - record->kept) * (size_t)system->nc;
    crossing->t = d->t[p];
    crossing->sigma = d->sigma[p];
    crossing->rank_before = system->nc - system->solver.null.nullity;
    crossing->rank_at =
        crossing->rank_before - find_dependences(record, system, components, p, low);
    crossing->nrows = 0;
    for (int i = 0; i < system->nc; i++) {
        rows[crossing->nrows] = i; // kept if it counts
        crossing->nrows += record->weight[i] > involved;
    }
    find_involved(record, model, crossing);
}

double trm_crossing_record_met_undecided(const trm_crossing_record *record)
{
    const int last = record->count > 0 && trm_crossing_record_last(record)->undecided;
    return record->undecided > 0 ? record->first_undecided
           : last                ? trm_crossing_record_last(record)->t
                                 : NAN;
}

void trm_crossing_record_bifurcation(trm_crossing_record *record, long number, double t)
{
    trm_crossing_record_of(record, number)->bifurcation = 1;
    if (record->bifurcations++ == 0) {
        record->first_bifurcation = t;
    }
}

void trm_crossing_record_untold(trm_crossing_record *record, double t)
{
    if (record->undecided++ == 0) {
        record->first_undecided = t;
    }
}

void trm_crossing_record_judged(trm_crossing_record *record, trm_crossing *crossing)
{
    crossing->judged = 1;
    record->last_not_reached =
        record->last_not_reached && crossing != trm_crossing_record_last(record);
    crossing->rank_after = crossing->rank_before;
    record->resolved += crossing->resolved;
    if (crossing->undecided) {
        trm_crossing_record_untold(record, crossing->t);
    }
    if (crossing->branch_changed && record->branch_changes++ == 0) {
        record->first_branch_change = crossing->t;
    }
    if (fabs(crossing->energy_lost) > record->energy_lost) {
        record->energy_lost = fabs(crossing->energy_lost);
        record->t_energy_lost = crossing->t;
    }
}
