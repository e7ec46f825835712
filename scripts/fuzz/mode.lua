-- How a job is run: on virtual time, on real threads, or by the explorer.
local Rules = require "rules"
local Script = require "script"

local Mode = {}

-- `tries`: how often a failure is looked for while a job is made smaller.
Mode.all = {
    { name = "virtual", options = "--virtual --seed %d", isVirtual = true, tries = 1, weight = 3 },
    { name = "jobs1", options = "--jobs 1", tries = 5, weight = 1 },
    { name = "jobs2", options = "--jobs 2", tries = 5, weight = 2 },
    { name = "jobs3", options = "--jobs 3", tries = 5, weight = 1 },
    { name = "busy", options = "--jobs 2", tries = 5, weight = 1, isBusy = true },
    { name = "random", options = "--virtual --explore random --iterations 12 --max-steps 20000 --seed %d", isVirtual = true,
        isExplored = true, tries = 1, weight = 1 },
    { name = "pct", options = "--virtual --explore pct --iterations 12 --max-steps 20000 --seed %d", isVirtual = true,
        isExplored = true, tries = 1, weight = 1 },
    { name = "dfs", options = "--virtual --explore dfs --depth 2 --iterations 12 --max-steps 20000 --seed %d", isVirtual = true,
        isExplored = true, tries = 1, weight = 1 },
}
for _, mode in ipairs(Mode.all) do Mode[mode.name] = mode end

-- The explorer takes each status other than 0 for a failure, so no operation may set one, and the script checks itself.
local function quiet(job)
    job.never, job.abort = nil, nil
    for _, op in ipairs(job.ops) do op.allowsFailure = true end
    if job.final == "report" then job.final = "unbounded" end
    return job
end

function Mode.prepare(mode, job) return mode.isExplored and quiet(job) or job end

function Mode.text(mode, job, patience)
    return Script.text(job, { patience = patience, checks = mode.isExplored and Script.folder })
end

-- Runs a job; returns what is broken.
function Mode.run(mode, job, program, patience)
    local options = mode.options:format(job.seed)
    local run = program:run(Mode.text(mode, job, patience), options, mode.isExplored and 60 or patience + (patience < 10 and 2 or 10))
    if not mode.isExplored then return Rules.checkRun(job, run, mode.isVirtual), run end
    if run.status == 0 then return {}, run end
    local rule, subject, text = run.errors:match("rule (%w+), (%w+): ([^\n]*)")
    if run.isKilled then rule, subject, text = "hang", "job", "the program was killed after its time had run out" end
    return { { rule = rule or "status", subject = subject or "job", text = text or run.errors:sub(1, 500) } }, run
end

return Mode
