/// Inputs and questions that the other tests pass by: refusals with their sentences, and answers by
/// closed forms.
#define _DEFAULT_SOURCE // mkdtemp

#include "program/settings.h"
#include "tests/rig.h"
#include "trammel/trammel_check.h"
#include "trammel/trammel_query.h"
#include "trammel/trammel_report.h"

#include <sys/stat.h>
#include <unistd.h>

/// A scene with " for ', from what follows the bar "a" and the pin "j".
static char *scene_with(const char *more)
{
    static char text[60000];
    const int n = snprintf(text, sizeof text,
                           "{'dimension':2,'parameters':{'k':3},'bodies':[{'name':'a','mass':1,"
                           "'ends':[[0,0],[1,0]]},{'name':'p','mass':1,'shape':{'type':'point'},"
                           "'position':[2,0]}],'markers':[{'name':'m-1','body':'a','at':[1,0]},"
                           "{'name':'m','body':'a','at':[1,0]},{'name':'o','body':'ground',"
                           "'at':[3,0]}],'joints':[{'name':'j','type':'revolute','bodies':"
                           "['ground','a'],'at':[0,0]}%s}",
                           more);
    assert_true(n > 0 && (size_t)n < sizeof text);
    for (char *c = text; *c; c++) {
        *c = (char)(*c == '\'' ? '"' : *c);
    }
    return text;
}

static trm_status build(const char *text, rig *r, trm_error *err)
{
    *r = (rig){NULL, NULL, NULL};
    const trm_status status = trm_scene_parse(text, strlen(text), &r->scene, err);
    return status ? status : trm_model_build(r->scene, &r->model, err);
}

static void refuse(const char *more, const char *says)
{
    rig r;
    trm_error err = {.status = TRM_OK};
    const trm_status status = build(scene_with(more), &r, &err);
    if (status == TRM_OK || !strstr(err.message, says)) {
        fail_msg("%s: %s, \"%s\"", more, trm_status_name(status), err.message);
    }
    rig_close(&r);
}

#define FORCE "],'forces':[{'name':'f','type':'torque','body':'a','value':'1'}"

CLAIM(scenes_are_refused_with_their_reason)
{
    refuse("],'constraints':[{'name':'c','type':'coupling','joints':'j'}]", "array of");
    refuse("],'constraints':[{'name':'c','expression':'k-3'}]", "depends on no moving body");
    refuse(
        "],'forces':[{'name':'f','type':'tendon','markers':['m'],'stiffness':1,'rest_length':1}]",
        "two markers at least");
    refuse("],'forces':[{'name':'f','type':'tendon','markers':['m-1','o'],'stiffness':1,'rest_"
           "length':1}]",
           "has a - in its name");
    refuse("],'forces':[{'name':'f','type':'tendon','markers':['m','o'],'stiffness':1,'rest_length'"
           ":1},"
           "{'name':'g','type':'torque','body':'a','value':'f.x'}]",
           "a tendon has length and rate");
    refuse("],'stops':[{'name':'s','marker':'m','normal':[0,1]}]", "needs \"on\"");
    refuse(FORCE ",{'name':'g','type':'joint_force','joint':'f','value':'1'}]", "is a force");
    refuse(",{'name':'q','type':'revolute','bodies':['a','p'],'at':[2,0]}],"
           "'forces':[{'name':'f','type':'torque','body':'a','value':'q.angle'}]",
           "\"p\" is a point mass");
    refuse("],'tables':{'and':{'points':[[0,0],[1,1]]}}", "it is a function");
    refuse("],'tables':{'T':{'points':[[0,0],[1,1]]}},"
           "'forces':[{'name':'f','type':'torque','body':'a','value':'table()'}]",
           "the name of a table");
    refuse("],'tables':{'T':{'points':[[0,0],[1,1]]}},"
           "'forces':[{'name':'f','type':'torque','body':'a','value':'table(T)'}]",
           "got 1 argument");
    refuse("],'tables':{'T':{'points':[[0,0],[1,1]]}},"
           "'forces':[{'name':'f','type':'torque','body':'a','value':'table(T t)'}]",
           "','");
    refuse("],'tables':{'T':{'points':[[0,0],[1,1]]}},"
           "'forces':[{'name':'f','type':'torque','body':'a','value':'table(T,t,2)'}]",
           "got 3 arguments");
}

/// d0 = d1, d1 = d2, ...: refused before the recursion is deep.
CLAIM(definitions_nest_to_a_bound)
{
    static char text[20000];
    size_t used = (size_t)snprintf(text, sizeof text, "],'definitions':{");
    for (int i = 0; i < 150; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "'d%d':'d%d + t',", i, i + 1);
    }
    snprintf(text + used, sizeof text - used,
             "'d150':'t'},'forces':[{'name':'f','type':'torque','body':'a','value':'d0'}]");
    refuse(text, "nested deeper than");
    used = (size_t)snprintf(text, sizeof text,
                            "],'forces':[{'name':'f','type':'torque','body':'a','value':'");
    for (int i = 0; i < 150; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "t > 1 ? 1 : ");
    }
    snprintf(text + used, sizeof text - used, "0'}]");
    refuse(text, "nested deeper than");
}

/// Columns separated by blanks, tabs and semicolons, with quotes: the same table x -> 2 x + 1.
CLAIM(files_of_columns_have_separators)
{
    static const char *const files[] = {"\"x\"; \"y\"\n0;1\n 1 ;\t3\n2;5\n",
                                        "x y\n0 1\n  1\t 3 \n2 5\n", "x\ty\n0\t1\n1\t3\n2\t5\n",
                                        "x,y\r\n0,1\r\n1,3\r\n2,5\r\n"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char folder[] = "/tmp/trammel_columns_XXXXXX", path[100], scene[100];
        trm_error err = {.status = TRM_OK};
        rig r = {NULL, NULL, NULL};
        assert_non_null(mkdtemp(folder));
        snprintf(path, sizeof path, "%s/c.csv", folder);
        snprintf(scene, sizeof scene, "%s/s.json", folder);
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fputs(files[i], out);
        fclose(out);
        out = fopen(scene, "w");
        assert_non_null(out);
        fputs(scene_with("],'tables':{'T':{'file':'c.csv','x':'x','y':'y'}},'forces':[{'name':'f',"
                         "'type':'torque','body':'a','value':'table(T,0.5+t)'}]"),
              out);
        fclose(out);
        const trm_status status = trm_scene_load(scene, &r.scene, &err);
        unlink(path);
        unlink(scene);
        rmdir(folder);
        rig_ok(status, &err);
        rig_ok(trm_model_build(r.scene, &r.model, &err), &err);
        rig_start(&r, trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2));
        trm_sensor sensor;
        double x[3];
        rig_ok(trm_model_sensor(r.model, "a.angular_acceleration", &sensor, &err), &err);
        rig_ok(trm_sim_read(r.sim, &sensor, x, &err), &err);
        near("torque over the inertia about the pin", x[0], 2 / (1.0 / 3), 1e-12);
        rig_close(&r);
    }
}

/// cos through points a quarter apart repeats; the slope at both ends is that of the whole.
CLAIM(a_monotone_table_may_repeat)
{
    rig r;
    trm_error err = {.status = TRM_OK};
    rig_ok(build(scene_with("],'tables':{'T':{'points':[[0,0],[1,1],[2,0.5],[3,0]],"
                            "'interpolation':'monotone','outside':'periodic'}},"
                            "'forces':[{'name':'f','type':'torque','body':'a','value':"
                            "'table(T,t+7)'}]"),
                 &r, &err),
           &err);
    rig_start(&r, trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2));
    trm_sensor sensor;
    double x[3];
    rig_ok(trm_model_sensor(r.model, "a.angular_acceleration", &sensor, &err), &err);
    rig_ok(trm_sim_read(r.sim, &sensor, x, &err), &err);
    near("T(7) = T(1) over the inertia", x[0], 1 / (1.0 / 3), 1e-12);
    rig_close(&r);
}

static int no_force(const trm_model *model, double t, const double *q, const double *v, double *f,
                    void *user)
{
    (void)model, (void)t, (void)q, (void)v, (void)f, (void)user;
    return 0;
}

CLAIM(calls_are_refused_with_their_reason)
{
    rig r;
    trm_error err = {.status = TRM_OK};
    trm_query *query = NULL;
    trm_linear *linear = NULL;
    double q[9] = {0}, v[9] = {0}, column[9];
    const trm_linear_task task = {.noutput = -1};
    const trm_force_def def = {.name = "u", .force = no_force, .ntimes = 3};
    assert_int_equal(trm_scene_stop_when(NULL, "t > 1", &err), TRM_ERR_OPTIONS);
    rig_ok(build(scene_with(",{'name':'w','type':'weld','bodies':['ground','a'],'at':[0,0]}],"
                            "'stops':[{'name':'s','gap':'1-a.angle'}]"),
                 &r, &err),
           &err);
    assert_int_equal(trm_scene_add_force(r.scene, &def, &err), TRM_ERR_SCENE);
    assert_non_null(strstr(err.message, "3 times at NULL"));
    trm_model_initial_state(r.model, q, v);
    rig_ok(trm_query_create(r.model, &query, &err), &err);
    assert_int_equal(trm_query_joint_direction(query, 1, q, column, &err), TRM_ERR_OPTIONS);
    assert_non_null(strstr(err.message, "no coordinate"));
    assert_int_equal(trm_query_linearize(query, 0, q, v, &task, &linear, &err), TRM_ERR_OPTIONS);
    trm_query_destroy(query);
    rig_close(&r);
    rig_ok(build(scene_with("],'stops':[{'name':'s','gap':'1-a.angle'}]"), &r, &err), &err);
    trm_sensor sensor;
    assert_int_equal(trm_model_sensor(r.model, "nothing.x", &sensor, &err), TRM_ERR_OPTIONS);
    rig_close(&r);
    rig_ok(build(scene_with("],'simulation':{'end':1}"), &r, &err), &err);
    rig_close(&r);
}

/// A hundred rows on each of eleven bodies are more than the question is for.
CLAIM(a_thousand_rows_are_too_many_to_be_unique)
{
    static char text[200000];
    trm_error err = {.status = TRM_OK};
    rig r;
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,"
                                   "\"ends\":[[0,0],[1,0]]}],\"joints\":[{\"name\":\"j{i}\","
                                   "\"repeat\":{\"i\":600},\"type\":\"revolute\",\"bodies\":["
                                   "\"ground\",\"a\"],\"at\":[0,0]}]}");
    assert_true(used < sizeof text);
    static double q[3];
    static int unique[1200];
    trm_status status = build(text, &r, &err);
    rig_ok(status, &err);
    status = trm_unique_multipliers(r.model, 0, q, unique, &err);
    assert_int_equal(status, TRM_ERR_OPTIONS);
    assert_non_null(strstr(err.message, "too many rows"));
    rig_close(&r);
}

/// 201 equal pins: 402 rows of rank 2, beyond the 400 up to which a diagnosis looks closer.
CLAIM(many_rows_are_counted)
{
    rig_figures();
    trm_error err = {.status = TRM_OK};
    trm_diagnosis *found = NULL;
    rig r = rig_parse("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"ends\":[[0,0],"
                      "[1,0]]}],\"joints\":[{\"name\":\"j{i}\",\"repeat\":{\"i\":201},\"type\":"
                      "\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0]}]}");
    rig_ok(trm_diagnosis_create(r.scene, r.model, NULL, 1, &found, &err), &err);
    assert_int_equal(found->rank, 2);
    assert_int_equal(found->degrees_of_freedom, 1);
    assert_int_equal(found->nundetermined, 402);
    trm_diagnosis_destroy(found);
    rig_close(&r);
}

/// The reason names the operation that has no value, behind definitions and choices: w = 1 - 2 t.
CLAIM(what_has_no_value_is_named)
{
    rig r;
    trm_error err = {.status = TRM_OK};
    rig_ok(build(scene_with("],'definitions':{'w':'1-2*t'},'events':[{'name':'e','when':"
                            "'not(t<0.25)'}],'forces':[{'name':'f','type':'torque','body':'a',"
                            "'value':'sqrt(if(w<5,w+0*w*w,0))'}]"),
                 &r, &err),
           &err);
    rig_start(&r, trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2));
    assert_int_not_equal(trm_sim_run(r.sim, 1, NULL, NULL, &err), TRM_OK);
    if (!strstr(err.message, "sqrt of -")) {
        fail_msg("%s", err.message);
    }
    trm_event event;
    assert_int_equal(trm_sim_event(r.sim, 0, &event), 1);
    near("not before", event.t, 0.25, 1e-15);
    rig_close(&r);
}

static int removals(const char *more)
{
    rig r;
    trm_error err = {.status = TRM_OK};
    trm_diagnosis *found = NULL;
    rig_ok(build(scene_with(more), &r, &err), &err);
    rig_ok(trm_diagnosis_create(r.scene, r.model, NULL, 1, &found, &err), &err);
    assert_true(found->nrelaxations > 0);
    int n = 0;
    for (int i = 0; i < found->nrelaxations; i++) {
        n += found->relaxations[i].kind == NULL;
    }
    trm_diagnosis_destroy(found);
    rig_close(&r);
    return n;
}

/// Of two equal pins either can go, but not where a force acts on one of them: what acts there then
/// would be another mechanism.
CLAIM(joints_with_forces_are_not_taken_out)
{
#define SECOND ",{'name':'twin','type':'revolute','bodies':['ground','a'],'at':[0,0]}]"
    assert_int_equal(removals(SECOND), 2);
    assert_int_equal(
        removals(SECOND ",'forces':[{'name':'f','type':'joint_force','joint':'twin','value':'1'}]"),
        0);
}
