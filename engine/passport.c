#include "engine/passport.h"
#include "engine/loops.h"

#include <math.h>
#include <string.h>

void trm_passport_layout(trm_passport *passport, int nc, trm_arena *arena)
{
    passport->kept = trm_arena_take(arena, TRM_CROSSINGS_KEPT, sizeof *passport->kept);
    passport->rows = trm_arena_take(arena, (size_t)nc * TRM_CROSSINGS_KEPT, sizeof *passport->rows);
    passport->weight = trm_arena_doubles(arena, nc);
    passport->y = trm_arena_doubles(arena, nc);
    for (int i = 0; passport->kept && i < TRM_CROSSINGS_KEPT; i++) {
        passport->kept[i].rows = passport->rows + (size_t)i * (size_t)nc;
    }
}

void trm_passport_start(trm_passport *passport)
{
    passport->count = 0;
    passport->bifurcations = 0;
    passport->first_bifurcation = NAN;
    passport->energy_lost = 0;
    passport->t_energy_lost = NAN;
}

static trm_crossing *last(const trm_passport *passport)
{
    return &passport->kept[(passport->count - 1) % TRM_CROSSINGS_KEPT];
}

/// Add what row i depends on to the weights of all rows; returns its singular value.
static double add_dependence(trm_passport *passport, const trm_system *system, int i)
{
    double sigma = 0;
    trm_solver_dependence(&system->solver, TRM_METRIC_MASS, i, passport->y, &sigma);
    for (int j = 0; j < system->nc; j++) {
        passport->weight[j] = trm_larger(fabs(passport->y[j]), passport->weight[j]);
    }
    return sigma;
}

/// Add row i alone; returns a bound of its singular value.
static double add_row(trm_passport *passport, const trm_system *system, int i)
{
    passport->weight[i] = 1;
    return sqrt(trm_larger(system->solver.ratio[i], 0));
}

void trm_passport_note(trm_passport *passport, const trm_system *system, double t,
                       const double *pivot_max, double redundant, double low)
{
    enum { MANY = 64 };           // each costs a solve; a thousand loops may fall in line at once
    const double involved = 0.05; // of a dependence of length one
    int asked = 0;
    const int at = (int)(passport->count++ % TRM_CROSSINGS_KEPT);
    int *rows = passport->rows + (size_t)at * (size_t)system->nc;
    trm_crossing crossing = {.t = t, .sigma = 1, .rows = rows};
    memset(passport->weight, 0, (size_t)system->nc * sizeof(double));
    for (int i = 0; i < system->nc; i++) {
        const int has_rank = pivot_max[i] > redundant;
        const int drops = has_rank && system->solver.ratio[i] < low * pivot_max[i];
        crossing.rank_before += has_rank;
        crossing.rank_at += has_rank && !drops;
        if (drops) {
            const double sigma =
                asked++ < MANY ? add_dependence(passport, system, i) : add_row(passport, system, i);
            crossing.sigma = fmin(crossing.sigma, sigma);
        }
    }
    for (int i = 0; i < system->nc; i++) {
        if (passport->weight[i] > involved) {
            rows[crossing.nrows++] = i;
        }
    }
    passport->kept[at] = crossing;
}

const int *trm_passport_rows(const trm_passport *passport, int *nrows)
{
    const trm_crossing *crossing = last(passport);
    *nrows = crossing->nrows;
    return crossing->rows;
}

void trm_passport_met(trm_passport *passport, double h, int at_rest)
{
    trm_crossing *crossing = last(passport);
    crossing->h = h;
    crossing->bifurcation = at_rest;
    if (crossing->bifurcation && passport->bifurcations++ == 0) {
        passport->first_bifurcation = crossing->t;
    }
}

void trm_passport_judge(trm_passport *passport, const trm_verdict *verdict)
{
    trm_crossing *crossing = last(passport);
    crossing->judged = 1;
    crossing->resolved = verdict->resolved;
    crossing->rank_before = verdict->rank_before;
    crossing->rank_after = verdict->rank_after;
    crossing->branch_changed = verdict->branch_changed;
    crossing->energy_lost = verdict->energy_lost;
    if (fabs(verdict->energy_lost) > passport->energy_lost) {
        passport->energy_lost = fabs(verdict->energy_lost);
        passport->t_energy_lost = crossing->t;
    }
}
