-- A mistake with `map` is reported with the script's line, the name `map` and the remedy.
local queue = OperationQueue()
local function refused(what, fn)
    local ok, problem = pcall(fn)
    assert(not ok and problem.code == "argument", problem)
    assert(problem.message:find("mistakes_have_the_place_of_the_script.lua:%d+: ") == 1
        or problem.message:find("^[^%[]*mistakes_have_the_place_of_the_script.lua:%d+: "), problem.message)
    assert(problem.message:find(what, 1, true), problem.message)
end
local function double(number) return 2 * number end
refused("pass the table itself and not 'pairs' or 'ipairs' of it", function() queue:map(pairs { a = 1 }, double) end)
refused("pass the table itself and not 'pairs' or 'ipairs' of it", function() queue:map(ipairs { "a" }, double) end)
refused("bad argument #1 to 'map' (queue expected, got table); a method is called with a colon, as in queue:map(…)",
    function() queue.map({ 1 }, double) end)
refused("bad argument #2 to 'file.read' (table of options expected, got number)", function() queue:map({ "a" }, work.file.read) end)
local results = queue:map({ 1, 2, 3 }, double)
assert(results[1] == 2 and results[3] == 6)
