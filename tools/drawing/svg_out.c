#include "tools/drawing/svg_out.h"

#include <string.h>

/// Whether the text goes on with U+FFFE or U+FFFF in UTF-8, which XML 1.0 has no place for.
static int is_no_character(const char *text)
{
    return strncmp(text, "\xEF\xBF\xBE", 3) == 0 || strncmp(text, "\xEF\xBF\xBF", 3) == 0;
}

/// Text content and attribute values; what XML 1.0 has no character for becomes '?'.
static void escaped(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (is_no_character(text)) {
            fputc('?', out);
            text += 2;
            continue;
        }
        switch (c) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(c < 0x20 ? '?' : c, out);
        }
    }
}

static void style_attribute(FILE *out, const char *style)
{
    if (style != NULL && *style != '\0') {
        fprintf(out, " %s=\"%s\"", strchr(style, ':') != NULL ? "style" : "class", style);
    }
}

void trm_svg_begin(FILE *out, double width, double height, const char *css, const char *title)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\">\n<title>",
            width, height, width, height);
    escaped(out, title);
    fprintf(out, "</title>\n<style>\n%s</style>\n", css);
    fprintf(out, "<rect class=\"paper\" width=\"%.0f\" height=\"%.0f\" rx=\"8\"/>\n", width,
            height);
}

void trm_svg_end(FILE *out)
{
    fputs("</svg>\n", out);
}

void trm_svg_group(FILE *out, const char *style)
{
    fputs("<g", out);
    style_attribute(out, style);
    fputs(">\n", out);
}

void trm_svg_group_end(FILE *out)
{
    fputs("</g>\n", out);
}

void trm_svg_line(FILE *out, trm_page_point a, trm_page_point b, const char *style)
{
    fprintf(out, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"", a.x, a.y, b.x, b.y);
    style_attribute(out, style);
    fputs("/>\n", out);
}

void trm_svg_circle(FILE *out, trm_page_point center, double radius, const char *style)
{
    fprintf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\"", center.x, center.y, radius);
    style_attribute(out, style);
    fputs("/>\n", out);
}

void trm_svg_polyline(FILE *out, int n, const trm_page_point *p, int closed, const char *style)
{
    fprintf(out, "<%s points=\"", closed ? "polygon" : "polyline");
    for (int i = 0; i < n; i++) {
        fprintf(out, "%s%.1f,%.1f", i > 0 ? " " : "", p[i].x, p[i].y);
    }
    fputc('"', out);
    style_attribute(out, style);
    fputs("/>\n", out);
}

void trm_svg_text(FILE *out, trm_page_point at, const char *text, const char *style)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\"", at.x, at.y);
    style_attribute(out, style);
    fputc('>', out);
    escaped(out, text);
    fputs("</text>\n", out);
}
