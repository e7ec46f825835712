// The search reads pages to show a few words of each. A page that was opened as a file may not read others.
if (location.protocol === "file:") { DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false; }
