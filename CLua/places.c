// Places in scripts: the chunk and the line that called a host function.
#include "internal.h"

#include <stdlib.h>
#include <string.h>

// MARK: names of chunks

enum { SOURCE_CAPACITY = 4096, CACHE = 64 };

typedef struct clua_sources {
    const char *cached[CACHE];  // The text's address inside Lua; only a hint, the name is compared.
    int32_t cached_index[CACHE];
    char *names[SOURCE_CAPACITY];
    int32_t count;
} clua_sources;

static int32_t intern(clua_context *context, const char *address, const char *name) {
    if (context->sources == NULL) {
        context->sources = calloc(1, sizeof(clua_sources));
        if (context->sources == NULL) return 0;
        context->sources->count = 1;
    }
    clua_sources *sources = context->sources;
    size_t place = ((uintptr_t)address >> 4) % CACHE;
    int32_t index = sources->cached_index[place];
    if (sources->cached[place] == address && index && strcmp(sources->names[index], name) == 0) return index;
    for (index = 1; index < sources->count; index++) {
        if (strcmp(sources->names[index], name) == 0) break;
    }
    if (index == sources->count) {
        // A script that creates new names for ever must not fill the host's memory.
        if (index == SOURCE_CAPACITY) return 0;
        size_t size = strlen(name) + 1;
        char *copy = malloc(size);
        if (copy == NULL) return 0;
        sources->names[index] = memcpy(copy, name, size);
        sources->count++;
    }
    sources->cached[place] = address;
    sources->cached_index[place] = index;
    return index;
}

const char *clua_source_name(clua_context *context, int32_t source) {
    if (context->sources == NULL || source <= 0 || source >= context->sources->count) return "?";
    return context->sources->names[source];
}

void clua_free_sources(clua_context *context) {
    if (context->sources == NULL) return;
    for (int32_t i = 1; i < context->sources->count; i++) free(context->sources->names[i]);
    free(context->sources);
}

// MARK: places

int32_t clua_where(lua_State *L, int level, int32_t *line) {
    clua_context *context = clua_of(L);
    clua_slice *slice = context->slice;
    int32_t own = 0;
    *line = 0;
    for (;;) {
        lua_Debug ar;
        for (; lua_getstack(L, level, &ar); level++) {
            lua_getinfo(L, "Sl", &ar);
            if (ar.currentline <= 0) continue;
            int is_own = clua_is_own_chunk(ar.source);
            if (is_own && own != 0) continue;
            *line = ar.currentline;
            int32_t source = intern(context, ar.source, ar.short_src);
            if (!is_own) return source;
            own = source;
        }
        // A coroutine without a Lua function: continue with its resumer.
        if (slice != NULL && slice->state == L) slice = slice->previous;
        if (slice == NULL || slice->state == L) break;
        L = slice->state;
        level = 0;
    }
    return own;
}

CLUA_END_JUMPED_OVER
