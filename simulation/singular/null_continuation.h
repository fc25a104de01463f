/// The direction of the rows that is nearest to dependence, at a point of a run, of each connected
/// component by itself.
///
///   w   left singular vector of the smallest singular value sigma of D^-1/2 G M^-1/2, of length 1
///       in units of sqrt(D), null directions (null_space.h) left out; by inverse iteration with
///       the factorization at hand
///   u = M^-1 G^T w,    sigma^2 = u^T M u
///
/// Along a smooth motion through a position where G loses rank the row G^T w changes sign: sigma,
/// with the sign of u^T M u(before), passes zero linearly. So the signs of two points tell what
/// lies between them.
#pragma once

#include "engine/rank/rank.h"
#include "integrators/trajectory/integrator.h"

/// As many are followed as may have vanished, and one: whatever its masses, no row of a part has
/// vanished unnoticed where the last of these has not. In joint coordinates, whose metric turns,
/// a run begins with all.
enum { TRM_CONTINUATIONS = 8 };

typedef struct trm_direction {
    double *t;      ///< [components] s
    double *w, *Dw; ///< [nc] component by component, in the order of components->row
    double *f, *u;  ///< [nv] G^T w and M^-1 G^T w, in the order of components->column
    double *sigma;  ///< [components]
} trm_direction;

void trm_direction_layout(trm_direction *d, const trm_system *system, int components,
                          trm_arena *arena);
/// Numbers that trm_directions_find needs for use.
int trm_direction_work(const trm_system *system);
/// Smallest sigma that inverse iteration sees: the damping of the solve, as a singular value.
double trm_direction_blind(void);
/// n <= TRM_CONTINUATIONS directions at the system's current point, factored, in the mass metric:
/// to[k] from from[k], which may be the same, by inverse iteration until sigma^2 is known to a
/// tenth, those before it left out; where they are several, each then continues before[k]: of
/// component p the first most[p], whatever others have.
void trm_directions_find(trm_system *system, const trm_connected_components *components, double t,
                         int n, const int *most, const trm_direction *const from[],
                         const trm_direction *const before[], double *work,
                         trm_direction *const to[]);
/// Cosine of the angle between the rows of component p at two points, in the metric of M; 0 where
/// one vanishes.
double trm_direction_cosine(const trm_connected_components *components, int p,
                            const trm_direction *a, const trm_direction *b);
/// Cosine of the angle between the w of component p, in units of sqrt(D) at the point of k.
double trm_direction_overlap(const trm_connected_components *components, int p,
                             const trm_direction *i, const trm_direction *k);
/// Copy the direction of component p.
void trm_direction_copy(const trm_connected_components *components, int p,
                        const trm_direction *from, trm_direction *to);
/// The direction of component p becomes any, the k-th of them, of which nothing is known.
void trm_direction_any(const trm_connected_components *components, int p, int k, trm_direction *d);
/// Reverse the direction of component p.
void trm_direction_reverse(const trm_connected_components *components, int p, trm_direction *d);
