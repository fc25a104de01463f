// Tendons: length, its rate and the tension as formulas of the markers.

#include "engine/base/status.h"
#include "scenes/reading/reader.h"

#include <string.h>

static const char axes[] = "xyz";

/// hypot of the difference of two markers.
static void put_span(const trm_scene *scene, const char *a, const char *b, trm_text_buffer *out)
{
    trm_put(out, "hypot(");
    for (int k = 0; k < scene->dimension; k++) {
        trm_putf(out, "%s%s.%c-%s.%c", k ? "," : "", b, axes[k], a, axes[k]);
    }
    trm_put(out, ")");
}

/// d . d' over the span.
static void put_rate(const trm_scene *scene, const char *a, const char *b, trm_text_buffer *out)
{
    trm_put(out, "(");
    for (int k = 0; k < scene->dimension; k++) {
        trm_putf(out, "%s(%s.%c-%s.%c)*(%s.v%c-%s.v%c)", k ? "+" : "", b, axes[k], a, axes[k], b,
                 axes[k], a, axes[k]);
    }
    trm_put(out, ")/");
    put_span(scene, a, b, out);
}

static trm_status take(trm_reader *reader, trm_text_buffer *text, const char **out)
{
    *out = text->failed ? NULL : trm_pool_copy(reader->pool, text->data, strlen(text->data));
    trm_text_buffer_close(text);
    return *out ? TRM_OK : trm_reader_no_memory(reader);
}

static trm_status check_markers(trm_reader *reader, const trm_node *list,
                                const trm_scene_force *force)
{
    if (force->markers.n < 2) {
        return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at(reader, list),
                        "a tendon runs over two markers at least, got %d", force->markers.n);
    }
    const trm_node *child = list + 1;
    for (int i = 0; i < force->markers.n; i++, child += child->span) {
        const char *name = reader->scene->markers[force->markers.item[i]].name;
        if (strchr(name, '-')) {
            return TRM_FAIL(
                reader->err, TRM_ERR_SCENE, trm_at(reader, child),
                "the length of a tendon is a formula of its markers, and \"%s\" has a - "
                "in its name",
                name);
        }
    }
    return TRM_OK;
}

trm_status trm_read_tendon(trm_reader *reader, const trm_node *node, trm_scene_force *force)
{
    const trm_scene *scene = reader->scene;
    trm_text_buffer length = {0}, rate = {0}, tension = {0};
    TRM_TRY(check_markers(reader, trm_node_find(node, "markers"), force));
    for (int i = 0; i + 1 < force->markers.n; i++) {
        const char *a = scene->markers[force->markers.item[i]].name;
        const char *b = scene->markers[force->markers.item[i + 1]].name;
        trm_put(&length, i ? "+" : "");
        trm_put(&rate, i ? "+" : "");
        put_span(scene, a, b, &length);
        put_rate(scene, a, b, &rate);
    }
    trm_putf(&tension,
             "if(%s.length > %.17g, max(0, %.17g*(%s.length - %.17g) + %.17g*%s.rate), 0)",
             force->name, force->rest, force->stiffness, force->name, force->rest, force->damping,
             force->name);
    const char *text = NULL;
    const trm_status first = take(reader, &length, &force->length);
    const trm_status second = take(reader, &rate, &force->rate);
    const trm_status third = take(reader, &tension, &text);
    TRM_TRY(first ? first : second ? second : third);
    return trm_compile_formula(reader, node, text, &force->value[0]);
}
