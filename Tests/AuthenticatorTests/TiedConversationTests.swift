import Authorization
import BrokerProtocol
import Foundation
import Platform
import Testing
import Varlink

/// What the real authenticator registers about the boot: what the person was asked for, and what a vault can be tied
/// to.
struct TiedConversationTests {
    private static let policy = Data([UInt8](repeating: 3, count: 32)).base64EncodedString()
    private static let roots = ["1", "2", "3"]

    private static func name(_ byte: UInt8) -> String {
        Data([0, 11] + [UInt8](repeating: byte, count: 32)).base64EncodedString()
    }

    private static func names(_ roles: [String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: roles.enumerated().map { ($0.element, name(UInt8(0x70 + $0.offset))) })
    }

    private static let tie = BrokerInterface.Tie(
        index: BrokerInterface.PINIndex(handle: 0x01B0_C001, policy: policy), registers: [4, 7])

    private func fixture(
        tied: Bool = false, _ purposes: [Keychain.Purpose] = [.tieToBoot], _ kinds: [String] = ["unlock", "recovery"]
    ) throws -> Fixture {
        let index = try #require(IndexPin(handle: 0x01B0_C000, policy: [UInt8](repeating: 3, count: 32)))
        let boot = try #require(BootPin(index: index, registers: [4, 7]))
        let fixture = try Fixture(
            .init(changeRecord: { record in
                let sealed = record.sealedByTPM
                let key = [0, 11] + [UInt8](repeating: 0x60, count: 32)
                return tied ? sealed.with(boot: boot, names: [.approvingKey: key]) : sealed
            }))
        fixture.ask(for: purposes, kinds)
        fixture.broker.change { script in
            script.tied = BrokerInterface.ResealForBoot.Reply(
                names: Self.names(purposes == [.tieToBoot] ? Self.roots + ["4"] : Self.roots),
                boot: purposes == [.tieToBoot] ? Self.tie : nil)
        }
        return fixture
    }

    private func converse(_ fixture: Fixture, _ password: String = Fixture.password) throws -> (
        Result<TestClient.Step, Fault>, [String]
    ) {
        var client = try fixture.client()
        var texts: [String] = []
        var step = try client.begin()
        while case .success(let now) = step, let message = now.message, !now.done {
            texts.append(message.text.unbroken)
            step = try client.go(message.style == .secret ? password : nil)
        }
        return (step, texts)
    }

    private func record(_ fixture: Fixture) throws -> RegistryRecord? {
        try fixture.registry.record(for: .user(fixture.account.uid))
    }

    @Test func tyingAndReleasing() throws {
        let free = try fixture()
        let (tied, texts) = try converse(free)
        #expect(tied.isDone, "\(tied)")
        #expect(texts.first?.contains("Tie your vault to the way this machine was started") == true)
        #expect(texts.first?.contains("recovery code") == true)
        // Both roots, and only the unlock root may be sealed anew: the recovery key opens nothing by itself.
        #expect(free.broker.completions.map(\.authorization) == [0, 1])
        #expect(free.broker.completions.map(\.reseals) == [true, nil])
        #expect(free.broker.calls.suffix(2) == ["ResealForBoot", "AdoptRoots"])
        let record = try #require(try record(free))
        #expect(record.boot?.registers == [4, 7] && record.boot?.index.handle == 0x01B0_C001)
        for role in ObjectRole.tiedToBoot + [.approvingKey] {
            #expect(record.objects[role] != free.record.objects[role])
        }
        #expect(record.objects[.presence] == free.record.objects[.presence])

        let held = try fixture(tied: true, [.releaseFromBoot])
        let (released, words) = try converse(held)
        #expect(released.isDone, "\(released)")
        #expect(words.first?.contains("Release your vault") == true)
        let after = try #require(try self.record(held))
        #expect(after.boot == nil && after.objects[.approvingKey] == nil)
    }

    @Test func nobodyIsSignedForWithoutThePerson() throws {
        for fixture in [try fixture(), try fixture(tied: true, [.approveBoot], ["boot"])] {
            #expect(try converse(fixture, "wrong").0.name == .authenticationFailed)
            #expect(!fixture.broker.calls.contains("Prepare"))
            #expect(try record(fixture) == fixture.record)
        }
    }

    @Test func approvingIsAskedForByItself() throws {
        let fixture = try fixture(tied: true, [.approveBoot], ["boot"])
        let (approved, texts) = try converse(fixture)
        #expect(approved.isDone, "\(approved)")
        #expect(texts.first?.contains("Change which ways of starting this machine") == true)
        #expect(fixture.broker.completions.count == 1)
        #expect(try record(fixture) == fixture.record)
    }

    @Test func purposesAndSignaturesBelongTogether() throws {
        let lies: [(Bool, [Keychain.Purpose], [String])] = [
            // Objects that exist already, and objects that do not exist.
            (true, [.tieToBoot], ["unlock", "recovery"]), (false, [.releaseFromBoot], ["unlock", "recovery"]),
            (false, [.approveBoot], ["boot"]),
            // More, less or something other than the person is told.
            (true, [.unlock], ["boot"]), (true, [.recovery], ["boot"]), (true, [.unlock], ["unlock", "boot"]),
            (true, [.unlock, .approveBoot], ["unlock", "boot"]), (true, [.approveBoot], ["unlock"]),
            (true, [.approveBoot], ["boot", "recovery"]), (false, [.tieToBoot], ["unlock"]),
            (false, [.tieToBoot, .recovery], ["unlock", "recovery"]), (false, [.unlock], ["unlock", "recovery"]),
            (true, [.read], ["boot"]),
        ]
        for (tied, purposes, kinds) in lies {
            let fixture = try fixture(tied: tied, purposes, kinds)
            #expect(try converse(fixture).0.name == .authenticationChallengeRefused, "\(purposes) \(kinds)")
            #expect(!fixture.broker.calls.contains("Prepare"))
        }
    }

    /// Of both roots, the first or the second is not released.
    @Test(arguments: [0, 1]) func whatIsNotReleasedIsNotSealedAnew(released: Int) throws {
        let fixture = try fixture()
        let (success, refusal) = (Varlink.encode(VarlinkReply(Nothing())), Varlink.encode(Fault(.brokerFailed, "no")))
        fixture.broker.change {
            $0.refusedCompletions = [[UInt8]](repeating: success, count: released) + [refusal]
        }
        #expect(try converse(fixture).0.name == .notCompleted)
        #expect(fixture.broker.completions.count == released + 1)
        #expect(!fixture.broker.calls.contains("ResealForBoot"))
        #expect(try record(fixture) == fixture.record)
    }

    /// What a broker says that passes something else off.
    private func lies(_ record: RegistryRecord) throws -> [BrokerInterface.ResealForBoot.Reply] {
        let whole = Self.roots + ["4"]
        let taken = Data(try #require(record.objects[.presence])).base64EncodedString()
        let index = Self.tie.index
        return [
            .init(names: Self.names(whole), boot: nil), .init(names: Self.names(Self.roots), boot: Self.tie),
            .init(names: Self.names(whole + ["16"]), boot: Self.tie), .init(names: [:], boot: Self.tie),
            .init(names: Self.names(whole).merging(["1": taken]) { $1 }, boot: Self.tie),
            .init(names: Self.names(whole).merging(["1": Self.name(0x71)]) { $1 }, boot: Self.tie),
            .init(names: Self.names(whole).merging(["2": ""]) { $1 }, boot: Self.tie),
            // Registers that tell nothing, and an index that is not the owner's.
            .init(names: Self.names(whole), boot: .init(index: index, registers: [])),
            .init(names: Self.names(whole), boot: .init(index: index, registers: [23])),
            .init(
                names: Self.names(whole),
                boot: .init(index: .init(handle: 0x0100_0000, policy: Self.policy), registers: [7])),
            .init(
                names: Self.names(whole), boot: .init(index: .init(handle: 0x01B0_C001, policy: ""), registers: [7])),
        ]
    }

    @Test func aBrokerThatPassesSomethingElseOffIsNotRegistered() throws {
        for place in try lies(fixture().record).indices {
            let fixture = try fixture()
            let lie = try lies(fixture.record)[place]
            fixture.broker.change { $0.tied = lie }
            #expect(try converse(fixture).0.fault != nil, "\(lie)")
            #expect(try record(fixture) == fixture.record)
            #expect(!fixture.broker.calls.contains("AdoptRoots"))
        }
    }
}
