#include "engine/passage/lost.h"

#include <math.h>
#include <string.h>

enum { MANY = 64 }; // a thousand loops may fall in line at once

void trm_lost_layout(trm_lost *lost, int nc, int nv, trm_arena *arena)
{
    lost->room = nc < MANY ? nc : MANY;
    lost->count = 0;
    lost->W = trm_arena_matrix(arena, lost->room, nc);
    lost->sigma = trm_arena_doubles(arena, lost->room);
    lost->f = trm_arena_doubles(arena, nv);
    lost->u = trm_arena_doubles(arena, nv);
}

static double scale_of(const trm_system *system, int row)
{
    return system->solver.D[system->solver.pattern->place_of[row]];
}

static const double *direction(const trm_lost *lost, const trm_system *system, int k)
{
    return lost->W + (size_t)k * (size_t)system->nc;
}

/// x := x - W W^T D x, of a solution.
static void leave_out(const trm_lost *lost, const trm_system *system, double *x)
{
    for (int k = 0; k < lost->count; k++) {
        const double *w = direction(lost, system, k);
        double part = 0;
        for (int i = 0; i < system->nc; i++) {
            part += scale_of(system, i) * w[i] * x[i];
        }
        for (int i = 0; i < system->nc; i++) {
            x[i] -= part * w[i];
        }
    }
}

/// x of unit length in units of sqrt(D).
static void normalize(const trm_system *system, double *x)
{
    double length = 0;
    for (int i = 0; i < system->nc; i++) {
        length += scale_of(system, i) * x[i] * x[i];
    }
    length = sqrt(length);
    for (int i = 0; i < system->nc && length > 0; i++) {
        x[i] /= length;
    }
}

/// |G^T w| in the metric of M^-1.
static double sigma_of(trm_lost *lost, trm_system *system, const double *w)
{
    double sum = 0;
    trm_system_multiply_GT(system, w, lost->f);
    memcpy(lost->u, lost->f, (size_t)system->nv * sizeof(double));
    trm_system_solve_M(system, lost->u);
    for (int i = 0; i < system->nv; i++) {
        sum += lost->f[i] * lost->u[i];
    }
    return sqrt(fmax(sum, 0));
}

/// The next direction, W_count, and its sigma.
static double find_next(trm_lost *lost, trm_system *system, const trm_parts *parts, int p)
{
    enum { PASSES = 3 };
    double *x = lost->W + (size_t)lost->count * (size_t)system->nc;
    for (int i = 0; i < system->nc; i++) {
        x[i] = p < 0 || parts->of_row[i] == p ? cos(1.0 + i + 2.0 * lost->count) : 0; // any
    }
    for (int k = 0; k < PASSES; k++) {
        leave_out(lost, system, x);
        normalize(system, x);
        for (int i = 0; i < system->nc; i++) {
            x[i] *= scale_of(system, i);
        }
        trm_system_solve_S(system, x);
        leave_out(lost, system, x);
        normalize(system, x);
    }
    return sigma_of(lost, system, x);
}

int trm_lost_find(trm_lost *lost, trm_system *system, const trm_parts *parts, int p, double low)
{
    lost->count = 0;
    while (lost->count < lost->room) {
        const double sigma = find_next(lost, system, parts, p);
        if (!(sigma < low)) {
            lost->sigma[lost->count] = sigma;
            break;
        }
        lost->sigma[lost->count++] = sigma;
    }
    return lost->count;
}

void trm_lost_solve(const trm_lost *lost, trm_system *system, double *x)
{
    for (int k = 0; k < lost->count; k++) { // x - D W W^T x
        const double *w = direction(lost, system, k);
        double part = 0;
        for (int i = 0; i < system->nc; i++) {
            part += w[i] * x[i];
        }
        for (int i = 0; i < system->nc; i++) {
            x[i] -= part * scale_of(system, i) * w[i];
        }
    }
    trm_system_solve_S(system, x);
    leave_out(lost, system, x);
}
