// The curve of a constraint: formulas of a parameter, or points of a spline.

#include "base/expression/curve.h"
#include "base/status.h"
#include "scenes/reader/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static trm_status check_length(trm_reader *reader, const trm_node *list, int n, const char *what)
{
    TRM_TRY(trm_read_array(reader, list));
    const int got = trm_node_size(list);
    return got == n ? TRM_OK : TRM_REFUSE(reader, list, "expected %d %s, got %d", n, what, got);
}

static trm_status read_formulas(trm_reader *reader, const trm_node *list, const char *parameter,
                                trm_curve_source *source)
{
    const trm_node *child = list + 1;
    TRM_TRY(check_length(reader, list, source->dimension, "formulas"));
    for (int k = 0; k < source->dimension; k++, child += child->span) {
        const char *text = NULL;
        trm_expression *code = NULL;
        TRM_TRY(trm_read_formula_text(reader, child, &text));
        TRM_TRY(trm_compile_along(reader, child, text, parameter, NULL, &code));
        source->form[k] = code;
    }
    return TRM_OK;
}

static trm_status read_range(trm_reader *reader, const trm_node *node, const trm_node *object,
                             trm_curve_source *source)
{
    double range[2];
    if (!node) {
        return TRM_REFUSE(reader, object,
                          "missing key \"range\", of the parameter of the formulas");
    }
    TRM_TRY(trm_read_numbers(reader, node, 2, range));
    source->lo = range[0];
    source->hi = range[1];
    return range[0] < range[1] ? TRM_OK
                               : TRM_REFUSE(reader, node, "the range must rise, got %.9g to %.9g",
                                            range[0], range[1]);
}

static trm_status read_points(trm_reader *reader, const trm_node *list, trm_curve_source *source)
{
    double(*points)[3] = NULL;
    TRM_TRY(trm_read_array(reader, list));
    const int n = trm_node_size(list), least = source->closed ? 3 : 2;
    if (n < least) {
        return TRM_REFUSE(reader, list, "%s curve needs %d points or more, got %d",
                          source->closed ? "a closed" : "a", least, n);
    }
    TRM_TRY(trm_reader_take(reader, (size_t)n, sizeof *points, &points));
    const trm_node *child = list + 1;
    for (int i = 0; i < n; i++, child += child->span) {
        TRM_TRY(trm_read_point(reader, child, points[i]));
        if (i > 0 && !memcmp(points[i], points[i - 1], sizeof *points)) {
            return TRM_REFUSE(reader, child, "this point of the curve is the one before it");
        }
        if (i == n - 1 && source->closed && !memcmp(points[i], points[0], sizeof *points)) {
            return TRM_REFUSE(reader, child,
                              "the last point of a closed curve is the first one; leave it out");
        }
    }
    source->n = n;
    source->points = (const double(*)[3])points;
    return TRM_OK;
}

static trm_status tell(trm_reader *reader, const trm_node *node, trm_curve_fault fault,
                       const char *parameter, double s, int derivative)
{
    static const char *const of[] = {"place", "direction or speed", "curvature"};
    const char *where = trm_at(reader, node);
    switch (fault) {
    case TRM_CURVE_NOT_FINITE:
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, where,
                        "the curve or a derivative of it is no number at %s = %.6g", parameter, s);
    case TRM_CURVE_STANDS:
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, where,
                        "the curve stands still at %s = %.6g: its derivative is zero", parameter,
                        s);
    case TRM_CURVE_SHARP:
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, where,
                        "the curve is not smooth: it turns sharply near %s = %.3g", parameter, s);
    case TRM_CURVE_OPEN:
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, where,
                        "a closed curve ends as it begins, but its %s is not the same at both "
                        "ends of the range",
                        of[derivative]);
    default:
        return trm_reader_no_memory(reader);
    }
}

trm_status trm_read_curve(trm_reader *reader, const trm_node *node, trm_scene_constraint *def)
{
    const trm_node *formulas = trm_node_find(node, "formulas");
    const trm_node *points = trm_node_find(node, "points");
    const char *parameter = def->along ? def->along : "s";
    trm_curve_source source = {.dimension = reader->scene->dimension, .closed = def->closed};
    if (formulas) {
        TRM_TRY(read_formulas(reader, formulas, parameter, &source));
        TRM_TRY(read_range(reader, trm_node_find(node, "range"), node, &source));
    } else {
        TRM_TRY(read_points(reader, points, &source));
    }
    trm_curve_fault fault;
    double s = 0.0;
    int derivative = 0;
    trm_curve *made = trm_curve_create(&source, &fault, &s, &derivative);
    if (!made) {
        return tell(reader, formulas ? formulas : points, fault, parameter, s, derivative);
    }
    const trm_status status = trm_reader_take(reader, 1, made->bytes, &def->curve);
    if (status == TRM_OK) {
        memcpy(def->curve, made, made->bytes);
        def->guide = reader->scene->nguides++;
    }
    free(made);
    return status;
}

/// Beyond its ends by a billionth: a point that begins at an end is no such case.
trm_status trm_read_end(trm_reader *reader, const trm_scene_constraint *def, trm_scene_event *out)
{
    const double lo = def->curve->lo, hi = def->curve->hi, slack = 1e-9 * (hi - lo);
    char text[400];
    const trm_node *root = reader->document->nodes;
    snprintf(text, sizeof text, "%s.end", def->name);
    out->name = trm_pool_copy(reader->pool, text, strlen(text));
    out->stop = 1;
    out->place = def->place;
    snprintf(text, sizeof text, "%s.parameter < %.17g or %s.parameter > %.17g", def->name,
             lo - slack, def->name, hi + slack);
    const char *when = trm_pool_copy(reader->pool, text, strlen(text));
    snprintf(text, sizeof text, "%s.parameter < %.9g or > %.9g", def->name, lo, hi);
    const char *shown = trm_pool_copy(reader->pool, text, strlen(text));
    if (!out->name || !when || !shown) {
        return trm_reader_no_memory(reader);
    }
    TRM_TRY(trm_compile_formula(reader, root, when, &out->when));
    out->when.text = shown;
    return TRM_OK;
}
