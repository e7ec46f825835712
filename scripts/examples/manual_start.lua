#!/usr/bin/env opscript
-- Starts an operation by hand, outside any queue, as soon as its checks pass; a timer tries them again until then.
--
--     opscript manual_start.lua FILE [SECONDS]
--
-- The operation prints the SHA-256 of FILE. It may start when FILE exists and has not grown since the last check, which
-- happens every tenth of a second; after SECONDS (default 10), the script gives up. Shows: `op:start()`, which raises for an
-- operation that is not ready, a gate as a custom condition, and a timer source that counts the checks it missed.

local path, limit = arg[1], tonumber(arg[2] or 10)
if not path or #arg > 2 or not limit then
    io.stderr:write("usage: opscript manual_start.lua FILE [SECONDS]\n")
    os.exit(2)
end

local settled = Gate "the file has settled"
local digest = work.digest.file("sha256", path)
digest:addDependency(settled)

-- Starting an operation that is not ready is an error without effect: it can be repeated.
local started, refusal = pcall(function() digest:start() end)
assert(not started)
print(refusal:match("'digest.*"))

local interval, looks, size = 0.1, 0, nil
local check = DispatchSource.timer { deadline = 0, repeating = interval }
check:setEventHandler(function()
    -- `data` counts the checks that became due meanwhile, too.
    looks = looks + check.data
    local found, status = pawait(work.file.stat(path))
    if found and status.size == size then
        check:cancel()
        settled:finish()
    elseif looks * interval > limit then
        check:cancel()
        settled:cancel()
    end
    size = found and status.size or nil
end)
check:activate()

if not pawait(settled) then
    io.stderr:write(("manual_start: '%s' has not settled within %g s\n"):format(path, limit))
    os.exit(1)
end
digest:start()
print(digest.result .. "  " .. path)
