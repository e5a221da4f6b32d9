import BrokerProtocol
import Testing
import Varlink

@testable import Coffer
@testable import CofferClient

/// What comes next in a call that may need a person. Attacker 9: a broker that was taken over wears nobody out.
@Suite struct CallLifeTests {
    private typealias Purpose = BrokerProtocol.Keychain.Purpose

    private static func need(_ challenge: String, _ purposes: [Purpose], isLeased: Bool = false) -> Fault {
        var details = Fault.Details(challenge: challenge, purposes: purposes.map(\.rawValue))
        details.leased = isLeased
        return Fault(.authenticationRequired, details)
    }

    private static let refused = Fault(.challengeRefused, "it is outdated")
    private static let outdated = KeychainError(.requestOutdated, "another prompt was faster")

    private static func pause(_ step: CallLife.Step) -> Duration? {
        if case .call(let pause) = step { pause } else { nil }
    }

    @Test func aPersonIsAskedAndTheCallRepeated() throws {
        var life = CallLife(begins: 8)
        let first = life.challenge
        #expect(first == nil)
        let step = try life.heard(Self.need("c1", [.read]), about: "github/me")
        #expect(step == .ask("c1", [.read]))
        life.passed("c1")
        let second = life.challenge
        #expect(second == "c1")
    }

    /// One that is open may turn out to need the person for something else, once each.
    @Test func aPersonIsAskedOnceForEachPurpose() throws {
        var life = CallLife(begins: 8)
        _ = try life.heard(Self.need("c1", [.unlock]), about: nil)
        life.passed("c1")
        let step = try life.heard(Self.need("c2", [.read]), about: nil)
        #expect(step == .ask("c2", [.read]))
        life.passed("c2")
        for purposes: [Purpose] in [[.read], [.unlock], [.unlock, .create], []] {
            do throws(KeychainError) {
                _ = try life.heard(Self.need("c3", purposes), about: nil)
                Issue.record("\(purposes) is asked for again")
            } catch { #expect(error.code == .requestOutdated) }
        }
    }

    /// Unknown purposes are those of a later broker, and nobody is asked for nothing.
    @Test func nothingIsNoPurpose() {
        var life = CallLife(begins: 8)
        var details = Fault.Details(challenge: "c1", purposes: ["juggle"])
        details.leased = false
        do throws(KeychainError) {
            _ = try life.heard(Fault(.authenticationRequired, details), about: nil)
            Issue.record("somebody is asked for nothing")
        } catch { #expect(error.code == .requestOutdated) }
    }

    @Test func aPurposeThatRepeatsIsCounted() throws {
        var life = CallLife(repeats: [.rotate: 3], begins: 8)
        for number in 1...3 {
            let step = try life.heard(Self.need("c\(number)", [.rotate]), about: nil)
            #expect(step == .ask("c\(number)", [.rotate]))
            life.passed("c\(number)")
        }
        do throws(KeychainError) {
            _ = try life.heard(Self.need("c4", [.rotate]), about: nil)
            Issue.record("a fourth time")
        } catch { #expect(error.code == .requestOutdated && error.message.contains("more often")) }
    }

    @Test func aLeaseIsTriedOnce() throws {
        var life = CallLife(begins: 8)
        let first = try life.heard(Self.need("c1", [.read], isLeased: true), about: nil)
        #expect(first == .sign("c1"))
        life.signed(nil)
        let challenge = life.challenge
        #expect(challenge == nil)
        let second = try life.heard(Self.need("c2", [.read], isLeased: true), about: nil)
        #expect(second == .ask("c2", [.read]))
    }

    /// A person's password would go to the same process.
    @Test func aLeaseBehindAForeignSocketEndsTheCall() throws {
        var life = CallLife(begins: 8)
        _ = try life.heard(Self.need("c1", [.read], isLeased: true), about: nil)
        do throws(KeychainError) {
            try life.notSigned(KeychainError(.authenticatorUntrusted, "it is another user's"))
            Issue.record("a person is asked by a foreign socket")
        } catch { #expect(error.code == .authenticatorUntrusted) }
        try life.notSigned(KeychainError(.authenticatorUnreachable, "it has ended"))
        let step = try life.heard(Self.need("c2", [.read], isLeased: true), about: nil)
        #expect(step == .ask("c2", [.read]))
    }

    /// The lease ends after its signature: the call is made anew, and a person is asked.
    @Test func aLeaseThatEndsCostsNothing() throws {
        var life = CallLife(begins: 8)
        _ = try life.heard(Self.need("c1", [.read], isLeased: true), about: nil)
        life.signed("c1")
        let again = try life.heard(Self.refused, about: nil)
        #expect(again == .call(after: .zero))
        let challenge = life.challenge
        #expect(challenge == nil)
        let step = try life.heard(Self.need("c2", [.read], isLeased: true), about: nil)
        #expect(step == .ask("c2", [.read]))
        life.passed("c2")
        // A person's answer is no lease's.
        #expect(throws: KeychainError.self) { try Self.refuse(&life) }
    }

    private static func refuse(_ life: inout CallLife) throws(KeychainError) {
        _ = try life.heard(Self.refused, about: nil)
    }

    /// Another prompt opens the vault while this one is open, again and again, and has more time each time.
    @Test func anotherPromptIsLetPass() throws {
        var life = CallLife(begins: 8)
        var pauses: [Duration] = []
        for number in 1...8 {
            let step = try life.heard(Self.need("c\(number)", [.unlock]), about: nil)
            #expect(step == .ask("c\(number)", [.unlock]))
            pauses.append(try life.failed(Self.outdated))
            let challenge = life.challenge
            #expect(challenge == nil)
        }
        #expect(pauses == [100, 200, 400, 800, 1600, 3000, 3000, 3000].map { Duration.milliseconds($0) })
        _ = try life.heard(Self.need("c9", [.unlock]), about: nil)
        do throws(KeychainError) {
            _ = try life.failed(Self.outdated)
            Issue.record("a ninth time")
        } catch { #expect(error.code == .requestOutdated) }
    }

    /// Only a vault can be opened by somebody else's prompt, and only "outdated" says so.
    @Test func otherFailuresAreFinal() throws {
        for (purpose, error) in [(Purpose.read, Self.outdated), (.unlock, KeychainError.cancelledByPerson)] {
            var life = CallLife(begins: 8)
            _ = try life.heard(Self.need("c1", [purpose]), about: nil)
            do throws(KeychainError) {
                _ = try life.failed(error)
                Issue.record("\(purpose): \(error)")
            } catch let thrown { #expect(thrown.code == error.code) }
        }
    }

    @Test func oneAnswerMayBeLost() throws {
        var life = CallLife(begins: 8)
        _ = try life.heard(Self.need("c1", [.unlock]), about: nil)
        life.passed("c1")
        let step = try life.heard(Self.refused, about: nil)
        #expect(Self.pause(step) == .milliseconds(100))
        _ = try life.heard(Self.need("c2", [.unlock]), about: nil)
        life.passed("c2")
        #expect(throws: KeychainError.self) { try Self.refuse(&life) }
    }

    /// What is refused without a person is the caller's affair.
    @Test func otherErrorsEndTheCall() {
        for fault in [Fault(.notFound, "no"), Fault(.authenticationRequired, "without a challenge"), Self.refused] {
            var life = CallLife(begins: 8)
            do throws(KeychainError) {
                _ = try life.heard(fault, about: "github/me")
                Issue.record("\(fault.name)")
            } catch { #expect(!error.message.isEmpty) }
        }
    }

    /// Nobody was asked yet, so the purposes are new ones.
    @Test func afterAWaitAllIsAsInTheBeginning() throws {
        var life = CallLife(begins: 8)
        _ = try life.heard(Self.need("c1", [.read]), about: nil)
        life.waited()
        let step = try life.heard(Self.need("c2", [.read]), about: nil)
        #expect(step == .ask("c2", [.read]))
    }

    /// A renewal of all keys never begins anew.
    @Test func aCallWithoutABeginningLosesNoAnswerAndLetsNoPromptPass() throws {
        var life = CallLife(begins: 0)
        _ = try life.heard(Self.need("c1", [.unlock]), about: nil)
        do throws(KeychainError) {
            _ = try life.failed(Self.outdated)
            Issue.record("it began anew")
        } catch { #expect(error.code == .requestOutdated) }
        var other = CallLife(begins: 0)
        _ = try other.heard(Self.need("c1", [.unlock]), about: nil)
        other.passed("c1")
        #expect(throws: KeychainError.self) { try Self.refuse(&other) }
    }

    /// The lease was signed for, and was not enough. What the person has answered since is no lease's.
    @Test func anAnswerAfterALeaseIsThePersons() throws {
        var life = CallLife(begins: 8)
        _ = try life.heard(Self.need("c1", [.read], isLeased: true), about: nil)
        life.signed("c1")
        let step = try life.heard(Self.need("c2", [.read], isLeased: true), about: nil)
        #expect(step == .ask("c2", [.read]))
        life.passed("c2")
        #expect(throws: KeychainError.self) { try Self.refuse(&life) }
    }

    /// Others have taken time, and a lease may be there now.
    @Test func afterAWaitALeaseIsTriedOnceMore() throws {
        var life = CallLife(begins: 8)
        _ = try life.heard(Self.need("c1", [.read], isLeased: true), about: nil)
        life.signed("c1")
        life.waited()
        let challenge = life.challenge
        #expect(challenge == nil)
        let step = try life.heard(Self.need("c2", [.read], isLeased: true), about: nil)
        #expect(step == .sign("c2"))
    }
}
