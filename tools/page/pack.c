#include "tools/page/pack.h"

#include "trammel/trammel_error.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

/// Four bytes are five digits of base 85; the last group is cut to what its bytes need. No digit is
/// markup, nor a quote.
static void base85(FILE *out, const unsigned char *b, size_t n)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                 "!#$%.()*+-;,=>:@^_`{|}~";
    for (size_t i = 0; i < n; i += 4) {
        const size_t left = n - i < 4 ? n - i : 4;
        uint32_t four = 0;
        char group[5];
        for (size_t k = 0; k < 4; k++) {
            four = four << 8 | (k < left ? b[i + k] : 0);
        }
        for (int k = 4; k >= 0; k--, four /= 85) {
            group[k] = digits[four % 85];
        }
        fwrite(group, 1, left + 1, out);
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
        base85(out, packed, z.total_out);
    }
    deflateEnd(&z);
    free(packed);
    return answer == Z_STREAM_END
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_MEMORY, "", "the data are too large to be packed");
}
