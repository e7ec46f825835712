-- A second `finish` or `fail` of an asynchronous operation is ignored.
local op = Operation { start = function(self)
    self:finish("first")
    self:finish("second")
    self:fail("third")
end }
assert(await(op) == "first")
op:fail("fourth")
op:finish("fifth")
sleep(0)
assert(op.outcome == "succeeded" and op.result == "first" and op.error == nil)
