/// [AL95] example 6.1, nonlinear: f = (1 - e^-t, cos t + e^t sin t), B = x, g = (|x|^2 - e^-2t -
/// sin^2 t)/2, and x = (e^-t, sin t), y = e^t. All iterates together, with y_0 = y(0) = 1:
///
///     x_s' = f - B y_s,    y_s = y_{s-1} + (1/epsilon) (GB)^-1 g(x_s,t)
///
///     cc dae.c bdf.c -o dae -lsundials_cvode -lsundials_nvecserial -lsundials_sunlinsoldense
///         -lsundials_sunmatrixdense -lm
///
/// Printed: epsilon, iterates, errors of x and y at t = 1, evaluations.
#include "bdf.h"

#include <math.h>
#include <stdio.h>

enum { MOST = 3 };

typedef struct problem {
    double epsilon, y;
    int iterates;
} problem;

static int rates(double t, const double *z, double *dz, void *user)
{
    problem *p = user;
    double y = 1;
    for (int s = 0; s < p->iterates; s++) {
        const double *x = z + 2 * s;
        const double GB = x[0] * x[0] + x[1] * x[1];
        y += (GB - exp(-2 * t) - sin(t) * sin(t)) / (2 * GB * p->epsilon);
        dz[2 * s] = 1 - exp(-t) - x[0] * y;
        dz[2 * s + 1] = cos(t) + exp(t) * sin(t) - x[1] * y;
    }
    p->y = y;
    return 0;
}

int main(void)
{
    for (int e = 2; e <= 10; e += 2) {
        for (int m = 1; m <= (e < 6 ? MOST : 1); m++) {
            problem p = {pow(10, -e), 0, m};
            double z[2 * MOST] = {1, 0, 1, 0, 1, 0}, dz[2 * MOST];
            bdf *solver = bdf_open(2 * m, rates, &p, 1e-10, 0, z);
            if (!solver || bdf_advance(solver, 1, z)) {
                return 1;
            }
            rates(1, z, dz, &p);
            const double *x = z + 2 * (m - 1);
            printf("%.0e %d %.3g %.3g %ld\n", p.epsilon, m,
                   fmax(fabs(x[0] - exp(-1)), fabs(x[1] - sin(1))), fabs(p.y - exp(1)),
                   bdf_evaluations(solver));
            bdf_close(solver);
        }
    }
    return 0;
}
