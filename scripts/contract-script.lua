-- Runs one contract script with the command and compares what it does with what its head announces.
-- Used by run-contract.sh: lua5.4 contract-script.lua PATH, in the folder of the scripts, with the command in OPSCRIPT.
-- The annotations are described in Tests/OpScriptTests/Scripts/README.md.
local path = assert(arg[1], "usage: contract-script.lua PATH")
local command = assert(os.getenv("OPSCRIPT"), "OPSCRIPT names the command to run")
local secondsAllowed = 20

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function contents(name)
    local file <close> = assert(io.open(name, "rb"))
    return file:read("a")
end

-- The head: comment lines from the first line on.
local expected = { status = 0, errors = {}, arguments = {}, scriptArguments = {} }
for line in io.lines(path) do
    if line:sub(1, 2) ~= "--" then break end
    local key, value = line:match("^%-%- ([%w-]+): ?(.*)$")
    if key == "expect-status" then
        expected.status = assert(tonumber(value), path .. ": expect-status is not a number")
    elseif key == "expect-stdout" then
        expected.output = expected.output or {}
        table.insert(expected.output, value)
    elseif key == "expect-stderr" then
        table.insert(expected.errors, value)
    elseif key == "arguments" then
        for word in value:gmatch("%S+") do table.insert(expected.arguments, word) end
    elseif key == "script-arguments" then
        for word in value:gmatch("%S+") do table.insert(expected.scriptArguments, word) end
    end
end

local words = { "timeout", "--kill-after=2", tostring(secondsAllowed), command }
table.move(expected.arguments, 1, #expected.arguments, #words + 1, words)
table.insert(words, path)
table.move(expected.scriptArguments, 1, #expected.scriptArguments, #words + 1, words)
for i, word in ipairs(words) do words[i] = quoted(word) end

local outputPath, errorPath = os.tmpname(), os.tmpname()
local _, how, status = os.execute(("%s </dev/null >%s 2>%s"):format(table.concat(words, " "), outputPath, errorPath))
local output, errors = contents(outputPath), contents(errorPath)
os.remove(outputPath)
os.remove(errorPath)

local complaints = {}
local function complain(...) table.insert(complaints, (...):format(select(2, ...))) end

if how == "signal" then
    complain("killed by signal %d", status)
elseif status == 124 and expected.status ~= 124 then
    complain("exit status 124 instead of %d: probably still running after %d s", expected.status, secondsAllowed)
elseif status == 137 then
    complain("exit status 137: killed after %d s", secondsAllowed)
elseif status ~= expected.status then
    complain("exit status %d instead of %d", status, expected.status)
end
if expected.output then
    local wanted = table.concat(expected.output, "\n") .. "\n"
    if output ~= wanted then complain("standard output is\n%snot\n%s", output, wanted) end
end
for _, pattern in ipairs(expected.errors) do
    if not errors:find(pattern) then complain("nothing in standard error matches: %s", pattern) end
end

if #complaints == 0 then
    print("pass " .. path)
else
    local text = table.concat(complaints, "\n") .. "\nstandard error:\n" .. errors:sub(1, 3000)
    io.stdout:write("FAIL ", path, "\n    ", (text:gsub("\n+$", ""):gsub("\n", "\n    ")), "\n")
end
