import Coffer
import Foundation
import Platform
import TestSupport
import Testing

@testable import CofferFiles

/// Several processes, and processes that die.
@Suite(.serialized) struct ProcessExitTests {
    /// A content that tells who wrote it, and whether it is whole.
    private static func content(_ writer: UInt8) -> [UInt8] { [UInt8](repeating: writer, count: 200_000 + Int(writer)) }

    private static func isWhole(_ content: [UInt8]) -> Bool {
        content.first.map { content == Self.content($0) } ?? false
    }

    /// The moments of a write at which a process may end.
    enum Step: String, CaseIterable, Codable, Sendable {
        case beforeKey, behindKey, inContent, beforeName, behindName

        /// Whether the new file has its name by then.
        var hasNewFile: Bool { self == .behindName }
    }

    @Test(arguments: Step.allCases)
    func aWriterThatIsKilledAtAStepLeavesOneOfTheTwoFiles(_ step: Step) async throws {
        let scratch = try Scratch()
        let files = try scratch.files()
        try await files.write(Self.content(1), to: "f")
        let path = scratch.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, step = step as Step] in
            var keys = try FolderKeys(path + "/keys")
            let die: @Sendable () async throws(KeychainError) -> Void = { () throws(KeychainError) in
                kill(getpid(), SIGKILL)
            }
            switch step {
            case .beforeKey: keys.beforeStore = die
            case .behindKey: keys.afterStore = die
            case .behindName: keys.beforeDelete = die
            case .inContent, .beforeName: break
            }
            var writer = try await Scratch.files(path, keys).writer(to: "f")
            try await writer.write(Self.content(2).prefix(step == .inContent ? 100_000 : 200_002))
            if step == .inContent || step == .beforeName { try await die() }
            try await writer.finish()
        }
        #expect(try await files.read("f") == Self.content(step.hasNewFile ? 2 : 1))
        var keys = try scratch.keys()
        #expect(keys.ids.count == (step == .beforeKey ? 1 : 2))
        keys.age = 25 * 3600
        try await scratch.files(keys).sweep()
        #expect(keys.ids.count == 1)
        #expect(try await files.read("f") == Self.content(step.hasNewFile ? 2 : 1))
        try await files.write(Self.content(3), to: "f")
        #expect(try await files.read("f") == Self.content(3))
    }

    /// A power cut after a deletion: the name is gone from the disk before the key is, and a folder's name when the call
    /// returns.
    @Test(.enabled(if: geteuid() == 0, "only root traces any process"), arguments: ["f", "folder/f", "folder/empty/"])
    func aFilesNameIsGoneFromTheDiskBeforeItsKey(name: String) async throws {
        let scratch = try Scratch()
        if name.hasSuffix("/") {
            try await scratch.files().createDirectory(String(name.dropLast()))
        } else {
            try await scratch.files().write([1], to: name)
        }
        let path = scratch.path
        await #expect(processExitsWith: .success) { [path = path as String, name = name as String] in
            try await Self.traced("fsync,unlink,unlinkat", in: path) {
                let files = try Scratch.files(path)
                if name.hasSuffix("/") {
                    try await files.removeDirectory(String(name.dropLast()))
                } else {
                    try await files.delete(name)
                }
            }
        }
        let calls = try String(contentsOfFile: path + "/trace", encoding: .utf8).split(separator: "\n")
        let folder = scratch.root + (name.contains("/") ? "/folder" : "")
        let unlinked = try #require(
            calls.firstIndex { call in
                call.contains("unlinkat(") && ["\"f\"", "\"empty\""].contains { call.contains($0) }
            }, "\(calls)")
        let synced = try #require(
            calls[unlinked...].firstIndex { $0.contains("fsync(") && $0.contains("\(folder)>") }, "\(calls)")
        guard !name.hasSuffix("/") else { return }
        let key = try #require(calls.firstIndex { $0.contains("unlink") && $0.contains(path + "/keys/") }, "\(calls)")
        #expect(unlinked < synced && synced < key, "\(calls)")
    }

    /// A power cut after a write: the content is on the disk before its name is, and the name when the call returns. The
    /// same holds for the directory's id, which keys name.
    @Test(.enabled(if: geteuid() == 0, "only root traces any process"), arguments: ["f", "folder/f"])
    func aFilesNameIsOnTheDiskBehindItsContent(name: String) async throws {
        let scratch = try Scratch()
        let path = scratch.path
        await #expect(processExitsWith: .success) { [path = path as String, name = name as String] in
            try await Self.traced("write,fsync,mkdirat,rename,renameat,renameat2", in: path) {
                try await Scratch.files(path).write([1], to: name)
            }
        }
        let calls = try String(contentsOfFile: path + "/trace", encoding: .utf8).split(separator: "\n")
        let folder = scratch.root + (name.contains("/") ? "/folder" : "")
        for (content, former, place) in [
            ("/.coffer/id.new>", "\"id.new\"", scratch.root + "/.coffer"), (".part>", ".part\"", folder),
        ] {
            let last = try #require(calls.lastIndex { $0.contains("write(") && $0.contains(content) }, "\(calls)")
            let written = try #require(calls.firstIndex { $0.contains("fsync(") && $0.contains(content) }, "\(calls)")
            let named = try #require(calls.firstIndex { $0.contains("rename") && $0.contains(former) }, "\(calls)")
            let synced = calls[named...].firstIndex { $0.contains("fsync(") && $0.contains("\(place)>") }
            #expect(last < written && written < named && synced != nil, "\(calls)")
        }
        guard folder != scratch.root else { return }
        let made = try #require(calls.firstIndex { $0.contains("mkdirat(") && $0.contains("\"folder\"") }, "\(calls)")
        #expect(calls[made...].contains { $0.contains("fsync(") && $0.contains("\(scratch.root)>") }, "\(calls)")
    }

    /// Has the calls of this process written to a file while something runs.
    private static func traced(_ calls: String, in path: String, _ body: () async throws -> Void) async throws {
        let options = ["-f", "-y", "-qq", "-e", "trace=\(calls)", "-o", path + "/trace"]
        let strace = try Subprocess("/usr/bin/strace", options + ["-p", "\(getpid())"])
        // Until all threads are traced.
        while try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").contains(where: { thread in
            ProcFile.text("/proc/self/task/\(thread)/status")?.contains("TracerPid:\t0\n") ?? false
        }) { usleep(2000) }
        try await body()
        // It detaches, and has written everything then.
        strace.signal(SIGINT)
        _ = try strace.finish()
    }

    @Test func aWriterThatIsKilledLeavesTheFormerFileOrTheNewOne() async throws {
        let scratch = try Scratch()
        let files = try scratch.files()
        try await files.write(Self.content(1), to: "folder/f")
        for round in 0..<12 {
            let path = scratch.path
            // Later in each round, so that all steps of a write are hit.
            let delay = UInt32(200 + round * round * 150)
            let result = await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, delay = delay as UInt32] in
                let files = try Scratch.files(path)
                try await files.write(Self.content(2), to: "folder/f")
                Thread.detachNewThread {
                    usleep(delay)
                    kill(getpid(), SIGKILL)
                }
                while true { try await files.write(Self.content(UInt8.random(in: 2...9)), to: "folder/f") }
            }
            #expect(result != nil)
            let content = try await files.read("folder/f")
            #expect(Self.isWhole(content))
            #expect(content.first != 1)
        }
        // What the dead left is swept. One key is that of the file.
        var keys = try scratch.keys()
        keys.age = 25 * 3600
        try await scratch.files(keys).sweep()
        #expect(keys.ids.count == 1)
        #expect(Self.isWhole(try await files.read("folder/f")))
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.root + "/.coffer")
        #expect(left.allSatisfy { !$0.hasSuffix(".part") })
    }

    @Test func processesThatWriteOneFileAtOnceLeaveOneWholeFile() async throws {
        let scratch = try Scratch()
        let files = try scratch.files()
        try await files.write(Self.content(1), to: "f")
        let path = scratch.path
        await withTaskGroup(of: Void.self) { group in
            for writer in 2...4 {
                let number = UInt8(writer)
                group.addTask {
                    await #expect(processExitsWith: .success) { [path = path as String, number = number as UInt8] in
                        let files = try Scratch.files(path)
                        for _ in 0..<15 {
                            try await files.write(Self.content(number), to: "f")
                            guard Self.isWhole(try await files.read("f")) else { exit(1) }
                        }
                    }
                }
            }
        }
        #expect(Self.isWhole(try await files.read("f")))
        #expect(try scratch.keys().ids.count == 1)
    }

    @Test func tasksThatWriteReadAndDeleteAtOnceSeeWholeFilesOnly() async throws {
        let scratch = try Scratch()
        let files = try scratch.files()
        await withTaskGroup(of: Void.self) { group in
            for number in 1...20 as ClosedRange<UInt8> {
                group.addTask {
                    do throws(KeychainError) {
                        try await files.write(Self.content(number), to: "f")
                        if number.isMultiple(of: 5) { try await files.delete("f") }
                        let content = try await files.read("f")
                        #expect(Self.isWhole(content))
                    } catch { #expect(error.code == .notFound) }
                }
            }
        }
        try await files.write([7], to: "f")
        #expect(try scratch.keys().ids.count == 1)
    }

    /// The most that the memory of a process grew to, in bytes (proc(5), VmHWM).
    private static func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.filter(\.isNumber))) * 1024
    }

    /// `COFFER_FILES_MIB=1024` runs it with a file of that size, in MiB, and prints the figures.
    @Test func aLargeFileStreamsInBoundedMemory() async throws {
        let wanted = ProcessInfo.processInfo.environment["COFFER_FILES_MIB"].flatMap { Int($0) }
        let scratch = try Scratch()
        let (path, size) = (scratch.path, wanted ?? 96)
        await #expect(processExitsWith: .success) { [path = path as String, size = size as Int] in
            let files = try Scratch.files(path)
            let part = sample(1 << 20)
            // What the program takes for its first file, whatever its size.
            try await files.write(part, to: "small")
            _ = try await files.read("small")
            // From here on the peak counts anew (proc(5), clear_refs).
            try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
            let before = try Self.peak()
            let start = ContinuousClock.now
            var writer = try await files.writer(to: "large")
            for _ in 0..<size { try await writer.write(part) }
            try await writer.finish()
            let middle = ContinuousClock.now
            var count = 0
            for try await chunk in files.chunks(of: "large") { count += chunk.count }
            let end = ContinuousClock.now
            let growth = try Self.peak() - before
            try Data(
                "\(size) MiB: written in \(middle - start), read in \(end - middle), peak +\(growth >> 10) KiB\n".utf8
            )
            .write(to: URL(fileURLWithPath: path + "/figures"))
            guard count == size << 20, growth < 8 << 20 else { exit(1) }
        }
        // Without them the process failed early, which the expectation above has said.
        let figures = (try? String(contentsOfFile: path + "/figures", encoding: .utf8)) ?? "no figures"
        if wanted != nil { print(figures) }
        #expect(FileManager.default.fileExists(atPath: path + "/figures"))
    }
}
