// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "AutomationServer",
    dependencies: [
        // Outside of this repository: .package(url: …, from: …).
        .package(name: "OpScript", path: "../../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "AutomationServer",
            dependencies: [
                .product(name: "OpScript", package: "OpScript"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]
        )
    ]
)
