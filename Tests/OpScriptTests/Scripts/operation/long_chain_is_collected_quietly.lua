-- A long chain of operations can be made, dropped and collected; nothing recurses.
local last = Operation(function() end)
for _ = 1, 20000 do
    local op = Operation(function() end)
    op:addDependency(last)
    last = op
end
assert(last.isReady == false)
last = nil
collectgarbage()
collectgarbage()
