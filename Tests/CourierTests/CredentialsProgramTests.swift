import Cryptography
import Foundation
import HTTP
import Platform
import TestSupport
import Testing

@testable import Courier

/// A program that gives what opens a store.
@Suite struct CredentialsProgramTests {
    private let scratch: TemporaryFolder

    init() throws {
        scratch = try TemporaryFolder()
        // Another account runs what lies in it.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: scratch.path)
    }

    private func program(
        _ script: String, as account: Account? = nil, environment: [String: String] = ["PATH": "/usr/bin:/bin"],
        limits: CredentialsLimits = CredentialsLimits()
    ) throws -> CredentialsProgram {
        let path = "\(scratch.path)/credentials"
        try Script.write("#!/bin/sh\n\(script)\n", to: path)
        return CredentialsProgram(path, as: account, environment: environment, limits: limits)
    }

    private func printing(_ text: String) throws -> CredentialsProgram {
        try text.write(toFile: "\(scratch.path)/text", atomically: false, encoding: .utf8)
        return try program("echo run >>'\(scratch.path)/runs'; cat '\(scratch.path)/text'")
    }

    private var runs: Int {
        // `try?`: it has not run yet.
        ((try? String(contentsOfFile: "\(scratch.path)/runs", encoding: .utf8)) ?? "").split(separator: "\n").count
    }

    private static func text(_ secret: SecretBytes) -> String {
        secret.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }

    private static func words(_ given: GivenKeys) -> [String?] {
        [given.keys.name, text(given.keys.secret), given.keys.token.map(text), given.end.map { "\($0)" }]
    }

    private static func failure(_ program: CredentialsProgram, at now: Int64 = 0) -> CredentialsFailure? {
        do throws(CredentialsFailure) { _ = try program.keys { now } } catch { return error }
        return nil
    }

    @Test(arguments: [
        ("ID\nsecret\n", ["ID", "secret", nil, nil]),
        ("me\r\nwith space", ["me", "with space", nil, nil]),
        (#"{"AccessKeyId":"ID","SecretAccessKey":"s/+"}"#, ["ID", "s/+", nil, nil]),
        ("\r\n\t {\"AccessKeyId\":\"ID\",\"SecretAccessKey\":\"s\"}\n", ["ID", "s", nil, nil]),
        (
            #"{"Version":1,"AccessKeyId":"ID","SecretAccessKey":"s","SessionToken":"t=","Expiration":"1970-01-02T00:00:00Z"}"#,
            ["ID", "s", "t=", "86400"]
        ),
        // As the metadata service of a cloud's machine answers.
        (
            """
            {
              "Code" : "Success", "LastUpdated" : "2026-01-01T00:00:00Z", "Type" : "AWS-HMAC",
              "AccessKeyId" : "ID", "SecretAccessKey" : "s", "Token" : "t", "Expiration" : "1970-01-02T02:00:00+02:00"
            }
            """, ["ID", "s", "t", "86400"]
        ),
        (#"{"AccessKeyId":"ID","SecretAccessKey":"s","SessionToken":null,"Expiration":null}"#, ["ID", "s", nil, nil]),
    ])
    func itPrintsTwoLinesOrAnObject(_ output: String, _ words: [String?]) throws {
        #expect(try Self.words(printing(output).keys { 0 }) == words)
    }

    @Test(arguments: [
        "", "\n", "ID", "ID\n", "ID\n\n", "\nsecret\n", "ID\nsecret\nmore\n", "ID\nse\u{1b}cret\n", "[]", "{}",
        #"{"AccessKeyId":"ID"}"#, #"{"SecretAccessKey":"s"}"#, #"{"AccessKeyId":"","SecretAccessKey":"s"}"#,
        #"{"AccessKeyId":"ID","SecretAccessKey":"s","Version":2}"#,
        #"{"AccessKeyId":"ID","SecretAccessKey":"s","Token":""}"#,
        #"{"AccessKeyId":"ID","SecretAccessKey":"s","Token":"a\nHost: other"}"#,
        #"{"AccessKeyId":"ID","SecretAccessKey":"s","Token":"a","SessionToken":"b"}"#,
        #"{"AccessKeyId":"ID","SecretAccessKey":"s","Expiration":"tomorrow"}"#,
        #"{"AccessKeyId":"ID","SecretAccessKey":"s"} {}"#,
        #"{"AccessKeyId":"ID","AccessKeyId":"I","SecretAccessKey":"s"}"#,
        "ID\n\(String(repeating: "s", count: CredentialsLimits.longest + 1))\n",
        #"{"AccessKeyId":"ID","SecretAccessKey":"s","Token":"\#(String(repeating: "t", count: CredentialsLimits.token + 1))"}"#,
    ])
    func nothingElseAreCredentials(_ output: String) throws {
        #expect(Self.failure(try printing(output)) == .notUnderstood)
    }

    @Test func theLongestAreTaken() throws {
        let (secret, token) = (
            String(repeating: "s", count: CredentialsLimits.longest),
            String(repeating: "t", count: CredentialsLimits.token)
        )
        let output = #"{"AccessKeyId":"ID","SecretAccessKey":"\#(secret)","Token":"\#(token)"}"#
        #expect(try Self.words(printing(output).keys { 0 }) == ["ID", secret, token, nil])
    }

    @Test func whatHasEndedOrEndsAtOnceIsOfNoUse() throws {
        let program = try printing(#"{"AccessKeyId":"I","SecretAccessKey":"s","Expiration":"1970-01-01T01:00:00Z"}"#)
        let last = 3600 - CredentialsLimits.early
        #expect(Self.failure(program, at: last - 1) == nil)
        for now in [last, 3600, .max] { #expect(Self.failure(program, at: now) == .expired) }
    }

    @Test func howItFailsIsNamed() throws {
        #expect(Self.failure(try program("echo ID; echo s; exit 3")) == .ended(3))
        #expect(Self.failure(try program("kill -9 $$")) == .ended(137))
        #expect(Self.failure(try program("yes")) == .flooded)
        let none = CredentialsProgram("\(scratch.path)/none", as: nil, environment: [:])
        #expect(Self.failure(none) == .missing)
        #expect(Self.failure(CredentialsProgram(scratch.path, as: nil, environment: [:])) == .missing)
        try Data("#!/none\n".utf8).write(to: URL(filePath: "\(scratch.path)/broken"))
        let broken = CredentialsProgram("\(scratch.path)/broken", as: nil, environment: [:])
        let cause = if case .notRun(let cause)? = Self.failure(broken) { cause } else { nil as SystemError? }
        #expect(cause?.errno == EACCES || cause?.errno == ENOENT)
    }

    @Test func oneThatHangsIsEnded() throws {
        var limits = CredentialsLimits()
        limits.time = .milliseconds(300)
        let program = try program("echo $$ >'\(scratch.path)/pid'; exec sleep 1000", limits: limits)
        #expect(Self.failure(program) == .hung(limits.time))
        // `try?`: it may have had no time to begin.
        let text = (try? String(contentsOfFile: "\(scratch.path)/pid", encoding: .utf8)) ?? ""
        if let pid = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)) { #expect(kill(pid, 0) != 0) }
    }

    /// It has no terminal, no input and no words.
    @Test func itIsAskedNothing() throws {
        let program = try program(
            "echo $#; if read -r line </dev/tty || read -r line; then echo heard; else echo silence; fi 2>/dev/null")
        #expect(try Self.words(program.keys { 0 }) == ["0", "silence", nil, nil])
    }

    /// Somebody else would decide what this user runs.
    @Test func oneThatOthersCanChangeIsNotRun() throws {
        let program = try printing("ID\ns\n")
        let path = program.path
        for mode in [0o775, 0o757, 0o777] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            #expect(Self.failure(program) == .changeable)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        // A link has the rights of what it leads to.
        try FileManager.default.createSymbolicLink(atPath: path + "-link", withDestinationPath: path)
        let link = CredentialsProgram(path + "-link", as: nil, environment: [:])
        #expect(Self.failure(link) == nil && runs == 1)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
        #expect(Self.failure(link) == .changeable && runs == 1)
    }

    @Test(.enabled(if: geteuid() == 0, "needs two users")) func oneOfAnotherUserIsNotRun() throws {
        let program = try printing("ID\ns\n")
        #expect(unsafe chown(program.path, 12_345, 12_345) == 0)
        #expect(Self.failure(program) == .changeable && runs == 0)
    }

    /// A service's account may have named it (attackers 2 and 14). Root runs it as the account, which then gets nothing new.
    @Test(.enabled(if: geteuid() == 0, "needs two users")) func whatAnAccountNamedDoesNotRunAsRoot() throws {
        let account = try #require(try Account.named("nobody"))
        let program = try program(
            """
            printf '%s ' "$(id -u)" "$(id -g)" "$USER" "${SECRET_OF_ROOT:-none}"
            sed -n 's/^\\(Uid\\|NoNewPrivs\\|CapEff\\|CapInh\\):\\s*/ /p' /proc/self/status | tr '\\n\\t' '  '
            echo; echo s
            """, as: account, environment: ["PATH": "/usr/bin:/bin", "SECRET_OF_ROOT": "known"])
        let ids = "\(account.uid) \(account.uid) \(account.uid) \(account.uid)"
        let words = try Self.words(program.keys { 0 })[0]?.split(separator: " ").joined(separator: " ")
        #expect(
            words
                == "\(account.uid) \(account.gid) nobody none \(ids) 0000000000000000 0000000000000000 1",
            "\(words ?? "")")
        #expect(unsafe chown(program.path, account.uid, account.gid) == 0)
        #expect(Self.failure(program) == nil)
    }

    /// A program with root's terminal open reads what root types, also later (attackers 2 and 14).
    @Test(.enabled(if: geteuid() == 0, "needs two users")) func whatAnAccountNamedGetsNothingThatRootHasOpen() throws {
        let account = try #require(try Account.named("nobody"))
        let open = try program("readlink /proc/self/fd/0; readlink /proc/self/fd/2", as: account)
        #expect(try Self.words(open.keys { 0 }).prefix(2) == ["/dev/null", "/dev/null"])
        // Nothing but the three, and what lists them.
        let others = try program("echo me; ls /proc/self/fd | tr '\\n' ' '", as: account)
        #expect(try Self.words(others.keys { 0 })[1] == "0 1 2 3 ")
    }

    // MARK: at a server

    private func server(_ bucket: PlayedBucket, _ program: CredentialsProgram) throws -> S3Server {
        let place = try #require(BucketPlace("s3://name/pre/fix", endpoint: try HTTPAddress(bucket.web.address)))
        return S3Server(place, .program(program), patience: .none)
    }

    private static let object = #"{"AccessKeyId":"ID","SecretAccessKey":"hidden","Token":"t/oken=="}"#
    private static let ended = PlayedBucket.refusal(400, "ExpiredToken")

    @Test func theTokenIsSentAndSigned() throws {
        let bucket = try PlayedBucket(.init(200, body: "x"))
        let server = try server(bucket, printing(Self.object))
        for _ in 0..<3 {
            #expect(try server.read(bucket.head, unless: nil) == .bytes(Array("x".utf8), tag: nil))
        }
        for request in try bucket.web.requests() {
            #expect(request.headers["x-amz-security-token"] == "t/oken==")
            let signed = request.headers["authorization"]?.split(separator: ", ")
                .first { $0.hasPrefix("SignedHeaders=") }?.dropFirst(14).split(separator: ";")
            #expect(signed?.contains("x-amz-security-token") == true && request.most == 1)
            #expect(!request.headers.description.contains("hidden"))
        }
        // What does not end is asked for once.
        #expect(runs == 1)
    }

    @Test func othersAreAskedForOnceTheseHaveEnded() throws {
        let bucket = try PlayedBucket(
            .init(200, body: "x"), Self.ended, .init(200, body: "y"), PlayedBucket.refusal(403, "InvalidAccessKeyId"),
            .init(200, body: "z"))
        let server = try server(bucket, printing(Self.object))
        for body in ["x", "y", "z"] {
            #expect(try server.read(bucket.head, unless: nil) == .bytes(Array(body.utf8), tag: nil))
        }
        #expect(runs == 3)
    }

    /// For one request the program runs once, even if the server refuses again and again.
    @Test func refusedOnesAreToldAndNotAskedForAgainAndAgain() throws {
        let bucket = try PlayedBucket(Self.ended)
        let server = try server(bucket, printing(Self.object))
        for count in 1...2 {
            let error = PlayedBucket.error { try server.read(bucket.head, unless: nil) }
            #expect(error?.code == .refused && runs == count)
        }
        #expect(try bucket.web.requests().count == 2)
    }

    @Test func whatEndsSoonIsAskedForAgain() throws {
        let bucket = try PlayedBucket(.init(200, body: "x"))
        let stamp = try #require(CivilCalendar.utc.fields(of: WallTime.now.seconds + 1 + CredentialsLimits.early))
            .stampText
        let server = try server(
            bucket, printing(#"{"AccessKeyId":"ID","SecretAccessKey":"s","Expiration":"\#(stamp)"}"#))
        // The first ones may have ended already on a slow machine.
        let first = PlayedBucket.error { try server.read(bucket.head, unless: nil) }
        #expect(first == nil || first?.remote?.program == .expired)
        Thread.sleep(forTimeInterval: 1.1)
        let second = PlayedBucket.error { try server.read(bucket.head, unless: nil) }
        #expect(second?.code == .credentials && second?.remote?.program == .expired && runs == 2)
    }

    @Test func aProgramThatFailsIsNamedWithoutWhatItPrinted() throws {
        let bucket = try PlayedBucket(.init(200))
        let server = try server(bucket, program("echo hidden; echo hidden; exit 7"))
        let error = try #require(PlayedBucket.error { try server.read(bucket.head, unless: nil) })
        #expect(error.code == .credentials && error.description.contains("it ended with status 7"))
        #expect(error.description.contains("s3://name") && !error.description.contains("hidden"))
        #expect(!"\(error)".contains("hidden"))
        #expect(try bucket.web.requests().isEmpty)
    }

    /// A password goes with no token that a server would look at.
    @Test func aTokenIsForBuckets() throws {
        let web = try ScriptedServer([.init(200)])
        let server = WebDAVServer(try HTTPAddress(web.address), .program(try printing(Self.object)), patience: .none)
        let error = PlayedBucket.error { try server.probe() }
        #expect(error?.remote?.program == .notUnderstood && runs == 1)
        #expect(try web.requests().isEmpty)
    }
}
