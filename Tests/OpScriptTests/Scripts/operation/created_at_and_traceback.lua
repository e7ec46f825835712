-- `op.createdAt` has the place of its creation, `op.traceback` the place where its error was raised.
local function deep()
    error("here")
end
local function body()
    deep()
end
local op = Operation(body)
assert(op.createdAt:find("created_at_and_traceback%.lua:8$"), op.createdAt)
assert(not pawait(op))
assert(op.traceback:find("created_at_and_traceback%.lua:3"), op.traceback)
assert(op.traceback:find("created_at_and_traceback%.lua:6"), op.traceback)
