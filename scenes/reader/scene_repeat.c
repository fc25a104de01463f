// Repetition: one entry of the file that stands for several elements.
//
//     {"repeat": {"i": 8}, "name": "bar{i}", "position": ["i*a", 0], ...}
//
// is read once for each i from 0 to 7, with i a number in all its expressions, and
// {...} in its texts replaced by the value of that expression. Several indices
// make a grid, the last one the fastest.

#include "base/status.h"
#include "scenes/reader/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// What a small file may ask for. The check of 20000 bodies on hinges takes some 20 s and 0.1 GB,
// the text of 16 MB that a repetition stands for 2 s: larger mechanisms are written out.
enum { MOST_REPEATED = 20000, MOST_TEXT = 16 * 1024 * 1024, LARGEST_INDEX = 1000000 };

// ----------------------------------------------------------------------------------------- indices

static trm_status read_integer(trm_reader *reader, const trm_node *node, long *out)
{
    double value = 0;
    TRM_TRY(trm_read_number(reader, node, &value));
    if (value != floor(value) || fabs(value) > LARGEST_INDEX) {
        return TRM_REFUSE(reader, node, "expected an integer up to %d, got %g", LARGEST_INDEX,
                          value);
    }
    *out = (long)value;
    return TRM_OK;
}

/// 8: from 0 to 7; [1, 8]: from 1 to 8.
static trm_status read_range(trm_reader *reader, const trm_node *node, long *first, long *count)
{
    *first = 0;
    if (node->type != TRM_NODE_ARRAY) {
        TRM_TRY(read_integer(reader, node, count));
    } else {
        long last = 0;
        if (trm_node_size(node) != 2) {
            return TRM_REFUSE(reader, node, "expected the first and the last index, got %d numbers",
                              trm_node_size(node));
        }
        TRM_TRY(read_integer(reader, node + 1, first));
        TRM_TRY(read_integer(reader, node + 1 + node[1].span, &last));
        *count = last - *first + 1;
    }
    return *count >= 0 ? TRM_OK : TRM_REFUSE(reader, node, "this repeats %ld times", *count);
}

static trm_status check_index(trm_reader *reader, const trm_node *node)
{
    const char *name = node->name;
    TRM_TRY(trm_check_word(reader, node, "an index"));
    const trm_names *const others[] = {&reader->parameters, &reader->definition_names};
    for (int i = 0; i < 2; i++) {
        const trm_name *other = trm_names_find(others[i], name, strlen(name));
        if (other->text) {
            return TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, node),
                            "\"%s\" cannot be an index: it is a %s (line %u)", name,
                            i ? "definition" : "parameter", other->node->key.line);
        }
    }
    return reader->nindex < TRM_INDICES
               ? TRM_OK
               : TRM_FAIL(reader->err, TRM_ERR_SCENE, trm_at_key(reader, node),
                          "an entry may have %d indices at most", TRM_INDICES);
}

/// A message about one of many elements says which.
static void tell_indices(const trm_reader *reader)
{
    trm_error *err = reader->err;
    for (int i = 0; err && i < reader->nindex; i++) {
        const size_t used = strlen(err->message);
        snprintf(err->message + used, sizeof err->message - used, "%s%s = %ld%s", i ? ", " : " (",
                 reader->index[i].name, reader->index[i].value, i + 1 < reader->nindex ? "" : ")");
    }
}

// ------------------------------------------------------------------------------------ the elements

typedef struct walk {
    trm_reader *reader;
    trm_read_element *read; // NULL: count only
    int n;                  // elements so far
    size_t repeated, bytes; // entries by repetition, and their text if it were written out
} walk;

/// Of an entry as it stands in the file.
static size_t text_of(const trm_reader *reader, const trm_node *element)
{
    const trm_document *const document = reader->document;
    const trm_node *const behind = element + element->span;
    const size_t end =
        behind < document->nodes + document->count ? behind->value.offset : strlen(document->text);
    return end - element->value.offset;
}

/// One more entry of a repetition, which may make no element: 1000 times 1000 times 0.
static trm_status count_repeated(walk *w, const trm_node *element, const trm_node *key)
{
    w->repeated++;
    w->bytes += text_of(w->reader, element);
    if (w->repeated <= MOST_REPEATED && w->bytes <= MOST_TEXT) {
        return TRM_OK;
    }
    return w->repeated > MOST_REPEATED
               ? TRM_REFUSE(w->reader, key,
                            "more than %d entries by \"repeat\"; write a larger mechanism out",
                            MOST_REPEATED)
               : TRM_REFUSE(w->reader, key,
                            "this stands for more than %d MB of text; write a larger mechanism out",
                            MOST_TEXT / (1024 * 1024));
}

static trm_status visit(walk *w, const trm_node *element)
{
    const int index = w->n++;
    const trm_status status = w->read ? w->read(w->reader, element, index) : TRM_OK;
    if (status != TRM_OK) {
        tell_indices(w->reader);
    }
    return status;
}

/// All values of the indices from `key` on.
static trm_status visit_all(walk *w, const trm_node *element, const trm_node *repeat,
                            const trm_node *key)
{
    trm_reader *reader = w->reader;
    if (key == repeat + repeat->span) {
        return visit(w, element);
    }
    long first = 0, count = 0;
    TRM_TRY(check_index(reader, key));
    TRM_TRY(read_range(reader, key, &first, &count));
    trm_index *index = &reader->index[reader->nindex++];
    index->name = key->name;
    for (long i = 0; i < count; i++) {
        index->value = first + i;
        TRM_TRY(count_repeated(w, element, key));
        TRM_TRY(visit_all(w, element, repeat, key + key->span));
    }
    reader->nindex--;
    return TRM_OK;
}

static trm_status walk_array(walk *w, const trm_node *array)
{
    TRM_TRY(trm_read_array(w->reader, array));
    const trm_node *end = array + array->span;
    for (const trm_node *element = array + 1; element < end; element += element->span) {
        const trm_node *repeat =
            element->type == TRM_NODE_OBJECT ? trm_node_find(element, "repeat") : NULL;
        if (!repeat) {
            TRM_TRY(visit(w, element));
            continue;
        }
        TRM_TRY(trm_read_object(w->reader, repeat));
        if (trm_node_size(repeat) == 0) {
            return TRM_REFUSE(w->reader, repeat, "expected an index and how often, as {\"i\": 8}");
        }
        TRM_TRY(visit_all(w, element, repeat, repeat + 1));
    }
    return TRM_OK;
}

trm_status trm_count_elements(trm_reader *reader, const trm_node *array, int *out)
{
    walk w = {.reader = reader};
    const trm_status status = walk_array(&w, array);
    *out = w.n;
    return status;
}

trm_status trm_read_elements(trm_reader *reader, const trm_node *array, trm_read_element *read)
{
    walk w = {.reader = reader, .read = read};
    return walk_array(&w, array);
}
