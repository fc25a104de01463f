// The reference of the campaign: an independent solver of Trammel's scenes. See docs/validation/campaign.md.
//
//   reference solve SCENE [--samples N] [--end T] [--tolerance R] [--longest PART] [--break T]...
//   reference prepare SCENE        velocities of the scene made to fit its constraints
#include "integrate.h"
#include <cstdio>
#include <cstring>
#include <random>

static double between(const Pose &a, const Pose &b, double reach)
{
    double c = 0, s = 0;
    for (int i = 0; i < 4; i++)
        c += a.q[i] * b.q[i];
    for (int i = 0; i < 4; i++)
        s += (a.q[i] - (c < 0 ? -b.q[i] : b.q[i])) * (a.q[i] - (c < 0 ? -b.q[i] : b.q[i]));
    return std::max(norm(a.x - b.x), 4 * asin(std::min(1.0, sqrt(s) / 2)) * reach);
}

struct Solution {
    std::vector<State> states;
    double smallest_kept, largest_dropped, gap;
    long evaluations, steps;
    int rank, rows;
};

struct Way { // one way to solve
    double tolerance;
    size_t columns;
    bool mass_metric;
    int rank;
};

static Solution solve(const Scene &scene, const Course &course, const Way &way, const State &from)
{
    Solution s{};
    for (int rank = way.rank;;) {
        Mechanism m(scene);
        m.mass_metric = way.mass_metric;
        s.rows = m.find_rank(0, from);
        m.rank = std::max(rank, m.rank);
        m.smallest_kept = 1, m.largest_dropped = 0;
        Integrator integrator(m, way.tolerance, way.columns);
        s.states = integrator.run(from, course, 2000000);
        s.smallest_kept = m.smallest_kept, s.largest_dropped = m.largest_dropped,
        s.gap = integrator.largest_gap;
        s.evaluations = m.evaluations, s.steps = integrator.steps, s.rank = m.rank;
        if (m.largest_dropped < 1e-6)
            return s;
        rank = m.rank + 1; // the start was singular, a row dropped there becomes independent
    }
}

// A start beside the given one, by `size` of the mechanism and of its speeds, along directions
// that the constraints leave free.
static State perturbed(const Scene &scene, const State &y, const Course &course, double size)
{
    Mechanism m(scene);
    m.find_rank(0, y);
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    std::vector<Speed> d(y.speed.size());
    double largest = 0, speed = m.length / course.end;
    for (Speed &s : d) {
        s.v = V3{normal(random), normal(random), scene.dimension == 3 ? normal(random) : 0} *
              m.length;
        s.w = scene.dimension == 3 ? V3{normal(random), normal(random), normal(random)}
                                   : V3{0, 0, normal(random)};
    }
    m.make_tangent(0, y, d);
    for (size_t b = 0; b < d.size(); b++) {
        largest = std::max({largest, norm(d[b].v), norm(d[b].w) * scene.bodies[b].reach});
        speed = std::max({speed, norm(y.speed[b].v), norm(y.speed[b].w) * m.length});
    }
    State other = y;
    if (largest < 1e-9 * m.length)
        return other;
    for (Speed &s : d)
        s.v = s.v * (size * m.length / largest), s.w = s.w * (size * m.length / largest);
    Mechanism::move(other, d);
    for (size_t b = 0; b < d.size(); b++) {
        other.speed[b].v = other.speed[b].v + d[b].v * (speed / m.length);
        other.speed[b].w = other.speed[b].w + d[b].w * (speed / m.length);
    }
    m.project(0, other, 3);
    return other;
}

// The largest distance of two solutions, in metres.
static double apart(const Scene &scene, const std::vector<State> &a, const std::vector<State> &b)
{
    double worst = 0;
    for (size_t i = 0; i < std::min(a.size(), b.size()); i++)
        for (size_t k = 0; k < scene.bodies.size(); k++)
            worst = std::max(worst, between(a[i].pose[k], b[i].pose[k], scene.bodies[k].reach));
    return worst;
}

static void print_states(const Scene &scene, const Course &course, const std::vector<State> &states,
                         Mechanism &m)
{
    printf(" \"samples\": [");
    for (size_t i = 0; i < states.size(); i++) {
        printf("%s\n  {\"t\": %.17g, \"energy\": %.17g, \"poses\": {", i ? "," : "",
               course.samples[i], m.energy(states[i]));
        for (size_t b = 0; b < scene.bodies.size(); b++) {
            const Pose &p = states[i].pose[b];
            double half = p.angle / 2, planar[4] = {cos(half), 0, 0, sin(half)};
            const double *q = scene.dimension == 2 ? planar : p.q;
            printf("%s\"%s\": [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g, %.17g]", b ? ", " : "",
                   scene.bodies[b].name.c_str(), p.x.x, p.x.y, p.x.z, q[0], q[1], q[2], q[3]);
        }
        printf("}, \"velocities\": {");
        for (size_t b = 0; b < scene.bodies.size(); b++) {
            const V3 &v = states[i].speed[b].v, &w = states[i].speed[b].w;
            printf("%s\"%s\": [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]", b ? ", " : "",
                   scene.bodies[b].name.c_str(), v.x, v.y, v.z, w.x, w.y, w.z);
        }
        printf("}}");
    }
    printf("]\n}\n");
}

static int solve_scene(const Scene &scene, const Course &course, double tolerance)
{
    Mechanism m(scene);
    State start = m.start();
    const double shift = 1e-6;
    Course other = course; // with steps of other lengths: what lies between two stages shows
    other.longest *= 0.618;
    Solution a, b, c;
    try {
        a = solve(scene, course, {tolerance, 8, true, -1}, start);
        b = solve(scene, other, {30 * tolerance, 6, false, a.rank}, start);
        c = solve(scene, course, {std::max(1e-9, 30 * tolerance), 6, true, a.rank},
                  perturbed(scene, start, course, shift));
    } catch (const std::runtime_error &error) {
        printf("{\"error\": \"%s\"}\n", error.what());
        return 1;
    }
    double size = 0;
    for (const State &s : a.states)
        size = std::max(size, apart(scene, {s}, {start}));
    if (!(size > 1e-9 * m.length)) {
        printf("{\"error\": \"it does not move\"}\n");
        return 1;
    }
    printf("{\n \"size\": %.17g, \"length\": %.17g, \"self_error\": %.3g, \"growth\": %.3g,\n",
           size, m.length, apart(scene, a.states, b.states) / size,
           apart(scene, a.states, c.states) / (shift * std::max(size, m.length)));
    printf(" \"coordinates\": %d, \"rows\": %d, \"rank\": %d, \"degrees_of_freedom\": %d,\n",
           m.coordinates(), a.rows, a.rank, m.coordinates() - a.rank);
    printf(" \"smallest_kept\": %.3g, \"largest_dropped\": %.3g, \"gap\": %.3g, \"steps\": %ld, "
           "\"evaluations\": %ld,\n",
           a.smallest_kept, a.largest_dropped, a.gap, a.steps,
           a.evaluations + b.evaluations + c.evaluations);
    printf(" \"reach\": {");
    for (size_t i = 0; i < scene.bodies.size(); i++)
        printf("%s\"%s\": %.17g", i ? ", " : "", scene.bodies[i].name.c_str(),
               scene.bodies[i].reach);
    printf("},\n");
    print_states(scene, course, a.states, m);
    return 0;
}

static int prepare(const Scene &scene)
{
    Mechanism m(scene);
    State y = m.start();
    m.find_rank(0, y);
    m.project(0, y, 0);
    printf("{\"rank\": %d, \"degrees_of_freedom\": %d, \"bodies\": {", m.rank,
           m.coordinates() - m.rank);
    for (size_t b = 0; b < y.speed.size(); b++) {
        const Speed &s = y.speed[b];
        printf("%s\"%s\": [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]", b ? ", " : "",
               scene.bodies[b].name.c_str(), s.v.x, s.v.y, s.v.z, s.w.x, s.w.y, s.w.z);
    }
    printf("}}\n");
    return 0;
}

int main(int argc, char **argv)
try {
    if (argc < 3) {
        fprintf(stderr, "usage: reference solve|prepare SCENE [--samples N] [--end T] [--tolerance "
                        "R] [--longest PART] [--break T]...\n");
        return 2;
    }
    Scene scene = read_scene(argv[2]);
    if (!strcmp(argv[1], "prepare"))
        return prepare(scene);
    Course course{{}, {}, scene.end, 1.0 / 16};
    int samples = 8;
    double tolerance = 1e-11;
    for (int i = 3; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--samples"))
            samples = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--end"))
            course.end = atof(argv[i + 1]);
        else if (!strcmp(argv[i], "--tolerance"))
            tolerance = atof(argv[i + 1]);
        else if (!strcmp(argv[i], "--longest"))
            course.longest = atof(argv[i + 1]);
        else if (!strcmp(argv[i], "--break"))
            course.breaks.push_back(atof(argv[i + 1]));
    }
    for (int i = 1; i <= samples; i++)
        course.samples.push_back(i == samples ? course.end : course.end * i / samples);
    return solve_scene(scene, course, tolerance);
} catch (const std::exception &error) {
    printf("{\"error\": \"%s\"}\n", error.what());
    return 1;
}
