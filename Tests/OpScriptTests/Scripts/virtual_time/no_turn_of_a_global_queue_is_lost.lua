-- Nothing ready is left: what one global queue does not use goes to the other one.
-- arguments: --virtual
local default, high = DispatchQueue.global("default"), DispatchQueue.global("high")
local a, b = work.compute.primes(3000), work.sleep(0.001)
default:async(a)
b:addDependency(a, "finished")
high:async(b)
default:async(work.sleep(0.001))
a:cancel()
assert(b:waitUntilFinished(30), b.state)
