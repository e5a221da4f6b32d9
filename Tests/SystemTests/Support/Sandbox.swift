import Foundation
import TestSupport
import Testing

/// A throw-away Coffer, made as a person makes one, by `scripts/sandbox`. It ends with the value.
final class Sandbox: Sendable {
    /// The folder of programs other than those built with the tests: `make memory` names the optimised ones.
    static let programs = ProcessInfo.processInfo.environment["COFFER_TEST_PROGRAMS"]
    /// A folder that every user can reach. The package may be in one that they cannot.
    let folder: String
    let directory: String
    let variables: [String: String]
    let options: [String]

    /// - Parameter reachable: copy the programs to a place where every user can run them, no matter where the package
    ///   is.
    convenience init(_ options: String..., reachable: Bool = false) throws {
        try self.init(options, reachable: reachable)
    }

    init(_ options: [String], reachable: Bool = false) throws {
        folder = "/tmp/coffer-system-\(UUID().uuidString.prefix(8))"
        directory = folder + "/box"
        self.options = options
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        var start = ["start", directory] + options
        if reachable {
            let programs = folder + "/bin"
            try FileManager.default.createDirectory(
                atPath: programs, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
            // In a process of its own. If this one had the file open for writing, another test's child could inherit
            // that, and the file could not be run.
            let built = Self.programs ?? "\(SourceTree.root)/.build/debug"
            let names = ["cofferd", "coffer-authenticator", "coffer"].map { "\(built)/\($0)" }
            let copied = try Command(program: "/bin/cp", arguments: names + [programs], environment: [:]).run()
            try #require(copied.code == 0, "\(copied)")
            start += ["--programs", programs]
        } else if let programs = Self.programs {
            start += ["--programs", programs]
        }
        let outcome = try Self.script(start)
        try #require(outcome.code == 0, "\(outcome)")
        variables = try Self.readExports(directory + "/env")
    }

    deinit {
        // A test that failed has said so already. The leftover check lists what cannot be stopped.
        _ = try? Self.script(["stop", directory])
        try? FileManager.default.removeItem(atPath: folder)
    }

    static func script(_ arguments: [String]) throws -> Outcome {
        try Command(
            program: SourceTree.root + "/scripts/sandbox", arguments: arguments,
            environment: ProcessInfo.processInfo.environment, limit: patience
        ).run()
    }

    func script(_ verb: String) throws {
        let outcome = try Self.script([verb, directory])
        try #require(outcome.code == 0, "\(outcome)")
    }

    /// Adds a line to the configuration. It holds for everything that starts from now on, as every conversation and
    /// report does.
    func configure(_ line: String) throws {
        let path = directory + "/cofferd.conf"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try (text + line + "\n").write(toFile: path, atomically: false, encoding: .utf8)
    }

    /// A program that answers every prompt with the same line, for COFFER_ASKPASS.
    func askpass(_ answer: String, name: String = "askpass") throws -> String {
        let path = folder + "/" + name
        try Script.write("#!/bin/sh\nprintf '%s\\n' '\(answer)'\n", to: path)
        return path
    }

    /// Runs `coffer` without a terminal.
    /// - Parameter password: what COFFER_ASKPASS answers; nil for no such program.
    /// - Parameter uid: run as this user (root only).
    func coffer(
        _ arguments: String..., input: [UInt8] = [], password: String? = nil, uid: UInt32? = nil,
        limit: Duration = patience,
        askpass program: String? = nil
    ) throws -> Outcome {
        try coffer(arguments, input: input, password: password, uid: uid, limit: limit, askpass: program)
    }

    func coffer(
        _ arguments: [String], input: [UInt8] = [], password: String? = nil, uid: UInt32? = nil,
        limit: Duration = patience,
        askpass program: String? = nil
    ) throws -> Outcome {
        var environment = ProcessInfo.processInfo.environment
        for (name, value) in variables { environment[name] = value }
        environment["COFFER_ASKPASS"] =
            try program ?? password.map { try askpass($0, name: "askpass-\(UUID().uuidString.prefix(8))") }
        environment["DISPLAY"] = nil
        environment["WAYLAND_DISPLAY"] = nil
        var command = Command(
            program: "/usr/bin/env", arguments: ["coffer"] + arguments, environment: environment, input: input,
            limit: limit)
        if let uid {
            command.program = "/usr/bin/setpriv"
            command.arguments = ["--reuid=\(uid)", "--regid=\(uid)", "--clear-groups", "coffer"] + arguments
        }
        return try command.run()
    }

    private static func readExports(_ path: String) throws -> [String: String] {
        let outcome = try Command(
            program: "/bin/sh", arguments: ["-c", ". \"$0\" && env -0", path],
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""]
        ).run()
        var result: [String: String] = [:]
        for entry in outcome.text.split(separator: "\0") {
            guard let sign = entry.firstIndex(of: "=") else { continue }
            let name = String(entry[..<sign])
            if name.hasPrefix("COFFER_") || name == "PATH" { result[name] = String(entry[entry.index(after: sign)...]) }
        }
        return result
    }

    /// Every process whose command line names this sandbox's folder.
    func processes() throws -> [String] {
        let found = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { name -> String? in
            guard Int32(name) != nil, let bytes = FileManager.default.contents(atPath: "/proc/\(name)/cmdline") else {
                return nil
            }
            let line = String(decoding: bytes.map { $0 == 0 ? 32 : $0 }, as: UTF8.self)
            return line.contains(directory) ? "\(name) \(line)" : nil
        }
        return found.sorted()
    }
}
