-- A diamond: the last starts after both middle ones, the first runs once.
local log = {}
local function op(name, ...)
    return Operation { name = name, dependencies = { ... }, main = function()
        sleep(0.001)
        log[#log + 1] = name
    end }
end
local top = op "top"
local left, right = op("left", top), op("right", top)
local bottom = op("bottom", left, right)
OperationQueue():addOperations({ bottom, right, left, top }, true)
assert(#log == 4 and log[1] == "top" and log[4] == "bottom")
