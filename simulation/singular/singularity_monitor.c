/// From step to step: continues the null vector of each component, follows a step whose ends do not
/// tell (substeps.h), and hands what was passed to the record (singular_crossing.h).
#include "base/loops.h"
#include "base/rank_numbers.h"
#include "engine/rank/rank_masks.h"
#include "simulation/singular/approach.h"
#include "simulation/singular/row_signs.h"
#include "simulation/singular/singular_crossing.h"
#include "simulation/singular/substeps.h"

#include <math.h>
#include <string.h>

static void continuation_layout(trm_continuation *f, const trm_system *system, int components,
                                trm_arena *arena)
{
    trm_direction_layout(&f->now, system, components, arena);
    trm_direction_layout(&f->seen, system, components, arena);
    trm_direction_layout(&f->probe, system, components, arena);
    TRM_ARENA_DOUBLES(arena, components, &f->sigma_least, &f->energy_before, &f->fell, &f->stands);
    f->number = trm_arena_take(arena, (size_t)components, sizeof *f->number);
    TRM_ARENA_INTS(arena, components, &f->counted_near, &f->reversed, &f->left_branch,
                   &f->is_shared);
}

void trm_monitor_layout(trm_singularity_monitor *monitor, const trm_run *run, trm_arena *arena)
{
    const trm_system *system = run->system;
    const int components = monitor->model->components.n;
    trm_direction_layout(&monitor->probe, system, components, arena);
    for (int k = 0; k < TRM_CONTINUATIONS; k++) {
        continuation_layout(&monitor->continuation[k], system, components, arena);
    }
    TRM_ARENA_DOUBLES(arena, components, &monitor->motion, &monitor->misfit, &monitor->sigma_max,
                      &monitor->t_foreseen);
    monitor->pivot = trm_arena_doubles(arena, system->nc);
    monitor->fall = trm_arena_take(arena, (size_t)components, sizeof *monitor->fall);
    monitor->fell = trm_arena_take(arena, (size_t)components, sizeof *monitor->fell);
    TRM_ARENA_INTS(arena, components, &monitor->foreseen, &monitor->most, &monitor->repeats,
                   &monitor->room, &monitor->lost, &monitor->gap_explains, &monitor->undecided);
    monitor->last = trm_arena_take(arena, (size_t)components, sizeof *monitor->last);
    TRM_ARENA_DOUBLES(arena, run->n, &monitor->place, &monitor->z);
    monitor->x = trm_arena_doubles(arena, trm_direction_work(system));
    for (int k = 0; k < TRM_CLOSED; k++) {
        monitor->shift.by[k] = trm_arena_doubles(arena, system->nq);
    }
    monitor->work = trm_arena_doubles(arena, run->n);
    for (int r = 0; r < TRM_BY_ENDS; r++) {
        monitor->ends[r] = trm_arena_doubles(arena, run->n);
    }
    trm_crossing_record_layout(&monitor->record, system, arena);
    trm_offset_layout(&monitor->offset, system, arena);
    trm_closing_layout(&monitor->closing, system, arena);
}

// ------------------------------------------------------------------------------------------ points

void trm_monitor_expect(trm_singularity_monitor *monitor, const trm_rank *rank)
{
    const int *const first = monitor->model->components.first_row;
    monitor->ncontinuations = monitor->most_continuations = 1;
    for (int p = 0; p < monitor->model->components.n; p++) {
        const int rows = rank ? trm_rank_rows(rank, p) : first[p + 1] - first[p];
        const int held = rank ? rank->component[p].rank : rows;
        const int room = held < TRM_CONTINUATIONS ? held : TRM_CONTINUATIONS; // 0: a door's hinges
        const int all = monitor->model->joints || rows - held >= room;
        const int most = all ? room : 1 + rows - held;
        monitor->most[p] = most;
        monitor->room[p] = room;
        monitor->repeats[p] = rows - held;
        monitor->ncontinuations = most > monitor->ncontinuations ? most : monitor->ncontinuations;
        monitor->most_continuations =
            room > monitor->most_continuations ? room : monitor->most_continuations;
    }
}

/// One direction by itself.
static void find(trm_singularity_monitor *monitor, trm_run *run, double t,
                 const trm_direction *from, trm_direction *to)
{
    trm_directions_find(run->system, &monitor->model->components, t, 1, monitor->most, &from, &from,
                        monitor->x, &to);
}

void trm_monitor_forget(trm_singularity_monitor *monitor)
{
    memset(monitor->sigma_max, 0, (size_t)monitor->model->components.n * sizeof(double));
}

void trm_monitor_learn(trm_singularity_monitor *monitor, trm_run *run, double t)
{
    for (int p = 0; p < monitor->model->components.n; p++) {
        trm_direction_any(&monitor->model->components, p, 0, &monitor->probe);
    }
    find(monitor, run, t, &monitor->probe, &monitor->probe);
    for (int p = 0; p < monitor->model->components.n; p++) {
        monitor->sigma_max[p] = trm_larger(monitor->probe.sigma[p], monitor->sigma_max[p]);
    }
}

double trm_monitor_sigma(trm_singularity_monitor *monitor, trm_run *run, double t)
{
    const int *const first_row = monitor->model->components.first_row;
    double sigma = 1;
    for (int p = 0; p < monitor->model->components.n; p++) {
        const int k = trm_continuation_smallest(monitor, p), at = first_row[p];
        memcpy(monitor->probe.w + at, monitor->continuation[k].now.w + at,
               (size_t)(first_row[p + 1] - at) * sizeof(double));
    }
    find(monitor, run, t, &monitor->probe, &monitor->probe);
    for (int p = 0; p < monitor->model->components.n; p++) {
        sigma = monitor->most[p] ? trm_lesser(monitor->probe.sigma[p], sigma) : sigma;
    }
    return sigma;
}

/// The run's weakest row at the point seen last, for messages.
static void note_weakest_row(const trm_singularity_monitor *monitor, trm_run *run)
{
    run->weak_sigma = run->range.sigma = monitor->sigma;
    run->weak_row = -1;
    double most = 0;
    const trm_connected_components *components = &monitor->model->components;
    for (int k = 0; monitor->sigma < TRM_NEAR && k < monitor->ncontinuations; k++) {
        const trm_direction *d = &monitor->continuation[k].now;
        for (int i = 0; i < run->system->nc; i++) {
            const int row = components->row[i];
            if (d->sigma[components->of_row[row]] == monitor->sigma && d->w[i] * d->Dw[i] > most) {
                most = d->w[i] * d->Dw[i];
                run->weak_row = row;
            }
        }
    }
}

static void note_sigma(trm_singularity_monitor *monitor, trm_run *run)
{
    monitor->sigma = 1;
    run->row_size = 1;
    for (int p = 0; p < monitor->model->components.n; p++) {
        const int k = trm_continuation_smallest(monitor, p);
        const double least = monitor->most[p] ? monitor->continuation[k].now.sigma[p] : 1;
        monitor->sigma_max[p] = trm_larger(least, monitor->sigma_max[p]);
        monitor->sigma = trm_lesser(least, monitor->sigma);
        run->row_size = trm_lesser(monitor->sigma_max[p], run->row_size);
    }
    if (monitor->sigma < monitor->sigma_min) {
        monitor->sigma_min = monitor->sigma;
        monitor->t_sigma_min = run->now.t;
    }
    note_weakest_row(monitor, run);
}

int trm_monitor_is_blind(const trm_singularity_monitor *monitor, int p)
{
    return monitor->sigma_max[p] < trm_direction_blind();
}

/// `rate`, or sigma^2 where that is less and more than solves are blind to.
static double lesser_seen(double sigma2, double rate)
{
    const double blind = trm_direction_blind();
    return sigma2 > blind * blind ? trm_lesser(sigma2, rate) : rate;
}

static void set_damping(trm_run *run, double rate)
{
    const double share = trm_larger(TRM_SHARE * rate, TRM_LEAST_DAMPING);
    run->system->solver.delta = trm_lesser(share, run->options.damping);
}

void trm_monitor_damp_start(const trm_singularity_monitor *monitor, trm_run *run)
{
    const double *const sigma = monitor->sigma_max;
    double rate = 1;
    for (int p = 0; p < monitor->model->components.n; p++) {
        rate = lesser_seen(sigma[p] * sigma[p], rate);
    }
    set_damping(run, rate);
}

/// delta of the next step: near a singular position that bars let pass only beside, a part of the
/// least sigma^2 there, which must not be damped, where that is more than pivots are known to; of
/// sigma^2 itself where it is small without such a position.
static void choose_damping(trm_singularity_monitor *monitor, trm_run *run)
{
    double rate = 1;
    for (int k = 0; k < monitor->ncontinuations; k++) {
        trm_continuation *f = &monitor->continuation[k];
        for (int p = 0; p < monitor->model->components.n; p++) {
            double least = f->now.sigma[p] * f->now.sigma[p];
            if (trm_continuation_is_near(monitor, f, p)) {
                trm_rank_loss_find(monitor->record.loss, run->system, &monitor->model->components,
                                   p, TRM_NEAR * monitor->sigma_max[p]);
                const double beside =
                    trm_monitor_least_beside(monitor, f, run, p, &f->now, run->now.z);
                least = beside < 0 ? least : beside;
                if (beside > 0) {
                    trm_monitor_set_meeting(run, beside);
                }
            }
            rate = lesser_seen(least, rate);
        }
    }
    set_damping(run, rate);
}

// ------------------------------------------------------------------------------------------- steps

/// How far the bodies of each part move in the last step, the faster of its ends.
static void measure_way(trm_singularity_monitor *monitor, const trm_run *run)
{
    const int nq = run->system->nq;
    const double h = run->now.t - run->before.t;
    memset(monitor->motion, 0, (size_t)monitor->model->components.n * sizeof(double));
    for (int i = 0; i < run->system->nv; i++) {
        const int p = monitor->model->components.of_velocity[i];
        const double v = trm_larger(fabs(run->before.z[nq + i]), fabs(run->now.z[nq + i]));
        if (p >= 0) {
            monitor->motion[p] = trm_larger(h * v / run->extent.v[i], monitor->motion[p]);
        }
    }
}

void trm_monitor_choose_rows(trm_singularity_monitor *monitor, trm_run *run)
{
    int near = run->unfactored || !monitor->active;
    for (int k = 0; k < monitor->ncontinuations && !near; k++) {
        for (int p = 0; p < monitor->model->components.n; p++) {
            near |= k < monitor->most[p] &&
                    trm_continuation_is_near(monitor, &monitor->continuation[k], p);
        }
    }
    if (!near && trm_rank_masks_renew(run->system, run->work_c, run->work_c2, run->work_v) > 0) {
        trm_substeps_look_before(monitor, run, 1);
    }
}

void trm_monitor_update(trm_singularity_monitor *monitor, trm_run *run)
{
    if (!monitor->active) {
        return;
    }
    if (run->unfactored && trm_system_factor(run->system, TRM_METRIC_MASS)) {
        return;
    }
    measure_way(monitor, run);
    memset(monitor->gap_explains, 0, (size_t)monitor->model->components.n * sizeof(int));
    trm_substeps_look(monitor, run);
    trm_volume_measure(monitor, run);
    trm_substeps_follow_fewer(monitor, run);
    while (trm_substeps_follow_more(monitor, run)) {
        trm_substeps_look_before(monitor, run, 0);
        trm_substeps_look(monitor, run);
    }
    note_sigma(monitor, run);
    trm_monitor_predict(monitor, run);
    choose_damping(monitor, run);
    trm_volume_keep(monitor, run);
    trm_substeps_follow(monitor, run);
    monitor->balance_before = monitor->balance;
    monitor->gap_before = monitor->gap;
}

void trm_monitor_shifted(trm_singularity_monitor *monitor, trm_run *run)
{
    if (monitor->active) {
        trm_substeps_look(monitor, run);
        note_sigma(monitor, run);
        trm_substeps_remember(monitor, 1);
        monitor->balance_before = monitor->balance;
    }
}

void trm_monitor_renew(trm_singularity_monitor *monitor, trm_run *run, int singular)
{
    for (int k = 0; k < monitor->most_continuations; k++) {
        for (int p = 0; p < monitor->model->components.n; p++) {
            trm_substeps_begin(monitor, k, p);
        }
    }
    for (int i = 0; i < run->system->nc; i++) {
        monitor->pivot[i] = NAN; // no step before is known
    }
    memset(monitor->last, 0, (size_t)monitor->model->components.n * sizeof *monitor->last);
    trm_substeps_look(monitor, run);
    note_sigma(monitor, run);
    monitor->balance_before = monitor->balance;
    for (int k = 0; k < monitor->ncontinuations && singular; k++) {
        trm_monitor_start_inside(monitor, &monitor->continuation[k], run);
    }
    trm_substeps_remember(monitor, 1);
    trm_volume_measure(monitor, run);
    trm_volume_keep(monitor, run);
}

void trm_monitor_start(trm_singularity_monitor *monitor, trm_run *run, int singular)
{
    trm_crossing_record_start(&monitor->record);
    monitor->sigma_min = 1;
    monitor->sigma = 1;
    monitor->t_sigma_min = run->now.t;
    monitor->gap = monitor->gap_before = 0;
    run->weak_row = -1;
    run->weak_sigma = 1;
    run->t_singular = INFINITY;
    if (!monitor->active) {
        return;
    }
    trm_monitor_renew(monitor, run, singular);
}
