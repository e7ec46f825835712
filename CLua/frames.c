// Call stacks, recorded raw.
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void copy_text(char *to, size_t capacity, const char *from) {
    size_t count = from ? strlen(from) : 0;
    if (count >= capacity) count = capacity - 1;
    if (count) memcpy(to, from, count);
    to[count] = 0;
}

static void record_level(clua_context *context, lua_State *L, int level, lua_Debug *ar, int gap) {
    if (context->frame_count >= CLUA_FRAME_CAPACITY) return;
    lua_getinfo(L, "Slnt", ar);
    lua_Debug above;
    // The base call of a root does not belong to the script.
    if (ar->what[0] == 'C' && ar->name == NULL && (clua_marks(L) & CLUA_MARK_ROOT)
        && !lua_getstack(L, level + 1, &above)) return;
    clua_frame *frame = &context->frames[context->frame_count++];
    copy_text(frame->source, sizeof frame->source, ar->short_src);
    copy_text(frame->name, sizeof frame->name, ar->name);
    copy_text(frame->name_kind, sizeof frame->name_kind, ar->namewhat);
    frame->line = ar->currentline;
    frame->defined = ar->linedefined;
    frame->is_native = ar->what[0] == 'C';
    frame->is_main = ar->what[0] == 'm';
    frame->is_tail = (uint8_t)ar->istailcall;
    frame->gap = (uint8_t)gap;
}

// How many levels there are, by doubling and halving.
static int level_count(lua_State *L, int level) {
    lua_Debug ar;
    int low = level, high = level + 1;
    while (lua_getstack(L, high, &ar)) {
        low = high;
        high *= 2;
    }
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (lua_getstack(L, middle, &ar)) low = middle + 1;
        else high = middle;
    }
    return high;
}

void clua_record_frames(lua_State *L, int level) {
    clua_context *context = clua_of(L);
    if (context->frames_mode != CLUA_FRAMES_APPEND) context->frame_count = 0;
    lua_Debug ar;
    int shown = 0, gap = 0;
    while (lua_getstack(L, level, &ar)) {
        if (shown++ == CLUA_FRAME_FIRST && !gap) {
            int count = level_count(L, level);
            if (count - level > CLUA_FRAME_LAST) {
                level = count - CLUA_FRAME_LAST;
                gap = 1;
                if (!lua_getstack(L, level, &ar)) return;
                record_level(context, L, level, &ar, 1);
                level++;
                continue;
            }
        }
        record_level(context, L, level, &ar, 0);
        level++;
    }
}

// The message handler of base calls: records frames, and leaves the value unchanged. [-1, +1, -]
int clua_recorder(lua_State *L) {
    clua_context *context = clua_of(L);
    if (context->frames_mode != CLUA_FRAMES_KEEP) clua_record_frames(L, 1);
    context->frames_mode = CLUA_FRAMES_REPLACE;
    // Nothing in between catches the error; otherwise this handler would not run.
    context->unwinding = 1;
    return 1;
}

int clua_closes(lua_State *L) {
    lua_Debug ar;
    for (int level = 0; lua_getstack(L, level, &ar); level++) {
        lua_getinfo(L, "n", &ar);
        if (ar.name != NULL && ar.namewhat[0] == 'm' && strcmp(ar.namewhat, "metamethod") == 0
            && (strcmp(ar.name, "close") == 0 || strcmp(ar.name, "__close") == 0)) {
            return 1;
        }
    }
    return 0;
}

// A close variable that is left normally is called as the metamethod `close`; one that an error passes has no name, but
// then `unwinding` is set. The search includes coroutines in between.
int clua_is_closing(lua_State *L) {
    clua_slice *slice = clua_of(L)->slice;
    for (;;) {
        if (clua_closes(L)) return 1;
        if (slice != NULL && slice->state == L) slice = slice->previous;
        if (slice == NULL || slice->state == L) return 0;
        L = slice->state;
    }
}

CLUA_END_JUMPED_OVER
