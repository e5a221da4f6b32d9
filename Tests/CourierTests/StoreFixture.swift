import CLinux
import Circle
import Courier
import Foundation
import Glibc
import Platform
import Synchronization
import TestSupport
import Testing

/// A folder that is a store, and one beside it that is none of the store's concern.
struct StoreFixture {
    let folder: TemporaryFolder
    let outside: TemporaryFolder
    let circle: StatementName
    let device: WriterID
    let place: JoinPlace

    init() throws {
        (folder, outside) = (try TemporaryFolder(), try TemporaryFolder())
        circle = try Self.circle(0xAB)
        device = try #require(WriterID(bytes: [UInt8](repeating: 0xCD, count: 16)))
        place = try #require(JoinPlace(bytes: [UInt8](repeating: 0xEF, count: 16)))
    }

    var path: String { folder.path }

    static func circle(_ byte: UInt8) throws -> StatementName {
        try #require(StatementName(bytes: [UInt8](repeating: byte, count: StatementName.count)))
    }

    static func run(_ byte: UInt8) throws -> RunID {
        try #require(RunID(bytes: [UInt8](repeating: byte, count: RunID.count)))
    }

    func segment(_ number: UInt64, run: UInt8 = 1) throws -> StorePath {
        .segment(circle: circle, device: device, number: number, run: try Self.run(run))
    }

    /// One path of each kind.
    func paths() throws -> [StorePath] {
        [
            try segment(1), .head(circle: circle, device: device), .beacon(circle: circle), .request(place),
            .answer(place), try knock(1),
        ]
    }

    func knock(_ byte: UInt8) throws -> StorePath {
        .knock(
            circle: circle, try #require(InvitationPlace(bytes: [UInt8](repeating: byte, count: 16))), place)
    }

    func store(_ change: (inout CourierLimits) -> Void = { _ in }) throws -> FolderStore {
        var limits = CourierLimits()
        change(&limits)
        return try FolderStore(path, limits: limits)
    }

    /// The folders of a path, from the outermost on: relative to the store.
    static func folders(of path: StorePath) -> [String] {
        let parts = path.text.split(separator: "/").dropLast()
        return parts.indices.map { parts[...$0].joined(separator: "/") }
    }

    /// Writes a file as another program does.
    func put(_ bytes: [UInt8], _ name: String, in root: TemporaryFolder? = nil) throws {
        let path = (root ?? folder).path + "/" + name
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: path + "/" + name, withIntermediateDirectories: true)
    }

    /// Puts a link into a place of the store.
    func link(_ name: String, to target: String) throws {
        try makeFolder((name as NSString).deletingLastPathComponent)
        #expect(unsafe symlink(target, path + "/" + name) == 0)
    }

    /// Every name below a folder, with a file's bytes. Links are not followed.
    static func tree(_ folder: TemporaryFolder) throws -> [String: [UInt8]] {
        var tree: [String: [UInt8]] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            let status = try #require(try FileStatus.of(folder.path + "/" + name))
            tree[name] = status.isRegular ? try DurableFile.read(folder.path + "/" + name, limit: 1 << 25) : []
        }
        return tree
    }

    func names(_ name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path + "/" + name).sorted()
    }
}

/// Notices when anybody opens a file (inotify(7)).
final class OpenWatch {
    private let notices: Descriptor

    init(_ path: String) throws {
        notices = Descriptor(adopting: inotify_init1(Int32(O_NONBLOCK | O_CLOEXEC)))
        try #require(unsafe inotify_add_watch(notices.number, path, 0x20) >= 0)
    }

    /// Whether it was opened since the last call.
    func wasOpened() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4096)
        return unsafe Glibc.read(notices.number, &bytes, bytes.count) > 0
    }
}

/// Something mounted for one test. Only root can do so.
final class Mount {
    private let path: String

    init(_ words: [String], at path: String) throws {
        self.path = path
        try Tool.output("mount", words + [path])
    }

    deinit {
        // `try?`: a mount that stays keeps the folder, and the test has ended.
        _ = try? Tool.run("umount", ["--lazy", path])
    }
}

/// Another program that puts a link into a folder's place and takes it away, again and again.
final class Exchange: Sendable {
    private let count = Atomic(0)
    private let isOver = Atomic(false)
    private let hasEnded = Atomic(false)

    /// How often the link was there.
    var exchanges: Int { count.load(ordering: .relaxed) }

    /// - Parameter parked: where the folder is meanwhile, with a number behind it.
    func begin(_ place: String, target: String, parked: String) {
        Thread.detachNewThread { [self] in
            var number = 0
            while !isOver.load(ordering: .acquiring) {
                number += 1
                guard unsafe rename(place, "\(parked)\(number)") == 0 else { continue }
                if unsafe symlink(target, place) == 0 { count.add(1, ordering: .relaxed) }
                sched_yield()
                _ = unsafe unlink(place)
                // If somebody made the folder meanwhile, this one stays where it is.
                _ = unsafe rename("\(parked)\(number)", place)
            }
            hasEnded.store(true, ordering: .releasing)
        }
    }

    func end() {
        isOver.store(true, ordering: .releasing)
        while !hasEnded.load(ordering: .acquiring) { sched_yield() }
    }
}
