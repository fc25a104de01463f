/// The JSON object of a run. Every key is always there; what is not known, or does not apply to the
/// method, is null.
#include "tools/run/accuracy.h"
#include "tools/run/play.h"
#include "tools/run/run.h"

#include "program/run_details.h"
#include "tools/common/json_out.h"
#include "trammel/trammel_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void number_if(trm_json *json, const char *key, int known, double x)
{
    trm_json_key_number(json, key, known ? x : NAN);
}

static void write_method(trm_json *json, const trm_program_run *run)
{
    const trm_method *const m = run->choice.method;
    const trm_options *const o = &run->choice.options;
    trm_json_key(json, "method");
    if (m == NULL) {
        trm_json_null(json);
        return;
    }
    const double used = run->sim != NULL ? trm_sim_stats(run->sim).epsilon : o->srm.epsilon;
    const int iterates = trm_method_reads(m, "iterations");
    trm_json_object(json);
    trm_json_key_string(json, "integrator", m->integrator_name);
    trm_json_key_string(json, "stabilization", m->stabilization_name);
    number_if(json, "step", !m->adaptive, o->h);
    number_if(json, "rtol", m->adaptive, o->rtol);
    number_if(json, "atol", m->adaptive, o->atol);
    number_if(json, "epsilon", trm_method_reads(m, "epsilon"), used);
    number_if(json, "iterations", iterates, o->srm.iterations);
    trm_json_key_string(json, "E", trm_method_reads(m, "E") ? trm_srm_matrix_name(o->srm.E) : NULL);
    number_if(json, "alpha1", trm_method_reads(m, "alpha1"), o->baumgarte.alpha1);
    number_if(json, "alpha0", trm_method_reads(m, "alpha0"), o->baumgarte.alpha0);
    trm_json_key_string(json, "metric",
                        !trm_method_reads(m, "metric") ? NULL
                        : o->mass_metric               ? "mass"
                                                       : "identity");
    trm_json_end(json);
}

static void write_error(trm_json *json, const trm_program_run *run)
{
    trm_json_key(json, "error");
    if (run->status >= 0) {
        trm_json_null(json);
        return;
    }
    trm_json_object(json);
    trm_json_key_string(json, "code", trm_status_name(run->status));
    trm_json_key_string(json, "message", run->error.message);
    trm_json_key_string(json, "where", run->error.where);
    trm_json_key_number(json, "t", run->error.t);
    trm_json_end(json);
}

/// Null for a run that was not stiff.
static void write_stiffness(trm_json *json, const trm_program_run *run)
{
    const trm_hand_over change = trm_sim_hand_over(run->sim);
    const trm_stiff *const stiff = &change.stiff;
    trm_json_key(json, "stiffness");
    if (!change.found) {
        trm_json_null(json);
        return;
    }
    const int known = *stiff->source != '\0';
    trm_json_object(json);
    trm_json_key_number(json, "t", change.t);
    trm_json_key_number(json, "rate", stiff->rate);
    trm_json_key_string(json, "source", known ? stiff->source : NULL);
    trm_json_key_string(json, "unit", known ? stiff->unit : NULL);
    number_if(json, "coefficient", known, stiff->coefficient);
    number_if(json, "inertia", known, stiff->inertia);
    trm_json_key_integer(json, "changes", change.changes);
    trm_json_key_integer(json, "ida_steps", change.implicit_steps);
    trm_json_end(json);
}

static void write_counters(trm_json *json, const trm_program_run *run)
{
    const trm_stats stats = run->sim != NULL ? trm_sim_stats(run->sim) : (trm_stats){0};
    number_if(json, "t", run->sim != NULL, run->sim != NULL ? trm_sim_state(run->sim).t : 0);
    trm_json_key_integer(json, "steps", stats.steps);
    trm_json_key_integer(json, "rejected", stats.rejected);
    trm_json_key(json, "evaluations");
    trm_json_object(json);
    trm_json_key_integer(json, "force", stats.force_evals);
    trm_json_key_integer(json, "jacobian", stats.jacobian_evals);
    trm_json_key_integer(json, "factorization", stats.factorizations);
    trm_json_end(json);
}

/// Joints whose rows depend on each other in a singular position; rows of a joint follow each
/// other.
static void write_joints(trm_json *json, const trm_program_run *run, const trm_crossing *crossing)
{
    const char *before = NULL;
    trm_json_key(json, "joints");
    trm_json_array(json);
    for (int i = 0; i < crossing->nrows; i++) {
        const char *const name = trm_model_row_info(run->model, crossing->rows[i]).name;
        if (before == NULL || strcmp(before, name) != 0) {
            trm_json_string(json, name);
        }
        before = name;
    }
    trm_json_end(json);
}

static void write_crossing(trm_json *json, const trm_program_run *run, const trm_crossing *c)
{
    trm_json_object(json);
    trm_json_key_number(json, "t", c->t);
    trm_json_key_number(json, "step", c->h);
    trm_json_key_number(json, "sigma", c->sigma);
    trm_json_key_integer(json, "rank_before", c->rank_before);
    trm_json_key_integer(json, "rank_at", c->rank_at);
    trm_json_key_integer(json, "rank_after", c->rank_after);
    write_joints(json, run, c);
    trm_json_key_boolean(json, "bifurcation", c->bifurcation);
    trm_json_key_boolean(json, "resolved", c->judged && c->resolved);
    trm_json_key_boolean(json, "undecided", c->judged && c->undecided);
    number_if(json, "energy_lost", c->judged, c->energy_lost);
    trm_json_key(json, "branch_changed");
    if (c->judged) {
        trm_json_boolean(json, c->branch_changed);
    } else {
        trm_json_null(json);
    }
    trm_json_end(json);
}

static void write_singularity(trm_json *json, const trm_program_run *run, const trm_report *report)
{
    trm_json_key(json, "singularity");
    trm_json_object(json);
    trm_json_key_integer(json, "crossings", report->crossings);
    trm_json_key_integer(json, "resolved", report->resolved);
    trm_json_key_integer(json, "undecided", report->undecided);
    number_if(json, "first_undecided_t", report->undecided > 0, report->first_undecided);
    trm_json_key_integer(json, "closed_steps",
                         run->sim != NULL ? trm_sim_stats(run->sim).closed_steps : 0);
    number_if(json, "energy_lost_max", run->sim != NULL, report->crossing_energy_lost);
    number_if(json, "t_energy_lost_max", run->sim != NULL && report->crossing_energy_lost > 0,
              report->t_crossing_energy_lost);
    number_if(json, "rcond_min", run->sim != NULL, report->rcond_min);
    number_if(json, "t_rcond_min", run->sim != NULL, report->t_rcond_min);
    trm_json_key_integer(json, "bifurcations", report->bifurcations);
    number_if(json, "first_bifurcation_t", report->bifurcations > 0, report->first_bifurcation);
    trm_json_key(json, "crossing_log"); // of the last crossings
    trm_json_list(json);
    trm_crossing crossing;
    for (long i = 0; run->sim != NULL && i < report->crossings; i++) {
        if (trm_sim_crossing(run->sim, i, &crossing)) {
            write_crossing(json, run, &crossing);
        }
    }
    trm_json_end(json);
    trm_json_end(json);
}

/// Null where no step was taken, and for what does not apply.
static void write_verdicts(trm_json *json, const trm_program_run *run)
{
    static const char *const inputs[] = {"none", "proved", "sampled", "unchecked"};
    const int known = run->sim != NULL && trm_sim_stats(run->sim).steps > 0;
    const trm_verdicts verdicts = trm_sim_verdicts(run->sim);
    trm_json_key(json, "verdicts");
    trm_json_object(json);
    trm_json_key_string(json, "constraints", verdicts.constraints);
    trm_json_key_string(json, "energy", verdicts.energy);
    trm_json_key_string(json, "branch", verdicts.branch);
    trm_json_key_string(json, "forces", verdicts.forces);
    trm_json_key_string(json, "inputs", known ? inputs[trm_sim_report(run->sim).inputs] : NULL);
    trm_json_end(json);
}

static void write_forces(trm_json *json, const trm_program_run *run)
{
    const trm_forces forces = trm_sim_forces(run->sim);
    const int known = run->sim != NULL, worst = forces.worst;
    trm_json_key(json, "forces");
    trm_json_object(json);
    number_if(json, "friction", known, forces.friction);
    number_if(json, "contacts", known, forces.contacts);
    number_if(json, "work", known && !isnan(forces.work), forces.work);
    number_if(json, "reactions", known && !isnan(forces.reactions), forces.reactions);
    trm_json_key_string(json, "worst",
                        worst >= 0 ? trm_model_contact_info(run->model, worst).name : NULL);
    number_if(json, "t_worst", worst >= 0, forces.t_worst);
    number_if(json, "t_none", known && !isnan(forces.t_none), forces.t_none);
    trm_json_end(json);
}

static void write_checks(trm_json *json, const trm_program_run *run)
{
    const int known = run->sim != NULL;
    const trm_report report = known ? trm_sim_report(run->sim) : (trm_report){.worst_row = -1};
    const trm_drift drift = known ? trm_sim_drift(run->sim) : (trm_drift){0};
    const trm_energy energy = known ? trm_sim_energy(run->sim) : (trm_energy){0};
    const int worst = report.worst_row;

    trm_play_json(run, &report, json);
    trm_json_key(json, "drift");
    trm_json_object(json);
    number_if(json, "position_max", known, report.position_drift);
    number_if(json, "position_max_relative", known, report.position_drift_relative);
    number_if(json, "velocity_max", known, report.velocity_drift);
    number_if(json, "velocity_max_relative", known, report.velocity_drift_relative);
    number_if(json, "between_max", known, report.between);
    number_if(json, "between_max_relative", known, report.between_relative);
    number_if(json, "t_between_max", known && report.between_row >= 0, report.t_between);
    number_if(json, "position_end", known, drift.position);
    number_if(json, "velocity_end", known, drift.velocity);
    trm_json_key_string(json, "worst",
                        worst >= 0 ? trm_model_row_info(run->model, worst).name : NULL);
    trm_json_end(json);

    trm_json_key(json, "energy");
    trm_json_object(json);
    number_if(json, "initial", known, report.energy_initial);
    number_if(json, "end", known, energy.kinetic + energy.potential);
    number_if(json, "error_max", known, report.energy_error);
    number_if(json, "error_max_relative", known, report.energy_error_relative);
    trm_json_end(json);

    write_forces(json, run);

    trm_json_key(json, "branch");
    trm_json_object(json);
    trm_json_key_integer(json, "changes", report.branch_changes);
    number_if(json, "first_change_t", report.branch_changes > 0, report.first_branch_change);
    trm_json_end(json);

    write_singularity(json, run, &report);
}

static void write_body(trm_json *json, const trm_program_run *run, int i, const trm_state *state)
{
    const trm_body_info info = trm_model_body_info(run->model, i);
    const double *const q = state->q + info.q0, *const v = state->v + info.v0;
    const int d = trm_scene_get_info(run->scene).dimension, rotates = info.nv > d;
    trm_json_key(json, info.name);
    trm_json_object(json);
    trm_json_key_vector(json, "position", d, q);
    if (rotates && d == 2) {
        trm_json_key_number(json, "angle", q[2]);
    } else if (rotates) {
        trm_json_key_vector(json, "quat_wxyz", 4, q + 3);
    }
    trm_json_key_vector(json, "velocity", d, v);
    if (rotates && d == 2) {
        trm_json_key_number(json, "rate", v[2]);
    } else if (rotates) {
        trm_json_key_vector(json, "rate", 3, v + 3);
    }
    trm_json_end(json);
}

/// Rows of one owner follow each other.
static void write_lambda(trm_json *json, const trm_program_run *run, const trm_state *state)
{
    const int nc = trm_model_sizes(run->model).nc;
    const char *owner = NULL;
    trm_json_key(json, "lambda");
    trm_json_object(json);
    for (int i = 0; i < nc; i++) {
        const char *const name = trm_model_row_info(run->model, i).name;
        if (owner == NULL || strcmp(owner, name) != 0) {
            if (owner != NULL) {
                trm_json_end(json);
            }
            trm_json_key(json, name);
            trm_json_array(json);
            owner = name;
        }
        trm_json_number(json, state->lambda[i]);
    }
    if (owner != NULL) {
        trm_json_end(json);
    }
    trm_json_end(json);
}

/// The rows, "joint row", whose multipliers redundancy leaves open; null when that is not known.
static void write_undetermined(trm_json *json, const trm_program_run *run, const trm_state *state)
{
    const int nc = trm_model_sizes(run->model).nc;
    int *const unique = calloc((size_t)nc + 1, sizeof *unique);
    trm_json_key(json, "undetermined");
    if (unique == NULL ||
        trm_unique_multipliers(run->model, state->t, state->q, unique, NULL) != TRM_OK) {
        trm_json_null(json);
        free(unique);
        return;
    }
    trm_json_array(json);
    for (int i = 0; i < nc; i++) {
        const trm_row_info row = trm_model_row_info(run->model, i);
        char text[160];
        snprintf(text, sizeof text, "%s%s%s", row.name, *row.label != '\0' ? " " : "", row.label);
        if (!unique[i]) {
            trm_json_string(json, text);
        }
    }
    trm_json_end(json);
    free(unique);
}

static void write_state(trm_json *json, const trm_program_run *run)
{
    trm_json_key(json, "state");
    if (run->sim == NULL) {
        trm_json_null(json);
        return;
    }
    const trm_state state = trm_sim_state(run->sim);
    const int nbody = trm_model_sizes(run->model).nbody;
    trm_json_object(json);
    trm_json_key_number(json, "t", state.t);
    trm_json_key(json, "bodies");
    trm_json_object(json);
    for (int i = 0; i < nbody; i++) {
        write_body(json, run, i, &state);
    }
    trm_json_end(json);
    write_lambda(json, run, &state);
    write_undetermined(json, run, &state);
    trm_json_end(json);
}

/// Null where nothing has a value.
static void write_outputs(trm_json *json, const trm_program_run *run)
{
    trm_json_key(json, "outputs");
    trm_json_object(json);
    for (int i = 0; i < trm_model_sizes(run->model).noutput; i++) {
        trm_json_key_number(json, trm_model_output_info(run->model, i).name,
                            trm_run_output(run, i));
    }
    trm_json_end(json);
}

static void write_events(trm_json *json, const trm_program_run *run)
{
    const trm_sizes n = trm_model_sizes(run->model);
    trm_json_key(json, "events");
    trm_json_array(json);
    for (long i = 0; i < run->nhappened; i++) {
        const trm_happened *event = &run->happened[i];
        trm_json_object(json);
        trm_json_key_string(json, "name", trm_model_event_info(run->model, event->event).name);
        trm_json_key_number(json, "t", event->t);
        trm_json_key_vector(json, "q", n.nq, event->z);
        trm_json_key_vector(json, "v", n.nv, event->z + n.nq);
        trm_json_end(json);
    }
    trm_json_end(json);
}

/// How the run has followed formulas of t.
static void write_inputs(trm_json *json, const trm_program_run *run)
{
    static const char *const words[] = {"none", "proved", "sampled", "unchecked"};
    const trm_input_coverage f = trm_sim_input_coverage(run->sim);
    trm_json_key(json, "inputs");
    trm_json_object(json);
    trm_json_key_string(json, "status", words[f.inputs]);
    trm_json_key_number(json, "missed", f.missed);
    trm_json_key_integer(json, "unproved", f.unproved);
    trm_json_key_integer(json, "switched", f.mode_changes);
    trm_json_key_integer(json, "unsearched", f.unsearched);
    trm_json_end(json);
}

void trm_run_json(const trm_program_run *run)
{
    trm_json json = {.out = stdout};
    const double t = run->sim != NULL ? trm_sim_state(run->sim).t : 0;
    trm_json_object(&json);
    trm_json_key_string(&json, "scene", run->arguments.scene);
    trm_json_key_string(&json, "title",
                        run->scene != NULL ? trm_scene_get_info(run->scene).title : NULL);
    write_method(&json, run);
    trm_json_key_string(&json, "status",
                        run->status == TRM_OK ? "done" : trm_status_name(run->status));
    write_error(&json, run);
    write_counters(&json, run);
    write_stiffness(&json, run);
    write_verdicts(&json, run);
    write_checks(&json, run);
    trm_accuracy_json(run, &json);
    write_inputs(&json, run);
    trm_run_write_contacts(&json, run);
    write_events(&json, run);
    number_if(&json, "cpu_s", run->started, run->cpu);
    number_if(&json, "realtime_factor", run->cpu > 0, t / run->cpu);
    write_state(&json, run);
    write_outputs(&json, run);
    if (run->assembly.body != NULL) {
        trm_assembly_json(&run->assembly, &json);
    }
    trm_json_end(&json);
}
