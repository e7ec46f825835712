internal import OpScript

/// Both outputs of a process in the order in which they were read.
///
/// It keeps only how long the pieces are; the bytes are those of the two captures.
struct Transcript {
    private struct Piece {
        let isError: Bool
        var count: Int
    }

    private var pieces: [Piece] = []

    /// Notes that so many bytes of an output were read. Amortised O(1).
    mutating func read(_ count: Int, isError: Bool) {
        guard count > 0 else { return }
        if let last = pieces.indices.last, pieces[last].isError == isError {
            pieces[last].count += count
        } else {
            pieces.append(Piece(isError: isError, count: count))
        }
    }

    /// The bytes of both outputs, in order, without secrets. A secret is found although it was read in several pieces.
    ///
    /// - Complexity: O(bytes).
    func bytes(_ output: [UInt8], _ errorOutput: [UInt8], hiding secrets: Secrets? = nil) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(output.count + errorOutput.count)
        var rests = (output: Rest(output, secrets), error: Rest(errorOutput, secrets))
        for piece in pieces {
            if piece.isError {
                rests.error.move(piece.count, to: &result)
            } else {
                rests.output.move(piece.count, to: &result)
            }
        }
        return result
    }

    /// An output from the first byte on that was not taken.
    private struct Rest {
        private let bytes: [UInt8]
        private var start = 0
        /// The places of secrets that were not passed.
        private var secrets: ArraySlice<Range<Int>>

        init(_ bytes: [UInt8], _ secrets: Secrets?) {
            self.bytes = bytes
            self.secrets = secrets?.places(in: bytes)[...] ?? []
        }

        /// Moves so many bytes; dots stand where a secret begins.
        mutating func move(_ count: Int, to result: inout [UInt8]) {
            let end = start + count
            while let secret = secrets.first, secret.lowerBound < end {
                if secret.lowerBound >= start {
                    result += bytes[start..<secret.lowerBound]
                    result += Secrets.dots
                }
                // The rest of it belongs to the next piece.
                guard secret.upperBound <= end else {
                    start = end
                    return
                }
                start = secret.upperBound
                secrets.removeFirst()
            }
            result += bytes[start..<end]
            start = end
        }
    }
}
