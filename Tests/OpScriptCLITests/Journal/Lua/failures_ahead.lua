-- Dependents of a failure, of a success and of an end; and a chain whose first input is missing.
local function step(name, inputs, outputs)
    local op = work.process.shell("echo " .. name)
    op.name, op.inputs, op.outputs = name, inputs, outputs
    return op
end

local a, instead, after, late = step "a", step "instead", step "after", step "late"
instead:addDependency(a, "failed")
after:addDependency(a, "succeeded")
late:addDependency(a, "finished")
local fn = Operation(function() end)
fn.name = "function"
fn:addDependency(a, "failed")

local first = step("first", { "absent" }, { "one" })
local second = step("second", { "one" }, { "two" })
local third = step "third"
third:addDependency(second)
OperationQueue.default:addOperations { a, instead, after, late, fn, first, second, third }
