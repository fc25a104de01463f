/// A scene holds the content of its file: points, axes, forces, formulas, overrides.
#include "program/settings.h"
#include "program/view.h"
#include "tests/claim.h"
#include "tests/scenes/reader/read_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------- points, joints, forces

CLAIM(markers_of_placed_bodies)
{
    trm_scene *scene =
        parse("{'dimension':2,'bodies':[{'name':'a','mass':1,'inertia':1,'position':[1,2],"
              "'angle':'pi/2'}],'markers':[{'name':'m','body':'a','at':[1,5]},"
              "{'name':'n','body':'a','on':[3,0]},{'name':'o','body':'ground','at':[7,8]}]}");
    assert_int_equal(scene->nmarkers, 3);
    assert_vector(3, scene->markers[0].local, (const double[3]){3, 0, 0});
    assert_vector(3, scene->markers[1].local, (const double[3]){3, 0, 0});
    assert_vector(3, scene->markers[2].local, (const double[3]){7, 8, 0});
    assert_int_equal(scene->markers[0].body, 0);
    assert_int_equal(scene->markers[2].body, TRM_INDEX_GROUND);
    trm_scene_destroy(scene);
    scene = parse("{'dimension':3,'bodies':[{'name':'a','mass':1,'inertia':[1,1,1],"
                  "'position':[1,2,3],'rpy':['90*deg',0,0]}],"
                  "'markers':[{'name':'m','body':'a','at':[1,2,4]}]}");
    assert_vector(3, scene->markers[0].local, (const double[3]){0, 1, 0});
    trm_scene_destroy(scene);
}

#define TWO_BODIES                                                                                 \
    "'bodies':[{'name':'a','mass':1,'inertia':1,'position':[1,0]},"                                \
    "{'name':'b','mass':1,'inertia':1,'position':[2,0],'angle':'pi/2'}],"                          \
    "'markers':[{'name':'tip','body':'a','on':[1,0]},{'name':'end','body':'b','on':[0,1]}]"

CLAIM(points_of_joints)
{
    trm_scene *scene =
        parse("{'dimension':2," TWO_BODIES ",'joints':["
              "{'name':'one','type':'revolute','bodies':['a','b'],'at':[2,3]},"
              "{'name':'two','type':'rod','bodies':['b','ground'],'at':[[2,1],[5,5]]},"
              "{'name':'on','type':'prismatic','bodies':['ground','b'],'axis':[3,4],"
              "'on':{'b':[1,2],'ground':[3,4]},'motor':'0.1*sin(t)'},"
              "{'name':'long','type':'rod','bodies':['a','b'],'at':[[0,0],[0,0]],'length':2}]}");
    const trm_scene_joint *j = scene->joints;
    assert_int_equal(scene->njoints, 4);
    assert_string_equal(j[0].kind->name, "revolute");
    assert_vector(3, j[0].local[0], (const double[3]){1, 3, 0});
    assert_vector(3, j[0].local[1], (const double[3]){3, 0, 0});
    assert_null(j[0].motor.text);
    assert_int_equal(j[1].body[0], 1);
    assert_int_equal(j[1].body[1], TRM_INDEX_GROUND);
    assert_vector(3, j[1].local[0], (const double[3]){1, 0, 0});
    assert_vector(3, j[1].local[1], (const double[3]){5, 5, 0});
    assert_int_equal(j[1].length_given, 0);
    assert_vector(3, j[2].local[0], (const double[3]){3, 4, 0});
    assert_vector(3, j[2].local[1], (const double[3]){1, 2, 0});
    assert_vector(3, j[2].axis, (const double[3]){0.6, 0.8, 0});
    assert_int_equal(j[2].axis_given, 1);
    assert_string_equal(j[2].motor.text, "0.1*sin(t)");
    assert_int_equal(j[3].length_given, 1);
    assert_near(j[3].length, 2, 0);
    trm_scene_destroy(scene);
}

CLAIM(axes_of_joints)
{
    trm_scene *scene = parse(
        "{'dimension':3,'bodies':[{'name':'a','mass':1,'inertia':[1,1,1]}],'joints':[{'name':'u',"
        "'type':'universal','bodies':['a','ground'],'at':[0,0,0],'axis':[0,3,4],'axis2':[-2,0,0]}]"
        "}");
    assert_vector(3, scene->joints[0].axis, (const double[3]){0, 0.6, 0.8});
    assert_vector(3, scene->joints[0].axis2, (const double[3]){-1, 0, 0});
    assert_int_equal(scene->joints[0].axis2_given, 1);
    trm_scene_destroy(scene);
}

/// Point masses may have joints that hold no rotation.
CLAIM(joints_of_point_masses)
{
    trm_scene *scene =
        parse("{'dimension':2,'bodies':[{'name':'p','mass':1,'position':[0.1,0.2],'shape':{'type':"
              "'point'}},{'name':'a','mass':1,'inertia':1}],'joints':["
              "{'name':'pin','type':'revolute','bodies':['a','p'],'at':[0.1,'0.3-0.1']},"
              "{'name':'rod','type':'rod','bodies':['p','ground'],'at':[[0.1,0.2],[5,5]]},"
              "{'name':'slot','type':'pin_in_slot','bodies':['ground','p'],'at':[0.1,0.2],"
              "'axis':[1,0]}]}");
    assert_int_equal(scene->bodies[0].point_mass, 1);
    assert_near(scene->joints[0].local[1][1], 0, 0);
    trm_scene_destroy(scene);
}

CLAIM(forces_hold_what_they_were_given)
{
    trm_scene *scene = parse(
        "{'dimension':2," TWO_BODIES ",'joints':[{'name':'h','type':'revolute','bodies':['a','b'],"
        "'at':[0,0]}],'forces':[{'name':'s','type':'spring_damper','markers':['end','tip'],"
        "'stiffness':10,'damping':'1/2','rest_length':0.3},"
        "{'name':'j','type':'joint_spring_damper','joint':'h','damping':2},"
        "{'name':'f','type':'force','marker':'tip','value':['-2*tip.vx',3],'axes':'body',"
        "'reaction':'end'},{'name':'m','type':'torque','body':'b','value':'sin(t)'}]}");
    const trm_scene_force *f = scene->forces;
    assert_int_equal(scene->nforces, 4);
    assert_string_equal(f[0].kind->name, "spring_damper");
    assert_int_equal(f[0].marker[0], 1);
    assert_int_equal(f[0].marker[1], 0);
    assert_near(f[0].stiffness, 10, 0);
    assert_near(f[0].damping, 0.5, 0);
    assert_near(f[0].rest, 0.3, 0);
    assert_int_equal(f[0].joint, TRM_INDEX_NONE);
    assert_int_equal(f[0].body[0], TRM_INDEX_NONE);
    assert_int_equal(f[1].joint, 0);
    assert_int_equal(f[1].marker[0], TRM_INDEX_NONE);
    assert_int_equal(f[2].marker[0], 0);
    assert_int_equal(f[2].marker[1], 1);
    assert_int_equal(f[2].axes, 1);
    assert_string_equal(f[2].value[0].text, "-2*tip.vx");
    assert_string_equal(f[2].value[1].text, "3");
    assert_int_equal(f[3].body[0], 1);
    assert_int_equal(f[3].axes, 0);
    trm_scene_destroy(scene);
}

// ---------------------------------------------------------------------------------------- formulas

CLAIM(variables_of_formulas)
{
    trm_scene *scene = parse(
        "{'dimension':2,'parameters':{'k':3}," TWO_BODIES ",'forces':[{'name':'m','type':'torque',"
        "'body':'b','value':'t + k*tip.x - end.vy + b.angle*a.rate + tip.x'}]}");
    const trm_formula *formula = &scene->forces[0].value[0];
    const trm_variable wanted[] = {{TRM_VARIABLE_TIME, 0, 0, 0},
                                   {TRM_VARIABLE_POSITION, 0, 0, 0},
                                   {TRM_VARIABLE_VELOCITY, 1, 1, 0},
                                   {TRM_VARIABLE_ANGLE, 1, 0, 0},
                                   {TRM_VARIABLE_RATE, 0, 2, 0}};
    assert_int_equal(formula->nvariables, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(formula->variables[i].kind, wanted[i].kind);
        assert_int_equal(formula->variables[i].index, wanted[i].index);
        assert_int_equal(formula->variables[i].axis, wanted[i].axis);
    }
    const double x[5] = {1, 10, 100, 1000, 2};
    double workspace[100];
    assert_true(trm_expression_workspace(formula->code) <= 100);
    assert_near(trm_expression_value(formula->code, x, workspace), 1 + 30 - 100 + 2000 + 10, 0);
    assert_string_equal(formula->place.pointer, "/forces/0/value");
    trm_scene_destroy(scene);
}

/// roll, pitch and yaw come back from the matrix that they make.
CLAIM(angles_are_expressions_of_the_matrix)
{
    const double rpy[3] = {2.2, -1.1, -2.9};
    static const char *const names[3] = {"roll", "pitch", "yaw"};
    double R[9];
    rpy_matrix(rpy[0], rpy[1], rpy[2], R);
    for (int i = 0; i < 3; i++) {
        char json[300];
        double x[16], workspace[200];
        snprintf(json, sizeof json,
                 "{'dimension':3,'bodies':[{'name':'a','mass':1,'inertia':[1,1,1]},"
                 "{'name':'arm','mass':1,'inertia':[1,1,1]}],'constraints':[{'name':'c',"
                 "'expression':'2*arm.%s + t'}]}",
                 names[i]);
        trm_scene *scene = parse(json);
        const trm_formula *formula = &scene->constraints[0].expression[0];
        for (int k = 0; k < formula->nvariables; k++) {
            const trm_variable *v = &formula->variables[k];
            x[k] = v->kind == TRM_VARIABLE_TIME ? 100 : R[3 * v->axis + v->axis2];
            assert_int_equal(v->index, v->kind == TRM_VARIABLE_TIME ? 0 : 1);
        }
        assert_true(trm_expression_workspace(formula->code) <= 200);
        assert_near(trm_expression_value(formula->code, x, workspace), 100 + 2 * rpy[i], 1e-15);
        assert_int_equal(formula->text[6], names[i][0]); // the text is the user's own
        trm_scene_destroy(scene);
    }
}

// ------------------------------------------------------------------------------ parameters and set

static trm_scene *parametric(void)
{
    return parse(
        "{'dimension':2,'parameters':{'l':2,'m':'3*l','start':'30*deg','k':'m/l'},"
        "'bodies':[{'name':'a','mass':'m','ends':[[0,0],['l*cos(start)','l*sin(start)']]}],"
        "'joints':[{'name':'h','type':'revolute','bodies':['ground','a'],'at':[0,0],"
        "'motor':'k*t'}]}");
}

static void assert_parametric(const trm_scene *scene, double l, double m, double start, double k)
{
    const double values[4] = {l, m, start, k};
    double workspace[10];
    assert_int_equal(scene->nparameters, 4);
    for (int i = 0; i < 4; i++) {
        assert_near(scene->parameters[i].value, values[i], 1e-15);
    }
    assert_near(scene->bodies[0].mass, m, 1e-15);
    assert_near(scene->bodies[0].angle, start, 1e-15);
    assert_near(scene->bodies[0].inertia[8], m * l * l / 12, 1e-15);
    const trm_formula *motor = &scene->joints[0].motor;
    assert_near(trm_expression_value(motor->code, (const double[1]){10}, workspace), 10 * k, 1e-15);
}

CLAIM(dependent_parameters_follow_overrides)
{
    trm_scene *scene = parametric();
    assert_parametric(scene, 2, 6, pi / 6, 3);
    assert_int_equal(trm_scene_set(scene, "l", "3+1", NULL), TRM_OK);
    assert_parametric(scene, 4, 12, pi / 6, 3);
    assert_int_equal(trm_scene_set(scene, "start", "-7*pi/40", NULL), TRM_OK);
    assert_parametric(scene, 4, 12, -7 * pi / 40, 3);
    assert_int_equal(trm_scene_set(scene, "m", "1", NULL), TRM_OK);
    assert_parametric(scene, 4, 1, -7 * pi / 40, 0.25);
    assert_int_equal(trm_scene_set(scene, "l", "1", NULL), TRM_OK);
    assert_parametric(scene, 1, 1, -7 * pi / 40, 1);
    trm_scene_destroy(scene);
}

CLAIM(a_failed_override_changes_nothing)
{
    const struct {
        const char *parameter, *expression;
        trm_status status;
        const char *where, *message;
    } cases[] = {
        {"ll", "1", TRM_ERR_SCENE, "scene", "no parameter \"ll\"; did you mean \"l\"?"},
        {"omega", "1", TRM_ERR_SCENE, "scene", "no parameter \"omega\""},
        {"l", "2*", TRM_ERR_SYNTAX, "parameter \"l\"",
         "in \"2*\": expected a number, a name or '(', got the end of the expression"},
        {"l", "", TRM_ERR_SYNTAX, "parameter \"l\"", "in \"\": the expression is empty"},
        {"l", "m", TRM_ERR_SYNTAX, "parameter \"l\"",
         "in \"m\": unknown name \"m\"; only numbers, pi, deg and functions here"},
        {"l", "log(-1)", TRM_ERR_SCENE, "parameter \"l\"",
         "the value of \"log(-1)\" is not a number: log of -1"},
        {"l", "1/0", TRM_ERR_SCENE, "parameter \"l\"",
         "the value of \"1/0\" is infinite: a quotient of 1 and 0"},
        {"m", "-1", TRM_ERR_SCENE, "scene:1:103 /bodies/0/mass", "mass must be > 0, got -1"},
        {"l", "0", TRM_ERR_SCENE, "scene:1:67 /parameters/k",
         "the value of \"m/l\" is not a number: a quotient of 0 and 0"},
    };
    trm_scene *scene = parametric();
    assert_int_equal(trm_scene_set(scene, "l", "4", NULL), TRM_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trm_error err = {0};
        assert_int_equal(trm_scene_set(scene, cases[i].parameter, cases[i].expression, &err),
                         cases[i].status);
        assert_string_equal(err.message, cases[i].message);
        assert_string_equal(err.where, cases[i].where);
        assert_parametric(scene, 4, 12, pi / 6, 3);
    }
    trm_scene_destroy(scene);
}

/// m = 0 and l = 0 make no sense alone, nor on the way.
CLAIM(all_overrides_at_once)
{
    trm_scene *scene = parametric();
    trm_error err = {0};
    const char *const names[] = {"m", "l", "start"}, *const values[] = {"8", "4", "pi"},
                      *const bad[] = {"8", "0", "0"};
    assert_int_equal(trm_scene_set_all(scene, 3, names, values, &err), TRM_OK);
    assert_parametric(scene, 4, 8, pi, 2);
    assert_int_equal(trm_scene_set_all(scene, 3, names, bad, &err), TRM_ERR_SCENE);
    assert_parametric(scene, 4, 8, pi, 2);
    assert_int_equal(trm_scene_set_all(scene, 0, NULL, NULL, &err), TRM_OK);
    assert_int_equal(trm_scene_set_all(scene, 1, NULL, values, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_scene_set_all(NULL, 1, names, values, &err), TRM_ERR_OPTIONS);
    assert_parametric(scene, 4, 8, pi, 2);
    trm_scene_destroy(scene);
}

// ------------------------------------------------------------------------------ functions of users

static int no_force(const trm_model *model, double t, const double *q, const double *v, double *f,
                    void *user)
{
    (void)model, (void)t, (void)q, (void)v, (void)f, (void)user;
    return 0;
}

static int no_rows(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)model, (void)t, (void)q, (void)out, (void)user;
    return 0;
}

CLAIM(user_parts_survive_overrides)
{
    trm_scene *scene = parametric();
    char name[] = "drag";
    int user = 0;
    const trm_force_def force = {.name = name, .force = no_force, .user = &user};
    const trm_constraint_def constraint = {"path", 2, no_rows, no_rows, NULL, NULL, &user};
    assert_int_equal(trm_scene_add_force(scene, &force, NULL), TRM_OK);
    assert_int_equal(trm_scene_add_constraint(scene, &constraint, NULL), TRM_OK);
    name[0] = 'x';
    assert_int_equal(trm_scene_set(scene, "l", "5", NULL), TRM_OK);
    assert_int_equal(scene->nuser_forces, 1);
    assert_string_equal(scene->user_forces[0].name, "drag");
    assert_ptr_equal(scene->user_forces[0].user, &user);
    assert_int_equal(scene->nuser_constraints, 1);
    assert_int_equal(scene->user_constraints[0].rows, 2);
    trm_scene_destroy(scene);
}

CLAIM(bad_user_parts_are_refused)
{
    trm_scene *scene = parametric();
    trm_error err = {0};
    const trm_force_def force = {.name = "drag", .force = no_force};
    assert_int_equal(trm_scene_add_force(scene, &force, &err), TRM_OK);
    assert_int_equal(trm_scene_add_force(scene, &force, &err), TRM_ERR_SCENE);
    assert_string_equal(err.message, "user force: the name \"drag\" is taken");
    const trm_force_def nameless = {.force = no_force}, empty = {.name = "f"};
    assert_int_equal(trm_scene_add_force(scene, &nameless, &err), TRM_ERR_SCENE);
    assert_string_equal(err.message, "a user force needs a name");
    assert_int_equal(trm_scene_add_force(scene, &empty, &err), TRM_ERR_SCENE);
    assert_string_equal(err.message, "user force \"f\" has no function");
    const trm_constraint_def hinge = {"h", 1, no_rows, no_rows, NULL, NULL, NULL};
    const trm_constraint_def rowless = {"c", 0, no_rows, no_rows, NULL, NULL, NULL};
    const trm_constraint_def no_g = {"c", 1, NULL, no_rows, NULL, NULL, NULL};
    const trm_constraint_def no_G = {"c", 1, no_rows, NULL, NULL, NULL, NULL};
    assert_int_equal(trm_scene_add_constraint(scene, &hinge, &err), TRM_ERR_SCENE);
    assert_string_equal(err.message, "user constraint: the name \"h\" is taken");
    assert_int_equal(trm_scene_add_constraint(scene, &rowless, &err), TRM_ERR_SCENE);
    assert_string_equal(err.message, "user constraint \"c\": rows must be >= 1, got 0");
    assert_int_equal(trm_scene_add_constraint(scene, &no_g, &err), TRM_ERR_SCENE);
    assert_string_equal(err.message, "user constraint \"c\" has no function g");
    assert_int_equal(trm_scene_add_constraint(scene, &no_G, &err), TRM_ERR_SCENE);
    assert_string_equal(err.message, "user constraint \"c\" has no function G");
    assert_int_equal(scene->nuser_forces, 1);
    assert_int_equal(scene->nuser_constraints, 0);
    trm_scene_destroy(scene);
}

// -------------------------------------------------------------------------------------------- rest

CLAIM(defaults_and_simulation)
{
    trm_scene *scene = one_body(2, "'mass':1,'inertia':1");
    trm_simulation simulation = trm_scene_simulation(scene);
    assert_string_equal(trm_scene_get_info(scene).title, "");
    assert_true(simulation.end == 0 && simulation.every == 0 && simulation.accuracy == 0);
    assert_int_equal(simulation.assemble, 0);
    assert_vector(3, scene->gravity, (const double[3]){0, 0, 0});
    trm_scene_destroy(scene);
    scene = parse("\xef\xbb\xbf{'simulation':{'end':'2*pi','every':0,'accuracy':1e-8},"
                  "'assemble':true,'gravity':[0,'-g'],\n"
                  "'joints':[],'bodies':[{'name':'a','mass':1,'inertia':1}],'dimension':2.0,"
                  "'parameters':{'g':9.81},'title':'caf\\u00e9 \\ud834\\udd1e','$schema':'x'}\n");
    simulation = trm_scene_simulation(scene);
    assert_string_equal(trm_scene_get_info(scene).title, "caf\xc3\xa9 \xf0\x9d\x84\x9e");
    assert_near(simulation.end, 2 * pi, 1e-15);
    assert_near(simulation.accuracy, 1e-8, 1e-20);
    assert_int_equal(simulation.assemble, 1);
    assert_vector(3, scene->gravity, (const double[3]){0, -9.81, 0});
    assert_int_equal(scene->dimension, 2);
    trm_scene_destroy(scene);
}

CLAIM(others_can_list_what_a_scene_names)
{
    trm_scene *scene =
        parse("{'dimension':2,'parameters':{'l':2,'half':'l/2'},'bodies':[{'name':"
              "'a','mass':1,'ends':[[0,0],['l',0]]}],'markers':[{'name':'tip',"
              "'body':'a','at':['l',0]},{'name':'post','body':'ground','at':[3,4]}]}");
    assert_int_equal(trm_scene_get_info(scene).dimension, 2);
    assert_string_equal(trm_scene_parameter_info(scene, 1).name, "half");
    assert_near(trm_scene_parameter_info(scene, 1).value, 1, 0);
    assert_int_equal(trm_scene_set(scene, "l", "6", NULL), TRM_OK);
    assert_near(trm_scene_parameter_info(scene, 1).value, 3, 0);
    const trm_marker_info tip = trm_scene_marker_info(scene, 0),
                          post = trm_scene_marker_info(scene, 1);
    assert_string_equal(tip.name, "tip");
    assert_int_equal(tip.body, 0);
    assert_vector(3, tip.local, (const double[3]){3, 0, 0});
    assert_string_equal(post.name, "post");
    assert_int_equal(post.body, -1);
    assert_vector(3, post.local, (const double[3]){3, 4, 0});
    assert_null(trm_scene_marker_info(scene, 2).name);
    assert_null(trm_scene_marker_info(scene, -1).name);
    assert_null(trm_scene_parameter_info(scene, 2).name);
    assert_null(trm_scene_parameter_info(scene, -1).name);
    trm_scene_destroy(scene);
}

CLAIM(places_lead_back_to_the_file)
{
    char where[160];
    trm_scene *scene = parse("{'dimension':2,\n  'bodies':[{'name':'a','mass':1,'inertia':1},\n"
                             "    {'name':'b','mass':1,'inertia':1}]}");
    trm_scene_where(scene, scene->bodies[0].place, where, sizeof where);
    assert_string_equal(where, "scene:2:13 /bodies/0");
    trm_scene_where(scene, scene->bodies[1].place, where, sizeof where);
    assert_string_equal(where, "scene:3:5 /bodies/1");
    trm_scene_where(scene, (trm_place){0}, where, sizeof where);
    assert_string_equal(where, "scene");
    trm_scene_destroy(scene);
    trm_scene_destroy(NULL);
}
