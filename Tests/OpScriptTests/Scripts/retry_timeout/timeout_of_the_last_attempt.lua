-- When the last attempt runs out of time too, the operation fails with code `timeout`.
local count = 0
local op = Operation { timeout = 0.005, retry = { attempts = 3, delay = 0 }, main = function()
    count = count + 1
    sleep(60)
end }
local ok, err = pawait(op)
assert(not ok and err.code == "timeout" and count == 3 and op.outcome == "failed")
