import BrokerProtocol
import Coffer
import Dispatch
import Glibc
import Platform
import Synchronization
import Varlink

/// Serves an agent's socket until it is told to stop.
final class AgentServer: Sendable {
    let place: AgentPlace
    let queue = PromptQueue()
    let authenticator: Authenticator
    /// Only a socket that this program has made is removed at the end. systemd keeps its own.
    private let ownPath: String?
    private let connections = Mutex(0)

    static let interfaces = ServedInterfaces(
        product: "coffer", version: ProductVersion.current,
        interfaces: [.init(name: Agent.interface, description: Agent.description)],
        methods: [
            Agent.GetState.self, Agent.WaitForTurn.self, Agent.Converse.self, Agent.Update.self, Agent.Stop.self,
        ])

    init(place: AgentPlace, paths: SocketPaths, ownPath: String?) {
        self.place = place
        self.ownPath = ownPath
        authenticator = Authenticator(paths: paths, caller: geteuid())
    }

    /// - Parameter idle: how long it runs without callers; nil for as long as it is not stopped.
    func run(on listener: borrowing UnixListener, idle: Duration?) throws(SystemError) {
        while true {
            let ready = try Readiness.wait(for: [(listener.number, .input)], until: idle.map { .now + $0 })
            guard ready[0] else {
                if connections.withLock({ $0 == 0 }) { return removeSocket() }
                continue
            }
            // A caller may be gone before it is accepted.
            guard let connection = try? listener.accept() else { continue }
            admit(connection)
        }
    }

    private func admit(_ connection: consuming Descriptor) {
        let socket = UnixSocket(adopting: connection, takesDescriptors: true)
        // The socket's mode keeps other users out. If somebody changes that, the kernel's word still does.
        guard let peer = try? socket.peer(), peer.uid == geteuid() else {
            return Self.refuse(socket, Fault(.permissionDenied, "this agent serves uid \(geteuid()) only"))
        }
        let isFull = connections.withLock { count in
            if count >= AgentLimits.connections { return true }
            count += 1
            return false
        }
        if isFull {
            return Self.refuse(
                socket,
                Fault(.agentLimitExceeded, "too many programs wait for the agent", advice: "answer the open prompts"))
        }
        let session = Mutex<AgentSession?>(AgentSession(socket, server: self))
        DispatchQueue(label: "coffer.agent").async { [self] in
            var mine: AgentSession?
            session.withLock { held in mine = held.take() }
            mine?.run()
            mine = nil
            connections.withLock { $0 -= 1 }
        }
    }

    private static func refuse(_ socket: borrowing UnixSocket, _ fault: Fault) {
        // `try?`: who does not listen learns it from the end of the connection.
        try? socket.send(Varlink.encode(fault), until: .now)
        socket.endReceiving()
    }

    /// Ends the agent. Dialogs end with it, and a guard gives the terminal its echo back.
    /// - Parameter farewell: answers the one who asked for the end. The socket's path is free by then.
    func stop(_ farewell: () -> Void) -> Never {
        removeSocket()
        farewell()
        place.sayFarewell()
        ChildProcess.exitNow(0)
    }

    private func removeSocket() {
        // `try?`: a socket that stays is replaced by the next agent.
        if let ownPath { try? FileRemoval.remove(ownPath) }
    }
}
