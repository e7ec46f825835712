-- A writer waits until there is no reader, while readers come one after the other.
it("the writer gets its turn", function()
    local readers, isWaiting, wroteAt, all = 0, false, nil, {}
    local function comeReader(seconds)
        all[#all + 1] = async(function()
            for _ = 1, seconds do sleep(1) end
            while isWaiting do sleep(0.5) end
            readers = readers + 1
            sleep(1)
            readers = readers - 1
        end)
    end
    comeReader(1)
    comeReader(2)
    all[#all + 1] = async(function()
        sleep(1)
        isWaiting = true
        repeat sleep(1) until readers == 0
        isWaiting, wroteAt = false, clock.now()
    end)
    for seconds = 3, 4 do comeReader(seconds) end
    await.all(all)
    assert.is_true(wroteAt <= 3)
end)
