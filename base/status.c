#include "base/status.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *trm_version(void)
{
    return TRM_VERSION;
}

trm_status trm_version_check(int major, int minor, trm_error *err)
{
    const int fits = TRM_VERSION_MAJOR > 0 ? minor >= 0 && minor <= TRM_VERSION_MINOR
                                           : minor == TRM_VERSION_MINOR;
    return major == TRM_VERSION_MAJOR && fits
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_OPTIONS, "trammel",
                          "the program is made for version %d.%d of the library, this is %s", major,
                          minor, TRM_VERSION);
}

const char *trm_status_name(trm_status status)
{
    switch (status) {
#define TRM_STATUS_CASE(name, value, sentence)                                                     \
    case name:                                                                                     \
        return #name;
        TRM_STATUS_LIST(TRM_STATUS_CASE)
#undef TRM_STATUS_CASE
    }
    return "unknown status";
}

/// Mark a text that was cut off with "...".
static void end_with_dots(char *text, size_t size, int needed)
{
    if (needed >= (int)size) {
        memcpy(text + size - 4, "...", 4);
    }
}

trm_status trm_fail(trm_error *err, trm_status status, trm_source source, const char *where,
                    const char *format, ...)
{
    if (!err) {
        return status;
    }
    *err = (trm_error){
        .status = status, .t = NAN, .file = source.file, .func = source.func, .line = source.line};
    va_list arguments;
    va_start(arguments, format);
    const int needed = vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    end_with_dots(err->message, sizeof err->message, needed);
    if (where) {
        const int length = snprintf(err->where, sizeof err->where, "%s", where);
        end_with_dots(err->where, sizeof err->where, length);
    }
    return status;
}
