// The lines that were executed, and the lines that can be executed.
#define _GNU_SOURCE
#include "internal.h"

#include <stdlib.h>
#include <string.h>

// MARK: lines that were executed

typedef struct covered_file {
    struct covered_file *next;
    char *name;
    uint32_t *counts;
    int capacity;
} covered_file;

typedef struct clua_coverage {
    covered_file *files;
    // The file of the previous line, which is usually the same: the address of its name inside Lua is a hint, the
    // name is compared.
    covered_file *last;
    const char *last_address;
} clua_coverage;

void clua_set_coverage(clua_context *context) {
    if (context->coverage == NULL) context->coverage = calloc(1, sizeof(clua_coverage));
    if (context->coverage != NULL) clua_set_attention(context, CLUA_ATTEND_LINES);
}

static covered_file *file_named(clua_coverage *coverage, const char *name) {
    for (covered_file *file = coverage->files; file != NULL; file = file->next) {
        if (strcmp(file->name, name) == 0) return file;
    }
    covered_file *file = calloc(1, sizeof(covered_file));
    if (file == NULL) return NULL;
    file->name = strdup(name);
    if (file->name == NULL) {
        free(file);
        return NULL;
    }
    file->next = coverage->files;
    coverage->files = file;
    return file;
}

static int make_room(covered_file *file, int line) {
    if (line < file->capacity) return 1;
    int capacity = file->capacity ? file->capacity : 256;
    while (capacity <= line) capacity *= 2;
    uint32_t *counts = realloc(file->counts, sizeof(uint32_t) * (size_t)capacity);
    if (counts == NULL) return 0;
    memset(counts + file->capacity, 0, sizeof(uint32_t) * (size_t)(capacity - file->capacity));
    file->counts = counts;
    file->capacity = capacity;
    return 1;
}

// Takes none of Lua's memory, so as not to change what is measured. [-0, +0, -]
void clua_note_line(clua_context *context, lua_State *L, lua_Debug *ar) {
    enum { MOST_LINES = 1 << 24 };
    clua_coverage *coverage = context->coverage;
    int line = ar->currentline;
    if (coverage == NULL || line <= 0 || line >= MOST_LINES) return;
    lua_getinfo(L, "S", ar);
    if (ar->source[0] != '@') return;
    covered_file *file = coverage->last;
    if (file == NULL || coverage->last_address != ar->source || strcmp(file->name, ar->source + 1) != 0) {
        file = file_named(coverage, ar->source + 1);
        if (file == NULL) return;
        coverage->last = file;
        coverage->last_address = ar->source;
    }
    if (make_room(file, line) && file->counts[line] < UINT32_MAX) file->counts[line]++;
}

int clua_next_covered(clua_context *context, const void **place, const char **name, const uint32_t **counts,
    int *count) {
    if (context->coverage == NULL) return 0;
    const covered_file *file = *place == NULL ? context->coverage->files : ((const covered_file *)*place)->next;
    if (file == NULL) return 0;
    *place = file;
    *name = file->name;
    *counts = file->counts;
    *count = file->capacity;
    return 1;
}

void clua_reset_covered(clua_context *context) {
    if (context->coverage == NULL) return;
    for (covered_file *file = context->coverage->files; file != NULL; file = file->next) {
        if (file->capacity > 0) memset(file->counts, 0, sizeof(uint32_t) * (size_t)file->capacity);
    }
}

void clua_free_coverage(clua_context *context) {
    if (context->coverage == NULL) return;
    for (covered_file *file = context->coverage->files; file != NULL;) {
        covered_file *next = file->next;
        free(file->name);
        free(file->counts);
        free(file);
        file = next;
    }
    free(context->coverage);
}

// MARK: lines that could be executed

// Lua's interface reports the lines of a function that exists. A function inside one that was never called does not
// exist, so its lines are read from the bytes that `lua_dump` writes. The reader accepts the form of Lua 5.4, checks
// each length, and refuses any other form.
typedef struct code_reader {
    const uint8_t *next, *end;
    uint8_t *lines;
    int count;
    int is_bad;
} code_reader;

typedef struct code_buffer {
    uint8_t *bytes;
    size_t count, capacity;
} code_buffer;

static int append(lua_State *L, const void *bytes, size_t count, void *data) {
    (void)L;
    code_buffer *buffer = data;
    if (buffer->count + count > buffer->capacity) {
        size_t capacity = (buffer->count + count) * 2;
        uint8_t *larger = realloc(buffer->bytes, capacity);
        if (larger == NULL) return 1;
        buffer->bytes = larger;
        buffer->capacity = capacity;
    }
    memcpy(buffer->bytes + buffer->count, bytes, count);
    buffer->count += count;
    return 0;
}

static const uint8_t *take(code_reader *reader, size_t count) {
    if (reader->is_bad || (size_t)(reader->end - reader->next) < count) {
        reader->is_bad = 1;
        return NULL;
    }
    const uint8_t *bytes = reader->next;
    reader->next += count;
    return bytes;
}

// Seven bits per byte, the highest first; the last byte has the eighth bit set.
static size_t take_size(code_reader *reader) {
    size_t value = 0;
    for (;;) {
        const uint8_t *byte = take(reader, 1);
        if (byte == NULL || value > (SIZE_MAX >> 8)) {
            reader->is_bad = 1;
            return 0;
        }
        value = (value << 7) | (*byte & 0x7f);
        if (*byte & 0x80) return value;
    }
}

static void skip_string(code_reader *reader) {
    size_t size = take_size(reader);
    if (size > 1) take(reader, size - 1);
}

static void skip_constants(code_reader *reader) {
    enum { FLOAT = 0x13, INTEGER = 0x03, SHORT_STRING = 0x04, LONG_STRING = 0x14 };
    for (size_t left = take_size(reader); left > 0 && !reader->is_bad; left--) {
        const uint8_t *type = take(reader, 1);
        if (type == NULL) return;
        if (*type == FLOAT) take(reader, sizeof(lua_Number));
        else if (*type == INTEGER) take(reader, sizeof(lua_Integer));
        else if (*type == SHORT_STRING || *type == LONG_STRING) skip_string(reader);
    }
}

static void mark(code_reader *reader, int line) {
    if (line > 0 && line < reader->count) reader->lines[line] = 1;
}

static void read_function(code_reader *reader, int depth) {
    enum { MOST_DEPTH = 250, ABSOLUTE = -0x80 };
    if (depth > MOST_DEPTH) reader->is_bad = 1;
    skip_string(reader);
    int line = (int)take_size(reader);
    take_size(reader);
    const uint8_t *header = take(reader, 3);
    int is_variadic = header != NULL && header[1] != 0;
    size_t code_size = take_size(reader);
    if (code_size > SIZE_MAX / 4) reader->is_bad = 1;
    take(reader, code_size * 4);
    skip_constants(reader);
    size_t upvalues = take_size(reader);
    if (upvalues > 255) reader->is_bad = 1;
    take(reader, upvalues * 3);
    for (size_t left = take_size(reader); left > 0 && !reader->is_bad; left--) read_function(reader, depth + 1);
    // Debug: the line of each instruction as a difference, with an absolute one in between.
    size_t line_count = take_size(reader);
    const int8_t *differences = (const int8_t *)take(reader, line_count);
    size_t absolute_left = take_size(reader);
    for (size_t place = 0; place < line_count && !reader->is_bad; place++) {
        if (differences[place] == ABSOLUTE) {
            if (absolute_left == 0) {
                reader->is_bad = 1;
                return;
            }
            absolute_left--;
            take_size(reader);
            line = (int)take_size(reader);
        } else {
            line += differences[place];
        }
        // Neither the set-up of variable arguments nor the return after the last statement is a line of the program.
        if ((place == 0 && is_variadic) || place + 1 == line_count) continue;
        mark(reader, line);
    }
    for (; absolute_left > 0 && !reader->is_bad; absolute_left--) {
        take_size(reader);
        take_size(reader);
    }
    for (size_t left = take_size(reader); left > 0 && !reader->is_bad; left--) {
        skip_string(reader);
        take_size(reader);
        take_size(reader);
    }
    for (size_t left = take_size(reader); left > 0 && !reader->is_bad; left--) skip_string(reader);
}

int clua_mark_active_lines(lua_State *L, uint8_t *lines, int count) {
    enum { HEADER = 4 + 1 + 1 + 6 + 3 + sizeof(lua_Integer) + sizeof(lua_Number) };
    code_buffer buffer = {0};
    int status = lua_dump(L, append, &buffer, 0);
    lua_settop(L, -2);
    code_reader reader = {.next = buffer.bytes, .lines = lines, .count = count};
    reader.end = buffer.bytes == NULL ? NULL : buffer.bytes + buffer.count;
    const uint8_t *header = status == 0 ? take(&reader, HEADER) : NULL;
    // Version, format, and the sizes of an instruction, an integer and a number.
    int is_known = header != NULL && header[4] == 0x54 && header[5] == 0 && header[12] == 4
                   && header[13] == sizeof(lua_Integer) && header[14] == sizeof(lua_Number);
    if (is_known) {
        take(&reader, 1);
        read_function(&reader, 0);
    }
    free(buffer.bytes);
    return is_known && !reader.is_bad;
}

CLUA_END_JUMPED_OVER
