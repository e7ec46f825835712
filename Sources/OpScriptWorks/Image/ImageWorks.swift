public import OpScript
internal import SystemPackage

extension ScriptEngine {
    /// Registers `work.image`: reading, changing and writing pictures.
    public func registerImageWorks() {
        register("image.read", "Reads a PBM, PGM, PPM or PAM image.", parameters: ["path"]) {
            (context: WorkContext, path: FilePath) throws -> Image in
            try readImage(context, path)
        }
        register(
            "image.decode",
            "An image from the bytes of a PBM, PGM, PPM or PAM file.",
            parameters: ["data"],
            onVirtualTime: .instant
        ) { (data: ScriptData) throws -> Image in
            do throws(ImageFault) {
                return try ImageReader.read(data.bytes)
            } catch {
                throw ScriptError(
                    error.code,
                    "cannot decode an image of \(data.bytes.count) bytes: \(error.reason)"
                )
            }
        }
        register(
            "image.encode",
            "The bytes of an image as pbm, pgm, ppm or pam.",
            parameters: ["image", "format"],
            onVirtualTime: .instant
        ) { (context: WorkContext, image: Image, name: String) throws -> ScriptData in
            guard let format = ImageFormat(rawValue: name.lowercased()) else {
                throw ScriptError(
                    .argument,
                    "cannot encode an image as '\(name)'; the formats are 'pbm', 'pgm', 'ppm' and 'pam'"
                )
            }
            return ScriptData(try format.encode(image, context))
        }
        register("image.mono", "The brightness of an image.", parameters: ["image"], onVirtualTime: .instant)
        {
            (context: WorkContext, image: Image) throws -> Image in
            try mono(context, image)
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
        register(
            "image.write",
            "Writes an image as .pbm, .pgm, .ppm or .pam, and returns the path.",
            parameters: ["image", "path"]
        ) { (context: WorkContext, image: Image, path: FilePath) throws -> FilePath in
            try writeImage(context, image, path)
        }
    }
}
