public import OpScript
internal import SystemPackage

extension ScriptEngine {
    /// Registers `work.image`: reading, changing and writing pictures.
    public func registerImageWorks() {
        registerImageCoding()
        registerImageFilters()
        register(
            "image.preview",
            "An image as text for a terminal. Options: columns (40), colours (false).",
            parameters: ["image", "options"],
            onVirtualTime: .instant
        ) { (context: WorkContext, image: Image, options: PreviewOptions?) throws -> String in
            try preview(context, image, options)
        }
    }

    private func registerImageCoding() {
        register(
            "image.read",
            "Reads an image: JPEG, PNG, WebP, the first frame of a GIF, PBM, PGM, PPM or PAM.",
            parameters: ["path"],
            recording: .never
        ) { (context: WorkContext, path: FilePath) throws -> Image in
            try readImage(context, path)
        }
        register(
            "image.decode",
            "An image from the bytes of a file that image.read reads.",
            parameters: ["data"],
            onVirtualTime: .instant
        ) { (context: WorkContext, data: ScriptData) throws -> Image in
            do {
                return try decodeImage(context, data.bytes)
            } catch let fault as ImageFault {
                throw ScriptError(
                    fault.code,
                    "cannot decode an image of \(data.bytes.count) bytes: \(fault.reason)"
                )
            }
        }
        register(
            "image.encode",
            "The bytes of an image as jpeg, png, webp, pbm, pgm, ppm or pam. Options: quality (85), lossless (WebP).",
            parameters: ["image", "format", "options"],
            onVirtualTime: .instant
        ) {
            (context: WorkContext, image: Image, name: String, options: EncodingOptions?) throws -> ScriptData
            in
            guard let format = ImageFormat(name) else {
                throw ScriptError(
                    .argument,
                    "cannot encode an image as '\(name)'; the formats are "
                        + "'jpeg', 'png', 'webp', 'pbm', 'pgm', 'ppm' and 'pam'"
                )
            }
            do {
                return ScriptData(try format.encode(image, options, context))
            } catch let fault as ImageFault {
                throw ScriptError(fault.code, "cannot encode an image as '\(name)': \(fault.reason)")
            }
        }
        register(
            "image.write",
            "Writes an image as .jpg, .png, .webp, .pbm, .pgm, .ppm or .pam, and returns the path. "
                + "Options: quality (85), lossless (WebP).",
            parameters: ["image", "path", "options"]
        ) {
            (context: WorkContext, image: Image, path: FilePath, options: EncodingOptions?) throws -> FilePath
            in
            try writeImage(context, image, path, options)
        }
    }

    private func registerImageFilters() {
        register("image.mono", "The brightness of an image.", parameters: ["image"], onVirtualTime: .instant)
        {
            (context: WorkContext, image: Image) throws -> Image in
            try mono(context, image)
        }
        register("image.sepia", "An image in brown tones.", parameters: ["image"], onVirtualTime: .instant) {
            (context: WorkContext, image: Image) throws -> Image in
            try sepia(context, image)
        }
        register(
            "image.rotate",
            "An image turned clockwise, by a multiple of 90 degrees.",
            parameters: ["image", "degrees"],
            onVirtualTime: .instant
        ) { (image: Image, degrees: Int) throws -> Image in
            try rotate(image, degrees)
        }
        register(
            "image.crop",
            "A part of an image; the place of its first pixel is counted from 0.",
            parameters: ["image", "x", "y", "width", "height"],
            onVirtualTime: .instant
        ) { (image: Image, column: Int, row: Int, width: Int, height: Int) throws -> Image in
            try crop(image, column, row, width, height)
        }
        register(
            "image.resize",
            "Scales an image.",
            parameters: ["image", "width", "height"],
            onVirtualTime: .instant
        ) { (context: WorkContext, image: Image, width: Int, height: Int) throws -> Image in
            try resize(context, image, width, height)
        }
        register(
            "image.blur",
            "Blurs an image.",
            parameters: ["image", "radius"],
            onVirtualTime: .instant
        ) { (context: WorkContext, image: Image, radius: Int) throws -> Image in
            try blur(context, image, radius)
        }
    }
}
