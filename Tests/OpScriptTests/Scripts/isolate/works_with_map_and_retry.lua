-- An isolate can be given to `map`, and its operations have all properties of operations.
local queue = OperationQueue { maxConcurrentOperationCount = 2 }
local results = queue:map({ 1, 2, 3 }, isolate(function(n) return n * n end))
assert(results[1] == 1 and results[2] == 4 and results[3] == 9)
local attempts = isolate(function() error "never" end)()
attempts.retry = { attempts = 3, delay = 0 }
assert(not pawait(attempts) and attempts.attempt == 3)
local main = isolate(function() return "main" end)()
OperationQueue.main:addOperation(main)
assert(await(main) == "main")
