// JPEG, PNG, WebP and GIF by the system's libraries, which are opened when they are first needed: a program that reads
// no such picture does not load them, and the machine need not have them.
//
// This header includes none of theirs; those are needed only for a build with the package trait `Pictures`.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The room that a message needs.
enum { CPICTURE_MESSAGE_SIZE = 320 };

typedef enum { CPICTURE_JPEG, CPICTURE_PNG, CPICTURE_WEBP, CPICTURE_GIF } cpicture_format;

typedef enum {
    CPICTURE_DONE,
    // A callback returned NULL or false.
    CPICTURE_STOPPED,
    // The bytes are not a picture of the format, or the picture cannot be written in it; the message has the reason.
    CPICTURE_BAD,
    CPICTURE_LACKS_MEMORY,
    // The message names the library, and the package that has it.
    CPICTURE_LACKS_LIBRARY,
} cpicture_result;

// The size of a picture. Its samples are in rows from the top, in pixels from the left, in channels: 1 is grey, 2 grey
// and opacity, 3 red, green and blue, 4 these and opacity.
typedef struct {
    uint32_t width;
    uint32_t height;
    uint32_t channels;
    // The sample of full brightness: 255 or 65535.
    uint16_t maximum;
} cpicture_size;

// The receiver of a picture that is decoded.
typedef struct {
    void *context;
    // Returns memory for all samples, which stays valid until the end; NULL to stop.
    uint16_t *(*begin)(void *context, cpicture_size size);
    // Called from time to time, with the number of rows that are complete; false to stop.
    bool (*proceed)(void *context, uint32_t rows);
} cpicture_receiver;

// A picture that is encoded.
typedef struct {
    cpicture_size size;
    const uint16_t *samples;
    // 1 to 100, for JPEG and WebP; 0 for a lossless WebP.
    int quality;
    void *context;
    // Called once, with all bytes.
    bool (*write)(void *context, const uint8_t *bytes, size_t count);
    bool (*proceed)(void *context, uint32_t rows);
} cpicture_source;

// Decodes the first picture of the bytes. `message` has room for CPICTURE_MESSAGE_SIZE characters.
cpicture_result cpicture_decode(
    cpicture_format format, const uint8_t *bytes, size_t count, const cpicture_receiver *receiver, char *message);

// Encodes a picture: JPEG and PNG with 1 or 3 channels, PNG also with 2 or 4, WebP with 3 or 4; only PNG with samples
// of 16 bits.
cpicture_result cpicture_encode(cpicture_format format, const cpicture_source *source, char *message);
