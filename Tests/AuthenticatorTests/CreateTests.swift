import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Platform
import Testing

@Suite("A new vault is registered before it is used")
struct CreateTests {
    @Test func theRecordIsWrittenBetweenProvisionAndAdoptVault() throws {
        let fixture = try Fixture(.init(hasVault: false))
        let path = fixture.registry.path(of: fixture.record.owner)
        fixture.broker.change { script in
            script.before["Provision"] = { #expect(!FileManager.default.fileExists(atPath: path)) }
            script.before["AdoptVault"] = { #expect(FileManager.default.fileExists(atPath: path)) }
        }
        var client = try fixture.client()
        #expect(try client.begin().message?.text.contains("Make a vault") == true)
        #expect(try client.go().message?.style == .secret)
        #expect(try client.go(Fixture.password).isDone)
        #expect(fixture.broker.calls == ["Describe", "Provision", "AdoptVault", "Prepare", "Complete"])
        let record = try #require(try fixture.registry.record(for: fixture.record.owner))
        #expect(record == fixture.record)
        let mode = try FileStatus.of(path)?.mode
        #expect(mode == 0o644)
    }

    @Test func aWrongPasswordMakesNothing() throws {
        let fixture = try Fixture(.init(hasVault: false))
        var client = try fixture.client()
        #expect(try client.authenticate("wrong").name == .authenticationFailed)
        #expect(!fixture.broker.calls.contains("Provision"))
        #expect(try fixture.registry.record(for: fixture.record.owner) == nil)
    }

    @Test func theOwnersNameIsTheAuthenticatorsWord() throws {
        let fixture = try Fixture(.init(hasVault: false))
        fixture.broker.change { script in
            script.record = Self.changed(fixture.record, ownerName: "root\u{1b}")
        }
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).isDone)
        #expect(try fixture.registry.record(for: fixture.record.owner)?.ownerName == fixture.account.name)
    }

    @Test(arguments: ["owner", "key", "sealer", "created", "names", "role", "counter"])
    func aRecordThatWasNotAskedForIsNotRegistered(field: String) throws {
        let fixture = try Fixture(.init(hasVault: false))
        let record = fixture.record
        var names = record.objects
        fixture.broker.change { script in
            switch field {
            case "owner": script.record = Self.changed(record, owner: .user(4242))
            case "key": script.record = Self.changed(record, key: [UInt8](repeating: 4, count: 65))
            case "sealer":
                let pin = StorageKeyPin(
                    handle: 0x8100_0001, name: [0, 11] + [UInt8](repeating: 9, count: 32), context: [1, 2, 3])
                script.record = Self.changed(record, sealer: .tpm, storageKey: pin)
            case "counter":
                // The software sealer counts nothing. The same comparison refuses a TPM's vault without a counter.
                let pin = CounterPin(handle: 0x01B0_C000, base: 0, context: [1])
                script.record = Self.changed(record, counter: pin)
            case "created": script.record = Self.changed(record, created: 1)
            case "names":
                names[.presence] = names[.unlockRoot]
                script.record = Self.changed(record, objects: names)
            default:
                names[.biometryCurrentSet] = [0, 11] + [UInt8](repeating: 77, count: 32)
                script.record = Self.changed(record, objects: names)
            }
        }
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).fault != nil)
        #expect(try fixture.registry.record(for: record.owner) == nil)
        #expect(!fixture.broker.calls.contains("AdoptVault"))
    }

    @Test func aRegistryThatCannotBeWrittenIsSaidWithItsCause() throws {
        let fixture = try Fixture(.init(hasVault: false))
        let path = fixture.registry.path(of: fixture.record.owner)
        try FileManager.default.createDirectory(atPath: path + ".writing", withIntermediateDirectories: true)
        var client = try fixture.client()
        let fault = try #require(try client.authenticate(Fixture.password).fault)
        #expect(fault.name == .notCompleted && fault.details.cause?.hasPrefix("errno ") == true, "\(fault)")
        #expect(!fixture.broker.calls.contains("AdoptVault"))
    }

    @Test func adoptingEarnsNoMoreThanUnlock() throws {
        let fixture = try Fixture(.init(hasVault: false))
        fixture.broker.change { $0.adopted = [.init(kind: "unlock"), .init(kind: "presence")] }
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).name == .brokerUnavailable)
        #expect(!fixture.broker.calls.contains("Prepare"))
    }

    private static func changed(
        _ record: RegistryRecord, owner: Owner? = nil, ownerName: String? = nil, created: UInt64? = nil,
        sealer: SealerKind? = nil, key: [UInt8]? = nil, storageKey: StorageKeyPin? = nil,
        counter: CounterPin? = nil, objects: [ObjectRole: [UInt8]]? = nil
    ) -> RegistryRecord {
        RegistryRecord(
            vault: record.vault, owner: owner ?? record.owner, ownerName: ownerName ?? record.ownerName,
            created: created ?? record.created, sealer: sealer ?? record.sealer,
            authenticatorKey: key ?? record.authenticatorKey, storageKey: storageKey ?? record.storageKey,
            counter: counter ?? record.counter, objects: objects ?? record.objects)
    }
}
