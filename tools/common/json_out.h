/// Writing one JSON value to a stream, piece by piece: RFC 8259, numbers with 17 digits so that
/// they read back exactly, non-finite ones as null, invalid UTF-8 replaced by U+FFFD.
#pragma once

#include <stdio.h>

enum { TRM_JSON_DEPTH = 16 };

/// Zero it and set `out`. Objects are written one member to a line, arrays on
/// one line unless they hold objects.
typedef struct trm_json {
    FILE *out;
    int depth;
    char container[TRM_JSON_DEPTH]; ///< '{', '[' or 'L' (an array written line by line)
    int count[TRM_JSON_DEPTH];      ///< values written in it so far
    int keyed;                      ///< a key was written and waits for its value
} trm_json;

void trm_json_object(trm_json *json);
void trm_json_array(trm_json *json); ///< on one line
void trm_json_list(trm_json *json);  ///< one element to a line
void trm_json_end(trm_json *json);   ///< of the innermost object or array
void trm_json_key(trm_json *json, const char *key);

void trm_json_number(trm_json *json, double x);
void trm_json_short(trm_json *json, double x); ///< five digits: for curves that are looked at
void trm_json_integer(trm_json *json, long x);
void trm_json_string(trm_json *json, const char *text); ///< null when text is NULL
void trm_json_boolean(trm_json *json, int x);
void trm_json_null(trm_json *json);
void trm_json_vector(trm_json *json, int n, const double *x);

/// Key and value in one.
void trm_json_key_number(trm_json *json, const char *key, double x);
void trm_json_key_integer(trm_json *json, const char *key, long x);
void trm_json_key_string(trm_json *json, const char *key, const char *text);
void trm_json_key_integers(trm_json *json, const char *key, int n, const int *x);
void trm_json_key_vector(trm_json *json, const char *key, int n, const double *x);
void trm_json_key_boolean(trm_json *json, const char *key, int x);
