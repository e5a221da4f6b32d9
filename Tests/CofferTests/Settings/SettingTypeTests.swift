import Foundation
import Testing

@testable import Coffer
@testable import CofferSettings

enum Theme: String, SettingValue { case light, dark }

enum Level: Int, Codable, SettingValue { case low = 1, high }

struct WindowFrame: Codable, SettingValue, Equatable {
    var width = 800
    var title = "Main"
    var opened = Date(timeIntervalSince1970: 1.5)
    var icon = Data([1, 2])
    var home = URL(string: "https://coffer.example/a")
    var scale = 1.25
    var tags: [String: [Int?]] = ["a": [1, nil]]
    var level = Level.high
}

/// Numbers of 128 bits in each kind of container.
struct WideNumbers: Codable, SettingValue, Equatable {
    struct Pair: Codable, Equatable {
        var signed = Int128(Int64.min)
        var unsigned = UInt128(1)

        init() {}

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            signed = try container.decode(Int128.self)
            unsigned = try container.decode(UInt128.self)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(signed)
            try container.encode(unsigned)
        }
    }

    struct Signed: Codable, Equatable {
        var value = Int128(-3)

        init() {}

        init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Int128.self) }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    struct Unsigned: Codable, Equatable {
        var value = UInt128(3)

        init() {}

        init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(UInt128.self) }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    var number = Int128(-7)
    var size = UInt128(Int64.max)
    var present: Int128? = 5
    var absent: UInt128?
    var pair = Pair()
    var signed = Signed()
    var unsigned = Unsigned()
    var list: [Int128] = [1, -1]
}

/// Every type that can be a setting comes back from the file as it was.
@Suite struct SettingTypeTests {
    let fixture: SettingsFixture

    init() throws { fixture = try SettingsFixture() }

    private func comesBack<Value: SettingValue & Equatable>(_ values: Value..., default: Value) async throws {
        for value in values {
            let key = SettingKey("key", default: `default`)
            let settings = fixture.settings()
            try settings.set(value, for: key)
            #expect(try settings.value(for: key) == value)
            try await settings.flush()
            let other = fixture.settings()
            #expect(try other.value(for: key) == value)
            try other.reset()
            #expect(try other.value(for: key) == `default`)
            try await other.flush()
        }
    }

    @Test func plainTypes() async throws {
        try await comesBack(true, default: false)
        try await comesBack(0, 1, -1, Int.min, Int.max, default: 7)
        try await comesBack(Int32.min, default: 7)
        try await comesBack(UInt64(Int64.max), default: 7)
        try await comesBack(UInt8.max, default: 7)
        try await comesBack(
            0.1, -0.5, 1, 1e300, Double.leastNonzeroMagnitude, Double.greatestFiniteMagnitude, 9_007_199_254_740_992,
            default: 7)
        try await comesBack(Float(0.1), Float.leastNonzeroMagnitude, default: 7)
        try await comesBack("", "a\"\\/\n\r\t\u{0}\u{1F}\u{7F}é👩‍👩‍👧", default: "x")
        try await comesBack(Data(), Data(0...255), default: Data([1]))
        try await comesBack([UInt8](), Array(0...255), default: [1])
        try await comesBack(Date(timeIntervalSinceReferenceDate: 0.1), .distantPast, .now, default: Date())
        try await comesBack(URL(string: "file:///a%20b")!, default: URL(string: "https://x.example")!)
        let negativeZero = fixture.settings()
        try negativeZero.set(-0.0, for: SettingKey("key", default: 1.0))
        try await negativeZero.flush()
        #expect(try fixture.settings().value(for: SettingKey("key", default: 1.0)).sign == .minus)
    }

    @Test func composedTypes() async throws {
        try await comesBack([1, 2], [], default: [3])
        try await comesBack([[UInt8(1)], []], default: [])
        try await comesBack(["a": 1, "": 2], [:], default: ["x": 1])
        try await comesBack(["a": ["b": [true]]], default: [:])
        try await comesBack("a" as String?, default: nil)
        try await comesBack([1, nil], default: [])
        try await comesBack(Theme.dark, default: .light)
        try await comesBack(Level.high, default: .low)
        try await comesBack([Theme.dark, .light], default: [])
        var frame = WindowFrame(width: 1)
        frame.tags = [:]
        try await comesBack(frame, WindowFrame(), default: WindowFrame(width: 2))
        try await comesBack(["main": frame], default: [:])
    }

    @Test func nilRemovesTheValue() throws {
        let settings = fixture.settings()
        let key = SettingKey<Int?>("key")
        try settings.set(1, for: key)
        #expect(try settings.contains(key))
        try settings.set(nil, for: key)
        #expect(try !settings.contains(key))
        #expect(try settings.value(for: key) == nil)
    }

    @Test func anotherTypeIsAnErrorAndNothingIsConverted() throws {
        let settings = fixture.settings()
        try settings.set("5", for: SettingKey("key", default: ""))
        #expect(code { _ = try settings.value(for: SettingKey("key", default: 1)) } == .wrongType)
        #expect(code { _ = try settings.value(for: SettingKey("key", default: true)) } == .wrongType)
        #expect(code { _ = try settings.value(for: SettingKey("key", default: Theme.light)) } == .wrongType)
        #expect(code { _ = try settings.value(for: SettingKey("key", default: WindowFrame())) } == .wrongType)
        #expect(code { _ = try settings.value(for: SettingKey("key", default: [1])) } == .wrongType)
        try settings.set(300, for: SettingKey("key", default: 0))
        #expect(code { _ = try settings.value(for: SettingKey("key", default: UInt8(1))) } == .wrongType)
        try settings.set(1.5, for: SettingKey("key", default: 0.0))
        #expect(code { _ = try settings.value(for: SettingKey("key", default: 1)) } == .wrongType)
        try settings.set(Int.max, for: SettingKey("key", default: 0))
        #expect(code { _ = try settings.value(for: SettingKey("key", default: 0.0)) } == .wrongType)
    }

    @Test func whatHasNoFormIsRefused() throws {
        let settings = fixture.settings()
        for number in [Double.nan, .infinity, -.infinity] {
            #expect(code { try settings.set(number, for: SettingKey("key", default: 0.0)) } == .notStorable)
            #expect(
                code { try settings.set(WindowFrame(scale: number), for: SettingKey("key", default: WindowFrame())) }
                    == .notStorable)
        }
        #expect(code { try settings.set(UInt64.max, for: SettingKey("key", default: UInt64(0))) } == .notStorable)
        #expect(code { try settings.set([.nan], for: SettingKey("key", default: [0.0])) } == .notStorable)
        #expect(try settings.names() == [])
    }

    @Test func limits() async throws {
        let settings = fixture.settings()
        let bytes = SettingsLimits.value - 2
        try settings.set(String(repeating: "a", count: bytes), for: SettingKey("key", default: ""))
        #expect(
            code { try settings.set(String(repeating: "a", count: bytes + 1), for: SettingKey("key", default: "")) }
                == .limitExceeded)
        try settings.set(1, for: SettingKey(String(repeating: "a", count: SettingsLimits.name), default: 0))
        for name in ["", String(repeating: "a", count: SettingsLimits.name + 1), "a\nb", "\u{7F}"] {
            #expect(code { try settings.set(1, for: SettingKey(name, default: 0)) } == .invalidName)
            #expect(code { _ = try settings.value(for: SettingKey(name, default: 0)) } == .invalidName)
            #expect(code { try settings.remove(SettingKey(name, default: 0)) } == .invalidName)
        }
        struct Nested: Codable, SettingValue { var inner: [Nested] }
        var nested = Nested(inner: [])
        for _ in 0..<40 { nested = Nested(inner: [nested]) }
        #expect(
            code { try settings.set(nested, for: SettingKey("deep", default: Nested(inner: []))) } == .limitExceeded)
        try settings.reset()
        for number in 0..<SettingsLimits.count { try settings.set(number, for: SettingKey("\(number)", default: 0)) }
        try await settings.flush()
        #expect(try fixture.settings().names().count == SettingsLimits.count)
        let more = SettingKey("one more", default: 0)
        #expect(code { try settings.set(1, for: more) } == .limitExceeded)
        #expect(code { try fixture.settings().set(1, for: more) } == .limitExceeded)
        try await settings.flush()
        #expect(try fixture.settings().names().count == SettingsLimits.count)
        try settings.remove(SettingKey("7", default: 0))
        try settings.set(1, for: more)
        try await settings.flush()
    }

    @Test func aValueThatDoesNotFitHoldsUpNoOther() async throws {
        let settings = fixture.settings()
        let large = String(repeating: "a", count: 250_000)
        func key(_ number: Int) -> SettingKey<String> { SettingKey("\(number)", default: "") }
        for number in 0..<4 { try settings.set(large, for: key(number)) }
        #expect(code { try settings.set(large, for: key(4)) } == .limitExceeded)
        #expect(try !settings.contains(key(4)))
        try settings.set("important", for: SettingKey("theme", default: ""))
        try await settings.flush()
        #expect(try fixture.settings().value(for: SettingKey("theme", default: "")) == "important")
        // What takes less room than before is always taken, and so is what fits exactly.
        try settings.set("small", for: key(0))
        try settings.set(large, for: key(4))
        try await settings.flush()
        let room = SettingsLimits.file - (try fixture.text().utf8.count) - #",_"rest":"""#.utf8.count
        let rest = SettingKey("rest", default: "")
        #expect(code { try settings.set(String(repeating: "b", count: room + 1), for: rest) } == .limitExceeded)
        try settings.set(String(repeating: "b", count: room), for: rest)
        try await settings.flush()
        #expect(try fixture.text().utf8.count == SettingsLimits.file)
    }

    /// Two processes fill a suite at the same time.
    @Test func theChangesThatFitAreWritten() async throws {
        let (one, other) = (fixture.settings(), fixture.settings())
        let large = String(repeating: "a", count: 250_000)
        func key(_ name: String) -> SettingKey<String> { SettingKey(name, default: "") }
        for number in 0..<3 { try one.set(large, for: key("one \(number)")) }
        for number in 0..<3 { try other.set(large, for: key("other \(number)")) }
        try other.set("dark", for: key("theme"))
        try await one.flush()
        var failures = other.failures().makeAsyncIterator()
        #expect(await asyncCode { try await other.flush() } == .limitExceeded)
        #expect(await failures.next()?.code == .limitExceeded)
        let stored = fixture.settings()
        #expect(try stored.value(for: key("theme")) == "dark")
        #expect(try stored.names().count { $0.hasPrefix("other") } == 1)
        // Another change is not held up, and what was left out is written when there is room.
        let count = SettingKey("count", default: 0)
        try await other.update { (draft) throws(SettingsError) in try draft.set(7, for: count) }
        #expect(try stored.value(for: count) == 7)
        try one.remove(key("one 0"))
        try one.remove(key("one 1"))
        try await one.flush()
        try await other.flush()
        #expect(try stored.names().count { $0.hasPrefix("other") } == 3)
    }

    @Test func otherSpellingsAreOtherValues() async throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        #expect(composed == decomposed)
        let name = SettingKey("name", default: "")
        let map = SettingKey("map", default: [String: [String]]())
        let zero = SettingKey("zero", default: 1.0)
        func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
        for backend in [fixture.backend() as any SettingsBackend, InMemorySettings()] {
            let settings = Settings(backend: backend, batch: .seconds(3600))
            for text in [composed, decomposed] {
                try settings.set(text, for: name)
                try settings.set([text: [text]], for: map)
                try settings.set(text == composed ? 0.0 : -0.0, for: zero)
                try await settings.flush()
                let stored = Settings(backend: backend)
                #expect(try bytes(stored.value(for: name)) == bytes(text))
                let member = try stored.value(for: map).first
                #expect(member.map { bytes($0.key) } == bytes(text))
                #expect(member?.value.map(bytes) == [bytes(text)])
                #expect(try stored.value(for: zero).sign == (text == composed ? .plus : .minus))
            }
            try await settings.update { (draft) throws(SettingsError) in try draft.set(composed, for: name) }
            #expect(try bytes(Settings(backend: backend).value(for: name)) == bytes(composed))
        }
    }

    /// As JSONEncoder has it.
    @Test func aContainerThatIsAskedForTwiceIsOne() throws {
        struct Twice: Encodable {
            enum Keys: String, CodingKey { case map, list, a, b }
            func encode(to encoder: any Encoder) throws {
                var outer = encoder.container(keyedBy: Keys.self)
                var first = outer.nestedContainer(keyedBy: Keys.self, forKey: .map)
                try first.encode(1, forKey: .a)
                var second = outer.nestedContainer(keyedBy: Keys.self, forKey: .map)
                try second.encode(2, forKey: .b)
                var third = outer.nestedUnkeyedContainer(forKey: .list)
                try third.encode(3)
                var fourth = outer.nestedUnkeyedContainer(forKey: .list)
                try fourth.encode(4)
                try outer.encode(5, forKey: .a)
                try outer.encode(6, forKey: .a)
            }
        }
        #expect(try SettingsEncoder.encode(Twice()) == ["a": 6, "list": [3, 4], "map": ["a": 1, "b": 2]])
        #expect(
            try JSONDecoder().decode([String: SomeJSON].self, from: JSONEncoder().encode(Twice()))["map"]
                == .map(["a": 1, "b": 2]))
    }

    private enum SomeJSON: Decodable, Equatable {
        case map([String: Int])
        case other

        init(from decoder: any Decoder) throws {
            // `try?`: another form is the other case.
            self = (try? decoder.singleValueContainer().decode([String: Int].self)).map(Self.map) ?? .other
        }
    }

    @Test func aFloatIsTheNearestToWhatAPersonWrote() throws {
        try fixture.write(#"{"coffer-settings":1,"settings":{"f":0.1,"list":[0.1,3],"large":1e300,"text":"0.1"}}"#)
        let settings = fixture.settings()
        #expect(try settings.value(for: SettingKey("f", default: Float(0))) == 0.1)
        #expect(try settings.value(for: SettingKey("list", default: [Float]())) == [0.1, 3])
        for name in ["large", "text"] {
            #expect(code { _ = try settings.value(for: SettingKey(name, default: Float(0))) } == .wrongType)
        }
    }

    @Test func wideNumbersInContainers() async throws {
        var other = WideNumbers()
        other.present = nil
        other.absent = 1
        try await comesBack(WideNumbers(), other, default: WideNumbers(number: 1))
        var wide = WideNumbers()
        wide.size = .max
        let refused = wide
        let key = SettingKey("key", default: WideNumbers())
        #expect(code { try fixture.settings().set(refused, for: key) } == .notStorable)
    }

    @Test func wholeNumbersOfEverySize() async throws {
        try await comesBack(Int8.min, 0, .max, default: Int8(1))
        try await comesBack(Int16.min, 0, .max, default: Int16(1))
        try await comesBack(Int128(Int64.min), 0, Int128(Int64.max), default: Int128(1))
        try await comesBack(0, UInt128(Int64.max), default: UInt128(1))
        let settings = fixture.settings()
        #expect(code { try settings.set(Int128.max, for: SettingKey("key", default: Int128(0))) } == .notStorable)
    }
}
