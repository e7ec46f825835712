internal import Glibc
internal import OpScript
internal import Synchronization

/// The prompt that `opscript` shows on a terminal when it gets no script.
///
/// A Lua loop in the main chunk: each line runs in the same state and may wait, and while the user types a
/// line, timers fire and operations continue.
enum Prompt {
    /// The loop.
    static let source = ScriptSource(bytes: Array(loop.utf8), chunkName: "=(prompt)", path: nil)

    /// Registers the function with which the loop reads lines.
    static func register(in engine: ScriptEngine) {
        let lines = LineReader()
        engine.register("prompt.readLine", "Reads a line from the terminal; nothing at the end.") {
            (context: WorkContext, prompt: String) throws -> [UInt8]? in
            try lines.next(after: prompt, context)
        }
    }

    private static let loop = #"""
        local readLine, pawait, load, pcall, xpcall = work.prompt.readLine, pawait, load, pcall, xpcall
        local traceback, stderr, exit, pack, unpack = debug.traceback, io.stderr, os.exit, table.pack, table.unpack
        local gsub, error = string.gsub, error

        local function read(prompt)
            local reading = readLine(tostring(prompt))
            local isAwaited, arrived, line = pcall(pawait, reading)
            if isAwaited and arrived then return line end
            -- If the run is cancelled, nothing has added it; it is not the script's, so no hint has to name it.
            reading:cancel()
            if not isAwaited then error(arrived, 0) end
        end

        local function compile(line)
            if line:sub(1, 1) == "=" then line = "return " .. line:sub(2) end
            local chunk = load("return " .. line .. "\n;", "=stdin", "t")
            if chunk then return chunk end
            while true do
                local message
                chunk, message = load(line, "=stdin", "t")
                if chunk or not message:find("<eof>$") then return chunk, message end
                local more = read(_PROMPT2 or ">> ")
                if not more then return nil, message end
                line = line .. "\n" .. more
            end
        end

        local function describe(value)
            if type(value) == "string" then
                -- The frames of this loop are not the user's.
                local trace = gsub(traceback(value, 2), "\n%s*%[C%]: in function 'xpcall'\n%s*%(prompt%):.*$", "")
                return trace
            end
            local mt = getmetatable(value)
            if type(mt) == "table" and mt.__tostring then return tostring(value) end
            if type(value) == "userdata" then return tostring(value) end
            return ("(error object is a %s value)"):format(type(value))
        end

        for line in function() return read(_PROMPT or "> ") end do
            local chunk, message = compile(line)
            local results = chunk and pack(xpcall(chunk, describe)) or { false, message, n = 2 }
            if not results[1] then
                stderr:write(tostring(results[2]), "\n")
            elseif results.n > 1 then
                print(unpack(results, 2, results.n))
            end
        end
        exit(0)
        """#
}

/// Reads standard input line by line, and stops when it is cancelled.
private final class LineReader: Sendable {
    private let rest = Mutex<[UInt8]>([])

    /// The next line without its end; nil at the end of the input.
    func next(after prompt: String, _ context: WorkContext) throws -> [UInt8]? {
        let text = Array(prompt.utf8)
        _ = write(STDERR_FILENO, text, text.count)
        return try rest.withLock { rest in
            while true {
                if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = Array(rest[..<end])
                    rest.removeFirst(end + 1)
                    return line
                }
                try waitForInput(context)
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = read(STDIN_FILENO, &bytes, bytes.count)
                if count > 0 {
                    rest += bytes[..<count]
                } else if count == 0 || errno != EINTR {
                    defer { rest = [] }
                    return rest.isEmpty ? nil : rest
                }
            }
        }
    }

    private func waitForInput(_ context: WorkContext) throws {
        var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        repeat { try context.checkCancellation() } while poll(&descriptor, 1, 100) <= 0
    }
}
