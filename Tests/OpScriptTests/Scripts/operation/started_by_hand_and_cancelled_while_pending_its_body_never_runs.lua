-- An operation that the script sees as pending has not started: if it is cancelled then, its body never runs.
local ran = false
local op = Operation { name = "late", main = function() ran = true end }
local starter = async(function() op:start() end)
sleep(0)
-- The body's turn may have come already.
if op.state == "pending" then
    op:cancel()
    assert(op.isCancelled)
    pcall(starter.waitUntilFinished, starter)
    op:waitUntilFinished()
    assert(op.outcome == "cancelled" and not ran, op.outcome)
end
