-- Unknown keys in option tables raise and name the nearest one.
local function nearest(key, expected, fn)
    local ok, err = pcall(fn)
    assert(not ok, key .. " was accepted")
    assert(tostring(err):find(key, 1, true) and tostring(err):find(expected, 1, true), tostring(err))
end
local function body() end
nearest("queuePriorty", "queuePriority", function() Operation { main = body, queuePriorty = "high" } end)
nearest("mian", "main", function() Operation { mian = body } end)
nearest("maxConcurrent", "maxConcurrentOperationCount", function() OperationQueue { maxConcurrent = 1 } end)
nearest("attempt", "attempts", function() Operation { main = body, retry = { attempt = 2 } } end)
nearest("repeat", "repeats", function() Timer { interval = 1, ["repeat"] = true, block = body } end)
nearest("aftr", "after", function() OperationQueue():addOperation(body, { aftr = 1 }) end)
nearest("limt", "limit", function() OperationQueue():map({ 1 }, body, { limt = 1 }) end)
