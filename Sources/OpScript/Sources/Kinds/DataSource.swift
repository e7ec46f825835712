internal import LuaVM
internal import Scheduling

/// Numbers that the script merges itself.
final class DataSource: SourceKind {
    static let makers: [ScriptMethod] = [
        .init("userDataAdd", "[queue]", makeAddSource),
        .init("userDataOr", "[queue]", makeOrSource),
        .init("userDataReplace", "[queue]", makeReplaceSource),
    ]

    let typeName: String
    let merge: SourceMachine.Merge
    var description: String { "\(typeName) source" }
    var comesFromOutside: Bool { false }

    init(_ typeName: String, _ merge: SourceMachine.Merge) {
        self.typeName = typeName
        self.merge = merge
    }
}

private func makeAddSource(_ raw: OpaquePointer) -> Int32 { makeDataSource(raw, "userDataAdd", .add) }
private func makeOrSource(_ raw: OpaquePointer) -> Int32 { makeDataSource(raw, "userDataOr", .or) }
private func makeReplaceSource(_ raw: OpaquePointer) -> Int32 {
    makeDataSource(raw, "userDataReplace", .replace)
}

private func makeDataSource(_ raw: OpaquePointer, _ name: String, _ merge: SourceMachine.Merge) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let queue = try runtime.sources.sourceQueue(state, 1)
        runtime.sources.makeSource(DataSource(name, merge), queue, state)
        return 1
    }
}
