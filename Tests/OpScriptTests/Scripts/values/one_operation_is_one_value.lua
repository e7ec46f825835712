-- One operation is one Lua value: it can be compared with `==` and be a table key.
local queue = OperationQueue()
local seen
local op = Operation(function(self) seen = self end)
local other = Operation(function() end)
other:addDependency(op)
op.completionBlock = function(self) assert(rawequal(self, op)) end
queue:addOperation(op)
assert(rawequal(queue.operations[1], op) and rawequal(other.dependencies[1], op))
local set = { [op] = "known" }
op:waitUntilFinished()
assert(rawequal(seen, op) and set[seen] == "known" and op ~= other)
queue:addOperation(other)
other:waitUntilFinished()
