// Least squares of a matrix of known rank r. Rows are left out by directions, not one by one: the
// m - r smallest left singular directions W are found by inverse iteration, and
// (I - W W^T) A x = (I - W W^T) b is solved by Householder QR with pivoting. So the solution is a
// smooth function of A wherever sigma_r > sigma_r+1.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

using Numbers = std::vector<double>;

// A^T P = Q R by Householder reflections; A by rows, of which `rank` are taken as pivots.
class PivotedQr
{
    size_t m, n;
    Numbers a; // row i: its coefficients R(0..i-1, i), then its Householder vector
    Numbers beta, diagonal;
    std::vector<size_t> order;

    double *row(size_t i)
    {
        return a.data() + i * n;
    }
    const double *row(size_t i) const
    {
        return a.data() + i * n;
    }

    void reflect(size_t p, double pivot)
    {
        double *v = row(p), alpha = v[p] > 0 ? -pivot : pivot, length = 0;
        v[p] -= alpha;
        for (size_t j = p; j < n; j++)
            length += v[j] * v[j];
        beta.push_back(length > 0 ? 2 / length : 0);
        diagonal.push_back(alpha);
        for (size_t i = p + 1; i < m; i++) {
            double s = 0, *u = row(i);
            for (size_t j = p; j < n; j++)
                s += u[j] * v[j];
            s *= beta[p];
            for (size_t j = p; j < n; j++)
                u[j] -= s * v[j];
        }
    }

  public:
    size_t rank = 0;
    double smallest_kept = 1, largest_dropped = 0;

    // wanted < 0: as many as have a pivot above `tolerance`
    PivotedQr(Numbers A, size_t rows, size_t columns, int wanted, double tolerance)
        : m(rows), n(columns), a(std::move(A)), order(rows)
    {
        for (size_t i = 0; i < m; i++)
            order[i] = i;
        for (rank = 0; rank < std::min(m, n); rank++) {
            size_t best = rank;
            double largest = -1;
            for (size_t i = rank; i < m; i++) {
                double left = 0;
                for (size_t j = rank; j < n; j++)
                    left += row(i)[j] * row(i)[j];
                if (left > largest)
                    largest = left, best = i;
            }
            double pivot = sqrt(largest);
            if (wanted < 0 ? pivot < tolerance : rank >= (size_t)wanted) {
                largest_dropped = pivot;
                break;
            }
            smallest_kept = std::min(smallest_kept, pivot);
            std::swap_ranges(row(rank), row(rank) + n, row(best));
            std::swap(order[rank], order[best]);
            reflect(rank, pivot);
        }
    }

    // shortest x that solves the rows of the pivots
    Numbers solve(const Numbers &b) const
    {
        Numbers y(n, 0);
        for (size_t i = 0; i < rank; i++) { // R11^T y = b
            y[i] = b[order[i]];
            for (size_t j = 0; j < i; j++)
                y[i] -= row(i)[j] * y[j];
            y[i] /= diagonal[i];
        }
        for (size_t p = rank; p-- > 0;) { // x = Q y
            double s = 0;
            for (size_t j = p; j < n; j++)
                s += row(p)[j] * y[j];
            s *= beta[p];
            for (size_t j = p; j < n; j++)
                y[j] -= s * row(p)[j];
        }
        return y;
    }

    // W[m - rank], each of length m: [-R11^-1 R12; I], null vectors of A up to R22
    std::vector<Numbers> left_out() const
    {
        std::vector<Numbers> W;
        for (size_t e = rank; e < m; e++) {
            Numbers w(m, 0);
            w[order[e]] = 1;
            for (size_t i = rank; i-- > 0;) {
                double s = row(e)[i];
                for (size_t j = i + 1; j < rank; j++)
                    s += row(j)[i] * w[order[j]];
                w[order[i]] = -s / diagonal[i];
            }
            W.push_back(w);
        }
        return W;
    }
};

inline void orthonormalize(std::vector<Numbers> &W)
{
    for (size_t k = 0; k < W.size(); k++) {
        for (size_t pass = 0; pass < 2; pass++)
            for (size_t l = 0; l < k; l++) {
                double s = 0;
                for (size_t i = 0; i < W[k].size(); i++)
                    s += W[k][i] * W[l][i];
                for (size_t i = 0; i < W[k].size(); i++)
                    W[k][i] -= s * W[l][i];
            }
        double size = 0;
        for (double x : W[k])
            size += x * x;
        for (double &x : W[k])
            x /= sqrt(size);
    }
}

class RankSolver
{
    size_t m, n;
    std::vector<Numbers> W;
    PivotedQr qr;

    // W <- orth((A A^T + shift)^-1 W), until the part of larger singular values is gone
    static void refine(const Numbers &A, size_t m, size_t n, std::vector<Numbers> &W)
    {
        const double shift = 1e-11; // above the roundoff of A A^T, whose rows have length one
        const int most = 8;
        const double enough = 1e-13;
        Numbers L(m * m, 0);
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j <= i; j++) {
                double s = i == j ? shift : 0;
                for (size_t c = 0; c < n; c++)
                    s += A[i * n + c] * A[j * n + c];
                for (size_t k = 0; k < j; k++)
                    s -= L[i * m + k] * L[j * m + k];
                L[i * m + j] = i == j ? sqrt(std::max(s, shift)) : s / L[j * m + j];
            }
        orthonormalize(W);
        double change = 1;
        for (int round = 0; round < most && change > enough; round++) {
            const std::vector<Numbers> old = W;
            for (Numbers &w : W) {
                for (size_t i = 0; i < m; i++) {
                    for (size_t k = 0; k < i; k++)
                        w[i] -= L[i * m + k] * w[k];
                    w[i] /= L[i * m + i];
                }
                for (size_t i = m; i-- > 0;) {
                    w[i] /= L[i * m + i];
                    for (size_t k = 0; k < i; k++)
                        w[k] -= L[i * m + k] * w[i];
                }
            }
            orthonormalize(W);
            change = 0;
            for (const Numbers &w : W)
                change = std::max(change, outside(w, old));
        }
    }
    // The part of w orthogonal to the vectors of `span`.
    static double outside(Numbers w, const std::vector<Numbers> &span)
    {
        double size = 0;
        for (const Numbers &u : span) {
            double s = 0;
            for (size_t i = 0; i < w.size(); i++)
                s += u[i] * w[i];
            for (size_t i = 0; i < w.size(); i++)
                w[i] -= s * u[i];
        }
        for (double x : w)
            size += x * x;
        return sqrt(size);
    }
    Numbers without(Numbers b, size_t columns) const
    {
        for (const Numbers &w : W)
            for (size_t c = 0; c < columns; c++) {
                double s = 0;
                for (size_t i = 0; i < m; i++)
                    s += w[i] * b[i * columns + c];
                for (size_t i = 0; i < m; i++)
                    b[i * columns + c] -= s * w[i];
            }
        return b;
    }

  public:
    size_t rank;
    double smallest_kept, largest_dropped;

    RankSolver(const Numbers &A, size_t rows, size_t columns, int wanted, double tolerance)
        : m(rows), n(columns), qr(A, rows, columns, wanted, tolerance), rank(qr.rank),
          smallest_kept(qr.smallest_kept), largest_dropped(qr.largest_dropped)
    {
        if (rank == m)
            return;
        W = qr.left_out();
        refine(A, m, n, W);
        qr = PivotedQr(without(A, n), m, n, (int)rank, 0);
    }
    Numbers solve(const Numbers &b) const
    {
        return qr.solve(W.empty() ? b : without(b, 1));
    }
};
