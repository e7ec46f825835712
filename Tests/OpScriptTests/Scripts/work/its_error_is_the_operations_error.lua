-- An error of a Swift closure fails the operation, and `createdAt` has the place of its creation.
local op = work.file.read("/nonexistent/x.txt")
local ok, err = pawait(op)
assert(not ok and op.outcome == "failed" and op.result == nil)
assert(err == op.error and err.operation == op)
assert(err.createdAt:find("its_error_is_the_operations_error%.lua:2$"), err.createdAt)
