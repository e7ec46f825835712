-- simulate replaces a work by a table or a function.
-- arguments: --virtual
simulate("http.*", { duration = 2.5, result = { status = 200 } })
local queue = OperationQueue { maxConcurrentOperationCount = 2 }
local list = {}
for place = 1, 4 do
    list[place] = work.http.get("http://example.org/" .. place)
end
queue:addOperations(list, true)
assert(clock.now() == 5, clock.now())
assert(list[4].result.status == 200 and list[4].name == "http.get")

simulate("http.get", function(url)
    sleep(1)
    if url:find("/missing$") then
        error("no such page")
    end
    return #url, "second"
end)
local page = work.http.get("http://example.org/")
assert(await(page) == 19 and select("#", await(page)) == 2 and clock.now() == 6)
local found, problem = pawait(work.http.get("http://example.org/missing"))
assert(not found and problem.message:find("no such page$"), problem)

simulate("http.get", function(url) return { duration = 3, error = "refused: " .. url } end)
found, problem = pawait(work.http.get("http://a"))
assert(not found and problem.message == "refused: http://a" and clock.now() == 10)
