internal import OpScript

/// Scales a picture to a size: by area if it shrinks, bilinear if it grows, separately for each direction.
func resize(_ context: WorkContext, _ image: Image, _ width: Int, _ height: Int) throws -> Image {
    guard Image.sampleCount(width, height, image.channels) != nil else {
        throw ScriptError(
            .argument,
            "cannot resize to \(width) × \(height) pixels: sides of at least 1 "
                + "and at most \(Image.mostSamples) samples are possible"
        )
    }
    try Image.checkRoom(width, height, image.channels)
    try Image.checkRoom(image.width, image.height, image.channels)
    let image = try image.withShades()
    let channels = image.channels
    let across = AxisWeights(from: image.width, to: width)
    let down = AxisWeights(from: image.height, to: height)
    // Rows are narrowed or widened when the first row of the result needs them, and dropped after the last:
    // the memory is a few rows, independent of the height of the picture.
    var rows: [Int: [Float]] = [:]
    var sums = [Float](repeating: 0, count: width * channels)
    let highest = Float(image.maximum)
    let samples = try [UInt16](unsafeUninitializedCapacity: width * height * channels) { result, count in
        try forEachRow(of: height, context) { row in
            let needed = down.spans[row]
            for old in rows.keys where old < needed.start { rows[old] = nil }
            for index in sums.indices { sums[index] = 0 }
            for (offset, weight) in down.weights(of: row).enumerated() {
                let source = needed.start + offset
                let narrow = rows[source] ?? across.apply(to: image, row: source)
                rows[source] = narrow
                for index in sums.indices { sums[index] += narrow[index] * weight }
            }
            for index in sums.indices {
                result[row * sums.count + index] = UInt16(min(highest, max(0, sums[index].rounded())))
            }
        }
        count = width * height * channels
    }
    return Image(width: width, height: height, channels: channels, maximum: image.maximum, samples: samples)
}

/// The old positions that contribute to each new one along one axis, with their weights; the weights of one
/// position add up to 1.
private struct AxisWeights {
    struct Span {
        /// The first old position.
        var start: Int
        /// The place of its weights.
        var weights: Range<Int>
    }

    private(set) var spans: [Span] = []
    private var weights: [Float] = []

    init(from old: Int, to new: Int) {
        spans.reserveCapacity(new)
        let scale = Double(old) / Double(new)
        for position in 0..<new {
            let start = weights.count
            if new <= old {
                // The part of each old pixel that lies under the new one.
                let left = Double(position) * scale
                let right = min(Double(old), left + scale)
                let first = min(old - 1, Int(left))
                let last = max(first, min(old - 1, Int(right.rounded(.up)) - 1))
                for index in first...last {
                    let covered = min(right, Double(index + 1)) - max(left, Double(index))
                    weights.append(Float(max(0, covered) / scale))
                }
                spans.append(Span(start: first, weights: start..<weights.count))
            } else {
                // Between the two old pixels whose centres are on either side; beyond the outermost centre,
                // the outermost pixel.
                let centre = (Double(position) + 0.5) * scale - 0.5
                let clamped = min(max(0, centre), Double(old - 1))
                let first = min(Int(clamped), max(0, old - 2))
                let part = Float(clamped - Double(first))
                weights.append(1 - part)
                if first + 1 < old { weights.append(part) }
                spans.append(Span(start: first, weights: start..<weights.count))
            }
        }
    }

    func weights(of position: Int) -> ArraySlice<Float> {
        weights[spans[position].weights]
    }

    /// One row of a picture at its new width.
    func apply(to image: Image, row: Int) -> [Float] {
        let channels = image.channels
        let start = row * image.stride
        return [Float](unsafeUninitializedCapacity: spans.count * channels) { result, count in
            image.samples.withUnsafeBufferPointer { samples in
                weights.withUnsafeBufferPointer { weights in
                    for (position, span) in spans.enumerated() {
                        for channel in 0..<channels {
                            var sum: Float = 0
                            var from = start + span.start * channels + channel
                            for weight in span.weights {
                                sum += weights[weight] * Float(samples[from])
                                from += channels
                            }
                            result[position * channels + channel] = sum
                        }
                    }
                }
            }
            count = spans.count * channels
        }
    }
}
