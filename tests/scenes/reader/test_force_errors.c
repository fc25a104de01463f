/// Errors of forces.
#include "tests/claim.h"
#include "tests/scenes/reader/refusal.h"

#include <string.h>

CLAIM(forces)
{
    static const refusal list[] = {
        {SCENE_2("'forces':[@{'name':'f'}]"), "/forces/0",
         "missing key \"type\"; types: trammel elements"},
        {FORCE_2("'type':@'glue'"), "/forces/0/type",
         "unknown force type \"glue\"; known: spring_damper, joint_spring_damper, servo, dc_motor, "
         "joint_force, force, torque, tendon, bushing, point_gravity"},
        {FORCE_2("'type':@'gravity'"), "/forces/0/type",
         "unknown force type \"gravity\"; known: spring_damper, joint_spring_damper, servo, "
         "dc_motor, "
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
         "/constraints/0/expression", "\"h\" is a weld joint, and has no coordinate"},
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
         "expected an operator, got '='; in conditions write ==, in constraints move all to one "
         "side: tip.x - l"},
        {SCENE_2("'constraints':[{'name':'c','expression':'tip.x @== l + 1'}]"),
         "/constraints/0/expression",
         "a constraint holds an expression at zero; move all to one side: tip.x - (l + 1)"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

CLAIM(values_of_forces)
{
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

CLAIM(forces_of_joints_and_torques)
{
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
        {FORCE_2("'type':'force','marker':'tip','reaction':@'tip','value':[1,2]"),
         "/forces/0/reaction", "the reaction must act at another marker"},
        {FORCE_2("'type':'torque','body':'a','value':@[1,2,3]"), "/forces/0/value",
         "expected a number or a formula, got an array"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

#define PIN(keys)                                                                                  \
    "'joints':[{'name':'h','type':'revolute','bodies':['ground','a'],'at':[0,0]" keys "}]"
#define ON_PIN(keys) PIN("") ",'forces':[{'name':'f'," keys "}]"
#define STOP(keys) "'stops':[{'name':'s'," keys "}]"
#define ON_MARKER "'marker':'tip','on':'o','normal':[0,1]"
#define TWO_MARKERS(rest)                                                                          \
    "{'dimension':2,'bodies':[{'name':'a','mass':1,'inertia':1}],'markers':[{'name':'tip',"        \
    "'body':'a','on':[0,0]},{'name':'o','body':'ground','on':[0,0]}]," rest "}"

/// Keys that can do nothing, by the words `needs` and `excludes` of their tables.
CLAIM(keys_without_effect)
{
    static const refusal list[] = {
        {SCENE_2(PIN(",@'restitution':0.5")), "/joints/0/restitution",
         "\"restitution\" has no effect without \"limits\""},
        {SCENE_2(PIN(",@'limit_stiffness':5")), "/joints/0/limit_stiffness",
         "\"limit_stiffness\" has no effect without \"limits\""},
        {SCENE_2(PIN(",'limits':[0,1],@'limit_damping':5")), "/joints/0/limit_damping",
         "\"limit_damping\" has no effect without \"limit_stiffness\""},
        {SCENE_2(PIN(",'limits':[0,1],@'restitution':0.5,'limit_stiffness':1")),
         "/joints/0/restitution", "\"restitution\" has no effect beside \"limit_stiffness\""},
        {SCENE_2(PIN(",'friction':{'sliding':1,@'stribeck':0.1}")), "/joints/0/friction/stribeck",
         "\"stribeck\" has no effect without \"sticking\""},
        {SCENE_2(PIN(",'friction':@{'viscous':1,'regularized':0.1}")), "/joints/0/friction",
         "\"regularized\" has no effect without \"sliding\" or \"stribeck\""},
        {SCENE_2(PIN(",'friction':@{'sliding':1,'sticking':2,'regularized':0.1}")),
         "/joints/0/friction",
         "\"sticking\" has no effect beside \"regularized\", which never sticks, without "
         "\"stribeck\""},
        {SCENE_2(PIN(",'friction':{'sliding':1,@'radius':0.1}")), "/joints/0/friction/radius",
         "\"radius\" has no effect without \"coefficient\""},
        {TWO_MARKERS(STOP("'gap':'tip.y',@'on':'o'")), "/stops/0/on",
         "\"on\" has no effect without \"marker\""},
        {TWO_MARKERS(STOP("'gap':'tip.y',@'normal':[0,1]")), "/stops/0/normal",
         "\"normal\" has no effect without \"marker\""},
        {TWO_MARKERS(STOP("'gap':'tip.y',@'distance':1")), "/stops/0/distance",
         "\"distance\" has no effect without \"marker\""},
        {TWO_MARKERS(STOP(ON_MARKER ",@'damping':1")), "/stops/0/damping",
         "\"damping\" has no effect without \"stiffness\""},
        {TWO_MARKERS(STOP(ON_MARKER ",@'exponent':1.5")), "/stops/0/exponent",
         "\"exponent\" has no effect without \"stiffness\""},
        {TWO_MARKERS(STOP(ON_MARKER ",'stiffness':1,@'restitution':0.5")), "/stops/0/restitution",
         "\"restitution\" has no effect beside \"stiffness\""},
        {SCENE_2(ON_PIN("'type':'servo','joint':'h','target':0,'kp':1,@'target_rate':1")),
         "/forces/0/target_rate", "\"target_rate\" has no effect without \"kd\""},
        {SCENE_2(ON_PIN("'type':'joint_spring_damper','joint':'h','damping':1,@'rest':1")),
         "/forces/0/rest", "\"rest\" has no effect without \"stiffness\""},
        {TWO_MARKERS("'forces':[{'name':'f','type':'spring_damper','markers':['tip','o'],"
                     "'damping':1,@'rest_length':1}]"),
         "/forces/0/rest_length", "\"rest_length\" has no effect without \"stiffness\""},
        {SCENE_2("'tables':{'u':{'points':[[0,0],[1,1]],@'x':'a'}}"), "/tables/u/x",
         "\"x\" has no effect without \"file\""},
        {SCENE_2(PIN(",'motor':'t'") ",'forces':[{'name':'f','type':'servo','joint':@'h',"
                                     "'target':0,'kp':1}]"),
         "/forces/0/joint", "a servo has no effect on \"h\": its \"motor\" says how it moves"},
        {"{'dimension':2,'bodies':[{'name':'a','mass':1,'inertia':1}],'markers':[{'name':'p',"
         "'body':'a','on':[0,0]},{'name':'q','body':'a','on':[1,0]}],'stops':[@{'name':'s',"
         "'marker':'p','on':'q','normal':[0,1]}]}",
         "/stops/0", "stop \"s\" holds nothing: both of its markers are on one body"},
        {SCENE_2(PIN(",'limits':@[null,null]")), "/joints/0/limits",
         "limits without a limit: give [lo, null], [null, hi] or [lo, hi]"},
        {SCENE_2("@'impact':'poisson'," PIN(",'limits':[0,1]")), "/impact",
         "\"impact\" has no effect: no limit, stop or contact has \"restitution\""},
        {"{'dimension':2,'parameters':{'u':{'value':1,'input':false,@'smooth':1}},"
         "'bodies':[{'name':'a','mass':1,'inertia':1}]}",
         "/parameters/u/smooth", "\"smooth\" has no effect without \"input\": true"},
        {SCENE_2(PIN("") ",'events':[{'name':'e','when':'h.angle > 1','set':@{}}]"),
         "/events/0/set", "\"set\" sets nothing: name an input and its value"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

#define POINTS(rest)                                                                               \
    "{'dimension':2,'bodies':[{'name':'a','mass':1,'inertia':1}],'markers':["                      \
    "{'name':'p','body':'a','on':[0,0]},{'name':'q','body':'a','on':[1,0]},"                       \
    "{'name':'o','body':'ground','on':[0,0]},{'name':'w','body':'ground','on':[1,0]}],"            \
    "'forces':[" rest "]}"

/// Forces that act on nothing, or that nothing says how much they exert.
CLAIM(forces_without_effect)
{
    static const refusal list[] = {
        {POINTS("@{'name':'f','type':'spring_damper','markers':['p','o']}"), "/forces/0",
         "missing key \"stiffness\" or \"damping\": without any it does nothing"},
        {SCENE_2(PIN("") ",'forces':[@{'name':'f','type':'joint_spring_damper','joint':'h'}]"),
         "/forces/0",
         "missing key \"stiffness\" or \"damping\" or \"preload\": without any it does nothing"},
        {POINTS("@{'name':'f','type':'bushing','markers':['p','o']}"), "/forces/0",
         "missing key \"stiffness\" or \"damping\" or \"turning_stiffness\" or "
         "\"turning_damping\": without any it does nothing"},
        {POINTS("{'name':'f','type':'spring_damper','damping':1,'markers':@['p','q']}"),
         "/forces/0/markers", "spring_damper \"f\" moves nothing: it acts on \"a\" alone"},
        {POINTS("{'name':'f','type':'spring_damper','damping':1,'markers':@['w','o']}"),
         "/forces/0/markers", "spring_damper \"f\" moves nothing: it acts on \"ground\" alone"},
        {POINTS("{'name':'f','type':'tendon','stiffness':1,'rest_length':0,'markers':@['p','q']}"),
         "/forces/0/markers", "tendon \"f\" moves nothing: it acts on \"a\" alone"},
        {SCENE_2(ON_PIN("'type':'bushing','damping':[1,1],'joint':@'h'")), "/forces/0/joint",
         "bushing \"f\" moves nothing: joint \"h\" holds all of it"},
        {POINTS("{'name':'f','type':'bushing','damping':[1,1],'markers':@['p','q']}"),
         "/forces/0/markers", "bushing \"f\" moves nothing: it acts on \"a\" alone"},
        {POINTS("{'name':'f','type':'force','marker':@'o','value':[1,0]}"), "/forces/0/marker",
         "force \"f\" moves nothing: it acts on \"ground\" alone"},
        {POINTS("{'name':'f','type':'force','marker':@'o','value':[1,0],'reaction':'w'}"),
         "/forces/0/marker", "force \"f\" moves nothing: it acts on \"ground\" alone"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

CLAIM(words_of_other_programs)
{
    static const refusal list[] = {
        {"{'dimension':2,'bodies':[{'name':'a','mass':1,'inertia':1,@'mesh':'x.stl'}]}",
         "/bodies/0/mesh",
         "unknown key \"mesh\"; Trammel has none; instead: \"shapes\" of the body to show it; a "
         "box, a cylinder or a ball to touch"},
        {"{'dimension':2,'bodies':[{'name':'a','mass':1,'inertia':1,@'color':'red'}]}",
         "/bodies/0/color",
         "unknown key \"color\"; Trammel has none; instead: \"rgba\" of the body's \"shapes\""},
        {SCENE_2(ON_PIN("'type':'joint_spring_damper','joint':'h',@'damping_ratio':1")),
         "/forces/0/damping_ratio",
         "unknown key \"damping_ratio\"; Trammel has none; instead: \"damping\" = "
         "2*zeta*sqrt(k*m)"},
        {FORCE_2("'type':@'rope'"), "/forces/0/type",
         "unknown force type \"rope\"; Trammel has none; instead: a \"tendon\": it pulls only, "
         "\"stiffness\" or \"inextensible\""},
        {SCENE_2(ON_PIN("'type':'joint_force','joint':'h','value':'@noise(t)'")), "/forces/0/value",
         "unknown function \"noise\"; Trammel has none; instead: an input that a program sets, or "
         "a table"},
        {SCENE_2(ON_PIN("'type':'joint_force','joint':'h','value':'@delay(h.angle, 0.1)'")),
         "/forces/0/value",
         "unknown function \"delay\"; Trammel has none; instead: \"events\" with \"every\" and "
         "\"set\", which keep what they read"},
        {SCENE_2(ON_PIN("'type':'joint_force','joint':'h','value':'2*@noise'")), "/forces/0/value",
         "no parameter \"noise\"; Trammel has none; instead: an input that a program sets, or a "
         "table"},
        {"{'dimension':2,'bodies':[{'name':'a','mass':1,'inertia':1,@'is_static':true}]}",
         "/bodies/0/is_static",
         "unknown key \"is_static\"; Trammel has none; instead: \"ground\" in its place, or a "
         "\"weld\" to it"},
        // known here by another name: that is said
        {SCENE_2("'joints':[{'name':'h','type':@'hinge','bodies':['ground','a'],'at':[0,0]}]"),
         "/joints/0/type", "unknown joint type \"hinge\"; did you mean \"revolute\"?"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

/// The type of another kind of element: where it belongs.
CLAIM(types_of_something_else)
{
    static const refusal list[] = {
        {SCENE_2("'joints':[{'name':'h','type':@'belt','bodies':['ground','a'],'at':[0,0]}]"),
         "/joints/0/type",
         "unknown joint type \"belt\"; it is the type of a constraint: an entry of "
         "\"constraints\""},
        {SCENE_2("'joints':[{'name':'h','type':@'gear','bodies':['ground','a'],'at':[0,0]}]"),
         "/joints/0/type",
         "unknown joint type \"gear\"; it is the type of a constraint: an entry of "
         "\"constraints\""},
        {FORCE_2("'type':@'revolute'"), "/forces/0/type",
         "unknown force type \"revolute\"; it is the type of a joint: an entry of \"joints\""},
        {SCENE_2("'constraints':[{'name':'c','type':@'servo'}]"), "/constraints/0/type",
         "unknown constraint type \"servo\"; it is the type of a force: an entry of \"forces\""},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}
