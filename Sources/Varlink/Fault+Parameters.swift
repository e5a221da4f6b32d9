extension Fault {
    /// `InvalidParameter`, with the name of the parameter that is missing or has another type.
    public init(parameters error: DecodingError) {
        let path: [any CodingKey]
        switch error {
        case .keyNotFound(let key, let context): path = context.codingPath + [key]
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            path = context.codingPath
        @unknown default: path = []
        }
        let name = path.last { $0.intValue == nil && $0.stringValue != "parameters" }?.stringValue ?? "parameters"
        self.init(
            .invalidParameter,
            Details(message: "“\(name)” is missing, or not what the interface says.", parameter: name))
    }
}
