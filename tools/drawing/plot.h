/// Line plots as SVG: panels of equal width one above the other, axes with round ticks, a legend.
#pragma once

#include "tools/drawing/svg_out.h"

typedef enum trm_plot_line {
    TRM_PLOT_SOLID,
    TRM_PLOT_DASHED,
    TRM_PLOT_DOTTED,
    TRM_PLOT_POINTS ///< a small ring at every point
} trm_plot_line;

typedef struct trm_plot_series {
    const char *label; ///< in the legend; NULL: not there
    trm_plot_line line;
    int colour;   ///< 0, 1, ... of the palette; -1: grey
    double width; ///< px; 0: thin
    int n;
    const double *x, *y; ///< [n], borrowed; NAN interrupts the line
} trm_plot_series;

typedef struct trm_plot_panel {
    const char *x_label, *y_label; ///< with the unit: "t [s]"
    int nseries;
    const trm_plot_series *series;
    int equal;            ///< nonzero: the same scale on both axes
    int log_x, log_y;     ///< nonzero: logarithmic
    double height;        ///< px of the axes; 0: 300
    double y_low, y_high; ///< range; both 0: what the series need
} trm_plot_panel;

void trm_plot_draw(FILE *out, const char *title, const char *subtitle, int npanels,
                   const trm_plot_panel *panels);
