/// Long chains of a tree, in which every body has one other hanging on it: the sweeps of
/// tree.h, in four parts side by side.
///
/// A sweep needs each body before the next. So a path of 4 R bodies is cut into
/// four parts of R, and the bodies of row r, the r-th of each part, are swept
/// together. The other parts see of part s
///
///     F_s = K A_s - b + B F_{s+1},      A_{s+1} = B^T A_s + c - C F_{s+1}
///
/// F_s being the force that it needs at its first pin, A_s the acceleration of that pin. Inwards,
/// with p = J e and N = B'^T p, a body's share of F_{s+1}, and with mu = h.A + L alpha + N.F_{s+1}:
///
///     B' = B - h N^T/L,   C += N N^T/L,   c += N mu/L,   at the last body B' = I, C = 0, c = G
///
/// next to K' and b' of tree.h. G is where accelerations that do not depend on any alpha add up,
///
///     G_c = G_i - w_i^2 e_c,     0 at the first pin of a part.
///
/// A stands for A - G within a part: b and mu then have f - m G for f, and nothing else has
/// w^2. Parts are joined one after the other, F_{s+1} = K+ A_{s+1} - b+ being what is outside.
/// What holds along a bar and what does across may be of different size by as much as the
/// masses, and a product of K+ and C would lose the smaller one: with K+ = L D L^T, L being [1
/// 0; l 1] or [1 l; 0 1] with |l| <= 1,
///
///     C' = L^T C L,     H = B L,     T = (I + D C')^-1
///     F_{s+1} = L T (D (H^T A_s + L^T c) - L^-1 b+)
///
/// so that K + H T D H^T and b - H T (D L^T c - L^-1 b+) are for the next.
///
/// Digits are lost where the inertia of a body is small against what hangs on it, as of a bead on a
/// string: such chains are swept body by body (compile_tree.c).
#ifndef TRM_TREE_PATH_H
#define TRM_TREE_PATH_H

#include "base/pair.h"
#include "base/quad.h"

typedef struct trm_tree trm_tree;
typedef struct trm_tree_motion trm_tree_motion;

enum {
    TRM_LANES = 4,     ///< parts of a path
    TRM_PATH_LEAST = 4 ///< rows, from which on it pays
};

/// Body r of part s is at place first + 4 r + s; the first body of all is so at `first` and the
/// last before the end.
typedef struct trm_path {
    int first;
    int rows;
} trm_path;

static inline int trm_path_end(const trm_path *path)
{
    return path->first + TRM_LANES * path->rows;
}

/// Kept of the bodies of a row for the sweep outwards.
typedef struct trm_path_row {
    trm_quad_there ex, ey; ///< to the next body's pin
    trm_quad_there Gx, Gy;
    trm_quad_there gx, gy; ///< h/L
    trm_quad_there nx, ny; ///< N/L
    trm_quad_there y;      ///< mu/L
} trm_path_row;

/// The relations between the parts.
typedef struct trm_path_parts {
    trm_quad_there Kxx, Kyy, Kxy, bx, by;
    trm_quad_there Bxx, Bxy, Byx, Byy;
    trm_quad_there Cxx, Cyy, Cxy, cx, cy;
    trm_quad_there Vxx, Vxy, Vyx, Vyy, fx, fy; ///< F_{s+1} = V A_s + f
} trm_path_parts;

typedef struct trm_path_motion {
    trm_path_row *row; ///< [rows]
    trm_path_parts parts;
} trm_path_motion;

/// The parts of path k, of its bodies' rates and the forces on them: all
/// f_x, all f_y, all torques, by place.
void trm_path_condense(trm_tree_motion *motion, int k, const double *w, const double *f);
/// K' and b' of what hangs behind the path become those of what hangs at its first pin.
void trm_path_join(trm_path_motion *path, trm_pair *K, trm_lane *Kxy, trm_pair *b);
/// alpha of path k, whose first pin has the acceleration A; this becomes that of the pin behind it.
void trm_path_release(const trm_tree_motion *motion, int k, trm_lane A[2], trm_lane *alpha);

#endif
