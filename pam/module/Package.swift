// swift-tools-version: 6.2
import PackageDescription

/// `pam_coffer.so` in Embedded Swift, without the Swift runtime and standard library. It is a package of its own, because the main package's settings
/// do not suit it.
let package = Package(
    name: "pam_coffer",
    products: [.library(name: "pam_coffer", type: .dynamic, targets: ["pam_coffer"])],
    targets: [
        .systemLibrary(name: "CPAMModule"),
        .target(
            name: "pam_coffer", dependencies: ["CPAMModule"],
            swiftSettings: [
                .swiftLanguageMode(.v6), .strictMemorySafety(), .treatAllWarnings(as: .error),
                .enableExperimentalFeature("Embedded"), .unsafeFlags(["-wmo", "-Osize"]),
            ],
            linkerSettings: [.linkedLibrary("pam")]),
    ]
)
