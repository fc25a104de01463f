/// trammel new NAME: a first scene, and a page beside it that says what stands in it.
#include "program/suggest.h"
#include "tools/common/commands.h"
#include "tools/common/diagnose.h"
#include "tools/common/output.h"
#include "tools/templates/templates.h"
#include "trammel/trammel_error.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FILE_NAME = 64 };

/// The title of a scene: the first string behind "title".
static void print_title(const char *scene)
{
    const char *const title = strstr(scene, "\"title\": \"") + strlen("\"title\": \"");
    printf("%.*s\n", (int)strcspn(title, "\""), title);
}

static void list_templates(void)
{
    for (const trm_template *a = trm_templates; a->name != NULL; a++) {
        printf("%-13s ", a->name);
        print_title(a->scene);
    }
    puts(
        "\n\"trammel new NAME\" writes NAME.json and NAME.md, a page that says what stands in it.");
}

static trm_status find_template(const char *name, const trm_template **out, trm_error *err)
{
    char hint[64];
    trm_suggestion suggestion = trm_suggest(name, strlen(name));
    for (const trm_template *a = trm_templates; a->name != NULL; a++) {
        if (strcmp(a->name, name) == 0) {
            *out = a;
            return TRM_OK;
        }
        trm_suggest_consider(&suggestion, a->name);
    }
    return TRM_FAIL(err, TRM_ERR_OPTIONS, "new",
                    "no template \"%.60s\"%s; \"trammel new\" lists them", name,
                    trm_suggest_text(&suggestion, hint, sizeof hint));
}

static trm_status refuse_to_replace(const char *path, trm_error *err)
{
    if (access(path, F_OK) == 0) {
        return TRM_FAIL(err, TRM_ERR_IO, path, "it is there already, and is not replaced");
    }
    return errno == ENOENT
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_IO, path, "cannot be written: %s", strerror(errno));
}

static trm_status write_template(const char *name, trm_error *err)
{
    const trm_template *a = NULL;
    char scene[FILE_NAME], page[FILE_NAME];
    TRM_TRY(find_template(name, &a, err));
    snprintf(scene, sizeof scene, "%s.json", a->name);
    snprintf(page, sizeof page, "%s.md", a->name);
    TRM_TRY(refuse_to_replace(scene, err));
    TRM_TRY(refuse_to_replace(page, err));
    TRM_TRY(trm_outfile_save(&(trm_outfile_wish){.path = scene}, a->scene, strlen(a->scene), err));
    TRM_TRY(trm_outfile_save(&(trm_outfile_wish){.path = page}, a->page, strlen(a->page), err));
    printf("%s   %s says what stands in it\n\n  trammel run %s\n  trammel view %s -o %s.html\n",
           scene, page, scene, scene, a->name);
    return TRM_OK;
}

int trm_command_new(int argc, char **argv)
{
    trm_error err = {.t = NAN};
    trm_arguments arguments;
    if (argc == 1) {
        list_templates();
        return TRM_EXIT_DONE;
    }
    if (argc == 2 && argv[1][0] != '-') {
        const trm_status status = write_template(argv[1], &err);
        if (status != TRM_OK) {
            err.status = status;
            trm_diagnose(&err, NULL);
        }
        return trm_exit_code(status, 0);
    }
    const trm_status status = trm_arguments_parse(TRM_COMMAND_PLAIN, argc, argv, &arguments, &err);
    if (status != TRM_OK) {
        trm_diagnose(&err, NULL);
    } else if (arguments.help) {
        puts("trammel new [NAME]\n");
        list_templates();
    }
    trm_arguments_destroy(&arguments);
    return trm_exit_code(status, 0);
}
