-- `timeout` with `retry`: each attempt has its own time.
local op = Operation { timeout = 0.02, retry = { attempts = 3, delay = 0 }, main = function(self)
    if self.attempt < 3 then sleep(60) end
    return "third"
end }
assert(await(op) == "third" and op.attempt == 3 and op.outcome == "succeeded")
