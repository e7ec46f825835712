import Foundation
import OpScript
import OpScriptFoundation
import Testing

/// The Swift code of docs/native-queues.md is here, too, between two marks, so that it is compiled and run.
@Suite struct NativeQueuesPageTests {
    @Test func `the page's code runs`() async throws {
        // page begins
        let network = OperationQueue()
        network.maxConcurrentOperationCount = 2
        let engine = ScriptEngine()
        try engine.adopt(network, as: "host.network")
        try engine.adopt(DispatchQueue(label: "disk"), as: "host.disk")
        engine.register("fetch") { (url: String) in "<\(url)>" }
        let report = try await engine.run(
            code: """
                local page = work.fetch("https://example.org")
                OperationQueue.named("host.network"):addOperation(page)
                local save = Operation { name = "save", main = function() print("saved", page.result) end }
                save:addDependency(page)
                OperationQueue.named("host.disk"):addOperation(save)
                """
        )
        print(report.succeeded)
        let native = BlockOperation { print("native code") }
        native.name = "native"
        engine.register("native") { native }
        let second = try await engine.run(
            code: """
                local native = await(work.native())
                local after = Operation(function() assert(native.isFinished) end)
                after:addDependency(native)
                OperationQueue():addOperations { native, after }
                """
        )
        print(second.succeeded)
        let later = OperationQueue()
        engine.register("thenNatively") { (operation: ScriptOperation) in
            let after = BlockOperation { print("after '\(operation.name)'") }
            after.addDependency(operation.foundationOperation)
            later.addOperation(after)
        }
        let third = try await engine.run(
            code: """
                local page = Operation { name = "page", main = function() end }
                await(work.thenNatively(page))
                OperationQueue():addOperation(page)
                await(page)
                """
        )
        print(third.succeeded)
        // page ends
        drain(later)
        #expect(third.succeeded == 1)
        #expect(report.succeeded == 2 && report.exitCode == 0)
        #expect(second.succeeded == 2 && second.exitCode == 0)
    }

    @Test func `the page shows this code`() throws {
        let page = try String(contentsOf: Self.root.appending(path: "docs/native-queues.md"), encoding: .utf8)
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let shown = page.components(separatedBy: "```swift\n").dropFirst()
            .flatMap { Self.lines($0.components(separatedBy: "```")[0]) }
            .filter { !$0.hasPrefix("import ") }
        let between = source.components(separatedBy: "// page begins\n").dropFirst().first ?? ""
        let run = Self.lines(between.components(separatedBy: "// page ends")[0])
        #expect(shown == run)
        #expect(run.count > 20)
    }

    @Test func `the code of the catalogue's article runs`() async throws {
        // article begins
        let network = OperationQueue()
        network.maxConcurrentOperationCount = 2
        let engine = ScriptEngine()
        try engine.adopt(network, as: "host.network")
        engine.register("fetch") { (url: String) in "<\(url)>" }
        let report = try await engine.run(
            code: """
                local page = work.fetch("https://example.org")
                OperationQueue.named("host.network"):addOperation(page)
                """
        )
        // article ends
        #expect(report.succeeded == 1)
        let catalogue = Self.root.appending(path: "Sources/OpScript/OpScript.docc")
        let article = try String(
            contentsOf: catalogue.appending(path: "Articles/NativeQueues.md"),
            encoding: .utf8
        )
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let shown = article.components(separatedBy: "```swift\n")[1].components(separatedBy: "```")[0]
        let run = source.components(separatedBy: "// article begins\n")[1]
            .components(separatedBy: "// article ends")[0]
        #expect(Self.lines(shown) == Self.lines(run))
    }

    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}
