/// A recommendation for an accuracy a: of all pairs of integrator and stabilization with
/// a row whose error is at most a, the one whose row takes the least CPU time. Where
/// several take the same time as far as one can tell, the one that keeps the constraints,
/// or else is the engine's own choice.
#include "tools/compare/advice.h"

#include "tools/compare/forces.h"
#include "tools/compare/form.h"
#include "tools/compare/reference.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const double trm_levels[TRM_LEVELS] = {1e-4, 1e-6, 1e-9};
static const double wrong = 0.1; // relative error of a motion that is another one

/// Reached the end, on one assembly branch, with an error that means something.
static int counts(const trm_comparison *c, const trm_compare_row *row)
{
    return row->status == TRM_ROW_DONE && isfinite(row->error.relative) &&
           !(row->facts.first_branch_change <= c->reference.t_agree);
}

int trm_row_was_run(const trm_compare_row *row)
{
    return row->status != TRM_ROW_WAITING && row->status != TRM_ROW_INTERRUPTED &&
           row->status != TRM_ROW_SKIPPED;
}

int trm_row_is_bad(const trm_comparison *c, const trm_compare_row *row)
{
    switch (row->status) {
    case TRM_ROW_DONE:
        return !counts(c, row) || row->error.relative > wrong ||
               trm_forces_relative(c, row) > wrong;
    case TRM_ROW_FAILED:
    case TRM_ROW_OVER_BUDGET:
    case TRM_ROW_CRASHED:
        return 1;
    default:
        return 0;
    }
}

const char *trm_seconds_text(double seconds, char out[24])
{
    if (!(seconds >= 0)) {
        snprintf(out, 24, "-");
    } else if (seconds < 0.9995e-3) { // three digits do not round up to 1000
        snprintf(out, 24, "%.3g us", 1e6 * seconds);
    } else if (seconds < 0.9995) {
        snprintf(out, 24, "%.3g ms", 1e3 * seconds);
    } else {
        snprintf(out, 24, "%.3g s", seconds);
    }
    return out;
}

const char *trm_accuracy_text(double accuracy, char out[24])
{
    snprintf(out, 24, "1e%.0f", log10(accuracy));
    return out;
}

/// Appends to a text of fixed size.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void
say(char *out, size_t size, const char *format, ...)
{
    const size_t used = strlen(out);
    va_list args;
    va_start(args, format);
    vsnprintf(out + used, size - used, format, args);
    va_end(args);
}

// -------------------------------------------------------------------------------- Pareto front

/// Errors that differ by less than this factor are the same.
static const double same_error = 1.1;

/// What cannot be resolved is not better than what can.
static double known_error(const trm_comparison *c, const trm_compare_row *row)
{
    const double floor = c->reference.agreement;
    return isfinite(floor) ? fmax(row->error.relative, floor) : row->error.relative;
}

static int is_right(const trm_comparison *c, const trm_compare_row *row)
{
    return row->status == TRM_ROW_DONE && !row->recorded && !trm_row_is_bad(c, row);
}

static void mark_front(trm_comparison *c)
{
    for (int i = 0; i < c->nrows; i++) {
        trm_compare_row *const row = &c->rows[i];
        row->pareto = is_right(c, row);
        for (int j = 0; j < c->nrows && row->pareto; j++) {
            const trm_compare_row *const other = &c->rows[j];
            const double e = known_error(c, row), e2 = known_error(c, other);
            row->pareto = j == i || !is_right(c, other) || e2 > same_error * e ||
                          other->cpu > row->cpu || (other->cpu >= row->cpu && j > i);
        }
    }
}

// ----------------------------------------------------------------------------- recommendations

/// Even if the reference is off by as much as its two runs are apart.
static int reaches(const trm_comparison *c, const trm_compare_row *row, double accuracy)
{
    const double doubt = isfinite(c->reference.agreement) ? c->reference.agreement : 0;
    return counts(c, row) && row->error.relative + doubt <= accuracy && isfinite(row->cpu) &&
           trm_forces_fit(c, row, accuracy);
}

int trm_fastest_row(const trm_comparison *c, const char *stabilization, double accuracy)
{
    int best = -1;
    for (int i = 0; i < c->nrows; i++) {
        const trm_compare_row *const row = &c->rows[i];
        const int asked =
            stabilization == NULL || strcmp(row->method->stabilization_name, stabilization) == 0;
        if (asked && reaches(c, row, accuracy) && (best < 0 || row->cpu < c->rows[best].cpu)) {
            best = i;
        }
    }
    return best;
}

static int fastest_of_pair(const trm_comparison *c, int pair, double accuracy)
{
    int best = -1;
    for (int i = 0; i < c->nrows; i++) {
        const trm_compare_row *const row = &c->rows[i];
        if (row->pair == pair && reaches(c, row, accuracy) &&
            (best < 0 || row->cpu < c->rows[best].cpu)) {
            best = i;
        }
    }
    return best;
}

static int bad_rows_of_pair(const trm_comparison *c, int pair)
{
    int n = 0;
    for (int i = 0; i < c->nrows; i++) {
        n += c->rows[i].pair == pair && trm_row_is_bad(c, &c->rows[i]);
    }
    return n;
}

/// Whether the constraints hold much better than the motion is exact.
static int keeps(const trm_comparison *c, const trm_compare_row *row, double accuracy)
{
    const trm_distance *const scale = &c->reference.scale;
    const double size = scale->position > 0 ? scale->position : 1;
    return row->facts.position_drift <= accuracy / 100 * size;
}

static int is_default(const trm_comparison *c, const trm_compare_row *row)
{
    trm_options o;
    return trm_choose_options(c->model, 1e-6, &o, NULL, NULL) == TRM_OK &&
           trm_form_of(c, row->method) == NULL && row->method->integrator == o.integrator &&
           row->method->stabilization == o.stabilization;
}

/// Among rows that are equally fast: the one that keeps the constraints, then the method that
/// `trammel run` takes by itself, then the pair with the fewest failures, then the faster one.
static int preferable(const trm_comparison *c, int row, int than, double accuracy)
{
    const trm_compare_row *const a = &c->rows[row], *const b = &c->rows[than];
    const int a_keeps = keeps(c, a, accuracy), b_keeps = keeps(c, b, accuracy);
    const int a_default = is_default(c, a), b_default = is_default(c, b);
    const int a_bad = bad_rows_of_pair(c, a->pair), b_bad = bad_rows_of_pair(c, b->pair);
    return a_keeps != b_keeps       ? a_keeps
           : a_default != b_default ? a_default
           : a_bad != b_bad         ? a_bad < b_bad
                                    : a->cpu < b->cpu;
}

/// Whether two times cannot be told apart.
static int same_time(const trm_comparison *c, double a, double b)
{
    return fmax(a, b) <= fmin(a, b) * (1 + c->noise);
}

static void choose_row(const trm_comparison *c, trm_advice *a)
{
    const int fastest = trm_fastest_row(c, NULL, a->accuracy);
    a->row = fastest;
    a->runner_up = -1;
    for (int p = 0; p < c->npairs && fastest >= 0; p++) {
        const int row = fastest_of_pair(c, p, a->accuracy);
        if (row < 0) {
            continue;
        }
        if (same_time(c, c->rows[row].cpu, c->rows[fastest].cpu)) {
            a->within_noise++;
            a->row = row != fastest && preferable(c, row, a->row, a->accuracy) ? row : a->row;
        } else if (a->runner_up < 0 || c->rows[row].cpu < c->rows[a->runner_up].cpu) {
            a->runner_up = row;
        }
    }
    a->within_noise -= a->within_noise > 0; // the row itself
    a->factor = a->runner_up >= 0 ? c->rows[a->runner_up].cpu / c->rows[a->row].cpu : NAN;
}

static void say_equals(const trm_comparison *c, trm_advice *a)
{
    enum { NAMED = 4 };
    char *const out = a->sentence;
    int named = 0;
    for (int p = 0; p < c->npairs && a->within_noise > 0; p++) {
        const int row = fastest_of_pair(c, p, a->accuracy);
        if (row < 0 || p == c->rows[a->row].pair ||
            !same_time(c, c->rows[row].cpu, c->rows[trm_fastest_row(c, NULL, a->accuracy)].cpu)) {
            continue;
        }
        if (named < NAMED) {
            say(out, sizeof a->sentence, "%s%s+%s",
                named > 0 ? ", " : "; as fast within the noise: ",
                c->rows[row].method->integrator_name, c->rows[row].method->stabilization_name);
        }
        named++;
    }
    if (named > NAMED) {
        say(out, sizeof a->sentence, " and %d more", named - NAMED);
    }
}

/// The stabilizations without a row that is exact enough.
static void say_out_of_reach(const trm_comparison *c, trm_advice *a)
{
    int named = 0;
    const char *before[64];
    for (int i = 0; i < c->nrows; i++) {
        const char *const name = c->rows[i].method->stabilization_name;
        int seen = 0;
        for (int k = 0; k < named; k++) {
            seen |= strcmp(before[k], name) == 0;
        }
        if (!seen && !c->rows[i].recorded && named < 64 &&
            trm_fastest_row(c, name, a->accuracy) < 0) {
            say(a->sentence, sizeof a->sentence, "%s%s", named > 0 ? ", " : "; not reached by ",
                name);
            before[named++] = name;
        }
    }
}

/// A fast row may leave the constraints to drift: plain does, and Baumgarte's method a little.
static void say_drift(const trm_comparison *c, trm_advice *a)
{
    const trm_compare_row *const row = &c->rows[a->row];
    if (row->method->stabilization == TRM_STABILIZATION_PLAIN && trm_model_sizes(c->model).nc > 0) {
        say(a->sentence, sizeof a->sentence,
            " (its constraints come apart, by %.1g here, and by more the longer it runs)",
            row->facts.position_drift);
    }
}

/// As one types it, --set, --end and --assemble as for the comparison.
static void say_how_to_run(const trm_comparison *c, trm_advice *a)
{
    const trm_compare_row *const row = &c->rows[a->row];
    const trm_arguments *const given = &c->arguments;
    const size_t size = sizeof a->run;
    const char *const quote = strpbrk(given->scene, " *()") != NULL ? "'" : "";
    const trm_form *const form = trm_form_of(c, row->method);
    say(a->run, size, "trammel run %s%s%s --integrator %s --method %s%s --%s %.6g", quote,
        given->scene, quote, row->method->integrator_name,
        form != NULL ? form->base->stabilization_name : row->method->stabilization_name,
        form != NULL ? form->options : "", row->method->adaptive ? "rtol" : "step", row->setting);
    if (given->load != NULL) {
        say(a->run, size, " --load %s", given->load);
    }
    for (int i = 0; i < given->nset; i++) {
        say(a->run, size, strpbrk(given->set[i], " *()") ? " --set '%s'" : " --set %s",
            given->set[i]);
    }
    if (given->given & TRM_GIVEN_END) {
        say(a->run, size, " --end %g", given->end);
    }
    if (given->assemble && !trm_scene_simulation(c->scene).assemble) {
        say(a->run, size, " --assemble");
    }
}

static void advise(const trm_comparison *c, trm_advice *a)
{
    char time[24], goal[24];
    const size_t size = sizeof a->sentence;
    trm_accuracy_text(a->accuracy, goal);
    choose_row(c, a);
    if (trm_nothing_moves(&c->reference)) {
        a->row = a->runner_up = -1;
        say(a->sentence, size, "For an error of %s: nothing moves.", goal);
        return;
    }
    const int floor_known = isfinite(c->reference.agreement);
    if (floor_known && c->reference.agreement > a->accuracy / 2) {
        a->row = a->runner_up = -1;
        say(a->sentence, size,
            "For an error of %s: the reference is known to %.1g only, so this cannot be told.",
            goal, c->reference.agreement);
        return;
    }
    if (a->row < 0) {
        say(a->sentence, size, "For an error of %s: no row is that exact.", goal);
        return;
    }
    const trm_compare_row *const row = &c->rows[a->row];
    say(a->sentence, size, "For an error of %s: %s with %s, %s %.6g: %s of CPU, error %.2g", goal,
        row->method->integrator_name, row->method->stabilization_name,
        row->method->adaptive ? "rtol" : "h", row->setting, trm_seconds_text(row->cpu, time),
        row->error.relative);
    say_drift(c, a);
    say_equals(c, a);
    if (a->runner_up >= 0) {
        const trm_compare_row *const next = &c->rows[a->runner_up];
        const int about = a->factor < 1.15; // of the row chosen, which need not be the very fastest
        say(a->sentence, size, about ? "; next, about as long: %s" : "; next: %s", next->id);
        if (!about) {
            say(a->sentence, size, ", %.2g times as long", a->factor);
        }
    }
    say_out_of_reach(c, a);
    say(a->sentence, size, ".");
    say_how_to_run(c, a);
}

// ------------------------------------------------------------------------------------- warnings

/// What went wrong in the rows of one stabilization, counted.
typedef struct troubles {
    int rows, stopped, late, crashed, wrong, branch, forces;
    const trm_compare_row *first; // that stopped earliest
    double worst;                 // error of rows that are wrong
} troubles;

static void count(const trm_comparison *c, const trm_compare_row *row, troubles *t)
{
    t->rows += trm_row_was_run(row);
    t->late += row->status == TRM_ROW_OVER_BUDGET;
    t->crashed += row->status == TRM_ROW_CRASHED;
    if (row->status == TRM_ROW_FAILED) {
        t->stopped++;
        if (t->first == NULL || row->facts.t_failed < t->first->facts.t_failed) {
            t->first = row;
        }
    } else if (row->status == TRM_ROW_DONE && trm_row_is_bad(c, row)) {
        const int moves = counts(c, row) && row->error.relative <= wrong;
        t->forces += moves;
        t->wrong += !moves;
        t->branch += row->facts.branch_changes > 0;
        t->worst = fmax(t->worst, row->error.relative);
    }
}

/// "baumgarte, 21 of 28 rows: 15 go another way (8 on another assembly branch), off by up to 39
/// times the size of the motion; 6 stop, the first (rk4 h 0.01) at t = 3.17 s: ..."
static void say_troubles(const troubles *t, trm_warning *w)
{
    char *const out = w->sentence;
    const size_t size = sizeof w->sentence;
    const char *separator = ": ";
    say(out, size, "%s, %d of %d rows", w->stabilization, w->bad, w->rows);
    if (t->wrong > 0) {
        say(out, size, "%s%d %s another way", separator, t->wrong, t->wrong > 1 ? "go" : "goes");
        if (t->branch > 0) {
            say(out, size, " (%d on another assembly branch)", t->branch);
        }
        say(out, size, ", off by up to %.2g times the size of the motion", t->worst);
        separator = "; ";
    }
    if (t->forces > 0) {
        say(out, size, "%s%d with the right motion and wrong forces", separator, t->forces);
        separator = "; ";
    }
    if (t->late > 0) {
        say(out, size, "%s%d over the budget of time", separator, t->late);
        separator = "; ";
    }
    if (t->crashed > 0) {
        say(out, size, "%s%d crashed", separator, t->crashed);
        separator = "; ";
    }
    if (t->stopped > 0) {
        const trm_row_facts *const f = &t->first->facts;
        say(out, size, "%s%d stopped, %s first, at t = %.4g s: %s", separator, t->stopped,
            t->first->id, f->t_failed, f->reason);
    }
    const size_t n = strlen(out);
    say(out, size, "%s", n > 0 && out[n - 1] == '.' ? "" : ".");
}

/// With the same parameters.
static int same_stabilization(const trm_compare_row *a, const trm_compare_row *b)
{
    return strcmp(a->method->stabilization_name, b->method->stabilization_name) == 0;
}

/// Whether this row is the first of its stabilization.
static int opens_stabilization(const trm_comparison *c, int row)
{
    for (int i = 0; i < row; i++) {
        if (same_stabilization(&c->rows[i], &c->rows[row])) {
            return 0;
        }
    }
    return 1;
}

static void warn(trm_comparison *c)
{
    for (int i = 0; i < c->nrows; i++) {
        troubles t = {0};
        if (!opens_stabilization(c, i)) {
            continue;
        }
        for (int k = i; k < c->nrows; k++) {
            if (same_stabilization(&c->rows[k], &c->rows[i])) {
                count(c, &c->rows[k], &t);
            }
        }
        const int bad = t.stopped + t.wrong + t.late + t.crashed + t.forces;
        if (bad > 0) {
            trm_warning *const w = &c->warnings[c->nwarnings++];
            *w = (trm_warning){.stabilization = c->rows[i].method->stabilization_name,
                               .rows = t.rows,
                               .bad = bad,
                               .t = t.first != NULL ? t.first->facts.t_failed : NAN};
            say_troubles(&t, w);
        }
    }
}

trm_status trm_compare_advise(trm_comparison *c, trm_error *err)
{
    c->warnings = calloc((size_t)c->nrows + 1, sizeof *c->warnings);
    if (c->warnings == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    mark_front(c);
    for (int i = 0; i < TRM_LEVELS; i++) {
        c->advice[i] = (trm_advice){.accuracy = trm_levels[i], .row = -1, .runner_up = -1};
        advise(c, &c->advice[i]);
    }
    warn(c);
    return TRM_OK;
}
