/// Methods that a reader compares sequential regularization with, each by its source, as methods
/// from outside: what their files share.
#pragma once

#include <trammel/trammel_register.h>

extern const trm_own_stabilization rival_projection_positions, rival_s_lower;
extern const trm_own_integrator rival_abm4, rival_hem5, rival_augmented_lagrangian,
    rival_generalized_alpha, rival_generalized_alpha_ggl;

/// q[nq] := from[nq], moved by x[nv], a velocity times a time: by N in the middle, so that the
/// error is of the third order. half[nv + 2 nq] is overwritten.
void rival_move(const trm_mechanism *m, const double *from, const double *x, double *q,
                double *half);

/// An iteration that must come to rest: whether it has, by the size of its last change. < 0: it
/// does not.
typedef struct rival_iteration {
    int count;
    double first, last;
} rival_iteration;
int rival_is_done(rival_iteration *iteration, double change);

double rival_largest(int n, const double *x);

/// x[n] := A^-1 x by complete pivoting; A[n*n] by rows is overwritten. What
/// depends on other rows to 1e-10 is left out. order[2 n] is overwritten.
void rival_solve(int n, double *A, double *x, double *order);
