/// diagnosis_table FOLDER: what the diagnosis says of every scene in a folder, as a Markdown table.
///
///     build/validation/diagnosis_table tests/diagnosis      the table of
///     docs/validation/diagnosis.md
#include "trammel/trammel_check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCENES = 256, NAME = 128 };

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/// Names ending in .json, sorted. Returns how many, -1 when the folder cannot be read.
static int list(const char *folder, char names[SCENES][NAME])
{
    DIR *const dir = opendir(folder);
    int n = 0;
    if (dir == NULL) {
        return -1;
    }
    for (struct dirent *e = readdir(dir); e != NULL && n < SCENES; e = readdir(dir)) {
        const size_t length = strlen(e->d_name);
        if (length > 5 && length < NAME && strcmp(e->d_name + length - 5, ".json") == 0 &&
            strstr(e->d_name, "schema") == NULL) {
            memcpy(names[n++], e->d_name, length + 1);
        }
    }
    closedir(dir);
    qsort(names, (size_t)n, NAME, by_name);
    return n;
}

static int count(const trm_diagnosis *d, trm_redundancy_kind kind)
{
    int n = 0;
    for (int i = 0; i < d->nsets; i++) {
        n += d->sets[i].kind == kind;
    }
    return n;
}

/// The joints of the first set or conflict, or the suggestion that keeps the freedoms.
static void print_remark(const trm_model *model, const trm_diagnosis *d)
{
    if (d->nconflicts > 0) {
        const trm_conflict *const c = &d->conflicts[0];
        printf("%s", c->t_gap > 0 ? "later " : "");
        for (int i = 0; i < c->ngaps; i++) {
            printf("%s%s", i == 0 ? "" : ", ", trm_model_row_info(model, c->gaps[i].row).name);
        }
        const trm_gap *const last = &c->gaps[c->ngaps - 1];
        printf(": open by %.4g %s", last->size, last->unit);
    } else if (!d->consistent) {
        printf("start does not fit");
    } else if (d->acceleration_row >= 0) {
        printf("no acceleration fits");
    } else if (d->nrelaxations > 0) {
        const trm_relaxation *const r = &d->relaxations[0];
        printf(r->kind ? "make %s %s" : "take out %s", r->name, r->kind);
        printf(": %d left", r->redundant_left);
    } else if (d->nidle > 0) {
        printf("%s is idle", trm_model_body_info(model, d->idle[0].body).name);
    } else if (d->noff_ends > 0) {
        printf("%s is off the end of %s", d->off_ends[0].name,
               trm_model_body_info(model, d->off_ends[0].body).name);
    }
}

static void print_line(const char *name, const trm_scene *scene, const trm_model *model,
                       const trm_diagnosis *d)
{
    printf("| `%.*s` %s | %d | %d | %d | %d | %d | %d | %d | %d | ", (int)strlen(name) - 5, name,
           trm_scene_get_info(scene).title, d->gruebler, d->degrees_of_freedom, d->mobility,
           count(d, TRM_REDUNDANCY_STRUCTURAL), count(d, TRM_REDUNDANCY_SINGULAR_HERE),
           count(d, TRM_REDUNDANCY_CONTRADICTORY), d->nidle, d->nundetermined);
    print_remark(model, d);
    printf(" |\n");
}

static int diagnose(const char *folder, const char *name)
{
    char path[2048];
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_diagnosis *d = NULL;
    trm_error err = {.status = TRM_OK};
    snprintf(path, sizeof path, "%.1800s/%s", folder, name);
    trm_status status = trm_scene_load(path, &scene, &err);
    status = status == TRM_OK ? trm_model_build(scene, &model, &err) : status;
    status = status == TRM_OK ? trm_diagnosis_create(scene, model, NULL,
                                                     trm_scene_simulation(scene).end, &d, &err)
                              : status;
    if (status == TRM_OK) {
        print_line(name, scene, model, d);
    } else {
        fprintf(stderr, "%s: %s\n", err.where, err.message);
    }
    trm_diagnosis_destroy(d);
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return status == TRM_OK;
}

int main(int argc, char **argv)
{
    static char names[SCENES][NAME];
    const int n = argc == 2 ? list(argv[1], names) : -1;
    if (n < 0) {
        fputs("usage: diagnosis_table FOLDER\n", stderr);
        return 1;
    }
    puts("| scene | count | rank | moves | structural | singular here | contradictory | idle | "
         "undetermined forces | remark |\n"
         "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |");
    int ok = 1;
    for (int i = 0; i < n; i++) {
        ok = diagnose(argv[1], names[i]) && ok;
    }
    return ok ? 0 : 2;
}
