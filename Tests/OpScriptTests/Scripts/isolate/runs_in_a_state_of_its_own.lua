-- isolate(fn)(...) makes an operation whose body runs in a Lua state of its own: arguments and results are copied.
local argument = { 1, 2, name = "x" }
local double = isolate(function(list)
    list[#list + 1] = 3
    return list, #list, nil, "end"
end)
local operation = double(argument)
assert(operation.state == "pending" and operation.name == "isolate")
local list, count, nothing, last = await(operation)
assert(#list == 3 and list.name == "x" and list ~= argument)
assert(count == 3 and nothing == nil and last == "end")
assert(#argument == 2, "the script's own table was changed")
assert(select("#", operation:results()) == 4)
assert(tostring(double):find("^isolate '.*runs_in_a_state_of_its_own.lua:3'$"), tostring(double))
