/// Values that no text shows, and the search for them in bytes. Pure.
struct SecretTable {
    /// Replaces a secret in a text.
    static let dots = "•••"
    /// The least bytes of a value that a script or a host names. Shorter ones would be found in too many words.
    static let leastBytes = 4
    /// The least bytes of a line that is hidden by itself, if a value has several lines.
    static let leastLineBytes = 8
    /// The most bytes of a value, and the most values, so that the search ends in time.
    static let mostBytes = 65_536
    static let mostValues = 1000

    /// The least bytes at the beginning of a secret that are hidden if a mark behind them says that the rest was cut.
    private static let leastCutBytes = 8
    private static let cutMarks = ["…", "..."]

    /// All forms of all values by their first byte.
    private var forms = [[[UInt8]]](repeating: [], count: 256)
    /// The bytes of the longest form.
    private var longest = 0
    private var valueCount = 0

    /// A value without the white space at its ends: that is found in texts.
    static func trimmed(_ value: some Collection<UInt8>) -> [UInt8] {
        let start = value.drop(while: isSpace)
        return Array(start.reversed().drop(while: isSpace).reversed())
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

    // MARK: Adding

    /// Adds a value, and its lines if there are several; false if there is no room for it.
    ///
    /// - Precondition: It has some bytes beside white space.
    mutating func add(_ value: [UInt8]) -> Bool {
        let whole = Self.trimmed(value)
        if forms[Int(whole[0])].contains(whole) { return true }
        guard valueCount < Self.mostValues else { return false }
        valueCount += 1
        addForms(of: whole)
        let lines = whole.split { $0 == 0x0a || $0 == 0x0d }
        guard lines.count > 1 else { return true }
        for line in lines.lazy.map(Self.trimmed) where line.count >= Self.leastLineBytes {
            addForms(of: line)
        }
        return true
    }

    /// Adds bytes as they are, and as the two kinds of texts that stand for bytes which are not UTF-8.
    private mutating func addForms(of bytes: [UInt8]) {
        let texts = [String(decoding: bytes, as: UTF8.self), RawText.text(of: bytes)]
        for form in [bytes] + texts.map({ Array($0.utf8) }) {
            if forms[Int(form[0])].contains(form) { continue }
            forms[Int(form[0])].append(form)
            longest = max(longest, form.count)
        }
    }

    // MARK: Searching

    /// The places of secrets, in order. Secrets that overlap are one place, so that nothing of either is left.
    ///
    /// - Complexity: O(bytes), times the number of secrets that begin with the same byte.
    func places(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
        var places: [Range<Int>] = []
        for index in bytes.indices {
            let candidates = forms[Int(bytes[index])]
            if candidates.isEmpty { continue }
            let count = candidates.reduce(0) { max($0, Self.hiddenBytes(of: $1, at: index, in: bytes)) }
            if count == 0 { continue }
            let end = index + count
            if let last = places.last, index < last.upperBound {
                places[places.count - 1] = last.lowerBound..<max(last.upperBound, end)
            } else {
                places.append(index..<end)
            }
        }
        return places
    }

    /// How many bytes at the end may be the beginning of a secret.
    func openBytes(in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        for index in max(0, bytes.count - max(0, longest - 1))..<bytes.count {
            let rest = bytes.count - index
            let isOpen = forms[Int(bytes[index])].contains { form in
                form.count > rest && Self.equalBytes(of: form, at: index, in: bytes) == rest
            }
            if isOpen { return rest }
        }
        return 0
    }

    /// How many bytes belong to a form: all of its bytes, or its beginning in a text that was cut; otherwise 0.
    private static func hiddenBytes(
        of form: [UInt8],
        at index: Int,
        in bytes: UnsafeBufferPointer<UInt8>
    ) -> Int {
        let count = equalBytes(of: form, at: index, in: bytes)
        if count == form.count { return count }
        guard count >= leastCutBytes else { return 0 }
        let rest = bytes[(index + count)...]
        return cutMarks.contains { rest.starts(with: $0.utf8) } ? count : 0
    }

    /// How many bytes agree with the beginning of a form.
    private static func equalBytes(
        of form: [UInt8],
        at index: Int,
        in bytes: UnsafeBufferPointer<UInt8>
    ) -> Int {
        let most = min(form.count, bytes.count - index)
        var count = 0
        while count < most, form[count] == bytes[index + count] { count += 1 }
        return count
    }
}
