-- A timer's block is at work when the timer is invalidated and what it works on is given away.
it("the block has its page", function()
    local page = { lines = 0 }
    local timer = Timer.scheduledTimer { interval = 1, block = function()
        local page = page -- it keeps its own
        sleep(1) -- draws
        page.lines = page.lines + 1
    end }
    local closing = async(function()
        sleep(1)
        sleep(1)
        timer:invalidate()
        page = nil
    end)
    await(closing)
    sleep(2)
end)
