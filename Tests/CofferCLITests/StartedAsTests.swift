import CredentialHelpers
import Foundation
import Testing

/// `coffer` under the names that git and docker look for.
@Suite struct StartedAsTests {
    @Test(
        arguments: [
            ("git-credential-coffer", CredentialHelper.git), ("/usr/bin/git-credential-coffer", .git),
            ("./docker-credential-coffer", .docker), ("coffer", nil), ("/usr/bin/coffer", nil), ("", nil), (nil, nil),
            ("git-credential-coffer2", nil), ("git-credential-coffer/coffer", nil), ("exe", nil),
        ] as [(String?, CredentialHelper?)])
    func theNameSaysWhichProgramItIs(word: String?, helper: CredentialHelper?) {
        #expect(CredentialHelper(startedAs: word) == helper)
    }

    /// What it is does not depend on where its file lies, but on the word that started it.
    @Test func theFirstWordCounts() throws {
        let scratch = try Scratch()
        for name in CredentialHelper.allCases.map(\.rawValue) {
            var program = Program(scratch: scratch)
            program.executable = "/bin/bash"
            let result = try program.run("-c", "exec -a '\(name)' '\(Program.path)' --version")
            #expect(result.status == 0 && result.text.hasPrefix("\(name) "), "\(result)")
        }
    }
}
