-- The time of a body is over while it waits for a program: its error has what the program wrote until then.
local shell = "echo begun; echo note >&2; sleep 1000"
local checks = {}

local function case(body, check)
    local op = Operation { name = "body", timeout = 3, main = body }
    OperationQueue.default:addOperation(op)
    checks[#checks + 1] = function()
        assert(not pawait(op))
        assert(op.error.code == "timeout", op.error.message)
        check(op.error)
    end
end

case(function() await(work.process.shell(shell)) end, function(error)
    local text = "'body' timed out after 3 s: '" .. shell .. "' was still running:\nbegun\nnote"
    assert(error.message == text, error.message)
    assert(error.output == "begun\n" and error.errorOutput == "note\n")
    assert(error.status == nil and error.signal == nil)
end)

-- A body between the two; several programs; a program that has written nothing.
case(function() await(Operation(function() await(work.process.shell(shell)) end)) end, function(error)
    assert(error.output == "begun\n", error.message)
end)
case(function() await.all { work.process.shell "true", work.process.shell(shell) } end, function(error)
    assert(error.output == "begun\n", error.message)
end)
case(function() await(work.process.run { "sleep", "1000" }) end, function(error)
    assert(error.message == "'body' timed out after 3 s: 'sleep 1000' was still running", error.message)
end)

-- The program of an operation that the script has added continues, and is not part of it.
local other = OperationQueue.default:addOperation(work.process.shell "echo own; sleep 5")
case(function() await(other) end, function(error)
    assert(error.message == "'body' timed out after 3 s" and error.output == nil, error.message)
    assert(await(other).output == "own\n")
end)

-- Each attempt has its own.
local count = 0
local retried = Operation { name = "body", timeout = 3, main = function()
    count = count + 1
    if count == 1 then return await(work.process.shell "echo once; sleep 1000") end
    sleep(1000)
end }
retried.retry = { attempts = 2, when = function(error)
    assert(error.output == (count == 1 and "once\n" or nil), error.message)
    return true
end }
OperationQueue.default:addOperation(retried)
for _, check in ipairs(checks) do check() end
assert(not pawait(retried))
assert(retried.error.message == "'body' timed out after 3 s", retried.error.message)
