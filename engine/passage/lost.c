#include "engine/passage/lost.h"
#include "engine/base/quad.h"

#include <math.h>
#include <string.h>

enum { MANY = 64 };    // a thousand loops may fall in line at once
enum { TOGETHER = 4 }; // directions: what x is read and written for

void trm_lost_layout(trm_lost *lost, int nc, int nv, trm_arena *arena)
{
    lost->room = nc < MANY ? nc : MANY;
    lost->count = 0;
    lost->W = trm_arena_matrix(arena, lost->room, nc);
    lost->sigma = trm_arena_doubles(arena, lost->room);
    lost->D = trm_arena_doubles(arena, nc);
    lost->f = trm_arena_doubles(arena, nv);
    lost->u = trm_arena_doubles(arena, nv);
}

static void note_scale(trm_lost *lost, const trm_system *system)
{
    for (int i = 0; i < system->nc; i++) {
        lost->D[i] = system->solver.D[system->solver.pattern->place_of[i]];
    }
}

/// x[n] := x - sum_k w_k (w_k^T D x) of m directions, one behind the other in memory; m is literal.
TRM_INLINE void leave_out_of(int m, int n, const double *D, const double *w, double *x)
{
    const size_t length = (size_t)n;
    trm_quad sum[TOGETHER] = {{0}};
    double part[TOGETHER];
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        const trm_quad weighted = *trm_quad_at(D + i) * *trm_quad_at(x + i);
        for (int k = 0; k < m; k++) {
            sum[k] += *trm_quad_at(w + (size_t)k * length + i) * weighted;
        }
    }
    for (int k = 0; k < m; k++) {
        part[k] = (sum[k][0] + sum[k][1]) + (sum[k][2] + sum[k][3]);
        for (int j = i; j < n; j++) {
            part[k] += w[(size_t)k * length + (size_t)j] * D[j] * x[j];
        }
    }
    for (i = 0; i + 4 <= n; i += 4) {
        trm_quad left = *trm_quad_at(x + i);
        for (int k = 0; k < m; k++) {
            left -= part[k] * *trm_quad_at(w + (size_t)k * length + i);
        }
        *trm_quad_to(x + i) = left;
    }
    for (; i < n; i++) {
        for (int k = 0; k < m; k++) {
            x[i] -= part[k] * w[(size_t)k * length + (size_t)i];
        }
    }
}

TRM_WIDE static void leave_out_all(int count, int n, const double *D, const double *W, double *x)
{
    int k = 0;
    for (; k + TOGETHER <= count; k += TOGETHER) {
        leave_out_of(TOGETHER, n, D, W + (size_t)k * (size_t)n, x);
    }
    for (; k < count; k++) {
        leave_out_of(1, n, D, W + (size_t)k * (size_t)n, x);
    }
}

/// x := x - W W^T D x, of a solution.
static void leave_out(const trm_lost *lost, const trm_system *system, double *x)
{
    leave_out_all(lost->count, system->nc, lost->D, lost->W, x);
}

/// x of unit length in units of sqrt(D).
static void normalize(const trm_lost *lost, const trm_system *system, double *x)
{
    double length = 0;
    for (int i = 0; i < system->nc; i++) {
        length += lost->D[i] * x[i] * x[i];
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

/// The next direction, W_count, and its sigma. One pass leaves (delta + sigma^2)/sigma_next^2 of
/// others in it, two its square: 1e-12 of a direction whose sigma is 0.1, where sigma^2 is 100
/// delta.
static double find_next(trm_lost *lost, trm_system *system, const trm_parts *parts, int p)
{
    double *x = lost->W + (size_t)lost->count * (size_t)system->nc;
    unsigned long long seed = 88172645463325252ULL + (unsigned long long)lost->count;
    for (int i = 0; i < system->nc; i++) { // any: uniform in [-1, 1], the same in every run
        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        x[i] = p < 0 || parts->of_row[i] == p ? (double)(seed >> 11) / 4503599627370496.0 - 1 : 0;
    }
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < system->nc; i++) {
            x[i] *= lost->D[i];
        }
        trm_system_iterate_S(system, x);
        leave_out(lost, system, x);
        normalize(lost, system, x);
    }
    return sigma_of(lost, system, x);
}

int trm_lost_find(trm_lost *lost, trm_system *system, const trm_parts *parts, int p, double low)
{
    lost->count = 0;
    note_scale(lost, system);
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
    for (int i = 0; i < system->nc; i++) {
        x[i] /= lost->D[i];
    }
    leave_out(lost, system, x);
    for (int i = 0; i < system->nc; i++) { // x - D W W^T x
        x[i] *= lost->D[i];
    }
    trm_system_solve_S(system, x);
    leave_out(lost, system, x);
}
