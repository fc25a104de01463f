/// The play of redundant rows: what the directions left out of every solve leave open.
#include "base/accuracy_policy.h"
#include "base/linear/sums.h"
#include "base/loops.h"
#include "base/rank_numbers.h"
#include "base/status.h"
#include "bodies/rotation.h"
#include "bodies/vector.h"
#include "integrators/registry.h"
#include "program/run_details.h"
#include "simulation/run/simulation.h"
#include "simulation/singular/approach.h"
#include "simulation/singular/row_signs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void trm_play_layout(trm_sim *sim, trm_arena *arena)
{
    const int has = trm_null_is_used(sim->null_room) && sim->run.options.misfit > 0;
    const int n = has ? sim->model->sizes.nc : 0, all = has ? sim->given->sizes.nc : 0;
    double *const now = trm_arena_doubles(arena, n);
    TRM_ARENA_DOUBLES(arena, all, &sim->play, &sim->t_play);
    sim->run.system->play = has ? now : NULL;
    sim->run.system->bias = trm_arena_doubles(arena, n);
}

static int has_play(const trm_sim *sim)
{
    const trm_system *system = sim->run.system;
    return system->play && trm_null_is_used(system->solver.null.used);
}

double trm_sim_play(const trm_sim *sim)
{
    const trm_system *system = sim->run.system;
    return has_play(sim) ? trm_extents_gap(&sim->run.extent, system->nc, system->play) : 0;
}

void trm_play_note(trm_sim *sim)
{
    const trm_system *system = sim->run.system;
    for (int i = 0; has_play(sim) && i < system->nc; i++) {
        double *const misfit = &sim->monitor.misfit[sim->model->components.of_row[i]];
        *misfit = trm_larger(fabs(system->play[i]) / sim->run.extent.g[i], *misfit);
        const int row = trm_sim_given_row(sim, i);
        if (fabs(system->play[i]) > sim->play[row]) {
            sim->play[row] = fabs(system->play[i]);
            sim->t_play[row] = sim->run.now.t;
        }
    }
    sim->misfit = trm_larger(trm_sim_play(sim), sim->misfit);
}

void trm_play_start(trm_sim *sim)
{
    const trm_system *system = sim->run.system;
    sim->misfit = sim->monitor.active && sim->nullity > 0 ? trm_rank_left(&sim->rank) : 0;
    for (int p = 0; sim->monitor.active && p < sim->model->components.n; p++) {
        sim->monitor.misfit[p] = sim->nullity > 0 ? sim->rank.component[p].left : 0;
    }
    for (int i = 0; system->play && i < sim->given->sizes.nc; i++) {
        sim->play[i] = 0;
        sim->t_play[i] = sim->run.now.t;
    }
    trm_play_note(sim);
    sim->misfit_of_start = sim->misfit;
    sim->monitor.offset.near = TRM_NEAR;
}

double trm_sim_misfit(const trm_sim *sim, int row, double *t)
{
    const int known = sim && has_play(sim) && row >= 0 && row < sim->given->sizes.nc;
    if (t) {
        *t = known ? sim->t_play[row] : NAN;
    }
    return known ? sim->play[row] : 0;
}

// -------------------------------------------------------------------------------- parts that stand

/// Part p has a freedom in the coordinates of the run, or a row that may be given by the time.
static int can_move(const trm_sim *sim, int p)
{
    const trm_model *const model = sim->given, *const own = sim->model;
    const trm_connected_components *const parts = &own->components;
    const trm_solver *const solver = &sim->run.system->solver;
    const trm_null_space *const null = &solver->null;
    const int *const of_row = model->components.of_row;
    int freedoms = 0, driven = 0;
    for (int b = 0; b < model->sizes.nbody; b++) {
        const int here = model->components.of_velocity[model->body_info[b].v0] == p;
        freedoms += here ? own->body_info[b].nv : 0;
    }
    for (int i = 0; i < own->sizes.nc; i++) {
        const int kept = null->used.masks == 0 || null->kept[solver->pattern->place_of[i]] != 0;
        freedoms -= kept && of_row[trm_sim_given_row(sim, i)] == p;
    }
    for (int c = 0; c < null->used.components; c++) {
        const int row = parts->row[parts->first_row[null->component[c].number]];
        freedoms += of_row[trm_sim_given_row(sim, row)] == p ? null->component[c].nullity : 0;
    }
    for (int i = 0; i < model->ndrives; i++) {
        driven |= of_row[model->drives[i].row] == p;
    }
    for (int i = 0; sim->run.system->moving && i < model->nexpressions; i++) {
        driven |= of_row[model->blocks[model->expressions[i].block].row] == p;
    }
    return freedoms > 0 || driven || (sim->run.system->moving && model->nuser_rows > 0);
}

/// The axis of a joint in the world, at q.
static void axis_of(const trm_model *model, const double *q, int joint, double u[3])
{
    double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const trm_joint_axis *const at = &model->joint_axis[joint];
    const int a = model->joint_info[joint].a;
    if (a >= 0) {
        trm_rotation_matrix(q + model->body_info[a].q0 + 3, R);
    }
    trm_rotate(R, at->axis, u);
}

static double angle_between(const trm_model *model, const double *q, int j, int k)
{
    double u[3], w[3], across[3];
    axis_of(model, q, j, u);
    axis_of(model, q, k, w);
    cross(u, w, across);
    return atan2(trm_length(3, across), fabs(dot(u, w)));
}

static int is_between_the_same(const trm_joint_info *j, const trm_joint_info *k)
{
    return (j->a == k->a && j->b == k->b) || (j->a == k->b && j->b == k->a);
}

static int has_axis(const trm_model *model, int joint, int part)
{
    return model->joint_axis[joint].freedom != TRM_FREEDOM_NONE &&
           model->joint_info[joint].rows > 0 && model->joint_info[joint].of < 0 &&
           (part < 0 || model->components.of_row[model->joint_info[joint].row] == part);
}

/// At q, in a part; -1: in any.
static void find_axes(const trm_model *model, const double *q, int part, trm_locked_part *out)
{
    const trm_joint_info *const info = model->joint_info;
    for (int j = 0; j < model->sizes.njoint && model->body_info->nv > 3; j++) {
        for (int k = 0; has_axis(model, j, part) && k < j; k++) {
            const int pair = has_axis(model, k, part) && is_between_the_same(&info[j], &info[k]);
            const double angle = pair ? angle_between(model, q, k, j) : 0;
            if (angle > fmax(TRM_DEPENDENT, out->angle)) {
                out->joint[0] = info[k].name;
                out->joint[1] = info[j].name;
                out->angle = angle;
            }
        }
    }
}

void trm_model_axes(const trm_model *model, trm_locked_part *out)
{
    *out = (trm_locked_part){.body = ""};
    if (!model->from_equations && model->sizes.nbody > 0) {
        find_axes(model, model->q0, -1, out);
    }
}

/// Whether welds alone hold part p.
static int is_welded(const trm_sim *sim, int p)
{
    const trm_model *const model = sim->given;
    int rows = 0;
    for (int j = 0; j < model->sizes.njoint; j++) {
        const trm_joint_info *const info = &model->joint_info[j];
        const int weld =
            strcmp(info->type, "weld") == 0 && model->components.of_row[info->row] == p;
        rows += weld ? info->rows : 0;
    }
    return rows == model->components.first_row[p + 1] - model->components.first_row[p];
}

int trm_sim_locked(const trm_sim *sim, int i, trm_locked_part *out)
{
    const trm_model *const model = sim ? sim->given : NULL;
    *out = (trm_locked_part){.body = ""};
    for (int p = 0; model && !model->from_equations && p < model->components.n; p++) {
        if (can_move(sim, p) || is_welded(sim, p) || i-- > 0) {
            continue;
        }
        for (int b = model->sizes.nbody - 1; b >= 0; b--) {
            if (model->components.of_velocity[model->body_info[b].v0] == p) {
                out->body = model->body_info[b].name;
                out->nbodies++;
            }
        }
        find_axes(model, trm_sim_state(sim).q, p, out);
        return 1;
    }
    return 0;
}

/// A motion given that moves the others by 1/s of its own has of the misfit e a part e/s in the
/// rows left out: they open by e for each radian of motion.
int trm_play_of_time(trm_sim *sim, double *rate)
{
    const trm_system *system = sim->run.system;
    const size_t bytes = (size_t)system->nc * sizeof(double);
    if (!has_play(sim) || !system->moving) {
        return 0;
    }
    memcpy(rate, system->g_t, bytes);
    trm_solver_leave_out(&system->solver, rate);
    for (int i = 0; i < system->nc; i++) {
        rate[i] = system->g_t[i] - rate[i];
    }
    const trm_extents *extent = &sim->run.extent;
    const double *const v = sim->run.now.z + system->nq;
    double speed = 0; // by the metric in which rows have their lengths (rank.c)
    for (int i = 0; i < system->nv; i++) {
        speed = hypot(speed, v[i] / extent->v[i]);
    }
    speed = fmax(trm_extents_gap(extent, system->nc, system->g_t), speed);
    return trm_extents_gap(extent, system->nc, rate) > sim->run.options.misfit * speed;
}

// -------------------------------------------------------------------------------- above the bound

/// At the start rows are open by mu at most, and open by mu at most for each radian of motion. A
/// vector p that turns with a body by any angle moves by 2 |p| at most: open by 3 mu, another
/// mechanism was met than that of the start.
double trm_play_most(const trm_sim *sim)
{
    return 3 * sim->run.options.misfit;
}

int trm_play_worst(const trm_sim *sim)
{
    const trm_system *system = sim->run.system;
    int worst = 0;
    for (int i = 1; i < system->nc; i++) {
        const double *const extent = sim->run.extent.g;
        worst = fabs(system->play[i]) / extent[i] > fabs(system->play[worst]) / extent[worst]
                    ? i
                    : worst;
    }
    return worst;
}

/// Whether row i has a part in a direction that is left out together with row `worst`.
static int is_of_loop(const trm_sim *sim, int worst, int i, double *w)
{
    const double part = 1e-3; // of the largest
    const trm_system *system = sim->run.system;
    for (int k = 0; k < system->solver.null.most; k++) {
        double largest = 0;
        trm_solver_left_out(&system->solver, k, w);
        for (int j = 0; j < system->nc; j++) {
            largest = fmax(fabs(w[j]) * sim->run.extent.g[j], largest);
        }
        if (fabs(w[i]) * sim->run.extent.g[i] > part * largest &&
            fabs(w[worst]) * sim->run.extent.g[worst] > part * largest) {
            return 1;
        }
    }
    return 0;
}

void trm_play_name_loop(const trm_sim *sim, int worst, char *names, size_t size)
{
    const trm_row_info *const info = sim->model->row_info;
    const char *last = info[worst].name;
    names[0] = '\0';
    for (int i = 0; i < sim->model->sizes.nc; i++) {
        const size_t used = strlen(names);
        if (strcmp(info[i].name, last) != 0 && strcmp(info[i].name, info[worst].name) != 0 &&
            is_of_loop(sim, worst, i, sim->closing.c)) {
            if (used + strlen(info[i].name) + 8 > size) {
                snprintf(names + used, size - used, ", ...");
                return;
            }
            snprintf(names + used, size - used, "%s%s", used > 0 ? ", " : "", info[i].name);
            last = info[i].name;
        }
    }
}

trm_status trm_sim_refuse_play(const trm_sim *sim, trm_error *err)
{
    const trm_run *run = &sim->run;
    const int row = trm_play_worst(sim), started = sim->phase == TRM_SIM_READY;
    const trm_row_info *info = &sim->model->row_info[row];
    const double gap = trm_violation_gap(sim->model, run->system->play, row);
    char names[160];
    trm_play_name_loop(sim, row, names, sizeof names);
    const char *const why = trm_options_refuse_misfit(&run->options);
    const char *const remedy = why ? why : "more digits help";
    const trm_status status =
        started ? TRM_FAIL(err, TRM_ERR_DIVERGED, info->where,
                           "stopped at t = %.6g s: the play at '%s' passes %.3g %s (%.6g %s; three "
                           "times the misfit, %g; %s)",
                           run->now.t, info->name, trm_play_most(sim) * run->extent.g[row],
                           info->unit, gap, info->unit, run->options.misfit, remedy)
                : TRM_FAIL(err, TRM_ERR_INCONSISTENT, info->where,
                           "the start does not close: '%s' is %.6g %s from where %s hold it; they "
                           "are redundant, and may miss each other by %g (option misfit; %s)",
                           info->name, gap, info->unit, *names ? names : "the others",
                           run->options.misfit, remedy);
    return trm_at_time(err, run->now.t, status);
}

/// Whether part p is so near to where motions meet that misfits turn these into each other.
static int is_in_corner(const trm_sim *sim, int p)
{
    const trm_singularity_monitor *const watch = &sim->monitor;
    const double sigma = watch->continuation[trm_continuation_smallest(watch, p)].now.sigma[p];
    return watch->most[p] > 0 && sigma * sigma < TRM_GAPS * watch->misfit[p];
}

int trm_sim_name_play(const trm_sim *sim, trm_error *err)
{
    const int row = trm_play_worst(sim), p = sim->model->components.of_row[row];
    const int vanished =
        sim->run.weak_row >= 0 || is_in_corner(sim, p) || sim->misfit > sim->run.options.misfit;
    const int ends = isfinite(sim->t_off) || (sim->run.step_vanished && vanished);
    char names[160];
    if (!(sim->misfit_of_start > TRM_NO_MISFIT) || !ends) {
        return 0;
    }
    trm_play_name_loop(sim, row, names, sizeof names);
    const trm_status status = TRM_FAIL(
        err, err->status, sim->model->row_info[row].where,
        "stopped at t = %.6g s: motions meet near here, and these numbers do not tell which goes "
        "on: '%s' and %s miss each other by %.2g; more digits help, another start, or a joint with "
        "more freedom in place of one of them",
        sim->run.now.t, sim->model->row_info[row].name, names, sim->misfit);
    return trm_at_time(err, sim->run.now.t, status) != TRM_OK;
}

// ---------------------------------------------------------------------------------- change points
//
// Singular positions of a mechanism with a misfit.
//
// Where two motions of the mechanism that was meant cross, x y = 0, a misfit F makes x y = F: the
// motion turns from one into the other in a corner of the width sqrt(F), which is none of the
// mechanism's. F is known before the run is there (simulation/singular/branch_gap.h), and is play
// like what redundant rows leave open: D w F is taken from g, with w the row that is lost there, so
// that motions cross. The distance sigma off the position this moves the run by F/sigma.
//
// F is that of a plane; what is left of it is of third order in the way to the position, sqrt(F):
// the next try finds F^(3/2).

/// Whether the position predicted is ahead, within some steps or, of steps that another part makes
/// short, before the corner of the largest misfit, of the width sqrt(10 mu) = 0.1 rad, begins.
static int is_ahead(const trm_sim *sim)
{
    const double way = 0.2;
    const trm_run *const run = &sim->run;
    const double h = run->now.t - run->before.t, left = run->t_singular - run->now.t;
    const double motion = sim->monitor.motion[sim->monitor.predicted[1]];
    return left > 0 && (left < TRM_REACH_OF_STEPS * h || left * motion < way * h);
}

/// sim->closing.c := what the rows left out and the row that is lost leave open at the position
/// found, beyond what is taken from g. Returns the largest of it, relative to the mechanism.
static double open_there(trm_sim *sim)
{
    const trm_run *const run = &sim->run;
    const trm_offset *const offset = &sim->monitor.offset;
    trm_system *const system = run->system;
    const double *const D = system->solver.D;
    double *const b = sim->closing.c, F = 0;
    if (trm_system_position(system, run->t_singular, offset->q) ||
        trm_system_factor(system, TRM_METRIC_MASS)) {
        return INFINITY;
    }
    for (int i = 0; i < system->nc; i++) {
        F += offset->w[i] * system->g[i];
    }
    for (int i = 0; i < system->nc; i++) {
        const double lost = D[system->solver.pattern->place_of[i]] * offset->w[i] * F;
        b[i] = system->play[i] - system->bias[i] + lost;
    }
    return trm_extents_gap(&run->extent, system->nc, b);
}

/// The position found, from itself: where the row that is lost has no slope. Returns the least
/// sigma^2 of the corner.
static double settle(trm_sim *sim, double near)
{
    enum { PASSES = 2 };
    const trm_run *const run = &sim->run;
    trm_singularity_monitor *const watch = &sim->monitor;
    const trm_continuation *const f = &watch->continuation[watch->predicted[0]];
    const int p = watch->predicted[1];
    double least = 0;
    watch->offset.near = near;
    for (int k = 0; k < PASSES; k++) {
        least = trm_offset_nearer(&watch->offset, run->system, &sim->model->components,
                                  &run->extent, watch->record.loss, p, near * watch->sigma_max[p],
                                  run->t_singular, run->now.z, f->now.u);
    }
    watch->offset.near = TRM_NEAR;
    return least;
}

/// What rows left out would be open by on the other motion of the corner, where it has gone so far
/// as the rank is looked at (rank_probe.c). Where that is more than what leads straight on is open
/// by, the mechanism that was meant has no other motion there.
static double open_beside(trm_sim *sim)
{
    const double way = 0.2;
    trm_system *const system = sim->run.system;
    const trm_extents *const extent = &sim->run.extent;
    double *const turning = sim->closing.c, *const kept = sim->measure.of.work;
    if (system->moving || trm_offset_other_motion(&sim->monitor.offset, system, extent, turning)) {
        return 0;
    }
    memcpy(kept, turning, (size_t)system->nc * sizeof(double));
    trm_solver_leave_out(&system->solver, kept);
    for (int i = 0; i < system->nc; i++) {
        turning[i] -= kept[i];
    }
    return way * way / 2 * trm_extents_gap(extent, system->nc, turning);
}

/// Looks for the corner of the part p ahead, of the width that a misfit of this size leaves.
/// Returns 0 where motions cross, as far as damped solves tell, or none is found.
static int find_of_size(trm_sim *sim, int p, double size)
{
    trm_run *const run = &sim->run;
    trm_singularity_monitor *const monitor = &sim->monitor;
    const double seen = monitor->misfit[p];
    monitor->misfit[p] = size;
    const double near = trm_monitor_near(monitor, p);
    monitor->offset.near = near;
    trm_monitor_find_meeting(monitor, run);
    monitor->offset.near = TRM_NEAR;
    int corner = run->meeting == TRM_MEETING_CORNER || run->meeting == TRM_MEETING_HIDDEN;
    if (corner && settle(sim, near) < TRM_SHARE * run->system->solver.delta) {
        run->meeting = TRM_MEETING_CROSSING;
        corner = 0;
    }
    monitor->misfit[p] = seen;
    return corner;
}

/// The corner ahead as play, into sim->closing.c; 0: motions cross, or miss each other by more than
/// the misfit. What rows leave open tells the size of the corner only where they are against its
/// other motion by chance: a wider one is looked for, but they leave less than a thousandth of a
/// misfit open by a chance of a thousandth only. Rows that fit to roundoff leave what is meant.
static double find_corner(trm_sim *sim, int first)
{
    const double wider = 30, widest = 1000; // wider 15 and 60: campaign/numbers
    const int p = sim->monitor.predicted[1];
    const double seen = sim->monitor.misfit[p];
    const double most = fmin(sim->run.options.misfit, widest * seen);
    int found = find_of_size(sim, p, seen);
    for (double size = seen;
         first && !found && sim->run.meeting == TRM_MEETING_UNKNOWN && size < most;) {
        size = fmin(wider * size, most);
        found = find_of_size(sim, p, size);
    }
    const double size = found ? open_there(sim) : 0;
    if (size > TRM_TANGENT * seen && size <= most) {
        const double beside = open_beside(sim);
        return beside > size ? open_there(sim) : 0;
    }
    return size <= most ? size : 0;
}

/// run->now closed with this taken from g. Returns a system's code.
static int take(trm_sim *sim)
{
    trm_run *const run = &sim->run;
    trm_system *const system = run->system;
    trm_point_of_run *const now = &run->now;
    for (int i = 0; i < system->nc; i++) {
        system->bias[i] += sim->closing.c[i];
        system->play[i] += sim->closing.c[i];
    }
    int code = trm_close(system, &sim->closing, now->t, now->z, now->z + system->nq);
    if (!code && run->stabilization) {
        code = trm_run_rates(run, now->t, now->z, now->dz, now->lambda);
    }
    run->shifted = 1;
    return code;
}

/// Takes the corner that is ahead of the part predicted. Returns a system's code.
static int share(trm_sim *sim)
{
    enum { TRIES = 16 };
    trm_run *const run = &sim->run;
    trm_system *const system = run->system;
    int code = 0;
    for (int k = 0; k < TRIES && !code; k++) {
        const double size = find_corner(sim, k == 0);
        code = size > 0 ? take(sim) : 0;
        code = code ? code : trm_system_position(system, run->now.t, run->now.z);
        code = code ? code : trm_system_factor(system, TRM_METRIC_MASS);
        if (!(size > 0)) {
            break;
        }
        run->meeting = TRM_MEETING_UNKNOWN;
    }
    return code;
}

/// The same of part p, where another part's position is nearer.
static int share_of(trm_sim *sim, int p)
{
    trm_run *const run = &sim->run;
    trm_singularity_monitor *const monitor = &sim->monitor;
    const int k = monitor->predicted[0], nearer = monitor->predicted[1];
    const double t = run->t_singular, least = run->least_there;
    const trm_meeting meeting = run->meeting;
    monitor->predicted[0] = monitor->foreseen[p];
    monitor->predicted[1] = p;
    run->t_singular = monitor->t_foreseen[p];
    run->meeting = TRM_MEETING_UNKNOWN;
    const int code = is_ahead(sim) ? share(sim) : 0;
    monitor->predicted[0] = k;
    monitor->predicted[1] = nearer;
    run->t_singular = t;
    run->least_there = least;
    run->meeting = meeting;
    return code;
}

/// Where a row of part p may be lost it is damped against play, delta = (10 misfits)^2. Damped
/// solves lose sigma^2 below 1000 delta, which regular rows may have. So that is where a row has
/// half of its usual length, or is foreseen to vanish in some steps, by no more than rows turn on
/// the way.
static double damping_of(const trm_sim *sim, int p)
{
    const trm_singularity_monitor *const watch = &sim->monitor;
    const double h = sim->run.now.t - sim->run.before.t, misfit = watch->misfit[p];
    const double steps = (watch->t_foreseen[p] - sim->run.now.t) / h;
    const double sigma = watch->continuation[trm_continuation_smallest(watch, p)].now.sigma[p];
    const int ahead =
        steps > 0 && steps < TRM_REACH_OF_STEPS && sigma < TRM_REACH * steps * watch->motion[p];
    const int may = watch->most[p] > 0 && (ahead || sigma < watch->sigma_max[p] / 2);
    return may ? fmin(TRM_GAPS * misfit * misfit, TRM_REGULAR) : 0;
}

trm_status trm_sim_share_corner(trm_sim *sim, trm_error *err)
{
    trm_run *const run = &sim->run;
    trm_system *const system = run->system;
    if (!has_play(sim)) {
        return TRM_OK;
    }
    int code = 0;
    for (int p = 0; p < sim->model->components.n && !code; p++) {
        if (!(sim->monitor.misfit[p] > TRM_NO_MISFIT)) {
            continue;
        }
        system->solver.delta = fmax(damping_of(sim, p), system->solver.delta);
        if (sim->monitor.predicted[1] != p) {
            code = share_of(sim, p);
        } else if (is_ahead(sim) && run->meeting != TRM_MEETING_CROSSING) {
            code = share(sim);
        }
    }
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}
