import Coffer
import CofferTestKit

/// A sandbox has no fingerprint reader. What a finger opens is shown with the keychain of CofferTestKit, which answers as
/// the broker does.
struct Row04BiometricKeychain: Row {
    let number = 4
    let title = "Biometric keychain"
    let access = AccessControl.whenUnlocked.thisDeviceOnly.requiring(.biometryAny)

    func run(_ stage: Stage) async throws {
        let keychain = stage.keychain
        let fingers = InMemoryKeychain(biometrics: Biometrics(kind: .fingerprint, unavailableReason: nil))
        let withReader = Keychain(service: stage.service, prompts: stage.person.prompts, backend: fingers)

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
        try await stage.verb("load with a reason, which the person sees") {
            try expectEqual(try await withReader.string(for: "me", reason: "Open your diary"), "finger's")
            try expect(stage.person.takeShown().text.contains("Open your diary"))
            // The real broker and PAM ask for the password instead.
            try await keychain.set("mine", for: "me", access: .whenUnlocked.thisDeviceOnly.requiring(.userPresence))
            try expectEqual(try await keychain.string(for: "me", reason: "Open your diary"), "mine")
            let shown = stage.person.takeShown()
            try expectEqual(shown.questions, 1)
            try expect(shown.text.contains("Open your diary"))
        }
        try await stage.verb("save fails where biometrics are unavailable, and changes nothing") {
            for access in [access, .whenUnlocked.requiring(.biometryCurrentSet)] {
                try await expectError(.biometryRefused) { try await keychain.set("x", for: "me", access: access) }
            }
            try expectEqual(try await keychain.string(for: "me"), "mine")
        }
        try await stage.verb("errors: failed, not found") {
            stage.person.types("wrong")
            try await expectError(.wrongPassword) { _ = try await keychain.string(for: "me") }
            try await expectError(.notFound) { _ = try await keychain.string(for: "nobody") }
            try await withReader.set("bound", for: "bound", access: .whenUnlocked.requiring(.biometryCurrentSet))
            fingers.changeEnrolledFingers()
            try await expectError(.biometryRefused) { _ = try await withReader.string(for: "bound") }
        }
    }
}
