#include "engine/rank/rank_masks.h"

#include <math.h>
#include <string.h>

static double *kept(const trm_system *system, int row)
{
    const trm_solver *const solver = &system->solver;
    return &solver->null.kept[solver->pattern->place_of[row]];
}

static double unit_of(const trm_system *system, int row)
{
    const trm_solver *const solver = &system->solver;
    return sqrt(solver->D[solver->pattern->place_of[row]]);
}

/// x[nc] := the direction of kept rows that is nearest to dependence, and how far M^-1 G^T x opens
/// all rows, y[nc].
static void lose(trm_system *system, double *x, double *y, double *u)
{
    const trm_solver *const solver = &system->solver;
    int weakest = 0;
    for (int i = 0; i < solver->pattern->n; i++) {
        const int less =
            solver->pivot[i] * solver->D[weakest] < solver->pivot[weakest] * solver->D[i];
        weakest = less ? i : weakest;
    }
    trm_solver_column(solver, weakest, x);
    for (int i = 0; i < system->nc; i++) {
        x[i] *= unit_of(system, i) * unit_of(system, i);
    }
    trm_system_iterate_S(system, x);
    trm_system_multiply_GT(system, x, u);
    trm_system_solve_M(system, u);
    trm_system_multiply_G(system, u, y);
}

/// The masked row that y[nc] opens most, in unit rows; -1: none.
static int most_open(const trm_system *system, const double *y)
{
    int most = -1;
    double opens = 0;
    for (int i = 0; i < system->nc; i++) {
        const double its = fabs(y[i]) / unit_of(system, i);
        if (*kept(system, i) == 0 && its > opens) {
            most = i, opens = its;
        }
    }
    return most;
}

/// The kept row of which `row` has the largest part, in unit rows, and that part.
static int largest_part(trm_system *system, int row, double *c, double *u, double *part)
{
    int most = -1;
    memset(c, 0, (size_t)system->nc * sizeof(double));
    c[row] = 1;
    trm_system_multiply_GT(system, c, u);
    trm_system_solve_M(system, u);
    trm_system_multiply_G(system, u, c);
    trm_system_solve_S(system, c);
    for (int i = 0; i < system->nc; i++) {
        const double its = fabs(c[i]) * unit_of(system, i) / unit_of(system, row);
        if (its > *part) {
            most = i, *part = its;
        }
    }
    return most;
}

int trm_rank_masks_renew(trm_system *system, double *x, double *y, double *u)
{
    const int most = system->solver.null.used.masks > 0 ? system->solver.null.nullity : 0;
    int changed = 0, code = 0;
    for (; !code && changed < most; changed++) {
        double part = 0;
        lose(system, x, y, u);
        const int in = most_open(system, y),
                  out = in < 0 ? -1 : largest_part(system, in, x, u, &part);
        if (part < TRM_MASKED_PART) {
            break;
        }
        *kept(system, in) = 1;
        *kept(system, out) = 0;
        code = trm_system_factor(system, TRM_METRIC_MASS);
    }
    return changed;
}
