/// Errors of the text of a scene, of its top level, parameters, inputs, names and files.
#include "tests/claim.h"
#include "tests/scenes/reader/refusal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CLAIM(syntax_is_strict)
{
    static const refusal list[] = {
        {"", "", "expected a JSON object, got an empty text"},
        {" \t\r\n  ", "", "expected a JSON object, got only white space"},
        {"\xef\xbb\xbf", "", "expected a JSON object, got only white space"},
        {"@[]", "", "expected a JSON object, got '['"},
        {"@7", "", "expected a JSON object, got '7'"},
        {"\n @'scene'", "", "expected a JSON object, got '\"'"},
        {"{} @{}", "", "expected the end of the text after the last '}', got '{'"},
        {"{}\n\n  @x", "", "expected the end of the text after the last '}', got 'x'"},
        {"{@", "", "the text ends before the '{' of line 1, column 1 is closed"},
        {"{\n  'a': [1,\n@", "", "the text ends before the '[' of line 2, column 8 is closed"},
        {"{'a':1@", "", "the text ends before the '{' of line 1, column 1 is closed"},
        {"{'a' @1}", "", "expected ':' after the key, got '1'"},
        {"{@a:1}", "", "expected a key in double quotes, got 'a'"},
        {"{'a':1 @'b':2}", "", "expected ',' or '}', got '\"'"},
        {"{'a':[1 @2]}", "", "expected ',' or ']', got '2'"},
        {"{'a':1@,}", "", "a comma before '}'"},
        {"{'a':[1,\n @]}", "", "a comma before ']'"},
        {"{'a':@}", "", "expected a value, got '}'"},
        {"{'a':[@,1]}", "", "expected a value, got ','"},
        {"{'a':@+1}", "", "expected a value, got '+'"},
        {"{'a':@.5}", "", "expected a value, got '.'"},
        {"{@// note\n}", "", "expected a key in double quotes, got '/'; JSON has no comments"},
        {"{'a':1 @/* b */}", "", "expected ',' or '}', got '/'; JSON has no comments"},
        {"{'a':1,\n@# b\n'c':2}", "",
         "expected a key in double quotes, got '#'; JSON has no comments"},
        {"{'a'@/2}", "", "expected ':' after the key, got '/'"},
        {"@\xff\xfe{", "", "the text is UTF-16, not UTF-8; save it as UTF-8"},
        {"@\xfe\xff", "", "the text is UTF-16, not UTF-8; save it as UTF-8"},
        {"{'a':@\x02}", "", "expected a value, got the byte 0x02"},
        {"{'a':@\xc3\xa9}", "", "expected a value, got the byte 0xc3"},
        {"{'a':@NaN}", "", "unknown word NaN; text stands in double quotes"},
        {"{'a':@True}", "", "unknown word True; text stands in double quotes"},
        {"{'a':@nul}", "", "unknown word nul; text stands in double quotes"},
        {"{'a':@01}", "", "a number may not start with 0 and another digit"},
        {"{'a':@-00.5}", "", "a number may not start with 0 and another digit"},
        {"{'a':-@}", "", "expected a digit after '-', got '}'"},
        {"{'a':1.@}", "", "expected a digit after the decimal point, got '}'"},
        {"{'a':1e@}", "", "expected a digit in the exponent, got '}'"},
        {"{'a':1e+@,'b':1}", "", "expected a digit in the exponent, got ','"},
        {"{'a':@"
         "11111111111111111111111111111111111111111111111111111111111111111111111111111111111111111"
         "111111111111}",
         "", "a number may have 100 characters at most"},
        {"{'a':@'abc}", "", "this string has no closing quote"},
        {"{'a':'x@\n'}", "", "a string may not run over the end of a line; write \\n"},
        {"{'a':'x@\t'}", "", "a string may not contain a tab; write \\t"},
        {"{'a':'x@\x01'}", "", "a string may not contain a control character; write \\u00XX"},
        {"{'a':'@\\q'}", "", "unknown escape: backslash and 'q'"},
        {"{'a':'@\\", "", "unknown escape: backslash and the end of the text"},
        {"{'a':'@\\u12g4'}", "", "expected four hexadecimal digits after \\u"},
        {"{'a':'@\\u0000'}", "", "a string may not contain \\u0000"},
        {"{'a':'@\\ud834'}", "", "\\ud834 is half of a character; the other half is missing"},
        {"{'a':'@\\udd1e'}", "", "\\udd1e is half of a character; the other half is missing"},
        {"{'a':'@\\ud834\\u0041'}", "",
         "\\ud834 is half of a character; the other half is missing"},
        {"{'a':'@\xff'}", "", "the byte 0xff is not valid UTF-8"},
        {"{'a':'@\x80'}", "", "the byte 0x80 is not valid UTF-8"},
        {"{'a':'@\xc0\xaf'}", "", "the byte 0xc0 is not valid UTF-8"},
        {"{'a':'@\xe0\x80\x80'}", "", "the byte 0xe0 is not valid UTF-8"},
        {"{'a':'@\xed\xa0\x80'}", "", "the byte 0xed is not valid UTF-8"},
        {"{'a':'@\xf0\x80\x80\x80'}", "", "the byte 0xf0 is not valid UTF-8"},
        {"{'a':'@\xf4\x90\x80\x80'}", "", "the byte 0xf4 is not valid UTF-8"},
        {"{'a':'@\xf5\x80\x80\x80'}", "", "the byte 0xf5 is not valid UTF-8"},
        {"{'a':'@\xc3'}", "", "the byte 0xc3 is not valid UTF-8"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SYNTAX);
}

CLAIM(syntax_of_bytes_in_the_middle)
{
    trm_scene *scene = NULL;
    trm_error err = {0};
    assert_int_equal(trm_scene_parse("{\0}", 3, &scene, &err), TRM_ERR_SYNTAX);
    assert_string_equal(err.where, "scene:1:2");
    assert_string_equal(err.message, "expected a key in double quotes, got the byte 0x00; the text "
                                     "looks like UTF-16, not UTF-8");
    assert_int_equal(trm_scene_parse("{\"a\0b\":1}", 9, &scene, &err), TRM_ERR_SYNTAX);
    assert_string_equal(err.message, "a string may not contain a control character; write \\u00XX");
    assert_int_equal(trm_scene_parse(NULL, 0, &scene, &err), TRM_ERR_SYNTAX);
}

CLAIM(nesting_is_limited)
{
    enum { DEEP = 10000 };
    char *json = malloc(DEEP + 6);
    trm_scene *scene = NULL;
    trm_error err = {0};
    assert_non_null(json);
    memcpy(json, "{\"a\":", 5);
    memset(json + 5, '[', DEEP);
    assert_int_equal(trm_scene_parse(json, DEEP + 5, &scene, &err), TRM_ERR_SYNTAX);
    assert_string_equal(err.where, "scene:1:105");
    assert_string_equal(err.message, "nested deeper than 100 levels");
    free(json);
}

CLAIM(values_that_json_allows)
{
    static const refusal list[] = {
        {"{'dimension':2,'mass':1,@'mass':2}", "/mass", "duplicate key \"mass\""},
        {"{'b':1,'a':1,@'b':2,'a':2}", "/b", "duplicate key \"b\""},
        {"{'a':1,@'\\u0061':2}", "/a", "duplicate key \"a\""},
        {"{'a':[{'x':1,\n@'x':1}]}", "/a/0/x", "duplicate key \"x\""},
        {"{'a':@1e400}", "/a", "the number is too large for a double"},
        {"{'a/b~c':[@-1e999]}", "/a~1b~0c/0", "the number is too large for a double"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

CLAIM(top_level)
{
    static const refusal list[] = {
        {"@{}", "", "missing key \"dimension\""},
        {"@{'dimension':2}", "", "missing key \"bodies\""},
        {"{'dimension':@'2'}", "/dimension", "dimension must be 2 or 3, got a string"},
        {"{'dimension':@4}", "/dimension", "dimension must be 2 or 3, got 4"},
        {"{'format':@2,'dimension':2}", "/format", "this version reads scenes of format 1, not 2"},
        {"{'format':@'1','dimension':2}", "/format", "the format is a number, got a string"},
        {"{'dimension':@2.5}", "/dimension", "dimension must be 2 or 3, got 2.5"},
        {"{'dimension':2,'bodies':@[]}", "/bodies", "a scene needs at least one body"},
        {"{'dimension':2,'bodies':@{}}", "/bodies", "expected an array, got an object"},
        {"{'dimension':2,'bodies':[@1]}", "/bodies/0", "expected an object, got a number"},
        {"{'dimension':2,@'titel':''}", "/titel", "unknown key \"titel\"; did you mean \"title\"?"},
        {"{'dimension':2,@'Bodies':[]}", "/Bodies",
         "unknown key \"Bodies\"; did you mean \"bodies\"?"},
        {"{'dimension':2,@'comment':''}", "/comment",
         "unknown key \"comment\"; known: $schema, format, title, dimension, parameters, tables, "
         "definitions, gravity, bodies, markers, joints, constraints, forces, impact, stops, "
         "contacts, events, ..."},
        {"{'dimension':2,'title':@[]}", "/title", "expected a string, got an array"},
        {"{'dimension':2,'assemble':@1}", "/assemble", "expected true or false, got a number"},
        {"{'dimension':2,'gravity':@[0,0,-9.81]}", "/gravity", "expected 2 numbers, got 3"},
        {"{'dimension':3,'gravity':@[0,-9.81]}", "/gravity", "expected 3 numbers, got 2"},
        {"{'dimension':2,'gravity':@9.81}", "/gravity", "expected 2 numbers, got a number"},
        {"{'dimension':2,'gravity':[0,@null]}", "/gravity/1", "expected a number, got null"},
        {"{'dimension':2,'gravity':[0,@true]}", "/gravity/1", "expected a number, got true"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
    static const refusal run[] = {
        {SCENE_2("'simulation':@[]"), "/simulation", "expected an object, got an array"},
        {SCENE_2("'simulation':{'end':@-1}"), "/simulation/end", "end must be > 0, got -1"},
        {SCENE_2("'simulation':{'end':@0}"), "/simulation/end", "end must be > 0, got 0"},
        {SCENE_2("'simulation':{'every':@-0.1}"), "/simulation/every",
         "every must be >= 0, got -0.1"},
        {SCENE_2("'simulation':{'accuracy':@'-1e-6'}"), "/simulation/accuracy",
         "accuracy must be > 0, got -1e-06"},
        {SCENE_2("'simulation':{'accuracy':@1}"), "/simulation/accuracy",
         "accuracy must be < 1, got 1"},
        {SCENE_2("'simulation':{@'duration':2}"), "/simulation/duration",
         "unknown key \"duration\"; did you mean \"end\"?"},
        {SCENE_2("'simulation':{@'step':1}"), "/simulation/step",
         "unknown key \"step\"; known: end, every, accuracy, misfit, coordinates"},
    };
    refuse_all(run, sizeof run, TRM_ERR_SCENE);
}

CLAIM(parameters)
{
    static const refusal list[] = {
        {"{'dimension':2,'parameters':@[]}", "/parameters", "expected an object, got an array"},
        {"{'dimension':2,'parameters':{'l':@null}}", "/parameters/l",
         "expected a number, got null"},
        {"{'dimension':2,'parameters':{'a':'2*@b','b':1}}", "/parameters/a",
         "parameter \"b\" is not defined before this line"},
        {"{'dimension':2,'parameters':{'a':'@a+1'}}", "/parameters/a",
         "parameter \"a\" is not defined before this line"},
        {"{'dimension':2,'parameters':{'length':1,'b':'2*@lenght'}}", "/parameters/b",
         "no parameter \"lenght\"; did you mean \"length\"?"},
        {"{'dimension':2,'parameters':{'b':'@zzz'}}", "/parameters/b", "no parameter \"zzz\""},
        {"{'dimension':2,'parameters':{'b':'sin(@t)'}}", "/parameters/b",
         "t is the time; a constant is expected here"},
        {"{'dimension':2,'parameters':{'b':'1+@tip.x'}}", "/parameters/b",
         "\"tip.x\" changes with time; a constant is expected here"},
        {"{'dimension':2,'parameters':{'b':@'log(-1)'}}", "/parameters/b",
         "the value of \"log(-1)\" is not a number: log of -1"},
        {"{'dimension':2,'parameters':{'b':@'1/0'}}", "/parameters/b",
         "the value of \"1/0\" is infinite: a quotient of 1 and 0"},
        {"{'dimension':2,'parameters':{'b':'2*@'}}", "/parameters/b",
         "expected a number, a name or '(', got the end of the expression"},
        {"{'dimension':2,'parameters':{'b':'\\u0031\\t+ @!'}}", "/parameters/b",
         "expected a number, a name or '(', got '!'; write not"},
        {"{'dimension':2,'parameters':{@'2l':1}}", "/parameters/2l",
         "\"2l\" is not a name: letters, digits, _ and -, a letter first"},
        {"{'dimension':2,'parameters':{@'':1}}", "/parameters/",
         "\"\" is not a name: letters, digits, _ and -, a letter first"},
        {"{'dimension':2,'parameters':{@'pi':1}}", "/parameters/pi", "the name \"pi\" is reserved"},
        {"{'dimension':2,'parameters':{@'t':1}}", "/parameters/t", "the name \"t\" is reserved"},
        {"{'dimension':2,'parameters':{@'a-b':1}}", "/parameters/a-b",
         "\"a-b\" cannot be a parameter: expressions would read - as minus"},
        {"{'dimension':2,'parameters':{@'sin':1}}", "/parameters/sin",
         "\"sin\" cannot be a parameter: it is a function"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

#define INPUTS_2(parts)                                                                            \
    "{'dimension':2,'parameters':{'u':{'value':1,'input':true},"                                   \
    "'w':{'value':1,'input':true,'smooth':0.1}}," BODIES_2 "," parts "}"

CLAIM(inputs)
{
    static const refusal list[] = {
        {"{'dimension':2,'parameters':{'u':@{'value':1}}}", "/parameters/u",
         "missing key \"input\""},
        {"{'dimension':2,'parameters':{'u':@{'input':true}}}", "/parameters/u",
         "missing key \"value\""},
        {"{'dimension':2,'parameters':{'u':{'value':1,'input':@1}}}", "/parameters/u/input",
         "expected true or false, got a number"},
        {"{'dimension':2,'parameters':{'u':{'value':1,'input':true,'smooth':@-1}}}",
         "/parameters/u/smooth", "smooth must be >= 0, got -1"},
        {"{'dimension':2,'parameters':{'u':{'value':1,'input':true,@'unit':'N'}}}",
         "/parameters/u/unit", "unknown key \"unit\"; known: value, input, smooth"},
        {"{'dimension':2,'parameters':{'u':{'value':1,'input':true},'b':'2*@u'}}", "/parameters/b",
         "\"u\" is an input, set while a run goes on; a constant is expected here"},
        {INPUTS_2("'joints':[{'name':'O','type':'revolute','bodies':['a','b'],'at':[0,0],"
                  "'motor':'w + @u'}]"),
         "/joints/0/motor",
         "the input \"u\" jumps, which would violate the constraint here; give it \"smooth\", or "
         "use a servo"},
        {INPUTS_2("'constraints':[{'name':'c',"
                  "'expression':'tip.x - @u'}]"),
         "/constraints/0/expression",
         "the input \"u\" jumps, which would violate the constraint here; give it \"smooth\", or "
         "use a servo"},
        {INPUTS_2("'constraints':[{'name':'c','expression':@'w'}]"), "/constraints/0/expression",
         "the expression holds nothing: it depends on no moving body"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

CLAIM(names)
{
    static const refusal list[] = {
        {"{'dimension':2,'bodies':[@{'mass':1}]}", "/bodies/0", "missing key \"name\""},
        {"{'dimension':2,'bodies':[{'name':@7,'mass':1}]}", "/bodies/0/name",
         "expected a string, got a number"},
        {"{'dimension':2,'bodies':[{'name':@'ground','mass':1}]}", "/bodies/0/name",
         "the name \"ground\" is reserved"},
        {"{'dimension':2,'bodies':[{'name':@'a b','mass':1}]}", "/bodies/0/name",
         "\"a b\" is not a name: letters, digits, _ and -, a letter first"},
        {"{'dimension':2,'bodies':[{'name':@'_a','mass':1}]}", "/bodies/0/name",
         "\"_a\" is not a name: letters, digits, _ and -, a letter first"},
        {"{'dimension':2,'bodies':[{'name':@'a1234567890123456789012345678901234567890123456789"
         "01234567890123','mass':1}]}",
         "/bodies/0/name", "a name may have 63 characters at most, got 64"},
        {"{'dimension':2,'bodies':[{'name':'a','mass':1,'inertia':1},\n"
         "{'name':@'a','mass':1,'inertia':1}]}",
         "/bodies/1/name", "the name \"a\" is taken by /bodies/0 (line 1)"},
        {"{'dimension':2,'bodies':[{'name':'a','mass':1,'inertia':1}],\n"
         "'markers':[{'name':@'a','body':'a','on':[0,0]}]}",
         "/markers/0/name", "the name \"a\" is taken by /bodies/0 (line 1)"},
        {SCENE_2("'joints':[" HINGE "],\n'constraints':[{'name':@'h','expression':'tip.x'}]"),
         "/constraints/0/name", "the name \"h\" is taken by /joints/0 (line 1)"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

CLAIM(names_of_other_programs)
{
    static const refusal list[] = {
        {JOINT_2("'type':@'hinge','bodies':['a','b'],'at':[0,0]"), "/joints/0/type",
         "unknown joint type \"hinge\"; did you mean \"revolute\"?"},
        {JOINT_2("'type':@'pin','bodies':['a','b'],'at':[0,0]"), "/joints/0/type",
         "unknown joint type \"pin\"; did you mean \"revolute\"?"},
        {JOINT_2("'type':@'slider','bodies':['a','b'],'at':[0,0]"), "/joints/0/type",
         "unknown joint type \"slider\"; did you mean \"prismatic\"?"},
        {JOINT_2("'type':@'fixed','bodies':['a','b'],'at':[0,0]"), "/joints/0/type",
         "unknown joint type \"fixed\"; did you mean \"weld\"?"},
        {JOINT_3("'type':@'ball','bodies':['a','b'],'at':[0,0,0]"), "/joints/0/type",
         "unknown joint type \"ball\"; did you mean \"spherical\"?"},
        {JOINT_2("@'tpye':'revolute','bodies':['a','b'],'at':[0,0]"), "/joints/0/tpye",
         "unknown key \"tpye\"; did you mean \"type\"?"},
        {JOINT_2("@'kind':'revolute','bodies':['a','b'],'at':[0,0]"), "/joints/0/kind",
         "unknown key \"kind\"; did you mean \"type\"?"},
        {FORCE_2("'type':'spring_damper','markers':['tip','post'],@'damper':1"), "/forces/0/damper",
         "unknown key \"damper\"; did you mean \"damping\"?"},
        {FORCE_2("'type':@'damper','markers':['tip','post'],'damping':1"), "/forces/0/type",
         "unknown force type \"damper\"; did you mean \"spring_damper\"?"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

CLAIM(units_in_numbers)
{
    static const refusal list[] = {
        {BODY_2("'mass':'1 @kg','inertia':1"), "/bodies/0/mass",
         "expected an operator, got 'k'; units are SI, write the number alone"},
        {BODY_2("'mass':'2@m/s','inertia':1"), "/bodies/0/mass",
         "expected an operator, got 'm'; units are SI, write the number alone"},
        {BODY_2("'mass':'2 @mass','inertia':1"), "/bodies/0/mass", "expected an operator, got 'm'"},
        {BODY_2("'mass':1,'inertia':1,'angle':'20@\xc2\xb0'"), "/bodies/0/angle",
         "expected an operator, got the byte 0xc2; write 20*deg"},
        {BODY_2("'mass':1,'inertia':1,'angle':'-20 @deg'"), "/bodies/0/angle",
         "expected an operator, got 'd'; write -20*deg"},
        {BODY_2("'mass':1,'inertia':1,'angle':'20 @degrees'"), "/bodies/0/angle",
         "expected an operator, got 'd'; write 20*deg"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

// --------------------------------------------------------------------------- files and other paths

static void refuse_file(const char *path, trm_status status, const char *message)
{
    trm_scene *scene = NULL;
    trm_error err = {0};
    assert_int_equal(trm_scene_load(path, &scene, &err), status);
    assert_null(scene);
    assert_string_equal(err.where, path);
    assert_string_equal(err.message, message);
}

CLAIM(files_that_are_no_scenes)
{
    refuse_file("no/such/file.json", TRM_ERR_IO, "cannot open the file: No such file or directory");
    refuse_file(".", TRM_ERR_IO, "this is a directory, not a scene file");
    refuse_file("/dev/null", TRM_ERR_SYNTAX, "expected a JSON object, got an empty text");
}

/// A file of `size` bytes of which only the first ones are written; the rest is zeros on no disk.
static void make_file(const char *path, char byte, size_t count, long size)
{
    static char block[65536];
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    memset(block, byte, sizeof block);
    for (size_t done = 0; done < count; done += sizeof block) {
        assert_int_equal(fwrite(block, 1, sizeof block, file), sizeof block);
    }
    if (size > 0) {
        assert_int_equal(fseek(file, size - 1, SEEK_SET), 0);
        assert_int_equal(fputc(0, file), 0);
    }
    assert_int_equal(fclose(file), 0);
}

CLAIM(large_files)
{
    const char *path = "large_scene_of_a_test.json";
    make_file(path, ' ', 100000000, 0);
    refuse_file(path, TRM_ERR_SYNTAX, "expected a JSON object, got only white space");
    make_file(path, ' ', 0, 256L * 1024 * 1024 + 1);
    refuse_file(path, TRM_ERR_IO, "the file is larger than 256 MB");
    assert_int_equal(remove(path), 0);
    refuse_file("/dev/zero", TRM_ERR_IO, "the file is larger than 256 MB");
}

/// Ten keys of 30 characters do not fit in trm_error.where; the pointer ends in dots.
CLAIM(long_pointers_are_cut)
{
    char json[1000] = "", where[160];
    for (int i = 0; i < 10; i++) {
        strcat(json, "{\"a_key_of_thirty_characters____\":");
    }
    strcat(json, "1e999");
    for (int i = 0; i < 10; i++) {
        strcat(json, "}");
    }
    trm_scene *scene = NULL;
    trm_error err = {0};
    assert_int_equal(trm_scene_parse(json, strlen(json), &scene, &err), TRM_ERR_SCENE);
    strcpy(where, "scene:1:341");
    for (int i = 0; i < 4; i++) {
        strcat(where, i ? "/a_key_of_thirty_characters____" : " /a_key_of_thirty_characters____");
    }
    strcat(where, "/...");
    assert_string_equal(err.where, where);
}

CLAIM(an_error_need_not_be_asked_for)
{
    trm_scene *scene = NULL;
    assert_int_equal(trm_scene_parse("{}", 2, &scene, NULL), TRM_ERR_SCENE);
    assert_int_equal(trm_scene_parse("{", 1, &scene, NULL), TRM_ERR_SYNTAX);
    assert_int_equal(trm_scene_load("no/such/file", &scene, NULL), TRM_ERR_IO);
}
