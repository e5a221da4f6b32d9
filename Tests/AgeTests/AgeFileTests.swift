import Foundation
import TestSupport
import Testing

@testable import Age

@Suite struct AgeFileTests {
    /// The example of the specification.
    private static let identity = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
    private static let recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"

    @Test func keysAreThoseOfTheSpecification() throws {
        #expect(try AgeIdentity(Self.identity).recipient.text == Self.recipient)
        #expect(try AgeRecipient(Self.recipient).text == Self.recipient)
        #expect(try AgeRecipient(Self.recipient.uppercased()) == AgeRecipient(Self.recipient))
    }

    /// A mistyped recipient would encrypt for nobody.
    @Test func mistypedKeysAreRefused() {
        var characters = Array(Self.recipient)
        for index in characters.indices {
            let before = characters[index]
            characters[index] = before == "q" ? "p" : "q"
            #expect(throws: AgeError.self) { try AgeRecipient(String(characters)) }
            characters[index] = before
        }
        for text in ["", "age1", "1", Self.identity, Self.recipient + "q", "A" + Self.recipient.dropFirst(), "age1é"] {
            #expect(throws: AgeError.self) { try AgeRecipient(text) }
        }
        #expect(throws: AgeError.self) { try AgeIdentity(Self.recipient) }
    }

    /// Vectors of BIP 173.
    @Test func bech32() {
        #expect(Bech32.decode("A12UEL5L")?.prefix == "a")
        #expect(Bech32.decode("split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w")?.prefix == "split")
        for text in [
            "pzry9x0s0muk", "1pzry9x0s0muk", "x1b4n0q5v", "li1dgmt3", "A1G7SGD8", "10a06t8", "1qzzfhee", "a12UEL5L",
        ] { #expect(Bech32.decode(text) == nil) }
    }

    @Test func identityFilesNameABadLineAndNothingOfIt() throws {
        #expect(try AgeIdentity.file("# created\n\n\(Self.identity)\r\n").count == 1)
        do {
            _ = try AgeIdentity.file("#\nAGE-SECRET-KEY-1WRONG")
            Issue.record("it was read")
        } catch {
            let reason = "\(error)"
            #expect(reason.hasPrefix("line 2: "))
            #expect(!reason.contains("WRONG"))
        }
        #expect(throws: AgeError.self) { try AgeIdentity.file("# nothing\n") }
    }

    /// A file of one's own, opened again, for contents around the length of a chunk.
    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 131_072])
    func whatIsSealedOpens(_ count: Int) throws {
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        for armored in [false, true] {
            let file = try AgeFile.seal(
                content, for: .recipients([try AgeRecipient(Self.recipient)]), armored: armored)
            #expect(try AgeFile(file).open(.identities([try AgeIdentity(Self.identity)])) == content)
        }
    }

    /// Attacker 1 with the file: no bit can be changed, and nothing cut off.
    @Test func aChangedFileDoesNotOpen() throws {
        let file = try AgeFile.seal(
            Array("content".utf8), for: .recipients([try AgeRecipient(Self.recipient)]), armored: false)
        let key = AgeFile.Key.identities([try AgeIdentity(Self.identity)])
        for index in file.indices {
            var changed = file
            changed[index] ^= 1
            #expect(throws: AgeError.self) { try AgeFile(changed).open(key) }
            #expect(throws: AgeError.self) { try AgeFile(Array(file[..<index])).open(key) }
        }
        #expect(throws: AgeError.self) { try AgeFile(file + [0]).open(key) }
    }

    /// Attacker 5: a file that asks for hours of work and all memory.
    @Test func aPassphraseOfTooMuchWorkIsRefusedAtOnce() throws {
        let text = """
            age-encryption.org/v1
            -> scrypt rF0/NwblUHHTpgQgRpe5CQ 21
            qW9eVsT0NVb/Vswtw8kPIxUnaYmm9Px1dYmq2+4+qZA
            --- 38TpQMxQRRNMfmYYpBX6DDrPx4/QY5UmJnhPyVoX/cw

            """
        do {
            _ = try AgeFile(Array(text.utf8)).open(.passphrase(AgePassphrase("password")))
            Issue.record("it was opened")
        } catch { #expect(error.code == .tooCostly) }
    }

    /// Both ways with the program that others have.
    @Test func theAgeProgramOpensItAndCofferOpensTheirs() throws {
        let folder = try TemporaryFolder()
        func path(_ name: String) -> String { "\(folder.path)/\(name)" }
        try Data("# key\n\(Self.identity)\n".utf8).write(to: URL(fileURLWithPath: path("key")))
        let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for armored in [false, true] {
            let file = try AgeFile.seal(
                content, for: .recipients([try AgeRecipient(Self.recipient)]), armored: armored)
            try Data(file).write(to: URL(fileURLWithPath: path("ours")))
            try Tool.output("age", ["--decrypt", "--identity", path("key"), "--output", path("plain"), path("ours")])
            #expect(Array(try Data(contentsOf: URL(fileURLWithPath: path("plain")))) == content)
            try Tool.output(
                "age",
                ["--encrypt", "--recipient", Self.recipient, "--output", path("theirs")] + (armored ? ["--armor"] : [])
                    + [path("plain")])
            let theirs = try AgeFile(Array(try Data(contentsOf: URL(fileURLWithPath: path("theirs")))))
            #expect(!theirs.takesPassphrase)
            #expect(try theirs.open(.identities([try AgeIdentity(Self.identity)])) == content)
        }
    }

    /// The age program takes a passphrase only at a terminal.
    @Test func aPassphraseOpensWithTheAgeProgram() throws {
        let folder = try TemporaryFolder()
        let file = try AgeFile.seal(
            Array("content".utf8), for: .passphrase(AgePassphrase("correct horse")), armored: true)
        try Data(file).write(to: URL(fileURLWithPath: folder.path + "/ours"))
        let script = """
            import os, pty, sys
            pid, terminal = pty.fork()
            if pid == 0: os.execvp("age", ["age", "--decrypt", "--output", sys.argv[2], sys.argv[1]])
            seen = b""
            while b"assphrase" not in seen: seen += os.read(terminal, 1000)
            os.write(terminal, b"correct horse\\n")
            try:
                while os.read(terminal, 1000): pass
            except OSError: pass
            sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
            """
        try Tool.output("python3", ["-c", script, folder.path + "/ours", folder.path + "/plain"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/plain")) == Data("content".utf8))
        let opened = try AgeFile(file)
        #expect(opened.takesPassphrase)
        #expect(throws: AgeError.self) { try opened.open(.passphrase(AgePassphrase("wrong"))) }
    }
}
