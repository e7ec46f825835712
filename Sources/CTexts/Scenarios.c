// The code that makes a script a file of scenarios.
#include "CTexts.h"

// Clang has #embed in every version of C, and warns before C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char scenarios_format[] = {
#embed "../OpScriptScenarios/Library/Lua/format.lua"
    , 0};
const char *text_scenarios_format(void) { return (const char *)scenarios_format; }

static const unsigned char scenarios_describe[] = {
#embed "../OpScriptScenarios/Library/Lua/describe.lua"
    , 0};
const char *text_scenarios_describe(void) { return (const char *)scenarios_describe; }

static const unsigned char scenarios_say[] = {
#embed "../OpScriptScenarios/Library/Lua/say.lua"
    , 0};
const char *text_scenarios_say(void) { return (const char *)scenarios_say; }

static const unsigned char scenarios_failure_text[] = {
#embed "../OpScriptScenarios/Library/Lua/failure_text.lua"
    , 0};
const char *text_scenarios_failure_text(void) { return (const char *)scenarios_failure_text; }

static const unsigned char scenarios_assert[] = {
#embed "../OpScriptScenarios/Library/Lua/assert.lua"
    , 0};
const char *text_scenarios_assert(void) { return (const char *)scenarios_assert; }

static const unsigned char scenarios_assertions[] = {
#embed "../OpScriptScenarios/Library/Lua/assertions.lua"
    , 0};
const char *text_scenarios_assertions(void) { return (const char *)scenarios_assertions; }

static const unsigned char scenarios_spy[] = {
#embed "../OpScriptScenarios/Library/Lua/spy.lua"
    , 0};
const char *text_scenarios_spy(void) { return (const char *)scenarios_spy; }

static const unsigned char scenarios_timeline[] = {
#embed "../OpScriptScenarios/Library/Lua/timeline.lua"
    , 0};
const char *text_scenarios_timeline(void) { return (const char *)scenarios_timeline; }

static const unsigned char scenarios_context[] = {
#embed "../OpScriptScenarios/Library/Lua/context.lua"
    , 0};
const char *text_scenarios_context(void) { return (const char *)scenarios_context; }

static const unsigned char scenarios_events[] = {
#embed "../OpScriptScenarios/Library/Lua/events.lua"
    , 0};
const char *text_scenarios_events(void) { return (const char *)scenarios_events; }

static const unsigned char scenarios_spec[] = {
#embed "../OpScriptScenarios/Library/Lua/spec.lua"
    , 0};
const char *text_scenarios_spec(void) { return (const char *)scenarios_spec; }

static const unsigned char scenarios_modules[] = {
#embed "../OpScriptScenarios/Library/Lua/modules.lua"
    , 0};
const char *text_scenarios_modules(void) { return (const char *)scenarios_modules; }

static const unsigned char scenarios_fixtures[] = {
#embed "../OpScriptScenarios/Library/Lua/fixtures.lua"
    , 0};
const char *text_scenarios_fixtures(void) { return (const char *)scenarios_fixtures; }

static const unsigned char scenarios_file_system[] = {
#embed "../OpScriptScenarios/Library/Lua/file_system.lua"
    , 0};
const char *text_scenarios_file_system(void) { return (const char *)scenarios_file_system; }

static const unsigned char scenarios_run[] = {
#embed "../OpScriptScenarios/Library/Lua/run.lua"
    , 0};
const char *text_scenarios_run(void) { return (const char *)scenarios_run; }

static const unsigned char scenarios_handler[] = {
#embed "../OpScriptScenarios/Library/Lua/handler.lua"
    , 0};
const char *text_scenarios_handler(void) { return (const char *)scenarios_handler; }
