// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "HTTPServer",
    dependencies: [
        // Outside of this repository: .package(url: …, from: …).
        .package(name: "OpScript", path: "../../.."),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .executableTarget(
            name: "HTTPServer",
            dependencies: [
                .product(name: "OpScript", package: "OpScript"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        )
    ]
)
