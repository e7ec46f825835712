-- Two transfers lock two accounts, each its own first.
it("both transfers end", function()
    local left, right = DispatchSemaphore(1), DispatchSemaphore(1)
    local function transfer(first, second)
        first:wait()
        sleep(1)
        second:wait()
        second:signal()
        first:signal()
    end
    local there = async(function() transfer(left, right) end)
    local back = async(function()
        sleep(1)
        transfer(right, left)
    end)
    await.all { there, back }
end)
