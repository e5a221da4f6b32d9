import Authorization
import BrokerProtocol
import Foundation
import Platform
import Testing
import Varlink

/// A PAM stack that accepts without having asked anybody earns no signature.
struct SilentSuccessTests {
    private static let permit = "auth required pam_permit.so\n"
    private static let account = "account required pam_permit.so\n"

    /// A fixture whose service has these rules. TEXT in them is a file with a text.
    private func fixture(_ service: String, _ rules: String, settings: String = "") throws -> Fixture {
        let fixture = try Fixture(
            .init(
                settings: settings,
                prepare: { path in
                    try DurableFile.write(Array("Look here\n".utf8), to: "\(path)/text", mode: 0o644)
                    let text = rules.replacingOccurrences(of: "TEXT", with: "\(path)/text")
                        .replacingOccurrences(of: "CHECK", with: "\(path)/pam/check")
                    try DurableFile.write(Array(text.utf8), to: "\(path)/pam/\(service)", mode: 0o644)
                }))
        if service == "coffer-passcode" { fixture.ask(for: [.read], ["passcode"]) }
        return fixture
    }

    private func expectRefusal(_ fixture: Fixture, password: String = Fixture.password) throws {
        var client = try fixture.client()
        let fault = try client.authenticate(password).fault
        #expect(fault?.name == .authenticationMisconfigured)
        #expect(fault?.details.message?.contains("accepted you, but") == true, "\(fault?.details.message ?? "")")
        #expect(eventually { fixture.broker.refusals == ["other"] })
        // The log says what the stack did.
        #expect(eventually { fixture.log.contains(" asked=coffer") })
        #expect(!fixture.broker.calls.contains("Prepare"))
    }

    private func expectSignature(_ fixture: Fixture, log: String) throws {
        var client = try fixture.client()
        let outcome = try client.authenticate(Fixture.password)
        #expect(outcome.isDone, "\(outcome)")
        #expect(fixture.broker.calls.contains("Complete"))
        #expect(
            eventually { fixture.log.contains("asked=\(log) ") || fixture.log.contains("asked=\(log)\n") },
            "\(fixture.log)")
    }

    @Test(arguments: [
        permit, "auth sufficient pam_debug.so\n", "auth required pam_exec.so quiet /bin/true\n",
        "auth required pam_succeed_if.so quiet uid >= 0\n",
    ])
    func whoAsksNothingEarnsNothing(auth: String) throws {
        try expectRefusal(try fixture("coffer", auth + Self.account))
    }

    @Test func whatTheAccountRulesShowDoesNotCount() throws {
        try expectRefusal(
            try fixture("coffer", Self.permit + "account optional pam_echo.so file=TEXT\n" + Self.account))
    }

    @Test func aTextOfTheAuthRulesIsEnoughWhereAFingerWouldBe() throws {
        let rules = "auth optional pam_echo.so file=TEXT\n" + Self.permit + Self.account
        try expectSignature(try fixture("coffer", rules), log: "coffer:text")
    }

    @Test func rootCanSayThatAServiceIsSilent() throws {
        let silent = try fixture("coffer", Self.permit + Self.account, settings: "silent-services = coffer")
        try expectSignature(silent, log: "coffer:nothing")
        // The other service is not named.
        try expectRefusal(
            try fixture("coffer", Self.permit + Self.account, settings: "silent-services = coffer-biometric"))
    }

    @Test func aPasscodeIsTypedOrThereIsNone() throws {
        let settings = "silent-services = coffer coffer-biometric"
        let text = "auth optional pam_echo.so file=TEXT\n"
        try expectRefusal(try fixture("coffer-passcode", Self.permit + Self.account, settings: settings))
        try expectRefusal(try fixture("coffer-passcode", text + Self.permit + Self.account, settings: settings))
        let optional = "auth optional pam_exec.so expose_authtok quiet CHECK\n" + Self.permit + Self.account
        try expectRefusal(try fixture("coffer-passcode", optional), password: "")
        let asked = "auth required pam_exec.so expose_authtok quiet CHECK\n" + Self.account
        try expectSignature(try fixture("coffer-passcode", asked), log: "coffer-passcode:hidden-answer")
    }
}
