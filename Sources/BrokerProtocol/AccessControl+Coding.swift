import Item
import Varlink

/// `AccessControl` of `org.coffer.Keychain`. Nothing behind the reader can contradict itself.
extension AccessControl: Codable {
    private enum CodingKeys: String, CodingKey {
        case accessibility, thisDeviceOnly, require, any
    }

    /// - Throws: `InvalidArgument` for a contradiction, otherwise `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let accessibility = try members.decode(Accessibility.self, forKey: .accessibility)
        let isThisDeviceOnly = try members.decode(Bool.self, forKey: .thisDeviceOnly)
        let require = try members.decode([Requirement].self, forKey: .require)
        let any = try members.decode(Bool.self, forKey: .any)
        do throws(AccessControlError) {
            self = try AccessControl(
                accessibility, isThisDeviceOnly: isThisDeviceOnly, requirements: Set(naming: require), anyIsEnough: any)
        } catch { throw Fault(error) }
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(accessibility, forKey: .accessibility)
        try members.encode(isThisDeviceOnly, forKey: .thisDeviceOnly)
        try members.encode(requirements.inOrder, forKey: .require)
        try members.encode(anyIsEnough, forKey: .any)
    }
}

extension Fault {
    /// `InvalidArgument`, for an access control that contradicts itself.
    public init(_ error: AccessControlError) { self.init(.invalidArgument, error.description) }

    /// `LimitExceeded` or `InvalidArgument`, for what an item cannot have.
    package init(_ error: ItemLimitError) {
        self.init(error.isExcess ? .limitExceeded : .invalidArgument, error.reason, advice: error.advice)
    }
}
