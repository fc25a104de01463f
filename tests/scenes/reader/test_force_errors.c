/// Errors of forces.
#include "tests/scenes/reader/refusal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

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

int test_force_errors(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces),
        cmocka_unit_test(values_of_forces),
        cmocka_unit_test(forces_of_joints_and_torques),
    };
    return cmocka_run_group_tests_name("force errors", tests, NULL, NULL);
}
