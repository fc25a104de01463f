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

/// Without redundant rows the smallest direction is followed; with them one more than are null
/// everywhere, which costs what an evaluation does, but no more than these: rows that have nothing
/// to do with each other, as within a plane and across it, never turn into each other.
enum { TRM_FOLLOWED = 8 };

typedef struct trm_direction {
    double *t;      ///< [parts] s
    double *w, *Dw; ///< [nc] part by part, in the order of parts->row
    double *f, *u;  ///< [nv] G^T w and M^-1 G^T w, in the order of parts->column
    double *sigma;  ///< [parts]
} trm_direction;

void trm_direction_layout(trm_direction *d, const trm_system *system, int parts, trm_arena *arena);
/// Numbers that trm_directions_find needs for use.
int trm_direction_work(const trm_system *system);
/// Below this inverse iteration does not see directions: the damping of the solve, as a singular
/// value.
double trm_direction_blind(void);
/// n <= TRM_FOLLOWED directions at the system's current point, factored, in the mass metric: to[k]
/// from from[k], which may be the same, by inverse iteration until sigma^2 is known to a tenth,
/// those before it left out; where they are several, each then continues before[k].
void trm_directions_find(trm_system *system, const trm_parts *parts, double t, int n,
                         const trm_direction *const from[], const trm_direction *const before[],
                         double *work, trm_direction *const to[]);
/// Of the angle between the rows of part p at two points, in the metric of M; 0 where one vanishes.
double trm_direction_cosine(const trm_parts *parts, int p, const trm_direction *a,
                            const trm_direction *b);
/// Cosine of the angle between the w of part p, in units of sqrt(D) at the point of k.
double trm_direction_overlap(const trm_parts *parts, int p, const trm_direction *i,
                             const trm_direction *k);
/// Of part p, `to` := `from`.
void trm_direction_copy(const trm_parts *parts, int p, const trm_direction *from,
                        trm_direction *to);
/// Of part p, d := -d.
void trm_direction_reverse(const trm_parts *parts, int p, trm_direction *d);

#endif
