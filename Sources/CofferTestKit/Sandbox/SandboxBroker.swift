import Coffer
import Dispatch
import FoundationEssentials
import Platform

/// The real broker and authenticator with a vault of their own, for an application's integration tests. It needs no root and no TPM.
/// ```swift
/// let sandbox = try await SandboxBroker()
/// let keychain = Keychain(
///     service: "com.example.app", prompts: .handler { $0.wantsAnswer ? SandboxBroker.password : nil },
///     backend: sandbox.backend)
/// try await keychain.set("token", for: "me", access: .whenUnlocked.requiring(.userPresence))
/// #expect(try await keychain.string(for: "me") == "token")
/// await sandbox.stop()
/// ```
/// The vault of the user who runs the test is made and unlocked. Everything is in a temporary folder. The programs end, and the folder is removed, with
/// ``stop()``, with the object, and when the process ends in any way.
///
/// A sandbox gives no guarantees: what runs as the user can reach its files.
public final class SandboxBroker: Sendable {
    /// What seals the vault's master key.
    public enum Sealer: String, Sendable, Hashable, CaseIterable {
        /// A key in a file. It is fast.
        case software
        /// A simulated TPM, by the program `swtpm`.
        case simulatedTPM
    }

    /// The answer to every question.
    public static let password = "sandbox"

    /// The sockets of the sandbox.
    public let paths: SocketPaths
    /// The vaults of the sandbox.
    public let backend: BrokerBackend
    private let supervisor: Subprocess

    /// Starts the programs, and makes the vault.
    /// - Parameters:
    ///   - programs: the folder of `cofferd` and `coffer-authenticator`. nil: they are looked for in `PATH`, in `../libexec/coffer` beside each folder
    ///     of `PATH`, and in `/usr/libexec/coffer`.
    ///   - sealer: what seals the vault.
    /// - Throws: ``SandboxError`` if a program is missing or does not start.
    public init(programs: String? = nil, sealer: Sealer = .software) async throws(SandboxError) {
        let folder = try SandboxFolder(programs: try SandboxPrograms(folder: programs, sealer: sealer), sealer: sealer)
        paths = SocketPaths(broker: folder.path + "/coffer.sock", authenticator: folder.path + "/auth.sock")
        backend = BrokerBackend(paths: paths)
        do throws(SystemError) { supervisor = try folder.startSupervisor() } catch {
            folder.remove()
            throw SandboxError("the sandbox cannot be started: \(error)")
        }
        try await waitUntilReady()
        do throws(KeychainError) {
            try await Self.makeVault(backend)
        } catch {
            await stop()
            throw SandboxError("the sandbox's vault cannot be made: \(error)")
        }
    }

    /// A busy machine can take longer than the broker keeps a request. Then the request is made again.
    private static func makeVault(_ backend: BrokerBackend) async throws(KeychainError) {
        let prompts = Prompts.handler { $0.wantsAnswer ? Self.password : nil }
        for _ in 1..<5 {
            do throws(KeychainError) { return try await backend.unlock(.own, prompts: prompts) } catch {
                guard error.code == .requestOutdated else { throw error }
            }
        }
        try await backend.unlock(.own, prompts: prompts)
    }

    deinit { Self.end(supervisor) }

    /// Environment variables that make the programs that a test starts use this sandbox.
    public var environment: [String: String] {
        ["COFFER_SOCKET": paths.broker, "COFFER_AUTH_SOCKET": paths.authenticator]
    }

    /// Ends the broker and starts it again, as an upgrade does. The vault is then sealed, until a person opens it.
    /// ```swift
    /// let sandbox = try await SandboxBroker()
    /// let keychain = Keychain(service: "com.example.app", backend: sandbox.backend)
    /// try await sandbox.restartBroker()
    /// #expect(try await keychain.status().state == .sealed)
    /// ```
    /// - Throws: ``SandboxError`` if the broker does not start. The sandbox has ended then.
    public func restartBroker() async throws(SandboxError) {
        let failure = await Self.onThread { [supervisor] () -> SystemError? in
            do throws(SystemError) { try supervisor.write(Array("restart\n".utf8)) } catch { return error }
            return nil
        }
        if let failure { throw SandboxError("the broker cannot be restarted: \(failure)") }
        try await waitUntilReady()
    }

    /// Ends the programs, and removes the folder. Returns when that is done.
    public func stop() async {
        await Self.onThread { [supervisor] in Self.end(supervisor) }
    }

    /// The leader of the session that the programs are in.
    package var leader: Int32 { supervisor.pid }

    private func waitUntilReady() async throws(SandboxError) {
        let problem = await Self.onThread { [supervisor] () -> String? in
            var output: [UInt8] = []
            // A failure to read ends the supervisor like the end of its output.
            while let more = try? supervisor.read(limit: 4096), !more.isEmpty {
                output += more
                if output == Array("ready\n".utf8) { return nil }
            }
            return String(decoding: output, as: UTF8.self)
        }
        if let problem {
            await stop()
            throw SandboxError("the sandbox did not start: \(problem)")
        }
    }

    /// The supervisor ends everything when its input ends. It takes ten seconds at most for each program.
    private static func end(_ supervisor: Subprocess) {
        supervisor.closeInput()
        // If the wait fails, the supervisor does its work all the same.
        _ = try? supervisor.wait(until: .now + .seconds(60))
    }

    private static func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "coffer.sandbox").async { continuation.resume(returning: body()) }
        }
    }
}

/// Why a sandbox did not start.
///
/// ```swift
/// do { try await SandboxBroker().stop() } catch { print("is Coffer installed? \(error)") }
/// ```
public struct SandboxError: Error, Sendable, CustomStringConvertible {
    /// What happened, in words for a person.
    public let message: String
    /// What to do about it; empty if there is nothing to do.
    public let advice: String

    init(_ message: String, advice: String = "") {
        self.message = message
        self.advice = advice
    }

    /// What happened and what to do, on one line.
    public var description: String { advice.isEmpty ? message : "\(message); \(advice)" }
}

extension SandboxError: LocalizedError {
    /// What happened: ``message``.
    public var errorDescription: String? { message }
    /// What to do about it: ``advice``.
    public var recoverySuggestion: String? { advice.isEmpty ? nil : advice }
}
