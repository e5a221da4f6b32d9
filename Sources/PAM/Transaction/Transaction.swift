internal import CPAM

/// One PAM transaction, from `pam_start` to `pam_end`. It blocks, and stays on the thread that made it.
@safe public struct Transaction: ~Copyable {
    private let handle: OpaquePointer
    private let state: ConversationState
    private let service: Service
    /// PAM's last return code, which `pam_end(3)` needs.
    private var status: CInt = PAM_SUCCESS

    /// Starts a transaction for a user.
    ///
    /// - Parameters:
    ///   - terminal: the terminal at which the person sits (`PAM_TTY`).
    ///   - requester: the name of the user who asks (`PAM_RUSER`).
    /// - Throws: ``PAMError`` with code `misconfigured` if the service has no file, or if libpam does not start.
    public static func start(
        service: Service, user: String, terminal: String?, requester: String, conversation: any Conversation
    ) throws(PAMError) -> Transaction {
        try service.check()
        guard !user.isEmpty, !user.utf8.contains(0) else {
            throw PAMError(.denied, call: .start, reason: "the user has no usable name")
        }
        let state = ConversationState(conversation)
        // The state outlives the handle, because `deinit` ends the transaction before the last reference to this object goes.
        let context = unsafe Unmanaged.passUnretained(state).toOpaque()
        var conversation = unsafe pam_conv(conv: converse, appdata_ptr: context)
        var started: OpaquePointer?
        let code =
            if let directory = service.directory {
                unsafe pam_start_confdir(service.name, user, &conversation, directory, &started)
            } else {
                unsafe pam_start(service.name, user, &conversation, &started)
            }
        guard code == PAM_SUCCESS, let handle = unsafe started else {
            throw PAMError(rawCode: code, call: .start, service: service.name)
        }
        var transaction = unsafe Transaction(adopting: handle, state: state, service: service)
        try transaction.set(PAM_RUSER, to: requester)
        if let terminal { try transaction.set(PAM_TTY, to: terminal) }
        try transaction.setDelay()
        return transaction
    }

    private init(adopting handle: OpaquePointer, state: ConversationState, service: Service) {
        unsafe self.handle = unsafe handle
        self.state = state
        self.service = service
    }

    deinit {
        _ = unsafe pam_end(handle, status)
    }

    /// Runs the stack's `auth` rules. A user without a password does not pass.
    ///
    /// - Returns: what these rules did with the person. What the `account` rules show later does not count.
    @discardableResult
    public mutating func authenticate() throws(PAMError) -> Contact {
        status = unsafe pam_authenticate(handle, CInt(PAM_DISALLOW_NULL_AUTHTOK))
        try check(.authenticate)
        return state.contact
    }

    /// Runs the stack's `account` rules. An expired account or password is refused.
    public mutating func checkAccount() throws(PAMError) {
        status = unsafe pam_acct_mgmt(handle, CInt(PAM_DISALLOW_NULL_AUTHTOK))
        try check(.account)
    }

    private func check(_ call: PAMError.Call) throws(PAMError) {
        // Checked after a success, too. A stack may accept a module that never asked, but an interrupted person has not agreed.
        if let interruption = state.interruption {
            throw PAMError(interruption, rawCode: status, call: call)
        }
        // pam_exec returns this code both for a program that refused an answer and for one that could not be run.
        if status == PAM_SYSTEM_ERR, call == .authenticate, state.contact >= .answer {
            throw PAMError(.wrongPassword, rawCode: status, call: call, reason: "authentication failed")
        }
        guard status == PAM_SUCCESS else { throw PAMError(rawCode: status, call: call, service: service.name) }
    }

    private mutating func set(_ item: CInt, to text: String) throws(PAMError) {
        status = unsafe text.withCString { unsafe pam_set_item(handle, item, $0) }
        try check(.start)
    }

    /// Sets a function for delays. Without it, libpam would sleep and nothing could interrupt it.
    private mutating func setDelay() throws(PAMError) {
        let function: @convention(c) (CInt, CUnsignedInt, UnsafeMutableRawPointer?) -> Void = unsafe delayAfterFailure
        status = unsafe pam_set_item(handle, PAM_FAIL_DELAY, unsafe unsafeBitCast(function, to: UnsafeRawPointer.self))
        try check(.start)
    }
}
