-- A result that cannot cross, given to a Swift closure, fails that operation with code `argument`.
local source = Operation(function() return { callback = print } end)
local op = work.json.encode(source)
local ok, err = pawait(op)
assert(not ok and op.outcome == "failed" and err.code == "argument", tostring(err))
assert(err.message:find("a function cannot leave the script thread", 1, true), err.message)
assert(source.outcome == "succeeded" and source.result.callback == print)
