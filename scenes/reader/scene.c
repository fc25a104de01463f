// The life of a scene: loaded or parsed, overridden, added to, destroyed.

#include "base/scene/scene.h"

#include "base/accuracy_policy.h"
#include "base/status.h"
#include "base/text/suggest.h"
#include "program/settings.h"
#include "program/suggest.h"
#include "program/view.h"
#include "scenes/import/import.h"
#include "scenes/json/scene_file.h"
#include "scenes/reader/reader.h"
#include "trammel/trammel_simulate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Everything of the scene that comes from its text, into `pool`. Of the document only
/// names and texts stay, which are in the pool: its nodes would be half of a large scene's memory.
static trm_status read_into(trm_scene *scene, const trm_scene_store *store,
                            const trm_overrides *overrides, trm_pool *pool, trm_error *err)
{
    trm_document document;
    TRM_TRY(trm_document_open(store->path, store->text, store->length, pool, &document, err));
    trm_reader reader = {.scene = scene,
                         .document = &document,
                         .overrides = overrides,
                         .allow_files = store->allow_files,
                         .pool = pool,
                         .err = err};
    scene->path = store->path;
    scene->simulation.misfit = TRM_MISFIT;
    const trm_status status = trm_read_scene(&reader);
    trm_pool_close(&reader.names);
    trm_document_close(&document);
    return status;
}

static char *copy_of(const char *text)
{
    char *const copy = text ? malloc(strlen(text) + 1) : NULL;
    return copy ? strcpy(copy, text) : NULL;
}

/// What came of a robot of another format.
typedef struct imported {
    const char *title, *path; ///< for messages about the scene; of the robot. NULL: a scene
    trm_losses losses;
    trm_pool pool;
} imported;

/// Takes over the text of `bytes` and what was imported.
static trm_status create(const char *path, const trm_bytes *bytes, const char *allow_files,
                         imported from, trm_scene **out, trm_error *err)
{
    trm_scene *scene = calloc(1, sizeof *scene);
    trm_scene_store *store = calloc(1, sizeof *store);
    char *const copy = copy_of(from.title ? from.title : path), *const allowed =
                                                                    copy_of(allow_files);
    if (!scene || !store || !copy || (allow_files && !allowed)) {
        free(bytes->text);
        free(scene);
        free(store);
        free(copy);
        free(allowed);
        trm_pool_close(&from.pool);
        return TRM_FAIL(err, TRM_ERR_MEMORY, path, "out of memory");
    }
    *store = (trm_scene_store){.path = copy,
                               .text = bytes->text,
                               .length = bytes->length,
                               .file = bytes->file,
                               .allow_files = allowed,
                               .losses = from.losses,
                               .import_pool = from.pool};
    store->file.path = !bytes->file.path ? NULL : from.path ? from.path : copy;
    scene->store = store;
    const trm_status status = read_into(scene, store, &store->overrides, &store->pool, err);
    if (status != TRM_OK) {
        trm_scene_destroy(scene);
        return status;
    }
    *out = scene;
    return TRM_OK;
}

static trm_status copy_text(const trm_scene_source *source, trm_bytes *out, trm_error *err)
{
    if (source->length > TRM_MAX_FILE) {
        return TRM_FAIL(err, TRM_ERR_IO, "scene", "the text is larger than %d MB",
                        TRM_MAX_FILE / (1024 * 1024));
    }
    *out = (trm_bytes){.text = malloc(source->length + 1), .length = source->length};
    if (!out->text) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "scene", "out of memory");
    }
    if (source->length > 0) {
        memcpy(out->text, source->json, source->length);
    }
    out->text[source->length] = '\0';
    return TRM_OK;
}

/// The title says that places are those of the scene.
static trm_status import(const trm_scene_source *source, imported *out, trm_bytes *bytes,
                         trm_error *err)
{
    const char *const path = source->path ? source->path : "robot";
    char title[4096];
    snprintf(title, sizeof title, "%.4000s as a scene", path);
    out->title = trm_pool_copy(&out->pool, title, strlen(title));
    out->path = trm_pool_copy(&out->pool, path, strlen(path));
    const trm_status status = trm_import(source, &out->pool, bytes, &out->losses, err);
    if (status != TRM_OK) {
        trm_pool_close(&out->pool);
    }
    return status;
}

trm_status trm_scene_open(const trm_scene_source *source, trm_scene **out, trm_error *err)
{
    trm_bytes bytes = {0};
    TRM_CLEAR(out);
    if (!out || !source) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, out ? "source" : "out",
                        "expected a source and a place for the scene, got NULL");
    }
    if ((source->path != NULL) == (source->json != NULL)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "source", "expected a path or a text, got %s",
                        source->path ? "both" : "neither");
    }
    TRM_TRY(source->path ? trm_bytes_read(source->path, 0, &bytes, err)
                         : copy_text(source, &bytes, err));
    imported from = {0};
    if (trm_import_is(source)) {
        TRM_TRY(import(source, &from, &bytes, err));
    }
    return create(source->path ? source->path : "scene", &bytes, source->allow_files, from, out,
                  err);
}

trm_loss_info trm_scene_loss_info(const trm_scene *scene, int loss)
{
    return scene && loss >= 0 && loss < scene->store->losses.n ? scene->store->losses.items[loss]
                                                               : (trm_loss_info){0};
}

trm_file_info trm_scene_file_info(const trm_scene *scene, int file)
{
    if (!scene || file < 0) {
        return (trm_file_info){0};
    }
    const int own = scene->store->file.path != NULL;
    if (file < own) {
        return scene->store->file;
    }
    return file - own < scene->nfiles ? scene->files[file - own] : (trm_file_info){0};
}

void trm_scene_destroy(trm_scene *scene)
{
    if (!scene) {
        return;
    }
    if (scene->store) {
        trm_scene_store_close(scene->store);
        free(scene->store);
    }
    free(scene->user_forces);
    free(scene->user_constraints);
    free(scene);
}

trm_scene_info trm_scene_get_info(const trm_scene *scene)
{
    return scene ? (trm_scene_info){scene->title, scene->dimension, scene->store->text}
                 : (trm_scene_info){.title = ""};
}

trm_simulation trm_scene_simulation(const trm_scene *scene)
{
    return scene ? scene->simulation : (trm_simulation){0};
}

trm_marker_info trm_scene_marker_info(const trm_scene *scene, int marker)
{
    if (!scene || marker < 0 || marker >= scene->nmarkers) {
        return (trm_marker_info){.body = TRM_INDEX_GROUND};
    }
    const trm_scene_marker *const m = &scene->markers[marker];
    return (trm_marker_info){m->name, m->body, {m->local[0], m->local[1], m->local[2]}};
}

trm_unused_info trm_scene_unused_info(const trm_scene *scene, int unused)
{
    return scene && unused >= 0 && unused < scene->nunused ? scene->unused[unused]
                                                           : (trm_unused_info){0};
}

trm_parameter_info trm_scene_parameter_info(const trm_scene *scene, int parameter)
{
    if (!scene || parameter < 0 || parameter >= scene->nparameters) {
        return (trm_parameter_info){0};
    }
    return (trm_parameter_info){scene->parameters[parameter].name,
                                scene->parameters[parameter].value};
}

// --------------------------------------------------------------------------------------- overrides

static trm_status check_parameter(const trm_scene *scene, const char *parameter, trm_error *err)
{
    trm_suggestion near = trm_suggest(parameter, strlen(parameter));
    if (!strncmp(parameter, "start.", 6)) { // the reader knows joints
        return TRM_OK;
    }
    for (int i = 0; i < scene->nparameters; i++) {
        if (!strcmp(scene->parameters[i].name, parameter)) {
            return TRM_OK;
        }
        trm_suggest_consider(&near, scene->parameters[i].name);
    }
    char hint[100];
    return TRM_FAIL(err, TRM_ERR_SCENE, scene->path, "no parameter \"%.64s\"%s", parameter,
                    trm_suggest_text(&near, hint, sizeof hint));
}

/// What trm_scene_set keeps of the old contents: all that did not come from the text.
static void keep_user_parts(const trm_scene *from, trm_scene *to)
{
    to->nuser_forces = from->nuser_forces;
    to->nuser_constraints = from->nuser_constraints;
    to->user_forces = from->user_forces;
    to->user_constraints = from->user_constraints;
    to->store = from->store;
}

/// Read the text with other overrides, which are given back when that fails.
static trm_status read_again(trm_scene *scene, trm_overrides overrides, trm_error *err)
{
    trm_scene_store *store = scene->store;
    trm_pool pool = {0};
    trm_scene fresh = {0};
    const trm_status status = read_into(&fresh, store, &overrides, &pool, err);
    if (status != TRM_OK) {
        trm_pool_close(&pool);
        trm_pool_close(&overrides.pool);
        return status;
    }
    keep_user_parts(scene, &fresh);
    trm_pool_close(&store->pool);
    trm_pool_close(&store->overrides.pool);
    store->pool = pool;
    store->overrides = overrides;
    *scene = fresh;
    return TRM_OK;
}

/// Errors: OPTIONS (NULL), SCENE (no such parameter).
static trm_status check_setting(const trm_scene *scene, const char *parameter,
                                const char *expression, trm_error *err)
{
    if (!scene || !parameter || !expression) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS,
                        !scene       ? "scene"
                        : !parameter ? "parameter"
                                     : "expression",
                        "expected a scene, the name of a parameter and a value, got NULL");
    }
    return check_parameter(scene, parameter, err);
}

trm_status trm_scene_set_all(trm_scene *scene, int n, const char *const *parameters,
                             const char *const *expressions, trm_error *err)
{
    if (!scene || n < 0 || (n > 0 && (!parameters || !expressions))) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, scene ? "n" : "scene",
                        "expected a scene, names of parameters and their values");
    }
    for (int i = 0; i < n; i++) {
        TRM_TRY(check_setting(scene, parameters[i], expressions[i], err));
    }
    trm_overrides all = {0};
    for (int i = 0; i < n; i++) {
        trm_overrides more;
        const trm_overrides *const old = i > 0 ? &all : &scene->store->overrides;
        const int ok = trm_overrides_extend(old, parameters[i], expressions[i], &more);
        trm_pool_close(&all.pool);
        if (!ok) {
            return TRM_FAIL(err, TRM_ERR_MEMORY, scene->path, "out of memory");
        }
        all = more;
    }
    return n > 0 ? read_again(scene, all, err) : TRM_OK;
}

trm_status trm_scene_set(trm_scene *scene, const char *parameter, const char *expression,
                         trm_error *err)
{
    TRM_TRY(check_setting(scene, parameter, expression, err));
    return trm_scene_set_all(scene, 1, &parameter, &expression, err);
}

trm_status trm_scene_stop_when(trm_scene *scene, const char *condition, trm_error *err)
{
    if (!scene) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "scene", "expected a scene, got NULL");
    }
    trm_overrides overrides;
    if (!trm_overrides_stop(&scene->store->overrides, condition, &overrides)) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, scene->path, "out of memory");
    }
    return read_again(scene, overrides, err);
}

trm_status trm_scene_set_misfit(trm_scene *scene, double misfit, trm_error *err)
{
    if (!scene || !(misfit >= 0 && misfit <= TRM_MOST_MISFIT)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, scene ? "misfit" : "scene",
                        scene ? "misfit must be between 0 and 0.02 of the size of a mechanism, got "
                                "%g"
                              : "expected a scene, got NULL",
                        misfit);
    }
    scene->simulation.misfit = misfit;
    return TRM_OK;
}

trm_status trm_scene_set_coordinates(trm_scene *scene, trm_coordinates coordinates, trm_error *err)
{
    if (!scene || (int)coordinates < 0 || coordinates > TRM_COORDINATES_ABSOLUTE) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, scene ? "coordinates" : "scene",
                        scene ? "expected one of trm_coordinates, got %d"
                              : "expected a scene, got NULL",
                        (int)coordinates);
    }
    scene->simulation.coordinates = (int)coordinates;
    return TRM_OK;
}

// --------------------------------------------------------------- forces and constraints by program

static int is_link(const trm_scene *scene, const char *name)
{
    int found = 0;
    for (int i = 0; i < scene->njoints; i++) {
        found |= !strcmp(scene->joints[i].name, name);
    }
    for (int i = 0; i < scene->nconstraints; i++) {
        found |= !strcmp(scene->constraints[i].name, name);
    }
    for (int i = 0; i < scene->nforces; i++) {
        found |= !strcmp(scene->forces[i].name, name);
    }
    for (int i = 0; i < scene->nuser_forces; i++) {
        found |= !strcmp(scene->user_forces[i].name, name);
    }
    for (int i = 0; i < scene->nuser_constraints; i++) {
        found |= !strcmp(scene->user_constraints[i].name, name);
    }
    return found;
}

static trm_status check_user_name(const trm_scene *scene, const char *what, const char *name,
                                  trm_error *err)
{
    if (!name || !*name) {
        return TRM_FAIL(err, TRM_ERR_SCENE, scene->path, "a user %s needs a name", what);
    }
    if (is_link(scene, name)) {
        return TRM_FAIL(err, TRM_ERR_SCENE, scene->path, "user %s: the name \"%.64s\" is taken",
                        what, name);
    }
    return TRM_OK;
}

/// One more element at the end of an array of n.
static void *extend(void *array, int n, size_t size)
{
    return realloc(array, ((size_t)n + 1) * size);
}

/// Errors: SCENE (times that are not finite, or do not rise).
static trm_status check_times(const trm_scene *scene, const trm_force_def *def, trm_error *err)
{
    if (def->ntimes < 0 || (def->ntimes > 0 && !def->times)) {
        return TRM_FAIL(err, TRM_ERR_SCENE, scene->path, "user force \"%.64s\" has %d times at %s",
                        def->name, def->ntimes, def->times ? "an address" : "NULL");
    }
    for (int i = 0; i < def->ntimes; i++) {
        if (!isfinite(def->times[i]) || (i > 0 && !(def->times[i] > def->times[i - 1]))) {
            return TRM_FAIL(err, TRM_ERR_SCENE, scene->path,
                            "the times of user force \"%.64s\" must be finite and rise; number %d "
                            "is %.9g",
                            def->name, i, def->times[i]);
        }
    }
    return TRM_OK;
}

trm_status trm_scene_add_force(trm_scene *scene, const trm_force_def *def, trm_error *err)
{
    if (!scene || !def) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, scene ? "def" : "scene",
                        "expected a scene and a force, got NULL");
    }
    TRM_TRY(check_user_name(scene, "force", def->name, err));
    if (!def->force) {
        return TRM_FAIL(err, TRM_ERR_SCENE, scene->path, "user force \"%.64s\" has no function",
                        def->name);
    }
    TRM_TRY(check_times(scene, def, err));
    trm_force_def *grown = extend(scene->user_forces, scene->nuser_forces, sizeof *grown);
    scene->user_forces = grown ? grown : scene->user_forces;
    trm_pool *const pool = &scene->store->user_pool;
    const char *name = trm_pool_copy(pool, def->name, strlen(def->name));
    double *times = trm_pool_take(pool, (size_t)def->ntimes, sizeof *times);
    if (!grown || !name || !times) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, scene->path, "out of memory");
    }
    if (def->ntimes > 0) {
        memcpy(times, def->times, (size_t)def->ntimes * sizeof *times);
    }
    trm_force_def *const added = &grown[scene->nuser_forces++];
    *added = *def;
    added->name = name;
    added->times = times;
    return TRM_OK;
}

static trm_status check_constraint_def(const trm_scene *scene, const trm_constraint_def *def,
                                       trm_error *err)
{
    TRM_TRY(check_user_name(scene, "constraint", def->name, err));
    if (def->rows < 1) {
        return TRM_FAIL(err, TRM_ERR_SCENE, scene->path,
                        "user constraint \"%.64s\": rows must be >= 1, got %d", def->name,
                        def->rows);
    }
    if (!def->g || !def->G) {
        return TRM_FAIL(err, TRM_ERR_SCENE, scene->path,
                        "user constraint \"%.64s\" has no function %s", def->name,
                        def->g ? "G" : "g");
    }
    return TRM_OK;
}

trm_status trm_scene_add_constraint(trm_scene *scene, const trm_constraint_def *def, trm_error *err)
{
    if (!scene || !def) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, scene ? "def" : "scene",
                        "expected a scene and a constraint, got NULL");
    }
    TRM_TRY(check_constraint_def(scene, def, err));
    trm_constraint_def *grown =
        extend(scene->user_constraints, scene->nuser_constraints, sizeof *grown);
    scene->user_constraints = grown ? grown : scene->user_constraints;
    const char *name = trm_pool_copy(&scene->store->user_pool, def->name, strlen(def->name));
    if (!grown || !name) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, scene->path, "out of memory");
    }
    grown[scene->nuser_constraints] = *def;
    grown[scene->nuser_constraints++].name = name;
    return TRM_OK;
}
