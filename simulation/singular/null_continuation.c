#include "simulation/singular/null_continuation.h"
#include "base/loops.h"
#include "base/quad.h"
#include "base/rank_numbers.h"
#include "engine/linear/columns.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// What belongs to one part: n numbers from `at` on.
typedef struct stretch {
    int at, n;
} stretch;

static stretch rows_of(const trm_connected_components *components, int p)
{
    return (stretch){components->first_row[p],
                     components->first_row[p + 1] - components->first_row[p]};
}

static stretch columns_of(const trm_connected_components *components, int p)
{
    return (stretch){components->first_column[p],
                     components->first_column[p + 1] - components->first_column[p]};
}

void trm_direction_layout(trm_direction *d, const trm_system *system, int components,
                          trm_arena *arena)
{
    TRM_ARENA_DOUBLES(arena, components, &d->t, &d->sigma);
    TRM_ARENA_DOUBLES(arena, system->nc, &d->w, &d->Dw);
    TRM_ARENA_DOUBLES(arena, system->nv, &d->f, &d->u);
}

int trm_direction_work(const trm_system *system)
{
    return 3 * system->nc + 2 * system->nv;
}

double trm_direction_blind(void)
{
    return TRM_FEW * sqrt(TRM_LEAST_DAMPING);
}

/// x^T y of stretch s, one after the other: zeros in between change no bit (integrators/lanes).
static double product(stretch s, const double *x, const double *y)
{
    double sum = 0;
    for (int i = s.at; i < s.at + s.n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/// Of n numbers that one part has, in ascending order, the last is n - 1: they are all there are.
static int are_all(const trm_connected_components *components, const int *list, int n)
{
    return components->n == 1 && n > 0 && list[n - 1] == n - 1;
}

/// to[n] := those of from[] that belong to parts, component by component; and back.
static void take(const trm_connected_components *components, const int *list, int n,
                 const double *from, double *to)
{
    if (are_all(components, list, n)) {
        memcpy(to, from, (size_t)n * sizeof(double));
        return;
    }
    for (int i = 0; i < n; i++) {
        to[i] = from[list[i]];
    }
}

static void put(const trm_connected_components *components, const int *list, int n,
                const double *from, double *to)
{
    if (are_all(components, list, n)) {
        memcpy(to, from, (size_t)n * sizeof(double));
        return;
    }
    for (int i = 0; i < n; i++) {
        to[list[i]] = from[i];
    }
}

/// Whether a pass from w has found x to be about where it was, by D w x, x of unit length, and D w
/// w. What is left of another direction, sigma' > sigma, is at most (sigma/sigma')^2 tan(angle),
/// and sigma^2 too large by no more than tan(angle)^2 of itself.
static int is_near_by(double along, double before)
{
    return along * along * (1 + TRM_SETTLED) >= before;
}

/// What has been found with that of other runs, of one part; once. Returns the passes that it is.
static int take_found(trm_system *system, const trm_connected_components *components, double t,
                      const double *D, int *settled, trm_direction *to)
{
    trm_found *const found = &system->found;
    if (!(found->known && found->iterated)) {
        return 0;
    }
    found->iterated = 0;
    *settled = is_near_by(found->along, found->before);
    memcpy(to->w, found->w, (size_t)system->nc * sizeof(double));
    if (*settled) {
        (void)trm_columns_weigh(system->nc, D, to->w, to->Dw);
        take(components, components->column, components->first_column[1], found->f, to->f);
        take(components, components->column, components->first_column[1], found->u, to->u);
        to->sigma[0] = found->sigma;
        to->t[0] = t;
    }
    return 1;
}

/// w of the n directions others[] in d are left out.
static void leave_out(const trm_connected_components *components, trm_direction *const others[],
                      int n, trm_direction *d)
{
    for (int p = 0; p < components->n; p++) {
        const stretch s = rows_of(components, p);
        for (int j = 0; j < n; j++) {
            trm_columns_leave_out(1, s.n, others[j]->w + s.at, others[j]->Dw + s.at, d->w + s.at);
        }
    }
}

/// A step of inverse iteration from w to to->w, the n directions others[] left out. work: b[nc] and
/// x[nc]. Returns whether all components are about where they were.
static int pass(trm_system *system, const trm_connected_components *components, const double *D,
                const double *w, trm_direction *const others[], int n, double *work,
                trm_direction *to)
{
    const int nc = system->nc;
    double *const b = work, *const x = work + nc;
    int settled = 1;
    for (int p = 0; p < components->n; p++) {
        const stretch s = rows_of(components, p);
        to->sigma[p] = trm_columns_weigh(s.n, D + s.at, w + s.at, b + s.at);
    }
    put(components, components->row, nc, b, x);
    trm_system_iterate_S(system, x);
    take(components, components->row, nc, x, to->w);
    leave_out(components, others, n, to);
    for (int p = 0; p < components->n; p++) {
        const stretch s = rows_of(components, p);
        double *const found = to->w + s.at;
        trm_columns_append(0, s.n, D + s.at, found, to->Dw + s.at);
        settled &= is_near_by(trm_columns_product(s.n, b + s.at, found), to->sigma[p]);
    }
    return settled;
}

/// `to` from `from`, the n directions others[] left out.
static void iterate(trm_system *system, const trm_connected_components *components, double t,
                    const trm_direction *from, trm_direction *const others[], int n, double *work,
                    trm_direction *to)
{
    enum {
        PASSES = 3
    }; // 2 and 6 count the same crossings (docs/explanation/singular_positions.md)
    const int nc = system->nc, columns = components->first_column[components->n];
    double *const D = work, *const x = work + 2 * nc, *const f = work + 3 * nc;
    double *const u = f + system->nv;
    int settled = 0, passes = n == 0 ? take_found(system, components, t, D, &settled, to) : 0;
    const double *w = passes > 0 ? to->w : from->w;
    if (settled) {
        return;
    }
    if (n > 0) { // what it has of one that vanishes would grow without bound
        leave_out(components, others, n, to);
    }
    for (; passes < PASSES && !settled; passes++) {
        settled = pass(system, components, D, w, others, n, work + nc, to);
        w = to->w;
    }
    put(components, components->row, nc, to->w, x);
    trm_system_spread_both(system, x, f, u);
    take(components, components->column, columns, f, to->f);
    take(components, components->column, columns, u, to->u);
    for (int p = 0; p < components->n; p++) {
        to->sigma[p] = sqrt(fmax(product(columns_of(components, p), to->f, to->u), 0));
        to->t[p] = t;
    }
}

double trm_direction_cosine(const trm_connected_components *components, int p,
                            const trm_direction *a, const trm_direction *b)
{
    const double size = a->sigma[p] * b->sigma[p];
    return size > 0 ? product(columns_of(components, p), a->u, b->f) / size : 0;
}

void trm_direction_copy(const trm_connected_components *components, int p,
                        const trm_direction *from, trm_direction *to)
{
    const stretch r = rows_of(components, p), c = columns_of(components, p);
    to->t[p] = from->t[p];
    to->sigma[p] = from->sigma[p];
    memcpy(to->w + r.at, from->w + r.at, (size_t)r.n * sizeof(double));
    memcpy(to->Dw + r.at, from->Dw + r.at, (size_t)r.n * sizeof(double));
    memcpy(to->f + c.at, from->f + c.at, (size_t)c.n * sizeof(double));
    memcpy(to->u + c.at, from->u + c.at, (size_t)c.n * sizeof(double));
}

void trm_direction_any(const trm_connected_components *components, int p, int k, trm_direction *d)
{
    const stretch r = rows_of(components, p), c = columns_of(components, p);
    d->t[p] = 0;
    d->sigma[p] = INFINITY;
    for (int i = r.at; i < r.at + r.n; i++) {
        d->w[i] = cos(1.0 + i + 2.0 * k * i); // any
    }
    memset(d->Dw + r.at, 0, (size_t)r.n * sizeof(double));
    memset(d->f + c.at, 0, (size_t)c.n * sizeof(double));
    memset(d->u + c.at, 0, (size_t)c.n * sizeof(double));
}

double trm_direction_overlap(const trm_connected_components *components, int p,
                             const trm_direction *i, const trm_direction *k)
{
    return product(rows_of(components, p), i->w, k->Dw);
}

void trm_direction_reverse(const trm_connected_components *components, int p, trm_direction *d)
{
    const stretch r = rows_of(components, p), c = columns_of(components, p);
    for (int i = r.at; i < r.at + r.n; i++) {
        d->w[i] = -d->w[i];
        d->Dw[i] = -d->Dw[i];
    }
    for (int i = c.at; i < c.at + c.n; i++) {
        d->f[i] = -d->f[i];
        d->u[i] = -d->u[i];
    }
}

// ------------------------------------------------------------------------------- several together

typedef double numbers[TRM_CONTINUATIONS];

/// Of n directions of one part, while they are turned into each other, one in a row: f^T u' with
/// each, the overlap with each one before, and what it is of those that were found.
typedef struct span {
    int n;
    numbers S[TRM_CONTINUATIONS], alike[TRM_CONTINUATIONS], of[TRM_CONTINUATIONS];
} span;

static void look_at(const trm_connected_components *components, int p, trm_direction *const d[],
                    const trm_direction *const before[], span *all)
{
    const stretch r = rows_of(components, p), c = columns_of(components, p);
    memset(all->of, 0, sizeof all->of);
    for (int i = 0; i < all->n; i++) {
        all->of[i][i] = 1;
        for (int k = 0; k < all->n; k++) {
            all->alike[i][k] = trm_columns_product(r.n, before[k]->w + r.at, d[i]->Dw + r.at);
        }
        for (int k = 0; k <= i; k++) {
            all->S[i][k] = all->S[k][i] = trm_columns_product(c.n, d[i]->f + c.at, d[k]->u + c.at);
        }
    }
}

/// x and y turned by the angle whose cosine and sine are c and s.
TRM_INLINE void turn(double *x, double *y, double c, double s)
{
    TRM_UNROLL
    for (int j = 0; j < TRM_CONTINUATIONS; j += 4) {
        const trm_quad a = *trm_quad_at(x + j), b = *trm_quad_at(y + j);
        *trm_quad_to(x + j) = a * c + b * s;
        *trm_quad_to(y + j) = b * c - a * s;
    }
}

/// Jacobi's rotation that leaves nothing of w^T S w' between directions i and k. Returns 0 where
/// they stay as they are.
TRM_INLINE int decouple(span *all, int i, int k)
{
    const double both = all->S[i][k], one = all->S[i][i], other = all->S[k][k];
    if (!(both * both > DBL_EPSILON * DBL_EPSILON * one * other)) {
        return 0;
    }
    const double zeta = (one - other) / (2 * both);
    const double t = copysign(1 / (fabs(zeta) + sqrt(1 + zeta * zeta)), zeta);
    const double c = 1 / sqrt(1 + t * t), s = t * c;
    turn(all->S[i], all->S[k], c, s);
    turn(all->alike[i], all->alike[k], c, s);
    turn(all->of[i], all->of[k], c, s);
    for (int j = 0; j < all->n; j++) {
        all->S[j][i] = all->S[i][j];
        all->S[j][k] = all->S[k][j];
    }
    all->S[i][i] = one + t * both;
    all->S[k][k] = other - t * both;
    all->S[i][k] = all->S[k][i] = 0;
    return 1;
}

TRM_WIDE static void diagonalize(span *all)
{
    enum { SWEEPS = 4 };
    for (int sweep = 0, turned = 1; sweep < SWEEPS && turned; sweep++) {
        turned = 0;
        for (int i = 0; i < all->n; i++) {
            for (int k = i + 1; k < all->n; k++) {
                turned |= decouple(all, i, k);
            }
        }
    }
}

/// Row i becomes that of those not yet `taken` which continues direction i before, its sign as
/// well: a row that changes its sign does so by its u alone.
static void continue_one(span *all, int i, const int *taken)
{
    int best = i;
    for (int k = 0; k < all->n; k++) {
        best = !taken[k] && fabs(all->alike[k][i]) > fabs(all->alike[best][i]) ? k : best;
    }
    const double sign = all->alike[best][i] < 0 ? -1 : 1;
    if (best != i) { // row i := row `best` or its opposite
        const double size = all->S[i][i];
        all->S[i][i] = all->S[best][best];
        all->S[best][best] = size;
        turn(all->alike[i], all->alike[best], 0, sign);
        turn(all->of[i], all->of[best], 0, sign);
    } else if (sign < 0) {
        turn(all->of[i], all->of[i], -1, 0);
    }
}

/// Of those not yet taken: it chooses first what continues it. One that is regular, which another
/// has taken the place of, would take a row that vanishes.
static int nearest_to_zero(int p, int n, const int *taken, const trm_direction *const before[])
{
    int least = -1;
    for (int i = 0; i < n; i++) {
        const int less = least < 0 || before[i]->sigma[p] < before[least]->sigma[p];
        least = !taken[i] && less ? i : least;
    }
    return least;
}

/// x[n][length] := their combinations.
TRM_WIDE static void combine(const span *all, stretch s, double *const x[])
{
    for (int i = s.at; i < s.at + s.n; i++) {
        trm_quad first = {0}, second = {0};
        for (int j = 0; j < all->n; j++) {
            first += *trm_quad_at(all->of[j]) * x[j][i];
            if (all->n > 4) {
                second += *trm_quad_at(all->of[j] + 4) * x[j][i];
            }
        }
        for (int k = 0; k < all->n; k++) {
            x[k][i] = k < 4 ? first[k] : second[k - 4];
        }
    }
}

static void combine_all(span *all, const trm_connected_components *components, int p,
                        trm_direction *const d[])
{
    double *x[4][TRM_CONTINUATIONS];
    for (int k = 0; k < all->n; k++) {
        x[0][k] = d[k]->w;
        x[1][k] = d[k]->Dw;
        x[2][k] = d[k]->f;
        x[3][k] = d[k]->u;
        d[k]->sigma[p] = sqrt(fmax(all->S[k][k], 0));
        for (int j = 0; j < k; j++) { // what was found by those that it becomes
            const double of = all->of[j][k];
            all->of[j][k] = all->of[k][j];
            all->of[k][j] = of;
        }
    }
    for (int a = 0; a < 4; a++) {
        combine(all, a < 2 ? rows_of(components, p) : columns_of(components, p), x[a]);
    }
}

/// most[p] directions of part p become the singular ones of the space that they span together
/// [Rayleigh, Ritz], in the order, and of the signs, in which they continue those of `before`.
static void separate(const trm_connected_components *components, int p, int n,
                     trm_direction *const d[], const trm_direction *const before[])
{
    span all = {.n = n};
    int taken[TRM_CONTINUATIONS] = {0};
    look_at(components, p, d, before, &all);
    diagonalize(&all);
    for (int j = 0; j < n; j++) {
        const int i = nearest_to_zero(p, n, taken, before);
        continue_one(&all, i, taken);
        taken[i] = 1;
    }
    combine_all(&all, components, p, d);
}

static void exchange(int n, double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        const double at = x[i];
        x[i] = y[i];
        y[i] = at;
    }
}

/// w and sigma of to[] := those of from[], of each part the smallest first: from another one
/// inverse iteration would turn to it, and nothing would be left of its own.
static void sort(const trm_connected_components *components, int n, const int *most,
                 const trm_direction *const from[], trm_direction *const to[])
{
    for (int p = 0; p < components->n; p++) {
        const stretch r = rows_of(components, p);
        for (int k = 0; k < n && to[0] != from[0]; k++) {
            memcpy(to[k]->w + r.at, from[k]->w + r.at, (size_t)r.n * sizeof(double));
            to[k]->sigma[p] = from[k]->sigma[p];
        }
        for (int i = 0; i < most[p]; i++) {
            for (int k = i + 1; k < most[p]; k++) {
                if (to[k]->sigma[p] < to[i]->sigma[p]) {
                    exchange(1, to[i]->sigma + p, to[k]->sigma + p);
                    exchange(r.n, to[i]->w + r.at, to[k]->w + r.at);
                }
            }
        }
    }
}

void trm_directions_find(trm_system *system, const trm_connected_components *components, double t,
                         int n, const int *most, const trm_direction *const from[],
                         const trm_direction *const before[], double *work,
                         trm_direction *const to[])
{
    const int *const place = system->solver.pattern->place_of;
    for (int i = 0; i < system->nc; i++) {
        work[i] = system->solver.D[place[components->row[i]]];
    }
    if (n > 1) {
        sort(components, n, most, from, to);
    }
    for (int k = 0; k < n; k++) {
        iterate(system, components, t, n > 1 ? to[k] : from[k], to, k, work, to[k]);
    }
    for (int p = 0; p < components->n && n > 1; p++) {
        if (most[p] > 1) {
            separate(components, p, most[p], to, before);
        }
    }
}
