/// Texts in other languages, which are files beside the Swift code that uses them. Each ends with a zero.
///
/// Every C file has the texts of one target, so that the linker leaves out those that a program does not use.
#pragma once

// The parts of the contract that are written in Lua.
const char *_Nonnull text_prelude_map(void);
const char *_Nonnull text_prelude_concurrent_perform(void);
const char *_Nonnull text_prelude_require(void);
const char *_Nonnull text_prelude_simulate(void);
const char *_Nonnull text_prelude_faults(void);

// The code that makes a script a file of scenarios.
const char *_Nonnull text_scenarios_format(void);
const char *_Nonnull text_scenarios_describe(void);
const char *_Nonnull text_scenarios_say(void);
const char *_Nonnull text_scenarios_failure_text(void);
const char *_Nonnull text_scenarios_assert(void);
const char *_Nonnull text_scenarios_assertions(void);
const char *_Nonnull text_scenarios_spy(void);
const char *_Nonnull text_scenarios_timeline(void);
const char *_Nonnull text_scenarios_context(void);
const char *_Nonnull text_scenarios_events(void);
const char *_Nonnull text_scenarios_spec(void);
const char *_Nonnull text_scenarios_modules(void);
const char *_Nonnull text_scenarios_fixtures(void);
const char *_Nonnull text_scenarios_file_system(void);
const char *_Nonnull text_scenarios_run(void);
const char *_Nonnull text_scenarios_handler(void);

// The code of the prompt.
const char *_Nonnull text_prompt(void);

// The parts of the pages of a record and of a run.
const char *_Nonnull text_page_style(void);
const char *_Nonnull text_page_summary_body(void);
const char *_Nonnull text_page_timeline_body(void);
const char *_Nonnull text_page_record_body(void);
const char *_Nonnull text_page_live_body(void);
const char *_Nonnull text_page_tools(void);
const char *_Nonnull text_page_record(void);
const char *_Nonnull text_page_timeline(void);
const char *_Nonnull text_page_graph(void);
const char *_Nonnull text_page_live(void);
