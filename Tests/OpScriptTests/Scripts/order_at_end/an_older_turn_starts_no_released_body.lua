-- At its end, in this order: observers, completion block, waiters, Lua bodies that it released; even if another body has
-- been ready since before that end.
-- expect-stdout: body of a
-- expect-stdout: observer of a
-- expect-stdout: completion block of a
-- expect-stdout: waiter of a
-- expect-stdout: body of b
-- expect-stdout: body of c
-- expect-stdout: completion block of d
-- expect-stdout: body of e
local function op(name)
    return Operation { name = name, main = function() print("body of " .. name) end }
end
local function wire(first, second)
    second:addDependency(first)
    first.completionBlock = function() print("completion block of " .. first.name) end
end
local a, b, c = op "a", op "b", op "c"
wire(a, b)
a:observe("isFinished", function() print "observer of a" end)
OperationQueue.default:addOperations { a, b, c }
await(a)
print "waiter of a"
await.all { b, c }

-- The operation whose turn it was is cancelled.
local d, e = op "d", op "e"
wire(d, e)
OperationQueue.default:addOperations { d, e }
d:cancel()
await(e)
