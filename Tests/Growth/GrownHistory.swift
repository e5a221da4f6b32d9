import Authorization
import Circle
import Cryptography
import Item
import Vault

/// What the writers have ever changed, in the order of their clocks. Values that were replaced are not kept: nobody has them.
struct GrownHistory {
    struct Value {
        let carried: CarriedValue
        let generation: Int
    }

    struct Digest {
        let digest: UInt64
        let generation: Int
    }

    /// Each writer's changes, the first one first.
    private(set) var changes: [[PartChange]] = []
    /// The values of the changes that can still be given out.
    private(set) var values: [RevisionName: Value] = [:]
    /// What is kept of values that have gone, by the change.
    private(set) var digests: [RevisionName: Digest] = [:]

    private var numbers: GrowthNumbers
    private var clock: UInt64 = 1_750_000_000_000
    private let writers: [WriterID]
    private let generations: [GrownGeneration]
    private let vault: VaultID
    /// The present value of each item.
    private var present: [PartChange] = []

    private static let access = AccessControl.afterFirstUnlock
    private static let field = SharedPart.field(.secret)

    /// What is done to an item, by which writer.
    private struct Step {
        let item: Int
        let writer: Int
        let generation: Int
        /// Whether somebody still has the value: it is the item's last one, or of the writer's last changes.
        var isKept = false
    }

    init(_ plan: GrowthPlan, _ writers: [WriterID], _ generations: [GrownGeneration]) throws {
        let all = plan.items + plan.deleted
        guard plan.records > 3 * all + plan.deleted, plan.items > 0,
            let vault = VaultID(bytes: [UInt8](repeating: 0, count: VaultID.count))
        else { throw GrowthError.tooFewRecords }
        numbers = GrowthNumbers(seed: plan.seed &+ 7)
        (self.writers, self.generations, self.vault) = (writers, generations, vault)
        changes = writers.map { _ in [] }
        let steps = steps(plan)
        for (place, step) in steps.enumerated() {
            switch place {
            case ..<all: try create(step)
            case (steps.count - 1 - plan.deleted)..<(steps.count - 1):
                _ = try add(step, present[step.item].item, Self.field, replacing: [present[step.item]], nil)
            default: try set(step)
            }
        }
    }

    /// Each item is made, then they are set in turn, and some are deleted for good. The last change of all comes later.
    private mutating func steps(_ plan: GrowthPlan) -> [Step] {
        let all = plan.items + plan.deleted
        let count = plan.records - 2 * all
        var steps: [Step] = []
        for place in 0..<count {
            let isRemoval = place >= count - 1 - plan.deleted && place < count - 1
            let item =
                if place < all { place } else if isRemoval { plan.items + place - (count - 1 - plan.deleted) } else {
                    Int.random(in: 0..<(place == count - 1 ? plan.items : all), using: &numbers)
                }
            // The founder alone has the first generation.
            let generation = 1 + (generations.count - 1) * place / count
            steps.append(
                Step(item: item, writer: Int.random(in: 0..<writers.count, using: &numbers), generation: generation))
        }
        var (left, isLast) = (
            [Int](repeating: plan.tail + 1, count: writers.count), [Bool](repeating: true, count: all)
        )
        for place in steps.indices.reversed() {
            let step = steps[place]
            let isGone = step.item >= plan.items
            steps[place].isKept = left[step.writer] > 0 || isLast[step.item] && !isGone
            left[step.writer] -= place < all ? 3 : 1
            // Without the last change of all, the value before it is there.
            if place < count - 1 { isLast[step.item] = false } else { steps[place].isKept = true }
        }
        return steps
    }

    private mutating func add(
        _ step: Step, _ item: SharedItemID, _ part: SharedPart, replacing replaced: [PartChange],
        _ content: PartContent?
    ) throws -> PartChange {
        clock += 1_000
        let change = try PartChange(
            item: item, part: part,
            stamp: PartStamp(at: clock, replacing: replaced.map(\.stamp), writer: writers[step.writer]),
            replacing: replaced.map(\.name), content: content)
        changes[step.writer].append(change)
        return change
    }

    private mutating func create(_ step: Step) throws {
        guard let id = SharedItemID(bytes: numbers.bytes(SharedItemID.count)) else { throw GrowthError.impossible }
        let name = ItemName(service: "service-\(step.item)", account: "account")
        _ = try add(step, id, .name, replacing: [], .name(name))
        _ = try add(step, id, .access, replacing: [], .access(Self.access))
        present.append(try value(step, of: id, replacing: []))
    }

    private mutating func set(_ step: Step) throws {
        let former = present[step.item]
        present[step.item] = try value(step, of: former.item, replacing: [former])
    }

    /// A value of 24 random bytes. One that was replaced is sealed to nobody.
    private mutating func value(
        _ step: Step, of item: SharedItemID, replacing former: [PartChange]
    ) throws -> PartChange {
        let plain = try SecretBytes(copying: numbers.bytes(24))
        let generation = generations[step.generation]
        guard step.isKept else {
            guard
                let field = SealedField(revision: numbers.bytes(16), digest: numbers.bytes(32), access: Self.access)
            else { throw GrowthError.impossible }
            let change = try add(step, item, Self.field, replacing: former, .value(field))
            if let digest = try PastValueDigest.of(plain, in: item, generation.public.name, generation.halves) {
                digests[change.name] = Digest(digest: digest, generation: step.generation)
            }
            return change
        }
        guard let own = ItemID(bytes: item.bytes) else { throw GrowthError.impossible }
        let (content, carried) = try FreshValue.given(
            plain, .secret, of: own, Self.access, vault: vault, in: generation.public)
        let change = try add(step, item, Self.field, replacing: former, .value(content))
        values[change.name] = Value(carried: carried, generation: step.generation)
        return change
    }
}
