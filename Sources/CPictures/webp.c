// WebP by libwebp.
#ifdef OPSCRIPT_PICTURES

#include "library.h"

#include <stdlib.h>
#include <webp/decode.h>
#include <webp/encode.h>

static struct {
    VP8StatusCode (*GetFeaturesInternal)(const uint8_t *, size_t, WebPBitstreamFeatures *, int);
    uint8_t *(*DecodeRGBInto)(const uint8_t *, size_t, uint8_t *, size_t, int);
    uint8_t *(*DecodeRGBAInto)(const uint8_t *, size_t, uint8_t *, size_t, int);
    size_t (*EncodeRGB)(const uint8_t *, int, int, int, float, uint8_t **);
    size_t (*EncodeRGBA)(const uint8_t *, int, int, int, float, uint8_t **);
    size_t (*EncodeLosslessRGB)(const uint8_t *, int, int, int, uint8_t **);
    size_t (*EncodeLosslessRGBA)(const uint8_t *, int, int, int, uint8_t **);
    void (*Free)(void *);
} webp;

static const clibrary_symbol symbols[] = {
    {"WebPGetFeaturesInternal", (void **)&webp.GetFeaturesInternal},
    {"WebPDecodeRGBInto", (void **)&webp.DecodeRGBInto},
    {"WebPDecodeRGBAInto", (void **)&webp.DecodeRGBAInto},
    {"WebPEncodeRGB", (void **)&webp.EncodeRGB},
    {"WebPEncodeRGBA", (void **)&webp.EncodeRGBA},
    {"WebPEncodeLosslessRGB", (void **)&webp.EncodeLosslessRGB},
    {"WebPEncodeLosslessRGBA", (void **)&webp.EncodeLosslessRGBA},
    {"WebPFree", (void **)&webp.Free},
};

static cpicture_library library = {
    "a WebP picture", "libwebp.so.7", "libwebp7", symbols, sizeof symbols / sizeof *symbols, false,
};

cpicture_result cpicture_decode_webp(
    const uint8_t *bytes, size_t count, const cpicture_receiver *receiver, char *message) {
    if (!cpicture_open(&library, message)) return CPICTURE_LACKS_LIBRARY;
    WebPBitstreamFeatures features;
    switch (webp.GetFeaturesInternal(bytes, count, &features, WEBP_DECODER_ABI_VERSION)) {
    case VP8_STATUS_OK: break;
    case VP8_STATUS_NOT_ENOUGH_DATA: return cpicture_bad(message, "it ends too early");
    default: return cpicture_bad(message, "its header is damaged");
    }
    if (features.has_animation) return cpicture_bad(message, "it is animated, and only still WebP pictures are read");
    cpicture_size size = {(uint32_t)features.width, (uint32_t)features.height, features.has_alpha ? 4 : 3, 255};
    uint16_t *samples = receiver->begin(receiver->context, size);
    if (samples == NULL) return CPICTURE_STOPPED;
    size_t stride = cpicture_stride(size);
    uint8_t *pixels = malloc(stride * size.height);
    if (pixels == NULL) return CPICTURE_LACKS_MEMORY;
    bool is_whole = (features.has_alpha ? webp.DecodeRGBAInto : webp.DecodeRGBInto)(
        bytes, count, pixels, stride * size.height, (int)stride) != NULL;
    if (is_whole) cpicture_widen(samples, pixels, stride * size.height);
    free(pixels);
    if (!is_whole) return cpicture_bad(message, "it is damaged, or ends too early");
    return receiver->proceed(receiver->context, size.height) ? CPICTURE_DONE : CPICTURE_STOPPED;
}

cpicture_result cpicture_encode_webp(const cpicture_source *source, char *message) {
    if (!cpicture_open(&library, message)) return CPICTURE_LACKS_LIBRARY;
    cpicture_size size = source->size;
    if (size.width > WEBP_MAX_DIMENSION || size.height > WEBP_MAX_DIMENSION) {
        return cpicture_bad(message, "a WebP picture has at most 16383 pixels on a side");
    }
    size_t stride = cpicture_stride(size);
    uint8_t *pixels = malloc(stride * size.height);
    if (pixels == NULL) return CPICTURE_LACKS_MEMORY;
    cpicture_narrow(pixels, source->samples, stride * size.height);
    bool has_opacity = size.channels == 4;
    int width = (int)size.width, height = (int)size.height;
    uint8_t *bytes = NULL;
    size_t count;
    if (source->quality == 0) {
        count = (has_opacity ? webp.EncodeLosslessRGBA : webp.EncodeLosslessRGB)(
            pixels, width, height, (int)stride, &bytes);
    } else {
        count = (has_opacity ? webp.EncodeRGBA : webp.EncodeRGB)(
            pixels, width, height, (int)stride, (float)source->quality, &bytes);
    }
    free(pixels);
    // The library says no more.
    if (count == 0) return CPICTURE_LACKS_MEMORY;
    bool is_written = source->write(source->context, bytes, count);
    webp.Free(bytes);
    return is_written ? CPICTURE_DONE : CPICTURE_STOPPED;
}

#endif
