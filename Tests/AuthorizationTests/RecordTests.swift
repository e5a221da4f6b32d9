import Foundation
import Testing

@testable import Authorization

/// What the registry reads and writes: records that contradict themselves, files that are too long, and folders that
/// cannot be written.
@Suite struct RecordTests {
    private static func bytes(_ byte: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }
    private static func index(_ number: UInt32) -> IndexPin? {
        IndexPin(handle: 0x01B0_C000 + number, policy: bytes(5, 32))
    }
    private static let storage = StorageKeyPin(handle: 0x8100_0001, name: bytes(3, 34), context: [1, 2, 3])
    private static let counter = CounterPin(handle: 0x01B0_C000, base: 41, context: [4, 5, 6])
    private static var objects: [ObjectRole: [UInt8]] {
        Dictionary(uniqueKeysWithValues: ObjectRole.ofNewVault.map { ($0, Self.bytes(UInt8($0.rawValue), 34)) })
    }

    private func record(
        _ sealer: SealerKind = .tpm, owner: Owner = .user(1000), key: [UInt8] = [4] + Self.bytes(9, 64),
        storage: StorageKeyPin? = Self.storage, counter: CounterPin? = Self.counter,
        objects: [ObjectRole: [UInt8]] = Self.objects, isService: Bool = false, biometrySet: [UInt8]? = nil,
        generation: GenerationPin? = nil, maker: UInt32? = nil
    ) throws -> RegistryRecord {
        RegistryRecord(
            vault: try #require(VaultID(bytes: Self.bytes(1, 16))), owner: owner, ownerName: "ada",
            created: 1_700_000_000_000, sealer: sealer, authenticatorKey: key, storageKey: storage, counter: counter,
            objects: objects, isService: isService, biometrySet: biometrySet, generation: generation, maker: maker)
    }

    private func software(isService: Bool = false) throws -> RegistryRecord {
        try record(.software, storage: nil, counter: nil, isService: isService)
    }

    private func binding(_ number: UInt32 = 1) throws -> BindingPin {
        let index = try #require(Self.index(number))
        return try #require(BindingPin(index: index, salt: Self.bytes(6, 16)))
    }

    private func boot() throws -> BootPin {
        let index = try #require(Self.index(2))
        return try #require(BootPin(index: index, registers: [4, 7]))
    }

    private func withRegistry(_ body: (Registry) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "coffer-records-\(UUID().uuidString)"
        ).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // `try?`: a folder that stays in /tmp does no harm.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(Registry(directory: folder, authenticatorUID: getuid()))
    }

    /// What is read of a record that was written; nil if it is damaged.
    private func read(_ record: RegistryRecord) throws -> RegistryRecord? {
        var found: RegistryRecord?
        try withRegistry { registry in
            try registry.write(record)
            do throws(RegistryError) { found = try registry.record(for: record.owner) } catch {
                #expect(error.code == .damaged && error.reason.contains("is damaged"))
                #expect(error.advice == "have root restore \(registry.path(of: record.owner)) from a backup")
            }
        }
        return found
    }

    private static let name = bytes(7, 34)

    @Test func everyRecordThatCanBeIsReadAsItWasWritten() throws {
        let tied = try record().with(boot: boot(), names: [.approvingKey: Self.name])
        for record in [
            try record(), try software(), try software(isService: true), try record(isService: true), tied,
            try record(generation: Self.index(3)), try record().with(binding: binding(), unlockRoot: Self.name),
            try tied.with(binding: binding(), unlockRoot: Self.name),
            try record().with(biometrySet: Self.bytes(1, 32), key: Self.name),
            try record(owner: .group(50), maker: 1000), try record(owner: .group(50)),
        ] { #expect(try read(record) == record) }
        // Only a group's vault has somebody who made it for others.
        #expect(try record(maker: 1000).maker == nil)
    }

    /// The names of each object in a pretty text, in their order.
    private static func names(_ text: String) -> [[String]] {
        var (open, closed): ([[String]], [[String]]) = ([], [])
        for line in text.split(separator: "\n") {
            let words = line.split(separator: "\"", omittingEmptySubsequences: false)
            if words.count > 2, words[2].hasPrefix(" :"), !open.isEmpty {
                open[open.count - 1].append(String(words[1]))
            }
            if line.hasSuffix("{") { open.append([]) }
            let end = line.drop { $0 == " " }
            if end.hasPrefix("}"), let last = open.popLast() { closed.append(last) }
        }
        return closed
    }

    /// A record with every member there is. No vault can have all of them.
    @Test func membersStandInTheOrderOfTheirNames() throws {
        let all = try record(
            owner: .group(50), isService: true, generation: Self.index(3), maker: 7
        ).with(binding: binding(), unlockRoot: Self.name).with(boot: boot(), names: [.approvingKey: Self.name])
            .with(biometrySet: Self.bytes(1, 32), key: Self.name)
        try withRegistry { registry in
            try registry.write(all)
            let names = Self.names(try String(contentsOfFile: registry.path(of: all.owner), encoding: .utf8))
            let index = ["handle", "policy"]
            #expect(names.filter { $0 == index }.count == 3)
            for object in [
                ["cost", "index", "salt"], ["index", "registers"], ["base", "context", "handle"],
                ["context", "handle", "name"],
            ] { #expect(names.contains(object), "\(object)") }
            #expect(
                names.last == [
                    "authenticatorKey", "binding", "biometrySet", "boot", "counter", "created", "format",
                    "generation", "maker", "objects", "owner", "ownerName", "sealer", "service", "storageKey",
                    "vault",
                ])
        }
    }

    /// Each has one thing that cannot be true beside the others.
    @Test func aRecordThatContradictsItselfIsDamaged() throws {
        var (less, short, fingers, boots) = (Self.objects, Self.objects, Self.objects, Self.objects)
        less[.presence] = nil
        short[.presence] = Self.bytes(16, 33)
        fingers[.biometryCurrentSet] = Self.name
        boots[.approvedBoots] = Self.name
        let (binding, boot) = (try self.binding(), try self.boot())
        let key = [ObjectRole.approvingKey: Self.name]
        let lies: [RegistryRecord] = [
            try record(biometrySet: Self.bytes(1, 32)), try record(objects: fingers),
            try record().with(biometrySet: Self.bytes(1, 31), key: Self.name),
            try record().with(biometrySet: Self.bytes(1, 33), key: Self.name),
            try software().with(binding: binding, unlockRoot: Self.name),
            try record(isService: true).with(binding: binding, unlockRoot: Self.name),
            try record(owner: .group(50)).with(binding: binding, unlockRoot: Self.name),
            try record().with(boot: boot, names: [:]), try record().with(boot: nil, names: key),
            try software().with(boot: boot, names: key), try record(isService: true).with(boot: boot, names: key),
            try record(owner: .group(50)).with(boot: boot, names: key), try record(objects: boots),
            try record(.software, storage: nil, counter: nil, generation: Self.index(3)),
            try record(generation: binding.index).with(binding: binding, unlockRoot: Self.name),
            try record(key: [4] + Self.bytes(9, 63)), try record(key: [4] + Self.bytes(9, 65)),
            try record(storage: nil), try record(counter: nil), try record(.software, counter: nil),
            try record(.software, storage: nil), try record(objects: less), try record(objects: short),
        ]
        for (place, lie) in lies.enumerated() { #expect(try read(lie) == nil, "\(place)") }
    }

    @Test func whoAnswersForAVaultAndWhichIndexesItTakes() throws {
        #expect(try record().accountable == 1000 && record(isService: true).accountable == nil)
        #expect(try record(owner: .group(50), maker: 7).accountable == 7)
        #expect(try record(owner: .group(50)).accountable == nil)
        let all = try record(generation: Self.index(3)).with(binding: binding(), unlockRoot: Self.name)
            .with(boot: boot(), names: [.approvingKey: Self.name])
        #expect(all.indexHandles == [0x01B0_C000, 0x01B0_C003, 0x01B0_C001, 0x01B0_C002])
        #expect(try record().canBeBound && !record(isService: true).canBeBound && !software().canBeBound)
        #expect(try !record(owner: .group(50)).canBeBound)
        // Only the key for these very fingers depends on them.
        let fingers = try record().with(biometrySet: Self.bytes(1, 32), key: Self.name)
        for kind in AuthorizationKind.allCases {
            let digest = fingers.policyReference(for: kind).setDigest
            #expect(digest == (kind == .biometryCurrentSet ? Self.bytes(1, 32) : []), "\(kind)")
        }
    }

    // MARK: Files

    private func code(_ body: () throws -> Void) throws -> RegistryError.Code? {
        do {
            try body()
            return nil
        } catch let error as RegistryError { return error.code }
    }

    @Test func aFileThatIsTooLongIsNotRead() throws {
        try withRegistry { registry in
            try registry.write(record())
            let path = registry.path(of: .user(1000))
            let text = try String(contentsOfFile: path, encoding: .utf8)
            func write(_ count: Int) throws {
                try (text + String(repeating: " ", count: count - text.utf8.count))
                    .write(toFile: path, atomically: false, encoding: .utf8)
            }
            try write(64 << 10)
            #expect(try registry.record(for: .user(1000)) == record())
            try write((64 << 10) + 1)
            #expect(try code { _ = try registry.record(for: .user(1000)) } == .unreadable)
            let key = Registry.presentKeyPath(in: registry.directory)
            let point = [4] + Self.bytes(9, 64)
            let line = Hex.encode(point) + "\n"
            for (count, isRead) in [(1024, true), (1025, false)] {
                try (line + String(repeating: "x", count: count - line.utf8.count))
                    .write(toFile: key, atomically: false, encoding: .utf8)
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
                var read: [UInt8]?
                let found = try code { read = try registry.presentKey() }
                #expect(found == (isRead ? nil : .unreadable) && (read == point) == isRead, "\(count)")
            }
            for text in ["", "\n", String(line.dropLast(3)) + "\n", "00" + line, "zz" + line.dropFirst(2)] {
                try text.write(toFile: key, atomically: false, encoding: .utf8)
                #expect(try code { _ = try registry.presentKey() } == .damaged, "\(text)")
            }
        }
    }

    /// A link leads to a file that somebody else may write.
    @Test func aLinkIsNotARecord() throws {
        try withRegistry { registry in
            try registry.write(record())
            for path in [registry.path(of: .user(1000)), Registry.presentKeyPath(in: registry.directory)] {
                if !FileManager.default.fileExists(atPath: path) {
                    try Hex.encode([4] + Self.bytes(9, 64)).write(toFile: path, atomically: false, encoding: .utf8)
                }
                try FileManager.default.moveItem(atPath: path, toPath: path + ".elsewhere")
                try FileManager.default.createSymbolicLink(
                    atPath: path, withDestinationPath: path + ".elsewhere")
            }
            #expect(try code { _ = try registry.record(for: .user(1000)) } == .untrusted)
            #expect(try code { _ = try registry.presentKey() } == .unreadable)
        }
    }

    /// Nothing half-written stays, and what was there stays as it was.
    @Test func aRecordThatCannotBeWrittenIsSaid() throws {
        try withRegistry { registry in
            let old = try record()
            try registry.write(old)
            let path = registry.path(of: old.owner)
            try FileManager.default.createDirectory(
                atPath: path + ".writing", withIntermediateDirectories: false)
            let bound = try old.with(binding: binding(), unlockRoot: Self.name)
            #expect(try code { try registry.replace(old, with: bound) } == .unwritable)
            let next = RegistryRecord(
                vault: try VaultID.random(), owner: old.owner, ownerName: old.ownerName, created: old.created,
                sealer: .tpm, authenticatorKey: old.authenticatorKey, storageKey: old.storageKey,
                counter: old.counter, objects: old.objects)
            #expect(try code { try registry.succeed(old, with: next) } == .unwritable)
            #expect(try registry.record(for: old.owner) == old)
            let other = registry.path(of: .user(1001))
            try FileManager.default.createDirectory(
                atPath: other + ".writing", withIntermediateDirectories: false)
            let second = try record(owner: .user(1001))
            #expect(try code { try registry.write(second) } == .unwritable)
            #expect(try registry.record(for: second.owner) == nil)
        }
    }

    @Test func allRecordsAreListedAndOneThatIsNoOwnersIsAnError() throws {
        try withRegistry { registry in
            #expect(try registry.owners().isEmpty && registry.setAsideRecords().isEmpty)
            let records = [try record(), try record(owner: .group(50), generation: Self.index(3))]
            for record in records { try registry.write(record) }
            // A lock beside a record is none.
            try registry.replace(records[0], with: records[0])
            #expect(try Set(registry.owners()) == [.user(1000), .group(50)])
            #expect(registry.reservedHandles() == [0x01B0_C000, 0x01B0_C003])
            for name in ["user-1000-1.json", "nobody.json", ".json"] {
                let path = "\(registry.directory)/vaults/\(name)"
                try "{}".write(toFile: path, atomically: false, encoding: .utf8)
                #expect(try code { _ = try registry.owners() } == .damaged, "\(name)")
                #expect(try code { _ = try registry.records() } == .damaged, "\(name)")
                try FileManager.default.removeItem(atPath: path)
            }
            #expect(try registry.records().count == 2)
        }
    }

    @Test func recordsThatAreSetAsideNameTheirIndexesToo() throws {
        try withRegistry { registry in
            let generation = try #require(Self.index(3))
            let other = try #require(IndexPin(handle: generation.handle, policy: Self.bytes(6, 32)))
            let record = try self.record(generation: generation)
            let stranger = try #require(VaultID(bytes: Self.bytes(2, 16)))
            #expect(try !registry.namedIndexes().has(generation))
            try registry.write(record)
            let present = try registry.namedIndexes()
            #expect(present.has(handle: 0x01B0_C000) && present.has(handle: generation.handle))
            #expect(present.has(generation) && !present.has(other) && !present.has(handle: 0x01B0_C001))
            // The owner's present record is this vault's own.
            #expect(!present.has(generation, besidesPresentOf: record.owner))
            #expect(present.has(generation, besidesPresentOf: .user(7)))
            #expect(!present.has(handle: generation.handle, besides: record.vault))
            #expect(present.has(handle: generation.handle, besides: stranger))
            _ = try registry.setAside(record.owner, stamp: "1")
            let named = try registry.namedIndexes()
            #expect(named.has(handle: 0x01B0_C000) && named.has(generation) && !named.has(other))
            #expect(named.has(generation, besidesPresentOf: record.owner))
            #expect(!named.has(handle: generation.handle, besides: record.vault))
            #expect(named.has(handle: generation.handle, besides: stranger))
            #expect(registry.reservedHandles() == [0x01B0_C000, generation.handle])
            // A record that cannot be read may name any index. It keeps nobody from taking a free handle.
            let path = "\(registry.setAsideDirectory)/user-99.1.json"
            try "{".write(toFile: path, atomically: false, encoding: .utf8)
            #expect(try code { _ = try registry.namedIndexes() } == .damaged)
            #expect(registry.reservedHandles() == [0x01B0_C000, generation.handle])
        }
    }

    @Test func whatIsSetAsideIsMovedOnceAndReplacesNothing() throws {
        try withRegistry { registry in
            let (record, owner) = (try self.record(), Owner.user(1000))
            let none = try registry.setAside(owner, stamp: "1")
            #expect(none.present == nil && none.path == nil)
            try registry.write(record)
            let first = try registry.setAside(owner, stamp: "1")
            #expect(first.present == record && first.path == "\(registry.setAsideDirectory)/user-1000.1.json")
            #expect(try registry.record(for: owner) == nil && registry.setAsideRecords() == [record])
            try registry.write(record)
            #expect(try code { _ = try registry.setAside(owner, stamp: "1") } == .unwritable)
            #expect(try registry.record(for: owner) == record)
            // A record that cannot be read is moved like any other.
            try "{".write(toFile: registry.path(of: owner), atomically: false, encoding: .utf8)
            let second = try registry.setAside(owner, stamp: "2")
            #expect(second.present == nil && second.path == "\(registry.setAsideDirectory)/user-1000.2.json")
        }
    }
}
