import Glibc
import Platform
import Testing

/// A server that takes no calls keeps nobody longer than they want to wait.
@Suite struct ConnectingDeadlineTests {
    private static let later = ContinuousClock.now.advanced(by: .seconds(3600))

    @Test func afterTheDeadlineNobodyIsConnected() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/s"
        let listener = try UnixListener(path: path, mode: 0o600)
        let past = ContinuousClock.now.advanced(by: .seconds(-1))
        let error = #expect(throws: SystemError.self) { _ = try UnixSocket(connectingTo: path, until: past) }
        #expect(error?.errno == ETIMEDOUT)
        // With room and time it is.
        let client = try UnixSocket(connectingTo: path, until: Self.later)
        let served = try listener.accept()
        let hasClosed = client.peerHasClosed()
        #expect(!hasClosed)
        _ = consume served
        _ = consume client
        _ = consume listener
        withExtendedLifetime(folder) {}
    }

    /// A queue for no calls has room for one.
    @Test func aFullQueueIsWaitedForUntilTheDeadline() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/s"
        let listener = try UnixListener(path: path, mode: 0o600, backlog: 0)
        let first = try UnixSocket(connectingTo: path)
        let error = #expect(throws: SystemError.self) {
            _ = try UnixSocket(connectingTo: path, until: ContinuousClock.now.advanced(by: .milliseconds(50)))
        }
        #expect(error?.errno == ETIMEDOUT)
        let served = try listener.accept()
        let second = try UnixSocket(connectingTo: path, until: Self.later)
        _ = consume second
        _ = consume served
        _ = consume first
        _ = consume listener
        withExtendedLifetime(folder) {}
    }
}
