-- The table form takes one of `work`, `main` and `start`.
local function body() end
for _, options in ipairs {
    { main = body, work = "sleep", args = { 0 } },
    { start = body, work = "sleep", args = { 0 } },
    { start = body, main = body },
} do
    assert(not pcall(function() Operation(options) end), "an operation with two bodies was made")
end
