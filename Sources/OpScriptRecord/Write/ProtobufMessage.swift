/// Bytes of a message in the encoding of Protocol Buffers.
struct ProtobufMessage {
    private(set) var bytes: [UInt8] = []

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// A whole number.
    mutating func add(_ field: UInt32, _ value: UInt64) {
        append(varint: UInt64(field) << 3)
        append(varint: value)
    }

    /// A whole number of eight bytes.
    mutating func add(_ field: UInt32, fixed value: UInt64) {
        append(varint: UInt64(field) << 3 | 1)
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// Text.
    mutating func add(_ field: UInt32, _ text: String) {
        append(varint: UInt64(field) << 3 | 2)
        append(varint: UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// A message inside.
    mutating func add(_ field: UInt32, _ message: ProtobufMessage) {
        append(varint: UInt64(field) << 3 | 2)
        append(varint: UInt64(message.bytes.count))
        bytes.append(contentsOf: message.bytes)
    }

    /// A message inside, built on the spot.
    mutating func add(_ field: UInt32, _ build: (inout ProtobufMessage) -> Void) {
        var message = ProtobufMessage()
        build(&message)
        add(field, message)
    }

    @inline(__always)
    private mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
