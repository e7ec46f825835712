-- A finalizer is called once after collection, in a turn where it may wait, and only with a context.
-- expect-stdout: queue group semaphore
local told = {}
local function make(kind, object, context)
    object.context = context
    assert(object.context == context)
    object:setFinalizer(function(given)
        sleep(0)
        told[#told + 1] = kind
        assert(given == context)
    end)
end
do
    make("queue", DispatchQueue "a", {})
    make("group", DispatchGroup(), "text")
    make("semaphore", DispatchSemaphore(0), 7)
    make("none", DispatchQueue "b", nil)
end
collectgarbage()
collectgarbage()
for _ = 1, 10 do sleep(0) end
table.sort(told, function(a, b) return #a .. a < #b .. b end)
assert(#told == 3, #told)
print "queue group semaphore"
assert(not pcall(DispatchGroup().setFinalizer, DispatchGroup(), 5))
