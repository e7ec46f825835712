-- A queue without a class of its own has that of its target, however the target was set.
local background = DispatchQueue.global("background")
local queue = DispatchQueue "made"
assert(queue.qos == "default")
queue:setTarget(background)
assert(queue.qos == "background", queue.qos)
queue.target = DispatchQueue.global("high")
assert(queue.qos == DispatchQueue.global("high").qos)
queue:setTarget(nil)
assert(queue.qos == "default")
local own = DispatchQueue { label = "own", qos = "utility", target = background }
assert(own.qos == "utility")
own:setTarget(DispatchQueue.global("high"))
assert(own.qos == "utility")
assert(DispatchQueue { target = background }.qos == "background")
queue:setTarget(background)
assert(queue:sync(function() return 7 end) == 7)
