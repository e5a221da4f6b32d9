import Cryptography
import Foundation
import TestSupport
import Testing

@testable import Authenticator

/// What the digest of the enrolled fingers covers, and what it refuses to read.
struct TemplateSetTests {
    private let storage: TemporaryFolder

    init() throws { storage = try TemporaryFolder() }

    private var set: TemplateSet { TemplateSet(directory: storage.path, user: "ada", owner: geteuid()) }

    private func write(_ text: String, to path: String, mode: Int = 0o600) throws {
        let url = URL(fileURLWithPath: "\(storage.path)/ada/\(path)")
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try Data(text.utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    }

    @Test func theDigestIsTheSpecifiedOne() throws {
        try write("right thumb", to: "goodix/0/1")
        try write("left", to: "goodix/0/7")
        try write("other", to: "elan/x/7")
        func prefixed(_ bytes: [UInt8]) -> [UInt8] {
            let count = UInt32(bytes.count)
            return [UInt8(count >> 24), UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255)] + bytes
        }
        var message = prefixed(Array("org.coffer.biometry-set".utf8)) + prefixed([1])
        for (path, text) in [("elan/x/7", "other"), ("goodix/0/1", "right thumb"), ("goodix/0/7", "left")] {
            message += prefixed(Array(path.utf8)) + prefixed(try SHA256.digest(Array(text.utf8)))
        }
        #expect(try set.digest() == SHA256.digest(message))
    }

    @Test func aFingerThatCameAndWentLeavesAnotherLook() throws {
        try write("one", to: "driver/0/1")
        // Long ago, because a file system's clock is coarse.
        let old = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)]
        for folder in ["", "/driver", "/driver/0"] {
            try FileManager.default.setAttributes(old, ofItemAtPath: storage.path + "/ada" + folder)
        }
        let before = try set.look()
        #expect(try set.look() == before)
        try write("two", to: "driver/0/2")
        try FileManager.default.removeItem(atPath: storage.path + "/ada/driver/0/2")
        let after = try set.look()
        #expect(after.digest == before.digest && after != before)
    }

    @Test func everyChangeOfATemplateIsAnotherDigest() throws {
        #expect(try set.digest() == nil)
        try write("one", to: "driver/0/1")
        var seen: Set<[UInt8]> = []
        func isNew() throws -> Bool { seen.insert(try set.digest() ?? []).inserted }
        #expect(try isNew())
        #expect(try set.digest() == set.digest())
        try write("onf", to: "driver/0/1")
        #expect(try isNew(), "one byte")
        try write("two", to: "driver/0/2")
        #expect(try isNew(), "one finger more")
        try FileManager.default.moveItem(
            atPath: storage.path + "/ada/driver/0/2", toPath: storage.path + "/ada/driver/0/3")
        #expect(try isNew(), "another finger")
        try write("onf", to: "driver/1/1")
        #expect(try isNew(), "another reader")
        try FileManager.default.removeItem(atPath: storage.path + "/ada/driver/0/1")
        #expect(try isNew(), "one finger less")
        try FileManager.default.removeItem(atPath: storage.path + "/ada/driver")
        #expect(try set.digest() == nil, "none at all")
    }

    private func reason() -> String? {
        do throws(BiometryObstacle) {
            _ = try set.digest()
            return nil
        } catch {
            guard case .storage(let reason, _) = error else { return "\(error)" }
            return reason
        }
    }

    @Test func whatOthersCouldHaveWrittenIsRefused() throws {
        try write("one", to: "driver/0/1", mode: 0o620)
        #expect(reason()?.contains("could have written \"driver/0/1\"") == true)
        try write("one", to: "driver/0/1", mode: 0o600)
        #expect(reason() == nil)
        try FileManager.default.setAttributes([.posixPermissions: 0o707], ofItemAtPath: storage.path + "/ada/driver")
        #expect(reason()?.contains("could have written \"driver\"") == true)
        let foreign = TemplateSet(directory: storage.path, user: "ada", owner: geteuid() + 1)
        #expect(throws: BiometryObstacle.self) { try foreign.digest() }
    }

    @Test func linksAndOtherThingsAreRefused() throws {
        try write("one", to: "driver/0/1")
        let link = storage.path + "/ada/driver/0/2"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: storage.path + "/ada/driver/0/1")
        #expect(reason()?.contains("neither a file nor a folder") == true)
        try FileManager.default.removeItem(atPath: link)
        let made = unsafe mkfifo(link, 0o600)
        #expect(made == 0)
        #expect(reason()?.contains("neither a file nor a folder") == true)
        try FileManager.default.removeItem(atPath: link)
        #expect(reason() == nil)
        for name in ["", ".", "..", "a/b"] {
            let other = TemplateSet(directory: storage.path, user: name, owner: geteuid())
            #expect(throws: BiometryObstacle.self) { try other.digest() }
        }
    }

    @Test func tooMuchIsRefused() throws {
        // The folder counts, too.
        for number in 1..<BiometryLimits.files { try write("", to: "d/\(number)") }
        #expect(reason() == nil)
        try write("", to: "d/0")
        #expect(reason()?.contains("more than 256 files") == true)
        try FileManager.default.removeItem(atPath: storage.path + "/ada")
        for number in 1...16 { try write(String(repeating: "x", count: BiometryLimits.file), to: "d/\(number)") }
        #expect(reason() == nil)
        try write("x", to: "d/17")
        #expect(reason()?.contains("more than 16 MiB") == true)
        try FileManager.default.removeItem(atPath: storage.path + "/ada")
        try write(String(repeating: "x", count: BiometryLimits.file + 1), to: "d/1")
        #expect(reason()?.contains("more than 1048576 bytes") == true)
        try FileManager.default.removeItem(atPath: storage.path + "/ada")
        try write("deep", to: "1/2/3/4/5/6/7")
        #expect(reason() == nil)
        try FileManager.default.removeItem(atPath: storage.path + "/ada")
        try write("deep", to: "1/2/3/4/5/6/7/8")
        #expect(reason()?.contains("nested too deeply") == true)
    }
}
