import OpScript
import Testing

@testable import OpScriptWorks

@Suite struct JSONWorksTests {
    @Test func `options are read strictly`() throws {
        let converter = try #require(ScriptConverter<JSONOptions?>.make())
        #expect(try converter.decode(.table(["pretty": .boolean(true)]))?.pretty == true)
        #expect(throws: ScriptConversionError.self) {
            try converter.decode(.table(["prety": .boolean(true)]))
        }
        #expect(throws: ScriptConversionError.self) { try converter.decode(.table(["pretty": .integer(1)])) }
    }

    @Test func `all works can be registered`() {
        let engine = ScriptEngine()
        engine.registerStandardWorks()
        // To register a work of a group registers the group.
        for group in ["file", "digest", "json", "image", "compute", "process", "block"] {
            engine.register("\(group).another") {}
        }
    }
}
