import Testing

@testable import OpScript

#if canImport(Glibc)
import Glibc
#endif

/// The definitions that editors read.
struct DefinitionTests {
    private final class Cart: Sendable {
        func total(_ tax: Double) -> Double { tax }
    }

    private func definitions(_ prepare: (ScriptEngine) -> Void = { _ in }) throws -> (
        contract: String, host: String
    ) {
        var template = Array("/tmp/opscript-definitions-XXXXXX\0".utf8CString)
        let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
        let engine = ScriptEngine()
        prepare(engine)
        try engine.writeDefinitions(to: folder + "/new")
        let library = folder + "/new/library"
        return (
            String(decoding: try SourceFile.read(library + "/opscript.lua"), as: UTF8.self),
            String(decoding: try SourceFile.read(library + "/host.lua"), as: UTF8.self)
        )
    }

    @Test func `every call of the contract says what it returns`() {
        let constructors = Set(ScriptType.all.flatMap { $0.constructors.map(\.name.description) })
        for call in ScriptCall.all where !constructors.contains(call.path) {
            #expect(
                DefinitionTypes.results[call.path] != nil || DefinitionTypes.ofLua.contains(call.path),
                "\(call.path) is missing in DefinitionTypes.results"
            )
        }
        let paths = Set(ScriptCall.all.map(\.path))
        for path in DefinitionTypes.results.keys { #expect(paths.contains(path), "there is no call \(path)") }
    }

    @Test func `every call and property is there, and Lua reads the text`() async throws {
        let text = try definitions().contract
        for call in ScriptCall.all where !DefinitionTypes.ofLua.contains(call.path) {
            let isThere =
                text.contains("function \(call.path)(") || text.contains("---@class \(call.path)\n")
            #expect(isThere, "\(call.path)")
        }
        for type in ScriptType.all {
            for member in type.members {
                #expect(text.contains("---@field \(member.name) "), "\(member.name)")
            }
        }
        // It throws if the text does not compile.
        _ = try await ScriptEngine().check(code: text, named: "=definitions")
        #expect(
            text.contains("---@param when? \"notFailed\"|") || text.contains("---@param when? \"succeeded\"|")
        )
    }

    @Test func `the works, functions and types of a host are there`() async throws {
        let host = try definitions { engine in
            engine.register("shop.price", "The price of a thing.", parameters: ["thing"]) { (_: String) in 1 }
            engine.register("end") { (_: Int?, _: [Int]) in }
            engine.registerFunction("shop.log", "Notes a line.") { (_: String) in }
            engine.expose(Cart.self) { type in
                type.initializer { Cart() }
                type.property("size") { _ in 1 }
                type.method("total") { (cart: Cart, tax: Double) in cart.total(tax) }
            }
        }.host
        #expect(
            host.contains(
                """
                ---The price of a thing.
                ---@param thing string|Operation
                ---@return Operation
                function work.shop.price(thing) end
                """
            )
        )
        #expect(host.contains("---Notes a line.\n"))
        #expect(host.contains("function shop.log("))
        #expect(host.contains("---@class Cart\n---@field size any\n---@overload fun(): Cart\nCart = {}\n"))
        #expect(host.contains("function Cart:total("))
        // A work whose last name is a word of Lua is none that a script could write with a dot.
        #expect(!host.contains("function work.end("))
        _ = try await ScriptEngine().check(code: "work = {}\n" + host, named: "=host")
    }

    @Test func `a folder that cannot be made is an error with its name`() {
        let error = #expect(throws: ScriptError.self) {
            try ScriptEngine().writeDefinitions(to: "/dev/null/here")
        }
        #expect(error?.message == "cannot make the folder '/dev/null/here': not a directory")
    }
}
