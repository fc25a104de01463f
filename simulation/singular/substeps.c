#include "simulation/singular/substeps.h"
#include "base/loops.h"
#include "base/rank_numbers.h"
#include "simulation/singular/crossing.h"
#include "simulation/singular/row_signs.h"
#include "simulation/singular/step_interior.h"

#include <math.h>
#include <string.h>

/// What is seen of part p counts as seen before, where its direction is known.
static void remember(const trm_watch *watch, trm_followed *f, int p, int always)
{
    if (always || f->now.sigma[p] >= trm_direction_blind() ||
        f->seen.sigma[p] < trm_direction_blind()) {
        trm_direction_copy(&watch->model->parts, p, &f->now, &f->seen);
    }
}

void trm_pieces_remember(trm_watch *watch, int always)
{
    for (int k = 0; k < watch->nfollowed; k++) {
        for (int p = 0; p < watch->model->parts.n; p++) {
            remember(watch, &watch->followed[k], p, always);
        }
    }
}

/// Whether the direction of part p is not its smallest: d_i = w^T A w of w = L^-T e_i, |w| >= 1, so
/// that no sigma^2 is the smallest that exceeds a pivot d_i by more than it is known to. That w is
/// put in its place.
static int is_another(const trm_watch *watch, const trm_system *system, int p, trm_direction *d,
                      double *column)
{
    const trm_solver *solver = &system->solver;
    const trm_parts *parts = &watch->model->parts;
    const int first = parts->first_row[p], end = parts->first_row[p + 1];
    double least = d->sigma[p] * d->sigma[p] / (1 + TRM_SETTLED);
    int where = -1;
    for (int i = first; i < end; i++) {
        const int place = solver->pattern->place_of[parts->row[i]];
        const double d_i = solver->pivot[place] / solver->D[place];
        where = d_i < least ? place : where;
        least = trm_lesser(d_i, least);
    }
    if (where >= 0) {
        trm_solver_column(solver, where, column);
        for (int i = first; i < end; i++) {
            d->w[i] = column[parts->row[i]];
        }
    }
    return where >= 0;
}

/// What part p does is told from its direction at the last point on.
static void follow_from_here(trm_watch *watch, int p)
{
    trm_followed *f = &watch->followed[0];
    const double t = f->seen.t[p];
    trm_direction_copy(&watch->model->parts, p, &f->now, &f->seen);
    f->seen.t[p] = t;
    watch->other[p] = 0;
}

/// One direction of a part is carried along, which is its smallest while directions do not change
/// their order: inverse iteration alone finds a new smallest one, which the old one has nothing of,
/// when it has vanished and is behind. Where they have, the smallest is followed from here on, if
/// none can have vanished since the point before; else watch->other says so.
static void renew(trm_watch *watch, trm_run *run)
{
    const trm_parts *parts = &watch->model->parts;
    trm_followed *f = &watch->followed[0];
    trm_direction *now = &f->now;
    const trm_direction *from = now;
    int any = 0;
    for (int p = 0; p < parts->n; p++) {
        watch->other[p] = is_another(watch, run->system, p, now, watch->x);
        any |= watch->other[p];
    }
    if (any) {
        trm_directions_find(run->system, parts, now->t[0], 1, &from, &from, watch->x, &now);
    }
    for (int p = 0; p < parts->n && any; p++) {
        if (watch->other[p] && !trm_turns_may_have_vanished(watch, run, f, p)) {
            follow_from_here(watch, p);
        }
    }
}

/// All directions at the last point, (t, watch->place), the system's current one, factored, from
/// those before or, `again`, from what is known of this one.
static void look(trm_watch *watch, trm_run *run, double t, int again)
{
    trm_direction *now[TRM_FOLLOWED];
    const trm_direction *from[TRM_FOLLOWED], *seen[TRM_FOLLOWED];
    for (int k = 0; k < watch->nfollowed; k++) {
        now[k] = &watch->followed[k].now;
        seen[k] = &watch->followed[k].seen;
        from[k] = again ? now[k] : seen[k];
    }
    watch->t = t;
    trm_directions_find(run->system, &watch->model->parts, t, watch->nfollowed, from, seen,
                        watch->x, now);
    memset(watch->other, 0, (size_t)watch->model->parts.n * sizeof(int));
    if (watch->nfollowed == 1 && t > run->before.t) {
        renew(watch, run);
    }
}

/// The last point is run->now, the system's current one, factored.
void trm_pieces_look(trm_watch *watch, trm_run *run)
{
    memcpy(watch->place, run->now.z, (size_t)run->n * sizeof(double));
    look(watch, run, run->now.t, 1);
}

/// One direction of part p; `moved`: the system is not at the last point. Returns nonzero where it
/// then is not.
static int follow_one(trm_watch *watch, trm_followed *f, trm_run *run, int p, int moved)
{
    if (moved && trm_turns_near(f, p)) {
        trm_passing_restore(watch, run);
        moved = 0;
    }
    moved |= trm_passing_follow(watch, f, run, p);
    remember(watch, f, p, 0);
    return moved;
}

/// Those that are near a singular position first: others that have passed it as well are known by
/// when that was.
static int follow_part(trm_watch *watch, trm_run *run, int p, int moved)
{
    int was[TRM_FOLLOWED];
    for (int k = 0; k < watch->most[p]; k++) {
        was[k] = watch->followed[k].inside[p];
        moved = was[k] ? follow_one(watch, &watch->followed[k], run, p, moved) : moved;
    }
    for (int k = 0; k < watch->most[p]; k++) {
        moved = was[k] ? moved : follow_one(watch, &watch->followed[k], run, p, moved);
    }
    return moved;
}

/// The parts in doubt, or those that are not, between the last two points, the system at the last.
/// Returns nonzero where it is not there any more.
static int follow_parts(trm_watch *watch, trm_run *run, int doubt, int moved)
{
    for (int p = 0; p < watch->model->parts.n; p++) {
        if (doubt && watch->other[p]) {
            follow_from_here(watch, p);
        }
        moved = watch->doubt[p] == doubt ? follow_part(watch, run, p, moved) : moved;
    }
    return moved;
}

/// Of the parts in doubt, at the last point or, `before`, at that before.
static double least_sigma(const trm_watch *watch, int before)
{
    double least = INFINITY;
    for (int p = 0; p < watch->model->parts.n; p++) {
        for (int k = 0; k < watch->most[p] && watch->doubt[p]; k++) {
            const trm_followed *f = &watch->followed[k];
            least = trm_lesser(before ? f->seen.sigma[p] : f->now.sigma[p], least);
        }
    }
    return least;
}

/// The end of the last step, as it has been seen, becomes the last point, its signs those in which
/// directions go on. Returns 0 where they are others.
static int take_end(trm_watch *watch, const trm_run *run)
{
    const trm_parts *parts = &watch->model->parts;
    int same = 1;
    for (int p = 0; p < parts->n; p++) {
        for (int k = 0; k < watch->most[p]; k++) {
            trm_followed *f = &watch->followed[k];
            const double alike = trm_direction_overlap(parts, p, &f->seen, &f->end);
            trm_direction_copy(parts, p, &f->end, &f->now);
            if (alike < 0) {
                trm_direction_reverse(parts, p, &f->now);
            }
            same &= !watch->doubt[p] || fabs(alike) >= TRM_ALIKE;
        }
    }
    watch->t = run->now.t;
    memcpy(watch->place, run->now.z, (size_t)run->n * sizeof(double));
    return same;
}

/// t, inside the last step, becomes the last point, closed as far as directions need; as far as it
/// goes where the gap decides on which of two motions that meet it lies. Returns a system's code.
static int look_inside(trm_watch *watch, trm_run *run, double t, int open)
{
    enum { CLOSINGS = 2 }; // by Newton's method: what is left is the gap to the fourth power
    trm_system *system = run->system;
    trm_inside_position(watch, run, t, watch->place);
    int code = trm_system_position(system, t, watch->place);
    for (int k = 0; !code && k <= CLOSINGS; k++) {
        const double gap = trm_extents_gap(&run->extent, system->nc, system->g);
        const double enough = trm_inside_gap_allowed(watch, open ? 0 : least_sigma(watch, k == 0));
        if (gap > enough) {
            code = trm_inside_close(watch, run, t, watch->place, enough);
        } else if (k > 0) {
            break;
        }
        code = code ? code : trm_system_factor(system, TRM_METRIC_MASS);
        if (!code) {
            look(watch, run, t, 0);
        }
    }
    return code;
}

/// The end of the last step is kept as it has been seen. A step that is open is closed at its
/// beginning, too, and seen there: near to each other its ends may lie on two motions. Returns a
/// system's code.
static int begin(trm_watch *watch, trm_run *run, int open)
{
    const trm_parts *parts = &watch->model->parts;
    trm_inside_begin(watch, run);
    for (int k = 0; k < watch->nfollowed; k++) {
        for (int p = 0; p < parts->n; p++) {
            trm_direction_copy(parts, p, &watch->followed[k].now, &watch->followed[k].end);
        }
    }
    const int code = open ? look_inside(watch, run, run->before.t, open) : 0;
    for (int p = 0; p < parts->n && open && !code; p++) {
        for (int k = 0; k < watch->most[p] && watch->doubt[p]; k++) {
            remember(watch, &watch->followed[k], p, 1);
        }
    }
    return code;
}

/// The parts in doubt, followed from piece to piece of the last step, each at closed positions and
/// as short as it takes. Between two motions positions close to where these meet: directions are
/// blind there, and those before and behind are compared.
static void follow_pieces(trm_watch *watch, trm_run *run, int open)
{
    const double end = run->now.t, least = (end - run->before.t) * TRM_LEAST_PIECE;
    const double longest = trm_turns_piece(watch, run);
    double piece = longest, t = run->before.t;
    int code = begin(watch, run, open);
    for (int looks = 0; looks < TRM_MOST_LOOKS && t < end && !code; looks++) {
        const double next = t + piece > end - least ? end : t + piece;
        const int taken = next == end && !open && take_end(watch, run);
        code = taken ? 0 : look_inside(watch, run, next, open);
        const int told = !code && (piece <= least || trm_turns_tell(watch, run));
        if (told) {
            (void)follow_parts(watch, run, 1, taken);
            t = next;
        }
        piece = told ? trm_lesser(2 * piece, longest) : piece / 2;
    }
    memcpy(watch->place, run->now.z, (size_t)run->n * sizeof(double));
    watch->t = end;
    trm_passing_restore(watch, run);
    if (t < end) {
        look(watch, run, end, 0);
    }
    trm_pieces_remember(watch, 0);
}

void trm_pieces_follow(trm_watch *watch, trm_run *run)
{
    int open;
    watch->begun = 0;
    const int doubts = trm_turns_doubts(watch, run, &open);
    const int moved = follow_parts(watch, run, 0, 0);
    if (doubts > 0) {
        follow_pieces(watch, run, open);
    } else if (moved) {
        trm_passing_restore(watch, run);
    }
}
