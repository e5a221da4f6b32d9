import CofferTestKit
import TestSupport
import Testing

@testable import Coffer
@testable import CofferClient

/// An access control that contradicts itself is refused by every call that gets one, before anything is sent: nobody
/// serves the socket of these keychains.
@Suite struct ContradictionTests {
    private static let wrong: [AccessControl] = [
        .whenUnlocked.requiring(.biometryAny, .biometryCurrentSet),
        .whenUnlocked.requiring(.biometryAny).requiring(.biometryCurrentSet).thisDeviceOnly,
        .always.requiring(.devicePasscode).requiringAny(of: .userPresence, .biometryAny),
        .whenUnlocked.requiringAny(),
    ]

    private func code(
        _ body: () async throws(KeychainError) -> Void, location: SourceLocation = #_sourceLocation
    ) async -> KeychainError.Code? {
        do throws(KeychainError) {
            try await body()
            return nil
        } catch { return error.code }
    }

    @Test(arguments: wrong, [false, true])
    func nothingIsSent(access: AccessControl, inMemory: Bool) async throws {
        let folder = try TemporaryFolder()
        let memory = InMemoryKeychain()
        let broker = BrokerBackend(paths: SocketPaths(broker: folder.path + "/nobody"))
        let backend: any KeychainBackend = inMemory ? memory : broker
        let keychain = Coffer.Keychain(service: "s", backend: backend)
        let (name, item) = (keychain.name("a"), NewItem(value: [1], access: access))
        let calls: [(String, () async throws(KeychainError) -> Void)] = [
            ("set", { () async throws(KeychainError) in try await keychain.set("x", for: "a", access: access) }),
            ("value", { () async throws(KeychainError) in try await keychain.set(value: 1, for: "a", access: access) }),
            (
                "temporary",
                { () async throws(KeychainError) in
                    try await keychain.setTemporary("x", for: "a", lifetime: .seconds(9), access: access)
                }
            ),
            (
                "update",
                { () async throws(KeychainError) in
                    try await keychain.update(for: "a", access: access) { _ in "x" }
                }
            ),
            ("edit", { () async throws(KeychainError) in try await keychain.edit("a", ItemEdit(access: access)) }),
            ("apply", { () async throws(KeychainError) in try await keychain.apply([ItemChange(name, .set(item))]) }),
            (
                "backend set",
                { () async throws(KeychainError) in
                    _ = try await backend.set(name, to: item, if: .none, prompts: .never, in: .own)
                }
            ),
            (
                "backend apply",
                { () async throws(KeychainError) in
                    _ = try await backend.apply([ItemChange(name, .set(item))], prompts: .never, in: .own)
                }
            ),
        ]
        for (what, call) in calls { #expect(await code(call) == .invalidArgument, "\(what)") }
        let reached = await code { () async throws(KeychainError) in _ = try await keychain.accounts() }
        #expect((reached == nil) == inMemory)
        if inMemory { #expect(try await keychain.accounts().isEmpty) }
    }

    @Test func theErrorSaysWhatToDo() throws {
        do throws(KeychainError) {
            _ = try Self.wrong[0].checked
            Issue.record("a contradiction")
        } catch {
            #expect(
                error.description
                    == "“biometry” and “biometry-current-set” exclude each other; name one of them")
        }
    }
}
