// What Lua keeps where, as far as it is read or moved without a call. See layout.c.
#ifndef CLUA_LAYOUT_H
#define CLUA_LAYOUT_H

#include "clua_context.h"

#pragma clang assume_nonnull begin

/// A value as it lies on a stack, in a closure or in a userdata.
typedef struct clua_value {
    union {
        void *address;
        lua_Integer integer;
        lua_Number number;
    } as;
    /// The type, as `lua_type` tells it, in the low four bits; above them which form of it, and whether the collector knows it.
    uint8_t tag;
} clua_value;

enum {
    CLUA_TAG_NIL = 0x00, CLUA_TAG_FALSE = 0x01, CLUA_TAG_INTEGER = 0x03, CLUA_TAG_SHORT_STRING = 0x44, CLUA_TAG_TABLE = 0x45,
    CLUA_TAG_USERDATA = 0x47, CLUA_TYPE_OF_TAG = 0x0F,
};

/// In the mark of an object that the collector has looked at: what is put into it then, it has to be told of.
enum { CLUA_SEEN = 1 << 5 };

/// One call. Its arguments follow the function.
typedef struct clua_call_info {
    clua_value *function;
    clua_value *end;
    struct clua_call_info *_Nullable caller, *_Nullable callee;
    /// Of a Lua function: the instruction with which it goes on. Each knows its line.
    const uint32_t *next_instruction;
    void *_Nonnull of_native_functions[2];
    int32_t of_its_state;
    int16_t results;
    uint16_t marks;
} clua_call_info;

enum { CLUA_CALL_OF_NATIVE_FUNCTION = 2 };

/// The beginning of a `lua_State`.
typedef struct clua_stack {
    void *next;
    uint64_t marks;
    clua_value *top;
    void *universe;
    clua_call_info *call;
} clua_stack;

/// A native function with upvalues.
typedef struct clua_closure {
    void *next;
    uint64_t marks;
    void *gray;
    lua_CFunction function;
    clua_value upvalues[];
} clua_closure;

/// What lies in front of a full userdata's memory. One without user values has its memory where they would begin, less one word.
typedef struct clua_header {
    void *next;
    uint8_t tag, mark;
    uint16_t user_values;
    size_t length;
    void *metatable;
    void *gray;
    clua_value values[];
} clua_header;

/// The beginning of a table.
typedef struct clua_table {
    void *next;
    uint8_t tag, mark;
    /// A bit for each of the commonest metamethods of which it is known that the table has none.
    uint8_t without;
    uint8_t size_of_fields;
    /// Places from 1 to this are in the array, perhaps others as well.
    uint32_t limit;
    clua_value *array;
} clua_table;

enum { CLUA_WITHOUT_FINALIZER = 1 << 2 };

/// Copies a value as Lua does, each part by itself: a read of the whole would wait until both parts, which mostly have just been written by themselves,
/// are in the cache.
CLUA_ALWAYS_INLINE void clua_copy(clua_value *to, const clua_value *from) {
    to->as = from->as;
    to->tag = from->tag;
}

/// Puts a value at a place of a table, if that is in its array, and nobody has to be told; else 0. [-0, +0, -]
CLUA_ALWAYS_INLINE int clua_put(clua_table *table, lua_Integer place, const clua_value *value) {
    if ((table->mark & CLUA_SEEN) || (lua_Unsigned)place - 1 >= table->limit) return 0;
    clua_copy(&table->array[place - 1], value);
    return 1;
}
/// The same for `false`, of which nobody is ever told. [-0, +0, -]
CLUA_ALWAYS_INLINE int clua_put_false(clua_table *table, lua_Integer place) {
    if ((lua_Unsigned)place - 1 >= table->limit) return 0;
    table->array[place - 1].tag = CLUA_TAG_FALSE;
    return 1;
}

/// The memory of a full userdata. [-0, +0, -]
CLUA_ALWAYS_INLINE void *clua_memory_of(clua_header *header) {
    return header->user_values ? (void *)&header->values[header->user_values] : (void *)&header->gray;
}

/// The userdata with that memory and so many user values, more than none. [-0, +0, -]
CLUA_ALWAYS_INLINE clua_header *clua_header_of(void *memory, int user_values) {
    return (clua_header *)((char *)memory - sizeof(clua_header) - (size_t)user_values * sizeof(clua_value));
}

CLUA_ALWAYS_INLINE clua_stack *clua_stack_of(lua_State *L) { return (clua_stack *)L; }

/// Whether all of this is so in the Lua that runs. [-0, +0, -]
CLUA_ALWAYS_INLINE int clua_knows_layout(lua_State *L) { return clua_of(L)->knows_layout; }
/// Whether it is, and an index that of a place on the stack, not of an upvalue or the registry. [-0, +0, -]
CLUA_ALWAYS_INLINE int clua_knows_place(lua_State *L, int index) { return index > LUA_REGISTRYINDEX && clua_knows_layout(L); }

/// The value at an index; NULL above the top. Only for a place that is known. [-0, +0, -]
CLUA_ALWAYS_INLINE const clua_value *_Nullable clua_value_at(lua_State *L, int index) {
    const clua_stack *stack = clua_stack_of(L);
    const clua_value *value = index > 0 ? stack->call->function + index : stack->top + index;
    return value < stack->top ? value : NULL;
}

/// An upvalue of the native function that runs, from 1, which it has. Only where the layout is known. [-0, +0, -]
CLUA_ALWAYS_INLINE const clua_value *clua_upvalue_at(lua_State *L, int number) {
    const clua_closure *closure = (const clua_closure *)clua_stack_of(L)->call->function->as.address;
    return &closure->upvalues[number - 1];
}

/// Pushes a copy of a value. Only where the layout is known. [-0, +1, -]
CLUA_ALWAYS_INLINE void clua_push_value(lua_State *L, const clua_value *value) {
    clua_copy(clua_stack_of(L)->top++, value);
}

/// Pushes a copy of the value at an index, where there is one. [-0, +1, -]
CLUA_ALWAYS_INLINE void clua_push_copy(lua_State *L, int index) {
    const clua_value *value = clua_knows_place(L, index) ? clua_value_at(L, index) : NULL;
    if (value != NULL) clua_push_value(L, value);
    else lua_pushvalue(L, index);
}

/// A user value of the full userdata at an index, from 1; NULL where there is none. Only for a place that is known. [-0, +0, -]
CLUA_ALWAYS_INLINE clua_value *_Nullable clua_user_value_at(lua_State *L, int index, int number) {
    const clua_value *value = clua_value_at(L, index);
    if (value == NULL || value->tag != CLUA_TAG_USERDATA) return NULL;
    clua_header *header = (clua_header *)value->as.address;
    return (unsigned)number - 1 < header->user_values ? &header->values[number - 1] : NULL;
}

/// Pushes a user value, and says its type, as `lua_getiuservalue`. [-0, +1, -]
CLUA_ALWAYS_INLINE int clua_get_user_value(lua_State *L, int index, int number) {
    const clua_value *value = clua_knows_place(L, index) ? clua_user_value_at(L, index, number) : NULL;
    if (value == NULL) return lua_getiuservalue(L, index, number);
    clua_push_value(L, value);
    return value->tag & CLUA_TYPE_OF_TAG;
}

/// Makes the value on top a user value; 0 where the userdata has none of that number, as `lua_setiuservalue`. [-1, +0, -]
CLUA_ALWAYS_INLINE int clua_set_user_value(lua_State *L, int index, int number) {
    clua_value *value = clua_knows_place(L, index) ? clua_user_value_at(L, index, number) : NULL;
    if (value == NULL || (((clua_header *)clua_value_at(L, index)->as.address)->mark & CLUA_SEEN))
        return lua_setiuservalue(L, index, number);
    clua_copy(value, --clua_stack_of(L)->top);
    return 1;
}

/// The index of the value on top, as `lua_gettop`. [-0, +0, -]
CLUA_ALWAYS_INLINE int clua_top(lua_State *L) {
    if (!clua_knows_layout(L)) return lua_gettop(L);
    const clua_stack *stack = clua_stack_of(L);
    return (int)(stack->top - stack->call->function) - 1;
}

/// Pushes the userdata with that memory and so many user values, more than none; 0, and nothing, where the layout is not known. [-0, +0 | 1, -]
CLUA_ALWAYS_INLINE int clua_push_userdata(lua_State *L, void *memory, int user_values) {
    if (!clua_knows_layout(L)) return 0;
    clua_value *value = clua_stack_of(L)->top++;
    value->as.address = clua_header_of(memory, user_values);
    value->tag = CLUA_TAG_USERDATA;
    return 1;
}

/// The type at an index, as `lua_type`. [-0, +0, -]
CLUA_ALWAYS_INLINE int clua_type(lua_State *L, int index) {
    if (!clua_knows_place(L, index)) return lua_type(L, index);
    const clua_value *value = clua_value_at(L, index);
    return value == NULL ? LUA_TNONE : value->tag & CLUA_TYPE_OF_TAG;
}

/// The address in what is known to be a light userdata, in an upvalue of the native function that runs. [-0, +0, -]
CLUA_ALWAYS_INLINE void *_Nullable clua_address_upvalue(lua_State *L, int number) {
    return clua_knows_layout(L) ? clua_upvalue_at(L, number)->as.address : lua_touserdata(L, lua_upvalueindex(number));
}

#pragma clang assume_nonnull end
#endif
