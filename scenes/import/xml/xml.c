// The tree of an XML text, by libexpat.

#include "scenes/import/xml/xml.h"

#include "base/status.h"
#include "base/text/decimal.h"
#include "scenes/json/scene_file.h"

#include <expat.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parse {
    trm_xml_files *files;
    const char *path;
    XML_Parser parser;
    trm_xml *root, *at;
    int depth;
    trm_status status;
} parse;

/// The first failure counts, and ends the reading.
static void stop(parse *p, trm_status status, const char *message)
{
    if (p->status != TRM_OK) {
        return;
    }
    char where[160];
    snprintf(where, sizeof where, "%.120s:%lu:%lu", p->path,
             (unsigned long)XML_GetCurrentLineNumber(p->parser),
             (unsigned long)XML_GetCurrentColumnNumber(p->parser) + 1);
    p->status = TRM_FAIL(p->files->err, status, where, "%s", message);
    XML_StopParser(p->parser, XML_FALSE);
}

static void *take(parse *p, size_t size)
{
    void *const found = trm_pool_take(p->files->pool, 1, size);
    if (!found) {
        stop(p, TRM_ERR_MEMORY, "out of memory");
    } else if (++p->files->nodes > TRM_XML_NODES) {
        stop(p, TRM_ERR_SCENE, "a model has at most 4000000 elements and attributes");
    }
    return p->status == TRM_OK ? found : NULL;
}

static const char *copy(parse *p, const char *text, size_t length)
{
    const char *const found = trm_pool_copy(p->files->pool, text, length);
    if (!found) {
        stop(p, TRM_ERR_MEMORY, "out of memory");
    }
    return found;
}

static void append(parse *p, trm_xml *node)
{
    trm_xml *const up = p->at;
    node->up = up;
    if (!up) {
        p->root = node;
    } else if (up->last) {
        up->last->next = node;
    } else {
        up->child = node;
    }
    if (up) {
        up->last = node;
    }
    p->at = node;
}

static void XMLCALL begin(void *user, const XML_Char *name, const XML_Char **values)
{
    parse *const p = user;
    trm_xml *const node = take(p, sizeof *node);
    if (!node) {
        return;
    }
    *node = (trm_xml){.name = copy(p, name, strlen(name)),
                      .text = "",
                      .file = p->path,
                      .line = (long)XML_GetCurrentLineNumber(p->parser),
                      .column = (long)XML_GetCurrentColumnNumber(p->parser) + 1};
    trm_xml_attribute **end = &node->attributes;
    for (; *values && p->status == TRM_OK; values += 2) {
        trm_xml_attribute *const one = take(p, sizeof *one);
        if (one) {
            one->name = copy(p, values[0], strlen(values[0]));
            one->value = copy(p, values[1], strlen(values[1]));
            *end = one;
            end = &one->next;
        }
    }
    append(p, node);
    if (++p->depth > TRM_XML_DEPTH) {
        stop(p, TRM_ERR_SCENE, "elements lie within each other at most 200 deep");
    }
}

static void XMLCALL end(void *user, const XML_Char *name)
{
    parse *const p = user;
    (void)name;
    p->at = p->at->up;
    p->depth--;
}

/// Joined with what stood before; expat gives a text in pieces.
static void XMLCALL text(void *user, const XML_Char *piece, int length)
{
    parse *const p = user;
    const size_t blank = strspn(piece, " \t\r\n");
    if (!p->at || p->status != TRM_OK || (!*p->at->text && blank >= (size_t)length)) {
        return;
    }
    const size_t before = strlen(p->at->text);
    if (before > 65536) {
        stop(p, TRM_ERR_SCENE, "the text of an element has at most 65536 bytes");
        return;
    }
    char *const joined = trm_pool_take(p->files->pool, before + (size_t)length + 1, 1);
    if (!joined) {
        stop(p, TRM_ERR_MEMORY, "out of memory");
        return;
    }
    memcpy(joined, p->at->text, before);
    memcpy(joined + before, piece, (size_t)length);
    p->at->text = joined;
}

static void XMLCALL entity(void *user, const XML_Char *name, int is_parameter,
                           const XML_Char *value, int length, const XML_Char *base,
                           const XML_Char *system, const XML_Char *public_id,
                           const XML_Char *notation)
{
    (void)name, (void)is_parameter, (void)value, (void)length, (void)base, (void)system;
    (void)public_id, (void)notation;
    stop(user, TRM_ERR_SCENE, "entities are not read; write their text in place of them");
}

static trm_status run(parse *p, const char *bytes, size_t length)
{
    XML_SetUserData(p->parser, p);
    XML_SetElementHandler(p->parser, begin, end);
    XML_SetCharacterDataHandler(p->parser, text);
    XML_SetEntityDeclHandler(p->parser, entity);
    const enum XML_Status parsed = XML_Parse(p->parser, bytes, (int)length, 1);
    if (p->status == TRM_OK && parsed != XML_STATUS_OK) {
        char message[200];
        snprintf(message, sizeof message, "this is no XML: %s",
                 XML_ErrorString(XML_GetErrorCode(p->parser)));
        stop(p, TRM_ERR_SYNTAX, message);
    }
    return p->status;
}

trm_status trm_xml_parse(trm_xml_files *files, const char *path, const char *bytes, size_t length,
                         trm_xml **root)
{
    parse p = {.files = files, .path = path, .parser = XML_ParserCreate(NULL)};
    if (!p.parser) {
        return TRM_FAIL(files->err, TRM_ERR_MEMORY, path, "out of memory");
    }
    const trm_status status = run(&p, bytes, length);
    XML_ParserFree(p.parser);
    *root = status == TRM_OK ? p.root : NULL;
    return status;
}

trm_status trm_xml_open(trm_xml_files *files, const char *path, trm_xml **root)
{
    trm_bytes bytes;
    for (int i = 0; i < files->n; i++) {
        if (!strcmp(files->paths[i], path)) {
            return TRM_FAIL(files->err, TRM_ERR_SCENE, path,
                            "the file is included a second time; include it once");
        }
    }
    if (files->n == TRM_XML_FILES) {
        return TRM_FAIL(files->err, TRM_ERR_SCENE, path, "a model is made of at most 1000 files");
    }
    const char *const kept = trm_pool_copy(files->pool, path, strlen(path));
    if (!kept) {
        return TRM_FAIL(files->err, TRM_ERR_MEMORY, path, "out of memory");
    }
    files->paths[files->n++] = kept;
    TRM_TRY(trm_bytes_read(kept, 1, &bytes, files->err));
    const trm_status status = trm_xml_parse(files, kept, bytes.text, bytes.length, root);
    free(bytes.text);
    return status;
}

trm_status trm_xml_beside(trm_xml_files *files, const char *name, const char **path)
{
    char *real = NULL;
    *path = NULL;
    TRM_TRY(trm_file_beside(files->folder, name, NULL, &real, files->err));
    *path = trm_pool_copy(files->pool, real, strlen(real));
    free(real);
    return *path ? TRM_OK : TRM_FAIL(files->err, TRM_ERR_MEMORY, name, "out of memory");
}

// ---------------------------------------------------------------------------------------- asking

int trm_xml_is(const trm_xml *node, const char *name)
{
    return !strcmp(node->name, name);
}

trm_xml *trm_xml_child(const trm_xml *node, const char *name)
{
    for (trm_xml *child = node->child; child; child = child->next) {
        if (trm_xml_is(child, name)) {
            child->used = 1;
            return child;
        }
    }
    return NULL;
}

const char *trm_xml_value(const trm_xml *node, const char *name)
{
    for (trm_xml_attribute *one = node->attributes; one; one = one->next) {
        if (!strcmp(one->name, name)) {
            one->used = 1;
            return one->value;
        }
    }
    return NULL;
}

void trm_xml_take(trm_xml *node)
{
    node->used = 1;
    for (trm_xml_attribute *one = node->attributes; one; one = one->next) {
        one->used = 1;
    }
    for (trm_xml *child = node->child; child; child = child->next) {
        trm_xml_take(child);
    }
}

const char *trm_xml_title(const trm_xml *node, char *out, size_t size)
{
    const char *name = NULL;
    for (const trm_xml_attribute *one = node->attributes; one; one = one->next) {
        name = !strcmp(one->name, "name") ? one->value : name;
    }
    if (name) {
        snprintf(out, size, "<%.40s name=\"%.40s\">", node->name, name);
    } else {
        snprintf(out, size, "<%.40s>", node->name);
    }
    return out;
}

trm_status trm_xml_fail(const trm_xml *node, trm_error *err, trm_source source, const char *format,
                        ...)
{
    char where[220], title[96], message[256];
    va_list rest;
    va_start(rest, format);
    vsnprintf(message, sizeof message, format, rest);
    va_end(rest);
    snprintf(where, sizeof where, "%.60s:%ld:%ld %s",
             strlen(node->file) > 60 ? node->file + strlen(node->file) - 60 : node->file,
             node->line, node->column, trm_xml_title(node, title, sizeof title));
    return trm_fail(err, TRM_ERR_SCENE, source, where, "%s", message);
}

int trm_xml_numbers(const char *text, int most, double *out)
{
    int n = 0;
    for (;;) {
        text += strspn(text, " \t\r\n");
        if (!*text) {
            return n;
        }
        size_t taken = 0;
        const size_t length = strcspn(text, " \t\r\n");
        const double x = trm_decimal(text, length, &taken);
        if (taken != length || !isfinite(x) || n == most) {
            return -1;
        }
        out[n++] = x;
        text += taken;
    }
}
