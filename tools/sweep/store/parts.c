#include "tools/sweep/store/parts.h"

#include "trammel/trammel_error.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A whole number of the environment; `fallback` when it is not there.
static long from_environment(const char *name, long fallback)
{
    const char *const text = getenv(name);
    char *end;
    const long value = text != NULL ? strtol(text, &end, 10) : fallback;
    return text != NULL && (end == text || *end != '\0') ? fallback : value;
}

/// Tasks of an array may begin anywhere and go in steps.
static trm_status of_slurm(trm_part *out, trm_error *err)
{
    const long id = from_environment("SLURM_ARRAY_TASK_ID", -1);
    const long count = from_environment("SLURM_ARRAY_TASK_COUNT", -1);
    if (id < 0 || count < 1) {
        return TRM_OK;
    }
    const long first = from_environment("SLURM_ARRAY_TASK_MIN", 0);
    const long step = from_environment("SLURM_ARRAY_TASK_STEP", 1);
    const long i = step > 0 && id >= first ? (id - first) / step + 1 : 0;
    if (i < 1 || i > count || (id - first) % step != 0) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--shard",
                        "task %ld of this Slurm array of %ld is no regular part; say which it is, "
                        "with --shard I/N",
                        id, count);
    }
    *out = (trm_part){i, count};
    return TRM_OK;
}

trm_status trm_part_choose(const trm_arguments *arguments, trm_part *out, trm_error *err)
{
    *out = (trm_part){0, 0};
    if (arguments->shard == NULL) {
        return of_slurm(out, err);
    }
    int used = 0;
    const int read = sscanf(arguments->shard, "%ld/%ld%n", &out->i, &out->n, &used);
    if (read != 2 || arguments->shard[used] != '\0' || out->i < 1 || out->i > out->n ||
        out->n > TRM_MOST_PARTS) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--shard",
                        "expected I/N with 1 <= I <= N, got \"%.40s\"", arguments->shard);
    }
    return TRM_OK;
}

trm_status trm_part_path(const char *table, trm_part part, const char *extension,
                         char out[TRM_PART_PATH], trm_error *err)
{
    char of[64] = "";
    if (part.n > 0) {
        snprintf(of, sizeof of, ".part-%ld-of-%ld", part.i, part.n);
    }
    const int n = snprintf(out, TRM_PART_PATH, "%s%s%s", table, of, extension);
    return n < TRM_PART_PATH ? TRM_OK
                             : TRM_FAIL(err, TRM_ERR_OPTIONS, "-o", "the name is too long");
}

static int by_number(const void *a, const void *b)
{
    const trm_part *const x = a, *const y = b;
    return (x->i > y->i) - (x->i < y->i);
}

/// Whether a file's name is that of a log of the table `base`.
static int is_log(const char *name, const char *base, trm_part *out)
{
    const size_t n = strlen(base);
    int used = 0;
    if (strncmp(name, base, n) != 0) {
        return 0;
    }
    if (strcmp(name + n, ".log") == 0) {
        *out = (trm_part){0, 0};
        return 1;
    }
    return sscanf(name + n, ".part-%ld-of-%ld%n", &out->i, &out->n, &used) == 2 &&
           strcmp(name + n + used, ".log") == 0 && out->i >= 1 && out->i <= out->n &&
           out->n <= TRM_MOST_PARTS;
}

static trm_status list_logs(const char *table, trm_part **out, long *n, trm_error *err)
{
    char folder[TRM_PART_PATH];
    const char *const slash = strrchr(table, '/');
    snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - table) + 1 : 2,
             slash != NULL ? table : "./");
    DIR *const dir = opendir(folder);
    if (dir == NULL) {
        return TRM_FAIL(err, TRM_ERR_IO, folder, "cannot be read: %s", strerror(errno));
    }
    trm_status status = TRM_OK;
    const char *const base = slash != NULL ? slash + 1 : table;
    for (struct dirent *entry; status == TRM_OK && (entry = readdir(dir)) != NULL;) {
        trm_part part;
        if (!is_log(entry->d_name, base, &part)) {
            continue;
        }
        trm_part *const grown = realloc(*out, ((size_t)*n + 1) * sizeof *grown);
        status = grown ? TRM_OK : TRM_FAIL(err, TRM_ERR_MEMORY, table, "out of memory");
        if (grown != NULL) {
            *out = grown;
            grown[(*n)++] = part;
        }
    }
    closedir(dir);
    return status;
}

/// All of one division, and all of them.
static trm_status check(const char *table, const trm_part *components, long n, trm_error *err)
{
    char list[160] = "";
    long missing = 0;
    for (long k = 1; k < n; k++) {
        if (components[k].n != components[0].n) {
            return TRM_FAIL(
                err, TRM_ERR_OPTIONS, table,
                "the parts overlap: there is a part of %ld and one of %ld; remove those "
                "that do not belong",
                components[0].n > 0 ? components[0].n : 1,
                components[k].n > 0 ? components[k].n : 1);
        }
    }
    for (long i = 1, k = 0; components[0].n > 0 && i <= components[0].n; i++) {
        if (k < n && components[k].i == i) {
            k++;
            continue;
        }
        const size_t used = strlen(list);
        if (used < sizeof list - 24) {
            snprintf(list + used, sizeof list - used, "%s%ld", missing > 0 ? ", " : "", i);
        }
        missing++;
    }
    return missing == 0 ? TRM_OK
                        : TRM_FAIL(err, TRM_ERR_IO, table, "%ld of %ld parts %s missing: %s",
                                   missing, components[0].n, missing == 1 ? "is" : "are", list);
}

trm_status trm_sweep_parts_find(const char *table, trm_part **out, long *n, trm_error *err)
{
    *out = NULL;
    *n = 0;
    TRM_TRY(list_logs(table, out, n, err));
    if (*n == 0) {
        return TRM_FAIL(err, TRM_ERR_IO, table, "there is no log of a sweep of this name");
    }
    qsort(*out, (size_t)*n, sizeof **out, by_number);
    return check(table, *out, *n, err);
}
