// The generated texts: the committed ones are up to date, and they say what the reader does.
// The environment's TRAMMEL_SOURCE is the root of the source tree.

#include "bodies/forces/force.h"
#include "constraints/joint.h"
#include "program/texts.h"
#include "tests/claim.h"
#include "trammel/trammel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A whole file, terminated; to be freed.
static char *read_file(const char *name)
{
    enum { MOST = 1 << 20 };
    char path[1000];
    const char *source = getenv("TRAMMEL_SOURCE");
    snprintf(path, sizeof path, "%s/%s", source ? source : ".", name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        fail_msg("cannot open %s", path);
    }
    char *text = malloc(MOST);
    assert_non_null(text);
    const size_t n = fread(text, 1, MOST - 1, file);
    text[n] = '\0';
    assert_int_equal(fclose(file), 0);
    return text;
}

static void assert_committed(const char *name, trm_text which)
{
    char *committed = read_file(name), *generated = NULL;
    assert_int_equal(trm_text_create(which, &generated, NULL), TRM_OK);
    int line = 1;
    for (size_t i = 0; committed[i] || generated[i]; i++) {
        if (committed[i] != generated[i]) {
            fail_msg("%s is not what trm_text_create makes: line %d differs", name, line);
        }
        line += committed[i] == '\n';
    }
    trm_text_destroy(generated);
    free(committed);
}

CLAIM(committed_schema_is_up_to_date)
{
    assert_committed("scenes/scene.schema.json", TRM_TEXT_SCHEMA);
}

CLAIM(committed_reference_is_up_to_date)
{
    assert_committed("docs/reference/scene_format.md", TRM_TEXT_FORMAT);
}

CLAIM(every_text_names_every_element)
{
    for (int which = TRM_TEXT_SCHEMA; which <= TRM_TEXT_ELEMENTS; which++) {
        char *text = NULL;
        assert_int_equal(trm_text_create((trm_text)which, &text, NULL), TRM_OK);
        for (int i = 0; trm_joint_kinds[i]; i++) {
            assert_non_null(strstr(text, trm_joint_kinds[i]->name));
            assert_non_null(strstr(text, trm_joint_kinds[i]->doc));
        }
        for (int i = 0; trm_force_kinds[i]; i++) {
            if (trm_force_kinds[i]->keys) {
                assert_non_null(strstr(text, trm_force_kinds[i]->name));
                assert_non_null(strstr(text, trm_force_kinds[i]->doc));
            }
        }
        trm_text_destroy(text);
    }
    trm_text_destroy(NULL);
}

/// What stands between ```json and ``` in scene_format.md.
CLAIM(the_example_of_the_reference_is_a_scene)
{
    char *text = NULL;
    trm_scene *scene = NULL;
    trm_error err = {0};
    assert_int_equal(trm_text_create(TRM_TEXT_FORMAT, &text, NULL), TRM_OK);
    const char *start = strstr(text, "```json\n");
    assert_non_null(start);
    start += strlen("```json\n");
    const char *end = strstr(start, "```");
    assert_non_null(end);
    if (trm_scene_parse(start, (size_t)(end - start), &scene, &err) != TRM_OK) {
        fail_msg("%s: %s", err.where, err.message);
    }
    trm_scene_destroy(scene);
    trm_text_destroy(text);
}

/// The constraints that the reference shows inline, with the markers and bodies they speak of.
CLAIM(the_inline_examples_are_constraints)
{
    static const char start[] = "`{\"name\": \"", end_of[] = "}`";
    char *text = NULL;
    int n = 0;
    assert_int_equal(trm_text_create(TRM_TEXT_FORMAT, &text, NULL), TRM_OK);
    const char *at = strstr(text, "\n## Constraints\n");
    assert_non_null(at);
    const char *const last = strstr(at, "\n## Forces\n");
    assert_non_null(last);
    for (at = strstr(at, start); at && at < last; at = strstr(at + 1, start), n++) {
        const char *end = strstr(at, end_of);
        char json[1000];
        trm_scene *scene = NULL;
        trm_error err = {0};
        const int length = snprintf(json, sizeof json,
                                    "{\"dimension\":2,\"bodies\":[{\"name\":\"arm\",\"ends\":"
                                    "[[0,0],[1,0]],\"mass\":1}],\"markers\":[{\"name\":\"tip\","
                                    "\"body\":\"arm\",\"on\":[0,0]},{\"name\":\"post\",\"body\":"
                                    "\"ground\",\"at\":[0,0]}],\"constraints\":[%.*s]}",
                                    (int)(end - at), at + 1);
        if (trm_scene_parse(json, (size_t)length, &scene, &err) != TRM_OK) {
            fail_msg("%s: %s\n%s", err.where, err.message, json);
        }
        trm_scene_destroy(scene);
    }
    assert_int_equal(n, 3);
    trm_text_destroy(text);
}

/// The fragment under a heading, as a member of a scene with what it speaks of.
static void check_fragment(const char *heading, const char *before, const char *after)
{
    char *text = NULL, json[4000];
    trm_scene *scene = NULL;
    trm_error err = {0};
    assert_int_equal(trm_text_create(TRM_TEXT_FORMAT, &text, NULL), TRM_OK);
    const char *start = strstr(text, heading);
    assert_non_null(start);
    start = strstr(start, "\n```\n") + 5;
    const char *end = strstr(start, "```");
    const int length = snprintf(json, sizeof json, "{\"dimension\":2,%s,%.*s%s}", before,
                                (int)(end - start), start, after);
    if (trm_scene_parse(json, (size_t)length, &scene, &err) != TRM_OK) {
        fail_msg("%s: %s\n%s", err.where, err.message, json);
    }
    trm_scene_destroy(scene);
    trm_text_destroy(text);
}

CLAIM(fragments_of_the_reference_are_parts_of_scenes)
{
    check_fragment("\n## Definitions\n", "\"parameters\":{\"k\":1,\"r\":2}",
                   ",\"bodies\":[{\"name\":\"arm\",\"mass\":1,\"ends\":[[0,0],[1,0]]}],"
                   "\"markers\":[{\"name\":\"tip\",\"body\":\"arm\",\"on\":[0,0]},{\"name\":"
                   "\"post\",\"body\":\"ground\",\"at\":[0,0]}]");
    check_fragment("\n## Contacts\n",
                   "\"bodies\":[{\"name\":\"ball\",\"mass\":1,\"shape\":"
                   "{\"type\":\"disc\",\"radius\":1},\"position\":[0,1]}]",
                   "");
    check_fragment("\n## Repetition\n", "\"parameters\":{\"n\":8,\"a\":0.1,\"c\":0.01}", "");
}
