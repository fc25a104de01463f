#include "integrators/trajectory/stiffness.h"
#include "base/accuracy_policy.h"

#include <math.h>
#include <string.h>

void trm_stiffness_layout(trm_stiffness *stiffness, int n, trm_arena *arena)
{
    stiffness->direction = trm_arena_doubles(arena, n);
    for (int j = 0; j < TRM_STIFF_POINTS; j++) {
        stiffness->past[j] = trm_arena_doubles(arena, n);
    }
}

void trm_stiffness_forget(trm_stiffness *stiffness)
{
    stiffness->found = stiffness->points = stiffness->steps = 0;
    stiffness->rate = 0;
}

int trm_stiffness_is_due(trm_stiffness *stiffness)
{
    return ++stiffness->steps >= TRM_STIFF_SPAN;
}

/// weight[k][j]: of point j in the polynomial through the points 0 ... k, at t.
static void extrapolate(const trm_stiffness *s, double t,
                        double weight[TRM_STIFF_POINTS][TRM_STIFF_POINTS])
{
    for (int k = 1; k < TRM_STIFF_POINTS; k++) {
        for (int j = 0; j <= k; j++) {
            weight[k][j] = 1;
            for (int i = 0; i <= k; i++) {
                weight[k][j] *= i == j ? 1 : (t - s->t_past[i]) / (s->t_past[j] - s->t_past[i]);
            }
        }
    }
}

/// Steps that become ever shorter are cut for what lies before them, which past points do not show:
/// the last ones are shorter than `shrunk` of the mean. Not derived: the middle of what is right.
/// By validation/campaign/numbers half and twice of it are, four times of it misses laws.
static int still_shrinks(const trm_stiffness *s, double t)
{
    const double shrunk = 0.25;
    const double mean = (s->t_past[0] - s->t_past[TRM_STIFF_POINTS - 1]) / (TRM_STIFF_POINTS - 1);
    return t - s->t_past[0] < shrunk * mean;
}

/// The tolerance of steps from which on a motion shows how it goes on: an order k may miss it by
/// k + 1 tolerances, and that is a tenth of the motion at most.
static const double coarsest = 0.1 / TRM_STIFF_POINTS / TRM_ACCURACY_STEPS;

/// Whether an order reaches y from the past points. A motion that is resolved shows in its first
/// entries that none does.
static int reaches(const trm_stiffness *s, double t, int n, const double *y, const double *given,
                   double rtol, double atol)
{
    double weight[TRM_STIFF_POINTS][TRM_STIFF_POINTS], squares[TRM_STIFF_POINTS] = {0};
    int reached = 1;
    extrapolate(s, t, weight);
    // a motion that is not resolved to a tenth shows nothing
    const double part = rtol > coarsest ? coarsest / rtol : 1;
    for (int i = 0; i < n && reached; i++) {
        const double unit = 1 / (given ? part * given[i] : atol + rtol * fabs(y[i]));
        reached = 0;
        for (int k = 1; k < TRM_STIFF_POINTS; k++) {
            double miss = y[i];
            for (int j = 0; j <= k; j++) {
                miss -= weight[k][j] * s->past[j][i];
            }
            squares[k] += miss * unit * (miss * unit);
            reached |= squares[k] <= (k + 1) * (k + 1) * (double)n;
        }
    }
    return reached;
}

void trm_stiffness_note(trm_stiffness *stiffness, double t, int n, const double *y,
                        const double *unit, double rtol, double atol)
{
    const int full = stiffness->points == TRM_STIFF_POINTS;
    double *const oldest = stiffness->past[TRM_STIFF_POINTS - 1];
    stiffness->found =
        full && !still_shrinks(stiffness, t) && reaches(stiffness, t, n, y, unit, rtol, atol);
    for (int j = TRM_STIFF_POINTS - 1; j > 0; j--) {
        stiffness->past[j] = stiffness->past[j - 1];
        stiffness->t_past[j] = stiffness->t_past[j - 1];
    }
    memcpy(oldest, y, (size_t)n * sizeof(double));
    stiffness->past[0] = oldest;
    stiffness->t_past[0] = t;
    stiffness->points += !full;
    stiffness->steps = 0;
}

void trm_stiffness_measure(trm_stiffness *stiffness, const trm_stage_twins *twins)
{
    double dy = 0, dk = 0;
    for (int i = 0; i < twins->n; i++) {
        const double y = twins->y[i] - twins->y_star[i], k = twins->k[i] - twins->k_star[i];
        dy += y * y;
        dk += k * k;
        stiffness->direction[i] = y;
    }
    stiffness->rate = dy > 0 ? sqrt(dk / dy) : 0;
}
