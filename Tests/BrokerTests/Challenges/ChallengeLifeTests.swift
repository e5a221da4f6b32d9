import Authorization
import BrokerProtocol
import Cryptography
import Platform
import TestSupport
import Testing
import Vault

@testable import Broker

/// A challenge's life as a state machine, without store, socket, clock or TPM.
struct ChallengeLifeTests {
    private func described(_ request: Challenge.Request) throws -> ChallengeLife {
        var life = ChallengeLife(request)
        try life.describe(over: 1)
        return life
    }

    private func sign(_ life: inout ChallengeLife, _ index: Int) throws -> ChallengeLife.Action {
        _ = try life.begin(index, over: 1)
        return try life.finish(index, over: 1, agreement: .random(count: 32), means: nil)
    }

    @Test("nobody gets a grant without the last signature, and nobody gets what was released to be sealed again")
    func grants() throws {
        for request in try Challenge.Request.oneOfEach() where !request.choice.isEmpty {
            var life = try described(request)
            let way = try #require(request.choice.alternatives.first)
            for (number, index) in way.enumerated() {
                #expect(throws: ChallengeRefusal.notGranted, "\(request.purposes)") { try life.redeem() }
                let action = try sign(&life, index)
                let isLast = number == way.count - 1
                switch request {
                case .rotate: #expect(action == .none)
                case .login: #expect(action == (isLast ? .end : .none))
                // Many signatures take time, which begins anew with the first, and only then.
                case .readAll, .lease, .release:
                    #expect(action == (isLast ? .startGrant : number == 0 ? .restartAnswer : .none))
                default: #expect(action == (isLast ? .startGrant : .none), "\(request.purposes)")
                }
            }
            switch request {
            case .rotate, .login: #expect(throws: ChallengeRefusal.notGranted) { try life.redeem() }
            case .readAll, .lease, .release:
                // Each point has what was agreed on for it, and no other has the same.
                let grant = try life.redeem()
                #expect(Set(grant.agreements.keys) == [[4], [5]] && grant.agreements[[4]] != grant.agreements[[5]])
            default:
                let grant = try life.redeem()
                #expect((grant.agreements.isEmpty && grant.key == nil) == request.resealsRoots, "\(request.purposes)")
            }
        }
    }

    @Test("the wire has one word for each purpose")
    func words() {
        for kind in RequestKind.allCases { #expect(Keychain.Purpose(kind).rawValue == kind.purpose) }
        #expect(Set(RequestKind.allCases.map { Keychain.Purpose($0) }) == Set(Keychain.Purpose.allCases))
    }

    @Test("only what needs no signature is granted without one")
    func confirmations() throws {
        for request in try Challenge.Request.oneOfEach() {
            var life = try described(request)
            switch request.kind {
            case .accept, .enrolment, .joinCircle:
                #expect(try life.confirm(over: 1) == .startGrant)
                #expect(try life.redeem().agreements.isEmpty)
            default:
                #expect(throws: ChallengeRefusal.anotherRequest, "\(request.purposes)") { try life.confirm(over: 1) }
                #expect(throws: ChallengeRefusal.notGranted) { try life.redeem() }
            }
        }
    }

    @Test("a root is held once and replaced once; a login's is never held")
    func roots() throws {
        var life = try described(.vault(.bind))
        let (root, next) = (try SecretBytes.random(count: 32), try SecretBytes.random(count: 32))
        #expect(throws: ChallengeRefusal.outOfOrder) { try life.replace(by: next, sealedAs: [1], over: 1) }
        #expect(throws: ChallengeRefusal.outOfOrder) { try life.hold(root, over: 2) }
        try life.hold(root, over: 1)
        #expect(throws: ChallengeRefusal.outOfOrder) { try life.hold(root, over: 1) }
        try life.replace(by: next, sealedAs: [1], over: 1)
        #expect(throws: ChallengeRefusal.outOfOrder) { try life.replace(by: root, sealedAs: [2], over: 1) }
        guard case .replacement(let held, let name) = try life.conversation(over: 1).root else {
            Issue.record("the replacement is held")
            return
        }
        #expect(held == next && name == [1])
        var login = ChallengeLife(ofLoginOver: 1)
        #expect(throws: ChallengeRefusal.outOfOrder) { try login.hold(root, over: 1) }
    }

    @Test("a wrong password is forgiven once")
    func retries() throws {
        var life = try described(.vault(.unlock))
        _ = try life.begin(0, over: 1)
        try life.retry(0, over: 1)
        _ = try life.begin(0, over: 1)
        #expect(throws: ChallengeRefusal.outOfOrder) { try life.retry(0, over: 1) }
    }

    @Test("a renewal forgets the application passwords once they were used, and is granted by its outcome alone")
    func renewal() throws {
        let item = try ItemID.random()
        let subject = Challenge.Subject(item: item, version: 1, service: "s", account: "a")
        let stretched = try StretchedPassword(SecretBytes(copying: Array("password".utf8)))
        let password = RenewedPassword(reading: stretched, storing: stretched)
        let rotation = Challenge.Rotation(items: [subject], authorizations: [], passwords: [item: password])
        var life = try described(.rotate(rotation))
        let outcome = RenewalOutcome(items: 1, isRevoked: true)
        #expect(throws: ChallengeRefusal.outOfOrder) { try life.finishRenewal(outcome, over: 1) }
        #expect(throws: ChallengeRefusal.outOfOrder) { try life.fillSuccessor(over: 1) }
        #expect(try life.beginRenewal(over: 1) == .restartAnswer)
        #expect(try sign(&life, 0) == .none)
        try life.fillSuccessor(over: 1)
        guard case .rotate(let left) = life.request else {
            Issue.record("the request stays what it was")
            return
        }
        #expect(left.passwords.isEmpty && left.items == [subject])
        // Neither does the access log get any.
        let ended = Challenge(
            id: "", uid: 1, owner: .user(1), process: ProcessIdentity(pid: 1, startTime: 1), reason: nil, enrolled: [],
            life: try described(.rotate(rotation)), expires: .now)
        #expect(ended.passwords.count == 1 && ended.withoutSecrets.passwords.isEmpty)
        #expect(ended.withoutSecrets.life.isIssued)
        // The successor's own opening is signed before the registry is told.
        #expect(throws: ChallengeRefusal.outOfOrder) { try life.finishRenewal(outcome, over: 1) }
        #expect(try sign(&life, 0) == .none)
        #expect(try life.finishRenewal(outcome, over: 1) == .startGrant)
        #expect(try life.redeem().renewal?.items == 1)
    }
}
