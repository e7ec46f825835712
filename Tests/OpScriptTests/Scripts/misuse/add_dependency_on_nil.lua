-- A wrong argument names the argument, the method and what was expected, with the position in front.
local op = Operation(function() end)
local ok, err = pcall(function()
    op:addDependency(nil)
end)
assert(not ok)
assert(tostring(err):find("add_dependency_on_nil%.lua:4: bad argument #1 to 'addDependency' "
    .. "%(operation expected, got nil%)$"), tostring(err))
