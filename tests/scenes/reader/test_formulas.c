/// Formulas of scenes: definitions, tables, coordinates of joints, repetition. JSON with ' for ".
#include "tests/scenes/reader/formula_scenes.h"

static double read_one(const rig *r, const char *name)
{
    trm_error err = {.status = TRM_OK};
    trm_sensor s;
    double x[8];
    rig_ok(trm_model_sensor(r->model, name, &s, &err), &err);
    rig_ok(trm_sim_read(r->sim, &s, x, &err), &err);
    return x[0];
}

static void run_exactly(rig *r, double t_end)
{
    rig_start(r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12));
    rig_run(r, t_end);
}

// ----------------------------------------------------------------------------------------- winding

/// A wheel on a spatial hinge, skew in space, with the spring k: x = (v0/w) sin(w t), w^2 = k/I.
static const char wheel[] =
    "{'dimension':3,'parameters':{'v0':1,'k':1},'definitions':{'spring':'-k*O.angle'},"
    "'bodies':[{'name':'a','mass':1,'inertia':[2,2,2],'rate':['v0*0.6','v0*0.48','v0*0.64']}],"
    "'joints':[{'name':'O','type':'revolute','bodies':['ground','a'],'at':[0,0,0],"
    "'axis':[0.6,0.48,0.64]}],'forces':[%s]}";

/// 10^4 turns and back to 9000 of them, saved and restored on the way: the angle against the closed
/// form.
static void check_turns(const char *force)
{
    char text[LONGEST], json[LONGEST];
    trm_error err = {.status = TRM_OK};
    const double turns = 1e4, w = sqrt(0.5), v0 = 2 * pi * turns * w;
    snprintf(text, sizeof text, wheel, force);
    rig r = {NULL, NULL, NULL};
    json_of(text, json);
    rig_ok(trm_scene_parse(json, strlen(json), &r.scene, &err), &err);
    snprintf(text, sizeof text, "%.17g", v0);
    rig_ok(trm_scene_set(r.scene, "v0", text, &err), &err);
    rig_ok(trm_model_build(r.scene, &r.model, &err), &err);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-11, 1e-11));
    const double quarter = pi / 2 / w;
    double at = 0;
    for (int k = 1; k <= 4; k++) {
        rig_run(&r, 0.3 * k * quarter);
        at = read_one(&r, "O.coordinate");
        near("angle", at, 2 * pi * turns * sin(w * 0.3 * k * quarter), 1e-2);
        char *bytes = rig_save(&r);
        rig_run(&r, (0.3 * k + 0.01) * quarter);
        const double ahead = read_one(&r, "O.coordinate");
        rig_restore(&r, bytes);
        assert_true(read_one(&r, "O.coordinate") == at);
        rig_run(&r, (0.3 * k + 0.01) * quarter);
        assert_true(read_one(&r, "O.coordinate") == ahead);
        free(bytes);
    }
    rig_close(&r);
}

CLAIM(ten_thousand_turns_are_counted)
{
    rig_figures();
    check_turns("{'name':'s','type':'joint_spring_damper','joint':'O','stiffness':'k'}");
    check_turns("{'name':'s','type':'joint_force','joint':'O','value':'spring'}");
    check_turns("{'name':'s','type':'servo','joint':'O','target':0,'kp':'k'}");
}

/// The potential of the spring is that of the counted angle: energy is kept over many turns.
CLAIM(the_energy_of_a_wound_spring_is_kept)
{
    rig r = {NULL, NULL, NULL};
    char text[LONGEST], json[LONGEST];
    trm_error err = {.status = TRM_OK};
    snprintf(text, sizeof text, wheel,
             "{'name':'s','type':'joint_spring_damper','joint':'O','stiffness':'k'}");
    json_of(text, json);
    rig_ok(trm_scene_parse(json, strlen(json), &r.scene, &err), &err);
    rig_ok(trm_scene_set(r.scene, "v0", "100", &err), &err);
    rig_ok(trm_model_build(r.scene, &r.model, &err), &err);
    run_exactly(&r, 2);
    const double x = read_one(&r, "O.angle");
    assert_true(x > 20 * pi);
    near("potential", read_one(&r, "energy.potential"), x * x / 2, 1e-6);
    near("sum", read_one(&r, "energy.potential") + read_one(&r, "energy.kinetic"), 1e4, 1e-5);
    trm_state s = trm_sim_state(r.sim);
    rig_ok(trm_sim_set_state(r.sim, s.t, s.q, s.v, &err), &err);
    near("a state that is set counts anew", read_one(&r, "O.angle"), remainder(x, 2 * pi), 1e-12);
    rig_close(&r);
}

// ------------------------------------------------------------------------------------------ joints

/// Two wheels in space tied by a ratio that no yaw could express over many turns, one of them
/// driven by a torque: (I1 + I2/4) x'' = T, I1 = 3 and I2 = 2.
CLAIM(a_pair_of_gears_turns_in_space)
{
    rig r = parse("{'dimension':3,"
                  "'bodies':[{'name':'a','mass':1,'inertia':[2,2,3]},"
                  "{'name':'b','mass':1,'inertia':[2,2,2],'position':[1,0,0]}],"
                  "'joints':[{'name':'A','type':'revolute','bodies':['ground','a'],'at':[0,0,0],"
                  "'axis':[0,0,1]},{'name':'B','type':'revolute','bodies':['b','ground'],"
                  "'at':[1,0,0],'axis':[1,0,0]}],"
                  "'constraints':[{'name':'mesh','expression':'A.angle + 2*B.angle'}],"
                  "'forces':[{'name':'T','type':'torque','body':'a','value':[0,0,7]}]}");
    run_exactly(&r, 10);
    near("A", read_one(&r, "A.coordinate"), 7 / 3.5 * 50, 1e-7);
    near("B", read_one(&r, "B.coordinate"), -7 / 3.5 * 25, 1e-7);
    rig_close(&r);
}

/// A rack on a slider and a pinion, in the plane and in space, by both coordinates.
CLAIM(a_rack_and_pinion)
{
    static const char *const scenes[] = {
        "{'dimension':2,'bodies':[{'name':'a','mass':1,'inertia':3},{'name':'b','mass':4,"
        "'inertia':1,'position':[0,1]}],"
        "'joints':[{'name':'A','type':'revolute','bodies':['ground','a'],'at':[0,0]},"
        "{'name':'S','type':'prismatic','bodies':['ground','b'],'at':[0,1],'axis':[1,0]}],"
        "'constraints':[{'name':'mesh','expression':'S.position - 0.5*A.angle'}],"
        "'forces':[{'name':'T','type':'torque','body':'a','value':'7 - 0.01*S.rate*A.rate'}]}",
        "{'dimension':3,'bodies':[{'name':'a','mass':1,'inertia':[2,2,3]},{'name':'b','mass':4,"
        "'inertia':[1,1,1],'position':[0,1,0]}],"
        "'joints':[{'name':'A','type':'revolute','bodies':['ground','a'],'at':[0,0,0],"
        "'axis':[0,0,1]},{'name':'S','type':'prismatic','bodies':['ground','b'],'at':[0,1,0],"
        "'axis':[1,0,0]}],'constraints':[{'name':'mesh','expression':'S.position - 0.5*A.angle'}],"
        "'forces':[{'name':'T','type':'torque','body':'a','value':[0,0,"
        "'7 - 0.01*S.rate*A.rate']}]}"};
    // (3 + 4/4) w' = 7 - 0.005 w^2: w = sqrt(1400) tanh(t sqrt(0.035)/4)
    for (int i = 0; i < 2; i++) {
        rig r = parse(scenes[i]);
        run_exactly(&r, 5);
        const double w = sqrt(1400) * tanh(5 * sqrt(0.035) / 4);
        near("A", read_one(&r, "A.rate"), w, 1e-8);
        near("S", read_one(&r, "S.rate"), w / 2, 1e-8);
        near("position", read_one(&r, "S.position"), 0.5 * read_one(&r, "A.angle"), 1e-9);
        rig_close(&r);
    }
}

/// A constraint on yaw is told of its jump, under every kind of method; the angle of the joint goes
/// on.
CLAIM(a_jump_of_yaw_is_told)
{
    static const char scene[] =
        "{'dimension':3,'bodies':[{'name':'a','mass':1,'inertia':[1,1,1],'rate':[0,0,1]}],"
        "'joints':[{'name':'O','type':'revolute','bodies':['ground','a'],'at':[0,0,0],"
        "'axis':[0,0,1]}],'constraints':[{'name':'y','expression':'%s - t'}]}";
    char text[LONGEST];
    const trm_options options[] = {
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-8, 1e-8),
        rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 0.01),
    };
    for (int i = 0; i < 2; i++) {
        trm_error err = {.status = TRM_OK};
        snprintf(text, sizeof text, scene, "a.yaw");
        rig r = parse(text);
        rig_start(&r, options[i]);
        assert_int_equal(trm_sim_run(r.sim, 10, NULL, NULL, &err), TRM_ERR_DIVERGED);
        assert_non_null(strstr(err.message, "a.yaw in constraint 'y' jumps there from pi to -pi or "
                                            "back; O.angle counts turns"));
        near("when", err.t, pi, 0.02);
        rig_close(&r);
        snprintf(text, sizeof text, scene, "O.angle");
        r = parse(text);
        rig_start(&r, options[i]);
        rig_run(&r, 10);
        near("angle", read_one(&r, "O.angle"), 10, 1e-9);
        rig_close(&r);
    }
}

/// About a ball joint no angle counts turns.
CLAIM(a_jump_without_a_hinge_is_told)
{
    rig r =
        parse("{'dimension':3,'bodies':[{'name':'a','mass':1,'inertia':[1,1,1],'rate':[0,0,1]}],"
              "'joints':[{'name':'O','type':'spherical','bodies':['ground','a'],'at':[0,0,0]}],"
              "'constraints':[{'name':'y','expression':'a.yaw - t'}]}");
    trm_error err = {.status = TRM_OK};
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 0.01));
    assert_int_equal(trm_sim_run(r.sim, 10, NULL, NULL, &err), TRM_ERR_DIVERGED);
    const char *const end =
        strstr(err.message, "a.yaw in constraint 'y' jumps there from pi to -pi");
    assert_non_null(end);
    assert_string_equal(strstr(end, " or "), " or back");
    near("when", err.t, pi, 0.02);
    rig_close(&r);
}

// --------------------------------------------------------------------- definitions and conditions

/// A formula with definitions moves as the formula written out does, to the bit.
CLAIM(definitions_stand_for_their_formulas)
{
    static const char form[] =
        "{'dimension':2,'gravity':[0,-9.81],'parameters':{'k':50,'u':{'value':2,'input':true}},%s"
        "'bodies':[{'name':'a','mass':1,'ends':[[0,0],[1,0]]}],"
        "'markers':[{'name':'p','body':'a','at':[1,0]},{'name':'o','body':'ground','at':[2,1]}],"
        "'joints':[{'name':'P','type':'revolute','bodies':['ground','a'],'at':[0,0]%s}],"
        "'forces':[{'name':'f','type':'force','marker':'p','value':[%s]}]}";
    char with[LONGEST], without[LONGEST];
    snprintf(with, sizeof with, form,
             "'definitions':{'f':['k*stretch*d.x/l - v.x','k*stretch*d.y/l - v.y'],"
             "'stretch':'l - 1','l':'hypot(d.x, d.y)','d':['o.x - p.x','o.y - p.y'],"
             "'v':['u*p.vx','u*p.vy']},",
             "", "'f.x','f.y'");
    snprintf(without, sizeof without, form, "", "",
             "'k*(hypot(o.x - p.x, o.y - p.y) - 1)*(o.x - p.x)/hypot(o.x - p.x, o.y - p.y)"
             " - u*p.vx','k*(hypot(o.x - p.x, o.y - p.y) - 1)*(o.y - p.y)/hypot(o.x - p.x, "
             "o.y - p.y) - u*p.vy'");
    rig a = parse(with), b = parse(without);
    run_exactly(&a, 1);
    run_exactly(&b, 1);
    assert_true(rig_q(&a, "a", 0) == rig_q(&b, "a", 0) && rig_q(&a, "a", 2) == rig_q(&b, "a", 2));
    rig_close(&a);
    rig_close(&b);
}

/// A motor by a definition of t with a smooth step: the joint arrives where the step ends.
CLAIM(a_motor_follows_a_step)
{
    rig r = parse("{'dimension':2,'definitions':{'rise':'step(t, 0.5, 0, 1.5, 2)'},"
                  "'bodies':[{'name':'a','mass':1,'ends':[[0,0],[1,0]]}],"
                  "'joints':[{'name':'P','type':'revolute','bodies':['ground','a'],'at':[0,0],"
                  "'motor':'rise'}]}");
    run_exactly(&r, 1);
    near("half way", read_one(&r, "P.angle"), 1, 1e-9);
    near("rate", read_one(&r, "P.rate"), 2 * 1.875, 1e-8);
    rig_run(&r, 2);
    near("arrived", read_one(&r, "P.angle"), 2, 1e-9);
    rig_close(&r);
}

// ------------------------------------------------------------------------------------------ tables

/// A motor by a periodic cubic table through points of a sine: the motion within the error of the
/// table.
CLAIM(a_motor_follows_a_table)
{
    char text[LONGEST], points[3000] = "";
    enum { N = 48 };
    for (int i = 0; i <= N; i++) {
        const size_t used = strlen(points);
        snprintf(points + used, sizeof points - used, "%s[%.17g,%.17g]", i ? "," : "",
                 i / (double)N, i == N ? 0 : sin(2 * pi * i / N));
    }
    snprintf(text, sizeof text,
             "{'dimension':2,'tables':{'cam':{'points':[%s],'interpolation':'cubic',"
             "'outside':'periodic'}},'bodies':[{'name':'a','mass':1,'inertia':1,'velocity':"
             "['2*pi',0]}],'joints':[{'name':'S','type':'prismatic','bodies':['ground','a'],"
             "'at':[0,0],'axis':[1,0],'motor':'table(cam, t)'}]}",
             points);
    rig r = parse(text);
    trm_options options =
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-9, 1e-9);
    options.assemble = 1; // the table's slope at 0 is near 2 pi
    rig_start(&r, options);
    for (int k = 1; k <= 20; k++) {
        rig_run(&r, 0.13 * k);
        near("lift", read_one(&r, "S.position"), sin(2 * pi * 0.13 * k), 2e-6);
        near("rate", read_one(&r, "S.rate"), 2 * pi * cos(2 * pi * 0.13 * k), 3e-3);
    }
    rig_close(&r);
}

CLAIM(a_table_comes_from_a_file)
{
    static const char *const files[] = {
        "# measured\r\nn,\"s\",\"p [Pa]\"\r\n1,-1,0\r\n\r\n2, 0, 3\r\n3,5,3\r\n",
        "s;p [Pa];q\n-1;0;x\n0;3;y\n5;3;z\n",
        "\xef\xbb\xbfq\tp [Pa]\ts\n0\t0\t-1\n0\t3\t0\n0\t3\t5\n",
    };
    char json[LONGEST], folder[40];
    trm_error err = {.status = TRM_OK};
    const int before = enter_folder(folder);
    for (int i = 0; i < 3; i++) {
        rig r = {NULL, NULL, NULL};
        write_file("test_formulas.json", json_of(csv_scene, json));
        write_file("test_formulas.csv", files[i]);
        rig_ok(trm_scene_load("test_formulas.json", &r.scene, &err), &err);
        rig_ok(trm_model_build(r.scene, &r.model, &err), &err);
        run_exactly(&r, 2);
        near("x", read_one(&r, "S.position"), 3.0 / 2 * 2 * 2 / 2, 1e-10);
        rig_close(&r);
    }
    leave_folder(before, folder);
}

/// A run that leaves a table, or the domain of a function, says where.
CLAIM(what_has_no_value_is_told)
{
    static const char scene[] =
        "{'dimension':2,'tables':{'k':{'points':[[-1,1],[0,0],[3,-3]]}},"
        "'bodies':[{'name':'a','mass':1,'inertia':1,'velocity':[4,0]}],"
        "'joints':[{'name':'S','type':'prismatic','bodies':['ground','a'],'at':[0,0],"
        "'axis':[1,0]}],'forces':[{'name':'f','type':'joint_force','joint':'S',\n'value':'%s'}]}";
    static const char *const cases[][2] = {
        {"table(k, S.position)", ": a table is read behind its last point, 3"},
        {"0*sqrt(3 - S.position)", ": sqrt of -"},
        {"if(log(3 - S.position) > 9, 1, 0)", ": log of -"},
    };
    for (int i = 0; i < 3; i++) {
        char text[LONGEST];
        trm_error err = {.status = TRM_OK};
        snprintf(text, sizeof text, scene, cases[i][0]);
        rig r = parse(text);
        rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN, 0.01));
        assert_int_equal(trm_sim_run(r.sim, 10, NULL, NULL, &err), TRM_ERR_CALLBACK);
        assert_non_null(strstr(err.message, cases[i][1]));
        assert_string_equal(err.where, "scene:2:9 /forces/0/value");
        assert_true(err.t > 0.7 && err.t < 1.1);
        rig_close(&r);
    }
}

/// The same of a constraint and of a motor, which must have their values as long as they hold.
CLAIM(a_holder_without_a_value_is_told)
{
    static const char *const cases[] = {
        "{'dimension':2,'bodies':[{'name':'a','mass':1,'inertia':1,'velocity':[-1.5,0]}],"
        "'markers':[{'name':'p','body':'a','at':[0,0]}],'constraints':[{'name':'c',\n'expression':'"
        "p.x - (1 - t)^1.5 + 1'}]}",
        "{'dimension':2,'bodies':[{'name':'a','mass':1,'inertia':1,'velocity':[-2.5,0]}],"
        "'joints':[{'name':'S','type':'prismatic','bodies':['ground','a'],'at':[0,0],'axis':[1,0],"
        "\n'motor':'(1 - t)^2.5 - 1'}]}",
    };
    static const char *const where[] = {"scene:2:14 /constraints/0/expression",
                                        "scene:2:9 /joints/0/motor"};
    for (int i = 0; i < 2; i++) {
        trm_error err = {.status = TRM_OK};
        rig r = parse(cases[i]);
        rig_start(&r, trm_default_options(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_S_BOTH2));
        assert_int_equal(trm_sim_run(r.sim, 2, NULL, NULL, &err), TRM_ERR_CALLBACK);
        assert_string_equal(err.where, where[i]);
        assert_non_null(strstr(err.message, "a power of -"));
        assert_true(err.t <= 1);
        rig_close(&r);
    }
}

// -------------------------------------------------------------------------------------- repetition

/// A repetition equals its elements written out: coordinates, names, motion, to the bit.
CLAIM(a_chain_is_repeated)
{
    rig a = parse(
        "{'dimension':2,'gravity':[0,-9.81],'parameters':{'n':3,'a':0.5},'bodies':["
        "{'repeat':{'i':'n'},'name':'bar{i}','mass':'1 + i','ends':[['i*a',0],['(i+1)*a',0]]}],"
        "'markers':[{'repeat':{'i':[0,'n-1']},'name':'tip{i}','body':'bar{i}','on':['a/2',0]}],"
        "'joints':[{'name':'pin0','type':'revolute','bodies':['ground','bar0'],'at':[0,0]},"
        "{'repeat':{'i':[1,'n - 1']},'name':'pin{i}','type':'revolute','bodies':['bar{i-1}',"
        "'bar{i}'],'on':{'bar{i-1}':['a/2',0],'bar{i}':['-a/2',0]}}],"
        "'forces':[{'repeat':{'i':'n','k':2},'name':'f{i}_{k}','type':'force','marker':'tip{i}',"
        "'value':['-0.1*(k+1)*tip{i}.vx',0]}]}");
    rig b = parse("{'dimension':2,'gravity':[0,-9.81],'bodies':["
                  "{'name':'bar0','mass':1,'ends':[[0,0],[0.5,0]]},"
                  "{'name':'bar1','mass':2,'ends':[[0.5,0],[1,0]]},"
                  "{'name':'bar2','mass':3,'ends':[[1,0],[1.5,0]]}],"
                  "'markers':[{'name':'tip0','body':'bar0','on':[0.25,0]},"
                  "{'name':'tip1','body':'bar1','on':[0.25,0]},"
                  "{'name':'tip2','body':'bar2','on':[0.25,0]}],"
                  "'joints':[{'name':'pin0','type':'revolute','bodies':['ground','bar0'],"
                  "'at':[0,0]},{'name':'pin1','type':'revolute','bodies':['bar0','bar1'],"
                  "'at':[0.5,0]},{'name':'pin2','type':'revolute','bodies':['bar1','bar2'],"
                  "'at':[1,0]}],'forces':["
                  "{'name':'f0_0','type':'force','marker':'tip0','value':['-0.1*tip0.vx',0]},"
                  "{'name':'f0_1','type':'force','marker':'tip0','value':['-0.2*tip0.vx',0]},"
                  "{'name':'f1_0','type':'force','marker':'tip1','value':['-0.1*tip1.vx',0]},"
                  "{'name':'f1_1','type':'force','marker':'tip1','value':['-0.2*tip1.vx',0]},"
                  "{'name':'f2_0','type':'force','marker':'tip2','value':['-0.1*tip2.vx',0]},"
                  "{'name':'f2_1','type':'force','marker':'tip2','value':['-0.2*tip2.vx',0]}]}");
    assert_int_equal(a.model->sizes.nbody, 3);
    assert_int_equal(a.model->sizes.njoint, 3);
    run_exactly(&a, 1);
    run_exactly(&b, 1);
    for (int i = 0; i < 3; i++) {
        char name[20];
        snprintf(name, sizeof name, "bar%d", i);
        for (int k = 0; k < 3; k++) {
            assert_true(rig_q(&a, name, k) == rig_q(&b, name, k));
        }
    }
    rig_close(&a);
    rig_close(&b);
}
