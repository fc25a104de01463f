#include "integrators/dip.h"
#include "engine/loops.h"
#include "engine/pair.h"
#include "integrators/jump.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// A zero of rho, each row in units of its largest ratio, is sought where some stage has less than `low`:
/// there sqrt(rho) is nearly straight.
enum { FAR = 3 }; // steps ahead that are planned
static const double low = 0.1;

void trm_dip_layout(trm_dip *dip, const trm_run *run, trm_arena *arena)
{
    dip->pivot_max = trm_arena_doubles(arena, run->system->nc);
    dip->root_mass = trm_arena_doubles(arena, run->system->nv);
    dip->usual_ratio = run->usual_ratio;
}

void trm_dip_clear(trm_dip *dip)
{
    dip->count = 0;
}

void trm_dip_go_on(trm_dip *dip)
{
    enum { KEPT = 2 };
    const int first = dip->count - KEPT;
    if (first <= 0) {
        return;
    }
    for (int i = 0; i < KEPT; i++) {
        dip->t[i] = dip->t[first + i];
        dip->rho[i] = dip->rho[first + i];
        dip->relative[i] = dip->relative[first + i];
    }
    dip->count = KEPT;
}

void trm_dip_reset(trm_dip *dip, const trm_run *run)
{
    dip->active = run->system->nc > 0 && run->system->solver.delta > 0;
    dip->t_zero = INFINITY;
    dip->t_tried = INFINITY;
    dip->t_begin = INFINITY;
    dip->count = 0;
    dip->nredundant = run->system->nc;
    memset(dip->pivot_max, 0, (size_t)run->system->nc * sizeof(double));
    trm_system_mass_diagonal(run->system, dip->root_mass);
    for (int i = 0; i < run->system->nv; i++) {
        dip->root_mass[i] = sqrt(dip->root_mass[i]);
    }
}

/// The smallest ratio of the last factorization, rows left out that have been redundant so far; the solver
/// leaves out the idle ones.
static double rho_of_others(trm_dip *dip, const trm_system *system)
{
    double rho = 1;
    dip->nredundant = 0;
    for (int i = 0; i < system->nc; i++) {
        if (system->solver.idle[i] > 0) {
            continue;
        }
        const double ratio = system->solver.ratio[i];
        dip->pivot_max[i] = ratio > dip->pivot_max[i] ? ratio : dip->pivot_max[i];
        const int is_redundant = !(dip->pivot_max[i] > trm_redundant);
        dip->nredundant += is_redundant;
        rho = !is_redundant && ratio < rho ? ratio : rho;
    }
    return rho;
}

/// relative_rho where no row is idle, and none has been redundant so far.
TRM_WIDE static double relative_rho_of_all(int n, const double *ratio, double *pivot_max)
{
    trm_pair of_pairs = {1, 1};
    int i = 0;
    for (; i + 2 <= n; i += 2) {
        const trm_pair x = trm_pair_load(ratio + i);
        const trm_pair most = trm_pair_larger(x, trm_pair_load(pivot_max + i));
        trm_pair_store(most, pivot_max + i);
        of_pairs = trm_pair_smaller(x / most, of_pairs);
    }
    double rho = of_pairs[0] < of_pairs[1] ? of_pairs[0] : of_pairs[1];
    if (i < n) {
        pivot_max[i] = trm_larger(ratio[i], pivot_max[i]);
        const double part = ratio[i] / pivot_max[i];
        rho = part < rho ? part : rho;
    }
    return rho;
}

/// relative_rho of n rows of which none is idle.
TRM_INLINE double relative_rho_of_rows(int n, const double *ratio, const double *usual,
                                       double *pivot_max)
{
    trm_pair of_pairs = {1, 1};
    int i = 0;
    for (; i + 2 <= n; i += 2) {
        const trm_pair x = trm_pair_load(ratio + i), often = trm_pair_load(usual + i);
        const trm_pair most = trm_pair_larger(x, trm_pair_load(pivot_max + i));
        const trm_pair unit = trm_pair_choose(often > 0, trm_pair_smaller(often, most), most);
        const trm_pair part = trm_pair_choose(most > trm_redundant, x / unit, of_pairs);
        trm_pair_store(most, pivot_max + i);
        of_pairs = trm_pair_smaller(part, of_pairs);
    }
    double rho = trm_lesser(of_pairs[0], of_pairs[1]);
    if (i < n) {
        const double most = trm_larger(ratio[i], pivot_max[i]);
        const double unit = usual[i] > 0 ? trm_lesser(usual[i], most) : most;
        pivot_max[i] = most;
        rho = most > trm_redundant ? trm_lesser(ratio[i] / unit, rho) : rho;
    }
    return rho;
}

/// The smallest ratio in units of the largest that its row had, or of what is usual for it: a row that always, or
/// nearly always, has a small one hides no zero. The solver leaves out the idle rows.
TRM_WIDE static double relative_rho(const trm_solver *solver, const double *usual,
                                    double *pivot_max)
{
    double rho = 1;
    int from = 0;
    for (int k = 0; k <= solver->nidle; k++) {
        const int to = k < solver->nidle ? solver->idle_row[k] : solver->n;
        const double part =
            relative_rho_of_rows(to - from, solver->ratio + from, usual + from, pivot_max + from);
        rho = trm_lesser(part, rho);
        from = to + 1;
    }
    return rho;
}

void trm_dip_note(trm_dip *dip, const trm_system *system, double t)
{
    if (!dip->active || dip->count == TRM_DIP_STAGES) {
        return;
    }
    const trm_solver *solver = &system->solver;
    const int all = dip->nredundant == 0 && solver->nidle == 0;
    const double rho = dip->nredundant > 0 ? rho_of_others(dip, system)
                                           : trm_lesser(solver->ratio_min[TRM_METRIC_MASS], 1);
    int at = dip->count++;
    for (; at > 0 && dip->t[at - 1] > t; at--) {
        dip->t[at] = dip->t[at - 1];
        dip->rho[at] = dip->rho[at - 1];
        dip->relative[at] = dip->relative[at - 1];
    }
    dip->t[at] = t;
    dip->rho[at] = trm_larger(rho, 0);
    const double relative = all ? relative_rho_of_all(solver->n, solver->ratio, dip->pivot_max)
                                : relative_rho(solver, dip->usual_ratio, dip->pivot_max);
    dip->relative[at] = trm_larger(relative, 0);
}

/// How far a straight line is from passing through the three points.
static double bend(const double t[3], double y0, double y1, double y2)
{
    return fabs((y1 - y0) / (t[1] - t[0]) - (y2 - y1) / (t[2] - t[1]));
}

/// Zero of the line through (t0, y0), (t1, y1).
static double secant(double t0, double y0, double t1, double y1)
{
    return t0 - y0 * (t1 - t0) / (y1 - y0);
}

/// Zero of the parabola through three points, near that of the line through the last two: Newton's method.
/// That of the line where it leads nowhere.
static double beyond(const double t[3], const double y[3], int last, int middle)
{
    const int first = 2 - last;
    const double line = secant(t[middle], y[middle], t[last], y[last]);
    const double slope = (y[last] - y[middle]) / (t[last] - t[middle]);
    const double before = (y[middle] - y[first]) / (t[middle] - t[first]);
    const double curve = (slope - before) / (t[last] - t[first]);
    double x = line;
    for (int k = 0; k < 3; k++) {
        const double value = y[last] + (x - t[last]) * (slope + (x - t[middle]) * curve);
        x -= value / (slope + (2 * x - t[last] - t[middle]) * curve);
    }
    return fabs(x - line) < 0.5 * fabs(line - t[last]) ? x : line;
}

/// Zero of |line| through three points in ascending order, of which the middle one is lowest, or an
/// outer one: the sign changes where that leaves the line straightest.
static double zero_of(const double t[3], const double y[3])
{
    const double none = bend(t, y[0], y[1], y[2]);
    const double first = bend(t, y[0], -y[1], -y[2]);
    const double second = bend(t, y[0], y[1], -y[2]);
    if (first <= none && first <= second) {
        return secant(t[0], y[0], t[1], -y[1]);
    }
    if (second <= none) {
        return secant(t[1], y[1], t[2], -y[2]);
    }
    return y[2] < y[0] ? beyond(t, y, 2, 1) : beyond(t, y, 0, 1);
}

/// Drop stages at the time of another one: the end of a step is a stage twice.
static void thin_out(trm_dip *dip)
{
    int kept = dip->count > 0;
    const double rounding = kept ? 1e-9 * (dip->t[dip->count - 1] - dip->t[0]) : 0;
    for (int i = 1; i < dip->count; i++) {
        kept += dip->t[i] > dip->t[kept - 1] + rounding;
        dip->t[kept - 1] = dip->t[i];
        dip->rho[kept - 1] = dip->rho[i];
        dip->relative[kept - 1] = dip->relative[i];
    }
    dip->count = kept;
}

void trm_dip_locate(trm_dip *dip)
{
    thin_out(dip);
    int lowest = 0;
    for (int i = 1; i < dip->count; i++) {
        lowest = dip->relative[i] < dip->relative[lowest] ? i : lowest;
    }
    if (dip->count < 3 || !(dip->relative[lowest] < low)) {
        return;
    }
    const int last = dip->count - 1;
    const int at = lowest == 0 ? 0 : lowest == last ? last - 2 : lowest - 1;
    const double y[3] = {sqrt(dip->relative[at]), sqrt(dip->relative[at + 1]),
                         sqrt(dip->relative[at + 2])};
    const double zero = zero_of(dip->t + at, y);
    dip->t_zero = isfinite(zero) ? zero : dip->t_zero;
}

void trm_dip_begin(trm_dip *dip)
{
    const int last = dip->count - 1;
    dip->t_begin = last >= 0 ? dip->t[last] : INFINITY;
    dip->relative_begin = last >= 0 ? dip->relative[last] : 1;
}

double trm_dip_bottom(const trm_dip *dip)
{
    const double low_enough = 0.5;
    double t[TRM_DIP_STAGES + 1], rho[TRM_DIP_STAGES + 1];
    const int begun = dip->count > 0 && dip->t_begin < dip->t[0];
    const int count = begun + dip->count;
    t[0] = dip->t_begin;
    rho[0] = dip->relative_begin;
    memcpy(t + begun, dip->t, (size_t)dip->count * sizeof(double));
    memcpy(rho + begun, dip->relative, (size_t)dip->count * sizeof(double));
    double bottom = NAN, lowest = low_enough;
    int vanishes = 0;
    for (int i = 1; i < count - 1; i++) {
        const double y[3] = {sqrt(rho[i - 1]), sqrt(rho[i]), sqrt(rho[i + 1])};
        if (!(rho[i] < low_enough && rho[i] <= rho[i - 1] && rho[i] <= rho[i + 1])) {
            continue;
        }
        const double zero = zero_of(t + i - 1, y);
        const int inside = zero > t[i - 1] && zero < t[i + 1];
        if (inside > vanishes || (inside == vanishes && rho[i] < lowest)) {
            bottom = inside ? zero : t[i];
            lowest = rho[i];
            vanishes = inside;
        }
    }
    return bottom;
}

double trm_dip_lowest(const trm_dip *dip)
{
    double rho = 1;
    for (int i = 0; i < dip->count; i++) {
        rho = fmin(rho, dip->rho[i]);
    }
    return sqrt(rho);
}

double trm_dip_highest(const trm_dip *dip)
{
    double rho = 0;
    for (int i = 0; i < dip->count; i++) {
        rho = fmax(rho, dip->rho[i]);
    }
    return dip->count > 0 ? sqrt(rho) : 1;
}

int trm_dip_jumps(const trm_dip *dip, const trm_run *run, double h)
{
    const double near = 0.1; // of a right angle: sqrt(rho)
    const double smooth = 0.1;
    const trm_point_of_run *from = &run->now;
    const trm_point_of_run *to = &run->before;
    return dip->active && trm_dip_lowest(dip) < near &&
           trm_run_jump_of_step(run, dip->root_mass, h, from->z, from->dz, to->z, to->dz, NULL) >
               smooth;
}

double trm_dip_step(const trm_dip *dip, double t, double h, const double gap[2])
{
    const double d = dip->t_zero - t;
    if (!dip->active || !(d > 0 && d < FAR * h)) {
        return h;
    }
    // d = (n + x) h: t_zero is at abscissa x of the step after n others
    const double n = floor(d / h);
    const double x = d / h - n;
    if (x >= gap[0] && x <= gap[1]) {
        return h;
    }
    return d / (x < gap[0] ? n + gap[0] : n + 1 + gap[0]);
}

/// Distance of t_zero from the nearest stage, or what sqrt(rho) there makes of it, if that is more: in a corner
/// rho has no zero.
static double nearest(const trm_dip *dip)
{
    double distance = INFINITY;
    double low_rho = 1;
    double high_rho = 0;
    for (int i = 0; i < dip->count; i++) {
        distance = fmin(distance, fabs(dip->t[i] - dip->t_zero));
        low_rho = fmin(low_rho, dip->rho[i]);
        high_rho = fmax(high_rho, dip->rho[i]);
    }
    const double span = dip->count > 1 ? dip->t[dip->count - 1] - dip->t[0] : 0;
    const double slope = span > 0 ? (sqrt(high_rho) - sqrt(low_rho)) / span : INFINITY;
    return fmax(distance, slope > 0 ? sqrt(low_rho) / slope : INFINITY);
}

/// Roundoff e of the positions makes an error of about e v^2/rho in an acceleration, and that of
/// a stage is passed on to the next, as near to t* as itself.
static double roundoff(const trm_dip *dip, double size, double h)
{
    const double passed_on = 3000;
    const double distance = nearest(dip);
    return passed_on * DBL_EPSILON * size * h / (distance * distance);
}

int trm_dip_noisy(trm_dip *dip, double t, double h, double err, double size)
{
    const double d = dip->t_zero - t;
    if (!dip->active || !(d > -h && d < FAR * h) || !(err < roundoff(dip, size, h))) {
        return 0;
    }
    const int again = fabs(dip->t_zero - dip->t_tried) < h && h < 0.9 * dip->h_tried;
    if (again && err > dip->err_tried * pow(h / dip->h_tried, 3)) {
        return 1;
    }
    dip->t_tried = dip->t_zero;
    dip->h_tried = h;
    dip->err_tried = err;
    return 0;
}
