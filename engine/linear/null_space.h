/// Directions of the rows of g that every solve with S leaves out: the null directions of rows that
/// are dependent everywhere.
///
/// The columns of V = D^1/2 W, orthonormal, belong to one connected component of the mechanism
/// each; S does not couple parts. W of an accepted point is brought to any other point by one step
/// of inverse iteration with the factorization at hand, (S + delta D) W' = D W: it turns W with the
/// motion of the point, and reduces the part of other directions by (delta + sigma_V^2)/(delta +
/// sigma^2) / cos, by as much as W has turned. Right-hand sides lose what that leaves, and in
/// solutions it counts 1/delta: a direction that has turned by more than 60 degrees is brought by a
/// second step, from where the first has led. Solutions are the smallest in units of D.
///
/// A body that is light about an axis, s^2 of its largest inertia, makes the rows that turn it 1/s
/// as long in the mass metric. Sums of such rows are sound and have a sigma of s; a misfit of e
/// counts e/s. So S_0 is that of bodies with their largest inertia I added about the body axis n
/// nearest to it: V and D are its own, and its sigma are those of geometry. The masses come in
/// behind it, by twice the formula of Sherman, Morrison and Woodbury:
///
///     J^-1 = (J + I n n^T)^-1 + C u u^T,    u = J^-1 n,    C = I/(1 + I n^T u)
///     S = S_0 + B C B^T,    S^-1 r = x - Z (C^-1 + B^T Z)^-1 B^T x,    x = S_0^-1 r
///
/// B = G u, Z = S_0^-1 B. What B^T x loses to rounding counts 1/s^2 in accelerations, which are
/// refined once.
///
/// W takes a solve for each column, and their orthogonality the square of their number. Where a
/// component has many rows (engine/rank), dependent rows are masked instead, one for each: its
/// diagonal entry in S becomes TRM_MASKED D, which leaves nothing of its others. (D >= S_mm; of a
/// cut that no joint of the tree moves S_mm is 0.) Solves see no masked row, and give none a part
/// of a solution. Where the rows kept come near to dependence themselves others are kept
/// (engine/rank/rank_masks.h).
#pragma once

#include "base/arena.h"

/// S_im S_mj/(TRM_MASKED D_m) is 1e-100 of an entry at most, nothing beside its rounding; squares
/// of it are finite.
#define TRM_MASKED 1e100

/// One connected component that has redundant rows.
typedef struct trm_null_component {
    int first, rows; ///< its rows are trm_null_space.row[first ... first+rows-1]
    int nullity;     ///< directions that are left out
    int W;           ///< their values begin here: columns of `rows` numbers
    int all;         ///< nonzero: all rows of S, in their order
    int number;      ///< among the parts of the mechanism
} trm_null_component;

/// How much memory it needs.
typedef struct trm_null_size {
    int components, rows, values;
    int masks; ///< rows of S, or 0
    int light; ///< axes about which bodies are light
    int turns; ///< those times the rows of S
} trm_null_size;

/// Axes about which bodies are light; columns are in the order of S.
typedef struct trm_light_axes {
    double *B, *Z;   ///< [turns] column by column
    double *K;       ///< [light*light] C^-1 + B^T Z, its Cholesky factor
    double *over_C;  ///< [light] the diagonal of C^-1
    double *x;       ///< [light] for use
    double lightest; ///< the least s^2
} trm_light_axes;

typedef struct trm_null_space {
    trm_null_size room, used;
    trm_null_component *component; ///< [components]
    int *row;                      ///< [rows] of S
    double *accepted;              ///< [values] W of the accepted point, which no scale changes
    double *W, *DW;                ///< [values] of the last factorization
    double *x;                     ///< [rows] for use
    trm_light_axes light;
    double *kept; ///< [masks] 1, and 0 for a masked row
    int most;     ///< the largest nullity of a part, without masked rows
    int nullity;  ///< of all together
} trm_null_space;

/// Whether rows are left out, by directions or by masks.
static inline int trm_null_is_used(trm_null_size size)
{
    return size.components > 0 || size.masks > 0;
}
/// Whether that is room for `size`.
static inline int trm_null_fits(trm_null_size room, trm_null_size size)
{
    return size.components <= room.components && size.rows <= room.rows &&
           size.values <= room.values && size.masks <= room.masks && size.light <= room.light;
}
/// Memory for `size`, with no part yet.
void trm_null_layout(trm_null_space *null, trm_null_size size, trm_arena *arena);
/// `to`, laid out for what is used of `from`, leaves out the same directions.
void trm_null_copy(const trm_null_space *from, trm_null_space *to);
/// W[values] of the last factorization becomes that of the accepted point.
void trm_null_accept(trm_null_space *null);
/// b[n] := the part of the right-hand side b that is orthogonal to V; x[n] likewise for a solution.
void trm_null_leave_out(const trm_null_space *null, double *b);
void trm_null_leave_out_of_solution(const trm_null_space *null, double *x);

/// Inverse iteration for column k of all components, one after the other: b[n] := D w of
/// from[values], to be solved for; W := x, orthonormal to those before it. Returns the shortest
/// length of what of x is orthogonal to these: about cos/delta.
void trm_null_right_side(const trm_null_space *null, const double *from, int k, const double *D,
                         double *b);
double trm_null_solution(trm_null_space *null, int k, const double *D, const double *x);

/// x[n] := column k of W of all components, 0 elsewhere.
void trm_null_column(const trm_null_space *null, int k, int n, double *x);
