// Lua's function-like macros as functions, which Swift can see and inlines.
#ifndef CLUA_SPELLINGS_H
#define CLUA_SPELLINGS_H

#include "clua_context.h"

#pragma clang assume_nonnull begin

/// [-0, +0, -]
static inline int clua_registry_index(void) { return LUA_REGISTRYINDEX; }
/// The i-th free upvalue of a host function, from 1. [-0, +0, -]
static inline int clua_upvalue_index(int i) { return lua_upvalueindex(i + 1); }
/// [-n, +0, e] only with to-be-closed values, which hosts never mark.
static inline void clua_pop(lua_State *L, int n) { lua_settop(L, -n - 1); }
/// [-1, +1, -]
static inline void clua_insert(lua_State *L, int index) { lua_rotate(L, index, 1); }
/// [-1, +0, -]
static inline void clua_remove(lua_State *L, int index) {
    lua_rotate(L, index, -1);
    lua_settop(L, -2);
}
/// [-1, +0, -]
static inline void clua_replace(lua_State *L, int index) {
    lua_copy(L, -1, index);
    lua_settop(L, -2);
}
/// [-0, +1, m]
static inline void clua_newtable(lua_State *L) { lua_createtable(L, 0, 0); }
/// [-0, +1, -]
static inline void clua_push_globals(lua_State *L) { lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS); }
/// [-0, +1, -] Pushes what a reference anchors.
static inline void clua_push_reference(lua_State *L, int reference) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, reference);
}
/// [-1, +0, m] Anchors the value on top.
static inline int clua_make_reference(lua_State *L) { return luaL_ref(L, LUA_REGISTRYINDEX); }
/// [-0, +0, -]
static inline void clua_drop_reference(lua_State *L, int reference) {
    luaL_unref(L, LUA_REGISTRYINDEX, reference);
}
/// The bytes of a string; never converts a number in place. NULL for other types. [-0, +0, -]
static inline const char *_Nullable clua_string(lua_State *L, int index, size_t *count) {
    return lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, count) : NULL;
}
/// The value when it is a number of the integer kind. [-0, +0, -]
CLUA_ALWAYS_INLINE int clua_integer(lua_State *L, int index, lua_Integer *value) {
    if (!lua_isinteger(L, index)) return 0;
    *value = lua_tointegerx(L, index, NULL);
    return 1;
}
/// The value when it is a number (not a numeric string). [-0, +0, -]
CLUA_ALWAYS_INLINE int clua_number(lua_State *L, int index, lua_Number *value) {
    if (lua_type(L, index) != LUA_TNUMBER) return 0;
    *value = lua_tonumberx(L, index, NULL);
    return 1;
}
/// The address of the metatable of a value, NULL without one. Needs one free slot. [-0, +0, -]
static inline const void *_Nullable clua_metatable_identity(lua_State *L, int index) {
    if (!lua_getmetatable(L, index)) return NULL;
    const void *identity = lua_topointer(L, -1);
    lua_settop(L, -2);
    return identity;
}
/// The memory of a full userdata that was created as one of this kind, otherwise NULL. [-0, +0, -]
///
/// Its first word identifies it. Its metatable does not, since a script with the debug library can set that.
/// Nothing but a full userdata has both an address and a length.
CLUA_ALWAYS_INLINE void *_Nullable clua_userdata(lua_State *L, int index, const void *identity) {
    const void **words = (const void **)lua_touserdata(L, index);
    if (words == NULL || lua_rawlen(L, index) < 2 * sizeof(void *)) return NULL;
    return *words == identity ? words : NULL;
}
/// The Swift object in a box of that kind, otherwise NULL. [-0, +0, -]
CLUA_ALWAYS_INLINE void *_Nullable clua_box(lua_State *L, int index, const void *identity) {
    void **words = (void **)clua_userdata(L, index, identity);
    return words == NULL ? NULL : words[1];
}

#pragma clang assume_nonnull end
#endif
