-- A timer's block runs when the timer is invalidated and the object that it uses is released.
it("the block has its page", function()
    local page = { lines = 0 }
    local timer = Timer.scheduledTimer { interval = 1, block = function()
        -- An invalid timer does not fire.
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
