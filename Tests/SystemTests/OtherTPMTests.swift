import Foundation
import Testing

/// Attackers 1 and 5: the file alone, with another TPM, or with another registry opens nothing, and the error says why.
@Suite struct OtherTPMTests {
    @Test func anotherTPMDoesNotOpenTheVault() throws {
        let sandbox = try Sandbox()
        let other = try Sandbox()
        #expect(try sandbox.coffer("set", "a", "b", input: [1]).code == 0)
        try sandbox.script("stop-broker")
        // The other sandbox's TPM in this one's place.
        let configuration = sandbox.directory + "/cofferd.conf"
        let text = try String(contentsOfFile: configuration, encoding: .utf8)
        let tcti = try #require(sandbox.variables["COFFER_SANDBOX_TCTI"])
        let otherTCTI = try #require(other.variables["COFFER_SANDBOX_TCTI"])
        #expect(text.contains(tcti))
        try text.replacingOccurrences(of: tcti, with: otherTCTI).write(
            toFile: configuration, atomically: true, encoding: .utf8)
        try sandbox.script("start-broker")
        let read = try sandbox.coffer("get", "a", "b")
        #expect(read.code == 8, "\(read)")
        #expect(read.errors.contains("cleared or replaced"), "\(read)")
        #expect(try sandbox.coffer("unlock", password: "sandbox").code == 8)
        // With its own TPM again, nothing was lost.
        try sandbox.script("stop-broker")
        try text.write(toFile: configuration, atomically: true, encoding: .utf8)
        try sandbox.script("start-broker")
        #expect(try sandbox.coffer("unlock", password: "sandbox").code == 0)
        #expect(try sandbox.coffer("get", "a", "b").output == [1])
    }

    @Test func aMissingAForeignAndAnEmptyFileAreDamageNeverAFreshStart() throws {
        let sandbox = try Sandbox()
        let other = try Sandbox()
        #expect(try sandbox.coffer("set", "a", "b", input: [1]).code == 0)
        #expect(try other.coffer("set", "a", "b", input: [2]).code == 0)
        try sandbox.script("stop-broker")
        try other.script("stop-broker")
        let file = try sandbox.vaultFile()
        let content = try Data(contentsOf: URL(fileURLWithPath: file))
        for foreign in [nil, Data(), Data(count: 4096), try Data(contentsOf: URL(fileURLWithPath: other.vaultFile()))] {
            try FileManager.default.removeItem(atPath: file)
            if let foreign { try foreign.write(to: URL(fileURLWithPath: file)) }
            try sandbox.script("start-broker")
            for arguments in [["get", "a", "b"], ["list"], ["exists", "a", "b"]] {
                let outcome = try sandbox.coffer(arguments)
                #expect(outcome.code == 7, "\(arguments): \(outcome)")
            }
            #expect(try sandbox.coffer("set", "a", "c", input: [3], password: "sandbox").code == 7)
            #expect(try sandbox.coffer("unlock", password: "sandbox").code == 7)
            try sandbox.script("stop-broker")
            try content.write(to: URL(fileURLWithPath: file))
        }
        try sandbox.script("start-broker")
        #expect(try sandbox.coffer("unlock", password: "sandbox").code == 0)
        #expect(try sandbox.coffer("get", "a", "b").output == [1])
    }
}

extension Sandbox {
    /// One vault's file.
    func vaultFile() throws -> String {
        let names = try #require(FileManager.default.enumerator(atPath: directory)).compactMap { $0 as? String }.filter
        { $0.hasSuffix(".vault") }
        try #require(names.count == 1, "\(names)")
        return directory + "/" + names[0]
    }
}
