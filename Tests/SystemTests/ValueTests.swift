import Foundation
import Testing

/// Values go in and come out through the real programs, byte for byte.
@Suite struct ValueTests {
    static let values: [(String, [UInt8])] = [
        ("empty", []), ("one byte", [0]), ("every byte", (0...255).map { UInt8($0) }), ("one newline", [10]),
        ("newlines", Array("a\n\n\n".utf8)),
        ("not UTF-8", [0xff, 0xfe, 0xc3, 0x28, 0x80]),
        ("1 MiB", (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) }),
    ]

    @Test func everyValueComesBackExactly() throws {
        let sandbox = try Sandbox()
        for (name, value) in Self.values {
            let stored = try sandbox.coffer("set", "values", name, "--allow-empty", input: value)
            #expect(stored.code == 0, "\(name): \(stored)")
            let read = try sandbox.coffer("get", "values", name)
            #expect(read.code == 0, "\(name): \(read)")
            #expect(read.output == value, "\(name)")
        }
        let before = try sandbox.coffer("list")
        let tooLong = try sandbox.coffer("set", "values", "too long", input: [UInt8](repeating: 65, count: 1 << 20 + 1))
        #expect(tooLong.code != 0)
        #expect(tooLong.errors.contains("1 MiB"), "\(tooLong)")
        #expect(try sandbox.coffer("exists", "values", "too long").code == 3)
        #expect(try sandbox.coffer("list").output == before.output)
    }

    @Test func gatedValuesComeBackExactlyAfterARestart() throws {
        let sandbox = try Sandbox()
        for (name, value) in Self.values {
            #expect(
                try sandbox.coffer("set", "values", name, "--allow-empty", "--require", "presence", input: value).code
                    == 0)
        }
        try sandbox.script("stop-broker")
        try sandbox.script("start-broker")
        #expect(try sandbox.coffer("get", "values", "empty").code == 5)
        #expect(try sandbox.coffer("unlock", password: "sandbox").code == 0)
        for (name, value) in Self.values {
            let read = try sandbox.coffer("get", "values", name, password: "sandbox")
            #expect(read.code == 0 && read.output == value, "\(name): \(read.code) \(read.errors)")
        }
    }
}
