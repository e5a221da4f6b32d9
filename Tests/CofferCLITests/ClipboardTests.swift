import BrokerProtocol
import Foundation
import Testing

/// A secret on the clipboard goes away by itself, unless something else took its place.
@Suite struct ClipboardTests {
    /// A clipboard that is a file.
    private func stage() throws -> Stage {
        var stage = try Stage(broker: ["Get": [Stage.value(Array("s3cret".utf8))]])
        let board = stage.scratch.file("board")
        try stage.scratch.program(
            "wl-copy", "#!/bin/sh\necho \"$@\" >>\(board).args\ncat >\(board).new && mv \(board).new \(board)\n")
        try stage.scratch.program("wl-paste", "#!/bin/sh\ncat \(board)\n")
        stage.program.environment["WAYLAND_DISPLAY"] = "wayland-77"
        stage.program.environment["PATH"] = "\(stage.scratch.path):/usr/bin:/bin"
        return stage
    }

    private func wait(for contents: String, in stage: Stage) throws -> Bool {
        let limit = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < limit {
            if try stage.scratch.contents("board") == Array(contents.utf8) { return true }
            // There is no event for a file of another program's.
            Thread.sleep(forTimeInterval: 0.05)
        }
        return false
    }

    @Test func itIsClearedAfterItsTime() throws {
        let stage = try stage()
        let result = try stage.program.run("get", "github", "me", "--clip=1s")
        #expect(result.status == 0)
        #expect(result.output.isEmpty)
        #expect(result.errors == "Copied github/me; the clipboard is cleared in 1 second\n")
        #expect(try stage.scratch.contents("board") == Array("s3cret".utf8))
        #expect(try wait(for: "", in: stage))
        #expect(String(decoding: try stage.scratch.contents("board.args"), as: UTF8.self).contains("s3cret") == false)
    }

    /// `--clip 5` leaves 5 to be the account; where there is none of that name, what was probably meant is said.
    @Test func aTimeThatWasTakenForAnAccountIsNoticed() throws {
        let absent = try Stage(broker: ["Get": [Stage.absent]])
        var program = try stage().program
        program.environment["COFFER_SOCKET"] = absent.program.environment["COFFER_SOCKET"]
        let result = try program.run("get", "github", "--clip", "5")
        #expect(result.status == 3)
        #expect(result.errors.contains("write --clip=5"))
        #expect(try program.run("get", "github", "5", "--clip").errors.contains("write --clip=5") == false)
    }

    @Test func withoutAClipboardNothingIsRead() throws {
        let stage = try Stage(broker: ["Get": [Stage.value([1])]])
        let result = try stage.program.run("get", "github", "me", "--clip")
        #expect(result.status == 1)
        #expect(result.errors.contains("there is no clipboard"))
        #expect(stage.broker.calls("Get").isEmpty)
    }
}
