#include "bdf.h"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct bdf {
    bdf_rates *rates;
    void *problem, *solver;
    size_t size;   // of z
    long matrices; // evaluations for them
    SUNContext context;
    N_Vector z;
    SUNMatrix J;
    SUNLinearSolver linear;
};

static int evaluate(sunrealtype t, N_Vector z, N_Vector dz, void *user)
{
    const bdf *of = user;
    return of->rates(t, N_VGetArrayPointer(z), N_VGetArrayPointer(dz), of->problem);
}

/// J by differences over sqrt(u) of the largest |z_i|. Those of CVODE are as small as z_i; where an
/// angle is 0, roundoff over epsilon is all that they find.
static int differences(sunrealtype t, N_Vector z, N_Vector dz, SUNMatrix J, void *user,
                       N_Vector moved, N_Vector b, N_Vector c)
{
    bdf *const of = user;
    double *const x = N_VGetArrayPointer(z), *const y = N_VGetArrayPointer(moved);
    const double *const f = N_VGetArrayPointer(dz);
    const double largest = N_VMaxNorm(z), step = sqrt(DBL_EPSILON) * (largest > 0 ? largest : 1);
    const long n = SUNDenseMatrix_Columns(J);
    (void)b, (void)c;
    for (long j = 0; j < n; j++) {
        const double kept = x[j];
        x[j] += step;
        const double h = x[j] - kept;
        const int code = of->rates(t, x, y, of->problem);
        x[j] = kept;
        if (code) {
            return code;
        }
        for (long i = 0; i < n; i++) {
            SM_ELEMENT_D(J, i, j) = (y[i] - f[i]) / h;
        }
    }
    of->matrices += n;
    return 0;
}

bdf *bdf_open(int n, bdf_rates *rates, void *problem, double tolerance, double t, const double *z)
{
    bdf *b = calloc(1, sizeof *b);
    if (!b) {
        return NULL;
    }
    b->rates = rates;
    b->problem = problem;
    b->size = (size_t)n * sizeof *z;
#if SUNDIALS_VERSION_MAJOR >= 7
    SUNContext_Create(SUN_COMM_NULL, &b->context);
#else
    SUNContext_Create(NULL, &b->context);
#endif
    b->z = N_VNew_Serial(n, b->context);
    memcpy(N_VGetArrayPointer(b->z), z, b->size);
    b->solver = CVodeCreate(CV_BDF, b->context);
    b->J = SUNDenseMatrix(n, n, b->context);
    b->linear = SUNLinSol_Dense(b->z, b->J, b->context);
    if (CVodeInit(b->solver, evaluate, t, b->z) || CVodeSetUserData(b->solver, b) ||
        CVodeSStolerances(b->solver, tolerance, tolerance) ||
        CVodeSetLinearSolver(b->solver, b->linear, b->J) || CVodeSetJacFn(b->solver, differences) ||
        CVodeSetMaxNumSteps(b->solver, 100000)) {
        bdf_close(b);
        return NULL;
    }
    return b;
}

int bdf_restart(bdf *b, double t, const double *z)
{
    memcpy(N_VGetArrayPointer(b->z), z, b->size);
    return CVodeReInit(b->solver, t, b->z);
}

int bdf_advance(bdf *b, double t_end, double *z)
{
    const int code = CVode(b->solver, t_end, b->z, &(sunrealtype){0}, CV_NORMAL);
    memcpy(z, N_VGetArrayPointer(b->z), b->size);
    return code < 0;
}

long bdf_evaluations(const bdf *b)
{
    long steps = 0;
    CVodeGetNumRhsEvals(b->solver, &steps);
    return steps + b->matrices;
}

void bdf_close(bdf *b)
{
    if (b) {
        CVodeFree(&b->solver);
        SUNLinSolFree(b->linear);
        SUNMatDestroy(b->J);
        N_VDestroy(b->z);
        SUNContext_Free(&b->context);
        free(b);
    }
}
