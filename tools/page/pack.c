#include "tools/page/pack.h"

#include "trammel/trammel_error.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

static void base64(FILE *out, const unsigned char *b, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        const size_t left = n - i;
        const unsigned three = (unsigned)b[i] << 16 | (left > 1 ? (unsigned)b[i + 1] << 8 : 0) |
                               (left > 2 ? b[i + 2] : 0);
        fputc(digits[three >> 18], out);
        fputc(digits[three >> 12 & 63], out);
        fputc(left > 1 ? digits[three >> 6 & 63] : '=', out);
        fputc(left > 2 ? digits[three & 63] : '=', out);
    }
}

trm_status trm_pack(FILE *out, const unsigned char *bytes, size_t n, trm_error *err)
{
    enum { GZIP = 16, MEMORY = 9 };
    z_stream z = {0};
    if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP, MEMORY,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    const size_t room = deflateBound(&z, n);
    unsigned char *const packed = malloc(room);
    int answer = Z_MEM_ERROR;
    if (packed != NULL && n <= UINT_MAX && room <= UINT_MAX) {
        z.next_in = (unsigned char *)(size_t)bytes; // zlib does not change it
        z.avail_in = (uInt)n;
        z.next_out = packed;
        z.avail_out = (uInt)room;
        answer = deflate(&z, Z_FINISH);
    }
    if (answer == Z_STREAM_END) {
        base64(out, packed, z.total_out);
    }
    deflateEnd(&z);
    free(packed);
    return answer == Z_STREAM_END
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_MEMORY, "", "the data are too large to be packed");
}
