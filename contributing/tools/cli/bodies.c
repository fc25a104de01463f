/// trammel bodies: names of the moving bodies of a scene.
#include "tools/check/diagnose.h"
#include "tools/cli/commands.h"

#include <stdio.h>

int trm_command_bodies(int argc, char **argv)
{
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_error err;
    if (argc != 2 || trm_scene_load(argv[1], &scene, &err) ||
        trm_model_build(scene, &model, &err)) {
        fputs("usage: trammel bodies SCENE\n", stderr);
        trm_scene_destroy(scene);
        return TRM_EXIT_USAGE;
    }
    for (int i = 0; i < trm_model_sizes(model).nbody; i++) {
        puts(trm_model_body_info(model, i).name);
    }
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return 0;
}
