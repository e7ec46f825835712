internal import OpScript

/// The ways in which a picture can be stored, as the Exif standard numbers them.
///
/// Each case names what has to be done to see it the right way up.
enum Orientation: Int {
    case upright = 1
    case mirrored
    case turnedHalf
    case mirroredAndTurnedHalf
    case mirroredAndTurnedLeft
    case turnedRight
    case mirroredAndTurnedRight
    case turnedLeft
}

extension Image {
    /// The side of the squares in which a picture is turned, in pixels.
    private static let side = 32

    /// The picture the right way up.
    func turned(_ orientation: Orientation) throws -> Image {
        if orientation == .upright { return self }
        try Self.checkRoom(width, height, channels)
        let (lastColumn, lastRow) = (width - 1, height - 1)
        // The old pixel at the new origin, and how the old place changes from pixel to pixel and from row to row.
        let start: (column: Int, row: Int)
        let step: (column: Int, row: Int)
        let line: (column: Int, row: Int)
        switch orientation {
        case .upright: (start, step, line) = ((0, 0), (1, 0), (0, 1))
        case .mirrored: (start, step, line) = ((lastColumn, 0), (-1, 0), (0, 1))
        case .turnedHalf: (start, step, line) = ((lastColumn, lastRow), (-1, 0), (0, -1))
        case .mirroredAndTurnedHalf: (start, step, line) = ((0, lastRow), (1, 0), (0, -1))
        case .mirroredAndTurnedLeft: (start, step, line) = ((0, 0), (0, 1), (1, 0))
        case .turnedRight: (start, step, line) = ((0, lastRow), (0, -1), (1, 0))
        case .mirroredAndTurnedRight: (start, step, line) = ((lastColumn, lastRow), (0, -1), (-1, 0))
        case .turnedLeft: (start, step, line) = ((lastColumn, 0), (0, 1), (-1, 0))
        }
        let isUpright = step.row == 0
        let (newWidth, newHeight) = isUpright ? (width, height) : (height, width)
        let perPixel = (step.row * width + step.column) * channels
        let perLine = (line.row * width + line.column) * channels
        let turned = Image.makeSamples(samples.count) { result in
            samples.withUnsafeBufferPointer { samples in
                let origin = (start.row * width + start.column) * channels
                // Square by square, so that neighbours in the old picture are still in the cache for the next row.
                for top in Swift.stride(from: 0, to: newHeight, by: Self.side) {
                    for left in Swift.stride(from: 0, to: newWidth, by: Self.side) {
                        for row in top..<min(newHeight, top + Self.side) {
                            var next = (row * newWidth + left) * channels
                            var from = origin + row * perLine + left * perPixel
                            for _ in left..<min(newWidth, left + Self.side) {
                                for channel in 0..<channels {
                                    result[next + channel] = samples[from + channel]
                                }
                                next += channels
                                from += perPixel
                            }
                        }
                    }
                }
            }
        }
        return Image(
            width: newWidth,
            height: newHeight,
            channels: channels,
            maximum: maximum,
            samples: turned
        )
    }
}

/// Turns a picture clockwise by a multiple of 90 degrees.
func rotate(_ image: Image, _ degrees: Int) throws -> Image {
    switch (degrees % 360 + 360) % 360 {
    case 0: return image
    case 90: return try image.turned(.turnedRight)
    case 180: return try image.turned(.turnedHalf)
    case 270: return try image.turned(.turnedLeft)
    default:
        throw ScriptError(.argument, "cannot rotate by \(degrees) degrees: a multiple of 90 expected")
    }
}

/// The part of a picture with a corner at a column and a row, both counted from 0.
func crop(_ image: Image, _ column: Int, _ row: Int, _ width: Int, _ height: Int) throws -> Image {
    guard column >= 0, row >= 0, width > 0, height > 0, column < image.width, row < image.height,
        width <= image.width - column, height <= image.height - row
    else {
        throw ScriptError(
            .argument,
            "cannot crop \(width) × \(height) pixels at (\(column), \(row)): "
                + "a part of the \(image.width) × \(image.height) pixels expected, counted from 0"
        )
    }
    try Image.checkRoom(width, height, image.channels)
    let samples = Image.makeSamples(width * height * image.channels) { result in
        let stride = width * image.channels
        image.samples.withUnsafeBufferPointer { samples in
            for line in 0..<height {
                let start = (row + line) * image.stride + column * image.channels
                let source = UnsafeBufferPointer(rebasing: samples[start..<start + stride])
                _ = UnsafeMutableBufferPointer(rebasing: result[line * stride..<(line + 1) * stride])
                    .initialize(from: source)
            }
        }
    }
    return Image(
        width: width,
        height: height,
        channels: image.channels,
        maximum: image.maximum,
        samples: samples
    )
}
