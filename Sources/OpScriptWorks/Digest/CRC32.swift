/// The checksum of zip, gzip and PNG, eight bytes at a time.
///
/// It detects accidental changes, not attacks.
struct CRC32 {
    private var register: UInt32 = 0xFFFF_FFFF

    /// Takes in more bytes.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        register = Self.tables.withUnsafeBufferPointer { tables in
            var crc = register
            var index = 0
            while index + 8 <= bytes.count {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                let low = UInt32(truncatingIfNeeded: word) ^ crc
                let high = UInt32(truncatingIfNeeded: word >> 32)
                crc = tables[0x700 + Int(low & 0xFF)] ^ tables[0x600 + Int(low >> 8 & 0xFF)]
                crc ^= tables[0x500 + Int(low >> 16 & 0xFF)] ^ tables[0x400 + Int(low >> 24)]
                crc ^= tables[0x300 + Int(high & 0xFF)] ^ tables[0x200 + Int(high >> 8 & 0xFF)]
                crc ^= tables[0x100 + Int(high >> 16 & 0xFF)] ^ tables[Int(high >> 24)]
                index += 8
            }
            while index < bytes.count {
                crc = tables[Int((crc ^ UInt32(bytes[index])) & 0xFF)] ^ crc >> 8
                index += 1
            }
            return crc
        }
    }

    /// The checksum of all bytes so far.
    var value: UInt32 { ~register }

    /// Eight tables of 256 entries: the *k*-th has the contribution of a byte *k* places further ahead.
    private static let tables: [UInt32] = {
        var tables = (0..<256).map { byte -> UInt32 in
            (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        for index in 256..<2048 {
            let before = tables[index - 256]
            tables.append(tables[Int(before & 0xFF)] ^ before >> 8)
        }
        return tables
    }()
}
