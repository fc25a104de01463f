/// The page of a run: its recording, read again, with what happened on the way.
#include "tools/page/record.h"
#include "tools/run/run.h"
#include "trammel/trammel_error.h"

#include <stdio.h>
#include <string.h>

void trm_page_command(int argc, char **argv, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "trammel");
    for (int i = 0; i < argc && used < size; i++) {
        const int plain = argv[i][0] != '\0' && strpbrk(argv[i], " '\"*()<>|&;$`\\") == NULL;
        const char *const own = argv[i][0] == '/' ? strrchr(argv[i], '/') + 1 : argv[i];
        used += (size_t)snprintf(out + used, size - used, plain ? " %s" : " '%s'", own);
    }
}

trm_status trm_page_of_run(trm_program_run *run, const char *path, const char *command,
                           trm_error *err)
{
    trm_tape tape;
    trm_status status = trm_tape_read(run->record, &tape, err);
    if (status == TRM_OK) {
        const trm_method *const m = run->choice.method;
        snprintf(tape.label, sizeof tape.label, "%s with %s", m->integrator_name,
                 m->stabilization_name);
        trm_page_take(&tape, &run->events);
        status = trm_page_save(path, run->scene, run->model, 1, &tape, command, err);
    }
    trm_tape_destroy(&tape);
    return status;
}
