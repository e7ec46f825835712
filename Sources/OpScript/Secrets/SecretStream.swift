/// Hides secrets in bytes that come in pieces: an end that may be the beginning of a secret waits for the next piece.
struct SecretStream {
    private let secrets: Secrets
    private var waiting: [UInt8] = []

    init(_ secrets: Secrets) { self.secrets = secrets }

    /// The bytes that can be shown now.
    mutating func take(_ piece: ArraySlice<UInt8>) -> [UInt8] {
        if secrets.isEmpty { return takeAll() + piece }
        let table = secrets.current
        let bytes = waiting + piece
        let (places, open) = bytes.withUnsafeBufferPointer { (table.places(in: $0), table.openBytes(in: $0)) }
        var end = bytes.count - open
        // A secret whose end may be the beginning of another one waits as a whole.
        if let place = places.first(where: { $0.contains(end) }) { end = place.lowerBound }
        waiting = Array(bytes[end...])
        return Secrets.bytes(bytes[..<end], without: places.filter { $0.upperBound <= end })
    }

    /// The bytes that still wait; no more come.
    mutating func takeAll() -> [UInt8] {
        defer { waiting = [] }
        return secrets.hidden(in: waiting)
    }
}
