import Foundation
import Testing

@testable import Coffer

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
        try settings.set(1, for: SettingKey("one more", default: 0))
        #expect(await asyncCode { try await settings.flush() } == .limitExceeded)
        #expect(try fixture.settings().names().count == SettingsLimits.count)
        try settings.reset()
        for number in 0..<5 {
            let value = String(repeating: "a", count: SettingsLimits.file / 5)
            try settings.set(value, for: SettingKey("\(number)", default: ""))
        }
        #expect(await asyncCode { try await settings.flush() } == .limitExceeded)
    }
}
