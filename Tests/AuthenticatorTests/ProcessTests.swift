import Dispatch
import Foundation
import Platform
import TestSupport
import Testing

/// The state of a conversation's process while a person is asked: what it inherited, what it passes on, what its
/// modules are told.
@Suite struct ProcessTests {
    /// Becomes a program that has files open that nobody meant for it.
    private static let leaving = ["/bin/sh", "-c", #"exec 7</etc/passwd 9</etc/passwd; exec "$0" "$@""#]

    @Test func aConversationHasNothingThatItDoesNotNeedAndHandsNothingOn() throws {
        let fixture = try Fixture(.init(launcher: { _ in Self.leaving }))
        var client = try fixture.client()
        _ = try client.begin()
        #expect(try client.go().message?.style == .secret)
        #expect(eventually { fixture.conversations.count == 1 })
        try expectNothingInherited(fixture.conversations)
    }

    @Test func aConversationOfTheServiceManagersHasNothingInheritedEither() throws {
        let fixture = try Fixture()
        let started = try ActivatedConversations(fixture, .accepted, launcher: Self.leaving)
        var client = try TestClient(started.socket)
        _ = try client.begin()
        #expect(try client.go().message?.style == .secret)
        try #require(eventually { started.conversations.count == 1 })
        try expectNothingInherited(started.conversations)
    }

    private func expectNothingInherited(_ conversations: [Int32]) throws {
        for pid in conversations {
            let folder = "/proc/\(pid)"
            let numbers = try FileManager.default.contentsOfDirectory(atPath: folder + "/fd").compactMap { Int($0) }
            for number in numbers where number > 2 {
                let path = try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/fd/\(number)")
                #expect(path != "/etc/passwd", "descriptor \(number)")
                let facts = try String(contentsOfFile: "\(folder)/fdinfo/\(number)", encoding: .utf8)
                let line = try #require(facts.split(separator: "\n").first { $0.hasPrefix("flags:") })
                let flags = try #require(Int32(line.split(separator: "\t").last ?? "", radix: 8))
                #expect(flags & O_CLOEXEC != 0, "descriptor \(number) (\(path)) goes to programs that modules start")
            }
        }
    }

    @Test(.enabled(if: getuid() == 0, "root gives its powers away for it"))
    func noProcessOfTheSameUserReadsItsMemory() throws {
        let powerless = ["--bounding-set=-all", "--inh-caps=-all"]
        let fixture = try Fixture(.init(launcher: { _ in ["/usr/bin/setpriv"] + powerless }))
        var client = try fixture.client()
        _ = try client.begin()
        #expect(try client.go().message?.style == .secret)
        #expect(eventually { fixture.conversations.count == 1 })
        func reads(_ pid: String) throws -> Bool {
            try Tool.run("setpriv", powerless + ["cat", "/proc/\(pid)/environ"]).status == 0
        }
        #expect(try reads("self"))
        for pid in [fixture.pid] + fixture.conversations {
            #expect(try !reads("\(pid)"))
            let limits = try String(contentsOfFile: "/proc/\(pid)/limits", encoding: .utf8)
            let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
            #expect(core.split(separator: " ").filter { $0 == "0" }.count == 2, "\(core)")
        }
    }

    @Test func modulesAreToldTheTerminalThatThePersonSitsAt() throws {
        let fixture = try Fixture(
            .init(prepare: { path in
                try Script.write("#!/bin/sh\necho \"$PAM_TTY\" >\(path)/pam/terminal\n", to: "\(path)/pam/note")
                let rules = try String(contentsOfFile: "\(path)/pam/coffer", encoding: .utf8)
                try DurableFile.write(
                    Array("auth optional pam_exec.so quiet \(path)/pam/note\n\(rules)".utf8), to: "\(path)/pam/coffer",
                    mode: 0o644)
            }))
        let outcome = try Puppet(fixture).perform(.begin)
        #expect(outcome.done)
        let terminal = try String(contentsOfFile: fixture.path + "/pam/terminal", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(terminal.hasPrefix("pts/"))
        #expect(outcome.messages.first?.contains("terminal \(terminal)") == true, "\(outcome.messages)")
    }

    /// If somebody locks the vault while somebody answers at a terminal, the answer is from before the lock.
    @Test func aLockThatComesWhileThePersonIsAskedEndsWhatIsAnswered() throws {
        let fixture = try Fixture(
            .init(prepare: { path in
                // The program has the password, and waits for the test to go on.
                let script = """
                    #!/bin/sh
                    read -r given || [ -n "$given" ] || exit 1
                    [ "$given" = '\(Fixture.password)' ] || exit 1
                    touch \(path)/pam/asked
                    while [ ! -e \(path)/pam/go ]; do sleep 0.02; done
                    """
                try Script.write(script + "\n", to: "\(path)/pam/check")
            }))
        let shell = try Puppet(fixture)
        let (done, answered) = (DispatchSemaphore(value: 0), Answer())
        DispatchQueue.global().async {
            // The test says what is missing.
            answered.set((try? shell.perform(.authorize(300)))?.done ?? false)
            done.signal()
        }
        #expect(eventually { FileManager.default.fileExists(atPath: fixture.path + "/pam/asked") })
        fixture.broker.change { $0.facts.lastLock = BootTime.milliseconds }
        try DurableFile.write([], to: fixture.path + "/pam/go", mode: 0o644)
        done.wait()
        #expect(answered.isYes)
        let outcome = try shell.perform(.begin)
        #expect(outcome.done && outcome.questions == 1, "\(outcome)")
    }

    // @unchecked Sendable: written before the semaphore is signalled, read after.
    private final class Answer: @unchecked Sendable {
        private(set) var isYes = false
        func set(_ value: Bool) { isYes = value }
    }
}
