-- Groups, gates and operations of blocks have no files, no dependency file and no version: setting one is misuse.
local group = GroupOperation { work.sleep(0) }
local blocks = BlockOperation(work.sleep(0))
for name, op in pairs { ["a group"] = group, ["an operation of blocks"] = blocks, ["a gate"] = Gate() } do
    for property, value in pairs { inputs = { "a" }, outputs = { "b" }, depfile = "c", version = "1" } do
        local ok, err = pcall(function() op[property] = value end)
        assert(not ok and err.code == "misuse", op.name .. " takes " .. property)
        assert(tostring(err):find("'" .. property .. "' is for an operation with a body of its own, not for " .. name, 1, true), err)
        op[property] = nil
        assert(op[property] == nil)
    end
end

-- An operation inside a group, and a function, take them.
local inside = work.sleep(0)
inside.inputs, inside.version = {}, "2"
local body = BlockOperation(function() end)
body.inputs, body.outputs = {}, {}
OperationQueue.default:addOperations { GroupOperation { inside }, group, blocks, body }
