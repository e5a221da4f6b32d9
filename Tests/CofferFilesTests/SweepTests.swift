import Coffer
import Foundation
import Testing

@testable import CofferFiles

@Suite struct SweepTests {
    private static let day: TimeInterval = 25 * 3600

    @Test func onlyOldKeysThatNoFileHasAreSwept() async throws {
        let scratch = try Scratch()
        var keys = try scratch.keys()
        let files = try scratch.files(keys)
        for name in ["kept", "gone", "damaged", "folder/gone"] { try await files.write([1], to: name) }
        try FileManager.default.removeItem(atPath: scratch.root + "/gone")
        try FileManager.default.removeItem(atPath: scratch.root + "/folder")
        try scratch.put([1, 2], "damaged")
        #expect(try await files.sweep() == 0)
        #expect(keys.ids.count == 4)
        keys.age = Self.day
        #expect(try await scratch.files(keys).sweep() == 2)
        #expect(keys.ids.count == 2)
        #expect(try await files.read("kept") == [1])
    }

    /// A day, by itself or when it is called.
    @Test(arguments: [(23, 0), (25, 1)]) func aKeyIsOldAfterADay(hours: TimeInterval, removed: Int) async throws {
        let scratch = try Scratch()
        var keys = try scratch.keys()
        keys.age = hours * 3600
        let files = try scratch.files(keys)
        try await files.write([1], to: "gone")
        try FileManager.default.removeItem(atPath: scratch.root + "/gone")
        #expect(try await files.sweep() == removed)
        #expect(keys.ids.count == 1 - removed)
        try FileManager.default.removeItem(atPath: scratch.root + "/.coffer/swept")
        try await files.write([1], to: "f")
        #expect(keys.ids.count == 2 - removed)
    }

    /// Minutes since the last sweep. Before it means that the clock was set back.
    @Test(arguments: [(45, false), (90, true), (-60, true)])
    func aWriteSweepsAnHourAfterTheLastTime(minutes: Int, isDue: Bool) async throws {
        let scratch = try Scratch()
        var keys = try scratch.keys()
        keys.age = Self.day
        let files = try scratch.files(keys)
        for name in ["f", "g"] { try await files.write([1], to: name) }
        try FileManager.default.removeItem(atPath: scratch.root + "/f")
        let swept = Int(Date.now.timeIntervalSince1970) - minutes * 60
        var times = [timeval(tv_sec: swept, tv_usec: 0), timeval(tv_sec: swept, tv_usec: 0)]
        let set = unsafe utimes(scratch.root + "/.coffer/swept", &times)
        try #require(set == 0)
        try await files.write([1], to: "g")
        // The present key of "g", and that of "f".
        #expect(keys.ids.count == (isDue ? 1 : 2))
    }

    /// The one who asked for it is told. A write does not depend on it.
    @Test func aSweepThatFailsIsTold() async throws {
        let scratch = try Scratch()
        let files = try scratch.files()
        try await files.write([1], to: "f")
        let path = scratch.root + "/.coffer/00.part"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(await code { try await files.sweep() } != nil)
        // `try?`: the sweep may have failed before it noted itself.
        try? FileManager.default.removeItem(atPath: scratch.root + "/.coffer/swept")
        try await files.write([2], to: "f")
        #expect(try await files.read("f") == [2])
        try FileManager.default.removeItem(atPath: path)
        #expect(try await files.sweep() == 0)
    }

    /// What is more waits for the next sweep.
    @Test func oneSweepDeletesManyKeysAndNotAll() async throws {
        let scratch = try Scratch()
        var keys = try scratch.keys()
        try await scratch.files(keys).write([1], to: "gone")
        try FileManager.default.removeItem(atPath: scratch.root + "/gone")
        let key = try #require(keys.ids.first)
        for number in 1..<300 {
            let name = String(repeating: "0", count: 29) + String(1000 + number, radix: 16)
            try FileManager.default.copyItem(atPath: "\(keys.path)/\(key)", toPath: "\(keys.path)/\(name)")
        }
        keys.age = Self.day
        #expect(try await scratch.files(keys).sweep() == 256)
        #expect(try await scratch.files(keys).sweep() == 44)
        #expect(keys.ids.isEmpty)
    }

    @Test func nothingIsSweptWhileAFileIsWritten() async throws {
        let scratch = try Scratch()
        var keys = try scratch.keys()
        keys.age = Self.day
        let files = try scratch.files(keys)
        do {
            var writer = try await files.writer(to: "f")
            #expect(keys.ids.count == 1)
            #expect(try await files.sweep() == 0)
            try await writer.write([1])
            try await writer.finish()
        }
        #expect(try await files.read("f") == [1])
        #expect(try await files.sweep() == 0)
        #expect(try await files.read("f") == [1])
    }

    /// A disk that is not mounted leaves an empty folder. Its files are still somewhere.
    @Test func anotherDirectoryInThePlaceSweepsNoKeyOfTheFirst() async throws {
        let scratch = try Scratch()
        var keys = try scratch.keys()
        keys.age = Self.day
        let files = try scratch.files(keys)
        try await files.write([1], to: "f")
        try FileManager.default.moveItem(atPath: scratch.root, toPath: scratch.path + "/away")
        #expect(try await files.sweep() == 0)
        try await files.write([2], to: "g")
        #expect(try await files.sweep() == 0)
        try FileManager.default.removeItem(atPath: scratch.root)
        try FileManager.default.moveItem(atPath: scratch.path + "/away", toPath: scratch.root)
        #expect(try await files.read("f") == [1])
    }

    @Test func aWriteSweepsWhatACrashLeftButNotTwiceAnHour() async throws {
        let scratch = try Scratch()
        var keys = try scratch.keys()
        keys.age = Self.day
        let files = try scratch.files(keys)
        try await files.write([1], to: "f")
        try FileManager.default.removeItem(atPath: scratch.root + "/f")
        try scratch.put([1], ".coffer/00.part")
        try await files.write([1], to: "g")
        #expect(keys.ids.count == 2)
        var times = [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 1, tv_usec: 0)]
        let set = unsafe utimes(scratch.root + "/.coffer/swept", &times)
        try #require(set == 0)
        try await files.write([1], to: "h")
        #expect(keys.ids.count == 2)
        #expect(!FileManager.default.fileExists(atPath: scratch.root + "/.coffer/00.part"))
        #expect(try await files.list().map(\.path) == ["g", "h"])
    }
}
