-- `sync` returns the results of its body and raises its error, which is then the script's.
local queue = DispatchQueue { label = "q" }
local a, b, c = queue:sync(function() sleep(0) return 1, nil, "c" end)
assert(a == 1 and b == nil and c == "c")
assert(queue:sync(work.compute.primes(100)) == 25)
local ok, err = pcall(queue.sync, queue, function() error("boom") end)
assert(not ok and err:find("sync_gives_results_and_raises.lua:6: boom", 1, true) and err.code == "failed")
local mark = { "a table" }
ok, err = pcall(queue.sync, queue, function() error(mark) end)
assert(not ok and err == mark)
