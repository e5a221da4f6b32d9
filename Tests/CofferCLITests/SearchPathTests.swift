import BrokerProtocol
import Foundation
import TestSupport
import Testing
import Varlink

/// A folder that somebody has unpacked holds programs with the names of those that get a password or a secret. A search path that names the present
/// folder does not lead to them.
@Suite struct SearchPathTests {
    @Test(arguments: [
        ("get github me", "no pinentry shows windows here"), ("get github me --clip", "no usable clipboard"),
    ])
    func aProgramOfThePresentFolderGetsNothing(command: String, words: String) throws {
        let fixture = try FakeCoffer(
            broker: ["Get": [FakeCoffer.personNeeded(), FakeCoffer.value([1])], "Withdraw": [.answer(Nothing())]],
            authenticator: FakeCoffer.asksPassword)
        let asked = fixture.scratch.file("asked")
        for name in ["pinentry", "wl-copy", "wl-paste"] {
            try fixture.scratch.program(name, "#!/bin/sh\necho >\(asked)\nexit 1\n")
        }
        let display = try FakeDisplay(in: fixture.scratch)
        var shell = fixture.program
        shell.executable = "/bin/sh"
        shell.environment["WAYLAND_DISPLAY"] = display.name
        let script = "cd \(fixture.scratch.path) && PATH=.:./ && export PATH && exec \(Program.path) \(command)"
        let result = try withExtendedLifetime(display) { try shell.run("-c", script) }
        #expect(result.status != 0 && result.errors.contains(words), "\(result)")
        #expect(!FileManager.default.fileExists(atPath: asked))
        #expect(fixture.authenticator.calls("Begin").isEmpty)
    }
}
