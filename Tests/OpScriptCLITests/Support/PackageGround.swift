import Foundation
import SystemPackage

/// A folder with a checkout of OpScript in it, beside which packages that depend on it are built.
///
/// It is the same one each time, and all packages in it share one build folder, so the engine is built once.
struct PackageGround {
    private let base = SourceTree.root.appending(".build/packages")
    /// The build folder, which stays for the next time.
    let scratch = SourceTree.root.appending(".build/tutorial")

    /// An empty folder beside the checkout.
    func emptyFolder(_ name: String) throws -> FilePath {
        let files = FileManager.default
        try files.createDirectory(atPath: base.string, withIntermediateDirectories: true)
        let link = base.appending("OpScript").string
        if (try? files.destinationOfSymbolicLink(atPath: link)) != SourceTree.root.string {
            try? files.removeItem(atPath: link)
            try files.createSymbolicLink(atPath: link, withDestinationPath: SourceTree.root.string)
        }
        let folder = base.appending(name)
        if files.fileExists(atPath: folder.string) { try files.removeItem(atPath: folder.string) }
        try files.createDirectory(atPath: folder.string, withIntermediateDirectories: false)
        return folder
    }
}
