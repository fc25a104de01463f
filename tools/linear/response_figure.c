/// Bode's and Nyquist's plots of a response, and the step, as one figure.
#include "tools/common/output.h"
#include "tools/drawing/plot.h"
#include "tools/linear/response.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdlib.h>

static void fill(const trm_linearized *l, double *x[7])
{
    const double degree = acos(-1) / 180;
    double before = 0, turns = 0;
    for (int i = 0; i < l->nresponse; i++) {
        const trm_response *const r = &l->response[i];
        const double phase = atan2(r->im, r->re) / degree;
        turns -= i > 0 ? 360 * rint((phase - before) / 360) : 0; // without jumps
        before = phase;
        x[0][i] = r->f;
        x[1][i] = hypot(r->re, r->im);
        x[2][i] = phase + turns;
        x[3][i] = r->re;
        x[4][i] = r->im;
    }
    for (int i = 0; i < l->nstep; i++) {
        x[5][i] = l->step[2 * i];
        x[6][i] = l->step[2 * i + 1];
    }
}

trm_status trm_response_draw(trm_linearized *l)
{
    const int most = l->nresponse > l->nstep ? l->nresponse : l->nstep;
    double *const all = calloc(7 * (size_t)most + 1, sizeof *all), *x[7];
    char *text = NULL;
    size_t length = 0;
    FILE *const out = trm_text_stream(&text, &length);
    if (!all || !out) {
        free(all);
        return TRM_FAIL(&l->error, TRM_ERR_MEMORY, NULL, "out of memory");
    }
    for (int k = 0; k < 7; k++) {
        x[k] = all + k * most;
    }
    fill(l, x);
    const trm_plot_series series[] = {{.n = l->nresponse, .x = x[0], .y = x[1]},
                                      {.n = l->nresponse, .x = x[0], .y = x[2]},
                                      {.n = l->nresponse, .x = x[3], .y = x[4]},
                                      {.n = l->nstep, .x = x[5], .y = x[6]}};
    const trm_plot_panel panels[] = {{"f [Hz]", "amplitude", 1, &series[0], .log_x = 1, .log_y = 1},
                                     {"f [Hz]", "phase [deg]", 1, &series[1], .log_x = 1},
                                     {"real", "imaginary", 1, &series[2], .equal = 1},
                                     {"t [s]", "after a unit step", 1, &series[3], .height = 220}};
    trm_plot_draw(out, l->arguments.response, l->sensor.unit, l->nstep > 0 ? 4 : 3, panels);
    trm_status status = trm_stream_close(out) == 0
                            ? TRM_OK
                            : TRM_FAIL(&l->error, TRM_ERR_MEMORY, NULL, "out of memory");
    const trm_outfile_wish wish = {.path = l->arguments.output};
    status = status ? status : trm_outfile_save(&wish, text, length, &l->error);
    free(text);
    free(all);
    return status;
}
