-- `--help` lists the tasks as well, although the call of `arguments` stands before them.
-- script-arguments: -h
-- expect-stdout: USAGE: job
-- expect-stdout:
-- expect-stdout: OPTIONS:
-- expect-stdout:   -h, --help              Show this help.
-- expect-stdout:
-- expect-stdout: TASKS:
-- expect-stdout:   build                   Builds it.
arguments { usage = "job" }
task("build", "Builds it.", function() end)
