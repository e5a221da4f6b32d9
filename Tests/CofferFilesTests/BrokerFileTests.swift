import Coffer
import Foundation
import TestSupport
import Testing
import Vault

@testable import CofferFiles

/// Files whose keys are items of a real broker.
@Suite struct BrokerFileTests {
    private func files(_ broker: ThrowAwayBroker, _ scratch: Scratch) -> ProtectedFiles {
        ProtectedFiles(
            service: "com.example.test", directory: .custom(scratch.root), prompts: .never,
            backend: BrokerBackend(
                paths: SocketPaths(
                    broker: broker.configuration.socket, authenticator: broker.folder.path + "/auth.sock")))
    }

    @Test func aFilesKeyIsAnItemWithItsAccessControl() async throws {
        let broker = try await ThrowAwayBroker { SoftwareSealer(directory: $0.vaultDirectory) }
        let client = try broker.client()
        try await broker.makeVault(client)
        let scratch = try Scratch()
        let files = files(broker, scratch)
        try await files.write(sample(100_000), to: "notes/a")
        #expect(try await files.read("notes/a") == sample(100_000))
        try await files.write([1, 2, 3], to: "notes/a")
        #expect(try await files.read("notes/a") == [1, 2, 3])
        try await files.move("notes/a", to: "notes/b")
        #expect(try await files.read("notes/b") == [1, 2, 3])
        // Presence: nobody can be asked here, so nobody reads it. Writing asks nobody.
        try await files.write([4], to: "gated", access: .whenUnlocked.requiring(.userPresence))
        #expect(await code { _ = try await files.read("gated") } == .authenticationNeeded)
        try await files.write([5], to: "gated")
        #expect(await code { _ = try await files.read("gated") } == .authenticationNeeded)
        #expect(await code { try await files.move("gated", to: "free") } == .authenticationNeeded)
        // A key that the broker refuses. Without it, the file would be lost.
        #expect(await code { try await files.write([6], to: "bound", access: .passcodeSet) } == .invalidArgument)
        #expect(await code { _ = try await files.read("bound") } == .notFound)
        try await files.deleteAll()
        #expect(try await files.list(recursively: true).isEmpty)
        let left = try await Keychain(
            service: "com.example.test",
            backend: BrokerBackend(paths: SocketPaths(broker: broker.configuration.socket))
        ).items(ofClass: .file).list()
        #expect(left.isEmpty)
        await broker.stop()
    }
}
