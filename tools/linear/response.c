/// H(s) = C (s - A)^-1 B + D at s = 2 pi i f.
#include "tools/linear/response.h"

#include "trammel/trammel_error.h"
#include "trammel/trammel_query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double turn = 6.283185307179586;

trm_status trm_response_read(trm_linearized *l)
{
    const char *const text = l->arguments.response, *const comma = strchr(text, ',');
    char input[128] = "";
    if (!comma || !comma[1] || (size_t)(comma - text) >= sizeof input) {
        return TRM_FAIL(&l->error, TRM_ERR_OPTIONS, "--response",
                        "expected IN,OUT: an input of the scene and what to read, as \"u,tip.x\"; "
                        "got \"%.100s\"",
                        text);
    }
    memcpy(input, text, (size_t)(comma - text));
    l->inputs[0] = trm_model_find(l->model, TRM_ELEMENT_INPUT, input);
    if (l->inputs[0] < 0) {
        return TRM_FAIL(&l->error, TRM_ERR_OPTIONS, "--response",
                        "\"%.100s\" is no input of the scene: a parameter with \"input\": true",
                        input);
    }
    l->ninput = 1;
    if (trm_model_sensor(l->model, comma + 1, &l->sensor, &l->error) != TRM_OK) {
        return l->error.status;
    }
    l->nsensor = 1;
    return l->sensor.size == 1 ? TRM_OK
                               : TRM_FAIL(&l->error, TRM_ERR_OPTIONS, "--response",
                                          "\"%.100s\" has %d numbers; name one, as \"tip.x\"",
                                          comma + 1, l->sensor.size);
}

/// A tenth of the slowest mode that moves to ten times the fastest, where the user says nothing.
static void find_range(const trm_linear *f, double range[2])
{
    range[0] = INFINITY;
    range[1] = 0;
    for (int k = 0; k < f->nmodes; k++) {
        const double own = hypot(f->modes[k].re, f->modes[k].im) / turn;
        range[0] = own > 0 ? fmin(range[0], own / 10) : range[0];
        range[1] = fmax(range[1], own * 10);
    }
}

/// x[m] := K^-1 x by elimination. Returns nonzero where K is singular.
static int solve(int m, double *K, double *x)
{
    for (int i = 0; i < m; i++) {
        int best = i;
        for (int k = i + 1; k < m; k++) {
            best = fabs(K[k * m + i]) > fabs(K[best * m + i]) ? k : best;
        }
        for (int j = 0; j < m && best != i; j++) {
            const double kept = K[i * m + j];
            K[i * m + j] = K[best * m + j];
            K[best * m + j] = kept;
        }
        const double moved = x[i];
        x[i] = x[best];
        x[best] = best == i ? x[i] : moved;
        if (!(fabs(K[i * m + i]) > 0)) {
            return 1;
        }
        for (int k = i + 1; k < m; k++) {
            const double part = K[k * m + i] / K[i * m + i];
            for (int j = i; j < m; j++) {
                K[k * m + j] -= part * K[i * m + j];
            }
            x[k] -= part * x[i];
        }
    }
    for (int i = m - 1; i >= 0; i--) {
        for (int j = i + 1; j < m; j++) {
            x[i] -= K[i * m + j] * x[j];
        }
        x[i] /= K[i * m + i];
    }
    return 0;
}

/// H of the last output at f, Hz: (-A, -w; w, -A)(re; im) = (B; 0).
static int evaluate(const trm_linear *f, double w, double *K, double *x, trm_response *out)
{
    const int n = f->n, m = 2 * n, row = f->ny - 1;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            K[i * m + j] = K[(n + i) * m + n + j] = -f->A[i * n + j];
            K[i * m + n + j] = i == j ? -w : 0;
            K[(n + i) * m + j] = i == j ? w : 0;
        }
        x[i] = f->B[i];
        x[n + i] = 0;
    }
    const int singular = solve(m, K, x);
    out->re = f->D[row];
    out->im = 0;
    for (int i = 0; i < n; i++) {
        out->re += f->C[row * n + i] * x[i];
        out->im += f->C[row * n + i] * x[n + i];
    }
    return singular;
}

static void multiply(int m, const double *X, const double *Y, double *out)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            double sum = 0;
            for (int k = 0; k < m; k++) {
                sum += X[i * m + k] * Y[k * m + j];
            }
            out[i * m + j] = sum;
        }
    }
}

/// E[m*m] := exp(X): Taylor's series of X/2^s below a norm of 1/2, whose 16th term is below
/// roundoff of 1, squared s times. term and work are for use. Returns nonzero where X is not
/// finite.
static int exponential(int m, double *X, double *E, double *term, double *work)
{
    const size_t n = (size_t)m * (size_t)m;
    double norm = 0;
    int s = 0;
    for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int j = 0; j < m; j++) {
            sum += fabs(X[i * m + j]);
        }
        norm = fmax(norm, sum);
    }
    if (!isfinite(norm)) {
        return 1;
    }
    for (; norm > 0.5; norm /= 2, s++) {
        for (size_t i = 0; i < n; i++) {
            X[i] /= 2;
        }
    }
    for (size_t i = 0; i < n; i++) {
        E[i] = term[i] = i % ((size_t)m + 1) == 0;
    }
    for (int k = 1; k <= 16; k++) {
        multiply(m, term, X, work);
        for (size_t i = 0; i < n; i++) {
            term[i] = work[i] / k;
            E[i] += term[i];
        }
    }
    for (; s > 0; s--) {
        multiply(m, E, E, work);
        memcpy(E, work, n * sizeof *E);
    }
    return 0;
}

/// l->step: (x, 1)' = (A, B; 0, 0)(x, 1) from x = 0, y = C x + D.
static trm_status find_step(trm_linearized *l)
{
    const trm_linear *const f = l->linear;
    const int n = f->n, m = n + 1, row = f->ny - 1;
    const size_t square = (size_t)m * (size_t)m;
    double *const X = calloc(4 * square + 2 * (size_t)m, sizeof *X);
    l->nstep = l->arguments.points > 1 ? (int)l->arguments.points : 31;
    l->step = calloc(2 * (size_t)l->nstep, sizeof *l->step);
    if (!X || !l->step) {
        free(X);
        return TRM_FAIL(&l->error, TRM_ERR_MEMORY, NULL, "out of memory");
    }
    double *const E = X + square, *x = E + 3 * square, *next = x + m;
    const double dt = l->arguments.step_to / (l->nstep - 1);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            X[i * m + j] = dt * f->A[i * n + j];
        }
        X[i * m + n] = dt * f->B[i];
    }
    int finite = !exponential(m, X, E, E + square, E + 2 * square);
    x[n] = 1;
    for (int k = 0; finite && k < l->nstep; k++) {
        l->step[2 * k] = k * dt;
        l->step[2 * k + 1] = f->D[row];
        for (int i = 0; i < m; i++) {
            l->step[2 * k + 1] += i < n ? f->C[row * n + i] * x[i] : 0;
            next[i] = 0;
            for (int j = 0; j < m; j++) {
                next[i] += E[i * m + j] * x[j];
            }
        }
        memcpy(x, next, (size_t)m * sizeof *x);
        finite = isfinite(l->step[2 * k + 1]);
    }
    free(X);
    return finite ? TRM_OK
                  : TRM_FAIL(&l->error, TRM_ERR_OPTIONS, "--step",
                             "expected a shorter time, got %g s", l->arguments.step_to);
}

trm_status trm_response_find(trm_linearized *l)
{
    const trm_linear *const f = l->linear;
    const size_t m = 2 * (size_t)f->n;
    double range[2];
    find_range(f, range);
    range[0] = l->arguments.from > 0 ? l->arguments.from : range[0];
    range[1] = l->arguments.to > 0 ? l->arguments.to : range[1];
    if (!(range[0] < range[1]) && l->arguments.step_to > 0) {
        return find_step(l); // without modes there are no frequencies to choose
    }
    if (!(range[0] < range[1])) {
        return TRM_FAIL(&l->error, TRM_ERR_OPTIONS, "--from",
                        "expected --from below --to, in Hz; nothing here moves by itself, so that "
                        "both are needed");
    }
    l->nresponse = l->arguments.points > 0 ? (int)l->arguments.points : 31;
    double *const room = malloc((m * m + m) * sizeof *room);
    l->response = calloc((size_t)l->nresponse, sizeof *l->response);
    for (int i = 0; room && l->response && i < l->nresponse; i++) {
        const double part = l->nresponse > 1 ? (double)i / (l->nresponse - 1) : 0;
        trm_response *const at = &l->response[i];
        at->f = range[0] * pow(range[1] / range[0], part);
        if (evaluate(f, turn * at->f, room, room + m * m, at)) {
            at->re = at->im = INFINITY; // on an undamped mode
        }
    }
    free(room);
    if (room && l->response && l->arguments.step_to > 0) {
        return find_step(l);
    }
    return room && l->response ? TRM_OK
                               : TRM_FAIL(&l->error, TRM_ERR_MEMORY, NULL, "out of memory");
}
