#include "engine/passage/direction.h"

#include <math.h>
#include <string.h>

void trm_direction_layout(trm_direction *d, const trm_system *system, int parts, trm_arena *arena)
{
    d->t = trm_arena_doubles(arena, parts);
    d->w = trm_arena_doubles(arena, system->nc);
    d->f = trm_arena_doubles(arena, system->nv);
    d->u = trm_arena_doubles(arena, system->nv);
    d->sigma = trm_arena_doubles(arena, parts);
}

static double scale_of(const trm_system *system, int row)
{
    return system->solver.D[system->solver.pattern->place_of[row]];
}

/// x := x without the part of w, part by part, both in units of sqrt(D). part[parts] is for use.
static void leave_out(const trm_system *system, const trm_parts *parts, const double *w,
                      double *part, double *x)
{
    memset(part, 0, (size_t)parts->n * sizeof(double));
    for (int i = 0; i < system->nc; i++) {
        part[parts->of_row[i]] += scale_of(system, i) * w[i] * x[i];
    }
    for (int i = 0; i < system->nc; i++) {
        x[i] -= part[parts->of_row[i]] * w[i];
    }
}

/// x, each part of unit length in units of sqrt(D). length[parts] is for use.
static void normalize(const trm_system *system, const trm_parts *parts, double *length, double *x)
{
    memset(length, 0, (size_t)parts->n * sizeof(double));
    for (int i = 0; i < system->nc; i++) {
        length[parts->of_row[i]] += scale_of(system, i) * x[i] * x[i];
    }
    for (int p = 0; p < parts->n; p++) {
        length[p] = length[p] > 0 ? 1 / sqrt(length[p]) : 0;
    }
    for (int i = 0; i < system->nc; i++) {
        x[i] *= length[parts->of_row[i]];
    }
}

void trm_direction_find(trm_system *system, const trm_parts *parts, double t,
                        const trm_direction *from, int passes, const double *const others[],
                        int nothers, double *x, trm_direction *to)
{
    const double *w = from->w;
    for (int k = 0; k < passes; k++) {
        for (int i = 0; i < system->nc; i++) {
            x[i] = scale_of(system, i) * w[i];
        }
        trm_system_iterate_S(system, x);
        for (int j = 0; j < nothers; j++) {
            leave_out(system, parts, others[j], to->sigma, x);
        }
        normalize(system, parts, to->sigma, x);
        memcpy(to->w, x, (size_t)system->nc * sizeof(double));
        w = to->w;
    }
    trm_system_multiply_GT(system, to->w, to->f);
    memcpy(to->u, to->f, (size_t)system->nv * sizeof(double));
    trm_system_solve_M(system, to->u);
    memset(to->sigma, 0, (size_t)parts->n * sizeof(double));
    for (int i = 0; i < system->nv; i++) {
        if (parts->of_velocity[i] >= 0) {
            to->sigma[parts->of_velocity[i]] += to->f[i] * to->u[i];
        }
    }
    for (int p = 0; p < parts->n; p++) {
        to->sigma[p] = sqrt(fmax(to->sigma[p], 0));
        to->t[p] = t;
    }
}

void trm_direction_cosines(const trm_parts *parts, int nv, const trm_direction *a,
                           const trm_direction *b, double *cosine)
{
    memset(cosine, 0, (size_t)parts->n * sizeof(double));
    for (int i = 0; i < nv; i++) {
        if (parts->of_velocity[i] >= 0) {
            cosine[parts->of_velocity[i]] += a->u[i] * b->f[i];
        }
    }
    for (int p = 0; p < parts->n; p++) {
        const double size = a->sigma[p] * b->sigma[p];
        cosine[p] = size > 0 ? cosine[p] / size : 0;
    }
}

void trm_direction_copy(const trm_system *system, const trm_parts *parts, int p,
                        const trm_direction *from, trm_direction *to)
{
    to->t[p] = from->t[p];
    to->sigma[p] = from->sigma[p];
    for (int i = 0; i < system->nc; i++) {
        to->w[i] = parts->of_row[i] == p ? from->w[i] : to->w[i];
    }
    for (int i = 0; i < system->nv; i++) {
        if (parts->of_velocity[i] == p) {
            to->f[i] = from->f[i];
            to->u[i] = from->u[i];
        }
    }
}
