#include "engine/passage/direction.h"
#include "engine/base/rank_numbers.h"

#include <float.h>
#include <math.h>
#include <string.h>

void trm_direction_layout(trm_direction *d, const trm_system *system, int parts, trm_arena *arena)
{
    d->t = trm_arena_doubles(arena, parts);
    d->w = trm_arena_doubles(arena, system->nc);
    d->f = trm_arena_doubles(arena, system->nv);
    d->u = trm_arena_doubles(arena, system->nv);
    d->sigma = trm_arena_doubles(arena, 2 * parts);
}

double trm_direction_blind(void)
{
    return TRM_FEW * sqrt(TRM_LEAST_DAMPING);
}

static double scale_of(const trm_system *system, int row)
{
    return system->solver.D[system->solver.pattern->place_of[row]];
}

/// sum[parts] += D x y by part.
static void weigh(const trm_system *system, const trm_parts *parts, const double *x,
                  const double *y, double *sum)
{
    const double *const D = system->solver.D;
    const int *const place = system->solver.pattern->place_of, *const of = parts->of_row;
    double one = 0; // of the only part
    memset(sum, 0, (size_t)parts->n * sizeof(double));
    for (int i = 0; i < system->nc && parts->n == 1; i++) {
        one += D[place[i]] * x[i] * y[i];
    }
    for (int i = 0; i < system->nc && parts->n > 1; i++) {
        sum[of[i]] += D[place[i]] * x[i] * y[i];
    }
    if (parts->n == 1) {
        sum[0] = one;
    }
}

/// x := x without the part of w, part by part, both in units of sqrt(D). part[parts] is for use.
static void leave_out(const trm_system *system, const trm_parts *parts, const double *w,
                      double *part, double *x)
{
    const int *const of = parts->of_row;
    weigh(system, parts, w, x, part);
    for (int i = 0; i < system->nc; i++) {
        x[i] -= part[of[i]] * w[i];
    }
}

/// x, each part of unit length in units of sqrt(D). length[parts] is for use.
static void normalize(const trm_system *system, const trm_parts *parts, double *length, double *x)
{
    const int *const of = parts->of_row;
    weigh(system, parts, x, x, length);
    for (int p = 0; p < parts->n; p++) {
        length[p] = length[p] > 0 ? 1 / sqrt(length[p]) : 0;
    }
    for (int i = 0; i < system->nc; i++) {
        x[i] *= length[of[i]];
    }
}

/// sum[parts] := x^T y by part, x and y like velocities.
static void product(const trm_parts *parts, int nv, const double *x, const double *y, double *sum)
{
    const int *const of = parts->of_velocity;
    double one = 0;
    memset(sum, 0, (size_t)parts->n * sizeof(double));
    for (int i = 0; i < nv; i++) {
        if (of[i] >= 0 && parts->n == 1) {
            one += x[i] * y[i];
        } else if (of[i] >= 0) {
            sum[of[i]] += x[i] * y[i];
        }
    }
    if (parts->n == 1) {
        sum[0] = one;
    }
}

/// Whether a pass from w has found x to be about where it was, by D w x, x of unit length, and D w
/// w. What is left of another direction, sigma' > sigma, is at most (sigma/sigma')^2 tan(angle),
/// and sigma^2 too large by no more than tan(angle)^2 of itself.
static int is_near_by(double along, double before)
{
    return along * along * (1 + TRM_SETTLED) >= before;
}

/// Whether it has, of all parts. part[2 parts] is for use.
static int is_settled(const trm_system *system, const trm_parts *parts, const double *w,
                      const double *x, double *part)
{
    double *const both = part, *const before = part + parts->n;
    weigh(system, parts, w, x, both);
    weigh(system, parts, w, w, before);
    int settled = 1;
    for (int p = 0; p < parts->n; p++) {
        settled &= is_near_by(both[p], before[p]);
    }
    return settled;
}

/// x := a step of inverse iteration from w, nothers others[] left out. part[parts] is for use.
static void pass(trm_system *system, const trm_parts *parts, const double *w,
                 const double *const others[], int nothers, double *part, double *x)
{
    const double *const D = system->solver.D;
    const int *const place = system->solver.pattern->place_of;
    for (int i = 0; i < system->nc; i++) {
        x[i] = D[place[i]] * w[i];
    }
    trm_system_iterate_S(system, x);
    for (int j = 0; j < nothers; j++) {
        leave_out(system, parts, others[j], part, x);
    }
    normalize(system, parts, part, x);
}

/// What has been found with that of other runs, of one part; once. Returns the passes that it is.
static int take_found(trm_system *system, double t, int *settled, trm_direction *to)
{
    trm_found *const found = &system->found;
    if (!(found->known && found->iterated)) {
        return 0;
    }
    found->iterated = 0;
    *settled = is_near_by(found->along, found->before);
    memcpy(to->w, found->w, (size_t)system->nc * sizeof(double));
    if (*settled) {
        memcpy(to->f, found->f, (size_t)system->nv * sizeof(double));
        memcpy(to->u, found->u, (size_t)system->nv * sizeof(double));
        to->sigma[0] = found->sigma;
        to->t[0] = t;
    }
    return 1;
}

/// `to` from `from`, nothers others[] left out.
static void iterate(trm_system *system, const trm_parts *parts, double t, const trm_direction *from,
                    const double *const others[], int nothers, double *x, trm_direction *to)
{
    enum { PASSES = 3 }; // 2 and 6 count the same crossings (docs/singular.md)
    int settled = 0, passes = nothers == 0 ? take_found(system, t, &settled, to) : 0;
    const double *w = passes > 0 ? to->w : from->w;
    if (settled) {
        return;
    }
    for (; passes < PASSES && !settled; passes++) {
        pass(system, parts, w, others, nothers, to->sigma, x);
        settled = is_settled(system, parts, w, x, to->sigma);
        memcpy(to->w, x, (size_t)system->nc * sizeof(double));
        w = to->w;
    }
    trm_system_multiply_GT(system, to->w, to->f);
    memcpy(to->u, to->f, (size_t)system->nv * sizeof(double));
    trm_system_solve_M(system, to->u);
    product(parts, system->nv, to->f, to->u, to->sigma);
    for (int p = 0; p < parts->n; p++) {
        to->sigma[p] = sqrt(fmax(to->sigma[p], 0));
        to->t[p] = t;
    }
}

void trm_direction_cosines(const trm_parts *parts, int nv, const trm_direction *a,
                           const trm_direction *b, double *cosine)
{
    product(parts, nv, a->u, b->f, cosine);
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
    if (parts->n == 1) { // velocities that no row holds are zero in both
        memcpy(to->w, from->w, (size_t)system->nc * sizeof(double));
        memcpy(to->f, from->f, (size_t)system->nv * sizeof(double));
        memcpy(to->u, from->u, (size_t)system->nv * sizeof(double));
        return;
    }
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

double trm_direction_overlap(const trm_system *system, const trm_parts *parts, int p,
                             const trm_direction *i, const trm_direction *k)
{
    double sum = 0;
    for (int r = 0; r < system->nc; r++) {
        sum += parts->of_row[r] == p ? scale_of(system, r) * i->w[r] * k->w[r] : 0;
    }
    return sum;
}

// ------------------------------------------------------------------------------- several together

/// Directions i and k of part p, turned by the angle whose cosine and sine are c and s.
static void turn(const trm_system *system, const trm_parts *parts, int p, trm_direction *i,
                 trm_direction *k, double c, double s)
{
    for (int r = 0; r < system->nc; r++) {
        const double a = i->w[r], b = k->w[r];
        const int here = parts->of_row[r] == p;
        i->w[r] = here ? c * a + s * b : a;
        k->w[r] = here ? c * b - s * a : b;
    }
    for (int r = 0; r < system->nv; r++) {
        const int here = parts->of_velocity[r] == p;
        const double a = i->f[r], b = k->f[r], x = i->u[r], y = k->u[r];
        i->f[r] = here ? c * a + s * b : a;
        k->f[r] = here ? c * b - s * a : b;
        i->u[r] = here ? c * x + s * y : x;
        k->u[r] = here ? c * y - s * x : y;
    }
}

/// w^T S w' of part p
static double coupling(const trm_system *system, const trm_parts *parts, int p,
                       const trm_direction *i, const trm_direction *k)
{
    double sum = 0;
    for (int r = 0; r < system->nv; r++) {
        sum += parts->of_velocity[r] == p ? i->f[r] * k->u[r] : 0;
    }
    return sum;
}

/// Jacobi's rotation that leaves nothing between directions i and k.
static void decouple(const trm_system *system, const trm_parts *parts, int p, trm_direction *i,
                     trm_direction *k)
{
    const double both = coupling(system, parts, p, i, k);
    const double one = coupling(system, parts, p, i, i), other = coupling(system, parts, p, k, k);
    if (both * both > DBL_EPSILON * DBL_EPSILON * one * other) {
        const double angle = atan2(2 * both, one - other) / 2;
        turn(system, parts, p, i, k, cos(angle), sin(angle));
    }
}

/// d[i] of part p becomes that of d[i], d[i+1] ... which continues `before`, its sign as well: a
/// row that turns over does so by its u alone.
static void continue_one(const trm_system *system, const trm_parts *parts, int p, int n, int i,
                         trm_direction *const d[], const trm_direction *before)
{
    int best = i;
    double most = 0;
    for (int k = i; k < n; k++) {
        const double alike = trm_direction_overlap(system, parts, p, before, d[k]);
        if (fabs(alike) > fabs(most)) {
            best = k, most = alike;
        }
    }
    if (best != i) { // d[i] := d[best] or its opposite
        turn(system, parts, p, d[i], d[best], 0, most < 0 ? -1 : 1);
    } else if (most < 0) {
        turn(system, parts, p, d[i], d[i], -1, 0);
    }
}

/// n directions of each part become the singular ones of the space that they span together
/// [Rayleigh, Ritz], in the order, and of the signs, in which they continue those of `before`.
static void separate(const trm_system *system, const trm_parts *parts, int n,
                     trm_direction *const d[], const trm_direction *const before[])
{
    enum { SWEEPS = 4 };
    for (int p = 0; p < parts->n; p++) {
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            for (int i = 0; i < n; i++) {
                for (int k = i + 1; k < n; k++) {
                    decouple(system, parts, p, d[i], d[k]);
                }
            }
        }
        for (int i = 0; i < n; i++) {
            continue_one(system, parts, p, n, i, d, before[i]);
            d[i]->sigma[p] = sqrt(fmax(coupling(system, parts, p, d[i], d[i]), 0));
        }
    }
}

void trm_directions_find(trm_system *system, const trm_parts *parts, double t, int n,
                         const trm_direction *const from[], const trm_direction *const before[],
                         double *x, trm_direction *const to[])
{
    const double *others[TRM_FOLLOWED];
    for (int k = 0; k < n; k++) {
        iterate(system, parts, t, from[k], others, k, x, to[k]);
        others[k] = to[k]->w;
    }
    if (n > 1) {
        separate(system, parts, n, to, before);
    }
}
