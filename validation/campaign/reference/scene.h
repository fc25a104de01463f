// What a scene file describes, after reading: numbers, local points, formulas.
// docs/reference/scene_format.md.
#pragma once
#include "expression.h"
#include "json.h"
#include <fstream>
#include <sstream>

struct Body {
    std::string name;
    V3 x{0, 0, 0}, v{0, 0, 0},
        w{0, 0, 0};             // centre of mass, its velocity, angular velocity in body axes
    double q[4] = {1, 0, 0, 0}; // body to world
    double angle = 0;           // plane: counted over full turns
    double mass = 0;
    M3 inertia{}, C{}; // body axes; C = L^-T with inertia = L L^T
    bool turns = true; // false: a point mass
    double reach = 0;  // distance of its farthest joint point or marker from the centre of mass
    M3 rotation() const;
};

struct Marker {
    std::string name;
    int body;
    V3 s; // in the frame of the body
};

struct Joint {
    std::string name, type;
    int body[2];
    V3 s[2];     // points in the frames of the bodies
    M3 triad[2]; // axes n1, n2, u in the frames of the bodies; of a universal: u in a, w in b
    double length = 0;
    bool driven = false;
    Formula motor;
};

struct Force {
    std::string name, type;
    int marker[2] = {-1, -1}; // marker, or body of a torque
    int joint = -1;
    bool body_axes = false;
    double stiffness = 0, damping = 0, rest = 0, limit = INFINITY, kp = 0, kd = 0;
    std::vector<Formula> value; // components; of a servo: target, target_rate, feedforward
};

struct Variable {
    enum Kind { Time, X, Y, Z, VX, VY, VZ, Angle, Rate, Roll, Pitch, Yaw, WX, WY, WZ } kind;
    int index; // of the marker or body
};

struct Scene {
    int dimension = 3;
    V3 gravity{0, 0, 0};
    double end = 0;
    std::vector<Body> bodies;
    std::vector<Marker> markers;
    std::vector<Joint> joints;
    std::vector<Formula> constraints;
    std::vector<std::vector<int>> bodies_of_constraint;
    std::vector<Force> forces;
    std::vector<Variable> variables;
    std::map<std::string, double> parameters;
};

inline M3 matrix_of(const double *q)
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    return {{{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
             {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
             {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}}};
}
inline M3 Body::rotation() const
{
    return matrix_of(q);
}

inline void quaternion_of(const M3 &m, double *q)
{
    double xx = m.c[0].x, yy = m.c[1].y, zz = m.c[2].z;
    double squares[4] = {1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz};
    double w = m.c[1].z - m.c[2].y, u = m.c[2].x - m.c[0].z, v = m.c[0].y - m.c[1].x;
    double a = m.c[1].x + m.c[0].y, b = m.c[2].x + m.c[0].z, c = m.c[2].y + m.c[1].z;
    double table[4][4] = {
        {squares[0], w, u, v}, {w, squares[1], a, b}, {u, a, squares[2], c}, {v, b, c, squares[3]}};
    int best = (int)(std::max_element(squares, squares + 4) - squares);
    double size = 0;
    for (double part : table[best])
        size += part * part;
    for (int i = 0; i < 4; i++)
        q[i] = table[best][i] / sqrt(size);
}
inline void axis_angle(const V3 &axis, double angle, double *q)
{
    V3 u = unit(axis) * sin(angle / 2);
    q[0] = cos(angle / 2), q[1] = u.x, q[2] = u.y, q[3] = u.z;
}

class SceneReader
{
    Scene &s;
    const Json &root;

    Formula named(const std::string &word)
    {
        Formula f;
        auto parameter = s.parameters.find(word);
        if (parameter != s.parameters.end())
            f.number = parameter->second;
        else if (word == "pi")
            f.number = M_PI;
        else if (word == "deg")
            f.number = M_PI / 180;
        else
            f = variable(word);
        return f;
    }
    Formula variable(const std::string &word)
    {
        static const std::map<std::string, Variable::Kind> kinds = {
            {"x", Variable::X},         {"y", Variable::Y},       {"z", Variable::Z},
            {"vx", Variable::VX},       {"vy", Variable::VY},     {"vz", Variable::VZ},
            {"angle", Variable::Angle}, {"rate", Variable::Rate}, {"roll", Variable::Roll},
            {"pitch", Variable::Pitch}, {"yaw", Variable::Yaw},   {"wx", Variable::WX},
            {"wy", Variable::WY},       {"wz", Variable::WZ}};
        Variable v{Variable::Time, 0};
        size_t point = word.find('.');
        if (point != std::string::npos) {
            v.kind = kinds.at(word.substr(point + 1));
            std::string owner = word.substr(0, point);
            v.index = v.kind >= Variable::Angle ? body(owner) : marker(owner);
        } else if (word != "t")
            throw std::runtime_error("formula: unknown name '" + word + "'");
        Formula f;
        f.kind = Formula::Variable;
        f.variable = (int)s.variables.size();
        s.variables.push_back(v);
        return f;
    }
    Formula formula(const Json &j)
    {
        Formula f;
        f.number = j.number;
        if (j.kind != Json::Text)
            return f;
        std::function<Formula(const std::string &)> name = [this](const std::string &word) {
            return named(word);
        };
        return FormulaParser(j.text, name).parse();
    }
    double number(const Json &j)
    {
        Formula f = formula(j);
        if (f.kind != Formula::Constant)
            throw std::runtime_error("a constant is wanted: " + j.text);
        return f.number;
    }
    double number(const Json &j, const char *key, double otherwise)
    {
        return j.has(key) ? number(j.at(key)) : otherwise;
    }
    V3 vector(const Json &j)
    {
        return {number(j.items.at(0)), number(j.items.at(1)),
                j.items.size() > 2 ? number(j.items[2]) : 0};
    }
    int body(const std::string &name)
    {
        for (size_t i = 0; i < s.bodies.size(); i++)
            if (s.bodies[i].name == name)
                return (int)i;
        if (name != "ground")
            throw std::runtime_error("unknown body '" + name + "'");
        return -1;
    }
    int marker(const std::string &name)
    {
        for (size_t i = 0; i < s.markers.size(); i++)
            if (s.markers[i].name == name)
                return (int)i;
        throw std::runtime_error("unknown marker '" + name + "'");
    }
    int joint(const std::string &name)
    {
        for (size_t i = 0; i < s.joints.size(); i++)
            if (s.joints[i].name == name)
                return (int)i;
        throw std::runtime_error("unknown joint '" + name + "'");
    }
    V3 to_body(int b, const V3 &p)
    {
        return b < 0 ? p : transposed_times(s.bodies[b].rotation(), p - s.bodies[b].x);
    }
    V3 turned_to_body(int b, const V3 &d)
    {
        return b < 0 ? d : transposed_times(s.bodies[b].rotation(), d);
    }

    void orientation(const Json &j, Body &b)
    {
        if (s.dimension == 2)
            axis_angle({0, 0, 1}, b.angle = number(j, "angle", b.angle), b.q);
        if (j.has("quat_wxyz")) {
            double size = 0;
            for (int i = 0; i < 4; i++)
                b.q[i] = number(j.at("quat_wxyz").items.at(i)), size += b.q[i] * b.q[i];
            for (double &part : b.q)
                part /= sqrt(size);
        } else if (j.has("axis_angle"))
            axis_angle(vector(j.at("axis_angle").at("axis")),
                       number(j.at("axis_angle").at("angle")), b.q);
        else if (j.has("rpy")) {
            V3 a = vector(j.at("rpy"));
            double cr = cos(a.x), sr = sin(a.x), cp = cos(a.y), sp = sin(a.y), cy = cos(a.z),
                   sy = sin(a.z);
            quaternion_of({{{cy * cp, sy * cp, -sp},
                            {cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr},
                            {cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr}}},
                          b.q);
        } else if (j.has("matrix")) {
            const auto &rows = j.at("matrix").items;
            M3 m{{vector(rows.at(0)), vector(rows.at(1)), vector(rows.at(2))}};
            quaternion_of(transpose(m), b.q);
        }
    }
    // Returns the length between the ends.
    double pose(const Json &j, Body &b)
    {
        if (!j.has("ends")) {
            b.x = j.has("position") ? vector(j.at("position")) : b.x;
            orientation(j, b);
            return 0;
        }
        V3 p = vector(j.at("ends").items.at(0)), d = vector(j.at("ends").items.at(1)) - p;
        V3 u = unit(d), axis = cross(V3{1, 0, 0}, u);
        b.x = p + d * 0.5;
        b.angle = atan2(d.y, d.x);
        if (s.dimension == 2)
            axis_angle({0, 0, 1}, b.angle, b.q);
        else if (norm(axis) > 0)
            axis_angle(axis, atan2(norm(axis), u.x), b.q);
        return norm(d);
    }
    void shape(const Json &j, Body &b, double length)
    {
        Json rod, wanted;
        wanted.kind = Json::Text;
        wanted.text = "rod";
        rod.members["type"] = wanted;
        const Json &form = j.has("shape") ? j.at("shape") : rod;
        std::string type = form.at("type").text;
        length = number(form, "length", length);
        double r = number(form, "radius", 0), h = number(form, "thickness", 0), per = 1;
        V3 i{0, 0, 0}; // moments per mass
        if (type == "box") {
            V3 e = vector(form.at("size"));
            i = {(e.y * e.y + e.z * e.z) / 12, (e.x * e.x + e.z * e.z) / 12,
                 (e.x * e.x + e.y * e.y) / 12};
            per = s.dimension == 2 ? e.x * e.y : e.x * e.y * e.z;
        } else if (type == "sphere") {
            i = V3{1, 1, 1} * (0.4 * r * r);
            per = s.dimension == 2 ? M_PI * r * r : 4 * M_PI / 3 * r * r * r;
        } else if (type == "disc") {
            i = {(3 * r * r + h * h) / 12, (3 * r * r + h * h) / 12, r * r / 2};
            per = M_PI * r * r * (s.dimension == 2 ? 1 : h);
        } else if (type == "cylinder" || type == "rod") {
            double along = r * r / 2, across = (3 * r * r + length * length) / 12;
            std::string axis = type == "rod" ? "x" : form.has("axis") ? form.at("axis").text : "z";
            if (s.dimension == 2)
                across = length * length / 12;
            i = {axis == "x" ? along : across, axis == "y" ? along : across,
                 axis == "z" ? along : across};
            per = s.dimension == 2 ? length : M_PI * r * r * length;
        } else if (type == "point")
            b.turns = false;
        b.mass = j.has("mass") ? number(j.at("mass")) : number(j.at("density")) * per;
        b.inertia = {{{i.x * b.mass, 0, 0}, {0, i.y * b.mass, 0}, {0, 0, i.z * b.mass}}};
    }
    void inertia(const Json &j, Body &b)
    {
        if (j.has("inertia")) {
            const Json &given = j.at("inertia");
            if (given.kind != Json::Array)
                b.inertia = {{{1, 0, 0}, {0, 1, 0}, {0, 0, number(given)}}};
            else if (given.items.at(0).kind != Json::Array) {
                V3 i = vector(given);
                b.inertia = {{{i.x, 0, 0}, {0, i.y, 0}, {0, 0, i.z}}};
            } else
                b.inertia = {
                    {vector(given.items[0]), vector(given.items[1]), vector(given.items[2])}};
        }
        if (s.dimension == 2) {
            b.C = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 1 / sqrt(b.inertia.c[2].z)}}};
            return;
        }
        const V3 *c =
            b.inertia.c; // L by columns of the lower triangle, then its inverse transposed
        double l00 = sqrt(c[0].x), l10 = c[0].y / l00, l20 = c[0].z / l00;
        double l11 = sqrt(c[1].y - l10 * l10), l21 = (c[1].z - l20 * l10) / l11;
        double l22 = sqrt(c[2].z - l20 * l20 - l21 * l21);
        b.C = {{{1 / l00, 0, 0},
                {-l10 / (l00 * l11), 1 / l11, 0},
                {(l10 * l21 - l20 * l11) / (l00 * l11 * l22), -l21 / (l11 * l22), 1 / l22}}};
    }
    void read_body(const Json &j)
    {
        Body b;
        b.name = j.at("name").text;
        double length = pose(j, b);
        if (!j.has("shape") && !j.has("ends"))
            b.mass = number(j.at("mass"));
        else
            shape(j, b, length);
        if (b.turns)
            inertia(j, b);
        if (j.has("velocity"))
            b.v = vector(j.at("velocity"));
        if (j.has("rate"))
            b.w = s.dimension == 2 ? V3{0, 0, number(j.at("rate"))} : vector(j.at("rate"));
        if (j.has("rate_world"))
            b.w = transposed_times(b.rotation(), vector(j.at("rate_world")));
        for (int i = 0; i < 3 && b.turns && s.dimension == 3; i++)
            b.reach = std::max(b.reach, sqrt((&b.inertia.c[i].x)[i] / b.mass));
        if (s.dimension == 2 && b.turns)
            b.reach = sqrt(b.inertia.c[2].z / b.mass);
        s.bodies.push_back(b);
    }
    void reached(int b, const V3 &local)
    {
        if (b >= 0)
            s.bodies[b].reach = std::max(s.bodies[b].reach, norm(local));
    }
    void read_marker(const Json &j)
    {
        Marker m{j.at("name").text, body(j.at("body").text), {}};
        m.s = j.has("on") ? vector(j.at("on")) : to_body(m.body, vector(j.at("at")));
        reached(m.body, m.s);
        s.markers.push_back(m);
    }
    void read_joint(const Json &j)
    {
        Joint k;
        k.name = j.at("name").text;
        k.type = j.at("type").text;
        V3 p[2];
        for (int i = 0; i < 2; i++) {
            std::string name = j.at("bodies").items.at(i).text;
            k.body[i] = body(name);
            if (j.has("on"))
                k.s[i] = vector(j.at("on").at(name));
            else {
                const Json &at = j.at("at");
                k.s[i] = to_body(k.body[i],
                                 vector(at.items.at(0).kind == Json::Array ? at.items.at(i) : at));
            }
            p[i] = k.body[i] < 0 ? k.s[i]
                                 : s.bodies[k.body[i]].x + s.bodies[k.body[i]].rotation() * k.s[i];
            reached(k.body[i], k.s[i]);
        }
        k.length = number(j, "length", norm(p[1] - p[0]));
        axes(j, k);
        k.driven = j.has("motor");
        if (k.driven)
            k.motor = formula(j.at("motor"));
        s.joints.push_back(k);
    }
    void axes(const Json &j, Joint &k)
    {
        V3 u{0, 0, 1}, n1{1, 0, 0}, n2{0, 1, 0};
        if (j.has("axis") && s.dimension == 3) {
            u = unit(vector(j.at("axis")));
            V3 other = fabs(u.x) < 0.6 ? V3{1, 0, 0} : V3{0, 1, 0};
            n1 = unit(cross(other, u));
            n2 = cross(u, n1);
        } else if (j.has("axis")) { // plane: u slides, n1 is the normal
            u = unit(vector(j.at("axis")));
            n1 = {-u.y, u.x, 0};
            n2 = {0, 0, 1};
        }
        V3 w = j.has("axis2") ? unit(vector(j.at("axis2"))) : u;
        for (int i = 0; i < 2; i++)
            k.triad[i] = {{turned_to_body(k.body[i], n1), turned_to_body(k.body[i], n2),
                           turned_to_body(k.body[i], i ? w : u)}};
    }
    void read_force(const Json &j)
    {
        Force f;
        f.name = j.at("name").text;
        f.type = j.at("type").text;
        if (j.has("joint"))
            f.joint = joint(j.at("joint").text);
        if (j.has("markers"))
            for (int i = 0; i < 2; i++)
                f.marker[i] = marker(j.at("markers").items.at(i).text);
        if (j.has("marker"))
            f.marker[0] = marker(j.at("marker").text);
        if (j.has("body"))
            f.marker[0] = body(j.at("body").text);
        if (j.has("reaction"))
            f.marker[1] =
                f.type == "torque" ? body(j.at("reaction").text) : marker(j.at("reaction").text);
        f.body_axes = j.has("axes") && j.at("axes").text == "body";
        f.stiffness = number(j, "stiffness", 0), f.damping = number(j, "damping", 0);
        f.rest = number(j, "rest_length", number(j, "rest", 0));
        f.kp = number(j, "kp", 0), f.kd = number(j, "kd", 0),
        f.limit = number(j, "limit", INFINITY);
        if (j.has("value") && j.at("value").kind == Json::Array)
            for (const Json &part : j.at("value").items)
                f.value.push_back(formula(part));
        else if (j.has("value"))
            f.value.push_back(formula(j.at("value")));
        for (const char *key : {"target", "target_rate", "feedforward"})
            if (f.type == "servo")
                f.value.push_back(j.has(key) ? formula(j.at(key)) : Formula());
        s.forces.push_back(f);
    }
    void read_constraint(const Json &j)
    {
        size_t first = s.variables.size();
        s.constraints.push_back(formula(j.at("expression")));
        std::vector<int> involved;
        for (size_t i = first; i < s.variables.size(); i++) {
            const Variable &v = s.variables[i];
            int b = v.kind == Variable::Time    ? -1
                    : v.kind >= Variable::Angle ? v.index
                                                : s.markers[v.index].body;
            if (b >= 0 && std::find(involved.begin(), involved.end(), b) == involved.end())
                involved.push_back(b);
        }
        s.bodies_of_constraint.push_back(involved);
    }
    const std::vector<Json> &list(const char *key)
    {
        static const std::vector<Json> none;
        return root.has(key) ? root.at(key).items : none;
    }

  public:
    SceneReader(Scene &scene, const Json &json) : s(scene), root(json)
    {
        s.dimension = (int)root.at("dimension").number;
        if (root.has("parameters"))
            read_parameters(root.at("parameters"));
        if (root.has("gravity"))
            s.gravity = vector(root.at("gravity"));
        for (const Json &j : list("bodies"))
            read_body(j);
        for (const Json &j : list("markers"))
            read_marker(j);
        for (const Json &j : list("joints"))
            read_joint(j);
        for (const Json &j : list("constraints"))
            read_constraint(j);
        for (const Json &j : list("forces"))
            read_force(j);
        if (root.has("simulation"))
            s.end = number(root.at("simulation"), "end", 0);
    }

  private:
    // Members come sorted by name here, not in the order of the file: repeat until all are known.
    void read_parameters(const Json &j)
    {
        for (size_t round = 0; round < j.members.size(); round++)
            for (const auto &[name, given] : j.members)
                try {
                    s.parameters[name] =
                        number(given.kind == Json::Object ? given.at("value") : given);
                } catch (const std::runtime_error &) {
                    if (round + 1 == j.members.size())
                        throw;
                }
    }
};

inline Scene read_scene(const std::string &path)
{
    std::ifstream file(path);
    if (!file)
        throw std::runtime_error("cannot read " + path);
    std::stringstream text;
    text << file.rdbuf();
    Json root = JsonParser::parse(text.str());
    Scene scene;
    SceneReader reader(scene, root);
    return scene;
}
