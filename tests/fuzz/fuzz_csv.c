/// Any bytes as a recording that compare is given as its reference and as a row.
#define _GNU_SOURCE
#include "tests/fuzz/target.h"
#include "tools/compare/recording.h"
#include "tools/compare/reference.h"

#include <sys/mman.h>
#include <unistd.h>

static const char scene_text[] = "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":"
                                 "\"a\",\"mass\":1,\"ends\":[[0,0],[1,0]]}],"
                                 "\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":["
                                 "\"ground\",\"a\"],\"at\":[0,0]}],"
                                 "\"simulation\":{\"end\":1}}";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[64];
    trm_error err = {.status = TRM_OK};
    trm_comparison *const c = calloc(1, sizeof *c);
    if (c == NULL) {
        return 0;
    }
    c->end = 1;
    const int file = memfd_create("recording", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    PROMISE(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    PROMISE(trm_scene_parse(scene_text, sizeof scene_text - 1, &c->scene, &err) == TRM_OK);
    PROMISE(trm_model_build(c->scene, &c->model, &err) == TRM_OK);
    const trm_sizes n = trm_model_sizes(c->model);
    c->reference.q0 = calloc((size_t)n.nq, sizeof(double));
    c->reference.v0 = calloc((size_t)n.nv, sizeof(double));
    PROMISE(c->reference.q0 != NULL && c->reference.v0 != NULL);
    trm_model_initial_state(c->model, c->reference.q0, c->reference.v0);
    trm_recorded row = {.path = path};
    c->arguments.reference = path;
    c->reference.from_file = 1;
    c->recorded = &row;
    c->nrecorded = 1;
    if (trm_recordings_read(c, &err) != TRM_OK) {
        PROMISE(err.message[0] != '\0');
    }
    close(file);
    free(row.q);
    free(row.v);
    trm_reference_destroy(&c->reference);
    trm_model_destroy(c->model);
    trm_scene_destroy(c->scene);
    free(c);
    return 0;
}
