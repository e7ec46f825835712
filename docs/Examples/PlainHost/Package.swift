// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "PlainHost",
    // Outside of this repository: .package(url: …, from: …).
    dependencies: [.package(name: "OpScript", path: "../../..")],
    targets: [
        .executableTarget(
            name: "PlainHost",
            dependencies: [.product(name: "OpScript", package: "OpScript")]
        )
    ]
)
