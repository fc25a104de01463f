#include "tools/drawing/plot.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { WIDTH = 800, LEFT = 76, RIGHT = 24, HEAD = 76, LEGEND = 26, FOOT = 58, MARGIN = 10 };

static const double default_height = 300;
static const char *const palette[] = {"#1f5fa8", "#c0392b", "#2e7d32", "#8e5a9b",
                                      "#b8740f", "#0f8a8a", "#5d4037"};

enum { COLOURS = sizeof palette / sizeof *palette };

static const char css[] =
    "  .paper{fill:#fdfdfa;stroke:#dedfd8}\n"
    "  line,polyline{fill:none;stroke-linejoin:round}\n"
    "  text{font-family:'DejaVu Sans',Verdana,Helvetica,sans-serif;fill:#2b3036;font-size:12px}\n"
    "  .title{font-size:16px;font-weight:bold} .small{fill:#5b636c}\n"
    "  .middle{text-anchor:middle} .end{text-anchor:end}\n"
    "  .axis{stroke:#22272d;stroke-width:1} .grid{stroke:#e4e5de;stroke-width:1}\n";

/// One axis: data from low to high onto pixels from `from` to `to`.
typedef struct axis {
    double low, high, from, to;
    int logarithmic;
} axis;

static double place(const axis *a, double x)
{
    const double share = a->logarithmic ? log(x / a->low) / log(a->high / a->low)
                                        : (x - a->low) / (a->high - a->low);
    return a->from + share * (a->to - a->from);
}

/// 1, 2 or 5 times a power of ten, so that about `count` steps fill the axis.
static double round_step(double length, double count)
{
    const double power = pow(10, floor(log10(length / count)));
    const double digit = length / count / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

/// First tick at or above x, and the one after a tick.
static double first_tick(const axis *a, double step)
{
    return a->logarithmic ? pow(10, ceil(log10(a->low) - 1e-9)) : step * ceil(a->low / step - 1e-9);
}

static double next_tick(const axis *a, double tick, double step)
{
    return a->logarithmic ? 10 * tick : tick + step;
}

static void tick_text(const axis *a, double tick, double step, char out[24])
{
    if (a->logarithmic && (tick >= 1e4 || tick < 1e-2)) {
        snprintf(out, 24, "1e%.0f", log10(tick));
    } else {
        snprintf(out, 24, "%.6g", fabs(tick) < 1e-9 * fabs(step) ? 0 : tick);
    }
}

static void include(axis *a, double x)
{
    if (isfinite(x) && !(a->logarithmic && x <= 0)) {
        a->low = fmin(a->low, x);
        a->high = fmax(a->high, x);
    }
}

static void widen(axis *a, double share)
{
    if (a->logarithmic) {
        const double factor = pow(a->high / a->low, share);
        a->low /= factor;
        a->high *= factor;
    } else {
        const double length = a->high > a->low ? a->high - a->low : 1;
        a->low -= share * length;
        a->high += share * length;
    }
}

/// Give the axis with room to spare the scale of the other.
static void equalize(axis *x, axis *y)
{
    const double px = (x->to - x->from) / (x->high - x->low);
    const double py = (y->from - y->to) / (y->high - y->low);
    axis *const wide = px > py ? x : y;
    const double ratio = px > py ? px / py : py / px;
    const double middle = (wide->low + wide->high) / 2;
    const double half = (wide->high - wide->low) / 2 * ratio;
    wide->low = middle - half;
    wide->high = middle + half;
}

static void fit(const trm_plot_panel *panel, double top, double height, axis *x, axis *y)
{
    *x = (axis){DBL_MAX, -DBL_MAX, LEFT, WIDTH - RIGHT, panel->log_x};
    *y = (axis){DBL_MAX, -DBL_MAX, top + height, top, panel->log_y};
    for (int s = 0; s < panel->nseries; s++) {
        for (int i = 0; i < panel->series[s].n; i++) {
            include(x, panel->series[s].x[i]);
            include(y, panel->series[s].y[i]);
        }
    }
    widen(y, 0.05);
    if (panel->y_low < panel->y_high) {
        y->low = panel->y_low;
        y->high = panel->y_high;
    }
    if (panel->equal) {
        widen(x, 0.05);
        equalize(x, y);
    }
}

// -------------------------------------------------------------------------------------- drawing

static void grid(FILE *out, const axis *x, const axis *y)
{
    char text[24];
    const double dx = round_step(x->high - x->low, 8);
    const double dy = round_step(y->high - y->low, (y->from - y->to) / 50);
    const double slack_x = 1e-9 * (x->high - x->low), slack_y = 1e-9 * (y->high - y->low);
    for (double t = first_tick(x, dx); t <= x->high + slack_x; t = next_tick(x, t, dx)) {
        const double p = place(x, t);
        trm_svg_line(out, (trm_page_point){p, y->from}, (trm_page_point){p, y->to}, "grid");
        tick_text(x, t, dx, text);
        trm_svg_text(out, (trm_page_point){p, y->from + 17}, text, "middle");
    }
    for (double t = first_tick(y, dy); t <= y->high + slack_y; t = next_tick(y, t, dy)) {
        const double p = place(y, t);
        trm_svg_line(out, (trm_page_point){x->from, p}, (trm_page_point){x->to, p}, "grid");
        tick_text(y, t, dy, text);
        trm_svg_text(out, (trm_page_point){x->from - 7, p + 4}, text, "end");
    }
}

static void frame(FILE *out, const trm_plot_panel *panel, const axis *x, const axis *y)
{
    const trm_page_point corners[] = {
        {x->from, y->from}, {x->to, y->from}, {x->to, y->to}, {x->from, y->to}};
    trm_svg_polyline(out, 4, corners, 1, "fill:none;stroke:#22272d;stroke-width:1");
    trm_svg_text(out, (trm_page_point){(x->from + x->to) / 2, y->from + 38}, panel->x_label,
                 "middle");
    fprintf(out, "<g transform=\"translate(%.1f %.1f) rotate(-90)\">\n", 18.0,
            (y->from + y->to) / 2);
    trm_svg_text(out, (trm_page_point){0, 0}, panel->y_label, "middle");
    fputs("</g>\n", out);
}

/// At most 72 characters.
static void style_of(const trm_plot_series *series, char out[96])
{
    static const char *const dashes[] = {"", ";stroke-dasharray:7 4", ";stroke-dasharray:1.5 3",
                                         ""};
    snprintf(out, 96, "stroke:%s;stroke-width:%.2g%s",
             series->colour < 0 ? "#8a9099" : palette[series->colour % COLOURS],
             series->width > 0 ? series->width : 1.2, dashes[series->line]);
}

/// Points closer than half a pixel to the last one are left out.
static void line_of(FILE *out, const trm_plot_series *series, const axis *x, const axis *y)
{
    enum { CHUNK = 512 };
    trm_page_point page[CHUNK];
    char style[96];
    int n = 0;
    style_of(series, style);
    for (int i = 0; i <= series->n; i++) {
        const int ends = i == series->n || !isfinite(series->x[i]) || !isfinite(series->y[i]) ||
                         (y->logarithmic && series->y[i] <= 0);
        if (ends || n == CHUNK) {
            if (n > 1) {
                trm_svg_polyline(out, n, page, 0, style);
            }
            if (n == CHUNK) {
                page[0] = page[n - 1];
            }
            n = n == CHUNK && !ends;
        }
        if (ends) {
            continue;
        }
        const trm_page_point p = {place(x, series->x[i]), place(y, series->y[i])};
        const int last = i + 1 == series->n || !isfinite(series->y[i + 1]);
        if (n == 0 || last || hypot(p.x - page[n - 1].x, p.y - page[n - 1].y) > 0.5) {
            page[n++] = p;
        }
    }
}

static void points_of(FILE *out, const trm_plot_series *series, const axis *x, const axis *y)
{
    char style[96];
    style_of(series, style);
    strcat(style, ";fill:#fff");
    for (int i = 0; i < series->n; i++) {
        trm_svg_circle(out, (trm_page_point){place(x, series->x[i]), place(y, series->y[i])}, 3,
                       style);
    }
}

static void legend(FILE *out, const trm_plot_panel *panel, double y)
{
    double x = LEFT;
    for (int s = 0; s < panel->nseries; s++) {
        const trm_plot_series *const series = &panel->series[s];
        char style[96];
        if (series->label == NULL) {
            continue;
        }
        style_of(series, style);
        if (series->line == TRM_PLOT_POINTS) {
            strcat(style, ";fill:#fff");
            trm_svg_circle(out, (trm_page_point){x + 13, y - 4}, 3, style);
        } else {
            trm_svg_line(out, (trm_page_point){x, y - 4}, (trm_page_point){x + 26, y - 4}, style);
        }
        trm_svg_text(out, (trm_page_point){x + 32, y}, series->label, NULL);
        x += 54 + 7.0 * (double)strlen(series->label);
    }
}

static double height_of(const trm_plot_panel *panel)
{
    return panel->height > 0 ? panel->height : default_height;
}

static void draw_panel(FILE *out, const trm_plot_panel *panel, double top, int number)
{
    axis x, y;
    fit(panel, top, height_of(panel), &x, &y);
    fprintf(out, "<clipPath id=\"panel%d\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" ", number,
            x.from, y.to, x.to - x.from);
    fprintf(out, "height=\"%.1f\"/></clipPath>\n", y.from - y.to);
    grid(out, &x, &y);
    fprintf(out, "<g clip-path=\"url(#panel%d)\">\n", number);
    for (int s = 0; s < panel->nseries; s++) {
        if (panel->series[s].line == TRM_PLOT_POINTS) {
            points_of(out, &panel->series[s], &x, &y);
        } else {
            line_of(out, &panel->series[s], &x, &y);
        }
    }
    fputs("</g>\n", out);
    frame(out, panel, &x, &y);
}

void trm_plot_draw(FILE *out, const char *title, const char *subtitle, int npanels,
                   const trm_plot_panel *panels)
{
    double height = HEAD;
    for (int i = 0; i < npanels; i++) {
        height += LEGEND + height_of(&panels[i]) + FOOT;
    }
    trm_svg_begin(out, WIDTH, height + MARGIN, css, title);
    trm_svg_text(out, (trm_page_point){28, 34}, title, "title");
    trm_svg_text(out, (trm_page_point){28, 55}, subtitle, "small");
    double top = HEAD;
    for (int i = 0; i < npanels; i++) {
        legend(out, &panels[i], top + 12);
        draw_panel(out, &panels[i], top + LEGEND, i);
        top += LEGEND + height_of(&panels[i]) + FOOT;
    }
    trm_svg_end(out);
}
