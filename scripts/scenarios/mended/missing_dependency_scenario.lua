-- The report is made of the fetched data.
it("the report has the text", function()
    local text, report
    local fetch = Operation { name = "fetch", main = function() sleep(1) text = "news" end }
    local print = Operation { name = "print", main = function() sleep(1) report = "today: " .. text end }
    print:addDependency(fetch)
    OperationQueue.default:addOperations({ fetch, print }, true)
    assert.equals("today: news", report)
end)
