extension Image {
    /// The picture with other channels and another brightest sample: colours from grey, full opacity, and scaled
    /// samples.
    func converted(channels wanted: Int, maximum highest: UInt16) throws -> Image {
        if wanted == channels, highest == maximum { return self }
        try Self.checkRoom(width, height, wanted)
        // For each new channel the old one; -1 for full opacity.
        let places: [Int] =
            switch (channels, wanted) {
            case (1, 2): [0, -1]
            case (1, 3), (2, 3): [0, 0, 0]
            case (1, 4): [0, 0, 0, -1]
            case (2, 4): [0, 0, 0, 1]
            case (3, 4): [0, 1, 2, -1]
            default: Array(0..<wanted)
            }
        let (old, new) = (UInt32(maximum), UInt32(highest))
        let pixels = width * height
        let result = Image.makeSamples(pixels * wanted) { result in
            samples.withUnsafeBufferPointer { samples in
                for (channel, place) in places.enumerated() {
                    for pixel in 0..<pixels {
                        let sample = place < 0 ? old : UInt32(samples[pixel * channels + place])
                        result[pixel * wanted + channel] = UInt16(
                            old == new ? sample : (sample * new + old / 2) / old
                        )
                    }
                }
            }
        }
        return Image(width: width, height: height, channels: wanted, maximum: highest, samples: result)
    }
}
