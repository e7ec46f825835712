-- Cancelling `work.process.run` sends TERM to its process group.
local path = os.tmpname()
os.remove(path)
local op = work.process.run { "sh", "-c", "trap 'echo terminated > " .. path
    .. "; exit 0' TERM; echo ready > " .. path .. ".ready; sleep 60 & wait" }
OperationQueue():addOperation(op)
local function exists(name)
    local file = io.open(name)
    if file then file:close() end
    return file ~= nil
end
while not exists(path .. ".ready") do sleep(0.002) end
op:cancel()
op:waitUntilFinished()
assert(op.outcome == "cancelled")
assert(exists(path), "the process did not get TERM")
os.remove(path)
os.remove(path .. ".ready")
