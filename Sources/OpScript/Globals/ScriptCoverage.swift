internal import LuaVM

/// How often the lines of a Lua file were executed by an engine.
package struct ScriptCoverage: Sendable {
    /// Its path, as it was loaded.
    package var path: String
    /// A number for each line; the first one is line 0, which no file has.
    package var counts: [UInt32]

    /// The lines of a source text that can be executed; nil if it does not compile.
    package static func activeLines(of source: [UInt8]) -> [Int]? { LuaVM.activeLines(of: source) }
}

extension ScriptGlobals {
    /// Begins to count executed lines, if the host wants that.
    func beginCoverage() {
        if configuration.coverage != nil { vm.startCoverage() }
    }

    /// Passes the counts to the host.
    func endCoverage() {
        guard let take = configuration.coverage else { return }
        take(vm.coverage)
    }
}

extension LuaVM {
    /// The files with executed lines, as a host receives them.
    var coverage: [ScriptCoverage] {
        coveredFiles.map { ScriptCoverage(path: $0.name, counts: $0.counts) }
    }
}
