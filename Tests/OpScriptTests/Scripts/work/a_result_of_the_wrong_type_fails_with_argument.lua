-- A value from an operation is checked when the body starts; a wrong type fails the operation with code `argument`.
local source = Operation(function() return { "not a number" } end)
local op = work.sleep(source)
local ok, err = pawait(op)
assert(not ok and op.outcome == "failed")
assert(err.code == "argument", err.code)
assert(err.message:find("sleep", 1, true), err.message)
assert(err.message:find("number expected, got table", 1, true), err.message)
