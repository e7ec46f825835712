// Lua's memory: size classes for small blocks, a count, and two limits.
#define _DEFAULT_SOURCE  // For MAP_ANONYMOUS and MAP_NORESERVE.
#include "internal.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CHUNK = 64 * 1024, LARGE_CHUNK = 1024 * 1024, CHUNK_HEADER = 16, LARGEST = CLUA_SIZE_CLASSES * CLUA_SIZE_STEP };

static inline size_t class_of(size_t size) { return (size + CLUA_SIZE_STEP - 1) / CLUA_SIZE_STEP; }

// More than the largest stack takes.
enum { NO_STACK = 17 << 20 };

// If an allocation failed below Swift frames, Lua would jump over them. Code that a finalizer calls is protected,
// even if the collector began it below a host function. A block that grows may be the stack itself, which must not
// be inspected while it moves.
static int may_fail(clua_context *context, int is_new, size_t size) {
    if (context->depth == 0) return 1;
    return (is_new || size > NO_STACK) && clua_is_finalizing(context->main)
        && clua_is_called_by_finalizer(context->running != NULL ? context->running : context->main);
}

static void *out_of_memory(clua_context *context, int is_new, size_t size) {
    if (may_fail(context, is_new, size)) return NULL;
    fprintf(stderr, "OpScript: the system has no memory left for %zu bytes that a host function needs\n", size);
    fflush(stderr);
    abort();
}

// Scripts may take memory until this much is left, since host functions cannot be refused any. Their tables grow with
// the script's objects, and a table that grows exists twice, so half of the script's memory is kept as well.
enum { SPARE = 32 << 20, SPARE_STEP = 1 << 20 };

static int has_spare(clua_context *context, size_t size) {
    size_t all = size + SPARE + context->used / 2;
    void *place = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) return 0;
    munmap(place, all);
    return 1;
}

// Before memory is taken from the system: whether it must not be. The system is asked once for each SPARE_STEP. If a
// host function takes it nevertheless, the next host call is refused.
static int is_scarce(clua_context *context, int is_new, size_t size) {
    context->unchecked += size;
    if (context->unchecked < SPARE_STEP) return 0;
    if (has_spare(context, size)) {
        context->unchecked = 0;
        return 0;
    }
    if (may_fail(context, is_new, size)) return 1;
    context->call_checks |= CLUA_CHECK_MEMORY;
    return 0;
}

void clua_require_spare(lua_State *L, clua_context *context) {
    if (clua_is_finalizing(L)) return;
    int is_enough = has_spare(context, 0);
    // Seldom, if the script continues all the same: a collection that frees little takes long.
    uint32_t refusals = ++context->refusals;
    if (!is_enough && (refusals & (refusals - 1)) == 0) {
        lua_gc(L, LUA_GCCOLLECT);
        is_enough = has_spare(context, 0);
    }
    if (!is_enough) {
        lua_pushliteral(L, "not enough memory");
        lua_error(L);
    }
    context->refusals = 0;
    context->call_checks &= (uint8_t)~CLUA_CHECK_MEMORY;
}

typedef struct chunk_header {
    clua_block block;
    size_t size;
} chunk_header;

_Static_assert(sizeof(chunk_header) <= CHUNK_HEADER, "the header of a chunk is larger than the room kept for it");

// A script that needs little memory gets a small chunk, and a script that needs much gets a large one.
static char *new_chunk(clua_context *context, int is_new) {
    size_t size = context->chunk_bytes >= LARGE_CHUNK / 2 ? LARGE_CHUNK : CHUNK;
    char *chunk = is_scarce(context, is_new, size) ? NULL : malloc(size);
    if (chunk == NULL) return NULL;
    chunk_header *header = (chunk_header *)chunk;
    header->size = size;
    header->block.next = context->chunks;
    context->chunks = &header->block;
    context->chunk_bytes += size;
    return chunk;
}

static void *carve(clua_context *context, int is_new, size_t class) {
    size_t size = class * CLUA_SIZE_STEP;
    if ((size_t)(context->chunk_end - context->chunk_next) < size) {
        size_t rest = (size_t)(context->chunk_end - context->chunk_next);
        if (rest >= CLUA_SIZE_STEP) {
            clua_block *left = (clua_block *)context->chunk_next;
            left->next = context->free_blocks[rest / CLUA_SIZE_STEP];
            context->free_blocks[rest / CLUA_SIZE_STEP] = left;
        }
        char *chunk = new_chunk(context, is_new);
        if (chunk == NULL) {
            context->chunk_next = context->chunk_end = NULL;
            return out_of_memory(context, is_new, size);
        }
        context->chunk_next = chunk + CHUNK_HEADER;
        context->chunk_end = chunk + ((chunk_header *)chunk)->size;
    }
    void *block = context->chunk_next;
    context->chunk_next += size;
    return block;
}

static inline void *take(clua_context *context, int is_new, size_t size) {
    if (size > LARGEST) {
        void *block = is_scarce(context, is_new, size) ? NULL : malloc(size);
        return block ? block : out_of_memory(context, is_new, size);
    }
    size_t class = class_of(size);
    clua_block *block = context->free_blocks[class];
    if (block == NULL) return carve(context, is_new, class);
    context->free_blocks[class] = block->next;
    return block;
}

static inline void give(clua_context *context, void *block, size_t size) {
    if (size > LARGEST) {
        free(block);
        return;
    }
    size_t class = class_of(size);
    ((clua_block *)block)->next = context->free_blocks[class];
    context->free_blocks[class] = block;
}

// Over the soft limit. Returns whether the allocation must fail.
static int over_limit(clua_context *context, size_t used, int is_new, size_t size) {
    lua_State *running = context->running;
    if (context->more_memory != NULL) {
        size_t more = context->more_memory(context->owner, used - context->soft_limit);
        if (more > 0) clua_set_memory_limit(context, context->soft_limit + more, context->hard_limit + more);
        if (used <= context->soft_limit) return 0;
    }
    if (used > context->hard_limit && may_fail(context, is_new, size)) {
        // No handler runs for this error, so the frames are taken here. A block that grows may be the stack; then
        // they are taken at the place where the error is caught.
        if (context->depth == 0 && running != NULL) {
            context->frame_count = 0;
            context->frames_mode = CLUA_FRAMES_REPLACE;
            if (is_new) clua_record_frames(running, 0);
        }
        return 1;
    }
    if (!(context->attention & CLUA_ATTEND_MEMORY)) {
        clua_set_attention(context, CLUA_ATTEND_MEMORY);
        if (running != NULL) clua_attend(context, running);
    }
    return 0;
}

void *clua_allocate(void *data, void *block, size_t old_size, size_t new_size) {
    clua_context *context = data;
    if (block == NULL) old_size = 0;  // It is then the kind of object.
    if (new_size == 0) {
        if (block == NULL) return NULL;
        context->used -= old_size;
        give(context, block, old_size);
        return NULL;
    }
    size_t used = context->used - old_size + new_size;
    int grows = used > context->soft_limit && new_size > old_size;
    if (grows && over_limit(context, used, block == NULL, new_size)) return NULL;

    void *result;
    if (block == NULL) {
        result = take(context, 1, new_size);
        if (result == NULL) return NULL;
    } else if (old_size > LARGEST && new_size > LARGEST) {
        result = new_size > old_size && is_scarce(context, 0, new_size) ? NULL : realloc(block, new_size);
        if (result == NULL) return out_of_memory(context, 0, new_size);
    } else if (old_size <= LARGEST && new_size <= LARGEST && class_of(old_size) == class_of(new_size)) {
        result = block;
    } else {
        result = take(context, 0, new_size);
        if (result == NULL) return NULL;
        memcpy(result, block, old_size < new_size ? old_size : new_size);
        give(context, block, old_size);
    }
    context->used = used;
    if (used > context->peak) context->peak = used;
    return result;
}

void clua_free_chunks(clua_context *context) {
    while (context->chunks != NULL) {
        clua_block *next = context->chunks->next;
        free(context->chunks);
        context->chunks = next;
    }
}

CLUA_END_JUMPED_OVER
