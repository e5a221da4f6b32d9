import Foundation
import Platform
import TestSupport
import Testing

/// The real `su`, on a terminal of its own, with `pam_coffer` in its stack. Its service file is covered in a mount
/// namespace. The authenticator runs in that namespace too, so both take it for the machine.
@Suite("pam_coffer in a real su", .serialized, .enabled(if: Command.canMakeNamespaces))
struct SuTests {
    private static let su = URL(fileURLWithPath: "/usr/bin/su").resolvingSymlinksInPath().path

    /// - Parameter isInside: whether the authenticator is where su is.
    private func fixture(_ settings: String = "", isInside: Bool = true) throws -> Fixture {
        var options = Fixture.Options(settings: settings)
        options.prepare = { path in
            let rules = try LoginModule.rules(fixture: path, socket: "\(path)/report.sock")
            try DurableFile.write(Array(rules.utf8), to: "\(path)/su", mode: 0o644)
        }
        if isInside {
            // Without a process 1 to examine, the authenticator takes its own namespaces for the machine's.
            let inside = #"mount --bind "$0" /etc/pam.d/su && mount -t tmpfs none /proc/1 && exec "$@""#
            options.launcher = { ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", inside, "\($0)/su"] }
        }
        return try Fixture(options)
    }

    /// Becomes the fixture's account through su, on a terminal.
    /// - Returns: everything that was shown, how su ended, and how long it took after the password.
    private func become(_ fixture: Fixture, from enter: [String], password: String = Fixture.password) throws -> (
        said: String, code: Int32, duration: Duration
    ) {
        let words =
            ["600"] + enter + [
                "/usr/bin/script", "-qec", "\(Self.su) \(fixture.account.name) -c 'echo in''side'", "/dev/null",
            ]
        let process = try Subprocess("/usr/bin/timeout", words) {
            $0.input = .pipe
            $0.output = .pipe
            $0.errors = .output
        }
        var said = ""
        // su discards a password that is typed before su asks for it.
        while !said.contains("assword:") {
            let chunk = try process.read(limit: 4096)
            guard !chunk.isEmpty else { break }
            said += String(decoding: chunk, as: UTF8.self)
        }
        let start = ContinuousClock.now
        try process.write(password + "\n")
        said += try process.readText()
        let code = try process.finish()
        return (said, code, ContinuousClock.now - start)
    }

    private func entering(_ fixture: Fixture) -> [String] {
        ["/usr/bin/nsenter", "--target", "\(fixture.pid)", "--mount"]
    }

    /// As installed, su is on no list.
    @Test func itOpensNothingShowsNothingAndGoesOn() throws {
        let fixture = try fixture()
        let (said, code, duration) = try become(fixture, from: entering(fixture))
        #expect(code == 0, "\(said)")
        #expect(said.contains("inside"), "\(said)")
        let shown = said.split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }
        #expect(shown.count == 2, "\(said)")
        #expect(duration < patience / 4)
        #expect(eventually { fixture.log.contains("\(Self.su) is not among login-programs") }, "\(fixture.log)")
        #expect(fixture.broker.calls.isEmpty)
    }

    /// Only the list keeps the vault closed above.
    @Test func listedItOpensTheKeychainButNotForAWrongPassword() throws {
        let fixture = try fixture("login-programs = \(Self.su)")
        let wrong = try become(fixture, from: entering(fixture), password: "wrong")
        #expect(wrong.code != 0)
        #expect(fixture.broker.calls.isEmpty)
        let (said, code, _) = try become(fixture, from: entering(fixture))
        #expect(code == 0, "\(said)")
        #expect(said.contains("inside") && !said.lowercased().contains("coffer"), "\(said)")
        #expect(fixture.broker.reports == [Int64(fixture.account.uid)], "\(fixture.log)")
    }

    /// Listed, but in somebody's container.
    @Test func inAContainerItOpensNothing() throws {
        let fixture = try fixture("login-programs = \(Self.su)", isInside: false)
        let enter = [
            "/usr/bin/unshare", "--mount", "/bin/sh", "-c", #"mount --bind "$0" /etc/pam.d/su && exec "$@""#,
            "\(fixture.path)/su",
        ]
        let (said, code, _) = try become(fixture, from: enter)
        #expect(code == 0, "\(said)")
        #expect(said.contains("inside") && !said.lowercased().contains("coffer"), "\(said)")
        #expect(eventually { fixture.log.contains("\(Self.su) runs in a container") }, "\(fixture.log)")
        #expect(fixture.broker.calls.isEmpty)
    }
}
