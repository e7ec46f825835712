-- Methods are looked for in the classes above; where a script has made a circle of them, they are not found.
local Circle = Operation:subclass "Circle"
Circle["\0parent"] = Circle
local ok, problem = pcall(Circle, {})
assert(not ok and problem.message:find("has neither 'main' nor 'start'"), problem)
