import Authorization
import BrokerProtocol
import Circle
import Item
import Platform
import Testing
import Varlink

@testable import Broker
@testable import Vault

/// The rules of reading one by one, for what two checks refuse and the outside cannot tell apart.
struct ReadRuleTests {
    private let subject: Challenge.Subject
    private let other: Challenge.Subject
    private let process = ProcessIdentity(pid: 7, startTime: 70)

    init() throws {
        subject = try .sample("s", "a")
        other = try .sample("s", "b")
    }

    /// A read of the first item, by a user of their own vault unless something else is said.
    private func facts(
        uid: UInt32 = 1, owner: Owner = .user(1), standing: Standing = .own, own: VaultCondition? = nil,
        version: UInt64 = 1, access: AccessControl = .whenUnlocked, deed: Challenge.ItemUse.Deed = .read,
        together: [Challenge.Target]? = nil, jointUse: ReadFacts.JointUse = .read, granted: Challenge.Request? = nil
    ) -> ReadFacts {
        let item = ItemSummary(
            id: subject.item, version: version,
            metadata: Metadata(service: "s", account: "a", created: 1, modified: 1, valueSet: 1), access: access,
            revision: ItemRevision(digest: [UInt8](repeating: 1, count: 32)))
        let plan = ReadPlan(
            item: subject.item, version: version, accessibility: access.accessibility,
            alternatives: [ReadPlan.Alternative(agreements: [], passwordSalt: nil)])
        return ReadFacts(
            caller: Caller(uid: uid, process: process, connection: 1), vaultOwner: owner, standing: standing, own: own,
            item: item, plan: plan, lock: .unlocked(since: 1), mayUnlock: false, hasPassword: false, deed: deed,
            together: together, jointUse: jointUse, granted: granted.map(grant))
    }

    private func grant(_ request: Challenge.Request) -> GrantedChallenge {
        GrantedChallenge(
            challenge: Challenge(
                id: "c", uid: 1, owner: .user(1), process: process, reason: nil, enrolled: [],
                life: ChallengeLife(request), expires: .now), grant: ChallengeLife.Grant())
    }

    private func refusal(_ verdict: Verdict) -> Fault? {
        switch verdict {
        case .pass: nil
        case .refuse(let fault): fault
        case .needsOpenVault, .needsPerson: Fault(.authenticationRequired)
        }
    }

    @Test("an owner reads, a member of the owning group, and root where nobody can be asked; others find nothing")
    func membership() {
        let table: [(Standing, Owner, UInt32, Bool)] = [
            (.own, .user(1), 1, true), (.own, .user(2), 1, false), (.own, .group(1), 1, false),
            (.member, .group(5), 1, true), (.member, .user(1), 1, false),
            (.root, .user(5), 0, true), (.root, .user(5), 1, false), (.root, .group(5), 0, false),
        ]
        for (standing, owner, uid, isEntitled) in table {
            let found = refusal(MembershipRule.verdict(on: facts(uid: uid, owner: owner, standing: standing)))
            #expect(found == (isEntitled ? nil : Faults.notFound), "\(standing) \(owner) \(uid)")
        }
    }

    @Test("a member reads only while their own vault is open, an owner and root in any case")
    func ownVault() {
        for own in [VaultCondition.none, .sealed, .locked] as [VaultCondition] {
            #expect(refusal(OwnVaultRule.verdict(on: facts(standing: .member, own: own))) == Faults.ownLocked)
        }
        #expect(refusal(OwnVaultRule.verdict(on: facts(standing: .member))) == Faults.ownLocked)
        #expect(refusal(OwnVaultRule.verdict(on: facts(standing: .member, own: .unlocked))) == nil)
        #expect(refusal(OwnVaultRule.verdict(on: facts(standing: .own, own: .locked))) == nil)
        #expect(refusal(OwnVaultRule.verdict(on: facts(standing: .root))) == nil)
    }

    @Test("root reads for an account what asks nobody, and nothing else")
    func root() {
        #expect(refusal(RootRule.verdict(on: facts(standing: .root))) == nil)
        #expect(refusal(RootRule.verdict(on: facts(standing: .root, access: .presence)))?.name == .notPermitted)
        #expect(refusal(RootRule.verdict(on: facts(standing: .own, access: .presence))) == nil)
        #expect(refusal(RootRule.verdict(on: facts(standing: .member, access: .presence))) == nil)
    }

    @Test("consent to use one item is consent to this item, version and deed, and to no call about several")
    func single() {
        func use(_ subject: Challenge.Subject, _ deed: Challenge.ItemUse.Deed = .read) -> Challenge.Request {
            .use(Challenge.ItemUse(deed: deed, subject, [[]]), unlocks: false)
        }
        func found(_ facts: ReadFacts) -> Fault? { refusal(GrantRule.verdict(on: facts)) }
        #expect(found(facts()) == nil)
        #expect(found(facts(granted: .vault(.unlock))) == nil)
        #expect(found(facts(granted: use(subject))) == nil)
        #expect(found(facts(granted: use(other))) == Faults.challengeRefused)
        #expect(found(facts(version: 2, granted: use(subject))) == Faults.challengeRefused)
        #expect(found(facts(deed: .change, granted: use(subject))) == Faults.challengeRefused)
        #expect(found(facts(granted: use(subject, .change))) == Faults.challengeRefused)
        #expect(found(facts(deed: .change, granted: use(subject, .change))) == nil)
        #expect(found(facts(together: [subject.target], granted: use(subject))) == Faults.challengeRefused)
    }

    @Test("consent to use several is consent to these, in their versions and order, for what was shown")
    func several() throws {
        let presence = [[Challenge.Authorization(role: .presence, kind: .presence, point: [4])]]
        func read(_ subjects: [Challenge.Subject]) throws -> Challenge.JointRead {
            try Challenge.JointRead(subjects, reason: nil, wanted: [(subject.item, presence)])
        }
        let receivers = ReleaseReceivers(
            devices: [try CirclePlan.keys(1).device], names: [MachineName(near: "laptop")])
        let both = try read([subject, other])
        let requests: [(ReadFacts.JointUse, Challenge.Request)] = [
            (.read, .readAll(both, unlocks: false)),
            (.lease, .lease(both, Lease.Terms(seconds: 60, command: nil))), (.release, .release(both, receivers)),
        ]
        let targets = [subject.target, other.target]
        func found(
            _ request: Challenge.Request, _ use: ReadFacts.JointUse, _ together: [Challenge.Target]?,
            version: UInt64 = 1
        ) -> Fault? {
            refusal(
                GrantRule.verdict(
                    on: facts(version: version, together: together, jointUse: use, granted: request)))
        }
        for (number, (_, request)) in requests.enumerated() {
            for (place, (use, _)) in requests.enumerated() {
                let isSame = number == place
                #expect(found(request, use, targets) == (isSame ? nil : Faults.challengeRefused), "\(number) \(place)")
            }
        }
        for (use, request) in requests {
            for others in [[other.target, subject.target], [subject.target], nil] as [[Challenge.Target]?] {
                #expect(found(request, use, others) == Faults.challengeRefused)
            }
            #expect(found(request, use, targets, version: 2) == Faults.challengeRefused)
        }
    }
}
