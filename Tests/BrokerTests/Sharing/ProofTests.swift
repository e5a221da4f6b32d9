import Authorization
import BrokerProtocol
import Circle
import Cryptography
import Platform
import TPM
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// A machine proves to a member of a circle that its keys are in its TPM, and the broker takes no other words for it.
@Suite(.timeLimit(.minutes(30)))
struct ProofTests {
    private func peer(_ name: String, _ tpm: SWTPM, _ recorder: CommandRecorder) async throws -> CirclePeer {
        let broker = try await ThrowAwayBroker(configure: { $0.sealer = .tpm }) { _ in
            TPMSealer(TPMAccess.patient(tpm.configuration, observer: recorder))
        }
        return try await CirclePeer(name, on: broker)
    }

    private func read(_ asked: Sync.Request.Reply) throws -> (code: JoinCode, request: JoinRequest) {
        let code = try JoinCode(reading: SecretBytes(copying: Array(asked.code.utf8)))
        let sealed = try #require(Base64.decode(asked.request.content))
        return (code, try code.openRequest(sealed))
    }

    private func refusal(_ peer: CirclePeer, _ question: String) async throws -> Fault {
        try await fault { try await peer.client.call(Sync.Prove(challenge: question)) }
    }

    @Test func theKeysOfTheRequestAreProvedAndTheMemberTakesTheProofOfNoOtherRequest() async throws {
        let (first, second, recorder) = (try SWTPM(), try SWTPM(), CommandRecorder())
        let (desk, laptop) = (
            try await peer("desk", first, CommandRecorder()), try await peer("laptop", second, recorder)
        )
        try await desk.found()
        // There is no request yet that a proof could be about.
        #expect(try await refusal(laptop, "AAAA").name == .notFound)
        let asked = try await laptop.request()
        let (code, request) = try read(asked)
        let place = try code.place
        let shown = try #require(asked.identity)
        #expect(shown.path == StorePath.proof(.identity, place).text)
        let identity = try JoinIdentity(
            decoding: code.open(try #require(Base64.decode(shown.content)), .identity))
        #expect(identity.request == request.digest)
        let known = Hex.encode(try identity.machine.endorsementName)
        // The TPM was asked for it already.
        recorder.reset()
        #expect(try await laptop.client.call(Sync.Identity()).name == known)
        #expect(recorder.names == [])

        let (secret, other) = (try SecretBytes.random(count: 32), try SecretBytes.random(count: 32))
        let credential = try IdentityCredential(secret, for: identity.machine)
        func question(of digest: [UInt8], as step: ProofStep = .challenge) throws -> String {
            Base64.encode(try code.seal(JoinChallenge(request: digest, credential: credential).bytes, step))
        }
        let good = try question(of: request.digest)
        let proved = try await laptop.client.call(Sync.Prove(challenge: good)).evidence
        #expect(proved.path == StorePath.proof(.evidence, place).text)
        let evidence = try JoinEvidence(
            decoding: code.open(try #require(Base64.decode(proved.content)), .evidence))
        #expect(try evidence.proves(request, secret: secret))
        #expect(try !evidence.proves(request, secret: other))
        let elsewhere = try question(of: [UInt8](repeating: 1, count: 32))
        for wrong in ["", "!", "AAAA", elsewhere, try question(of: request.digest, as: .identity)] {
            #expect(try await refusal(laptop, wrong).name == .invalidArgument)
        }

        var adding = Sync.Add(code: asked.code, request: asked.request.content)
        // The proof of an earlier request, and what is no proof. Nobody is asked.
        let later = try await laptop.request(renewing: true)
        var late = Sync.Add(code: later.code, request: later.request.content)
        late.evidence = proved.content
        #expect(try await fault { try await desk.client.call(late) }.name == .invalidArgument)
        let forged = try read(later).code.seal(evidence.bytes, .evidence)
        late.evidence = Base64.encode(forged)
        #expect(try await fault { try await desk.client.call(late) }.name == .invalidArgument)
        for wrong in ["", "AAAA", good] {
            adding.evidence = wrong
            let refused = try await fault { try await desk.client.call(adding) }
            #expect(refused.name == .invalidArgument && refused.details.challenge == nil)
        }
        adding.evidence = proved.content
        let id = try await challenge { try await desk.client.call(adding) }
        try await desk.agree(id)
        adding.challenge = id
        #expect(try await desk.client.call(adding).name == "laptop")
        for peer in [desk, laptop] { await peer.stop() }
        #expect(try second.leftovers() == [])
    }

    @Test func aMachineWithoutATPMProvesNothing() async throws {
        let laptop = try await CirclePeer("laptop")
        let asked = try await laptop.request()
        #expect(asked.identity == nil)
        let (code, request) = try read(asked)
        let machine = try MachineIdentity(
            endorsement: P256.PrivateKey.generate().publicKey, attestation: P256.PrivateKey.generate().publicKey)
        let credential = try IdentityCredential(SecretBytes.random(count: 32), for: machine)
        let bytes = try JoinChallenge(request: request.digest, credential: credential).bytes
        let question = Base64.encode(try code.seal(bytes, .challenge))
        let identity = try await fault { try await laptop.client.call(Sync.Identity()) }
        for refused in [try await refusal(laptop, question), identity] {
            #expect(refused.name == .tpm && refused.details.kind == "unsupported", "\(refused)")
        }
        await laptop.stop()
    }
}

/// A member puts back into the store what that has lost of another one.
@Suite(.timeLimit(.minutes(30)))
struct PuttingBackTests {
    @Test func whatIsMissingOfAnotherMachineComesBackAsItWas() async throws {
        let (desk, laptop) = (try await CirclePeer("desk"), try await CirclePeer("laptop"))
        try await desk.found()
        try await desk.add(laptop)
        var folder = SharedFolder()
        try await laptop.set("a")
        for peer in [desk, laptop, desk, laptop, desk] { try await peer.sync(&folder) }
        let machines = try await desk.state().machines
        let other = try #require(machines.first { !$0.own }).device
        let own = try #require(machines.first { $0.own }).device
        func lost(_ device: String, _ names: [String] = [], head: Bool = false) async throws -> [Sync.File] {
            let reply = try await desk.client.call(Sync.PutBack(device: device, names: names, head: head))
            #expect(!reply.more)
            return reply.files
        }
        let all = try await lost(other)
        #expect(!all.isEmpty)
        for file in all { #expect(folder.files[file.path] == file.content, "\(file.path)") }
        // Only a machine itself replaces its head.
        let segments = try await lost(other, head: true)
        #expect(!segments.isEmpty && all.count == segments.count + 1)
        let names = segments.map(\.path)
        #expect(try await lost(other, names).count == 1)
        #expect(try await lost(other, names, head: true).isEmpty)
        #expect(try await lost(own).isEmpty)
        for wrong in ["", "00", "no id", String(other.dropLast(2))] {
            #expect(try await fault { try await lost(wrong) }.name == .invalidArgument)
        }
        _ = try await desk.client.call(Keychain.Lock())
        #expect(try await fault { try await lost(other) }.name == .locked)
        for peer in [desk, laptop] { await peer.stop() }
    }
}
