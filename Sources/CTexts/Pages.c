// The parts of the pages of a record and of a run.
#include "CTexts.h"

// Clang has #embed in every version of C, and warns before C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page_style[] = {
#embed "../OpScriptRecord/Page/style.css"
    , 0};
const char *text_page_style(void) { return (const char *)page_style; }

static const unsigned char page_summary_body[] = {
#embed "../OpScriptRecord/Page/summary.html"
    , 0};
const char *text_page_summary_body(void) { return (const char *)page_summary_body; }

static const unsigned char page_timeline_body[] = {
#embed "../OpScriptRecord/Page/timeline.html"
    , 0};
const char *text_page_timeline_body(void) { return (const char *)page_timeline_body; }

static const unsigned char page_record_body[] = {
#embed "../OpScriptRecord/Page/record.html"
    , 0};
const char *text_page_record_body(void) { return (const char *)page_record_body; }

static const unsigned char page_live_body[] = {
#embed "../OpScriptRecord/Page/live.html"
    , 0};
const char *text_page_live_body(void) { return (const char *)page_live_body; }

static const unsigned char page_tools[] = {
#embed "../OpScriptRecord/Page/tools.js"
    , 0};
const char *text_page_tools(void) { return (const char *)page_tools; }

static const unsigned char page_record[] = {
#embed "../OpScriptRecord/Page/record.js"
    , 0};
const char *text_page_record(void) { return (const char *)page_record; }

static const unsigned char page_timeline[] = {
#embed "../OpScriptRecord/Page/timeline.js"
    , 0};
const char *text_page_timeline(void) { return (const char *)page_timeline; }

static const unsigned char page_graph[] = {
#embed "../OpScriptRecord/Page/graph.js"
    , 0};
const char *text_page_graph(void) { return (const char *)page_graph; }

static const unsigned char page_live[] = {
#embed "../OpScriptRecord/Page/live.js"
    , 0};
const char *text_page_live(void) { return (const char *)page_live; }
