/// SUNDIALS 6 and 7 under one name each, and its messages caught.
///
/// Version 6 hands messages to a handler of each integrator, version 7 to one of the context.
#pragma once

#include "base/linear/late.h"

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

// What is called, loaded when ida is asked for: SUNDIALS and KLU are seven libraries.
#if SUNDIALS_VERSION_MAJOR >= 7
#define SUNDIALS_OF_VERSION(USE)                                                                   \
    USE(SUNContext_ClearErrHandlers) USE(SUNContext_PushErrHandler) USE(IDAGetNumStepSolveFails)
#elif SUNDIALS_VERSION_MINOR < 2
#define SUNDIALS_OF_VERSION(USE) USE(IDASetErrHandlerFn) USE(IDAGetNumNonlinSolvConvFails)
#else
#define SUNDIALS_OF_VERSION(USE) USE(IDASetErrHandlerFn) USE(IDAGetNumStepSolveFails)
#endif
// clang-format off
#define SUNDIALS_FUNCTIONS(USE)                                                                    \
    USE(IDACreate) USE(IDAFree) USE(IDAGetCurrentStep) USE(IDAGetDky) USE(IDAGetNumErrTestFails)   \
    USE(IDAGetQuad) USE(IDAGetQuadDky) USE(IDAInit) USE(IDAQuadInit) USE(IDAQuadReInit)            \
    USE(IDAReInit) USE(IDASetId) USE(IDASetInitStep) USE(IDASetJacFn) USE(IDASetLinearSolver)      \
    USE(IDASetMaxConvFails) USE(IDASetMaxErrTestFails) USE(IDASetMinStep)                          \
    USE(IDASetNonlinConvCoef) USE(IDASetNonlinearSolver) USE(IDASetStopTime)                       \
    USE(IDASetSuppressAlg) USE(IDASetUserData) USE(IDASolve) USE(IDAWFtolerances) USE(N_VConst)    \
    USE(N_VDestroy) USE(N_VGetArrayPointer) USE(N_VGetLength) USE(N_VNew_Serial)                   \
    USE(SUNContext_Create) USE(SUNContext_Free) USE(SUNDenseMatrix) USE(SUNDenseMatrix_Column)     \
    USE(SUNLinSolFree) USE(SUNLinSolFreeEmpty) USE(SUNLinSolNewEmpty) USE(SUNLinSolSetup)          \
    USE(SUNLinSolSolve) USE(SUNLinSol_Dense) USE(SUNMatDestroy) USE(SUNMatGetID)                   \
    USE(SUNNonlinSolFree) USE(SUNNonlinSolGetCurIter) USE(SUNNonlinSolSetConvTestFn)               \
    USE(SUNNonlinSol_Newton) USE(SUNSparseMatrix) USE(SUNSparseMatrix_Data)                        \
    USE(SUNSparseMatrix_IndexPointers) USE(SUNSparseMatrix_IndexValues)                            \
    SUNDIALS_OF_VERSION(USE)
// clang-format on

extern struct trm_sundials_functions {
    SUNDIALS_FUNCTIONS(TRM_LATE_POINTER)
} trm_sundials;
int trm_sundials_load(void);
#ifdef TRM_WITH_KLU
#define SUNDIALS_KLU(USE) USE(SUNLinSol_KLU)
extern struct trm_sundials_klu_functions {
    SUNDIALS_KLU(TRM_LATE_POINTER)
} trm_sundials_klu;
int trm_sundials_klu_load(void);
#define TRM_SUNDIALS_FILES TRM_SUNDIALS_FILE " or " TRM_SUNDIALS_KLU_FILE
#else
#define TRM_SUNDIALS_FILES TRM_SUNDIALS_FILE
#endif

/// Both, as trm_late_load.
static inline int sundials_load(void)
{
#ifdef TRM_WITH_KLU
    const int first = trm_sundials_load();
    return first > 0 ? trm_sundials_klu_load() : first;
#else
    return trm_sundials_load();
#endif
}

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
    const int code =
        sundials_load() <= 0 ? -1 : trm_sundials.SUNContext_Create(SUN_COMM_NULL, context);
    if (code) {
        *context = NULL; // what a failed creation leaves there must not be freed
        return code;
    }
    trm_sundials.SUNContext_ClearErrHandlers(*context);
    return trm_sundials.SUNContext_PushErrHandler(*context, sundials_hear, message);
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
    const int code = sundials_load() <= 0 ? -1 : trm_sundials.SUNContext_Create(NULL, context);
    *context = code ? NULL : *context; // what a failed creation leaves there must not be freed
    return code;
}

static inline int sundials_listen(void *solver, sundials_message *message)
{
    return trm_sundials.IDASetErrHandlerFn(solver, sundials_hear, message);
}

#endif

/// Steps whose nonlinear equations were not solved, without those solved with a new matrix.
static inline long sundials_unsolved_steps(void *solver)
{
    long n = 0;
#if SUNDIALS_VERSION_MAJOR == 6 && SUNDIALS_VERSION_MINOR < 2
    trm_sundials.IDAGetNumNonlinSolvConvFails(solver, &n); // those too
#else
    trm_sundials.IDAGetNumStepSolveFails(solver, &n);
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
    const sunindextype n = trm_sundials.N_VGetLength(y);
#ifdef TRM_WITH_KLU
    if (entries < n * n / 2) {
        *J = trm_sundials.SUNSparseMatrix(n, n, entries, CSC_MAT, context);
        *solver = *J ? trm_sundials_klu.SUNLinSol_KLU(y, *J, context) : NULL;
        return;
    }
#endif
    (void)entries;
    *J = trm_sundials.SUNDenseMatrix(n, n, context);
    *solver = *J ? trm_sundials.SUNLinSol_Dense(y, *J, context) : NULL;
}
