// Equations of a scene: g and its derivatives by duals and jets, forces, and accelerations by
// least constraint: |z - z_f| smallest with G C z = gamma, where v = C z, C C^T = M^-1.
#pragma once
#include "linear.h"
#include "scene.h"

template <class T> struct Frame { // pose of a body
    Vec<T> x;
    Mat<T> R;
    T angle;
};

struct Pose {
    V3 x;
    double q[4];
    double angle;
};
struct Speed {
    V3 v, w; // of the centre of mass; angular, in body axes
};
struct State {
    std::vector<Pose> pose;
    std::vector<Speed> speed;
};

class Mechanism
{
  public:
    Scene scene;
    int rank = -1; // of the constraints; found in the first decomposition that asks for it
    double smallest_kept = 1, largest_dropped = 0; // pivots at accepted points
    bool mass_metric = true;                       // of projections
    long evaluations = 0;
    double length = 1;          // size of the mechanism
    std::vector<double> turned; // angle of each hinge at the last accepted point

    explicit Mechanism(const Scene &s) : scene(s)
    {
        turned.assign(s.joints.size(), 0.0);
        V3 low{1e300, 1e300, 1e300}, high = low * -1.0;
        auto meet = [&](const V3 &p) {
            low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
            high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
        };
        for (const Body &b : s.bodies) {
            meet(b.x - V3{b.reach, b.reach, b.reach} * 0.5);
            meet(b.x + V3{b.reach, b.reach, b.reach} * 0.5);
        }
        for (const Joint &j : s.joints)
            for (int i = 0; i < 2; i++)
                meet(place(j.body[i], j.s[i]));
        length = norm(high - low);
        if (!(length > 0)) // one point mass: how far it comes
            length = norm(s.bodies[0].v) * s.end + norm(s.gravity) * s.end * s.end / 2;
        for (size_t b = 0; b < s.bodies.size(); b++)
            for (int k = 0; k < 6; k++)
                if (moves(s.bodies[b], k))
                    columns.push_back({(int)b, k});
        column_of.assign(s.bodies.size() * 6, -1);
        for (size_t c = 0; c < columns.size(); c++)
            column_of[(size_t)columns[c].first * 6 + (size_t)columns[c].second] = (int)c;
    }
    void count_turns(const State &y); // at an accepted point
    int coordinates() const
    {
        return (int)columns.size();
    }

    State start() const
    {
        State y;
        for (const Body &b : scene.bodies) {
            y.pose.push_back({b.x, {b.q[0], b.q[1], b.q[2], b.q[3]}, b.angle});
            y.speed.push_back({b.v, b.w});
        }
        return y;
    }

    // v' and w' at (t, y)
    std::vector<Speed> accelerations(double t, const State &y)
    {
        evaluations++;
        set_frames(y);
        std::vector<double> A, gap, rate, minus_gamma;
        constraints(t, y, A, &gap, &rate, &minus_gamma);
        std::vector<double> z = free_acceleration(t, y), b = minus_gamma;
        RankSolver solver = decompose(A, b, true);
        int n = coordinates();
        for (size_t i = 0; i < b.size(); i++) {
            b[i] = -b[i];
            for (int j = 0; j < n; j++)
                b[i] -= scaled[i * (size_t)n + (size_t)j] * z[(size_t)j];
        }
        std::vector<double> correction = solver.solve(b);
        for (int j = 0; j < n; j++)
            z[(size_t)j] += correction[(size_t)j];
        return from_z(z, true);
    }

    // Closes positions (Gauss-Newton), then velocities. Returns the largest gap that was there.
    double project(double t, State &y, int iterations)
    {
        double first = 0;
        std::vector<double> A, gap, rate, rest;
        for (int i = 0; i < iterations; i++) {
            set_frames(y);
            constraints(t, y, A, &gap, &rate, nullptr);
            double largest = 0;
            for (double g : gap)
                largest = std::max(largest, fabs(g));
            first = i ? first : largest;
            move(y, solve_for(A, gap));
        }
        set_frames(y);
        constraints(t, y, A, &gap, &rate, nullptr);
        RankSolver solver = decompose(A, rate, mass_metric);
        smallest_kept = std::min(smallest_kept, solver.smallest_kept);
        largest_dropped = std::max(largest_dropped, solver.largest_dropped);
        std::vector<Speed> correction = from_z(solver.solve(rate), mass_metric);
        for (size_t b = 0; b < y.speed.size(); b++) {
            y.speed[b].v = y.speed[b].v - correction[b].v;
            y.speed[b].w = y.speed[b].w - correction[b].w;
        }
        return first;
    }

    // The part of a motion that constraints leave free.
    void make_tangent(double t, const State &y, std::vector<Speed> &direction)
    {
        State moving = y;
        moving.speed = direction;
        set_frames(y);
        std::vector<double> A, gap, with, without;
        constraints(t, moving, A, &gap, &with, nullptr);
        moving.speed.assign(direction.size(), {{0, 0, 0}, {0, 0, 0}});
        constraints(t, moving, A, &gap, &without, nullptr);
        for (size_t i = 0; i < with.size(); i++)
            with[i] -= without[i];
        std::vector<Speed> normal = solve_for(A, with);
        for (size_t b = 0; b < direction.size(); b++) {
            direction[b].v = direction[b].v - normal[b].v;
            direction[b].w = direction[b].w - normal[b].w;
        }
    }

    static void move(State &y, const std::vector<Speed> &d)
    {
        for (size_t b = 0; b < d.size(); b++) {
            Pose &p = y.pose[b];
            p.x = p.x - d[b].v;
            p.angle -= d[b].w.z;
            double angle = norm(d[b].w), turn[4], q[4];
            if (angle == 0)
                continue;
            axis_angle(d[b].w, -angle, turn);
            std::copy(p.q, p.q + 4, q);
            p.q[0] = q[0] * turn[0] - q[1] * turn[1] - q[2] * turn[2] - q[3] * turn[3];
            p.q[1] = q[0] * turn[1] + q[1] * turn[0] + q[2] * turn[3] - q[3] * turn[2];
            p.q[2] = q[0] * turn[2] - q[1] * turn[3] + q[2] * turn[0] + q[3] * turn[1];
            p.q[3] = q[0] * turn[3] + q[1] * turn[2] - q[2] * turn[1] + q[3] * turn[0];
        }
    }

    // Finds the rank at (t, y); returns the number of rows.
    int find_rank(double t, const State &y)
    {
        set_frames(y);
        std::vector<double> A, gap, rate;
        constraints(t, y, A, &gap, &rate, nullptr);
        rank = -1;
        rank = (int)decompose(A, gap, true).rank;
        return (int)gap.size();
    }
    double energy(const State &y);

  private:
    std::vector<std::pair<int, int>> columns; // body, direction: v x y z, w x y z
    std::vector<int> column_of;
    std::vector<Frame<double>> frames;
    std::vector<double> scaled; // rows of G C of length one

    V3 place(int b, const V3 &p) const
    {
        return b < 0 ? p : scene.bodies[(size_t)b].x + scene.bodies[(size_t)b].rotation() * p;
    }
    bool moves(const Body &b, int k) const
    {
        return scene.dimension == 3 ? k < 3 || b.turns : k < 2 || (k == 5 && b.turns);
    }
    void set_frames(const State &y)
    {
        frames.clear();
        for (const Pose &p : y.pose) {
            double q[4],
                size = sqrt(p.q[0] * p.q[0] + p.q[1] * p.q[1] + p.q[2] * p.q[2] + p.q[3] * p.q[3]);
            for (int i = 0; i < 4; i++)
                q[i] = p.q[i] / size;
            Frame<double> f{p.x, matrix_of(q), p.angle};
            if (scene.dimension == 2)
                f.R = {
                    {{cos(p.angle), sin(p.angle), 0}, {-sin(p.angle), cos(p.angle), 0}, {0, 0, 1}}};
            frames.push_back(f);
        }
    }

    static Dual series(double a, double b, double, Dual *)
    {
        return {a, b};
    }
    static Jet series(double a, double b, double c, Jet *)
    {
        return {a, b, c};
    }
    static double series(double a, double, double, double *)
    {
        return a;
    }
    template <class T> static Vec<T> series(const V3 &a, const V3 &b, const V3 &c)
    {
        return {series(a.x, b.x, c.x, (T *)0), series(a.y, b.y, c.y, (T *)0),
                series(a.z, b.z, c.z, (T *)0)};
    }
    // The frame of a body that moves on with constant v and w.
    template <class T> Frame<T> moving(int b, const Speed &s) const
    {
        const V3 none{0, 0, 0};
        if (b < 0)
            return {series<T>(none, none, none),
                    {{series<T>({1, 0, 0}, none, none), series<T>({0, 1, 0}, none, none),
                      series<T>({0, 0, 1}, none, none)}},
                    T(0)};
        const Frame<double> &f = frames[(size_t)b];
        V3 w = f.R * s.w;
        Frame<T> moved{series<T>(f.x, s.v, none), {}, series(f.angle, s.w.z, 0, (T *)0)};
        for (int i = 0; i < 3; i++) {
            V3 turned = cross(w, f.R.c[i]);
            moved.R.c[i] = series<T>(f.R.c[i], turned, cross(w, turned));
        }
        return moved;
    }

    template <class T>
    void joint_rows(const Joint &j, const Frame<T> *f, T t, std::vector<T> &g) const
    {
        bool plane = scene.dimension == 2;
        const std::string &type = j.type;
        Vec<T> d = (f[1].x + f[1].R * j.s[1]) - (f[0].x + f[0].R * j.s[0]);
        Vec<T> a[3], b[3]; // n1, n2, u as they stand in the bodies
        for (int i = 0; i < 3; i++)
            a[i] = f[0].R * j.triad[0].c[i], b[i] = f[1].R * j.triad[1].c[i];
        if (type == "revolute" || type == "spherical" || type == "universal" || type == "weld") {
            g.push_back(d.x);
            g.push_back(d.y);
            if (!plane)
                g.push_back(d.z);
        }
        bool sideways = type == "prismatic" || type == "cylindrical" || type == "point_on_line";
        if (sideways || type == "pin_in_slot")
            g.push_back(dot(a[0], d));
        if (sideways && !plane)
            g.push_back(dot(a[1], d));
        if (type == "planar" || type == "point_on_plane")
            g.push_back(dot(a[2], d));
        if (type == "rod")
            g.push_back((dot(d, d) - T(j.length * j.length)) * T(0.5 / j.length));
        if (type == "universal")
            g.push_back(dot(a[2], b[2]));
        if (plane && (type == "prismatic" || type == "weld"))
            g.push_back(dot(a[0], cross_plane(b[0])));
        if (!plane && (type == "revolute" || type == "cylindrical" || type == "planar")) {
            g.push_back(dot(a[0], b[2]));
            g.push_back(dot(a[1], b[2]));
        }
        if (!plane && (type == "prismatic" || type == "weld")) {
            g.push_back(dot(a[0], b[1]));
            g.push_back(dot(a[1], b[2]));
            g.push_back(dot(a[2], b[0]));
        }
        if (j.driven)
            g.push_back(motor_row(j, d, a, b, t));
    }
    template <class T> static Vec<T> cross_plane(const Vec<T> &v)
    {
        return {T(0) - v.y, v.x, T(0)};
    }
    template <class T>
    T motor_row(const Joint &j, const Vec<T> &d, const Vec<T> *a, const Vec<T> *b, T t) const
    {
        T wanted = evaluate<T>(j.motor, [&](int) { return t; });
        if (j.type == "prismatic")
            return dot(a[2], d) - wanted;
        return dot(a[1], b[0]) * j_cos(wanted) - dot(a[0], b[0]) * j_sin(wanted);
    }
    template <class T>
    T expression(const Formula &f, const std::vector<int> &bodies,
                 const std::vector<Frame<T>> &moved, T t) const
    {
        return evaluate<T>(f, [&](int i) -> T {
            const Variable &v = scene.variables[(size_t)i];
            if (v.kind == Variable::Time)
                return t;
            int b = v.kind >= Variable::Angle ? v.index : scene.markers[(size_t)v.index].body;
            if (b < 0) {
                V3 p = scene.markers[(size_t)v.index].s;
                return T((&p.x)[v.kind - Variable::X]);
            }
            size_t k = (size_t)(std::find(bodies.begin(), bodies.end(), b) - bodies.begin());
            return look<T>(v, moved[k]);
        });
    }
    template <class T> T look(const Variable &v, const Frame<T> &f) const
    {
        const Vec<T> *R = f.R.c; // R(i, j) is component i of column j
        if (v.kind <= Variable::Z) {
            Vec<T> p = f.x + f.R * scene.markers[(size_t)v.index].s;
            return v.kind == Variable::X ? p.x : v.kind == Variable::Y ? p.y : p.z;
        }
        switch (v.kind) {
        case Variable::Angle:
            return f.angle;
        case Variable::Roll:
            return j_atan2(R[1].z, R[2].z);
        case Variable::Pitch:
            return j_asin(T(0) - R[0].z);
        case Variable::Yaw:
            return j_atan2(R[0].y, R[0].x);
        default:
            throw std::runtime_error("a constraint cannot depend on velocities");
        }
    }

    // A (rows of G), g, g' = G v + g_t and the part of g'' without accelerations.
    // Rows of joints, then expressions.
    void constraints(double t, const State &y, std::vector<double> &A, std::vector<double> *gap,
                     std::vector<double> *rate, std::vector<double> *second) const
    {
        size_t n = columns.size();
        A.clear(), gap->clear(), rate->clear();
        if (second)
            second->clear();
        for (size_t j = 0; j < scene.joints.size() + scene.constraints.size(); j++) {
            bool joint = j < scene.joints.size();
            std::vector<int> bodies =
                joint ? std::vector<int>(scene.joints[j].body, scene.joints[j].body + 2)
                      : scene.bodies_of_constraint[j - scene.joints.size()];
            std::vector<Frame<Jet>> along;
            for (int b : bodies)
                along.push_back(moving<Jet>(b, b < 0 ? Speed() : y.speed[(size_t)b]));
            std::vector<Jet> g;
            rows<Jet>(j, bodies, along, Jet(t, 1, 0), g);
            for (const Jet &row : g) {
                gap->push_back(row.a);
                rate->push_back(row.b);
                if (second)
                    second->push_back(row.c);
            }
            A.resize(gap->size() * n, 0);
            derivatives(j, bodies, t, A.data() + (gap->size() - g.size()) * n);
        }
    }
    template <class T>
    void rows(size_t j, const std::vector<int> &bodies, const std::vector<Frame<T>> &f, T t,
              std::vector<T> &g) const
    {
        g.clear();
        if (j < scene.joints.size())
            joint_rows<T>(scene.joints[j], f.data(), t, g);
        else
            g.push_back(expression<T>(scene.constraints[j - scene.joints.size()], bodies, f, t));
    }
    void derivatives(size_t j, const std::vector<int> &bodies, double t, double *A) const
    {
        const Speed rest{{0, 0, 0}, {0, 0, 0}};
        std::vector<Frame<Dual>> still, moved;
        std::vector<Dual> g;
        for (int b : bodies)
            still.push_back(moving<Dual>(b, rest));
        for (size_t i = 0; i < bodies.size(); i++)
            for (int k = 0; k < 6 && bodies[i] >= 0; k++) {
                int column = column_of[(size_t)bodies[i] * 6 + (size_t)k];
                if (column < 0)
                    continue;
                Speed s = rest;
                (k < 3 ? (&s.v.x)[k] : (&s.w.x)[k - 3]) = 1;
                moved = still;
                moved[i] = moving<Dual>(bodies[i], s);
                rows<Dual>(j, bodies, moved, Dual(t), g);
                for (size_t r = 0; r < g.size(); r++)
                    A[r * columns.size() + (size_t)column] = g[r].b;
            }
    }

    // z of one body from forces or velocities, and back: v = C z
    std::vector<Speed> from_z(const std::vector<double> &z, bool mass) const
    {
        std::vector<Speed> s(scene.bodies.size(), {{0, 0, 0}, {0, 0, 0}});
        for (size_t c = 0; c < columns.size(); c++) {
            Speed &target = s[(size_t)columns[c].first];
            const Body &b = scene.bodies[(size_t)columns[c].first];
            int k = columns[c].second;
            if (k < 3)
                (&target.v.x)[k] = z[c] * (mass ? 1 / sqrt(b.mass) : length);
            else if (mass)
                target.w = target.w + b.C.c[k - 3] * z[c];
            else
                (&target.w.x)[k - 3] = z[c];
        }
        return s;
    }
    // rows times C, each then divided by its length, and the right-hand side with it
    RankSolver decompose(const std::vector<double> &A, std::vector<double> &b, bool mass)
    {
        size_t n = columns.size();
        scaled.assign(A.size(), 0);
        for (size_t i = 0; i < b.size(); i++) {
            double size = 0;
            for (size_t c = 0; c < n; c++) {
                const Body &body = scene.bodies[(size_t)columns[c].first];
                int k = columns[c].second;
                double &s = scaled[i * n + c];
                if (k < 3)
                    s = A[i * n + c] * (mass ? 1 / sqrt(body.mass) : length);
                else if (!mass)
                    s = A[i * n + c];
                else
                    for (int l = 0; l < 3; l++) {
                        int other = column_of[(size_t)columns[c].first * 6 + 3 + (size_t)l];
                        if (other >= 0)
                            s += A[i * n + (size_t)other] * (&body.C.c[k - 3].x)[l];
                    }
                size += s * s;
            }
            size = size > 0 ? sqrt(size) : 1;
            for (size_t c = 0; c < n; c++)
                scaled[i * n + c] /= size;
            b[i] /= size;
        }
        return RankSolver(scaled, b.size(), n, rank, 1e-7);
    }
    std::vector<Speed> solve_for(const std::vector<double> &A, std::vector<double> b)
    {
        RankSolver solver = decompose(A, b, mass_metric);
        return from_z(solver.solve(b), mass_metric);
    }

    struct Load {
        std::vector<V3> force, torque; // world axes, about the centres of mass
    };
    std::vector<double> free_acceleration(double t, const State &y);
    void add_force(Load &load, int body, const V3 &at, const V3 &f) const
    {
        if (body < 0)
            return;
        load.force[(size_t)body] = load.force[(size_t)body] + f;
        load.torque[(size_t)body] =
            load.torque[(size_t)body] + cross(at - frames[(size_t)body].x, f);
    }
    void add_torque(Load &load, int body, const V3 &f) const
    {
        if (body >= 0)
            load.torque[(size_t)body] = load.torque[(size_t)body] + f;
    }
    void point(int body, const V3 &s, const State &y, V3 &p, V3 &v) const
    {
        p = s, v = {0, 0, 0};
        if (body < 0)
            return;
        const Frame<double> &f = frames[(size_t)body];
        V3 arm = f.R * s;
        p = f.x + arm;
        v = y.speed[(size_t)body].v + cross(f.R * y.speed[(size_t)body].w, arm);
    }
    double read(int variable, double t, const State &y) const;
    void joint_coordinate(const Joint &j, const State &y, double &x, double &rate, V3 &axis,
                          V3 &at) const;
    void apply(const Force &f, double t, const State &y, Load &load) const;
    void apply_joint(const Joint &j, double effort, const V3 &axis, const V3 &at, Load &load) const;
};
