/// Order and pattern of S = G M^-1 G^T and of its factor, both made of dense blocks.
#pragma once

/// Columns begin ... end-1 of L, which have blocks of the same sizes.
typedef struct trm_stretch {
    int begin, end;
    int size;   ///< of each column, if it has kernels of its own: 1 to 6; else 0
    int rows;   ///< of its blocks below the diagonal: as many, or 1 and 2; else 0, to be looked up
    int blocks; ///< below the diagonal of each column, plus 1, if at most 2 of size 1 to 3; else 0
} trm_stretch;

/// What the kernels of pair_ldl.h need of a column of L, in one place.
typedef struct trm_pair_column {
    int first;     ///< its first row
    int values;    ///< its diagonal block begins here, the others behind it
    int row[2];    ///< of the first blocks below the diagonal
    int target[3]; ///< of pairs of those: (0, 0), (1, 0), (1, 1)
} trm_pair_column;

/// Columns of L in elimination order. Column k holds its diagonal block, then one block for every
/// later column that it touches, in ascending order; see large_ldl.h for when those are transposed.
///
/// The rows of S are those of g, in their order. Planar mechanisms of pins and a few sliders have
/// blocks of two rows and a few of one row. Each block of one row then gets a filler, a second row
/// with a diagonal entry and zeros, so that all blocks that have rows have two.
typedef struct trm_pattern {
    int nblocks, values;
    int rows;      ///< of g
    int n;         ///< of S: the same, and the fillers
    int *order;    ///< [nblocks] block eliminated k-th
    int *place;    ///< [nblocks] inverse of order
    int *size;     ///< [nblocks] rows, by elimination
    int *first;    ///< [nblocks] first row in S, by elimination
    int *place_of; ///< [rows] row of S of a row of g
    int *filler;   ///< [n - rows] and the others
    double *least; ///< [n] what rows of roundoff have on the diagonal of S; NULL: not known
    int *diagonal; ///< [nblocks] where the values of a diagonal block begin
    int *pivot;    ///< [n] where the diagonal entry of a row is
    int *column;   ///< [nblocks+1] where the blocks of a column begin in `block` and `offset`
    int *block;    ///< [column[nblocks]] elimination index of the block's row
    int *row;      ///< [column[nblocks]] its first row in S
    int *offset;   ///< [column[nblocks]] where its values begin
    int *large; ///< [nblocks] nonzero: 4 to 6 rows, as all blocks below; they are stored transposed
    int *target;  ///< per column, per pair i >= j of its off-diagonal blocks: values of (i, j)
    int *targets; ///< [nblocks+1] where the targets of a column begin
    trm_stretch *stretches;
    int nstretches;
    trm_pair_column *pairs; ///< [nblocks]; NULL if not all blocks have two rows
} trm_pattern;

/// Blocks of size[nblocks] rows; pairs[2*npairs] lists the blocks that touch (i != j, repeats
/// allowed). NULL when memory is short.
trm_pattern *trm_pattern_create(int nblocks, const int *size, int npairs, const int *pairs);
void trm_pattern_destroy(trm_pattern *pattern);
/// least[rows] of the rows of g. Returns zero when memory is short.
int trm_pattern_set_least(trm_pattern *pattern, const double *least);

/// Where the entries of block (i, j) begin in trm_solver.S, row-major with `size` of the second
/// block in the pattern as row length. Only the order in which *transposed is 0 is stored: with
/// *transposed = 1 the stored block is (j, i).
int trm_pattern_offset(const trm_pattern *pattern, int i, int j, int *transposed);
