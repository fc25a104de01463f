// Loops that are written beside a URDF: frames closing_NAME_1 and closing_NAME_2 meet in a point;
// a file lists pairs of frames and how they meet:
//
//     closed_loop: [[left_tip, right_tip], [a, b]]
//     type: [3d, 6d]

#include "scenes/import/urdf/urdf.h"

#include "base/status.h"
#include "scenes/json/scene_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 128 };

static void close_pair(trm_urdf *u, const int link[2], int is_weld, const trm_xml *from,
                       const char *name)
{
    trm_description *const d = u->d;
    if (trm_carrier(d, link[0]) == trm_carrier(d, link[1])) {
        trm_lose(d, from, NULL, 0, "both frames are fixed to each other already");
        return;
    }
    trm_link_joint *const joint = TRM_DESCRIBE(d, joints);
    if (joint) {
        *joint = (trm_link_joint){.name = name,
                                  .from = from,
                                  .type = is_weld ? TRM_LINK_WELD : TRM_LINK_BALL,
                                  .a = link[0],
                                  .b = link[1]};
        memcpy(joint->point[0], d->links[link[0]].place.p, sizeof joint->point[0]);
        memcpy(joint->point[1], d->links[link[1]].place.p, sizeof joint->point[1]);
    }
}

/// closing_NAME_1 with closing_NAME_2.
static void close_by_name(trm_urdf *u)
{
    static const char prefix[] = "closing_";
    trm_description *const d = u->d;
    const int nlinks = d->nlinks;
    for (int i = 0; i < nlinks && d->status == TRM_OK; i++) {
        const char *const name = d->links[i].name;
        const size_t n = strlen(name);
        char other[WORD];
        if (strncmp(name, prefix, sizeof prefix - 1) != 0 || n < 3 || n >= WORD ||
            strcmp(name + n - 2, "_1") != 0) {
            continue;
        }
        snprintf(other, sizeof other, "%.*s2", (int)n - 1, name);
        const trm_name *const found = trm_names_find(&u->links, other, n);
        if (!found->text) {
            TRM_REFUSE(d, d->links[i].from, "there is no frame \"%.60s\" that it meets", other);
            return;
        }
        const int link[2] = {i, found->index};
        close_pair(u, link, 0, d->links[i].from, trm_describe_text(d, "%.*s", (int)n - 2, name));
    }
}

// ---------------------------------------------------------------------------------- pairs of a
// file

typedef struct pairs {
    const char *at, *path;
    int line;
    char word[WORD];
} pairs;

static int is_mark(char c)
{
    return strchr(" \t\r\n[]{},:", c) != NULL;
}

/// The next word; is_key: a colon follows it. Returns 0 at the end, -1 where a word is too long.
static int next_word(pairs *p, int *is_key)
{
    for (;;) {
        if (*p->at == '#') {
            p->at += strcspn(p->at, "\n");
        } else if (*p->at &&
                   (is_mark(*p->at) || (*p->at == '-' && (is_mark(p->at[1]) || p->at[1] == '-')))) {
            p->line += *p->at++ == '\n';
        } else {
            break;
        }
    }
    const char quote = *p->at == '"' || *p->at == '\'' ? *p->at++ : '\0';
    size_t n = 0;
    while (*p->at && (quote ? *p->at != quote && *p->at != '\n' : !is_mark(*p->at))) {
        if (n + 1 >= sizeof p->word) {
            return -1;
        }
        p->word[n++] = *p->at++;
    }
    p->word[n] = '\0';
    p->at += quote && *p->at == quote;
    const char *const after = p->at + strspn(p->at, " \t");
    *is_key = *after == ':';
    return n > 0 || quote;
}

static void refuse(trm_urdf *u, const pairs *p, const char *says)
{
    char where[160];
    if (u->d->status == TRM_OK) {
        snprintf(where, sizeof where, "%.130s:%d", p->path, p->line);
        u->d->status = TRM_FAIL(u->d->err, TRM_ERR_SCENE, where, "%s: \"%.100s\"", says, p->word);
    }
}

/// The pairs in order, then their types by number.
static void read_pairs(trm_urdf *u, pairs *p)
{
    enum { NONE, LOOPS, TYPES } list = NONE;
    trm_description *const d = u->d;
    const int before = d->njoints;
    int link[2], half = 0, ntypes = 0, is_key, more;
    while ((more = next_word(p, &is_key)) == 1 && d->status == TRM_OK) {
        const trm_name *const found = trm_names_find(&u->links, p->word, strlen(p->word));
        if (is_key) {
            list = !strcmp(p->word, "closed_loop") ? LOOPS
                   : !strcmp(p->word, "type")      ? TYPES
                                                   : NONE;
            if (list == NONE) {
                trm_lose(d, u->root, trm_describe_text(d, "--loops %.60s", p->word), 1,
                         "keys beside closed_loop and type have no effect");
            }
        } else if (list == NONE) {
            continue;
        } else if (list == LOOPS && found->text) {
            link[half] = found->index;
            half = 1 - half;
            if (!half) {
                close_pair(u, link, 1, d->links[link[0]].from,
                           trm_describe_text(d, "loop%d", d->njoints - before + 1));
            }
        } else if (list == LOOPS) {
            refuse(u, p, "there is no link of this name");
        } else if (list == TYPES && before + ntypes >= d->njoints) {
            refuse(u, p, "there are more types than pairs of closed_loop, which comes first");
        } else if (list == TYPES && (!strcmp(p->word, "3d") || !strcmp(p->word, "6d"))) {
            d->joints[before + ntypes++].type = p->word[0] == '3' ? TRM_LINK_BALL : TRM_LINK_WELD;
        } else {
            refuse(u, p, "expected 3d or 6d for each pair, got");
        }
    }
    if (more < 0 || half) {
        refuse(u, p,
               more < 0 ? "the word is too long"
                        : "a loop closes between two frames; there is one");
    }
}

void trm_urdf_loops(trm_urdf *u)
{
    trm_bytes bytes;
    close_by_name(u);
    if (!u->d->loops || u->d->status != TRM_OK) {
        return;
    }
    u->d->status = trm_bytes_read(u->d->loops, 1, &bytes, u->d->err);
    if (u->d->status == TRM_OK) {
        pairs p = {.at = bytes.text, .path = u->d->loops, .line = 1};
        read_pairs(u, &p);
        free(bytes.text);
    }
}
