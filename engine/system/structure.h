/// Which unknowns meet in a term of the equations of motion: the structure of a
/// sparse matrix of their derivatives.
///
/// The unknowns come in cells, one for each body and each state: M, N and the inertia forces of
/// [EOM] tie unknowns of one cell only. Joints, constraints and forces tie cells.
#pragma once

/// A joint or constraint, whose rows of g depend on the cells of its members, as does their G^T
/// lambda; or, with no rows, a force that acts on its members and depends on them.
typedef struct trm_tie {
    int row, rows; ///< first row in g, how many
    int first, n;  ///< its cells are members[first ... first+n-1]
} trm_tie;

typedef struct trm_structure {
    int ncells;
    const int *q0, *v0; ///< [ncells+1] cell k has q[q0[k] ... q0[k+1]-1], and v likewise
    int nties;
    const trm_tie *ties; ///< [nties]
    const int *members;
} trm_structure;
