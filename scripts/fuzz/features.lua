-- The features of jobs.
local Features = {}

-- A job uses some of the features only, so that each of them is alone in some jobs.
Features.all = {
    "operationQueues", "dispatchQueues", "global", "main", "default", "targets", "widths", "suspended", "failFast",
    "dependencies", "conditions", "arguments", "resources", "retry", "timeouts", "later", "cancels", "cancelAll",
    "barriers", "groups", "gates", "asynchronous", "blocks", "works", "failures", "waiters", "observers", "completions",
    "priorities", "classes", "timers", "steps", "dispatchGroups", "semaphores", "workItems", "maps", "syncs", "removals",
    "manual", "isolates", "closes", "invocations", "subclasses", "callbackSteps", "never", "abort", "sleepsInMain",
    "timerKinds", "anys", "performs", "plain",
}
-- The others are in one job of so many.
Features.rare = { never = 12, abort = 12, isolates = 4, manual = 3, maps = 3, performs = 4 }

-- Features that are worth combining: many jobs use all of one line, and few others.
Features.themes = {
    { "global", "works", "dependencies", "cancels" },
    { "global", "works", "dependencies", "steps", "classes" },
    { "global", "main", "dispatchQueues", "works", "dependencies" },
    { "dispatchQueues", "targets", "barriers", "works", "suspended" },
    { "operationQueues", "failFast", "failures", "works" },
    { "operationQueues", "failFast", "failures", "works", "invocations", "subclasses" },
    { "operationQueues", "failFast", "failures", "works", "timers", "completions" },
    { "operationQueues", "failFast", "failures", "works", "steps", "observers", "sleepsInMain" },
    { "operationQueues", "suspended", "dependencies", "failures", "conditions", "cancels", "timers" },
    { "operationQueues", "widths", "barriers", "works", "retry", "failures", "cancels" },
    { "operationQueues", "resources", "widths", "works", "cancels", "retry", "failures" },
    { "groups", "operationQueues", "widths", "cancels", "timers", "works" },
    { "blocks", "retry", "failures", "works", "operationQueues" },
    { "gates", "dependencies", "waiters", "completions", "observers", "callbackSteps" },
    { "dependencies", "waiters", "completions", "observers", "works", "steps" },
    { "dependencies", "waiters", "completions", "observers", "gates", "steps", "callbackSteps", "main" },
    { "dependencies", "waiters", "completions", "dispatchQueues", "global", "gates", "cancels" },
    { "asynchronous", "cancels", "timeouts", "timers", "closes" },
    { "later", "observers", "cancels", "operationQueues", "dependencies" },
    { "dispatchQueues", "global", "dispatchGroups", "workItems", "syncs", "works", "later" },
    { "removals", "dependencies", "failures", "works", "timers", "waiters" },
    { "priorities", "operationQueues", "widths", "suspended", "steps" },
    { "operationQueues", "default", "maps", "cancelAll", "works", "widths" },
    { "classes", "works", "operationQueues", "widths", "global", "cancels" },
}

-- The features of one job, as a set.
function Features.choose(chance)
    local enabled = {}
    local share = chance:pick { 3, 5, 7 }
    for _, feature in ipairs(Features.all) do
        local rare = Features.rare[feature]
        if rare then enabled[feature] = chance:oneIn(rare) else enabled[feature] = chance:number(10) <= share end
    end
    if chance:oneIn(2) then
        for _, feature in ipairs(Features.all) do enabled[feature] = enabled[feature] and chance:oneIn(4) end
        for _, feature in ipairs(chance:pick(Features.themes)) do enabled[feature] = true end
    end
    return enabled
end

return Features
