@preconcurrency internal import Glibc
internal import OpScript

/// The variables that a process gets.
struct ProcessEnvironment {
    /// Whether it inherits those of this process, byte for byte.
    var inherits = true
    /// Variables that differ, as ``RawText``; nil removes a variable.
    var changes: [String: String?] = [:]

    /// Lends them in the form that the system needs.
    ///
    /// The list is a new one, since another thread may change that of this process at any time; the texts in it stay.
    func withVariables<Result>(_ body: (CStringList) -> Result) -> Result {
        let added = changes.compactMap { name, value in value.map { RawText.bytes(of: "\(name)=\($0)") } }
        return withCStrings(added) { added in
            var list = kept()
            var next = added
            while let text = next.pointee {
                list.append(text)
                next += 1
            }
            list.append(nil)
            return list.withUnsafeMutableBufferPointer { list in
                guard let base = list.baseAddress else { preconditionFailure("a list has its end at least") }
                return body(base)
            }
        }
    }

    /// Those of this process; nil if other code has cleared the list.
    private static var own: CStringList? { environ }

    /// Those of this process that are not changed.
    private func kept() -> [UnsafeMutablePointer<CChar>?] {
        guard inherits, var next = Self.own else { return [] }
        let names = changes.keys.map { RawText.bytes(of: $0) }
        var list: [UnsafeMutablePointer<CChar>?] = []
        while let entry = next.pointee {
            if !names.contains(where: { Self.entry(entry, isNamed: $0) }) { list.append(entry) }
            next += 1
        }
        return list
    }

    private static func entry(_ entry: UnsafePointer<CChar>, isNamed name: [UInt8]) -> Bool {
        for (index, byte) in name.enumerated() where UInt8(bitPattern: entry[index]) != byte { return false }
        return entry[name.count] == CChar(bitPattern: UInt8(ascii: "="))
    }
}
