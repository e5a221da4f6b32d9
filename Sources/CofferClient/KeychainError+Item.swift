extension KeychainError {
    /// `.invalidArgument`, for an access control that contradicts itself.
    package init(_ error: AccessControlError) { self.init(.invalidArgument, error.reason, advice: error.advice) }

    /// `.limitExceeded` or `.invalidArgument`, for what an item cannot have.
    package init(_ error: ItemLimitError) {
        self.init(error.isExcess ? .limitExceeded : .invalidArgument, error.reason, advice: error.advice)
    }
}
