/// SUNDIALS 6 and 7 under one name each, and its messages caught.
///
/// Version 6 hands messages to a handler of each integrator, version 7 to one of the context.
#pragma once

#include <idas/idas.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>
#ifdef TRM_WITH_KLU
#if __has_include(<suitesparse/klu.h>)
#include <suitesparse/klu.h>
#endif
#include <sunlinsol/sunlinsol_klu.h>
#endif

#include <stdio.h>

_Static_assert(sizeof(sunrealtype) == sizeof(double), "SUNDIALS must be built for double");

/// The last message of SUNDIALS.
typedef struct sundials_message {
    char text[160]; ///< "" when it said nothing
} sundials_message;

#if SUNDIALS_VERSION_MAJOR >= 7

static inline void sundials_hear(int line, const char *function, const char *file, const char *text,
                                 SUNErrCode code, void *message, SUNContext context)
{
    (void)line, (void)function, (void)file, (void)code, (void)context;
    snprintf(((sundials_message *)message)->text, sizeof(sundials_message), "%s", text);
}

static inline int sundials_open(SUNContext *context, sundials_message *message)
{
    const int code = SUNContext_Create(SUN_COMM_NULL, context);
    if (code) {
        *context = NULL; // what a failed creation leaves there must not be freed
        return code;
    }
    SUNContext_ClearErrHandlers(*context);
    return SUNContext_PushErrHandler(*context, sundials_hear, message);
}

static inline int sundials_listen(void *solver, sundials_message *message)
{
    (void)solver, (void)message;
    return 0;
}

#else

static inline void sundials_hear(int code, const char *module, const char *function, char *text,
                                 void *message)
{
    (void)code, (void)module, (void)function;
    snprintf(((sundials_message *)message)->text, sizeof(sundials_message), "%s", text);
}

static inline int sundials_open(SUNContext *context, sundials_message *message)
{
    (void)message;
    const int code = SUNContext_Create(NULL, context);
    *context = code ? NULL : *context; // what a failed creation leaves there must not be freed
    return code;
}

static inline int sundials_listen(void *solver, sundials_message *message)
{
    return IDASetErrHandlerFn(solver, sundials_hear, message);
}

#endif

/// Steps whose nonlinear equations were not solved, without those solved with a new matrix.
static inline long sundials_unsolved_steps(void *solver)
{
    long n = 0;
#if SUNDIALS_VERSION_MAJOR == 6 && SUNDIALS_VERSION_MINOR < 2
    IDAGetNumNonlinSolvConvFails(solver, &n); // those too
#else
    IDAGetNumStepSolveFails(solver, &n);
#endif
    return n;
}

/// A matrix of `entries` entries and a solver for it: sparse, by KLU, where that is
/// there, else dense. KLU takes less time from ten unknowns on, with its own choice of
/// ordering (COLAMD; AMD fills chains), but not with matrices that are full. NULL, both
/// or the solver, when memory is short.
static inline void sundials_take_solver(N_Vector y, int entries, SUNContext context, SUNMatrix *J,
                                        SUNLinearSolver *solver)
{
    const sunindextype n = N_VGetLength(y);
#ifdef TRM_WITH_KLU
    if (entries < n * n / 2) {
        *J = SUNSparseMatrix(n, n, entries, CSC_MAT, context);
        *solver = *J ? SUNLinSol_KLU(y, *J, context) : NULL;
        return;
    }
#endif
    (void)entries;
    *J = SUNDenseMatrix(n, n, context);
    *solver = *J ? SUNLinSol_Dense(y, *J, context) : NULL;
}
