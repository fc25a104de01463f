#define _DEFAULT_SOURCE
#include "tools/sweep/manifest.h"

#include "program/texts.h"
#include "tools/common/json_out.h"
#include "tools/common/output.h"
#include "trammel/trammel_error.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// What a reader of the table needs to know of its columns: laws of the draws, and their design.
static void write_samples(trm_json *json, const trm_study *study)
{
    static const char *const designs[] = {"plain", "sobol", "morris"};
    static const char *const kinds[] = {
        [TRM_AXIS_FIXED] = "fixed",  [TRM_AXIS_GRID] = "grid",       [TRM_AXIS_LOG] = "log",
        [TRM_AXIS_LIST] = "list",    [TRM_AXIS_UNIFORM] = "uniform", [TRM_AXIS_NORMAL] = "normal",
        [TRM_AXIS_TABLE] = "samples"};
    trm_json_key_string(json, "design", designs[study->axes.design]);
    trm_json_key(json, "varied");
    trm_json_list(json);
    for (int i = 0; i < study->axes.n; i++) {
        const trm_axis *const axis = &study->axes.at[i];
        if (axis->kind == TRM_AXIS_FIXED) {
            continue;
        }
        trm_json_object(json);
        trm_json_key_string(json, "name", axis->name);
        trm_json_key_string(json, "kind", kinds[axis->kind]);
        trm_json_key_number(json, "a", axis->a);
        trm_json_key_number(json, "b", axis->b);
        trm_json_end(json);
    }
    trm_json_end(json);
}

static trm_status write_manifest(const char *path, const trm_study *study, int argc, char **argv,
                                 trm_error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const out = trm_text_stream(&text, &size);
    if (out == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, path, "out of memory");
    }
    trm_json json = {.out = out};
    trm_json_object(&json);
    trm_json_key_string(&json, "program", "trammel sweep");
    trm_json_key(&json, "command");
    trm_json_array(&json);
    trm_json_string(&json, "trammel");
    for (int i = 0; i < argc; i++) {
        trm_json_string(&json, argv[i]);
    }
    trm_json_end(&json);
    trm_json_key_string(&json, "title", trm_scene_get_info(study->scene).title);
    trm_json_key_integer(&json, "runs", study->axes.runs);
    trm_json_key_number(&json, "end", trm_study_end(study));
    trm_json_key_string(&json, "recordings",
                        study->arguments.record_folder ? study->arguments.record_folder : "");
    write_samples(&json, study);
    trm_json_key_string(&json, "columns", study->header);
    trm_json_key(&json, "study");
    trm_json_object(&json);
    for (int i = 0; i < study->nfacts; i++) {
        trm_json_key_string(&json, study->facts[i].name, study->facts[i].value);
    }
    trm_json_end(&json);
    trm_json_end(&json);
    fputc('\n', out);
    const int failed = trm_stream_close(out) != 0;
    const trm_status status =
        failed ? TRM_FAIL(err, TRM_ERR_MEMORY, path, "out of memory")
               : trm_outfile_save(&(trm_outfile_wish){.path = path}, text, size, err);
    free(text);
    return status;
}

/// Why cJSON made no tree of a text, which it does not say: MEMORY, unless the text is no JSON,
/// which the reader of scenes tells from one that is no scene.
static trm_status no_tree(const char *text, size_t length, trm_error *err)
{
    trm_scene *scene = NULL;
    const trm_status status = trm_scene_parse(text, length, &scene, err);
    trm_scene_destroy(scene);
    return status == TRM_ERR_SYNTAX ? status : TRM_ERR_MEMORY;
}

/// The root, to be given to cJSON_Delete; NULL: an error.
static cJSON *parse(const char *path, trm_error *err, trm_status *status)
{
    char *text = NULL;
    size_t length = 0;
    *status = trm_file_read(path, &text, &length, err);
    cJSON *const root = *status == TRM_OK ? cJSON_Parse(text) : NULL;
    const trm_status why = *status == TRM_OK && root == NULL ? no_tree(text, length, err) : TRM_OK;
    trm_text_destroy(text);
    if (why == TRM_ERR_MEMORY) {
        *status = TRM_FAIL(err, TRM_ERR_MEMORY, path, "out of memory");
    } else if (*status == TRM_OK &&
               !cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(root, "study"))) {
        *status = TRM_FAIL(err, TRM_ERR_OPTIONS, path,
                           "is there, and is no manifest of a sweep; give another name with -o");
    }
    return root;
}

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *const item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static trm_status compare(const char *path, const cJSON *root, const trm_study *study,
                          trm_error *err)
{
    const cJSON *const facts = cJSON_GetObjectItemCaseSensitive(root, "study");
    for (int i = 0; i < study->nfacts; i++) {
        const trm_fact *const fact = &study->facts[i];
        const char *const old = text_of(facts, fact->name);
        if (strcmp(old, fact->value) != 0) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, path,
                            "belongs to a sweep with another %s (\"%.40s\", now \"%.40s\"); give "
                            "another name with -o",
                            fact->name, old, fact->value);
        }
    }
    return TRM_OK;
}

trm_status trm_manifest_keep(const char *path, const trm_study *study, int argc, char **argv,
                             trm_error *err)
{
    if (access(path, F_OK) != 0) {
        return write_manifest(path, study, argc, argv, err);
    }
    trm_status status;
    cJSON *const root = parse(path, err, &status);
    if (status == TRM_OK) {
        status = compare(path, root, study, err);
    }
    cJSON_Delete(root);
    return status;
}

trm_status trm_manifest_read(const char *path, trm_manifest *out, trm_error *err)
{
    trm_status status;
    *out = (trm_manifest){0};
    cJSON *const root = parse(path, err, &status);
    if (status == TRM_OK) {
        const cJSON *const runs = cJSON_GetObjectItemCaseSensitive(root, "runs");
        const double n = cJSON_IsNumber(runs) ? runs->valuedouble : 0;
        out->runs = n >= 1 && n <= TRM_MOST_RUNS ? (long)n : 0;
        out->header = strdup(text_of(root, "columns"));
        out->facts = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(root, "study"));
        status = !out->header || !out->facts ? TRM_FAIL(err, TRM_ERR_MEMORY, path, "out of memory")
                 : out->runs > 0 && *out->header
                     ? TRM_OK
                     : TRM_FAIL(err, TRM_ERR_IO, path, "the manifest was changed or cut off");
    }
    cJSON_Delete(root);
    return status;
}

void trm_manifest_destroy(trm_manifest *manifest)
{
    free(manifest->header);
    free(manifest->facts);
    *manifest = (trm_manifest){0};
}
