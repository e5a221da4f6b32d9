/// One method of an interface. The value is the call's parameters.
public protocol VarlinkMethod: Codable, Sendable {
    associatedtype Reply: Codable & Sendable
    /// The interface's name, a dot, the method's name.
    static var name: String { get }
}

/// The parameters or the reply of a method that has none.
public struct Nothing: Codable, Sendable, Equatable {
    public init() {}
}

/// A call as it is sent.
public struct VarlinkCall<Method: VarlinkMethod>: Codable, Sendable {
    public var method: String
    public var parameters: Method
    /// Whether the caller accepts several replies.
    public var more: Bool?

    public init(_ parameters: Method, more: Bool? = nil) {
        self.method = Method.name
        self.parameters = parameters
        self.more = more
    }
}
