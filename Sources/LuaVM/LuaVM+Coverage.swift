internal import CLua

/// How often the lines of a file were executed.
public struct LuaCoveredFile: Sendable {
    /// The name of the chunk, without its `@`.
    public var name: String
    /// A number for each line; the first one is line 0, which no file has.
    public var counts: [UInt32]
}

extension LuaVM {
    /// Counts executed lines of files from now on; every line then costs a call.
    public func startCoverage() { clua_set_coverage(context) }

    /// The files with executed lines.
    public var coveredFiles: [LuaCoveredFile] {
        var files: [LuaCoveredFile] = []
        var place: UnsafeRawPointer?
        var name: UnsafePointer<CChar>?
        var counts: UnsafePointer<UInt32>?
        var count: Int32 = 0
        while clua_next_covered(context, &place, &name, &counts, &count) != 0 {
            guard let name, let counts else { continue }
            files.append(
                LuaCoveredFile(
                    name: String(cString: name),
                    counts: Array(UnsafeBufferPointer(start: counts, count: Int(count)))
                )
            )
        }
        return files
    }

    /// Counts lines from 0 again.
    public func resetCoverage() { clua_reset_covered(context) }

    /// The lines of a source text that can be executed, also inside functions that are never called; nil if it does not
    /// compile.
    public static func activeLines(of source: [UInt8]) -> [Int]? {
        let vm = LuaVM(LuaConfiguration(libraries: []))
        guard (try? vm.load(source, name: "=source")) != nil else { return nil }
        let lineCount = source.count { $0 == UInt8(ascii: "\n") } + 2
        var lines = [UInt8](repeating: 0, count: lineCount)
        let isKnown = clua_mark_active_lines(vm.main.raw, &lines, Int32(clamping: lineCount)) != 0
        return isKnown ? lines.indices.filter { lines[$0] != 0 } : nil
    }

    /// Sends what `io.write` and `io.stdout` write to ``printer``, in pieces.
    public func captureOutput() {
        if clua_capture_output(context) == 0 { preconditionFailure("no memory for a file") }
    }

    /// Flushes the files that scripts have opened for writing.
    public func flushFiles() { clua_flush_files(main.raw) }
}
