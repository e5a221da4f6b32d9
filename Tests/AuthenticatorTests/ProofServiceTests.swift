import Authorization
import BrokerProtocol
import Testing

@testable import Authenticator

/// Which proof each signature takes, and when a way is not available.
struct ProofServiceTests {
    @Test(
        "each kind is earned by its own service; presence by any, an unlock by a password",
        arguments: [
            ([], [.anyFactor]),
            ([.unlock], [.anyFactor]),
            ([.recovery], [.anyFactor]),
            ([.circle], [.anyFactor]),
            ([.presence], [.anyFactor]),
            ([.unlock, .presence], [.anyFactor]),
            ([.passcode], [.passcode]),
            ([.presence, .passcode], [.passcode]),
            ([.unlock, .passcode], [.passcode]),
            ([.unlock, .presence, .passcode], [.passcode]),
            ([.biometryAny], [.biometric]),
            ([.biometryCurrentSet], [.biometric]),
            ([.presence, .biometryAny], [.biometric]),
            ([.biometryAny, .passcode], [.biometric, .passcode]),
            ([.presence, .biometryAny, .passcode], [.biometric, .passcode]),
            ([.unlock, .biometryAny], [.biometric, .anyFactor]),
            ([.circle, .biometryAny], [.biometric, .anyFactor]),
            ([.circle, .passcode], [.passcode]),
            ([.unlock, .biometryCurrentSet], [.biometric, .anyFactor]),
            ([.unlock, .biometryAny, .passcode], [.biometric, .passcode]),
        ] as [([AuthorizationKind], [ProofService])])
    func services(kinds: [AuthorizationKind], services: [ProofService]) {
        #expect(ProofService.needed(for: kinds) == services)
        #expect(ProofService.needed(for: kinds.reversed()) == services)
    }

    private func ways(_ kinds: [[AuthorizationKind]], unlocks: Bool = false) throws -> SignatureWays {
        let all = AuthorizationKind.allCases.filter { kind in kinds.contains { $0.contains(kind) } }
        let places = kinds.map { way in way.compactMap { all.firstIndex(of: $0) } }
        return try SignatureWays(all.map { .init(kind: $0.rawValue) }, places, for: .use(.reading, unlocks: unlocks))
    }

    @Test("no consent to reading or unlocking signs a statement about the members of a circle")
    func statements() throws {
        for kinds in [[.circle], [.presence, .circle], [.unlock, .presence, .circle]] as [[AuthorizationKind]] {
            for unlocks in [false, true] {
                #expect(throws: ConversationError.self) { try ways([kinds], unlocks: unlocks) }
            }
        }
    }

    @Test("the first way that can be gone is gone, whole, and no other")
    func choice() throws {
        let finger = BiometricAvailability.available
        let none = BiometricAvailability.unavailable(BiometryWords("the lid is closed", advice: "open it"))
        let either = try ways([[.biometryAny], [.passcode]])
        #expect(try either.choose(finger).map(\.kind) == [.biometryAny])
        #expect(try either.choose(none).map(\.kind) == [.passcode])
        let opening = try ways([[.unlock, .biometryAny], [.unlock, .passcode]], unlocks: true)
        #expect(try opening.choose(none).map(\.kind) == [.unlock, .passcode])
        #expect(try opening.choose(none).map(\.index) == [0, 2])
        let other = BiometricAvailability.otherFingers(BiometryWords("other fingers"))
        #expect(try ways([[.biometryCurrentSet], [.biometryAny]]).choose(other).map(\.kind) == [.biometryAny])
        #expect(throws: ConversationError.self) { try ways([[.biometryCurrentSet]]).choose(other) }
        let both = try ways([[.biometryAny, .passcode]])
        #expect(try both.choose(finger).map(\.kind) == [.biometryAny, .passcode])
        do throws(ConversationError) {
            _ = try both.choose(none)
            Issue.record("half of an “and” was chosen")
        } catch {
            #expect(error.reason == "biometry")
            #expect(error.fault?.details.message == "the lid is closed" && error.fault?.details.advice == "open it")
        }
    }
}
