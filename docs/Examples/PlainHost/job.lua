local queue = OperationQueue { name = "lines", maxConcurrentOperationCount = 2 }
local counts = {}
for number, text in ipairs { "a first line", "and a second one", "a third" } do
    counts[number] = work.count(number, text)
end
queue:addOperations(counts)
for _, line in ipairs(await.all(counts)) do print(line.number, line.words) end
print(await(work.greet(arg[1] or "stranger")))
