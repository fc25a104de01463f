#include "engine/linear/sparse.h"

#include <limits.h>
#include <stdlib.h>

void trm_sparse_multiply(const trm_sparse *A, const double *x, double *out)
{
    for (int i = 0; i < A->rows; i++) {
        double sum = 0;
        for (int k = A->start[i]; k < A->start[i + 1]; k++) {
            sum += A->value[k] * x[A->column[k]];
        }
        out[i] = sum;
    }
}

void trm_sparse_multiply_transposed(const trm_sparse *A, const double *x, double *out)
{
    for (int j = 0; j < A->columns; j++) {
        out[j] = 0;
    }
    for (int i = 0; i < A->rows; i++) {
        for (int k = A->start[i]; k < A->start[i + 1]; k++) {
            out[A->column[k]] += A->value[k] * x[i];
        }
    }
}

// ---------------------------------------------------------------------------------------- pattern

int trm_ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/// Adds column j of row i unless it is there: mark[j] is the last row that has it.
static int add(int i, int j, int *mark, int *list, int n)
{
    if (mark[j] != i) {
        mark[j] = i;
        if (list) {
            list[n] = j;
        }
        n++;
    }
    return n;
}

/// The columns of row i of I + A B, unsorted; list may be NULL. Returns how many.
static int columns_of(const trm_sparse *A, const trm_sparse *B, int i, int *mark, int *list)
{
    int n = add(i, i, mark, list, 0);
    for (int k = A->start[i]; k < A->start[i + 1]; k++) {
        const int j = A->column[k];
        if (!B) {
            n = add(i, j, mark, list, n);
            continue;
        }
        for (int l = B->start[j]; l < B->start[j + 1]; l++) {
            n = add(i, B->column[l], mark, list, n);
        }
    }
    return n;
}

/// Rows of `start`; returns the number of entries, or -1.
static int count(const trm_sparse *A, const trm_sparse *B, int *mark, int *start)
{
    start[0] = 0;
    for (int i = 0; i < A->rows; i++) {
        const int n = columns_of(A, B, i, mark, NULL);
        if (n > INT_MAX - start[i]) {
            return -1;
        }
        start[i + 1] = start[i] + n;
    }
    return start[A->rows];
}

static void unmark(int n, int *mark)
{
    for (int j = 0; j < n; j++) {
        mark[j] = -1;
    }
}

int trm_sparse_pattern(const trm_sparse *A, const trm_sparse *B, trm_sparse *out)
{
    const int n = A->rows;
    int *mark = malloc((size_t)n * sizeof *mark);
    int *start = malloc(((size_t)n + 1) * sizeof *start);
    *out = (trm_sparse){.rows = n, .columns = n, .start = start};
    if (!mark || !start) {
        free(mark);
        return -1;
    }
    unmark(n, mark);
    const int entries = count(A, B, mark, start);
    int *column = entries < 0 ? NULL : malloc((size_t)entries * sizeof *column);
    out->column = column;
    out->value = entries < 0 ? NULL : calloc((size_t)entries, sizeof *out->value);
    const int failed = !column || !out->value;
    unmark(n, mark);
    for (int i = 0; i < n && !failed; i++) {
        int *row = column + start[i];
        qsort(row, (size_t)columns_of(A, B, i, mark, row), sizeof *row, trm_ascending);
    }
    free(mark);
    return failed;
}

void trm_sparse_free(trm_sparse *A)
{
    // the arrays are ours: trm_sparse_pattern made them
    free((void *)A->start);
    free((void *)A->column);
    free(A->value);
    *A = (trm_sparse){0};
}

// ----------------------------------------------------------------------------------------- values

/// work := row i of A B, or of A; work is zero before.
static void scatter(const trm_sparse *A, const trm_sparse *B, int i, double *work)
{
    for (int k = A->start[i]; k < A->start[i + 1]; k++) {
        const int j = A->column[k];
        if (!B) {
            work[j] += A->value[k];
            continue;
        }
        for (int l = B->start[j]; l < B->start[j + 1]; l++) {
            work[B->column[l]] += A->value[k] * B->value[l];
        }
    }
}

void trm_sparse_fill(double c0, double c1, const trm_sparse *A, const trm_sparse *B, double *work,
                     trm_sparse *out)
{
    for (int j = 0; j < out->columns; j++) {
        work[j] = 0;
    }
    for (int i = 0; i < out->rows; i++) {
        scatter(A, B, i, work);
        for (int k = out->start[i]; k < out->start[i + 1]; k++) {
            const int j = out->column[k];
            out->value[k] = c1 * work[j] + (i == j ? c0 : 0);
            work[j] = 0;
        }
    }
}
