import Foundation
import Glibc
import Testing

@testable import OpScript

/// The capabilities of a script in a host.
struct CapabilityTests {
    private static let uses: [(Capabilities, String, String)] = [
        (.signals, "signals", "DispatchSource.signal('SIGUSR1')"),
        (.descriptors, "descriptors", "DispatchSource.read(0)"),
        (.descriptors, "descriptors", "DispatchSource.write(2)"),
        (.files, "files", "DispatchSource.fileSystem('/', 'write')"),
        (.processes, "processes", "DispatchSource.process(1)"),
        (.threads, "threads", "Thread { isolate = isolate(function() end) }"),
        (.threads, "threads", "Thread.detach(isolate(function() end))"),
    ]

    @Test(arguments: uses) func `a missing capability is an error with the way to grant it`(
        _ capability: Capabilities,
        _ name: String,
        _ code: String
    ) async throws {
        var configuration = ScriptEngine.Configuration()
        configuration.capabilities = Capabilities.all.subtracting(capability)
        let refusal = await #expect(throws: ScriptError.self) {
            try await ScriptEngine(configuration).run(code: code)
        }
        #expect(refusal?.code == .host)
        let text = refusal?.message ?? ""
        #expect(text.contains("capability '\(name)'"), "\(text)")
        #expect(text.contains("configuration.capabilities.insert(.\(name))"), "\(text)")
        configuration.capabilities = capability
        if !code.contains("(0)") && !code.contains("(2)") {
            #expect(try await ScriptEngine(configuration).run(code: code).error == nil)
        }
    }

    @Test func `the page for hosts lists all capabilities`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let page = try String(contentsOf: root.appending(path: "docs/embedding.md"), encoding: .utf8)
        let section = try #require(page.components(separatedBy: "\n## Capabilities\n").dropFirst().first)
            .components(separatedBy: "\n## ")[0]
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `.") }
            .map { String($0.dropFirst(4).prefix { $0 != "`" }) }
        let names = (0..<UInt32.bitWidth).map { Capabilities(rawValue: 1 << $0) }
            .filter { Capabilities.all.contains($0) }.map(\.name)
        #expect(rows == names + ["all"])
    }

    @Test func `a host grants nothing by default; timers and own data need nothing`() async throws {
        #expect(ScriptEngine.Configuration().capabilities.isEmpty)
        let report = try await ScriptEngine().run(
            code: """
                local count = 0
                local data = DispatchSource.userDataAdd()
                data:setEventHandler(function() count = count + data.data end)
                data:activate()
                local timer = DispatchSource.timer { deadline = 0.001 }
                timer:setEventHandler(function() data:mergeData(3) end)
                timer:activate()
                sleep(0.005)
                while count == 0 do sleep(0) end
                assert(count == 3)
                """
        )
        #expect(report.exitCode == 0)
    }

    @Test func `modules beside the script are found once that is granted`() async throws {
        var configuration = ScriptEngine.Configuration()
        let code = "assert(not package.path or not package.path:find('?', 1, true) or granted)"
        #expect(try await ScriptEngine(configuration).run(code: code).error == nil)
        let remedy = "configuration.capabilities.insert(.modulesFromDisk)"
        let denial = await #expect(throws: ScriptError.self) {
            try await ScriptEngine(configuration).run(code: "require 'no such module'")
        }
        #expect(denial?.message.contains(remedy) == true, "\(denial?.message ?? "")")
        configuration.capabilities = .modulesFromDisk
        let refusal = await #expect(throws: ScriptError.self) {
            try await ScriptEngine(configuration).run(code: "require 'no such module'")
        }
        #expect(refusal?.message.contains("no such module") == true)
        #expect(refusal?.message.contains(remedy) == false)
    }
}

extension CapabilityTests {
    private static let hasModule = ["x86_64-linux-gnu", "aarch64-linux-gnu"].contains { (machine: String) in
        access("/usr/lib/\(machine)/lua/5.4/lfs.so", R_OK) == 0
    }

    private func load(_ capabilities: Capabilities) async throws -> ScriptReport {
        var configuration = ScriptEngine.Configuration()
        configuration.libraries = .all
        configuration.capabilities = capabilities
        return try await ScriptEngine(configuration).run(
            code: """
                assert(require("lfs").attributes("/").mode == "directory")
                assert(await(isolate(function() return require("lfs").attributes("/").mode end)()) == "directory")
                """
        )
    }

    @Test(.enabled(if: hasModule, "there is no module lfs (Debian: lua-filesystem)"))
    func `modules in C are loaded once that is granted`() async throws {
        #expect(try await load([.modulesFromDisk, .nativeModules]).error == nil)
        let denial = await #expect(throws: ScriptError.self) { try await load(.modulesFromDisk) }
        #expect(denial?.message.contains("configuration.capabilities.insert(.nativeModules)") == true)
    }

    @Test func `binary chunks are made and loaded once that is granted`() async throws {
        let code = "assert(load(string.dump(function() return 7 end))() == 7)"
        for libraries in [ScriptEngine.Configuration.Libraries.safe, .all] {
            var configuration = ScriptEngine.Configuration()
            configuration.libraries = libraries
            configuration.capabilities = .binaryChunks
            _ = try await ScriptEngine(configuration).run(code: code)
            _ = try await ScriptEngine(configuration).run(code: "await(isolate(function() \(code) end)())")
        }
    }

    @Test func `without the capability, no way to load a binary chunk is left`() async throws {
        var configuration = ScriptEngine.Configuration()
        configuration.libraries = .all
        configuration.capabilities = Capabilities.all.subtracting(.binaryChunks)
        let code = """
            local path = os.tmpname()
            local file <close> = io.open(path, "wb")
            file:write(string.dump(function() return 7 end)):flush()
            assert(not load(string.dump(print and function() end)))
            assert(not loadfile(path) and not loadfile(path, "b") and not pcall(dofile, path))
            package.path = path
            assert(not pcall(require, "binary") and not pcall(package.searchers[2], "binary"))
            local text <close> = io.open(path, "w")
            text:write("return 1, ..."):flush()
            assert(dofile(path) == 1 and select(2, loadfile(path)(2)) == 2 and require "text" == 1)
            os.remove(path)
            """
        let report = try await ScriptEngine(configuration).run(code: code)
        #expect(report.exitCode == 0)
    }

    @Test func `without the capability, no way to load a module in C is left`() async throws {
        var configuration = ScriptEngine.Configuration()
        configuration.libraries = .all
        configuration.capabilities = Capabilities.all.subtracting(.nativeModules)
        let code = "assert(package.loadlib == nil and package.cpath == '' and #package.searchers == 2)"
        _ = try await ScriptEngine(configuration).run(code: code)
        _ = try await ScriptEngine(configuration).run(code: "await(isolate(function() \(code) end)())")
    }
}

/// Timer sources on virtual time: exact, and without waiting.
struct SourceClockTests {
    private func run(_ code: String) async throws -> ScriptReport {
        var configuration = ScriptEngine.Configuration()
        configuration.clock = .virtual
        configuration.capabilities = .signals
        return try await ScriptEngine(configuration).run(code: code)
    }

    @Test func `ticks lie on their grid, and those that fall due meanwhile are one event`() async throws {
        let report = try await run(
            """
            local told = {}
            local source = DispatchSource.timer { deadline = 10, repeating = 3600 }
            source:setEventHandler(function()
                told[#told + 1] = ("%g:%d"):format(clock.now(), source.data)
                if #told == 2 then sleep(3600 * 2.5) end
                if #told == 4 then source:cancel() end
            end)
            source:setCancelHandler(function()
                local text = table.concat(told, " ")
                assert(text == "10:1 3610:1 12610:2 14410:1", text)
                told = nil
            end)
            source:activate()
            sleep(1e6)
            assert(told == nil)
            """
        )
        #expect(report.exitCode == 0)
    }

    @Test func `an active source of a signal does not hold virtual time`() async throws {
        let report = try await run(
            """
            local source = DispatchSource.signal("SIGUSR2")
            source:setEventHandler(function() end)
            source:activate()
            sleep(3600)
            assert(clock.now() == 3600)
            source:suspend()
            local timer = DispatchSource.timer { deadline = 1, repeating = 1 }
            local ticks
            timer:setEventHandler(function() ticks = timer.data timer:cancel() end)
            timer:activate()
            timer:suspend()
            sleep(10.5)
            timer:resume()
            sleep(0)
            sleep(0)
            assert(ticks == 10, ticks)
            """
        )
        #expect(report.exitCode == 0)
    }
}
