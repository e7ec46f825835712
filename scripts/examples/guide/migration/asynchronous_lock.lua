#!/usr/bin/env opscript
-- This resource has a serial queue instead of a lock. Code that changes the resource adds a task and
-- continues at once. The changes are made one at a time, in the order of addition, even if a change waits
-- in the middle.
-- In the guide: Migrating Away from Threads, "Implementing an Asynchronous Lock", listing 5-1

local Register = {}
Register.__index = Register

function Register.new(label)
    return setmetatable({ queue = DispatchQueue { label = label }, entries = {} }, Register)
end

function Register:add(text)
    self.queue:async(function()
        -- The critical section.
        local digest = await(work.digest.crc32(text))
        self.entries[#self.entries + 1] = #self.entries + 1 .. " " .. text .. " " .. digest
    end)
end

function Register:print()
    self.queue:async(function()
        for _, entry in ipairs(self.entries) do print(entry) end
    end)
end

local register = Register.new "register"
for _, name in ipairs { "Ada", "Grace", "Edsger" } do register:add(name) end
register:print()
print("the caller has not waited, entries so far: " .. #register.entries)
