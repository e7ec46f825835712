-- With the library `debug`, a script reads and sets its own values, but not those of host functions and loops, at any level.
local subject = ("x"):rep(100000)
local changed = {}
subject:gsub("^x", function()
    for _, level in ipairs { 2, 2.0, "2" } do
        changed[#changed + 1] = debug.setlocal(level, 1, "short") or false
    end
end)
for _, name in ipairs(changed) do assert(name == false) end
shield(function()
    for _, level in ipairs { 2, 2.0, "2" } do assert(debug.setlocal(level, 1, nil) == nil) end
end)
-- The function below a body is found, and calling it has no effect.
local first
for level = 1, 20 do
    local info = debug.getinfo(level, "fS")
    if info and info.what == "C" then first = info.func end
end
assert(first and not pcall(first) and not pcall(first, print) and not pcall(first, print, print))
local function index() return debug.getmetatable(_G).__index(5, "string") end
local ok, problem = pcall(function() return await(isolate(index)()) end)
assert(not ok and tostring(problem):find("table expected"), problem)
