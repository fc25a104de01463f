// Extrapolation of the modified midpoint rule (Gragg, Bulirsch, Stoer; Hairer, Norsett, Wanner I,
// II.9) with 2, 4, ..., 2k substeps, order 2k; positions and velocities closed after every step.
#pragma once
#include "forces.h"

struct Course { // where the run is to stop: samples, and times at which inputs have kinks
    std::vector<double> samples, breaks;
    double end, longest; // longest: step, as a part of the run
};

class Integrator
{
    Mechanism &m;
    double tolerance;
    size_t k; // columns of the table
    double speed_size = 0;

    State rates(double t, const State &y)
    {
        State d;
        d.speed = m.accelerations(t, y);
        for (size_t b = 0; b < y.pose.size(); b++) {
            const double *q = y.pose[b].q;
            const V3 &w = y.speed[b].w;
            d.pose.push_back({y.speed[b].v,
                              {(-q[1] * w.x - q[2] * w.y - q[3] * w.z) / 2,
                               (q[0] * w.x + q[2] * w.z - q[3] * w.y) / 2,
                               (q[0] * w.y + q[3] * w.x - q[1] * w.z) / 2,
                               (q[0] * w.z + q[1] * w.y - q[2] * w.x) / 2},
                              w.z});
        }
        return d;
    }
    static constexpr size_t pose_size = 8, size_of = 14;
    static double *part(State &y, size_t b, size_t i)
    {
        Pose &p = y.pose[b];
        Speed &s = y.speed[b];
        return i < 3    ? &p.x.x + i
               : i < 7  ? p.q + (i - 3)
               : i == 7 ? &p.angle
               : i < 11 ? &s.v.x + (i - 8)
                        : &s.w.x + (i - 11);
    }
    static double get(const State &y, size_t b, size_t i)
    {
        return *part(const_cast<State &>(y), b, i);
    }
    static State combine(const State &y, double f, const State &d)
    {
        State r = y;
        for (size_t b = 0; b < y.pose.size(); b++)
            for (size_t i = 0; i < size_of; i++)
                *part(r, b, i) += f * get(d, b, i);
        return r;
    }
    State midpoint(double t, const State &y, const State &first, double h, int n)
    {
        double step = h / n;
        State before = y, here = combine(y, step, first);
        for (int i = 1; i < n; i++) {
            State next = combine(before, 2 * step, rates(t + i * step, here));
            before = std::move(here);
            here = std::move(next);
        }
        return here;
    }
    double distance(const State &a, const State &b) const
    {
        double worst = 0;
        for (size_t i = 0; i < a.pose.size(); i++)
            for (size_t c = 0; c < size_of; c++) {
                double size = c < 3           ? m.length
                              : c < pose_size ? 1
                              : c < 11        ? speed_size
                                              : speed_size / m.length;
                double d = fabs(get(a, i, c) - get(b, i, c)) / size;
                worst = d > worst || std::isnan(d) ? d : worst;
            }
        return worst;
    }
    void measure(const State &y)
    {
        for (size_t b = 0; b < y.speed.size(); b++)
            speed_size = std::max({speed_size, norm(y.speed[b].v), norm(y.speed[b].w) * m.length});
    }
    // Extrapolated to h -> 0; returns the estimate of the error.
    double step(double t, const State &y, const State &first, double h, State &result)
    {
        std::vector<State> table;
        State before;
        for (size_t j = 0; j < k; j++) {
            State corner = midpoint(t, y, first, h, 2 * (int)(j + 1));
            std::vector<State> row{corner};
            for (size_t l = 0; l < j; l++) {
                double ratio = (double)(j + 1) / (double)(j - l);
                State difference = combine(row[l], -1, table[l]);
                row.push_back(combine(row[l], 1 / (ratio * ratio - 1), difference));
            }
            if (j)
                before = table[j - 1];
            table = std::move(row);
        }
        result = table[k - 1]; // of order 2k; compared with the best of order 2k - 2
        return distance(result, before);
    }

  public:
    double now = 0;
    long steps = 0;
    double largest_gap = 0;
    Integrator(Mechanism &mechanism, double per_step, size_t columns)
        : m(mechanism), tolerance(per_step), k(columns)
    {
    }

    // Runs y from 0 to the end; the states at the samples. Throws when it cannot go on.
    std::vector<State> run(State y, const Course &course, long most)
    {
        std::vector<double> stops = course.samples;
        stops.insert(stops.end(), course.breaks.begin(), course.breaks.end());
        std::sort(stops.begin(), stops.end());
        std::vector<State> kept;
        double h = course.end / 200;
        now = 0;
        std::fill(m.turned.begin(), m.turned.end(), 0.0);
        m.project(now, y, 3);
        m.count_turns(y);
        State first = rates(now, y);
        measure(y);
        for (const Speed &a : first.speed)
            speed_size =
                std::max(speed_size, 0.01 * course.end * std::max(norm(a.v), norm(a.w) * m.length));
        speed_size =
            std::max(speed_size, 1e-3 * m.length / course.end); // a start at rest, in equilibrium
        for (double stop : stops) {
            if (stop <= now || stop > course.end)
                continue;
            const bool kink =
                std::find(course.breaks.begin(), course.breaks.end(), stop) != course.breaks.end();
            const double near =
                kink ? 1e-12 * course.end : 0; // a break is known to the digits of the scene only
            while (now < stop - near)
                advance(y, stop - near, course, h, most);
            if (kink)
                leap(y, stop + near);
            if (std::find(course.samples.begin(), course.samples.end(), stop) !=
                course.samples.end())
                kept.push_back(y);
        }
        return kept;
    }

  private:
    // Over a kink in one step so short that its error does not matter.
    void leap(State &y, double to)
    {
        const double h = to - now;
        y = combine(y, h, rates(now, y));
        now = to;
        m.project(now, y, 2);
        m.count_turns(y);
    }
    void advance(State &y, double stop, const Course &course, double &h, long most)
    {
        State next, first = rates(now, y);
        double taken = std::min(h, course.longest * course.end);
        bool last = now + taken * 1.01 >= stop;
        taken = last ? stop - now : taken;
        double error = step(now, y, first, taken, next);
        double factor = error > 0 ? 0.85 * pow(tolerance / error, 1.0 / (double)(2 * k - 1)) : 4;
        if (!(error <= tolerance)) {
            h = taken * (factor > 0.1 ? std::min(factor, 0.7) : 0.1);
            if (h < 1e-11 * course.end)
                throw std::runtime_error("the step vanishes at t = " + std::to_string(now));
        } else {
            now = last ? stop : now + taken;
            y = std::move(next);
            largest_gap = std::max(largest_gap, m.project(now, y, 2));
            m.count_turns(y);
            for (Pose &p : y.pose) {
                double size =
                    sqrt(p.q[0] * p.q[0] + p.q[1] * p.q[1] + p.q[2] * p.q[2] + p.q[3] * p.q[3]);
                for (double &q : p.q)
                    q /= size;
            }
            measure(y);
            steps++;
            h = std::max(last ? h : 0, taken * std::min(4.0, factor));
        }
        if (m.evaluations > most)
            throw std::runtime_error("too many evaluations, t = " + std::to_string(now));
    }
};
