import Foundation
import Platform
import Testing

/// What a watch of folders notices, with the kernel's own notices.
@Suite struct ArrivalWatchTests {
    private func noticed(_ watch: ArrivalWatch, without isOurs: (String) -> Bool = { _ in false }) -> Bool {
        // The kernel has queued the notice before the call that caused it returns.
        watch.take(without: isOurs)
    }

    /// A program that another test starts holds a file that is written until it has its own image. Then the end of the
    /// writing comes later.
    private func arrives(_ watch: ArrivalWatch, without isOurs: (String) -> Bool = { _ in false }) -> Bool {
        eventually { noticed(watch, without: isOurs) } && eventually { !noticed(watch, without: isOurs) }
    }

    private func eventually(_ condition: () -> Bool) -> Bool {
        let deadline = ContinuousClock.now + .seconds(60)
        while !condition() {
            guard .now < deadline else { return false }
            usleep(1000)
        }
        return true
    }

    @Test func whatIsWrittenRenamedOrMadeInAWatchedFolderIsNoticed() throws {
        let folder = try TemporaryFolder()
        let (one, two) = (folder.path + "/one", folder.path + "/two")
        for path in [one, two] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        let watch = try ArrivalWatch()
        for path in [one, two, one] { try watch.add(path) }
        #expect(!noticed(watch))
        for path in [one, two] {
            try Data([1]).write(to: URL(filePath: path + "/file"))
            #expect(arrives(watch))
        }
        try FileManager.default.moveItem(atPath: one + "/file", toPath: two + "/moved")
        #expect(arrives(watch))
        try FileManager.default.createDirectory(atPath: two + "/inner", withIntermediateDirectories: false)
        #expect(arrives(watch))
        // A folder below one is another folder.
        try Data([1]).write(to: URL(filePath: two + "/inner/file"))
        #expect(!noticed(watch))
        try FileManager.default.removeItem(atPath: one)
        #expect(arrives(watch))
        #expect(throws: SystemError.self) { try watch.add(one) }
    }

    @Test func whatIsOursOrHiddenIsLeftOut() throws {
        let folder = try TemporaryFolder()
        let watch = try ArrivalWatch()
        try watch.add(folder.path)
        for name in ["own", ".syncthing.x.tmp"] { try Data([1]).write(to: URL(filePath: "\(folder.path)/\(name)")) }
        #expect(!noticed(watch) { $0 == "own" })
        for name in ["own", "other"] { try Data([1]).write(to: URL(filePath: "\(folder.path)/\(name)")) }
        #expect(arrives(watch) { $0 == "own" })
        // It is still written: the end of that is noticed.
        try Data().write(to: URL(filePath: folder.path + "/slow"))
        let handle = try FileHandle(forWritingTo: URL(filePath: folder.path + "/slow"))
        _ = arrives(watch)
        try handle.write(contentsOf: Data([1]))
        #expect(!noticed(watch))
        try handle.close()
        #expect(arrives(watch))
    }

    /// Somebody puts a link to a folder of theirs into the place of one.
    @Test func aLinkIsNotFollowed() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/real", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/link", withDestinationPath: folder.path + "/real")
        let watch = try ArrivalWatch()
        #expect(throws: SystemError.self) { try watch.add(folder.path + "/link") }
        try watch.add(folder.path + "/link/.")
    }
}

/// The clock's watch.
@Suite struct ClockWatchTests {
    /// Without a sleep it stays still, and can be told to wait again at any time.
    @Test func itIsSilentWhileTheClockGoesOn() throws {
        let watch = try ClockWatch()
        for _ in 0..<3 {
            #expect(try Readiness.wait(for: [(watch.number, .input)], until: .now + .milliseconds(20)) == [false])
            try watch.again()
        }
    }
}
