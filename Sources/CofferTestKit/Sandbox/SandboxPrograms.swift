import FoundationEssentials

/// The programs of a sandbox, found in the places where they are built or installed.
struct SandboxPrograms {
    let broker: String
    let authenticator: String

    /// - Parameter folder: nil to look in `PATH`.
    init(folder: String?, sealer: SandboxBroker.Sealer) throws(SandboxError) {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let inPath = path.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        let folders =
            if let folder { [folder] } else {
                inPath.flatMap { [$0, $0 + "/../libexec/coffer"] } + ["/usr/libexec/coffer"]
            }
        broker = try Self.find("cofferd", in: folders)
        authenticator = try Self.find("coffer-authenticator", in: folders)
        if sealer == .simulatedTPM { _ = try Self.find("swtpm", in: inPath) }
    }

    private static func find(_ name: String, in folders: [String]) throws(SandboxError) -> String {
        for folder in folders {
            let path = "\(folder)/\(name)"
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw SandboxError(
            "\(name) is not in \(folders.joined(separator: ", "))", advice: "install it, or name the folder that has it"
        )
    }
}
