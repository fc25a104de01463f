/// What the tests of formulas share. JSON with ' for ".
#pragma once

#include "engine/multibody/model.h"
#include "tests/rig.h"

#include <fcntl.h>
#include <unistd.h>

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

/// A folder of this case's own becomes the working directory: other tests write files of the same
/// names at the same time. Returns the directory of before, for leave_folder.
static inline int enter_folder(char folder[40])
{
    const int before = open(".", O_RDONLY);
    snprintf(folder, 40, "/tmp/trammel-formulas-XXXXXX");
    assert_true(before >= 0);
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    return before;
}

static inline void leave_folder(int before, const char *folder)
{
    remove("test_formulas.json");
    remove("test_formulas.csv");
    assert_int_equal(fchdir(before), 0);
    assert_int_equal(close(before), 0);
    assert_int_equal(rmdir(folder), 0);
}

static const char csv_scene[] =
    "{'dimension':2,\n'tables':{'gas':{'file':'test_formulas.csv','x':'s','y':'p [Pa]'}},"
    "'bodies':[{'name':'a','mass':2,'inertia':1}],"
    "'joints':[{'name':'S','type':'prismatic','bodies':['ground','a'],'at':[0,0],'axis':[1,0]}],"
    "'forces':[{'name':'f','type':'joint_force','joint':'S','value':'table(gas, S.position)'}]}";
