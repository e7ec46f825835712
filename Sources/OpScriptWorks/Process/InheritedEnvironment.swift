@preconcurrency internal import Glibc
internal import Subprocess

extension Environment {
    /// The variables of this process, with some changed or, for nil, taken away.
    ///
    /// They are handed on as bytes, which is what the program gets anyway. As texts the library takes them apart and puts
    /// them together again for each process: half of the instructions that starting one costs this process.
    static func inherited(changing changes: [String: String?]) -> Environment {
        let equals = UInt8(ascii: "=")
        var entries: [[UInt8]] = []
        var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
        while let place = next, let text = place.pointee {
            next = place.successor()
            let entry = UnsafeBufferPointer(start: text, count: strlen(text) + 1).withMemoryRebound(
                to: UInt8.self
            ) {
                [UInt8]($0)
            }
            guard let end = entry.firstIndex(of: equals), !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= entry[0])
            else {
                // What the library takes for a mistake among bytes, it hands on from its own look.
                return inheritedByName(changing: changes)
            }
            if !changes.isEmpty, changes.keys.contains(String(decoding: entry[..<end], as: UTF8.self)) {
                continue
            }
            entries.append(entry)
        }
        for (name, value) in changes {
            if let value { entries.append(Array("\(name)=\(value)\0".utf8)) }
        }
        return .custom(entries)
    }

    private static func inheritedByName(changing changes: [String: String?]) -> Environment {
        var named: [Key: String?] = [:]
        for (name, value) in changes { named[Key(stringLiteral: name)] = .some(value) }
        return named.isEmpty ? .inherit : Environment.inherit.updating(named)
    }
}
