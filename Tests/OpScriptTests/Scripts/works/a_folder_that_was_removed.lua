-- In a folder that was removed, each work says so.
local command = arg[-1] or "opscript"
local code = [[
    for _, op in ipairs {
        work.file.write("x", "y"), work.file.append("x", "y"), work.file.copy("/etc/passwd", "x"),
        work.file.makeDirectory("x"), work.file.makeDirectory("x/y"), work.file.read("x"),
    } do print(select(2, pawait(op))) end
]]
local shell = ([[mkdir "$d" && cd "$d" && rmdir "$d" && exec %s -e "$code"]]):format(command)
local run = await(work.process.shell(shell, { env = { d = os.tmpname() .. ".d", code = code } }))
local count = 0
for line in run.output:gmatch("[^\n]+") do
    count = count + 1
    assert(line:find("its folder was removed", 1, true), line)
end
assert(count == 6, run.output)
