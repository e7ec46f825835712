-- The report of a failure has the number of the last attempt, because the duration is that of one attempt.
-- expect-status: 1
-- expect-stderr: failed: 'third' %(.-:9%) in attempt 3, after .- s: no
-- expect-stderr: failed: 'first' %(.-:11%) after .- s: no
-- expect-stderr: failed: 'slow' %(.-:12%) in attempt 2, after .- s: 'slow' timed out after 0.001 s
local function fails() error("no", 0) end
local queue = OperationQueue()
queue:addOperations({
    Operation { name = "third", retry = { attempts = 3 }, main = fails },
    -- A single attempt needs no number.
    Operation { name = "first", main = fails },
    Operation { name = "slow", retry = { attempts = 2 }, timeout = 0.001, main = function() sleep(60) end },
}, true)
