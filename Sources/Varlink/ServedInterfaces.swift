import JSON

/// The interfaces that a socket serves. It answers `org.varlink.service`, and refuses calls to what is not served.
public struct ServedInterfaces: Sendable {
    /// One interface that a socket serves.
    public struct Interface: Sendable {
        public let name: String
        /// The interface in Varlink's own language.
        public let description: String

        public init(name: String, description: String) {
            self.name = name
            self.description = description
        }
    }

    /// The program's name.
    public let product: String
    public let version: String
    private let interfaces: [Interface]
    /// The methods of all interfaces, including `org.varlink.service`.
    public let methods: ServedMethods

    public init(
        product: String, version: String, interfaces: [Interface], methods: [any VarlinkMethod.Type],
        contradiction: Fault.Name = .invalidParameter
    ) {
        self.product = product
        self.version = version
        self.interfaces =
            [Interface(name: VarlinkService.interface, description: VarlinkService.description)] + interfaces
        self.methods = ServedMethods(
            [VarlinkService.GetInfo.self, VarlinkService.GetInterfaceDescription.self] + methods,
            contradiction: contradiction)
    }

    /// Answers a call to `org.varlink.service`, and refuses one to a method that is not served.
    /// - Returns: nil if the call is to one of the other methods.
    /// - Throws: `InterfaceNotFound`, `MethodNotFound`.
    public func answer(_ parameters: (any VarlinkMethod)?, to method: String) throws(Fault)
        -> (any JSONWritable)?
    {
        switch parameters {
        case is VarlinkService.GetInfo:
            return VarlinkService.GetInfo.Reply(
                vendor: "Coffer", product: product, version: version, url: "", interfaces: interfaces.map(\.name))
        case let call as VarlinkService.GetInterfaceDescription:
            guard let found = interfaces.first(where: { $0.name == call.interface }) else {
                throw Fault(.interfaceNotFound, Fault.Details(interface: Fault.shortened(call.interface)))
            }
            return VarlinkService.GetInterfaceDescription.Reply(description: found.description)
        case nil:
            throw Fault(unknownMethod: method) { name in interfaces.contains { $0.name == name } }
        default: return nil
        }
    }
}
