// What URDF and SDF say alike: shapes, inertia, and the laws of a joint.

#include "scenes/import/description/description.h"

#include <stddef.h>
#include <string.h>

const char *trm_describe_file(trm_description *d, const trm_xml *node, const char *uri)
{
    static const char *const schemes[] = {"model://", "package://", "file://"};
    const char *const folder = d->files->folder, *const slash = strrchr(node->file, '/');
    const size_t n = strlen(folder);
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        if (!strncmp(uri, schemes[i], strlen(schemes[i]))) {
            return uri + strlen(schemes[i]);
        }
    }
    if (uri[0] == '/' || !slash || strncmp(node->file, folder, n) != 0 ||
        slash - node->file <= (ptrdiff_t)n) {
        return uri;
    }
    const char *const below = node->file + n + 1;
    return trm_describe_text(d, "%.*s%s", (int)(slash + 1 - below), below, uri);
}

int trm_describe_shape(trm_description *d, const trm_xml *geometry, trm_look *look)
{
    static const struct {
        const char *name;
        trm_look_kind kind;
    } shapes[] = {{"box", TRM_LOOK_BOX},
                  {"sphere", TRM_LOOK_SPHERE},
                  {"cylinder", TRM_LOOK_CYLINDER},
                  {"capsule", TRM_LOOK_CAPSULE},
                  {"ellipsoid", TRM_LOOK_ELLIPSOID},
                  {"mesh", TRM_LOOK_MESH}};
    const trm_xml *of = NULL;
    for (size_t i = 0; !of && i < sizeof shapes / sizeof *shapes; i++) {
        look->kind = shapes[i].kind;
        of = trm_xml_child(geometry, shapes[i].name);
    }
    if (!of) {
        return 0;
    }
    const char *const whole = look->kind == TRM_LOOK_BOX         ? "size"
                              : look->kind == TRM_LOOK_ELLIPSOID ? "radii"
                              : look->kind == TRM_LOOK_MESH      ? "scale"
                                                                 : NULL;
    if (look->kind == TRM_LOOK_MESH) {
        const trm_xml *const uri = trm_xml_child(of, "uri");
        memcpy(look->size, (const double[3]){1, 1, 1}, sizeof look->size);
        look->file = uri ? trm_describe_word(d, uri) : trm_xml_value(of, "filename");
        look->file = look->file ? trm_describe_file(d, of, look->file) : NULL;
    }
    if (whole) {
        trm_describe_field(d, of, whole, 3, look->size);
    } else {
        look->size[0] = trm_describe_field_number(d, of, "radius", 0);
        look->size[1] = trm_describe_field_number(d, of, "length", 0);
    }
    return 1;
}

void trm_describe_inertia(trm_description *d, const trm_xml *node, trm_mass *own)
{
    static const char *const names[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    static const int places[][2] = {{0, 0}, {1, 3}, {2, 6}, {4, 4}, {5, 7}, {8, 8}};
    for (int i = 0; node && i < 6; i++) {
        const double x = trm_describe_field_number(d, node, names[i], own->inertia[places[i][0]]);
        own->inertia[places[i][0]] = own->inertia[places[i][1]] = x;
    }
}

/// A limit; "inf" and numbers of 1e16 and beyond are none.
static double limit_of(trm_description *d, const trm_xml *limit, const char *name, double otherwise)
{
    const trm_xml *const child = limit ? trm_xml_child(limit, name) : NULL;
    const char *const word = trm_describe_word(d, child);
    const int sign = word && word[0] == '-' ? -1 : 1;
    if (word && !strncmp(word + (word[0] == '-' || word[0] == '+'), "inf", 3)) {
        return sign * TRM_NO_LIMIT;
    }
    return trm_describe_field_number(d, limit, name, otherwise);
}

void trm_describe_laws(trm_description *d, const trm_xml *limit, const trm_xml *dynamics,
                       double otherwise, trm_link_joint *out)
{
    double *const ends = out->limits;
    ends[0] = limit_of(d, limit, "lower", -otherwise);
    ends[1] = limit_of(d, limit, "upper", otherwise);
    out->limited =
        limit && ends[0] < ends[1] && (ends[0] > -TRM_NO_LIMIT || ends[1] < TRM_NO_LIMIT);
    out->damping = trm_describe_field_number(d, dynamics, "damping", 0);
    out->friction = trm_describe_field_number(d, dynamics, "friction", 0);
    if (ends[0] > ends[1]) {
        TRM_REFUSE(d, limit, "lower is %g, above upper, %g", ends[0], ends[1]);
    }
}
