#include "base/accuracy_policy.h"
#include "base/loops.h"
#include "base/rank_numbers.h"
#include "bodies/rotation.h"
#include "engine/rank/rank_masks.h"
#include "simulation/run/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Close sim->sample.z at t. Returns nonzero if it is closed, and the current point of the system.
static int close_sample(trm_sim *sim, double t)
{
    trm_system *system = sim->run.system;
    double *z = sim->sample.z;
    trm_system_normalize(system, z);
    int code = trm_system_position(system, t, z);
    code = code ? code : trm_close(system, &sim->closing, t, z, z + system->nq);
    code = code ? code : trm_system_position(system, t, z);
    const double gap =
        trm_residual_in(system, z + system->nq, sim->closing.unit, sim->measure.of.work).position;
    return !code && gap < sim->run.options.tolerance;
}

int trm_rank_probe_nearby(trm_sim *sim, int k)
{
    const trm_run *run = &sim->run;
    double *z = sim->sample.z;
    memcpy(z, run->now.z, (size_t)run->n * sizeof(double));
    for (int i = 0; i < run->system->nq; i++) {
        z[i] += TRM_BESIDE * run->extent.q[i] * sin(1 + 1.7 * i + 2.3 * k);
    }
    return close_sample(sim, run->now.t);
}

// --------------------------------------------------------------------------------------- ahead

/// The largest rate of component p, in sizes of the mechanism or rad, among the bodies that the
/// dependent rows of the start hold. A wheel that turns on such a body says nothing about these
/// rows.
static double speed_of(const trm_sim *sim, int p, const double *rate)
{
    const trm_connected_components *components = &sim->model->components;
    double speed = 0;
    for (int k = components->first_column[p]; k < components->first_column[p + 1]; k++) {
        const int i = components->column[k];
        const int held = sim->monitor.record.involved[i];
        speed = held ? fmax(fabs(rate[i]) / sim->run.extent.v[i], speed) : speed;
    }
    return speed;
}

/// closing.dx := the part of the acceleration at the start along the motion. The component across
/// it, which the rows of a curved motion demand, comes with closing the position. Returns a
/// system's code.
static int accelerate(trm_sim *sim)
{
    const trm_point_of_run *now = &sim->run.now;
    trm_system *system = sim->run.system;
    const double *v = now->z + system->nq;
    double *const a = sim->closing.dx, *const c = sim->closing.c;
    double power;
    int code = trm_system_position(system, now->t, now->z);
    code = code ? code : trm_system_factor(system, TRM_METRIC_MASS);
    code = code ? code : trm_system_free_acceleration(system, v, a, &power);
    if (!code) {
        trm_system_multiply_G(system, a, c);
        trm_system_solve_S(system, c);
        trm_system_subtract_spread(system, TRM_METRIC_MASS, c, a);
    }
    return code;
}

/// Closes the mechanism where component p will be, by its velocity and acceleration, after a way of
/// `little` times its size (or `little` rad), with the other components where they are.
static int close_ahead(trm_sim *sim, int p, double little)
{
    const trm_run *run = &sim->run;
    const trm_connected_components *components = &sim->model->components;
    const double *v = run->now.z + run->system->nq;
    double *const a = sim->closing.dx, *const dx = sim->sample.dz, *const z = sim->sample.z;
    if (accelerate(sim)) {
        return 0;
    }
    const double time = fmin(little / speed_of(sim, p, v), sqrt(2 * little / speed_of(sim, p, a)));
    if (!isfinite(time)) {
        return 0; // at rest
    }
    memset(dx, 0, (size_t)run->system->nv * sizeof(double));
    for (int k = components->first_column[p]; k < components->first_column[p + 1]; k++) {
        const int i = components->column[k];
        dx[i] = time * (v[i] + time / 2 * a[i]);
    }
    memcpy(z, run->now.z, (size_t)run->n * sizeof(double));
    trm_system_move(run->system, dx, z);
    return close_sample(sim, run->now.t + time);
}

/// Whether the motion of component p begins with positions whose rank is that of the start.
static int is_constant_rank(trm_sim *sim, int p)
{
    static const double little[] = {0.1, 0.01, 1e-3};
    for (size_t k = 0; k < sizeof little / sizeof *little; k++) {
        if (!close_ahead(sim, p, little[k])) {
            return 0;
        }
        const double off = little[k] * little[k] * little[k]; // third order of the motion
        trm_rank_look_near(&sim->rank, sim->run.system, &sim->run.extent, off);
        if (sim->rank.component[p].rank_now > sim->rank.component[p].start) {
            return 0;
        }
    }
    return 1;
}

// ------------------------------------------------------------------------------------- the whole

/// The system at the start again, where nothing of the play of other positions is left. Returns
/// nonzero if it is there.
static int return_to_start(trm_sim *sim)
{
    const trm_point_of_run *now = &sim->run.now;
    const int code = trm_system_position(sim->run.system, now->t, now->z);
    trm_system_renew_play(sim->run.system);
    return !code;
}

/// Nearby closed positions may have a higher rank than the start. The rank of the run is the rank
/// along its own motion. That may stay in a set of lower rank, however small this is among all
/// closed positions: a plate on four equal rods that turns about the vertical. Where several
/// motions cross in the start, the run moves on to positions of the higher rank. (An exception are
/// motions that rest in the start while their bodies move: a line of bars on a turntable. Without
/// a force between the bars their rows count as dependent.)
static void choose(trm_sim *sim)
{
    trm_rank *rank = &sim->rank;
    for (int p = 0; p < sim->model->components.n; p++) {
        const trm_rank_component *component = &rank->component[p];
        if (component->rank > component->start && is_constant_rank(sim, p) &&
            return_to_start(sim)) {
            trm_rank_restart(rank, p);
            trm_rank_look(rank, sim->run.system, &sim->run.extent);
        }
    }
}

/// The rank by the letter, from positions nearby. `nullity`: of the start.
static void look_nearby(trm_sim *sim, int nullity)
{
    for (int k = 0; k < TRM_RANK_PROBE_TRIES; k++) {
        const int closed = trm_rank_probe_nearby(sim, k);
        if (closed && nullity > 0) { // more than all rows cannot be independent
            trm_rank_look(&sim->rank, sim->run.system, &sim->run.extent);
        }
        if (closed && !trm_system_factor(sim->run.system, TRM_METRIC_MASS)) {
            trm_monitor_learn(&sim->monitor, &sim->run, sim->run.now.t);
        }
    }
}

/// direction[nv] := its part that the rows allow at z, of unit length in extents; the system is at
/// z. Returns 0 where nothing moves.
static int allow(trm_sim *sim, const double *z, double *direction)
{
    const trm_run *run = &sim->run;
    trm_system *const system = run->system;
    if (trm_system_position(system, run->now.t, z) || trm_system_factor(system, TRM_METRIC_MASS)) {
        return 0;
    }
    for (int pass = 0; pass < 2; pass++) {
        trm_system_multiply_G(system, direction, sim->closing.c);
        trm_system_solve_S(system, sim->closing.c);
        trm_system_subtract_spread(system, TRM_METRIC_MASS, sim->closing.c, direction);
    }
    const double size = trm_extents_speed(&run->extent, trm_system_motions(system), direction);
    for (int i = 0; i < system->nv; i++) {
        direction[i] /= size;
    }
    return size > TRM_REST;
}

/// From sim->sample.z along the part of direction[nv] that the rows allow, by `way`, closed.
/// direction := that part, of unit length in extents. Returns 0 where nothing moves, or nothing
/// closes.
static int go_along(trm_sim *sim, double way, double *direction)
{
    trm_system *const system = sim->run.system;
    double *const dx = sim->closing.dx;
    if (!allow(sim, sim->sample.z, direction)) {
        return 0;
    }
    for (int i = 0; i < system->nv; i++) {
        dx[i] = way * direction[i];
    }
    trm_system_move(system, dx, sim->sample.z);
    return close_sample(sim, sim->run.now.t);
}

int trm_rank_probe_opening(trm_sim *sim)
{
    const trm_run *const run = &sim->run;
    double *const direction = sim->sample.dz, *const open = sim->closing.c;
    int worst = 0;
    for (int i = 0; i < run->system->nv; i++) {
        direction[i] = run->extent.v[i] * sin(1 + 1.7 * i);
    }
    if (run->system->nc == 0 || !allow(sim, run->now.z, direction)) {
        return -1;
    }
    trm_system_multiply_G(run->system, direction, open);
    for (int i = 0; i < run->system->nc; i++) {
        open[i] = fabs(open[i]) / run->extent.g[i];
        worst = open[i] > open[worst] ? i : worst;
    }
    return worst;
}

// ------------------------------------------------------------------------------ misfit or
// structure
//
// A row w that repeats others except for an error e of dimensions or axes opens by w.(g + e p), and
// g and p depend on how bodies lie relative to one another. So it opens by e for each radian by
// which joints turn, or each size of the mechanism by which they slide. In the world bodies may
// turn more: where a truss of n fields of the height h bends by an angle a, its joints turn by a/n,
// and its bars open by h a/n: in the world by h/n of the way, a misfit; in its joints by h, its
// height.

typedef struct twist {
    double x[3], u[3], w[3]; ///< place, velocity and rate of turning in the world
} twist;

static twist twist_of(const trm_kinematics *look, int body)
{
    static const double centre[3] = {0, 0, 0};
    const double *const own = look->V + look->pose->width * body;
    twist of = {{0}, {0}, {0}};
    trm_point(look->pose, body, centre, look->V, of.x, of.u);
    if (look->pose->width == 3) {
        of.w[2] = own[2];
    } else {
        trm_to_world(look->pose, body, own + 3, of.w);
    }
    return of;
}

/// How fast b moves as seen from a, in rad or sizes of the mechanism.
static double relative_speed(const twist *a, const twist *b, double size)
{
    double turning = 0, sliding = 0;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double turned = a->w[j] * (b->x[k] - a->x[k]) - a->w[k] * (b->x[j] - a->x[j]);
        const double slid = (b->u[i] - a->u[i] - turned) / size, w = b->w[i] - a->w[i];
        turning += w * w;
        sliding += slid * slid;
    }
    return sqrt(fmax(turning, sliding));
}

/// The largest of these between two bodies of a block.
static double speed_in(trm_sim *sim, const trm_block *block, const double *v)
{
    const int *const body = sim->model->block_bodies + block->body;
    const int ground = sim->model->sizes.nbody, first = body[0] < ground ? body[0] : body[1];
    const double size = sim->run.extent.size[first];
    const trm_kinematics look =
        trm_assembler_kinematics(sim->run.system, sim->run.now.t, sim->run.now.z, v, v);
    double most = 0;
    for (int i = 0; i < block->nbodies; i++) {
        const twist a = twist_of(&look, body[i]);
        for (int j = i + 1; j < block->nbodies + (block->nbodies == 1); j++) {
            const twist b = twist_of(&look, j < block->nbodies ? body[j] : ground);
            most = fmax(relative_speed(&a, &b, size), most);
        }
    }
    return most;
}

/// The motion that w[nc] hinders most, into sim->sample.dz: how far it opens joints that w holds
/// over how far it moves them. 0 where w hinders none: of the motions of others it says nothing.
/// Rows left out let joints that stand move by their length, a part of the whole motion.
static double opens_by(trm_sim *sim, const double *w)
{
    const double part = 1e-3; // of the largest
    const trm_run *const run = &sim->run;
    const trm_model *const model = sim->model;
    trm_system *const system = run->system;
    double *const direction = sim->sample.dz, *const open = sim->closing.c;
    trm_system_multiply_GT(system, w, direction);
    trm_system_solve_heavy_M(system, direction);
    const double length = trm_extents_speed(&run->extent, trm_system_motions(system), direction);
    for (int i = 0; i < system->nv; i++) {
        direction[i] /= length;
    }
    if (!(length > 0) || !allow(sim, run->now.z, direction)) {
        return 0;
    }
    trm_system_multiply_G(system, direction, open);
    double most = 0, opened = 0, moved = 0;
    for (int i = 0; i < system->nc; i++) {
        most = fmax(fabs(w[i]) * run->extent.g[i], most);
    }
    for (int b = 0; b < model->nblocks; b++) {
        const trm_block *const block = &model->blocks[b];
        int held = 0;
        for (int i = block->row; i < block->row + block->rows; i++) {
            held |= fabs(w[i]) * run->extent.g[i] > part * most;
        }
        for (int i = block->row; held && i < block->row + block->rows; i++) {
            opened = fmax(fabs(open[i]) / run->extent.g[i], opened);
        }
        moved = held ? fmax(speed_in(sim, block, direction), moved) : moved;
    }
    return moved > trm_rank_left(&sim->rank) ? opened / moved : 0;
}

int trm_rank_probe_is_structure(trm_sim *sim)
{
    trm_system *const system = sim->run.system;
    const trm_null_space *const null = &system->solver.null;
    double *const w = sim->measure.of.work;
    int hinders = 0;
    for (int c = 0; c < null->used.components; c++) {
        const int p = null->component[c].number;
        for (int k = 0; !hinders && k < null->component[c].nullity; k++) {
            trm_solver_left_out(&system->solver, k, w);
            for (int i = 0; i < system->nc; i++) {
                w[i] = sim->model->components.of_row[i] == p ? w[i] : 0;
            }
            hinders = opens_by(sim, w) > sim->run.options.misfit;
        }
    }
    return hinders;
}

/// The rank up to the misfit, along the free motion, both ways. A row that a lock or a singular
/// position lacks has at a way x the length x, in units of the mechanism and rad, or x^2: in the
/// end above every misfit. The length of a misfit stays what it is.
static void look_along(trm_sim *sim)
{
    static const double ways[] = {0.02, 0.06, 0.2};
    const trm_run *run = &sim->run;
    double *const direction = sim->sample.dz;
    for (int k = 0; k < TRM_RANK_PROBE_TRIES; k++) {
        double way = 0;
        memcpy(sim->sample.z, run->now.z, (size_t)run->n * sizeof(double));
        for (int i = 0; i < run->system->nv; i++) {
            const double component = run->extent.v[i] * sin(1 + 1.7 * i + 2.3 * (k / 2));
            direction[i] = k % 2 == 0 ? component : -component;
        }
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            if (!go_along(sim, ways[i] - way, direction)) {
                break; // the end of the range
            }
            trm_rank_look(&sim->rank, run->system, &run->extent);
            way = ways[i];
        }
    }
}

int trm_rank_probe_loses_freedom(trm_sim *sim)
{
    const double grows = 1.5; // on a way of 0.2 a misfit by 1.2, what d < 0.4 leaves by more
    trm_rank *const rank = &sim->rank;
    if (!sim->monitor.active || sim->nullity == 0) {
        return 0;
    }
    trm_rank_start(rank, TRM_MOST_MISFIT);
    trm_rank_look_open(rank, sim->run.system, &sim->run.extent);
    if (trm_rank_nullity(rank) <= sim->nullity) {
        return 0;
    }
    trm_rank_start(rank, grows * trm_rank_left(rank));
    look_along(sim);
    return return_to_start(sim) && !trm_system_factor(sim->run.system, TRM_METRIC_MASS) &&
           trm_rank_nullity(rank) > sim->nullity;
}

/// Begin to look, at run->now.
static int look_at_start(trm_sim *sim, double bound)
{
    trm_rank *rank = &sim->rank;
    trm_rank_start(rank, bound);
    trm_rank_look(rank, sim->run.system, &sim->run.extent);
    return trm_rank_nullity(rank);
}

int trm_rank_probe(trm_sim *sim)
{
    trm_rank *rank = &sim->rank;
    trm_system *system = sim->run.system;
    const int held = sim->nullity;
    int nullity = look_at_start(sim, TRM_DEPENDENT);
    trm_rank_held(rank, system, &sim->run.extent, sim->monitor.record.involved);
    look_nearby(sim, nullity);
    choose(sim);
    if (trm_rank_nullity(rank) < held && return_to_start(sim)) {
        nullity = look_at_start(sim, sim->bound);
        trm_rank_held(rank, system, &sim->run.extent, sim->monitor.record.involved);
        look_along(sim);
        choose(sim);
    }
    return trm_rank_nullity(rank) < nullity;
}

/// Whether rows that repeat each other move with the time, as those may not: rows that are not
/// looked at would hide that motions given contradict each other. Null directions touch such a row
/// where any sum of them has a part in one.
static int is_superfluous_given(const trm_sim *sim)
{
    const trm_model *const model = sim->model;
    trm_system *const system = sim->run.system;
    double *const given = sim->closing.c, *const least = sim->measure.of.work;
    double part = 0;
    memset(given, 0, (size_t)system->nc * sizeof *given);
    for (int i = 0; i < model->ndrives; i++) {
        given[model->drives[i].row] = 1 + i;
    }
    for (int i = 0; system->moving && i < model->nexpressions; i++) {
        const trm_block *const block = &model->blocks[model->expressions[i].block];
        for (int k = 0; k < block->rows; k++) {
            given[block->row + k] = 2 + k + sin(i);
        }
    }
    memcpy(least, given, (size_t)system->nc * sizeof *least);
    if ((model->ndrives > 0 || system->moving) &&
        trm_system_make_least(system, least, sim->run.work_c)) {
        return 1;
    }
    for (int i = 0; i < system->nc; i++) {
        part = given[i] > 0 ? fmax(1 - least[i] / given[i], part) : part;
    }
    return part > TRM_DEPENDENT || (system->moving && model->nuser_rows > 0);
}

int trm_sim_may_mask(const trm_sim *sim, const trm_rank *rank)
{
    return sim->run.options.integrator != TRM_INTEGRATOR_IDA && sim->model->nloaded == 0 &&
           trm_rank_is_masked(rank) &&
           !(trm_rank_wants_directions(rank) && is_superfluous_given(sim));
}

/// Axes about which bodies are light, where a misfit could turn them, or damping keep their rows
/// from holding (null_space.h).
static int light_axes(const trm_sim *sim, const trm_rank *rank)
{
    const trm_bodies *const bodies = &sim->model->bodies;
    const int matters = trm_rank_left(rank) > TRM_NO_MISFIT ||
                        bodies->least_light < TRM_WELL * sim->run.system->solver.delta;
    return matters && !sim->model->joints ? bodies->nlight : 0;
}

int trm_sim_leave_out(trm_sim *sim, const trm_rank *rank)
{
    enum { PASSES = 3 };
    trm_solver *solver = &sim->run.system->solver;
    const int masks = trm_sim_may_mask(sim, rank), passes = masks ? 1 : PASSES;
    sim->nullity = trm_rank_nullity(rank);
    sim->null_size = trm_rank_size(rank, solver->pattern);
    const int light = masks || sim->null_size.components == 0 ? 0 : light_axes(sim, rank);
    sim->null_size.light = light;
    sim->null_size.turns = light * solver->pattern->n;
    int code = 0;
    if (!trm_null_fits(sim->null_room, sim->null_size)) {
        return 0; // see trm_sim_create
    }
    if (masks) {
        trm_rank_mask(rank, solver->pattern, &solver->null);
    } else {
        trm_rank_install(rank, solver->pattern, &solver->null);
        solver->null.used.light = light;
        solver->null.used.turns = sim->null_size.turns;
        if (light > 0) { // rows have other scales
            trm_solver_forget_scales(solver);
        }
    }
    for (int k = 0; !code && trm_null_is_used(solver->null.used) && k < passes; k++) {
        code = trm_system_position(sim->run.system, sim->run.now.t, sim->run.now.z);
        code = code ? code : trm_system_factor(sim->run.system, TRM_METRIC_MASS);
        trm_null_accept(&solver->null);
    }
    if (!code) {
        (void)trm_rank_masks_renew(sim->run.system, sim->run.work_c, sim->run.work_c2,
                                   sim->run.work_v);
    }
    return code;
}

// ------------------------------------------------------------------------------------ it rises
//
// A run starts with the rank of its own motion, which may be lower than the rank of nearby
// positions (above). Forces or drives may take the motion out of the positions of that rank later:
// from there on the rows that were left out hold.
//
// Two sets of motions, x y = 0, cross in the positions of lower rank. The motion follows y = 0 as
// far as its forces push along x. Until the rank rises, in the step that leaves x = 0, y is free.
// (A step from x = 0 with the higher rank cannot know which of the two sets goes on.)

/// The sum of sigma^2 over the directions that are left out. across[nv] := the velocity that their
/// rows would take out if they were not null.
static double square_of_left_out(trm_sim *sim, double *across)
{
    trm_system *system = sim->run.system;
    const int nv = system->nv, nc = system->nc;
    double *const w = sim->closing.c, *const f = sim->closing.dx, *const u = sim->run.work_v;
    double *const open = sim->measure.of.work;
    double sum = 0;
    trm_system_velocity_residual(system, sim->run.now.z + system->nq, open);
    memset(across, 0, (size_t)nv * sizeof(double));
    for (int k = 0; k < system->solver.null.most; k++) {
        double rate = 0;
        trm_solver_left_out(&system->solver, k, w);
        trm_system_spread_both(system, w, f, u);
        for (int i = 0; i < nc; i++) {
            rate += w[i] * open[i];
        }
        for (int i = 0; i < nv; i++) {
            sum += f[i] * u[i];
            across[i] += rate * u[i];
        }
    }
    for (int i = 0; i < nv && sum > 0; i++) {
        across[i] /= sum;
    }
    return sum;
}

/// The opening or the misfit e of the rows that are left out.
static double open_by(const trm_sim *sim)
{
    const trm_system *system = sim->run.system;
    const double gap = trm_extents_gap(&sim->run.extent, system->nc, system->g);
    return fmax(fmax(trm_sim_play(sim), sim->misfit), gap);
}

/// Whether the rows that are left out have become independent. Directions that are null everywhere
/// have sigma = e; where the motion has left a set of lower rank, y^2 = 0, sigma is sqrt(e). The
/// limit e^(3/4) lies between.
static int is_off(const trm_sim *sim, double square)
{
    const double e = open_by(sim);
    return square > fmax(TRM_DEPENDENT * TRM_DEPENDENT, e * sqrt(e));
}

/// The same after inverse iteration in place. Behind a singular position the directions left out
/// may hold a part of the row that was lost there, as far as both were of the length of the misfit.
static int is_off_for_good(trm_sim *sim, double *across)
{
    enum { PASSES = 3 };
    trm_system *const system = sim->run.system;
    int off = is_off(sim, square_of_left_out(sim, across));
    for (int k = 0; k < PASSES && off && system->play; k++) {
        trm_null_accept(&system->solver.null);
        off = !trm_system_factor(system, TRM_METRIC_MASS) &&
              is_off(sim, square_of_left_out(sim, across));
    }
    return off;
}

/// The same of rows that are masked: open by e they move by e of the speed.
static int is_mask_off(trm_sim *sim)
{
    const trm_run *const run = &sim->run;
    trm_system *const system = run->system;
    const double *const v = run->now.z + system->nq;
    double *const rate = sim->measure.of.work, *const seen = sim->closing.c;
    const double speed = trm_extents_speed(&run->extent, trm_system_motions(system), v);
    double most = 0;
    trm_system_multiply_G(system, v, rate);
    for (int i = 0; i < system->nc; i++) {
        seen[i] = rate[i] += system->g_t[i];
    }
    trm_solver_leave_out(&system->solver, seen);
    for (int i = 0; i < system->nc; i++) {
        most = trm_larger(fabs(rate[i] - seen[i]) / run->extent.g[i], most);
    }
    return speed > 0 && is_off(sim, most / speed * (most / speed));
}

void trm_sim_rank_rises(trm_sim *sim)
{
    const trm_run *run = &sim->run;
    trm_system *system = run->system;
    sim->rank_rises = 0;
    const trm_null_size used = system->solver.null.used;
    if (!trm_null_is_used(used) || run->unfactored) {
        return; // a method that solves nothing with S has left nothing out
    }
    const int off = used.masks > 0 ? is_mask_off(sim) : is_off_for_good(sim, run->work_v2);
    sim->t_off = off ? fmin(run->now.t, sim->t_off) : INFINITY;
    const double known = sqrt(TRM_TANGENT * open_by(sim)); // see rank.c
    sim->rank_rises =
        off && trm_rank_rises(&sim->rank, system, &run->extent, known, &system->solver.null);
}

void trm_sim_name_rank(const trm_sim *sim, trm_error *err)
{
    const trm_system *system = sim->run.system;
    const size_t used = err ? strlen(err->message) : 0, left = err ? sizeof err->message - used : 0;
    const int by_ida = sim->run.options.integrator == TRM_INTEGRATOR_IDA; // stops at any misfit
    if (!err || (trm_sim_play(sim) > 0 && !by_ida && trm_sim_name_play(sim, err))) {
        return;
    }
    if (isfinite(sim->t_off)) { // digits do not help
        snprintf(err->message + used, left,
                 "; pushed off the positions of rank %d of its start since t = %.6g s: no motion, "
                 "or no single motion, goes on",
                 system->nc - system->solver.null.nullity, sim->t_off);
    } else if (trm_sim_play(sim) > 0 && by_ida) {
        snprintf(err->message + used, left,
                 "; '%s' and other redundant joints miss each other by %.2g: another method than "
                 "ida, more digits help, or one joint less",
                 sim->model->row_info[trm_play_worst(sim)].name, sim->misfit);
    }
}

trm_status trm_sim_raise_rank(trm_sim *sim, trm_error *err)
{
    trm_run *run = &sim->run;
    trm_point_of_run *now = &run->now;
    int code = trm_sim_leave_out(sim, &sim->rank);
    code = code ? code
                : trm_close(run->system, &sim->closing, now->t, now->z, now->z + run->system->nq);
    if (!code && run->stabilization) {
        code = trm_run_rates(run, now->t, now->z, now->dz, now->lambda);
    }
    code = code ? code : trm_system_position(run->system, now->t, now->z);
    code = code ? code : trm_system_factor(run->system, TRM_METRIC_MASS);
    trm_monitor_expect(&sim->monitor, &sim->rank);
    sim->t_off = INFINITY;
    run->shifted = 1;
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}
