// swift-tools-version: 6.2
import PackageDescription

/// Coffer's libraries for Swift applications, as the package coffer-dev installs them. An application names this folder in its Package.swift:
/// `.package(path: "/usr/share/coffer/swift")`, with the package's name `swift`.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
    name: "coffer",
    products: [
        .library(name: "Coffer", targets: ["Coffer"]),
        .library(name: "CofferSettings", targets: ["CofferSettings"]),
        .library(name: "CofferSync", targets: ["CofferSync"]),
        .library(name: "CofferCaches", targets: ["CofferCaches"]),
        .library(name: "CofferSessions", targets: ["CofferSessions"]),
        .library(name: "CofferFiles", targets: ["CofferFiles"]),
        .library(name: "CofferTestKit", targets: ["CofferTestKit"]),
    ],
    targets: [
        .systemLibrary(name: "COpenSSL"),
        .systemLibrary(name: "CLinux"),
        library("Platform", ["CLinux"]),
        library("LateLoading"),
        library("Cryptography", ["COpenSSL", "LateLoading", "Platform"]),
        library("Item"),
        library("JSON", ["Platform"]),
        library("Varlink", ["JSON", "Platform"]),
        library("BrokerProtocol", ["Item", "JSON", "Varlink"]),
        library("CofferClient", ["Item", "BrokerProtocol", "JSON", "Varlink", "Platform"]),
        library("Coffer", ["CofferClient"]),
        library("CofferSettings", ["Coffer", "JSON", "Platform"]),
        library("CofferSync", ["Coffer", "CofferSettings"]),
        library("CofferCaches", ["Coffer"]),
        library("CofferSessions", ["Coffer", "CofferCaches"]),
        library("CofferTestKit", ["Coffer", "Platform"]),
        library("CofferFiles", ["Coffer", "CofferSettings", "Cryptography", "Platform"]),
    ]
)
