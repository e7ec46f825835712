#if HTTP
internal import Glibc
internal import SystemPackage

/// The part of a body that earlier attempts have left, `NAME.part`, and the text by which the server recognises it.
///
/// That text lies in `NAME.part.validator`. Without it, the part is not continued.
struct FilePart {
    let path: FilePath
    /// In bytes.
    let size: Int
    /// Nil if there are no bytes, or if the server has sent none.
    let validator: String?

    /// The longest text that is read, in bytes.
    private static let longestValidator = 1024

    init(path: FilePath, size: Int) {
        self.path = path
        self.size = size
        validator = size > 0 ? Self.readValidator(Self.appending("validator", to: path)) : nil
    }

    /// The path of the part of a file.
    static func path(of file: FilePath) -> FilePath { appending("part", to: file) }

    private static func appending(_ suffix: String, to path: FilePath) -> FilePath {
        var path = path
        let name = path.lastComponent?.string ?? ""
        path.removeLastComponent()
        path.append(FilePath.Component("\(name).\(suffix)") ?? "part")
        return path
    }

    private var validatorPath: FilePath { Self.appending("validator", to: path) }

    private static func readValidator(_ path: FilePath) -> String? {
        guard let file = try? FileHandle(path, O_RDONLY | O_NONBLOCK | O_NOCTTY) else { return nil }
        var bytes = [UInt8](repeating: 0, count: longestValidator + 1)
        guard let count = try? systemCall({ read(file.descriptor, &bytes, bytes.count) }), count > 0,
            count <= longestValidator, bytes[..<count].allSatisfy({ (32...126).contains($0) })
        else {
            return nil
        }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// Keeps the text of the bytes that now begin to arrive; without one, removes that of earlier bytes.
    ///
    /// - Returns: The system's error number; nil if it worked.
    func saveValidator(_ text: String?) -> Int32? {
        do throws(SystemCallError) {
            guard let text, text.utf8.count <= Self.longestValidator else {
                validatorPath.withPlatformString { _ = unlink($0) }
                return nil
            }
            let file = try FileHandle(validatorPath, O_WRONLY | O_CREAT | O_TRUNC)
            let bytes = Array(text.utf8)
            let count = try systemCall { write(file.descriptor, bytes, bytes.count) }
            return count == bytes.count ? nil : ENOSPC
        } catch {
            return error.code
        }
    }

    func remove() {
        path.withPlatformString { _ = unlink($0) }
        validatorPath.withPlatformString { _ = unlink($0) }
    }

    /// Gives the whole file its name.
    func rename(to file: FilePath) throws(SystemCallError) {
        try systemCall {
            path.withPlatformString { part in file.withPlatformString { Glibc.rename(part, $0) } }
        }
        validatorPath.withPlatformString { _ = unlink($0) }
    }
}
#endif
