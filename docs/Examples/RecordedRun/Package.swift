// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "RecordedRun",
    // Outside of this repository: .package(url: …, from: …).
    dependencies: [.package(name: "OpScript", path: "../../..")],
    targets: [
        .executableTarget(
            name: "RecordedRun",
            dependencies: [
                .product(name: "OpScript", package: "OpScript"),
                .product(name: "OpScriptRecord", package: "OpScript"),
            ]
        )
    ]
)
