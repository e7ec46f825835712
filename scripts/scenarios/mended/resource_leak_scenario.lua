-- Two connections for four requests, of which some fail.
it("all connections are given back", function()
    simulate("http.get", { duration = 1, result = "page" })
    fail("http.get", { probability = 0.1, error = "refused" })
    local pool, pages = DispatchSemaphore(2), 0
    local queue = OperationQueue { maxConcurrentOperationCount = 2 }
    for place = 1, 4 do
        queue:addOperation(Operation { name = "get " .. place, allowsFailure = true, main = function()
            pool:wait()
            local ok, problem = pawait(work.http.get("http://example.org/"))
            pool:signal()
            if not ok then error(problem, 0) end
            pages = pages + 1
        end })
    end
    queue:waitUntilAllOperationsAreFinished()
    assert.is_true(pool:wait(0) and pool:wait(0))
    pool:signal()
    pool:signal()
end)
