#include "scenes/import/description/description.h"

#include "base/status.h"
#include "trammel/trammel_scene.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void trm_describe_no_memory(trm_description *d)
{
    if (d->status == TRM_OK) {
        d->status = TRM_FAIL(d->err, TRM_ERR_MEMORY, "import", "out of memory");
    }
}

void *trm_describe(trm_description *d, void *array_of, int *n, size_t size)
{
    void *const more = d->status == TRM_OK ? trm_pool_more(d->pool, array_of, n, size) : NULL;
    if (!more) {
        trm_describe_no_memory(d);
    }
    return more;
}

char *trm_describe_text(trm_description *d, const char *format, ...)
{
    char text[512];
    va_list rest;
    va_start(rest, format);
    vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    char *const copy = trm_pool_copy(d->pool, text, strlen(text));
    if (!copy) {
        trm_describe_no_memory(d);
    }
    return copy;
}

int trm_carrier(const trm_description *d, int link)
{
    return link < 0 ? TRM_LINK_GROUND : d->links[link].carrier;
}

// ---------------------------------------------------------------------------------------- losses

void trm_lose(trm_description *d, const trm_xml *node, const char *attribute, int moves,
              const char *consequence)
{
    enum { NEAR = 16 }; // copies of an element lose the same
    char title[96];
    trm_xml_title(node, title, sizeof title);
    const char *const element = attribute ? trm_describe_text(d, "%s %s", title, attribute)
                                          : trm_describe_text(d, "%s", title);
    for (int i = d->nlosses - 1; element && i >= 0 && i >= d->nlosses - NEAR; i--) {
        const trm_loss_info *const other = &d->losses[i];
        if (other->line == node->line && !strcmp(other->file, node->file) &&
            !strcmp(other->element, element) && other->consequence == consequence) {
            return;
        }
    }
    trm_loss_info *const loss = TRM_DESCRIBE(d, losses);
    if (loss) {
        *loss = (trm_loss_info){element, node->file, node->line, consequence, moves};
    }
}

/// The words of an element with this attribute, or without one.
static const trm_loss_word *word_of(const trm_loss_word *words, const char *element,
                                    const char *attribute)
{
    for (; words->consequence; words++) {
        const int same = !words->element || !strcmp(words->element, element);
        const char *const of = words->attribute;
        if (same && (attribute ? of && !strcmp(of, attribute) : !of && words->element)) {
            return words;
        }
    }
    return NULL;
}

static void lose(trm_description *d, const trm_xml *node, const char *attribute,
                 const trm_loss_word *words)
{
    const trm_loss_word *const word = word_of(words, node->name, attribute);
    trm_lose(d, node, attribute, word ? word->moves : 1,
             word        ? word->consequence
             : attribute ? "not read: what it says has no effect"
                         : "not read: what it holds is left out");
}

static int is_neutral(const trm_xml_attribute *one)
{
    return one->used || !strcmp(one->name, "name") || !strncmp(one->name, "xmlns", 5);
}

void trm_lose_unread(trm_description *d, const trm_xml *root, const trm_loss_word *words)
{
    const trm_xml *node = root;
    while (node) {
        int within = node->used;
        if (!node->used) {
            lose(d, node, NULL, words);
        }
        for (const trm_xml_attribute *one = node->attributes; within && one; one = one->next) {
            if (!is_neutral(one)) {
                lose(d, node, one->name, words);
            }
        }
        if (within && node->child) {
            node = node->child;
            continue;
        }
        while (node && node != root && !node->next) {
            node = node->up;
        }
        node = node && node != root ? node->next : NULL;
    }
}
