import Circle
import Courier
import Foundation
import Glibc
import Platform
import TestSupport
import Testing

/// Attacker 10 keeps the store and turns it against the user.
@Suite struct StoreAttackTests {
    private static func code(_ body: () throws -> some Any) throws -> StoreError.Code? {
        do { _ = try body() } catch let error as StoreError { return error.code }
        return nil
    }

    /// A link in each folder's place leads to a folder that looks like it.
    @Test func aLinkInAFoldersPlaceIsNotFollowed() throws {
        for index in 0..<5 {
            let depth = StoreFixture.folders(of: try StoreFixture().paths()[index]).count
            for place in 0..<depth {
                let fixture = try StoreFixture()
                let path = try fixture.paths()[index]
                let folder = StoreFixture.folders(of: path)[place]
                try fixture.put([9], path.text, in: fixture.outside)
                try fixture.link(folder, to: "\(fixture.outside.path)/\(folder)")
                let before = try StoreFixture.tree(fixture.outside)
                let store = try fixture.store()
                for body in [
                    { _ = try store.read(path) }, { try store.write([1], to: path) }, { try store.remove(path) },
                ] {
                    let error = #expect(throws: StoreError.self) { try body() }
                    #expect(error?.code == .strange && error?.path == "\(fixture.path)/\(folder)")
                }
                if case .segment = path {
                    #expect(
                        try Self.code { try store.segments(of: fixture.circle, device: fixture.device) } == .strange)
                }
                if case .head = path { #expect(try Self.code { try store.heads(of: fixture.circle) } == .strange) }
                if folder.count == 64 { #expect(try store.circles().isEmpty) }
                #expect(try StoreFixture.tree(fixture.outside) == before)
            }
        }
    }

    @Test func aLinkInAFilesPlaceIsNotFollowed() throws {
        for target in ["secret", "none"] {
            let fixture = try StoreFixture()
            try fixture.put([9], "secret", in: fixture.outside)
            let before = try StoreFixture.tree(fixture.outside)
            let store = try fixture.store()
            for path in try fixture.paths() {
                try fixture.link(path.text, to: "\(fixture.outside.path)/\(target)")
                #expect(try Self.code { try store.read(path) } == .strange)
                // Listed by name, and named when it is read.
                if case .head = path { #expect(try store.heads(of: fixture.circle) == [fixture.device]) }
                try store.remove(path)
                #expect(try store.read(path) == nil)
                // To write replaces the link.
                try fixture.link(path.text, to: "\(fixture.outside.path)/\(target)")
                try store.write([1], to: path)
                #expect(try store.read(path) == [1])
                #expect(try FileStatus.of("\(fixture.path)/\(path.text)")?.isRegular == true)
            }
            #expect(try StoreFixture.tree(fixture.outside) == before)
        }
    }

    /// A file of the user's has a second name in the store.
    @Test func anotherNameOfAFileIsReplacedAndTheFileIsNot() throws {
        let fixture = try StoreFixture()
        try fixture.put([9], "secret", in: fixture.outside)
        let store = try fixture.store()
        for path in try fixture.paths() {
            try fixture.makeFolder(try #require(StoreFixture.folders(of: path).last))
            #expect(unsafe link("\(fixture.outside.path)/secret", "\(fixture.path)/\(path.text)") == 0)
            try store.write([1], to: path)
            #expect(try store.read(path) == [1])
        }
        #expect(try StoreFixture.tree(fixture.outside) == ["secret": [9]])
    }

    /// A pipe would hold the reader up. To open a device can be enough to do something.
    @Test func aPipeASocketAndADeviceAreNotOpened() throws {
        var kinds = [S_IFIFO, S_IFSOCK]
        if geteuid() == 0 { kinds.append(S_IFCHR) }
        for kind in kinds {
            let fixture = try StoreFixture()
            let store = try fixture.store()
            for path in try fixture.paths() {
                try fixture.makeFolder(try #require(StoreFixture.folders(of: path).last))
                let place = "\(fixture.path)/\(path.text)"
                // The device is /dev/zero, which never ends.
                #expect(unsafe mknod(place, kind | 0o600, 0x105) == 0)
                let watch = try OpenWatch(place)
                #expect(try Self.code { try store.read(path) } == .strange)
                #expect(!watch.wasOpened())
                try store.remove(path)
                #expect(unsafe mknod(place, kind | 0o600, 0x105) == 0)
                try store.write([1], to: path)
                #expect(try store.read(path) == [1])
            }
        }
    }

    @Test func aPipeInAFoldersPlaceHoldsNothingUp() throws {
        for index in 0..<5 {
            let depth = StoreFixture.folders(of: try StoreFixture().paths()[index]).count
            for place in 0..<depth {
                let fixture = try StoreFixture()
                let path = try fixture.paths()[index]
                let folder = StoreFixture.folders(of: path)[place]
                try fixture.makeFolder((folder as NSString).deletingLastPathComponent)
                #expect(unsafe mkfifo("\(fixture.path)/\(folder)", 0o600) == 0)
                let store = try fixture.store()
                #expect(try Self.code { try store.read(path) } == .strange)
                #expect(try Self.code { try store.write([1], to: path) } == .strange)
                #expect(try Self.code { try store.remove(path) } == .strange)
                #expect(try store.circles().count == (place == 0 || path.text.hasPrefix("join") ? 0 : 1))
            }
        }
    }

    @Test func aFolderInAFilesPlaceIsNamed() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store()
        for path in try fixture.paths() {
            try fixture.put([9], path.text + "/file")
            let before = try StoreFixture.tree(fixture.folder)
            #expect(try Self.code { try store.read(path) } == .strange)
            #expect(try Self.code { try store.write([1], to: path) } == .strange)
            #expect(try Self.code { try store.remove(path) } == .strange)
            // A write that failed leaves nothing.
            #expect(try StoreFixture.tree(fixture.folder) == before)
        }
    }

    @Test func aHugeFileIsNotOpened() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store()
        for path in try fixture.paths() {
            try fixture.put([], path.text)
            let place = "\(fixture.path)/\(path.text)"
            #expect(unsafe truncate(place, 1 << 32) == 0)
            let watch = try OpenWatch(place)
            #expect(try Self.code { try store.read(path) } == .tooLarge)
            #expect(!watch.wasOpened())
        }
    }

    /// The kernel's files have no size, and more in them.
    @Test(.enabled(if: geteuid() == 0, "mounting needs root"))
    func aFileThatGrowsWhileItIsReadIsCutOff() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store()
        let path = StorePath.beacon(circle: fixture.circle)
        try store.write([1], to: path)
        let mount = try Mount(["--bind", "/proc/meminfo"], at: "\(fixture.path)/\(path.text)")
        #expect(try Self.code { try store.read(path) } == .tooLarge)
        withExtendedLifetime(mount) {}
    }

    @Test func namesThatNoMemberWritesAreIgnored() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store()
        for path in try fixture.paths() { try store.write([1], to: path) }
        let circle = String(repeating: "ab", count: 32)
        let device = String(repeating: "cd", count: 16)
        let run = String(repeating: "01", count: 16)
        let number = "0000000000000001-"
        let odd = [
            ".stfolder/a", "join/\u{1B}[31m", "\(circle.uppercased())/heads/\(device)", "\(circle)0/beacon",
            "\(circle.dropLast())/beacon", "\(circle)/\(device.uppercased())/0000000000000/\(number)\(run)",
            "\(circle)/heads/\(device.uppercased())", "\(circle)/heads/\(device).sync-conflict-20261127-120000",
            "\(circle)/heads/\(device) ", "\(circle)/heads/~syncthing~\(device).tmp", "\(circle)/heads/\(device)\n",
            "\(circle)/\(device)/000000000000/\(number)\(run)", "\(circle)/\(device)/+000000000000/\(number)\(run)",
            "\(circle)/\(device)/٠٠٠٠٠٠٠٠٠٠٠٠٠/\(number)\(run)", "\(circle)/\(device)/0000000000001/\(number)\(run)",
            "\(circle)/\(device)/0000000000000/+000000000000002-\(run)",
            "\(circle)/\(device)/0000000000000/0000000000000000-\(run)",
            "\(circle)/\(device)/0000000000000/\(number)\(run.uppercased().dropLast(1))A",
            "\(circle)/\(device)/desktop.ini", "\(circle)/\(device)/\(run)",
            "\(circle)/\(device)/0000000000000/\(number)\(run)-", "\(circle)/\(device)/0000000000000/.\(number)\(run)",
        ]
        for name in odd { try fixture.put([9], name) }
        try Self.putRawName(in: "\(fixture.path)/\(circle)/heads")
        #expect(try store.circles() == [fixture.circle])
        #expect(try store.heads(of: fixture.circle) == [fixture.device])
        #expect(try store.segments(of: fixture.circle, device: fixture.device) == [fixture.segment(1)])
    }

    /// A name that is not UTF-8.
    private static func putRawName(in folder: String, _ byte: UInt8 = 0xFF) throws {
        var name = Array(folder.utf8) + [UInt8(ascii: "/"), byte, 0]
        let number = unsafe name.withUnsafeMutableBytes {
            unsafe creat($0.baseAddress!.assumingMemoryBound(to: CChar.self), 0o600)
        }
        #expect(number >= 0)
        close(number)
    }

    @Test func aListingHasALimit() throws {
        let fixture = try StoreFixture()
        // Ten names, with `.` and `..`.
        let store = try fixture.store { $0.names = 12 }
        let circle = String(repeating: "ab", count: 32)
        let heads = circle + "/heads"
        for number in 0..<9 { try fixture.put([], "\(heads)/junk\(number)") }
        try Self.putRawName(in: "\(fixture.path)/\(heads)")
        #expect(try store.heads(of: fixture.circle).isEmpty)
        // A name that is left out counts, too.
        try Self.putRawName(in: "\(fixture.path)/\(heads)", 0xFE)
        let error = #expect(throws: StoreError.self) { try store.heads(of: fixture.circle) }
        #expect(error?.code == .tooMany && error?.path == "\(fixture.path)/\(heads)")
        for number in 0..<9 { try fixture.put([], "junk\(number)") }
        #expect(try store.circles() == [fixture.circle])
        try fixture.put([], "junk9")
        #expect(try Self.code { try store.circles() } == .tooMany)
        // What was named is still read.
        try store.write([1], to: .head(circle: fixture.circle, device: fixture.device))
        #expect(try store.read(.head(circle: fixture.circle, device: fixture.device)) == [1])
    }

    /// A folder of many full folders costs no more than one that is full.
    @Test func oneLimitIsForAllFoldersOfAListing() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store { $0.names = 20 }
        for number: UInt64 in [1, 1025, 2049] {
            try store.write([1], to: try fixture.segment(number))
            try store.write([1], to: try fixture.segment(number + 1))
        }
        // Five names and three times four.
        #expect(try store.segments(of: fixture.circle, device: fixture.device).count == 6)
        try fixture.makeFolder("\(StoreFixture.folders(of: fixture.segment(1))[1])/9999999999999")
        #expect(try store.segments(of: fixture.circle, device: fixture.device).count == 6)
        try fixture.put([], "\(StoreFixture.folders(of: fixture.segment(1))[1])/9999999999999/junk")
        let error = #expect(throws: StoreError.self) {
            try store.segments(of: fixture.circle, device: fixture.device)
        }
        #expect(error?.code == .tooMany)
    }

    @Test func aCircleHasSoManyDevicesAndAStoreSoManyCircles() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store { ($0.devices, $0.circles) = (3, 2) }
        for number: UInt64 in 1...3 {
            try store.write([1], to: .head(circle: fixture.circle, device: WriterID(number: number)))
        }
        #expect(try store.heads(of: fixture.circle).count == 3)
        try store.write([1], to: .head(circle: fixture.circle, device: WriterID(number: 4)))
        #expect(try Self.code { try store.heads(of: fixture.circle) } == .tooMany)
        try store.write([1], to: .beacon(circle: try StoreFixture.circle(1)))
        #expect(try store.circles().count == 2)
        try store.write([1], to: .beacon(circle: try StoreFixture.circle(2)))
        #expect(try Self.code { try store.circles() } == .tooMany)
        #expect((CourierLimits().devices, CourierLimits().circles, CourierLimits().names) == (1024, 1024, 100_000))
    }

    /// Somebody exchanges the device's folder for a link while it is used.
    @Test func aFolderThatIsExchangedMeanwhileLeadsNowhere() throws {
        let fixture = try StoreFixture()
        let path = try fixture.segment(1)
        let folders = StoreFixture.folders(of: path)
        try fixture.put([9], path.text, in: fixture.outside)
        try fixture.put([1], path.text)
        let before = try StoreFixture.tree(fixture.outside)
        let exchange = Exchange()
        exchange.begin(
            "\(fixture.path)/\(folders[1])", target: "\(fixture.outside.path)/\(folders[1])",
            parked: "\(fixture.path)/parked")
        defer { exchange.end() }
        let store = try fixture.store()
        var rounds = 0
        while rounds < 300 || exchange.exchanges < 300 {
            rounds += 1
            do throws(StoreError) {
                if let bytes = try store.read(path) { #expect(bytes == [1]) }
            } catch { #expect(error.code == .strange) }
            do throws(StoreError) {
                try store.write([1], to: path)
            } catch { #expect([.strange, .missing].contains(error.code)) }
        }
        #expect(try StoreFixture.tree(fixture.outside) == before)
    }
}
