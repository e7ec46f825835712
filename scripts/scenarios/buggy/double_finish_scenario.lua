-- The answer and the time limit both end a request; one of them has to be first.
it("a request ends once", function()
    local isOver, ends = false, 0
    local function finish()
        if isOver then return end
        sleep(1) -- closes the connection
        isOver = true
        ends = ends + 1
    end
    local answer = async(function()
        sleep(1)
        finish()
    end)
    local limit = async(function()
        sleep(1)
        sleep(1)
        finish()
    end)
    await.all { answer, limit }
    assert.equals(1, ends)
end)
