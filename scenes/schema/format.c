// Texts generated from the tables of the reader.

#include "base/status.h"
#include "base/text/text_buffer.h"
#include "bodies/forces/force.h"
#include "constraints/joint.h"
#include "constraints/transmissions/relation.h"
#include "program/texts.h"
#include "scenes/reader/reader.h"

#include <stdlib.h>

static const char *dimension_text(int dimension)
{
    return dimension == 2 ? "2-D" : dimension == 3 ? "3-D" : "2-D, 3-D";
}

static void put_element(trm_text_buffer *out, const char *group, const char *name, int dimension,
                        const char *doc)
{
    trm_putf(out, "%-11s%-21s%-10s%s\n", group, name, dimension_text(dimension), doc);
}

static void put_elements(trm_text_buffer *out)
{
    for (const trm_shape_form *form = trm_shape_forms; form->name; form++) {
        put_element(out, "shape", form->name, form->dimension, form->doc);
    }
    for (const trm_shape_form *form = trm_look_forms; form->name; form++) {
        put_element(out, "visual", form->name, form->dimension, form->doc);
    }
    for (const trm_shape_form *form = trm_touch_forms; form->name; form++) {
        put_element(out, "contact", form->name, form->dimension, form->doc);
    }
    for (int i = 0; trm_joint_kinds[i]; i++) {
        const trm_joint_kind *kind = trm_joint_kinds[i];
        put_element(out, "joint", kind->name, kind->dimension, kind->doc);
    }
    for (int i = 0; trm_relation_kinds[i]; i++) {
        const trm_relation_kind *kind = trm_relation_kinds[i];
        put_element(out, "constraint", kind->name, 0, kind->doc);
    }
    for (int i = 0; trm_force_kinds[i]; i++) {
        const trm_force_kind *kind = trm_force_kinds[i];
        if (i > 0 && !kind->keys) {
            continue; // rates of states, which stand elsewhere
        }
        put_element(out, "force", kind->name, 0, kind->doc);
    }
}

trm_status trm_text_create(trm_text which, char **out, trm_error *err)
{
    trm_text_buffer buffer = {0};
    TRM_CLEAR(out);
    if (!out || (int)which < TRM_TEXT_SCHEMA || which > TRM_TEXT_ELEMENTS) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, out ? "which" : "out",
                        "expected one of trm_text and a place for it, got %s",
                        out ? "another number" : "NULL");
    }
    switch (which) {
    case TRM_TEXT_SCHEMA:
        trm_put_schema(&buffer);
        break;
    case TRM_TEXT_FORMAT:
        trm_put_markdown(&buffer);
        break;
    case TRM_TEXT_ELEMENTS:
        put_elements(&buffer);
        break;
    }
    if (buffer.failed || !buffer.data) {
        trm_text_buffer_close(&buffer);
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "out of memory");
    }
    *out = buffer.data;
    return TRM_OK;
}

void trm_text_destroy(char *text)
{
    free(text);
}
