import BrokerProtocol
import Platform

/// The displays that an environment names, and whether they answer. A tmux that was left keeps names of displays that are gone.
package struct Display: Sendable, Equatable {
    private var x11: String?
    private var xauthority: String?
    private var wayland: String?
    /// The folder of Wayland's sockets.
    private let runtimeFolder: String?

    /// The most bytes of a name.
    private static let longest = 4096
    /// The TCP port of X display 0 (X11's own number).
    private static let firstPort = 6000

    package init(environment: [String: String]) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        x11 = value("DISPLAY")
        xauthority = value("XAUTHORITY")
        wayland = value("WAYLAND_DISPLAY")
        runtimeFolder = value("XDG_RUNTIME_DIR")
    }

    /// - Parameter wire: what another process of the same user says.
    /// - Returns: nil if a name is too long, or has characters that no display's name has.
    package init?(_ wire: Agent.Display, environment: [String: String]) {
        for name in [wire.x11, wire.xauthority, wire.wayland].compactMap(\.self) {
            guard (1...Self.longest).contains(name.utf8.count), name.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
                return nil
            }
        }
        self.init(environment: environment)
        (x11, xauthority, wayland) = (wire.x11, wire.xauthority, wire.wayland)
    }

    package var wire: Agent.Display { Agent.Display(x11: x11, xauthority: xauthority, wayland: wayland) }

    /// Whether any display is named, even one that is gone.
    package var isNamed: Bool { x11 != nil || wayland != nil }

    /// The names, for a message.
    package var names: String { [wayland, x11].compactMap(\.self).map(VisibleText.quoted).joined(separator: ", ") }

    /// The displays that answer; nil if none does.
    package func answering() -> Display? {
        var alive = self
        if let name = wayland, !answers(wayland: name) { alive.wayland = nil }
        if let name = x11, !Self.answers(x11: name) { alive.x11 = nil }
        return alive.isNamed ? alive : nil
    }

    var hasX11: Bool { x11 != nil }

    /// The environment of a program that shows a dialog here.
    func environment(_ environment: [String: String]) -> [String: String] {
        var environment = environment
        environment["WAYLAND_DISPLAY"] = wayland
        environment["DISPLAY"] = x11
        environment["XAUTHORITY"] = xauthority
        return environment
    }

    private func answers(wayland name: String) -> Bool {
        if name.hasPrefix("/") { return Reachability.answers(path: name) }
        guard let runtimeFolder else { return false }
        return Reachability.answers(path: "\(runtimeFolder)/\(name)")
    }

    /// As X(7) describes names: [host]:display[.screen].
    private static func answers(x11 name: String) -> Bool {
        guard let colon = name.lastIndex(of: ":"),
            let number = Int(name[name.index(after: colon)...].prefix { $0 != "." }),
            let port = UInt16(exactly: firstPort.addingReportingOverflow(number).partialValue), number >= 0
        else { return false }
        switch name[..<colon] {
        case "", "unix":
            let path = "/tmp/.X11-unix/X\(number)"
            return Reachability.answers(abstract: path) || Reachability.answers(path: path)
        case "localhost", "127.0.0.1", "localhost/unix": return Reachability.answers(loopbackPort: port)
        // Another machine may take its time. pinentry finds out.
        default: return true
        }
    }
}
