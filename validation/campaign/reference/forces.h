// Forces of a scene, and the energy of gravity and springs.
#pragma once
#include "mechanism.h"

inline double Mechanism::read(int i, double t, const State &y) const
{
    const Variable &v = scene.variables[(size_t)i];
    if (v.kind == Variable::Time)
        return t;
    if (v.kind >= Variable::Angle) {
        const Speed &s = y.speed[(size_t)v.index];
        switch (v.kind) {
        case Variable::Rate:
        case Variable::WZ:
            return s.w.z;
        case Variable::WX:
            return s.w.x;
        case Variable::WY:
            return s.w.y;
        default:
            return look<double>(v, frames[(size_t)v.index]);
        }
    }
    V3 p, rate;
    const Marker &m = scene.markers[(size_t)v.index];
    point(m.body, m.s, y, p, rate);
    return v.kind <= Variable::Z ? (&p.x)[v.kind - Variable::X] : (&rate.x)[v.kind - Variable::VX];
}

// Coordinate of b against a, its rate, the axis in the world and the point where a force acts.
inline void Mechanism::joint_coordinate(const Joint &j, const State &y, double &x, double &rate,
                                        V3 &axis, V3 &at) const
{
    V3 pa, pb, va, vb, wa{0, 0, 0}, wb{0, 0, 0}, n1a = j.triad[0].c[0], n2a = j.triad[0].c[1],
                                                 n1b = j.triad[1].c[0];
    point(j.body[0], j.s[0], y, pa, va);
    point(j.body[1], j.s[1], y, pb, vb);
    axis = j.triad[0].c[2];
    if (j.body[0] >= 0) {
        const M3 &R = frames[(size_t)j.body[0]].R;
        axis = R * axis, n1a = R * n1a, n2a = R * n2a, wa = R * y.speed[(size_t)j.body[0]].w;
    }
    if (j.body[1] >= 0)
        n1b = frames[(size_t)j.body[1]].R * n1b,
        wb = frames[(size_t)j.body[1]].R * y.speed[(size_t)j.body[1]].w;
    at = pb;
    if (j.type == "prismatic") {
        x = dot(axis, pb - pa);
        rate = dot(axis, vb - va - cross(wa, pb - pa));
        return;
    }
    const double known = turned[(size_t)(&j - scene.joints.data())];
    x = known + remainder(atan2(dot(n2a, n1b), dot(n1a, n1b)) - known, 2 * M_PI);
    rate = dot(axis, wb - wa);
    if (scene.dimension == 2) {
        axis = {0, 0, 1};
        rate = wb.z - wa.z;
        auto turned = [&](int b) {
            return b < 0 ? 0.0 : frames[(size_t)b].angle - scene.bodies[(size_t)b].angle;
        };
        x = turned(j.body[1]) - turned(j.body[0]);
    }
}

// Angles count turns: within a step none changes by half a turn.
inline void Mechanism::count_turns(const State &y)
{
    for (size_t k = 0; k < scene.joints.size(); k++) {
        double rate;
        V3 axis, at;
        if (scene.joints[k].type == "revolute")
            joint_coordinate(scene.joints[k], y, turned[k], rate, axis, at);
    }
}

inline void Mechanism::apply_joint(const Joint &j, double effort, const V3 &axis, const V3 &at,
                                   Load &load) const
{
    if (j.type == "prismatic") {
        add_force(load, j.body[1], at, axis * effort);
        add_force(load, j.body[0], at, axis * -effort);
    } else {
        add_torque(load, j.body[1], axis * effort);
        add_torque(load, j.body[0], axis * -effort);
    }
}

inline void Mechanism::apply(const Force &f, double t, const State &y, Load &load) const
{
    std::vector<double> value;
    for (const Formula &part : f.value)
        value.push_back(evaluate<double>(part, [&](int i) { return read(i, t, y); }));
    if (f.joint >= 0) {
        const Joint &j = scene.joints[(size_t)f.joint];
        double x, rate, effort = 0;
        V3 axis, at;
        joint_coordinate(j, y, x, rate, axis, at);
        if (f.type == "joint_spring_damper") {
            effort = -f.stiffness * (x - f.rest) - f.damping * rate;
        } else if (f.type == "joint_force")
            effort = value[0];
        else {
            effort = f.kp * (value[0] - x) + f.kd * (value[1] - rate) + value[2];
            effort = std::max(-f.limit, std::min(f.limit, effort));
        }
        apply_joint(j, effort, axis, at, load);
    } else if (f.type == "spring_damper") {
        V3 p[2], v[2];
        for (int i = 0; i < 2; i++)
            point(scene.markers[(size_t)f.marker[i]].body, scene.markers[(size_t)f.marker[i]].s, y,
                  p[i], v[i]);
        V3 d = p[1] - p[0];
        double distance = norm(d);
        if (distance == 0)
            return;
        double tension =
            f.stiffness * (distance - f.rest) + f.damping * dot(d, v[1] - v[0]) / distance;
        add_force(load, scene.markers[(size_t)f.marker[0]].body, p[0], d * (tension / distance));
        add_force(load, scene.markers[(size_t)f.marker[1]].body, p[1], d * (-tension / distance));
    } else if (f.type == "force") {
        V3 p, v, other, force{value[0], value[1], value.size() > 2 ? value[2] : 0};
        const Marker &m = scene.markers[(size_t)f.marker[0]];
        point(m.body, m.s, y, p, v);
        if (f.body_axes && m.body >= 0)
            force = frames[(size_t)m.body].R * force;
        add_force(load, m.body, p, force);
        if (f.marker[1] >= 0) {
            const Marker &r = scene.markers[(size_t)f.marker[1]];
            point(r.body, r.s, y, other, v);
            add_force(load, r.body, other, force * -1.0);
        }
    } else {
        V3 torque = value.size() > 1 ? V3{value[0], value[1], value[2]} : V3{0, 0, value[0]};
        if (f.body_axes && f.marker[0] >= 0)
            torque = frames[(size_t)f.marker[0]].R * torque;
        add_torque(load, f.marker[0], torque);
        add_torque(load, f.marker[1], torque * -1.0);
    }
}

inline std::vector<double> Mechanism::free_acceleration(double t, const State &y)
{
    size_t count = scene.bodies.size();
    Load load{std::vector<V3>(count, {0, 0, 0}), std::vector<V3>(count, {0, 0, 0})};
    for (size_t b = 0; b < count; b++)
        load.force[b] = scene.gravity * scene.bodies[b].mass;
    for (const Force &f : scene.forces)
        apply(f, t, y, load);
    std::vector<double> z(columns.size());
    for (size_t c = 0; c < columns.size(); c++) { // z = C^T f
        size_t b = (size_t)columns[c].first;
        int k = columns[c].second;
        const Body &body = scene.bodies[b];
        if (k < 3) {
            z[c] = (&load.force[b].x)[k] / sqrt(body.mass);
            continue;
        }
        V3 w = y.speed[b].w,
           torque = transposed_times(frames[b].R, load.torque[b]) - cross(w, body.inertia * w);
        z[c] = dot(body.C.c[k - 3], torque);
    }
    return z;
}

// Kinetic energy, and potential energy of gravity, springs and joint springs.
inline double Mechanism::energy(const State &y)
{
    set_frames(y);
    double sum = 0;
    for (size_t b = 0; b < scene.bodies.size(); b++) {
        const Body &body = scene.bodies[b];
        const Speed &s = y.speed[b];
        sum += body.mass * (dot(s.v, s.v) / 2 - dot(scene.gravity, y.pose[b].x));
        if (body.turns)
            sum += dot(s.w, body.inertia * s.w) / 2;
    }
    for (const Force &f : scene.forces) {
        double stretch = 0, rate;
        V3 p[2], v, axis;
        if (f.type == "spring_damper") {
            for (int i = 0; i < 2; i++)
                point(scene.markers[(size_t)f.marker[i]].body, scene.markers[(size_t)f.marker[i]].s,
                      y, p[i], v);
            stretch = norm(p[1] - p[0]) - f.rest;
        } else if (f.type == "joint_spring_damper") {
            joint_coordinate(scene.joints[(size_t)f.joint], y, stretch, rate, axis, v);
            stretch -= f.rest;
        }
        sum += f.stiffness * stretch * stretch / 2;
    }
    return sum;
}
