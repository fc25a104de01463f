/// Errors of joints, motors, constraints and relations between joints.
#include "tests/claim.h"
#include "tests/scenes/reader/refusal.h"

#include <string.h>

CLAIM(joints)
{
    static const refusal list[] = {
        {SCENE_2("'joints':@{}"), "/joints", "expected an array, got an object"},
        {SCENE_2("'joints':[@[]]"), "/joints/0", "expected an object, got an array"},
        {SCENE_2("'joints':[@{'name':'j'}]"), "/joints/0",
         "missing key \"type\"; types: trammel elements"},
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
         "expected the name of a body, got a number"},
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
        {JOINT_2("'type':'revolute',@'body':['a','b'],'at':[0,0]"), "/joints/0/body",
         "unknown key \"body\"; known: name, type, bodies, at, on, cut, limits, restitution, "
         "limit_stiffness, limit_damping, friction, switch, breaks_at, repeat, motion, motor, "
         "armature"},
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
         "/joints/0/axis2", "axis2 must be perpendicular to axis, but they enclose 0.785398 rad"},
        {JOINT_2("'type':'weld','bodies':['a','b'],'at':[0,0],@'motor':'t'"), "/joints/0/motor",
         "unknown key \"motor\"; known: name, type, bodies, at, on, cut, limits, restitution, "
         "limit_stiffness, limit_damping, friction, switch, breaks_at, repeat"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

CLAIM(rods_and_point_masses)
{
    static const refusal list[] = {
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

CLAIM(motors)
{
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

CLAIM(constraints)
{
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
    "{'name':'F','type':'revolute','bodies':['ground','p'],'at':[0,0]},"                           \
    "{'name':'G','type':'revolute','bodies':['a','ground'],'at':[0,0]}],"                          \
    "'markers':[{'name':'m','body':'c','on':[0,0]}],\n"                                            \
    "'constraints':[{'name':'k',"

CLAIM(relations)
{
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
        {WHEELS "'type':'coupling','joints':['A','C'],'coefficients':[1,1],'friction':1,"
                "'constant':@1}]}",
         "/constraints/0/constant",
         "\"constant\" has no effect beside \"friction\" without \"backlash\""},
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
        {WHEELS "'type':'belt','joints':['A','B'],'radii':@[0.4,0.1]}]}", "/constraints/0/radii",
         "an open belt over these pulleys needs axes more than 0.3 m apart, those of \"A\" and "
         "\"B\" are 0.3 m apart"},
        {WHEELS "'type':'belt','joints':['A','B'],'radii':@[0.4]}]}", "/constraints/0/radii",
         "expected the radii of 2 pulleys, got 1"},
        {WHEELS "'type':'belt','joints':@['B','E'],'radii':[0.1,0.1]}]}", "/constraints/0/joints",
         "\"B\" and \"E\" share no body; both joints must be on the carrier, or a coupling relate "
         "them"},
        {WHEELS "'type':'gear','joints':@['A','G'],'radii':[0.1,0.2]}]}", "/constraints/0/joints",
         "\"A\" and \"G\" join the same two bodies"},
        {WHEELS "'type':'coupling','joints':@['A','B','C'],'polynomial':[0,1]}]}",
         "/constraints/0/joints", "a polynomial relates 2 joints, got 3"},
        {WHEELS "'type':'cam','marker':@'m','profile':'A.angle'}]}", "/constraints/0/marker",
         "the displacement of a marker needs a \"direction\""},
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

CLAIM(constraints_on_velocities)
{
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
                 "'axis':@[0,0,-2]}]}",
         "/constraints/0/axis", "a disc that lies flat touches in no one point"},
        {ROLLERS "'type':'rolling','markers':['hub','floor'],'normal':[0,0,1],'radius':1,"
                 "'shape':@'ellipsoid'}]}",
         "/constraints/0/shape", "an ellipsoid needs its three \"semi_axes\""},
        {ROLLERS "'type':'rolling','markers':@['floor','wall'],'normal':[0,0,1],'radius':1,"
                 "'axis':[1,0,0]}]}",
         "/constraints/0/markers", "\"floor\" is on the ground, which does not roll"},
        {ROLLERS "'type':'rolling','markers':['hub','floor'],'normal':[0,0,1],'semi_axes':[1,1,1],"
                 "'shape':@'ball'}]}",
         "/constraints/0/shape", "a disc or ball needs its \"radius\""},
        {ROLLERS "'type':'rolling_pair','markers':@['floor','hub'],'radii':[1,1]}]}",
         "/constraints/0/markers", "\"floor\" is on the ground, which does not roll"},
        {ROLLERS "'type':'rolling_pair','markers':@['hub','dot'],'radii':[1,1]}]}",
         "/constraints/0/markers", "\"dot\" is on a point mass, which does not roll"},
        {ROLLERS "'type':'rolling_pair','markers':@['hub','top'],'radii':[1,1]}]}",
         "/constraints/0/markers", "\"hub\" and \"top\" are on the same body"},
        {ROLLERS "'type':'rolling_pair','markers':@['hub','floor'],'radii':[1,1]}]}",
         "/constraints/0/markers",
         "\"hub\" and \"floor\" are at one place: where they touch is unknown"},
        {ROLLERS "'type':'rolling_pair','markers':['hub','wall'],'radii':@[1,-1]}]}",
         "/constraints/0/radii", "the first of 1 m does not fit into 1 m"},
        {ROLLERS "'type':'rolling_pair','markers':['hub','wall'],'radii':@[0,1]}]}",
         "/constraints/0/radii",
         "expected two radii, the first > 0, the second < 0 where the first rolls inside"},
        {ROLLERS "'type':'rolling_pair','markers':['hub','wall'],'radii':@[1,0]}]}",
         "/constraints/0/radii",
         "expected two radii, the first > 0, the second < 0 where the first rolls inside"},
        {ROLLERS "'type':'rolling_pair','markers':['hub','wall'],'radii':@[1]}]}",
         "/constraints/0/radii",
         "expected two radii, the first > 0, the second < 0 where the first rolls inside"},
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

#define HINGES                                                                                     \
    "{'dimension':3,'bodies':[{'name':'a','mass':1,'inertia':[1,1,1]},"                            \
    "{'name':'b','mass':1,'inertia':[1,1,1]}],'joints':["                                          \
    "{'name':'A','type':'revolute','bodies':['ground','a'],'at':[0,0,1],'axis':[0,0,1]},"          \
    "{'name':'B','type':'revolute','bodies':['ground','b'],'at':[1,0,0],'axis':[1,0,0]},"          \
    "{'name':'C','type':'revolute','bodies':['ground','b'],'at':[1,1,0],'axis':[1,0,0]},"          \
    "{'name':'D','type':'revolute','bodies':['ground','b'],'at':[0,0,0],'axis':[1,0,0]},"          \
    "{'name':'E','type':'revolute','bodies':['ground','b'],'at':[0.3,0,0],'axis':[0,2.1e-3,-1]},"  \
    "{'name':'F','type':'revolute','bodies':['ground','b'],'at':[1,0,0],'axis':[0,0,1]}],\n"       \
    "'constraints':[{'name':'k',"

CLAIM(wheels_in_space)
{
    static const refusal list[] = {
        {HINGES "'type':'gear','joints':@['A','B'],'radii':[0.5,0.5]}]}", "/constraints/0/joints",
         "the axes of \"A\" and \"B\" must be parallel, but they enclose 1.5708 rad"},
        {HINGES "'type':'belt','joints':@['A','E'],'radii':[0.1,0.1]}]}", "/constraints/0/joints",
         "the axes of \"A\" and \"E\" must be parallel, but they enclose 3.13949 rad"},
        {HINGES "'type':'gear','joints':@['A','C'],'radii':[1,1],'mesh':'bevel'}]}",
         "/constraints/0/joints", "the axes of bevel gears meet, those of \"A\" and \"C\" do not"},
        {HINGES "'type':'gear','joints':@['A','F'],'radii':[1,1],'mesh':'bevel'}]}",
         "/constraints/0/joints", "the axes of bevel gears meet, those of \"A\" and \"F\" do not"},
        {HINGES "'type':'gear','joints':@['A','D'],'radii':[1,1],'mesh':'bevel'}]}",
         "/constraints/0/joints",
         "\"D\" stands where the axes meet; its point must be at the gear, or the ratio be given"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}
