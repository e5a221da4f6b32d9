import Circle
import Item

/// One run of a simulated circle: devices, people, clocks, crashes, files that are put back, and a hostile store.
public struct Schedule {
    /// What was found wrong, and at which step.
    public struct Fault: Error, CustomStringConvertible {
        public let what: String
        public let script: [String]

        public var description: String { (script + ["✗ " + what]).joined(separator: "\n") }
    }

    /// How many choices a schedule has, unless it was shrunk.
    public static let count = 240

    private var choices: Choices
    private var devices: [SimulatedDevice] = []
    private var store = SimulatedStore()
    private var witness = Witness()
    private var now: Int64 = 1_000_000
    private var lastNumber: UInt64 = 0
    /// What was done. It becomes text only for a fault.
    private var script: [() -> String] = []
    private let isWitnessed: Bool

    private init(_ choices: Choices, isWitnessed: Bool) {
        self.choices = choices
        self.isWitnessed = isWitnessed
        for _ in 0..<3 + self.choices.next(below: 3) {
            devices.append(SimulatedDevice(disk: SimulatedDevice.Disk(run: store.begin())))
        }
    }

    /// Runs a schedule to its end.
    ///
    /// - Parameter isWitnessed: whether each step is judged. Otherwise the end alone is: all devices agree in it.
    /// - Returns: the digest in which all devices agree.
    /// - Throws: `Fault`, with the steps that led to it.
    public static func run(_ choices: Choices, isWitnessed: Bool = true) throws -> [UInt8] {
        var schedule = Schedule(choices, isWitnessed: isWitnessed)
        while !schedule.choices.isAtEnd { try schedule.step() }
        return try schedule.end()
    }

    private mutating func step() throws {
        now += 1_000
        let device = choices.next(below: devices.count)
        let before = devices[device].disk
        let kind = choices.next(below: 16)
        let isTouched: Bool
        switch kind {
        case 0..<8:
            let made = try act(device)
            isTouched = !made.isEmpty
            // Power is cut before the change is on the disk: nobody was told that it is stored.
            if choices.nextIsTrue(oneIn: 12) {
                devices[device].disk = before
                script.append { "  power is cut" }
            } else if !made.isEmpty {
                devices[device].disk.queue.append(made)
            }
        case 8..<13: isTouched = try synchronize(device, isHonest: false)
        case 13:
            devices[device].copies.append(before)
            return
        case 14:
            guard let copy = devices[device].copies.last else { return }
            script.append { "device \(device): an older file is put back" }
            devices[device].disk = copy
            // Opening the vault begins a run. What the file had not given out is given out in it.
            devices[device].disk.run = store.begin()
            return
        default:
            let years = Int64(choices.next(below: 5)) - 2
            devices[device].clockError = years * 31_536_000_000
            script.append { "device \(device): its clock is wrong by \(years) years" }
            return
        }
        if isTouched { try check(device, since: before) }
    }

    private mutating func check(_ device: Int, since before: SimulatedDevice.Disk) throws {
        devices[device].disk.items = devices[device].disk.state.items
        guard isWitnessed else { return }
        if let fault = witness.fault(of: &devices[device].disk, since: before) { throw self.fault(device, fault) }
        let disk = devices[device].disk
        let others = devices.indices.filter { $0 != device && devices[$0].disk.had == disk.had }
        guard !others.isEmpty else { return }
        let digest = try disk.state.digest
        for other in others where try devices[other].disk.state.digest != digest {
            throw self.fault(device, "differs from device \(other)")
        }
    }

    private func fault(_ device: Int, _ what: String) -> Fault {
        Fault(what: "device \(device): \(what)", script: script.map { $0() })
    }

    /// A person, or a program, changes something.
    private mutating func act(_ device: Int) throws -> [PartChange] {
        let clock = UInt64(clamping: max(now + devices[device].clockError, 0))
        let items = devices[device].disk.items
        let writer = PartWriter(amid: items, writer: WriterID(number: UInt64(device)), now: clock)
        let action = choices.next(below: 14)
        var (what, changes, told): (String, [PartChange], (name: ItemName, ids: Int)?) = ("", [], nil)
        if items.isEmpty || action == 0 {
            let name = name()
            guard items.allSatisfy({ $0.isInBin || $0.name != name }) else { return [] }
            let access = access()
            lastNumber += 1
            // Neither the ids nor their order tell which item is older.
            let id = SharedItemID(number: lastNumber &* 0x9E37_79B9_7F4A_7C15)
            (what, told) = ("makes", (name, 1))
            changes = try writer.create(id, name, access, [(.secret, value(access))])
        } else {
            let item = items[choices.next(below: items.count)]
            switch action {
            case 1...4:
                let field: FieldName = action == 4 ? .notes : .secret
                let access = CombinedAccess(meeting: item.floor)?.expressed ?? .whenUnlocked
                (what, changes) = (
                    "sets \(field) of", [try writer.set(.field(field), of: item, to: .value(value(access)))]
                )
            case 5: (what, changes) = ("renames", [try writer.rename(item, to: name())])
            case 6:
                let text = PartContent.text([UInt8(choices.next(below: 4))])
                (what, changes) = ("labels", [try writer.set(.label, of: item, to: text)])
            case 7, 8: (what, changes) = ("guards", try writer.guardItem(item, by: access()))
            case 9: (what, changes) = ("bins", try writer.bin(item, days: 30))
            case 10: (what, changes) = ("restores", try writer.restore(item))
            case 11: (what, changes) = ("deletes", try writer.delete(item))
            case 12 where item.shown(.field(.notes)) != nil:
                (what, changes) = ("removes the notes of", [try writer.remove(.field(.notes), of: item)])
            default:
                let part = SharedPart.attribute([UInt8(97 + choices.next(below: 2))])
                (what, changes) = ("tags", [try writer.set(part, of: item, to: .text([UInt8(lastNumber & 7)]))])
            }
            told = (item.name, item.ids.count)
        }
        let first = witness.changes.count
        script.append { [what, changes, told] in
            let item = told.map { " \($0.name) (\($0.ids) ids)" } ?? ""
            return "device \(device) \(what)\(item): \(changes.count) changes, the first is \(first)"
        }
        for change in changes {
            take(change, at: device, past: devices[device].disk.had)
        }
        return changes
    }

    private mutating func take(_ change: PartChange, at device: Int, past: PlaceSet?) {
        if let past { _ = witness.note(change, past: past) }
        guard devices[device].disk.state.take(change) == .merged, let place = witness.place(of: change) else {
            return wait(change, at: device)
        }
        devices[device].disk.had.insert(place)
        // Those that have waited for it are merged, too.
        for place in devices[device].disk.waiting.sorted()
        where devices[device].disk.state.has(witness.changes[place].name) {
            devices[device].disk.waiting.remove(place)
            devices[device].disk.had.insert(place)
        }
    }

    private mutating func wait(_ change: PartChange, at device: Int) {
        guard let place = witness.place(of: change), !devices[device].disk.had.contains(place) else { return }
        devices[device].disk.waiting.insert(place)
    }

    private mutating func name() -> ItemName {
        ItemName(service: ["bank", "shop", "mail"][choices.next(below: 3)], account: "")
    }

    private mutating func access() -> AccessControl {
        let all: [AccessControl] = [
            .whenUnlocked, .afterFirstUnlock, .whenUnlocked.requiring(.userPresence),
            .whenUnlocked.requiring(.devicePasscode),
            .whenUnlocked.requiringAny(of: .biometryAny, .devicePasscode),
            .whenUnlocked.requiring(.applicationPassword),
        ]
        return all[choices.next(below: all.count)]
    }

    private mutating func value(_ access: AccessControl) throws -> SealedField {
        lastNumber += 1
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: lastNumber >> (8 * $0)) }
        guard let value = SealedField(revision: bytes + bytes, digest: bytes + bytes + bytes + bytes, access: access)
        else { throw Fault(what: "no value", script: []) }
        return value
    }

    /// A courier's run: takes in what the store shows, and gives out what waits for it.
    ///
    /// - Returns: whether the store has shown anything.
    @discardableResult
    private mutating func synchronize(_ device: Int, isHonest: Bool) throws -> Bool {
        var shown: [PartChange] = []
        for (run, records) in store.runs.enumerated() {
            let had = devices[device].disk.heads[run, default: 0]
            guard had < records.count else { continue }
            // The store withholds what is new, all of it or its end.
            let withheld = isHonest ? 0 : choices.next(below: records.count - had + 1)
            let end = records.count - withheld
            guard end > had else { continue }
            shown += records[had..<end].joined()
            devices[device].disk.heads[run] = end
        }
        if !isHonest, shown.count > 1 {
            for place in shown.indices.dropFirst() { shown.swapAt(place, choices.next(below: place + 1)) }
            // Shown twice, and something old besides.
            shown.append(shown[0])
        }
        for change in shown { take(change, at: device, past: nil) }
        let queue = devices[device].disk.queue
        for record in queue { store.put(record, in: devices[device].disk.run) }
        let (shownCount, givenCount) = (shown.count, queue.count)
        script.append { "device \(device) takes in \(shownCount), gives out \(givenCount) records" }
        // Power is cut before the disk knows that they were given out: they are given out again.
        if isHonest || !choices.nextIsTrue(oneIn: 10) { devices[device].disk.queue = [] }
        return !shown.isEmpty
    }

    /// The store is honest again, and every device runs its courier: all have one state.
    private mutating func end() throws -> [UInt8] {
        let before = devices.map(\.disk)
        for _ in 0..<3 {
            for device in devices.indices { try synchronize(device, isHonest: true) }
        }
        let digest = try devices[0].disk.state.digest
        for device in devices.indices {
            try check(device, since: before[device])
            let disk = devices[device].disk
            guard try disk.state.digest == digest else { throw fault(device, "differs from device 0 in the end") }
            guard disk.state.waits.count == 0 else { throw fault(device, "waits for what is there") }
        }
        // The same changes, in the order of their names: nobody ever saw them so.
        let folded = SharedState(store.runs.joined().joined().sorted { $0.name < $1.name })
        guard try folded.digest == digest else { throw fault(0, "differs from the fold of all changes") }
        return digest.bytes
    }
}
