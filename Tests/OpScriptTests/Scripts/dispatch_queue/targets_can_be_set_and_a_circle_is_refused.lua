-- A queue's target can be changed; a cycle is an error that prints it.
local a, b, c = DispatchQueue "a", DispatchQueue "b", DispatchQueue "c"
a.target = b
b:setTarget(c)
assert(a.target == b and c.target == nil)
local ok, err = pcall(c.setTarget, c, a)
assert(not ok and err.code == "cycle" and err:find("'c' -> 'a' -> 'b' -> 'c'", 1, true), err)
assert(not pcall(a.setTarget, a, a))
c:suspend()
local op = a:async(function() end)
assert(not op:waitUntilFinished(0.01))
a.target = nil
assert(op:waitUntilFinished())
for _, wrong in ipairs { OperationQueue(), 5 } do
    ok, err = pcall(a.setTarget, a, wrong)
    assert(not ok and err.code == "argument", err)
end
assert(not pcall(function() DispatchQueue.global().target = a end))
