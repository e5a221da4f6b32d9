import BrokerProtocol

/// Answers `org.varlink.service` for a socket, and refuses calls that nothing there answers.
struct Introspection: Sendable {
    /// The interfaces of the socket by name, with their text.
    let interfaces: [(name: String, text: String)]

    /// - Returns: nil when the method belongs to another interface.
    func answer(_ call: IncomingCall) throws(Fault) -> MethodAnswer? {
        switch call.method {
        case VarlinkService.GetInfo.name:
            return .reply(
                VarlinkService.GetInfo.Reply(
                    vendor: "Coffer", product: "cofferd", version: ProductVersion.current, url: "",
                    interfaces: ["org.varlink.service"] + interfaces.map(\.name)))
        case VarlinkService.GetInterfaceDescription.name:
            let name = try call.parameters(of: VarlinkService.GetInterfaceDescription.self).interface
            if name == VarlinkService.interface {
                return .reply(VarlinkService.GetInterfaceDescription.Reply(description: VarlinkService.text))
            }
            guard let found = interfaces.first(where: { $0.name == name }) else {
                throw Fault(.interfaceNotFound, Fault.Details(interface: Fault.shortened(name)))
            }
            return .reply(VarlinkService.GetInterfaceDescription.Reply(description: found.text))
        default: return nil
        }
    }

    /// Varlink's own words for a method that is not there.
    func unknown(_ method: String) -> Fault {
        Fault(unknownMethod: method) { interface in
            interface == VarlinkService.interface || interfaces.contains { $0.name == interface }
        }
    }
}
