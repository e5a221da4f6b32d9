import Foundation
import Glibc
import Platform
import Synchronization

/// The check that a process of tests has no child when it ends. A child that nobody waits for stays a zombie, and whatever in the process waits for
/// any child then finds that one again and again.
public enum LeftChildren {
    /// How long a child that is just being ended, by another thread, may still be there.
    private static let grace = Duration.seconds(5)

    /// The process that is checked. A process that was forked from it is not.
    private static let watched = Mutex<Int32>(0)

    /// Makes this process fail when it ends with a child left.
    public static func watch() {
        let isNew = watched.withLock { watched in
            defer { watched = getpid() }
            return watched != getpid()
        }
        guard isNew else { return }
        atexit { LeftChildren.check() }
    }

    private static func check() {
        guard watched.withLock({ $0 }) == getpid() else { return }
        let limit = ContinuousClock.now + grace
        while !all().isEmpty {
            guard ContinuousClock.now < limit else { break }
            usleep(10_000)
        }
        let left = all()
        if left.isEmpty { return }
        for pid in left {
            FileHandle.standardError.write(Data("✘ A test left a child: process \(pid), \(command(pid))\n".utf8))
            kill(pid, SIGKILL)
        }
        fflush(nil)
        _exit(1)
    }

    /// The children of every thread, also those that have ended and were not waited for.
    private static func all() -> [Int32] {
        // `try?`: a thread may have ended since its folder was listed.
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return threads.flatMap { thread in
            ((try? String(contentsOfFile: "/proc/self/task/\(thread)/children", encoding: .utf8)) ?? "")
                .split(separator: " ").compactMap { Int32($0) }
        }
    }

    /// The program and its arguments, or only its name if it has ended.
    private static func command(_ pid: Int32) -> String {
        // `try?`: it may be gone by now.
        let words = (try? String(contentsOfFile: "/proc/\(pid)/cmdline", encoding: .utf8)) ?? ""
        if !words.isEmpty { return words.replacingOccurrences(of: "\0", with: " ") }
        let name = (try? String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8)) ?? "?\n"
        return name.dropLast() + ", which has ended and was not waited for"
    }
}
