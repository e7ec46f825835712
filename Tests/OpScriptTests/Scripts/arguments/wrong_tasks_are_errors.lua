-- A wrong task raises an error; tasks are declared by the main chunk.
local function refuses(code, pattern, ...)
    local ok, problem = pcall(task, ...)
    assert(not ok and problem.code == code, problem.code)
    assert(tostring(problem):find(pattern, 1, true), tostring(problem))
end
refuses("argument", "bad argument #1 to 'task' (string expected, got nil)", nil, "x", print)
refuses("argument", "bad argument #2 to 'task' (string expected, got function)", "a", print)
refuses("argument", "bad argument #3 to 'task' (function expected, got no value)", "a", "x")
refuses("argument", "a word that does not begin with '-' expected, got 'a b'", "a b", "x", print)
local made = task("a", "x", print)
refuses("misuse", "there is a task 'a' already", "a", "y", print)
-- Runs when the main chunk has returned.
async(function()
    refuses("misuse", "'task' is for the main chunk, which has returned", "b", "x", print)
    print "refused"
end)
