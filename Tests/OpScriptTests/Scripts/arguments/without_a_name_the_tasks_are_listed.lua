-- If no task is named, all are listed, and nothing that is required is missing.
-- expect-stdout: USAGE: job --out DIR <task> ...
-- expect-stdout:
-- expect-stdout: TASKS:
-- expect-stdout:   build                   Builds it.
-- expect-stdout:   clean                   Removes what was built.
arguments { usage = "job --out DIR <task> ...", { "--out", required = true } }
task("build", "Builds it.", function() print "never printed" end)
task("clean", "Removes what was built.", function() print "never printed" end)
