-- `queue:map` takes an iterator instead of a list.
local queue = OperationQueue()
local results = queue:map(string.gmatch("one two three", "%a+"), function(word, i) return i .. word end)
assert(table.concat(results, " ") == "1one 2two 3three")
