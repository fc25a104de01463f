/// Any bytes as a saved or an exported state, and such a state with
/// bytes changed: refused, or what it was.
#include "tests/fuzz/target.h"
#include "trammel/trammel_methods.h"

static const char scene_text[] = "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":"
                                 "\"a\",\"mass\":1,\"ends\":[[0,0],[1,0]]}],"
                                 "\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":["
                                 "\"ground\",\"a\"],\"at\":[0,0]}]}";

/// `how` of bytes[size] over `state`.
static void spoil(char *state, size_t room, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i + 3 < size; i += 4) {
        const size_t at =
            ((size_t)bytes[i] << 16 | (size_t)bytes[i + 1] << 8 | bytes[i + 2]) % room;
        state[at] = (char)(state[at] ^ bytes[i + 3]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    trm_error err = {.status = TRM_OK};
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_sim *sim = NULL;
    const trm_options options =
        trm_default_options(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_S_BOTH2);
    PROMISE(trm_scene_parse(scene_text, sizeof scene_text - 1, &scene, &err) == TRM_OK);
    PROMISE(trm_model_build(scene, &model, &err) == TRM_OK);
    PROMISE(trm_sim_create(model, &options, &sim, &err) == TRM_OK);
    const size_t room = trm_sim_state_size(sim);
    char *const state = malloc(room), *const before = malloc(room);
    if (state != NULL && before != NULL) {
        PROMISE(trm_sim_restore(sim, bytes, size, &err) == TRM_ERR_OPTIONS);
        PROMISE(trm_sim_import(sim, bytes, size, &err) == TRM_ERR_OPTIONS);
        for (int kind = 0; kind < 2; kind++) {
            PROMISE((kind ? trm_sim_export : trm_sim_save)(sim, state, room, &err) == TRM_OK);
            memcpy(before, state, room);
            spoil(state, room, bytes, size);
            const int changed = memcmp(before, state, room) != 0;
            const trm_status status =
                (kind ? trm_sim_import : trm_sim_restore)(sim, state, room, &err);
            PROMISE(status == TRM_OK || (status == TRM_ERR_OPTIONS && changed));
            if (status == TRM_OK) { // what was changed is behind the part that is used
                memcpy(state, before, room);
                PROMISE((kind ? trm_sim_export : trm_sim_save)(sim, state, room, &err) == TRM_OK);
                PROMISE(memcmp(before, state, room) == 0);
            }
            take_steps(sim, model, 2);
        }
    }
    free(state);
    free(before);
    trm_sim_destroy(sim);
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return 0;
}
