-- Wrong `retry` options raise when they are set.
local function refused(retry, expected)
    local ok, err = pcall(function() Operation { main = function() end, retry = retry } end)
    assert(not ok, expected .. " was accepted")
    assert(tostring(err):find(expected, 1, true), tostring(err))
end
refused({ attempts = 0 }, "attempts")
refused({ attempts = "many" }, "attempts")
refused({ attempts = 2, delay = -1 }, "delay")
refused({ attempts = 2, backoff = "quadratic" }, "quadratic")
refused({ attempts = 2, atempts = 3 }, "atempts")
refused(3, "retry")
refused({ attempts = 2, when = true }, "bad value for 'when' (function expected, got boolean)")
