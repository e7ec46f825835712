-- Every Lua body is called with its operation.
local seen = {}
local function note(op) seen[op] = (seen[op] or 0) + 1 end
local made = {
    Operation(note), Operation { main = note }, BlockOperation(note), BlockOperation(note, note),
    Operation { start = function(op)
        note(op)
        op:finish()
    end },
}
made[#made + 1] = OperationQueue():addOperation(note)
for i, op in ipairs(made) do
    if i < #made then await(op) else op:waitUntilFinished() end
    assert(seen[op] == (i == 4 and 2 or 1), "body " .. i)
end
