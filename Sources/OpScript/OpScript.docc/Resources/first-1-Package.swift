// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Pictures",
    dependencies: [.package(path: "../OpScript")],
    targets: [
        .executableTarget(
            name: "Pictures",
            dependencies: [.product(name: "OpScript", package: "OpScript")]
        )
    ]
)
