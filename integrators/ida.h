/// What the forms of the equations that IDA solves share: 0 = F(t, y, y').
#ifndef TRM_IDA_H
#define TRM_IDA_H

#include "integrators/stabilization.h"
#include "integrators/sundials_compat.h"

/// r = F(t, y, y'). Returns 0, or > 0, < 0 as a system does.
typedef int trm_ida_residual(trm_run *run, double t, const double *y, const double *dy, double *r);

/// One form. The unknowns are y = (q, v, work), then `multipliers` times nc algebraic ones.
typedef struct trm_ida_form {
    int multipliers;
    trm_ida_residual *residual;
    /// columns[j][i] = dF_i/dy_j + c dF_i/dy'_j, all zero on entry; y is changed on the way.
    int (*jacobian)(trm_run *run, double t, double c, double *y, const double *dy,
                    double **columns);
} trm_ida_form;

typedef struct trm_ida {
    const trm_ida_form *form;
    int n; ///< unknowns
    SUNContext context;
    void *solver;
    N_Vector y, dy, id, interpolated;
    SUNMatrix J;
    SUNLinearSolver linear;
    sundials_message message;
    double *r0, *r1;    ///< [n] residuals for differences
    double *x, *x2;     ///< [nv]
    double *unit_q;     ///< [nq] q with quaternions of unit length
    double *e;          ///< [nc] a unit vector
    double h;           ///< s, of the last step
    int code;           ///< of the last residual of this step that failed
    const char *failed; ///< the element that then failed
    int stale;          ///< a step has failed: start anew from run->now
    int tiny_steps;     ///< in a row
    long rejected;      ///< before the last restart
} trm_ida;

/// r[nq] -= kappa (q/|q| - q): draws quaternions to unit length, nothing else.
void trm_ida_keep_norm(trm_run *run, const double *q, double *r);

/// column[n] = (F(y + d e_j) - r0) / d, where d suits a variable of size `size`.
int trm_ida_difference(trm_run *run, trm_ida_residual *residual, double t, double *y,
                       const double *dy, int j, double size, double *column);

/// Largest |x_i|; 1 when all are zero.
double trm_ida_size(int n, const double *x);

extern const trm_ida_form trm_ida_ggl_form; // ggl.c
extern const trm_method_ops trm_ida_index1, trm_ida_ggl;
extern const trm_stabilization_ops trm_ggl;

#endif
