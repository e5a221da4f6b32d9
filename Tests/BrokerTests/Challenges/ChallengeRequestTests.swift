import Authorization
import BrokerProtocol
import Circle
import Item
import Platform
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// When two requests are the same, how many there may be, and which vault a request is about.
struct ChallengeRequestTests {
    @Test("a request repeats itself and no other; opening the vault and renewing its keys are one thing each")
    func repeats() throws {
        let requests = try Challenge.Request.oneOfEach()
        for (place, request) in requests.enumerated() {
            for (other, another) in requests.enumerated() {
                // A circle that is begun has other keys each time.
                let isSame = place == other && request.kind != .foundCircle
                let isOneThing = request.kind == another.kind && (request.kind == .unlock || request.kind == .rotate)
                #expect(
                    request.repeats(another) == (isSame || isOneThing), "\(request.purposes) \(another.purposes)")
            }
        }
    }

    @Test("another version, another name, other items, another time and other machines are other requests")
    func differences() throws {
        let subject = try Challenge.Subject.sample("s", "a")
        let later = Challenge.Subject(item: subject.item, version: 2, service: "s", account: "a")
        let way = [Challenge.Authorization(role: .presence, kind: .presence, point: [4])]
        func use(_ deed: Challenge.ItemUse.Deed, _ subject: Challenge.Subject) -> Challenge.Request {
            .use(.init(deed: deed, subject: subject, ways: [way]), unlocks: false)
        }
        #expect(use(.read, subject).repeats(use(.read, subject)) && !use(.read, subject).repeats(use(.read, later)))
        // Names that a person cannot tell apart can still be two.
        let one = Challenge.Name(service: "s", account: "\u{E9}")
        let other = Challenge.Name(service: "s", account: "e\u{301}")
        #expect(use(.rename(to: one), subject).repeats(use(.rename(to: one), subject)))
        #expect(!use(.rename(to: one), subject).repeats(use(.rename(to: other), subject)))
        let read = try Challenge.JointRead([subject], reason: nil, wanted: [(subject.item, [way])])
        let another = try Challenge.JointRead([later], reason: nil, wanted: [(subject.item, [way])])
        let terms = Lease.Terms(seconds: 60, command: "make")
        let lease = Challenge.Request.lease(read, terms)
        #expect(lease.repeats(.lease(read, Lease.Terms(seconds: 60, command: "make"))))
        #expect(!lease.repeats(.lease(another, terms)))
        #expect(!lease.repeats(.lease(read, Lease.Terms(seconds: 61, command: "make"))))
        #expect(!Challenge.Request.readAll(read, unlocks: false).repeats(.readAll(another, unlocks: false)))
        let receivers = try ([1, 2] as [UInt8]).map { number in
            ReleaseReceivers(devices: [try CirclePlan.keys(number).device], names: [MachineName(near: "laptop")])
        }
        let release = Challenge.Request.release(read, receivers[0])
        #expect(release.repeats(.release(read, receivers[0])) && !release.repeats(.release(read, receivers[1])))
        #expect(!release.repeats(.release(another, receivers[0])))
    }

    private func challenge(_ owner: Owner, uid: UInt32) -> Challenge {
        Challenge(
            id: "", uid: uid, owner: owner, process: ProcessIdentity(pid: 1, startTime: 1), reason: nil, enrolled: [],
            life: ChallengeLife(.vault(.create)), expires: .now)
    }

    @Test("a vault that root makes for a service takes nobody's share, and a group's that of the member who makes it")
    func maker() {
        #expect(challenge(.user(7), uid: 0).isForService && challenge(.user(7), uid: 0).maker == nil)
        #expect(!challenge(.user(0), uid: 0).isForService && challenge(.user(0), uid: 0).maker == 0)
        #expect(!challenge(.group(7), uid: 5).isForService && challenge(.group(7), uid: 5).maker == 5)
    }

    // MARK: Room

    @Test("a user with few challenges gets one even if others have nearly all, and nobody more than there are")
    func reserve() throws {
        let process = try TestAuthenticator.thisProcess()
        func store() -> ChallengeStore {
            let all = BudgetLimits.Limit(user: 64, all: 6, reserve: 2, ensured: 2)
            return ChallengeStore(
                limits: .init(openPerUser: 8, all: all, life: .seconds(60)), clock: TestClock().clock)
        }
        func isIssued(_ store: ChallengeStore, _ uid: UInt32) throws -> Bool {
            do {
                let caller = Caller(uid: uid, process: process, connection: 1)
                _ = try store.issue(.vault(.unlock), to: caller, owner: .user(uid), vault: VaultID.random())
                return true
            } catch let fault as Fault {
                #expect(fault.name == .limitExceeded)
                return false
            }
        }
        let greedy = store()
        for isTaken in [true, true, true, true, false] { #expect(try isIssued(greedy, 1) == isTaken) }
        for isTaken in [true, true, false] { #expect(try isIssued(greedy, 2) == isTaken) }
        #expect(try !isIssued(greedy, 3))
        // One place is left, which is for those who have fewer than two.
        let fair = store()
        for uid in [1, 1, 1, 2, 2] as [UInt32] { #expect(try isIssued(fair, uid)) }
        #expect(try !isIssued(fair, 2))
        #expect(try isIssued(fair, 3))
    }

    @Test("a login's report takes none of the places of the user's questions")
    func logins() throws {
        let caller = Caller(uid: 1, process: try TestAuthenticator.thisProcess(), connection: 1)
        let store = ChallengeStore(limits: .init(openPerUser: 1, life: .seconds(60)), clock: TestClock().clock)
        for _ in 0..<70 { _ = try store.report(of: 1, by: caller, vault: VaultID.random()) }
        _ = try store.issue(.vault(.bind), to: caller, owner: .user(1), vault: VaultID.random())
        #expect(throws: Fault.self) {
            _ = try store.issue(.vault(.recovery), to: caller, owner: .user(1), vault: VaultID.random())
        }
    }

    // MARK: Prompts

    @Test("a text takes as much room in a prompt as its longest spelling")
    func texts() {
        #expect(PromptRoom.most(for: "") == 2)
        #expect(PromptRoom.most(for: "a ~") == 5)
        #expect(PromptRoom.most(for: "\"\\") == 6)
        #expect(PromptRoom.most(for: "\u{E9}") == 12 && PromptRoom.most(for: "\n\u{7F}") == 22)
    }

    @Test("names fill a prompt to its last character, and one more is refused")
    func room() throws {
        func read(_ count: Int, reason: String? = nil) throws -> Challenge.JointRead {
            let item = try Challenge.Subject.sample(String(repeating: "s", count: count), "")
            return try Challenge.JointRead([item], reason: reason, wanted: [])
        }
        // The quotes of four texts, the reason's with them, and what stands after each of the other three.
        let rest = JointReadLimits.line + FieldName.secret.text.utf8.count + 4 * 2 + 3 * 2
        let most = JointReadLimits.room - rest
        #expect(try read(most).items.count == 1)
        #expect(throws: Fault.self) { _ = try read(most + 1) }
        #expect(try read(most - 3, reason: "abc").items.count == 1)
        #expect(throws: Fault.self) { _ = try read(most - 2, reason: "abc") }
    }

    @Test("of several ways those with the fewest kinds come first, and none that has a kind too many")
    func ways() throws {
        let kinds: [AuthorizationKind] = [.presence, .passcode, .biometryAny]
        let keys = kinds.map { Challenge.Authorization(role: $0.role, kind: $0, point: [4]) }
        func names(_ items: [[[Challenge.Authorization]]]) -> [[AuthorizationKind]] {
            Challenge.JointRead.joined(items).map { $0.map(\.kind) }
        }
        #expect(names([]) == [[]])
        #expect(names([[[keys[0]]], [[keys[1]]]]) == [[.presence, .passcode]])
        let joined = names([[[keys[0]], [keys[1]]], [[keys[1]], [keys[2]]]])
        #expect(joined == [[.passcode, .passcode], [.presence, .biometryAny]])
        #expect(names([[[keys[0], keys[1]], [keys[2]]]]) == [[.biometryAny], [.presence, .passcode]])
    }
}
