import Coffer
import FoundationEssentials

/// A field of an item that is to be read.
struct FieldOfItem {
    let item: ItemAttributes
    let field: FieldName

    var name: PartialName { PartialName(item.name).with(field == .secret ? nil : field) }

    /// The field secret of an item.
    static func secret(of item: ItemAttributes) -> FieldOfItem { FieldOfItem(item: item, field: .secret) }

    /// All fields of these items, each item's together.
    static func all(of items: [ItemAttributes]) -> [FieldOfItem] {
        items.flatMap { item in item.fields.map { FieldOfItem(item: item, field: $0.name) } }
    }
}

/// A field of an item that was read.
struct ReadField {
    let field: FieldName
    let value: [UInt8]
    /// The item as it was when the value was read.
    let item: ItemAttributes

    init(of field: FieldOfItem, _ value: [UInt8], _ item: ItemAttributes) {
        self.field = field.field
        self.value = value
        self.item = item
    }
}

/// Reads the values of many fields, as many in one request as the broker takes. A person is asked once for each request with guarded items.
struct JointReading {
    let session: CommandSession
    let noPrompt: Bool
    /// For the prompt and the log.
    let reason: String?
    /// For errors: what needs the values.
    let purpose: String
    /// The command to run in a terminal if nobody can be asked here.
    let command: String
    /// Whether items that nobody can read any longer are left out. Otherwise one of them is an error.
    var leavesOutLost = false
    /// Takes the items that cannot be read, which are then left out. nil: one of them is an error.
    var unreadable: UnreadableItems?
    /// Whether a person may be told what to expect.
    var tells = true
    private let notice = DivisionNotice()

    /// How many requests these fields take, and so how often a person may be asked.
    static func requests(for fields: [FieldOfItem]) -> Int { batches(of: fields).count }

    /// Fields of one item are in one request, so that one answer is for all of them. An item has fewer fields than a request takes.
    private static func batches(of fields: [FieldOfItem]) -> [[FieldOfItem]] {
        var batches: [[FieldOfItem]] = []
        var place = fields.startIndex
        while place < fields.endIndex {
            let end = fields[place...].firstIndex { $0.item.id != fields[place].item.id } ?? fields.endIndex
            let group = Array(fields[place..<end])
            if let last = batches.last, last.count + group.count <= BatchLimits.reads {
                batches[batches.count - 1] += group
            } else {
                batches.append(group)
            }
            place = end
        }
        return batches
    }

    /// - Parameter fields: each once, those of an item together.
    /// - Returns: the values in the same order, without those of items that have expired meanwhile, and of lost ones.
    func values(of fields: [FieldOfItem]) throws(KeychainError) -> [ReadField] {
        var values: [ReadField] = []
        var progress = ProgressLine(total: fields.count, verb: "Read")
        defer { progress.clear() }
        for batch in Self.batches(of: fields) {
            values += try read(batch)
            // A prompt of the next request would be in the same line.
            if fields.allSatisfy(\.item.access.requirements.isEmpty) { progress.show(values.count) }
        }
        return values
    }

    /// Reads half as many at a time if the answer would be too long.
    private func read(_ fields: [FieldOfItem]) throws(KeychainError) -> [ReadField] {
        do throws(KeychainError) {
            let items = try session.call(
                ItemCall.readAll(fields.map(\.name), ReadRequest(reason: reason)), for: purpose,
                noPrompt: noPrompt, command: command)
            return zip(fields, items).map { ReadField(of: $0, $1.value, $1.attributes) }
        } catch {
            if error.code == .notFound {
                // The broker gives out nothing if one item has expired since the list was made.
                let now = Date()
                let live = fields.filter { !$0.item.isExpired(at: now) }
                guard live.count < fields.count else { throw error }
                return live.isEmpty ? [] : try read(live)
            }
            if error.code == .biometryRefused, leavesOutLost {
                // The broker gives out nothing if one item is lost, and has asked nobody.
                let lost = lostItems(of: fields)
                guard !lost.isEmpty else { throw error }
                let others = fields.filter { !lost.contains($0.item.id) }
                return others.isEmpty ? [] : try read(others)
            }
            if let unreadable, error.mayConcernOneItem, let item = fields.first?.item {
                // The broker gives out nothing if one item cannot be read, and does not say which.
                guard let border = Self.border(in: fields) else {
                    unreadable.reasons[item.id] = error.message
                    return []
                }
                return try read(Array(fields[..<border])) + read(Array(fields[border...]))
            }
            guard error.code == .limitExceeded, fields.count > 1 else { throw error }
            let asks = fields.contains { !$0.item.access.requirements.isEmpty }
            if tells, asks, !noPrompt { notice.tell(error) }
            let half = fields.count / 2
            return try read(Array(fields[..<half])) + read(Array(fields[half...]))
        }
    }
}

/// The items that could not be read, by their ids, each with the reason.
final class UnreadableItems {
    var reasons: [String: String] = [:]
}

extension KeychainError {
    /// Whether the cause may be one of the items that were read, and not the vault, the machine or the person.
    var mayConcernOneItem: Bool { [.damaged, .tpmRefused, .tpmOther, .invalidArgument, .failed].contains(code) }
}

extension JointReading {
    /// A place near the middle where one item's fields end; nil if all fields are of one item.
    private static func border(in fields: [FieldOfItem]) -> Int? {
        guard let middle = fields.dropFirst(fields.count / 2).first?.item.id,
            let first = fields.firstIndex(where: { $0.item.id == middle })
        else { return nil }
        return first > 0 ? first : fields.firstIndex { $0.item.id != middle }
    }

    /// The items that nobody can read any longer, because other fingers are enrolled. Nobody is asked: only such an item
    /// gives this error then.
    private func lostItems(of fields: [FieldOfItem]) -> Set<String> {
        var lost: Set<String> = []
        for field in fields where field.item.access.requirements.contains(.biometryCurrentSet) {
            do throws(KeychainError) {
                _ = try session.call(
                    ItemCall.readAll([field.name], ReadRequest(reason: reason)), for: purpose, noPrompt: true,
                    command: command)
            } catch {
                if error.code == .biometryRefused { lost.insert(field.item.id) }
            }
        }
        return lost
    }
}

extension ItemAttributes {
    /// The broker lists an item that has expired, but it gives its value to nobody.
    func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }
}
