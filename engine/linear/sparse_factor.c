/// Sparse factors by SuiteSparse: of CHOLMOD the parts Core and Cholesky alone (simplicial LDL^T in
/// the order of AMD), and KLU. Both store columns, so that the rows of A are the columns of their
/// matrix, A^T.
#include "base/linear/late.h"
#include "engine/linear/sparse.h"

#include <math.h>
#include <stdlib.h>

#ifdef TRM_WITH_CHOLMOD
#if __has_include(<suitesparse/cholmod.h>)
#include <suitesparse/cholmod.h>
#else
#include <cholmod.h>
#endif
#endif
#ifdef TRM_WITH_KLU
#if __has_include(<suitesparse/klu.h>)
#include <suitesparse/klu.h>
#else
#include <klu.h>
#endif
#endif

// Loaded when they are asked for: CHOLMOD brings LAPACK along (base/linear/lapack.h).
#define TEXT(x) #x
#define SONAME(name, version) "lib" name ".so." TEXT(version) // that of its header

#ifdef TRM_WITH_CHOLMOD
#define OF_CHOLMOD(USE)                                                                            \
    USE(cholmod_start)                                                                             \
    USE(cholmod_analyze)                                                                           \
    USE(cholmod_factorize)                                                                         \
    USE(cholmod_solve2) USE(cholmod_free_factor) USE(cholmod_free_dense) USE(cholmod_finish)
struct cholmod_functions {
    OF_CHOLMOD(TRM_LATE_POINTER)
};
TRM_LATE(static, cholmod, SONAME("cholmod", CHOLMOD_MAIN_VERSION), OF_CHOLMOD)
#endif
#ifdef TRM_WITH_KLU
#define OF_KLU(USE)                                                                                \
    USE(klu_defaults)                                                                              \
    USE(klu_analyze)                                                                               \
    USE(klu_factor)                                                                                \
    USE(klu_rcond) USE(klu_tsolve) USE(klu_free_numeric) USE(klu_free_symbolic)
struct klu_functions {
    OF_KLU(TRM_LATE_POINTER)
};
TRM_LATE(static, klu, SONAME("klu", KLU_MAIN_VERSION), OF_KLU)
#endif

struct trm_factor {
    const trm_sparse *A;
    int symmetric;
#ifdef TRM_WITH_CHOLMOD
    cholmod_common common;
    cholmod_sparse matrix;
    cholmod_factor *L;
    cholmod_dense *x, *y, *e; ///< work of the solution
#endif
#ifdef TRM_WITH_KLU
    klu_common klu;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
#endif
};

int trm_factor_available(int symmetric)
{
    (void)symmetric; // where there is neither
#ifdef TRM_WITH_CHOLMOD
    if (symmetric) {
        return cholmod_load() > 0;
    }
#endif
#ifdef TRM_WITH_KLU
    if (!symmetric) {
        return klu_load() > 0;
    }
#endif
    return 0;
}

// ---------------------------------------------------------------------------------------- CHOLMOD

#ifdef TRM_WITH_CHOLMOD
static int analyze_symmetric(trm_factor *factor)
{
    const trm_sparse *A = factor->A;
    cholmod_common *common = &factor->common;
    cholmod.cholmod_start(common);
    common->print = 0;
    common->supernodal = CHOLMOD_SIMPLICIAL;
    common->nmethods = 1;
    common->method[0].ordering = CHOLMOD_AMD;
    factor->matrix = (cholmod_sparse){.nrow = (size_t)A->rows,
                                      .ncol = (size_t)A->rows,
                                      .nzmax = (size_t)A->start[A->rows],
                                      .p = (void *)A->start,
                                      .i = (void *)A->column,
                                      .x = A->value,
                                      .stype = 1, // the upper triangle counts
                                      .itype = CHOLMOD_INT,
                                      .xtype = CHOLMOD_REAL,
                                      .dtype = CHOLMOD_DOUBLE,
                                      .sorted = 1,
                                      .packed = 1};
    factor->L = cholmod.cholmod_analyze(&factor->matrix, common);
    return factor->L == NULL;
}

/// 1 unless every entry of D is above `least` times the largest.
static int small_pivot(const cholmod_factor *L, double least)
{
    const int *start = L->p;
    const double *value = L->x;
    double largest = 0, smallest = INFINITY;
    for (size_t j = 0; j < L->n; j++) {
        const double pivot = value[start[j]];
        largest = fmax(largest, pivot);
        smallest = pivot < smallest || isnan(pivot) ? pivot : smallest;
    }
    return !(smallest > least * largest);
}

static int renew_symmetric(trm_factor *factor, double least)
{
    cholmod.cholmod_factorize(&factor->matrix, factor->L, &factor->common);
    if (factor->common.status < CHOLMOD_OK) {
        return -1;
    }
    return factor->common.status > CHOLMOD_OK || small_pivot(factor->L, least);
}

static int solve_symmetric(trm_factor *factor, double *x)
{
    const size_t n = (size_t)factor->A->rows;
    cholmod_dense b = {.nrow = n,
                       .ncol = 1,
                       .nzmax = n,
                       .d = n,
                       .x = x,
                       .xtype = CHOLMOD_REAL,
                       .dtype = CHOLMOD_DOUBLE};
    if (!cholmod.cholmod_solve2(CHOLMOD_A, factor->L, &b, NULL, &factor->x, NULL, &factor->y,
                                &factor->e, &factor->common)) {
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        x[i] = ((const double *)factor->x->x)[i];
    }
    return 0;
}

static void destroy_symmetric(trm_factor *factor)
{
    cholmod.cholmod_free_factor(&factor->L, &factor->common);
    cholmod.cholmod_free_dense(&factor->x, &factor->common);
    cholmod.cholmod_free_dense(&factor->y, &factor->common);
    cholmod.cholmod_free_dense(&factor->e, &factor->common);
    cholmod.cholmod_finish(&factor->common);
}
#else
static int analyze_symmetric(trm_factor *factor)
{
    (void)factor;
    return -1;
}

static int renew_symmetric(trm_factor *factor, double least)
{
    (void)factor, (void)least;
    return -1;
}

static int solve_symmetric(trm_factor *factor, double *x)
{
    (void)factor, (void)x;
    return -1;
}

static void destroy_symmetric(trm_factor *factor)
{
    (void)factor;
}
#endif

// -------------------------------------------------------------------------------------------- KLU

#ifdef TRM_WITH_KLU
static int analyze_general(trm_factor *factor)
{
    const trm_sparse *A = factor->A;
    klu.klu_defaults(&factor->klu);
    factor->symbolic = klu.klu_analyze(A->rows, (int *)A->start, (int *)A->column,
                                       &factor->klu); // borrowed: not written
    return factor->symbolic == NULL;
}

static int renew_general(trm_factor *factor, double least)
{
    const trm_sparse *A = factor->A;
    klu.klu_free_numeric(&factor->numeric, &factor->klu);
    factor->numeric =
        klu.klu_factor((int *)A->start, (int *)A->column, A->value, factor->symbolic, &factor->klu);
    if (!factor->numeric) {
        return factor->klu.status == KLU_SINGULAR ? 1 : -1;
    }
    return !klu.klu_rcond(factor->symbolic, factor->numeric, &factor->klu) ||
           !(factor->klu.rcond > least);
}

static int solve_general(trm_factor *factor, double *x)
{
    return !klu.klu_tsolve(factor->symbolic, factor->numeric, factor->A->rows, 1, x, &factor->klu);
}

static void destroy_general(trm_factor *factor)
{
    klu.klu_free_numeric(&factor->numeric, &factor->klu);
    klu.klu_free_symbolic(&factor->symbolic, &factor->klu);
}
#else
static int analyze_general(trm_factor *factor)
{
    (void)factor;
    return -1;
}

static int renew_general(trm_factor *factor, double least)
{
    (void)factor, (void)least;
    return -1;
}

static int solve_general(trm_factor *factor, double *x)
{
    (void)factor, (void)x;
    return -1;
}

static void destroy_general(trm_factor *factor)
{
    (void)factor;
}
#endif

// ------------------------------------------------------------------------------------------ either

trm_factor *trm_factor_create(const trm_sparse *A, int symmetric)
{
    trm_factor *factor = trm_factor_available(symmetric) ? calloc(1, sizeof *factor) : NULL;
    if (!factor) {
        return NULL;
    }
    factor->A = A;
    factor->symmetric = symmetric;
    if (symmetric ? analyze_symmetric(factor) : analyze_general(factor)) {
        trm_factor_destroy(factor);
        return NULL;
    }
    return factor;
}

int trm_factor_renew(trm_factor *factor, double least)
{
    return factor->symmetric ? renew_symmetric(factor, least) : renew_general(factor, least);
}

int trm_factor_solve(trm_factor *factor, double *x)
{
    return factor->symmetric ? solve_symmetric(factor, x) : solve_general(factor, x);
}

void trm_factor_destroy(trm_factor *factor)
{
    if (factor) {
        if (factor->symmetric) {
            destroy_symmetric(factor);
        } else {
            destroy_general(factor);
        }
        free(factor);
    }
}
