#include "base/expression/motion_law.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TRAPEZOID = 4, PIECES = 7 };

/// Peaks of the first three derivatives of f, with S for s.
static const struct {
    const char *name, *f;
    double peak[3];
} laws[] = {
    {"345", "S^3*(10 - 15*S + 6*S^2)", {1.875, 5.7735026918962573, 60}},
    {"polynomial_345", "S^3*(10 - 15*S + 6*S^2)", {1.875, 5.7735026918962573, 60}},
    {"cycloidal", "(S - sin(2*pi*S)/(2*pi))", {2, 6.2831853071795862, 39.478417604357432}},
    {"modified_sine",
     "(if(S < 0.125, pi*S - sin(4*pi*S)/4, if(S < 0.875, 2 + pi*S - 9*sin((4*pi*S + pi)/3)/4, "
     "4 + pi*S - sin(4*pi*S)/4))/(4 + pi))",
     {1.7596031901152184, 5.5279560857621476, 69.466344}},
    [TRAPEZOID] = {"trapezoid", NULL, {0, 0, 0}},
};

const char *trm_motion_law(int law)
{
    return law <= TRAPEZOID ? laws[law].name : NULL;
}

int trm_motion_law_is_timed(int law)
{
    return law == TRAPEZOID;
}

static const char *put_by_form(int law, const trm_move *move, trm_text_buffer *out, double *needed)
{
    static const char *const names[] = {"speed", "acceleration", "jerk"};
    const double limit[] = {move->speed, move->acceleration, move->jerk}, T = move->duration;
    double unit = fabs(move->to - move->from);
    for (int k = 0; k < 3; k++) {
        unit /= T;
        *needed = laws[law].peak[k] * unit;
        if (*needed > limit[k] * (1 + 1e-12)) {
            return names[k];
        }
    }
    trm_putf(out, "+(%.17g)*", move->to - move->from);
    for (const char *c = laws[law].f; *c; c++) {
        if (*c == 'S') {
            trm_putf(out, "clamp((t-%.17g)/%.17g,0,1)", move->start, T);
        } else {
            trm_putf(out, "%c", *c);
        }
    }
    return NULL;
}

/// T[7] of pieces of constant jerk that go D in the shortest time.
///
///   up to speed v in ta = tj + v/a by ramps of tj = a/j, or, where v j < a^2, by tj = sqrt(v/j)
///   alone; v ta of the way go up and down. Where v is not reached, v (a/j + v/a) = D, or tj^3 =
///   D/(2 j).
static void quickest(const trm_move *move, double D, double T[PIECES])
{
    const double a = move->acceleration, j = move->jerk;
    double v = move->speed, tj = a / j, ta = tj + v / a, tv = 0;
    if (v * j < a * a) {
        tj = sqrt(v / j);
        ta = 2 * tj;
    }
    if (v * ta <= D) {
        tv = D / v - ta;
    } else if (D >= 2 * a * a * a / (j * j)) {
        tj = a / j;
        v = a * (sqrt(tj * tj + 4 * D / a) - tj) / 2;
        ta = tj + v / a;
    } else {
        tj = cbrt(D / (2 * j));
        ta = 2 * tj;
    }
    const double level = fmax(0, ta - 2 * tj), all[PIECES] = {tj, level, tj, tv, tj, level, tj};
    memcpy(T, all, sizeof all);
}

static const double sign[PIECES] = {1, 0, -1, 0, -1, 0, 1};

/// How far the pieces go with a jerk of 1.
static double reach_of(const double T[PIECES])
{
    double x = 0, v = 0, a = 0;
    for (int k = 0; k < PIECES; k++) {
        const double h = T[k];
        x += h * (v + h * (a / 2 + h * sign[k] / 6));
        v += h * (a + h * sign[k] / 2);
        a += h * sign[k];
    }
    return x;
}

static const char *put_trapezoid(const trm_move *move, trm_text_buffer *out, double *duration,
                                 double *needed)
{
    double T[PIECES], v = 0, a = 0, t = move->start;
    const double D = move->to - move->from;
    quickest(move, fabs(D), T);
    *needed = 0;
    for (int k = 0; k < PIECES; k++) {
        *needed += T[k];
    }
    const double stretch = move->duration > 0 && *needed > 0 ? move->duration / *needed : 1;
    if (stretch < 1 - 1e-12) {
        return "in";
    }
    *duration = *needed > 0 ? *needed * stretch : move->duration;
    for (int k = 0; k < PIECES; k++) {
        T[k] *= stretch;
    }
    const double j = D != 0 ? D / reach_of(T) : 0; // ends at D, whatever the rounding of the times
    for (int k = 0; k < PIECES && D != 0; k++) {
        const double h = T[k], jerk = sign[k] * j;
        if (h > 0) {
            char u[80];
            snprintf(u, sizeof u, "clamp(t-%.17g,0,%.17g)", t, h);
            trm_putf(out, "+%s*((%.17g)+%s*((%.17g)+%s*(%.17g)))", u, v, u, a / 2, u, jerk / 6);
        }
        v += h * (a + h * jerk / 2);
        a += h * jerk;
        t += h;
    }
    return NULL;
}

const char *trm_motion_law_put(int law, const trm_move *move, trm_text_buffer *out,
                               double *duration, double *needed)
{
    *duration = move->duration;
    return law == TRAPEZOID ? put_trapezoid(move, out, duration, needed)
                            : put_by_form(law, move, out, needed);
}
