routes = {}
local served = 0

function routes.hello(query)
    served = served + 1
    return "hello, " .. (query.name or "stranger") .. "\n"
end

-- Swift works in parallel, and other requests are served while this one waits.
function routes.digests(query)
    local digests = {}
    for text in (query.texts or ""):gmatch("[^,]+") do digests[#digests + 1] = work.digest(text) end
    return table.concat(await.all(digests), "\n") .. "\n"
end

function routes.served() return served .. "\n" end

function routes.endless() while true do end end
