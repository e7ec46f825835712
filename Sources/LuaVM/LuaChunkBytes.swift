/// Reads the binary chunks that Lua 5.4 writes, as far as it takes to leave out what is only for debugging.
///
/// The format is not a part of Lua's interface. Bytes that do not look like it are refused, and the caller then takes
/// the chunk as it is: equal code may have other bytes, but never the other way round.
enum LuaChunkBytes {
    /// The chunk without the places and names in it, and without the places of the variables that it captures; nil if
    /// it is not in the known format. It serves for comparison, and cannot be loaded.
    static func withoutDebug(_ chunk: [UInt8]) -> [UInt8]? {
        var reader = Reader(bytes: chunk)
        guard reader.header(), reader.copy(1), reader.function(depth: 0), reader.isAtEnd else { return nil }
        return reader.result
    }

    private struct Reader {
        let bytes: [UInt8]
        var place = 0
        var result: [UInt8] = []

        init(bytes: [UInt8]) { self.bytes = bytes }

        var isAtEnd: Bool { place == bytes.count }

        /// `ESC Lua`, the version, the format, six bytes of data, three sizes, an integer and a float.
        mutating func header() -> Bool {
            guard bytes.count > 31, bytes.starts(with: [0x1B, 0x4C, 0x75, 0x61, 0x54, 0]),
                bytes[12] == 4, bytes[13] == 8, bytes[14] == 8
            else { return false }
            return copy(31)
        }

        mutating func copy(_ count: Int) -> Bool {
            guard count >= 0, bytes.count - place >= count else { return false }
            result += bytes[place..<place + count]
            place += count
            return true
        }

        mutating func skip(_ count: Int) -> Bool {
            guard count >= 0, bytes.count - place >= count else { return false }
            place += count
            return true
        }

        /// Seven bits in each byte, the highest first; the last byte has its highest bit set.
        mutating func number() -> Int? {
            var value = 0
            for _ in 0..<9 {
                guard place < bytes.count else { return nil }
                let byte = bytes[place]
                place += 1
                value = value << 7 | Int(byte & 0x7F)
                if byte & 0x80 != 0 { return value }
            }
            return nil
        }

        mutating func copiedNumber() -> Int? {
            let start = place
            guard let value = number() else { return nil }
            result += bytes[start..<place]
            return value
        }

        /// A text is its length and one, or 0 for none, and its bytes.
        mutating func text(isCopied: Bool) -> Bool {
            guard let size = isCopied ? copiedNumber() : number() else { return false }
            guard size > 0 else { return true }
            return isCopied ? copy(size - 1) : skip(size - 1)
        }

        mutating func function(depth: Int) -> Bool {
            // Its source and its first and last line.
            guard depth < 200, text(isCopied: false), number() != nil, number() != nil else { return false }
            // Parameters, whether there are more, and the size of its stack; then its code.
            guard copy(3), let instructions = copiedNumber(), copy(instructions &* 4) else { return false }
            guard constants(), let upvalues = copiedNumber(), upvalues <= bytes.count else { return false }
            for _ in 0..<upvalues {
                // Where the function around it has the variable. That is not a part of the outermost one: a variable
                // that is declared above it moves all others.
                guard depth == 0 ? skip(2) : copy(2), copy(1) else { return false }
            }
            guard let functions = copiedNumber(), functions <= bytes.count else { return false }
            for _ in 0..<functions { guard function(depth: depth + 1) else { return false } }
            return skipDebug()
        }

        mutating func constants() -> Bool {
            guard let count = copiedNumber(), count <= bytes.count else { return false }
            for _ in 0..<count {
                guard place < bytes.count else { return false }
                let kind = bytes[place]
                guard copy(1) else { return false }
                switch kind {
                case 0x00, 0x01, 0x11: continue  // nil, false and true
                case 0x03, 0x13: guard copy(8) else { return false }  // an integer or a float
                case 0x04, 0x14: guard text(isCopied: true) else { return false }
                default: return false
                }
            }
            return true
        }

        mutating func skipDebug() -> Bool {
            guard let lines = number(), skip(lines), let absolute = number() else { return false }
            guard absolute <= bytes.count else { return false }
            for _ in 0..<absolute { guard number() != nil, number() != nil else { return false } }
            guard let variables = number(), variables <= bytes.count else { return false }
            for _ in 0..<variables {
                guard text(isCopied: false), number() != nil, number() != nil else { return false }
            }
            guard let names = number(), names <= bytes.count else { return false }
            for _ in 0..<names { guard text(isCopied: false) else { return false } }
            return true
        }
    }
}
