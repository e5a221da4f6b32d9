import Authorization
import BrokerProtocol
import Circle
import Cryptography
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

/// A person adds only a machine that proves itself. The broker was taken over, or the store is somebody else's (attackers 10
/// and 13; review of sharing, H8 and T13).
@Suite(.timeLimit(.minutes(30))) struct AttestedAdditionTests {
    private let folder: TemporaryFolder
    private let list: String
    private let fixture: Fixture
    private let sample: CircleSample
    private let machine: ProvingMachine

    init() throws {
        folder = try TemporaryFolder()
        list = "\(folder.path)/machines"
        fixture = try Fixture(Fixture.Options(settings: "machines = \(list)"))
        (sample, machine) = (try CircleSample(), try ProvingMachine())
        try write("# of this site\n\n\(machine.line("laptop-7")) # the new one\n")
        try fixture.ask(.addToCircle, sample)
    }

    private func write(_ content: String, mode: mode_t = 0o644) throws {
        try DurableFile.write(Array(content.utf8), to: list, mode: mode)
    }

    private var request: JoinRequest { sample.request }

    /// The request as it lies in the store.
    private func sealed(_ request: JoinRequest, under other: JoinRequest? = nil) throws -> String {
        let code = try JoinCode(of: other ?? request)
        return try Base64.encode(
            AESGCM.seal(SecretBytes(copying: request.bytes), key: code.requestKey, associatedData: code.place.bytes))
    }

    private func challenge(
        _ machine: ProvingMachine? = nil, code: String? = nil, request: String? = nil, identity: String? = nil
    ) throws -> Result<Authentication.Challenge.Reply, Fault> {
        var client = try fixture.client()
        return try client.call(
            Authentication.Challenge(
                code: code ?? sample.code, request: request ?? sealed(self.request),
                identity: identity ?? (machine ?? self.machine).identity(for: self.request)))
    }

    /// What the machine's TPM would find in a challenge.
    private func secret(_ machine: ProvingMachine? = nil) throws -> SecretBytes {
        _ = try challenge().get()
        let path = "\(fixture.path)/registry/challenge-key"
        let key = try SecretBytes(copying: Array(Data(contentsOf: URL(fileURLWithPath: path))))
        return try HKDF.derive(
            key, salt: request.digest,
            info: Array("org.coffer.challenge".utf8) + (machine ?? self.machine).machine.bytes, count: 32)
    }

    private func begin(_ evidence: JoinEvidence?, attested: Bool? = true) throws -> Result<TestClient.Step, Fault> {
        fixture.broker.change { $0.facts.evidence = evidence.map { Base64.encode($0.bytes) } }
        var client = try fixture.client()
        return try client.begin(code: sample.code, attested: attested)
    }

    @Test func aMachineThatHasProvedItselfIsShownAsOne() throws {
        let evidence = try machine.evidence(for: request, secret())
        #expect(
            try begin(evidence).message?.text.unbroken.contains("the TPM that root's list calls \"laptop-7\"") == true)
        // A person who demands nothing is told all the same.
        #expect(try begin(evidence, attested: nil).message?.text.contains("has proved") == true)
        #expect(try begin(nil, attested: nil).message?.text.contains("nobody has checked that") == true)
    }

    @Test func whatIsDemandedIsNotLeftOut() throws {
        #expect(try begin(nil).name == .authenticationChallengeRefused)
        try fixture.ask(.foundCircle, sample)
        var client = try fixture.client()
        #expect(try client.begin(attested: true).name == .authenticationInvalidArgument)
        try fixture.ask(.removeFromCircle, sample)
        fixture.broker.change { $0.facts.evidence = "AAAA" }
        var other = try fixture.client()
        #expect(try other.begin().name == .authenticationChallengeRefused)
    }

    @Test func whatProvesNothingIsRefusedEvenIfNobodyDemandsIt() throws {
        let secret = try secret()
        let others = try CircleSample().request
        let lies = [
            try machine.evidence(for: request, .random(count: 32)),
            try machine.evidence(for: request, secret, loading: others),
            try machine.evidence(for: others, secret),
            // A quote, and a certification.
            try machine.evidence(for: request, secret, kind: 0x8018),
            try machine.evidence(for: request, secret, kind: 0x8017),
            try machine.evidence(for: request, secret, signer: .generate()),
        ]
        for (number, lie) in lies.enumerated() {
            for attested in [true, nil] {
                #expect(try begin(lie, attested: attested).name == .authenticationChallengeRefused, "\(number)")
            }
        }
        fixture.broker.change { $0.facts.evidence = "AAAA" }
        var client = try fixture.client()
        #expect(try client.begin(code: sample.code).name == .authenticationChallengeRefused)
        #expect(fixture.broker.completions.isEmpty)
    }

    /// T13: another machine of the same maker.
    @Test func aMachineThatIsNotInTheListIsRefused() throws {
        let other = try ProvingMachine()
        let refusal = try #require(challenge(other).fault)
        #expect(refusal.name == .authenticationChallengeRefused)
        #expect(refusal.details.message?.contains("is not in") == true)
        // It has answered, and was removed from the list meanwhile. Or the broker has brought a challenge of its own.
        try write(machine.line("laptop-7") + other.line("spare"))
        let evidence = try other.evidence(for: request, secret(other))
        #expect(try begin(evidence).message?.text.contains("\"spare\"") == true)
        try write(machine.line("laptop-7"))
        #expect(try begin(evidence).name == .authenticationChallengeRefused)
    }

    /// The list is root's, and a part of a name names nobody.
    @Test func onlyAListOfRootsCounts() throws {
        let line = try machine.line("laptop-7")
        for (content, mode) in [
            (line, 0o666 as mode_t), (line, 0o664), ("zz\n", 0o644), (String(line.dropFirst(2)), 0o644),
        ] {
            try write(content, mode: mode)
            // `DurableFile` heeds the mask of this process.
            _ = unsafe chmod(list, mode)
            #expect(try challenge().name == .authenticationMisconfigured, "\(content) \(mode)")
        }
        // An editor of another system ends lines with CR LF.
        try write("# of this site\n\(line)".replacingOccurrences(of: "\n", with: "\r\n"))
        _ = unsafe chmod(list, 0o644)
        _ = try challenge().get()
        try FileManager.default.removeItem(atPath: list)
        let missing = try #require(challenge().fault)
        #expect(missing.details.advice?.contains("coffer sync identity") == true)
        try write("")
        #expect(try challenge().name == .authenticationChallengeRefused)
    }

    @Test func aChallengeIsForTheRequestOfTheCode() throws {
        let other = try CircleSample().request
        #expect(try challenge(code: "JOIN-00000").name == .authenticationInvalidArgument)
        #expect(try challenge(code: CircleSample.code(of: other)).name == .authenticationInvalidArgument)
        // Who knows the code seals another request under it.
        let strange = try challenge(
            request: sealed(other, under: request), identity: machine.identity(for: other, sealedFor: request))
        #expect(strange.name == .authenticationInvalidArgument)
        #expect(try challenge(request: "!").name == .authenticationInvalidArgument)
        #expect(try challenge(identity: "AAAA").name == .authenticationInvalidArgument)
        #expect(
            try challenge(identity: machine.identity(for: other, sealedFor: request)).name
                == .authenticationInvalidArgument)
        let reply = try challenge().get()
        let opened = try JoinCode(of: request).open(try #require(Base64.decode(reply.challenge)), .challenge)
        #expect(try JoinChallenge(decoding: opened).request == request.digest)
    }

    /// Otherwise everybody could answer.
    @Test func nobodyElseCanReadTheKeyOfChallenges() throws {
        _ = try challenge().get()
        let path = "\(fixture.path)/registry/challenge-key"
        let status = try #require(try FileStatus.of(path))
        #expect(status.mode & 0o777 == 0o600)
        _ = unsafe chmod(path, 0o644)
        #expect(try challenge().name == .authenticationMisconfigured)
        _ = unsafe chmod(path, 0o600)
        try DurableFile.write([1, 2, 3], to: path, mode: 0o600)
        #expect(try challenge().name == .authenticationMisconfigured)
    }
}
