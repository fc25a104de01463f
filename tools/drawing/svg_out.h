/// Scalable vector graphics, as little of it as a line drawing needs. Lengths are
/// in pixels, y points down. `style` is the value of a class attribute, or of a
/// style attribute when it holds a colon.
#pragma once

#include <stdio.h>

typedef struct trm_page_point {
    double x, y;
} trm_page_point;

void trm_svg_begin(FILE *out, double width, double height, const char *css, const char *title);
void trm_svg_end(FILE *out);
void trm_svg_group(FILE *out, const char *style); ///< closed by trm_svg_group_end
void trm_svg_group_end(FILE *out);

void trm_svg_line(FILE *out, trm_page_point a, trm_page_point b, const char *style);
void trm_svg_circle(FILE *out, trm_page_point center, double radius, const char *style);
void trm_svg_polyline(FILE *out, int n, const trm_page_point *p, int closed, const char *style);
void trm_svg_text(FILE *out, trm_page_point at, const char *text, const char *style);
