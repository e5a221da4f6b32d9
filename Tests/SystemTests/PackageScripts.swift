import Foundation
import TestSupport

/// The packages' own scripts, which dpkg runs as root. They run in a folder that stands for a machine, with stand-ins for
/// the programs that they call.
struct PackageScripts {
    let folder: TemporaryFolder
    /// What the scripts take for the root of the file system.
    var machine: String { folder.path + "/machine" }
    /// The file to which stand-ins write their calls, one a line.
    var calls: String { folder.path + "/calls" }

    init() throws {
        folder = try TemporaryFolder()
        for path in ["/programs", "/machine/var/lib", "/machine/usr/share/debconf"] {
            try FileManager.default.createDirectory(atPath: folder.path + path, withIntermediateDirectories: true)
        }
    }

    /// Makes a file below `/var/lib`, and the folders above it.
    func keep(_ path: String) throws {
        let whole = "\(machine)/var/lib/\(path)"
        try FileManager.default.createDirectory(
            atPath: URL(filePath: whole).deletingLastPathComponent().path, withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(filePath: whole))
    }

    /// Makes the link by which systemd knows that root has enabled a unit.
    func enable(_ unit: String) throws {
        let folder = machine + "/etc/systemd/system/multi-user.target.wants"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(unit)", withDestinationPath: "/nowhere")
    }

    /// Makes a PAM service file.
    func keepService(_ name: String, _ text: String) throws {
        let folder = machine + "/etc/pam.d"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
    }

    /// Makes systemd the first process.
    func runSystemd() throws {
        try FileManager.default.createDirectory(
            atPath: machine + "/run/systemd/system", withIntermediateDirectories: true)
    }

    /// - Parameter text: the shell functions of debconf.
    func install(debconf text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: machine + "/usr/share/debconf/confmodule"))
    }

    /// Makes stand-ins that note each call and end with a status.
    func install(_ names: [String], status: Int = 0) throws {
        for name in names {
            try Script.write(
                """
                #!/bin/sh
                echo "\(name) $*" >>"\(calls)"
                exit \(status)
                """, to: "\(folder.path)/programs/\(name)")
        }
    }

    /// Runs a script as dpkg does, after the folder was put before each path of it.
    func run(_ name: String, _ words: [String], environment: [String: String] = [:]) throws -> Outcome {
        let text = try SourceTree.text("packaging/debian/\(name)")
        let moved = text.replacing("/usr/share/debconf/", with: "\(machine)/usr/share/debconf/")
            .replacing("/run/systemd/system", with: "\(machine)/run/systemd/system")
            .replacing("/var/lib/", with: "\(machine)/var/lib/")
            .replacing("/etc/pam.d/", with: "\(machine)/etc/pam.d/")
            .replacing("/etc/systemd/system/", with: "\(machine)/etc/systemd/system/")
        return try Command(
            program: "/bin/sh", arguments: ["-c", moved, name] + words,
            environment: ["PATH": "\(folder.path)/programs:/usr/bin:/bin"].merging(environment) { $1 }
        ).run()
    }

    /// The calls of stand-ins.
    func called() throws -> [String] {
        guard FileManager.default.fileExists(atPath: calls) else { return [] }
        return try String(contentsOfFile: calls, encoding: .utf8).split(separator: "\n").map(String.init)
    }
}
