import CPAMModule

// The functions that libpam looks for (pam_sm_authenticate(3) and so on). All of them answer PAM_IGNORE, whatever happens: the module neither
// lets anybody in nor keeps anybody out.

/// The auth entry. Nothing is done here yet: which modules have failed before, and which will, is not for a module to know. What is to be done waits
/// for libpam's verdict on all of them.
@_cdecl("pam_sm_authenticate")
public func authenticate(
    _ handle: OpaquePointer?, _ flags: CInt, _ count: CInt,
    _ arguments: UnsafePointer<UnsafePointer<CChar>?>?
) -> CInt {
    // A module must not change what its caller sees of earlier calls.
    let error = coffer_errno()
    defer { coffer_set_errno(error) }
    guard let handle = unsafe handle else { return PAM_IGNORE }
    unsafe Pending.wait(handle, Arguments(count: count, words: arguments))
    return PAM_IGNORE
}

/// Called by programs that asked nobody (cron, su of root): nothing to report.
@_cdecl("pam_sm_setcred")
public func setCredentials(
    _ handle: OpaquePointer?, _ flags: CInt, _ count: CInt, _ arguments: UnsafePointer<UnsafePointer<CChar>?>?
) -> CInt { PAM_IGNORE }

@_cdecl("pam_sm_acct_mgmt")
public func manageAccount(
    _ handle: OpaquePointer?, _ flags: CInt, _ count: CInt, _ arguments: UnsafePointer<UnsafePointer<CChar>?>?
) -> CInt { PAM_IGNORE }

@_cdecl("pam_sm_open_session")
public func openSession(
    _ handle: OpaquePointer?, _ flags: CInt, _ count: CInt, _ arguments: UnsafePointer<UnsafePointer<CChar>?>?
) -> CInt { PAM_IGNORE }

@_cdecl("pam_sm_close_session")
public func closeSession(
    _ handle: OpaquePointer?, _ flags: CInt, _ count: CInt, _ arguments: UnsafePointer<UnsafePointer<CChar>?>?
) -> CInt { PAM_IGNORE }

@_cdecl("pam_sm_chauthtok")
public func changePassword(
    _ handle: OpaquePointer?, _ flags: CInt, _ count: CInt, _ arguments: UnsafePointer<UnsafePointer<CChar>?>?
) -> CInt { PAM_IGNORE }
