/// The direction of the rows that is nearest to dependence, at a point of a
/// run, of each connected part by itself.
///
///   w   left singular vector of the smallest singular value sigma of D^-1/2 G M^-1/2, of length 1
///       in units of sqrt(D), null directions (null_space.h) left out; by inverse iteration with
///       the factorization at hand
///   u = M^-1 G^T w,    sigma^2 = u^T M u
///
/// Along a smooth motion through a position where G loses rank the row G^T w changes sign:
/// sigma, with the sign of u^T M u(before), passes zero linearly. So the signs of two
/// points tell what lies between them.
#ifndef TRM_DIRECTION_H
#define TRM_DIRECTION_H

#include "engine/rank/rank.h"
#include "integrators/trajectory/integrator.h"

typedef struct trm_direction {
    double *t;     ///< [parts] s
    double *w;     ///< [nc]
    double *f, *u; ///< [nv] G^T w and M^-1 G^T w
    double *sigma; ///< [parts], and as many for use
} trm_direction;

void trm_direction_layout(trm_direction *d, const trm_system *system, int parts, trm_arena *arena);
/// `to` at the system's current point, factored, in the mass metric, starting from `from`, which
/// may be `to`; by inverse iteration, until sigma is known to a tenth,
/// `passes` at most, those directions w[nothers] of the same point left out. x[nc] is for use.
void trm_direction_find(trm_system *system, const trm_parts *parts, double t,
                        const trm_direction *from, int passes, const double *const others[],
                        int nothers, double *x, trm_direction *to);
/// cosine[parts] of the angle between the rows of two points, in the
/// mass metric; 0 where one is nothing.
void trm_direction_cosines(const trm_parts *parts, int nv, const trm_direction *a,
                           const trm_direction *b, double *cosine);
/// Cosine of the angle between the w of part p, in units of sqrt(D) at the system's current point.
double trm_direction_overlap(const trm_system *system, const trm_parts *parts, int p,
                             const trm_direction *i, const trm_direction *k);
/// Of part p, `to` := `from`.
void trm_direction_copy(const trm_system *system, const trm_parts *parts, int p,
                        const trm_direction *from, trm_direction *to);

/// n directions of each part become the singular ones of the space that they span together
/// [Rayleigh, Ritz], in the order, and of the signs, in which they continue those of `before`.
void trm_direction_separate(const trm_system *system, const trm_parts *parts, int n,
                            trm_direction *const d[], const trm_direction *const before[]);

#endif
