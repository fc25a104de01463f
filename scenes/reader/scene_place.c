// Where a value stands in the file, for errors and for the scene; memory of what the scene keeps.

#include "base/status.h"
#include "constraints/joint.h"
#include "scenes/reader/reader.h"

#include <string.h>

const char *trm_at(trm_reader *reader, const trm_node *node)
{
    return trm_document_where(reader->document, node, node->value, reader->where,
                              sizeof reader->where);
}

const char *trm_at_key(trm_reader *reader, const trm_node *node)
{
    return trm_document_where(reader->document, node, node->key, reader->where,
                              sizeof reader->where);
}

const char *trm_at_byte(trm_reader *reader, const trm_node *node, size_t index)
{
    return trm_document_where(reader->document, node,
                              trm_document_in_string(reader->document, node, index), reader->where,
                              sizeof reader->where);
}

trm_status trm_reader_no_memory(trm_reader *reader)
{
    return TRM_FAIL(reader->err, TRM_ERR_MEMORY, reader->document->path, "out of memory");
}

trm_status trm_reader_take(trm_reader *reader, size_t count, size_t size, void *out)
{
    void *taken = trm_pool_take(reader->pool, count, size);
    memcpy(out, &taken, sizeof taken);
    return taken ? TRM_OK : trm_reader_no_memory(reader);
}

trm_status trm_reader_place(trm_reader *reader, const trm_node *node, trm_place *out)
{
    char *pointer = NULL;
    TRM_TRY(trm_reader_take(reader, trm_node_pointer(node, NULL) + 1, 1, &pointer));
    trm_node_pointer(node, pointer);
    *out = (trm_place){(int)node->value.line, (int)node->value.column, pointer};
    return TRM_OK;
}

trm_name trm_find_link(const trm_reader *reader, const char *text, size_t length)
{
    const trm_name *const found = trm_names_find(&reader->links, text, length);
    size_t dot = length;
    while (!found->text && dot > 0 && text[dot - 1] != '.') {
        dot--;
    }
    const trm_name *const owner =
        dot > 1 && !found->text ? trm_names_find(&reader->links, text, dot - 1) : NULL;
    if (!owner || !owner->text || owner->kind != TRM_NAME_JOINT) {
        return *found;
    }
    const trm_scene_joint *const joint = &reader->scene->joints[owner->index];
    const char *const tail = text + dot;
    const size_t rest = length - dot;
    const char *const own = joint->kind->freedom == TRM_FREEDOM_DISTANCE ? "slide"
                            : joint->kind->freedom == TRM_FREEDOM_ANGLE  ? "angle"
                                                                         : "";
    if (joint->part == 0 && strlen(own) == rest && !memcmp(own, tail, rest)) {
        return *owner;
    }
    for (int k = 0; k < joint->nparts; k++) {
        const char *const name = joint->kind->parts[k].name;
        if (strlen(name) == rest && !memcmp(name, tail, rest)) {
            const int index = joint->first + k;
            return (trm_name){reader->scene->joints[index].name, TRM_NAME_JOINT, index, owner->node,
                              0};
        }
    }
    return *found;
}
