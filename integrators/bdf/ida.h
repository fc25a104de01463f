/// Shared by the forms of the equations that IDA solves, 0 = F(t, y, y').
#pragma once

#include "integrators/bdf/newton_matrix.h"
#include "integrators/bdf/sundials_compat.h"
#include "integrators/trajectory/stabilization.h"

/// r = F(t, y, y'). Returns 0, or > 0, < 0 as a system does.
typedef int trm_ida_residual(trm_run *run, double t, const double *y, const double *dy, double *r);

/// One form. The unknowns of Newton's matrix are (q, v), then
/// `multipliers` times nc algebraic ones.
typedef struct trm_ida_form {
    int multipliers; ///< 1: lambda; 2: lambda, mu
    int index;       ///< 1: the equations of lambda are G v' = gamma(q, v) ...; 2: G v = ...
    int eliminates;  ///< nonzero: to IDA y = (q, v) alone, and F = y' - (N v, a); ida_eliminated.c
    trm_ida_residual *residual;
    trm_ida_residual *residual_here; ///< the same where the system is already at (t, q)
} trm_ida_form;

typedef struct trm_ida {
    const trm_ida_form *form;
    int n;    ///< unknowns of IDA
    int full; ///< unknowns of Newton's matrix
    SUNContext context;
    void *solver;
    N_Vector y, dy, id, interpolated;
    N_Vector full_y, full_r; ///< [full] solution and right-hand side of Newton's matrix
    N_Vector work;           ///< [1] the integral of the power
    double gained[2]; ///< J: what the work at the start and at the end of the last step is beyond
                      ///< that integral, see take_work
    trm_newton_matrix newton;
    SUNMatrix J;
    SUNMatrix slopes; ///< [n][n] with contacts: dF/dy, kept until Newton's method fails with it
    long asked;       ///< the step in which J was asked for last; -1: there are no slopes
    SUNLinearSolver linear;
    SUNNonlinearSolver nonlinear;
    SUNNonlinSolConvTestFn test; ///< IDA's own
    void *test_data;             ///< of it
    sundials_message message;
    double *r0, *r1;                    ///< [full] residuals for differences
    double *kept;                       ///< [full] y while it is moved for them
    double *shift;                      ///< [full] by how much
    double *row_unit, *column_unit;     ///< [full] of the matrix that is solved with
    double *moved;                      ///< [nq+nv] the same, as it is asked for
    double *z, *dz;                     ///< [full] y and y' with multipliers that were eliminated
    double *x, *x2;                     ///< [nv]
    double *unit;                       ///< [n] what (q, v, multipliers) may err by in a step
    double *unit_q;                     ///< [nq] q with quaternions of unit length
    double *e;                          ///< [nc] unit vectors
    double *point, *rate, *multipliers; ///< [n], [n], [nc] within a step, for the work
    double *closed[2];  ///< [nq+nv] with contacts: by what q and v at the start and at the end of
                        ///< the last step are closed beyond those of IDA, whose past is moved too
    double fastest;     ///< 1/s: how fast the motion changed so far, see trm_ida_period
    double per_rate;    ///< s, 1/c of Newton's matrix, at most a period
    int code;           ///< of the last residual of this step that failed
    const char *failed; ///< the element that then failed
    int stale;          ///< a step has failed: start anew from run->now
    int tiny_steps;     ///< in a row
    long rejected;      ///< before the last restart
} trm_ida;

/// r[nq+nv] of q' - N u and M v' - f + G^T lambda, where the system is at
/// (t, q). u[nv] and r do not overlap.
int trm_ida_motion(trm_run *run, const double *y, const double *dy, const double *u, double *r);

/// delta of lambda (multiplier 0) and mu (1) in a row of g; zero where no rows depend on others.
double trm_ida_delta(const trm_run *run, int multiplier, int row);
/// s: 2 pi over the fastest of the rates at which motions change and which reactions would give.
double trm_ida_period(const trm_run *run);
/// The motion is at run->now.
void trm_ida_note_rate(trm_run *run);
/// rows[nc] -= delta x of the multipliers x[nc]: of their null directions alone where rows depend
/// on others everywhere, and on no more here.
void trm_ida_damp(trm_run *run, int multiplier, const double *x, double *rows);

/// The fraction of the tolerance that Newton's method may leave: for index 1 the default
/// of IDA. For index 2 less, since errors of the multipliers, which are free, become
/// errors of v; and at least roundoff.
double trm_ida_newton_part(const trm_run *run);

/// r[nq] -= kappa (q/|q| - q): keeps quaternions at unit length.
void trm_ida_keep_norm(trm_run *run, const double *q, double *r);

/// The metric W of mu.
trm_metric trm_ida_metric(const trm_run *run);

/// ida->newton.values = dF/dy + c dF/dy' of form->residual; y[full] is changed on the way.
int trm_ida_newton(trm_run *run, double t, double c, double *y, const double *dy);

/// moved[nq+nv] := by how much differences move q and v: of the size of their mechanism, and of
/// themselves where that is far away. Over eps^(2/3) of the velocities rounding leaves 6e-6 of the
/// slope of a law, which Newton's method does not feel, and a law as narrow as 1e-10 of them still
/// shows its slope: smooth friction, tanh(k v), is that narrow. Over sqrt(eps) it would show none.
void trm_ida_choose_moves(trm_run *run, double c, const double *y, const double *dy);

/// F and its matrix for IDA where the form eliminates.
int trm_ida_eliminated(trm_run *run, double t, const double *y, const double *dy, double *r);
int trm_ida_bordered(trm_run *run, double t, double c, const double *y, const double *dy);
/// ida->slopes := dF/dy by differences in all of y: with contacts, whose rows and forces are in the
/// accelerations and not in the sparse system. c: of dF/dy', which tells how long a step is.
int trm_ida_differences(trm_run *run, double t, double c, double *y, const double *dy);
/// ida_solver.c: the units of the rows and columns of ida->newton.
void trm_ida_measure_units(trm_run *run, double c);
/// The solver that IDA is to use, over `inner`, which solves with the matrix in full and is
/// owned from now on. NULL when memory is short.
SUNLinearSolver trm_ida_bordered_solver(trm_run *run, SUNLinearSolver inner);

extern const trm_ida_form trm_ida_index1_form; // ida_index1.c
extern const trm_ida_form trm_ida_ggl_form;    // ggl.c
extern const trm_method_ops trm_ida_index1, trm_ida_ggl;
extern const trm_stabilization_ops trm_ggl;
