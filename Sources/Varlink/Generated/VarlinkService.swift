// Made by scripts/interfaces from Interfaces/org.varlink.service.varlink: change that file.
/// What a Varlink service tells of itself (varlink.org, "Service").
public enum VarlinkService {
    /// The interface's name.
    public static let interface = "org.varlink.service"

    /// The interface file, word for word: what introspection gives out.
    public static let description = #"""
        # What a Varlink service tells of itself (varlink.org, "Service").
        interface org.varlink.service

        # Tells who answers, and which interfaces the socket has.
        method GetInfo() -> (vendor: string, product: string, version: string, url: string, interfaces: []string)

        # Gives out the file of an interface.
        method GetInterfaceDescription(interface: string) -> (description: string)

        error InterfaceNotFound (interface: string)
        error MethodNotFound (method: string)
        error MethodNotImplemented (method: string)
        error InvalidParameter (parameter: string)
        error PermissionDenied ()
        error ExpectedMore ()

        """#

    /// Tells who answers, and which interfaces the socket has.
    public struct GetInfo: VarlinkMethod {
        public static let name = "org.varlink.service.GetInfo"

        public init() {}

        public struct Reply: Codable, Sendable, Equatable {
            public var vendor: String
            public var product: String
            public var version: String
            public var url: String
            public var interfaces: [String]

            public init(vendor: String, product: String, version: String, url: String, interfaces: [String]) {
                self.vendor = vendor
                self.product = product
                self.version = version
                self.url = url
                self.interfaces = interfaces
            }
        }
    }

    /// Gives out the file of an interface.
    public struct GetInterfaceDescription: VarlinkMethod {
        public static let name = "org.varlink.service.GetInterfaceDescription"
        public var interface: String

        public init(interface: String) { self.interface = interface }

        public struct Reply: Codable, Sendable, Equatable {
            public var description: String

            public init(description: String) { self.description = description }
        }
    }
}
