-- A wait that can never end raises `deadlock`: 'link' waits for 'compile', which was never added to a queue.
local compile = Operation { name = "compile", main = function() end }
local link = Operation { name = "link", dependencies = { compile }, main = function() end }
local queue = OperationQueue()
queue:addOperation(link)
local ok, err = pcall(function() link:waitUntilFinished() end)
assert(not ok, "the wait ended")
assert(err.code == "deadlock", tostring(err))
local sentence = "'link' waits for 'compile', which was never added to a queue"
assert(tostring(err):find(sentence, 1, true), tostring(err))
queue:addOperation(compile)
assert(link:waitUntilFinished() == true and link.outcome == "succeeded")
