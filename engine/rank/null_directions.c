#include "engine/rank/null_directions.h"
#include "base/rank_numbers.h"
#include "engine/linear/columns.h"

#include <math.h>
#include <string.h>

enum { MANY = 64 }; // a thousand loops may fall in line at once

void trm_lost_layout(trm_lost *lost, int nc, int nv, trm_arena *arena)
{
    lost->room = nc < MANY ? nc : MANY;
    lost->count = 0;
    lost->W = trm_arena_matrix(arena, lost->room, nc);
    lost->DW = trm_arena_matrix(arena, lost->room, nc);
    lost->sigma = trm_arena_doubles(arena, lost->room);
    lost->D = trm_arena_doubles(arena, nc);
    lost->f = trm_arena_doubles(arena, nv);
    lost->u = trm_arena_doubles(arena, nv);
}

/// The next column, orthonormal to those found, by steps of inverse iteration from where it is.
/// Returns its sigma, |G^T w| in the metric of M^-1.
static double iterate(trm_lost *lost, trm_system *system, int passes)
{
    const size_t at = (size_t)lost->count * (size_t)system->nc;
    double *w = lost->W + at, *Dw = lost->DW + at;
    for (int k = 0; k < passes; k++) {
        for (int i = 0; i < system->nc; i++) {
            w[i] = k > 0 ? Dw[i] : lost->D[i] * w[i];
        }
        trm_system_iterate_S(system, w);
        trm_columns_append(lost->count, system->nc, lost->D, lost->W, lost->DW);
    }
    trm_system_multiply_GT(system, w, lost->f);
    memcpy(lost->u, lost->f, (size_t)system->nv * sizeof(double));
    trm_system_solve_M(system, lost->u);
    const double square = trm_columns_product(system->nv, lost->f, lost->u);
    return lost->sigma[lost->count] = sqrt(fmax(square, 0));
}

/// From L^-T e_i: a pivot d_i is the square of sigma of that direction, or more, and of others it
/// has what one step leaves, d_i/sigma_next^2. Rows that take each other's place have small pivots
/// as well: with null directions those tell nothing.
static void look_at_pivots(trm_lost *lost, trm_system *system, const trm_parts *parts, int p,
                           double low)
{
    const trm_solver *solver = &system->solver;
    for (int i = 0; i < system->nc && lost->count < lost->room; i++) {
        const int place = solver->pattern->place_of[i];
        if (solver->pivot[place] < TRM_WELL * low * low * solver->D[place] &&
            (p < 0 || parts->of_row[i] == p)) {
            trm_solver_column(solver, place, lost->W + (size_t)lost->count * (size_t)system->nc);
            lost->count += iterate(lost, system, 1) < low;
        }
    }
}

/// From any direction: one pass leaves (delta + sigma^2)/sigma_next^2 of others in it, two its
/// square, 1e-12 of a direction whose sigma is 0.1, where sigma^2 is 100 delta.
static void look_anywhere(trm_lost *lost, trm_system *system, const trm_parts *parts, int p,
                          double low)
{
    double sigma = 0;
    while (lost->count < lost->room && sigma < low) {
        double *x = lost->W + (size_t)lost->count * (size_t)system->nc;
        unsigned long long seed = 88172645463325252ULL + (unsigned long long)lost->count;
        for (int i = 0; i < system->nc; i++) { // uniform in [-1, 1], the same in every run
            seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
            x[i] =
                p < 0 || parts->of_row[i] == p ? (double)(seed >> 11) / 4503599627370496.0 - 1 : 0;
        }
        sigma = iterate(lost, system, 2);
        lost->count += sigma < low;
    }
}

int trm_lost_find(trm_lost *lost, trm_system *system, const trm_parts *parts, int p, double low)
{
    const trm_solver *solver = &system->solver;
    lost->count = 0;
    for (int i = 0; i < system->nc; i++) {
        lost->D[i] = solver->D[solver->pattern->place_of[i]];
    }
    if (solver->null.used.parts == 0) {
        look_at_pivots(lost, system, parts, p, low);
    }
    look_anywhere(lost, system, parts, p, low);
    return lost->count;
}

void trm_lost_keep_others(const trm_lost *lost, trm_system *system, const double *gamma, double *x,
                          double *y)
{
    trm_system_multiply_G(system, x, y);
    for (int i = 0; gamma && i < system->nc; i++) {
        y[i] -= gamma[i];
    }
    trm_columns_leave_out(lost->count, system->nc, lost->DW, lost->W, y);
    trm_system_solve_S(system, y);
    trm_columns_leave_out(lost->count, system->nc, lost->W, lost->DW, y);
    trm_system_subtract_spread(system, TRM_METRIC_MASS, y, x);
}
