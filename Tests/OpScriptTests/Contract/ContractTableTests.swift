import Foundation
import OpScriptWorks
import Synchronization
import Testing

@testable import OpScript

/// The behaviour of each method and each property in each state: every cell is tried, on both clocks, and compared
/// with the descriptors and with docs/contract.md.
@Suite struct ContractTableTests {
    /// One try: a member of a type in a state, and the result.
    private struct Cell {
        /// The name of the type; the text after a comma names the kind.
        let title: String
        let state: String
        let member: String
        let result: String
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")

    /// The constructors and the functions beside them that take a limited number of arguments.
    private static var functions: [(path: String, most: Int)] {
        ScriptType.all.flatMap(\.constructors).flatMap { constructor in
            let own = ScriptMethod(constructor.name, constructor.parameters, constructor.call)
            let all =
                [("\(constructor.name)", own)]
                + constructor.functions.map { ("\(constructor.name).\($0.name)", $0) }
            return all.compactMap { path, method in method.most.map { (path, $0) } }
        }
    }

    /// How many arguments a call takes at most; nil for any number.
    private static func most(_ call: ScriptCall) -> Int? {
        call.arguments.contains(where: \.isRepeated) ? nil : call.arguments.count
    }

    /// Tries all cells in an engine.
    private static func cells(_ clock: ScriptEngine.Configuration.Clock) async throws -> [Cell] {
        let lines = Mutex<[String]>([])
        var configuration = ScriptEngine.Configuration()
        configuration.clock = clock
        configuration.capabilities = .all
        configuration.standardOutput = { bytes in
            lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
        }
        configuration.standardError = { _ in }
        let engine = ScriptEngine(configuration)
        engine.registerStandardWorks()
        // Objects of a run that is over.
        _ = try await engine.run(
            code: """
                kept = {
                    operation = Operation(function() return 1 end), queue = OperationQueue(), dispatchQueue = DispatchQueue "old",
                    timer = Timer.scheduledTimer { interval = 3600, repeats = true, block = print, keepsAlive = false },
                    source = DispatchSource.userDataAdd(),
                }
                kept.source:activate()
                kept.source:cancel()
                kept.queue:addOperation(kept.operation)
                kept.timer:invalidate()
                """
        )
        let members = ScriptType.all.map { type in
            let names = type.members.map(\.name).joined(separator: " ")
            let methods = type.calls.compactMap { call in most(call).map { "\(call.name):\($0)" } }
            return "arg['\(type.name)'] = '\(names)' "
                + "arg['\(type.name) methods'] = '\(methods.joined(separator: " "))'"
        }
        let functions = functions.map { "\($0.path):\($0.most)" }.joined(separator: " ")
        let script = try String(
            contentsOf: root.appending(path: "Tests/OpScriptTests/Contract/states.lua"),
            encoding: .utf8
        )
        _ = try await engine.run(
            "arg = { functions = '" + functions + "' } " + members.joined(separator: " ") + " " + script,
            named: "@states.lua"
        )
        return lines.withLock { $0 }.joined().split(separator: "\n").map { line in
            let parts = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            return Cell(title: parts[0], state: parts[1], member: parts[2], result: parts[3])
        }
    }

    @Test(arguments: [ScriptEngine.Configuration.Clock.virtual, .system])
    func `every cell agrees with the descriptors and the page`(clock: ScriptEngine.Configuration.Clock)
        async throws
    {
        let cells = try await Self.cells(clock)
        for type in ScriptType.all {
            let titles = Set(cells.map(\.title)).filter { $0.prefix { $0 != "," } == type.name }
            #expect(!titles.isEmpty, "\(type.name) is not tried")
            for title in titles { check(type, cells.filter { $0.title == title }) }
        }
        let page = Self.page(cells)
        let url = Self.root.appending(path: "docs/contract.md")
        if ProcessInfo.processInfo.environment["OPSCRIPT_WRITE_CONTRACT"] != nil {
            try page.write(to: url, atomically: true, encoding: .utf8)
        }
        #expect(
            try String(contentsOf: url, encoding: .utf8) == page,
            "OPSCRIPT_WRITE_CONTRACT=1 writes the page again"
        )
    }

    /// The cells of a type against its descriptor.
    private func check(_ type: ScriptType, _ cells: [Cell]) {
        let states = cells.filter { $0.member.isEmpty }
        #expect(states.count >= 2, "\(type.name) has no states")
        for state in states {
            let passed = Set(state.result.split(separator: " ").map(String.init))
            let own = cells.filter { $0.state == state.state }
            for call in type.calls {
                #expect(own.contains { $0.member == "\(call.name)()" }, "\(call.path) was not called")
            }
            for member in type.members {
                #expect(
                    own.contains { $0.member == member.name && $0.result == "ok" },
                    "\(type.name).\(member.name)"
                )
                guard member.set != nil else { continue }
                let result = own.first { $0.member == "\(member.name) =" }?.result
                let isTooLate = member.limit.map { passed.contains($0.rawValue) } ?? false
                if isTooLate {
                    #expect(result == "misuse", "\(type.name).\(member.name) in '\(state.state)'")
                } else {
                    #expect(
                        ["ok", "misuse"].contains(result),
                        "\(type.name).\(member.name) in '\(state.state)'"
                    )
                    // Some kinds of operations never take a value.
                    let isOfClass = state.state == "of a subclass" && member.name == "cancelled"
                    let isOfGroup = state.state == "a GroupOperation" && member.name == "retry"
                    let hasNoBody =
                        ["a GroupOperation", "a Gate", "a BlockOperation"].contains(state.state)
                        && ["depfile", "inputs", "outputs", "version"].contains(member.name)
                    #expect(
                        member.limit == nil || result == "ok" || isOfClass || isOfGroup || hasNoBody,
                        "\(type.name).\(member.name) in '\(state.state)'"
                    )
                }
            }
            for cell in own where !cell.member.isEmpty {
                #expect(
                    ["ok", "misuse", "argument", "cycle", "deadlock", "cancelled", "failed"].contains(
                        cell.result
                    ),
                    "\(type.name).\(cell.member) in '\(cell.state)': \(cell.result)"
                )
            }
        }
    }

    /// An argument more than a method takes is refused, for every method.
    @Test func `no argument is ignored`() async throws {
        let cells = try await Self.cells(.virtual).filter { $0.member.hasSuffix("(+)") }
        for (path, _) in Self.functions {
            #expect(cells.first { $0.member == "\(path)(+)" }?.result == "argument", "\(path)")
        }
        for type in ScriptType.all {
            for call in type.calls where Self.most(call) != nil {
                let cell = cells.first { $0.title == type.name && $0.member == "\(call.name)(+)" }
                #expect(cell?.result == "argument", "\(call.path)")
            }
        }
    }

    // MARK: The page

    private static func page(_ cells: [Cell]) -> String {
        var text = """
            # What each call does in each state

            A setting or a call takes effect (✓), or it is refused with an error of the code in the cell. The tests
            try each cell, on virtual time and on the real clock, and write this page from the descriptors of the
            types. So it is not edited by hand.

            Some calls have nothing to do in some states, and are no errors there:

            - what is done already: `cancel` after the end, a second `finish` of a gate or of an asynchronous
              operation, a second `invalidate` or `activate`, `schedule` of a scheduled timer, `removeDependency` of
              what is no dependency;
            - what is over, as in the guides: `fire` of an invalidated timer, `mergeData`, `setTimer`, `suspend`,
              `resume` and the handlers of a cancelled source, `perform` of a cancelled work item, an observer of
              a finished operation;
            - a `queuePriority` that is set after the start: it is kept, and orders nothing any more;
            - the hook `cancelled` of an operation that is not asynchronous.

            The body of an operation in the first table is a Lua function that returns, so it has no `finish`, no
            `describe`, no blocks and no inside; "executes" is asynchronous. The second table has the other kinds.

            All properties can be read in every state.

            """
        var titles: [String] = []
        for cell in cells where !titles.contains(cell.title) { titles.append(cell.title) }
        for title in titles {
            guard let type = ScriptType.all.first(where: { $0.name == title.prefix { $0 != "," } }) else {
                continue
            }
            let own = cells.filter { $0.title == title }
            let states = own.filter { $0.member.isEmpty }.map(\.state)
            text +=
                "\n## \(title)\n\n| | \(states.joined(separator: " | ")) |\n|---|\(states.map { _ in "---" }.joined(separator: "|"))|\n"
            let methods = type.calls.map { ("\($0.name)()", "`\($0.name)(\($0.parameters))`") }
            let settings = type.members.filter { $0.set != nil }.map { ("\($0.name) =", "`\($0.name) = …`") }
            for (member, heading) in settings + methods {
                let row = states.map { state in
                    let result = own.first { $0.state == state && $0.member == member }?.result ?? "?"
                    return result == "ok" ? "✓" : "`\(result)`"
                }
                text += "| \(heading) | \(row.joined(separator: " | ")) |\n"
            }
        }
        return text + ArgumentPage.text
    }
}
