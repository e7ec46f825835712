-- Merges while the handler runs or waits are one event: `add` sums, `or` ors, `replace` keeps the last; 0 is no event.
-- expect-stdout: add	15
-- expect-stdout: or	7
-- expect-stdout: replace	9
local function try(name, source, first, ...)
    local entered, left = Gate "entered", Gate "left"
    local calls = 0
    source:setEventHandler(function()
        calls = calls + 1
        if calls == 1 then
            entered:finish()
            await(left)
        else
            print(name, source.data)
        end
    end)
    source:activate()
    source:mergeData(first)
    await(entered)
    for _, number in ipairs { ... } do source:mergeData(number) end
    sleep(0)
    assert(calls == 1)           -- no second call while the first one waits
    left:finish()
    sleep(0) sleep(0)
    assert(calls == 2)
    source:mergeData(0)
    sleep(0) sleep(0)
    assert(calls == 2)
    source:cancel()
end
try("add", DispatchSource.userDataAdd(), 100, 1, 2, 3, 4, 5)
try("or", DispatchSource.userDataOr(), 8, 1, 2, 4, 4)
try("replace", DispatchSource.userDataReplace(), 8, 1, 9)
