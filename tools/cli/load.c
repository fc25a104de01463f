#include "tools/cli/load.h"

#include "engine/trammel_error.h"

#include <stdio.h>
#include <string.h>

static trm_status no_parameter(const trm_scene *scene, const char *name, const char *setting,
                               trm_error *err)
{
    char where[80], hint[80];
    snprintf(where, sizeof where, "--set %.60s", setting);
    trm_suggestion suggestion = trm_suggest(name, strlen(name));
    const char *known;
    for (int i = 0; (known = trm_scene_parameter_info(scene, i).name) != NULL; i++) {
        trm_suggest_consider(&suggestion, known);
    }
    return TRM_FAIL(err, TRM_ERR_OPTIONS, where, "the scene has no parameter \"%.40s\"%s", name,
                    trm_suggest_text(&suggestion, hint, sizeof hint));
}

static int has_parameter(const trm_scene *scene, const char *name)
{
    const char *known = NULL;
    for (int i = 0; (known = trm_scene_parameter_info(scene, i).name) != NULL; i++) {
        if (strcmp(known, name) == 0) {
            return 1;
        }
    }
    return 0;
}

/// One "name=value".
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
    if (!has_parameter(scene, name)) {
        return no_parameter(scene, name, setting, err);
    }
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

trm_status trm_load(const trm_arguments *arguments, trm_scene **scene, trm_model **model,
                    trm_error *err)
{
    *scene = NULL;
    *model = NULL;
    TRM_TRY(trm_scene_load(arguments->scene, scene, err));
    for (int i = 0; i < arguments->nset; i++) {
        TRM_TRY(set(*scene, arguments->set[i], err));
    }
    if (arguments->until != NULL) {
        TRM_TRY(stop_when(*scene, arguments->until, err));
    }
    return trm_model_build(*scene, model, err);
}
