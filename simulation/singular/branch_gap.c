#include "simulation/singular/branch_gap.h"
#include "base/quad.h"
#include "base/rank_numbers.h"
#include "engine/linear/columns.h"

#include <float.h>
#include <math.h>
#include <string.h>

void trm_offset_layout(trm_offset *offset, const trm_system *system, trm_arena *arena)
{
    TRM_ARENA_DOUBLES(arena, system->nv, &offset->along, &offset->across, &offset->f, &offset->u);
    TRM_ARENA_DOUBLES(arena, system->nc, &offset->w, &offset->y);
    offset->q = trm_arena_doubles(arena, system->nq);
    offset->z = trm_arena_doubles(arena, system->nq + system->nv);
    offset->near = TRM_NEAR;
}

/// x of length one in the metric of M. Returns what it was.
static double normalize(trm_system *system, double *x)
{
    const double length = sqrt(2 * trm_system_kinetic(system, x));
    for (int i = 0; i < system->nv && length > 0; i++) {
        x[i] /= length;
    }
    return length;
}

/// The plane of component p, which all other rows allow, orthonormal in the metric of M. Returns 0
/// where there is none.
static int span(trm_offset *o, trm_system *system, const trm_connected_components *components,
                const trm_rank_loss *loss, int p, const double *v, const double *across)
{
    for (int i = 0; i < system->nv; i++) {
        o->along[i] = components->of_velocity[i] == p ? v[i] : 0;
        o->across[i] = 0;
    }
    for (int i = components->first_column[p]; i < components->first_column[p + 1]; i++) {
        o->across[components->column[i]] = across[i];
    }
    trm_rank_loss_keep_others(loss, system, NULL, o->along, o->y);
    trm_rank_loss_keep_others(loss, system, NULL, o->across, o->y);
    o->speed = normalize(system, o->along);
    memcpy(o->u, o->along, (size_t)system->nv * sizeof(double));
    trm_system_multiply_M(system, o->u);
    const double part = trm_product(system->nv, o->u, o->across);
    for (int i = 0; i < system->nv; i++) {
        o->across[i] -= part * o->along[i];
    }
    return o->speed > 0 && normalize(system, o->across) > 0;
}

/// F at the system's current point, and its slopes along and across; f = G^T w there.
static double slopes_here(const trm_offset *o, trm_system *system, double slope[2])
{
    trm_system_multiply_GT(system, o->w, o->f);
    slope[0] = trm_product(system->nv, o->f, o->along);
    slope[1] = trm_product(system->nv, o->f, o->across);
    return trm_product(system->nc, o->w, system->g);
}

/// The same at z + x0 along + x1 across.
static int look(const trm_offset *o, trm_system *system, double t, const double *z,
                const double x[2], double slope[2], double *F)
{
    for (int i = 0; i < system->nv; i++) {
        o->f[i] = x[0] * o->along[i] + x[1] * o->across[i];
    }
    memcpy(o->q, z, (size_t)system->nq * sizeof(double));
    trm_system_move(system, o->f, o->q);
    const int code = trm_system_position(system, t, o->q);
    *F = code ? NAN : slopes_here(o, system, slope);
    return code;
}

/// A step that turns bodies by `angle`, or moves them by so much of the mechanism.
static double step_of(const trm_system *system, const trm_extents *extent, const double *direction,
                      double angle)
{
    return angle / trm_extents_speed(extent, trm_system_motions(system), direction);
}

/// What F is known to: g is a sum of terms of the size of the mechanism, and of how far it is away,
/// and how far it has turned.
static double roundoff_of(const trm_offset *o, const trm_system *system, const trm_extents *extent,
                          const double *z)
{
    double sum = 0;
    for (int i = 0; i < system->nc; i++) {
        sum += fabs(o->w[i]) * extent->g[i];
    }
    return TRM_FEW * DBL_EPSILON * trm_extents_away(extent, system->nq, z) * sum;
}

/// w^T g'' of a motion with the velocity x0 along + x1 across that is not accelerated.
static int turning(const trm_offset *o, trm_system *system, double x0, double x1, double *sum)
{
    for (int i = 0; i < system->nv; i++) {
        o->f[i] = x0 * o->along[i] + x1 * o->across[i];
    }
    const int code = trm_system_gamma(system, o->f, o->y);
    *sum -= trm_product(system->nc, o->w, o->y);
    return code;
}

/// x^T H x: of a gamma that holds g_qt and g_tt as well, its part that is quadratic in x.
static int form(const trm_offset *o, trm_system *system, double x0, double x1, double *value)
{
    double ahead = 0, behind = 0, rest = 0;
    int code = turning(o, system, x0, x1, &ahead);
    if (!code && system->moving) {
        code = turning(o, system, -x0, -x1, &behind);
        code = code ? code : turning(o, system, 0, 0, &rest);
    }
    *value = system->moving ? (ahead + behind) / 2 - rest : ahead;
    return code;
}

/// H at the system's current point.
static int curvature(const trm_offset *o, trm_system *system, double H[2][2])
{
    double both;
    int code = form(o, system, 1, 0, &H[0][0]);
    code = code ? code : form(o, system, 0, 1, &H[1][1]);
    code = code ? code : form(o, system, 1, 1, &both);
    if (!code) {
        H[0][1] = H[1][0] = (both - H[0][0] - H[1][1]) / 2;
    }
    return code;
}

/// The answer from (t, z), by the row o->w.
static double from_here(trm_offset *o, trm_system *system,
                        const trm_connected_components *components, const trm_extents *extent,
                        const trm_rank_loss *loss, int p, double t, const double *z,
                        const double *across)
{
    enum { STEPS = 3 };
    double H[2][2], x[2] = {0, 0}, slope[2], F;
    o->exact = o->blurred = 0;
    if (!span(o, system, components, loss, p, z + system->nq, across)) {
        return 0;
    }
    F = slopes_here(o, system, slope);
    if (curvature(o, system, H)) {
        return 0;
    }
    const double turn = -(H[0][0] * H[1][1] - H[0][1] * H[1][0]);
    const double far[2] = {step_of(system, extent, o->along, o->near),
                           step_of(system, extent, o->across, o->near)};
    const double roundoff = roundoff_of(o, system, extent, z);
    if (!(turn > 0)) {
        return -1;
    }
    for (int k = 0; k < STEPS; k++) { // Newton, to where F has no slope
        const double dx = (H[1][1] * slope[0] - H[0][1] * slope[1]) / turn;
        const double dy = (H[0][0] * slope[1] - H[1][0] * slope[0]) / turn;
        x[0] += dx;
        x[1] += dy;
        if (k > 0 && fabs(slope[0] * dx) + fabs(slope[1] * dy) <= roundoff) {
            break; // what this adds to F is not seen
        }
        if (!(fabs(x[0]) < far[0] && fabs(x[1]) < far[1]) || look(o, system, t, z, x, slope, &F)) {
            return -1;
        }
    }
    o->time_to_position = x[0] / o->speed;
    o->F = F;
    memcpy(o->u, o->f, (size_t)system->nv * sizeof(double));
    trm_system_solve_heavy_M(system, o->u);
    trm_rank_loss_keep_others(loss, system, NULL, o->u, o->y);
    // |G^T w|^2 out of the plane: F is off by that over 2 h, h of other directions
    const double left = TRM_FEW * fabs(trm_product(system->nv, o->f, o->u));
    const double known = fabs(F) - roundoff;
    const double mean = (H[0][0] + H[1][1]) / 2, half = (H[0][0] - H[1][1]) / 2;
    const double root = sqrt(half * half + H[0][1] * H[0][1]);
    const double curved = F < 0 ? mean + root : root - mean; // the eigenvalue that F asks for
    o->exact = left <= DBL_EPSILON;
    o->blurred = known > 0 && !(2 * curved * known > left);
    return 2 * curved * known > left ? 2 * curved * fabs(F) : 0;
}

double trm_offset_find(trm_offset *o, trm_system *system,
                       const trm_connected_components *components, const trm_extents *extent,
                       const trm_rank_loss *loss, int p, double t, const double *z, const double *w,
                       const double *across)
{
    memset(o->w, 0, (size_t)system->nc * sizeof(double));
    for (int i = components->first_row[p]; i < components->first_row[p + 1]; i++) {
        o->w[components->row[i]] = w[i];
    }
    return from_here(o, system, components, extent, loss, p, t, z, across);
}

double trm_offset_nearer(trm_offset *o, trm_system *system,
                         const trm_connected_components *components, const trm_extents *extent,
                         trm_rank_loss *loss, int p, double low, double t, const double *z,
                         const double *across)
{
    const int nq = system->nq, nc = system->nc;
    memcpy(o->z, o->q, (size_t)nq * sizeof(double));
    memcpy(o->z + nq, z + nq, (size_t)system->nv * sizeof(double));
    if (trm_system_position(system, t, o->z) || trm_system_factor(system, TRM_METRIC_MASS)) {
        return 0;
    }
    const int found = trm_rank_loss_find(loss, system, components, p, low);
    memcpy(o->y, o->w, (size_t)nc * sizeof(double));
    trm_columns_leave_out(found > 0 ? found : 1, nc, loss->W, loss->DW, o->y);
    for (int i = 0; i < nc; i++) {
        o->w[i] -= o->y[i]; // what is lost here of the row that was lost there
    }
    return fmax(from_here(o, system, components, extent, loss, p, t, o->z, across), 0);
}

int trm_offset_other_motion(trm_offset *o, trm_system *system, const trm_extents *extent,
                            double *turning)
{
    double H[2][2];
    int code = curvature(o, system, H);
    for (int i = 0; i < system->nv && !code; i++) { // 2 H01 x y + H11 y^2 = 0
        o->f[i] = -H[1][1] * o->along[i] + 2 * H[0][1] * o->across[i];
    }
    const double speed = code ? 1 : trm_extents_speed(extent, system->nv, o->f);
    for (int i = 0; i < system->nv && !code; i++) {
        o->f[i] /= speed;
    }
    code = code ? code : trm_system_gamma(system, o->f, turning);
    for (int i = 0; i < system->nc; i++) {
        turning[i] = -turning[i];
    }
    return code;
}
