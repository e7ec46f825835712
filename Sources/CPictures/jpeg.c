// JPEG by libjpeg-turbo.
#ifdef OPSCRIPT_PICTURES

#include "library.h"

#include <setjmp.h>
#include <stdlib.h>

// After <stdio.h>, which it does not include itself.
#include <jerror.h>
#include <jpeglib.h>

#if JPEG_LIB_VERSION >= 80
#define JPEG_FILE "libjpeg.so.8"
#define JPEG_PACKAGE "libjpeg-turbo8"
#else
#define JPEG_FILE "libjpeg.so.62"
#define JPEG_PACKAGE "libjpeg62-turbo"
#endif

static struct {
    struct jpeg_error_mgr *(*std_error)(struct jpeg_error_mgr *);
    void (*CreateDecompress)(j_decompress_ptr, int, size_t);
    void (*mem_src)(j_decompress_ptr, const unsigned char *, unsigned long);
    int (*read_header)(j_decompress_ptr, boolean);
    boolean (*start_decompress)(j_decompress_ptr);
    JDIMENSION (*read_scanlines)(j_decompress_ptr, JSAMPARRAY, JDIMENSION);
    boolean (*finish_decompress)(j_decompress_ptr);
    void (*destroy_decompress)(j_decompress_ptr);
    void (*CreateCompress)(j_compress_ptr, int, size_t);
    void (*set_defaults)(j_compress_ptr);
    void (*set_quality)(j_compress_ptr, int, boolean);
    void (*start_compress)(j_compress_ptr, boolean);
    JDIMENSION (*write_scanlines)(j_compress_ptr, JSAMPARRAY, JDIMENSION);
    void (*finish_compress)(j_compress_ptr);
    void (*destroy_compress)(j_compress_ptr);
} jpeg;

static const clibrary_symbol symbols[] = {
    {"jpeg_std_error", (void **)&jpeg.std_error},
    {"jpeg_CreateDecompress", (void **)&jpeg.CreateDecompress},
    {"jpeg_mem_src", (void **)&jpeg.mem_src},
    {"jpeg_read_header", (void **)&jpeg.read_header},
    {"jpeg_start_decompress", (void **)&jpeg.start_decompress},
    {"jpeg_read_scanlines", (void **)&jpeg.read_scanlines},
    {"jpeg_finish_decompress", (void **)&jpeg.finish_decompress},
    {"jpeg_destroy_decompress", (void **)&jpeg.destroy_decompress},
    {"jpeg_CreateCompress", (void **)&jpeg.CreateCompress},
    {"jpeg_set_defaults", (void **)&jpeg.set_defaults},
    {"jpeg_set_quality", (void **)&jpeg.set_quality},
    {"jpeg_start_compress", (void **)&jpeg.start_compress},
    {"jpeg_write_scanlines", (void **)&jpeg.write_scanlines},
    {"jpeg_finish_compress", (void **)&jpeg.finish_compress},
    {"jpeg_destroy_compress", (void **)&jpeg.destroy_compress},
};

static cpicture_library library = {
    "a JPEG picture", JPEG_FILE, JPEG_PACKAGE, symbols, sizeof symbols / sizeof *symbols, false,
};

// More passes over the picture than any program makes, and than a hostile file may demand.
enum { MOST_SCANS = 500 };

// The library's error handling, with the place to which an error returns.
struct handler {
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf place;
    cpicture_result result;
    char *message;
    void *context;
    bool (*proceed)(void *context, uint32_t rows);
    // The bytes that were written. The library's own destination in memory loses them if an error occurs.
    struct jpeg_destination_mgr destination;
    uint8_t *written;
    size_t capacity;
};

static void leave(struct handler *handler, cpicture_result result) {
    handler->result = result;
    longjmp(handler->place, 1);
}

static void failed(j_common_ptr common) {
    struct handler *handler = (struct handler *)common->err;
    char text[JMSG_LENGTH_MAX];
    common->err->format_message(common, text);
    snprintf(handler->message, CPICTURE_MESSAGE_SIZE, "%s", text);
    leave(handler, common->err->msg_code == JERR_OUT_OF_MEMORY ? CPICTURE_LACKS_MEMORY : CPICTURE_BAD);
}

// The library fills up what is missing at the end of a file, and only warns. Damage inside stays a warning, since
// cameras write such files and every viewer shows them.
static void warned(j_common_ptr common, int level) {
    if (level < 0 && common->err->msg_code == JWRN_JPEG_EOF) failed(common);
}

static void say_nothing(j_common_ptr common) { (void)common; }

// Called within long steps.
static void progressed(j_common_ptr common) {
    struct handler *handler = (struct handler *)common->err;
    if (common->is_decompressor && ((j_decompress_ptr)common)->input_scan_number > MOST_SCANS) {
        snprintf(handler->message, CPICTURE_MESSAGE_SIZE, "it has more than %d scans", MOST_SCANS);
        leave(handler, CPICTURE_BAD);
    }
    if (!handler->proceed(handler->context, 0)) leave(handler, CPICTURE_STOPPED);
}

static struct jpeg_error_mgr *prepare(
    struct handler *handler, void *context, bool (*proceed)(void *, uint32_t), char *message) {
    jpeg.std_error(&handler->errors);
    handler->errors.error_exit = failed;
    handler->errors.emit_message = warned;
    handler->errors.output_message = say_nothing;
    handler->progress = (struct jpeg_progress_mgr){.progress_monitor = progressed};
    handler->message = message;
    handler->context = context;
    handler->proceed = proceed;
    handler->written = NULL;
    handler->capacity = 0;
    return &handler->errors;
}

// Makes room for more bytes; called when all of it is used.
static void grow(struct handler *handler) {
    size_t used = handler->capacity;
    uint8_t *larger = realloc(handler->written, 2 * used + 65536);
    if (larger == NULL) leave(handler, CPICTURE_LACKS_MEMORY);
    handler->written = larger;
    handler->capacity = 2 * used + 65536;
    handler->destination.next_output_byte = larger + used;
    handler->destination.free_in_buffer = handler->capacity - used;
}

static void begin_output(j_compress_ptr picture) { grow((struct handler *)picture->err); }

static boolean continue_output(j_compress_ptr picture) {
    grow((struct handler *)picture->err);
    return TRUE;
}

static void end_output(j_compress_ptr picture) { (void)picture; }

// Cyan, magenta, yellow and black. Adobe's programs store them inverted.
static void colours(uint16_t *to, const uint8_t *from, uint32_t pixels, bool is_inverted) {
    for (uint32_t pixel = 0; pixel < pixels; pixel++, to += 3, from += 4) {
        for (int channel = 0; channel < 3; channel++) {
            unsigned ink = is_inverted ? from[channel] : 255 - from[channel];
            unsigned black = is_inverted ? from[3] : 255 - from[3];
            to[channel] = (uint16_t)((ink * black + 127) / 255);
        }
    }
}

cpicture_result cpicture_decode_jpeg(
    const uint8_t *bytes, size_t count, const cpicture_receiver *receiver, char *message) {
    if (!cpicture_open(&library, message)) return CPICTURE_LACKS_LIBRARY;
    struct handler handler;
    // Empty, since a library of another version refuses before it has set anything.
    struct jpeg_decompress_struct picture = {0};
    uint8_t *volatile row = NULL;
    picture.err = prepare(&handler, receiver->context, receiver->proceed, message);
    if (setjmp(handler.place) != 0) {
        jpeg.destroy_decompress(&picture);
        free(row);
        return handler.result;
    }
    jpeg.CreateDecompress(&picture, JPEG_LIB_VERSION, sizeof picture);
    picture.progress = &handler.progress;
    jpeg.mem_src(&picture, bytes, count);
    jpeg.read_header(&picture, TRUE);
    bool has_ink = picture.num_components == 4;
    picture.out_color_space = picture.num_components == 1 ? JCS_GRAYSCALE : has_ink ? JCS_CMYK : JCS_RGB;
    cpicture_size size = {picture.image_width, picture.image_height, picture.num_components == 1 ? 1 : 3, 255};
    uint16_t *samples = receiver->begin(receiver->context, size);
    if (samples == NULL) leave(&handler, CPICTURE_STOPPED);
    row = malloc((size_t)size.width * 4);
    if (row == NULL) leave(&handler, CPICTURE_LACKS_MEMORY);
    jpeg.start_decompress(&picture);
    size_t stride = cpicture_stride(size);
    while (picture.output_scanline < picture.output_height) {
        uint32_t done = picture.output_scanline;
        JSAMPROW rows[1] = {row};
        jpeg.read_scanlines(&picture, rows, 1);
        if (has_ink) {
            colours(samples + done * stride, row, size.width, picture.saw_Adobe_marker);
        } else {
            cpicture_widen(samples + done * stride, row, stride);
        }
        if ((done & 15) == 15 && !receiver->proceed(receiver->context, done + 1)) leave(&handler, CPICTURE_STOPPED);
    }
    jpeg.finish_decompress(&picture);
    jpeg.destroy_decompress(&picture);
    free(row);
    return CPICTURE_DONE;
}

cpicture_result cpicture_encode_jpeg(const cpicture_source *source, char *message) {
    if (!cpicture_open(&library, message)) return CPICTURE_LACKS_LIBRARY;
    if (source->size.width > JPEG_MAX_DIMENSION || source->size.height > JPEG_MAX_DIMENSION) {
        return cpicture_bad(message, "a JPEG picture has at most 65500 pixels on a side");
    }
    struct handler handler;
    // Empty, since a library of another version refuses before it has set anything.
    struct jpeg_compress_struct picture = {0};
    uint8_t *volatile row = NULL;
    picture.err = prepare(&handler, source->context, source->proceed, message);
    if (setjmp(handler.place) != 0) {
        jpeg.destroy_compress(&picture);
        free(row);
        free(handler.written);
        return handler.result;
    }
    jpeg.CreateCompress(&picture, JPEG_LIB_VERSION, sizeof picture);
    handler.destination.init_destination = begin_output;
    handler.destination.empty_output_buffer = continue_output;
    handler.destination.term_destination = end_output;
    picture.dest = &handler.destination;
    picture.image_width = source->size.width;
    picture.image_height = source->size.height;
    picture.input_components = (int)source->size.channels;
    picture.in_color_space = source->size.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg.set_defaults(&picture);
    jpeg.set_quality(&picture, source->quality, TRUE);
    jpeg.start_compress(&picture, TRUE);
    size_t stride = cpicture_stride(source->size);
    row = malloc(stride);
    if (row == NULL) leave(&handler, CPICTURE_LACKS_MEMORY);
    while (picture.next_scanline < picture.image_height) {
        uint32_t done = picture.next_scanline;
        cpicture_narrow(row, source->samples + done * stride, stride);
        JSAMPROW rows[1] = {row};
        jpeg.write_scanlines(&picture, rows, 1);
        if ((done & 15) == 15 && !source->proceed(source->context, done + 1)) leave(&handler, CPICTURE_STOPPED);
    }
    jpeg.finish_compress(&picture);
    jpeg.destroy_compress(&picture);
    free(row);
    size_t count = handler.capacity - handler.destination.free_in_buffer;
    bool is_written = source->write(source->context, handler.written, count);
    free(handler.written);
    return is_written ? CPICTURE_DONE : CPICTURE_STOPPED;
}

#endif
