/// The parts of the contract that are written in Lua itself: functions that call back and may wait in between.
///
/// Each part is read when a script first uses one of its functions: reading all of them took a third of the start-up of
/// a process. A part receives a table as its environment (``ScriptRuntime/makePrelude(_:types:)``), and puts its
/// functions into the table `functions` of that environment.
enum Prelude: CaseIterable {
    case map, concurrentPerform, require, simulate, faults

    /// The place where scripts find the functions of a part.
    enum Place {
        /// Beside the types of the contract.
        case globals
        /// Among Lua's own functions.
        case lua
        /// In the table `DispatchQueue`.
        case dispatchQueue
        /// As methods of queues.
        case queues
    }

    var place: Place {
        switch self {
        case .map: .queues
        case .concurrentPerform: .dispatchQueue
        case .require: .lua
        case .simulate, .faults: .globals
        }
    }

    /// Its functions, as scripts call them.
    var calls: [ScriptCall] {
        switch self {
        case .map: [ScriptCall("OperationQueue:map", "list or iterator, fn [, { limit }]")]
        case .concurrentPerform: [ScriptCall("DispatchQueue.concurrentPerform", "n, body")]
        case .require: [ScriptCall("require", "name")]
        case .simulate: [ScriptCall("simulate", "pattern, { duration, result, error } or fn or mode")]
        case .faults:
            [
                ScriptCall("fail", "pattern [, { probability, error }]"),
                ScriptCall("delay", "pattern, seconds or { least, most }"),
                ScriptCall("hold", "pattern"),
                ScriptCall("release", "pattern"),
                ScriptCall("cancelAt", "step"),
            ]
        }
    }

    /// The names of its functions.
    var functions: [String] { Self.functions[self, default: []] }

    private static let functions = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, $0.calls.map(\.name)) }
    )
    private static let parts = Dictionary(
        uniqueKeysWithValues: functions.flatMap { part, names in names.map { ($0, part) } }
    )

    static func part(of function: String) -> Prelude? { parts[function] }

    /// Makes the function that scripts have before its part is read. It forwards calls by a tail call, so that
    /// functions may wait inside and call each other as deeply as Lua functions may.
    static let stub = #"""
        local part, name = ...
        local own
        return function(...)
            own = own or part(name)
            return own(...)
        end
        """#

    /// The Lua source text.
    var source: String {
        switch self {
        case .map: Self.mapSource
        case .concurrentPerform: Self.concurrentPerformSource
        case .require: Self.requireSource
        case .simulate: Self.simulateSource
        case .faults: Self.faultsSource
        }
    }

    private static let mapSource: String = #"""
        local _ENV = ...

        -- The iterator functions of `pairs` and `ipairs`.
        local pairsStep, ipairsStep = (pairs({})), (ipairs({}))

        -- queue:map(list | iterator, fn [, options])
        function functions.map(queue, list, fn, options, ...)
            refuseMore("map", 4, ...)
            checkQueue(queue)
            local limit, isGiven = mapLimit, false
            if type(list) ~= "table" and type(list) ~= "function" then
                fail("argument", "bad argument #1 to 'map' (table or iterator expected, got " .. kind(list) .. ")")
            end
            -- `table.pack()` of nothing is an empty list.
            if type(list) == "table" and list[1] == nil and next(list) ~= nil and list.n ~= 0 then
                fail("argument", "bad argument #1 to 'map' (list expected, got a table without an element [1])")
            end
            if list == pairsStep or list == ipairsStep then
                fail("argument", "bad argument #1 to 'map' (a list, or a function that returns the next item, "
                    .. "expected; pass the table itself and not 'pairs' or 'ipairs' of it)")
            end
            if type(fn) ~= "function" and kind(fn) ~= "isolate" then
                fail("argument", "bad argument #2 to 'map' (function expected, got " .. kind(fn) .. ")")
            end
            if options ~= nil then
                if type(options) ~= "table" then
                    fail("argument", "bad argument #3 to 'map' (table expected, got " .. kind(options) .. ")")
                end
                for key in next, options do
                    if key ~= "limit" then
                        fail("argument", "map has no option '" .. tostring(key) .. "' (did you mean 'limit'?)")
                    end
                end
                if options.limit ~= nil then
                    limit, isGiven = wholeNumber(options.limit, 1), true
                    if not limit then
                        fail("argument", "bad value for 'limit' (a whole number of at least 1 expected, got "
                            .. quantity(options.limit) .. ")")
                    end
                end
            end
            local results, place, isDone, isStopped = {}, 0, false, false
            local alive, places = {}, {}
            local firstPlace, firstError
            -- `pawait` and not `result`: the completion block of a finished operation may still have to run.
            local function take(operation, at)
                local ok, value = pawait(operation)
                if ok then
                    results[at] = value
                elseif not firstPlace or at < firstPlace then
                    firstPlace, firstError = at, value
                end
            end
            local stops = stopCount(queue)
            while true do
                local began = now()
                -- Short operations are added in batches: one at a time would cost a change of threads for each.
                local mayAdd = #alive <= limit // 2 or limit <= mapLimit
                while mayAdd and #alive < limit and not isDone do
                    if stopCount(queue) ~= stops then
                        isDone, isStopped = true, true
                        break
                    end
                    local item
                    if type(list) == "table" then
                        item = list[place + 1]
                    else
                        item = list()
                    end
                    if item == nil then
                        isDone = true
                    else
                        place = place + 1
                        local value = fn(item, place)
                        if addIfOperation(queue, value) then
                            alive[#alive + 1] = value
                            places[#places + 1] = place
                        else
                            results[place] = value
                        end
                    end
                end
                if #alive == 0 then
                    break
                end
                local before = #alive
                await.any(alive)
                -- All that have ended are taken together: each wait costs a change of threads.
                for index = #alive, 1, -1 do
                    if alive[index].isFinished then
                        local operation, at, last = alive[index], places[index], #alive
                        alive[index], places[index] = alive[last], places[last]
                        alive[last], places[last] = nil, nil
                        take(operation, at)
                    end
                end
                if not isGiven then
                    -- Seconds for each operation that has ended.
                    local each = (now() - began) / (before > #alive and before - #alive or 1)
                    if each < 0.001 then
                        limit = limit * 2 < 1024 and limit * 2 or 1024
                    elseif each > 0.004 then
                        limit = limit // 2
                    end
                    limit = limit > mapLimit and limit or mapLimit
                end
            end
            if firstPlace then
                error(firstError, 0)
            elseif isStopped then
                fail("cancelled", "'map' did not come to the end: the operations of its queue were cancelled")
            end
            return results
        end
        """#

    private static let concurrentPerformSource: String = #"""
        local _ENV = ...

        -- DispatchQueue.concurrentPerform(count, body)
        local pcall, isOperation, pawait, errorValue = pcall, isOperation, pawait, errorValue
        local whenLeft = { __close = function(run)
            run.isLeft = true
        end }

        function functions.concurrentPerform(count, body, ...)
            refuseMore("concurrentPerform", 3, ...)
            local given = count
            count = wholeNumber(given, 0)
            if not count then
                fail("argument", "bad argument #1 to 'concurrentPerform' "
                    .. "(a whole number of at least 0 expected, got " .. quantity(given) .. ")")
            end
            if type(body) ~= "function" then
                fail("argument", "bad argument #2 to 'concurrentPerform' (function expected, got " .. kind(body) .. ")")
            end
            -- As many coroutines as may wait at a time; each takes one number after the other.
            local run <close> = setmetatable({}, whenLeft)
            local place, firstPlace, firstError = 0, nil, nil
            local function perform(operation)
                while place < count and not run.isLeft and not operation.isCancelled do
                    place = place + 1
                    local own = place
                    local ok, value = pcall(body, own)
                    if ok and isOperation(value) then
                        ok, value = pawait(value)
                    end
                    if not ok and (not firstPlace or own < firstPlace) then
                        firstPlace, firstError = own, value
                    end
                end
            end
            local queue, performers = DispatchQueue.global(), {}
            for number = 1, count < 64 and count or 64 do
                performers[number] = queue:async(perform)
            end
            await.all(performers)
            if firstPlace then
                error(errorValue(firstError), 0)
            end
        end
        """#

    private static let requireSource: String = #"""
        local _ENV = ...

        -- require, written so that a module may wait at file scope
        local loading, waiting = {}, {}

        -- Raises the error of a module that cannot be loaded. A C module finds Lua's functions only if the program has
        -- them in a shared library; what the linker says of that does not help.
        local function refuse(name, problem)
            if type(problem) ~= "string" then error(problem, 0) end
            if problem:find("undefined symbol: lua", 1, true) or problem:find("dynamic libraries not enabled", 1, true)
            then
                fail("failed", "'" .. name .. "' is a C module ("
                    .. (problem:match("from file '([^']*)'") or "of an unknown file")
                    .. "), and this program cannot load C modules, because Lua is a part of it: use the program that "
                    .. "is linked with the shared library of Lua")
            end
            error(problem, 0)
        end

        local function search(name)
            local messages = {}
            local preload = package.preload[name]
            if preload ~= nil then
                return preload, ":preload:"
            end
            messages[#messages + 1] = "no field package.preload['" .. name .. "']"
            if package.path and loadModule then
                local file = name:gsub("%.", "/")
                for template in package.path:gmatch("[^;]+") do
                    local path = template:gsub("%?", (file:gsub("%%", "%%%%")))
                    local loader, problem = loadModule(path)
                    if loader then
                        return loader, path
                    elseif problem then
                        fail("failed", "error loading module '" .. name .. "' from file '" .. path .. "':\n\t"
                            .. problem)
                    end
                    messages[#messages + 1] = "no file '" .. path .. "'"
                end
            elseif not loadModule then
                messages[#messages + 1] = "no file: files need the capability 'modulesFromDisk', which the host "
                    .. "has not granted; in Swift: configuration.capabilities.insert(.modulesFromDisk)"
            end
            local searchers = package.searchers
            if type(searchers) == "table" then
                for place = 3, #searchers do
                    local isFound, loader, extra = pcall(searchers[place], name)
                    if not isFound then refuse(name, loader) end
                    if type(loader) == "function" then
                        return loader, extra
                    elseif type(loader) == "string" then
                        messages[#messages + 1] = (loader:gsub("^\n\t", ""))
                    end
                end
                if loadModule and not searchers[3] then
                    messages[#messages + 1] = "no module in C: those need the capability 'nativeModules', which the "
                        .. "host has not granted; in Swift: configuration.capabilities.insert(.nativeModules), with "
                        .. "all libraries"
                end
            end
            fail("failed", "module '" .. name .. "' not found:\n\t" .. concat(messages, "\n\t"))
        end

        local function closesCircle(name, task)
            local owner = loading[name].task
            while owner do
                if owner == task then
                    return true
                end
                local wanted = waiting[owner]
                local entry = wanted and loading[wanted]
                owner = entry and entry.task
            end
            return false
        end

        local mark = { __close = function(entry)
            if loading[entry.name] == entry then
                loading[entry.name] = nil
            end
            entry.gate:finish()
        end }

        local unwait = { __close = function(entry)
            waiting[entry.task] = nil
        end }

        function functions.require(name)
            if type(name) ~= "string" then
                fail("argument", "bad argument #1 to 'require' (string expected, got " .. kind(name) .. ")")
            end
            local loaded = package.loaded
            local value = loaded[name]
            if value then
                return value
            end
            local task = currentTask()
            while loading[name] do
                if closesCircle(name, task) then
                    fail("failed", "loop or previous error loading module '" .. name .. "'")
                end
                local entry <close> = setmetatable({ task = task }, unwait)
                waiting[task] = name
                pawait(loading[name].gate)
                value = loaded[name]
                if value then
                    return value
                end
            end
            local entry <close> = setmetatable({
                name = name, task = task, gate = Gate("module '" .. name .. "'"),
            }, mark)
            loading[name] = entry
            local loader, extra = search(name)
            local result = loader(name, extra)
            if result ~= nil then
                loaded[name] = result
            elseif not loaded[name] then
                loaded[name] = true
            end
            return loaded[name], extra
        end
        """#
}
