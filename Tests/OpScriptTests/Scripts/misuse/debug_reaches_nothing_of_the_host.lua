-- The library `debug` shows and changes what is a script's own; what the host keeps in Lua it neither shows nor changes.
local queue, op = OperationQueue(), Operation(function() end)

-- Upvalues of host functions are addresses.
for _, f in ipairs { queue.addOperation, work.sleep, string.gmatch("a", "a"), coroutine.wrap(function() end) } do
    assert(debug.getupvalue(f, 1) == nil)
    assert(debug.setupvalue(f, 1, 42) == nil)
    assert(not debug.upvalueid(f, 1))
end
local nap = work.sleep(0)
assert(nap.name == "sleep")
queue:addOperation(nap)
local own = 1
local function mine() return own end
assert(debug.setupvalue(mine, 1, 2) == "own" and mine() == 2 and debug.upvalueid(mine, 1))

-- So are values on the stack of host functions that wait.
local waiting = coroutine.create(function() local inside = "mine"; sleep(3600); return inside end)
local body = Operation(function() return coroutine.resume(waiting) end)
queue:addOperation(body)
sleep(0)
for level = 0, 1 do
    for place = 1, 20 do
        local name = debug.getlocal(waiting, level, place)
        if not name then break end
        if name ~= "inside" then assert(not debug.setlocal(waiting, level, place, 42), name) end
    end
end
assert(debug.setlocal(waiting, 1, 1, "changed") == "inside")
body:cancel()
assert(not pawait(body))

-- Metatables and user values of objects.
for _, object in ipairs { op, queue, work, json.null, DispatchQueue("q"), DispatchGroup(), Operation } do
    assert(type(debug.getmetatable(object)) ~= "table" or object == Operation, tostring(object))
    assert(not debug.getuservalue(object, 1))
end
for _, object in ipairs { op, queue, json.null, DispatchGroup() } do
    local ok, message = pcall(debug.setmetatable, object, {})
    assert(not ok and message:find("bad argument #1 to '.*setmetatable' %(its metatable belongs to the host%)"), message)
    assert(not debug.setuservalue(object, {}, 1))
end
local guarded = setmetatable({}, { __metatable = "mine" })
assert(type(debug.getmetatable(guarded)) == "table" and debug.setmetatable(guarded, nil) == guarded)
assert(not pcall(debug.getregistry))
queue:addOperation(op)
