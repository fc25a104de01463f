/// trammel linearize: small motions around a state or an equilibrium.
#include "tools/linear/linearize.h"

#include "tools/common/commands.h"
#include "tools/common/contact_words.h"
#include "tools/common/diagnose.h"
#include "tools/common/load.h"
#include "tools/common/method_choice.h"
#include "tools/common/output.h"
#include "tools/linear/response.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --------------------------------------------------------------------------- for text and JSON

const char *trm_stability_name(trm_stability stability)
{
    static const char *const names[] = {"stable", "marginal", "unstable", "unknown"};
    return names[stability];
}

int trm_linearized_dimension(const trm_linearized *l)
{
    return trm_scene_get_info(l->scene).dimension;
}

const char *trm_component_name(const trm_linearized *l, int i)
{
    static const char *const planar[] = {"x", "y", "angle"};
    static const char *const spatial[] = {"x", "y", "z", "turn x", "turn y", "turn z"};
    return trm_linearized_dimension(l) == 2 ? planar[i] : spatial[i];
}

// --------------------------------------------------------------------------------------- the state

static trm_status no_memory(trm_linearized *l)
{
    return TRM_FAIL(&l->error, TRM_ERR_MEMORY, NULL, "out of memory");
}

static trm_status take_memory(trm_linearized *l)
{
    const trm_sizes n = trm_model_sizes(l->model);
    l->q = calloc((size_t)n.nq + 1, sizeof *l->q);
    l->v = calloc((size_t)n.nv + 1, sizeof *l->v);
    l->held = calloc((size_t)n.ncontact + 1, sizeof *l->held);
    l->inputs = calloc((size_t)n.ninput + 1, sizeof *l->inputs);
    l->outputs = calloc(3 * (size_t)n.nmarker + 1, sizeof *l->outputs);
    return l->q && l->v && l->held && l->inputs && l->outputs ? TRM_OK : no_memory(l);
}

/// The start, or where a run of high accuracy has come to at --at T.
static trm_status follow_run(trm_linearized *l, int *started)
{
    trm_choice choice;
    trm_sim *sim = NULL;
    const trm_simulation of_scene = trm_scene_simulation(l->scene);
    l->arguments.assemble |= of_scene.assemble != 0;
    TRM_TRY(trm_choose_method(&l->arguments, l->model, 1e-9, &choice, &l->error));
    TRM_TRY(trm_sim_create(l->model, &choice.options, &sim, &l->error));
    *started = 1;
    trm_state state = trm_sim_state(sim);
    trm_status status = TRM_OK;
    if (l->arguments.assemble) {
        status = trm_assembly_measure(l->scene, l->model, &state, &l->assembly, &l->error);
    }
    status = status ? status : trm_sim_run(sim, l->arguments.at, NULL, NULL, &l->error);
    state = trm_sim_state(sim);
    const trm_sizes n = trm_model_sizes(l->model);
    l->t = state.t;
    memcpy(l->q, state.q, (size_t)n.nq * sizeof *l->q);
    memcpy(l->v, state.v, (size_t)n.nv * sizeof *l->v);
    status = status ? status : trm_query_take_run(l->query, l->scene, sim, &l->error);
    trm_contact_state contact;
    for (int k = 0; trm_sim_contact(sim, k, &contact); k++) {
        l->held[l->nheld] = k;
        l->nheld += trm_contact_is_held(contact.mode);
    }
    trm_sim_destroy(sim);
    // what the run has drifted by, far below its accuracy
    return status ? status : trm_query_close(l->query, l->t, l->q, l->v, &l->error);
}

static trm_status search(trm_linearized *l, int *started)
{
    trm_equilibrium_options options = trm_default_equilibrium_options();
    options.stable = !l->arguments.nearest;
    trm_model_initial_state(l->model, l->q, l->v);
    *started = 1;
    const trm_sizes n = trm_model_sizes(l->model);
    memset(l->v, 0, (size_t)(n.nv - n.nstate) * sizeof *l->v);
    options.states = l->v + n.nv - n.nstate;
    l->searched = 1;
    return trm_query_equilibrium(l->query, &options, l->q, NULL, &l->found, &l->error);
}

// ------------------------------------------------------------------------------ inputs and outputs

static void list_outputs(trm_linearized *l)
{
    const int nmarker = trm_model_sizes(l->model).nmarker, d = trm_linearized_dimension(l);
    for (int i = 0; i < nmarker; i++) {
        const trm_marker_info marker = trm_model_marker_info(l->model, i);
        for (int k = 0; k < d; k++) {
            trm_output *const out = &l->outputs[l->noutput++];
            out->body = marker.body;
            memcpy(out->local, marker.local, sizeof out->local);
            out->axis[k] = 1;
        }
    }
}

/// With a column in B for each of l->inputs. Errors: as trm_query_linearize.
static trm_status with_inputs(trm_linearized *l, trm_error *err)
{
    const trm_linear_task task = {.inputs = l->inputs,
                                  .ninput = l->ninput,
                                  .outputs = l->outputs,
                                  .noutput = l->noutput,
                                  .sensors = &l->sensor,
                                  .nsensor = l->nsensor};
    return trm_query_linearize(l->query, l->t, l->q, l->v, &task, &l->linear, err);
}

/// Inputs of motors and constraints move the positions themselves; they are left out.
static trm_status without_motors(trm_linearized *l)
{
    const int n = l->ninput;
    l->ninput = 0;
    for (int i = 0; i < n; i++) {
        const trm_linear_task one = {.inputs = &i, .ninput = 1};
        trm_linear *linear = NULL;
        const trm_status status =
            trm_query_linearize(l->query, l->t, l->q, l->v, &one, &linear, &l->error);
        trm_linear_destroy(linear);
        if (status == TRM_OK) {
            l->inputs[l->ninput++] = i;
        } else if (status != TRM_ERR_OPTIONS) {
            return status;
        }
    }
    return with_inputs(l, &l->error);
}

static trm_status linearize(trm_linearized *l, int *started)
{
    if ((l->arguments.step_to > 0 || l->arguments.output) && !l->arguments.response) {
        return TRM_FAIL(&l->error, TRM_ERR_OPTIONS, l->arguments.output ? "-o" : "--step",
                        "belongs to --response IN,OUT");
    }
    TRM_TRY(trm_output_kind(l->arguments.output, ".svg", &l->error));
    TRM_TRY(trm_load(&l->arguments, &l->scene, &l->model, &l->error));
    TRM_TRY(take_memory(l));
    TRM_TRY(trm_query_create(l->model, &l->query, &l->error));
    TRM_TRY(l->arguments.equilibrium ? search(l, started) : follow_run(l, started));
    list_outputs(l);
    if (l->arguments.response) {
        TRM_TRY(trm_response_read(l));
        TRM_TRY(with_inputs(l, &l->error));
        TRM_TRY(trm_response_find(l));
        return l->arguments.output ? trm_response_draw(l) : TRM_OK;
    }
    l->ninput = trm_model_sizes(l->model).ninput;
    for (int i = 0; i < l->ninput; i++) {
        l->inputs[i] = i;
    }
    const trm_status status = with_inputs(l, &l->error);
    return status == TRM_ERR_OPTIONS ? without_motors(l) : status;
}

// ----------------------------------------------------------------------------------- subcommand

static void destroy(trm_linearized *l)
{
    trm_assembly_destroy(&l->assembly);
    trm_linear_destroy(l->linear);
    trm_query_destroy(l->query);
    free(l->q), free(l->v), free(l->held), free(l->inputs), free(l->outputs), free(l->response),
        free(l->step);
    trm_model_destroy(l->model);
    trm_scene_destroy(l->scene);
    trm_arguments_destroy(&l->arguments);
}

int trm_command_linearize(int argc, char **argv)
{
    trm_linearized l = {.error.t = NAN};
    int started = 0;
    l.status = trm_arguments_parse(TRM_COMMAND_LINEARIZE, argc, argv, &l.arguments, &l.error);
    if (l.status == TRM_OK && l.arguments.help) {
        trm_help(TRM_COMMAND_LINEARIZE);
        destroy(&l);
        return TRM_EXIT_DONE;
    }
    if (l.status == TRM_OK) {
        l.status = linearize(&l, &started);
    } else {
        l.arguments.json = trm_arguments_want_json(argc, argv);
    }
    trm_diagnose_as_options(&l.error);
    if (l.arguments.json) {
        trm_linearized_json(&l);
    } else if (l.linear) {
        trm_linearized_text(&l);
        fflush(stdout);
    }
    if (l.status != TRM_OK) {
        trm_diagnose(&l.error, l.arguments.scene);
    }
    const int code = trm_exit_code(l.status, started);
    if (code == TRM_EXIT_USAGE) {
        fputs("Try \"trammel help linearize\".\n", stderr);
    }
    destroy(&l);
    return code;
}
