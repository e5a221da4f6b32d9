import Foundation
import TestSupport
import Testing

/// Attackers 3 and 7 at once, with real users and the real programs. One user takes everything that a user may take,
/// and a neighbour works as if nobody were there.
@Suite(.enabled(if: getuid() == 0, "only root can become other users"), .serialized, .timeLimit(.minutes(30)))
struct HostileNeighbourTests {
    private static let calls = ["get", "set", "gated read", "unlock"]

    @Test func aNeighboursEveryCallSucceeds() async throws {
        let accounts = try Accounts(4)
        let (ada, bob, carol) = (accounts.uids[0], accounts.uids[1], accounts.uids[2])
        let sandbox = try Sandbox("--broker-user", accounts.names[3], reachable: true)
        try plantFile(of: carol, sandbox)
        let quiet = try await Self.onThread { try HonestNeighbour(uid: ada).run(in: sandbox) }
        try #require(quiet.failures.isEmpty, "\(quiet.failures)")

        // A folder of bob, for files that coordinate the two.
        let folder = sandbox.folder + "/bob"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try FileManager.default.setAttributes(
            [.ownerAccountID: Int(bob), .posixPermissions: 0o755], ofItemAtPath: folder)
        let hostile = HostileNeighbour(uid: bob, ready: folder + "/ready", stop: folder + "/stop")
        async let attack = Self.onThread { try hostile.run(in: sandbox) }
        let limit = ContinuousClock.now + .seconds(600)
        while !FileManager.default.fileExists(atPath: hostile.ready) {
            try #require(ContinuousClock.now < limit, "the attack did not begin")
            try await Task.sleep(for: .milliseconds(100))
        }
        // A reader of carol's file meets what was planted in it, beside everything else.
        let planted = try sandbox.coffer("get", "s", "a", password: "sandbox", uid: carol)
        let attacked = try await Self.onThread { try HonestNeighbour(uid: ada).run(in: sandbox) }
        try Data().write(to: URL(fileURLWithPath: hostile.stop))
        let got = try await attack

        for call in Self.calls {
            print("hostile neighbour: \(call): quiet \(quiet.line(call)); attacked \(attacked.line(call))")
        }
        print("hostile neighbour got \(got); calls made anew: quiet \(quiet.again), attacked \(attacked.again)")
        #expect(attacked.failures.isEmpty, "\(attacked.failures)")
        for call in Self.calls { #expect(attacked.times[call]?.count == quiet.times[call]?.count) }
        // Slower only by sharing the processors, with some margin. The same machine measured it a moment before and a
        // moment after.
        let later = try await Self.onThread { try HonestNeighbour(uid: ada).run(in: sandbox) }
        #expect(later.failures.isEmpty, "\(later.failures)")
        for call in Self.calls {
            // What the attack leaves behind slows nothing either.
            #expect(later.milliseconds(call, 0.5) <= 20 * quiet.milliseconds(call, 0.5), "\(call) stays slow")
            let alone = max(quiet.milliseconds(call, 0.5), later.milliseconds(call, 0.5))
            let now = attacked.milliseconds(call, 0.5)
            #expect(now <= 20 * alone, "\(call): \(alone) ms quiet, \(now) ms attacked")
        }
        #expect(planted.code == 7, "\(planted)")
        // It was an attack: it was answered all the time, met its limits, and held conversations.
        #expect(got.values.reduce(0) { $0 + ($1["answers"] ?? 0) } > 100, "\(got)")
        #expect((got["conversations"]?["conversations"] ?? 0) >= 32, "\(got)")
        #expect(got.values.reduce(0) { $0 + ($1["refused"] ?? 0) } > 0, "\(got)")
    }

    /// A vault with a value as long as a disk, and a note beside it that Coffer has not written.
    private func plantFile(of uid: UInt32, _ sandbox: Sandbox) throws {
        let made = try sandbox.coffer("set", "s", "a", input: Array("value".utf8), password: "sandbox", uid: uid)
        try #require(made.code == 0, "\(made)")
        let vaults = sandbox.directory + "/vaults"
        let path = "\(vaults)/user-\(uid).vault"
        // Another file in its place, like a changed copy. The broker still has the old one open.
        let change = """
            import os, shutil, sqlite3, sys
            path = sys.argv[1]
            shutil.copy(path, path + ".copy")
            base = sqlite3.connect(path + ".copy")
            base.execute("UPDATE value SET sealed = zeroblob(500000000)"); base.commit(); base.close()
            status = os.stat(path)
            for side in ("", "-wal"):
                if os.path.exists(path + ".copy" + side): os.chown(path + ".copy" + side, status.st_uid, status.st_gid)
            os.rename(path + ".copy", path)
            open(path + ".next.json", "w").write('{"format":1,"offer":{"time":0}}')
            """
        try sandbox.script("stop-broker")
        let planted = try Command(
            program: "/usr/bin/python3", arguments: ["-c", change, path], environment: [:]
        ).run()
        try #require(planted.code == 0, "\(planted)")
        try sandbox.script("start-broker")
    }

    /// Calls that block get a thread of their own.
    private static func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }
}
