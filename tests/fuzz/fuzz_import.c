/// Any bytes as a robot of another format: read, then as fuzz_scene; or as a mesh.
#include "scenes/import/description/description.h"
#include "tests/fuzz/target.h"

static void read_mesh(const char *name, const uint8_t *bytes, size_t size)
{
    trm_error err = {.status = TRM_OK};
    trm_triangles mesh;
    trm_mass mass;
    double volume = 0;
    if (trm_mesh_parse(name, (const char *)bytes, size, &mesh, &err) != TRM_OK) {
        PROMISE(mesh.corners == NULL && mesh.vertices == NULL && err.message[0] != '\0');
        return;
    }
    PROMISE(mesh.n > 0 && mesh.n % 3 == 0 && mesh.n <= 2 * size);
    if (trm_mesh_of(&mesh, &mass, &volume)) {
        PROMISE(volume > 0);
    }
    trm_triangles_free(&mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    trm_error err = {.status = TRM_OK};
    trm_scene *scene = (trm_scene *)(uintptr_t)1;
    trm_model *model = NULL;
    if (size == 0 || bytes[0] != '<') {
        read_mesh("a.stl", bytes, size);
        read_mesh("a.obj", bytes, size);
        return 0;
    }
    if (trm_scene_parse((const char *)bytes, size, &scene, &err) != TRM_OK) {
        PROMISE(scene == NULL && err.message[0] != '\0');
        return 0;
    }
    trm_loss_info loss;
    for (int i = 0; (loss = trm_scene_loss_info(scene, i)).element != NULL; i++) {
        PROMISE(loss.line > 0 && loss.consequence[0] != '\0');
    }
    const char *const text = trm_scene_get_info(scene).text;
    trm_scene *again = NULL;
    PROMISE(trm_scene_parse(text, strlen(text), &again, &err) == TRM_OK);
    trm_scene_destroy(again);
    PROMISE(trm_model_build(scene, &model, &err) == TRM_OK || err.message[0] != '\0');
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return 0;
}
