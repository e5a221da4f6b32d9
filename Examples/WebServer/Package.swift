// swift-tools-version: 6.2
import PackageDescription

/// Apart from the other examples, because a web server brings many packages.
let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

let package = Package(
    name: "web-server",
    dependencies: [
        .package(name: "coffer", path: "../..", traits: ["Configuration"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "web-server",
            dependencies: [
                .product(name: "Coffer", package: "coffer"),
                .product(name: "CofferConfiguration", package: "coffer"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Sources", swiftSettings: settings)
    ]
)
