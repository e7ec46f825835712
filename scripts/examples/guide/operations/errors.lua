#!/usr/bin/env opscript
-- An error in a body ends its operation, not the script. The operation has failed and holds the error. A
-- dependent operation is skipped, unless its dependency says otherwise. Where Foundation throws an
-- exception, a call raises an error with the code "misuse".
-- In the guide: Operation Queues, "Handling Errors and Exceptions"

local queue = OperationQueue { name = "errors" }

local read = work.file.read("/no/such/file")
read.allowsFailure = true
local count = Operation { name = "count", main = function() return #read.result end }
count:addDependency(read)
local report = Operation { name = "report", main = function() print("report: " .. read.error.message) end }
report:addDependency(read, "failed")
local tidy = Operation { name = "tidy", main = function() print("tidied up") end }
tidy:addDependency(report, "finished")
queue:addOperations({ tidy, report, count, read }, true)

print(read.outcome, read.error.code)
print(count.outcome, count.error.code)

-- The code that needs the result handles the error: `pawait` returns it, as `pcall` does.
local ok, problem = pawait(Operation { name = "parse", main = function() error { line = 3 } end })
print(ok, "line " .. problem.line)

-- Foundation throws an exception for each of the refused calls.
local function refused(what, fn, ...)
    local done, misuse = pcall(fn, ...)
    print(what, done and "done" or misuse.code)
end
local first = Operation { name = "first", main = function() end }
local second = Operation { name = "second", dependencies = { first }, main = function() end }
refused("start, not ready", second.start, second)
refused("start", first.start, first)
refused("start again", first.start, first)
refused("add to a queue", queue.addOperation, queue, first)
refused("start, ready", second.start, second)
