-- A producer wakes the consumer only if it sees it asleep.
it("the consumer gets the item", function()
    local isAsleep, item = false, nil
    local bell = DispatchSemaphore(0)
    local consumer = async(function()
        sleep(1)
        isAsleep = true
        bell:wait()
        return item
    end)
    local producer = async(function()
        sleep(1)
        item = "parcel"
        bell:signal()
    end)
    await(producer)
    assert.equals("parcel", await(consumer))
end)
