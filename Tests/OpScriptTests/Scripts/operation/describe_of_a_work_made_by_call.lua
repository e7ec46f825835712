-- `op:describe()` works for a work with plain arguments, however it was made.
local op = work.json.decode("[1, 2, 3]")
local again = Operation(op:describe())
assert(again.name == "json.decode" and #await(again) == 3)
assert(not op.isFinished)
