/// A line of a file.
package struct SourcePosition: Sendable, Equatable, CustomStringConvertible {
    /// The path of the file.
    package var file: String
    /// The line, from 1.
    package var line: Int

    /// Makes a position.
    package init(file: String, line: Int) {
        self.file = file
        self.line = line
    }

    /// Reads `job_spec.lua:12`; nil for anything else.
    ///
    /// - Parameter path: The file of scenarios. Lua shortens long names to their end
    ///   (`...ong/way/job_spec.lua`): a name that fits this path means this file.
    package init?(_ place: String, in path: String) {
        guard let colon = place.lastIndex(of: ":"), colon > place.startIndex,
            let line = Int(place[place.index(after: colon)...]), line > 0
        else { return nil }
        self.init(file: Self.full(String(place[..<colon]), path), line: line)
    }

    /// Reads the place in front of a message: `job_spec.lua:12: boom`; nil if there is none.
    package init?(startOf message: String, in path: String) {
        let first = message.prefix { $0 != "\n" }
        guard let end = first.firstRange(of: ": ") else { return nil }
        self.init(String(first[..<end.lowerBound]), in: path)
    }

    package var description: String { "\(file):\(line)" }

    private static func full(_ name: String, _ path: String) -> String {
        guard name.hasPrefix("...") else { return name }
        return path.hasSuffix(name.dropFirst(3)) ? path : name
    }
}
