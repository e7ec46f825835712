-- A missing path, an unknown event and a missing one are errors that name them.
local function refused(pattern, ...)
    local ok, message = pcall(DispatchSource.fileSystem, ...)
    assert(not ok and message:find(pattern), message)
end
refused("cannot watch '/nowhere/at/all': no such file", "/nowhere/at/all", { "write" })
refused("there is no event 'wirte' %(did you mean 'write'%?%)", "/tmp", { "wirte" })
refused("at least one event expected, got none", "/tmp", {})
refused("table of events expected, got no value", "/tmp")
refused("names of events expected, got number", "/tmp", { 1 })
refused("path expected, got number", 1, { "write" })
refused("path expected, got ''", "", { "write" })
