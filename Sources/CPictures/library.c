// Opens the libraries, and passes a picture to the one for its format.
#ifdef OPSCRIPT_PICTURES

#include "library.h"

#include <pthread.h>

bool cpicture_open(cpicture_library *library, char *message) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!library->is_open) {
        void *handle;
        const char *detail;
        clibrary_outcome outcome = clibrary_load(library->file, library->symbols, library->count, &handle, &detail);
        library->is_open = outcome == CLIBRARY_OPEN;
        if (!library->is_open) {
            snprintf(message, CPICTURE_MESSAGE_SIZE,
                "%s needs the library %s, which %s; on Debian it is in the package %s", library->purpose, library->file,
                outcome == CLIBRARY_ABSENT ? "cannot be opened" : "lacks a function", library->package);
        }
    }
    bool is_open = library->is_open;
    pthread_mutex_unlock(&lock);
    return is_open;
}

cpicture_result cpicture_decode(
    cpicture_format format, const uint8_t *bytes, size_t count, const cpicture_receiver *receiver, char *message) {
    message[0] = 0;
    switch (format) {
    case CPICTURE_JPEG: return cpicture_decode_jpeg(bytes, count, receiver, message);
    case CPICTURE_PNG: return cpicture_decode_png(bytes, count, receiver, message);
    case CPICTURE_WEBP: return cpicture_decode_webp(bytes, count, receiver, message);
    case CPICTURE_GIF: return cpicture_decode_gif(bytes, count, receiver, message);
    }
    return cpicture_bad(message, "the format is unknown");
}

cpicture_result cpicture_encode(cpicture_format format, const cpicture_source *source, char *message) {
    message[0] = 0;
    switch (format) {
    case CPICTURE_JPEG: return cpicture_encode_jpeg(source, message);
    case CPICTURE_PNG: return cpicture_encode_png(source, message);
    case CPICTURE_WEBP: return cpicture_encode_webp(source, message);
    case CPICTURE_GIF: break;
    }
    return cpicture_bad(message, "pictures of this format are only read");
}

#endif
