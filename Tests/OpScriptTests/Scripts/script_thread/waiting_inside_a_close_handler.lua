-- Waiting works inside `__close` at the end of a block, and after an error.
local closed = 0
local function resource()
    return setmetatable({}, { __close = function()
        sleep(0.001)
        closed = closed + 1
    end })
end
do
    local _ <close> = resource()
end
assert(closed == 1)
local ok, err = pcall(function()
    local _ <close> = resource()
    error({ "kept" })
end)
assert(not ok and err[1] == "kept" and closed == 2)
