-- `when` decides about works, too: it gets the error that the closure threw.
local queue = OperationQueue { maxConcurrentOperationCount = 1 }
local texts = {}
local function missing(limit)
    local op = work.file.read "/nowhere/at/all"
    op.allowsFailure = true
    op.retry = {
        attempts = 10,
        when = function(err, attempt)
            texts[#texts + 1] = err.message
            return attempt < limit
        end,
    }
    return queue:addOperation(op)
end
local op = missing(3)
op:waitUntilFinished()
assert(op.attempt == 3 and op.outcome == "failed", op.attempt)
assert(op.error.message == "cannot read '/nowhere/at/all': no such file", op.error.message)
assert(#texts == 3 and texts[1] == op.error.message and texts[2] == texts[1])

-- A program: its status decides.
local path = os.tmpname()
local run = work.process.shell("echo x >> " .. path .. "; exit $(wc -l < " .. path .. ")")
run.allowsFailure = true
run.retry = { when = function(err) return err.message:find "status [12]$" ~= nil end }
queue:addOperation(run)
run:waitUntilFinished()
assert(run.attempt == 3 and run.error.message:find "status 3", run.error.message)
os.remove(path)

-- Many at once, on all workers.
local all, wide = {}, OperationQueue()
for i = 1, 200 do
    local one = work.file.read "/nowhere"
    one.allowsFailure, one.retry = true, { when = function(_, attempt) return attempt < 1 + i % 3 end }
    all[i] = wide:addOperation(one)
end
wide:waitUntilAllOperationsAreFinished()
for i = 1, 200 do assert(all[i].attempt == 1 + i % 3 or i % 3 == 0 and all[i].attempt == 1, all[i].attempt) end
