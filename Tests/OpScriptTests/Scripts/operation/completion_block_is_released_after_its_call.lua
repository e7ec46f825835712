-- `completionBlock` is called once, then released.
local op = Operation(function() end)
local watched = setmetatable({}, { __mode = "v" })
do
    local block = function() return op end
    watched[1] = block
    op.completionBlock = block
end
assert(op.completionBlock == watched[1])
await(op)
sleep(0)
assert(op.completionBlock == nil)
collectgarbage()
collectgarbage()
assert(watched[1] == nil, "the completion block is still held")
