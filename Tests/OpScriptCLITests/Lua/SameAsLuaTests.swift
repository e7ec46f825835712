import Glibc
import SystemPackage
import Testing

/// The command as a `lua5.4`: the same output and exit status on the same command lines.
///
/// Each line of a shell runs twice, with `$lua` as Lua's own program and as the command, in a folder with the files
/// below. The page of the manual about this lists the known differences, so none of them is here.
@Suite(
    .enabled(if: access("/usr/bin/lua5.4", X_OK) == 0, "needs Lua's own program: install lua5.4"),
    .timeLimit(.minutes(10))
)
struct SameAsLuaTests {
    private static let files = [
        "args.lua": "print(arg[0], #arg, ...)",
        "number.lua": "y = 5 return 7",
        "nothing.lua": "",
        "wrong.lua": "x = =",
        "raises.lua": "error('e')",
        "folder/inner.lua": "return { words = { ... } }",
        "leave.lua": """
        local status, close, place = tonumber(arg[1]), arg[2] == "true", arg[3]
        local function closing(text) return setmetatable({}, { __close = function() print(text) end }) end
        local collected = setmetatable({}, { __gc = function() print("collected") end })
        local outer <close> = closing("outer")
        local function leave()
            local inner <close> = closing("inner")
            os.exit(status, close)
        end
        if place == "main" then leave()
        elseif place == "pcall" then pcall(leave) print("after")
        elseif place == "xpcall" then xpcall(leave, print) print("after")
        elseif place == "coroutine" then coroutine.wrap(function() os.exit(status, close) end)() print("after")
        elseif place == "sort" then table.sort({ 3, 2, 1 }, leave)
        elseif place == "gsub" then ("abc"):gsub(".", leave)
        elseif place == "index" then print(setmetatable({}, { __index = leave }).x)
        elseif place == "close" then do local last <close> = setmetatable({}, { __close = leave }) end
        elseif place == "load" then load(leave)
        elseif place == "collector" then
            setmetatable({}, { __gc = function() os.exit(status, close) end })
            collectgarbage()
            print("after")
        end
        """,
    ]

    /// Runs a line with both programs, and compares.
    private func compare(_ line: String) async throws {
        var runs: [(text: String, status: Int32?, errors: String)] = []
        for program in ["/usr/bin/lua5.4", CommandRun.commandPath.string] {
            let scratch = try Scratch()
            try scratch.folder("folder")
            for (name, text) in Self.files { try scratch.file(name, text) }
            let run = try await CommandRun.program(
                "/bin/sh",
                ["-c", "unset LUA_INIT LUA_PATH LUA_CPATH; lua='\(program)'; \(line)"],
                folder: scratch.path
            )
            runs.append((run.text.replacing(program, with: "lua"), run.status, run.errors))
        }
        #expect(runs[0].text == runs[1].text, "\(line)\n\(runs[1].errors)")
        #expect(runs[0].status == runs[1].status, "\(line)\n\(runs[1].errors)")
    }

    @Test(arguments: [
        #"echo 'print(arg[0], #arg, ...)' | $lua"#,
        #"echo 'print(arg[0], #arg, ...)' | $lua - a b"#,
        #"echo 'print("file", arg[0], ...)' > -; $lua -- - a"#,
        #"$lua args.lua a '' 'b c'"#,
        #"$lua -e 'print(arg[0], arg[1], arg[-1], ...)'"#,
        #"$lua -e 'print(...)' args.lua a b"#,
        #"$lua -e x=1 -ey=2 -e 'print(arg[-3], arg[-1], x, y)' args.lua"#,
        #"$lua -e 'arg[1] = 7' args.lua"#,
        #"$lua -e 'arg = nil' args.lua"#,
        #"$lua -- args.lua a"#,
        #"$lua -- -e"#,
        #"$lua missing.lua"#,
        #"$lua -l number -e 'print(y, number)'"#,
        #"$lua -lg=number -e 'print(y, g, number)'"#,
        #"$lua -l folder.inner -e 'print(_G["folder.inner"].words[1])'"#,
        #"$lua -l str=string -lm=math -e 'print(str.upper("a"), m.max(1, 2))'"#,
        #"$lua -l missing -e 'print(1)'"#,
        #"echo 'print(number)' | $lua -l number"#,
        #"$lua -e 'print(1)' -lnumber -e 'print(y)' -e 'error(1)' -e 'print(2)'"#,
        #"$lua -e 'x =' args.lua"#,
        #"echo 'print(8)' | $lua -W"#,
        #"echo 'x = setmetatable({}, {__gc = function() io.stderr:write("go", "ne") end})' | $lua -i 2>&1 | grep -o gone"#,
        #"$lua -v args.lua | tail -1; $lua -v | grep -c PUC-Rio; $lua -v -l number | wc -l"#,
        #"$lua -W -e 'warn("a", "b")' 2>&1 | sed 's/.*warning: //'; $lua -e 'warn("a")' 2>&1"#,
    ]) func `words of the command line`(_ line: String) async throws { try await compare(line) }

    @Test(arguments: [
        #"LUA_INIT='print(1, arg[0], ...)' $lua args.lua a"#,
        #"LUA_INIT=@args.lua $lua args.lua a"#,
        #"LUA_INIT=@missing.lua $lua args.lua"#,
        #"LUA_INIT_5_4='print(5)' LUA_INIT='print(4)' $lua args.lua"#,
        #"LUA_INIT_5_4= LUA_INIT='print(4)' $lua args.lua"#,
        #"LUA_INIT='os.exit(4)' $lua args.lua"#,
        #"LUA_INIT='error(4)' $lua args.lua"#,
        #"LUA_INIT='print(1)' $lua -E args.lua"#,
        #"$lua -e 'print(package.path, package.cpath, package.config)'"#,
        #"LUA_PATH='a;;b' LUA_CPATH='c;;' $lua -e 'print(package.path, package.cpath)'"#,
        #"LUA_PATH=a LUA_PATH_5_4=b LUA_CPATH=c LUA_CPATH_5_4=d $lua -e 'print(package.path, package.cpath)'"#,
        #"LUA_PATH=a LUA_CPATH=b $lua -E -e 'print(package.path, package.cpath)'"#,
        #"LUA_PATH='folder/?.lua' $lua -e 'print(#require("inner").words)'"#,
    ]) func `variables of the environment`(_ line: String) async throws { try await compare(line) }

    @Test(arguments: [
        #"print(pcall(require, "missing"))"#,
        #"local _, problem = pcall(function() require "missing" end) print(problem, type(problem))"#,
        #"print(pcall(require)) print(pcall(require, {})) print(pcall(require, 3))"#,
        #"print(pcall(require, "wrong")) print(pcall(require, "raises")) print(require "nothing")"#,
        #"print(require "number", package.loaded.number) print(require "number")"#,
        #"package.loaded.number = false print(require "number")"#,
        #"package.loaded.nothing = false print(require "nothing", package.loaded.nothing)"#,
        #"package.loaded = {} print(require "number", package.loaded.number)"#,
        #"package.preload.q = function(...) print(...) end print(require "q")"#,
        #"package.preload = {} print(require "number")"#,
        #"package.path = 3 print(pcall(require, "q"))"#,
        #"package.path = nil print(pcall(require, "q"))"#,
        #"package.cpath = nil print(pcall(require, "q"))"#,
        #"package.path = "?.x;?/y" package.cpath = "?.z" print(pcall(require, "q"))"#,
        #"package.path = "folder/?.lua;" .. package.path print(require("inner").words[2])"#,
        #"package.searchers = nil print(pcall(require, "q"))"#,
        #"package.searchers = {} print(pcall(require, "q"))"#,
        #"table.insert(package.searchers, 1, function() return print, 5 end) print(require "q")"#,
        #"package.searchers[2] = function() return 12 end print(pcall(require, "q"))"#,
        #"package.searchers[2] = function() error({}) end print(type(select(2, pcall(require, "q"))))"#,
        #"print(package.searchers[2]("number")) print(package.searchers[2]("missing"))"#,
    ]) func `modules`(_ code: String) async throws {
        try await compare(
            "cat > job.lua <<'END'\n\(code)\nEND\n$lua job.lua | sed 's/function: .*/function/'"
        )
    }

    @Test(
        arguments: [
            "main", "pcall", "xpcall", "coroutine", "sort", "gsub", "index", "close", "load", "collector",
            "end",
        ],
        [false, true]
    ) func `os.exit, and the end`(_ place: String, _ closes: Bool) async throws {
        try await compare("$lua leave.lua 3 \(closes) \(place)")
    }

    @Test(arguments: [
        #"os.exit("3")"#, "os.exit(3.0)", "os.exit(true)", "os.exit(false)", "os.exit(256)", "os.exit(-1)",
        "os.exit(3.5)", "os.exit({})", "os.exit()", "io.write('a') os.exit(0)",
        #"local file = io.open("made", "w") file:write("text") os.exit(0)"#,
        #"local file = io.open("made", "w") file:write("text")"#,
        #"io.output("made") io.write("text")"#,
        #"io.popen("sleep 0.1; cat > made", "w"):write("text")"#,
        "for i = 1, 3 do setmetatable({}, { __gc = function() print(i) end }) end",
        "setmetatable({}, { __gc = function() print(2) end }) error('x')",
        "setmetatable({}, { __gc = function() error('x') end }) setmetatable({}, { __gc = function() print(3) end })",
        """
        setmetatable({}, { __gc = function() print(1) end })
        setmetatable({}, { __gc = function()
            setmetatable({}, { __gc = function() print(3) end })
            print(2, collectgarbage(), pcall(error, "caught"))
            os.exit(0, true)
        end })
        """,
    ]) func `ends of a script`(_ code: String) async throws {
        try await compare("cat > job.lua <<'END'\n\(code)\nEND\n$lua job.lua; echo $?; cat made")
    }

    @Test(arguments: [
        #"$lua -e 'io.open("c", "wb"):write(string.dump(loadfile("args.lua")))'; $lua c a b; $lua -e x=1 c a"#,
        #"$lua -e 'io.open("c", "wb"):write("\35\n", string.dump(loadfile("args.lua")))'; $lua c a; $lua -e x=1 c"#,
        #"$lua -e 'io.open("c.lua", "wb"):write(string.dump(load("return 4")))'; $lua -e 'print(require "c")'"#,
        #"$lua -e 'print(load(string.dump(function() return 7 end))())'"#,
        #"$lua -e 'print(load(string.dump(print and function() end), "c", "t"))'"#,
        #"$lua -e 'print(load("return 1", "c", "b"))'"#,
        #"$lua -e 'print(debug.upvalueid(string.gmatch("x", "x"), 1) ~= nil)'"#,
        #"$lua -e 't = setmetatable({}, {__len = function() return ~0 >> 1 end}) table.insert(t, 1) print(next(t))'"#,
        #"$lua -e 't = setmetatable({}, {__index = function(_, k) error(k, 0) end}) t.m = table.move print(pcall(t.m, t, 1, ~0 >> 1, 0))'"#,
    ]) func `binary chunks, and functions of the libraries`(_ line: String) async throws {
        try await compare(line)
    }
}
