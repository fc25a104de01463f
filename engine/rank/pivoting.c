#include "engine/rank/pivoting.h"

#include <math.h>

static void swap(int *list, int i, int j)
{
    const int held = list[i];
    list[i] = list[j];
    list[j] = held;
}

/// Move the largest remaining entry to place k.
static double choose_pivot(int rows, int columns, const double *A, int k, int *row, int *column)
{
    double largest = -1;
    int at_row = k;
    int at_column = k;
    for (int i = k; i < rows; i++) {
        for (int j = k; j < columns; j++) {
            const double size = fabs(A[row[i] * columns + column[j]]);
            if (size > largest) {
                largest = size;
                at_row = i;
                at_column = j;
            }
        }
    }
    swap(row, k, at_row);
    swap(column, k, at_column);
    return largest;
}

int trm_eliminate(int rows, int columns, double *A, double tolerance, int *row, int *column)
{
    const int most = rows < columns ? rows : columns;
    double first = 0;
    for (int i = 0; i < rows; i++) {
        row[i] = i;
    }
    for (int j = 0; j < columns; j++) {
        column[j] = j;
    }
    for (int k = 0; k < most; k++) {
        const double pivot = choose_pivot(rows, columns, A, k, row, column);
        first = k == 0 ? pivot : first;
        if (!(pivot > tolerance * first)) {
            return k;
        }
        const double *upper = A + row[k] * columns;
        for (int i = k + 1; i < rows; i++) {
            double *lower = A + row[i] * columns;
            const double factor = lower[column[k]] / upper[column[k]];
            lower[column[k]] = factor;
            for (int j = k + 1; j < columns; j++) {
                lower[column[j]] -= factor * upper[column[j]];
            }
        }
    }
    return most;
}

void trm_eliminate_solve(int n, int rank, const double *A, const int *row, const int *column,
                         double *b, double *x)
{
    for (int i = 0; i < n; i++) {
        x[i] = 0;
    }
    for (int i = 0; i < rank; i++) { // L
        for (int k = 0; k < i; k++) {
            b[row[i]] -= A[row[i] * n + column[k]] * b[row[k]];
        }
    }
    for (int i = rank - 1; i >= 0; i--) { // U
        double sum = b[row[i]];
        for (int k = i + 1; k < rank; k++) {
            sum -= A[row[i] * n + column[k]] * x[column[k]];
        }
        x[column[i]] = sum / A[row[i] * n + column[i]];
    }
}

double trm_eliminate_smallest(int columns, int rank, const double *A, const int *row,
                              const int *column)
{
    return rank == 0 ? 0 : fabs(A[row[rank - 1] * columns + column[rank - 1]]);
}
