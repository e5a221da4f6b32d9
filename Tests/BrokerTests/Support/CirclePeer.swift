import Authorization
import BrokerProtocol
import Circle
import Cryptography
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

/// What a folder keeps between two machines, by path, in base64.
struct SharedFolder {
    var files: [String: String] = [:]

    var heads: [String] {
        files.keys.sorted().filter { if case .head? = StorePath($0) { true } else { false } }.compactMap { files[$0] }
    }
    var segments: [String] {
        files.keys.sorted().filter { if case .segment? = StorePath($0) { true } else { false } }
    }
}

/// A machine with a broker and an unlocked vault, its person, and its courier.
struct CirclePeer {
    let broker: ThrowAwayBroker
    let client: WireClient
    let name: String

    init(_ name: String, on made: ThrowAwayBroker? = nil) async throws {
        broker = if let made { made } else { try await throwAwayBroker() }
        client = try broker.client()
        self.name = name
        try await broker.makeVault(client)
    }

    func stop() async { await broker.stop() }

    func set(_ account: String, _ value: String = someValue) async throws {
        _ = try await client.call(Keychain.Set(service: "s", account: account, value: value))
    }

    func get(_ account: String) async throws -> String {
        try await client.call(Keychain.Get(service: "s", account: account)).value
    }

    func state() async throws -> Sync.State.Reply { try await client.call(Sync.State()) }

    @discardableResult
    func found() async throws -> String {
        try await call(Sync.Found(name: name)) { Sync.Found(name: name, challenge: $0) }.circle
    }

    func request(renewing renews: Bool? = nil) async throws -> Sync.Request.Reply {
        try await client.call(Sync.Request(name: name, renew: renews))
    }

    @discardableResult
    func add(_ asked: Sync.Request.Reply) async throws -> Sync.Add.Reply {
        try await call(Sync.Add(code: asked.code, request: asked.request.content)) {
            Sync.Add(code: asked.code, request: asked.request.content, challenge: $0)
        }
    }

    @discardableResult
    func enter(_ answer: String) async throws -> Sync.Enter.Reply {
        try await call(Sync.Enter(answer: answer)) { Sync.Enter(answer: answer, challenge: $0) }
    }

    func remove(_ devices: [String]) async throws {
        _ = try await call(Sync.Remove(devices: devices)) { Sync.Remove(devices: devices, challenge: $0) }
    }

    /// Brings another machine in.
    func add(_ other: CirclePeer) async throws {
        let added = try await add(other.request())
        try await other.enter(try #require(added.answer).content)
    }

    /// Calls, has the person agree, and calls again.
    func call<Method: VarlinkMethod>(
        _ method: Method, repeated: (String) -> Method
    ) async throws -> Method.Reply {
        let id = try await challenge { try await client.call(method) }
        try await agree(id)
        return try await client.call(repeated(id))
    }

    /// A person agrees, and the authenticator signs what it was shown: it computes the parameter hash itself.
    func agree(_ challenge: String) async throws {
        let (line, owner) = (try broker.authenticator.connect(), Owner.user(OwnProcess.effectiveUser))
        let facts = try await line.call(
            TestAuthenticator.describe(challenge, uid: OwnProcess.effectiveUser, TestAuthenticator.thisProcess()))
        if facts.purposes == [.joinCircle] {
            #expect(facts.authorizations.isEmpty && facts.statement == nil)
            _ = try await line.call(BrokerInterface.ConfirmAcceptance(challenge: challenge))
        } else {
            let bytes = try #require(facts.statement.flatMap(Base64.decode))
            let statement = try Statement(decoding: bytes)
            var keys: MemberKeys?
            if case .founding(let founder) = statement.content { keys = founder }
            if let signer = facts.signer { keys = try MemberKeys(bytes: Base64.decode(signer) ?? []) }
            let signer = try #require(keys)
            #expect(signer.device == statement.signer)
            let question = try await line.call(BrokerInterface.Prepare(challenge: challenge, authorization: 0))
            let record = try #require(try broker.authenticator.registry.record(for: owner))
            let hash = try StatementSigning(record: record, membershipPoint: signer.membership)
                .parameterHash(ofDigest: SHA256.digest(bytes))
            #expect(question.parameterHash == Base64.encode(hash), "the sealer signs something else than was shown")
            let signature = try broker.authenticator.signature(for: question, kind: "circle", owner: owner)
            _ = try await line.call(
                BrokerInterface.Complete(challenge: challenge, authorization: 0, signature: signature))
        }
        await line.close()
    }

    func take(_ folder: SharedFolder) async throws -> Sync.Take.Reply {
        let wanted = try await client.call(Sync.Look(heads: folder.heads, names: folder.segments)).wanted
        return try await client.call(
            Sync.Take(heads: folder.heads, segments: wanted.compactMap { folder.files[$0] }))
    }

    /// Takes in what the folder has, and puts there what it lacks.
    @discardableResult
    func sync(_ folder: inout SharedFolder) async throws -> Sync.Take.Reply {
        let taken = try await take(folder)
        var hasMore = true
        while hasMore {
            let given = try await client.call(Sync.Give(heads: folder.heads, names: folder.segments))
            for file in given.files { folder.files[file.path] = file.content }
            hasMore = given.more
        }
        return taken
    }

    /// The records of sharing in the access log.
    func shares() async throws -> [Keychain.LogRecord] {
        try await client.call(Keychain.Log()).records.filter { $0.event == "share" }
    }
}
