#include "engine/rank/null_directions.h"
#include "base/rank_numbers.h"
#include "engine/linear/columns.h"

#include <math.h>
#include <string.h>

enum { MANY = 64 }; // a thousand loops may fall in line at once

void trm_rank_loss_layout(trm_rank_loss *loss, int nc, int nv, trm_arena *arena)
{
    loss->room = nc < MANY ? nc : MANY;
    loss->count = 0;
    loss->W = trm_arena_matrix(arena, loss->room, nc);
    loss->DW = trm_arena_matrix(arena, loss->room, nc);
    loss->sigma = trm_arena_doubles(arena, loss->room);
    loss->D = trm_arena_doubles(arena, nc);
    TRM_ARENA_DOUBLES(arena, nv, &loss->f, &loss->u);
}

/// The next column, orthonormal to those found, by steps of inverse iteration from where it is.
/// Returns its sigma, |G^T w| in the metric of M^-1.
static double iterate(trm_rank_loss *loss, trm_system *system, int passes)
{
    const size_t at = (size_t)loss->count * (size_t)system->nc;
    double *w = loss->W + at, *Dw = loss->DW + at;
    for (int k = 0; k < passes; k++) {
        for (int i = 0; i < system->nc; i++) {
            w[i] = k > 0 ? Dw[i] : loss->D[i] * w[i];
        }
        trm_system_iterate_S(system, w);
        trm_columns_append(loss->count, system->nc, loss->D, loss->W, loss->DW);
    }
    trm_system_spread_both(system, w, loss->f, loss->u);
    const double square = trm_columns_product(system->nv, loss->f, loss->u);
    return loss->sigma[loss->count] = sqrt(fmax(square, 0));
}

/// From L^-T e_i: a pivot d_i is the square of sigma of that direction, or more, and of others it
/// has what one step leaves, d_i/sigma_next^2. Rows that take each other's place have small pivots
/// as well: with null directions those tell nothing.
static void select_by_pivots(trm_rank_loss *loss, trm_system *system,
                             const trm_connected_components *components, int p, double low)
{
    const trm_solver *solver = &system->solver;
    for (int i = 0; i < system->nc && loss->count < loss->room; i++) {
        const int place = solver->pattern->place_of[i];
        if (solver->pivot[place] < TRM_WELL * low * low * solver->D[place] &&
            (p < 0 || components->of_row[i] == p)) {
            trm_solver_column(solver, place, loss->W + (size_t)loss->count * (size_t)system->nc);
            loss->count += iterate(loss, system, 1) < low;
        }
    }
}

/// From any direction: one pass leaves (delta + sigma^2)/sigma_next^2 of others in it, two its
/// square, 1e-12 of a direction whose sigma is 0.1, where sigma^2 is 100 delta.
static void look_anywhere(trm_rank_loss *loss, trm_system *system,
                          const trm_connected_components *components, int p, double low)
{
    double sigma = 0;
    while (loss->count < loss->room && sigma < low) {
        double *x = loss->W + (size_t)loss->count * (size_t)system->nc;
        unsigned long long seed = 88172645463325252ULL + (unsigned long long)loss->count;
        for (int i = 0; i < system->nc; i++) { // uniform in [-1, 1], the same in every run
            seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
            x[i] = p < 0 || components->of_row[i] == p
                       ? (double)(seed >> 11) / 4503599627370496.0 - 1
                       : 0;
        }
        sigma = iterate(loss, system, 2);
        loss->count += sigma < low;
    }
}

int trm_rank_loss_find(trm_rank_loss *loss, trm_system *system,
                       const trm_connected_components *components, int p, double low)
{
    const trm_solver *solver = &system->solver;
    loss->count = 0;
    for (int i = 0; i < system->nc; i++) {
        loss->D[i] = solver->D[solver->pattern->place_of[i]];
    }
    if (solver->null.used.components == 0) {
        select_by_pivots(loss, system, components, p, low);
    }
    look_anywhere(loss, system, components, p, low);
    return loss->count;
}

void trm_rank_loss_keep_others(const trm_rank_loss *loss, trm_system *system, const double *gamma,
                               double *x, double *y)
{
    trm_system_multiply_G(system, x, y);
    for (int i = 0; gamma && i < system->nc; i++) {
        y[i] -= gamma[i];
    }
    trm_columns_leave_out(loss->count, system->nc, loss->DW, loss->W, y);
    trm_system_solve_S(system, y);
    trm_columns_leave_out(loss->count, system->nc, loss->W, loss->DW, y);
    trm_system_subtract_spread(system, TRM_METRIC_MASS, y, x);
}
