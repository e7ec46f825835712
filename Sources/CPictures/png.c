// PNG by libpng.
#ifdef OPSCRIPT_PICTURES

#include "library.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static struct {
    png_structp (*create_read_struct)(png_const_charp, png_voidp, png_error_ptr, png_error_ptr);
    png_infop (*create_info_struct)(png_const_structrp);
    void (*destroy_read_struct)(png_structpp, png_infopp, png_infopp);
    void (*set_read_fn)(png_structrp, png_voidp, png_rw_ptr);
    png_voidp (*get_io_ptr)(png_const_structrp);
    png_voidp (*get_error_ptr)(png_const_structrp);
    void (*read_info)(png_structrp, png_inforp);
    png_uint_32 (*get_image_width)(png_const_structrp, png_const_inforp);
    png_uint_32 (*get_image_height)(png_const_structrp, png_const_inforp);
    png_byte (*get_channels)(png_const_structrp, png_const_inforp);
    png_byte (*get_bit_depth)(png_const_structrp, png_const_inforp);
    void (*set_expand)(png_structrp);
    void (*set_swap)(png_structrp);
    int (*set_interlace_handling)(png_structrp);
    void (*read_update_info)(png_structrp, png_inforp);
    void (*read_row)(png_structrp, png_bytep, png_bytep);
    void (*read_end)(png_structrp, png_inforp);
    png_structp (*create_write_struct)(png_const_charp, png_voidp, png_error_ptr, png_error_ptr);
    void (*destroy_write_struct)(png_structpp, png_infopp);
    void (*set_write_fn)(png_structrp, png_voidp, png_rw_ptr, png_flush_ptr);
    void (*set_IHDR)(
        png_const_structrp, png_inforp, png_uint_32, png_uint_32, int depth, int colour, int interlace, int, int);
    void (*write_info)(png_structrp, png_const_inforp);
    void (*write_row)(png_structrp, png_const_bytep);
    void (*write_end)(png_structrp, png_inforp);
    void (*error)(png_const_structrp, png_const_charp);
} png;

static const clibrary_symbol symbols[] = {
    {"png_create_read_struct", (void **)&png.create_read_struct},
    {"png_create_info_struct", (void **)&png.create_info_struct},
    {"png_destroy_read_struct", (void **)&png.destroy_read_struct},
    {"png_set_read_fn", (void **)&png.set_read_fn},
    {"png_get_io_ptr", (void **)&png.get_io_ptr},
    {"png_get_error_ptr", (void **)&png.get_error_ptr},
    {"png_read_info", (void **)&png.read_info},
    {"png_get_image_width", (void **)&png.get_image_width},
    {"png_get_image_height", (void **)&png.get_image_height},
    {"png_get_channels", (void **)&png.get_channels},
    {"png_get_bit_depth", (void **)&png.get_bit_depth},
    {"png_set_expand", (void **)&png.set_expand},
    {"png_set_swap", (void **)&png.set_swap},
    {"png_set_interlace_handling", (void **)&png.set_interlace_handling},
    {"png_read_update_info", (void **)&png.read_update_info},
    {"png_read_row", (void **)&png.read_row},
    {"png_read_end", (void **)&png.read_end},
    {"png_create_write_struct", (void **)&png.create_write_struct},
    {"png_destroy_write_struct", (void **)&png.destroy_write_struct},
    {"png_set_write_fn", (void **)&png.set_write_fn},
    {"png_set_IHDR", (void **)&png.set_IHDR},
    {"png_write_info", (void **)&png.write_info},
    {"png_write_row", (void **)&png.write_row},
    {"png_write_end", (void **)&png.write_end},
    {"png_error", (void **)&png.error},
};

static cpicture_library library = {
    "a PNG picture", "libpng16.so.16", "libpng16-16", symbols, sizeof symbols / sizeof *symbols, false,
};

// The place to which an error returns, and the bytes that are read or were written.
struct work {
    jmp_buf place;
    cpicture_result result;
    char *message;
    const uint8_t *next;
    size_t left;
    uint8_t *written;
    size_t count;
    size_t capacity;
};

static void leave(struct work *work, cpicture_result result) {
    work->result = result;
    longjmp(work->place, 1);
}

static void failed(png_structp structure, png_const_charp text) {
    struct work *work = png.get_error_ptr(structure);
    snprintf(work->message, CPICTURE_MESSAGE_SIZE, "%s", text);
    leave(work, strstr(text, "memory") ? CPICTURE_LACKS_MEMORY : CPICTURE_BAD);
}

static void warned(png_structp structure, png_const_charp text) {
    (void)structure;
    (void)text;
}

static void read_bytes(png_structp structure, png_bytep to, size_t count) {
    struct work *work = png.get_io_ptr(structure);
    if (count > work->left) png.error(structure, "it ends too early");
    memcpy(to, work->next, count);
    work->next += count;
    work->left -= count;
}

static void write_bytes(png_structp structure, png_bytep from, size_t count) {
    struct work *work = png.get_io_ptr(structure);
    if (work->capacity - work->count < count) {
        size_t capacity = 2 * work->capacity + count + 65536;
        uint8_t *larger = realloc(work->written, capacity);
        if (larger == NULL) leave(work, CPICTURE_LACKS_MEMORY);
        work->written = larger;
        work->capacity = capacity;
    }
    memcpy(work->written + work->count, from, count);
    work->count += count;
}

static void flush_bytes(png_structp structure) { (void)structure; }

cpicture_result cpicture_decode_png(
    const uint8_t *bytes, size_t count, const cpicture_receiver *receiver, char *message) {
    if (!cpicture_open(&library, message)) return CPICTURE_LACKS_LIBRARY;
    struct work work = {.message = message, .next = bytes, .left = count};
    png_structp volatile structure = png.create_read_struct(PNG_LIBPNG_VER_STRING, &work, failed, warned);
    png_infop volatile info = NULL;
    uint8_t *volatile rows = NULL;
    if (structure == NULL) return CPICTURE_LACKS_MEMORY;
    if (setjmp(work.place) != 0) {
        png_structp spent = structure;
        png_infop spent_info = info;
        png.destroy_read_struct(&spent, &spent_info, NULL);
        free(rows);
        return work.result;
    }
    info = png.create_info_struct(structure);
    if (info == NULL) leave(&work, CPICTURE_LACKS_MEMORY);
    png.set_read_fn(structure, &work, read_bytes);
    png.read_info(structure, info);
    // Palettes become colours, a transparent colour becomes opacity, and samples have 8 bits at least.
    png.set_expand(structure);
    if (png.get_bit_depth(structure, info) == 16) png.set_swap(structure);
    int passes = png.set_interlace_handling(structure);
    png.read_update_info(structure, info);
    bool is_wide = png.get_bit_depth(structure, info) == 16;
    cpicture_size size = {
        png.get_image_width(structure, info),
        png.get_image_height(structure, info),
        png.get_channels(structure, info),
        is_wide ? 65535 : 255,
    };
    uint16_t *samples = receiver->begin(receiver->context, size);
    if (samples == NULL) leave(&work, CPICTURE_STOPPED);
    size_t stride = cpicture_stride(size);
    if (!is_wide) {
        // Of an interlaced picture, each pass adds to all rows.
        rows = calloc(passes == 1 ? 1 : size.height, stride);
        if (rows == NULL) leave(&work, CPICTURE_LACKS_MEMORY);
    } else if (passes > 1) {
        memset(samples, 0, stride * size.height * sizeof *samples);
    }
    for (int pass = 1; pass <= passes; pass++) {
        for (uint32_t row = 0; row < size.height; row++) {
            uint16_t *target = samples + row * stride;
            uint8_t *narrow = is_wide ? NULL : passes == 1 ? rows : rows + row * stride;
            png.read_row(structure, is_wide ? (png_bytep)target : narrow, NULL);
            if (!is_wide && pass == passes) cpicture_widen(target, narrow, stride);
            if ((row & 15) == 15 && !receiver->proceed(receiver->context, pass == passes ? row + 1 : 0)) {
                leave(&work, CPICTURE_STOPPED);
            }
        }
    }
    png.read_end(structure, NULL);
    png_structp spent = structure;
    png_infop spent_info = info;
    png.destroy_read_struct(&spent, &spent_info, NULL);
    free(rows);
    return CPICTURE_DONE;
}

cpicture_result cpicture_encode_png(const cpicture_source *source, char *message) {
    if (!cpicture_open(&library, message)) return CPICTURE_LACKS_LIBRARY;
    struct work work = {.message = message};
    png_structp volatile structure = png.create_write_struct(PNG_LIBPNG_VER_STRING, &work, failed, warned);
    png_infop volatile info = NULL;
    uint8_t *volatile row = NULL;
    if (structure == NULL) return CPICTURE_LACKS_MEMORY;
    if (setjmp(work.place) != 0) {
        png_structp spent = structure;
        png_infop spent_info = info;
        png.destroy_write_struct(&spent, &spent_info);
        free(row);
        free(work.written);
        return work.result;
    }
    info = png.create_info_struct(structure);
    if (info == NULL) leave(&work, CPICTURE_LACKS_MEMORY);
    static const int colours[] = {
        PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA,
    };
    cpicture_size size = source->size;
    bool is_wide = size.maximum > 255;
    png.set_write_fn(structure, &work, write_bytes, flush_bytes);
    png.set_IHDR(structure, info, size.width, size.height, is_wide ? 16 : 8, colours[size.channels - 1],
        PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png.write_info(structure, info);
    if (is_wide) png.set_swap(structure);
    size_t stride = cpicture_stride(size);
    row = malloc(stride * sizeof(uint16_t));
    if (row == NULL) leave(&work, CPICTURE_LACKS_MEMORY);
    for (uint32_t done = 0; done < size.height; done++) {
        const uint16_t *samples = source->samples + done * stride;
        if (is_wide) {
            memcpy(row, samples, stride * sizeof *samples);
        } else {
            cpicture_narrow(row, samples, stride);
        }
        png.write_row(structure, row);
        if ((done & 15) == 15 && !source->proceed(source->context, done + 1)) leave(&work, CPICTURE_STOPPED);
    }
    png.write_end(structure, NULL);
    png_structp spent = structure;
    png_infop spent_info = info;
    png.destroy_write_struct(&spent, &spent_info);
    free(row);
    bool is_written = source->write(source->context, work.written, work.count);
    free(work.written);
    return is_written ? CPICTURE_DONE : CPICTURE_STOPPED;
}

#endif
