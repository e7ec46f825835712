-- A cycle of `sync` over two serial queues is reported as a deadlock, and the run continues.
local a, b = DispatchQueue "a", DispatchQueue "b"
local ok, err = pcall(a.sync, a, function()
    return b:sync(function() return a:sync(function() end) end)
end)
assert(not ok and err.code == "deadlock", err)
assert(err:find("which 'sync' itself is waiting for", 1, true), err)
a:sync(function() end)
