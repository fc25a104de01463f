// From the bytes of an XML file to the text of a scene.

#define _XOPEN_SOURCE 700 // realpath
#include "scenes/import/import.h"

#include "base/status.h"
#include "scenes/import/mjcf/mjcf.h"
#include "scenes/import/sdf/sdf.h"
#include "scenes/import/urdf/urdf.h"
#include "scenes/import/writer/writer.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

int trm_import_is(const trm_scene_source *source)
{
    static const char *const endings[] = {".xml", ".mjcf", ".urdf", ".sdf"};
    const char *const dot = source->path ? strrchr(source->path, '.') : NULL;
    int found = !source->path && source->length > 0 && source->json[0] == '<';
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++) {
        found |= !strcasecmp(dot, endings[i]);
    }
    return found;
}

/// The file is read once; others lie in its folder. Returns 0 without memory.
static int begin(trm_xml_files *files, const char *path)
{
    char *const real = path ? realpath(path, NULL) : NULL;
    char *const slash = real ? strrchr(real, '/') : NULL;
    files->folder = ".";
    if (slash) {
        files->paths[files->n++] = trm_pool_copy(files->pool, real, strlen(real));
        slash[slash == real] = '\0';
        files->folder = trm_pool_copy(files->pool, real, strlen(real));
    }
    free(real);
    return files->folder && (!files->n || files->paths[0]);
}

static int read_root(trm_description *d, const char *root)
{
    static const char *const words[] = {"fixed", "free"};
    for (int i = 0; root && i < 2; i++) {
        if (!strcmp(words[i], root)) {
            d->root = i + 1;
        }
    }
    return !root || d->root;
}

/// By the name of the root element.
static void read_format(trm_description *d, trm_xml *root)
{
    static const struct {
        const char *root;
        void (*read)(trm_description *d, trm_xml *root);
    } formats[] = {{"mujoco", trm_mjcf_read}, {"robot", trm_urdf_read}, {"sdf", trm_sdf_read}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (trm_xml_is(root, formats[i].root)) {
            formats[i].read(d, root);
            return;
        }
    }
    TRM_REFUSE(d, root,
               "the root element of MJCF is <mujoco>, that of URDF <robot>, that of SDF <sdf>");
}

static trm_status import(const trm_scene_source *source, trm_pool *pool, const trm_bytes *bytes,
                         trm_losses *losses, trm_text_buffer *out, trm_error *err)
{
    trm_xml *root = NULL;
    trm_description d = {.pool = pool, .err = err, .start = source->start, .loops = source->loops};
    trm_xml_files *const files = trm_pool_take(pool, 1, sizeof *files);
    if (files) {
        *files = (trm_xml_files){.pool = pool, .err = err};
    }
    if (!files || !begin(files, source->path)) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "import", "out of memory");
    }
    if (!read_root(&d, source->root)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "root", "expected fixed or free, got \"%.40s\"",
                        source->root);
    }
    TRM_TRY(trm_xml_parse(files, source->path ? source->path : "robot", bytes->text, bytes->length,
                          &root));
    d.files = files;
    read_format(&d, root);
    if (d.status == TRM_OK) {
        trm_write_scene(&d, out);
    }
    *losses = (trm_losses){d.nlosses, d.losses};
    return d.status;
}

trm_status trm_import(const trm_scene_source *source, trm_pool *pool, trm_bytes *bytes,
                      trm_losses *losses, trm_error *err)
{
    trm_text_buffer out = {0};
    const trm_status status = import(source, pool, bytes, losses, &out, err);
    free(bytes->text);
    if (status != TRM_OK) {
        trm_text_buffer_close(&out);
        out = (trm_text_buffer){0};
    }
    bytes->text = out.data;
    bytes->length = out.used;
    return status;
}
