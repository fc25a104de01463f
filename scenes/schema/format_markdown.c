// scene_format.md, from the tables that drive the reader.

#include "base/text/text_buffer.h"
#include "bodies/forces/force.h"
#include "constraints/joint.h"
#include "constraints/transmissions/relation.h"
#include "scenes/reader/reader.h"

#include <string.h>

static const char introduction[] =
    "# Scene files\n"
    "\n"
    "For users who write a scene and look for a key, its unit or its default. To learn by doing, "
    "begin\n"
    "with [the first run](../tutorial/first_run.md).\n"
    "\n"
    "A scene is one JSON object (RFC 8259, UTF-8) that describes a mechanism. Units are SI and\n"
    "radians, axes right-handed, and there is no option for either. Unknown keys, duplicate keys "
    "and\n"
    "names, values that are not finite and values that no mechanism can have are errors; the "
    "message\n"
    "says where. `scenes/scene.schema.json` lets an editor complete and check a scene: name\n"
    "it under `\"$schema\"`.\n"
    "\n"
    "This text and the schema are generated from the tables that the reader works with.\n"
    "\n"
    "## Values\n"
    "\n"
    "| type | what to write |\n"
    "|---|---|\n"
    "| number | a JSON number, or a constant expression in quotes: `\"70*deg\"`, `\"l/2\"` |\n"
    "| vector | an array of as many numbers as the scene has dimensions |\n"
    "| formula | a number, or an expression in quotes that may change with time |\n"
    "| name | letters, digits, `_` and `-`, a letter first, at most 63; not `ground`, `t`, `pi`, "
    "`deg` |\n"
    "\n"
    "Bodies and markers share one set of names, joints, constraints, forces, stops and events "
    "another. "
    "The order "
    "of\n"
    "elements in the file is the order of coordinates and equations in all results. `\"ground\"` "
    "is a\n"
    "body that never moves; its frame is the world.\n"
    "\n"
    "### Expressions\n"
    "\n"
    "`+ - * / ^`, parentheses and numbers; `-a^b` is `-(a^b)`, `a^b^c` is `a^(b^c)`. Constants: "
    "`pi`\n"
    "and `deg` (pi/180). Constant expressions may use the scene's parameters.\n"
    "\n"
    "Conditions: `< <= > >= == !=`, joined by `and`, `or`, `not`. A condition has the value 1 or "
    "0, so that\n"
    "`(t < 1)*5` is a number, and `t < 1 ? 5 : 0` is `if(t < 1, 5, 0)`. What motors and "
    "constraints hold\n"
    "needs two derivatives: formulas with kinks (`abs`, `min`, `max`, `clamp`, linear tables) and "
    "jumps\n"
    "(conditions, `sign`, `floor`, `ceil`, `mod`) are refused there; `step` and cubic tables are "
    "smooth,\n"
    "and so is a formula of t that joins smoothly, such as `x^3*(10 - 15*x + 6*x^2)` with "
    "`x = clamp(t, 0, 1)`.\n"
    "\n"
    "| function | meaning |\n"
    "|---|---|\n";

static const char tables[] =
    "\n## Tables\n\n"
    "Members of `tables`: functions of one variable through given points, `table(name, x)` in any "
    "formula. The\npoints stand in the scene, or in a file beside it whose first line names its "
    "columns:\n\n"
    "```\n"
    "\"tables\": {\n"
    "  \"gas\": {\"points\": [[0, 4e5], [1.5, 1e5], [6.2, 1e5]], \"outside\": \"hold\"},\n"
    "  \"cam\": {\"file\": \"cam.csv\", \"x\": \"angle\", \"y\": \"lift\", "
    "\"interpolation\": \"cubic\", \"outside\": \"periodic\"}\n"
    "}\n"
    "```\n";

static const char definitions[] =
    "\n## Definitions\n\n"
    "Members of `definitions`: names for parts of formulas, of t, coordinates, velocities, inputs "
    "and other\ndefinitions, in any order. A formula computes a definition once, however often it "
    "names it. An array is a\nvector with the components `.x`, `.y` and `.z`. Where velocities "
    "may not stand (constraints), a definition\nwith velocities may not stand either.\n\n"
    "```\n"
    "\"definitions\": {\n"
    "  \"d\": [\"tip.x - post.x\", \"tip.y - post.y\"],\n"
    "  \"gap\": \"hypot(d.x, d.y) - r\",\n"
    "  \"push\": \"if(gap < 0, -k*gap, 0)\"\n"
    "}\n"
    "```\n";

static const char states[] =
    "\n## States\n\n"
    "Members of `states`: first-order equations z' = rate beside the mechanism, each a formula\n"
    "of the rate (it then starts at 0) or an object. PID controllers, lags, currents of motors,\n"
    "pressures, temperatures and the bristles of LuGre friction are states.\n\n"
    "Formulas of forces, conditions, outputs and other rates know a state by its name. A motor,\n"
    "a constraint or the distance of a stop has two derivatives in time, which a state has not:\n"
    "they refuse it. A recording has a column for each state, and a sensor of its name reads it;\n"
    "it is an output in all respects. An event sees its branches, so that limits are exact.\n\n"
    "Every method steps states with the velocities: in `v` they stand after those of the\n"
    "bodies, in units of their `scale`, and no coordinate of `q` belongs to them. They keep no\n"
    "energy, and an impact does not change them.\n\n"
    "```\n"
    "\"states\": {\n"
    "  \"i\": {\"rate\": \"(u - R*i - ke*O.rate)/L\", \"start\": 0, \"scale\": 5, \"unit\": "
    "\"A\"},\n"
    "  \"sum\": \"if(abs(T) < limit, target - O.angle, 0)\"\n"
    "}\n"
    "```\n";

static const char outputs[] =
    "\n## Outputs\n\n"
    "Members of `outputs`: numbers that a run shows, each a formula or an object with `value`\n"
    "and `unit`. A recording has a column for each, `run` prints them at its end, `sweep`\n"
    "keeps them by name. A sensor of that name reads them in C and Python. An output is a\n"
    "definition too: forces, conditions of events and `--until` may name it.\n\n"
    "Beside what formulas know, an output takes every single number that a sensor reads:\n"
    "`O.motor`, `O.force_x`, `servo.effort`, `stop.contact_force`, `tip.ax`, `energy.kinetic`\n"
    "(under Sensors in trammel_simulation.h). Such a number is known once the equations are\n"
    "solved. So a force, a constraint or the rate of a state refuses an output that has one in\n"
    "it. Conditions of events, `--until` and `set` take it, and see jumps at the instant.\n"
    "Branches of an output need no event: it jumps where they change.\n\n"
    "```\n"
    "\"outputs\": {\n"
    "  \"V\": {\"value\": \"bore*(top - piston.x)\", \"unit\": \"m^3\"},\n"
    "  \"P\": {\"value\": \"O.motor*O.rate\", \"unit\": \"W\"},\n"
    "  \"efficiency\": \"max(0, -load.effort*load_axis.rate/P)\"\n"
    "}\n"
    "```\n";

static const char motion[] =
    "\n## Laws of motion\n\n"
    "The entries of `motion` of a joint follow each other from t = 0 and the coordinate 0: moves\n"
    "to a place, and dwells. Behind the last one the joint rests. Every law has two continuous\n"
    "derivatives, which vanish at both ends of the move; the motor's formula is made of them.\n"
    "With D the way and T the time a move needs these peaks:\n\n"
    "| law | speed | acceleration | jerk |\n| --- | --- | --- | --- |\n"
    "| `345` | 1.875 D/T | 5.774 D/T^2 | 60 D/T^3 |\n"
    "| `cycloidal` | 2 D/T | 6.283 D/T^2 | 39.48 D/T^3 |\n"
    "| `modified_sine` | 1.760 D/T | 5.528 D/T^2 | 69.47 D/T^3 |\n\n"
    "A limit below its peak is an error. `trapezoid` needs all three limits: its acceleration\n"
    "rises, stays and falls within them, in the shortest time, or stretched to `in`.\n\n"
    "```\n"
    "\"motion\": [{\"to\": 1, \"in\": 0.4, \"law\": \"345\"}, {\"dwell\": 0.2},\n"
    "           {\"to\": 0, \"law\": \"trapezoid\", \"speed\": 3, \"acceleration\": 20, "
    "\"jerk\": 400}]\n"
    "```\n";

static const char freedoms[] =
    "\n### Freedoms\n\n"
    "A joint with several freedoms has each under its name, as an object with the keys below;\n"
    "without it the freedom moves freely. `J.slide` is a joint by itself: in formulas, with\n"
    "`J.slide.rate`, as `joint` of forces and constraints, in `start`, `lock` and as a sensor.\n"
    "It has a column, and `J.slide.motor` is what drives it. Of joints with one freedom\n"
    "`O.angle` and `S.slide` are the joint. The sides complete `axis` to a right-handed frame,\n"
    "the first along `axis2`. Swing turns the axis of a the short way onto that of b; twist\n"
    "turns b about its axis before. `angle` is that of the axis of b, seen along the first side.\n"
    "It has no value where the axis comes to lie along that side, and a twist none at a swing of\n"
    "pi. A run in which anything acts on it ends there: nearer, in rad, than the root of rtol,\n"
    "1e-4 at the usual accuracy.\n\n"
    "```\n"
    "{\"name\": \"hip\", \"type\": \"spherical\", \"bodies\": [\"hull\", \"leg\"], \"at\": [0, 0, "
    "0],\n"
    " \"axis\": [0, 0, -1], \"axis2\": [1, 0, 0], \"angle\": {\"motor\": \"0.4*sin(t)\"},\n"
    " \"twist\": {\"friction\": 0.5, \"limits\": [-0.3, 0.3]}, \"swing\": {\"limits\": [null, "
    "0.9]}}\n"
    "```\n";

static const char switches[] =
    "\n## Switched joints\n\n"
    "A joint with `switch` is closed and opened during a run, or a lock holds its coordinate: by\n"
    "`lock` and `release` of events, or by a program through the input `NAME.switch`, 1 or 0,\n"
    "which formulas and conditions read. The masses stay. Closing at a rate is an impact without\n"
    "rebound: the reports give the energy lost. A weld closes and a lock holds in any position.\n"
    "Other joints close where their rows are zero to ten times the accuracy; elsewhere the run\n"
    "ends. Impacts of stops see closed switched joints as permanent ones. With `breaks_at` a\n"
    "joint opens if the resultant of its forces in N reaches that value; moments do not count,\n"
    "except that of a lock.\n\n"
    "A closed joint has the columns and sensors of a joint, and each of its rows is a contact,\n"
    "`hook.x`, `O.lock`. `ida` does not take contacts. Linearization, equilibria, inverse\n"
    "dynamics refuse closed ones. A joint that opens has no motor, limit, friction, armature.\n\n"
    "```\n"
    "\"joints\": [{\"name\": \"grip\", \"type\": \"weld\", \"bodies\": [\"hand\", \"load\"], "
    "\"at\": [0, 0],\n"
    "            \"switch\": \"open\"}],\n"
    "\"events\": [{\"name\": \"take\", \"when\": \"tip.x > 1\", \"lock\": \"grip\"},\n"
    "           {\"name\": \"drop\", \"when\": \"t > 3\", \"release\": \"grip\"}]\n"
    "```\n";

static const char repetition[] =
    "\n## Repetition\n\n"
    "A body, marker, joint, constraint or force with the key `repeat` stands for several. "
    "`{\"i\": 8}` counts i from\n0 to 7, `{\"i\": [1, 8]}` from 1 to 8; several indices make a "
    "grid, the last one the fastest; the numbers may\nbe expressions. In the expressions of the "
    "entry the index is a number; in its texts (names, formulas)\n`{...}` is replaced by the value "
    "of that expression. A message about such an element says for which index.\n\n"
    "A chain of n bars, each hinged to the one before:\n\n"
    "```\n"
    "\"bodies\": [{\"repeat\": {\"i\": \"n\"}, \"name\": \"bar{i}\", \"mass\": 1,\n"
    "            \"ends\": [[\"i*a\", 0], [\"(i + 1)*a\", 0]]}],\n"
    "\"joints\": [{\"name\": \"pin0\", \"type\": \"revolute\", \"bodies\": [\"ground\", "
    "\"bar0\"], \"at\": [0, 0]},\n"
    "           {\"repeat\": {\"i\": [1, \"n - 1\"]}, \"name\": \"pin{i}\", \"type\": "
    "\"revolute\",\n"
    "            \"bodies\": [\"bar{i - 1}\", \"bar{i}\"], \"at\": [\"i*a\", 0]}],\n"
    "\"forces\": [{\"repeat\": {\"i\": [1, \"n - 1\"]}, \"name\": \"drag{i}\", \"type\": "
    "\"joint_force\",\n"
    "            \"joint\": \"pin{i}\", \"value\": \"-c*pin{i}.rate\"}]\n"
    "```\n";

static const char example[] =
    "\n"
    "## Example\n"
    "\n"
    "A bar on a hinge, released from 30 degrees, with drag at its tip.\n"
    "\n"
    "```json\n"
    "{\n"
    "  \"$schema\": \"scene.schema.json\",\n"
    "  \"title\": \"Bar on a hinge\",\n"
    "  \"dimension\": 2,\n"
    "  \"parameters\": {\"l\": 0.5, \"start\": \"30*deg\"},\n"
    "  \"gravity\": [0, -9.81],\n"
    "  \"bodies\": [\n"
    "    {\"name\": \"bar\", \"ends\": [[0, 0], [\"l*sin(start)\", \"-l*cos(start)\"]], \"mass\": "
    "2}\n"
    "  ],\n"
    "  \"markers\": [{\"name\": \"tip\", \"body\": \"bar\", \"on\": [\"l/2\", 0]}],\n"
    "  \"joints\": [\n"
    "    {\"name\": \"hinge\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"bar\"], \"at\": "
    "[0, 0]}\n"
    "  ],\n"
    "  \"forces\": [\n"
    "    {\"name\": \"drag\", \"type\": \"force\", \"marker\": \"tip\", \"value\": "
    "[\"-0.1*tip.vx\", "
    "\"-0.1*tip.vy\"]}\n"
    "  ],\n"
    "  \"simulation\": {\"end\": 10, \"every\": 0.02}\n"
    "}\n"
    "```\n";

static const char inputs[] =
    "\n## Inputs\n\n"
    "A parameter whose value is an object, `\"u\": {\"value\": 0, \"input\": true}`, may be set by "
    "a "
    "program while a\nrun goes on (`trm_sim_set_input`): a motor torque, a target, a valve. It "
    "stands "
    "in formulas, not in\nconstants, and keeps its value until it is set again. Forces may use any "
    "input. Motors and\nconstraints are held exactly, and a jump would violate them: theirs must "
    "be "
    "`\"smooth\"`. Such an input goes\nfrom where it is to the new value within that time by a "
    "polynomial of degree 5, with rate and acceleration\ncontinuous; they enter as g_t and gamma. "
    "Set "
    "again on the way, it starts from where it is then, as fast as\nit is. A target that may jump "
    "belongs to a force of type `servo`.\n";

static const char *type_text(const trm_key *key)
{
    switch (key->type) {
    case TRM_KEY_NUMBER:
        return "number";
    case TRM_KEY_VECTOR:
        return "vector";
    case TRM_KEY_VECTOR3:
        return "3 numbers";
    case TRM_KEY_VECTOR4:
        return "4 numbers";
    case TRM_KEY_MATRIX3:
        return "3 rows of 3 numbers";
    case TRM_KEY_BOOLEAN:
        return "true or false";
    case TRM_KEY_TEXT:
        return strcmp(key->name, "name") ? "text" : "name";
    case TRM_KEY_FORMULA:
        return "formula";
    case TRM_KEY_FORMULA_VECTOR:
        return "vector of formulas";
    case TRM_KEY_BODY:
        return "name of a body";
    case TRM_KEY_BODY_PAIR:
        return "names of two bodies";
    case TRM_KEY_MARKER:
        return "name of a marker";
    case TRM_KEY_MARKER_PAIR:
        return "names of two markers";
    case TRM_KEY_JOINT:
        return "name of a joint";
    case TRM_KEY_JOINTS:
        return "names of joints";
    case TRM_KEY_MARKERS:
        return "names of markers";
    case TRM_KEY_NUMBERS:
        return "array of numbers";
    case TRM_KEY_CHOICE:
        return NULL;
    case TRM_KEY_SPECIAL:
        break;
    }
    return "see there";
}

/// What the tables cannot say about the keys that are read by code of their own.
static const char *special_text(const char *name, int dimension)
{
    static const struct {
        const char *name;
        int dimension;
        const char *text;
    } texts[] = {
        {"$schema", 0, "text"},
        {"dimension", 0, "2 or 3"},
        {"parameters", 0, "object"},
        {"simulation", 0, "object"},
        {"axis_angle", 0, "object"},
        {"ends", 0, "two vectors"},
        {"inertia", 2, "number"},
        {"inertia", 3, "3 numbers or 3 rows of 3"},
        {"shape", 0, "object"},
        {"type", 0, "one of the types below"},
        {"at", 0, "vector, or two"},
        {"on", 0, "one vector for each body"},
        {"bodies", 0, "array"},
        {"markers", 0, "array"},
        {"joints", 0, "array"},
        {"constraints", 0, "array"},
        {"stops", 0, "array"},
        {"contacts", 0, "array"},
        {"shapes", 0, "array of shapes"},
        {"height", 0, "number or formula"},
        {"forces", 0, "array"},
        {"tables", 0, "object"},
        {"definitions", 0, "object"},
        {"outputs", 0, "object"},
        {"points", 0, "array of points"},
        {"formulas", 0, "array of formulas"},
        {"range", 0, "[lo, hi]"},
        {"repeat", 0, "object"},
        {"events", 0, "array"},
        {"set", 0, "object"},
        {"format", 0, "1"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (!strcmp(texts[i].name, name) &&
            (texts[i].dimension == 0 || texts[i].dimension == dimension)) {
            return texts[i].text;
        }
    }
    return "see the meaning";
}

static void put_type(trm_text_buffer *out, const trm_key *key)
{
    static const char *const ranges[] = {"", " > 0", " >= 0", ", not zero"};
    if (key->type == TRM_KEY_CHOICE) {
        for (const char *word = key->choices; *word;) {
            const size_t length = strcspn(word, "|");
            trm_putf(out, "%s`\"%.*s\"`", word > key->choices ? ", " : "", (int)length, word);
            word += length + (word[length] == '|');
        }
        return;
    }
    trm_put(out, key->type == TRM_KEY_SPECIAL ? special_text(key->name, key->dimension)
                                              : type_text(key));
    trm_put(out, !key->varies ? "" : key->type == TRM_KEY_NUMBER ? " or formula" : " or formulas");
    trm_put(out, ranges[key->range]);
}

/// " With `a` or `b`."
static void put_others(trm_text_buffer *out, const char *words, const char *keys)
{
    for (const char *key = keys; key && *key;) {
        const size_t length = strcspn(key, "|");
        trm_putf(out, "%s`%.*s`", key == keys ? words : " or ", (int)length, key);
        key += length + (key[length] == '|');
        trm_put(out, *key ? "" : ".");
    }
}

static void put_rows(trm_text_buffer *out, const trm_key *keys)
{
    for (const trm_key *key = keys; key->name; key++) {
        trm_putf(out, "| `%s`", key->name);
        if (key->dimension) {
            trm_putf(out, " (%d-D)", key->dimension);
        }
        trm_put(out, " | ");
        put_type(out, key);
        trm_putf(out, " | %s | %s | %s", key->unit ? key->unit : "",
                 key->required   ? "required"
                 : key->fallback ? key->fallback
                                 : "",
                 key->doc);
        put_others(out, " With ", key->needs);
        put_others(out, " Not beside ", key->excludes);
        trm_put(out, " |\n");
    }
}

static void put_table(trm_text_buffer *out, const trm_key *keys)
{
    trm_put(out, "\n| key | type | unit | default | meaning |\n|---|---|---|---|---|\n");
    put_rows(out, keys);
}

static void put_kind(trm_text_buffer *out, const char *name, int dimension, const char *doc,
                     const trm_key *keys)
{
    trm_putf(out, "\n### `%s`", name);
    if (dimension) {
        trm_putf(out, " (%d-D)", dimension);
    }
    trm_putf(out, "\n\n%s\n", doc);
    if (keys && keys->name) {
        put_table(out, keys);
    }
}

static void put_contacts(trm_text_buffer *out)
{
    trm_put(out, "\n## Contacts\n\n"
                 "Entries of `contacts`: two bodies whose shapes touch. They fall on each other, "
                 "press, slip with\nCoulomb's friction, stick, roll and separate: "
                 "docs/explanation/contact.md. What touches is the shape of\na body; the "
                 "ground is the plane through the origin that lies across gravity.\n\n"
                 "```\n\"contacts\": [{\"name\": \"floor\", \"bodies\": [\"ball\", "
                 "\"ground\"], \"friction\": 0.3}]\n```\n");
    put_table(out, trm_touch_keys);
    trm_put(out,
            "\nA sphere (in 2-D a disc) touches all shapes. A rod (a capsule), and a box by its "
            "corners,\ntouch plane, terrain, bowl, tube and cone. A cylinder and, in 3-D, "
            "a disc touch a plane by their\nrims and faces, an ellipsoid touches a plane. "
            "Beside the shapes of bodies an entry of `shapes` may be\none of those below. "
            "All have:\n");
    put_table(out, trm_touch_shape_keys);
    for (const trm_shape_form *form = trm_touch_forms; form->name; form++) {
        put_kind(out, form->name, form->dimension, form->doc, form->keys);
    }
}

static void put_bodies(trm_text_buffer *out)
{
    trm_put(out,
            "\n## Bodies\n\n"
            "Entries of `bodies`. A body's frame sits in its centre of mass. Its pose is given by "
            "`position` and one\nof the forms of orientation, or by `ends`; without any of them "
            "the frame is the world's.\nAn `inertia` wins over the shape, which is then only "
            "drawn.\n");
    put_table(out, trm_body_keys);
    trm_put(out, "\n## Shapes\n\nA body's `shape`: `{\"type\": \"rod\", \"length\": 1}`.\n");
    for (const trm_shape_form *form = trm_shape_forms; form->name; form++) {
        put_kind(out, form->name, form->dimension, form->doc, form->keys);
    }
    trm_put(out,
            "\n## Shapes for eyes\n\nEntries of `shapes` of a body, and at the top level of the "
            "ground: what pictures show. They weigh\nnothing and touch nothing. All have:\n");
    put_table(out, trm_look_keys);
    for (const trm_shape_form *form = trm_look_forms; form->name; form++) {
        put_kind(out, form->name, form->dimension, form->doc, form->keys);
    }
    trm_put(out, "\n## Markers\n\nEntries of `markers`: named points of bodies, for forces, "
                 "formulas and results. With\n`\"body\": \"ground\"` the point stands still in "
                 "the world, as the fixed end of a spring does.\n");
    put_table(out, trm_marker_keys);
}

/// What is a basic element elsewhere, and stands in several places here.
static const char elements[] =
    "\n### Basic force elements\n"
    "\n"
    "| element | how to write it |\n"
    "|---|---|\n"
    "| spring and damper between two points | `spring_damper` |\n"
    "| torsion spring, its preload | `joint_spring_damper` with `rest` or `preload` |\n"
    "| elastic bearing, six stiffnesses and dampings | `bushing` |\n"
    "| rope over points, which pulls only | `tendon`; `rope.length` and `rope.rate` in formulas |\n"
    "| gravity towards a point | `point_gravity` |\n"
    "| rotor behind a gear | `armature` of the joint |\n"
    "| stop that gives way | `stiffness` and `damping` of a stop |\n"
    "| dry friction | `friction` of the joint or the stop |\n"
    "| play, loss, slip of gears, belts, racks and couplings | `backlash`, `efficiency`, "
    "`friction` |\n"
    "| freewheel, ratchet | `one_way` and `teeth` of a `coupling` |\n"
    "| detents | `joint_force` with `\"-D*sin(12*A.angle)\"` |\n"
    "| controlled drive with a limit | `servo` |\n"
    "| any other law | `force`, `torque`, `joint_force` with formulas |\n";

static void put_links(trm_text_buffer *out)
{
    trm_put(out,
            "\n## Joints\n\n"
            "Entries of `joints`. Axes are directions of the world in the initial pose, of any "
            "length. A `motor`\nprescribes the joint's coordinate as a formula of t: the angle "
            "of b relative to a about the axis,\ncounted from the initial pose, or the "
            "displacement of b's point from a's along the axis: zero in\nthe initial "
            "pose with a single point under `at`, with two points what lies between them.\n\n"
            "With a single point under `at`, the points of both bodies are there, whatever their "
            "shapes or `ends`:\na bar that was drawn to end elsewhere is held at that place of "
            "its frame all the same, and nothing is\nopen; `trammel check` gives a hint. Give two "
            "points, or `on`, for places "
            "that are to be brought together; a start with such a gap needs\n`\"assemble\": "
            "true` or the option `--assemble`, which are the same.\n");
    put_table(out, trm_joint_keys);
    for (int i = 0; trm_joint_kinds[i]; i++) {
        const trm_joint_kind *kind = trm_joint_kinds[i];
        put_kind(out, kind->name, kind->dimension, kind->doc, kind->keys);
    }
    trm_put(out, freedoms);
    put_table(out, trm_freedom_keys);
    trm_put(out, "\n## Constraints\n\nEntries of `constraints`: equations 0 = g between "
                 "coordinates, besides "
                 "those of the joints. Angles count turns.\n");
    put_table(out, trm_constraint_keys);
    for (int i = 0; trm_relation_kinds[i]; i++) {
        const trm_relation_kind *kind = trm_relation_kinds[i];
        put_kind(out, kind->name, kind->dimension, kind->doc, kind->keys);
    }
    trm_put(out, "\nA point on a given curve:\n`{\"name\": \"track\", \"expression\": \"tip.y - "
                 "0.1*sin(tip.x)\"}`. A point driven by position, with t in\nthe expression: "
                 "`{\"name\": \"lift\", \"expression\": \"tip.y - (0.3 + 0.1*sin(2*pi*t))\"}`; a "
                 "body of the plane\ndriven in its angle: `{\"name\": \"crank\", \"expression\": "
                 "\"arm.angle - 3*t\"}`. The velocities at the start must\nfit such a drive; "
                 "`--assemble` makes them fit.\n");
    trm_put(out, "\n## Forces\n\nEntries of `forces`; gravity is a key of the scene.\n");
    put_table(out, trm_force_keys);
    for (int i = 0; trm_force_kinds[i]; i++) {
        const trm_force_kind *kind = trm_force_kinds[i];
        if (kind->keys) {
            put_kind(out, kind->name, kind->dimension, kind->doc, kind->keys);
        }
    }
    trm_put(out, elements);
    trm_put(out,
            "\n## Stops\n\nEntries of `stops`: a distance that stays at zero or above, of a "
            "marker from a line or a plane, or a\nformula. Closing is an impact; a closed stop "
            "presses and never pulls: docs/explanation/contact.md.\n");
    put_table(out, trm_stop_keys);
    trm_put(out, "\nThe object under `friction` of a joint:\n");
    put_table(out, trm_friction_keys);
    put_contacts(out);
    trm_put(out, "\n## Events\n\nEntries of `events`: conditions during a run. The step in "
                 "which one begins to hold ends\nat that time. "
                 "`{\"name\": \"landed\", \"when\": \"tip.y < 0\", \"stop\": true}` ends the "
                 "run; so does\n`trammel run --until \"tip.y < 0\"` without an entry.\n"
                 "A condition may hold for an instant only, as `tip.y == 1`, `mod(tip.y, 1) == 0` "
                 "or `abs(tip.y - 1) <= 0`\nwhere the tip goes through 1: it raises its event. "
                 "One that fails for an instant only, `tip.y != 1`, raises none.\n");
    put_table(out, trm_event_keys);
}

static void put_formulas(trm_text_buffer *out)
{
    trm_put(out, "\n## Variables of formulas\n\n"
                 "Besides parameters and inputs. Motors may use `t` and inputs alone. A name with "
                 "a `-` in it cannot be "
                 "used in a formula.\n\n"
                 "| variable | of | unit | meaning |\n|---|---|---|---|\n"
                 "| `t` | | s | time |\n");
    static const char *const owner[] = {[TRM_NAME_MARKER] = "tip",
                                        [TRM_NAME_BODY] = "arm",
                                        [TRM_NAME_JOINT] = "O",
                                        [TRM_NAME_CONSTRAINT] = "wire"};
    static const char *const of[] = {[TRM_NAME_MARKER] = "marker",
                                     [TRM_NAME_BODY] = "body",
                                     [TRM_NAME_JOINT] = "joint",
                                     [TRM_NAME_CONSTRAINT] = "curve"};
    for (const trm_component *c = trm_components; c->name; c++) {
        trm_putf(out, "| `%s.%s` | %s%s | %s | %s |\n", owner[c->of], c->name, of[c->of],
                 c->dimension == 2   ? ", 2-D"
                 : c->dimension == 3 ? ", 3-D"
                                     : "",
                 c->unit, c->doc);
    }
}

void trm_put_markdown(trm_text_buffer *out)
{
    trm_put(out, introduction);
    for (int i = 0; trm_expression_function(i); i++) {
        trm_putf(out, "| `%s` | %s |\n", trm_expression_function_usage(i),
                 trm_expression_function_doc(i));
    }
    trm_put(out, "\n## The scene\n");
    put_table(out, trm_scene_keys);
    trm_put(out, inputs);
    put_table(out, trm_input_keys);
    trm_put(out, tables);
    put_table(out, trm_table_keys);
    trm_put(out, definitions);
    trm_put(out, states);
    put_table(out, trm_state_keys);
    trm_put(out, outputs);
    put_table(out, trm_output_keys);
    put_bodies(out);
    put_links(out);
    trm_put(out, motion);
    put_table(out, trm_move_keys);
    trm_put(out, switches);
    trm_put(out,
            "\n## Simulation\n\nThe object under `simulation`; the command line wins over it.\n");
    put_table(out, trm_simulation_keys);
    trm_put(out, repetition);
    put_formulas(out);
    trm_put(out, example);
}
