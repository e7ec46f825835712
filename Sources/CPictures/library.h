// A library of the system that is opened when it is first needed.
#pragma once

#include "CLibrary.h"
#include "CPictures.h"

#include <stdio.h>

typedef struct {
    // Its purpose, its file, and the Debian package that has it.
    const char *purpose;
    const char *file;
    const char *package;
    const clibrary_symbol *symbols;
    size_t count;
    bool is_open;
} cpicture_library;

// Opens the library and looks its functions up, once; false, with a message, if that is not possible.
bool cpicture_open(cpicture_library *library, char *message);

// Each row of 8 bits becomes one of 16.
static inline void cpicture_widen(uint16_t *to, const uint8_t *from, size_t count) {
    for (size_t index = 0; index < count; index++) to[index] = from[index];
}

static inline void cpicture_narrow(uint8_t *to, const uint16_t *from, size_t count) {
    for (size_t index = 0; index < count; index++) to[index] = (uint8_t)from[index];
}

static inline size_t cpicture_stride(cpicture_size size) { return (size_t)size.width * size.channels; }

static inline cpicture_result cpicture_bad(char *message, const char *reason) {
    snprintf(message, CPICTURE_MESSAGE_SIZE, "%s", reason);
    return CPICTURE_BAD;
}

cpicture_result cpicture_decode_jpeg(const uint8_t *, size_t, const cpicture_receiver *, char *);
cpicture_result cpicture_decode_png(const uint8_t *, size_t, const cpicture_receiver *, char *);
cpicture_result cpicture_decode_webp(const uint8_t *, size_t, const cpicture_receiver *, char *);
cpicture_result cpicture_decode_gif(const uint8_t *, size_t, const cpicture_receiver *, char *);
cpicture_result cpicture_encode_jpeg(const cpicture_source *, char *);
cpicture_result cpicture_encode_png(const cpicture_source *, char *);
cpicture_result cpicture_encode_webp(const cpicture_source *, char *);
