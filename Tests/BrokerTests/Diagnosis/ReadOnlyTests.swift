import BrokerProtocol
import Foundation
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker
@testable import Platform

/// A disk that is full, or can only be read.
@Suite(.timeLimit(.minutes(30)))
struct ReadOnlyTests {
    @Test("doctor names a file system that is full, nearly full, or can only be read")
    func room() {
        #expect(FilesCheck.obstacles(FileSystemRoom(isReadOnly: false, free: 1 << 30), "/v").isEmpty)
        let low = FilesCheck.obstacles(FileSystemRoom(isReadOnly: false, free: 100 << 10), "/v").first
        #expect(low?.message.contains("/v is nearly full (100 KiB") == true, "\(String(describing: low))")
        #expect(low?.message.contains("soon") == true && low?.advice.contains("df /v") == true)
        // The last byte counts: with it, things are stored.
        let last = FilesCheck.obstacles(FileSystemRoom(isReadOnly: false, free: 1), "/v").first
        #expect(last?.message.contains("/v is nearly full (0 KiB") == true)
        let full = FilesCheck.obstacles(FileSystemRoom(isReadOnly: false, free: 0), "/v").first
        #expect(full?.message.contains("/v is full: Coffer can store nothing") == true)
        let shut = FilesCheck.obstacles(FileSystemRoom(isReadOnly: true, free: 1 << 30), "/v").first
        #expect(shut?.message.contains("only be read") == true && shut?.advice.contains("mount") == true)
    }

    @Test(
        "a vault in a folder that can only be read stays closed, and the error has path, errno and reason",
        .enabled(if: OwnProcess.effectiveUser == 0, "needs root"))
    func readOnly() async throws {
        let broker = try await throwAwayBroker()
        try await broker.makeVault(broker.client())
        _ = try await broker.client().call(Keychain.Set(service: "s", account: "a", value: someValue))
        await broker.stop()
        let folder = broker.configuration.vaultDirectory
        try Tool.output("mount", ["--bind", folder, folder])
        defer { _ = try? Tool.output("umount", ["--lazy", folder]) }  // A mount that is gone needs no removal.
        try Tool.output("mount", ["-o", "remount,ro,bind", folder])
        let later = try await throwAwayBroker(folder: broker.folder, authenticator: broker.authenticator)
        let refused = try await fault { try await later.client().call(Keychain.List()) }
        #expect(refused.name == .failed, "\(refused)")
        #expect(refused.details.message?.contains(folder) == true, "\(refused)")
        #expect(refused.details.message?.contains("Read-only file system") == true, "\(refused)")
        #expect(refused.details.cause == "errno 30", "\(refused)")
        #expect(refused.details.advice?.contains("records each read") == true, "\(refused)")
        let found = try await later.client().call(Keychain.Diagnose()).findings.filter { $0.verdict == .problem }
        #expect(found.contains { $0.check == "files" && $0.message.contains(folder) }, "\(found)")
        // Made writable again, it opens, and nobody restarts anything.
        try Tool.output("mount", ["-o", "remount,rw,bind", folder])
        #expect(try await later.client().call(Keychain.List()).items.count == 1)
        await later.stop()
    }

    @Test("without control groups of version 2, no drop-in is blamed for the missing limit of swap")
    func controlGroups() {
        var process = BrokerProcess(
            isUnit: true, status: ["NoNewPrivs": "1", "Seccomp": "2", "CapEff": "0000", "CapBnd": "0000"],
            coreLimit: ["0", "0"], swapLimit: nil, users: "0 0 4294967295", seesOtherProcesses: true,
            tunables: "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0", backtrace: "enable=no")
        #expect(UnitCheck.missing(in: process) == ["MemorySwapMax=0"])
        process.hasUnifiedGroups = false
        #expect(UnitCheck.missing(in: process) == [])
    }
}
