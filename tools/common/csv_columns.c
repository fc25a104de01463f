#include "tools/common/csv_columns.h"

#include "program/suggest.h"
#include "trammel/trammel_contact.h"
#include "trammel/trammel_error.h"
#include "trammel/trammel_query.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED = 512 }; // bytes of a name at most

static const char *const axes[] = {"x", "y", "z"};

// --------------------------------------------------------------------------------------- table

typedef struct builder {
    const trm_scene *scene;
    const trm_model *model;
    trm_columns *columns;
    int failed;
} builder;

/// Appends a column named by `format`; NULL when memory is short.
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
static trm_column *
add(builder *b, trm_column_source source, int index, const char *unit, const char *format, ...)
{
    trm_columns *const columns = b->columns;
    if (columns->n == columns->room) {
        const int room = 2 * columns->room + 64;
        trm_column *const grown = realloc(columns->at, (size_t)room * sizeof *grown);
        b->failed |= grown == NULL;
        columns->at = grown != NULL ? grown : columns->at;
        columns->room = grown != NULL ? room : columns->room;
    }
    char *const name = b->failed ? NULL : malloc(NAMED);
    b->failed |= name == NULL;
    if (b->failed) {
        free(name);
        return NULL;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(name, NAMED, format, args);
    va_end(args);
    trm_column *const added = &columns->at[columns->n++];
    *added = (trm_column){.name = name, .unit = unit, .source = source, .index = index};
    return added;
}

/// A number that the sensor of that name reads.
static trm_status add_sensor(builder *b, const char *owner, const char *what, int open,
                             trm_error *err)
{
    trm_column *const added =
        add(b, TRM_COLUMN_SENSOR, 0, "", "%s%s%s", owner, *what ? "." : "", what);
    if (added == NULL) {
        return TRM_OK; // told at the end
    }
    TRM_TRY(trm_model_sensor(b->model, added->name, &added->sensor, err));
    added->unit = added->sensor.unit;
    added->open = open;
    return TRM_OK;
}

static void add_body(builder *b, const trm_body_info *body, int dimension, int rotates)
{
    static const char *const quaternion[] = {"qw", "qx", "qy", "qz"};
    int q = body->q0, v = body->v0;
    for (int i = 0; i < dimension && i < 3; i++) {
        add(b, TRM_COLUMN_Q, q++, "m", "%s.%s", body->name, axes[i]);
    }
    if (rotates && dimension == 2) {
        add(b, TRM_COLUMN_Q, q++, "rad", "%s.angle", body->name);
    }
    for (int i = 0; rotates && dimension == 3 && i < 4; i++) {
        add(b, TRM_COLUMN_Q, q++, "", "%s.%s", body->name, quaternion[i]);
    }
    for (int i = 0; i < dimension && i < 3; i++) {
        add(b, TRM_COLUMN_V, v++, "m/s", "%s.v%s", body->name, axes[i]);
    }
    if (rotates && dimension == 2) {
        add(b, TRM_COLUMN_V, v++, "rad/s", "%s.rate", body->name);
    }
    for (int i = 0; rotates && dimension == 3 && i < 3; i++) {
        add(b, TRM_COLUMN_V, v++, "rad/s", "%s.w%s", body->name, axes[i]);
    }
}

static void add_state(builder *b)
{
    add(b, TRM_COLUMN_TIME, 0, "", "t");
    for (int i = 0; i < trm_model_sizes(b->model).nbody; i++) {
        const trm_body_info body = trm_model_body_info(b->model, i);
        const int dimension = trm_scene_get_info(b->scene).dimension;
        add_body(b, &body, dimension, body.nv > dimension); // a point mass does not turn
    }
}

static void add_markers(builder *b)
{
    const int dimension = trm_scene_get_info(b->scene).dimension;
    trm_marker_info marker;
    for (int i = 0; (marker = trm_scene_marker_info(b->scene, i)).name != NULL; i++) {
        for (int k = 0; k < dimension && k < 3 && marker.body >= 0; k++) {
            add(b, TRM_COLUMN_MARKER, 3 * i + k, "m", "%s.%s", marker.name, axes[k]);
        }
    }
}

static trm_status add_coordinates(builder *b, trm_error *err)
{
    for (int i = 0; i < trm_model_sizes(b->model).njoint; i++) {
        const trm_joint_info joint = trm_model_joint_info(b->model, i);
        if (*joint.unit) {
            TRM_TRY(add_sensor(b, joint.name, "coordinate", 0, err));
            TRM_TRY(add_sensor(b, joint.name, "coordinate_rate", 0, err));
        }
    }
    return TRM_OK;
}

static void add_multipliers(builder *b, const int *unique)
{
    for (int i = 0; i < trm_model_sizes(b->model).nc; i++) {
        const trm_row_info row = trm_model_row_info(b->model, i);
        const char *const unit = strcmp(row.unit, "rad") == 0 ? "N m" : "N";
        trm_column *const added = add(b, TRM_COLUMN_LAMBDA, i, unit, "%s.lambda%s%s", row.name,
                                      *row.label ? "_" : "", row.label);
        if (added != NULL) {
            added->open = unique != NULL && !unique[i];
        }
    }
}

/// What a exerts on b in each joint, in world axes.
static trm_status add_reactions(builder *b, const int *unique, trm_error *err)
{
    static const char *const plane[] = {"force_x", "force_y", "torque_z", NULL};
    static const char *const space[] = {"force_x",  "force_y",  "force_z", "torque_x",
                                        "torque_y", "torque_z", NULL};
    const char *const *const parts = trm_scene_get_info(b->scene).dimension == 2 ? plane : space;
    for (int i = 0; i < trm_model_sizes(b->model).njoint; i++) {
        const trm_joint_info joint = trm_model_joint_info(b->model, i);
        int open = 0;
        if (joint.of >= 0 && joint.rows == 0) {
            continue;
        }
        for (int k = joint.row; unique != NULL && k < joint.row + joint.rows; k++) {
            open |= !unique[k];
        }
        for (int k = 0; parts[k] != NULL; k++) {
            TRM_TRY(add_sensor(b, joint.name, parts[k], open, err));
        }
    }
    return TRM_OK;
}

/// Motors, actuators and inputs.
static trm_status add_drives(builder *b, const int *unique, trm_error *err)
{
    const trm_sizes n = trm_model_sizes(b->model);
    for (int i = 0; i < n.njoint; i++) {
        const trm_joint_info joint = trm_model_joint_info(b->model, i);
        const int last = joint.row + joint.rows - 1; // the motor's row
        if (joint.has_motor) {
            TRM_TRY(add_sensor(b, joint.name, "motor", unique != NULL && !unique[last], err));
        }
    }
    for (int i = 0; i < n.nactuator; i++) {
        TRM_TRY(add_sensor(b, trm_model_actuator_info(b->model, i).name, "effort", 0, err));
    }
    for (int i = 0; i < n.ninput; i++) {
        TRM_TRY(add_sensor(b, trm_model_input_info(b->model, i).name, "", 0, err));
    }
    return TRM_OK;
}

/// Limits, stops and friction: what they exert, how far that is undetermined in dwells, and how far
/// a stop is open. The coordinate of a
/// joint's limits has a column already; rows of friction alone have no gap.
static trm_status add_contacts(builder *b, trm_error *err)
{
    for (int i = 0; i < trm_model_sizes(b->model).ncontact; i++) {
        const trm_contact_info contact = trm_model_contact_info(b->model, i);
        const int limited = isfinite(contact.lo) || isfinite(contact.hi);
        if (limited && trm_model_find(b->model, TRM_ELEMENT_JOINT, contact.name) < 0) {
            TRM_TRY(add_sensor(b, contact.name, "gap", 0, err));
        }
        TRM_TRY(add_sensor(b, contact.name, "contact_force", 0, err));
        char open[NAMED];
        trm_sensor found;
        snprintf(open, sizeof open, "%s.contact_undetermined", contact.name);
        if (trm_model_sensor(b->model, open, &found, NULL) == TRM_OK) {
            TRM_TRY(add_sensor(b, contact.name, "contact_undetermined", 0, err));
        }
    }
    return TRM_OK;
}

static trm_status add_outputs(builder *b, trm_error *err)
{
    for (int i = 0; i < trm_model_sizes(b->model).noutput; i++) {
        TRM_TRY(add_sensor(b, trm_model_output_info(b->model, i).name, "", 0, err));
    }
    return TRM_OK;
}

static void add_checks(builder *b)
{
    static const struct {
        trm_column_check check;
        const char *name, *unit;
    } checks[] = {
        {TRM_CHECK_POSITION, "drift.position", ""},
        {TRM_CHECK_VELOCITY, "drift.velocity", ""},
        {TRM_CHECK_KINETIC, "energy.kinetic", "J"},
        {TRM_CHECK_POTENTIAL, "energy.potential", "J"},
        {TRM_CHECK_WORK, "energy.work", "J"},
        {TRM_CHECK_RCOND, "singularity.rcond", ""},
        {TRM_CHECK_SIGMA, "singularity.sigma", ""},
        {TRM_CHECK_CROSSINGS, "singularity.crossings", ""},
        {TRM_CHECK_BIFURCATIONS, "singularity.bifurcations", ""},
        {TRM_CHECK_BRANCH_CHANGES, "singularity.branch_changes", ""},
    };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        add(b, TRM_COLUMN_CHECK, (int)checks[i].check, checks[i].unit, "%s", checks[i].name);
    }
}

static trm_status finish(const builder *b, trm_status status, trm_error *err)
{
    if (status == TRM_OK && b->failed) {
        status = TRM_FAIL(err, TRM_ERR_MEMORY, "columns", "out of memory");
    }
    if (status != TRM_OK) {
        trm_columns_destroy(b->columns);
    }
    return status;
}

static trm_status add_all(builder *b, const int *unique, trm_error *err)
{
    add_state(b);
    add_markers(b);
    TRM_TRY(add_coordinates(b, err));
    add_multipliers(b, unique);
    TRM_TRY(add_reactions(b, unique, err));
    TRM_TRY(add_drives(b, unique, err));
    TRM_TRY(add_contacts(b, err));
    TRM_TRY(add_outputs(b, err));
    add_checks(b);
    return TRM_OK;
}

trm_status trm_columns_create(const trm_scene *scene, const trm_model *model, const int *unique,
                              trm_columns *out, trm_error *err)
{
    builder b = {.scene = scene, .model = model, .columns = out};
    *out = (trm_columns){0};
    return finish(&b, add_all(&b, unique, err), err);
}

trm_status trm_columns_of_state(const trm_scene *scene, const trm_model *model, trm_columns *out,
                                trm_error *err)
{
    builder b = {.scene = scene, .model = model, .columns = out};
    *out = (trm_columns){0};
    add_state(&b);
    return finish(&b, TRM_OK, err);
}

void trm_columns_destroy(trm_columns *columns)
{
    for (int i = 0; i < columns->n; i++) {
        free(columns->at[i].name);
    }
    free(columns->at);
    *columns = (trm_columns){0};
}

// -------------------------------------------------------------------------------------- choice

/// bar.x, bar.x[m], bar, O.force, *.angle: the whole name, its owner, how it begins, or a pattern.
static int fits(const char *wanted, const trm_column *column)
{
    const size_t length = strlen(column->name), unit = strlen(column->unit);
    const char *const rest = wanted + length; // behind the name
    if (strncmp(wanted, column->name, length) == 0 &&
        (*rest == '\0' || (*rest == '[' && strncmp(rest + 1, column->unit, unit) == 0 &&
                           strcmp(rest + 1 + unit, "]") == 0))) {
        return 1;
    }
    const size_t n = strlen(wanted);
    const char next = strncmp(wanted, column->name, n) == 0 ? column->name[n] : '\0';
    const int begins = next == '.' || (next == '_' && strchr(wanted, '.') != NULL);
    return begins || (strpbrk(wanted, "*?") != NULL && fnmatch(wanted, column->name, 0) == 0);
}

int trm_column_is_in_formulas(const char *wanted, const trm_column *column)
{
    const size_t owner = strcspn(wanted, ".");
    if (wanted[owner] != '.' || strncmp(wanted, column->name, owner + 1) != 0) {
        return 0;
    }
    const char *const what = wanted + owner + 1, *const is = column->name + owner + 1;
    const char *const formula = strcmp(column->unit, "rad") == 0 ? "angle" : "position";
    return (strcmp(is, "coordinate") == 0 && strcmp(what, formula) == 0) ||
           (strcmp(is, "coordinate_rate") == 0 && strcmp(what, "rate") == 0);
}

/// Notes in keep[] which columns fit; returns whether there are any.
static int find(const trm_columns *columns, const char *wanted,
                int (*fit)(const char *wanted, const trm_column *column), char *keep)
{
    int found = 0;
    for (int i = 0; i < columns->n; i++) {
        const int is = fit(wanted, &columns->at[i]);
        keep[i] |= (char)is;
        found |= is;
    }
    return found;
}

static trm_status refuse(const trm_columns *columns, const char *wanted, trm_error *err)
{
    char owner[NAMED], hint[100];
    trm_suggestion near = trm_suggest(wanted, strlen(wanted));
    for (int i = 0; i < columns->n; i++) {
        const char *const name = columns->at[i].name;
        trm_suggest_consider(&near, name);
    }
    char *const owners = malloc((size_t)columns->n * NAMED + 1);
    for (int i = 0; owners != NULL && i < columns->n; i++) { // they outlive the suggestion's text
        char *const at = owners + (size_t)i * NAMED;
        const char *const name = columns->at[i].name;
        snprintf(at, NAMED, "%.*s", (int)strcspn(name, "."), name);
        trm_suggest_consider(&near, at);
    }
    snprintf(owner, sizeof owner, "%s", trm_suggest_text(&near, hint, sizeof hint));
    free(owners);
    return TRM_FAIL(err, TRM_ERR_OPTIONS, "--columns", "the recording has no column \"%.60s\"%s%s",
                    wanted, owner, *owner ? "" : "; docs/reference/recordings.md lists them");
}

trm_status trm_columns_choose(trm_columns *columns, const char *wanted, trm_error *err)
{
    char *const keep = calloc((size_t)columns->n + 1, 1);
    if (keep == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "--columns", "out of memory");
    }
    keep[0] = 1; // the time
    trm_status status = TRM_OK;
    for (const char *at = wanted; at != NULL && status == TRM_OK;) {
        char piece[NAMED];
        const size_t length = strcspn(at, ",");
        snprintf(piece, sizeof piece, "%.*s", (int)length, at);
        const int found = find(columns, piece, fits, keep) ||
                          find(columns, piece, trm_column_is_in_formulas, keep);
        status = found ? TRM_OK : refuse(columns, piece, err);
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    int n = 0;
    for (int i = 0; status == TRM_OK && i < columns->n; i++) {
        if (keep[i]) {
            columns->at[n++] = columns->at[i];
        } else {
            free(columns->at[i].name);
        }
    }
    columns->n = status == TRM_OK ? n : columns->n;
    free(keep);
    return status;
}

// -------------------------------------------------------------------------------------- header

/// The name of a column in the header; returns its length.
static size_t write_name(const trm_column *column, trm_header how, char out[2 * NAMED])
{
    const char *const mark = column->open ? ".undetermined_at_start" : "";
    const int bare = how == TRM_HEADER_PLAIN || *column->unit == '\0';
    const int n = snprintf(out, 2 * NAMED, "%s%s%s%s%s", column->name, mark, bare ? "" : "[",
                           bare ? "" : column->unit, bare ? "" : "]");
    for (char *at = out; how == TRM_HEADER_PLAIN && *at != '\0'; at++) {
        *at = (char)(isalnum((unsigned char)*at) ? *at : '_');
    }
    return (size_t)n;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/// Two columns of one plain name: body a-b and body a_b.
static trm_status check_distinct(const char *header, int n, trm_error *err)
{
    const size_t size = strlen(header) + 1;
    char *const text = malloc(size);
    char **const name = malloc((size_t)n * sizeof *name);
    if (text == NULL || name == NULL) {
        free(text);
        free(name);
        return TRM_FAIL(err, TRM_ERR_MEMORY, "--header", "out of memory");
    }
    memcpy(text, header, size);
    char *at = text;
    for (int i = 0; i < n; i++) {
        name[i] = at;
        at += strcspn(at, ",");
        *at++ = '\0';
    }
    qsort(name, (size_t)n, sizeof *name, by_name);
    trm_status status = TRM_OK;
    for (int i = 1; status == TRM_OK && i < n; i++) {
        if (strcmp(name[i - 1], name[i]) == 0) {
            status = TRM_FAIL(err, TRM_ERR_OPTIONS, "--header",
                              "two columns would be called \"%.80s\"; rename an element, or leave "
                              "the units in the names",
                              name[i]);
        }
    }
    free(text);
    free(name);
    return status;
}

trm_status trm_columns_header(const trm_columns *columns, trm_header how, char **out,
                              trm_error *err)
{
    char name[2 * NAMED];
    size_t size = 1, used = 0;
    for (int i = 0; i < columns->n; i++) {
        size += write_name(&columns->at[i], how, name) + 1;
    }
    char *const header = malloc(size);
    if (header == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "columns", "out of memory");
    }
    header[0] = '\0';
    for (int i = 0; i < columns->n; i++) {
        const size_t n = write_name(&columns->at[i], how, name);
        if (i > 0) {
            header[used++] = ',';
        }
        memcpy(header + used, name, n + 1);
        used += n;
    }
    const trm_status status =
        how == TRM_HEADER_PLAIN ? check_distinct(header, columns->n, err) : TRM_OK;
    if (status != TRM_OK) {
        free(header);
        return status;
    }
    *out = header;
    return TRM_OK;
}
