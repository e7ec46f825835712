internal import OpScript

/// Blurs a picture by three box filters of the same radius.
///
/// They approximate a Gaussian whose standard deviation is that radius. Beyond its edges, the picture is
/// continued with the pixels of the edge.
///
/// - Complexity: O(*pixels*), independent of the radius.
func blur(_ context: WorkContext, _ image: Image, _ radius: Int) throws -> Image {
    guard radius >= 0 else {
        throw ScriptError(
            .argument,
            "cannot blur by a radius of \(radius): an integer of at least 0 expected"
        )
    }
    guard radius > 0 else { return image }
    // Two more pictures, and one with shades.
    try Image.checkRoom(image.width, image.height, 2 * image.channels)
    let image = try image.withShades()
    // A box that is wider than the picture on both sides already contains the whole picture.
    let radius = min(radius, max(image.width, image.height))
    var samples = image.samples
    var buffer = samples
    for _ in 0..<3 {
        try blurRows(context, image, from: samples, into: &buffer, radius)
        try blurColumns(context, image, from: buffer, into: &samples, radius)
    }
    return Image(
        width: image.width,
        height: image.height,
        channels: image.channels,
        maximum: image.maximum,
        samples: samples
    )
}

/// Slides a box along each row: one sample enters, one leaves.
private func blurRows(
    _ context: WorkContext,
    _ image: Image,
    from source: [UInt16],
    into target: inout [UInt16],
    _ radius: Int
) throws {
    let channels = image.channels
    let last = image.width - 1
    let width = UInt64(2 * radius + 1)
    try source.withUnsafeBufferPointer { source in
        try target.withUnsafeMutableBufferPointer { target in
            try forEachRow(of: image.height, passes: 6, context) { row in
                for channel in 0..<channels {
                    let start = row * image.stride + channel
                    func sample(_ column: Int) -> UInt64 {
                        UInt64(source[start + min(max(0, column), last) * channels])
                    }
                    var sum = (-radius...radius).reduce(width / 2) { $0 + sample($1) }
                    for column in 0...last {
                        target[start + column * channels] = UInt16(sum / width)
                        sum += sample(column + radius + 1)
                        sum -= sample(column - radius)
                    }
                }
            }
        }
    }
}

/// The same down the columns, with the boxes of all columns at once, so that memory is read in its order.
private func blurColumns(
    _ context: WorkContext,
    _ image: Image,
    from source: [UInt16],
    into target: inout [UInt16],
    _ radius: Int
) throws {
    let stride = image.stride
    let last = image.height - 1
    let width = UInt64(2 * radius + 1)
    var sums = [UInt64](repeating: width / 2, count: stride)
    func start(_ row: Int) -> Int { min(max(0, row), last) * stride }
    try source.withUnsafeBufferPointer { source in
        try target.withUnsafeMutableBufferPointer { target in
            try sums.withUnsafeMutableBufferPointer { sums in
                for row in -radius...radius {
                    if row & 15 == 0 { try context.checkCancellation() }
                    let from = start(row)
                    for index in 0..<stride { sums[index] += UInt64(source[from + index]) }
                }
                try forEachRow(of: image.height, passes: 6, context) { row in
                    let coming = start(row + radius + 1)
                    let going = start(row - radius)
                    for index in 0..<stride {
                        target[row * stride + index] = UInt16(sums[index] / width)
                        sums[index] += UInt64(source[coming + index])
                        sums[index] -= UInt64(source[going + index])
                    }
                }
            }
        }
    }
}
