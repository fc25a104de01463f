/// The reference is one of several runs at tight tolerance, by methods that keep the constraints in
/// different ways: the one of the two that agree longest and best. How far they are apart,
///
///     apart(k) = max over j <= k of the relative distance of the two runs at time t_j,
///
/// bounds what can be said of any row. It is good enough up to t_k as long as
///
///     apart(k) <= best(k)/100, but never above 1e-6, and always when it is below 1e-9,
///
/// best(k) being the error of the best row up to t_k: two digits beyond it.
#include "tools/compare/reference.h"

#include "tools/compare/error.h"
#include "tools/compare/forces.h"
#include "tools/compare/plan.h"
#include "tools/compare/row.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double limit_most = 1e-6, limit_least = 1e-9;
static const double patience = 6; // budgets that a run for the reference may take

typedef struct candidate {
    const trm_method *method;
    double setting;
    trm_states states;
} candidate;

typedef struct trial {
    trm_comparison *c;
    int wanted; // candidate 0 was asked for
    int n, started, failed;
    candidate candidate[TRM_CANDIDATES];
} trial;

// --------------------------------------------------------------------------------- running them

static int next(void *user)
{
    trial *const all = user;
    return all->started < all->n ? all->started++ : -1;
}

static void work(int job, FILE *out, void *user)
{
    const trial *const all = user;
    trm_states_work(all->c, all->candidate[job].method, all->candidate[job].setting, out);
}

static void done(int job, const trm_child_result *result, void *user)
{
    trial *const all = user;
    all->failed |= trm_states_read(all->c, result, &all->candidate[job].states) != 0;
}

static trm_status run_all(trial *all, trm_error *err)
{
    const trm_pool pool = {
        .width = all->c->jobs,
        .budget = patience * all->c->budget,
        .next = next,
        .work = work,
        .done = done,
        .user = all,
        .interrupted = all->c->stop,
    };
    if (trm_pool_run(&pool) != 0 || all->failed) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    return TRM_OK;
}

static const trm_method *pair(trm_integrator integrator, trm_stabilization stabilization)
{
    const trm_method *methods;
    const int n = trm_methods(&methods);
    for (int i = 0; i < n; i++) {
        if (methods[i].integrator == integrator && methods[i].stabilization == stabilization) {
            return &methods[i];
        }
    }
    return NULL;
}

void trm_reference_pilot(trm_comparison *c)
{
    const int free_motion = trm_model_sizes(c->model).nc == 0;
    const trm_method *const m = pair(
        TRM_INTEGRATOR_DOPRI5, free_motion ? TRM_STABILIZATION_PLAIN : TRM_STABILIZATION_S_BOTH2);
    trial one = {.c = c, .n = 1, .candidate = {{.method = m, .setting = 1e-6}}};
    run_all(&one, NULL);
    const trm_row_facts *const f = &one.candidate[0].states.facts;
    const double covered = f->status == TRM_OK ? c->end : f->t_failed;
    c->first_step =
        f->stats.steps > 0 && covered > 0 ? covered / (double)f->stats.steps : c->end / 1000;
    trm_states_destroy(&one.candidate[0].states);
}

/// So many steps that the most exact runs would take most of the time of a comparison.
static int is_long(const trm_comparison *c)
{
    return c->end / c->first_step > 5000;
}

/// As exact as double precision lets a method be, or nearly so.
static double tight(const trm_comparison *c, const trm_method *m)
{
    if (m->adaptive) {
        return m->integrator == TRM_INTEGRATOR_IDA || is_long(c) ? 1e-12 : 1e-13;
    }
    return trm_plan_step(c->end, c->first_step / (m->order >= 4 ? 30 : 300));
}

static void add(trial *all, const trm_method *m, double setting)
{
    for (int i = 0; i < all->n; i++) {
        if (all->candidate[i].method == m && all->candidate[i].setting == setting) {
            return;
        }
    }
    if (m != NULL && all->n < TRM_CANDIDATES) {
        all->candidate[all->n++] = (candidate){.method = m, .setting = setting};
    }
}

/// Index 1 with two kinds of correction, independent coordinates, and a form without second
/// derivatives of g: what they have in common is the model.
static void choose_candidates(trial *all, const trm_method *wanted)
{
    const trm_comparison *const c = all->c;
    const trm_sizes n = trm_model_sizes(c->model);
    const int tied = n.nc > 0;
    const trm_method *const first =
        pair(TRM_INTEGRATOR_DOP853, tied ? TRM_STABILIZATION_S_BOTH2 : TRM_STABILIZATION_PLAIN);
    const trm_method *const second =
        pair(TRM_INTEGRATOR_DOPRI5, tied ? TRM_STABILIZATION_PROJECTION : TRM_STABILIZATION_PLAIN);
    const trm_method *const third = pair(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_STATE_SPACE);
    const trm_method *const fourth = tied ? pair(TRM_INTEGRATOR_ADAMS, TRM_STABILIZATION_SRM)
                                          : pair(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN);
    if (wanted != NULL) {
        add(all, wanted, tight(c, wanted));
    }
    add(all, first, tight(c, first));
    add(all, second, tight(c, second));
    if (tied && n.nv <= 60 && !is_long(c)) { // its matrices are dense
        add(all, third, tight(c, third));
    }
    if (!is_long(c)) {
        add(all, fourth, tight(c, fourth));
    }
}

/// How many different methods reached the end.
static int arrived(const trial *all)
{
    int n = 0;
    for (int i = 0; i < all->n; i++) {
        const candidate *const a = &all->candidate[i];
        int seen = 0;
        for (int j = 0; j < i; j++) {
            const candidate *const b = &all->candidate[j];
            seen |= b->method == a->method && b->states.facts.nsamples == all->c->reference.n;
        }
        n += !seen && a->states.facts.nsamples == all->c->reference.n;
    }
    return n;
}

/// Near the limit of double precision a method may be unable to take its steps.
static void add_looser(trial *all)
{
    const int free_motion = trm_model_sizes(all->c->model).nc == 0;
    const trm_stabilization first =
        free_motion ? TRM_STABILIZATION_PLAIN : TRM_STABILIZATION_S_BOTH2;
    const trm_stabilization second =
        free_motion ? TRM_STABILIZATION_PLAIN : TRM_STABILIZATION_PROJECTION;
    add(all, pair(TRM_INTEGRATOR_DOP853, first), 1e-12);
    add(all, pair(TRM_INTEGRATOR_DOPRI5, second), 1e-12);
    add(all, pair(TRM_INTEGRATOR_DOPRI5, second), 1e-11);
}

// --------------------------------------------------------------------------------- choosing one

/// The largest distance so far at each common time that both reached; INFINITY beyond.
static void measure_apart(const trm_comparison *c, const candidate *a, const candidate *b,
                          double *apart)
{
    const trm_sizes n = trm_model_sizes(c->model);
    trm_reference of_a = c->reference;
    const trm_states *const x = &a->states, *const y = &b->states;
    of_a.q = x->q;
    of_a.v = x->v;
    of_a.n = x->facts.nsamples;
    const trm_distance scale = trm_compare_scale(c->scene, c->model, &of_a);
    double worst = 0;
    for (int k = 0; k < c->reference.n; k++) {
        const size_t iq = (size_t)k * (size_t)n.nq, iv = (size_t)k * (size_t)n.nv;
        const int both = k < x->facts.nsamples && k < y->facts.nsamples;
        worst = !both ? INFINITY
                      : fmax(worst, trm_compare_distance(c->scene, c->model, &scale, x->q + iq,
                                                         x->v + iv, y->q + iq, y->v + iv)
                                        .relative);
        apart[k] = worst;
    }
}

static int times_within(const double *apart, int n, double limit)
{
    int k = 0;
    while (k < n && apart[k] <= limit) {
        k++;
    }
    return k;
}

/// Longer first, then closer.
static int better(const double *apart, const double *than, int n)
{
    const int a = times_within(apart, n, limit_most), b = times_within(than, n, limit_most);
    return a != b ? a > b : a > 0 && apart[a - 1] < than[a - 1];
}

static void take_states(trm_comparison *c, candidate *a)
{
    trm_reference *const r = &c->reference;
    const trm_sizes n = trm_model_sizes(c->model);
    const size_t kept = (size_t)a->states.facts.nsamples;
    if (kept > 0) { // none of a run that was interrupted before its first sample
        memcpy(r->q, a->states.q, kept * (size_t)n.nq * sizeof *r->q);
        memcpy(r->v, a->states.v, kept * (size_t)n.nv * sizeof *r->v);
    }
    r->passages = a->states.passages;
    r->npassages = a->states.npassages;
    a->states.passages = NULL;
    r->first_bifurcation = a->states.facts.first_bifurcation;
    trm_row_name(a->method, a->setting, r->method, sizeof r->method);
    trm_reference shortened = *r;
    shortened.n = (int)kept;
    r->scale = trm_compare_scale(c->scene, c->model, &shortened);
    r->forces = a->states.forces;
    a->states.forces = NULL;
    trm_forces_scale(&c->forces, (int)kept, r->forces, &r->scale);
}

/// The two candidates that agree longest, and how far they are apart; with `wanted` candidate 0 is
/// one of them. One method at two tolerances proves less than two methods, and counts only where no
/// other one gets to the end.
static void find_pair(const trial *all, double *apart, int *first, int *second)
{
    double trying[TRM_SAMPLES];
    const int alone = arrived(all) < 2;
    *first = *second = -1;
    for (int i = 0; i < (all->wanted ? 1 : all->n); i++) {
        for (int j = i + 1; j < all->n; j++) {
            if (all->candidate[i].method == all->candidate[j].method && !alone) {
                continue;
            }
            measure_apart(all->c, &all->candidate[i], &all->candidate[j], trying);
            if (*first < 0 || better(trying, apart, all->c->reference.n)) {
                *first = i;
                *second = j;
                memcpy(apart, trying, sizeof trying);
            }
        }
    }
}

static int agree_to_the_end(const trial *all)
{
    double apart[TRM_SAMPLES];
    int i, j;
    find_pair(all, apart, &i, &j);
    return times_within(apart, all->c->reference.n, limit_most) == all->c->reference.n;
}

/// How far the partner's forces are from those of the reference at each time that both reached.
static void measure_forces(trm_comparison *c, const trm_states *partner)
{
    trm_reference *const r = &c->reference;
    for (int k = 0; k < r->n && k < partner->facts.nsamples; k++) {
        const size_t line = (size_t)k * (size_t)c->forces.n;
        trm_forces_apart(&c->forces, r->forces + line, partner->forces + line, &r->pair_apart[k]);
    }
}

/// The first of the pair becomes the reference.
static void choose(trial *all)
{
    trm_reference *const r = &all->c->reference;
    int first, second;
    find_pair(all, r->apart, &first, &second);
    const candidate *const b = &all->candidate[second];
    trm_row_name(b->method, b->setting, r->partner, sizeof r->partner);
    take_states(all->c, &all->candidate[first]);
    measure_forces(all->c, &b->states);
}

trm_status trm_reference_alloc(trm_comparison *c, int n, trm_error *err)
{
    trm_reference *const r = &c->reference;
    const trm_sizes size = trm_model_sizes(c->model);
    r->n = n;
    r->q = calloc((size_t)n * (size_t)size.nq + 1, sizeof *r->q);
    r->v = calloc((size_t)n * (size_t)size.nv + 1, sizeof *r->v);
    r->pair_apart = calloc((size_t)n, sizeof *r->pair_apart);
    return r->q != NULL && r->v != NULL && r->pair_apart != NULL
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
}

void trm_reference_destroy(trm_reference *r)
{
    free(r->q);
    free(r->v);
    free(r->q0);
    free(r->v0);
    free(r->forces);
    free(r->pair_apart);
    free(r->passages);
    *r = (trm_reference){0};
}

/// No candidate has a single common time behind it.
static trm_status nowhere(const trial *all, trm_error *err)
{
    const trm_row_facts *const f = &all->candidate[0].states.facts;
    for (int i = 0; i < all->n; i++) {
        if (all->candidate[i].states.facts.nsamples > 0) {
            return TRM_OK;
        }
    }
    return TRM_FAIL(err, f->status == TRM_OK ? TRM_ERR_DIVERGED : f->status, f->where,
                    "no method gets from the start to t = %g s: %.160s", all->c->reference.t[0],
                    f->reason);
}

trm_status trm_reference_compute(trm_comparison *c, const trm_method *wanted, long *evaluations,
                                 trm_error *err)
{
    trial all = {.c = c, .wanted = wanted != NULL};
    choose_candidates(&all, wanted);
    trm_status status = run_all(&all, err);
    if (status == TRM_OK && !*c->stop && !agree_to_the_end(&all)) {
        add_looser(&all);
        status = run_all(&all, err);
    }
    *evaluations = 0;
    for (int i = 0; i < all.n; i++) {
        const candidate *const a = &all.candidate[i];
        if (a->method->integrator == TRM_INTEGRATOR_DOP853 && a->states.facts.status == TRM_OK) {
            const double looser = a->setting / 1e-13;
            *evaluations = (long)((double)a->states.facts.stats.force_evals * pow(looser, 1 / 8.));
        }
    }
    status = status == TRM_OK && !*c->stop ? nowhere(&all, err) : status;
    status = status == TRM_OK ? trm_reference_alloc(c, c->reference.n, err) : status;
    if (status == TRM_OK) {
        choose(&all);
    }
    for (int i = 0; i < all.n; i++) {
        trm_states_destroy(&all.candidate[i].states);
    }
    return status;
}

// -------------------------------------------------------------------------------- judging it

/// The smallest error so far at common time k of any row that got there.
static double best_row(const trm_comparison *c, int k)
{
    double best = INFINITY;
    for (int i = 0; i < c->nrows; i++) {
        const trm_compare_row *const row = &c->rows[i];
        double worst = 0;
        for (int j = 0; j <= k && k < row->facts.nsamples; j++) {
            worst = fmax(worst, row->distance[j].relative);
        }
        best = k < row->facts.nsamples ? fmin(best, worst) : best;
    }
    return best;
}

static void find_agreement(trm_comparison *c)
{
    trm_reference *const r = &c->reference;
    r->n_agree = 0;
    for (int k = 0; k < r->n; k++) {
        const double limit = fmax(limit_least, fmin(limit_most, best_row(c, k) / 100));
        const int forked = isfinite(r->first_bifurcation) && r->t[k] > r->first_bifurcation;
        if (r->from_file || (r->apart[k] <= limit && !forked)) {
            r->n_agree = k + 1;
        } else {
            break;
        }
    }
    r->t_agree = r->n_agree > 0 ? r->t[r->n_agree - 1] : 0;
    r->agreement = r->from_file || r->n_agree == 0 ? NAN : r->apart[r->n_agree - 1];
    r->apart_at_end = r->from_file ? NAN : r->apart[r->n - 1];
    trm_forces_worst(r->n_agree, r->pair_apart, r->forces_apart);
}

static void find_errors(trm_comparison *c)
{
    const trm_reference *const r = &c->reference;
    for (int i = 0; i < c->nrows; i++) {
        trm_compare_row *const row = &c->rows[i];
        row->error = (trm_distance){NAN, NAN, NAN, NAN, NAN, {NAN, NAN, NAN, NAN}};
        row->cpu = row->cpu_min = row->cpu_max = NAN;
        if (row->facts.nsamples >= r->n_agree && r->n_agree > 0) {
            row->error = (trm_distance){0};
            for (int k = 0; k < r->n_agree; k++) {
                row->error = trm_distance_max(row->error, row->distance[k]);
            }
            trm_forces_worst(r->n_agree, row->distance, row->error.forces);
            for (int k = 0; k < TRM_FORCE_KINDS && row->recorded; k++) {
                row->error.forces[k] = NAN;
            }
            row->cpu = row->cpu_min = row->cpu_max = row->cpu_at[r->n_agree - 1];
            row->resolved = r->from_file || row->error.relative >= 100 * r->agreement;
        }
    }
}

static void say_how_good(trm_reference *r)
{
    const size_t size = sizeof r->verdict;
    if (trm_nothing_moves(r)) {
        snprintf(r->verdict, size, "Nothing moves, so there is nothing to compare.");
    } else if (r->from_file) {
        snprintf(r->verdict, size, "The recording is taken as exact.");
    } else if (isfinite(r->first_bifurcation) && r->n_agree < r->n) {
        snprintf(r->verdict, size,
                 "At t = %.6g s the mechanism is (almost) at rest in a singular position, where "
                 "several motions continue: errors, times and advice are those up to t = %.6g s.",
                 r->first_bifurcation, r->t_agree);
    } else if (r->n_agree < r->n && !(r->apart_at_end > limit_most)) {
        snprintf(r->verdict, size,
                 "From t = %.6g s on they are no longer two digits closer to each other than the "
                 "best row is to them, so errors, times and advice are those up to then.",
                 r->t_agree);
    } else if (r->n_agree < r->n) {
        snprintf(r->verdict, size,
                 "The motion is chaotic, or bifurcates: from t = %.6g s on the two references are "
                 "no longer two digits closer to each other than the best row is to them. Errors, "
                 "times and advice are those up to then; a shorter --end asks for less.",
                 r->t_agree);
    } else {
        snprintf(r->verdict, size, "They agree to the end.");
    }
}

int trm_nothing_moves(const trm_reference *r)
{
    const trm_distance *const s = &r->scale;
    return s->position <= 0 && s->angle <= 0 && s->velocity <= 0 && s->rate <= 0;
}

void trm_reference_abandon(trm_comparison *c)
{
    trm_reference *const r = &c->reference;
    r->agreement = r->apart_at_end = NAN;
    snprintf(r->verdict, sizeof r->verdict, "Interrupted before it was known.");
}

void trm_reference_judge(trm_comparison *c)
{
    find_agreement(c);
    find_errors(c);
    say_how_good(&c->reference);
}
