/// trammel linearize in words.
#include "tools/common/terminal.h"
#include "tools/linear/linearize.h"
#include "trammel/trammel_contact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MODES_SHOWN = 20, BODIES_SHOWN = 20, PARTS_SHOWN = 4 };

static void label(const char *text)
{
    printf("%-13s", text);
}

/// x, or 0 where only its error is left of it.
static double clean(double x, double error)
{
    return fabs(x) <= error ? 0 : x;
}

static const char *plural(int n)
{
    return n == 1 ? "" : "s";
}

// --------------------------------------------------------------------------------------- the state

static void print_body(const trm_linearized *l, int body)
{
    const trm_body_info info = trm_model_body_info(l->model, body);
    const double *const q = l->q + info.q0;
    const double small = 5e-13;
    const int d = trm_linearized_dimension(l);
    label(body == 0 ? "Position" : "");
    printf("%-16s x %.6g m, y %.6g m", info.name, clean(q[0], small), clean(q[1], small));
    if (d == 3) {
        printf(", z %.6g m", clean(q[2], small));
    }
    if (d == 2 && info.nq == 3) {
        printf(", angle %.6g deg", clean(q[2] * 180 / acos(-1), small));
    } else if (info.nq == 7) {
        printf(", quat_wxyz %.6g %.6g %.6g %.6g", clean(q[3], small), clean(q[4], small),
               clean(q[5], small), clean(q[6], small));
    }
    putchar('\n');
}

static int moves(const trm_linearized *l)
{
    int moving = 0;
    for (int i = 0; i < trm_model_sizes(l->model).nv; i++) {
        moving |= l->v[i] != 0;
    }
    return moving;
}

static void print_state(const trm_linearized *l)
{
    const int nbody = trm_model_sizes(l->model).nbody;
    const trm_linear *const f = l->linear;
    label("State");
    if (l->searched) {
        printf("equilibrium, found in %d iteration%s from the start\n", l->found.iterations,
               plural(l->found.iterations));
        for (int b = 0; b < nbody && b < BODIES_SHOWN; b++) {
            print_body(l, b);
        }
        if (nbody > BODIES_SHOWN) {
            printf("%-13s(%d bodies more; --json lists them)\n", "", nbody - BODIES_SHOWN);
        }
    } else {
        printf("t = %.9g s, %s\n", l->t,
               f->at_rest ? "an equilibrium"
               : moves(l) ? "in motion"
                          : "at rest for a moment");
    }
    if (!f->at_rest) {
        label("");
        puts("no equilibrium: eigenvalues of the vector field at this moment, in coordinates of "
             "its own");
    }
    for (int k = 0; k < l->nheld; k++) {
        label(k > 0 ? "" : "Held");
        puts(trm_model_contact_info(l->model, l->held[k]).name);
    }
}

/// What eigenvalues say of an equilibrium; of a state in motion they say less.
static void print_verdict(const trm_linear *f)
{
    static const char *const verdicts[] = {
        "stable: every disturbance dies out",
        "marginal: no disturbance grows, but not all of them die out",
        "UNSTABLE: a disturbance grows",
    };
    if (!f->at_rest) {
        label("Growth");
        printf("the largest real part is %.4g 1/s\n", f->growth);
        return;
    }
    label("Stability");
    printf("%s", verdicts[f->stability]);
    if (f->stability == TRM_STABILITY_UNSTABLE) {
        printf(" by e in %.4g s", 1 / f->growth);
    }
    putchar('\n');
}

// ----------------------------------------------------------------------------------------- modes

/// The next largest component of a shape below `limit` in size, or of that size behind `after`; -1.
static int next_part(const trm_linearized *l, const trm_mode *mode, double limit, int after)
{
    const int nv = trm_model_sizes(l->model).nv;
    int most = -1;
    double largest = 0.01; // of the largest, which is 1
    for (int i = 0; i < nv; i++) {
        const double size = hypot(mode->shape_re[i], mode->shape_im[i]);
        const int next = size < limit || (size == limit && i > after);
        if (next && size > largest) {
            largest = size;
            most = i;
        }
    }
    return most;
}

static int body_of(const trm_linearized *l, int component)
{
    int body = 0;
    while (body + 1 < trm_model_sizes(l->model).nbody &&
           trm_model_body_info(l->model, body + 1).v0 <= component) {
        body++;
    }
    return body;
}

/// Amplitude with sign, or with the phase where it is not that of the largest or its opposite.
static void print_part(const trm_linearized *l, const trm_mode *mode, int i)
{
    const int body = body_of(l, i);
    const trm_body_info info = trm_model_body_info(l->model, body);
    const double re = mode->shape_re[i], im = mode->shape_im[i];
    printf("%s %s ", info.name, trm_component_name(l, i - info.v0));
    if (fabs(im) < 1e-3 * hypot(re, im)) {
        printf("%.3g", re);
    } else {
        printf("%.3g at %.0f deg", hypot(re, im), atan2(im, re) * 180 / acos(-1));
    }
}

static void print_shape(const trm_linearized *l, const trm_mode *mode)
{
    double limit = INFINITY;
    int after = -1;
    for (int k = 0; k < PARTS_SHOWN; k++) {
        const int i = next_part(l, mode, limit, after);
        if (i < 0) {
            break;
        }
        printf("%s", k ? ", " : "  ");
        print_part(l, mode, i);
        limit = hypot(mode->shape_re[i], mode->shape_im[i]);
        after = i;
    }
    putchar('\n');
}

/// Zero within its error.
static int is_free(const trm_mode *mode)
{
    return hypot(mode->re, mode->im) <= 5 * mode->error;
}

static void print_mode(const trm_linearized *l, const trm_mode *mode)
{
    const double doubt = 5 * mode->error;
    const int nothing = is_free(mode);
    const double re = clean(mode->re, doubt), im = clean(mode->im, doubt);
    char value[48];
    snprintf(value, sizeof value, im > 0 ? "%.5g +- %.5gi" : "%.5g", re, im);
    if (nothing) {
        printf("%-13s%11s %9s  %-24s", "", "free", "-", "0");
    } else if (im > 0) {
        printf("%-13s%11.5g %9.4g  %-24s", "", mode->frequency, clean(mode->damping, doubt / im),
               value);
    } else {
        printf("%-13s%11s %9s  %-24s", "", "-", re > 0 ? "grows" : "decays", value);
    }
    print_shape(l, mode);
}

/// A freedom without stiffness and damping has two eigenvalues zero and one shape.
static int free_modes(const trm_linear *f)
{
    int n = 0;
    for (int k = 0; k < f->nmodes; k++) {
        n += is_free(&f->modes[k]) ? 1 + (f->modes[k].im > 0) : 0;
    }
    return (n + 1) / 2;
}

static void print_modes(const trm_linearized *l)
{
    const trm_linear *const f = l->linear;
    int shown = 0, unseen = free_modes(f);
    label("Modes");
    printf("%11s %9s  %-24s  %s\n", "Hz", "damping", "eigenvalue [1/s]",
           "what moves most (m, rad; the largest is 1)");
    for (int k = 0; k < f->nmodes; k++) {
        if (is_free(&f->modes[k]) && unseen-- <= 0) {
            continue;
        }
        if (shown++ < MODES_SHOWN) {
            print_mode(l, &f->modes[k]);
        }
    }
    if (shown > MODES_SHOWN) {
        printf("%-13s(%d faster ones; --json lists all)\n", "", shown - MODES_SHOWN);
    }
}

static void print_response(const trm_linearized *l)
{
    for (int k = 0; l->nresponse > 0 && k < l->linear->nzeros; k++) {
        label(k > 0 ? "" : "Zeros");
        const double *const zero = &l->linear->zeros[2 * k];
        printf(zero[1] > 0 ? "%.5g +- %.5gi 1/s\n" : "%.5g 1/s\n", zero[0], zero[1]);
    }
    if (l->nresponse > 0) {
        printf("\nResponse     %s, %s per unit of the input\n", l->arguments.response,
               *l->sensor.unit ? l->sensor.unit : "a number");
        printf("%13s%15s%12s%12s\n", "Hz", "amplitude", "dB", "phase, deg");
    }
    for (int i = 0; i < l->nresponse; i++) {
        const trm_response *const r = &l->response[i];
        const double size = hypot(r->re, r->im);
        printf("%13.6g%15.8g%12.4f%12.4f\n", r->f, size, 20 * log10(size),
               atan2(r->im, r->re) * 180 / acos(-1));
    }
    if (l->nstep > 0) {
        printf("\n%13s%15s\n", "t, s", "after a step");
    }
    for (int k = 0; k < l->nstep; k++) {
        printf("%13.6g%15.8g\n", l->step[2 * k], l->step[2 * k + 1]);
    }
}

void trm_linearized_text(const trm_linearized *l)
{
    const trm_linear *const f = l->linear;
    const char *const title = trm_scene_get_info(l->scene).title;
    if (*title) {
        trm_terminal_text(stdout, title);
        putchar('\n');
    }
    if (l->assembly.body) {
        trm_assembly_print(&l->assembly);
    }
    print_state(l);
    label("Freedoms");
    const int states = f->d > f->p ? f->d - f->p : 0;
    printf("%d", f->d - states);
    printf(states        ? ", and %d states of the scene\n"
           : f->p > f->d ? " of velocity, %d of position\n"
                         : "\n",
           states ? states : f->p);
    if (f->d == 0) {
        return;
    }
    label("Accuracy");
    if (f->error >= 1) {
        printf("no rate of A is more than its rounding\n");
    } else {
        printf("A to %.1e of its fastest rate\n", f->error);
    }
    print_verdict(f);
    print_modes(l);
    print_response(l);
}
