import Foundation
import Platform

/// A mocked fprintd on a given bus, with readers, fingers, answers and a storage folder as a test wants them. It is ended with this value.
public final class FprintdMock: Sendable {
    /// The result of a finger on the reader.
    public enum Touch: String, Sendable {
        case match = "verify-match"
        case noMatch = "verify-no-match"
        case disconnected = "verify-disconnected"
    }

    /// The folder for `fingerprint-directory`, made and removed with this value.
    public let storage: TemporaryFolder
    private let address: String
    private let process: BusProcess

    private static let name = "net.reactivated.Fprint"
    private static let path = "/net/reactivated/Fprint/Manager"
    private static let test = "org.coffer.Test.Fprint"

    /// Returns when the mock is ready, with one reader and no enrolled finger.
    public init(address: String) throws {
        self.address = address
        storage = try TemporaryFolder()
        process = try BusProcess(
            "/usr/bin/python3", ["-c", FprintdProgram.text], environment: ["DBUS_SYSTEM_BUS_ADDRESS": address])
        try BusProcess.await("the mocked fprintd") {
            try Tool.run(
                "busctl", ["--address=\(address)", "call", Self.name, Self.path, Self.test, "SetReaders", "u", "1"]
            ).status == 0
        }
    }

    public func setReaders(_ count: Int) throws { try call("SetReaders", ["u", "\(count)"]) }

    /// Sets the results of the next touches. The last one then stays.
    public func setTouches(_ touches: [Touch]) throws {
        try call("SetTouches", ["as", "\(touches.count)"] + touches.map(\.rawValue))
    }

    /// Enrols a finger as fprintd does, so that it knows the finger and a file holds the template.
    /// - Parameter finger: 1 to 10, as libfprint counts fingers.
    public func enrol(_ finger: Int, of user: String, template: String) throws {
        let folder = "\(storage.path)/\(user)/mock/0"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let path = "\(folder)/\(String(finger, radix: 16))"
        try Data(template.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        try tell(user)
    }

    public func remove(_ finger: Int, of user: String) throws {
        try FileManager.default.removeItem(atPath: "\(storage.path)/\(user)/mock/0/\(String(finger, radix: 16))")
        try tell(user)
    }

    public func removeAll(of user: String) throws {
        try FileManager.default.removeItem(atPath: "\(storage.path)/\(user)")
        try tell(user)
    }

    public func stop() throws { try process.end() }

    /// Tells the mock that the stored fingers are the enrolled ones.
    private func tell(_ user: String) throws {
        // A missing folder means that no finger is enrolled.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(storage.path)/\(user)/mock/0")) ?? []
        let fingers = names.sorted().map { "right-finger-\($0)" }
        try call("SetFingers", ["sas", user, "\(fingers.count)"] + fingers)
    }

    private func call(_ member: String, _ arguments: [String]) throws {
        try Tool.output(
            "busctl", ["--address=\(address)", "call", Self.name, Self.path, Self.test, member] + arguments)
    }
}

/// A process of a mocked bus, ended with this value.
final class BusProcess: Sendable {
    private let process: Subprocess

    init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        process = try Subprocess(program, arguments) {
            $0.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        }
    }

    func end() throws { try process.end() }

    // `try?`: if SIGKILL does not end it, a test cannot end it either.
    deinit { try? process.end() }

    static func await(_ what: String, _ condition: () throws -> Bool) throws {
        let deadline = ContinuousClock.now + patience
        while !(try condition()) {
            guard ContinuousClock.now < deadline else { throw Tool.Failure(description: "\(what) was not ready") }
            usleep(10_000)
        }
    }
}
