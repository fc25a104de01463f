/// trammel convert: a table or a recording as HDF5, for readers of NetCDF; a planar scene in space
/// as one of the plane.
#include "tools/common/commands.h"
#include "tools/common/diagnose.h"
#include "tools/common/output.h"
#include "tools/convert/hdf5.h"
#include "tools/convert/plane.h"
#include "trammel/trammel_error.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef TRM_HDF5_MODULE
/// Searched where the program says (its run path: beside it, or below the library's folder).
static trm_status write_hdf5(trm_csv *csv, const char *path, trm_error *err)
{
    trm_hdf5_writer *write = NULL;
    void *const module = dlopen(TRM_HDF5_MODULE, RTLD_NOW | RTLD_LOCAL);
    void *const found = module != NULL ? dlsym(module, "trm_hdf5_write") : NULL;
    if (found == NULL) {
        return TRM_FAIL(err, TRM_ERR_IO, path, "the writer of HDF5 cannot be loaded: %.200s",
                        dlerror());
    }
    memcpy(&write, &found, sizeof write); // POSIX: a function's address as that of an object
    return write(csv, path, err);
}
#else
static trm_status write_hdf5(trm_csv *csv, const char *path, trm_error *err)
{
    (void)csv;
    return TRM_FAIL(err, TRM_ERR_OPTIONS, path,
                    "this build has no HDF5; build it where libhdf5 is (Debian: libhdf5-dev)");
}
#endif

/// Written beside, renamed when whole: a killed writer of HDF5 leaves what nobody can read.
static trm_status convert(const char *from, const char *to, trm_error *err)
{
    char part[4096];
    trm_csv csv = {.n = 0};
    if (trm_output_is(from, ".json") && trm_output_is(to, ".json")) {
        return trm_plane_write(from, to, err);
    }
    if (!trm_output_is(to, ".h5") && !trm_output_is(to, ".nc")) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, to, "is to end in .h5 or .nc (of a scene: .json)");
    }
    if (snprintf(part, sizeof part, "%s.part", to) >= (int)sizeof part) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, to, "the name is too long");
    }
    TRM_TRY(trm_input_note(from, err));
    TRM_TRY(trm_outfile_refuse(to, err));
    trm_status status = trm_csv_open(from, &csv, err);
    status = status == TRM_OK ? write_hdf5(&csv, part, err) : status;
    trm_csv_close(&csv);
    if (status == TRM_OK && rename(part, to) != 0) {
        status = TRM_FAIL(err, TRM_ERR_IO, to, "cannot be written: %s", strerror(errno));
    }
    if (status != TRM_OK) {
        unlink(part);
    }
    return status;
}

int trm_command_convert(int argc, char **argv)
{
    trm_error err = {.t = NAN};
    trm_arguments arguments;
    trm_status status = trm_arguments_parse(TRM_COMMAND_CONVERT, argc, argv, &arguments, &err);
    if (status == TRM_OK && arguments.help) {
        trm_help(TRM_COMMAND_CONVERT);
    } else if (status == TRM_OK) {
        status = convert(arguments.recordings[0], arguments.recordings[1], &err);
    }
    trm_arguments_destroy(&arguments);
    if (status != TRM_OK) {
        err.status = status;
        trm_diagnose(&err, NULL);
    }
    return trm_exit_code(status, 0);
}
