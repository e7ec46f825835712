-- An operation given as an argument means "succeeded": if it fails, the new one is skipped.
local broken = Operation { name = "broken", main = function() error("no data") end }
local op = work.json.encode(broken)
local ok, err = pawait(op)
assert(not ok and op.outcome == "skipped" and err.code == "skipped")
assert(err.message:find("broken", 1, true), err.message)
assert(not pawait(broken))
