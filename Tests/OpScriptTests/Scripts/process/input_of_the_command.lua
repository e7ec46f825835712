-- `input = "inherit"` gives a program the standard input of the command; any other text is its input.
local command = arg[-1] or "opscript"
local function inner(code, text)
    return await(work.process.run { command, "-e", code, input = text }).output
end

local cat = 'io.write(await(work.process.run { "cat", input = %s }).output)'
assert(inner(cat:format('"inherit"'), "one\ntwo\n") == "one\ntwo\n")
assert(inner(cat:format('"inherited"'), "one\n") == "inherited")
assert(inner(cat:format('nil'), "one\n") == "")
-- Several programs share it.
assert(inner([[
    for i = 1, 3 do io.write(await(work.process.run { "sh", "-c", "read x; echo $x", input = "inherit" }).output) end
]], "a\nb\nc\n") == "a\nb\nc\n")
