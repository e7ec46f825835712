-- A wait that can never end raises `deadlock`: queue 'io' is suspended and nothing could resume it.
local queue = OperationQueue { name = "io", isSuspended = true }
queue:addOperation(function() end)
local ok, err = pcall(function() queue:waitUntilAllOperationsAreFinished() end)
assert(not ok and err.code == "deadlock", tostring(err))
local sentence = "queue 'io' is suspended and nothing is left that could resume it"
assert(tostring(err):find(sentence, 1, true), tostring(err))
queue.isSuspended = false
queue:waitUntilAllOperationsAreFinished()
