/// What the tests of formulas share. JSON with ' for ".
#ifndef TESTS_SCENES_READING_FORMULA_SCENES_H
#define TESTS_SCENES_READING_FORMULA_SCENES_H

#include "engine/mechanism/model.h"
#include "tests/rig.h"

enum { LONGEST = 6000 };

static inline char *json_of(const char *text, char *out)
{
    snprintf(out, LONGEST, "%s", text);
    for (char *c = out; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    return out;
}

static inline rig parse(const char *text)
{
    char json[LONGEST];
    return rig_parse(json_of(text, json));
}

static inline void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static const char csv_scene[] =
    "{'dimension':2,\n'tables':{'gas':{'file':'test_formulas.csv','x':'s','y':'p [Pa]'}},"
    "'bodies':[{'name':'a','mass':2,'inertia':1}],"
    "'joints':[{'name':'S','type':'prismatic','bodies':['ground','a'],'at':[0,0],'axis':[1,0]}],"
    "'forces':[{'name':'f','type':'joint_force','joint':'S','value':'table(gas, S.position)'}]}";

#endif
