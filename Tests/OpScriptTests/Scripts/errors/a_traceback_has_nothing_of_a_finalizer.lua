-- A finalizer's error is dropped, and its coroutine is not part of the next error's traceback.
local armed = 0
local function arm()
    armed = armed + 1
    setmetatable({}, { __gc = function()
        if armed > 500 then return end
        arm()
        coroutine.wrap(function()
            local function inFinalizer() error "of a finalizer" end
            inFinalizer()
        end)()
    end })
end
arm()
for number = 1, 200 do
    local operation = BlockOperation(function()
        local list = {}
        for place = 1, 50 * (number % 7) do list[place] = {} end
        error "of the body"
    end)
    local ok, problem = pcall(await, operation)
    assert(not ok and problem.message:find "of the body", problem)
    assert(not problem.traceback:find("inFinalizer", 1, true), problem.traceback)
end
assert(armed > 10, "no finalizer ran")
