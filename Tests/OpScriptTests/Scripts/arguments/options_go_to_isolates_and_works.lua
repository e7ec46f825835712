-- The table of options is a plain one: isolates can capture it, and works take it.
-- script-arguments: --dry-run --jobs 3
local options = arguments { { "--dry-run", type = "boolean" }, { "--jobs", type = "integer" } }
assert(await(isolate(function() return options.jobs end)()) == 3)
assert(await(work.json.decode(await(work.json.encode(options)))).dry_run == true)
