-- Inside an isolate nothing can be scheduled: a clear error says so.
for _, name in ipairs { "work", "OperationQueue", "await", "sleep", "Timer", "isolate", "Operation", "async" } do
    local read = isolate(function(key) return _ENV[key] end)
    local ok, message = pawait(read(name))
    assert(not ok and message:find("'" .. name .. "' is not there inside an isolate", 1, true), tostring(message))
end
local ok, message = pawait(isolate(function() os.exit(3) end)())
assert(not ok and message:find("os.exit cannot be called inside an isolate", 1, true), tostring(message))
