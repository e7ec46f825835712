-- An infinite delay would keep the run going for ever, so it is refused.
local function refused(what, fn, ...)
    local ok, problem = pcall(fn, ...)
    assert(not ok and problem.code == "argument", problem)
    assert(problem.message:find(what, 1, true), problem.message)
end
local queue = OperationQueue()
local finite = "a finite number of seconds expected, got inf"
refused("bad value for 'after' (" .. finite, queue.addOperation, queue, print, { after = math.huge })
refused("bad value for 'at' (" .. finite, queue.addOperation, queue, print, { at = math.huge })
refused("bad value for 'delay' (" .. finite, Operation, { main = print, retry = { attempts = 2, delay = math.huge } })
refused("a finite number of at least 0 expected, got inf", await, work.sleep(math.huge))
