import BrokerProtocol
import Item
import JSON

/// A type of the wire. A test can make any of its values.
protocol Sampled: JSONValue {
    static func sample(_ source: inout SampleSource) -> Self
}

/// Where the values come from. The same number gives the same values.
struct SampleSource {
    private var state: UInt64

    init(_ number: UInt64) { state = number &* 0x9E37_79B9_7F4A_7C15 | 1 }

    /// The generator of Knuth's MMIX.
    mutating func below(_ count: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % count
    }

    mutating func next<Value: Sampled>() -> Value { Value.sample(&self) }

    mutating func element<Value>(_ values: [Value]) -> Value { values[below(values.count)] }
}

extension String: Sampled {
    static func sample(_ source: inout SampleSource) -> String {
        let parts = [
            "a", "B", "/", "\"", "\\", "\n", "\r", "\t", "\u{8}", "\u{C}", "\0", "\u{1F}", "\u{7F}", "é", "e\u{301}",
            "\u{2028}", "😀", "10", "9", "_", " ", "ß", "K",
        ]
        return (0..<source.below(6)).map { _ in source.element(parts) }.joined()
    }
}

extension Int64: Sampled {
    static func sample(_ source: inout SampleSource) -> Int64 {
        source.element([0, 1, -1, 255, 1_900_000_000_000, .max, .min])
    }
}

extension Bool: Sampled {
    static func sample(_ source: inout SampleSource) -> Bool { source.below(2) == 0 }
}

extension Optional where Wrapped: Sampled {
    static func sample(_ source: inout SampleSource) -> Wrapped? {
        source.below(3) == 0 ? nil : Wrapped.sample(&source)
    }
}

extension SampleSource {
    mutating func next<Value: Sampled>() -> Value? { Value?.sample(&self) }
}

extension Array: Sampled where Element: Sampled {
    static func sample(_ source: inout SampleSource) -> [Element] {
        (0..<source.below(3)).map { _ in source.next() }
    }
}

extension Dictionary: Sampled where Key == String, Value: Sampled {
    static func sample(_ source: inout SampleSource) -> [String: Value] {
        var values: [String: Value] = [:]
        for _ in 0..<source.below(4) {
            let name = String.sample(&source)
            values[name] = Value.sample(&source)
        }
        return values
    }
}

extension Sampled where Self: CaseIterable {
    static func sample(_ source: inout SampleSource) -> Self { source.element(Array(allCases)) }
}

extension Keychain.Purpose: Sampled {}
extension ItemKind: Sampled {}
extension FieldKind: Sampled {}
extension AccessControl.Accessibility: Sampled {}
extension AccessControl.Requirement: Sampled {}
extension Keychain.VaultState.State: Sampled {}
extension Keychain.Event.Kind: Sampled {}
extension Keychain.SetMode: Sampled {}
extension Keychain.Change.Action: Sampled {}
extension Keychain.RollbackTime: Sampled {}

extension Authentication.Message.Style: Sampled {
    static func sample(_ source: inout SampleSource) -> Self { source.element([.secret, .visible, .info, .error]) }
}

extension Keychain.BootCoverage.Part: Sampled {
    static func sample(_ source: inout SampleSource) -> Self { source.element([.held, .open, .unknown]) }
}

extension Keychain.Finding.Verdict: Sampled {
    static func sample(_ source: inout SampleSource) -> Self { source.element([.ok, .note, .problem]) }
}

extension AccessControl: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        let accessibility: Accessibility = source.next()
        let isThisDeviceOnly: Bool = source.next()
        let choices: [[Requirement]] = [[], [.userPresence], [.biometryAny, .devicePasscode], [.applicationPassword]]
        let requirements = Set(source.element(choices))
        let any = requirements.count > 1 && source.next()
        // None of the choices contradicts itself.
        return
            (try? AccessControl(
                accessibility, isThisDeviceOnly: isThisDeviceOnly, requirements: requirements, anyIsEnough: any))
            ?? AccessControl(accessibility)
    }
}
