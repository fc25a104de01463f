// The order of reading: models and files within each other, and what is left.

#include "scenes/import/sdf/sdf.h"

#include "base/status.h"

#include <string.h>

static const char seen[] = "for eyes only";
static const char other[] = "of another program: left out";
static const char numerical[] = "of another solver: runs choose their own method and step";
static const char hard[] = "limits are rigid here";

static const trm_loss_word words[] = {
    {"collision", NULL, 1, "it stands in no link"},
    {"surface", NULL, 1, "contacts are rigid, with one coefficient of friction"},
    {"contact", NULL, 1, "contacts are rigid"},
    {"torsional", NULL, 1, "it spins without friction"},
    {"bullet", NULL, 1, "of another solver: friction is that of <ode>"},
    {"ode", NULL, 1, "of another solver"},
    {"mu2", NULL, 1, "friction is the same in all directions: mu"},
    {"fdir1", NULL, 1, "friction is the same in all directions: mu"},
    {"slip1", NULL, 1, "contacts are rigid"},
    {"slip2", NULL, 1, "contacts are rigid"},
    {"max_contacts", NULL, 0, numerical},
    {"visual", NULL, 0, seen},
    {"light", NULL, 0, seen},
    {"scene", NULL, 0, seen},
    {"gui", NULL, 0, seen},
    {"road", NULL, 0, seen},
    {"physics", NULL, 0, numerical},
    {"sensor", NULL, 0, "columns of a recording and markers take the place of sensors"},
    {"plugin", NULL, 1, other},
    {"actor", NULL, 1, other},
    {"population", NULL, 1, other},
    {"gripper", NULL, 1, other},
    {"world", NULL, 1, "the first world is read"},
    {"state", NULL, 1, "the world starts as its models say"},
    {"wind", NULL, 1, "bodies move in no medium"},
    {"atmosphere", NULL, 0, "bodies move in no medium"},
    {"magnetic_field", NULL, 0, "bodies feel no magnetic field"},
    {"spherical_coordinates", NULL, 0, "the world has no place on earth"},
    {"audio", NULL, 0, "nothing is heard"},
    {"effort", NULL, 0, "no drive moves the joint: it bounds nothing"},
    {"velocity", NULL, 0, "a bound for controllers: it has no effect"},
    {"stiffness", NULL, 0, hard},
    {"dissipation", NULL, 0, hard},
    {"allow_auto_disable", NULL, 0, numerical},
    {"must_be_base_link", NULL, 0, "it has no effect"},
    {"velocity_decay", NULL, 1, "bodies move in no medium"},
    {"fluid_added_mass", NULL, 1, "bodies move in no medium"},
    {NULL, "version", 0, "not asked for"},
    {NULL, NULL, 0, NULL},
};

// ------------------------------------------------------------------------------------------ files

/// A file is read once, and its tree serves every include that names it.
static trm_xml *open_file(trm_sdf *s, const trm_xml *node, const char *name)
{
    trm_error why = {0};
    trm_error *const err = s->d->files->err;
    const char *path = NULL;
    trm_xml *root = NULL;
    s->d->files->err = &why;
    trm_status status = trm_xml_beside(s->d->files, name, &path);
    for (int i = 0; status == TRM_OK && i < s->nroots && !root; i++) {
        root = !strcmp(s->roots[i]->file, path) ? s->roots[i] : NULL;
    }
    if (status == TRM_OK && !root) {
        status = trm_xml_open(s->d->files, path, &root);
        trm_xml **const kept =
            status == TRM_OK ? trm_describe(s->d, &s->roots, &s->nroots, sizeof *s->roots) : NULL;
        if (kept) {
            *kept = root;
        }
    }
    s->d->files->err = err;
    if (status == TRM_ERR_SYNTAX) { // the place within the file says more
        s->d->status = TRM_FAIL(err, status, why.where, "%s", why.message);
    } else if (status != TRM_OK) {
        TRM_REFUSE(s->d, node, "include \"%.60s\": %.160s", name, why.message);
    }
    return status == TRM_OK ? root : NULL;
}

/// The model of the file that an include names: a file, or a folder with a model.sdf.
static trm_xml *included(trm_sdf *s, const trm_xml *include)
{
    const char *const uri = trm_describe_word(s->d, trm_xml_child(include, "uri"));
    const char *name = uri ? trm_describe_file(s->d, include, uri) : NULL;
    if (!name) {
        TRM_REFUSE(s->d, include, "expected <uri>, the name of a file");
        return NULL;
    }
    const char *const dot = strrchr(name, '.');
    if (!dot || strchr(dot, '/')) {
        name = trm_describe_text(s->d, "%s/model.sdf", name);
    }
    trm_xml *const root = name ? open_file(s, include, name) : NULL;
    trm_xml *const model = root && trm_xml_is(root, "sdf") ? trm_xml_child(root, "model") : NULL;
    if (root && !model) {
        TRM_REFUSE(s->d, include, "\"%.80s\" holds no <sdf> with a <model>", name);
    } else if (root) {
        root->used = 1;
    }
    return model;
}

// ----------------------------------------------------------------------------------------- models

static trm_sdf_frame *add(trm_sdf *s, trm_sdf_kind kind, trm_xml *node, int model)
{
    trm_sdf_frame *const f = s->d->status == TRM_OK
                                 ? trm_describe(s->d, &s->frames, &s->nframes, sizeof *s->frames)
                                 : NULL;
    if (!f) {
        return NULL;
    }
    const int is_static = s->nframes > 1 ? s->frames[model].is_static : 0;
    *f = (trm_sdf_frame){.kind = kind,
                         .node = node,
                         .model = model,
                         .is_static = is_static,
                         .link = -1,
                         .joint = -1};
    f->pose = trm_xml_child(node, "pose");
    if (s->nframes > TRM_SDF_FRAMES) {
        TRM_REFUSE(s->d, node, "includes make more than %d elements", (int)TRM_SDF_FRAMES);
    }
    return f;
}

static const char *name_in(trm_sdf *s, const trm_xml *node, int model, const char *own)
{
    if (!own || !*own) {
        TRM_REFUSE(s->d, node, "expected a name");
        return "";
    }
    const char *const full = trm_describe_text(s->d, "%s%s", s->frames[model].prefix, own);
    return full ? full : "";
}

static void read_within(trm_sdf *s, trm_xml *node, int model, int depth);

/// A model, or one of a file: what the include says comes before what the file says.
static void read_model(trm_sdf *s, trm_xml *node, trm_xml *include, int outer, int depth)
{
    trm_sdf_frame *const f = add(s, TRM_SDF_MODEL, node, outer);
    const int index = s->nframes - 1;
    if (!f) {
        return;
    }
    if (depth > TRM_SDF_NESTED) {
        TRM_REFUSE(s->d, include ? include : node,
                   "models lie within each other at most %d deep; does a file include itself?",
                   (int)TRM_SDF_NESTED);
        return;
    }
    node->used = 1;
    const char *name = trm_xml_value(node, "name");
    const char *const merge = include ? trm_xml_value(include, "merge") : NULL;
    f->placement = trm_xml_value(node, "placement_frame");
    trm_xml_value(node, "canonical_link"); // trm_sdf_link_of asks for it
    f->is_static |= trm_sdf_flag(node, "static", 0);
    if (include) {
        const char *const own = trm_describe_word(s->d, trm_xml_child(include, "name"));
        const trm_xml *const pose = trm_xml_child(include, "pose");
        const trm_xml *const placement = trm_xml_child(include, "placement_frame");
        include->used = 1;
        name = own ? own : name;
        f->pose = pose ? pose : f->pose;
        f->placement = placement ? trm_describe_word(s->d, placement) : f->placement;
        f->is_static |= trm_sdf_flag(include, "static", 0);
    }
    const char *const full = name_in(s, node, outer, name);
    if (merge && (!strcmp(merge, "true") || !strcmp(merge, "1"))) {
        f->prefix = s->frames[outer].prefix;
        f->name = trm_describe_text(s->d, "%s%s::__merged__", f->prefix, name ? name : "");
    } else {
        f->prefix = trm_describe_text(s->d, "%s::", full);
        f->name = full;
    }
    if (s->d->status == TRM_OK) {
        read_within(s, node, index, depth);
    }
}

static void read_within(trm_sdf *s, trm_xml *node, int model, int depth)
{
    static const struct {
        const char *name;
        trm_sdf_kind kind;
    } kinds[] = {{"link", TRM_SDF_LINK}, {"joint", TRM_SDF_JOINT}, {"frame", TRM_SDF_FRAME}};
    for (trm_xml *child = node->child; child && s->d->status == TRM_OK; child = child->next) {
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            trm_sdf_frame *const f =
                trm_xml_is(child, kinds[i].name) ? add(s, kinds[i].kind, child, model) : NULL;
            if (f) {
                child->used = 1;
                f->name = name_in(s, child, model, trm_xml_value(child, "name"));
                f->prefix = f->name;
            }
        }
        if (trm_xml_is(child, "model")) {
            read_model(s, child, NULL, model, depth + 1);
        } else if (trm_xml_is(child, "include")) {
            trm_xml *const of = included(s, child);
            if (of) {
                read_model(s, of, child, model, depth + 1);
            }
        }
    }
}

static void enter_names(trm_sdf *s)
{
    if (!trm_names_open(&s->names, s->d->pool, (size_t)s->nframes + 1)) {
        trm_describe_no_memory(s->d);
        return;
    }
    for (int i = 1; i < s->nframes && s->d->status == TRM_OK; i++) {
        const char *const name = s->frames[i].name;
        trm_name *const slot = trm_names_find(&s->names, name, strlen(name));
        if (slot->text) {
            TRM_REFUSE(s->d, s->frames[i].node, "there is another element of this name: \"%.80s\"",
                       name);
        }
        *slot = (trm_name){.text = name, .index = i};
        s->skip = i == 1                                             ? strlen(s->frames[i].prefix)
                  : strncmp(name, s->frames[1].prefix, s->skip) != 0 ? 0
                                                                     : s->skip;
    }
}

static void read_world(trm_sdf *s, trm_xml *root)
{
    trm_xml *const world = trm_xml_child(root, "world");
    trm_xml *const node = world ? world : root;
    trm_sdf_frame *const f = add(s, TRM_SDF_MODEL, node, TRM_SDF_WORLD);
    if (!f) {
        return;
    }
    const trm_xml *const gravity = world ? trm_xml_child(world, "gravity") : NULL;
    f->name = f->prefix = "";
    f->pose = NULL;
    f->place = f->local = trm_frame_identity();
    f->state = 2;
    memcpy(s->d->gravity, (const double[3]){0, 0, -9.8}, sizeof s->d->gravity);
    if (gravity) {
        trm_describe_numbers(s->d, gravity, NULL, 3, s->d->gravity);
    }
    s->d->title = world ? trm_xml_value(world, "name") : NULL;
    read_within(s, node, TRM_SDF_WORLD, 0);
    if (!s->d->title && s->nframes > 1) {
        s->d->title = s->frames[1].name;
    }
}

void trm_sdf_read(trm_description *d, trm_xml *root)
{
    trm_sdf s = {.d = d};
    void (*const steps[])(trm_sdf *) = {enter_names, trm_sdf_places, trm_sdf_links, trm_sdf_joints};
    root->used = 1;
    if (d->start || d->loops) {
        TRM_REFUSE(d, root,
                   d->start ? "SDF has no keyframes"
                            : "SDF closes loops by its joints; "
                              "--loops is for URDF");
    }
    trm_xml **const kept = trm_describe(d, &s.roots, &s.nroots, sizeof *s.roots);
    if (!kept) {
        return;
    }
    *kept = root;
    read_world(&s, root);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && d->status == TRM_OK; i++) {
        steps[i](&s);
    }
    if (d->status == TRM_OK) {
        trm_carry_masses(d);
        trm_share_masses(d);
    }
    for (int i = 0; i < s.nroots && d->status == TRM_OK; i++) {
        trm_lose_unread(d, s.roots[i], words);
    }
}
