-- Coroutines inside of coroutines, protected calls, and close variables.
local function sum(n) local s = 0 for i = 1, n do s = s + i end return s end
local inner = coroutine.wrap(function()
    local x <close> = setmetatable({}, { __close = function() sum(20000) end })
    for i = 1, 20 do
        local co = coroutine.create(function() coroutine.yield(select(2, pcall(sum, 20000))) end)
        coroutine.yield(select(2, coroutine.resume(co)))
    end
end)
local total = 0
for i = 1, 20 do total = total + inner() end
inner()
result = total
