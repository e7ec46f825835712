-- `retry = { attempts = 3 }`: attempts count the first; the last error is the operation's.
local count = 0
local op = Operation { retry = { attempts = 3, delay = 0 }, main = function()
    count = count + 1
    error("failure " .. count)
end }
local ok, err = pawait(op)
assert(not ok and count == 3 and op.attempt == 3 and op.outcome == "failed")
assert(err.message:find("failure 3$"), err.message)
