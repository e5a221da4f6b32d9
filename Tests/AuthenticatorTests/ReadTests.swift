import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

@Suite("A person is asked, and a signature earned")
struct ReadTests {
    @Test func aReadIsShownAskedAndSigned() throws {
        let fixture = try Fixture()
        fixture.broker.change { $0.facts.reason = "deploy" }
        var client = try fixture.client()
        let notice = try client.begin().message
        #expect(notice?.style == .info)
        let text = notice?.text ?? ""
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let lines = text.unbroken.split(separator: "\n")
        #expect(lines.first == "Read \"github\" / \"me\"", "\(text)")
        #expect(lines.dropFirst().first?.hasPrefix("for \(program) (process \(getpid()), ") == true, "\(text)")
        #expect(lines.dropFirst(2) == ["Reason it gives: \"deploy\""], "\(text)")
        #expect(try client.go().message?.style == .secret)
        #expect(try client.go(Fixture.password).isDone)

        #expect(fixture.broker.calls == ["Describe", "Companions", "Prepare", "Complete"])
        let described = try #require(fixture.broker.describes.first)
        let me = try ProcessIdentity(observing: getpid())
        #expect(described.uid == Int64(geteuid()))
        #expect(described.pid == Int64(me.pid))
        #expect(described.startTime == Int64(me.startTime))
    }

    @Test func aChangeOfWhatReadingTakesIsCalledThat() throws {
        let fixture = try Fixture()
        fixture.broker.change { $0.facts.purposes = [.change] }
        var client = try fixture.client()
        let text = try client.begin().message?.text ?? ""
        #expect(text.hasPrefix("Permanently change the requirements for reading \"github\" / \"me\"\nfor "))
        #expect(try client.go().message?.style == .secret)
        #expect(try client.go(Fixture.password).isDone)
    }

    @Test func aNewNameIsShownBesideTheOld() throws {
        let fixture = try Fixture()
        fixture.broker.change {
            $0.facts.purposes = [.rename]
            $0.facts.newService = "wifi-guest"
        }
        // Without it there is none.
        var refused = try fixture.client()
        #expect(try refused.begin().name == .authenticationChallengeRefused)
        fixture.broker.change { $0.facts.newAccount = "you" }
        var client = try fixture.client()
        let text = try client.begin().message?.text ?? ""
        #expect(
            text.unbroken.hasPrefix(
                "Rename \"github\" / \"me\" to \"wifi-guest\" / \"you\", the name that prompts show from then on\nfor "),
            "\(text)")
        #expect(try client.go().message?.style == .secret)
        #expect(try client.go(Fixture.password).isDone)
    }

    @Test func aFormerValueIsShownUnderBothNames() throws {
        let fixture = try Fixture()
        fixture.broker.change {
            $0.facts.version = 1
            $0.facts.newService = "wifi"
        }
        // Half a name is none.
        var refused = try fixture.client()
        #expect(try refused.begin().name == .authenticationChallengeRefused)
        fixture.broker.change { $0.facts.newAccount = "you" }
        var client = try fixture.client()
        let text = try client.begin().message?.text ?? ""
        #expect(
            text.unbroken.hasPrefix(
                "Read a former value (version 1) of \"github\" / \"me\", now \"wifi\" / \"you\"\nfor "), "\(text)")
        #expect(try client.go().message?.style == .secret)
        #expect(try client.go(Fixture.password).isDone)
    }

    @Test func theSignatureCoversExactlyTheHundredBytes() throws {
        let fixture = try Fixture()
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).isDone)
        let completion = try #require(fixture.broker.completions.first)
        let signature = try #require(Data(base64Encoded: completion.signature))
        #expect(signature.count == 64)
        let reference = LengthPrefixed.encode(
            Array("org.coffer.policy".utf8), [1], fixture.record.vault.bytes, Array("user:\(geteuid())".utf8),
            Array("presence".utf8), [])
        let message =
            [UInt8](repeating: 0x11, count: 32) + [0, 0, 0, 0] + [UInt8](repeating: 0x22, count: 32)
            + (try SHA256.digest(reference))
        #expect(message.count == 100)
        #expect(try P256.isValid(signature: [UInt8](signature), for: message, publicKey: fixture.key.publicKey))
    }

    @Test func unlockAndReadAreSignedForOneByOne() throws {
        let fixture = try Fixture()
        fixture.broker.change {
            $0.facts.purposes = [.unlock, .read]
            $0.facts.authorizations = [.init(kind: "unlock"), .init(kind: "presence")]
            $0.facts.alternatives = [[0, 1]]
        }
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).isDone)
        #expect(fixture.broker.calls == ["Describe", "Companions", "Prepare", "Complete", "Prepare", "Complete"])
        #expect(fixture.broker.completions.map(\.authorization) == [0, 1])
        let request = try #require(
            SigningRequest(
                nonce: [UInt8](repeating: 0x11, count: 32), parameterHash: [UInt8](repeating: 0x22, count: 32),
                reference: fixture.record.policyReference(for: .unlock)))
        let signature = try #require(Data(base64Encoded: fixture.broker.completions[0].signature))
        #expect(
            try P256.isValid(signature: [UInt8](signature), for: request.message(), publicKey: fixture.key.publicKey))
    }

    @Test func aWrongPasswordEarnsNothing() throws {
        let fixture = try Fixture()
        var client = try fixture.client()
        let fault = try client.authenticate("wrong").fault
        #expect(fault?.name == .authenticationFailed)
        #expect(fault?.details.reason == "password")
        #expect(eventually { fixture.broker.refusals == ["password"] })
        #expect(!fixture.broker.calls.contains("Prepare"))
    }

    @Test(arguments: [
        ("ASK\naccount required pam_debug.so acct=acct_expired", "expired"),
        ("ASK\naccount required pam_debug.so acct=authtok_expired", "expired"),
        ("ASK\naccount required pam_debug.so acct=new_authtok_reqd", "expired"),
        ("ASK\naccount required pam_deny.so", "denied"),
        ("auth required pam_debug.so auth=maxtries\naccount required pam_permit.so", "tries"),
    ])
    func refusalsHaveTheirReason(rules: String, reason: String) throws {
        let ask = "auth required pam_exec.so expose_authtok quiet CHECK"
        let fixture = try Fixture(.init(pam: rules.replacingOccurrences(of: "ASK", with: ask)))
        var client = try fixture.client()
        let fault = try client.authenticate(Fixture.password).fault
        #expect(fault?.name == .authenticationFailed)
        #expect(fault?.details.reason == reason)
        // Only a password that must be changed is changed with passwd.
        #expect((fault?.details.advice?.contains("passwd") ?? false) == rules.contains("new_authtok_reqd"))
        #expect(eventually { fixture.broker.refusals == [reason] })
        #expect(!fixture.broker.calls.contains("Prepare"))
    }

    @Test func aMissingServiceIsSaid() throws {
        let fixture = try Fixture(
            .init(prepare: { path in
                try FileManager.default.moveItem(atPath: "\(path)/pam/coffer", toPath: "\(path)/pam/other")
            }))
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).name == .authenticationMisconfigured)
        #expect(!fixture.broker.calls.contains("Prepare"))
    }

    @Test func theBrokersTroubleIsPassedOn() throws {
        let fixture = try Fixture()
        let fault = Fault(.brokerTPM, Fault.Details(message: "The TPM is in lockout.", kind: "lockout", code: 0x921))
        let bytes = Varlink.encode(fault)
        fixture.broker.change { $0.raw["Prepare"] = bytes }
        var client = try fixture.client()
        let answer = try client.authenticate(Fixture.password).fault
        #expect(answer?.name == .notCompleted)
        #expect(answer?.details.kind == "lockout")
        #expect(answer?.details.code == 0x921)
    }

    @Test func whatWouldMoveTheCursorIsSpeltOut() throws {
        let fixture = try Fixture()
        fixture.broker.change {
            $0.facts.service = "git\u{1b}[2Jhub\u{202e}"
            $0.facts.account = "me\"\nReason"
            $0.facts.reason = String(repeating: "long ", count: 100)
        }
        var client = try fixture.client()
        let text = try client.begin().message?.text ?? ""
        #expect(text.unbroken.hasPrefix("Read \"git\\u{1b}[2Jhub\\u{202e}\" / \"me\\\"\\u{a}Reason\"\nfor "))
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
        #expect(text.unbroken.count(where: { $0 == "\n" }) == 2)
        #expect(text.count < 900)
    }

    @Test func theEnvironmentStaysOutside() throws {
        let fixture = try Fixture(
            .init(
                pam: "auth required pam_exec.so quiet CHECK\naccount required pam_permit.so",
                settings: "silent-services = coffer",
                environment: ["COFFER_CANARY": "1", "LD_LIBRARY_PATH": "/nowhere"],
                prepare: { path in
                    let script =
                        "#!/bin/sh\ncat /proc/$PPID/environ > \(path)/environment\nenv >> \(path)/environment\n"
                    try Script.write(script, to: "\(path)/pam/check")
                }))
        var client = try fixture.client()
        #expect(try client.authenticate("").isDone)
        let seen = try String(contentsOfFile: "\(fixture.path)/environment", encoding: .utf8)
        #expect(seen.contains("PAM_USER="))
        #expect(!seen.contains("CANARY"))
        #expect(!seen.contains("/nowhere"))
    }

    @Test func theLogHasOneLineAndNoSecret() throws {
        let fixture = try Fixture()
        fixture.broker.change { $0.facts.service = "CANARY-service" }
        var client = try fixture.client()
        #expect(try client.authenticate("CANARY-password").fault != nil)
        #expect(eventually { fixture.log.contains("outcome=password") })
        let lines = fixture.log.split(separator: "\n").filter { $0.contains("outcome=password") }
        #expect(lines.count == 1)
        #expect(lines.first?.contains("purpose=read") == true)
        #expect(lines.first?.contains("pid=\(getpid())") == true)
        #expect(lines.first?.contains("uid=\(geteuid())") == true)
        #expect(lines.first?.contains("program=/") == true)
        #expect(!fixture.log.contains("CANARY"))
    }
}
