-- `map` takes a result after the completion block of its operation, so at most `limit` operations are between the two.
local alive, most = 0, 0
local results = OperationQueue():map({ 10, 20, 30, 40, 50, 60, 70, 80, 90, 100 }, function(limit)
    local primes = work.compute.primes(limit)
    alive = alive + 1
    most = math.max(most, alive)
    primes.completionBlock = function() alive = alive - 1 end
    return primes
end, { limit = 3 })
assert(#results == 10 and results[10] == 25)
assert(most <= 3, most)
