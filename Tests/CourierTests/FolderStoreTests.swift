import Authorization
import Circle
import Courier
import Foundation
import Glibc
import Platform
import Synchronization
import TestSupport
import Testing

/// What a store that is a folder keeps, and how.
@Suite struct FolderStoreTests {
    @Test func whatIsWrittenIsRead() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store()
        for path in try fixture.paths() {
            #expect(try store.read(path) == nil)
            try store.write([1, 2, 3], to: path)
            #expect(try store.read(path) == [1, 2, 3])
            try store.write([4], to: path)
            #expect(try store.read(path) == [4])
            #expect(try DurableFile.read("\(fixture.path)/\(path.text)", limit: 9) == [4])
            try store.write([], to: path)
            #expect(try store.read(path) == [])
        }
        for path in try fixture.paths() {
            try store.remove(path)
            #expect(try store.read(path) == nil)
            try store.remove(path)
        }
        #expect(try store.circles() == [fixture.circle])
        #expect(try store.heads(of: fixture.circle).isEmpty)
    }

    @Test func anEmptyStoreHasNothing() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store()
        #expect(try store.circles().isEmpty)
        #expect(try store.heads(of: fixture.circle).isEmpty)
        #expect(try store.segments(of: fixture.circle, device: fixture.device).isEmpty)
        for path in try fixture.paths() { try store.remove(path) }
        // Reading and removing make nothing.
        #expect(try StoreFixture.tree(fixture.folder).isEmpty)
    }

    @Test func knocksAreThoseOfTheCircle() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store()
        #expect(try store.knocks(of: fixture.circle).isEmpty)
        for byte: UInt8 in [1, 2] { try store.write([byte], to: try fixture.knock(byte)) }
        try fixture.put([1], "\(Hex.encode(fixture.circle.bytes))/knocks/strange")
        #expect(try Set(store.knocks(of: fixture.circle)) == [fixture.knock(1), fixture.knock(2)])
        #expect(try store.knocks(of: StoreFixture.circle(7)).isEmpty)
        #expect(try store.heads(of: fixture.circle).isEmpty)
        // Of many names, no more are read than of other folders.
        let narrow = try fixture.store { $0.names = 2 }
        #expect(throws: StoreError.self) { try narrow.knocks(of: fixture.circle) }
    }

    @Test func listingsAreInOrder() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store()
        let numbers: [UInt64] = [CircleLimits.number, 1, 1_048_576, 1024, 1023, 2]
        for number in numbers { try store.write([1], to: try fixture.segment(number)) }
        try store.write([1], to: try fixture.segment(1024, run: 9))
        try store.write([1], to: try fixture.segment(1024, run: 0))
        let expected = try [
            fixture.segment(1), fixture.segment(2), fixture.segment(1023), fixture.segment(1024, run: 0),
            fixture.segment(1024), fixture.segment(1024, run: 9), fixture.segment(1_048_576),
            fixture.segment(CircleLimits.number),
        ]
        #expect(try store.segments(of: fixture.circle, device: fixture.device) == expected)
        // Those of another device are its own.
        #expect(try store.segments(of: fixture.circle, device: WriterID(number: 5)).isEmpty)
        let devices = [3, 1, 2].map { WriterID(number: $0) }
        for device in devices { try store.write([1], to: .head(circle: fixture.circle, device: device)) }
        #expect(try store.heads(of: fixture.circle) == devices.sorted())
        for byte: UInt8 in [9, 3] { try store.write([1], to: .beacon(circle: try StoreFixture.circle(byte))) }
        #expect(try store.circles() == [StoreFixture.circle(3), StoreFixture.circle(9), fixture.circle])
    }

    @Test func onlyTheOwnerCanOpenWhatIsMade() throws {
        let fixture = try StoreFixture()
        #expect(unsafe chmod(fixture.path, 0o755) == 0)
        let store = try fixture.store()
        for path in try fixture.paths() {
            try store.write([1], to: path)
            #expect(try FileStatus.of("\(fixture.path)/\(path.text)")?.mode == 0o600)
            for folder in StoreFixture.folders(of: path) {
                #expect(try FileStatus.of("\(fixture.path)/\(folder)")?.mode == 0o700)
            }
        }
        // What is there keeps its mode.
        #expect(try FileStatus.of(fixture.path)?.mode == 0o755)
    }

    @Test func eachKindHasItsLimit() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store()
        let limits = [1 << 20, 1 << 17, 64, 768 + 28, (1 << 24) + 28]
        for (path, limit) in zip(try fixture.paths(), limits) {
            try store.write([UInt8](repeating: 7, count: limit), to: path)
            #expect(try store.read(path)?.count == limit)
            let error = #expect(throws: StoreError.self) {
                try store.write([UInt8](repeating: 8, count: limit + 1), to: path)
            }
            #expect(error?.code == .tooLarge && error?.path == "\(fixture.path)/\(path.text)")
            #expect(try store.read(path)?.last == 7)
            // Somebody else writes one byte more.
            #expect(unsafe truncate("\(fixture.path)/\(path.text)", off_t(limit + 1)) == 0)
            #expect(throws: StoreError.self) { try store.read(path) }
        }
    }

    @Test func theFolderMustExist() throws {
        let fixture = try StoreFixture()
        try fixture.put([1], "file")
        for (name, code) in [("none", StoreError.Code.missing), ("file", .notAFolder), ("file/below", .notAFolder)] {
            let path = "\(fixture.path)/\(name)"
            let error = #expect(throws: StoreError.self) { try FolderStore(path) }
            #expect(error?.code == code && error?.path == path && error?.errno != 0)
        }
        // The user's own link leads there.
        try fixture.makeFolder("real")
        try fixture.link("link", to: "real")
        try FolderStore("\(fixture.path)/link").write([1], to: .beacon(circle: fixture.circle))
        #expect(try FolderStore("\(fixture.path)/real").circles() == [fixture.circle])
    }

    /// Root begins a service's circle in a folder of the service, which carries the files from then on.
    @Test(.enabled(if: geteuid() == 0, "giving files away needs root"))
    func whatRootMakesInAServicesFolderIsTheServices() throws {
        let (service, fixture) = (uid_t(65_533), try StoreFixture())
        #expect(unsafe chown(fixture.path, service, gid_t.max) == 0)
        let store = try fixture.store()
        for path in try fixture.paths() {
            try store.write([1], to: path)
            for place in StoreFixture.folders(of: path) + [path.text] {
                #expect(try FileStatus.of("\(fixture.path)/\(place)")?.uid == service, "\(place)")
            }
        }
        // In root's own folder, it stays with root.
        let own = try StoreFixture()
        try own.store().write([1], to: .beacon(circle: own.circle))
        #expect(try FileStatus.of("\(own.path)/\(StorePath.beacon(circle: own.circle).text)")?.uid == 0)
    }

    /// The folder is the one that was opened, whatever has its name by now.
    @Test func anotherFolderInItsPlaceIsNotUsed() throws {
        let fixture = try StoreFixture()
        try fixture.makeFolder("store")
        let store = try FolderStore("\(fixture.path)/store")
        #expect(unsafe rename("\(fixture.path)/store", "\(fixture.path)/moved") == 0)
        try fixture.link("store", to: fixture.outside.path)
        for path in try fixture.paths() {
            try store.write([1], to: path)
            #expect(try DurableFile.read("\(fixture.path)/moved/\(path.text)", limit: 1) == [1])
        }
        #expect(try StoreFixture.tree(fixture.outside).isEmpty)
    }

    /// What a run leaves that ended in the middle of a write.
    @Test func whatIsNotFinishedIsNoFile() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store()
        for path in try fixture.paths() {
            try store.write([1], to: path)
            // Nothing stays beside a file that is written whole.
            let folder = try #require(StoreFixture.folders(of: path).last)
            #expect(try fixture.names(folder).allSatisfy { !$0.hasPrefix(".") })
        }
        for folder in Set(try fixture.paths().flatMap { StoreFixture.folders(of: $0) } + ["."]) {
            try fixture.put([9], "\(folder)/\(Self.leftover)")
        }
        #expect(try store.circles() == [fixture.circle])
        #expect(try store.heads(of: fixture.circle) == [fixture.device])
        #expect(try store.segments(of: fixture.circle, device: fixture.device) == [fixture.segment(1)])
        for path in try fixture.paths() { #expect(try store.read(path) == [1]) }
    }

    private static let leftover = ".coffer-0123456789abcdef0123456789abcdef"

    @Test func leftoversGoAfterADay() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store()
        for path in try fixture.paths() {
            try store.write([1], to: path)
            let folder = "\(fixture.path)/" + (try #require(StoreFixture.folders(of: path).last))
            let others = [".coffer-ABCDEF0123456789abcdef0123456789", ".coffer-01", "0123456789abcdef", ".coffer-"]
            for name in others + [Self.leftover, Self.leftover.replacing("0", with: "1")] {
                try Data([9]).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            }
            let link = Self.leftover.replacing("0", with: "2")
            let inner = Self.leftover.replacing("0", with: "3")
            // The request and the answer lie in one folder.
            _ = unsafe symlink(fixture.path, "\(folder)/\(link)")
            _ = unsafe mkdir("\(folder)/\(inner)", 0o700)
            for name in others + [Self.leftover, inner] { try Self.age("\(folder)/\(name)", hours: 25) }
            try Self.age("\(folder)/" + Self.leftover.replacing("0", with: "1"), hours: 23)
            switch path {
            case .segment: _ = try store.segments(of: fixture.circle, device: fixture.device)
            case .head: _ = try store.heads(of: fixture.circle)
            case .beacon, .request, .answer, .proof, .knock: try store.write([2], to: path)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(!names.contains(Self.leftover))
            for name in others + [Self.leftover.replacing("0", with: "1"), link, inner] {
                #expect(names.contains(name))
            }
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func anotherUsersLeftoverStays() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store()
        try store.write([1], to: .head(circle: fixture.circle, device: fixture.device))
        let folder = try #require(StoreFixture.folders(of: .head(circle: fixture.circle, device: fixture.device)).last)
        try fixture.put([9], "\(folder)/\(Self.leftover)")
        try Self.age("\(fixture.path)/\(folder)/\(Self.leftover)", hours: 25)
        #expect(unsafe chown("\(fixture.path)/\(folder)/\(Self.leftover)", 65534, 65534) == 0)
        _ = try store.heads(of: fixture.circle)
        #expect(try fixture.names(folder).contains(Self.leftover))
        #expect(unsafe chown("\(fixture.path)/\(folder)/\(Self.leftover)", 0, 0) == 0)
        _ = try store.heads(of: fixture.circle)
        #expect(try !fixture.names(folder).contains(Self.leftover))
    }

    private static func age(_ path: String, hours: Int) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3600 * Double(hours))], ofItemAtPath: path)
    }

    /// A reader sees one of the files that were written, and never a part of one.
    @Test func twoWritersAtOnceWriteWholeFiles() throws {
        let fixture = try StoreFixture()
        let path = StorePath.head(circle: fixture.circle, device: fixture.device)
        let writing = Mutex(2)
        let failures = Mutex<[String]>([])
        for byte: UInt8 in [1, 2] {
            let store = try fixture.store()
            Thread.detachNewThread {
                do {
                    for _ in 0..<100 {
                        try store.write([UInt8](repeating: byte, count: 50_000 * Int(byte)), to: path)
                    }
                } catch { failures.withLock { $0.append("\(error)") } }
                writing.withLock { $0 -= 1 }
            }
        }
        let store = try fixture.store()
        var isLast = false
        while !isLast {
            isLast = writing.withLock { $0 == 0 }
            guard let bytes = try store.read(path) else { continue }
            // What is being written is in no listing.
            #expect(try store.heads(of: fixture.circle) == [fixture.device])
            let byte = try #require(bytes.first)
            #expect(bytes == [UInt8](repeating: byte, count: 50_000 * Int(byte)))
        }
        #expect(failures.withLock { $0 }.isEmpty)
        #expect(try store.read(path) != nil)
        #expect(try fixture.names("").count == 1)
        #expect(try fixture.names(#require(StoreFixture.folders(of: path).last)).count == 1)
    }
}
