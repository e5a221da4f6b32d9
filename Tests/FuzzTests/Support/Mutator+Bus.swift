import Cryptography
import SystemBus

extension Mutator {
    /// Values as another program on the bus sends them. Their types usually stay, because others are refused at once.
    /// - Parameter donors: values that whole values are taken from.
    mutating func values(_ original: [BusValue], donors: [BusValue]) throws -> [BusValue] {
        var values = original
        for _ in 0...below(3) where !values.isEmpty {
            let index = below(values.count)
            values[index] = try change(values[index], donors)
        }
        if chance(20) { values.append(pick(donors) ?? .flag(true)) }
        if chance(20) { _ = values.popLast() }
        return values
    }

    private mutating func change(_ value: BusValue, _ donors: [BusValue]) throws -> BusValue {
        if chance(12) { return pick(donors) ?? value }
        if chance(3), let donor = pick(donors.filter { $0.signature == value.signature }) { return donor }
        switch value {
        case .text(let text): return .text(changed(text))
        case .path(let path): return .path(chance(2) ? changed(path) : path + "/" + "\(below(10))")
        case .bytes(let secret):
            return .bytes(
                try SecretBytes(copying: bytes(secret.withBytes { span in (0..<span.count).map { span[$0] } })))
        case .flag(let flag): return .flag(!flag)
        case .number: return .number(UInt32(truncatingIfNeeded: pick(Self.numbers) ?? 0))
        case .signedNumber: return .signedNumber(Int32(truncatingIfNeeded: pick(Self.numbers) ?? 0))
        case .longNumber: return .longNumber(pick(Self.numbers) ?? 0)
        case .variant(let inner): return .variant(chance(3) ? pick(donors) ?? inner : try change(inner, donors))
        case .array(let type, var values) where !values.isEmpty:
            let index = below(values.count)
            switch below(6) {
            case 0: values.remove(at: index)
            case 1: values += Array(repeating: values[index], count: below(chance(8) ? manyValues : 80))
            default: values[index] = try change(values[index], donors)
            }
            return .array(of: type, values)
        case .structure(var values) where !values.isEmpty:
            let index = below(values.count)
            values[index] = try change(values[index], donors)
            return .structure(values)
        case .entry(let key, let inner):
            return chance(3) ? .entry(try change(key, donors), inner) : .entry(key, try change(inner, donors))
        default: return pick(donors) ?? value
        }
    }

    private mutating func changed(_ text: String) -> String {
        if chance(10) { return String(repeating: "x", count: below(70_000)) }
        if chance(10) { return ["", "/", "coffer:", "coffer:attribute:", "\u{202E}", "e\u{301}", "session"][below(7)] }
        // The bus takes no zero byte.
        return String(decoding: bytes(Array(text.utf8)).filter { $0 != 0 }, as: UTF8.self)
    }
}
