-- An operation given as an argument means "succeeded": if it is cancelled, the new one is skipped.
local source = Operation { name = "source", main = function() return 1 end }
local op = work.json.encode { source }
source:cancel()
OperationQueue():addOperations({ source, op }, true)
assert(source.outcome == "cancelled")
assert(op.outcome == "skipped" and op.error.code == "skipped")
assert(op.error.message:find("source", 1, true), op.error.message)
