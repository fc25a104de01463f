#include "engine/multibody/consistency.h"
#include "base/largest.h"
#include "base/row_length.h"
#include "base/status.h"
#include "engine/multibody/model.h"

#include <float.h>
#include <math.h>
#include <string.h>

trm_residual trm_residual_of(trm_system *system, const double *v, double *work)
{
    double position_row, velocity_row;
    const double position = trm_largest(system->nc, system->g, &position_row);
    trm_system_velocity_residual(system, v, work);
    const double velocity = trm_largest(system->nc, work, &velocity_row);
    return (trm_residual){position, velocity, (int)position_row, (int)velocity_row};
}

// ------------------------------------------------------------------------------------- starts

/// max |x_i|/unit_i, and where: as trm_largest.
static double largest_in(int nc, const double *x, const double *unit, int *row)
{
    double most = 0;
    *row = nc > 0 ? 0 : -1;
    for (int i = 0; i < nc; i++) {
        const double size = fabs(x[i]) / unit[i];
        if (!(size <= most)) {
            most = size;
            *row = i;
        }
    }
    return most;
}

trm_residual trm_residual_in(trm_system *system, const double *v, const double *unit, double *work)
{
    trm_residual r;
    r.position = largest_in(system->nc, system->g, unit, &r.position_row);
    trm_system_velocity_residual(system, v, work);
    r.velocity = largest_in(system->nc, work, unit, &r.velocity_row);
    return r;
}

/// row[nv] := row i of G. work[nc] is zero, and is again.
static void row_of_G(trm_system *system, int i, double *work, double *row)
{
    work[i] = 1;
    trm_system_multiply_GT(system, work, row);
    work[i] = 0;
}

static void clear(int n, double *x)
{
    for (int i = 0; i < n; i++) {
        x[i] = 0;
    }
}

int trm_go_beside(trm_system *system, const trm_extents *extents, double t, const double *q,
                  const trm_closing *work)
{
    for (int i = 0; i < system->nv; i++) {
        work->dx[i] = TRM_BESIDE * extents->v[i] * sin(1 + 1.7 * i); // any direction
    }
    memcpy(work->q, q, (size_t)system->nq * sizeof(double));
    trm_system_move(system, work->dx, work->q);
    return trm_system_position(system, t, work->q);
}

/// size[nc] := lengths of rows of unknown unit at the current point, coordinates in units of their
/// extents, or of `least` where these are less; or, `beside`, what follows from those here.
static void measure_rows(trm_system *system, const trm_model *model, const trm_extents *extents,
                         double least, int beside, const trm_closing *work, double *size)
{
    clear(system->nc, work->c);
    for (int i = 0; i < system->nc; i++) {
        double sum = 0;
        if (trm_extents_is_unknown(model, i)) {
            row_of_G(system, i, work->c, work->dx);
            for (int j = 0; j < system->nv; j++) {
                const double change = work->dx[j] * fmax(extents->v[j], least);
                sum += change * change;
            }
        }
        const double length = isfinite(sum) ? sqrt(sum) : 0;
        size[i] = beside ? trm_row_length(size[i], length) : length;
    }
}

int trm_lengths_of_rows(trm_system *system, const trm_model *model, const trm_extents *extents,
                        double t, const double *q, double least, const trm_closing *work,
                        double *size)
{
    clear(system->nc, size);
    if (!trm_extents_any_unknown(model)) {
        return 0;
    }
    measure_rows(system, model, extents, least, 0, work, size);
    if (!trm_go_beside(system, extents, t, q, work)) {
        measure_rows(system, model, extents, least, 1, work, size);
    }
    return trm_system_position(system, t, q);
}

int trm_units_of_rows(trm_system *system, const trm_model *model, const trm_extents *extents,
                      double t, const double *q, const trm_closing *work, double *unit)
{
    const int code = trm_lengths_of_rows(system, model, extents, t, q, 1, work, unit);
    for (int i = 0; i < system->nc; i++) {
        unit[i] = unit[i] > 0 ? unit[i] : 1;
    }
    return code;
}

size_t trm_units_room(const trm_model *model)
{
    const trm_sizes n = model->sizes;
    return 2 * (size_t)n.nq + 2 * (size_t)n.nv + 2 * (size_t)n.nc + (size_t)n.nbody;
}

int trm_units_at(trm_system *system, const trm_model *model, double t, const double *q,
                 double *room, double *unit)
{
    const int nq = system->nq, nv = system->nv, nc = system->nc;
    trm_extents extents = {.q = room, .v = room + nq, .g = room + nq + nv};
    double *const rest = room + nq + nv + nc;
    const trm_closing work = {.q = rest, .dx = rest + nq, .c = rest + nq + nv};
    extents.size = rest + nq + nv + nc;
    trm_extents_measure(&extents, model, q);
    return trm_units_of_rows(system, model, &extents, t, q, &work, unit);
}

/// sum_j |G_ij v_j|. work[nc] is zero, and is again.
static double size_of_terms(trm_system *system, const double *v, int i, double *work, double *row)
{
    double sum = 0;
    row_of_G(system, i, work, row);
    for (int j = 0; j < system->nv; j++) {
        sum += fabs(row[j] * v[j]);
    }
    return sum;
}

int trm_velocities_fit(trm_system *system, const double *v, const double *residual,
                       const double *unit, double tolerance, double *work, double *row)
{
    clear(system->nc, work);
    for (int i = 0; i < system->nc; i++) {
        if (!(fabs(residual[i]) <= tolerance * unit[i]) &&
            !(fabs(residual[i]) <= tolerance * size_of_terms(system, v, i, work, row))) {
            return 0;
        }
    }
    return 1;
}

// ------------------------------------------------------------------------------------ closing

void trm_closing_layout(trm_closing *closing, const trm_system *system, trm_arena *arena)
{
    closing->unit = NULL;
    const size_t workspace = arena->used;
    closing->q = trm_arena_doubles(arena, system->nq);
    closing->dx = trm_arena_doubles(arena, system->nv);
    closing->c = trm_arena_doubles(arena, system->nc);
    trm_arena_workspace(arena, workspace);
}

static double norm_of_g(const trm_system *system, const double *unit)
{
    double sum = 0;
    for (int i = 0; i < system->nc; i++) {
        const double gap = unit ? system->g[i] / unit[i] : system->g[i];
        sum += gap * gap;
    }
    return sqrt(sum);
}

/// The Gauss-Newton direction at the current point. The play is known with the factorization.
static int direction(trm_system *system, const trm_closing *closing, double delta)
{
    int code = system->play ? trm_system_factor_damped(system, TRM_METRIC_MASS, delta, NULL) : 0;
    for (int i = 0; i < system->nc; i++) {
        closing->c[i] = -system->g[i];
    }
    if (!code && system->play) {
        trm_system_solve_S(system, closing->c);
    } else if (!code) {
        code = trm_system_factor_damped(system, TRM_METRIC_MASS, delta, closing->c);
    }
    if (!code) {
        trm_system_spread(system, TRM_METRIC_MASS, closing->c, closing->dx);
    }
    return code;
}

/// Halve the step until |g| falls. Returns 0 when it never does.
static int descend(trm_system *system, const trm_closing *closing, double t, double *q,
                   double *norm)
{
    enum { HALVINGS = 30 };
    const size_t bytes = (size_t)system->nq * sizeof(double);
    for (int k = 0; k < HALVINGS; k++) {
        memcpy(closing->q, q, bytes);
        trm_system_move(system, closing->dx, closing->q);
        const int code = trm_system_position(system, t, closing->q);
        const double left = code ? INFINITY : norm_of_g(system, closing->unit);
        if (left < *norm) {
            *norm = left;
            memcpy(q, closing->q, bytes);
            return 1;
        }
        for (int i = 0; i < system->nv; i++) {
            closing->dx[i] /= 2;
        }
    }
    return 0;
}

int trm_close_once(trm_system *system, const trm_closing *closing, double t, double *q,
                   double delta)
{
    TRM_TRY(direction(system, closing, delta));
    trm_system_move(system, closing->dx, q);
    return trm_system_position(system, t, q);
}

int trm_close_positions(trm_system *system, const trm_closing *closing, double t, double *q,
                        double enough)
{
    enum { STEPS = 200 };
    int code = trm_system_position(system, t, q);
    double norm = norm_of_g(system, closing->unit);
    for (int k = 0; !code && k < STEPS && norm > enough; k++) {
        code = direction(system, closing, system->solver.delta);
        norm = norm_of_g(system, closing->unit); // the play has turned with the factorization
        if (!code && !descend(system, closing, t, q, &norm)) {
            return trm_system_position(system, t, q); // back from where it tried
        }
    }
    return code;
}

/// v := v - M^-1 G^T S^-1 (G v + g_t), twice because the solve is damped, and as long as half of
/// what is left goes each time: of a light link between heavy ones a pass leaves (delta/sigma^2)^2.
static int close_velocities(trm_system *system, const trm_closing *closing, double *v)
{
    enum { LEAST = 2, MOST = 53 }; // half of what is left, down to eps
    double first = 0, before = INFINITY, left = INFINITY, row;
    const int code = trm_system_factor(system, TRM_METRIC_MASS);
    for (int k = 0; !code && k < MOST; k++) {
        trm_system_velocity_residual(system, v, closing->c);
        before = left;
        left = trm_largest(system->nc, closing->c, &row);
        first = k == 0 ? left : first;
        if (k >= LEAST && !(left < before / 2 && left > 4 * DBL_EPSILON * first)) {
            break;
        }
        trm_system_solve_S(system, closing->c);
        trm_system_spread(system, TRM_METRIC_MASS, closing->c, closing->dx);
        for (int i = 0; i < system->nv; i++) {
            v[i] -= closing->dx[i];
        }
    }
    return code;
}

int trm_close(trm_system *system, const trm_closing *closing, double t, double *q, double *v)
{
    if (system->nc == 0) {
        return trm_system_position(system, t, q);
    }
    const int code = trm_close_positions(system, closing, t, q, 4 * DBL_EPSILON);
    return code ? code : close_velocities(system, closing, v);
}

// -------------------------------------------------------- a joint that a step has opened
//
//     open: |g| > size/2 (m), |g| > 1 (rad)
//
// A method that drifts (plain, baumgarte) stays far below that as long as its result shows the
// mechanism at all.

/// Any unit: no mechanism survives it.
static const double absurd = 1e6;

int trm_violation_row(const trm_model *model, const double *g, double size)
{
    int worst = -1;
    double most = 1;
    for (int i = 0; i < model->sizes.nc; i++) {
        const char unit = model->row_info[i].unit[0];
        const double limit = unit == 'm' && size > 0 ? size / 2 : unit == 'r' ? 1 : absurd;
        if (!(fabs(g[i]) <= most * limit)) { // or not a number
            worst = i;
            most = fabs(g[i]) / limit;
        }
    }
    return worst;
}

double trm_violation_gap(const trm_model *model, const double *g, int row)
{
    const trm_row_info *info = model->row_info;
    double sum = 0;
    for (int i = 0; i < model->sizes.nc; i++) {
        if (info[i].name == info[row].name && strcmp(info[i].unit, info[row].unit) == 0) {
            sum += g[i] * g[i];
        }
    }
    return sqrt(sum);
}
