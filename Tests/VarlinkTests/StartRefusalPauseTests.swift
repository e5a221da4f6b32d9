import Testing
import Varlink

/// docs/broker-protocol.md: a server that cannot start says why for so long, before the service manager tries again.
@Suite struct StartRefusalPauseTests {
    @Test func itSaysWhyForThirtySeconds() { #expect(StartRefusal.pause == .seconds(30)) }
}
