/// trammel check: what can be said of a scene before any step is taken.
#include "tools/check/check.h"

#include "tools/common/commands.h"
#include "tools/common/diagnose.h"
#include "tools/common/load.h"
#include "trammel/trammel_error.h"
#include "trammel/trammel_methods.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --------------------------------------------------------------------------- for text and JSON

int trm_inspection_worst_row(const trm_inspection *in)
{
    const trm_diagnosis *const d = in->found;
    const int position = d->position > in->options.tolerance || d->position >= d->velocity;
    return position ? d->position_row : d->velocity_row;
}

int trm_inspection_line(const trm_inspection *in, int row)
{
    int line = 0, column = 0;
    trm_diagnose_place(trm_model_row_info(in->model, row).where, in->arguments.scene, &line,
                       &column);
    return line;
}

int trm_inspection_first(const trm_inspection *in, const int *rows, int i)
{
    const char *const name = trm_model_row_info(in->model, rows[i]).name;
    for (int k = 0; k < i; k++) {
        if (strcmp(trm_model_row_info(in->model, rows[k]).name, name) == 0) {
            return 0;
        }
    }
    return 1;
}

const char *trm_inspection_component(const trm_inspection *in, int i, int *body)
{
    static const char *const planar[] = {"velocity x", "velocity y", "rate"};
    static const char *const spatial[] = {"velocity x", "velocity y", "velocity z",
                                          "rate x",     "rate y",     "rate z"};
    const int nbody = in->found->sizes.nbody;
    const int nv = in->found->sizes.nv;
    *body = 0;
    while (*body + 1 < nbody && trm_model_body_info(in->model, *body + 1).v0 <= i) {
        ++*body;
    }
    const trm_body_info b = trm_model_body_info(in->model, *body);
    const int k = i - b.v0;
    const int flat = b.nq == 3 && b.nv == 3 && nv > 0;
    return flat ? planar[k] : spatial[k];
}

// ------------------------------------------------------------------------------- consistency

static trm_status refuse_conflict(trm_inspection *in)
{
    const trm_conflict *const c = &in->found->conflicts[0];
    const trm_gap *widest = NULL;
    char names[128] = "", when[48] = "";
    size_t used = 0;
    for (int i = 0; i < c->ngaps; i++) {
        widest = !widest || c->gaps[i].size > widest->size ? &c->gaps[i] : widest;
        const char *const name = trm_model_row_info(in->model, c->gaps[i].row).name;
        const int n = snprintf(names + used, sizeof names - used, "%s%s",
                               i == 0              ? ""
                               : i == c->ngaps - 1 ? " and "
                                                   : ", ",
                               name);
        used += n > 0 && used + (size_t)n < sizeof names ? (size_t)n : 0;
    }
    if (!widest) {
        return TRM_OK;
    }
    if (c->t_gap > 0) {
        snprintf(when, sizeof when, "after t = %.6g s ", c->t);
    }
    const trm_row_info row = trm_model_row_info(in->model, widest->row);
    if (c->elsewhere) {
        return TRM_FAIL(&in->error, TRM_ERR_INCONSISTENT, row.where,
                        "%sthe motion cannot go on: %s can be satisfied only by another assembly",
                        when, names);
    }
    return TRM_FAIL(&in->error, TRM_ERR_INCONSISTENT, row.where,
                    "%sno position satisfies %s%s: when the others fit, %s stays open by %.6g%s%s",
                    when, names, c->ngaps > 1 ? " together" : "", row.name, widest->size,
                    *widest->unit ? " " : "", widest->unit);
}

static trm_status refuse_start(trm_inspection *in)
{
    const trm_diagnosis *const d = in->found;
    const trm_row_info row = trm_model_row_info(in->model, trm_inspection_worst_row(in));
    char where[80] = "";
    if (*row.label) {
        snprintf(where, sizeof where, " (row %.60s)", row.label);
    }
    if (d->position > in->options.tolerance) {
        return TRM_FAIL(&in->error, TRM_ERR_INCONSISTENT, row.where,
                        "the start does not close: '%s' is open by %.6g%s%s%s; --assemble closes "
                        "it where it can",
                        row.name, d->position, *row.unit ? " " : "", row.unit, where);
    }
    return TRM_FAIL(&in->error, TRM_ERR_INCONSISTENT, row.where,
                    "the initial velocities violate '%s' by %.6g %s/s%s; --assemble makes them fit",
                    row.name, d->velocity, *row.unit ? row.unit : "1", where);
}

/// Only a simulation shows the state after assembly.
static trm_status measure_assembly(trm_inspection *in, trm_error *err)
{
    trm_sim *sim = NULL;
    trm_options options = in->options;
    options.assemble = 1;
    TRM_TRY(trm_sim_create(in->model, &options, &sim, err));
    const trm_state state = trm_sim_state(sim);
    const trm_status status =
        trm_assembly_measure(in->scene, in->model, &state, &in->assembly, err);
    trm_sim_destroy(sim);
    return status;
}

/// Which limits, stops and frictions hold is known when a run begins; it refuses what does not fit.
static trm_status look_at_contacts(trm_inspection *in)
{
    const int n = trm_model_sizes(in->model).ncontact;
    trm_sim *sim = NULL;
    if (n == 0) {
        return TRM_OK;
    }
    in->contacts = calloc((size_t)n, sizeof *in->contacts);
    if (!in->contacts) {
        return TRM_FAIL(&in->error, TRM_ERR_MEMORY, NULL, "out of memory");
    }
    const trm_status status = trm_sim_create(in->model, &in->options, &sim, &in->error);
    for (int i = 0; status == TRM_OK && i < n; i++) {
        trm_sim_contact(sim, i, &in->contacts[i]);
    }
    trm_sim_destroy(sim);
    return status;
}

static trm_status inspect(trm_inspection *in)
{
    char reason[256];
    TRM_TRY(trm_load(&in->arguments, &in->scene, &in->model, &in->error));
    TRM_TRY(trm_choose_options(in->model, 1e-6, &in->options, reason, &in->error));
    in->options.assemble = in->arguments.assemble || trm_scene_simulation(in->scene).assemble;
    TRM_TRY(trm_diagnosis_create(in->scene, in->model, &in->options,
                                 trm_scene_simulation(in->scene).end, &in->found, &in->error));
    if (in->found->nconflicts > 0) {
        return refuse_conflict(in);
    }
    if (!in->found->consistent) {
        measure_assembly(in, NULL); // what --assemble would do; its failure is no news
        return refuse_start(in);
    }
    if (in->options.assemble) {
        TRM_TRY(measure_assembly(in, &in->error));
    }
    return look_at_contacts(in);
}

// ----------------------------------------------------------------------------------- subcommand

static void destroy(trm_inspection *in)
{
    trm_assembly_destroy(&in->assembly);
    free(in->contacts);
    trm_diagnosis_destroy(in->found);
    trm_model_destroy(in->model);
    trm_scene_destroy(in->scene);
    trm_arguments_destroy(&in->arguments);
}

int trm_command_check(int argc, char **argv)
{
    trm_inspection in = {.error.t = NAN};
    in.status = trm_arguments_parse(TRM_COMMAND_CHECK, argc, argv, &in.arguments, &in.error);
    if (in.status == TRM_OK && in.arguments.help) {
        trm_help(TRM_COMMAND_CHECK);
        destroy(&in);
        return TRM_EXIT_DONE;
    }
    if (in.status == TRM_OK) {
        in.status = inspect(&in);
    } else {
        in.arguments.json = trm_arguments_want_json(argc, argv);
    }
    if (in.arguments.json) {
        trm_inspection_json(&in);
    } else if (in.found != NULL) {
        trm_inspection_text(&in);
        fflush(stdout);
    }
    if (in.status != TRM_OK) {
        trm_diagnose(&in.error, in.arguments.scene);
    }
    const int code = trm_exit_code(in.status, 0);
    if (code == TRM_EXIT_USAGE) {
        fputs("Try \"trammel help check\".\n", stderr);
    }
    destroy(&in);
    return code;
}
