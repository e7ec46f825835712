-- A task is an operation: another one can wait for it, and its failure is that of an operation.
-- script-arguments: all
-- expect-status: 1
-- expect-stdout: clean
-- expect-stderr: the compiler is gone
local clean = task("clean", "Removes what was built.", function() print "clean" end)
local build = task("build", "Builds it.", function() error "the compiler is gone" end)
task("all", "Builds it anew.", function()
    await(clean)
    await(build)
end)
