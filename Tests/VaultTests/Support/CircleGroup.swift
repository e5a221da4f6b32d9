import Circle
import Cryptography
import Item
import Testing

@testable import Vault

/// Machines of one circle, and the folder between them. The clock of each is ahead of the one before.
struct CircleGroup {
    let store = CircleStore()
    let machines: [CircleMachine]

    init(_ names: String..., room: Room = Room()) throws {
        machines = try names.enumerated().map { place, name in
            try CircleMachine(name, clock: 1_800_000_000_000 + UInt64(place) * 500_000, room: room)
        }
        try machines[0].found()
        for machine in machines.dropFirst() {
            try machines[0].put(store)
            try machine.join(machines[0])
        }
        try settle()
    }

    /// Each takes in what the others gave out, until nobody has anything new. Then all have the same state, and show the
    /// same.
    func settle() throws {
        for _ in 0..<3 { for machine in machines { try machine.sync(store) } }
        let digests = try machines.map { try $0.digest() }
        #expect(Set(digests).count == 1)
        let before = store.files
        for machine in machines { try machine.sync(store) }
        let isSame = store.files == before
        #expect(isSame, "without input there are no records")
        for machine in machines { _ = try machine.vault.verify() }
    }

    /// What all machines read.
    func get(_ service: String, _ field: FieldName = .secret) throws -> Set<String> {
        Set(try machines.map { try $0.get(service, "", field) })
    }

    /// What all machines list as values of a field that is in conflict.
    func values(_ service: String, _ field: FieldName = .secret) throws -> [[String]] {
        try machines.map { try $0.values(service, field) }
    }

    /// How many conflicts each machine lists. What it counts for `status` is the same.
    func counts() throws -> Set<Int> {
        Set(
            try machines.map { machine in
                let count = try machine.conflicts().count
                #expect(try machine.vault.circleState(machine.classKeys)?.conflicts == count)
                return count
            })
    }
}

extension CircleMachine {
    func conflicts() throws -> [PartConflict] { try vault.conflicts(classKeys).conflicts }

    /// The conflict of one part of an item.
    func conflict(_ service: String, _ part: SharedPart = .field(.secret)) throws -> PartConflict {
        try #require(try conflicts().first { $0.item.metadata.service == service && $0.part == part })
    }

    /// The values of a field that is in conflict, the shown one first.
    func values(_ service: String, _ field: FieldName = .secret) throws -> [String] {
        let conflict = try conflict(service, .field(field))
        return try conflict.revisions.filter { $0.same == nil && $0.isReadable }.map { revision in
            let found = try vault.value(of: revision.name, in: field, of: conflict.item.id, classKeys)
            return String(decoding: revealed(found.value), as: UTF8.self)
        }
    }

    /// Takes what another machine has set.
    @discardableResult
    func resolve(
        _ service: String, _ part: SharedPart = .field(.secret), as other: String, keepingOthers: Bool = false
    ) throws -> [FieldName] {
        let conflict = try conflict(service, part)
        let taken = try #require(conflict.revisions.first { $0.machine?.text == other })
        fixture.advance(milliseconds: 1000)
        return try vault.resolve(
            Resolution(item: conflict.item.id, part: part, taken: taken.name, keepsOthers: keepingOthers), classKeys
        ).fields
    }

    func set(field: FieldName, of service: String, _ value: String) throws {
        fixture.advance(milliseconds: 1000)
        var draft = ItemDraft(
            service: service, account: "", value: try SecretBytes(copying: Array(value.utf8)), access: .whenUnlocked)
        draft.field = field
        try vault.set(draft)
    }

    func edit(_ service: String, _ changes: MetadataChanges) throws {
        fixture.advance(milliseconds: 1000)
        try vault.edit(vault.find(service: service, account: ""), changes: changes)
    }

    func find(_ service: String) throws -> ItemSummary { try vault.find(service: service, account: "") }
}
