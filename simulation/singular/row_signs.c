#include "simulation/singular/row_signs.h"
#include "base/loops.h"
#include "base/rank_numbers.h"

#include <float.h>
#include <math.h>

int trm_turns_near(const trm_followed *f, int p)
{
    return f->now.sigma[p] < TRM_NEAR * f->sigma_max[p];
}

int trm_turns_of_the_gap(const trm_watch *watch, const trm_followed *f, int p, double sigma)
{
    const double gap = trm_larger(watch->gap, watch->gap_before), size = f->sigma_max[p];
    return sigma * sigma < TRM_GAPS * gap * size * size;
}

/// Whether the gap of the joints explains that part p turns: open by e, the run may turn from one
/// motion to the other where sigma^2 is some e, step by step. Where rows are redundant, those that
/// are null everywhere are opened by e as well, and tell nothing. With a gap above 1/TRM_GAPS this
/// holds in every position and says nothing more; the constraints are POOR then.
static int is_open(const trm_watch *watch, const trm_followed *f, int p)
{
    return watch->nfollowed == 1 && TRM_GAPS * trm_larger(watch->gap, watch->gap_before) < 1 &&
           trm_turns_of_the_gap(watch, f, p, trm_lesser(f->seen.sigma[p], f->now.sigma[p]));
}

/// Whether a direction of part p is not seen at one of the last two points, and says nothing.
static int says_nothing(const trm_followed *f, int p)
{
    return f->seen.sigma[p] < trm_direction_blind() ||
           (trm_turns_near(f, p) && f->now.sigma[p] < trm_direction_blind());
}

/// How far the bodies of part p have moved since `seen`.
static double way_since(const trm_watch *watch, const trm_run *run, const trm_followed *f, int p)
{
    const double h = run->now.t - run->before.t;
    return watch->way[p] * (f->now.t[p] - f->seen.t[p]) / trm_larger(h, DBL_MIN);
}

int trm_turns_may_have_vanished(const trm_watch *watch, const trm_run *run, const trm_followed *f,
                                int p)
{
    return watch->open[p] ||
           f->seen.sigma[p] + f->now.sigma[p] < TRM_REACH * way_since(watch, run, f, p);
}

static double cosine_of(const trm_watch *watch, const trm_followed *f, int p)
{
    return trm_direction_cosine(&watch->model->parts, p, &f->seen, &f->now);
}

/// Whether a row of part p is the same, or its opposite, at both points. Two motions meet at any
/// angle, in the metric of M; where the position is open between them, a row that has not gone over
/// turns no more than the bodies: hardly at all.
static int is_alike(const trm_watch *watch, const trm_followed *f, int p)
{
    return fabs(cosine_of(watch, f, p)) >= (watch->open[p] ? 1 - TRM_NEAR : TRM_ALIKE);
}

/// Whether a piece of the last step is short enough for its ends to tell: rows of part p turn by a
/// rad at most; or there are eight such pieces.
static int is_short(const trm_watch *watch, const trm_run *run, int p, double piece)
{
    const double part = piece / (run->now.t - run->before.t);
    return TRM_REACH * watch->way[p] * part <= 1 || part <= 0.125;
}

/// Whether the last two points tell what a direction of part p does between them.
static int tells(const trm_watch *watch, const trm_run *run, const trm_followed *f, int p)
{
    return says_nothing(f, p) || !trm_turns_may_have_vanished(watch, run, f, p) ||
           (is_alike(watch, f, p) &&
            (watch->open[p] || is_short(watch, run, p, f->now.t[p] - f->seen.t[p])));
}

int trm_turns_tell(const trm_watch *watch, const trm_run *run)
{
    int all = 1;
    for (int p = 0; p < watch->model->parts.n; p++) {
        all &= !(watch->doubt[p] && watch->other[p]);
        for (int k = 0; k < watch->most[p] && watch->doubt[p] && all; k++) {
            all = tells(watch, run, &watch->followed[k], p);
        }
    }
    return all;
}

trm_turning trm_turns_of(const trm_watch *watch, const trm_run *run, const trm_followed *f, int p)
{
    if (says_nothing(f, p) || !trm_turns_may_have_vanished(watch, run, f, p)) {
        return TRM_KEPT;
    }
    if (!is_alike(watch, f, p)) {
        // far from where motions meet, two directions have changed their order instead
        const double gap = trm_larger(watch->gap, watch->gap_before);
        const double size = f->sigma_max[p], at = f->seen.sigma[p] * f->now.sigma[p];
        const int meet = !watch->open[p] || at < TRM_TANGENT * gap * size * size;
        return meet ? TRM_ASIDE : TRM_KEPT;
    }
    return cosine_of(watch, f, p) > 0 ? TRM_KEPT : TRM_OVER;
}

int trm_turns_doubts(trm_watch *watch, const trm_run *run, int *open)
{
    int doubts = 0;
    *open = 0;
    for (int p = 0; p < watch->model->parts.n; p++) {
        watch->open[p] = 0;
        watch->doubt[p] = watch->other[p];
        for (int k = 0; k < watch->most[p]; k++) {
            const trm_followed *f = &watch->followed[k];
            watch->open[p] |= is_open(watch, f, p);
            watch->doubt[p] |= !says_nothing(f, p) && (watch->open[p] || !tells(watch, run, f, p));
        }
        *open |= watch->open[p] && watch->doubt[p];
        doubts += watch->doubt[p];
    }
    return doubts;
}

double trm_turns_piece(const trm_watch *watch, const trm_run *run)
{
    double piece = run->now.t - run->before.t;
    for (int p = 0; p < watch->model->parts.n; p++) {
        for (int k = 0; k < 3 && watch->doubt[p] && !watch->open[p]; k++) {
            piece /= is_short(watch, run, p, piece) ? 1 : 2;
        }
    }
    return piece;
}
