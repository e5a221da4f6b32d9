import Authorization
import BrokerProtocol
import Foundation
import JSON
import RootConfiguration
import TestSupport

@testable import Authenticator
@testable import Platform

/// The authenticator's own files, and the input of its helper.
struct AuthenticatorTarget: FuzzTarget {
    private let folder: TemporaryFolder
    private let session: TerminalSession
    private let group: PromptGroup
    private let trees: [(name: String, tree: JSONTree)]

    init() async throws {
        folder = try TemporaryFolder()
        let own = try ProcessIdentity.current()
        session = TerminalSession(terminal: 34816, leader: own)
        group = PromptGroup(
            pid: own.pid, startTime: own.startTime, owner: "user:0", purposes: ["read"], services: ["coffer"])
        let boot = try BootTime.bootID()
        let now = BootTime.milliseconds
        let reuse = ReuseRecord(session: session, boot: boot, services: [.anyFactor], asked: now, ends: now + 60_000)
        var prompt = SharedPrompt(group: group, boot: boot, leader: SharedPrompt.Server(own), outcome: nil)
        prompt.outcome = SharedPrompt.Outcome(
            answer: .yes, items: ["token"], taken: ["other": SharedPrompt.Server(own)], time: now)
        // The difference of its times overflows.
        let extreme = ReuseRecord(session: session, boot: boot, services: [.anyFactor], asked: .min, ends: .max)
        let attempts = AttemptRecord(failures: 5, last: 1_800_000_000_000)
        func tree(_ value: some JSONWritable) throws -> JSONTree {
            try JSONTree(parsing: JSONWriter.bytes(of: value))
        }
        trees = [
            ("attempts", try tree(attempts)), ("reuse", try tree([reuse, extreme])), ("prompts", try tree([prompt])),
        ]
    }

    mutating func tryOne(_ mutator: inout Mutator) throws {
        for (name, tree) in trees {
            try Folder.make("\(folder.path)/\(name)", mode: 0o700)
            let text = mutator.text(tree, donors: trees.map(\.tree))
            try DurableFile.write(text, to: "\(folder.path)/\(name)/0.json", mode: 0o600)
            if let record = try answer({ try JSONReader.read(AttemptRecord.self, from: text) }) {
                for now: Int64 in [.min / 2, -1, 0, 1_800_000_000_000, .max / 2] {
                    var (begun, failed) = (record, record)
                    let wait = begun.begin(at: now)
                    try promise((0...AttemptLimits.longestDelay).contains(wait), "a wait of \(wait) ms")
                    failed.add(at: now)
                }
            }
        }
        let log = try AttemptLog(registryDirectory: folder.path, uid: 0)
        _ = try answer { try log.wait() }
        _ = try answer { try log.fail() }
        let book = try ReuseFile(registryDirectory: folder.path, uid: 0)
        for lock in [Int64.min, 0, .max] { _ = try answer { try book.services(in: session, lastLock: lock) } }
        _ = try answer { try book.note([.anyFactor], in: session, asked: BootTime.milliseconds, seconds: .max) }
        let board = try PromptBoard(registryDirectory: folder.path, uid: 0, group: group)
        _ = try answer { try board.turn(of: "token") }
        _ = try answer { try board.end(.yes, of: "token", for: ["token"]) }
    }
}

/// Root's configuration, and files of `/proc`.
struct SettingsTarget: FuzzTarget {
    private let configuration = Array(
        """
        # Root's.
        socket = /run/coffer/coffer.sock
        login-programs = /usr/bin/login /usr/sbin/sshd
        prompt-timeout = 60
        connections-per-user = 64
        authentications-per-user = 8
        reuse-limit = 300
        silent-services = coffer
        tpm-deadline = 8
        idle-lock = 15
        sealer = tpm
        system-bus = unix:path=/run/x
        """.utf8)
    private let stat: [UInt8]

    init() async throws { stat = Array(try Data(contentsOf: URL(fileURLWithPath: "/proc/self/stat"))) }

    mutating func tryOne(_ mutator: inout Mutator) throws {
        let text = String(decoding: mutator.bytes(configuration), as: UTF8.self)
        if let read = try answer({ try Configuration(parsing: text) }) {
            try promise(
                (0...1440).contains(read.idleLock) && (5...600).contains(read.promptTimeout)
                    && (0...300).contains(read.reuseLimit) && (1...10).contains(read.tpmDeadline),
                "a setting is out of its range")
        }
        let donors = Mutator.numbers.flatMap { [Array(" \($0) ".utf8), Array(" \(Int64(bitPattern: $0)) ".utf8)] }
        _ = try answer { try ProcessStat(parsing: mutator.bytes(stat, donors: donors), of: "a stat file") }
        _ = Owner(text: String(decoding: mutator.bytes(Array("user:1000".utf8), donors: donors), as: UTF8.self))
    }
}
