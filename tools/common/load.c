#include "tools/common/load.h"

#include "program/settings.h"
#include "program/suggest.h"
#include "tools/common/csv_columns.h"
#include "tools/common/output.h"
#include "trammel/trammel_error.h"
#include "trammel/trammel_simulate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/// The number of the initial state that is called so; TRM_SETS_PARAMETER: none.
static trm_setting_target find_state(const trm_columns *columns, const char *name)
{
    for (int i = 0; i < columns->n; i++) {
        const trm_column *const c = &columns->at[i];
        if (strcmp(c->name, name) == 0 && c->source != TRM_COLUMN_TIME) {
            return (trm_setting_target){
                c->source == TRM_COLUMN_Q ? TRM_SETS_POSITION : TRM_SETS_VELOCITY, c->index};
        }
    }
    return (trm_setting_target){TRM_SETS_PARAMETER, -1};
}

static trm_status no_parameter(const trm_scene *scene, const trm_columns *columns, const char *name,
                               const char *where, trm_error *err)
{
    char hint[80];
    trm_suggestion suggestion = trm_suggest(name, strlen(name));
    const char *known;
    for (int i = 0; (known = trm_scene_parameter_info(scene, i).name) != NULL; i++) {
        trm_suggest_consider(&suggestion, known);
    }
    for (int i = 1; strchr(name, '.') != NULL && i < columns->n; i++) {
        trm_suggest_consider(&suggestion, columns->at[i].name);
    }
    return TRM_FAIL(err, TRM_ERR_OPTIONS, where, "the scene has no %s \"%.40s\"%s",
                    strchr(name, '.') != NULL ? "number of the initial state" : "parameter", name,
                    trm_suggest_text(&suggestion, hint, sizeof hint));
}

/// Its components are not independent.
static int is_quaternion(const char *name)
{
    const char *const dot = strrchr(name, '.');
    return dot != NULL && dot[1] == 'q' && strchr("wxyz", dot[2]) != NULL && dot[2] != '\0';
}

/// A coordinate of a joint, which the scene reads as it does its parameters.
static int is_of_joint(const char *name)
{
    return strncmp(name, "start.", 6) == 0;
}

trm_status trm_setting_find(const trm_scene *scene, const trm_model *model, const char *name,
                            const char *where, trm_setting_target *out, trm_error *err)
{
    const char *known;
    if (is_of_joint(name)) {
        *out = (trm_setting_target){TRM_SETS_PARAMETER, -1};
        return TRM_OK;
    }
    for (int i = 0; (known = trm_scene_parameter_info(scene, i).name) != NULL; i++) {
        if (strcmp(known, name) == 0) {
            *out = (trm_setting_target){TRM_SETS_PARAMETER, i};
            return TRM_OK;
        }
    }
    trm_columns columns = {0};
    if (model != NULL) {
        TRM_TRY(trm_columns_of_state(scene, model, &columns, err));
    }
    *out = find_state(&columns, name);
    trm_status status = TRM_OK;
    if (out->index < 0) {
        status = no_parameter(scene, &columns, name, where, err);
    } else if (is_quaternion(name)) {
        status = TRM_FAIL(err, TRM_ERR_OPTIONS, where,
                          "\"%.60s\" is one of four numbers of a rotation; it has no value of its "
                          "own",
                          name);
    }
    trm_columns_destroy(&columns);
    return status;
}

static trm_status build_parameters(trm_scene *scene, int n, const char *const *names,
                                   const trm_setting_target *targets, const char *const *values,
                                   trm_error *err)
{
    const char **const lists = calloc(2 * (size_t)n + 1, sizeof *lists);
    int used = 0;
    if (lists == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "--set", "out of memory");
    }
    for (int i = 0; i < n; i++) {
        if (targets[i].kind == TRM_SETS_PARAMETER) {
            lists[used] = names[i];
            lists[n + used++] = values[i];
        }
    }
    const trm_status status = trm_scene_set_all(scene, used, lists, lists + n, err);
    free(lists);
    return status;
}

trm_status trm_settings_build(trm_scene *scene, int n, const char *const *names,
                              const trm_setting_target *targets, const char *const *values,
                              trm_model **model, trm_error *err)
{
    *model = NULL;
    TRM_TRY(build_parameters(scene, n, names, targets, values, err));
    TRM_TRY(trm_model_build(scene, model, err));
    for (int i = 0; i < n; i++) {
        double value = 0;
        const trm_status status = targets[i].kind == TRM_SETS_PARAMETER
                                      ? TRM_OK
                                      : trm_number_read(values[i], &value, names[i], err);
        if (status != TRM_OK) {
            trm_model_destroy(*model);
            *model = NULL;
            return status;
        }
        if (targets[i].kind != TRM_SETS_PARAMETER) {
            trm_model_start_at(*model, targets[i].kind == TRM_SETS_VELOCITY, targets[i].index,
                               value);
        }
    }
    return TRM_OK;
}

/// One "name=value" of a parameter; of the initial state when the name has a dot: then nothing yet.
static trm_status set(trm_scene *scene, const char *setting, trm_error *err)
{
    char name[128], where[80];
    snprintf(where, sizeof where, "--set %.60s", setting);
    const size_t length = strcspn(setting, "=");
    if (length >= sizeof name) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, where, "the name is too long");
    }
    memcpy(name, setting, length);
    name[length] = '\0';
    if (strchr(name, '.') != NULL && !is_of_joint(name)) {
        return TRM_OK;
    }
    trm_setting_target target;
    TRM_TRY(trm_setting_find(scene, NULL, name, where, &target, err));
    trm_error wrong = {0};
    const trm_status status = trm_scene_set(scene, name, setting + length + 1, &wrong);
    if (status == TRM_ERR_SYNTAX) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, where, "%s", wrong.message);
    }
    if (status != TRM_OK && err != NULL) {
        *err = wrong;
    }
    return status;
}

/// One "bar.rate=value".
static trm_status start_at(const trm_scene *scene, trm_model *model, const char *setting,
                           trm_error *err)
{
    char name[128], where[80];
    const size_t length = strcspn(setting, "=");
    snprintf(where, sizeof where, "--set %.60s", setting);
    snprintf(name, sizeof name, "%.*s", (int)length, setting);
    if (strchr(name, '.') == NULL || is_of_joint(name)) {
        return TRM_OK;
    }
    trm_setting_target target;
    double value = 0;
    TRM_TRY(trm_setting_find(scene, model, name, where, &target, err));
    TRM_TRY(trm_number_read(setting + length + 1, &value, where, err));
    trm_model_start_at(model, target.kind == TRM_SETS_VELOCITY, target.index, value);
    return TRM_OK;
}

static trm_status stop_when(trm_scene *scene, const char *condition, trm_error *err)
{
    trm_error wrong = {0};
    const trm_status status = trm_scene_stop_when(scene, condition, &wrong);
    if (status == TRM_ERR_SYNTAX || status == TRM_ERR_SCENE) {
        char where[80];
        snprintf(where, sizeof where, "--until \"%.60s\"", condition);
        return TRM_FAIL(err, TRM_ERR_OPTIONS, where, "%s", wrong.message);
    }
    if (status != TRM_OK && err != NULL) {
        *err = wrong;
    }
    return status;
}

uint64_t trm_load_sum(const trm_scene *scene)
{
    uint64_t sum = 0;
    trm_file_info file;
    for (int i = 0; (file = trm_scene_file_info(scene, i)).path != NULL; i++) {
        sum = (sum ^ file.sum) * UINT64_C(1099511628211);
    }
    return sum;
}

trm_status trm_load(const trm_arguments *arguments, trm_scene **scene, trm_model **model,
                    trm_error *err)
{
    *scene = NULL;
    *model = NULL;
    const trm_scene_source source = {.path = arguments->scene,
                                     .allow_files = arguments->allow_files};
    TRM_TRY(trm_scene_open(&source, scene, err));
    TRM_TRY(trm_input_note_scene(*scene, err));
    for (int i = 0; i < arguments->nset; i++) {
        TRM_TRY(set(*scene, arguments->set[i], err));
    }
    if (arguments->until != NULL) {
        TRM_TRY(stop_when(*scene, arguments->until, err));
    }
    if (arguments->given & TRM_GIVEN_MISFIT) {
        TRM_TRY(trm_scene_set_misfit(*scene, arguments->misfit, err));
    }
    if (arguments->given & TRM_GIVEN_COORDINATES) {
        TRM_TRY(trm_scene_set_coordinates(*scene, (trm_coordinates)arguments->coordinates, err));
    }
    TRM_TRY(trm_model_build(*scene, model, err));
    for (int i = 0; i < arguments->nset; i++) {
        TRM_TRY(start_at(*scene, *model, arguments->set[i], err));
    }
    return TRM_OK;
}

trm_status trm_file_text(const char *path, char **out, trm_error *err)
{
    struct stat about;
    FILE *const file = fopen(path, "rb");
    if (file == NULL || fstat(fileno(file), &about) != 0 || S_ISDIR(about.st_mode)) {
        const int reason = file == NULL ? errno : EISDIR;
        if (file != NULL) {
            fclose(file);
        }
        return TRM_FAIL(err, TRM_ERR_IO, path, "cannot be read: %s", strerror(reason));
    }
    size_t used = 0, size = about.st_size > 0 ? (size_t)about.st_size + 1 : 1 << 16, n = 1;
    char *text = malloc(size + 1);
    while (text != NULL && (n = fread(text + used, 1, size - used, file)) > 0) {
        used += n;
        if (used == size) {
            char *const grown = realloc(text, 2 * size + 1);
            if (grown == NULL) {
                free(text);
            }
            text = grown;
            size *= 2;
        }
    }
    fclose(file);
    if (text == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, path, "out of memory");
    }
    text[used] = '\0';
    *out = text;
    return TRM_OK;
}
