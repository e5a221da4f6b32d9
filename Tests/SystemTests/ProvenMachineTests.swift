import Foundation
import TestSupport
import Testing

/// Machines that are added only if they prove that their keys are in a listed TPM (docs/sync.md, "A machine that proves its
/// TPM"): TPM simulators, brokers, authenticators and PAM of their own.
@Suite struct ProvenMachineTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func add(_ code: String, by member: Sandbox) throws -> Outcome {
        try member.coffer(
            "sync", "add", "--attested", "--no-wait", input: Array("\(code)\n".utf8), password: Sandbox.password)
    }

    private func list(_ lines: String..., by member: Sandbox) throws {
        let path = "\(member.directory)/machines"
        try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: path))
        // The mask of this process must not matter.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    }

    /// T13: a listed machine is added, and neither another one of the same maker nor one without a TPM.
    @Test func onlyAListedTPMIsAdded() throws {
        let (desk, laptop, spare) = (try Sandbox(), try Sandbox(), try Sandbox())
        let plain = try Sandbox("--software")
        try desk.succeed("set", "github", "me", input: "from the desk")
        try desk.succeed("sync", "init", folder.path, "--name", "desk")
        let listed = try laptop.succeed("sync", "identity").text
        #expect(try spare.succeed("sync", "identity").text.prefix(68) != listed.prefix(68))
        #expect(try plain.coffer("sync", "identity", password: Sandbox.password).code != 0)

        let code = try laptop.joinCode(folder.path, "laptop")
        // Root has no list.
        #expect(try add(code, by: desk).all.contains("coffer sync identity"))
        try list(listed.prefix(68) + " the-laptop\n", by: desk)
        for machine in [spare, plain] {
            let refused = try add(machine.joinCode(folder.path, "laptop"), by: desk)
            #expect([3, 4].contains(refused.code), "\(refused)")
            #expect(refused.all.contains("is not in") || refused.all.contains("has shown no TPM"), "\(refused)")
        }
        // It has not answered yet. Who keeps the folder answers instead, and asks instead.
        let waiting = try add(code, by: desk)
        #expect(waiting.code == 3 && waiting.all.contains("has not answered"), "\(waiting)")
        let join = "\(folder.path)/join"
        let challenge = try #require(
            FileManager.default.contentsOfDirectory(atPath: join).first { $0.hasSuffix("-challenge") })
        let evidence = "\(join)/" + challenge.replacing("-challenge", with: "-evidence")
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: evidence))
        #expect(try add(code, by: desk).code == 3)
        let asked = try Data(contentsOf: URL(fileURLWithPath: "\(join)/\(challenge)"))
        try Data([4, 5]).write(to: URL(fileURLWithPath: "\(join)/\(challenge)"))
        let strange = try laptop.succeed("sync", "join", folder.path, "--name", "laptop", "--no-wait")
        #expect(strange.all.contains("cannot prove its TPM"), "\(strange)")
        try asked.write(to: URL(fileURLWithPath: "\(join)/\(challenge)"))

        let proved = try laptop.succeed("sync", "join", folder.path, "--name", "laptop", "--no-wait")
        #expect(proved.all.contains("has proved"), "\(proved)")
        // An addition that demands no proof would take any machine. This one is shown with what root calls it.
        let added = try add(code, by: desk)
        #expect(added.code == 0 && added.all.contains("Added laptop"), "\(added)")
        try laptop.succeed("sync", "join", folder.path, "--name", "laptop")
        #expect(try laptop.succeed("get", "github", "me").text == "from the desk")
        // Nothing of the joining stays.
        let left = try FileManager.default.contentsOfDirectory(atPath: join).filter { name in
            challenge.prefix(32) == name.prefix(32)
        }
        #expect(left.isEmpty, "\(left)")
    }
}
