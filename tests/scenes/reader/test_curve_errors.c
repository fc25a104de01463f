// Every error of a curve: its place and its exact sentence. See refusal.h.

#include "tests/claim.h"
#include "tests/scenes/reader/refusal.h"

#define WIRE                                                                                       \
    "{'dimension':2,'parameters':{'r':2},'bodies':[{'name':'a','mass':1,'inertia':1},"             \
    "{'name':'p','mass':1,'shape':{'type':'point'}}],"                                             \
    "'markers':[{'name':'b','body':'a','on':[0,0]},{'name':'c','body':'a','on':[0,1]},"            \
    "{'name':'o','body':'ground','at':[0,0]},{'name':'dot','body':'p','on':[0,0]}],\n"             \
    "'constraints':[{'name':'k','type':'curve',"

#define ROUND "'formulas':['r*cos(s)','r*sin(s)'],'range':[0,'2*pi']"

CLAIM(curves)
{
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
        {"{'dimension':2,'bodies':[{'name':'a','mass':1,'inertia':1}],'markers':[{'name':'b','body'"
         ":"
         "'a','on':[0,0]},{'name':'o','body':'ground','at':[0,0]}],'constraints':[@{'name':'k','"
         "type':"
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
        {WIRE "'markers':['b','o']," ROUND "}],'forces':[{'name':'f','type':'force','marker':'dot',"
              "'value':['@k.angle',0]}]}",
         "/forces/0/value/0", "a curve has parameter, not \"angle\""},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}
