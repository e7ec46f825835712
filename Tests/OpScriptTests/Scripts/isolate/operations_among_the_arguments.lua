-- Operations among the arguments become dependencies, at any depth, and are replaced by their results.
local add = isolate(function(a, t) return a + t.list[2] end)
local sum = add(work.compute.primes(10), { list = { 0, isolate(function() return 5 end)() } })
assert(#sum.dependencies == 2)
assert(await(sum) == 9)
local failing = isolate(function() error "boom" end)()
failing.allowsFailure = true
local ok, message = pawait(add(failing, { list = { 0, 0 } }))
assert(not ok and message.code == "skipped", tostring(message))
assert(await(isolate(function(x) return x * 2 end)(BlockOperation(function() return 21 end))) == 42)
-- And a work takes the result of an isolate.
assert(await(work.compute.primes(isolate(function() return 100 end)())) == 25)
