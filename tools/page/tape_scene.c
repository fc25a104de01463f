/// A recording names its bodies in its columns, BODY.x[m], BODY.vx[m/s], ...; joints and shapes it
/// does not know. The scene made of it has them as balls of 1 kg, without the rotors of armatures
/// (JOINT.rotor), which no picture shows.
#include "tools/common/json_out.h"
#include "tools/common/output.h"
#include "tools/page/tape.h"
#include "trammel/trammel_error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = ".vx[m/s]";

static int has(const trm_tape *tape, const char *body, const char *what)
{
    char name[512];
    snprintf(name, sizeof name, "%.400s%s", body, what);
    return trm_tape_column(tape, name, -1) >= 0;
}

/// Whether column i is that of a body's velocity; `body` receives its name.
static int body_of(const trm_tape *tape, int i, char body[400])
{
    const size_t n = strlen(tape->name[i]), tail = strlen(mark);
    if (n <= tail || n - tail >= 400 || strcmp(tape->name[i] + n - tail, mark) != 0) {
        return 0;
    }
    snprintf(body, 400, "%.*s", (int)(n - tail), tape->name[i]);
    return strchr(body, '.') == NULL && has(tape, body, ".x[m]");
}

static void write_body(const trm_tape *tape, const char *body, int dimension, trm_json *json)
{
    static const double zero[3] = {0, 0, 0}, unit[3] = {1, 1, 1};
    const int turns = has(tape, body, dimension == 2 ? ".angle[rad]" : ".qw");
    trm_json_object(json);
    trm_json_key_string(json, "name", body);
    trm_json_key_number(json, "mass", 1);
    trm_json_key_vector(json, "position", dimension, zero);
    if (!turns) {
        trm_json_key(json, "shape");
        trm_json_object(json);
        trm_json_key_string(json, "type", "point");
        trm_json_end(json);
    } else if (dimension == 2) {
        trm_json_key_number(json, "inertia", 1);
    } else {
        trm_json_key_vector(json, "inertia", 3, unit);
    }
    trm_json_end(json);
}

static int dimension_of(const trm_tape *tape)
{
    for (int i = 0; i < tape->columns; i++) {
        const size_t n = strlen(tape->name[i]);
        if (n > 8 && strcmp(tape->name[i] + n - 8, ".vz[m/s]") == 0) {
            return 3;
        }
    }
    return 2;
}

trm_status trm_tape_scene(const trm_tape *tape, trm_scene **out, trm_error *err)
{
    char *text = NULL, title[256], body[400];
    size_t length = 0;
    FILE *const file = trm_text_stream(&text, &length);
    *out = NULL;
    if (file == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    const int dimension = dimension_of(tape);
    int bodies = 0;
    trm_json json = {.out = file};
    snprintf(title, sizeof title, "%s, without its scene", tape->label);
    trm_json_object(&json);
    trm_json_key_string(&json, "title", title);
    trm_json_key_integer(&json, "dimension", dimension);
    trm_json_key(&json, "bodies");
    trm_json_list(&json);
    for (int i = 0; i < tape->columns; i++) {
        if (body_of(tape, i, body)) {
            bodies++;
            write_body(tape, body, dimension, &json);
        }
    }
    trm_json_end(&json);
    trm_json_end(&json);
    trm_status status =
        trm_stream_close(file) == 0 ? TRM_OK : TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    if (status == TRM_OK && bodies == 0) {
        status = TRM_FAIL(err, TRM_ERR_OPTIONS, "",
                          "this recording has no body to show (no columns BODY.x[m] and "
                          "BODY.vx[m/s]); trammel plot draws its columns");
    }
    status = status == TRM_OK ? trm_scene_parse(text, length, out, err) : status;
    free(text);
    return status;
}
