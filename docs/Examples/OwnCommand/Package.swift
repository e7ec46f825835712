// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "OwnCommand",
    // Outside of this repository: .package(url: …, from: …).
    dependencies: [.package(name: "OpScript", path: "../../..")],
    targets: [
        .executableTarget(
            name: "OwnCommand",
            dependencies: [
                .product(name: "OpScript", package: "OpScript"),
                .product(name: "OpScriptCLI", package: "OpScript"),
            ]
        )
    ]
)
