/// Errors of bodies and markers: poses, masses, inertias, shapes.
#include "tests/claim.h"
#include "tests/scenes/reader/refusal.h"

#include <string.h>

#define BODY_3(keys) "{'dimension':3,'bodies':[{'name':'a'," keys "}]}"

CLAIM(poses)
{
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

CLAIM(masses_and_inertias)
{
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
         "/bodies/0",
         "a rod in 3-D needs a \"radius\" in its \"shape\", or the body an \"inertia\" of its own"},
        {"{'dimension':3,'bodies':[@{'name':'a','mass':1,'ends':[[0,0,0],[1,0,0]]}]}", "/bodies/0",
         "a rod in 3-D needs a \"radius\" in its \"shape\", or the body an \"inertia\" of its own"},
    };
    refuse_all(list, sizeof list, TRM_ERR_SCENE);
}

CLAIM(shapes)
{
    static const refusal list[] = {
        {BODY_2("'mass':1,'shape':@'rod'"), "/bodies/0/shape", "expected an object, got a string"},
        {BODY_2("'mass':1,'shape':@{}"), "/bodies/0/shape",
         "missing key \"type\"; types: trammel elements"},
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

CLAIM(markers)
{
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
