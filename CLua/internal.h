// Declarations that the C files share among themselves.
#ifndef CLUA_INTERNAL_H
#define CLUA_INTERNAL_H

#include "CLua.h"

#include <string.h>

// Lua jumps out of these functions. The thread sanitizer keeps a call stack of its own, which a jump from a library
// that it did not compile does not unwind: after some thousand errors it would overflow. Each C file ends with the
// second macro.
#if __has_feature(thread_sanitizer)
#define CLUA_BEGIN_JUMPED_OVER                                                                    \
    _Pragma("clang attribute push(__attribute__((disable_sanitizer_instrumentation)), apply_to=function)")
#define CLUA_END_JUMPED_OVER _Pragma("clang attribute pop")
// It also delays signals until the next call that it intercepts, which Lua code need not make: a hook makes one now and
// then.
#define CLUA_LET_SIGNALS_IN(L) clua_let_signals_in(L)
#else
#define CLUA_BEGIN_JUMPED_OVER
#define CLUA_END_JUMPED_OVER
#define CLUA_LET_SIGNALS_IN(L) ((void)(L))
#endif

/// One lua_resume or lua_pcallk on the C stack. Both always return, so that it is always removed.
typedef struct clua_slice {
    lua_State *state;
    struct clua_slice *previous;
    int32_t depth;
    uint8_t can_wait;
} clua_slice;

void clua_attend(clua_context *context, lua_State *L);
void clua_attend_new(clua_context *context, lua_State *co);
void clua_end_last_slice(clua_context *context);
void clua_let_signals_in(lua_State *L);
/// [-0, +0, e] Raises the error about a limit, which scripts can catch.
int clua_raise_limit(lua_State *L, clua_context *context, int kind);
void clua_arm_stray_yield(lua_State *L);
void clua_long_call(lua_State *L, int64_t steps, int64_t all);
int clua_string_find(lua_State *L);
int clua_string_match(lua_State *L);
int clua_string_gmatch(lua_State *L);
int clua_string_gsub(lua_State *L);
int clua_recorder(lua_State *L);
int clua_close_thread(lua_State *L, lua_State *co);
int clua_open_coroutine(lua_State *L);
int clua_open_debug(lua_State *L);
int clua_open_io(lua_State *L);
int clua_open_os(lua_State *L);
/// [-0, +0, e] Wraps a function of the table on top: `wrapper` has it as its upvalue, a light userdata.
void clua_wrap_field(lua_State *L, const char *name, lua_CFunction wrapper);
int clua_pcall(lua_State *L);
/// [-0, +1, e]
void clua_push_xpcall(lua_State *L);
int clua_is_xpcall(lua_CFunction function);
/// Whether the value at an index is the stock `debug.traceback`.
int clua_is_traceback(lua_State *L, int index);
int clua_coroutine_resume(lua_State *L);
int clua_coroutine_step(lua_State *L);
int clua_trampoline(lua_State *L);
// Whether a C function is the trampoline, or one for a limited number of arguments.
int clua_calls_host(lua_CFunction function);
int clua_finish(lua_State *L, clua_context *context, int reply);
int clua_raise_cannot_wait(lua_State *L);
/// Whether a finalizer runs in `L`, and the host does not run inside a function that the finalizer called.
int clua_is_called_by_finalizer(lua_State *L);
/// Whether a finalizer is on the stack of `L`, or of a coroutine that runs or has resumed the running one. [-0, +0,
/// -]
int clua_finds_finalizer(lua_State *L);
/// Whether this function gets or sets properties, or releases boxes.
int clua_serves_userdata(lua_CFunction function);
void *clua_allocate(void *context, void *block, size_t old_size, size_t new_size);
/// The same for a reproducible universe: each new block gets the next number.
void *clua_allocate_numbered(void *context, void *block, size_t old_size, size_t new_size);
/// [-0, +0, m] Puts `next` and `pairs` of a reproducible universe into the table on top.
void clua_set_ordered_functions(lua_State *L);
/// [-0, +0, m] Raises an error if the system has too little memory for a host function, even after a collection.
void clua_require_spare(lua_State *L, clua_context *context);
void clua_free_chunks(clua_context *context);
void clua_free_sources(clua_context *context);
void clua_note_line(clua_context *context, lua_State *L, lua_Debug *ar);
void clua_free_coverage(clua_context *context);
void clua_flush_output(clua_context *context);
void clua_free_output(clua_context *context);

// A signal handler sets bits at any moment, so both are one step.
static inline void clua_set_attention(clua_context *context, uint32_t bits) {
    __atomic_fetch_or(&context->attention, bits, __ATOMIC_RELAXED);
}

static inline void clua_clear_attention(clua_context *context, uint32_t bits) {
    __atomic_fetch_and(&context->attention, ~bits, __ATOMIC_RELAXED);
}

/// Lua begins to run in `L`: from here on allocations may fail, and interrupts find it.
static inline void clua_begin_slice(clua_context *context, clua_slice *slice, lua_State *L, int can_wait) {
    slice->state = L;
    slice->previous = context->slice;
    slice->depth = context->depth;
    slice->can_wait = context->can_wait;
    context->slice = slice;
    context->can_wait = (uint8_t)can_wait;
    context->depth = 0;
    context->running = L;
    if (context->attention) clua_attend(context, L);
    CLUA_LET_SIGNALS_IN(L);
}

/// Returns to the code that ran before.
static inline void clua_end_slice(clua_context *context, clua_slice *slice) {
    context->slice = slice->previous;
    context->can_wait = slice->can_wait;
    context->depth = slice->depth;
    if (slice->previous) {
        context->running = slice->previous->state;
        if (context->attention) clua_attend(context, slice->previous->state);
    } else {
        context->running = NULL;
        if (context->attention) clua_end_last_slice(context);
    }
}

/// Lua raised its own error about missing memory, which is on top of `L`. Replaces it by the error of the limit,
/// which scripts cannot catch. `place` is the stack that shows where. Does nothing without a limit. [-1, +1, -]
void clua_memory_refused(lua_State *L, lua_State *place);

/// Pushes the table that the registry has for a key, with weak keys; made if there is none. [-0, +1, m]
void clua_push_weak_table(lua_State *L, const void *key);

/// Whether a chunk is the program's own Lua code, by its name: `=[opscript]`, `=[opscript run]`.
static inline int clua_is_own_chunk(const char *source) { return strncmp(source, "=[opscript", 10) == 0; }

/// Whether scripts may still catch errors.
static inline int clua_may_catch(clua_context *context) {
    return !context->terminating && !(context->attention & CLUA_ATTEND_INTERRUPT);
}

CLUA_BEGIN_JUMPED_OVER

#endif
