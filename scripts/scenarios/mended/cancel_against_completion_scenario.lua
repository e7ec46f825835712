-- A caller loses patience at the moment when the answer comes.
it("there is an answer or none", function()
    local job = Gate "ask"
    local server = async(function()
        sleep(1)
        job:finish("yes")
    end)
    local impatient = async(function()
        sleep(1)
        job:cancel()
    end)
    local ok, answer = pawait(job)
    if not ok then answer = "none" end
    await.all { server, impatient }
    assert.is_true(answer == "yes" or answer == "none")
end)
