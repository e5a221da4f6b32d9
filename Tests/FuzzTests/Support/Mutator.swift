import TestSupport

/// Changes valid content as an attacker would who knows the format. The same seed makes the same changes.
struct Mutator: RandomNumberGenerator {
    private var source: SplitMix64
    /// The most repetitions of a value in a message. Fewer if a reader asks again for each of them.
    var manyValues = 30_000

    /// - Parameters:
    /// - seed: the seed of a run.
    /// - number: the number of a case in the run, so that each case can be repeated.
    init(seed: UInt64, number: Int) {
        source = SplitMix64(seed: seed &+ UInt64(truncatingIfNeeded: number) &* 0xD134_2543_DE82_EF95)
    }

    mutating func next() -> UInt64 { source.next() }

    /// Numbers at which arithmetic and conversions break.
    static let numbers: [UInt64] = [
        0, 1, 2, 3, 7, 8, 31, 32, 33, 63, 64, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x1_0000, 0x7FFF_FFFF,
        0x8000_0000, 0x8000_0001, 0xFFFF_FFFE, 0xFFFF_FFFF, 0x1_0000_0000, 0x1F_FFFF_FFFF_FFFF, 0x7FFF_FFFF_FFFF_FFFE,
        0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, 0x8000_0000_0000_0001, .max - 1, .max,
    ]

    mutating func below(_ limit: Int) -> Int { limit <= 0 ? 0 : Int.random(in: 0..<limit, using: &self) }

    mutating func chance(_ one: Int) -> Bool { below(one) == 0 }

    mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &self) }

    /// - Parameter donors: content that parts are taken from.
    mutating func bytes(_ original: [UInt8], donors: [[UInt8]] = []) -> [UInt8] {
        var bytes = original
        for _ in 0...below(3) { change(&bytes, donors) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8], _ donors: [[UInt8]]) {
        let place = below(bytes.count)
        let length = min(bytes.count - place, 1 + below(chance(4) ? 200 : 16))
        switch below(9) {
        case 0 where !bytes.isEmpty: bytes[place] ^= 1 << UInt8(below(8))
        case 1, 2:
            let number = Self.numbers[below(Self.numbers.count)]
            let width = [1, 2, 4, 8][below(4)]
            var field = (0..<width).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
            if chance(2) { field.reverse() }
            bytes.replaceSubrange(place..<min(bytes.count, place + width), with: field)
        case 3: bytes = Array(bytes.prefix(place))
        case 4: bytes.removeSubrange(place..<place + length)
        case 5: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
        case 6: bytes.insert(contentsOf: [UInt8](repeating: UInt8(below(256)), count: below(300)), at: place)
        case 7:
            guard let donor = pick(donors), !donor.isEmpty else { return }
            let start = below(donor.count)
            let part = donor[start..<min(donor.count, start + 1 + below(64))]
            bytes.replaceSubrange(place..<min(bytes.count, place + part.count), with: part)
        default:
            for index in place..<place + length { bytes[index] = UInt8(below(256)) }
        }
    }

    /// - Parameter donors: content that whole values are taken from.
    mutating func text(_ json: JSONTree, donors: [JSONTree] = []) -> [UInt8] {
        var tree = json
        for _ in 0...below(3) { change(&tree, donors) }
        let text = Array(tree.written.utf8)
        return chance(12) ? bytes(text) : text
    }

    private mutating func change(_ tree: inout JSONTree, _ donors: [JSONTree]) {
        switch tree {
        case .object(var members) where !members.isEmpty && !chance(12):
            let index = below(members.count)
            switch below(12) {
            case 0: members.remove(at: index)
            case 1: members.append(.init(key: members[index].key, value: leaf(donors)))
            case 2: members[index].key = String(repeating: "k", count: below(70_000))
            default: change(&members[index].value, donors)
            }
            tree = .object(members)
        case .array(var elements) where !elements.isEmpty && !chance(8):
            let index = below(elements.count)
            switch below(6) {
            case 0: elements.remove(at: index)
            case 1: elements += Array(repeating: elements[index], count: below(40))
            default: change(&elements[index], donors)
            }
            tree = .array(elements)
        case .text(let text) where chance(2):
            tree = .text(String(decoding: bytes(Array(text.utf8)), as: UTF8.self))
        default: tree = leaf(donors)
        }
    }

    private mutating func leaf(_ donors: [JSONTree]) -> JSONTree {
        let number = Self.numbers[below(Self.numbers.count)]
        switch below(12) {
        case 0: return .number(String(Int64(bitPattern: number)))
        case 1, 2: return .number(String(number))
        case 3: return .number(["1e400", "-1e400", "0.5", "-0", "1e18", "18446744073709551616", "00"][below(7)])
        case 4: return .text(String(number))
        case 5: return .text(String(repeating: "f", count: below(5000)))
        case 6: return .text(["", "\u{0}", "../../x", "\u{202E}", "é", "user:-1", "user:4294967296"][below(7)])
        case 7: return .word(["null", "true", "false"][below(3)])
        case 8: return .array((0..<below(20)).map { .number(String($0)) })
        case 9: return .object([])
        case 10: return (0..<below(60)).reduce(JSONTree.number("1")) { tree, _ in .array([tree]) }
        default: return donors.randomElement(using: &self) ?? .word("null")
        }
    }
}
