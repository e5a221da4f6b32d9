import BrokerProtocol
import Foundation
import Platform
import RootConfiguration
import TestSupport
import Testing

@testable import Authenticator

/// What logind and fprintd report, asked over a real bus.
@Suite(.serialized) struct BiometryTests {
    private static func client() throws -> Client {
        var pair: [Int32] = [-1, -1]
        let made = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
        try #require(made == 0)
        defer { pair.forEach { close($0) } }
        return try Client(ofSocket: pair[0])
    }

    private static func obstacle(_ biometry: Biometry, _ client: Client) -> BiometryObstacle? {
        do throws(BiometryObstacle) {
            try biometry.checkUsable(by: client)
            return nil
        } catch { return error }
    }

    @Test func everyObstacleIsFoundAndNamed() throws {
        let logind = try LogindMock()
        let fprintd = try FprintdMock(address: logind.address)
        var configuration = Configuration()
        configuration.systemBus = .address(logind.address)
        configuration.fingerprintDirectory = fprintd.storage.path
        let biometry = Biometry(configuration)
        let client = try Self.client()
        let user = client.account.name
        func found() -> BiometryObstacle? { Self.obstacle(biometry, client) }

        try logind.setLidClosed(false)
        try logind.add(session: "mine", uid: client.account.uid)
        try logind.countProcesses(to: "mine")
        #expect(found() == .noneEnrolled)
        try fprintd.enrol(7, of: "somebody-else", template: "x")
        #expect(found() == .noneEnrolled)
        try fprintd.enrol(7, of: user, template: "a")
        #expect(found() == nil)
        try fprintd.setReaders(0)
        #expect(found() == .noReader)
        try fprintd.setReaders(2)
        #expect(found() == nil)

        try logind.changeLidClosed(true)
        #expect(found() == .lidClosed)
        try logind.changeLidClosed(false)
        try logind.setRemote(true, session: "mine")
        #expect(found() == .remoteSession)
        try logind.setRemote(false, session: "mine")
        try logind.setActive(false, session: "mine")
        #expect(found() == .inactiveSession)
        try logind.setActive(true, session: "mine")
        try logind.setLockedHint(true, session: "mine")
        #expect(found() == .lockedSession)
        try logind.setLockedHint(false, session: "mine")
        try logind.setClass("background", session: "mine")
        #expect(found() == .noSession)
        try logind.setClass("user", session: "mine")
        #expect(found() == nil)

        // A program of the user's service manager.
        try logind.countProcesses(to: nil)
        #expect(found() == nil)
        try logind.add(session: "ssh", uid: client.account.uid)
        try logind.setRemote(true, session: "ssh")
        #expect(found() == .remoteSession)
        try logind.remove(session: "ssh")
        #expect(found() == nil)
        try logind.unseat(session: "mine")
        #expect(found() == .remoteSession)
        try logind.remove(session: "mine")
        #expect(found() == .noSession)
        try logind.add(session: "foreign", uid: client.account.uid + 1)
        try logind.countProcesses(to: "foreign")
        #expect(found() == .noSession)

        try fprintd.stop()
        #expect(found() == .noReader, "nobody has the name")
        try logind.stop()
        guard case .unknown = found() else {
            Issue.record("without a bus nothing is known: \(String(describing: found()))")
            return
        }
    }

    /// logind answers for a number, which another process may have by then.
    @Test func aProgramThatHasEndedIsAskedForNoFinger() throws {
        let logind = try LogindMock()
        let fprintd = try FprintdMock(address: logind.address)
        var configuration = Configuration()
        configuration.systemBus = .address(logind.address)
        configuration.fingerprintDirectory = fprintd.storage.path
        let biometry = Biometry(configuration)
        let folder = try TemporaryFolder()
        let path = folder.path + "/socket"
        let listener = try UnixListener(path: path, mode: 0o600)
        let connect =
            "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); sys.stdin.read()"
        let program = try Subprocess("/usr/bin/python3", ["-c", connect, path]) { $0.input = .pipe }
        let connection = try listener.accept()
        let client = try Client(ofSocket: connection.number)
        #expect(client.process.pid == program.pid)
        try logind.setLidClosed(false)
        try logind.add(session: "mine", uid: client.account.uid)
        try logind.countProcesses(to: "mine")
        try fprintd.enrol(7, of: client.account.name, template: "a")
        #expect(Self.obstacle(biometry, client) == nil)
        program.closeInput()
        #expect(try program.finish() == 0)
        #expect(Self.obstacle(biometry, client) == .unknown("the program that asked has ended"))
    }

    @Test func withoutABusThereIsNone() throws {
        var configuration = Configuration()
        configuration.systemBus = .none
        guard case .unknown(let reason) = Self.obstacle(Biometry(configuration), try Self.client()) else {
            Issue.record("biometrics without a bus")
            return
        }
        #expect(reason.contains("system-bus = no"))
    }

    @Test func aClientIsToldOfItsOwnFingers() throws {
        let logind = try LogindMock()
        let fprintd = try FprintdMock(address: logind.address)
        let fixture = try Fixture(
            Fixture.Options(settings: "system-bus = \(logind.address)\nfingerprint-directory = \(fprintd.storage.path)")
        )
        var client = try fixture.client()
        let none = try client.call(BrokerProtocol.Authentication.Biometry()).get()
        #expect(!none.usable)
        #expect(none.type == "fingerprint")
        #expect(none.advice?.contains("fprintd-enroll") == true)
        #expect(none.currentSet == nil)
        try fprintd.enrol(7, of: fixture.account.name, template: "a")
        try logind.setLidClosed(false)
        try logind.add(session: "mine", uid: fixture.account.uid)
        try logind.countProcesses(to: "mine")
        let one = try client.call(BrokerProtocol.Authentication.Biometry()).get()
        #expect(one.usable)
        #expect(one.reason == nil)
        #expect(one.currentSet?.count == 64)
        // The same connection can go on to a conversation.
        #expect(try client.begin().message?.style == .info)
    }
}
