-- Methods are searched for in the parent classes; if a script has made a cycle of classes, they are not found.
local Circle = Operation:subclass "Circle"
Circle["\0parent"] = Circle
local ok, problem = pcall(Circle, {})
assert(not ok and problem.message:find("has neither 'main' nor 'start'"), problem)
