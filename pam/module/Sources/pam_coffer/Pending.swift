import CPAMModule

/// Acts after libpam has its verdict on the whole of pam_authenticate(3). libpam calls the function in PAM_FAIL_DELAY at the end, with any result
/// (pam_fail_delay(3)). So the module reports nothing after a failure, no matter where its line stands in the stack.
enum Pending {
    private static let name: StaticString = "coffer_pending"

    /// Starts to wait for the verdict. Does nothing while another transaction of the process waits.
    static func wait(_ handle: OpaquePointer, _ arguments: Arguments) {
        let pending = unsafe coffer_pending()!
        if unsafe pending.pointee.handle != handle {
            guard unsafe coffer_take(pending) != 0 else { return }
            unsafe pending.pointee.handle = handle
            unsafe pending.pointee.previous = coffer_get_verdict(handle)
            // If the transaction ends without a verdict, this releases what was kept.
            let data = unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
            guard unsafe pam_set_data(handle, data, pending, transactionEnded) == PAM_SUCCESS,
                unsafe coffer_set_verdict(handle, verdictCame) == PAM_SUCCESS
            else {
                unsafe coffer_release(pending)
                return
            }
        }
        unsafe pending.pointee.report = arguments.report
        unsafe pending.pointee.broker = arguments.broker
        unsafe pending.pointee.authenticator = arguments.authenticator
        unsafe pending.pointee.patience = arguments.patience
        // libpam has dropped the password by the time of its verdict. Root's report needs no password.
        if geteuid() != 0 { unsafe keepPassword(handle, pending) }
    }

    private static func keepPassword(_ handle: OpaquePointer, _ pending: UnsafeMutablePointer<coffer_pending>) {
        unsafe pending.pointee.count = 0
        // A service account can let others log in (a database, a web server). Their passwords are not its own.
        guard unsafe coffer_is_own(handle) != 0 else { return }
        var item: UnsafeRawPointer?
        guard unsafe pam_get_item(handle, PAM_AUTHTOK, &item) == PAM_SUCCESS, let item = unsafe item else { return }
        let room = unsafe MemoryLayout.size(ofValue: pending.pointee.password)
        let count = unsafe strnlen(item.assumingMemoryBound(to: CChar.self), room)
        guard count < room else { return }
        unsafe memcpy(&pending.pointee.password, item, count)
        unsafe pending.pointee.count = count
    }

    /// Acts after libpam has accepted the person.
    fileprivate static func succeed(_ pending: UnsafeMutablePointer<coffer_pending>) {
        let patience = unsafe Int(pending.pointee.patience)
        if geteuid() == 0 {
            guard let user = unsafe User(of: pending.pointee.handle) else { return }
            unsafe Report(user: user, socket: pending.pointee.report).send(
                until: Deadline(milliseconds: patience > 0 ? patience : 1500))
        } else if getuid() == geteuid(), unsafe pending.pointee.count > 0 {
            // A program that runs as its user proves nothing by itself, so the password is checked again.
            unsafe withUnsafeBytes(of: &pending.pointee.password) { password in
                let password = unsafe UnsafeRawBufferPointer(rebasing: password[..<pending.pointee.count])
                unsafe Unlocking(
                    password: password, broker: pending.pointee.broker, authenticator: pending.pointee.authenticator
                ).run(until: Deadline(milliseconds: patience > 0 ? patience : 1800))
            }
        }
    }
}

/// Receives libpam's verdict, and then waits as libpam itself would have.
private func verdictCame(_ result: CInt, _ delay: CUnsignedInt, _ conversation: UnsafeMutableRawPointer?) {
    let error = coffer_errno()
    let pending = unsafe coffer_pending()!
    let previous = unsafe pending.pointee.previous
    if let handle = unsafe pending.pointee.handle {
        if result == PAM_SUCCESS { unsafe Pending.succeed(pending) }
        unsafe coffer_set_verdict(handle, previous)
        unsafe coffer_release(pending)
    }
    coffer_set_errno(error)
    if let previous = unsafe previous {
        unsafe previous(result, delay, conversation)
    } else if result != PAM_SUCCESS, delay > 0 {
        usleep(delay)
    }
}

private func transactionEnded(_ handle: OpaquePointer?, _ data: UnsafeMutableRawPointer?, _ status: CInt) {
    let pending = unsafe coffer_pending()!
    // A further attempt on the same handle replaces what the one before has set. That is no end.
    guard status & PAM_DATA_REPLACE == 0, unsafe pending.pointee.handle == handle else { return }
    unsafe coffer_release(pending)
}
