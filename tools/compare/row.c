/// A run is observed after every accepted step: the common times within it are sampled by dense
/// output, the curves kept. What sampling costs, in time and evaluations, is taken off again.
#include "tools/compare/row.h"
#include "program/verdict.h"

#include "tools/common/method_choice.h"
#include "tools/compare/error.h"
#include "tools/compare/forces.h"
#include "tools/compare/form.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PASSAGES = 1000, WARM = 30 };  // repeats of a timed run at most
static const double warm_time = 0.02; // s, after which one timed run is not repeated

/// Of the only thread: the clock of the whole process moves in ticks of milliseconds once a limit
/// on its CPU time is set, as the pool does.
static double cpu_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

trm_options trm_row_options(const trm_comparison *c, const trm_method *method, double setting)
{
    trm_options o = trm_default_options(method->integrator, method->stabilization);
    if (method->adaptive) {
        o.rtol = o.atol = setting;
    } else {
        o.h = setting;
    }
    if (trm_form_of(c, method) != NULL) {
        trm_set_parameters(&trm_form_of(c, method)->given, &o);
    }
    o.assemble = c->arguments.assemble;
    return o;
}

void trm_row_name(const trm_method *method, double setting, char *out, size_t size)
{
    snprintf(out, size, "%s+%s %s %.6g", method->integrator_name, method->stabilization_name,
             method->adaptive ? "rtol" : "h", setting);
}

// ------------------------------------------------------------------------------------ observation

typedef struct observer {
    const trm_comparison *c;
    int keep_states;
    double started, spent; // s of CPU: at the start; in here
    trm_row_facts facts;
    trm_stats sampling; // evaluations that sampling took
    trm_error error;
    double cpu_at[TRM_SAMPLES];
    trm_distance distance[TRM_SAMPLES];
    double *q, *v, *forces; // forces: of all samples, or of the last one
    int piece;              // of the curve that is being filled
    trm_series_point series[TRM_SERIES];
    int npassages;
    trm_compare_passage *passages;
} observer;

static void follow_curves(observer *o, trm_sim *sim)
{
    const double t = trm_sim_state(sim).t;
    const trm_energy e = trm_sim_energy(sim);
    const trm_report report = trm_sim_report(sim);
    const double off = fabs(e.kinetic + e.potential - e.work - report.energy_initial);
    const int piece = (int)fmin(t / o->c->end * TRM_SERIES, TRM_SERIES - 1);
    if (piece != o->piece || o->facts.nseries == 0) {
        o->piece = piece;
        o->series[o->facts.nseries++] = (trm_series_point){.h = INFINITY};
    }
    trm_series_point *const p = &o->series[o->facts.nseries - 1];
    p->t = t;
    p->drift = fmax(p->drift, trm_sim_drift(sim).position);
    p->energy = fmax(p->energy, off);
    p->h = fmin(p->h, trm_sim_stats(sim).h);
}

/// Forces that are not known are no numbers.
static void read_forces(const observer *o, const trm_sim *sim, const trm_sample *sample,
                        double *out)
{
    const trm_force_list *const list = &o->c->forces;
    const int known = trm_forces_read(list, sim, sample, out, NULL) == TRM_OK;
    for (int i = 0; i < list->n && !known; i++) {
        out[i] = NAN;
    }
}

static void keep(observer *o, const trm_sim *sim, const trm_sample *sample)
{
    const trm_sizes n = trm_model_sizes(o->c->model);
    const trm_state *const state = &sample->state;
    const trm_force_list *const list = &o->c->forces;
    const int k = o->facts.nsamples++;
    const size_t line = (size_t)k * (size_t)list->n;
    read_forces(o, sim, sample, o->forces + (o->keep_states ? line : 0));
    if (o->keep_states) {
        memcpy(o->q + (size_t)k * (size_t)n.nq, state->q, (size_t)n.nq * sizeof *o->q);
        memcpy(o->v + (size_t)k * (size_t)n.nv, state->v, (size_t)n.nv * sizeof *o->v);
    } else {
        const trm_reference *const r = &o->c->reference;
        o->distance[k] = trm_compare_distance(o->c->scene, o->c->model, &r->scale,
                                              r->q + (size_t)k * (size_t)n.nq,
                                              r->v + (size_t)k * (size_t)n.nv, state->q, state->v);
        if (r->forces != NULL) {
            trm_forces_apart(list, r->forces + line, o->forces, &o->distance[k]);
        }
    }
}

static trm_status sample_due(observer *o, trm_sim *sim)
{
    const trm_reference *const r = &o->c->reference;
    const double now = trm_sim_state(sim).t;
    const trm_stats before = trm_sim_stats(sim);
    const double clock = cpu_clock();
    trm_status status = TRM_OK;
    while (status == TRM_OK && o->facts.nsamples < r->n && r->t[o->facts.nsamples] <= now) {
        trm_sample sample;
        const int k = o->facts.nsamples;
        o->cpu_at[k] = clock - o->started - o->spent;
        status = trm_sim_sample(sim, r->t[k], &sample, &o->error);
        if (status == TRM_OK) {
            keep(o, sim, &sample);
        }
    }
    const trm_stats after = trm_sim_stats(sim);
    o->sampling.force_evals += after.force_evals - before.force_evals;
    o->sampling.jacobian_evals += after.jacobian_evals - before.jacobian_evals;
    o->sampling.factorizations += after.factorizations - before.factorizations;
    o->spent += cpu_clock() - clock;
    return status;
}

/// Rows of a joint follow each other.
static void name_joints(const trm_model *model, const trm_crossing *crossing, char *out,
                        size_t size)
{
    const char *before = "";
    for (int i = 0; i < crossing->nrows; i++) {
        const char *const name = trm_model_row_info(model, crossing->rows[i]).name;
        const size_t used = strlen(out);
        if (strcmp(before, name) != 0 && used + strlen(name) + 3 < size) {
            snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", name);
        }
        before = name;
    }
}

static void follow_passages(observer *o, trm_sim *sim)
{
    const long crossings = trm_sim_report(sim).crossings;
    for (; o->npassages < crossings && o->npassages < PASSAGES; o->npassages++) {
        trm_compare_passage *const p = &o->passages[o->npassages];
        trm_crossing crossing;
        if (trm_sim_crossing(sim, o->npassages, &crossing)) {
            p->t = crossing.t;
            p->sigma = crossing.sigma;
            p->bifurcation = crossing.bifurcation;
            name_joints(o->c->model, &crossing, p->joints, sizeof p->joints);
        }
    }
}

static int observe(trm_sim *sim, void *user)
{
    observer *const o = user;
    const trm_reference *const r = &o->c->reference;
    const int due = o->facts.nsamples < r->n && r->t[o->facts.nsamples] <= trm_sim_state(sim).t;
    follow_curves(o, sim);
    if (o->keep_states) {
        follow_passages(o, sim);
    }
    return due && sample_due(o, sim) != TRM_OK;
}

/// The error's message without the time, which stands beside it.
static const char *without_time(const char *message)
{
    const char *const behind = strstr(message, " s: ");
    return strncmp(message, "stopped at t = ", 15) == 0 && behind != NULL ? behind + 4 : message;
}

static void conclude(observer *o, const trm_sim *sim, trm_status status)
{
    trm_row_facts *const f = &o->facts;
    const trm_report report = trm_sim_report(sim);
    f->status = o->error.status < 0 && status == TRM_STOPPED ? o->error.status : status;
    f->stats = trm_sim_stats(sim);
    f->stats.force_evals -= o->sampling.force_evals;
    f->stats.jacobian_evals -= o->sampling.jacobian_evals;
    f->stats.factorizations -= o->sampling.factorizations;
    f->position_drift = report.position_drift;
    f->velocity_drift = report.velocity_drift;
    f->energy_error =
        report.energy_scale > 0 ? report.energy_error / report.energy_scale : report.energy_error;
    f->branch_changes = report.branch_changes;
    f->first_branch_change = report.first_branch_change;
    f->bifurcations = report.bifurcations;
    f->first_bifurcation = report.first_bifurcation;
    f->crossings = report.crossings;
    const trm_forces forces = trm_sim_forces(sim);
    f->forces = trm_verdict_of_forces(&forces, &report);
    for (int i = 0; i < f->nseries && report.energy_scale > 0; i++) {
        o->series[i].energy /= report.energy_scale;
    }
}

/// Fills `o`, whose memory is there; what went wrong is among the facts.
static void run(observer *o, const trm_options *options)
{
    trm_sim *sim = NULL;
    trm_row_facts *const f = &o->facts;
    o->error = (trm_error){.t = NAN};
    f->first_branch_change = f->first_bifurcation = f->t_failed = NAN;
    f->status = trm_sim_create(o->c->model, options, &sim, &o->error);
    if (f->status == TRM_OK) {
        o->started = cpu_clock();
        const trm_status status = trm_sim_run(sim, o->c->end, observe, o, &o->error);
        conclude(o, sim, status);
    }
    if (f->status != TRM_OK) {
        f->t_failed = sim != NULL ? trm_sim_state(sim).t : 0;
        snprintf(f->reason, sizeof f->reason, "%s", without_time(o->error.message));
        snprintf(f->where, sizeof f->where, "%s", o->error.where);
    }
    trm_sim_destroy(sim);
}

// ------------------------------------------------------------------------------- rows of the table

void trm_row_work(const trm_comparison *c, const trm_compare_row *row, FILE *out)
{
    observer *const o = calloc(1, sizeof *o);
    const trm_options options = trm_row_options(c, row->method, row->setting);
    double *const forces = calloc((size_t)c->forces.n + 1, sizeof *forces);
    if (o == NULL || forces == NULL) {
        free(forces);
        free(o);
        return; // too little is written, and found to be
    }
    o->c = c;
    o->forces = forces;
    run(o, &options);
    const trm_row_facts *const f = &o->facts;
    fwrite(f, sizeof *f, 1, out);
    fwrite(o->cpu_at, sizeof *o->cpu_at, (size_t)f->nsamples, out);
    fwrite(o->distance, sizeof *o->distance, (size_t)f->nsamples, out);
    fwrite(o->series, sizeof *o->series, (size_t)f->nseries, out);
    free(forces);
    free(o);
}

/// Takes `size` bytes off the result; returns 0 when there are fewer.
static int take(const trm_child_result *result, size_t *at, void *out, size_t size)
{
    if (*at + size > result->length) {
        return 0;
    }
    if (size > 0) {
        memcpy(out, result->bytes + *at, size);
    }
    *at += size;
    return 1;
}

/// No signal ended it, and yet it has not told all: memory or processes were short.
static void mark_short(trm_compare_row *row)
{
    row->facts = (trm_row_facts){.status = TRM_ERR_MEMORY};
    snprintf(row->facts.reason, sizeof row->facts.reason,
             "not enough memory, or no more processes");
    row->status = TRM_ROW_FAILED;
}

int trm_row_read(trm_compare_row *row, const trm_child_result *result)
{
    static const trm_row_status of_end[] = {
        [TRM_CHILD_DONE] = TRM_ROW_DONE,
        [TRM_CHILD_CRASHED] = TRM_ROW_CRASHED,
        [TRM_CHILD_OVER_BUDGET] = TRM_ROW_OVER_BUDGET,
        [TRM_CHILD_INTERRUPTED] = TRM_ROW_INTERRUPTED,
    };
    size_t at = 0;
    trm_row_facts f;
    row->status = of_end[result->end];
    row->signal = result->signal;
    row->peak_memory_kb = result->peak_memory_kb;
    if (result->end == TRM_CHILD_CRASHED && result->signal == 0) {
        mark_short(row);
    }
    if (result->end != TRM_CHILD_DONE) {
        return 0;
    }
    const int complete = take(result, &at, &f, sizeof f);
    row->series = complete ? calloc((size_t)f.nseries + 1, sizeof *row->series) : NULL;
    if (complete && row->series == NULL) {
        return -1;
    }
    if (!complete || !take(result, &at, row->cpu_at, (size_t)f.nsamples * sizeof *row->cpu_at) ||
        !take(result, &at, row->distance, (size_t)f.nsamples * sizeof *row->distance) ||
        !take(result, &at, row->series, (size_t)f.nseries * sizeof *row->series)) {
        mark_short(row);
        return 0;
    }
    row->facts = f;
    row->status = f.status == TRM_OK ? TRM_ROW_DONE : TRM_ROW_FAILED;
    return 0;
}

// ------------------------------------------------------------------------------------- states

void trm_states_work(const trm_comparison *c, const trm_method *method, double setting, FILE *out)
{
    const trm_sizes n = trm_model_sizes(c->model);
    const size_t samples = (size_t)c->reference.n;
    observer *const o = calloc(1, sizeof *o);
    const trm_options options = trm_row_options(c, method, setting);
    if (o == NULL) {
        return;
    }
    o->c = c;
    o->keep_states = 1;
    o->q = calloc(samples * (size_t)n.nq + 1, sizeof *o->q);
    o->v = calloc(samples * (size_t)n.nv + 1, sizeof *o->v);
    o->forces = calloc(samples * (size_t)c->forces.n + 1, sizeof *o->forces);
    o->passages = calloc(PASSAGES, sizeof *o->passages);
    if (o->q != NULL && o->v != NULL && o->forces != NULL && o->passages != NULL) {
        run(o, &options);
        const size_t kept = (size_t)o->facts.nsamples;
        fwrite(&o->facts, sizeof o->facts, 1, out);
        fwrite(o->q, sizeof *o->q, kept * (size_t)n.nq, out);
        fwrite(o->v, sizeof *o->v, kept * (size_t)n.nv, out);
        fwrite(o->forces, sizeof *o->forces, kept * (size_t)c->forces.n, out);
        fwrite(&o->npassages, sizeof o->npassages, 1, out);
        fwrite(o->passages, sizeof *o->passages, (size_t)o->npassages, out);
    }
    free(o->q);
    free(o->v);
    free(o->forces);
    free(o->passages);
    free(o);
}

int trm_states_read(const trm_comparison *c, const trm_child_result *result, trm_states *out)
{
    const trm_sizes n = trm_model_sizes(c->model);
    size_t at = 0;
    *out = (trm_states){.facts = {.status = TRM_ERR_DIVERGED, .reason = "it took too long"}};
    if (result->end != TRM_CHILD_DONE || !take(result, &at, &out->facts, sizeof out->facts)) {
        return 0;
    }
    const size_t nq = (size_t)out->facts.nsamples * (size_t)n.nq;
    const size_t nv = (size_t)out->facts.nsamples * (size_t)n.nv;
    const size_t nforces = (size_t)out->facts.nsamples * (size_t)c->forces.n;
    out->q = calloc(nq + 1, sizeof *out->q);
    out->v = calloc(nv + 1, sizeof *out->v);
    out->forces = calloc(nforces + 1, sizeof *out->forces);
    if (out->q == NULL || out->v == NULL || out->forces == NULL ||
        !take(result, &at, out->q, nq * sizeof *out->q) ||
        !take(result, &at, out->v, nv * sizeof *out->v) ||
        !take(result, &at, out->forces, nforces * sizeof *out->forces) ||
        !take(result, &at, &out->npassages, sizeof out->npassages)) {
        return -1;
    }
    out->passages = calloc((size_t)out->npassages + 1, sizeof *out->passages);
    const size_t bytes = (size_t)out->npassages * sizeof *out->passages;
    return out->passages != NULL && take(result, &at, out->passages, bytes) ? 0 : -1;
}

void trm_states_destroy(trm_states *states)
{
    free(states->q);
    free(states->v);
    free(states->forces);
    free(states->passages);
    *states = (trm_states){0};
}

// ------------------------------------------------------------------------------------- timing

/// Short runs are repeated within the process, the first one not counted: its caches are cold.
void trm_row_time(const trm_comparison *c, const trm_compare_row *row, FILE *out)
{
    const trm_options options = trm_row_options(c, row->method, row->setting);
    double first = 0, sum = 0;
    int repeats = 0;
    for (; repeats < WARM && first + sum < warm_time; repeats++) {
        trm_sim *sim = NULL;
        if (trm_sim_create(c->model, &options, &sim, NULL) != TRM_OK) {
            return;
        }
        const double before = cpu_clock();
        const trm_status status = trm_sim_run(sim, c->reference.t_agree, NULL, NULL, NULL);
        const double taken = cpu_clock() - before;
        trm_sim_destroy(sim);
        if (status != TRM_OK) {
            return;
        }
        first = repeats == 0 ? taken : first;
        sum += repeats == 0 ? 0 : taken;
    }
    const double seconds = repeats > 1 ? sum / (repeats - 1) : first;
    fwrite(&seconds, sizeof seconds, 1, out);
}
