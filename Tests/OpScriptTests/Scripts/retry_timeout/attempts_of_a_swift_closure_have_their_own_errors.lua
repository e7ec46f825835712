-- Each attempt of a work has its own error, even if the next one begins before the script sees it.
local path = os.tmpname()
os.remove(path)
local op = work.process.shell("echo x >> " .. path .. "; exit $(wc -l < " .. path .. ")")
op.retry = { attempts = 4 }
op.allowsFailure = true
OperationQueue():addOperation(op)
op:waitUntilFinished()
local list = op.attempts
assert(#list == 4)
for number, attempt in ipairs(list) do
    assert(attempt.number == number and attempt.outcome == "failed" and attempt.duration >= 0)
    assert(attempt.error.message:find("status " .. number .. "$"), attempt.error.message)
end
assert(list[4].error == op.error)
os.remove(path)

local queue, ops = OperationQueue(), {}
for i = 1, 100 do
    ops[i] = work.digest.file("sha256", "/nowhere" .. i)
    ops[i].retry, ops[i].allowsFailure = { attempts = 3 }, true
end
queue:addOperations(ops, true)
for i, op in ipairs(ops) do
    list = op.attempts
    assert(#list == 3, #list)
    for _, attempt in ipairs(list) do assert(attempt.error.message:find("/nowhere" .. i, 1, true), i) end
end
