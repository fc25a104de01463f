/// Formulas, tables and repetitions that are refused, and where. JSON with ' for ".
#include "tests/scenes/reader/formula_scenes.h"

CLAIM(a_bad_file_is_told)
{
    const struct {
        const char *text, *where, *message;
    } cases[] = {
        {"s,q\n1,2\n", "./test_formulas.csv:1:1",
         "no column \"p [Pa]\" among the 2 of the first line"},
        {"S,p [Pa]\n1,2\n", "./test_formulas.csv:1:1",
         "no column \"s\" among the 2 of the first line"},
        {"s,p [Pa]\n1,2\n2,x\n", "./test_formulas.csv:3:3", "expected a number"},
        {"s,p [Pa]\n1,2\nnan,3\n", "./test_formulas.csv:3:1", "expected a number"},
        {"s,p [Pa]\n1,2\n2\n", "./test_formulas.csv:3:1",
         "this line has 1 column, fewer than the header"},
        {"s,p [Pa]\n1,2\n1,3\n", "./test_formulas.csv:3:1",
         "the x of a table must rise: 1 twice, after 1"},
        {"p [Pa], s\n1,2\n0, 0\n", "./test_formulas.csv:3:4",
         "the x of a table must rise: 0 after 2"},
        {"s,p [Pa]\n1,2\n", "./test_formulas.json:2:25 /tables/gas/file",
         "a table needs two points or more; \"test_formulas.csv\" has 1"},
        {"", "./test_formulas.csv", "the file is empty; expected a line of column names"},
        {NULL, "./test_formulas.json:2:25 /tables/gas/file",
         "\"test_formulas.csv\": cannot open the file: No such file or directory"},
    };
    char json[LONGEST], folder[40];
    const int before = enter_folder(folder);
    write_file("test_formulas.json", json_of(csv_scene, json));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trm_scene *scene = NULL;
        trm_error err = {.status = TRM_OK};
        if (cases[i].text) {
            write_file("test_formulas.csv", cases[i].text);
        } else {
            remove("test_formulas.csv");
        }
        assert_int_equal(trm_scene_load("./test_formulas.json", &scene, &err), TRM_ERR_SCENE);
        assert_string_equal(err.message, cases[i].message);
        assert_string_equal(err.where, cases[i].where);
    }
    leave_folder(before, folder);
}

// ---------------------------------------------------------------------------------------- refusals

/// @ marks the place of the error.
static void refuse(const char *text, const char *message)
{
    char json[LONGEST], wanted[80];
    trm_scene *scene = NULL;
    trm_error err = {.status = TRM_OK};
    json_of(text, json);
    char *mark = strchr(json, '@');
    assert_non_null(mark);
    int line = 1, column = 1;
    for (const char *c = json; c < mark; c++) {
        line += *c == '\n';
        column = *c == '\n' ? 1 : column + 1;
    }
    memmove(mark, mark + 1, strlen(mark));
    assert_int_equal(trm_scene_parse(json, strlen(json), &scene, &err), TRM_ERR_SCENE);
    assert_string_equal(err.message, message);
    snprintf(wanted, sizeof wanted, "scene:%d:%d", line, column);
    if (strncmp(err.where, wanted, strlen(wanted)) != 0) {
        fail_msg("%s: at %s, expected %s", message, err.where, wanted);
    }
}

#define REST                                                                                       \
    "'bodies':[{'name':'a','mass':1,'ends':[[0,0],[1,0]]}],"                                       \
    "'markers':[{'name':'p','body':'a','at':[1,0]}],"                                              \
    "'joints':[{'name':'P','type':'revolute','bodies':['ground','a'],'at':[0,0]"
#define FORCE(value)                                                                               \
    REST "}],'forces':[{'name':'f','type':'force','marker':'p','value':[0,\n" value "]}]}"
#define MOTOR(value) REST ",\n'motor':" value "}]}"
#define CONSTRAINT(value) REST "}],'constraints':[{'name':'c',\n'expression':" value "}]}"

CLAIM(bad_definitions_are_told)
{
    refuse("{'dimension':2,'definitions':{\n'u':'2*v','v':'1 + @u'}," FORCE("'u'"),
           "\"u\" is defined by itself (used in line 3)");
    refuse("{'dimension':2,'definitions':{\n'u':'1 + @u'}," FORCE("'0'"),
           "\"u\" is defined by itself");
    refuse("{'dimension':2,'definitions':{\n'u':'1 + @q.x'}," FORCE("'0'"),
           "no marker, body or joint \"q\"");
    refuse("{'dimension':2,'definitions':{\n'u':['1','2 +@']}," FORCE("'0'"),
           "expected a number, a name or '(', got the end of the expression");
    refuse("{'dimension':2,'definitions':{\n'u':['1','2']}," FORCE("'@u'"),
           "\"u\" is a vector; write \"u.x\"");
    refuse("{'dimension':2,'definitions':{\n'u':['1','2']}," FORCE("'@u.z'"),
           "the vector \"u\" has x and y, not \"z\"");
    refuse("{'dimension':2,'definitions':{\n'u':@['1']}," FORCE("'0'"),
           "expected 2 formulas, got 1");
    refuse("{'dimension':2,'definitions':{\n'u':@{}}," FORCE("'0'"),
           "expected a number or a formula, got an object");
    refuse("{'dimension':2,'parameters':{'u':1},'definitions':{\n@'u':1}," FORCE("'0'"),
           "\"u\" is a parameter (line 1) already");
    refuse("{'dimension':2,'definitions':{\n@'sin':1}," FORCE("'0'"),
           "\"sin\" cannot be a definition: it is a function");
    refuse("{'dimension':2,'definitions':{\n@'p':[1,2]}," FORCE("'0'"),
           "the name \"p\" is taken by what stands in line 2");
    refuse("{'dimension':2,'definitions':{\n'u':'3*@p.vx'}," CONSTRAINT("'p.x - u'"),
           "\"p.vx\" is a velocity; constraints may use positions only (used in line 3)");
    refuse("{'dimension':2,'definitions':{\n'u':'3*@p.x'}," MOTOR("'u'"),
           "a motor may use t and parameters only, not \"p.x\" (used in line 3)");
}

CLAIM(bad_outputs_are_told)
{
    refuse("{'dimension':2,'outputs':{\n'u':'2*@v','v':'1 + u'}," FORCE("'0'"),
           "\"v\" is defined by itself");
    refuse("{'dimension':2,'definitions':{'v':'1 + u'},'outputs':{\n'u':'2*@v'}," FORCE("'0'"),
           "\"v\" is defined by itself");
    refuse("{'dimension':2,'outputs':{\n'u':'2*v','v':'1 + @u'}," FORCE("'u'"),
           "\"u\" is defined by itself (used in line 3)");
    refuse("{'dimension':2,'outputs':{\n'u':'1 + @q.x'}," FORCE("'0'"),
           "no marker, body or joint \"q\"");
    refuse("{'dimension':2,'outputs':{\n'u':'1 + @P'}," FORCE("'0'"),
           "\"P\" has no value itself; write \"P.angle\"");
    refuse("{'dimension':2,'outputs':{\n'u':'1 + @bla'}," FORCE("'0'"), "no parameter \"bla\"");
    refuse("{'dimension':2,'outputs':{\n'u':@['1','2']}," FORCE("'0'"),
           "expected a number or a formula, got an array");
    refuse("{'dimension':2,'outputs':{\n'u':@{}}," FORCE("'0'"), "missing key \"value\"");
    refuse("{'dimension':2,'outputs':{\n'u':{'value':1,'unit':@'N,m'}}," FORCE("'0'"),
           "a unit has at most 24 ASCII characters, without comma, quote and brackets");
    refuse("{'dimension':2,'parameters':{'u':1},'outputs':{\n@'u':1}," FORCE("'0'"),
           "\"u\" is a parameter (line 1) already");
    refuse("{'dimension':2,'definitions':{'u':1},'outputs':{\n@'u':1}," FORCE("'0'"),
           "\"u\" is a definition (line 1) already");
    refuse("{'dimension':2,'outputs':{\n@'sin':1}," FORCE("'0'"),
           "\"sin\" cannot be an output: it is a function");
    refuse(
        "{'dimension':2,'outputs':{\n'u':'@P.force_x'}," FORCE("'u'"),
        "\"P.force_x\" is known once the equations are solved: outputs, conditions of events and "
        "what they set may have it, forces and constraints not, which the equations are made of "
        "(used in line 3)");
}

CLAIM(kinks_are_refused_where_two_derivatives_are_needed)
{
    static const char cubic[] =
        "a motor needs two derivatives, and this table has kinks; give it \"interpolation\": "
        "\"cubic\" and \"outside\": \"error\", \"extrapolate\" or \"periodic\"";
    refuse("{'dimension':2," MOTOR("'2*@abs(t - 1)'"),
           "a motor needs two derivatives, and \"abs\" has a kink; step(x, a, A, b, B) has them, "
           "and max(0, x)^3");
    refuse("{'dimension':2," MOTOR("'t @< 1 ? 0 : 1'"),
           "a motor needs two derivatives, and \"<\" jumps; step(x, a, A, b, B) has them, and "
           "max(0, x)^3");
    refuse("{'dimension':2," MOTOR("'@max(0, t - 1)^2'"),
           "a motor needs two derivatives, and \"max\" has only one; step(x, a, A, b, B) has them, "
           "and max(0, x)^3");
    refuse("{'dimension':2," CONSTRAINT("'p.x @== 1'"),
           "a constraint holds an expression at zero; move all to one side: p.x - 1");
    refuse("{'dimension':2," CONSTRAINT("'p.x - @clamp(t, 0, 1)'"),
           "a constraint needs two derivatives, and \"clamp\" has a kink; step(x, a, A, b, B) has "
           "them, and max(0, x)^3");
    refuse("{'dimension':2,'tables':{'c':{'points':[[0,0],[1,1]]}}," MOTOR("'@table(c, t)'"),
           cubic);
    refuse("{'dimension':2,'tables':{'c':{'points':[[0,0],[1,1]],'interpolation':'monotone'}},"
           "'definitions':{'d':'@table(c, t)'}," MOTOR("'d'"),
           "a motor needs two derivatives, and this table has only one; give it "
           "\"interpolation\": \"cubic\" and \"outside\": \"error\", \"extrapolate\" or "
           "\"periodic\" (used in line 2)");
    rig r = parse("{'dimension':2,'tables':{'c':{'points':[[0,0],[1,1],[2,0]],'interpolation':"
                  "'cubic'}}," MOTOR("'table(c, t) + max(0, t)^3 + step(t, 0, 1)'"));
    rig_close(&r);
}

/// By a sentence that begins so.
static void refuse_as(const char *text, const char *beginning)
{
    char json[LONGEST];
    trm_scene *scene = NULL;
    trm_error err = {.status = TRM_OK};
    json_of(text, json);
    assert_int_equal(trm_scene_parse(json, strlen(json), &scene, &err), TRM_ERR_SCENE);
    if (strncmp(err.message, beginning, strlen(beginning)) != 0) {
        fail_msg("%s: %s", text, err.message);
    }
}

/// Words with kinks in formulas without: the pieces join with two derivatives, or do not.
CLAIM(pieces_of_the_time_may_join_smoothly)
{
    static const char *const smooth[] = {
        "clamp(t, 0, 1)^3*(10 - 15*clamp(t, 0, 1) + 6*clamp(t, 0, 1)^2)",
        ("(max(0, min(1, (t - 3.7)/1e-3)))^3*(10 - 15*(max(0, min(1, (t - 3.7)/1e-3))) + "
         "6*(max(0, min(1, (t - 3.7)/1e-3)))^2)"),
        "t < 1 ? 0 : (t - 1)^3",
        "t < 1 ? t : 1 + (t - 1) + 7*(t - 1)^3",
        "abs(t - 2)*(t - 2)^2",
        "t < 1 ? t^3 : 1 + 3*(t - 1) + 3*(t - 1)^2",
        "abs(t) + abs(t - 1) - abs(t) - abs(t - 1)",
        "(max(0, min(1, (t - 3.7)/1e-9)))^3*(10 - 15*(max(0, min(1, (t - 3.7)/1e-9))) + "
        "6*(max(0, min(1, (t - 3.7)/1e-9)))^2)",
        "clamp((t - 1000.1)/0.3, 0, 1)^3*(10 - 15*clamp((t - 1000.1)/0.3, 0, 1) + "
        "6*clamp((t - 1000.1)/0.3, 0, 1)^2)",
        "max(0, t - 1)^2.5", // no value behind the end of a branch
        "t < 1 ? 0 : (t - 1)^2.5",
        // cuts that are the same to rounding
        "t + abs(t - 0.3) - abs(0.1*3 - t)",
        "t + abs(t - 0.1) - abs(1e6*t - 1e5)/1e6",
        "t + abs(t - 1000.1) - abs(7*t - 7000.7)/7",
    };
    static const char *const kinked[] = {
        "clamp(t, 0, 1)^3*(10 - 15*clamp(t, 0, 1) + 6.001*clamp(t, 0, 1)^2)",
        "clamp(t, 0, 1)^2*(3 - 2*clamp(t, 0, 1))",
        "clamp(t, 0, 1)^3*(10 - 15*clamp(t, 0, 1) + 6*clamp(t, 0, 1.0001)^2)",
        "t < 1 ? 0 : (t - 1)^3 + 1e-6*(t - 1)^2",
        "t < 1 ? 0 : (t - 1)^3 + 1e-11*(t - 1)^2",
        "t < 1234.5 ? 0 : (t - 1234.5)^3 + 1e-9*(t - 1234.5)",
        "t < 1 ? 0 : 1e-6*(t - 1) + (t - 1)^3",
        "t < 1 ? 0 : 1e-6 + (t - 1)^3",
        "max(0, t - 1)^1.5",
        "abs(t) - abs(t - 1e-13)", // two cuts, far apart for numbers so near to 0
        "abs(sin(t))^1*sin(t)^2",  // smooth, and g is not linear: refused
        "floor(t)*0 + t",          // the same
    };
    for (size_t i = 0; i < sizeof smooth / sizeof *smooth; i++) {
        char scene[1000];
        snprintf(scene, sizeof scene, "{'dimension':2," MOTOR("'%s'"), smooth[i]);
        rig r = parse(scene);
        rig_close(&r);
    }
    for (size_t i = 0; i < sizeof kinked / sizeof *kinked; i++) {
        char scene[1000];
        snprintf(scene, sizeof scene, "{'dimension':2," MOTOR("'%s'"), kinked[i]);
        refuse_as(scene, "a motor needs two derivatives");
    }
}

CLAIM(bad_tables_are_told)
{
    refuse("{'dimension':2,'tables':{\n'c':{'points':[[0,0],@[0,1]]}}," FORCE("'0'"),
           "the x of a table must rise: 0 twice, after 0");
    refuse("{'dimension':2,'tables':{\n'c':{'points':[[0,0],@[-1,1]]}}," FORCE("'0'"),
           "the x of a table must rise: -1 after 0");
    refuse("{'dimension':2,'tables':{\n'c':{'points':[[0,0],[1,@'0/0']]}}," FORCE("'0'"),
           "the value of \"0/0\" is not a number: a quotient of 0 and 0");
    refuse("{'dimension':2,'tables':{\n'c':{'points':@[[0,0]]}}," FORCE("'0'"),
           "a table needs two points or more, got 1");
    refuse("{'dimension':2,'tables':{\n'c':{'points':[[0,0],@[1]]}}," FORCE("'0'"),
           "expected 2 numbers, got 1");
    refuse("{'dimension':2,'tables':{\n'c':@{'points':[[0,0],[1,1]],'outside':'periodic'}}," FORCE(
               "'0'"),
           "a periodic table begins and ends with the same y, got 0 and 1");
    refuse("{'dimension':2,'tables':{\n'c':{'points':[[0,0],[1,1]],'outside':@'periodc'}}," FORCE(
               "'0'"),
           "unknown outside \"periodc\"; did you mean \"periodic\"?");
    refuse("{'dimension':2,'tables':{\n'c':@{'file':'x.csv','x':'a'}}," FORCE("'0'"),
           "missing key \"y\", the name of a column");
    refuse("{'dimension':2,'tables':{\n'cam':{'points':[[0,0],[1,1]]}}," FORCE("'table(@cem, t)'"),
           "no table \"cem\"; did you mean \"cam\"?");
}

CLAIM(bad_repetitions_are_told)
{
    refuse("{'dimension':2,'bodies':[{'repeat':{'i':3},\n'name':'a{i}','mass':1,'inertia':1,"
           "'position':['i',@'1/(i-2)']}]}",
           "the value of \"1/(i-2)\" is infinite: a quotient of 1 and 0 (i = 2)");
    refuse("{'dimension':2,'bodies':[{'repeat':{'i':3},\n'name':@'a','mass':1,'inertia':1}]}",
           "the name \"a\" is taken by /bodies/0 (line 1) (i = 1)");
    refuse("{'dimension':2,'bodies':[{'repeat':{'i':@'-1'},'name':'a','mass':1,'inertia':1}]}",
           "this repeats -1 times");
    refuse("{'dimension':2,'bodies':[{'repeat':{'i':@1.5},'name':'a','mass':1,'inertia':1}]}",
           "expected an integer up to 1000000, got 1.5");
    refuse("{'dimension':2,'bodies':[{'repeat':@{},'name':'a','mass':1,'inertia':1}]}",
           "expected an index and how often, as {\"i\": 8}");
    refuse("{'dimension':2,'parameters':{'i':1},'bodies':[{'repeat':{@'i':2},'name':'a','mass':1,"
           "'inertia':1}]}",
           "\"i\" cannot be an index: it is a parameter (line 1)");
    refuse("{'dimension':2,'bodies':[{'repeat':{'i':2},'name':'a{@i/2}','mass':1,'inertia':1}]}",
           "{i/2} must be an integer, got 0.5 (i = 1)");
    refuse("{'dimension':2,'bodies':[{'repeat':{'i':2},'name':'a@{i','mass':1,'inertia':1}]}",
           "this { has no } (i = 0)");
    refuse("{'dimension':2,'bodies':[{'repeat':{'i':1000,'k':@1001},'name':'a{i}_{k}','mass':1,"
           "'inertia':1}]}",
           "more than 20000 entries by \"repeat\"; write a larger mechanism out");
    refuse("{'dimension':2,'bodies':[{'repeat':{'i':2},'name':'a{i}','mass':1,'inertia':1}],"
           "'markers':[{'repeat':{'i':2},'name':'p{i}','body':'a{i}','on':[0,0]}],'forces':["
           "{'repeat':{'i':2},'name':'f{i}','type':'force','marker':'p{i}',"
           "'value':['p{i}.x + @p{i+1}.y',0]}]}",
           "no marker, body or joint \"p2\"; did you mean \"p0\"? (i = 1)");
}

/// The 16001st character of the text with its numbers is a digit: the braces it comes from are the
/// place.
CLAIM(a_place_inside_a_number_is_that_of_its_braces)
{
    enum { MOST = 16000, REST_OF_SCENE = 400 };
    static char json[MOST + REST_OF_SCENE], wanted[40];
    const int n =
        snprintf(json, sizeof json,
                 "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1}],"
                 "\"forces\":[{\"repeat\":{\"i\":1},\"name\":\"f{i}\",\"type\":\"torque\","
                 "\"body\":\"a\",\n\"value\":\"%*s{i + 10}\"}]}",
                 MOST - 1, "");
    assert_in_range(n, MOST, sizeof json - 1);
    snprintf(wanted, sizeof wanted, "scene:2:%d ", 9 + 1 + MOST - 1);
    trm_scene *scene = NULL;
    trm_error err = {.status = TRM_OK};
    assert_int_equal(trm_scene_parse(json, (size_t)n, &scene, &err), TRM_ERR_SCENE);
    assert_string_equal(err.message, "an expression may have 16000 characters at most (i = 0)");
    if (strncmp(err.where, wanted, strlen(wanted)) != 0) {
        fail_msg("at %s, expected %s", err.where, wanted);
    }
}
