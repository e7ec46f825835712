-- `retry` starts an asynchronous operation again after `fail`.
local op = Operation { retry = { attempts = 3, delay = 0.001 }, start = function(self)
    local attempt = self.attempt
    Timer.scheduledTimer(0.001, false, function()
        if attempt < 3 then self:fail("busy") else self:finish("connected") end
    end)
end }
assert(await(op) == "connected" and op.attempt == 3)
