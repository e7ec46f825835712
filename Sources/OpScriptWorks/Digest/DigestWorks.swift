public import OpScript
internal import SystemPackage

extension ScriptEngine {
    /// Registers `work.digest`: checksums of data and of files.
    public func registerDigestWorks() {
        for algorithm in DigestAlgorithm.allCases {
            register(
                "digest.\(algorithm.rawValue)",
                "The \(algorithm.rawValue) of data, as hexadecimal digits.",
                parameters: ["data"],
                onlyReads: true,
                onVirtualTime: .instant
            ) { (context: WorkContext, data: ScriptData) throws -> String in
                try digest(algorithm, context, data)
            }
        }
        register(
            "digest.file",
            "The digest of a file, as hexadecimal digits; it is read in pieces.",
            parameters: ["algorithm", "path"],
            onlyReads: true,
            recording: .never
        ) { (context: WorkContext, algorithm: DigestAlgorithm, path: FilePath) throws -> String in
            try digestFile(algorithm, context, path)
        }
    }
}
