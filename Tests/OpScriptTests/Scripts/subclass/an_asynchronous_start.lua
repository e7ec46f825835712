-- `function Resize:start()` with `self:finish(...)` is the asynchronous body of a subclass.
local Fetch = Operation:subclass "Fetch"
function Fetch:start()
    Timer.scheduledTimer(0.005, false, function() self:finish("page", 200) end)
end
local op = Fetch { name = "fetch" }
local page, status = await(op)
assert(page == "page" and status == 200)
assert(op.isAsynchronous and op.isConcurrent)
