/// The JSON object of a comparison. Every key is always there; what is not known, or
/// does not apply, is null. With `complete` also each row's "series" and the
/// "picture", as the HTML report needs them.
#include "tools/compare/compare.h"

#include "tools/common/json_out.h"
#include "tools/common/method_choice.h"
#include "tools/compare/forces.h"
#include "tools/compare/report/views.h"
#include "tools/compare/row.h"
#include "tools/compare/study.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const char *trm_row_status_name(trm_row_status status)
{
    static const char *const names[] = {
        [TRM_ROW_WAITING] = "interrupted",     [TRM_ROW_DONE] = "done",
        [TRM_ROW_FAILED] = "failed",           [TRM_ROW_OVER_BUDGET] = "over-budget",
        [TRM_ROW_CRASHED] = "crashed",         [TRM_ROW_SKIPPED] = "skipped",
        [TRM_ROW_INTERRUPTED] = "interrupted",
    };
    return names[status];
}

/// Forces of a file are not known.
static void write_distance(trm_json *json, const char *key, const trm_distance *d, int with_forces)
{
    static const char *const forces[TRM_FORCE_KINDS] = {"force", "torque", "acceleration",
                                                        "angular_acceleration"};
    trm_json_key(json, key);
    trm_json_object(json);
    trm_json_key_number(json, "position", d->position);
    trm_json_key_number(json, "angle", d->angle);
    trm_json_key_number(json, "velocity", d->velocity);
    trm_json_key_number(json, "rate", d->rate);
    for (int k = 0; k < TRM_FORCE_KINDS; k++) {
        trm_json_key_number(json, forces[k], with_forces ? d->forces[k] : NAN);
    }
    trm_json_end(json);
}

static void write_error(trm_json *json, const trm_comparison *c)
{
    trm_json_key(json, "problem");
    if (c->status >= 0) {
        trm_json_null(json);
        return;
    }
    trm_json_object(json);
    trm_json_key_string(json, "code", trm_status_name(c->status));
    trm_json_key_string(json, "message", c->error.message);
    trm_json_key_string(json, "where", c->error.where);
    trm_json_end(json);
}

static void write_model(trm_json *json, const trm_comparison *c)
{
    trm_json_key(json, "model");
    if (c->model == NULL) {
        trm_json_null(json);
        return;
    }
    const trm_sizes n = trm_model_sizes(c->model);
    trm_json_object(json);
    trm_json_key_integer(json, "bodies", n.nbody);
    trm_json_key_integer(json, "constraints", n.nc);
    trm_json_end(json);
}

static void write_reference(trm_json *json, const trm_comparison *c)
{
    const trm_reference *const r = &c->reference;
    trm_json_key(json, "reference");
    if (r->n == 0 || r->q == NULL) {
        trm_json_null(json);
        return;
    }
    trm_json_object(json);
    trm_json_key_string(json, "method", r->method);
    trm_json_key_string(json, "partner", r->from_file ? NULL : r->partner);
    trm_json_key_boolean(json, "from_file", r->from_file);
    trm_json_key_number(json, "agreement", r->agreement);
    trm_json_key_number(json, "t_agree", r->t_agree);
    trm_json_key_number(json, "apart_at_end", r->from_file ? NAN : r->apart_at_end);
    trm_json_key_string(json, "verdict", r->verdict);
    write_distance(json, "scale", &r->scale, r->forces != NULL);
    trm_json_key_vector(json, "t", r->n, r->t);
    trm_json_key_vector(json, "apart", r->from_file ? 0 : r->n, r->apart);
    trm_json_end(json);
}

static void write_reason(trm_json *json, const trm_compare_row *row)
{
    char reason[320];
    const char *text = row->status == TRM_ROW_FAILED ? row->facts.reason : NULL;
    if (row->status == TRM_ROW_OVER_BUDGET) {
        snprintf(reason, sizeof reason, "stopped after its budget of %g s", row->budget);
        text = reason;
    } else if (row->status == TRM_ROW_SKIPPED) {
        text = "a coarser row of this pair was already over the budget";
    } else if (row->status == TRM_ROW_CRASHED) {
        snprintf(reason, sizeof reason, "its process ended by signal %d", row->signal);
        text = reason;
    }
    const int failed = row->status == TRM_ROW_FAILED;
    trm_json_key_string(json, "reason", text);
    trm_json_key_string(json, "where", failed ? row->facts.where : NULL);
    trm_json_key_number(json, "t_failed", failed ? row->facts.t_failed : NAN);
}

/// What another program did is not known.
static void write_count(trm_json *json, const trm_compare_row *row, const char *key, long n)
{
    trm_json_key(json, key);
    if (row->recorded) {
        trm_json_null(json);
    } else {
        trm_json_integer(json, n);
    }
}

static void write_counts(trm_json *json, const trm_compare_row *row)
{
    const trm_row_facts *const f = &row->facts;
    trm_json_key_number(json, "position_drift", f->position_drift);
    trm_json_key_number(json, "velocity_drift", f->velocity_drift);
    trm_json_key_number(json, "energy_error", f->energy_error);
    write_count(json, row, "branch_changes", f->branch_changes);
    trm_json_key_number(json, "first_branch_change_t",
                        f->branch_changes > 0 ? f->first_branch_change : NAN);
    write_count(json, row, "steps", f->stats.steps);
    write_count(json, row, "rejected", f->stats.rejected);
    trm_json_key(json, "evaluations");
    trm_json_object(json);
    write_count(json, row, "force", f->stats.force_evals);
    write_count(json, row, "jacobian", f->stats.jacobian_evals);
    write_count(json, row, "factorization", f->stats.factorizations);
    trm_json_end(json);
}

static void write_curve(trm_json *json, const char *key, const trm_compare_row *row, size_t offset)
{
    trm_json_key(json, key);
    trm_json_array(json);
    for (int i = 0; i < row->facts.nseries && row->series != NULL; i++) {
        const char *const point = (const char *)&row->series[i];
        trm_json_short(json, *(const double *)(const void *)(point + offset));
    }
    trm_json_end(json);
}

static void write_series(trm_json *json, const trm_compare_row *row)
{
    trm_json_key(json, "series");
    trm_json_object(json);
    write_curve(json, "t", row, offsetof(trm_series_point, t));
    write_curve(json, "drift", row, offsetof(trm_series_point, drift));
    write_curve(json, "energy", row, offsetof(trm_series_point, energy));
    write_curve(json, "h", row, offsetof(trm_series_point, h));
    trm_json_end(json);
}

/// "alpha1 20, alpha0 100": what the method reads besides step or
/// tolerances, as far as it is a number.
static void write_parameters(trm_json *json, const trm_comparison *c, const trm_compare_row *row)
{
    const trm_options o = trm_row_options(c, row->method, row->setting);
    const struct {
        const char *name;
        double value;
    } all[] = {{"epsilon", row->facts.stats.epsilon},
               {"iterations", o.srm.iterations},
               {"alpha2", o.alf.alpha2},
               {"alpha1", o.baumgarte.alpha1},
               {"alpha0", o.baumgarte.alpha0},
               {"alpha", o.post.alpha},
               {"gamma", o.post.gamma},
               {"order", o.srm.order}};
    char text[200] = "";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const size_t used = strlen(text);
        if (trm_method_reads(row->method, all[i].name)) {
            snprintf(text + used, sizeof text - used, "%s%s %.4g", used > 0 ? ", " : "",
                     all[i].name, all[i].value);
        }
    }
    trm_json_key_string(json, "parameters", text);
}

static void write_row(trm_json *json, const trm_comparison *c, const trm_compare_row *row,
                      int complete)
{
    const trm_method *const m = row->method;
    trm_json_object(json);
    trm_json_key_string(json, "id", row->id);
    trm_json_key_string(json, "integrator", m->integrator_name);
    trm_json_key_string(json, "stabilization", m->stabilization_name);
    trm_json_key_string(json, "source", m->source);
    trm_json_key_number(json, "step", m->adaptive ? NAN : row->setting);
    trm_json_key_number(json, "rtol", m->adaptive ? row->setting : NAN);
    trm_json_key_string(json, "status", trm_row_status_name(row->status));
    write_reason(json, row);
    trm_json_key_number(json, "error", row->error.relative);
    trm_json_key_boolean(json, "resolved", row->resolved);
    const int known = c->reference.forces != NULL && row->status == TRM_ROW_DONE && !row->recorded;
    write_distance(json, "errors", &row->error, c->reference.forces != NULL);
    trm_json_key_number(json, "force_error", trm_forces_relative(c, row));
    trm_json_key_string(json, "forces", known ? trm_verdict_name(row->facts.forces) : NULL);
    write_counts(json, row);
    trm_json_key_number(json, "cpu_s", row->cpu);
    trm_json_key_number(json, "cpu_min_s", row->cpu_min);
    trm_json_key_number(json, "cpu_max_s", row->cpu_max);
    trm_json_key_integer(json, "repeats", row->repeats);
    trm_json_key_integer(json, "peak_memory_kb", row->peak_memory_kb);
    write_parameters(json, c, row);
    trm_json_key_boolean(json, "pareto", row->pareto);
    if (complete) {
        write_series(json, row);
    }
    trm_json_end(json);
}

static void write_rows(trm_json *json, const trm_comparison *c, int complete)
{
    trm_json_key(json, "rows");
    trm_json_list(json);
    for (int i = 0; i < c->nrows; i++) {
        write_row(json, c, &c->rows[i], complete);
    }
    trm_json_end(json);
}

static void write_advice(trm_json *json, const trm_comparison *c)
{
    trm_json_key(json, "recommendations");
    trm_json_list(json);
    for (int i = 0; i < TRM_LEVELS && c->warnings != NULL; i++) {
        const trm_advice *const a = &c->advice[i];
        trm_json_object(json);
        trm_json_key_number(json, "accuracy", a->accuracy);
        trm_json_key_string(json, "row", a->row >= 0 ? c->rows[a->row].id : NULL);
        trm_json_key_string(json, "runner_up", a->runner_up >= 0 ? c->rows[a->runner_up].id : NULL);
        trm_json_key_number(json, "factor", a->factor > 0 ? a->factor : NAN);
        trm_json_key_integer(json, "within_noise", a->within_noise);
        trm_json_key_string(json, "sentence", a->sentence);
        trm_json_key_string(json, "run", a->row >= 0 ? a->run : NULL);
        trm_json_end(json);
    }
    trm_json_end(json);
    trm_json_key(json, "warnings");
    trm_json_list(json);
    for (int i = 0; i < c->nwarnings; i++) {
        const trm_warning *const w = &c->warnings[i];
        trm_json_object(json);
        trm_json_key_string(json, "stabilization", w->stabilization);
        trm_json_key_integer(json, "rows", w->rows);
        trm_json_key_integer(json, "bad", w->bad);
        trm_json_key_number(json, "t", w->t);
        trm_json_key_string(json, "sentence", w->sentence);
        trm_json_end(json);
    }
    trm_json_end(json);
}

static void write_crossings(trm_json *json, const trm_reference *r)
{
    trm_json_key(json, "crossings");
    trm_json_list(json);
    for (int i = 0; i < r->npassages; i++) {
        const trm_compare_passage *const p = &r->passages[i];
        trm_json_object(json);
        trm_json_key_number(json, "t", p->t);
        trm_json_key_number(json, "sigma", p->sigma);
        trm_json_key_string(json, "joints", p->joints);
        trm_json_key_boolean(json, "bifurcation", p->bifurcation);
        trm_json_end(json);
    }
    trm_json_end(json);
}

/// What lies along epsilon and along h.
static void write_study(trm_json *json, const trm_comparison *c)
{
    trm_study study;
    trm_study_find(c, &study);
    trm_json_key(json, "study");
    trm_json_list(json);
    for (int i = 0; i < study.n; i++) {
        const trm_study_line *const line = &study.line[i];
        trm_json_object(json);
        trm_json_key_string(json, "along", line->along);
        trm_json_key_integer(json, "iterations", line->iterations);
        trm_json_key_vector(json, "x", line->n, line->x);
        trm_json_key_vector(json, "error", line->n, line->error);
        trm_json_key_vector(json, "slope", line->n - 1, line->slope);
        trm_json_key_number(json, "theory", line->theory);
        trm_json_end(json);
    }
    trm_json_end(json);
}

static void write_timing(trm_json *json, const trm_comparison *c)
{
    trm_json_key(json, "timing");
    trm_json_object(json);
    trm_json_key_number(json, "noise", c->noise > 0 ? c->noise : NAN);
    trm_json_key_integer(json, "jobs", c->jobs);
    trm_json_key_number(json, "budget", c->budget);
    trm_json_key_number(json, "reference_wall_s", c->wall[0]);
    trm_json_key_number(json, "rows_wall_s", c->wall[1]);
    trm_json_key_number(json, "timing_wall_s", c->wall[2]);
    trm_json_end(json);
}

/// The page that moves, by its name beside the report, and the rows that are in it.
static void write_views(trm_json *json, const trm_comparison *c)
{
    char path[1024];
    trm_compare_views_path(c->arguments.report, path, sizeof path);
    const char *const slash = strrchr(path, '/');
    trm_json_key(json, "views");
    trm_json_object(json);
    trm_json_key_string(json, "file", slash != NULL ? slash + 1 : path);
    trm_json_key(json, "rows");
    trm_json_list(json);
    for (int i = 0; i < c->nviews; i++) {
        trm_json_string(json, c->rows[c->views[i]].id);
    }
    trm_json_end(json);
    trm_json_end(json);
}

void trm_compare_json(const trm_comparison *c, FILE *out, int complete)
{
    trm_json json = {.out = out};
    trm_json_object(&json);
    trm_json_key_string(&json, "scene", c->arguments.scene);
    trm_json_key_string(&json, "title",
                        c->scene != NULL ? trm_scene_get_info(c->scene).title : NULL);
    trm_json_key_string(&json, "command", c->command);
    trm_json_key_string(&json, "version", trm_version());
    trm_json_key_string(&json, "status",
                        c->status < 0    ? trm_status_name(c->status)
                        : c->interrupted ? "interrupted"
                                         : "done");
    write_error(&json, c);
    trm_json_key_number(&json, "end", c->end > 0 ? c->end : NAN);
    write_model(&json, c);
    write_reference(&json, c);
    trm_json_key_integer(&json, "left_out", c->left_out);
    write_rows(&json, c, complete);
    write_advice(&json, c);
    write_crossings(&json, &c->reference);
    write_timing(&json, c);
    if (c->study != NULL) {
        write_study(&json, c);
    }
    if (complete) {
        trm_json_key_string(&json, "picture", c->picture);
        if (c->nviews > 0) {
            write_views(&json, c);
        }
    }
    trm_json_end(&json);
}
