-- A failure says after which time it came, even if the operation started when virtual time began.
-- arguments: --virtual
-- expect-status: 1
-- expect-stderr: 'a' .* after 2 s: broken
OperationQueue.default:addOperation(Operation { name = "a", main = function() sleep(2) error("broken", 0) end })
