-- A removed dependency leaves the argument: a closure that runs before the other one has ended gets nil, a later one its
-- result, and nothing in between, however the two overlap.
-- expect-stdout: 400 calls, 0 that got anything else
local queue = OperationQueue { maxConcurrentOperationCount = 4 }
local text = ("a"):rep(200)
local expected = await(work.digest.sha1(json.encode { text }))
local takers = {}
for i = 1, 400 do
    local made = work.json.encode { text }
    local taken = work.digest.sha1(made)
    taken.allowsFailure = true
    taken:removeDependency(made)
    queue:addOperation(made)
    queue:addOperation(taken)
    takers[i] = taken
end
queue:waitUntilAllOperationsAreFinished()
local others = 0
for _, taken in ipairs(takers) do
    local hasResult = taken.outcome == "succeeded" and taken.result == expected
    local hadNothing = taken.outcome == "failed" and taken.error.message:find("nil", 1, true)
    if not hasResult and not hadNothing then others = others + 1 end
end
print(#takers .. " calls, " .. others .. " that got anything else")
