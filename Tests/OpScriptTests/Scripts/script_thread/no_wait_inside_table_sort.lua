-- Where Lua cannot yield, waiting raises `cannot wait here: inside table.sort`.
local ok, err = pcall(function()
    table.sort({ 3, 1, 2 }, function(a, b)
        sleep(0.001)
        return a < b
    end)
end)
assert(not ok)
assert(tostring(err):find("cannot wait here: inside table.sort", 1, true), tostring(err))
assert(tostring(err):find("no_wait_inside_table_sort%.lua:4: "), tostring(err))
sleep(0)
