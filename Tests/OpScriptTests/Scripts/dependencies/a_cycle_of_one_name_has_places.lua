-- The error of a cycle names the operations, and their places if the names do not tell them apart.
local a, b, c = work.sleep(0), work.sleep(0), work.sleep(0)
a:addDependency(b)
b:addDependency(c)
local ok, problem = pcall(c.addDependency, c, a)
assert(not ok and problem.code == "cycle")
local _, count = tostring(problem):gsub("'sleep' %([^)]*places%.lua:2%)", "")
assert(count == 4, problem)
c.name, b.name = "c", "b"
ok, problem = pcall(c.addDependency, c, a)
assert(not ok and not tostring(problem):find("'c' (", 1, true), problem)
for _, op in ipairs { a, b, c } do op:cancel() end
