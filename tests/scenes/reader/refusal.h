/// A scene that the reader must refuse: its status, its place and its exact sentence.
///
/// The JSON texts are written with ' for ", and with @ in front of the byte that the error points
/// at.
#ifndef TESTS_SCENES_READING_REFUSAL_H
#define TESTS_SCENES_READING_REFUSAL_H

#include "tests/claim.h"
#include "trammel/trammel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct refusal {
    const char *json, *pointer, *message;
} refusal;

/// Replace quotes and take out the mark; *line and *column are where it was.
static inline size_t prepare(const char *json, char *out, int *line, int *column)
{
    size_t n = 0;
    int at_line = 1, at_column = 1;
    *line = *column = 0;
    for (; *json; json++) {
        if (*json == '@') {
            *line = at_line;
            *column = at_column;
            continue;
        }
        out[n++] = (char)(*json == '\'' ? '"' : *json);
        at_line += *json == '\n';
        at_column = *json == '\n' ? 1 : at_column + 1;
    }
    out[n] = '\0';
    return n;
}

static inline void refuse(const refusal *r, trm_status status)
{
    char json[4000], where[200];
    int line = 0, column = 0;
    trm_scene *scene = NULL;
    trm_error err = {0};
    const size_t length = prepare(r->json, json, &line, &column);
    snprintf(where, sizeof where, line ? "scene:%d:%d%s%s" : "scene", line, column,
             *r->pointer ? " " : "", r->pointer);
    if (trm_scene_parse(json, length, &scene, &err) != status) {
        fail_msg("%s\nhas status %s: %s: %s", json, trm_status_name(err.status), err.where,
                 err.message);
    }
    assert_null(scene);
    assert_int_equal(err.status, status);
    if (strcmp(err.message, r->message) != 0 || strcmp(err.where, where) != 0) {
        fail_msg("%s\n     got %s: %s\nexpected %s: %s", json, err.where, err.message, where,
                 r->message);
    }
    assert_non_null(err.file);
    assert_true(err.line > 0);
    trm_scene_destroy(scene);
}

static inline void refuse_all(const refusal *list, size_t bytes, trm_status status)
{
    for (size_t i = 0; i < bytes / sizeof *list; i++) {
        refuse(&list[i], status);
    }
}

// planar: bar a, bar b, point mass p, markers tip (of a) and post (of the ground), a, hinge h
#define BODIES_2                                                                                   \
    "'bodies':[{'name':'a','mass':1,'inertia':1},{'name':'b','mass':1,'inertia':1},"               \
    "{'name':'p','mass':1,'position':[3,0],'shape':{'type':'point'}}],"                            \
    "'markers':[{'name':'tip','body':'a','on':[1,0]},{'name':'post','body':'ground','on':[0,2]}]"
#define HINGE "{'name':'h','type':'revolute','bodies':['a','b'],'at':[0,0]}"
#define SCENE_2(parts) "{'dimension':2,'parameters':{'l':2,'mu':0.1}," BODIES_2 "," parts "}"
#define BODY_2(keys) "{'dimension':2,'bodies':[{'name':'a'," keys "}]}"

#define JOINT_2(keys) SCENE_2("'joints':[{'name':'j'," keys "}]")
#define FORCE_2(keys) SCENE_2("'joints':[" HINGE "],'forces':[{'name':'f'," keys "}]")
// spatial: bodies a, b, point mass p, marker tip
#define SCENE_3(parts)                                                                             \
    "{'dimension':3,'bodies':[{'name':'a','mass':1,'inertia':[1,1,1]},"                            \
    "{'name':'b','mass':1,'inertia':[1,1,1]},{'name':'p','mass':1,'shape':{'type':'point'}}],"     \
    "'markers':[{'name':'tip','body':'a','on':[1,0,0]}]," parts "}"
#define JOINT_3(keys) SCENE_3("'joints':[{'name':'j'," keys "}]")

#endif
