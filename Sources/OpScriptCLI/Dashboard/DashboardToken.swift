/// The secret in every request to the live page: 128 random bits.
struct DashboardToken: Equatable {
    /// 32 hexadecimal digits.
    let text: String

    /// Makes one from the system's source of chance.
    init() {
        var generator = SystemRandomNumberGenerator()
        text = (0..<2).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    init(text: String) { self.text = text }

    /// Whether a text is the token. The time it takes depends on no digit of the token.
    func matches(_ other: String) -> Bool {
        let (mine, theirs) = (Array(text.utf8), Array(other.utf8))
        var difference = mine.count ^ theirs.count
        for place in mine.indices {
            difference |= Int(mine[place] ^ (place < theirs.count ? theirs[place] : 0))
        }
        return difference == 0
    }
}
