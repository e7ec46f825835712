-- `tostring(x)` of every object shows kind and name, and no address.
local target = { go = function() end }
local Resize = Operation:subclass "Resize"
function Resize:main() end
local named = {
    BlockOperation = BlockOperation(function() end), InvocationOperation = InvocationOperation(target, "go"),
    Gate = Gate "the name", GroupOperation = GroupOperation { name = "the name" },
    Resize = Resize { name = "the name" }, OperationQueue = OperationQueue { name = "the name" },
}
for kind, object in pairs(named) do
    object.name = "the name"
    local text = tostring(object)
    assert(text:find(kind, 1, true), text)
    assert(text:find("the name", 1, true), text)
    assert(not text:find("0x%x+"), text)
end
local timer = Timer { interval = 1, repeats = false, block = function() end }
assert(tostring(timer):find("Timer", 1, true) and not tostring(timer):find("0x%x+"), tostring(timer))
