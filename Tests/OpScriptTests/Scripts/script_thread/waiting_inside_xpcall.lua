-- Waiting works inside `xpcall`; its handler still sees an error raised after the wait.
local handled
local ok, err = xpcall(function(...)
    assert(select("#", ...) == 2)
    sleep(0.001)
    error("after the wait")
end, function(message)
    handled = message
    return "handled"
end, 1, 2)
assert(not ok and err == "handled")
assert(handled:find("after the wait", 1, true))
