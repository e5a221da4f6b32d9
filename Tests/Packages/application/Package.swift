// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "app",
    dependencies: [.package(url: "file:///opt/coffer", branch: "main")],
    targets: [
        .executableTarget(name: "app", dependencies: [.product(name: "Coffer", package: "coffer")])
    ]
)
