import Coffer
import CofferTestKit
import Foundation

/// Two brokers: one of a machine without a fingerprint reader, and one of a machine that has one. `TOUR_READER_SOCKET` and
/// `TOUR_READER_AUTH_SOCKET` name the sockets of the second. Without them, the keychain of CofferTestKit stands in for it.
struct Row04BiometricKeychain: Row {
    let number = 4
    let title = "Biometric keychain"
    let access = AccessControl.whenUnlocked.thisDeviceOnly.requiring(.biometryAny)

    func run(_ stage: TourRow) async throws {
        let keychain = stage.keychain
        let reader = Reader()
        let withReader = Keychain(service: stage.service, prompts: stage.person.prompts, backend: reader.backend)
        if try await withReader.status().state != .unlocked { try await withReader.unlock() }
        try await withReader.deleteEverything()
        _ = stage.person.takeShown()

        try await stage.verb("biometrics can be asked for, with the type; or not, with the reason") {
            let here = try await keychain.biometrics()
            try expect(!here.isAvailable)
            try expect(here.unavailableReason?.isEmpty == false)
            let there = try await withReader.biometrics()
            try expect(there.isAvailable)
            try expectEqual(there.kind, .fingerprint)
        }
        try await stage.verb("save with biometry-any, this device only, when unlocked") {
            let item = try await withReader.set("finger's", for: "me", access: access)
            try expectEqual(item.access.accessibility, .whenUnlocked)
            try expect(item.access.isThisDeviceOnly)
            try expectEqual(item.access.requirements, [.biometryAny])
        }
        try await stage.verb("load by a finger, with a reason, which the person sees") {
            try expectEqual(try await withReader.string(for: "me", reason: "Open your diary"), "finger's")
            let shown = stage.person.takeShown()
            try expectEqual(shown.questions, 0)
            try expect(shown.text.contains("Open your diary"))
            try expect(shown.text.localizedCaseInsensitiveContains("finger"))
        }
        try await stage.verb("save fails where biometrics are unavailable, and changes nothing") {
            try await keychain.set("mine", for: "me")
            for access in [access, .whenUnlocked.requiring(.biometryCurrentSet)] {
                try await expectError(.biometryNotAvailable) { try await keychain.set("x", for: "me", access: access) }
            }
            try expectEqual(try await keychain.string(for: "me"), "mine")
        }
        try await stage.verb("errors: failed, not found") {
            if let memory = reader.memory {
                try await withReader.set("bound", for: "bound", access: .whenUnlocked.requiring(.biometryCurrentSet))
                memory.changeEnrolledFingers()
                try await expectError(.biometryRefused) { _ = try await withReader.string(for: "bound") }
            } else {
                // The second finger on the reader is a stranger's.
                try await expectError(.biometryRefused) { _ = try await withReader.string(for: "me") }
            }
            try await expectError(.notFound) { _ = try await withReader.string(for: "nobody") }
        }
        try await withReader.deleteEverything()
    }
}

/// The machine that has a fingerprint reader.
private struct Reader {
    let backend: any KeychainBackend
    /// The stand-in, if there is no second broker.
    let memory: InMemoryKeychain?

    init() {
        let environment = ProcessInfo.processInfo.environment
        if let broker = environment["TOUR_READER_SOCKET"], let authenticator = environment["TOUR_READER_AUTH_SOCKET"] {
            backend = BrokerBackend(paths: SocketPaths(broker: broker, authenticator: authenticator))
            memory = nil
        } else {
            say("   (no fingerprint reader here; CofferTestKit stands in for it)")
            let memory = InMemoryKeychain(biometrics: Biometrics(kind: .fingerprint, unavailableReason: nil))
            self.memory = memory
            backend = memory
        }
    }
}
