-- `error` names the first dependency that prevented the operation from running, and why.
local function failing(name)
    return Operation { name = name, allowsFailure = true, main = function() error(name .. " exploded") end }
end
local good = Operation { name = "good", main = function() end }
local first, second = failing "alpha", failing "beta"
local op = Operation { name = "dependent", main = function() end, dependencies = { good, first, second } }
OperationQueue():addOperations({ good, second, first, op }, true)
assert(op.error.code == "skipped")
local message = op.error.message
assert(message:find("alpha", 1, true), message)
assert(message:find("failed", 1, true) or message:find("exploded", 1, true), message)
assert(not message:find("good", 1, true), message)
