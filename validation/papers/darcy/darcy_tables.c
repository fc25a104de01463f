/// Runs behind Tables 5.1-5.3 of the thesis: (5.5)-(5.6), P_0 = 0,
/// two examples with known solutions.
#include "trammel/trammel_error.h"
#include "validation/papers/darcy/raviart_thomas.h"
#include "validation/papers/tables/tables.h"

#include <math.h>

static const double pi = 3.14159265358979323846;
static const double a2 = 0.05, b2 = 10; // of Example 5.2

typedef struct example {
    double low, side; ///< the square [low, low + side]^2
    double a;
    double force; ///< F = (force, -force)
    double (*u)(double x, double y);
    double (*v)(double x, double y);
    double (*q)(double x, double y);
    double (*p)(double x, double y);
} example;

// Example 5.1
static double u_1(double x, double y)
{
    (void)y;
    return sin(pi * x);
}

static double v_1(double x, double y)
{
    (void)x;
    return sin(pi * y);
}

static double q_1(double x, double y)
{
    return pi * (cos(pi * x) + cos(pi * y));
}

static double p_1(double x, double y)
{
    return (cos(pi * x) + cos(pi * y) + x - y) / pi;
}

// Example 5.2
static double u_2(double x, double y)
{
    (void)y;
    return -a2 * b2 * b2 * exp(b2 * x);
}

static double v_2(double x, double y)
{
    (void)x;
    return a2 * b2 * b2 * exp(b2 * y);
}

static double q_2(double x, double y)
{
    return a2 * b2 * b2 * b2 * (exp(b2 * y) - exp(b2 * x));
}

static double p_2(double x, double y)
{
    return b2 * (exp(b2 * x) - exp(b2 * y)) + x - y;
}

static const example example_1 = {0, 1, 1, 1 / 3.14159265358979323846, u_1, v_1, q_1, p_1};
static const example example_2 = {0.5, 0.5, 0.05, 1, u_2, v_2, q_2, p_2};

/// The source is the mean of its values at the four edges of a
/// cell, as the trapezoidal rule has it.
static void put(const example *ex, trm_paper_darcy *darcy)
{
    const int n = darcy->n;
    const double h = darcy->h;
    for (int k = 0; k < darcy->problem.nx; k++) {
        darcy->a[k] = ex->a;
        darcy->F[k] = k < n * (n - 1) ? ex->force : -ex->force;
    }
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            const double x = ex->low + (i + 0.5) * h, y = ex->low + (j + 0.5) * h;
            const double right = i == n - 1 ? ex->u(x + h / 2, y) : 0;
            const double left = i == 0 ? ex->u(x - h / 2, y) : 0;
            const double above = j == n - 1 ? ex->v(x, y + h / 2) : 0;
            const double below = j == 0 ? ex->v(x, y - h / 2) : 0;
            darcy->Q[j * n + i] = (ex->q(x - h / 2, y) + ex->q(x + h / 2, y) + ex->q(x, y - h / 2) +
                                   ex->q(x, y + h / 2)) /
                                      4 -
                                  (right - left + above - below) / h;
        }
    }
}

typedef struct sizes {
    double off, largest;
} sizes;

static void look(sizes *s, double ours, double exact)
{
    s->off = fmax(s->off, fabs(ours - exact));
    s->largest = fmax(s->largest, fabs(exact));
}

/// Relative errors of the velocity on edges and of the pressure at centres. `cells` is n, or n - 1:
/// cells and edges beyond are left out, and boundary edges count if n.
static void errors(const example *ex, const trm_paper_darcy *darcy, trm_dae_state state, int cells,
                   double ours[2])
{
    const double h = darcy->h;
    const int full = cells == darcy->n;
    sizes velocity = {0}, pressure = {0};
    for (int j = 0; j < cells; j++) {
        for (int i = 0; i < cells; i++) {
            const double x = ex->low + (i + 0.5) * h, y = ex->low + (j + 0.5) * h;
            look(&pressure, state.y[j * darcy->n + i], ex->p(x, y));
            if (i > 0) {
                const int left = trm_paper_darcy_right(darcy, i - 1, j);
                look(&velocity, state.x[left], ex->u(x - h / 2, y));
            }
            if (j > 0) {
                const int below = trm_paper_darcy_above(darcy, i, j - 1);
                look(&velocity, state.x[below], ex->v(x, y - h / 2));
            }
            if (full && i == cells - 1) {
                look(&velocity, ex->u(x + h / 2, y), ex->u(x + h / 2, y));
            }
            if (full && j == cells - 1) {
                look(&velocity, ex->v(x, y + h / 2), ex->v(x, y + h / 2));
            }
        }
    }
    ours[0] = velocity.off / velocity.largest;
    ours[1] = pressure.off / pressure.largest;
}

/// Rows of `iterates` iterates, two columns among `columns`.
static trm_status run(const example *ex, int n, int cells, double epsilon, int iterates,
                      int columns, double *ours, trm_error *err)
{
    trm_paper_darcy darcy;
    trm_dae_static *problem = NULL;
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    options.E = TRM_SRM_MATRIX_IDENTITY;
    options.epsilon = epsilon;
    TRM_TRY(trm_paper_darcy_open(&darcy, n, ex->side, err));
    put(ex, &darcy);
    trm_status status = trm_dae_static_create(&darcy.problem, &options, 0, &problem, err);
    for (int s = 0; s < iterates && status == TRM_OK; s++) {
        status = trm_dae_static_iterate(problem, err);
        errors(ex, &darcy, trm_dae_static_state(problem), cells, ours + s * columns);
    }
    trm_dae_static_destroy(problem);
    trm_paper_darcy_close(&darcy);
    return status;
}

/// Blocks of Example 5.1, n = 40.
static trm_status blocks(int count, const double *epsilon, const int *iterates, double *ours,
                         trm_error *err)
{
    trm_status status = TRM_OK;
    for (int i = 0; i < count && status == TRM_OK; i++) {
        status = run(&example_1, 40, 40, epsilon[i], iterates[i], 2, ours, err);
        ours += 2 * iterates[i];
    }
    return status;
}

trm_status trm_paper_run_thesis_5_1(double *ours, trm_error *err)
{
    static const double epsilon[] = {1e-1, 1e-2, 1e-3};
    static const int iterates[] = {4, 3, 2};
    return blocks(3, epsilon, iterates, ours, err);
}

trm_status trm_paper_run_thesis_5_2(double *ours, trm_error *err)
{
    static const double epsilon[] = {1e-4, 1e-5, 1e-6};
    static const int iterates[] = {2, 2, 1};
    return blocks(3, epsilon, iterates, ours, err);
}

trm_status trm_paper_run_thesis_5_3(double *ours, trm_error *err)
{
    const trm_status status = run(&example_2, 20, 19, 1e-3, 2, 4, ours, err);
    return status == TRM_OK ? run(&example_2, 40, 39, 1e-3, 2, 4, ours + 2, err) : status;
}
