#include "tools/compare/forces.h"

#include "tools/common/csv_columns.h"
#include "trammel/trammel_check.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Units by trm_force_kind.
static const char *const units[TRM_FORCE_KINDS] = {"N", "N m", "m/s^2", "rad/s^2"};

static const double known = 1e-13;      // the tolerance of references
static const double as_the_motion = 10; // as trm_verdict_of_forces has it

static int kind_of(const char *unit)
{
    int k = 0;
    while (k < TRM_FORCE_KINDS && strcmp(unit, units[k]) != 0) {
        k++;
    }
    return k;
}

// ------------------------------------------------------------------------------------- the list

static void take(trm_force_list *list, int kind, int row, const trm_sensor *sensor)
{
    trm_force *const added = &list->at[list->n++];
    *added = (trm_force){.kind = kind, .row = row};
    if (sensor != NULL) {
        list->sensors[list->nsensors++] = *sensor;
    }
}

static void take_column(trm_force_list *list, const trm_column *column)
{
    const int of_row = column->source == TRM_COLUMN_LAMBDA;
    const size_t name = strlen(column->name), end = strlen(".contact_undetermined");
    const int dwell = name > end && strcmp(column->name + name - end, ".contact_undetermined") == 0;
    if (dwell || (kind_of(column->unit) < TRM_FORCE_KINDS && !column->open)) {
        take(list, dwell ? TRM_FORCE_UNDETERMINED : kind_of(column->unit),
             of_row ? column->index : -1, of_row ? NULL : &column->sensor);
    }
}

static void take_columns(trm_force_list *list, const trm_columns *columns, trm_column_source source)
{
    for (int i = 0; i < columns->n; i++) {
        if (columns->at[i].source == source) {
            take_column(list, &columns->at[i]);
        }
    }
}

/// A point mass has no angular acceleration, and no such sensor.
static void take_accelerations(trm_force_list *list, const trm_scene *scene, const trm_model *model)
{
    static const char *const plane[] = {"ax", "ay", "angular_acceleration"};
    static const char *const space[] = {"ax", "ay", "az", "angular_acceleration"};
    const int flat = trm_scene_get_info(scene).dimension == 2;
    const int parts = flat ? 3 : 4;
    for (int b = 0; b < trm_model_sizes(model).nbody; b++) {
        for (int k = 0; k < parts; k++) {
            char name[600];
            trm_sensor sensor;
            snprintf(name, sizeof name, "%s.%s", trm_model_body_info(model, b).name,
                     flat ? plane[k] : space[k]);
            if (trm_model_sensor(model, name, &sensor, NULL) == TRM_OK) {
                const int kind = kind_of(sensor.unit);
                take(list, kind, -1, &sensor);
                for (int i = 1; i < sensor.size; i++) {
                    list->at[list->n++] = (trm_force){.kind = kind, .row = -1};
                }
            }
        }
    }
}

trm_status trm_forces_find(trm_comparison *c, trm_error *err)
{
    const trm_sizes n = trm_model_sizes(c->model);
    trm_force_list *const list = &c->forces;
    trm_columns columns = {0};
    int *const unique = calloc((size_t)n.nc + 1, sizeof *unique);
    trm_status status = unique ? TRM_OK : TRM_ERR_MEMORY;
    if (status == TRM_OK &&
        trm_unique_multipliers(c->model, 0, c->reference.q0, unique, NULL) == TRM_OK) {
        status = trm_columns_create(c->scene, c->model, unique, &columns, err);
    } // else accelerations alone are compared
    const size_t room = (size_t)columns.n + 6 * (size_t)n.nbody + 1;
    list->at = calloc(room, sizeof *list->at);
    list->sensors = calloc(room, sizeof *list->sensors);
    if (list->at == NULL || list->sensors == NULL) {
        status = TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    if (status == TRM_OK) {
        take_columns(list, &columns, TRM_COLUMN_LAMBDA);
        take_columns(list, &columns, TRM_COLUMN_SENSOR);
        take_accelerations(list, c->scene, c->model);
    }
    trm_columns_destroy(&columns);
    free(unique);
    return status;
}

void trm_forces_destroy(trm_force_list *list)
{
    free(list->at);
    free(list->sensors);
    *list = (trm_force_list){0};
}

// ------------------------------------------------------------------------------------ one sample

trm_status trm_forces_read(const trm_force_list *list, const trm_sim *sim, const trm_sample *sample,
                           double *out, trm_error *err)
{
    int n = 0;
    for (; n < list->n && list->at[n].row >= 0; n++) {
        out[n] = sample->state.lambda[list->at[n].row];
    }
    return trm_sim_read_sample(sim, sample, list->nsensors, list->sensors, out + n, err);
}

void trm_forces_apart(const trm_force_list *list, const double *than, const double *x,
                      trm_distance *out)
{
    int dwell = 0;
    for (int i = 0; i < list->n; i++) {
        dwell |= list->at[i].kind == TRM_FORCE_UNDETERMINED && (than[i] > 0 || x[i] > 0);
    }
    for (int i = 0; i < list->n; i++) {
        const int k = list->at[i].kind;
        const int counts = k == TRM_FORCE_ACCELERATION || k == TRM_FORCE_ANGULAR || !dwell;
        if (counts && k < TRM_FORCE_KINDS) {
            out->forces[k] = fmax(out->forces[k], fabs(x[i] - than[i]));
        }
    }
}

void trm_forces_scale(const trm_force_list *list, int n, const double *x, trm_distance *out)
{
    for (int s = 0; s < n; s++) {
        for (int i = 0; i < list->n; i++) {
            const int k = list->at[i].kind;
            if (k < TRM_FORCE_KINDS) {
                out->forces[k] =
                    fmax(out->forces[k], fabs(x[(size_t)s * (size_t)list->n + (size_t)i]));
            }
        }
    }
    for (int k = TRM_FORCE_KINDS - 1; k > 0; k -= 2) { // moments by the roundoff of forces are none
        const int none = out->forces[k] <= known * out->forces[k - 1] * out->position;
        out->forces[k] = none ? 0 : out->forces[k];
    }
}

// --------------------------------------------------------------------------------------- a run

void trm_forces_worst(int n, const trm_distance *at, double out[TRM_FORCE_KINDS])
{
    for (int k = 0; k < TRM_FORCE_KINDS; k++) {
        out[k] = n == 1 ? at[0].forces[k] : 0;
        for (int i = 1; i < n; i++) {
            out[k] = fmax(out[k], fmin(at[i].forces[k], at[i - 1].forces[k]));
        }
    }
}

double trm_forces_relative(const trm_comparison *c, const trm_compare_row *row)
{
    const trm_reference *const r = &c->reference;
    double worst = NAN;
    for (int k = 0; k < TRM_FORCE_KINDS && r->forces != NULL; k++) {
        const double off = row->error.forces[k];
        if (off > 0 && r->scale.forces[k] > 0 && off >= 100 * r->forces_apart[k]) {
            worst = fmax(worst, off / r->scale.forces[k]);
        } else if (off >= 0) {
            worst = fmax(worst, 0);
        }
    }
    return worst;
}

int trm_forces_fit(const trm_comparison *c, const trm_compare_row *row, double accuracy)
{
    return !(trm_forces_relative(c, row) > as_the_motion * accuracy) &&
           row->facts.forces != TRM_VERDICT_POOR;
}
