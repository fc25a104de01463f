/// Elements of the format that joints between random bodies seldom fit: transmissions, curves,
/// rolling, contacts, limits, friction, drives, tables, definitions, inputs, events, repetition,
/// shapes and poses. Each machine stands for itself, is closed at the start and has bodies of its
/// own.
///
/// A part is the text of a scene with ' for ", # for the machine's number, | for a third
/// component of zero in space, @ for the axis of a hinge in space, $ for a number of [0.1, 2].
#pragma once

#include "tests/fuzz/target.h"

typedef enum section {
    PARAMETERS,
    TABLES,
    DEFINITIONS,
    BODIES,
    MARKERS,
    JOINTS,
    CONSTRAINTS,
    FORCES,
    STOPS,
    EVENTS,
    SECTIONS
} section;

/// dimension: 2 or 3, 0 for both.
typedef struct machine {
    int dimension;
    const char *part[SECTIONS];
} machine;

#define BALL(name, place, more)                                                                    \
    ",{'name':'" name "#','mass':$,'shape':{'type':'sphere','radius':0.3},'position':[" place      \
    "|]" more "}"
#define MARK(name, body, place) ",{'name':'" name "#','body':'" body "','at':[" place "|]}"
#define HINGE(name, body, place, more)                                                             \
    ",{'name':'" name "#','type':'revolute','bodies':['ground','" body "#'],'at':[" place          \
    "|]@" more "}"
#define SLIDER(name, body, place, more)                                                            \
    ",{'name':'" name "#','type':'prismatic','bodies':['ground','" body "#'],'at':[" place         \
    "|],'axis':[1,0|]" more "}"
#define RELATION(type, more) ",{'name':'k#','type':'" type "','joints':['A#','B#']," more "}"

#define TWO_BALLS [BODIES] = BALL("x", "0,0", ",'velocity':[0,0|]") BALL("y", "1.5,0", "")
#define TWO_HINGES TWO_BALLS, [JOINTS] = HINGE("A", "x", "0,0", "") HINGE("B", "y", "1.5,0", "")
#define HINGE_AND_SLIDER                                                                           \
    TWO_BALLS, [JOINTS] = HINGE("A", "x", "0,0", "") SLIDER("B", "y", "1.5,0", "")
#define FREE_BALL(place, more)                                                                     \
    [BODIES] = BALL("y", place, more), [MARKERS] = MARK("m", "y#", place) MARK("o", "ground", "0,0")
#define HUB ",{'name':'k#','markers':['m#','o#'],"

static const machine machines[] = {
    {0, {TWO_HINGES, [CONSTRAINTS] = RELATION("coupling", "'coefficients':[1,$]")}},
    {0, {TWO_HINGES, [CONSTRAINTS] = RELATION("coupling", "'polynomial':[0,$,0.1]")}},
    {0, {TWO_HINGES, [CONSTRAINTS] = RELATION("gear", "'radii':[0.5,1]")}},
    {0, {TWO_HINGES, [CONSTRAINTS] = RELATION("gear", "'radii':[2.5,1],'mesh':'internal'")}},
    {0, {TWO_HINGES, [CONSTRAINTS] = RELATION("gear", "'ratio':$")}},
    {3,
     {[BODIES] = BALL("x", "0,0", "") BALL("y", "0,0", ""),
      [JOINTS] =
          ",{'name':'A#','type':'revolute','bodies':['ground','x#'],'at':[0,0,1],'axis':[0,0,1]}"
          ",{'name':'B#','type':'revolute','bodies':['ground','y#'],'at':[1,0,0],'axis':[1,0,0]}",
      [CONSTRAINTS] = RELATION("gear", "'radii':[1,1],'mesh':'bevel'")}},
    {0, {HINGE_AND_SLIDER, [CONSTRAINTS] = RELATION("rack_and_pinion", "'radius':$")}},
    {0, {HINGE_AND_SLIDER, [CONSTRAINTS] = RELATION("screw", "'lead':$")}},
    {0,
     {HINGE_AND_SLIDER, [CONSTRAINTS] = RELATION("screw", "'lead':$,'friction':0.1,'radius':0.1")}},
    {0, {TWO_HINGES, [CONSTRAINTS] = RELATION("belt", "'radii':[0.3,$]")}},
    {0, {TWO_HINGES, [CONSTRAINTS] = RELATION("belt", "'radii':[0.3,0.4],'crossed':true")}},
    {0,
     {HINGE_AND_SLIDER,
      [TABLES] = ",'lift#':{'points':[[0,0],[2,$],[4,0.3],[6,0]],'interpolation':'cubic',"
                 "'outside':'periodic'}",
      [CONSTRAINTS] =
          ",{'name':'k#','type':'cam','follower':'B#','profile':'table(lift#, A#.angle)'}"}},
    {0,
     {HINGE_AND_SLIDER, [MARKERS] = MARK("m", "y#", "1.5,0"),
      [CONSTRAINTS] = ",{'name':'k#','type':'cam','marker':'m#','direction':[1,0|],"
                      "'profile':'1.5 + $*sin(A#.angle)'}"}},
    {2,
     {FREE_BALL("1,0", ""), [CONSTRAINTS] = HUB "'type':'curve','formulas':['cos(s)','sin(s)'],"
                                                "'range':['-pi','pi'],'closed':true}"}},
    {3,
     {FREE_BALL("1,0", ""),
      [CONSTRAINTS] = HUB "'type':'curve','formulas':['cos(p)','sin(p)','$*p'],'parameter':'p',"
                          "'range':[-1,0.1]}",
      [STOPS] = ",{'name':'s#','gap':'k#.parameter + 0.02','restitution':0.5}"}},
    {0,
     {FREE_BALL("1,0", ""),
      [CONSTRAINTS] =
          HUB "'type':'curve','points':[[1,0|],[0,1|],[-1,0|],[0,-1|]],'closed':true}"}},
    {0,
     {FREE_BALL("1,0", ""), [CONSTRAINTS] =
                                ",{'name':'k#','type':'velocity','expression':'m#.vy - $*m#.vx'}"}},
    {0,
     {FREE_BALL("1,0", ",'velocity':[$,0|]"),
      [CONSTRAINTS] = ",{'name':'k#','type':'knife_edge','marker':'m#','normal':[0,1|]}"}},
    {2,
     {FREE_BALL("0,0.3", ""), [CONSTRAINTS] = HUB "'type':'rolling','normal':[0,1],'radius':0.3}"}},
    {3,
     {FREE_BALL("0,0.3", ""), [CONSTRAINTS] = HUB
                              "'type':'rolling','normal':[0,1,0],'radius':0.3,'axis':[1,0,0.2]}"}},
    {3,
     {FREE_BALL("0,0.3", ""), [CONSTRAINTS] = HUB
                              "'type':'rolling','shape':'ball','normal':[0,1,0],'radius':0.3}"}},
    {3,
     {FREE_BALL("0,0.3", ""),
      [CONSTRAINTS] =
          HUB "'type':'rolling','shape':'ellipsoid','normal':[0,1,0],'semi_axes':[0.5,0.3,$]}"}},
    {0,
     {[BODIES] = BALL("x", "0,0", "") BALL("y", "0.6,0.8", ""),
      [JOINTS] = HINGE("A", "x", "0,0", ""),
      [MARKERS] = MARK("o", "x#", "0,0") MARK("m", "y#", "0.6,0.8"),
      [CONSTRAINTS] =
          ",{'name':'k#','type':'rolling_pair','markers':['m#','o#'],'radii':[0.4,0.6]}"}},
    {0,
     {FREE_BALL("0.2,0.001", ",'velocity':[$,-1|]"),
      [STOPS] = ",{'name':'s#','marker':'m#','on':'o#','normal':[0,1|],'restitution':0.5,"
                "'friction':$}"}},
    {0,
     {[BODIES] = BALL("y", "0,0.3", ",'velocity':[$,0|]"),
      [MARKERS] = MARK("o", "ground", "0,0") MARK("m", "y#", "0.3,0") MARK("n", "y#", "-0.4,0"),
      [STOPS] = ",{'name':'s#','marker':'m#','on':'o#','normal':[0,1|],'friction':0.3}"
                ",{'name':'r#','marker':'n#','on':'o#','normal':[0,1|],'friction':$}"}},
    {3,
     {[BODIES] = BALL("y", "0,0.3", ",'velocity':[$,0,0.1],'rate':[0,1,0]"),
      [MARKERS] = MARK("o", "ground", "0,0") ",{'name':'m#','body':'y#','at':[0.3,0,0.3]}"
                                             ",{'name':'n#','body':'y#','at':[-0.4,0,0.2]}"
                                             ",{'name':'p#','body':'y#','at':[0,0,-0.3]}",
      [STOPS] = ",{'name':'s#','marker':'m#','on':'o#','normal':[0,1,0],'friction':0.3}"
                ",{'name':'r#','marker':'n#','on':'o#','normal':[0,1,0],'friction':$}"
                ",{'name':'q#','marker':'p#','on':'o#','normal':[0,1,0],'friction':0.2}"}},
    {0,
     {FREE_BALL("0,1", ""), [STOPS] = ",{'name':'s#','marker':'m#','on':'o#','distance':1}"
                                      ",{'name':'r#','gap':'m#.x + 0.001*$'}"}},
    {0,
     {FREE_BALL("0,0", ",'velocity':[0,-1|]"),
      [STOPS] = ",{'name':'s#','marker':'m#','on':'o#','normal':[0,1|],'stiffness':1000,"
                "'damping':$,'exponent':1.5}"}},
    {0,
     {TWO_BALLS,
      [JOINTS] = HINGE("A", "x", "0,0",
                       ",'limits':[-0.001,null],'restitution':0.5,'armature':$,'friction':"
                       "{'sliding':0.1,'sticking':0.2,'stribeck':0.1,'viscous':$}")
          SLIDER("B", "y", "1.5,0",
                 ",'limits':[-1,0.01],'limit_stiffness':100,'limit_damping':$,'armature':$,"
                 "'friction':{'coefficient':$}"),
      [FORCES] = ",{'name':'f#','type':'joint_force','joint':'A#','value':'-$'}"}},
    {0,
     {TWO_BALLS,
      [JOINTS] = HINGE("A", "x", "0.1,0", ",'friction':{'coefficient':$,'radius':0.1}")
          SLIDER("B", "y", "1.5,0", ",'friction':{'sliding':$,'regularized':0.01}"),
      [FORCES] = ",{'name':'f#','type':'servo','joint':'A#','target':'$','kp':10,'kd':$,"
                 "'target_rate':0,'feedforward':0.1,'limit':1}"
                 ",{'name':'g#','type':'joint_spring_damper','joint':'B#','stiffness':$,"
                 "'damping':$,'rest':0.1,'preload':1}"}},
    {0,
     {TWO_HINGES,
      [MARKERS] = MARK("m", "x#", "0.5,0") MARK("n", "y#", "1,0.5") MARK("o", "ground", "0,1"),
      [FORCES] = ",{'name':'f#','type':'tendon','markers':['o#','m#','n#'],'stiffness':100,"
                 "'damping':$,'rest_length':$}"
                 ",{'name':'g#','type':'force','marker':'m#','reaction':'n#','axes':'body',"
                 "'value':['f#.length','f#.rate'|]}",
      [EVENTS] = ",{'name':'e#','when':'f#.length > $'}"}},
    {2,
     {FREE_BALL("0,0", ""), [FORCES] = ",{'name':'f#','type':'bushing','markers':['o#','m#'],"
                                       "'stiffness':[10,$],'damping':[$,1],'turning_stiffness':$,"
                                       "'turning_damping':0.1},{'name':'g#','type':'torque',"
                                       "'body':'y#','value':'$*sin(y#.angle) - y#.rate'}"}},
    {3,
     {FREE_BALL("0,0", ""),
      [FORCES] = ",{'name':'f#','type':'bushing','markers':['o#','m#'],'stiffness':[10,$,1],"
                 "'damping':[$,1,1],'turning_stiffness':[$,1,1],'turning_damping':[0.1,1,$]},"
                 "{'name':'g#','type':'torque','body':'y#','axes':'body',"
                 "'value':['y#.wx','y#.R02','y#.roll + y#.pitch - y#.yaw']}"}},
    {0,
     {FREE_BALL("0,1", ",'velocity':[$,0|]"),
      [FORCES] = ",{'name':'f#','type':'point_gravity','marker':'o#','mu':$}"}},
    {0, {FREE_BALL("1,0", ""), [CONSTRAINTS] = ",{'name':'k#','expression':'m#.x - 1 - $*t^2'}"}},
    {0,
     {TWO_BALLS, [MARKERS] = MARK("m", "y#", "1.5,0"),
      [PARAMETERS] = ",'u#':{'value':0,'input':true},'w#':{'value':0,'input':true,'smooth':$}",
      [DEFINITIONS] = ",'d#':['m#.x - 1.5','u#'|],'h#':'hypot(d#.x, d#.y)'",
      [JOINTS] = HINGE("A", "x", "0,0", ",'motor':'w#'") HINGE("B", "y", "1.2,0", ""),
      [FORCES] = ",{'name':'f#','type':'joint_force','joint':'B#','value':'if(h# > $, 1, -u#)'}",
      [EVENTS] = ",{'name':'e#','when':'t > 0.002*$','set':{'u#':$,'w#':0.1}}"
                 ",{'name':'i#','when':'h# > 0.5','stop':true}"}},
    {0,
     {[BODIES] =
          ",{'repeat':{'i':[1,4]},'name':'c#_{i}','mass':'$*i','ends':[['i - 1',3|],['i',3|]],"
          "'shape':{'type':'rod','radius':0.05}}",
      [JOINTS] = ",{'name':'A#','type':'revolute','bodies':['ground','c#_1'],'at':[0,3|]@}"
                 ",{'repeat':{'i':[2,4]},'name':'A#_{i}','type':'revolute','bodies':"
                 "['c#_{i - 1}','c#_{i}'],'at':['i - 1',3|]@}",
      [FORCES] = ",{'repeat':{'i':[2,4]},'name':'f#_{i}','type':'joint_force','joint':'A#_{i}',"
                 "'value':'-$*A#_{i}.rate'}"}},
    {2,
     {[BODIES] = ",{'name':'x#','mass':$,'shape':{'type':'point'},'position':[0,1]},{'name':'y#',"
                 "'density':$,'shape':{'type':'rod','length':1},'angle':'$*deg','rate':$},"
                 "{'name':'z#','density':$,'shape':{'type':'box','size':[1,2]}}",
      [JOINTS] = ",{'name':'A#','type':'rod','bodies':['ground','x#'],'at':[[0,0],[0,1]]}"}},
    {3,
     {[BODIES] =
          ",{'name':'x#','mass':$,'shape':{'type':'point'},'position':[0,1,0]},"
          "{'name':'y#','density':$,'shape':{'type':'cylinder','length':1,'radius':0.2,"
          "'axis':'x'},'rpy':[$,1,2],'rate':[1,$,0]},{'name':'z#','density':$,'shape':{"
          "'type':'rod','length':1,'radius':0.1},'quat_wxyz':[1,$,0,1],'rate_world':[0,0,$]},"
          "{'name':'v#','mass':1,'inertia':[[1,0.1,0],[0.1,1.2,0],[0,0,1.1]],"
          "'axis_angle':{'axis':[1,1,0],'angle':$}},{'name':'w#','mass':1,'inertia':[1,1,1],"
          "'matrix':[[0,-1,0],[1,0,0],[0,0,1]]}",
      [JOINTS] = ",{'name':'A#','type':'rod','bodies':['ground','x#'],'at':[[0,0,0],[0,1,0]]}"
                 ",{'name':'B#','type':'spherical','bodies':['v#','w#'],'on':{'v#':[0,0,0],'w#':[0,"
                 "0,0]}}"}},
};

enum { MACHINES = (int)(sizeof machines / sizeof machines[0]) };
