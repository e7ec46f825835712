-- The tasks that the words name run when the main chunk has returned, and what they depend on runs before them.
-- script-arguments: build --jobs 3
-- expect-stdout: main chunk
-- expect-stdout: fetch	3
-- expect-stdout: build	3
local fetch = task("fetch", "Gets the sources.", function(options) print("fetch", options.jobs) end)
local build = task("build", "Builds it.", function(options)
    print("build", options.jobs)
    return "built"
end)
local unused = task("clean", "Removes what was built.", function() print "never printed" end)
unused:addDependency(work.sleep(1))
build:addDependency(fetch)
assert(build.name == "build" and not build.isFinished)
build.completionBlock = function(operation) assert(operation.result == "built") end
arguments { { "--jobs", type = "integer" } }
print "main chunk"
