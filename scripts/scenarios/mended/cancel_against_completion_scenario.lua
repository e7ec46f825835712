-- A caller loses patience at the moment when the answer comes.
it("there is an answer or none", function()
    local job = OperationQueue.default:addOperation(Operation {
        name = "ask", main = function() sleep(1) return "yes" end,
    })
    local impatient = async(function()
        sleep(1)
        job:cancel()
    end)
    local ok, answer = pawait(job)
    if not ok then answer = "none" end
    await(impatient)
    assert.is_true(answer == "yes" or answer == "none")
end)
