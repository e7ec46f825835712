// state SHAPE N REPETITIONS: makes a Lua state with all libraries, runs a script of one line in it, and closes it.
#include <chrono>
#include <cstdio>
#include <cstdlib>

extern "C" {
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
}

static long run(int n) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < n; i++) {
        lua_State *state = luaL_newstate();
        luaL_openlibs(state);
        if (luaL_loadstring(state, "local sum = 1 + 1") || lua_pcall(state, 0, 0, 0)) exit(1);
        lua_close(state);
    }
    auto time = std::chrono::steady_clock::now() - start;
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

int main(int count, char **words) {
    if (count < 4) return 2;
    int n = atoi(words[2]), repetitions = atoi(words[3]);
    run(n < 100 ? n : 100);
    for (int i = 0; i < repetitions; i++) printf("%s %d %ld\n", words[1], n, run(n));
}
