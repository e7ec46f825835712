-- The error of a skipped operation keeps nothing of a long chain: a chain that is skipped takes about as much memory as one that succeeds.
-- measures: memory
local count = 30000

local function peak()
    for line in io.lines "/proc/self/status" do
        local kilobytes = line:match "^VmHWM:%s*(%d+)"
        if kilobytes then return tonumber(kilobytes) end
    end
end

local function run(isFailing)
    local queue, head = OperationQueue(), Gate "head"
    head.allowsFailure = true
    local last = head
    for _ = 1, count do
        local operation = Operation(function() end)
        operation:addDependency(last)
        last = queue:addOperation(operation)
    end
    if isFailing then head:fail "on purpose" else head:finish() end
    queue:waitUntilAllOperationsAreFinished()
    return last
end

assert(run(false).outcome == "succeeded")
collectgarbage()
local before = peak()
local last = run(true)
assert(last.outcome == "skipped" and last.error.underlying.message:find "on purpose")
-- An error for each would take more than 40 MB, and texts of all errors before it far more.
assert(peak() - before < 30000, peak() - before)
