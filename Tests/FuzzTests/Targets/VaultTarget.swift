import Authorization
import Circle
import Cryptography
import Firmware
import Foundation
import Recovery
import SQLite

@testable import Vault

/// A vault's file with other rows, other bytes and another log. It is opened and read in every way.
struct VaultTarget: FuzzTarget {
    private let own: SampleVault
    private let other: SampleVault
    private let files: (vault: [UInt8], log: [UInt8])
    private let otherVault: [UInt8]
    private let values: [[UInt8]]

    private static let columns = [
        ("header", "content"), ("header", "mac"), ("object", "role"), ("object", "public"), ("object", "private"),
        ("keybag", "content"), ("recovery", "content"), ("item", "id"), ("item", "record"), ("value", "id"),
        ("value", "sealed"), ("posting", "term"), ("posting", "items"), ("node", "level"), ("node", "number"),
        ("node", "content"), ("former", "records"), ("field", "item"), ("field", "content"), ("slot", "slots"),
        ("circle", "id"), ("circle", "content"), ("circle", "content"),
    ]

    init() async throws {
        own = try SampleVault()
        other = try SampleVault(.user(1001))
        // Both share their items: each has rows of a circle.
        for sample in [own, other] {
            let machine = try SharingMachine(sample, "machine")
            try machine.found()
            try machine.close()
        }
        files = (try own.bytes(own.path), try own.bytes(own.logPath))
        otherVault = try other.bytes(other.path)
        values = (0..<own.items.count).map { SampleVault.value($0) }
    }

    mutating func tryOne(_ mutator: inout Mutator) throws {
        for side in ["-wal", "-shm", "-journal"] {
            // There may be none.
            try? FileManager.default.removeItem(atPath: own.path + side)
        }
        var (vault, log) = files
        if mutator.chance(4) { vault = mutator.bytes(vault, donors: [otherVault]) }
        if mutator.chance(3) { log = mutator.bytes(log) }
        try Data(vault).write(to: URL(fileURLWithPath: own.path))
        try Data(log).write(to: URL(fileURLWithPath: own.logPath))
        if !mutator.chance(3) { try? changeRows(&mutator) }  // A file that SQLite refuses is one of the cases.
        try answer { try look() }
        try answer { try recover() }
    }

    private func changeRows(_ mutator: inout Mutator) throws {
        let database = try Connection(path: own.path)
        let (table, column) = Self.columns[mutator.below(Self.columns.count)]
        let foreign = try Connection(path: other.path)
        let theirs = try foreign.blobs("SELECT CAST(\(column) AS BLOB) FROM \(table)")
        try foreign.close()
        let mine = try database.blobs("SELECT CAST(\(column) AS BLOB) FROM \(table)")
        guard let old = mutator.pick(mine) else { return }
        let value: Value =
            switch mutator.below(8) {
            case 0: .integer(Int64(bitPattern: mutator.pick(Mutator.numbers) ?? 0))
            case 1: .text("text")
            case 2: .blob([])
            case 3: .blob([UInt8](repeating: 0, count: mutator.below(300_000)))
            case 4: .blob(mutator.pick(theirs) ?? [])
            case 5: .blob(mutator.pick(mine) ?? [])
            default: .blob(mutator.bytes(old, donors: mine + theirs))
            }
        if mutator.chance(8) {
            try database.run("DELETE FROM \(table) WHERE CAST(\(column) AS BLOB) = ?", [.blob(old)])
        } else {
            try database.run(
                "UPDATE OR REPLACE \(table) SET \(column) = ? WHERE CAST(\(column) AS BLOB) = ?", [value, .blob(old)])
        }
        try database.close()
    }

    private func look() throws {
        let vault = try OpenVault(directory: own.folder.path, record: own.record, sealer: own.sealer)
        // It goes with the case. The earlier error says more.
        defer { try? vault.close() }
        let listed = try answer { try vault.list() } ?? []
        for item in listed { try promise(own.items.contains(item), "an item was believed that nobody has set") }
        try promise(Set(listed.map(\.id)).count == listed.count, "an item stands twice")
        let root = try answer {
            try own.sealer.open(
                .unlockRoot, vault.objects, record: own.record, sign: SampleVault.signing(own.authenticator))
        }
        let keys = try root.map { root in try answer { try vault.classKeys(unlockRoot: root) } } ?? nil
        if let circle = try answer({ try vault.circleState(keys ?? vault.alwaysKeys) }) ?? nil {
            try promise(circle.isMember && circle.machines.count == 1, "a circle was believed that nobody founded")
        }
        for item in listed {
            let agreements = try answer { try agree(vault, item) } ?? [:]
            let value = try answer {
                try vault.value(of: item, classKeys: keys ?? vault.alwaysKeys, agreements: agreements)
            }
            try check(value, of: item)
        }
        _ = try answer { try vault.verify() }
        _ = try answer { try vault.logPage(after: 0) }
        _ = try answer { try vault.verifyLog() }
        _ = try answer { try vault.missing(in: nil) }
        _ = try answer { try vault.note(AccessRecord(.read), .anchored) }
    }

    private func agree(_ vault: OpenVault, _ item: ItemSummary) throws -> Agreements {
        try vault.readPlan(for: item).alternatives.first?.agreements.reduce(into: [:]) { agreements, agreement in
            agreements[agreement.point] = try own.sealer.agree(
                agreement.role, point: agreement.point, vault.objects, record: own.record,
                sign: SampleVault.signing(own.authenticator))
        } ?? [:]
    }

    private func recover() throws {
        let vault = try RecoverableVault(copying: own.path, to: own.folder.path, code: own.code)
        for item in vault.items {
            try promise(own.items.contains(item.summary), "an item was brought back that nobody has set")
            try check(try answer { try vault.value(of: item) }, of: item.summary)
        }
    }

    private func check(_ value: SecretBytes?, of item: ItemSummary) throws {
        guard let value, let index = Int(item.metadata.account) else { return }
        let read = value.withBytes { bytes in (0..<bytes.count).map { bytes[$0] } }
        try promise(read == values[index], "another value was read")
    }
}

/// Each reader of bytes by itself, with changed output of the product.
struct DecoderTarget: FuzzTarget {
    private let samples: [(bytes: [UInt8], read: ([UInt8]) throws -> Void)]

    init() async throws {
        let sample = try SampleVault()
        let keys = try VaultKeys(deviceRoot: sample.keys.deviceRoot, vault: sample.record.vault)
        let format = FormatContext(vault: sample.record.vault)
        let database = try Connection(path: sample.path)
        func rows(_ sql: String) throws -> [[UInt8]] { try database.blobs(sql) }
        var samples: [(bytes: [UInt8], read: ([UInt8]) throws -> Void)] = []
        func add(_ bytes: [[UInt8]], _ read: @escaping ([UInt8]) throws -> Void) {
            samples += bytes.map { ($0, read) }
        }
        add(try rows("SELECT content FROM header")) { _ = try Header(decoding: $0) }
        add(try rows("SELECT record FROM item")) {
            let record = try ItemRecord(decoding: $0)
            try promise(record.encoded == $0, "an item is another one when it is written again")
        }
        add(try rows("SELECT content FROM field")) {
            let fields = try ItemFields(decoding: $0)
            try promise(fields.encoded == $0, "fields are others when they are written again")
        }
        add(try rows("SELECT records FROM former")) {
            let values = try FormerValue.decode($0)
            try promise(FormerValue.encode(values) == $0, "former values are others when they are written again")
        }
        add([sample.stamps]) {
            let stamps = try ItemStamps(decoding: $0)
            try promise(stamps.encoded == $0, "stamps are others when they are written again")
        }
        add(try rows("SELECT items FROM posting")) {
            let items = try Posting.decode($0)
            try promise(Posting.encode(items) == $0, "a posting is another one when it is written again")
        }
        add(try rows("SELECT content FROM keybag")) { _ = try Keybag(decoding: $0, keys: keys, format) }
        add(try rows("SELECT content FROM recovery")) { _ = try RecoveryWrap(decoding: $0).open(sample.code) }
        let index = try required(IndexPin(handle: 0x01B0_C003, policy: [UInt8](repeating: 3, count: 32)))
        let keybag = try rows("SELECT content FROM keybag")[0]
        let transition = Transition(
            objects: sample.keys.objects, keybag: keybag, index: .password(index), formerIndex: .boots(index))
        add([transition.encoded]) {
            let read = try Transition(decoding: $0)
            try promise(read.encoded == $0, "next roots are others when they are written again")
        }
        add([VaultIndex.boots(index).encoded]) { _ = try VaultIndex(decoding: $0) }
        let boots = BootList(
            inForce: [ApprovedBoot(digest: [UInt8](repeating: 1, count: 32), approved: 5)],
            next: [ApprovedBoot(digest: [UInt8](repeating: 2, count: 32), approved: .max)])
        add([boots.object.public]) {
            _ = try BootList(SealedObject(role: .approvedBoots, public: $0, private: []))
        }
        for object in sample.keys.objects {
            add([object.public]) {
                _ = try SoftwareObject.check(
                    SealedObject(role: object.role, public: $0, private: object.private), record: sample.record)
            }
        }
        try Self.addCircle(own: sample, add)
        let log = LogFormat(keys: keys, format: format)
        add([try sample.bytes(sample.logPath)]) {
            let content = try LogContent($0, log)
            _ = try content.validCount(from: 0, log)
            for frame in content.frames { _ = try answer { try log.open(frame) } }
        }
        let padded = Array("\u{0}\u{0}\u{0}\u{4}text".utf8) + [UInt8](repeating: 0, count: 248)
        add([padded]) {
            _ = try Padding.remove(SecretBytes(copying: $0), "a text", sizeClass: SizeClass.metadata)
        }
        add([Array("COFFERV1".utf8)]) { _ = try RecoveryCode(reading: SecretBytes(copying: $0)) }
        add([Array(Hex.encode(keybag).utf8)]) { _ = Hex.decode(String(decoding: $0, as: UTF8.self)) }
        add([Array(Data(keybag).base64EncodedString().utf8)]) {
            _ = try SecretBytes(base64Encoded: String(decoding: $0, as: UTF8.self))
        }
        add([Self.image]) { _ = try MeasuredFile($0) }
        add(TPMSamples.structures) { try TPMSamples.read($0) }
        self.samples = samples
        try database.close()
    }

    /// The rows of a circle, with those that only some vaults have.
    private static func addCircle(
        own sample: SampleVault, _ add: ([[UInt8]], @escaping ([UInt8]) throws -> Void) -> Void
    ) throws {
        let machine = try SharingMachine(SampleVault(.user(1001)), "machine")
        try machine.found()
        let rows = try machine.vault.read { (snapshot) throws(VaultError) in
            try snapshot.circleRows().map { (id: $0.row.id, content: $0.content) }
        }
        try machine.close()
        add(rows.map(\.id)) {
            let row = try CircleRow(id: $0)
            try promise(row.id == $0, "a row of the circle has two ids")
        }
        for (id, content) in rows {
            switch try CircleRow(id: id) {
            case .device: add([content]) { _ = try CircleDevice(decoding: $0) }
            case .segment: add([content]) { _ = try RecordSegment(decoding: $0) }
            case .head: add([content]) { _ = try SignedHead(decoding: $0) }
            default: break
            }
        }
        var shared = SharedItems()
        let digest = [UInt8](repeating: 7, count: SharedItems.digestCount)
        for item in sample.items { shared.put(item.id, withheld: [.name: digest, .label: digest]) }
        add([shared.encoded]) { _ = try SharedItems(decoding: $0) }
    }

    mutating func tryOne(_ mutator: inout Mutator) throws {
        let (bytes, read) = samples[mutator.below(samples.count)]
        let changed = mutator.bytes(bytes, donors: samples.map(\.bytes))
        try answer { try read(changed) }
    }

    /// A PE image with two sections.
    private static var image: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 2048)
        func put(_ value: Int, _ count: Int, at place: Int) {
            for index in 0..<count { bytes[place + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
        }
        put(0x5A4D, 2, at: 0)
        put(0x80, 4, at: 0x3C)
        put(0x4550, 4, at: 0x80)
        put(2, 2, at: 0x86)
        put(0xF0, 2, at: 0x94)
        put(0x20B, 2, at: 0x98)
        put(0x400, 4, at: 0x98 + 60)
        for (index, place) in [0x400, 0x600].enumerated() {
            put(0x200, 4, at: 0x98 + 0xF0 + 40 * index + 16)
            put(place, 4, at: 0x98 + 0xF0 + 40 * index + 20)
        }
        return bytes
    }
}

extension Connection {
    /// The first value of each row, if it is bytes.
    fileprivate func blobs(_ sql: String) throws(SQLiteError) -> [[UInt8]] {
        try rows(sql).compactMap { row in if case .blob(let bytes) = row.first { bytes } else { nil } }
    }
}
