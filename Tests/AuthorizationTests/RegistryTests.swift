import Authorization
import Foundation
import Testing

@Suite struct RegistryTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "coffer-registry-\(UUID().uuidString)"
    ).path

    private func record(owner: Owner = .user(1000), vault: UInt8 = 1) -> RegistryRecord {
        RegistryRecord(
            vault: VaultID(bytes: [UInt8](repeating: vault, count: 16))!, owner: owner, ownerName: "ada",
            created: 1_700_000_000_000, sealer: .tpm,
            authenticatorKey: [4] + [UInt8](repeating: 9, count: 64),
            storageKey: StorageKeyPin(handle: 0x8100_0001, name: [UInt8](repeating: 3, count: 34), context: [1, 2, 3]),
            counter: CounterPin(handle: 0x01B0_C000, base: 41, context: [4, 5, 6]),
            objects: Dictionary(
                uniqueKeysWithValues: ObjectRole.ofNewVault.map {
                    ($0, [UInt8](repeating: UInt8($0.rawValue), count: 34))
                }))
    }

    private func withRegistry(_ body: (Registry) throws -> Void) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // A folder that stays in /tmp is not a failure of the test.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(Registry(directory: folder, authenticatorUID: getuid()))
    }

    @Test func recordsGoThereAndBack() throws {
        try withRegistry { registry in
            #expect(try registry.record(for: .user(1000)) == nil)
            try registry.write(record())
            #expect(try registry.record(for: .user(1000)) == record())
            #expect(try registry.record(for: .user(1001)) == nil)
            try registry.write(record())
        }
    }

    @Test func aVaultIsNeverReplacedByAnother() throws {
        try withRegistry { registry in
            try registry.write(record())
            let error = #expect(throws: RegistryError.self) { try registry.write(record(vault: 2)) }
            #expect(error?.code == .conflict)
            #expect(try registry.record(for: .user(1000)) == record())
        }
    }

    /// Of several that replace the same record at the same moment, one does.
    @Test func oneOfSeveralReplacesARecord() async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // A folder that stays in /tmp is not a failure of the test.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let registry = Registry(directory: folder, authenticatorUID: getuid())
        try registry.write(record())
        for round in 0..<30 {
            let old = try #require(try registry.record(for: .user(1000)))
            let done = try await withThrowingTaskGroup { group in
                for number in 0..<4 {
                    group.addTask {
                        // None is the name that the record had before: with that one, nothing would be replaced.
                        let name = [UInt8](repeating: UInt8(100 + round * 4 + number), count: 34)
                        do throws(RegistryError) {
                            try registry.replace(old, with: old.with(binding: nil, unlockRoot: name))
                        } catch {
                            guard error.code == .conflict else { throw error }
                            return 0
                        }
                        return 1
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(done == 1, "round \(round)")
        }
    }

    /// Two conversations change a record at once. The second starts from a record that was replaced, and would undo the
    /// first change.
    @Test func whatWasMadeFromAnOlderRecordReplacesNothing() throws {
        func bound(_ handle: UInt32?) throws -> RegistryRecord {
            guard let handle else { return record() }
            let index = try #require(IndexPin(handle: handle, policy: [UInt8](repeating: 5, count: 32)))
            let binding = try #require(BindingPin(index: index, salt: [UInt8](repeating: 6, count: 16)))
            return record().with(binding: binding, unlockRoot: [UInt8](repeating: 7, count: 34))
        }
        try withRegistry { registry in
            let (old, new, late) = (record(), try bound(0x01B0_C001), try bound(0x01B0_C002))
            try registry.write(old)
            try registry.replace(old, with: new)
            let error = #expect(throws: RegistryError.self) { try registry.replace(old, with: late) }
            #expect(error?.code == .conflict)
            #expect(throws: RegistryError.self) { try registry.succeed(old, with: record(vault: 2)) }
            #expect(try registry.record(for: .user(1000)) == new)
            // A record of another vault or another owner cannot come in this way either.
            #expect(throws: RegistryError.self) { try registry.replace(new, with: record(vault: 2)) }
            #expect(throws: RegistryError.self) { try registry.replace(new, with: record(owner: .user(1001))) }
            #expect(throws: RegistryError.self) { try registry.succeed(new, with: record()) }
            try registry.succeed(new, with: record(vault: 2))
            #expect(try registry.record(for: .user(1000)) == record(vault: 2))
        }
    }

    @Test func aRecordUnderAnotherOwnersNameIsRefused() throws {
        try withRegistry { registry in
            try registry.write(record())
            try FileManager.default.copyItem(
                atPath: registry.path(of: .user(1000)), toPath: registry.path(of: .user(1001)))
            #expect(throws: RegistryError.self) { try registry.record(for: .user(1001)) }
        }
    }

    @Test(arguments: [0o664, 0o646, 0o666]) func aRecordThatOthersCanWriteIsRefused(mode: Int) throws {
        try withRegistry { registry in
            try registry.write(record())
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: registry.path(of: .user(1000)))
            let error = #expect(throws: RegistryError.self) { try registry.record(for: .user(1000)) }
            #expect(error?.code == .untrusted)
            let elsewhere = Registry(directory: registry.directory, authenticatorUID: getuid() + 1)
            #expect(throws: RegistryError.self) { try elsewhere.record(for: .user(1000)) }
        }
    }

    @Test(arguments: [0o664, 0o646, 0o666]) func aPresentKeyThatOthersCanWriteIsNotBelieved(mode: Int) throws {
        try withRegistry { registry in
            let path = Registry.presentKeyPath(in: registry.directory)
            #expect(try registry.presentKey() == nil)
            try FileManager.default.createDirectory(
                atPath: registry.directory, withIntermediateDirectories: true)
            let point = [4] + [UInt8](repeating: 9, count: 64)
            try Data(point.map { String(format: "%02x", $0) }.joined().utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            #expect(try registry.presentKey() == point)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            #expect(throws: RegistryError.self) { try registry.presentKey() }
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            let elsewhere = Registry(directory: registry.directory, authenticatorUID: getuid() + 1)
            #expect(throws: RegistryError.self) { try elsewhere.presentKey() }
        }
    }

    /// A circle's keys are kept elsewhere.
    @Test(arguments: ObjectRole.ofCircle) func aRecordThatNamesAKeyOfACircleIsDamaged(role: ObjectRole) throws {
        try withRegistry { registry in
            try registry.write(record())
            let path = registry.path(of: .user(1000))
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let name = String(repeating: "0b", count: 34)
            let damaged = text.replacingOccurrences(
                of: "\"16\" :", with: "\"\(role.rawValue)\" : \"\(name)\", \"16\" :")
            #expect(damaged != text)
            try damaged.write(toFile: path, atomically: false, encoding: .utf8)
            let error = #expect(throws: RegistryError.self) { try registry.record(for: .user(1000)) }
            #expect(error?.code == .damaged)
        }
    }

    @Test func aDamagedRecordIsAnErrorNotAFreshStart() throws {
        try withRegistry { registry in
            try registry.write(record())
            let path = registry.path(of: .user(1000))
            let text = try String(contentsOfFile: path, encoding: .utf8)
            for damaged in [
                "", "{}", text.replacingOccurrences(of: "\"format\" : 1", with: "\"format\" : 0"),
                text.replacingOccurrences(of: "\"16\"", with: "\"15\""),
                text.replacingOccurrences(of: "\"tpm\"", with: "\"software\""), String(text.dropLast(20)),
            ] {
                try damaged.write(toFile: path, atomically: false, encoding: .utf8)
                let error = #expect(throws: RegistryError.self) { try registry.record(for: .user(1000)) }
                #expect(error?.code == .damaged)
            }
        }
    }

    /// After a downgrade, the record that a newer Coffer wrote alone names the present indexes.
    @Test func aRecordOfANewerFormatIsKept() throws {
        try withRegistry { registry in
            try registry.write(record())
            let path = registry.path(of: .user(1000))
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let newer = text.replacingOccurrences(of: "\"format\" : 1", with: "\"format\" : 2")
            // What it says in known members may be of another kind.
            for written in [newer, newer.replacingOccurrences(of: "\"tpm\"", with: "{\"kind\" : \"tpm\"}")] {
                #expect(written != text)
                try written.write(toFile: path, atomically: false, encoding: .utf8)
                let error = #expect(throws: RegistryError.self) { try registry.record(for: .user(1000)) }
                #expect(error?.code == .newerFormat)
                #expect(error?.advice == "update Coffer; keep this file, and put no backup in its place")
                #expect(throws: RegistryError.self) { try registry.write(record()) }
            }
            // Half of such a record is damage.
            try String(newer.dropLast(20)).write(toFile: path, atomically: false, encoding: .utf8)
            let error = #expect(throws: RegistryError.self) { try registry.record(for: .user(1000)) }
            #expect(error?.code == .damaged)
        }
    }
}
