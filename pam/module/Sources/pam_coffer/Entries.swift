import CPAMModule

// The functions that libpam calls (pam_sm_authenticate(3) and so on). All of them always return PAM_IGNORE, so the module neither lets anybody in nor
// keeps anybody out.

/// The auth entry. It only records what to do after libpam's verdict on all modules. A module cannot know which others have failed or will fail.
@_cdecl("pam_sm_authenticate")
public func authenticate(
    _ handle: OpaquePointer?, _ flags: CInt, _ count: CInt,
    _ arguments: UnsafePointer<UnsafePointer<CChar>?>?
) -> CInt {
    // A module must not change the errno that its caller sees.
    let error = coffer_errno()
    defer { coffer_set_errno(error) }
    guard let handle = unsafe handle else { return PAM_IGNORE }
    unsafe Pending.wait(handle, Arguments(count: count, words: arguments))
    return PAM_IGNORE
}

/// Programs that asked nobody (cron, su of root) call this, so there is nothing to report.
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
