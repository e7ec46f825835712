// Places in scripts: which line of which chunk called a host function.
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
        // Names made without end by a script must not fill the host.
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

// Where the Lua function that makes a call goes on; NULL for a native one.
static const uint32_t *next_instruction(const clua_call_info *call) {
    return call->marks & CLUA_CALL_OF_NATIVE_FUNCTION ? NULL : call->next_instruction;
}

// An instruction has its line for as long as its function is in memory: `clua_forget_places` is told of each block that is freed.
static clua_place *place_of(clua_context *context, const uint32_t *instruction) {
    return &context->places.known[((uintptr_t)instruction / sizeof *instruction) % CLUA_PLACES];
}

static void remember(clua_context *context, const uint32_t *instruction, int32_t source, int32_t line) {
    clua_places *places = &context->places;
    *place_of(context, instruction) = (clua_place){instruction, source, line};
    if (places->first == NULL || instruction < places->first) places->first = instruction;
    if (instruction >= places->end) places->end = instruction + 1;
}

void clua_forget_places_in(clua_context *context, const void *block, size_t size) {
    for (int number = 0; number < CLUA_PLACES; number++) {
        clua_place *place = &context->places.known[number];
        if ((uintptr_t)place->instruction - (uintptr_t)block < size) place->instruction = NULL;
    }
}

// The place that is known of the call at a level, if it is. Most are asked for again and again.
static const clua_place *known_place(clua_context *context, lua_State *L, int level) {
    if (!context->knows_layout) return NULL;
    const clua_call_info *call = clua_stack_of(L)->call;
    while (level-- > 0 && call != NULL) call = call->caller;
    // Below all others lies a call of no function, which counts as native.
    if (call == NULL) return NULL;
    const uint32_t *instruction = next_instruction(call);
    const clua_place *place = place_of(context, instruction);
    return instruction != NULL && place->instruction == instruction ? place : NULL;
}

static __attribute__((noinline)) int32_t look_up(clua_context *context, lua_State *L, int level, int32_t *line) {
    clua_slice *slice = context->slice;
    for (;;) {
        lua_Debug ar;
        for (; lua_getstack(L, level, &ar); level++) {
            lua_getinfo(L, "Sl", &ar);
            if (ar.currentline > 0) {
                int32_t source = intern(context, ar.source, ar.short_src);
                if (context->knows_layout) remember(context, next_instruction((const clua_call_info *)ar.i_ci), source, ar.currentline);
                *line = ar.currentline;
                return source;
            }
        }
        // A coroutine without a Lua function: look at who resumed it.
        if (slice != NULL && slice->state == L) slice = slice->previous;
        if (slice == NULL || slice->state == L) break;
        L = slice->state;
        level = 0;
    }
    *line = 0;
    return 0;
}

int32_t clua_where(lua_State *L, int level, int32_t *line) {
    clua_context *context = clua_of(L);
    const clua_place *place = known_place(context, L, level);
    if (place == NULL) return look_up(context, L, level, line);
    *line = place->line;
    return place->source;
}

CLUA_END_JUMPED_OVER
