// The parts of the contract that are written in Lua.
#include "CTexts.h"

// Clang has #embed in every version of C, and warns before C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char prelude_map[] = {
#embed "../OpScript/Globals/Lua/map.lua"
    , 0};
const char *text_prelude_map(void) { return (const char *)prelude_map; }

static const unsigned char prelude_concurrent_perform[] = {
#embed "../OpScript/Globals/Lua/concurrent_perform.lua"
    , 0};
const char *text_prelude_concurrent_perform(void) { return (const char *)prelude_concurrent_perform; }

static const unsigned char prelude_require[] = {
#embed "../OpScript/Globals/Lua/require.lua"
    , 0};
const char *text_prelude_require(void) { return (const char *)prelude_require; }

static const unsigned char prelude_simulate[] = {
#embed "../OpScript/Globals/Lua/simulate.lua"
    , 0};
const char *text_prelude_simulate(void) { return (const char *)prelude_simulate; }

static const unsigned char prelude_faults[] = {
#embed "../OpScript/Globals/Lua/faults.lua"
    , 0};
const char *text_prelude_faults(void) { return (const char *)prelude_faults; }
