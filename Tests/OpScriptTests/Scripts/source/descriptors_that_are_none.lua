-- A number that is not an open descriptor is an error that names it.
local function refused(pattern, ...)
    local ok, message = pcall(...)
    assert(not ok and message:find(pattern), message)
    assert(message.code == "argument", message.code)
end
local file = assert(io.open("/dev/null"))
refused("descriptor 1999 is not open", DispatchSource.read, 1999)
refused("descriptor of at least 0 expected, got %-1", DispatchSource.read, -1)
refused("descriptor of at least 0 expected, got 99999999999", DispatchSource.write, 99999999999)
refused("descriptor or file expected, got string", DispatchSource.read, "0")
refused("descriptor or file expected, got number", DispatchSource.read, 1.5)
refused("descriptor or file expected, got no value", DispatchSource.read)
refused("not open for writing", DispatchSource.write, file)
file:close()
refused("open file expected, got a closed file", DispatchSource.read, file)
local folder = io.open("/")
if folder then refused("is a directory; use DispatchSource.fileSystem", DispatchSource.read, folder) end
