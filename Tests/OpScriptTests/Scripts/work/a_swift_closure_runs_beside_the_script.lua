-- Swift closures run on worker threads: the script runs other Lua meanwhile.
local op = work.block(0.5)
OperationQueue():addOperation(op)
local turns = 0
while not op.isFinished do
    turns = turns + 1
    sleep(0.001)
end
assert(op.outcome == "succeeded" and turns > 1)
