#define _DEFAULT_SOURCE
#include "tools/sweep/study.h"

#include "tools/common/output.h"
#include "tools/run/checkpoint.h"
#include "trammel/trammel_error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static trm_status memory(trm_error *err)
{
    return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
}

// ---------------------------------------------------------------------------------------- header

/// As a field of a table: in quotes where it has to be.
static void write_field(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
    }
    fputc('"', out);
}

/// As a recording has it: bar.x[m], max(bar.x)[m].
static void write_name(FILE *out, const char *name, const char *state, const char *unit)
{
    char whole[320];
    const int bare = *unit == '\0';
    snprintf(whole, sizeof whole, "%s%s%s%s%s", name, state, bare ? "" : "[", unit,
             bare ? "" : "]");
    fputc(',', out);
    write_field(out, whole);
}

static trm_status write_header(trm_study *study, trm_error *err)
{
    size_t size;
    FILE *const out = trm_text_stream(&study->header, &size);
    if (out == NULL) {
        return memory(err);
    }
    fputs("index,status,checks", out);
    for (int i = 0; i < study->axes.n; i++) {
        if (study->axes.at[i].kind != TRM_AXIS_FIXED) {
            write_name(out, study->axes.at[i].name, "", study->axes.at[i].unit);
        }
    }
    for (int i = 0; i < study->outputs.n; i++) {
        const trm_kept *const output = &study->outputs.at[i];
        write_name(out, output->name, output->open ? ".undetermined_at_start" : "", output->unit);
    }
    fputs(",reason", out);
    return trm_stream_close(out) == 0 ? TRM_OK : memory(err);
}

// ----------------------------------------------------------------------------------------- facts

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static trm_status
add_fact(trm_study *study, const char *name, const char *format, ...)
{
    char value[TRM_FACT];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    char *const copy = strdup(value);
    if (copy == NULL || study->nfacts == TRM_FACTS) {
        free(copy);
        return TRM_ERR_MEMORY;
    }
    study->facts[study->nfacts++] = (trm_fact){name, copy};
    return TRM_OK;
}

static uint64_t sum_of(uint64_t sum, const char *text)
{
    do {
        sum = (sum ^ (unsigned char)*text) * UINT64_C(1099511628211); // Fowler-Noll-Vo
    } while (*text++ != '\0');
    return sum;
}

static void join_settings(const trm_arguments *a, char out[TRM_FACT])
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < a->nset && used < TRM_FACT; i++) {
        used += (size_t)snprintf(out + used, TRM_FACT - used, "%s%s", i > 0 ? " " : "", a->set[i]);
    }
}

/// What the method is: words and numbers of the command line, defaults as 0.
static trm_status add_method(trm_study *study)
{
    const trm_arguments *const a = &study->arguments;
    return add_fact(study, "method",
                    "%s %s given %#x: %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g "
                    "%.17g %.17g %.17g %.17g; %d %d %d %d %d %d %d",
                    a->method ? a->method : "auto", a->integrator ? a->integrator : "auto",
                    a->given & ~(unsigned)TRM_GIVEN_EVERY, a->step, a->max_step, a->rtol, a->atol,
                    a->accuracy, a->end, a->epsilon, a->iterations, a->alpha1, a->alpha0, a->alpha,
                    a->gamma, a->order, a->alpha2, a->E, a->metric, a->lambda0, a->formula,
                    a->local, a->form, a->control);
}

static trm_status collect_facts(trm_study *study, trm_error *err)
{
    const trm_arguments *const a = &study->arguments;
    char settings[TRM_FACT];
    uint64_t samples = 0, program = 0;
    const uint64_t scene = trm_load_sum(study->scene);
    if (a->samples != NULL) {
        TRM_TRY(trm_checkpoint_sum(a->samples, &samples, err));
    }
    if (trm_checkpoint_sum("/proc/self/exe", &program, err) == TRM_ERR_MEMORY) {
        return TRM_ERR_MEMORY; // 0 stays where there is no such file
    }
    join_settings(a, settings);
    trm_status status = add_fact(study, "version", "%s", trm_version());
    status = status ? status : add_fact(study, "program", "%016llx", (unsigned long long)program);
    status = status ? status : add_fact(study, "scene", "%016llx", (unsigned long long)scene);
    status = status ? status : add_fact(study, "--set", "%s", settings);
    status = status ? status : add_fact(study, "--samples", "%016llx", (unsigned long long)samples);
    status = status ? status : add_fact(study, "--seed", "%.0f", a->seed);
    status = status ? status : add_fact(study, "--runs", "%.0f", a->runs);
    status = status ? status : add_fact(study, "--latin", "%d", a->latin);
    status = status ? status : add_fact(study, "--design", "%d", a->design);
    status = status ? status : add_fact(study, "--budget", "%.17g", a->budget);
    status = status ? status : add_fact(study, "--outputs", "%s", a->outputs ? a->outputs : "");
    status = status ? status : add_fact(study, "--until", "%s", a->until ? a->until : "");
    status = status ? status
                    : add_fact(study, "--recordings", "%s %.17g",
                               a->record_folder ? a->record_folder : "",
                               a->given & TRM_GIVEN_EVERY ? a->every : -1);
    status = status ? status : add_fact(study, "--assemble", "%d", a->assemble);
    status = status ? status : add_method(study);
    status = status ? status : add_fact(study, "runs", "%ld", study->axes.runs);
    study->sum = UINT64_C(14695981039346656037);
    for (int i = 0; i < study->nfacts; i++) {
        study->sum = sum_of(sum_of(study->sum, study->facts[i].name), study->facts[i].value);
    }
    return status == TRM_OK ? status : memory(err);
}

// ---------------------------------------------------------------------------------------- create

/// The folder of the recordings is made, and can be written.
static trm_status make_folder(const char *folder, trm_error *err)
{
    if ((mkdir(folder, 0777) != 0 && errno != EEXIST) || access(folder, W_OK | X_OK) != 0) {
        return TRM_FAIL(err, TRM_ERR_IO, folder, "cannot be written: %s", strerror(errno));
    }
    return TRM_OK;
}

static trm_status check_recordings(const trm_arguments *a, trm_error *err)
{
    if (a->record_folder == NULL && (a->given & TRM_GIVEN_EVERY)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--every",
                        "is the interval of recordings; say where to with --recordings FOLDER");
    }
    return a->record_folder != NULL ? make_folder(a->record_folder, err) : TRM_OK;
}

double trm_study_end(const trm_study *study)
{
    const trm_arguments *const a = &study->arguments;
    return a->given & TRM_GIVEN_END ? a->end : trm_scene_simulation(study->scene).end;
}

static trm_status check_times(const trm_study *study, trm_error *err)
{
    const trm_arguments *const a = &study->arguments;
    const double end = trm_study_end(study);
    if (end <= 0 && !(a->given & TRM_GIVEN_END)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--end",
                        "the scene has no simulation.end; say how many seconds to simulate");
    }
    for (int i = 0; i < study->outputs.n; i++) {
        const trm_kept *const output = &study->outputs.at[i];
        if (output->kind == TRM_OUTPUT_AT && output->t > end) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, "--outputs",
                            "\"%.60s\" lies behind the end of the runs, %g s", output->name, end);
        }
    }
    return TRM_OK;
}

trm_status trm_study_create(trm_study *study, trm_error *err)
{
    trm_arguments bare = study->arguments;
    bare.nset = 0;
    TRM_TRY(trm_load(&bare, &study->scene, &study->model, err));
    TRM_TRY(trm_axes_create(&study->arguments, study->scene, study->model, &study->axes, err));
    TRM_TRY(trm_outputs_create(study->arguments.outputs, study->scene, study->model,
                               &study->outputs, err));
    TRM_TRY(check_times(study, err));
    TRM_TRY(check_recordings(&study->arguments, err));
    TRM_TRY(write_header(study, err));
    return collect_facts(study, err);
}

void trm_study_destroy(trm_study *study)
{
    for (int i = 0; i < study->nfacts; i++) {
        free(study->facts[i].value);
    }
    free(study->header);
    trm_outputs_destroy(&study->outputs);
    trm_axes_destroy(&study->axes);
    trm_model_destroy(study->model);
    trm_scene_destroy(study->scene);
}
