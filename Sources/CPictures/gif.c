// The first frame of a GIF by giflib.
#ifdef OPSCRIPT_PICTURES

#include "library.h"

#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

static struct {
    GifFileType *(*Open)(void *, InputFunc, int *);
    int (*CloseFile)(GifFileType *, int *);
    int (*GetRecordType)(GifFileType *, GifRecordType *);
    int (*GetImageDesc)(GifFileType *);
    int (*GetLine)(GifFileType *, GifPixelType *, int);
    int (*GetExtension)(GifFileType *, int *, GifByteType **);
    int (*GetExtensionNext)(GifFileType *, GifByteType **);
    const char *(*ErrorString)(int);
} gif;

static const clibrary_symbol symbols[] = {
    {"DGifOpen", (void **)&gif.Open},
    {"DGifCloseFile", (void **)&gif.CloseFile},
    {"DGifGetRecordType", (void **)&gif.GetRecordType},
    {"DGifGetImageDesc", (void **)&gif.GetImageDesc},
    {"DGifGetLine", (void **)&gif.GetLine},
    {"DGifGetExtension", (void **)&gif.GetExtension},
    {"DGifGetExtensionNext", (void **)&gif.GetExtensionNext},
    {"GifErrorString", (void **)&gif.ErrorString},
};

static cpicture_library library = {
    "a GIF picture", "libgif.so.7", "libgif7", symbols, sizeof symbols / sizeof *symbols, false,
};

struct input {
    const uint8_t *next;
    size_t left;
};

static int read_bytes(GifFileType *file, GifByteType *to, int count) {
    struct input *input = file->UserData;
    size_t taken = (size_t)count < input->left ? (size_t)count : input->left;
    memcpy(to, input->next, taken);
    input->next += taken;
    input->left -= taken;
    return (int)taken;
}

static cpicture_result fault(GifFileType *file, char *message) {
    if (file->Error == D_GIF_ERR_NOT_ENOUGH_MEM) return CPICTURE_LACKS_MEMORY;
    const char *text = gif.ErrorString(file->Error);
    return cpicture_bad(message, text == NULL ? "it is damaged" : text);
}

// Steps over what precedes the first frame. `transparent` receives the index of the colour that is transparent in it.
static cpicture_result first_frame(GifFileType *file, int *transparent, char *message) {
    while (true) {
        GifRecordType type;
        if (gif.GetRecordType(file, &type) == GIF_ERROR) return fault(file, message);
        if (type == IMAGE_DESC_RECORD_TYPE) {
            return gif.GetImageDesc(file) == GIF_ERROR ? fault(file, message) : CPICTURE_DONE;
        }
        if (type == TERMINATE_RECORD_TYPE) return cpicture_bad(message, "it has no frame");
        int code;
        GifByteType *block = NULL;
        if (gif.GetExtension(file, &code, &block) == GIF_ERROR) return fault(file, message);
        if (code == GRAPHICS_EXT_FUNC_CODE && block != NULL && block[0] >= 4) {
            *transparent = (block[1] & 1) != 0 ? block[4] : NO_TRANSPARENT_COLOR;
        }
        while (block != NULL) {
            if (gif.GetExtensionNext(file, &block) == GIF_ERROR) return fault(file, message);
        }
    }
}

// Reads the lines of the frame, in the order in which they are stored.
static cpicture_result read_lines(
    GifFileType *file, const ColorMapObject *map, int transparent, cpicture_size size, uint16_t *samples,
    GifPixelType *line, const cpicture_receiver *receiver, char *message) {
    static const int starts[] = {0, 4, 2, 1}, steps[] = {8, 8, 4, 2};
    GifImageDesc frame = file->Image;
    size_t stride = cpicture_stride(size);
    uint32_t done = 0;
    for (int pass = 0; pass < (frame.Interlace ? 4 : 1); pass++) {
        int step = frame.Interlace ? steps[pass] : 1;
        for (int row = frame.Interlace ? starts[pass] : 0; row < frame.Height; row += step) {
            if (gif.GetLine(file, line, frame.Width) == GIF_ERROR) return fault(file, message);
            uint16_t *target = samples + (size_t)(frame.Top + row) * stride + (size_t)frame.Left * size.channels;
            for (int column = 0; column < frame.Width; column++, target += size.channels) {
                if (line[column] == transparent || line[column] >= map->ColorCount) continue;
                GifColorType colour = map->Colors[line[column]];
                target[0] = colour.Red;
                target[1] = colour.Green;
                target[2] = colour.Blue;
                if (size.channels == 4) target[3] = 255;
            }
            if ((++done & 15) == 0 && !receiver->proceed(receiver->context, done)) return CPICTURE_STOPPED;
        }
    }
    return CPICTURE_DONE;
}

static cpicture_result read_frame(GifFileType *file, const cpicture_receiver *receiver, char *message) {
    int transparent = NO_TRANSPARENT_COLOR;
    cpicture_result result = first_frame(file, &transparent, message);
    if (result != CPICTURE_DONE) return result;
    GifImageDesc frame = file->Image;
    const ColorMapObject *map = frame.ColorMap != NULL ? frame.ColorMap : file->SColorMap;
    if (map == NULL) return cpicture_bad(message, "it has no colours");
    if (frame.Width <= 0 || frame.Height <= 0) return cpicture_bad(message, "its first frame is empty");
    if (frame.Left < 0 || frame.Top < 0 || frame.Left + frame.Width > file->SWidth
        || frame.Top + frame.Height > file->SHeight) {
        return cpicture_bad(message, "its first frame is larger than the picture");
    }
    bool is_whole = transparent == NO_TRANSPARENT_COLOR && frame.Width == file->SWidth && frame.Height == file->SHeight;
    cpicture_size size = {(uint32_t)file->SWidth, (uint32_t)file->SHeight, is_whole ? 3 : 4, 255};
    uint16_t *samples = receiver->begin(receiver->context, size);
    if (samples == NULL) return CPICTURE_STOPPED;
    memset(samples, 0, cpicture_stride(size) * size.height * sizeof *samples);
    GifPixelType *line = malloc((size_t)frame.Width);
    if (line == NULL) return CPICTURE_LACKS_MEMORY;
    result = read_lines(file, map, transparent, size, samples, line, receiver, message);
    free(line);
    return result;
}

cpicture_result cpicture_decode_gif(
    const uint8_t *bytes, size_t count, const cpicture_receiver *receiver, char *message) {
    if (!cpicture_open(&library, message)) return CPICTURE_LACKS_LIBRARY;
    struct input input = {bytes, count};
    int error = 0;
    GifFileType *file = gif.Open(&input, read_bytes, &error);
    if (file == NULL) {
        if (error == D_GIF_ERR_NOT_ENOUGH_MEM) return CPICTURE_LACKS_MEMORY;
        const char *text = gif.ErrorString(error);
        return cpicture_bad(message, text == NULL ? "it is damaged" : text);
    }
    cpicture_result result = read_frame(file, receiver, message);
    gif.CloseFile(file, NULL);
    return result;
}

#endif
