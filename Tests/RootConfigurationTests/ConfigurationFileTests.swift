import RootConfiguration
import Testing

@Suite struct ConfigurationFileTests {
    @Test func reportsComeBesideTheClientsSocketIfNothingElseIsSaid() throws {
        #expect(Configuration().reportSocket == "/run/coffer-auth/report.sock")
        #expect(try Configuration(parsing: "auth-socket = /s/auth.sock").reportSocket == "/s/report.sock")
        #expect(try Configuration(parsing: "report-socket = /r/x.sock").reportSocket == "/r/x.sock")
    }

    /// A key over the network, root's own switch of user, and a command run as somebody else do not show that a person
    /// is at the machine.
    @Test func onlyLoginsAtTheMachineOpenAKeychainByDefault() throws {
        let names = Configuration().loginPrograms.map { String($0.split(separator: "/").last ?? "") }
        #expect(Set(names) == ["gdm-session-worker", "sddm-helper", "login"])
        #expect(throws: ConfigurationError.self) { try Configuration(parsing: "login-programs = sshd") }
    }

    @Test func everySettingIsRead() throws {
        let text = """
            # where clients come in
            socket = /s/coffer.sock
            authenticator-socket = /s/authenticator.sock
            auth-socket=/s/auth.sock
            report-socket = /s/logins.sock
            login-programs = /usr/bin/login  /usr/sbin/sshd
            screen-programs = /usr/bin/greeter
              vault-directory = /s/vaults dir
            registry-directory = /s/registry
            pam-directory = /s/pam.d   # not the system's
            silent-services = coffer  coffer-biometric
            tcti = swtpm:path=/s/tpm.sock
            sealer = software
            broker-user = keeper
            authenticator-user = asker
            sandbox = yes
            prompt-timeout = 30
            connections-per-user = 3
            authentications-per-user = 2
            indexes-per-user = 6
            reuse-limit = 60
            lease-limit = 7200
            notifications = /s/users
            tpm-deadline = 1
            system-bus = unix:path=/s/bus
            idle-lock = 0
            """
        var expected = Configuration()
        expected.socket = "/s/coffer.sock"
        expected.authenticatorSocket = "/s/authenticator.sock"
        expected.authSocket = "/s/auth.sock"
        expected.reportSocketSetting = "/s/logins.sock"
        expected.loginPrograms = ["/usr/bin/login", "/usr/sbin/sshd"]
        expected.screenPrograms = ["/usr/bin/greeter"]
        expected.vaultDirectory = "/s/vaults dir"
        expected.registryDirectory = "/s/registry"
        expected.pamDirectory = "/s/pam.d"
        expected.silentServices = ["coffer", "coffer-biometric"]
        expected.tcti = "swtpm:path=/s/tpm.sock"
        expected.sealer = .software
        expected.brokerUser = "keeper"
        expected.authenticatorUser = "asker"
        expected.sandbox = true
        expected.indexesPerUser = 6
        expected.promptTimeout = 30
        expected.connectionsPerUser = 3
        expected.authenticationsPerUser = 2
        expected.reuseLimit = 60
        expected.leaseLimit = 7200
        expected.notificationFolder = "/s/users"
        expected.tpmDeadline = 1
        expected.systemBus = .address("unix:path=/s/bus")
        expected.idleLock = 0
        #expect(try Configuration(parsing: text) == expected)
    }

    /// An editor of another system ends lines with CR LF. For Swift these are one character, and no line end.
    @Test func aFileOfAnotherSystemIsReadLineByLine() throws {
        let file = "# socket = /x\r\n\r\nsealer = software\r\nidle-lock = 0 # never\r\n"
        var expected = Configuration()
        (expected.sealer, expected.idleLock) = (.software, 0)
        #expect(try Configuration(parsing: file) == expected)
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration(parsing: "# ours\r\n\r\nsealers = tpm\r\n")
        }
        #expect(error?.line == 3)
    }

    @Test func nothingSaidIsTheDefault() throws {
        #expect(try Configuration(parsing: "\n# nothing\n\n") == Configuration())
        #expect(Configuration().sealer == .tpm)
        #expect(!Configuration().sandbox)
        #expect(try Configuration(parsing: "silent-services = none") == Configuration())
        #expect(Configuration().systemBus == .system && Configuration().idleLock == 15)
    }

    @Test(arguments: [
        ("sealers = software", 1), ("\nsealer = off", 2), ("sealer", 1), ("sealer =", 1), ("socket = relative/path", 1),
        ("sandbox = true", 1), ("prompt-timeout = 0", 1), ("tpm-deadline = 11", 1),
        ("system-bus = tcp:host=elsewhere", 1), ("idle-lock = -1", 1), ("idle-lock = 1441", 1),
        ("sealer = tpm\nsealer = software", 2), ("silent-services = coffer-passcode", 1),
        ("silent-services = coffer sshd", 1), ("silent-services = none coffer", 1),
    ])
    func whatIsNotUnderstoodIsAnError(text: String, line: Int) {
        let error = #expect(throws: ConfigurationError.self) { try Configuration(parsing: text) }
        #expect(error?.line == line)
    }
}
