// Every error of the scene reader: its status, its place and its exact sentence.
//
// The JSON texts are written with ' for ", and with @ in front of the byte that the error points
// at.

#include "engine/trammel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct refusal {
    const char *json, *pointer, *message;
} refusal;

/// Replace quotes and take out the mark; *line and *column are where it was.
static size_t prepare(const char *json, char *out, int *line, int *column)
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

static void refuse(const refusal *r, trm_status status)
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

static void refuse_all(const refusal *list, size_t bytes, trm_status status)
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
#define BODY_3(keys) "{'dimension':3,'bodies':[{'name':'a'," keys "}]}"
#define JOINT_2(keys) SCENE_2("'joints':[{'name':'j'," keys "}]")
#define FORCE_2(keys) SCENE_2("'joints':[" HINGE "],'forces':[{'name':'f'," keys "}]")
// spatial: bodies a, b, point mass p, marker tip
#define SCENE_3(parts)                                                                             \
    "{'dimension':3,'bodies':[{'name':'a','mass':1,'inertia':[1,1,1]},"                            \
    "{'name':'b','mass':1,'inertia':[1,1,1]},{'name':'p','mass':1,'shape':{'type':'point'}}],"     \
    "'markers':[{'name':'tip','body':'a','on':[1,0,0]}]," parts "}"
#define JOINT_3(keys) SCENE_3("'joints':[{'name':'j'," keys "}]")

static void syntax_is_strict(void **state)
{
    (void)state;
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
        {"{'a':@1111111111111111111111111111111111111111111111111111111111111111}", "",
         "a number may have 63 characters at most"},
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

static void syntax_of_bytes_in_the_middle(void **state)
{
    (void)state;
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

static void nesting_is_limited(void **state)
{
    (void)state;
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

static void values_that_json_allows(void **state)
{
    (void)state;
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

static void top_level(void **state)
{
    (void)state;
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
        {"{'dimension':2,@'comment':''}", "/comment", "unknown key \"comment\""},
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
        {SCENE_2("'simulation':{@'step':1}"), "/simulation/step", "unknown key \"step\""},
    };
    refuse_all(run, sizeof run, TRM_ERR_SCENE);
}

static void parameters(void **state)
{
    (void)state;
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
         "\"2l\" is no name: letters, digits, _ and -, a letter first"},
        {"{'dimension':2,'parameters':{@'':1}}", "/parameters/",
         "\"\" is no name: letters, digits, _ and -, a letter first"},
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

static void inputs(void **state)
{
    (void)state;
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
         "/parameters/u/unit", "unknown key \"unit\""},
        {"{'dimension':2,'parameters':{'u':{'value':1,'input':true},'b':'2*@u'}}", "/parameters/b",
         "\"u\" is an input, set while a run goes on; a constant is expected here"},
        {INPUTS_2("'joints':[{'name':'O','type':'revolute','bodies':['a','b'],'at':[0,0],"
                  "'motor':'w + @u'}]"),
         "/joints/0/motor",
         "the input \"u\" jumps, which would tear what is held here; give it \"smooth\", or use a "
         "servo"},
        {INPUTS_2("'constraints':[{'name':'c',"
                  "'expression':'tip.x - @u'}]"),
         "/constraints/0/expression",
         "the input \"u\" jumps, which would tear what is held here; give it \"smooth\", or use a "
         "servo"},
        {INPUTS_2("'constraints':[{'name':'c','expression':@'w'}]"), "/constraints/0/expression",
         "the expression holds nothing: it depends on no moving body"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

static void names(void **state)
{
    (void)state;
    static const refusal list[] = {
        {"{'dimension':2,'bodies':[@{'mass':1}]}", "/bodies/0", "missing key \"name\""},
        {"{'dimension':2,'bodies':[{'name':@7,'mass':1}]}", "/bodies/0/name",
         "expected a string, got a number"},
        {"{'dimension':2,'bodies':[{'name':@'ground','mass':1}]}", "/bodies/0/name",
         "the name \"ground\" is reserved"},
        {"{'dimension':2,'bodies':[{'name':@'a b','mass':1}]}", "/bodies/0/name",
         "\"a b\" is no name: letters, digits, _ and -, a letter first"},
        {"{'dimension':2,'bodies':[{'name':@'_a','mass':1}]}", "/bodies/0/name",
         "\"_a\" is no name: letters, digits, _ and -, a letter first"},
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

static void poses(void **state)
{
    (void)state;
    static const refusal list[] = {
        {BODY_2("'mass':1,'position':@[1]"), "/bodies/0/position", "expected 2 numbers, got 1"},
        {BODY_2("'mass':1,'angle':@[1]"), "/bodies/0/angle", "expected a number, got an array"},
        {BODY_3("'mass':1,@'angle':1"), "/bodies/0/angle",
         "\"angle\" is for scenes of dimension 2 only"},
        {BODY_2("'mass':1,@'rpy':[0,0,0]"), "/bodies/0/rpy",
         "\"rpy\" is for scenes of dimension 3 only"},
        {BODY_2("'mass':1,@'rate_world':[0,0,0]"), "/bodies/0/rate_world",
         "\"rate_world\" is for scenes of dimension 3 only"},
        {BODY_3("'mass':1,'quat_wxyz':@[1,0,0]"), "/bodies/0/quat_wxyz",
         "expected 4 numbers, got 3"},
        {BODY_3("'mass':1,'quat_wxyz':@[0,0,0,0]"), "/bodies/0/quat_wxyz",
         "quat_wxyz must not be zero"},
        {BODY_3("'mass':1,'rpy':[0,0,@{}]"), "/bodies/0/rpy/2", "expected a number, got an object"},
        {BODY_3("'mass':1,'axis_angle':@[0,0,1,1]"), "/bodies/0/axis_angle",
         "expected an object, got an array"},
        {BODY_3("'mass':1,'axis_angle':@{'axis':[0,0,1]}"), "/bodies/0/axis_angle",
         "missing key \"angle\""},
        {BODY_3("'mass':1,'axis_angle':{'axis':@[0,0,0],'angle':1}"), "/bodies/0/axis_angle/axis",
         "axis must not be zero"},
        {BODY_3("'mass':1,'matrix':[@1,0,0]"), "/bodies/0/matrix/0",
         "expected 3 numbers, got a number"},
        {BODY_3("'mass':1,'matrix':@[[1,0,0],[0,1,0]]"), "/bodies/0/matrix",
         "expected 3 rows of 3 numbers, got 2"},
        {BODY_3("'mass':1,'matrix':[[1,0,0],@[0,1],[0,0,1]]"), "/bodies/0/matrix/1",
         "expected 3 numbers, got 2"},
        {BODY_3("'mass':1,'matrix':@[[1,0,0],[0,1,0.01],[0,0,1]]"), "/bodies/0/matrix",
         "matrix must be orthogonal, but R^T R differs from 1 by 0.01"},
        {BODY_3("'mass':1,'matrix':@[[1,0,0],[0,2,0],[0,0,1]]"), "/bodies/0/matrix",
         "matrix must be orthogonal, but R^T R differs from 1 by 3"},
        {BODY_3("'mass':1,'matrix':@[[1,0,0],[0,1,0],[0,0,-1]]"), "/bodies/0/matrix",
         "matrix must be a rotation, but it mirrors (determinant -1)"},
        {BODY_3("'mass':1,'quat_wxyz':[1,0,0,0],@'rpy':[0,0,0]"), "/bodies/0/rpy",
         "\"quat_wxyz\" and \"rpy\" exclude each other"},
        {BODY_2("'mass':1,'ends':[[0,0],[1,0]],@'position':[0,0]"), "/bodies/0/position",
         "\"ends\" and \"position\" exclude each other"},
        {BODY_2("@'angle':1,'mass':1,'ends':[[0,0],[1,0]]"), "/bodies/0/angle",
         "\"ends\" and \"angle\" exclude each other"},
        {BODY_3("'mass':1,'rate':[0,0,1],@'rate_world':[0,0,1]"), "/bodies/0/rate_world",
         "\"rate\" and \"rate_world\" exclude each other"},
        {BODY_2("'mass':1,'ends':@[[0,0]]"), "/bodies/0/ends", "expected 2 points, got 1"},
        {BODY_2("'mass':1,'ends':@1"), "/bodies/0/ends", "expected 2 points, got a number"},
        {BODY_2("'mass':1,'ends':[[0,0],@[1,0,0]]"), "/bodies/0/ends/1",
         "expected 2 numbers, got 3"},
        {BODY_2("'mass':1,'ends':@[[1,2],[1,2]]"), "/bodies/0/ends",
         "the two ends must be different points"},
        {BODY_3("'mass':1,'rate':@1"), "/bodies/0/rate", "expected 3 numbers, got a number"},
        {BODY_2("'mass':1,'rate':@[1,0,0]"), "/bodies/0/rate", "expected a number, got an array"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

static void masses_and_inertias(void **state)
{
    (void)state;
    static const refusal list[] = {
        {"{'dimension':2,'bodies':[@{'name':'a','inertia':1}]}", "/bodies/0",
         "missing key \"mass\" or \"density\""},
        {BODY_2("'mass':1,@'density':1,'inertia':1"), "/bodies/0/density",
         "\"mass\" and \"density\" exclude each other"},
        {BODY_2("'mass':@-1,'inertia':1"), "/bodies/0/mass", "mass must be > 0, got -1"},
        {BODY_2("'mass':@'2-2','inertia':1"), "/bodies/0/mass", "mass must be > 0, got 0"},
        {BODY_2("'density':@0,'inertia':1"), "/bodies/0/density", "density must be > 0, got 0"},
        {BODY_2("'density':@1,'inertia':1"), "/bodies/0/density", "density needs a \"shape\""},
        {BODY_2("'density':@1,'shape':{'type':'point'}"), "/bodies/0/density",
         "a point mass has no volume; give \"mass\" instead of \"density\""},
        {BODY_2("'density':@1,'shape':{'type':'sphere','radius':1}"), "/bodies/0/density",
         "in 2-D a sphere has no density; give \"mass\""},
        {BODY_3("'density':@1,'shape':{'type':'rod','length':1}"), "/bodies/0/density",
         "density needs the rod's \"radius\""},
        {BODY_3("'density':@1,'shape':{'type':'disc','radius':1}"), "/bodies/0/density",
         "density needs the disc's \"thickness\""},
        {BODY_3("'density':@1e300,'shape':{'type':'sphere','radius':1e10}"), "/bodies/0/density",
         "mass must be > 0 and finite, got inf from the density"},
        {"{'dimension':2,'bodies':[@{'name':'a','mass':1}]}", "/bodies/0",
         "missing key \"inertia\" or \"shape\""},
        {BODY_2("'mass':1,'inertia':@0"), "/bodies/0/inertia", "inertia must be > 0, got 0"},
        {BODY_2("'mass':1,'inertia':@[1,1,1]"), "/bodies/0/inertia",
         "expected a number, got an array"},
        {BODY_3("'mass':1,'inertia':@1"), "/bodies/0/inertia", "expected 3 numbers, got a number"},
        {BODY_3("'mass':1,'inertia':@[1,1]"), "/bodies/0/inertia", "expected 3 numbers, got 2"},
        {BODY_3("'mass':1,'inertia':@[1,1,-1]"), "/bodies/0/inertia",
         "inertia must be positive definite, but a principal moment is -1"},
        {BODY_3("'mass':1,'inertia':@[[1,2,0],[2,1,0],[0,0,1]]"), "/bodies/0/inertia",
         "inertia must be positive definite, but a principal moment is -1"},
        {BODY_3("'mass':1,'inertia':@[[1,0.5,0],[0.25,1,0],[0,0,1]]"), "/bodies/0/inertia",
         "inertia must be symmetric, but 0.5 and 0.25 face each other"},
        {BODY_3("'mass':1,'inertia':@[1,2,3.5]"), "/bodies/0/inertia",
         "no body has this inertia: principal moment 3.5 is above the sum of the others, 1 + 2"},
        {BODY_2("'mass':1e200,'shape':@{'type':'disc','radius':1e100}"), "/bodies/0/shape",
         "inertia is too large for a double"},
        {BODY_2("'mass':1e-200,'shape':@{'type':'disc','radius':1e-100}"), "/bodies/0/shape",
         "inertia must be > 0, got 0"},
        {"{'dimension':3,'bodies':[@{'name':'a','mass':1,'shape':{'type':'rod','length':1}}]}",
         "/bodies/0", "a rod in 3-D needs a \"radius\", or the body an \"inertia\" of its own"},
        {"{'dimension':3,'bodies':[@{'name':'a','mass':1,'ends':[[0,0,0],[1,0,0]]}]}", "/bodies/0",
         "a rod in 3-D needs a \"radius\", or the body an \"inertia\" of its own"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

static void shapes(void **state)
{
    (void)state;
    static const refusal list[] = {
        {BODY_2("'mass':1,'shape':@'rod'"), "/bodies/0/shape", "expected an object, got a string"},
        {BODY_2("'mass':1,'shape':@{}"), "/bodies/0/shape", "missing key \"type\""},
        {BODY_2("'mass':1,'shape':{'type':@1}"), "/bodies/0/shape/type",
         "expected a string, got a number"},
        {BODY_2("'mass':1,'shape':{'type':@'disk'}"), "/bodies/0/shape/type",
         "unknown shape \"disk\"; did you mean \"disc\"?"},
        {BODY_2("'mass':1,'shape':{'type':@'pyramid'}"), "/bodies/0/shape/type",
         "unknown shape \"pyramid\"; known: point, rod, disc, box, sphere, cylinder"},
        {BODY_2("'mass':1,'shape':{'type':@'cylinder','radius':1,'length':1}"),
         "/bodies/0/shape/type", "shape \"cylinder\" is for scenes of dimension 3 only"},
        {BODY_2("'mass':1,'shape':@{'type':'rod'}"), "/bodies/0/shape", "missing key \"length\""},
        {BODY_2("'mass':1,'shape':{'type':'rod','length':@0}"), "/bodies/0/shape/length",
         "length must be > 0, got 0"},
        {BODY_2("'mass':1,'shape':{'type':'rod',@'lenght':1}"), "/bodies/0/shape/lenght",
         "unknown key \"lenght\"; did you mean \"length\"?"},
        {BODY_2("'mass':1,'shape':@{'type':'disc'}"), "/bodies/0/shape", "missing key \"radius\""},
        {BODY_3("'mass':1,'shape':{'type':'disc','radius':1,'thickness':@-1}"),
         "/bodies/0/shape/thickness", "thickness must be >= 0, got -1"},
        {BODY_2("'mass':1,'shape':{'type':'box','size':@[1,1,1]}"), "/bodies/0/shape/size",
         "expected 2 numbers, got 3"},
        {BODY_3("'mass':1,'shape':{'type':'box','size':[1,@0,1]}"), "/bodies/0/shape/size/1",
         "size must be > 0, got 0"},
        {BODY_3("'mass':1,'shape':{'type':'cylinder','radius':1,'length':1,'axis':@'w'}"),
         "/bodies/0/shape/axis", "unknown axis \"w\"; known: x, y, z"},
        {BODY_2("'mass':1,@'inertia':1,'shape':{'type':'point'}"), "/bodies/0/inertia",
         "a point mass cannot have \"inertia\""},
        {BODY_2("'mass':1,@'angle':1,'shape':{'type':'point'}"), "/bodies/0/angle",
         "a point mass cannot have \"angle\""},
        {BODY_2("'mass':1,@'rate':1,'shape':{'type':'point'}"), "/bodies/0/rate",
         "a point mass cannot have \"rate\""},
        {BODY_3("'mass':1,@'rpy':[1,0,0],'shape':{'type':'point'}"), "/bodies/0/rpy",
         "a point mass cannot have \"rpy\""},
        {BODY_2("'mass':1,@'ends':[[0,0],[1,0]],'shape':{'type':'point'}"), "/bodies/0/ends",
         "a point mass cannot have \"ends\""},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

static void markers(void **state)
{
    (void)state;
    static const refusal list[] = {
        {"{'dimension':2,'bodies':[{'name':'crank','mass':1,'inertia':1}],"
         "'markers':[{'name':'m','body':@'crnk','on':[0,0]}]}",
         "/markers/0/body", "no body \"crnk\"; did you mean \"crank\"?"},
        {"{'dimension':2,'bodies':[{'name':'crank','mass':1,'inertia':1}],"
         "'markers':[{'name':'m','body':@'Ground','on':[0,0]}]}",
         "/markers/0/body", "no body \"Ground\"; did you mean \"ground\"?"},
        {"{'dimension':2,'bodies':[{'name':'crank','mass':1,'inertia':1}],"
         "'markers':[{'name':'m','body':@'wheel','on':[0,0]}]}",
         "/markers/0/body", "no body \"wheel\""},
        {"{'dimension':2,'bodies':[{'name':'a','mass':1,'inertia':1}],"
         "'markers':[{'name':'m','body':'a','on':[0,0]},{'name':'n','body':@'m','on':[0,0]}]}",
         "/markers/1/body", "\"m\" is a marker; expected a body"},
        {"{'dimension':2,'bodies':[{'name':'a','mass':1,'inertia':1}],"
         "'markers':[@{'name':'m','body':'a'}]}",
         "/markers/0", "missing key \"at\" or \"on\""},
        {"{'dimension':2,'bodies':[{'name':'a','mass':1,'inertia':1}],"
         "'markers':[{'name':'m','body':'a','at':[0,0],@'on':[0,0]}]}",
         "/markers/0/on", "\"at\" and \"on\" exclude each other"},
        {"{'dimension':2,'bodies':[{'name':'a','mass':1,'inertia':1}],"
         "'markers':[{'name':'m','body':'a','at':@[0,0,0]}]}",
         "/markers/0/at", "expected 2 numbers, got 3"},
        {"{'dimension':2,'bodies':[{'name':'p','mass':1,'position':[1,0],"
         "'shape':{'type':'point'}}],'markers':[{'name':'m','body':'p','at':@[1,0.5]}]}",
         "/markers/0/at", "\"p\" is a point mass; a point 0.5 m away from it is not part of it"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

static void joints(void **state)
{
    (void)state;
    static const refusal list[] = {
        {SCENE_2("'joints':@{}"), "/joints", "expected an array, got an object"},
        {SCENE_2("'joints':[@[]]"), "/joints/0", "expected an object, got an array"},
        {SCENE_2("'joints':[@{'name':'j'}]"), "/joints/0", "missing key \"type\""},
        {SCENE_2("'joints':[@{'type':'weld','bodies':['a','b'],'at':[0,0]}]"), "/joints/0",
         "missing key \"name\""},
        {JOINT_2("'type':@'revolut'"), "/joints/0/type",
         "unknown joint type \"revolut\"; did you mean \"revolute\"?"},
        {JOINT_2("'type':@'spherical','bodies':['a','b'],'at':[0,0]"), "/joints/0/type",
         "joint type \"spherical\" is for scenes of dimension 3 only"},
        {JOINT_3("'type':@'pin_in_slot'"), "/joints/0/type",
         "joint type \"pin_in_slot\" is for scenes of dimension 2 only"},
        {SCENE_2("'joints':[@{'name':'j','type':'revolute','at':[0,0]}]"), "/joints/0",
         "missing key \"bodies\""},
        {JOINT_2("'type':'revolute','bodies':@'a'"), "/joints/0/bodies",
         "expected the names of 2 bodies, got a string"},
        {JOINT_2("'type':'revolute','bodies':@['a']"), "/joints/0/bodies",
         "expected the names of 2 bodies, got 1"},
        {JOINT_2("'type':'revolute','bodies':['a',@2]"), "/joints/0/bodies/1",
         "expected a string, got a number"},
        {JOINT_2("'type':'revolute','bodies':@['a','a']"), "/joints/0/bodies",
         "expected two different bodies, got \"a\" twice"},
        {JOINT_2("'type':'revolute','bodies':@['ground','ground']"), "/joints/0/bodies",
         "expected two different bodies, got \"ground\" twice"},
        {JOINT_2("'type':'revolute','bodies':['a',@'tip']"), "/joints/0/bodies/1",
         "\"tip\" is a marker; expected a body"},
        {SCENE_2("'joints':[@{'name':'j','type':'revolute','bodies':['a','b']}]"), "/joints/0",
         "missing key \"at\" or \"on\""},
        {JOINT_2("'type':'revolute','bodies':['a','b'],'at':[0,0],@'on':{}"), "/joints/0/on",
         "\"at\" and \"on\" exclude each other"},
        {JOINT_2("'type':'revolute','bodies':['a','b'],'at':@0"), "/joints/0/at",
         "expected 2 numbers, got a number"},
        {JOINT_2("'type':'revolute','bodies':['a','b'],'at':@[[0,0],[0,0],[0,0]]"), "/joints/0/at",
         "expected 2 points, got 3"},
        {JOINT_2("'type':'revolute','bodies':['a','b'],'on':@[0,0]"), "/joints/0/on",
         "expected an object, got an array"},
        {JOINT_2("'type':'revolute','bodies':['a','b'],'on':@{'a':[0,0]}"), "/joints/0/on",
         "missing key \"b\", the point of that body"},
        {JOINT_2("'type':'revolute','bodies':['a','b'],'on':{'a':[0,0],'b':[0,0],@'c':[0,0]}"),
         "/joints/0/on/c", "unknown key \"c\"; expected \"a\" and \"b\""},
        {JOINT_2("'type':'revolute','bodies':['a','b'],'on':{'a':[0,0],'b':@[0]}"),
         "/joints/0/on/b", "expected 2 numbers, got 1"},
        {JOINT_2("'type':'revolute','bodies':['a','b'],'at':[0,0],@'axis':[0,0,1]"),
         "/joints/0/axis", "\"axis\" is for scenes of dimension 3 only"},
        {SCENE_3("'joints':[@{'name':'j','type':'revolute','bodies':['a','b'],'at':[0,0,0]}]"),
         "/joints/0", "missing key \"axis\""},
        {JOINT_3("'type':'revolute','bodies':['a','b'],'at':[0,0,0],'axis':@[0,0]"),
         "/joints/0/axis", "expected 3 numbers, got 2"},
        {JOINT_3("'type':'revolute','bodies':['a','b'],'at':[0,0,0],'axis':@[0,0,0]"),
         "/joints/0/axis", "axis must not be zero"},
        {JOINT_3("'type':'universal','bodies':['a','b'],'at':[0,0,0],'axis':[1,0,0],"
                 "'axis2':@[1,1,0]"),
         "/joints/0/axis2", "axis2 must be square to axis, but they enclose 0.785398 rad"},
        {JOINT_2("'type':'weld','bodies':['a','b'],'at':[0,0],@'motor':'t'"), "/joints/0/motor",
         "unknown key \"motor\""},
        {JOINT_2("'type':'rod','bodies':['a','b'],'at':@[0,0]"), "/joints/0/at",
         "a rod needs two points, one of \"a\" and one of \"b\""},
        {JOINT_2("'type':'rod','bodies':['a','b'],'at':@[[1,0],[1,0]]"), "/joints/0/at",
         "the two points of a rod must differ, or \"length\" be given"},
        {JOINT_2("'type':'rod','bodies':['a','b'],'length':@0,'at':[[1,0],[1,0]]"),
         "/joints/0/length", "length must be > 0, got 0"},
        {"{'dimension':2,'bodies':[{'name':'p','mass':1,'position':[3,0],"
         "'shape':{'type':'point'}}],'joints':[@{'name':'j','type':'weld',"
         "'bodies':['ground','p'],'at':[3,0]}]}",
         "/joints/0", "a weld joint turns or holds \"p\", but a point mass has no rotation"},
        {SCENE_2("'joints':[@{'name':'j','type':'pin_in_slot','bodies':['p','a'],'at':[3,0],"
                 "'axis':[1,0]}]"),
         "/joints/0", "a pin_in_slot joint turns or holds \"p\", but a point mass has no rotation"},
        {SCENE_2("'joints':[@{'name':'j','type':'revolute','bodies':['ground','p'],'at':[3,0],"
                 "'motor':'t'}]"),
         "/joints/0",
         "a revolute joint with a motor turns or holds \"p\", but a point mass has no rotation"},
        {JOINT_2("'type':'revolute','bodies':['ground','p'],'at':@[3,1]"), "/joints/0/at",
         "\"p\" is a point mass; a point 1 m away from it is not part of it"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

static void motors(void **state)
{
    (void)state;
    static const refusal list[] = {
        {JOINT_2("'type':'revolute','bodies':['a','b'],'at':[0,0],'motor':@[1]"), "/joints/0/motor",
         "expected a number or a formula, got an array"},
        {JOINT_2("'type':'revolute','bodies':['a','b'],'at':[0,0],'motor':'2*@tip.x'"),
         "/joints/0/motor", "a motor may use t and parameters only, not \"tip.x\""},
        {JOINT_2("'type':'revolute','bodies':['a','b'],'at':[0,0],'motor':'@ll*t'"),
         "/joints/0/motor", "no parameter \"ll\"; did you mean \"l\"?"},
        {JOINT_2("'type':'revolute','bodies':['a','b'],'at':[0,0],'motor':@'sqrt(-1)'"),
         "/joints/0/motor", "the value of \"sqrt(-1)\" is not a number: sqrt of -1"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

static void constraints(void **state)
{
    (void)state;
    static const refusal list[] = {
        {SCENE_2("'constraints':[@{'name':'c'}]"), "/constraints/0", "missing key \"expression\""},
        {SCENE_2("'constraints':[{'name':'c','expression':@true}]"), "/constraints/0/expression",
         "expected a number or a formula, got true"},
        {SCENE_2("'constraints':[{'name':'c','expression':'@tup.x'}]"), "/constraints/0/expression",
         "no marker, body or joint \"tup\"; did you mean \"tip\"?"},
        {SCENE_2("'constraints':[{'name':'c','expression':'tip.y - @tip.z'}]"),
         "/constraints/0/expression", "a marker has x, y, vx and vy, not \"z\""},
        {SCENE_2("'constraints':[{'name':'c','expression':'@tip.vx'}]"),
         "/constraints/0/expression",
         "\"tip.vx\" is a velocity; constraints may use positions only"},
        {SCENE_2("'constraints':[{'name':'c','expression':'@a.rate'}]"),
         "/constraints/0/expression",
         "\"a.rate\" is a velocity; constraints may use positions only"},
        {SCENE_2("'constraints':[{'name':'c','expression':'@a.x'}]"), "/constraints/0/expression",
         "a body has angle and rate, not \"x\"; a place on it is a marker"},
        {SCENE_2("'constraints':[{'name':'c','expression':'@p.angle'}]"),
         "/constraints/0/expression", "\"p\" is a point mass and has no rotation"},
        {SCENE_2("'constraints':[{'name':'c','expression':'1 + @tip'}]"),
         "/constraints/0/expression", "\"tip\" has no value itself; write \"tip.x\""},
        {SCENE_2("'constraints':[{'name':'c','expression':'@a'}]"), "/constraints/0/expression",
         "\"a\" has no value itself; write \"a.angle\""},
        {SCENE_3("'constraints':[{'name':'c','expression':'@tip.q'}]"), "/constraints/0/expression",
         "a marker has x, y, z, vx, vy and vz, not \"q\""},
        {SCENE_3("'constraints':[{'name':'c','expression':'@a.angle'}]"),
         "/constraints/0/expression",
         "a body has roll, pitch, yaw, wx, wy, wz and R00 to R22, not \"angle\"; a place on it is "
         "a marker"},
        {SCENE_3("'constraints':[{'name':'c','expression':'@a.R31'}]"), "/constraints/0/expression",
         "a body has roll, pitch, yaw, wx, wy, wz and R00 to R22, not \"R31\"; a place on it is a "
         "marker"},
        {SCENE_2("'constraints':[{'name':'c','expression':@'l - 2*t'}]"),
         "/constraints/0/expression", "the expression holds nothing: it depends on no moving body"},
        {SCENE_2("'constraints':[{'name':'c','expression':@'post.x'}]"),
         "/constraints/0/expression", "the expression holds nothing: it depends on no moving body"},
        {SCENE_2("'constraints':[{'name':'c','expression':@'log(-l)'}]"),
         "/constraints/0/expression", "the value of \"log(-l)\" is not a number: log of -2"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

static void forces(void **state)
{
    (void)state;
    static const refusal list[] = {
        {SCENE_2("'forces':[@{'name':'f'}]"), "/forces/0", "missing key \"type\""},
        {FORCE_2("'type':@'glue'"), "/forces/0/type",
         "unknown force type \"glue\"; known: spring_damper, joint_spring_damper, servo, "
         "joint_force, force, torque, tendon, bushing, point_gravity"},
        {FORCE_2("'type':@'gravity'"), "/forces/0/type",
         "unknown force type \"gravity\"; known: spring_damper, joint_spring_damper, servo, "
         "joint_force, force, torque, tendon, bushing, point_gravity"},
        {FORCE_2("'type':@'torqe'"), "/forces/0/type",
         "unknown force type \"torqe\"; did you mean \"torque\"?"},
        {FORCE_2("'type':'force','marker':@'top','value':[0,0]"), "/forces/0/marker",
         "no marker \"top\"; did you mean \"tip\"?"},
        {FORCE_2("'type':'force','marker':@'a','value':[0,0]"), "/forces/0/marker",
         "\"a\" is a body; expected a marker"},
        {FORCE_2("'type':'force','marker':'tip','value':@[0]"), "/forces/0/value",
         "expected 2 formulas, got 1"},
        {FORCE_2("'type':'force','marker':'tip','value':@'t'"), "/forces/0/value",
         "expected 2 formulas, got a string"},
        {FORCE_2("'type':'force','marker':'tip','value':[0,'2*@h.omega']"), "/forces/0/value/1",
         "a revolute joint has angle and rate, not \"omega\"; did you mean \"rate\"?"},
        {SCENE_2("'joints':[{'name':'h','type':'revolute','bodies':['ground','a'],'at':[0,0]}],"
                 "'constraints':[{'name':'c','expression':'t - @h.rate'}]"),
         "/constraints/0/expression",
         "\"h.rate\" is a velocity; constraints may use positions only"},
        {SCENE_2("'joints':[{'name':'h','type':'prismatic','bodies':['a','ground'],'at':[0,0],"
                 "'axis':[1,0]}],'constraints':[{'name':'c','expression':'@h.angle'}]"),
         "/constraints/0/expression", "a prismatic joint has position and rate, not \"angle\""},
        {SCENE_2("'joints':[{'name':'h','type':'weld','bodies':['ground','a'],'at':[0,0]}],"
                 "'constraints':[{'name':'c','expression':'@h.angle'}]"),
         "/constraints/0/expression",
         "\"h\" is a weld joint; only revolute and prismatic ones have a coordinate"},
        {SCENE_2("'constraints':[{'name':'c','expression':'tip.x'},"
                 "{'name':'d','expression':'@c.x'}]"),
         "/constraints/1/expression",
         "\"c\" is a constraint; formulas know markers, bodies and joints only"},
        {"{'dimension':2,'bodies':[{'name':'a','mass':1,'inertia':1}],'markers':[{'name':'m',"
         "'body':@'h','on':[0,0]}],'joints':[{'name':'h','type':'revolute','bodies':['ground','a'],"
         "'at':[0,0]}]}",
         "/markers/0/body", "\"h\" is a joint; expected a body"},
        {SCENE_2("'constraints':[{'name':'c','expression':'tip.x @= l'}]"),
         "/constraints/0/expression",
         "expected an operator, got '='; move all to one side: tip.x - l"},
        {SCENE_2("'constraints':[{'name':'c','expression':'tip.x @== l + 1'}]"),
         "/constraints/0/expression",
         "a constraint holds an expression at zero; move all to one side: tip.x - (l + 1)"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

static void names_of_other_programs(void **state)
{
    (void)state;
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

static void units_in_numbers(void **state)
{
    (void)state;
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

static void values_of_forces(void **state)
{
    (void)state;
    static const refusal list[] = {
        {FORCE_2("'type':'force','marker':'tip','value':[0,'2*(@']"), "/forces/0/value/1",
         "expected a number, a name or '(', got the end of the expression"},
        {FORCE_2("'type':'force','marker':'tip','value':[0,0],'axes':@'bodie'"), "/forces/0/axes",
         "unknown axes \"bodie\"; did you mean \"body\"?"},
        {FORCE_2("'type':'spring_damper','markers':@['tip'],'damping':1"), "/forces/0/markers",
         "expected the names of 2 markers, got 1"},
        {FORCE_2("'type':'spring_damper','markers':@['tip','tip'],'damping':1"),
         "/forces/0/markers", "expected two different markers, got \"tip\" twice"},
        {FORCE_2("'type':'spring_damper','markers':['tip','post'],'stiffness':@-1"),
         "/forces/0/stiffness", "stiffness must be >= 0, got -1"},
        {SCENE_2("'forces':[@{'name':'f','type':'spring_damper','markers':['tip','post'],"
                 "'stiffness':1}]"),
         "/forces/0", "missing key \"rest_length\", which \"stiffness\" needs"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

static void forces_of_joints_and_torques(void **state)
{
    (void)state;
    static const refusal list[] = {
        {FORCE_2("'type':'joint_spring_damper','joint':@'k','damping':1"), "/forces/0/joint",
         "no joint \"k\""},
        {SCENE_2("'forces':[@{'name':'f','type':'servo','joint':'h','kp':1}],'joints':[" HINGE "]"),
         "/forces/0", "missing key \"target\""},
        {SCENE_2("'forces':[@{'name':'f','type':'servo','joint':'h','target':1}],"
                 "'joints':[" HINGE "]"),
         "/forces/0", "missing key \"kp\""},
        {SCENE_2("'forces':[{'name':'f','type':'servo','joint':'h','target':1,'kp':1,'limit':@0}],"
                 "'joints':[" HINGE "]"),
         "/forces/0/limit", "limit must be > 0, got 0"},
        {SCENE_2("'joints':[{'name':'w','type':'weld','bodies':['a','b'],'at':[0,0]}],"
                 "'forces':[{'name':'f','type':'joint_force','joint':@'w','value':1}]"),
         "/forces/0/joint",
         "\"w\" is a weld joint; expected one with a single angle or distance, revolute or "
         "prismatic"},
        {SCENE_2("'joints':[{'name':'w','type':'weld','bodies':['a','b'],'at':[0,0]}],"
                 "'forces':[{'name':'f','type':'joint_spring_damper','joint':@'w','damping':1}]"),
         "/forces/0/joint",
         "\"w\" is a weld joint; expected one with a single angle or distance, revolute or "
         "prismatic"},
        {SCENE_2("'joints':[{'name':'w','type':'revolute','bodies':['ground','p'],'at':[3,0]}],"
                 "'forces':[{'name':'f','type':'joint_spring_damper','joint':@'w','damping':1}]"),
         "/forces/0/joint", "joint \"w\" has no angle: \"p\" is a point mass"},
        {SCENE_2("'constraints':[{'name':'c','expression':'tip.x'}],"
                 "'forces':[{'name':'f','type':'joint_spring_damper','joint':@'c','damping':1}]"),
         "/forces/0/joint", "\"c\" is a constraint; expected a joint"},
        {FORCE_2("'type':'torque','body':@'p','value':1"), "/forces/0/body",
         "\"p\" is a point mass; no torque can act on it"},
        {FORCE_2("'type':'torque','body':@'ground','value':1"), "/forces/0/body",
         "expected a moving body, got \"ground\""},
        {FORCE_2("'type':'torque','body':'a','reaction':@'p','value':1"), "/forces/0/reaction",
         "\"p\" is a point mass; no torque can act on it"},
        {FORCE_2("'type':'torque','body':'a','reaction':@'a','value':1"), "/forces/0/reaction",
         "the reaction must act on another body"},
        {FORCE_2("'type':'torque','body':'a','value':@[1,2,3]"), "/forces/0/value",
         "expected a number or a formula, got an array"},
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

static void files_that_are_no_scenes(void **state)
{
    (void)state;
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

static void large_files(void **state)
{
    (void)state;
    const char *path = "large_scene_of_a_test.json";
    make_file(path, ' ', 100000000, 0);
    refuse_file(path, TRM_ERR_SYNTAX, "expected a JSON object, got only white space");
    make_file(path, ' ', 0, 256L * 1024 * 1024 + 1);
    refuse_file(path, TRM_ERR_IO, "the file is larger than 256 MB");
    assert_int_equal(remove(path), 0);
    refuse_file("/dev/zero", TRM_ERR_IO, "the file is larger than 256 MB");
}

/// Ten keys of 30 characters do not fit in trm_error.where; the pointer ends in dots.
static void long_pointers_are_cut(void **state)
{
    (void)state;
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

static void an_error_need_not_be_asked_for(void **state)
{
    (void)state;
    trm_scene *scene = NULL;
    assert_int_equal(trm_scene_parse("{}", 2, &scene, NULL), TRM_ERR_SCENE);
    assert_int_equal(trm_scene_parse("{", 1, &scene, NULL), TRM_ERR_SYNTAX);
    assert_int_equal(trm_scene_load("no/such/file", &scene, NULL), TRM_ERR_IO);
}

#define WHEELS                                                                                     \
    "{'dimension':2,'bodies':["                                                                    \
    "{'name':'a','mass':1,'inertia':1},{'name':'b','mass':1,'inertia':1,'position':[0.3,0]},"      \
    "{'name':'c','mass':1,'inertia':1,'position':[0,1]},{'name':'p','mass':1,'shape':{'type':'"    \
    "point'}}],"                                                                                   \
    "'tables':{'kinked':{'points':[[0,0],[1,1],[2,0]]}},"                                          \
    "'joints':["                                                                                   \
    "{'name':'A','type':'revolute','bodies':['ground','a'],'at':[0,0]},"                           \
    "{'name':'B','type':'revolute','bodies':['ground','b'],'at':[0.3,0]},"                         \
    "{'name':'C','type':'prismatic','bodies':['ground','c'],'at':[0,1],'axis':[1,0]},"             \
    "{'name':'D','type':'rod','bodies':['a','c'],'at':[[0,0],[0,1]]},"                             \
    "{'name':'E','type':'revolute','bodies':['a','c'],'at':[0,0]},"                                \
    "{'name':'F','type':'revolute','bodies':['ground','p'],'at':[0,0]}],\n"                        \
    "'constraints':[{'name':'k',"

static void relations(void **state)
{
    (void)state;
    static const refusal list[] = {
        {WHEELS "'type':@'geer'}]}", "/constraints/0/type",
         "unknown constraint type \"geer\"; did you mean \"gear\"?"},
        {WHEELS "'type':'gear','joints':['A','B'],'radii':@[0.1,0.1]}]}", "/constraints/0/radii",
         "the axes of \"A\" and \"B\" are 0.3 m apart, but these radii add to 0.2 m"},
        {WHEELS "'type':'gear','joints':['A','B'],'radii':@[0.4,0.2],'mesh':'internal'}]}",
         "/constraints/0/radii",
         "the axes of \"A\" and \"B\" are 0.3 m apart, but these radii differ to 0.2 m"},
        {WHEELS "'type':'gear','joints':@['B','E'],'radii':[0.1,0.1]}]}", "/constraints/0/joints",
         "\"B\" and \"E\" share no body; both joints must be on the carrier, or a coupling relate "
         "them"},
        {WHEELS "'type':'gear','joints':['A',@'C'],'ratio':2}]}", "/constraints/0/joints/1",
         "\"C\" is a prismatic joint; a gear needs a revolute one here"},
        {WHEELS "'type':'gear','joints':@['A','B','E'],'ratio':2}]}", "/constraints/0/joints",
         "expected the names of 2 joints, got 3"},
        {WHEELS "'type':'gear','joints':['A','B'],'ratio':@0}]}", "/constraints/0/ratio",
         "ratio must be different from 0, got 0"},
        {WHEELS "'type':'gear','joints':['A','B'],'radii':[0.1,@-0.1]}]}", "/constraints/0/radii/1",
         "radii must be > 0, got -0.1"},
        {WHEELS "'type':'gear','joints':['A','B'],'radii':@[0.1]}]}", "/constraints/0/radii",
         "expected the radii of 2 gears, got 1"},
        {WHEELS "'type':'gear','joints':['A','B'],'radii':[0.1,0.2],@'ratio':2}]}",
         "/constraints/0/ratio", "\"radii\" and \"ratio\" exclude each other"},
        {WHEELS "'type':'gear','joints':@['A','B'],'radii':[0.1,0.2],'mesh':'bevel'}]}",
         "/constraints/0/joints", "the axes of bevel gears meet, those of \"A\" and \"B\" do not"},
        {WHEELS "'type':'coupling','joints':['A',@'D'],'coefficients':[1,1]}]}",
         "/constraints/0/joints/1",
         "\"D\" is a rod joint; expected one with a single angle or distance, revolute or "
         "prismatic"},
        {WHEELS "'type':'coupling','joints':['A',@'F'],'coefficients':[1,1]}]}",
         "/constraints/0/joints/1", "joint \"F\" has no angle: \"p\" is a point mass"},
        {WHEELS "'type':'coupling','joints':['A',@'A'],'coefficients':[1,1]}]}",
         "/constraints/0/joints/1", "expected different names of joints, got \"A\" twice"},
        {WHEELS "'type':'coupling','joints':['A','C'],'coefficients':@[1]}]}",
         "/constraints/0/coefficients", "expected 2 coefficients, one of each joint, got 1"},
        {WHEELS "'type':'coupling','joints':['A','C'],'coefficients':@[0,0]}]}",
         "/constraints/0/coefficients", "coefficients must not all be zero"},
        {WHEELS "'type':'coupling','joints':@[],'coefficients':[0,0]}]}", "/constraints/0/joints",
         "expected 1 to 16 names of joints, got 0"},
        {WHEELS "'type':'belt','joints':['A','B'],'radii':@[0.2,0.2],'crossed':true}]}",
         "/constraints/0/radii",
         "a crossed belt over these pulleys needs axes more than 0.4 m apart, those of \"A\" and "
         "\"B\" are 0.3 m apart"},
        {WHEELS "'type':'rack_and_pinion','joints':[@'C','A'],'radius':1}]}",
         "/constraints/0/joints/0",
         "\"C\" is a prismatic joint; a rack_and_pinion needs a revolute one here"},
        {WHEELS "'type':'screw','joints':['A','C'],'lead':@0}]}", "/constraints/0/lead",
         "lead must be different from 0, got 0"},
        {WHEELS "'type':'cam','follower':'C','profile':@'2*t'}]}", "/constraints/0/profile",
         "the profile depends on no coordinate of the cam, as \"C.angle\""},
        {WHEELS "'type':'cam','follower':'C','profile':'@table(kinked, A.angle)'}]}",
         "/constraints/0/profile",
         "a constraint needs two derivatives, and this table has kinks; give it "
         "\"interpolation\": \"cubic\" and \"outside\": \"error\", \"extrapolate\" or "
         "\"periodic\""},
        {WHEELS "'type':'cam','follower':@'D','profile':'A.angle'}]}", "/constraints/0/follower",
         "\"D\" is a rod joint; expected one with a single angle or distance, revolute or "
         "prismatic"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

#define ROLLERS                                                                                    \
    "{'dimension':3,'bodies':["                                                                    \
    "{'name':'a','mass':1,'inertia':[1,1,1]},{'name':'b','mass':1,'inertia':[1,1,1]},"             \
    "{'name':'p','mass':1,'shape':{'type':'point'}}],"                                             \
    "'markers':[{'name':'hub','body':'a','on':[0,0,0]},{'name':'top','body':'a','on':[0,0,1]},"    \
    "{'name':'floor','body':'ground','at':[0,0,0]},{'name':'wall','body':'ground','at':[1,0,0]},"  \
    "{'name':'dot','body':'p','on':[0,0,0]}],\n"                                                   \
    "'constraints':[{'name':'k',"

static void constraints_on_velocities(void **state)
{
    (void)state;
    static const refusal list[] = {
        {ROLLERS "'type':'rolling','markers':@['floor','hub'],'normal':[0,0,1],'radius':1,"
                 "'axis':[1,0,0]}]}",
         "/constraints/0/markers", "\"floor\" is on the ground, which does not roll"},
        {ROLLERS "'type':'rolling','markers':@['dot','floor'],'normal':[0,0,1],'radius':1,"
                 "'axis':[1,0,0]}]}",
         "/constraints/0/markers", "\"dot\" is on a point mass, which does not roll"},
        {ROLLERS "'type':'rolling','markers':@['hub','top'],'normal':[0,0,1],'radius':1,"
                 "'axis':[1,0,0]}]}",
         "/constraints/0/markers", "\"hub\" and \"top\" are on the same body"},
        {ROLLERS "'type':'rolling','markers':@['hub','dot'],'normal':[0,0,1],'radius':1,"
                 "'axis':[1,0,0]}]}",
         "/constraints/0/markers", "\"dot\" is on a point mass, which has no plane"},
        {ROLLERS "'type':'rolling','markers':['hub','floor'],'normal':@[0,0,0],'radius':1}]}",
         "/constraints/0/normal", "normal must not be zero"},
        {ROLLERS "'type':'rolling','markers':['hub','floor'],'normal':[0,0,1],'radius':@-1}]}",
         "/constraints/0/radius", "radius must be > 0, got -1"},
        {ROLLERS "'type':'rolling','markers':['hub','floor'],'normal':[0,0,1],'radius':@1}]}",
         "/constraints/0/radius", "a disc needs its \"axis\""},
        {ROLLERS "'type':'rolling','markers':['hub','floor'],'normal':[0,0,1],'radius':1,"
                 "'shape':@'ellipsoid'}]}",
         "/constraints/0/shape", "an ellipsoid needs its three \"semi_axes\""},
        {ROLLERS "'type':'knife_edge','marker':@'floor','normal':[0,0,1]}]}",
         "/constraints/0/marker", "a blade needs a body that turns; the ground does not"},
        {ROLLERS "'type':'knife_edge','marker':@'dot','normal':[0,0,1]}]}", "/constraints/0/marker",
         "a blade needs a body that turns; a point mass does not"},
        {ROLLERS "'type':'velocity','expression':@'hub.vx^2 - 1'}]}", "/constraints/0/expression",
         "the expression must be linear in the velocities"},
        {ROLLERS "'type':'velocity','expression':@'hub.x - 1'}]}", "/constraints/0/expression",
         "the expression has no velocity in it; a constraint without a type holds positions"},
        {ROLLERS "'expression':'@hub.vx'}]}", "/constraints/0/expression",
         "\"hub.vx\" is a velocity; constraints may use positions only"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

#define WIRE                                                                                       \
    "{'dimension':2,'parameters':{'r':2},'bodies':[{'name':'a','mass':1,'inertia':1},"             \
    "{'name':'p','mass':1,'shape':{'type':'point'}}],"                                             \
    "'markers':[{'name':'b','body':'a','on':[0,0]},{'name':'c','body':'a','on':[0,1]},"            \
    "{'name':'o','body':'ground','at':[0,0]},{'name':'dot','body':'p','on':[0,0]}],\n"             \
    "'constraints':[{'name':'k','type':'curve',"

#define ROUND "'formulas':['r*cos(s)','r*sin(s)'],'range':[0,'2*pi']"

static void curves(void **state)
{
    (void)state;
    static const refusal list[] = {
        {WIRE "'markers':@['b','c']," ROUND "}]}", "/constraints/0/markers",
         "\"b\" and \"c\" are on the same body"},
        {WIRE "'markers':@['b','dot']," ROUND "}]}", "/constraints/0/markers",
         "\"dot\" is on a point mass, which cannot turn a curve"},
        {WIRE "'markers':['b','o'],'formulas':@['s'],'range':[0,1]}]}", "/constraints/0/formulas",
         "expected 2 formulas, got 1"},
        {WIRE "'markers':['b','o'],'formulas':['s','@u^2'],'range':[0,1]}]}",
         "/constraints/0/formulas/1", "no parameter \"u\""},
        {WIRE "'markers':['b','o'],'formulas':['s','@t'],'range':[0,1]}]}",
         "/constraints/0/formulas/1", "t is the time; a constant is expected here"},
        {WIRE "'markers':['b','o'],'formulas':['s','@b.x'],'range':[0,1]}]}",
         "/constraints/0/formulas/1", "\"b.x\" changes with time; a constant is expected here"},
        {WIRE "'markers':['b','o'],'formulas':['s','@abs(s)'],'range':[-1,1]}]}",
         "/constraints/0/formulas/1",
         "a constraint needs two derivatives, and \"abs\" has a kink; step(x, a, A, b, B) has "
         "them, and max(0, x)^3"},
        {WIRE "'markers':['b','o'],'formulas':@['s','sqrt(s)'],'range':[0,1]}]}",
         "/constraints/0/formulas", "the curve or a derivative of it is no number at s = 0"},
        {WIRE "'markers':['b','o'],'formulas':@['u - sin(u)','cos(u)'],'parameter':'u',"
              "'range':[0,3]}]}",
         "/constraints/0/formulas", "the curve stands still at u = 0: its derivative is zero"},
        {WIRE "'markers':['b','o'],'formulas':@['s^3','s^2'],'range':[-1,1.1]}]}",
         "/constraints/0/formulas", "the curve is not smooth: it turns sharply near s = -0.000116"},
        {WIRE "'markers':['b','o'],'formulas':['s','s'],'range':@[1,1]}]}", "/constraints/0/range",
         "the range must rise, got 1 to 1"},
        {"{'dimension':2,'bodies':[{'name':'a','mass':1,'inertia':1}],'markers':[{'name':'b','body':"
         "'a','on':[0,0]},{'name':'o','body':'ground','at':[0,0]}],'constraints':[@{'name':'k','type':"
         "'curve','markers':['b','o'],'formulas':['s','s']}]}",
         "/constraints/0", "missing key \"range\", of the parameter of the formulas"},
        {WIRE "'markers':['b','o'],'closed':true,'formulas':@['cos(s)','sin(s)'],'range':[0,3]}]}",
         "/constraints/0/formulas",
         "a closed curve ends as it begins, but its place is not the same at both ends of the "
         "range"},
        {WIRE "'markers':['b','o'],'closed':true,'formulas':@['s*(1-s)','s*(1-s)*(2*s-1)'],"
              "'range':[0,1]}]}",
         "/constraints/0/formulas",
         "a closed curve ends as it begins, but its direction or speed is not the same at both "
         "ends of the range"},
        {WIRE "'markers':['b','o'],'points':[[0,0],[1,0],@[1,0],[2,1]]}]}",
         "/constraints/0/points/2", "this point of the curve is the one before it"},
        {WIRE "'markers':['b','o'],'closed':true,'points':[[0,0],[1,0],[2,1],@[0,0]]}]}",
         "/constraints/0/points/3",
         "the last point of a closed curve is the first one; leave it out"},
        {WIRE "'markers':['b','o'],'closed':true,'points':@[[0,0],[1,0]]}]}",
         "/constraints/0/points", "a closed curve needs 3 points or more, got 2"},
        {WIRE "'markers':['b','o'],'points':@[[0,0]]}]}", "/constraints/0/points",
         "a curve needs 2 points or more, got 1"},
        {WIRE "'markers':['b','o']," ROUND ",@'points':[[0,0],[1,1]]}]}", "/constraints/0/points",
         "\"formulas\" and \"points\" exclude each other"},
        {WIRE "'markers':['b','o']," ROUND "}],'events':[{'name':'e','when':'@k.angle > 1'}]}",
         "/events/0/when", "a curve has parameter, not \"angle\""},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(syntax_is_strict),
        cmocka_unit_test(syntax_of_bytes_in_the_middle),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(values_that_json_allows),
        cmocka_unit_test(top_level),
        cmocka_unit_test(parameters),
        cmocka_unit_test(inputs),
        cmocka_unit_test(names),
        cmocka_unit_test(poses),
        cmocka_unit_test(masses_and_inertias),
        cmocka_unit_test(shapes),
        cmocka_unit_test(markers),
        cmocka_unit_test(joints),
        cmocka_unit_test(motors),
        cmocka_unit_test(constraints),
        cmocka_unit_test(forces),
        cmocka_unit_test(names_of_other_programs),
        cmocka_unit_test(units_in_numbers),
        cmocka_unit_test(values_of_forces),
        cmocka_unit_test(forces_of_joints_and_torques),
        cmocka_unit_test(files_that_are_no_scenes),
        cmocka_unit_test(large_files),
        cmocka_unit_test(long_pointers_are_cut),
        cmocka_unit_test(an_error_need_not_be_asked_for),
        cmocka_unit_test(relations),
        cmocka_unit_test(curves),
        cmocka_unit_test(constraints_on_velocities),
    };
    return cmocka_run_group_tests_name("scene errors", tests, NULL, NULL);
}
