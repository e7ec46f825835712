// Reproducible universes: objects are numbered as they are made, and tables are traversed in an order that is the same
// in each run.
#include "internal.h"

#include <stdlib.h>
#include <string.h>

// MARK: numbers of objects

// Precedes each block. The check distinguishes a header from Lua's own data in a block: it depends on
// the address of the block.
typedef struct number_header {
    uint64_t number;
    uint64_t check;
} number_header;

_Static_assert(sizeof(number_header) % CLUA_SIZE_STEP == 0, "blocks behind a header must stay aligned");

static uint64_t check_of(const number_header *header) {
    return (header->number ^ (uint64_t)(uintptr_t)header) * 0x9e3779b97f4a7c15u ^ 0x6f70736372697074u;
}

static void *write_header(number_header *header, uint64_t number) {
    header->number = number;
    header->check = check_of(header);
    return header + 1;
}

void *clua_allocate_numbered(void *data, void *block, size_t old_size, size_t new_size) {
    clua_context *context = data;
    enum { HEADER = sizeof(number_header) };
    if (block == NULL) {
        if (new_size == 0) return NULL;
        number_header *header = clua_allocate(context, NULL, 0, new_size + HEADER);
        return header == NULL ? NULL : write_header(header, ++context->last_number);
    }
    number_header *header = (number_header *)block - 1;
    if (new_size == 0) return clua_allocate(context, header, old_size + HEADER, 0);
    uint64_t number = header->number;
    header = clua_allocate(context, header, old_size + HEADER, new_size + HEADER);
    return header == NULL ? NULL : write_header(header, number);
}

// The number of the block in which an object lies. `lua_topointer` returns some address inside the block, and a header
// precedes the block: it is the first one below the address.
static uint64_t number_of_block_around(const void *address) {
    // A userdata with a thousand user values still has its header within this distance.
    enum { MOST_STEPS = 1 << 12 };
    const number_header *header = (const number_header *)((uintptr_t)address & ~(uintptr_t)(CLUA_SIZE_STEP - 1)) - 1;
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        if (header->check == check_of(header)) return header->number;
        header = (const number_header *)((const char *)header - CLUA_SIZE_STEP);
    }
    return 0;
}

uint64_t clua_number_of(lua_State *L, int index) {
    index = lua_absindex(L, index);
    switch (lua_type(L, index)) {
    case LUA_TFUNCTION:
        // A C function without upvalues is not an object.
        if (lua_iscfunction(L, index)) {
            if (lua_getupvalue(L, index, 1) == NULL) return 0;
            lua_settop(L, -2);
        }
        return number_of_block_around(lua_topointer(L, index));
    case LUA_TTABLE:
    case LUA_TTHREAD:
    case LUA_TUSERDATA:
        return number_of_block_around(lua_topointer(L, index));
    default:
        return 0;
    }
}

// A value without a number gets one when it is first seen.
static const char seen_key = 0;

static uint64_t number_when_seen(lua_State *L, int index) {
    luaL_checkstack(L, 4, NULL);
    index = lua_absindex(L, index);
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &seen_key) != LUA_TTABLE) {
        lua_settop(L, -2);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &seen_key);
    }
    lua_pushvalue(L, index);
    lua_Integer number;
    if (lua_rawget(L, -2) == LUA_TNUMBER) {
        number = lua_tointeger(L, -1);
    } else {
        lua_pushvalue(L, index);
        lua_pushinteger(L, number = (lua_Integer)++clua_of(L)->last_number);
        lua_rawset(L, -4);
    }
    lua_settop(L, -3);
    return (uint64_t)number;
}

// MARK: the order of keys

enum { RANK_NUMBER, RANK_STRING, RANK_BOOLEAN, RANK_OBJECT };

typedef struct order_key {
    int rank;
    int is_float;
    lua_Integer place; // In the list of keys.
    lua_Number number;
    lua_Integer integer;
    const char *bytes;
    size_t count; // The length of a string; the number of an object; a boolean.
} order_key;

static order_key read_key(lua_State *L, int index) {
    order_key key;
    memset(&key, 0, sizeof key);
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        key.rank = RANK_NUMBER;
        key.is_float = !lua_isinteger(L, index);
        key.number = lua_tonumber(L, index);
        if (!key.is_float) key.integer = lua_tointeger(L, index);
        break;
    case LUA_TSTRING:
        key.rank = RANK_STRING;
        key.bytes = lua_tolstring(L, index, &key.count);
        break;
    case LUA_TBOOLEAN:
        key.rank = RANK_BOOLEAN;
        key.count = (size_t)lua_toboolean(L, index);
        break;
    default: {
        key.rank = RANK_OBJECT;
        uint64_t number = clua_number_of(L, index);
        key.count = (size_t)(number ? number : number_when_seen(L, index));
    }
    }
    return key;
}

static int compare(const void *left, const void *right) {
    const order_key *a = left, *b = right;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    if (a->rank == RANK_STRING) {
        size_t common = a->count < b->count ? a->count : b->count;
        int order = memcmp(a->bytes, b->bytes, common);
        if (order != 0) return order;
    }
    if (a->rank == RANK_NUMBER) {
        if (a->number != b->number) return a->number < b->number ? -1 : 1;
        if (a->is_float != b->is_float) return a->is_float ? 1 : -1;
        return a->integer < b->integer ? -1 : a->integer > b->integer;
    }
    return a->count < b->count ? -1 : a->count > b->count;
}

// MARK: next and pairs

// For each table that is being traversed: a list of its keys in order, and their places in the list.
static const char orders_key = 0;

static void push_orders(lua_State *L) { clua_push_weak_table(L, &orders_key); }

static void forget_order(lua_State *L) {
    push_orders(L);
    lua_pushvalue(L, 1);
    lua_pushnil(L);
    lua_rawset(L, -3);
    lua_settop(L, -2);
}

// [-0, +2, e] The keys of the table at 1 in order, and their places; kept until the traversal ends.
static void make_order(lua_State *L) {
    lua_newtable(L);
    int keys = lua_gettop(L);
    lua_Integer count = 0;
    int is_sequence = 1;
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        lua_settop(L, -2);
        count++;
        if (!lua_isinteger(L, -1) || lua_tointeger(L, -1) != count) is_sequence = 0;
        lua_pushvalue(L, -1);
        lua_rawseti(L, keys, count);
    }
    if (!is_sequence) {
        order_key *list = lua_newuserdatauv(L, (size_t)count * sizeof(order_key), 0);
        for (lua_Integer i = 0; i < count; i++) {
            lua_rawgeti(L, keys, i + 1);
            list[i] = read_key(L, lua_gettop(L));
            list[i].place = i + 1;
            lua_settop(L, -2);
        }
        qsort(list, (size_t)count, sizeof(order_key), compare);
        lua_createtable(L, (int)(count < INT32_MAX ? count : 0), 0);
        for (lua_Integer i = 0; i < count; i++) {
            lua_rawgeti(L, keys, list[i].place);
            lua_rawseti(L, -2, i + 1);
        }
        lua_replace(L, keys);
        lua_settop(L, keys);
    }
    lua_createtable(L, 0, (int)(count < INT32_MAX ? count : 0));
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, keys, i);
        lua_pushinteger(L, i);
        lua_rawset(L, -3);
    }
    push_orders(L);
    lua_pushvalue(L, 1);
    lua_createtable(L, 2, 0);
    lua_pushvalue(L, keys);
    lua_rawseti(L, -2, 1);
    lua_pushvalue(L, keys + 1);
    lua_rawseti(L, -2, 2);
    lua_rawset(L, -3);
    lua_settop(L, keys + 1);
}

// [-0, +2, e] The order in which the table at 1 is being traversed.
static void push_order(lua_State *L) {
    push_orders(L);
    lua_pushvalue(L, 1);
    if (lua_rawget(L, -2) != LUA_TTABLE) {
        lua_settop(L, -3);
        make_order(L);
        return;
    }
    lua_rawgeti(L, -1, 1);
    lua_rawgeti(L, -2, 2);
    lua_rotate(L, -4, 2);
    lua_settop(L, -3);
}

// The pair of the table at 1 whose key is the smallest of all, or of those above `limit`.
static int smallest(lua_State *L, const order_key *limit) {
    lua_settop(L, 2);
    lua_pushnil(L); // The smallest so far.
    order_key best;
    int is_found = 0;
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        lua_settop(L, -2);
        order_key key = read_key(L, lua_gettop(L));
        if ((limit == NULL || compare(&key, limit) > 0) && (!is_found || compare(&key, &best) < 0)) {
            is_found = 1;
            best = key;
            lua_copy(L, -1, 3);
        }
    }
    if (!is_found) {
        lua_pushnil(L);
        return 1;
    }
    lua_pushvalue(L, 3);
    lua_pushvalue(L, 3);
    lua_rawget(L, 1);
    return 2;
}

static int ordered_next(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 2);
    if (lua_isnil(L, 2)) {
        // The order is computed at the second step, since many callers only need to know whether there is any
        // entry.
        forget_order(L);
        return smallest(L, NULL);
    }
    push_order(L);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, 4) != LUA_TNUMBER) {
        // The key was removed before its place was known: the traversal continues behind where the key would be.
        order_key key = read_key(L, 2);
        return smallest(L, &key);
    }
    lua_Integer place = lua_tointeger(L, -1);
    lua_settop(L, 4);
    while (lua_rawgeti(L, 3, ++place) != LUA_TNIL) {
        lua_pushvalue(L, -1);
        if (lua_rawget(L, 1) != LUA_TNIL) return 2;
        lua_settop(L, 4);
    }
    forget_order(L);
    lua_pushnil(L);
    return 1;
}

static int end_pairs(lua_State *L, int status, lua_KContext context) {
    (void)L;
    (void)status;
    (void)context;
    return 3;
}

static int ordered_pairs(lua_State *L) {
    luaL_checkany(L, 1);
    if (luaL_getmetafield(L, 1, "__pairs") == LUA_TNIL) {
        lua_pushcfunction(L, ordered_next);
        lua_pushvalue(L, 1);
        lua_pushnil(L);
    } else {
        lua_pushvalue(L, 1);
        lua_callk(L, 1, 3, 0, end_pairs);
    }
    return 3;
}

void clua_set_ordered_functions(lua_State *L) {
    lua_pushcfunction(L, ordered_next);
    lua_setfield(L, -2, "next");
    lua_pushcfunction(L, ordered_pairs);
    lua_setfield(L, -2, "pairs");
}

CLUA_END_JUMPED_OVER
