import ArgumentParser
import Coffer
import Testing

@testable import coffer_cli

/// `coffer run` takes the secrets that the person meant, or none.
@Suite struct MeantSecretTests {
    /// Programs disagree about which of two entries counts, and somebody may have added one.
    @Test(arguments: ["X=coffer://c/d", "X=coffer://a/b", "X=plain"])
    func aVariableThatIsThereTwiceNamesNoSecret(other: String) throws {
        let assignment = try SecretAssignment(parsing: "X")
        let one = Array("X=coffer://a/b".utf8)
        let once = try PresentEnvironment([Array("Y=coffer://c/d".utf8), one]).reference(of: assignment)
        #expect(once.text == "coffer://a/b")
        for entries in [[one, Array(other.utf8)], [Array(other.utf8), one]] {
            let present = PresentEnvironment(entries)
            #expect(throws: KeychainError(.invalidArgument, "")) { try present.reference(of: assignment) }
            // A variable that is set goes in both.
            #expect(present.without(["X"]).isEmpty)
        }
    }

    /// The item of the same name in the person's own vault is another one.
    @Test(arguments: [
        "ci/deploy?group=ops", "ci/deploy?user=web", "coffer://ci/deploy?group=ops", "ci/sign,ci/deploy?group=ops",
    ])
    func aLeaseIsFromOneVault(items: String) throws {
        #expect(throws: ValidationError.self) { try LeaseItemsArgument(parsing: items) }
        let meant = try LeaseItemsArgument(parsing: "ci/sign,coffer://ci/deploy").names
        #expect(meant.map(\.account) == ["sign", "deploy"])
    }

    /// The command under the lease gets its own arguments, even those that are called like options of `coffer run`.
    @Test func theCommandKeepsItsArguments() {
        func bytes(_ words: String...) -> [[UInt8]] { words.map { Array($0.utf8) } }
        let words = bytes(
            "run", "--lease", "10m", "--mask", "--items=a/b", "--", "make", "--lease", "5", "--items=x", "--")
        #expect(
            LeaseWords.without(words) == bytes("run", "--mask", "--", "make", "--lease", "5", "--items=x", "--"))
    }
}
