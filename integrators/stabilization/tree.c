/// Open trees of pins in independent coordinates u (the absolute
/// angles of the bodies) instead of q:
///
///     y = (u, w, work),    u' = w,    w' by the articulated-body algorithm
///     (engine/multibody/tree.h)
///
/// and q(u), v(u, w) fulfil g = 0 and [VEL], so that nothing is stabilized. Integrators
/// that know y work on a third of the numbers; the others take z and have all that depends
/// on u and w renewed after each step.
#include "integrators/trajectory/stabilization.h"
#include "trammel/trammel_methods.h"

#include <string.h>

typedef struct tree_memory {
    double *y, *dy; ///< [2 nu + 1]
    double *z;      ///< [n]
} tree_memory;

static void layout(trm_run *run, trm_arena *arena)
{
    tree_memory counted,
        *memory = trm_arena_struct(arena, sizeof counted, &counted, &run->stabilization_memory);
    memory->y = trm_arena_doubles(arena, 2 * run->system->nu + 1);
    memory->dy = trm_arena_doubles(arena, 2 * run->system->nu + 1);
    memory->z = trm_arena_doubles(arena, run->n);
}

// ------------------------------------------------------------------------------------------ of y

static void select_y(const trm_run *run, const double *z, double *y)
{
    trm_system *system = run->system;
    trm_system_select(system, z, z + system->nq, y, y + system->nu);
    y[2 * system->nu] = z[run->n - 1];
}

static int rates_of_y(trm_run *run, double t, const double *y, double *dy)
{
    trm_system *system = run->system;
    const int nu = system->nu;
    memcpy(dy, y + nu, (size_t)nu * sizeof(double));
    return trm_system_accelerate(system, t, y, y + nu, dy + nu, dy + 2 * nu);
}

static void expand(const trm_run *run, const double *y, double *z)
{
    trm_system *system = run->system;
    trm_system_follow(system, y, y + system->nu, z, z + system->nq);
    z[run->n - 1] = y[2 * system->nu];
}

/// z, dz and lambda of the y and dy that was just found at t; the system's current point is there.
static int complete(trm_run *run, double t, const double *y, const double *dy, double *z,
                    double *dz, double *lambda)
{
    trm_system *system = run->system;
    const int nq = system->nq, nu = system->nu;
    trm_system_unfold(system, y, y + nu, dy + nu, z, z + nq, dz + nq, lambda);
    trm_system_rates(system, z, z + nq, dz);
    z[run->n - 1] = y[2 * nu];
    dz[run->n - 1] = dy[2 * nu];
    return trm_system_position(system, t, z);
}

static int complete_point(trm_run *run, double t, const double *y, const double *dy,
                          trm_point_of_run *point)
{
    return complete(run, t, y, dy, point->z, point->dz, point->lambda);
}

static const trm_reduced_ops reduced = {
    .select = select_y, .rates = rates_of_y, .expand = expand, .complete = complete_point};

// ------------------------------------------------------------------------------------------ of z

static int rates(trm_run *run, double t, const double *z, double *dz, double *lambda)
{
    tree_memory *memory = run->stabilization_memory;
    select_y(run, z, memory->y);
    const int code = rates_of_y(run, t, memory->y, memory->dy);
    return code ? code : complete(run, t, memory->y, memory->dy, memory->z, dz, lambda);
}

static int correct(trm_run *run, double t, double *z)
{
    (void)t;
    tree_memory *memory = run->stabilization_memory;
    select_y(run, z, memory->y);
    expand(run, memory->y, z);
    return 0;
}

const trm_stabilization_ops trm_tree_coordinates = {
    .id = TRM_STABILIZATION_TREE,
    .name = "tree",
    .doc = "the angles of an open planar tree of pins: no gap, nothing to correct",
    .source = "articulated bodies, F83; F08 7.3",
    .parameters = "",
    .layout = layout,
    .rates = rates,
    .correct = correct,
    .reduced = &reduced,
};
