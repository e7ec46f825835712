-- A signal comes after the last operation, while the script's objects are finalized.
local mail = work.process.shell("echo sent >> outbox")
mail.name, mail.recording = "mail", "once"
OperationQueue.default:addOperation(mail)
last = setmetatable({}, { __gc = function()
    if io.open("again") then return end
    io.open("again", "w"):close()
    os.execute("kill -TERM $PPID")
    -- Its errors are in this file.
    repeat local text = io.open("errors"):read("a") until text:find("cancelling", 1, true)
end })
