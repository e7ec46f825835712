-- The properties about journals have their defaults without a journal, too, and refuse other values.
local program, reader = work.process.run { "true" }, work.file.read "none"
local fn = Operation { name = "fn", main = function() end }
assert(program.recording == "result" and reader.recording == "never" and fn.recording == "never")
assert(program.inputs == nil and program.outputs == nil and program.depfile == nil and program.version == nil)
assert(program.isRecorded == false and program.isUpToDate == false)

program.recording, program.version, program.inputs, program.outputs = "once", "2", { "a*" }, {}
assert(program.recording == "once" and program.version == "2" and program.inputs[1] == "a*" and #program.outputs == 0)
program.inputs = nil
assert(program.inputs == nil)

local function refused(code, setting)
    local ok, e = pcall(setting)
    assert(not ok and e.code == code, tostring(e))
end
refused("argument", function() fn.recording = "twice" end)
refused("argument", function() fn.version = 2 end)
refused("argument", function() fn.inputs = "a" end)
refused("argument", function() fn.outputs = { 1 } end)
refused("argument", function() fn.outputs = { "a\0b" } end)
refused("argument", function() fn.depfile = "" end)
refused("misuse", function() Gate().recording = "once" end)
refused("misuse", function() fn.isRecorded = true end)
for _, op in ipairs { program, reader, fn } do op:cancel() end
