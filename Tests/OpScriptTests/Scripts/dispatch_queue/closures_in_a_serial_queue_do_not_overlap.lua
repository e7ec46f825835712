-- A serial queue runs Swift closures one after the other as well, in the order of addition.
local queue = DispatchQueue "serial"
local ops, order = {}, {}
for i = 1, 8 do
    ops[i] = work.compute.primes(2000 * (9 - i))
    ops[i].completionBlock = function() order[#order + 1] = i end
    queue:async(ops[i])
end
queue:sync(function() end)
assert(table.concat(order, " ") == "1 2 3 4 5 6 7 8", table.concat(order, " "))
