-- `queue:map` continues when the operation that it began last is the first to end.
local queue = OperationQueue()
local gates = { Gate "first", Gate "second", Gate "third" }
local ends = {}
local results = queue:map({ 1, 2, 3 }, function(i)
    return BlockOperation(function()
        -- Each ends after the one begun after it.
        if i < 3 then await(gates[i + 1]) end
        ends[#ends + 1] = i
        gates[i]:finish()
        return i * 10
    end)
end, { limit = 3 })
assert(table.concat(results, " ") == "10 20 30", table.concat(results, " "))
assert(table.concat(ends, " ") == "3 2 1", table.concat(ends, " "))
