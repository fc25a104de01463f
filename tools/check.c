/// trammel check: what can be said of a scene before any step is taken.
#include "constraints/joint.h"
#include "engine/status.h"
#include "scenes/scene.h"
#include "tools/assembly.h"
#include "tools/commands.h"
#include "tools/diagnose.h"
#include "tools/json_out.h"
#include "tools/load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS_SHOWN = 40, OWNERS_SHOWN = 6 };

typedef struct inspection {
    trm_arguments arguments;
    trm_scene *scene;
    trm_model *model;
    trm_options options;
    trm_check *check;
    trm_assembly assembly;
    trm_status status;
    trm_error error;
} inspection;

// ------------------------------------------------------------------------------- consistency

/// The residual that speaks against the start, or the larger of the two.
static int worst_row(const inspection *in)
{
    const trm_check *const c = in->check;
    const int position = c->position > in->options.tolerance || c->position >= c->velocity;
    return position ? c->position_row : c->velocity_row;
}

static trm_status refuse_start(inspection *in)
{
    const trm_check *const c = in->check;
    const trm_row_info row = trm_model_row_info(in->model, worst_row(in));
    const char *const space = *row.label ? " " : "";
    if (c->position > in->options.tolerance) {
        return TRM_FAIL(&in->error, TRM_ERR_INCONSISTENT, row.where,
                        "the start does not close: %s%s%s is open by %.6g %s; --assemble closes it",
                        row.name, space, row.label, c->position, row.unit);
    }
    return TRM_FAIL(&in->error, TRM_ERR_INCONSISTENT, row.where,
                    "the start tears the mechanism: the velocities differ by %.6g %s/s at %s%s%s; "
                    "--assemble makes them fit",
                    c->velocity, row.unit, row.name, space, row.label);
}

/// Only a simulation shows the state after assembly.
static trm_status measure_assembly(inspection *in)
{
    trm_sim *sim = NULL;
    TRM_TRY(trm_sim_create(in->model, &in->options, &sim, &in->error));
    const trm_state state = trm_sim_state(sim);
    const trm_status status =
        trm_assembly_measure(in->scene, in->model, &state, &in->assembly, &in->error);
    trm_sim_destroy(sim);
    return status;
}

static trm_status inspect(inspection *in)
{
    char reason[256];
    TRM_TRY(trm_load(&in->arguments, &in->scene, &in->model, &in->error));
    TRM_TRY(trm_choose_options(in->model, 1e-6, &in->options, reason, &in->error));
    in->options.assemble = in->arguments.assemble || trm_scene_simulation(in->scene).assemble;
    TRM_TRY(trm_check_create(in->model, &in->options, &in->check, &in->error));
    if (!in->check->consistent) {
        return refuse_start(in);
    }
    return in->options.assemble ? measure_assembly(in) : TRM_OK;
}

// ---------------------------------------------------------------------------------------- JSON

static const char *kind_name(trm_redundancy_kind kind)
{
    static const char *const names[] = {"structural", "singular-here", "contradictory"};
    return names[kind];
}

/// Whether row i of the set is the first of its owner there.
static int first_of_owner(const trm_model *model, const trm_redundancy *r, int i)
{
    const char *const name = trm_model_row_info(model, r->rows[i]).name;
    for (int k = 0; k < i; k++) {
        if (strcmp(trm_model_row_info(model, r->rows[k]).name, name) == 0) {
            return 0;
        }
    }
    return 1;
}

static int line_of(const inspection *in, int row)
{
    int line = 0, column = 0;
    trm_diagnose_place(trm_model_row_info(in->model, row).where, in->arguments.scene, &line,
                       &column);
    return line;
}

static void write_redundancy(trm_json *json, const inspection *in, const trm_redundancy *r)
{
    trm_json_object(json);
    trm_json_key(json, "rows");
    trm_json_array(json);
    for (int i = 0; i < r->nrows; i++) {
        trm_json_integer(json, r->rows[i]);
    }
    trm_json_end(json);
    trm_json_key(json, "joints");
    trm_json_array(json);
    for (int i = 0; i < r->nrows; i++) {
        if (first_of_owner(in->model, r, i)) {
            trm_json_string(json, trm_model_row_info(in->model, r->rows[i]).name);
        }
    }
    trm_json_end(json);
    trm_json_key(json, "lines");
    trm_json_array(json);
    for (int i = 0; i < r->nrows; i++) {
        if (first_of_owner(in->model, r, i)) {
            trm_json_integer(json, line_of(in, r->rows[i]));
        }
    }
    trm_json_end(json);
    trm_json_key_string(json, "kind", kind_name(r->kind));
    trm_json_end(json);
}

static void write_error(trm_json *json, const inspection *in)
{
    trm_json_key(json, "error");
    trm_json_object(json);
    trm_json_key_string(json, "code", trm_status_name(in->status));
    trm_json_key_string(json, "message", in->error.message);
    trm_json_key_string(json, "where", in->error.where);
    trm_json_key_number(json, "t", in->error.t);
    trm_json_end(json);
}

static void write_numbers(trm_json *json, const inspection *in)
{
    const trm_check *const c = in->check;
    const int worst = worst_row(in);
    trm_json_key(json, "coordinates");
    trm_json_object(json);
    trm_json_key_integer(json, "q", c->sizes.nq);
    trm_json_key_integer(json, "v", c->sizes.nv);
    trm_json_end(json);
    trm_json_key_integer(json, "constraints", c->sizes.nc);
    trm_json_key_integer(json, "rank", c->rank);
    trm_json_key_integer(json, "degrees_of_freedom", c->degrees_of_freedom);
    trm_json_key(json, "redundant");
    trm_json_list(json);
    for (int i = 0; i < c->nredundant && c->redundant != NULL; i++) {
        write_redundancy(json, in, &c->redundant[i]);
    }
    trm_json_end(json);
    trm_json_key_boolean(json, "consistent", c->consistent);
    trm_json_key(json, "residual");
    trm_json_object(json);
    trm_json_key_number(json, "position", c->position);
    trm_json_key_number(json, "velocity", c->velocity);
    trm_json_key_string(json, "worst",
                        worst >= 0 ? trm_model_row_info(in->model, worst).name : NULL);
    trm_json_end(json);
}

static void print_json(const inspection *in)
{
    static const char *const keys[] = {
        "coordinates", "constraints", "rank",    "degrees_of_freedom",
        "redundant",   "consistent",  "residual"};
    trm_json json = {.out = stdout};
    trm_json_object(&json);
    if (in->check != NULL) {
        write_numbers(&json, in);
    }
    for (size_t i = 0; in->check == NULL && i < sizeof keys / sizeof *keys; i++) {
        trm_json_key_string(&json, keys[i], NULL);
    }
    if (in->assembly.body != NULL) {
        trm_assembly_json(&in->assembly, &json);
    }
    if (in->status != TRM_OK) {
        write_error(&json, in);
    }
    trm_json_end(&json);
}

// ---------------------------------------------------------------------------------------- text

/// "P5 tilt follows from P1, P2, P3 (structural)"
static void print_redundancy(const inspection *in, const trm_redundancy *r)
{
    const trm_row_info row = trm_model_row_info(in->model, r->rows[0]);
    int owners = 0;
    printf("%-22s%s%s%s", "", row.name, *row.label ? " " : "", row.label);
    for (int i = 1; i < r->nrows && owners <= OWNERS_SHOWN; i++) {
        if (first_of_owner(in->model, r, i)) {
            const char *const name = trm_model_row_info(in->model, r->rows[i]).name;
            printf("%s%s", owners == 0 ? " follows from " : ", ",
                   owners < OWNERS_SHOWN ? name : "...");
            owners++;
        }
    }
    printf(" (%s)\n", kind_name(r->kind));
}

static void print_freedom(const inspection *in)
{
    const trm_check *const c = in->check;
    const int redundant = c->sizes.nc - c->rank;
    printf("%-22s%d", "Degrees of freedom", c->degrees_of_freedom);
    if (c->degrees_of_freedom == 0) {
        printf(" (every motion is prescribed or blocked)");
    } else if (redundant > 0) {
        printf(" (counting rows alone gives %d)", c->sizes.nv - c->sizes.nc);
    }
    putchar('\n');
    if (redundant == 0) {
        printf("%-22snone\n", "Redundant rows");
        return;
    }
    printf("%-22s%d: here some rows follow from the others, so the forces in them are not unique\n",
           "Redundant rows", redundant);
    for (int i = 0; i < c->nredundant && c->redundant != NULL; i++) {
        print_redundancy(in, &c->redundant[i]);
    }
}

static void print_start(const inspection *in)
{
    const trm_check *const c = in->check;
    if (c->sizes.nc == 0) {
        printf("%-22snothing to violate\n", "Start");
        return;
    }
    const trm_row_info p = trm_model_row_info(in->model, c->position_row);
    const trm_row_info v = trm_model_row_info(in->model, c->velocity_row);
    const char *const state = !c->consistent         ? "INCONSISTENT"
                              : in->options.assemble ? "consistent after assembly"
                                                     : "consistent";
    printf("%-22s%s\n", "Start", state);
    printf("%-22slargest gap %.3g %s at %s%s%s\n", "", c->position, p.unit, p.name,
           *p.label ? " " : "", p.label);
    printf("%-22sin velocity %.3g %s/s at %s%s%s\n", "", c->velocity, v.unit, v.name,
           *v.label ? " " : "", v.label);
}

static int rows_of(const trm_model *model, const char *name)
{
    const int nc = trm_model_sizes(model).nc;
    int n = 0;
    for (int i = 0; i < nc; i++) {
        n += strcmp(trm_model_row_info(model, i).name, name) == 0;
    }
    return n;
}

static const char *body_name(const trm_scene *scene, int body)
{
    return body >= 0 ? scene->bodies[body].name : "ground";
}

static void print_joints(const inspection *in)
{
    const trm_scene *const s = in->scene;
    const int shown = s->njoints <= JOINTS_SHOWN ? s->njoints : JOINTS_SHOWN / 2;
    if (s->njoints + s->nconstraints > 0) {
        printf("\n%-14s%-16s%-28s%6s%7s\n", "Joint", "type", "connects", "rows", "line");
    }
    for (int i = 0; i < shown; i++) {
        const trm_scene_joint *const j = &s->joints[i];
        char pair[96];
        snprintf(pair, sizeof pair, "%s - %s", body_name(s, j->body[0]), body_name(s, j->body[1]));
        printf("%-13s %-15s %-27s %6d%7d%s\n", j->name, j->kind->name, pair,
               rows_of(in->model, j->name), j->place.line, j->motor.text != NULL ? "  driven" : "");
    }
    if (shown < s->njoints) {
        printf("... and %d more\n", s->njoints - shown);
    }
    for (int i = 0; i < s->nconstraints && i < JOINTS_SHOWN; i++) {
        const trm_scene_constraint *const c = &s->constraints[i];
        printf("%-13s %-15s %-27.27s %6d%7d\n", c->name, "expression", c->expression.text,
               rows_of(in->model, c->name), c->place.line);
    }
}

static void print_text(const inspection *in)
{
    const trm_sizes n = in->check->sizes;
    if (*trm_scene_title(in->scene) != '\0') {
        puts(trm_scene_title(in->scene));
    }
    printf("%s\n\n", in->arguments.scene);
    printf("%-22s%d, in %s\n", "Moving bodies", n.nbody,
           in->scene->dimension == 2 ? "the plane" : "space");
    printf("%-22s%d (%d velocities)\n", "Coordinates", n.nq, n.nv);
    printf("%-22s%d, of rank %d\n", "Constraint rows", n.nc, in->check->rank);
    print_freedom(in);
    print_start(in);
    if (in->assembly.body != NULL) {
        trm_assembly_print(&in->assembly);
    }
    print_joints(in);
}

// ----------------------------------------------------------------------------------- subcommand

static void destroy(inspection *in)
{
    trm_assembly_destroy(&in->assembly);
    trm_check_destroy(in->check);
    trm_model_destroy(in->model);
    trm_scene_destroy(in->scene);
    trm_arguments_destroy(&in->arguments);
}

int trm_command_check(int argc, char **argv)
{
    inspection in = {.error.t = NAN};
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
        print_json(&in);
    } else if (in.check != NULL) {
        print_text(&in);
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
