-- Suspensions are counted; one resume too many is an error that names the queue.
local queue = DispatchQueue "q"
local ran = 0
queue:suspend()
queue:suspend()
local op = queue:async(function() ran = ran + 1 end)
queue:resume()
assert(not op:waitUntilFinished(0.01) and ran == 0)
queue:resume()
assert(op:waitUntilFinished() and ran == 1)
local ok, err = pcall(queue.resume, queue)
assert(not ok and err.code == "misuse" and err:find("queue 'q' is not suspended", 1, true), err)
