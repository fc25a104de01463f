#include "base/loops.h"
#include "base/rank_numbers.h"
#include "simulation/singular/approach.h"
#include "simulation/singular/crossing.h"
#include "simulation/singular/row_signs.h"
#include "simulation/singular/substeps.h"

#include <math.h>
#include <string.h>

static void followed_layout(trm_followed *f, const trm_system *system, int parts, trm_arena *arena)
{
    trm_direction_layout(&f->now, system, parts, arena);
    trm_direction_layout(&f->seen, system, parts, arena);
    trm_direction_layout(&f->end, system, parts, arena);
    f->sigma_max = trm_arena_doubles(arena, parts);
    f->lowest = trm_arena_doubles(arena, parts);
    f->anchor = trm_arena_doubles(arena, parts);
    f->number = trm_arena_take(arena, (size_t)parts, sizeof *f->number);
    f->inside = trm_arena_ints(arena, parts);
    f->turned = trm_arena_ints(arena, parts);
    f->aside = trm_arena_ints(arena, parts);
    f->shared = trm_arena_ints(arena, parts);
}

void trm_watch_layout(trm_watch *watch, const trm_run *run, trm_arena *arena)
{
    const trm_system *system = run->system;
    const int parts = watch->model->parts.n;
    trm_direction_layout(&watch->probe, system, parts, arena);
    for (int k = 0; k < TRM_FOLLOWED; k++) {
        followed_layout(&watch->followed[k], system, parts, arena);
    }
    watch->way = trm_arena_doubles(arena, parts);
    watch->most = trm_arena_ints(arena, parts);
    watch->open = trm_arena_ints(arena, parts);
    watch->other = trm_arena_ints(arena, parts);
    watch->doubt = trm_arena_ints(arena, parts);
    watch->place = trm_arena_doubles(arena, run->n);
    watch->x = trm_arena_doubles(arena, trm_direction_work(system));
    watch->z = trm_arena_doubles(arena, run->n);
    for (int k = 0; k < TRM_CLOSED; k++) {
        watch->shift.by[k] = trm_arena_doubles(arena, system->nq);
    }
    watch->work = trm_arena_doubles(arena, run->n);
    for (int r = 0; r < TRM_BY_ENDS; r++) {
        watch->ends[r] = trm_arena_doubles(arena, run->n);
    }
    trm_record_layout(&watch->record, system, arena);
    trm_offset_layout(&watch->offset, system, arena);
    trm_closing_layout(&watch->closing, system, arena);
}

// ------------------------------------------------------------------------------------------ points

/// Of the k-th direction, at any point.
static double least_of(const trm_watch *watch, int k, const trm_direction *d)
{
    double sigma = 1;
    for (int p = 0; p < watch->model->parts.n; p++) {
        sigma = k < watch->most[p] ? trm_lesser(d->sigma[p], sigma) : sigma;
    }
    return sigma;
}

void trm_watch_expect(trm_watch *watch, const trm_rank *rank)
{
    watch->nfollowed = 1;
    for (int p = 0; p < watch->model->parts.n; p++) {
        const int rows = rank ? trm_rank_rows(rank, p) : 0, held = rank ? rank->part[p].rank : 0;
        const int wanted = rows - held + 1 < TRM_FOLLOWED ? rows - held + 1 : TRM_FOLLOWED;
        watch->most[p] = held <= 1 || rows == held ? 1 : wanted < held ? wanted : held;
        watch->nfollowed = watch->most[p] > watch->nfollowed ? watch->most[p] : watch->nfollowed;
    }
}

/// One direction by itself.
static void find(trm_watch *watch, trm_run *run, double t, const trm_direction *from,
                 trm_direction *to)
{
    trm_directions_find(run->system, &watch->model->parts, t, 1, &from, &from, watch->x, &to);
}

static void any_direction(const trm_run *run, int k, trm_direction *d)
{
    for (int i = 0; i < run->system->nc; i++) {
        d->w[i] = cos(1.0 + i + 2.0 * k * i); // any
    }
}

void trm_watch_forget(trm_watch *watch)
{
    for (int k = 0; k < TRM_FOLLOWED; k++) {
        memset(watch->followed[k].sigma_max, 0, (size_t)watch->model->parts.n * sizeof(double));
    }
}

void trm_watch_learn(trm_watch *watch, trm_run *run, double t)
{
    trm_followed *f = &watch->followed[0];
    any_direction(run, 0, &watch->probe);
    find(watch, run, t, &watch->probe, &watch->probe);
    for (int p = 0; p < watch->model->parts.n; p++) {
        f->sigma_max[p] = trm_larger(watch->probe.sigma[p], f->sigma_max[p]);
    }
}

double trm_watch_sigma(trm_watch *watch, trm_run *run, double t)
{
    double sigma = 1;
    for (int k = 0; k < watch->nfollowed; k++) {
        find(watch, run, t, &watch->followed[k].now, &watch->probe);
        sigma = trm_lesser(least_of(watch, k, &watch->probe), sigma);
    }
    return sigma;
}

/// The run's weakest row at the point seen last, for messages.
static void tell_weakest(const trm_watch *watch, trm_run *run)
{
    run->weak_sigma = watch->sigma;
    run->weak_row = -1;
    double most = 0;
    const trm_parts *parts = &watch->model->parts;
    for (int k = 0; watch->sigma < TRM_NEAR && k < watch->nfollowed; k++) {
        const trm_direction *d = &watch->followed[k].now;
        for (int i = 0; i < run->system->nc; i++) {
            const int row = parts->row[i];
            if (d->sigma[parts->of_row[row]] == watch->sigma && d->w[i] * d->Dw[i] > most) {
                most = d->w[i] * d->Dw[i];
                run->weak_row = row;
            }
        }
    }
}

static void note_sigma(trm_watch *watch, trm_run *run)
{
    watch->sigma = 1;
    run->row_size = 1;
    for (int k = 0; k < watch->nfollowed; k++) {
        trm_followed *f = &watch->followed[k];
        watch->sigma = trm_lesser(least_of(watch, k, &f->now), watch->sigma);
        for (int p = 0; p < watch->model->parts.n; p++) {
            f->sigma_max[p] = trm_larger(f->now.sigma[p], f->sigma_max[p]);
            run->row_size =
                k < watch->most[p] ? trm_lesser(f->sigma_max[p], run->row_size) : run->row_size;
        }
    }
    if (watch->sigma < watch->sigma_min) {
        watch->sigma_min = watch->sigma;
        watch->t_sigma_min = run->now.t;
    }
    tell_weakest(watch, run);
}

int trm_watch_is_blind(const trm_watch *watch, int p)
{
    return watch->followed[0].sigma_max[p] < trm_direction_blind();
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

void trm_watch_damp_start(const trm_watch *watch, trm_run *run)
{
    const double *const sigma = watch->followed[0].sigma_max;
    double rate = 1;
    for (int p = 0; p < watch->model->parts.n; p++) {
        rate = lesser_seen(sigma[p] * sigma[p], rate);
    }
    set_damping(run, rate);
}

/// delta of the next step: near a singular position that bars let pass only beside, a part of the
/// least sigma^2 there, which must not be damped, where that is more than pivots are known to; of
/// sigma^2 itself where it is small without such a position.
static void choose_damping(trm_watch *watch, trm_run *run)
{
    double rate = 1;
    for (int k = 0; k < watch->nfollowed; k++) {
        trm_followed *f = &watch->followed[k];
        for (int p = 0; p < watch->model->parts.n; p++) {
            double least = f->now.sigma[p] * f->now.sigma[p];
            if (trm_turns_near(f, p)) {
                trm_lost_find(watch->record.lost, run->system, &watch->model->parts, p,
                              TRM_NEAR * f->sigma_max[p]);
                const double beside =
                    trm_passing_least_beside(watch, f, run, p, &f->now, run->now.z);
                least = beside < 0 ? least : beside;
                if (beside > 0) {
                    trm_watch_meets(run, beside);
                }
            }
            rate = lesser_seen(least, rate);
        }
    }
    set_damping(run, rate);
}

// ------------------------------------------------------------------------------------------- steps

/// How far the bodies of each part move in the last step, the faster of its ends.
static void measure_way(trm_watch *watch, const trm_run *run)
{
    const int nq = run->system->nq;
    const double h = run->now.t - run->before.t;
    memset(watch->way, 0, (size_t)watch->model->parts.n * sizeof(double));
    for (int i = 0; i < run->system->nv; i++) {
        const int p = watch->model->parts.of_velocity[i];
        const double v = trm_larger(fabs(run->before.z[nq + i]), fabs(run->now.z[nq + i]));
        if (p >= 0) {
            watch->way[p] = trm_larger(h * v / run->extent.v[i], watch->way[p]);
        }
    }
}

void trm_watch_update(trm_watch *watch, trm_run *run)
{
    if (!watch->active) {
        return;
    }
    if (run->unfactored && trm_system_factor(run->system, TRM_METRIC_MASS)) {
        return;
    }
    measure_way(watch, run);
    memset(watch->open, 0, (size_t)watch->model->parts.n * sizeof(int));
    trm_pieces_look(watch, run);
    note_sigma(watch, run);
    trm_watch_foresee(watch, run);
    choose_damping(watch, run);
    trm_pieces_follow(watch, run);
    watch->balance_before = watch->balance;
    watch->gap_before = watch->gap;
}

void trm_watch_shifted(trm_watch *watch, trm_run *run)
{
    if (watch->active) {
        trm_pieces_look(watch, run);
        note_sigma(watch, run);
        trm_pieces_remember(watch, 1);
        watch->balance_before = watch->balance;
    }
}

void trm_watch_renew(trm_watch *watch, trm_run *run, int singular)
{
    for (int k = 0; k < watch->nfollowed; k++) {
        memset(watch->followed[k].number, 0, (size_t)watch->model->parts.n * sizeof(long));
        memset(watch->followed[k].inside, 0, (size_t)watch->model->parts.n * sizeof(int));
        memset(watch->followed[k].turned, 0, (size_t)watch->model->parts.n * sizeof(int));
        memset(watch->followed[k].aside, 0, (size_t)watch->model->parts.n * sizeof(int));
        any_direction(run, k, &watch->followed[k].now);
        if (k > 0) {
            memcpy(watch->followed[k].sigma_max, watch->followed[0].sigma_max,
                   (size_t)watch->model->parts.n * sizeof(double));
        }
    }
    trm_pieces_look(watch, run);
    note_sigma(watch, run);
    watch->balance_before = watch->balance;
    for (int k = 0; k < watch->nfollowed && singular; k++) {
        trm_passing_start(watch, &watch->followed[k], run);
    }
    trm_pieces_remember(watch, 1);
}

void trm_watch_start(trm_watch *watch, trm_run *run, int singular)
{
    trm_record_start(&watch->record);
    watch->sigma_min = 1;
    watch->sigma = 1;
    watch->t_sigma_min = run->now.t;
    watch->gap = watch->gap_before = 0;
    run->weak_row = -1;
    run->weak_sigma = 1;
    run->t_singular = INFINITY;
    if (!watch->active) {
        return;
    }
    trm_watch_renew(watch, run, singular);
}
