import Authorization
import BrokerProtocol
import Circle
import Cryptography
import Platform
import Testing

@testable import Authenticator

/// What a broker can say about a circle. One that was taken over (attacker 13) shows a person no other machine than the
/// one that the statement adds, and hides nothing (T2).
struct CircleRequestTests {
    private typealias Facts = BrokerInterface.Describe.Reply

    private static let unclear = "the challenge does not say clearly which machine it is about"
    private let sample: CircleSample

    init() throws { sample = try CircleSample() }

    private func facts(_ purpose: Keychain.Purpose) -> Facts {
        var facts = Facts(owner: "user:0", purposes: [], authorizations: [], alternatives: [])
        facts.ask(purpose, sample)
        return facts
    }

    /// The message of the refusal; nil if the description is accepted.
    private func refusal(_ facts: Facts) -> String? {
        do throws(ConversationError) {
            _ = try PersonRequest(facts)
            return nil
        } catch {
            #expect(error.fault?.name == .authenticationChallengeRefused)
            return error.fault?.details.message ?? ""
        }
    }

    private func expectUnclear(
        _ purpose: Keychain.Purpose, _ change: (inout Facts) throws -> Void,
        _ location: SourceLocation = #_sourceLocation
    ) rethrows {
        var facts = facts(purpose)
        try change(&facts)
        #expect(refusal(facts) == Self.unclear, sourceLocation: location)
    }

    private func text(_ statement: Statement) -> String { Base64.encode(statement.bytes) }

    private func addition(_ role: MemberRole = .admin, of keys: MemberKeys? = nil) throws -> Statement {
        try CircleSample.addition(of: keys ?? sample.request.keys, by: sample.founder, to: sample.circle, role)
    }

    /// All statements that are neither a founding nor an addition of the request's keys.
    private func foreign() throws -> [Statement] {
        let (circle, signer) = (sample.circle, sample.founder.device)
        let others = try CircleSample.keys(9)
        return [
            try addition(of: others),
            try Statement(circle: circle, signer: signer, past: [circle], .removal([sample.request.keys.device])),
            try Statement(
                circle: circle, signer: signer, past: [circle],
                .succession(sample.request.keys, proof: [UInt8](repeating: 0, count: 64))),
        ]
    }

    private static let purposes: [Keychain.Purpose] = [
        .foundCircle, .addToCircle, .paperToCircle, .joinCircle, .removeFromCircle,
    ]

    @Test func whatAnHonestBrokerSaysIsRead() throws {
        for purpose in Self.purposes { #expect(refusal(facts(purpose)) == nil, "\(purpose)") }
        guard case .circle(let request) = try PersonRequest(facts(.addToCircle)) else {
            Issue.record("an addition is no request about a circle")
            return
        }
        #expect(request.deed == .add(sample.request, .admin))
        #expect(request.kind == .addToCircle)
        #expect(try request.checkWords == sample.words)
    }

    @Test func anAdditionIsOfTheRequestsKeysAlone() throws {
        for statement in try foreign() + [sample.founding] {
            expectUnclear(.addToCircle) { $0.statement = text(statement) }
        }
        let other = try CircleSample.request(CircleSample.keys(9))
        expectUnclear(.addToCircle) { $0.request = Base64.encode(other.bytes) }
        expectUnclear(.addToCircle) { $0.request = nil }
        expectUnclear(.addToCircle) { $0.statement = nil }
    }

    /// The signer's keys give the key's Name. Other keys than those of the statement's signer would have another one.
    @Test func theSignerIsTheStatementsOwn() throws {
        let other = try CircleSample.keys(9)
        expectUnclear(.addToCircle) { $0.signer = Base64.encode(other.bytes) }
        expectUnclear(.addToCircle) { $0.signer = nil }
        expectUnclear(.addToCircle) { $0.signer = Base64.encode(Array(sample.founder.bytes.dropLast())) }
        expectUnclear(.addToCircle) { $0.signer = Base64.encode(sample.founder.bytes + [0]) }
        // A founding has its signer in itself, and an entrance has none.
        expectUnclear(.foundCircle) { $0.signer = Base64.encode(sample.founder.bytes) }
        expectUnclear(.joinCircle) { $0.signer = Base64.encode(sample.founder.bytes) }
    }

    @Test func aFoundingIsAFounding() throws {
        for statement in try foreign() + [sample.addition] {
            expectUnclear(.foundCircle) { $0.statement = text(statement) }
        }
        expectUnclear(.foundCircle) { $0.statement = nil }
        expectUnclear(.foundCircle) { $0.request = Base64.encode(sample.request.bytes) }
    }

    @Test func aRemovalIsOfTheStatementsMachinesAlone() throws {
        for statement in [sample.founding, sample.addition] {
            expectUnclear(.removeFromCircle) { $0.statement = text(statement) }
            // What removes is no addition, either.
            expectUnclear(.addToCircle) { $0.statement = text(sample.removal) }
        }
        expectUnclear(.removeFromCircle) { $0.statement = nil }
        expectUnclear(.removeFromCircle) { $0.signer = nil }
        expectUnclear(.removeFromCircle) { $0.signer = Base64.encode(sample.request.keys.bytes) }
        expectUnclear(.removeFromCircle) { $0.request = Base64.encode(sample.request.bytes) }
        expectUnclear(.removeFromCircle) { $0.circle = Hex.encode(sample.circle.bytes) }
        // Each machine has one name, and each name is one.
        for machines in [nil, [], ["laptop", "desk"], ["lap top"], [""], ["laptop\n"]] {
            expectUnclear(.removeFromCircle) { $0.machines = machines }
        }
        let request = try request(.removeFromCircle)
        #expect(request.deed == .remove([sample.request.keys.device], machines: [MachineName(near: "laptop")]))
        #expect(request.kind == .removeFromCircle)
        #expect(!request.isOwn(sample.request.keys.device) && request.isOwn(sample.founder.device))
    }

    @Test func anEntranceSignsNothing() throws {
        for statement in try foreign() + [sample.addition, sample.founding] {
            expectUnclear(.joinCircle) { $0.statement = text(statement) }
        }
        expectUnclear(.joinCircle) { $0.request = nil }
    }

    @Test func aCircleAndItsMachinesBelongToAnEntrance() {
        for purpose in [Keychain.Purpose.foundCircle, .addToCircle] {
            expectUnclear(purpose) { $0.circle = Hex.encode(sample.circle.bytes) }
            expectUnclear(purpose) { $0.machines = ["desk"] }
            expectUnclear(purpose) { $0.machines = [] }
        }
        expectUnclear(.joinCircle) { $0.circle = nil }
        expectUnclear(.joinCircle) { $0.circle = Hex.encode(Array(sample.circle.bytes.dropLast())) }
        expectUnclear(.joinCircle) { $0.circle = Hex.encode(sample.circle.bytes + [0]) }
        expectUnclear(.joinCircle) { $0.circle = "circle" }
        for machines in [nil, [], [""], ["desk", "a b"], ["desk\n"], ["-desk"], [String(repeating: "d", count: 65)]] {
            expectUnclear(.joinCircle) { $0.machines = machines }
        }
        let most = (0..<CircleLimits.heads).map { "m\($0)" }
        var facts = facts(.joinCircle)
        facts.machines = most
        #expect(refusal(facts) == nil)
        expectUnclear(.joinCircle) { $0.machines = most + ["m"] }
    }

    /// What is signed has one form. Bytes that another reader would take in another way are no statement.
    @Test func onlyTheOneFormIsRead() throws {
        let fields: [(WritableKeyPath<Facts, String?>, [UInt8], Int)] = [
            (\.statement, sample.addition.bytes, CircleLimits.statement),
            (\.request, sample.request.bytes, CircleLimits.request), (\.signer, sample.founder.bytes, MemberKeys.count),
        ]
        for (field, bytes, most) in fields {
            let long = [UInt8](repeating: 0, count: most + 2 - bytes.count)
            for changed in [bytes + [0], Array(bytes.dropLast()), Array(bytes.dropFirst()), [], bytes + long] {
                expectUnclear(.addToCircle) { $0[keyPath: field] = Base64.encode(changed) }
            }
            let text = Base64.encode(bytes)
            for changed in [text + "\n", " " + text, text.replacing("=", with: ""), "!" + text.dropFirst()]
            where changed != text {
                expectUnclear(.addToCircle) { $0[keyPath: field] = changed }
            }
        }
        // A role and a protection that no machine has, and another version.
        let place = sample.addition.bytes.count - MemberKeys.count - 1
        #expect(sample.addition.bytes[place] == MemberRole.admin.rawValue)
        for role: UInt8 in [0, 4, 0x83] {
            var bytes = sample.addition.bytes
            bytes[place] = role
            expectUnclear(.addToCircle) { $0.statement = Base64.encode(bytes) }
        }
    }

    @Test func nothingOfACircleStandsBesideAnotherRequest() throws {
        let parts: [(inout Facts) -> Void] = [
            { $0.statement = text(sample.addition) }, { $0.signer = Base64.encode(sample.founder.bytes) },
            { $0.request = Base64.encode(sample.request.bytes) }, { $0.circle = Hex.encode(sample.circle.bytes) },
            { $0.machines = ["desk"] }, { $0.machines = [] }, { $0.statement = "" }, { $0.evidence = "AAAA" },
        ]
        for purposes in [[.read], [.unlock], [.unlock, .read], [.recovery], [.rotate]] as [[Keychain.Purpose]] {
            for part in parts {
                var facts = Facts(
                    owner: "user:0", purposes: purposes, service: "github", account: "me", authorizations: [],
                    alternatives: [])
                #expect(refusal(facts) == nil)
                part(&facts)
                #expect(refusal(facts) == Self.unclear, "\(purposes)")
            }
        }
    }

    // MARK: The code

    private func request(_ purpose: Keychain.Purpose, _ change: (inout Facts) -> Void = { _ in }) throws
        -> CircleRequest
    {
        var facts = facts(purpose)
        change(&facts)
        guard case .circle(let request) = try PersonRequest(facts) else { throw ConversationError.cancelled }
        return request
    }

    /// The name of the error that a code is refused with; nil if it is right.
    private func objection(_ code: String?, to request: CircleRequest) throws -> BrokerFaultName? {
        let text = try code.map { try SecretBytes(copying: Array($0.utf8)) }
        do throws(ConversationError) {
            try request.check(code: text)
            return nil
        } catch { return error.fault?.name == .authenticationChallengeRefused ? .refused : .invalid }
    }

    private enum BrokerFaultName { case refused, invalid }

    /// T3: the broker shows a request under the right code that has one other key, and adds that.
    @Test func theCodeIsOfExactlyThisRequest() throws {
        let (code, honest) = (try sample.code, try request(.addToCircle))
        #expect(try objection(code, to: honest) == nil)
        #expect(try objection(code.lowercased().replacing("-", with: " "), to: honest) == nil)
        var bytes = sample.request.keys.bytes
        bytes[P256.pointCount] ^= 1
        let keys = try MemberKeys(bytes: bytes)
        for other in [
            try CircleSample.request(keys), try CircleSample.request(sample.request.keys, time: 2),
            try CircleSample.request(sample.request.keys, name: "lapt0p"),
            try CircleSample.request(sample.request.keys, protection: .software),
        ] {
            let statement = try addition(of: other.keys)
            let lying = try request(.addToCircle) {
                $0.request = Base64.encode(other.bytes)
                $0.statement = text(statement)
            }
            #expect(try objection(code, to: lying) == .refused)
            #expect(try objection(CircleSample.code(of: other), to: honest) == .refused)
        }
    }

    @Test func whatIsNoCodeIsRefused() throws {
        let (code, honest) = (try sample.code, try request(.addToCircle))
        var mistyped = Array(code)
        mistyped[7] = mistyped[7] == "7" ? "8" : "7"
        // The last but one is spelt as a recovery code is.
        for wrong in [
            nil, "", "JOIN", String(mistyped), String(code.dropLast()), code + "0", String(code.dropFirst(5)),
            "JOIN-" + code,
        ] { #expect(try objection(wrong, to: honest) == .invalid, "\(wrong ?? "none")") }
    }

    @Test func aCodeBelongsToAnAddition() throws {
        let code = try sample.code
        for purpose in [Keychain.Purpose.foundCircle, .joinCircle, .removeFromCircle] {
            #expect(try objection(nil, to: request(purpose)) == nil)
            #expect(try objection(code, to: request(purpose)) == .invalid)
        }
    }

    // MARK: A code on paper

    /// Attacker 13: the broker adds a paper whose code it knows, and asks for it while a person makes one.
    @Test func thePaperIsThatOfThePersonsCode() throws {
        let (code, honest) = (try #require(try sample.code(for: .paperToCircle)), try request(.paperToCircle))
        #expect(honest.kind == .paperToCircle)
        #expect(try objection(code, to: honest) == nil)
        #expect(try objection(code.lowercased().replacing("-", with: " "), to: honest) == nil)
        let own = try PaperKeys(sample.paperCode, in: sample.circle).member
        // The same code in another circle: somebody who has that circle would read nothing here, but the person would not either.
        let elsewhere = try PaperKeys(sample.paperCode, in: Statement(founder: CircleSample.keys(9)).name).member
        var others = [try PaperKeys(.random(), in: sample.circle).member, elsewhere]
        // Each single part of the keys: what is sealed to one of them would be the broker's.
        for place in [0, 70, 130, 170, 200, 230, 300, 360, 430] {
            var bytes = own.bytes
            bytes[place] ^= 1
            others.append(try MemberKeys(bytes: bytes))
        }
        for keys in others {
            let statement = try addition(.paper, of: keys)
            let lying = try request(.paperToCircle) { $0.statement = text(statement) }
            #expect(try objection(code, to: lying) == .refused)
        }
    }

    @Test func whatIsNoCodeOnPaperIsRefused() throws {
        let (code, honest) = (try #require(try sample.code(for: .paperToCircle)), try request(.paperToCircle))
        for wrong in [
            nil, "", "PAPER", try sample.code, String(code.dropLast()), code + "0", String(code.dropFirst(6)),
        ] {
            #expect(try objection(wrong, to: honest) == .invalid, "\(wrong ?? "none")")
        }
    }

    /// A person who agrees to a machine has not agreed to a paper, nor the other way round.
    @Test func aPaperIsAskedForAsOne() throws {
        for role in [MemberRole.reader, .writer, .admin] {
            let statement = try addition(role, of: PaperKeys(sample.paperCode, in: sample.circle).member)
            expectUnclear(.paperToCircle) { $0.statement = text(statement) }
        }
        let paper = try addition(.paper)
        expectUnclear(.addToCircle) { $0.statement = text(paper) }
        expectUnclear(.paperToCircle) { $0.statement = nil }
        expectUnclear(.paperToCircle) { $0.signer = nil }
        expectUnclear(.paperToCircle) { $0.signer = Base64.encode(sample.request.keys.bytes) }
        expectUnclear(.paperToCircle) { $0.request = Base64.encode(sample.request.bytes) }
        expectUnclear(.paperToCircle) { $0.circle = Hex.encode(sample.circle.bytes) }
        expectUnclear(.paperToCircle) { $0.machines = ["desk"] }
    }

    // MARK: What is signed

    /// T2: the person is shown one statement, and the broker has another one signed.
    @Test func onlyTheShownStatementIsSigned() throws {
        let account = try #require(try Account.withUID(0))
        let key = try P256.PrivateKey.generate().publicKey
        let record = try Fixture.newRecord(account, key: key)
        func isSigned(_ hash: [UInt8], _ request: CircleRequest) -> Bool {
            do throws(BrokerFailure) {
                try request.check(parameterHash: Base64.encode(hash), record)
                return true
            } catch { return false }
        }
        for purpose in [Keychain.Purpose.foundCircle, .addToCircle, .paperToCircle, .removeFromCircle] {
            let statement = sample.statement(purpose)
            let request = try request(purpose)
            let right = try CircleSample.hash(statement, by: sample.founder, record)
            #expect(isSigned(right, request))
            var wrong = [
                [], Array(right.dropLast()), right + [0], [UInt8](repeating: 0x22, count: 32),
                try SHA256.digest(statement.bytes),
                try CircleSample.hash(addition(.writer), by: sample.founder, record),
                try CircleSample.hash(addition(of: CircleSample.keys(9)), by: sample.founder, record),
                // Another key's Name: of another device, another vault, another authenticator, another sealer.
                try CircleSample.hash(statement, by: sample.request.keys, record),
                try CircleSample.hash(statement, by: sample.founder, Fixture.newRecord(account, key: key)),
                try CircleSample.hash(statement, by: sample.founder, record.sealedByTPM),
            ]
            for other in try foreign() { wrong.append(try CircleSample.hash(other, by: sample.founder, record)) }
            for hash in wrong { #expect(!isSigned(hash, request), "\(hash.count)") }
        }
        let entrance = try request(.joinCircle)
        #expect(try !isSigned(CircleSample.hash(sample.addition, by: sample.founder, record), entrance))
        #expect(!isSigned([], entrance))
    }

    /// A key whose point is on no curve has no Name that a TPM would give.
    @Test func aKeyOffTheCurveIsRefused() throws {
        let keys = try MemberKeys(bytes: [4] + [UInt8](repeating: 1, count: MemberKeys.count - 1))
        let statement = try Statement(founder: keys)
        let request = try request(.foundCircle) { $0.statement = text(statement) }
        let record = try Fixture.newRecord(
            try #require(try Account.withUID(0)), key: P256.PrivateKey.generate().publicKey)
        #expect(throws: BrokerFailure.self) { try request.check(parameterHash: "", record) }
    }
}
