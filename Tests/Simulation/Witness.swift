import Circle
import Item

/// Knows of each change what its writer had when it made it, and judges the rules by that alone.
struct Witness {
    private(set) var changes: [PartChange] = []
    private var pasts: [PlaceSet] = []
    /// The places of all values, access controls and moves to the bin.
    private var values: [Int] = []
    private var accessControls: [Int] = []
    private var bins: [Int] = []
    private var places: [RevisionName: Int] = [:]
    /// The changes that replace each.
    private var replacers: [[Int]] = []

    mutating func note(_ change: PartChange, past: PlaceSet) -> Int {
        if let place = places[change.name] { return place }
        let place = changes.count
        places[change.name] = place
        changes.append(change)
        pasts.append(past)
        replacers.append([])
        switch change.part {
        case .field where change.content != nil: values.append(place)
        case .access: accessControls.append(place)
        case .bin where change.content != nil: bins.append(place)
        default: break
        }
        for name in change.replaced { if let former = places[name] { replacers[former].append(place) } }
        return place
    }

    func place(of change: PartChange) -> Int? { places[change.name] }

    /// What is wrong with a device's state; nil if nothing is.
    ///
    /// - Parameters:
    ///   - before: what the device had before, and the revisions that were present then.
    ///   - disk: takes note of those that are present now.
    func fault(of disk: inout SimulatedDevice.Disk, since before: SimulatedDevice.Disk) -> String? {
        let items = disk.items
        var present = PlaceSet()
        for item in items {
            for part in item.parts {
                for revision in item.revisions(of: part) {
                    guard let place = places[revision.name] else { return "a revision that nobody wrote" }
                    present.insert(place)
                }
            }
        }
        disk.present = present
        for place in present.places {
            // Names and access controls of a deleted item are kept for a value that somebody else sets.
            let isGone = before.had.contains(place) && !before.present.contains(place) && changes[place].part.isField
            if isGone && before.had.isSubset(of: disk.had) { return "revision \(place) came back" }
            if !disk.had.contains(place) { return "revision \(place) is present and was not taken in" }
        }
        for place in values where disk.had.contains(place) {
            let isReplaced = isReplaced(place, among: disk.had)
            if isReplaced == present.contains(place) {
                return "value \(place) is \(isReplaced ? "present and replaced" : "lost")"
            }
        }
        for item in items {
            if let fault = accessFault(of: item, disk) ?? binFault(of: item, disk) { return fault }
        }
        return nil
    }

    /// The access controls that nobody has loosened knowingly, and what is given out under them.
    private func accessFault(of item: SharedItem, _ disk: SimulatedDevice.Disk) -> String? {
        var floor: [AccessControl] = []
        for place in accessControls where disk.had.contains(place) && item.ids.contains(changes[place].item) {
            if !isReplaced(place, among: disk.had), case .access(let access)? = changes[place].content {
                floor.append(access)
            }
        }
        for part in item.parts {
            for revision in item.revisions(of: part) {
                guard case .value(let value)? = revision.content else { continue }
                let out = GivingOut(
                    sealedUnder: value.access, boundTo: item.name, floor: item.floor, shown: item.name)
                let asked: AccessControl? =
                    switch out {
                    case .asSealed: value.access
                    case .sealedAnew(let access): access
                    case .undecided: nil
                    }
                if let asked, floor.contains(where: { $0.tightens(asked) }) {
                    return "a value of \(item.id) is given out for less than its floor"
                }
            }
        }
        return nil
    }

    /// Whether one of these changes replaces or removes a revision that its writer had.
    private func isReplaced(_ place: Int, among had: PlaceSet) -> Bool {
        replacers[place].contains { had.contains($0) && pasts[$0].contains(place) }
    }

    /// An item is in the bin while each of its values was put there by somebody who saw it, and was not brought back.
    private func binFault(of item: SharedItem, _ disk: SimulatedDevice.Disk) -> String? {
        let records = bins.filter { disk.had.contains($0) && !isReplaced($0, among: disk.had) }
        let isDeleted = item.parts.filter(\.isField).allSatisfy { part in
            item.revisions(of: part).allSatisfy { revision in
                guard let place = places[revision.name] else { return false }
                // A value that was gone for the writer was not put into the bin. Here its removal may be on its way.
                return records.contains {
                    changes[$0].item == revision.item && pasts[$0].contains(place)
                        && !isReplaced(place, among: pasts[$0])
                }
            }
        }
        if item.isInBin && !isDeleted { return "item \(item.id) is in the bin with a value that nobody deleted" }
        if isDeleted && !item.isInBin { return "item \(item.id) came out of the bin by itself" }
        return nil
    }
}
