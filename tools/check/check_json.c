/// trammel check --json: one object. The keys up to "residual" are the contract; those after it
/// tell the rest of the diagnosis.
#include "program/settings.h"
#include "tools/check/check.h"
#include "tools/common/contact_words.h"
#include "tools/common/json_out.h"

static const char *kind_name(trm_redundancy_kind kind)
{
    static const char *const names[] = {"structural", "singular-here", "contradictory",
                                        "unclassified"};
    return names[kind];
}

/// "rows", "joints" and "lines" of a list of rows.
static void write_rows(trm_json *json, const trm_inspection *in, const int *rows, int n)
{
    trm_json_key(json, "rows");
    trm_json_array(json);
    for (int i = 0; i < n; i++) {
        trm_json_integer(json, rows[i]);
    }
    trm_json_end(json);
    trm_json_key(json, "joints");
    trm_json_array(json);
    for (int i = 0; i < n; i++) {
        if (trm_inspection_first(in, rows, i)) {
            trm_json_string(json, trm_model_row_info(in->model, rows[i]).name);
        }
    }
    trm_json_end(json);
    trm_json_key(json, "lines");
    trm_json_array(json);
    for (int i = 0; i < n; i++) {
        if (trm_inspection_first(in, rows, i)) {
            trm_json_integer(json, trm_inspection_line(in, rows[i]));
        }
    }
    trm_json_end(json);
}

static void write_set(trm_json *json, const trm_inspection *in, const trm_redundancy *r)
{
    trm_json_object(json);
    write_rows(json, in, r->rows, r->nrows);
    trm_json_key_string(json, "kind", kind_name(r->kind));
    trm_json_key(json, "labels");
    trm_json_array(json);
    for (int i = 0; i < r->nrows; i++) {
        trm_json_string(json, trm_model_row_info(in->model, r->rows[i]).label);
    }
    trm_json_end(json);
    trm_json_end(json);
}

static void write_contract(trm_json *json, const trm_inspection *in)
{
    const trm_diagnosis *const d = in->found;
    const int worst = trm_inspection_worst_row(in);
    trm_json_key(json, "coordinates");
    trm_json_object(json);
    trm_json_key_integer(json, "q", d->sizes.nq);
    trm_json_key_integer(json, "v", d->sizes.nv);
    trm_json_end(json);
    trm_json_key_integer(json, "constraints", d->sizes.nc);
    trm_json_key_integer(json, "rank", d->rank);
    trm_json_key_integer(json, "degrees_of_freedom", d->degrees_of_freedom);
    trm_json_key_integer(json, "freedoms_of_position", d->freedoms_of_position);
    trm_json_key_number(json, "misfit", d->misfit);
    trm_json_key(json, "redundant");
    trm_json_list(json);
    for (int i = 0; i < d->nsets; i++) {
        write_set(json, in, &d->sets[i]);
    }
    trm_json_end(json);
    if (d->nunsearched > 0) {
        trm_json_key_integer(json, "redundant_unsearched", d->nunsearched);
    }
    trm_json_key_boolean(json, "consistent", d->consistent);
    trm_json_key(json, "residual");
    trm_json_object(json);
    trm_json_key_number(json, "position", d->position);
    trm_json_key_number(json, "velocity", d->velocity);
    trm_json_key_string(json, "worst",
                        worst >= 0 ? trm_model_row_info(in->model, worst).name : NULL);
    trm_json_end(json);
}

static void write_freedom(trm_json *json, const trm_inspection *in)
{
    static const char *const examined[] = {"given", "closed", "open"};
    const trm_diagnosis *const d = in->found;
    trm_json_key_boolean(json, "complete", d->complete);
    trm_json_key_string(json, "examined", examined[d->examined]);
    trm_json_key(json, "freedom");
    trm_json_object(json);
    trm_json_key_integer(json, "gruebler", d->gruebler);
    trm_json_key_integer(json, "rank_nearby", d->rank_nearby);
    trm_json_key(json, "mobility"); // null where it is not known
    if (d->mobility >= 0) {
        trm_json_integer(json, d->mobility);
    } else {
        trm_json_null(json);
    }
    trm_json_key(json, "idle");
    trm_json_list(json);
    for (int i = 0; i < d->nidle; i++) {
        trm_json_object(json);
        trm_json_key_string(json, "body", trm_model_body_info(in->model, d->idle[i].body).name);
        trm_json_key_string(json, "motion", d->idle[i].slides ? "slides" : "spins");
        trm_json_key_vector(json, "point", 3, d->idle[i].point);
        trm_json_key_vector(json, "axis", 3, d->idle[i].axis);
        trm_json_end(json);
    }
    trm_json_end(json);
    trm_json_end(json);
}

static void write_conflicts(trm_json *json, const trm_inspection *in)
{
    const trm_diagnosis *const d = in->found;
    trm_json_key(json, "conflicts");
    trm_json_list(json);
    for (int k = 0; k < d->nconflicts; k++) {
        const trm_conflict *const c = &d->conflicts[k];
        trm_json_object(json);
        trm_json_key_number(json, "t", c->t);
        trm_json_key_number(json, "t_gap", c->t_gap);
        trm_json_key_boolean(json, "elsewhere", c->elsewhere);
        write_rows(json, in, c->rows, c->nrows);
        trm_json_key(json, "gaps");
        trm_json_list(json);
        for (int i = 0; i < c->ngaps; i++) {
            trm_json_object(json);
            trm_json_key_string(json, "joint", trm_model_row_info(in->model, c->gaps[i].row).name);
            trm_json_key_number(json, "gap", c->gaps[i].size);
            trm_json_key_string(json, "unit", c->gaps[i].unit);
            trm_json_end(json);
        }
        trm_json_end(json);
        trm_json_end(json);
    }
    trm_json_end(json);
}

static void write_start(trm_json *json, const trm_inspection *in)
{
    const trm_diagnosis *const d = in->found;
    const int row = d->acceleration_row;
    trm_json_key(json, "acceleration");
    trm_json_object(json);
    trm_json_key_boolean(json, "consistent", row < 0);
    trm_json_key_number(json, "residual", d->acceleration);
    trm_json_key_string(json, "worst", row >= 0 ? trm_model_row_info(in->model, row).name : NULL);
    trm_json_end(json);
    trm_json_key(json, "given");
    trm_json_object(json);
    trm_json_key(json, "poses");
    trm_json_array(json);
    for (int i = 0; i < d->poses.n; i++) {
        trm_json_string(json, trm_model_body_info(in->model, d->poses.index[i]).name);
    }
    trm_json_end(json);
    trm_json_key(json, "velocities");
    trm_json_list(json);
    for (int i = 0; i < d->velocities.n; i++) {
        int body = 0;
        const char *const component = trm_inspection_component(in, d->velocities.index[i], &body);
        trm_json_object(json);
        trm_json_key_string(json, "body", trm_model_body_info(in->model, body).name);
        trm_json_key_string(json, "component", component);
        trm_json_key_number(json, "value", d->velocities.value[i]);
        trm_json_end(json);
    }
    trm_json_end(json);
    trm_json_end(json);
}

/// By joint, one word for each of its rows.
static void write_reactions(trm_json *json, const trm_inspection *in)
{
    const trm_diagnosis *const d = in->found;
    trm_json_key(json, "reactions");
    trm_json_object(json);
    trm_json_key_integer(json, "undetermined", d->nundetermined);
    trm_json_key_string(json, "value", "least sum of D_i lambda_i^2, D the diagonal of G M^-1 G^T");
    trm_json_key(json, "joints");
    trm_json_object(json);
    const char *open = NULL;
    for (int i = 0; d->unique && i < d->sizes.nc; i++) {
        const char *const name = trm_model_row_info(in->model, i).name;
        if (name != open) {
            if (open) {
                trm_json_end(json);
            }
            trm_json_key(json, name);
            trm_json_array(json);
            open = name;
        }
        trm_json_string(json, d->unique[i] ? "unique" : "undetermined");
    }
    if (open) {
        trm_json_end(json);
    }
    trm_json_end(json);
    trm_json_end(json);
}

static void write_relaxations(trm_json *json, const trm_relaxation *list, int n)
{
    trm_json_key(json, "relax");
    trm_json_list(json);
    for (int i = 0; i < n; i++) {
        trm_json_object(json);
        trm_json_key_string(json, "joint", list[i].name);
        trm_json_key_string(json, "make", list[i].kind);
        trm_json_key_integer(json, "removed", list[i].removed);
        trm_json_key_integer(json, "redundant_left", list[i].redundant_left);
        trm_json_key_integer(json, "degrees_of_freedom", list[i].degrees_of_freedom);
        trm_json_end(json);
    }
    trm_json_end(json);
}

static void write_assemblies(trm_json *json, const trm_inspection *in)
{
    const trm_diagnosis *const d = in->found;
    trm_json_key(json, "assemblies");
    trm_json_object(json);
    trm_json_key_integer(json, "count", d->nassemblies);
    trm_json_key_string(json, "held",
                        d->held >= 0 ? trm_model_body_info(in->model, d->held).name : NULL);
    trm_json_key(json, "positions");
    trm_json_list(json);
    for (int k = 0; k < d->nassemblies; k++) {
        trm_json_object(json);
        for (int b = 0; b < d->sizes.nbody; b++) {
            const trm_body_info info = trm_model_body_info(in->model, b);
            trm_json_key_vector(json, info.name, info.nq, d->assemblies[k] + info.q0);
        }
        trm_json_end(json);
    }
    trm_json_end(json);
    trm_json_end(json);
}

static void write_hints(trm_json *json, const trm_inspection *in)
{
    const trm_diagnosis *const d = in->found;
    trm_json_key(json, "hints");
    trm_json_list(json);
    for (int i = 0; i < d->noff_ends; i++) {
        const trm_off_end *const off = &d->off_ends[i];
        trm_json_object(json);
        trm_json_key_string(json, "joint", off->name);
        trm_json_key_string(json, "body", trm_model_body_info(in->model, off->body).name);
        trm_json_key_number(json, "beyond_end", off->beyond);
        trm_json_key_number(json, "beside", off->beside);
        trm_json_end(json);
    }
    trm_json_end(json);
}

/// Only where there are any.
static void write_contacts(trm_json *json, const trm_inspection *in)
{
    trm_json_key(json, "contacts");
    trm_json_list(json);
    for (int i = 0; i < trm_model_sizes(in->model).ncontact; i++) {
        trm_json_object(json);
        trm_json_key_string(json, "name", trm_model_contact_info(in->model, i).name);
        trm_json_key_string(json, "mode", trm_contact_mode_name(in->contacts[i].mode));
        trm_json_key_number(json, "x", in->contacts[i].x);
        trm_json_key_number(json, "force", in->contacts[i].force);
        trm_json_end(json);
    }
    trm_json_end(json);
}

static void write_error(trm_json *json, const trm_inspection *in)
{
    trm_json_key(json, "error");
    trm_json_object(json);
    trm_json_key_string(json, "code", trm_status_name(in->status));
    trm_json_key_string(json, "message", in->error.message);
    trm_json_key_string(json, "where", in->error.where);
    trm_json_key_number(json, "t", in->error.t);
    trm_json_end(json);
}

static void write_unused(trm_json *json, const trm_inspection *in)
{
    trm_unused_info unused;
    trm_json_key(json, "unused");
    trm_json_list(json);
    for (int i = 0; (unused = trm_scene_unused_info(in->scene, i)).name != NULL; i++) {
        trm_json_object(json);
        trm_json_key_string(json, "kind", unused.kind);
        trm_json_key_string(json, "name", unused.name);
        trm_json_key_integer(json, "line", unused.line);
        trm_json_end(json);
    }
    trm_json_end(json);
}

static void write_diagnosis(trm_json *json, const trm_inspection *in)
{
    const trm_diagnosis *const d = in->found;
    write_contract(json, in);
    write_freedom(json, in);
    write_conflicts(json, in);
    if (in->found->conflicts_unsearched) {
        trm_json_key_boolean(json, "conflicts_unsearched", 1);
    }
    write_start(json, in);
    write_reactions(json, in);
    write_relaxations(json, d->relaxations, d->nrelaxations);
    write_assemblies(json, in);
    write_hints(json, in);
    write_unused(json, in);
}

void trm_inspection_json(const trm_inspection *in)
{
    static const char *const keys[] = {"coordinates",
                                       "constraints",
                                       "rank",
                                       "degrees_of_freedom",
                                       "freedoms_of_position",
                                       "misfit",
                                       "redundant",
                                       "consistent",
                                       "residual",
                                       "complete",
                                       "examined",
                                       "freedom",
                                       "conflicts",
                                       "acceleration",
                                       "given",
                                       "reactions",
                                       "relax",
                                       "assemblies",
                                       "hints",
                                       "unused"};
    trm_json json = {.out = stdout};
    trm_json_object(&json);
    if (in->found != NULL) {
        write_diagnosis(&json, in);
    }
    for (size_t i = 0; in->found == NULL && i < sizeof keys / sizeof *keys; i++) {
        trm_json_key_string(&json, keys[i], NULL);
    }
    if (in->contacts != NULL) {
        write_contacts(&json, in);
    }
    if (in->assembly.body != NULL) {
        trm_assembly_json(&in->assembly, &json);
    }
    if (in->status != TRM_OK) {
        write_error(&json, in);
    }
    trm_json_end(&json);
}
