// Where a value stands in the file, for errors and for the scene; memory of what the scene keeps;
// files that it names.

#include "base/status.h"
#include "constraints/joint.h"
#include "scenes/reader/reader.h"

#include <stdio.h>
#include <stdlib.h>
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

// ------------------------------------------------------------------------- files beside the scene

/// Bytes of the path of the scene up to its last "/".
static size_t folder_of(const trm_reader *reader)
{
    const char *const scene = reader->document->path, *const slash = strrchr(scene, '/');
    return slash ? (size_t)(slash - scene) + 1 : 0;
}

trm_status trm_path_beside(trm_reader *reader, const char *file, char **path)
{
    const size_t beside = file[0] == '/' ? 0 : folder_of(reader);
    TRM_TRY(trm_reader_take(reader, beside + strlen(file) + 1, 1, path));
    memcpy(*path, reader->document->path, beside);
    strcpy(*path + beside, file);
    return TRM_OK;
}

trm_status trm_file_failed(trm_reader *reader, const trm_node *node, const char *file,
                           trm_status status)
{
    char reason[sizeof reader->err->message];
    if (status != TRM_OK && status != TRM_ERR_MEMORY && reader->err) {
        snprintf(reason, sizeof reason, "%s", reader->err->message);
        return TRM_REFUSE(reader, node, "\"%.80s\": %.160s", file, reason);
    }
    return status;
}

trm_status trm_read_file(trm_reader *reader, const trm_node *node, const char *file, trm_bytes *out)
{
    const size_t n = folder_of(reader);
    const char *const folder = n > 0 ? trm_pool_copy(reader->pool, reader->document->path, n) : ".";
    char *real = NULL;
    if (!folder) {
        return trm_reader_no_memory(reader);
    }
    TRM_TRY(
        trm_file_failed(reader, node, file,
                        trm_file_beside(folder, file, reader->allow_files, &real, reader->err)));
    const char *const path = trm_pool_copy(reader->pool, real, strlen(real));
    free(real);
    if (!path) {
        return trm_reader_no_memory(reader);
    }
    TRM_TRY(trm_file_failed(reader, node, file, trm_bytes_read(path, 1, out, reader->err)));
    trm_scene *const scene = reader->scene;
    trm_file_info *const info =
        trm_pool_more(reader->pool, &scene->files, &scene->nfiles, sizeof *info);
    if (!info) {
        free(out->text);
        return trm_reader_no_memory(reader);
    }
    *info = out->file;
    return TRM_OK;
}
