-- Waiting inside the reader function of `load` is refused with a sentence, as everywhere Lua cannot yield.
local chunk, message = load(function()
    sleep(0.001)
    return nil
end)
assert(chunk == nil)
assert(tostring(message):find("cannot wait here", 1, true), tostring(message))
sleep(0)
