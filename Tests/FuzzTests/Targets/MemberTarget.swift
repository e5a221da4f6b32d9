import Authorization
import Circle
import Cryptography
import Foundation
import Item
import TestSupport

@testable import Vault

/// What a member gives out whose broker was taken over (attacker 13): bodies, changes, values and slots that look right
/// and are not, validly sealed and signed. Another member takes them in.
struct MemberTarget: FuzzTarget {
    private let desk: SharingMachine
    private let laptop: SharingMachine
    /// The desk's file before each case.
    private let file: [UInt8]
    /// How the laptop sees the circle.
    private let view: CircleView
    private let bodies: [[UInt8]]
    private let changes: [CarriedChange]
    private let slots: [ValueSlot]
    private let generation: KeyGeneration?
    private let released: [ReleasedSlots]

    /// Every value that a person has set, by the names of its item.
    private static let values: [String: Set<String>] = [
        "bank": ["guarded"], "vault": ["doubly guarded"], "weather": ["open"], "here": ["stays"],
        "shop": ["old", "new", "note"], "service": ["value 0", "value 1", "value 2"],
    ]

    init() async throws {
        desk = try SharingMachine(SampleVault(), "desk")
        laptop = try SharingMachine(SampleVault(.user(1001)), "laptop")
        try desk.found()
        try laptop.join(desk)
        for machine in [desk, laptop] { try machine.exchange(machine === desk ? laptop : desk) }
        let presence = try AccessControl(requirements: [.userPresence])
        try desk.set("bank", "guarded", presence)
        try laptop.set("vault", "doubly guarded", AccessControl(requirements: [.userPresence, .devicePasscode]))
        try desk.set("weather", "open", .whenUnlocked)
        try desk.set("shop", "old", .afterFirstUnlock)
        try desk.exchange(laptop)
        try laptop.set("shop", "new", .afterFirstUnlock)
        try laptop.set("shop", "note", .afterFirstUnlock, .notes)
        try desk.set("here", "stays", .whenUnlocked.thisDeviceOnly)
        try desk.vault.edit(
            desk.vault.find(service: "weather", account: ""),
            changes: MetadataChanges(label: "Label", attributes: ["k": "v"], expires: 4_000_000_000_000))
        for _ in 0..<3 { try desk.exchange(laptop) }
        let all = try laptop.bodies()
        view = try laptop.view()
        changes = all.flatMap { if case .changes(let carried) = $0 { carried } else { [CarriedChange]() } }
        slots = changes.flatMap { $0.value?.slots ?? [] }
        released = try changes.filter { $0.value != nil }.prefix(2).map {
            try ReleasedSlots(of: $0.change.name, $0.value?.slots ?? [])
        }
        generation = view.present
        let heads = view.streams.values.compactMap(\.newest)
        bodies = try (all + heads.map { .head($0) } + [.released(released)]).map { try $0.bytes() }
        guard !slots.isEmpty, bodies.count > 8 else { throw BrokenPromise("there is nothing to change") }
        try desk.close()
        file = try desk.sample.bytes(desk.sample.path)
        try desk.open(file)
        try check("before")
    }

    mutating func tryOne(_ mutator: inout Mutator) throws {
        try desk.open(file)
        var given: [RecordBody] = []
        for _ in 0...mutator.below(3) {
            switch mutator.below(7) {
            case 0, 1:
                let bytes = mutator.bytes(mutator.pick(bodies) ?? [0], donors: bodies)
                guard let kind = bytes.first else { continue }
                given.append(.unknown(kind: kind, content: Array(bytes.dropFirst())))
            case 2:
                guard let name = mutator.pick(changes)?.change.name else { continue }
                let added = try answer { try ReleasedSlots(of: name, slots(&mutator)) }
                if let added { given.append(.released([added])) }
            case 3:
                if let made = try answer({ try generation(&mutator) }) { given.append(.generation(made)) }
            case 4:
                let names = (0...mutator.below(8)).compactMap { _ in mutator.pick(changes)?.change.name.number }
                given += PastChanges.records(names: Set(names), values: [:]).map { .past($0) }
            case 5:
                let made = try answer {
                    let (count, said) = (UInt32(mutator.below(4)), UInt64(mutator.below(4)))
                    return try StreamSummary(count: count, said: said, runs: [], seen: [])
                }
                if let made { given.append(.summary(made)) }
            default:
                let made = try (0...mutator.below(4)).compactMap { _ in try answer { try change(&mutator) } }
                if !made.isEmpty { given.append(.changes(made)) }
            }
        }
        // Longer than a record holds.
        guard let (head, segments) = try answer({ try laptop.given(given, view) }) else { return }
        let before = try desk.vault.list().filter { $0.metadata.service == "here" }
        _ = try desk.vault.takeIn(heads: [head], segments: segments, desk.classKeys)
        // What came first can make room for a name that was taken. Then there is nothing left to do.
        var outcomes: [String] = []
        for _ in 0..<4 {
            let again = try desk.vault.takeIn(heads: [head], segments: segments, desk.classKeys)
            outcomes.append("\(again.added) \(again.updated) \(again.deleted) \(again.obstacles)")
            if again.added + again.updated + again.deleted == 0 { break }
        }
        try promise(
            outcomes.count < 4, "the same is taken in anew each time: \(outcomes), of \(given.map(Self.described))")
        try promise(
            try desk.vault.list().filter { $0.metadata.service == "here" }.contains(before), "what stays was touched")
        try check("afterwards")
    }

    /// Whatever others give out: the vault is whole, guarded values ask, and no value stands under another name.
    private func check(_ when: String) throws {
        _ = try desk.vault.verify()
        _ = try desk.vault.circleState(desk.classKeys)
        _ = try desk.vault.conflicts(desk.classKeys)
        _ = try desk.vault.unreleased(desk.classKeys)
        for item in try desk.vault.list() {
            let service = item.metadata.service
            let free = try answer { try desk.values(item, consent: false) }
            for (_, value) in free ?? [] {
                let text = String(decoding: value, as: UTF8.self)
                try promise(
                    !text.hasSuffix("guarded"), "\(when): a guarded value opens without a person, in \(service)")
                try promise(
                    Self.values.values.contains { $0.contains(text) }, "\(when): a value that nobody set, in \(service)"
                )
            }
            guard free == nil, let opened = try answer({ try desk.values(item, consent: true) }) else { continue }
            for (_, value) in opened {
                // What asked for nobody before may ask now, also in an item that was joined with this one.
                let text = String(decoding: value, as: UTF8.self)
                let isKnown =
                    text.hasSuffix("guarded")
                    ? Self.values[service]?.contains(text) == true
                    : Self.values.values.contains { $0.contains(text) }
                try promise(isKnown, "\(when): \(text) opens under another name, \(service)")
            }
        }
    }

    private static func described(_ body: RecordBody) -> String {
        switch body {
        case .changes(let all):
            all.map { one in
                let content =
                    one.value.map { "value of \(Hex.encode($0.item.bytes).prefix(4))" }
                    ?? String(describing: one.change.content)
                return
                    "\(Hex.encode(one.change.item.bytes).prefix(4)) \(one.change.part) := \(content.prefix(300)) over \(one.change.replaced.count)"
            }.joined(separator: "; ")
        case .released(let all): "released \(all.map(\.slots.count))"
        case .unknown(let kind, let content): "kind \(kind) of \(content.count) bytes"
        default: "keys"
        }
    }

    // MARK: What looks right

    private func change(_ mutator: inout Mutator) throws -> CarriedChange {
        guard let one = mutator.pick(changes), let other = mutator.pick(changes) else { throw CircleFormError.length }
        let donor = mutator.chance(3) ? other : one
        let item = mutator.chance(12) ? SharedItemID(number: mutator.next()) : donor.change.item
        let part = mutator.chance(4) ? other.change.part : one.change.part
        let clock =
            mutator.chance(3) ? mutator.pick(Mutator.numbers) ?? 0 : one.change.stamp.clock &+ mutator.next() % 99
        let writer = mutator.chance(8) ? other.change.stamp.writer : view.device.id
        guard let stamp = PartStamp(clock: clock, writer: writer) else { throw CircleFormError.range }
        var replaced = Set(changes.filter { $0.change.item == item && $0.change.part == part }.map(\.change.name))
        if mutator.chance(3) { replaced = [one.change.name] }
        if mutator.chance(3) { replaced = [] }
        if mutator.chance(8) { replaced.insert(other.change.name) }
        var content = mutator.chance(6) ? other.change.content : one.change.content
        if mutator.chance(10) { content = nil }
        switch content {
        case .name(let name):
            content = .name(
                ItemName(
                    service: mutator.chance(2) ? mutator.pick(Self.values.keys.sorted()) ?? "" : name.service,
                    account: name.account, itemClass: mutator.pick(Array(ItemKind.allCases)) ?? .genericPassword))
        case .access:
            content = .access(
                mutator.pick([
                    .whenUnlocked, .always, .afterFirstUnlock, .whenUnlocked.thisDeviceOnly,
                    .whenUnlocked.requiring(.userPresence), .whenUnlocked.requiring(.biometryCurrentSet),
                    .whenUnlocked.requiringAny(of: .biometryAny, .devicePasscode),
                    .whenUnlocked.requiring(.applicationPassword),
                ]) ?? .always)
        case .text: content = .text([UInt8](repeating: 0x61, count: mutator.below(5000)))
        case .expiry: content = .expiry(mutator.pick(Mutator.numbers) ?? 0)
        case .bin:
            content = .bin(BinRecord(days: UInt16(mutator.below(400)), values: changes.map(\.change.name)))
        case .value(let field):
            let given = one.value ?? other.value ?? changes.compactMap(\.value)[0]
            let value = try value(given, other.value, &mutator)
            let revision = mutator.chance(4) ? field.revision.map { $0 ^ 1 } : field.revision
            let access: AccessControl = mutator.chance(4) ? .whenUnlocked : field.access
            guard
                let sealed = SealedField(revision: revision, digest: try SHA256.digest(value.sealed), access: access)
            else { throw CircleFormError.length }
            return try CarriedChange(
                PartChange(
                    item: item, part: part, stamp: stamp, replacing: Array(replaced), content: .value(sealed)), value)
        case nil: break
        }
        return try CarriedChange(
            PartChange(item: item, part: part, stamp: stamp, replacing: Array(replaced), content: content))
    }

    private func value(
        _ one: CarriedValue, _ other: CarriedValue?, _ mutator: inout Mutator
    ) throws -> CarriedValue {
        let donor = mutator.chance(4) ? other ?? one : one
        let kinds: [FieldKind] = [.secret, .otp]
        return try CarriedValue(
            kind: mutator.chance(4) ? mutator.pick(kinds) ?? .secret : one.kind,
            item: mutator.chance(6) ? donor.item : one.item,
            commitment: mutator.chance(6) ? donor.commitment : one.commitment,
            slots: mutator.chance(3) ? slots(&mutator) : one.slots,
            sealed: mutator.chance(8) ? mutator.bytes(one.sealed) : donor.sealed)
    }

    private func slots(_ mutator: inout Mutator) -> [ValueSlot] {
        (0...mutator.below(mutator.chance(9) ? 300 : 5)).compactMap { _ in
            guard let slot = mutator.pick(slots) else { return nil }
            if mutator.chance(2) { return slot }
            // Of another form it is none.
            return try? ValueSlot(decoding: mutator.bytes(slot.bytes, donors: slots.map(\.bytes)))
        }
    }

    private func generation(_ mutator: inout Mutator) throws -> KeyGeneration {
        guard let generation else { throw CircleFormError.length }
        return try KeyGeneration(
            circle: generation.circle, maker: view.device.id,
            removals: mutator.chance(4) ? mutator.bytes(generation.removals) : generation.removals,
            publicHalves: mutator.bytes(generation.publicHalves),
            receivers: generation.receivers.filter { _ in !mutator.chance(6) }.map {
                try KeyGeneration.Receiver($0.device, sealed: mutator.bytes($0.sealed))
            })
    }
}
