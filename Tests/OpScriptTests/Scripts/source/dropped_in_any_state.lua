-- Dropping a source in any state is safe; an active one keeps working, an inactive or suspended one is collected.
-- expect-stdout: works
local weak = setmetatable({}, { __mode = "v" })
local path <const> = os.tmpname()
local function make(name, state)
    local source = name()
    source:setEventHandler(function() return source end)        -- a cycle
    if state ~= "inactive" then source:activate() end
    if state == "suspended" then source:suspend() end
    if state == "cancelled" then source:cancel() end
    weak[#weak + 1] = source
end
local kinds = {
    function() return DispatchSource.timer { deadline = 60 } end,
    function() return DispatchSource.signal("SIGUSR1") end,
    function() return DispatchSource.read(0) end,
    function() return DispatchSource.fileSystem(path, { "write" }) end,
    function() return DispatchSource.userDataOr() end,
}
for _, kind in ipairs(kinds) do
    for _, state in ipairs { "inactive", "suspended", "cancelled" } do make(kind, state) end
end
sleep(0) sleep(0)
collectgarbage() collectgarbage()
for place, source in pairs(weak) do error(place .. ": " .. tostring(source)) end
do
    local timer = DispatchSource.timer { deadline = 0.02 }
    timer:setEventHandler(function() print("works") end)
    timer:activate()
end
collectgarbage() collectgarbage()
os.remove(path)
