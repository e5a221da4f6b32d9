import Authorization
import Vault

@testable import Broker

extension Challenge.ItemUse {
    static func reading(
        _ service: String, _ account: String, _ ways: [[Challenge.Authorization]]
    ) throws -> Challenge.ItemUse {
        try Challenge.ItemUse(deed: .read, .sample(service, account), ways)
    }

    init(deed: Deed, _ subject: Challenge.Subject, _ ways: [[Challenge.Authorization]]) {
        self.init(deed: deed, subject: subject, ways: ways)
    }
}

extension Challenge.Subject {
    static func sample(_ service: String, _ account: String) throws -> Challenge.Subject {
        Challenge.Subject(item: try .random(), version: 1, service: service, account: account)
    }
}

extension Challenge.Request {
    /// One request of every kind, and of every shape that a kind has.
    /// - Parameter isMade: leave out what no client asks for.
    static func oneOfEach(made isMade: Bool = false) throws -> [Challenge.Request] {
        let presence = [[Challenge.Authorization(role: .presence, kind: .presence, point: [4])]]
        let others = [[Challenge.Authorization(role: .presence, kind: .presence, point: [5])]]
        let subject = try Challenge.Subject.sample("s", "a")
        let deeds: [Challenge.ItemUse.Deed] = [.read, .change, .rename(to: .init(service: "s", account: "b"))]
        let uses = deeds.flatMap { deed in
            [true, false].map {
                Challenge.Request.use(.init(deed: deed, subject: subject, ways: presence), unlocks: $0)
            }
        }
        let rotation = Challenge.Rotation(items: [subject], authorizations: presence[0], passwords: [:])
        let other = try Challenge.Subject.sample("s", "b")
        let together = try Challenge.JointRead(
            [subject, other], reason: nil, wanted: [(subject.item, presence), (other.item, others)])
        let joint = [true, false].map { Challenge.Request.readAll(together, unlocks: $0) }
        return uses + joint + (isMade ? [] : [.login]) + [
            .vault(.create), .vault(.unlock), .vault(.recovery), .vault(.bind), .vault(.unbind),
            .tieToBoot(registers: [7]), .vault(.releaseFromBoot), .vault(.approveBoot), .vault(.accept),
            .rotate(rotation), .enrolment([.biometryAny]), .enrolment([.biometryAny, .biometryCurrentSet]),
            .lease(together, Lease.Terms(seconds: 60, command: nil)),
        ]
    }
}
