import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

/// `pam_coffer` in a locker that runs as its user, with a broker and an authenticator that may say anything. The locker
/// always goes on, in time and in silence.
@Suite("pam_coffer in a user's locker", .serialized, .enabled(if: geteuid() == 0))
struct LockerModuleTests {
    private static let challenge = #"""
        {"error":"org.coffer.Keychain.AuthenticationRequired","parameters":{"challenge":"c-1","purposes":["unlock"]}}
        """#
    private static let info =
        #"{"parameters":{"message":{"style":"info","text":"pamtester \" wants, {in} \\\\"},"done":false}}"#
    private static let secret = #"{ "parameters" : {"done":false, "message":{"text":"Password: ","style":"secret"}} }"#
    private static let done = #"{"parameters":{"done":true}}"#
    private static let user = ["/usr/bin/setpriv", "--reuid=2", "--regid=2", "--clear-groups"]

    /// The name of that user.
    private static func person() throws -> String { try #require(try Account.withUID(2)).name }

    /// A user's program behind a stack that has checked the password.
    private final class Lock {
        let fixture: Fixture
        let broker: ScriptedSocket
        let authenticator: ScriptedSocket?
        let service: SystemService

        init(
            broker brokerAnswers: [String], authenticator authenticatorAnswers: [String]?,
            password: String = Fixture.password, patience: Int = 99
        ) throws {
            fixture = try Fixture()
            let path = fixture.path
            broker = try ScriptedSocket(path: "\(path)/b.sock", answers: brokerAnswers)
            authenticator = try authenticatorAnswers.map { try ScriptedSocket(path: "\(path)/a.sock", answers: $0) }
            try Script.write("#!/bin/sh\n[ \"$(tr -d '\\000')\" = '\(password)' ]\n", to: "\(path)/locker-check")
            let module = "\(path)/pam_coffer.so"
            try FileManager.default.copyItem(atPath: LoginModule.built.get(), toPath: module)
            service = try SystemService(
                rules: """
                    auth required pam_exec.so expose_authtok quiet \(path)/locker-check
                    auth optional \(module) socket=\(path)/report.sock broker=\(path)/b.sock auth=\(path)/a.sock patience=\(patience)

                    """)
        }

        /// - Parameter name: who is let in; nil for the user that the program runs as.
        func open(
            _ password: String = Fixture.password, as user: [String] = LockerModuleTests.user, name: String? = nil
        ) throws -> Command {
            let name = try name ?? LockerModuleTests.person()
            return try Command(
                user + ["/usr/bin/pamtester", service.name, name, "authenticate"], input: password + "\n")
        }

        deinit {
            broker.stop()
            authenticator?.stop()
        }
    }

    @Test func theModulesWordsAreTheProtocols() {
        #expect("\(LoginWire.report)" == Login.Report.name)
        #expect("\(LoginWire.unlock)" == Keychain.Unlock.name)
        #expect("\(LoginWire.authenticationRequired)" == Fault.Name.authenticationRequired.rawValue)
        #expect("\(LoginWire.begin)" == Authentication.Begin.name)
        #expect("\(LoginWire.resume)" == Authentication.Continue.name)
        #expect("\(LoginWire.unlockPurpose)" == Keychain.Purpose.unlock.rawValue)
    }

    @Test(arguments: [Fixture.password, "q\"uo\\te\tö", String(repeating: "long", count: 120)])
    func theOneQuestionIsAnsweredWithThePassword(password: String) throws {
        let lock = try Lock(
            broker: [Self.challenge, #"{"parameters":{}}"#],
            authenticator: [Self.info, Self.secret, Self.info, Self.done],
            password: password)
        let opened = try lock.open(password)
        #expect(opened.code == 0, "\(opened.output)")
        #expect(!opened.output.lowercased().contains("coffer"))
        let calls = try #require(lock.authenticator).calls
        #expect(calls.count == 4)
        let begin =
            #"{"method":"org.coffer.Authentication.Begin","parameters":{"purposes":["unlock"],"challenge":"c-1"}}"#
        #expect(calls.first == begin)
        let answers = try calls.dropFirst().map {
            try Varlink.decode(VarlinkCall<Authentication.Continue>.self, from: Array($0.utf8)).parameters.answer
        }
        #expect(answers == [nil, password, nil])
        // The module uses what was granted.
        #expect(eventually { lock.broker.calls.count == 2 })
        #expect(lock.broker.calls.last?.contains(#""challenge":"c-1""#) ?? false)
        #expect(!lock.fixture.log.contains("login report"))
    }

    /// What was typed wrongly is not told, and does not keep what is typed next from being told.
    @Test(arguments: [1, 3]) func theLastOfSeveralAttemptsIsTold(failures: Int) throws {
        let lock = try Lock(
            broker: [Self.challenge, #"{"parameters":{}}"#], authenticator: [Self.secret, Self.done])
        let passwords = Array(repeating: "wrong", count: failures) + [Fixture.password]
        let results = try lock.service.results(Self.person(), passwords, by: Self.user)
        #expect(results.count == failures + 1 && results.dropLast().allSatisfy { $0 != 0 } && results.last == 0)
        let calls = try #require(lock.authenticator).calls
        #expect(calls.count == 2 && calls.last?.contains(Fixture.password) ?? false)
        #expect(eventually { lock.broker.calls.count == 2 })
    }

    @Test func aRefusedPasswordGoesNowhere() throws {
        let lock = try Lock(broker: [Self.challenge], authenticator: [Self.secret, Self.done])
        #expect(try lock.open("wrong").code != 0)
        #expect(lock.broker.calls.isEmpty)
        #expect(lock.authenticator?.calls.isEmpty ?? false)
    }

    /// As in a database that lets people in by their accounts' passwords. None of these is its own account's.
    @Test func anotherPersonsPasswordGoesNowhere() throws {
        let lock = try Lock(broker: [Self.challenge], authenticator: [Self.secret, Self.done])
        for name in [lock.fixture.account.name, "nobody"] {
            let opened = try lock.open(name: name)
            #expect(opened.code == 0, "\(opened.output)")
        }
        #expect(lock.broker.calls.isEmpty)
        #expect(lock.authenticator?.calls.isEmpty ?? false)
    }

    /// Answers of a broker that are no reason to tell anybody the password: open already, no vault yet, more than
    /// unlocking, nonsense.
    @Test(arguments: [
        #"{"parameters":{"vault":{"state":"unlocked"}}}"#, "", "{", "[]", "null", #"{"error":1}"#,
        #"{"error":"org.coffer.Keychain.AuthenticationRequired","parameters":{"challenge":"c","purposes":["create"]}}"#,
        #"{"error":"org.coffer.Keychain.AuthenticationRequired","parameters":{"challenge":"c","purposes":["unlock","read"]}}"#,
        #"{"error":"org.coffer.Keychain.AuthenticationRequired","parameters":{"challenge":"c","purposes":[]}}"#,
        #"{"error":"org.coffer.Keychain.AuthenticationRequired","parameters":{"challenge":"a\"b","purposes":["unlock"]}}"#,
        #"{"error":"org.coffer.Keychain.AuthenticationRequired","parameters":{"purposes":["unlock"]}}"#,
        #"{"error":"org.coffer.Keychain.Locked","parameters":{"challenge":"c","purposes":["unlock"]}}"#,
        #"{"error":"org.coffer.Keychain.AuthenticationRequired","parameters":{"challenge":""#
            + String(repeating: "x", count: 300) + #"","purposes":["unlock"]}}"#,
        String(repeating: "{\"a\":", count: 1000), String(repeating: "[", count: 4000), #"{"error":"\"#,
        #"{"error""#, #"{"error":"#,
        #"{"error":"org.coffer.Keychain.AuthenticationRequired","parameters":{"challenge"}}"#,
        String(repeating: " ", count: 20000), "{\"error\":\"" + String(repeating: "x", count: 9000) + "\"}",
    ])
    func whatIsNoChallengeForUnlockingIsLeftAlone(answer: String) throws {
        let lock = try Lock(broker: [answer], authenticator: [Self.secret, Self.done])
        let opened = try lock.open()
        #expect(opened.code == 0, "\(opened.output)")
        #expect(opened.duration < patience / 4)
        #expect(lock.authenticator?.calls.isEmpty ?? false)
    }

    /// Messages of an authenticator that are not the one question. The module tells the password at most once, and the
    /// locker goes on.
    @Test(arguments: [
        [secret, secret, done],
        [#"{"parameters":{"message":{"style":"visible","text":"Code: "},"done":false}}"#, done],
        [#"{"parameters":{"message":{"style":"error","text":"no"},"done":false}}"#, done],
        [#"{"error":"org.coffer.Authentication.Failed","parameters":{"message":"no","reason":"tries"}}"#, done],
        [#"{"parameters":{"message":{"style":"sec\u0072et","text":""},"done":false}}"#, done],
        [secret, #"{"error":"org.coffer.Authentication.Failed","parameters":{"message":"no","reason":"password"}}"#],
        [String(repeating: "x", count: 20000)], [], Array(repeating: info, count: 40),
    ])
    func whatIsNotTheOneQuestionIsGivenUp(answers: [String]) throws {
        // Only a deadline ends the wait for an answer that never comes.
        let lock = try Lock(broker: [Self.challenge], authenticator: answers, patience: answers.isEmpty ? 10 : 99)
        let opened = try lock.open()
        #expect(opened.code == 0, "\(opened.output)")
        #expect(opened.duration < patience / 2)
        let told = try #require(lock.authenticator).calls.count { $0.contains(Fixture.password) }
        #expect(told == (answers.first == Self.secret ? 1 : 0))
        #expect(lock.broker.calls.count == 1)
        #expect(!opened.output.lowercased().contains("coffer"))
    }

    @Test func withoutABrokerOrAnAuthenticatorTheLockerGoesOnAtOnce() throws {
        let alone = try Lock(broker: [Self.challenge], authenticator: nil)
        let opened = try alone.open()
        #expect(opened.code == 0, "\(opened.output)")
        #expect(alone.broker.calls.count == 1)
        alone.broker.stop()
        try FileManager.default.removeItem(atPath: "\(alone.fixture.path)/b.sock")
        #expect(try alone.open().code == 0)
    }

    /// Somebody else's process in the authenticator's place is told nothing.
    @Test func aThirdUsersSocketGetsNoPassword() throws {
        let lock = try Lock(broker: [Self.challenge], authenticator: nil)
        let folder = "\(lock.fixture.path)/open"
        try Folder.make(folder, mode: 0o777)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
        let script = """
            import os, socket, sys
            s = socket.socket(socket.AF_UNIX)
            s.bind(sys.argv[1]); os.chmod(sys.argv[1], 0o666); s.listen()
            c, _ = s.accept()
            open(sys.argv[2], "wb").write(b"heard:" + c.recv(1000))
            """
        let arguments = [
            "600", "/usr/bin/setpriv", "--reuid=3", "--regid=3", "--clear-groups", "/usr/bin/python3", "-I", "-c",
            script,
            "\(folder)/a.sock", "\(folder)/heard",
        ]
        let process = try Subprocess("/usr/bin/timeout", arguments)
        try #require(eventually { FileManager.default.fileExists(atPath: "\(folder)/a.sock") })
        try FileManager.default.createSymbolicLink(
            atPath: "\(lock.fixture.path)/a.sock", withDestinationPath: "\(folder)/a.sock")
        #expect(try lock.open().code == 0)
        #expect(eventually { FileManager.default.contents(atPath: "\(folder)/heard") == Data("heard:".utf8) })
        #expect(try process.finish() == 0)
    }

    /// Root's programs report, and tell nobody the password.
    @Test func aProgramOfRootsHandsNoPasswordOn() throws {
        let lock = try Lock(broker: [Self.challenge], authenticator: [Self.secret, Self.done])
        #expect(try lock.open(as: [], name: lock.fixture.account.name).code == 0)
        #expect(lock.broker.calls.isEmpty)
        #expect(lock.authenticator?.calls.isEmpty ?? false)
        #expect(eventually { lock.fixture.log.contains("login report") })
    }

    /// A screen locker keeps its PAM transaction, and the module with it, for as long as it runs.
    private static let locker = #"""
        import ctypes, sys
        pam, c = ctypes.CDLL("libpam.so.0"), ctypes.CDLL(None)
        c.calloc.restype, c.strdup.restype = ctypes.c_void_p, ctypes.c_void_p
        class Message(ctypes.Structure): _fields_ = [("style", ctypes.c_int), ("text", ctypes.c_char_p)]
        class Answer(ctypes.Structure): _fields_ = [("text", ctypes.c_void_p), ("code", ctypes.c_int)]
        Talk = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.POINTER(Message)), ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p)
        class Conversation(ctypes.Structure): _fields_ = [("talk", Talk), ("data", ctypes.c_void_p)]
        password = sys.stdin.readline().strip().encode()
        def talk(count, messages, answers, data):
            answers[0] = c.calloc(count, ctypes.sizeof(Answer))
            for number in range(count):
                ctypes.cast(answers[0], ctypes.POINTER(Answer))[number].text = c.strdup(password)
            return 0
        conversation, handle = Conversation(Talk(talk), None), ctypes.c_void_p()
        code = pam.pam_start(sys.argv[1].encode(), sys.argv[2].encode(), ctypes.byref(conversation), ctypes.byref(handle))
        print(code or pam.pam_authenticate(handle, 0), flush=True)
        sys.stdin.readline()
        """#

    @Test func theModuleKeepsNoPasswordInTheLocker() throws {
        let lock = try Lock(
            broker: [Self.challenge, #"{"parameters":{}}"#],
            authenticator: [Self.info, Self.secret, Self.info, Self.done])
        let words = Self.user.dropFirst() + ["/usr/bin/python3", "-c", Self.locker]
        let process = try Subprocess(Self.user[0], words + [lock.service.name, Self.person()]) {
            $0.input = .pipe
            $0.output = .pipe
            $0.errors = .inherited
        }
        // If SIGKILL does not end a process, a test cannot end it either.
        defer { try? process.end() }
        try process.write("\(Fixture.password)\n")
        let verdict = String(decoding: try process.read(limit: 16), as: UTF8.self)
        #expect(verdict.first == "0", "\(verdict)")
        #expect(try #require(lock.authenticator).calls.contains { $0.contains(Fixture.password) })
        let image = try MemoryImage(of: process.pid)
        let places = image.places(of: Array(Fixture.password.utf8))
        // The program itself has the password, so a search would find it. And the module is loaded.
        #expect(!places.isEmpty)
        #expect(image.regions.contains { $0.name.hasSuffix("/pam_coffer.so") })
        #expect(!places.contains { $0.hasSuffix("/pam_coffer.so") }, "\(places)")
    }
}
