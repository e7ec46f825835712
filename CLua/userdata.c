// Boxes of Swift objects, property tables, and files of Lua's library.
#define _POSIX_C_SOURCE 200809L

#include "internal.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#if !defined(__GLIBC__) && defined(__linux__)
#include <stdio_ext.h>
#endif

enum { LIGHT_BOX = 2 * sizeof(void *), HEAVY_BOX = LIGHT_BOX + sizeof(size_t), CHARGED_AT_ONCE = 64 << 10 };

void clua_push_box(lua_State *L, const void *identity, void *object, int user_values, size_t weight) {
    const void **words = lua_newuserdatauv(L, weight == 0 ? LIGHT_BOX : HEAVY_BOX, user_values);
    words[0] = identity;
    words[1] = object;
    if (weight == 0) return;
    memcpy(words + 2, &weight, sizeof(weight));
    clua_context *context = clua_of(L);
    context->native += weight;
    context->used += weight;
    if (context->used > context->peak) context->peak = context->used;
    context->to_charge += weight;
}

void clua_charge(lua_State *L) {
    clua_context *context = clua_of(L);
    if (context->to_charge < CHARGED_AT_ONCE) return;
    size_t kib = context->to_charge >> 10;
    context->to_charge = 0;
    // The collector does as much work as if Lua had allocated the bytes, unless a script has stopped it.
    if (lua_gc(L, LUA_GCISRUNNING)) lua_gc(L, LUA_GCSTEP, kib > INT_MAX >> 1 ? INT_MAX >> 1 : (int)kib);
}

// Its upvalue is the metatable whose boxes it may release.
static int release(lua_State *L) {
    clua_context *context = clua_of(L);
    void **words = clua_userdata(L, 1, lua_topointer(L, lua_upvalueindex(1)));
    if (words == NULL || words[1] == NULL || context->release == NULL) return 0;
    void *object = words[1];
    words[1] = NULL;
    if (lua_rawlen(L, 1) == HEAVY_BOX) {
        size_t weight;
        memcpy(&weight, words + 2, sizeof(weight));
        context->native -= weight;
        context->used -= weight;
    }
    context->depth++;
    context->release(object);
    context->depth--;
    return 0;
}

void clua_add_box_finalizer(lua_State *L) {
    lua_pushliteral(L, "__gc");
    lua_pushvalue(L, -2);
    lua_pushcclosure(L, release, 1);
    lua_rawset(L, -3);
}

// MARK: objects that the host keeps

void clua_credit_kept(lua_State *L, clua_kept *kept, int kib) {
    kept->to_credit = 0;
    // A negative step reduces the collector's debt. If a script has stopped the collector, the step would start it
    // briefly.
    if (lua_gc(L, LUA_GCISRUNNING)) lua_gc(L, LUA_GCSTEP, -kib);
}

// Objects dropped while the collector was already sweeping still exist, so the count of objects dropped since the
// previous cycle is kept for one more.
static void cycle_ended(clua_kept *kept) {
    kept->dropped_before = kept->dropped;
    kept->dropped = 0;
}

void clua_cycle_ended(clua_context *context) {
    cycle_ended(&context->roots);
    cycle_ended(&context->userdata);
}

void clua_forget_dropped(clua_context *context) {
    context->roots.dropped = context->roots.dropped_before = 0;
    context->userdata.dropped = context->userdata.dropped_before = 0;
}

static size_t read_ahead(FILE *file) {
#if defined(__GLIBC__)
    return (size_t)(file->_IO_read_end - file->_IO_read_ptr);
#elif defined(__APPLE__)
    return file->_r > 0 ? (size_t)file->_r : 0;
#else
    return __freadahead(file);
#endif
}

int clua_file(lua_State *L, int index, size_t *buffered) {
    luaL_Stream *stream = luaL_testudata(L, index, LUA_FILEHANDLE);
    *buffered = 0;
    if (stream == NULL) return CLUA_NO_FILE;
    if (stream->closef == NULL || stream->f == NULL) return CLUA_CLOSED_FILE;
    *buffered = read_ahead(stream->f);
    return fileno(stream->f);
}

// MARK: property tables

typedef struct property_name {
    const char *string;
    int32_t property;
} property_name;

// The table of properties of an `__index` or `__newindex` function. Lua keeps one copy of each short string, so a
// name is found by the address of its bytes, which is faster than a lookup in a Lua table. The table of names holds
// the strings, so an address stays that of its name. A string with another address is looked up in the table of
// names: a long name has several copies, and a constant is not a property.
typedef struct property_table {
    clua_accessor accessor;
    clua_function fallback;
    // A power of two minus one; at most half of the places are taken.
    uint32_t mask;
    property_name names[];
} property_table;

static uint32_t first_place(const property_table *table, const char *string) {
    return (uint32_t)(((uintptr_t)string >> 3) * 0x9e3779b97f4a7c15u >> 32) & table->mask;
}

// The property of that name, or -1.
static int32_t find_property(const property_table *table, const char *string) {
    for (uint32_t place = first_place(table, string);; place = (place + 1) & table->mask) {
        const property_name *name = &table->names[place];
        if (name->string == string || name->string == NULL) return name->property;
    }
}

static void add_property(property_table *table, const char *string, int32_t property) {
    uint32_t place = first_place(table, string);
    while (table->names[place].string != NULL) place = (place + 1) & table->mask;
    table->names[place] = (property_name){string, property};
}

static int call_accessor(lua_State *L, clua_context *context, const property_table *table, int32_t property) {
    int32_t depth = context->depth;
    context->depth = depth + 1;
    int reply = table->accessor(L, property);
    context->depth = depth;
    return reply >= 0 ? reply : clua_finish(L, context, reply);
}

// The slow path: for a constant, a method, a long name or an error.
static __attribute__((noinline)) int access_any(lua_State *L, int count, const property_table *table) {
    clua_context *context = clua_of(L);
    int is_reading = count == 2;
    lua_pushvalue(L, 2);
    int type = lua_rawget(L, lua_upvalueindex(2));
    if (type == LUA_TLIGHTUSERDATA) {
        int32_t property = (int32_t)(intptr_t)lua_touserdata(L, -1);
        lua_settop(L, count);
        return call_accessor(L, context, table, property);
    }
    if (type != LUA_TNIL && is_reading) return 1;
    lua_settop(L, count);
    if (table->fallback == NULL) {
        if (!is_reading) return luaL_error(L, "cannot set '%s': there is no such property", luaL_tolstring(L, 2, NULL));
        lua_pushnil(L);
        return 1;
    }
    int32_t depth = context->depth;
    context->depth = depth + 1;
    int reply = table->fallback(L);
    context->depth = depth;
    return reply >= 0 ? reply : clua_finish(L, context, reply);
}

// Reads with two values on the stack, writes with three. Upvalues: 1 the table of properties, 2 names.
CLUA_ALWAYS_INLINE int access(lua_State *L, int count) {
    clua_context *context = clua_of(L);
    if (context->call_checks & CLUA_CHECK_COLLECTS) lua_gc(L, LUA_GCCOLLECT);
    lua_settop(L, count);
    const property_table *table = lua_touserdata(L, lua_upvalueindex(1));
    // A number is not a name, and `lua_tolstring` would convert it in place.
    int32_t property = lua_type(L, 2) == LUA_TSTRING ? find_property(table, lua_tolstring(L, 2, NULL)) : -1;
    if (property >= 0) return call_accessor(L, context, table, property);
    return access_any(L, count, table);
}

static int read_property(lua_State *L) { return access(L, 2); }
static int write_property(lua_State *L) { return access(L, 3); }

// [-1, +2, m] Puts the table of properties below the names on top. Integers among the names become light userdata,
// which constants never are.
static void push_properties(lua_State *L, clua_accessor accessor, clua_function fallback) {
    int names = lua_gettop(L);
    uint32_t count = 0;
    lua_pushnil(L);
    while (lua_next(L, names)) {
        count += (uint32_t)lua_isinteger(L, -1);
        lua_settop(L, -2);
    }
    uint32_t places = 2;
    while (places < 2 * count) places *= 2;
    property_table *table = lua_newuserdatauv(L, sizeof(property_table) + places * sizeof(property_name), 0);
    table->accessor = accessor;
    table->fallback = fallback;
    table->mask = places - 1;
    for (uint32_t place = 0; place < places; place++) table->names[place] = (property_name){NULL, -1};
    lua_insert(L, names);
    names++;
    lua_pushnil(L);
    while (lua_next(L, names)) {
        if (lua_isinteger(L, -1)) {
            int32_t property = (int32_t)lua_tointegerx(L, -1, NULL);
            // A number is not a name, and has no permanent bytes.
            if (lua_type(L, -2) == LUA_TSTRING) add_property(table, lua_tolstring(L, -2, NULL), property);
            lua_pushvalue(L, -2);
            lua_pushlightuserdata(L, (void *)(intptr_t)property);
            lua_rawset(L, names);
        }
        lua_settop(L, -2);
    }
}

void clua_push_index(lua_State *L, clua_accessor getter, clua_function fallback) {
    push_properties(L, getter, fallback);
    lua_pushcclosure(L, read_property, 2);
}

void clua_push_newindex(lua_State *L, clua_accessor setter, clua_function fallback) {
    push_properties(L, setter, fallback);
    lua_pushcclosure(L, write_property, 2);
}

int clua_serves_userdata(lua_CFunction function) {
    return function == read_property || function == write_property || function == release;
}

CLUA_END_JUMPED_OVER
