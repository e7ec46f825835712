-- The error of a skipped operation names the operation at which the trouble began, its error, and the dependency through which it came.
local queue = OperationQueue()
local function chain(head, ...)
    local operations = {}
    for place, name in ipairs { ... } do
        local operation = Operation { name = name, main = function() end }
        operation:addDependency(operations[place - 1] or head)
        operations[place] = queue:addOperation(operation)
    end
    return operations
end

local extract = Gate "extract"
extract.allowsFailure = true
local steps = chain(extract, "transform", "load", "mail")
extract:fail(setmetatable({}, { __tostring = function() return "disk full" end }))
local transform, load, mail = steps[1].error, steps[2].error, steps[3].error
assert(tostring(mail) == "'mail' was skipped, because 'extract' failed: disk full (through 'load')", tostring(mail))
assert(tostring(load) == "'load' was skipped, because 'extract' failed: disk full (through 'transform')")
assert(tostring(transform) == "'transform' was skipped, because 'extract' failed: disk full")
assert(mail.underlying == extract.error and transform.underlying == extract.error)
assert(mail.code == "skipped" and mail.operation == steps[3] and mail == steps[3].error)

-- The order in which errors are read does not matter.
extract = Gate "extract"
extract.allowsFailure = true
steps = chain(extract, "transform", "load", "mail")
extract:fail "disk full"
local first = steps[2].error
local later = Operation { name = "later", main = function() end }
later:addDependency(steps[2])
local ok, problem = pawait(later)
assert(not ok and problem:find "^'later' was skipped, because 'extract' failed: .*: disk full %(through 'load'%)$")
assert(problem.underlying == extract.error and first.underlying == extract.error)
assert(not problem:find("transform", 1, true))

-- A dependency that was cancelled has no error.
local cancelled = Gate "cancelled"
local strict = Operation { name = "strict", main = function() end }
strict:addDependency(cancelled, "succeeded")
queue:addOperation(strict)
cancelled:cancel()
assert(tostring(strict.error) == "'strict' was skipped, because 'cancelled' was cancelled")
assert(strict.error.underlying == nil)
