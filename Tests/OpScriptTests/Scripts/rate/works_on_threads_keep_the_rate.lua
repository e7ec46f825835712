-- Works on threads keep the rate, too: no more than so many start in any window, and none is lost.
local queue = OperationQueue { rate = { 20, per = 0.05, key = function(op) return op.userInfo end }, widthPerKey = 3 }
local others = OperationQueue()
local begin = clock.now()
local all = {}
for i = 1, 60 do
    local op = i % 2 == 0 and work.compute.primes(100) or Operation { main = function() sleep(0.001) end }
    op.userInfo = i % 3
    all[i] = queue:addOperation(op)
    others:addOperation(work.compute.primes(100))
end
queue:waitUntilAllOperationsAreFinished()
for _, op in ipairs(all) do assert(op.outcome == "succeeded") end
assert(clock.now() - begin >= 0)
local limited = OperationQueue { rate = { 5, per = 0.02 } }
begin = clock.now()
for _ = 1, 21 do limited:addOperation(work.compute.primes(10)) end
limited:waitUntilAllOperationsAreFinished()
assert(clock.now() - begin >= 0.08, "21 starts with 5 in 0.02 s take 4 windows")
