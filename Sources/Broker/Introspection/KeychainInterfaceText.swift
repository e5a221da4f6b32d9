extension InterfaceText {
    /// docs/org.coffer.Keychain.varlink, word for word.
    static let keychain = #"""
        # The keychain of the calling user, or of a group of his. Who calls is the kernel's word (SO_PEERCRED), never a parameter.
        # Times are milliseconds since 1970-01-01 UTC. Values are base64.
        interface org.coffer.Keychain

        # accessibility: when-unlocked, after-first-unlock, passcode-set, always.
        # require: any of presence, biometry, biometry-current-set, passcode, app-password; any: one of them is enough.
        type AccessControl (accessibility: string, thisDeviceOnly: bool, require: []string, any: bool)

        # What a call names of it. An item that is there keeps what is left out; a new one has the default: when-unlocked, false, nothing, false.
        # any, left out beside require, is false.
        type AccessChange (accessibility: ?string, thisDeviceOnly: ?bool, require: ?[]string, any: ?bool)

        # biometrySet: the enrolled fingers that the value is bound to, as Biometry of org.coffer.Authentication names them; absent where it is bound to none.
        type Item (
          id: string,
          service: string,
          account: string,
          label: ?string,
          comment: ?string,
          attributes: [string]string,
          access: AccessControl,
          created: int,
          modified: int,
          expires: ?int,
          version: int,
          biometrySet: ?string
        )

        # state: none (no vault yet), sealed (not opened since start), locked, unlocked. bound: opening it takes the login password; absent where it does not.
        # counter: the NV index of the TPM's counter by which an older copy of the vault's file is noticed; absent where nothing counts.
        # boot: the registers that tell the boot which it is tied to; absent where it is tied to none.
        type VaultState (state: string, since: ?int, items: ?int, bound: ?bool, boot: ?[]int, counter: ?int)

        # A boot under which a vault opens. digest: hex, SHA-256 over the values of the vault's registers, in their order.
        type ApprovedBoot (digest: string, approved: int)

        # registers: what a boot is told by. now: the digest of these registers as they are. isApproved: the vault opens under this boot.
        type BootState (registers: []int, approved: []ApprovedBoot, now: string, isApproved: bool)

        # A digest that was measured in this boot, and the one that will be in its place; SHA-256, hex.
        type Replacement (old: string, new: string)

        # What a register will hold; hex.
        type RegisterValue (register: int, value: string)

        # made: when the valid recovery code was made; null where there is none.
        type RecoveryState (made: ?int)

        # kind: tpm or software.
        # identity: how the TPM is known besides by the pinned storage key: certified, issuerUnknown, foreignCertificate, noCertificate; absent where Diagnose
        # was not called since the broker started.
        type Sealer (kind: string, manufacturer: ?string, model: ?string, identity: ?string)

        # One record of the access log. event: create, unlock, lock, read, set, edit, rename, delete, recovery, bind, unbind, rotate, tie, release, approve, rollback (an older copy of the vault's file was
        # refused), accept (root has accepted one); and the log's own: start, dropped (old records), broken (what was before is missing or
        # changed), cut (the end was lost, as by a power cut). outcome: done, or why it was refused, in one word: authentication-required where a person would have
        # been needed and the program asked none, expired where nobody answered in time, cancelled, locked, password, and so on. reason: the program's own words.
        # program: what the process ran when it connected to the authenticator, as the kernel said then, if resolved; it may have run something else since. Otherwise what
        # the process calls itself. missed: so many records before this one could not be written.
        type LogRecord (
          sequence: int,
          time: int,
          event: string,
          outcome: string,
          uid: ?int,
          pid: ?int,
          program: ?string,
          resolved: bool,
          controlGroup: ?string,
          item: ?string,
          service: ?string,
          account: ?string,
          require: []string,
          reason: ?string,
          detail: ?string,
          missed: ?int
        )

        # In every method but CreateVault: group, user: whose vault it is about, by name; one of them, or neither for the caller's own.
        # group: a group that the caller is a member of now; a group that is missing, that has no vault, or that the caller does not belong to, is NotFound.
        # user: an account with a service vault, for root only; anything else is NotPermitted.
        # mode: replace (default), new, existing.
        # A replaced item keeps what is left out: access, also each member of it by itself, label, comment, attributes, expires; one that expired keeps all but expires.
        # An empty label or comment, an empty list of attributes, and expires 0 take away what is there.
        # applicationPassword: base64; given where the item requires app-password from then on, and only there.
        # replaced: when the value that was replaced had been set.
        method Set(service: string, account: string, value: string, access: ?AccessChange, label: ?string, comment: ?string,
          attributes: ?[string]string, expires: ?int, mode: ?string, applicationPassword: ?string, challenge: ?string,
          group: ?string, user: ?string) -> (item: Item, replaced: ?int)

        # unlock: where the vault is locked, ask for a challenge that opens it too, instead of failing with Locked.
        # applicationPassword: base64; where the item requires app-password. With any, giving it chooses that way, and leaving it out chooses the others.
        method Get(service: string, account: ?string, reason: ?string, unlock: ?bool, applicationPassword: ?string, challenge: ?string,
          group: ?string, user: ?string) -> (value: string, item: Item)

        # Takes back a challenge that the caller can have nobody pass: that it asked is in the access log at once, and not only when the challenge is too old.
        method Withdraw(challenge: string, group: ?string, user: ?string) -> ()

        method Exists(service: string, account: ?string, group: ?string, user: ?string) -> (exists: bool)

        method Show(service: string, account: ?string, group: ?string, user: ?string) -> (item: Item)

        # With the "more" flag one item a reply. Sorted by service, then account.
        method List(service: ?string, group: ?string, user: ?string) -> (items: []Item)

        # Items that have every one of the attributes, and whose service, account, label or comment contain the text, whatever its case.
        method Search(text: ?string, attributes: ?[string]string, group: ?string, user: ?string) -> (items: []Item)

        # What is left out stays as it is; an empty label, comment or attribute value takes it away; expires 0: never. A change of access asks as reading does.
        # applicationPassword: the one that reading takes; newApplicationPassword: the one that access requires from now on, left out where it stays the same.
        method Edit(service: string, account: string, access: ?AccessControl, label: ?string, comment: ?string,
          attributes: ?[string]string, expires: ?int, unlock: ?bool, applicationPassword: ?string, newApplicationPassword: ?string,
          challenge: ?string, group: ?string, user: ?string) -> (item: Item)

        # A fresh key for one item, of the same access, metadata and times; it asks as Get does, and the value stays in the broker.
        # applicationPassword: base64; wherever the item has one, with any too, because the fresh key is put under it anew.
        method Rotate(service: string, account: ?string, unlock: ?bool, applicationPassword: ?string, challenge: ?string,
          group: ?string, user: ?string) -> (item: Item)

        method Delete(service: string, account: string, group: ?string, user: ?string) -> (item: Item)

        # An item with requirements asks as reading does, for purpose rename: a prompt asks for an item by its name. unlock, applicationPassword: as for Get.
        method Rename(service: string, account: string, newService: string, newAccount: string, unlock: ?bool, applicationPassword: ?string,
          challenge: ?string, group: ?string, user: ?string) -> (item: Item)

        # Locks at once, whatever else the vault is asked for; a group's vault for all members. items is left out of what is locked.
        method Lock(group: ?string, user: ?string) -> (vault: VaultState)

        # Opens the vault; makes it where there is none. A group's only while the caller's own is unlocked.
        # bind: true to bind the vault to the login password, false to unbind it, which destroys its items of class passcode-set; left out it stays as it is.
        method Unlock(challenge: ?string, bind: ?bool, group: ?string, user: ?string) -> (vault: VaultState)

        # Makes the vault of an account that nobody can be asked for, and opens it; root only, and nobody is asked. owner: the account's name.
        method CreateVault(owner: string, challenge: ?string) -> (vault: VaultState)

        # Takes a vault's file for the newest though the TPM has not counted it so: after Damaged of kind rollback. Root only, about anybody's vault; its owner is asked.
        # Every other copy of the file is refused from then on. AlreadyExists where there is nothing to accept.
        method AcceptVault(challenge: ?string, group: ?string, user: ?string) -> (vault: VaultState)

        # What locks a vault by itself: a locked screen, sleep, so many minutes without use.
        type LockCauses (screen: bool, sleep: bool, idleMinutes: ?int)

        # warnings: what weakens the guarantees here (sandbox, broker run as root), for people to read.
        # locks: what locks the vault by itself, for people to read: screen, sleep, 15 min idle. lockedBy: the same for programs.
        # recovery: null where it is not known, because the vault was not looked into yet.
        method Status(group: ?string, user: ?string) -> (vault: VaultState, sealer: Sealer, version: string, sandbox: bool, locks: []string,
          lockedBy: LockCauses, warnings: []string, recovery: ?RecoveryState)

        # A new recovery code for the caller's own vault. part: which of its groups, from 1, ConfirmRecoveryCode is to bring back. Until then an earlier code stays valid.
        method NewRecoveryCode(challenge: ?string, group: ?string, user: ?string) -> (code: string, part: int)

        # Makes the code valid that NewRecoveryCode gave to this process at most ten minutes ago. characters: the group that was asked back; after the fifth
        # wrong one the code is dropped.
        method ConfirmRecoveryCode(characters: string, group: ?string, user: ?string) -> (made: int)

        # How the caller's own vault is tied to the measured boot; boot: null where it is not.
        method Boot(group: ?string, user: ?string) -> (boot: ?BootState)

        # What a tie to registers holds of the boot that the machine was started with, as far as the firmware's log shows it and the TPM's registers vouch for that log.
        # registers: left out, 4 and 7 and those that hold the kernel's command line and initrd here. commandLine, initrd: held, open, or unknown for the reason that is given.
        # changesWithMenu: each change of the boot menu is another boot, too.
        type BootCoverage (registers: []int, commandLine: string, initrd: string, changesWithMenu: bool, reason: ?string)
        method TieCoverage(registers: ?[]int, group: ?string, user: ?string) -> (coverage: BootCoverage)

        # Ties it to the boot that the machine was started with. registers: of the TPM's SHA-256 bank, 0 to 22 but 16; left out, as for TieCoverage. release: true to let go of
        # it instead. Refused (Failed) where there is no recovery code, and where the command line is not held, unless weak is true; (AlreadyExists) where it is tied already.
        method TieToBoot(registers: ?[]int, weak: ?bool, release: ?bool, challenge: ?string, group: ?string, user: ?string) -> (boot: ?BootState)

        # Approves a boot to come, beside those that are approved: the present one with other measurements, each group being one file's, of whose digests one at least was
        # measured in this boot; or with these values in its registers. With neither, this boot alone and no other any more.
        method ApproveBoot(replacements: ?[][]Replacement, values: ?[]RegisterValue, challenge: ?string, group: ?string, user: ?string) -> (boot: ?BootState)

        # The application password of an item. item: its id. password: base64.
        type ItemPassword (item: string, password: string)

        # Renews all keys of the vault: another vault with the same items takes its place. Not for a group's. items: how many were sealed anew; null where nothing was
        # done, because passwords has items whose application password must come with the call. revoked: the TPM has let go of the keys before; else it is tried again later.
        # Repeated with its challenge it may ask once more, for items that one prompt could not name.
        method RotateAll(applicationPasswords: ?[]ItemPassword, challenge: ?string, group: ?string, user: ?string) -> (
          items: ?int, passwords: []Item, revoked: bool)

        # The access log of the caller's vault, the older records first, some hundreds at a time. since: from that time on. after: behind that number.
        # more: call again with the last record's number. problem: what is wrong with the log, for people to read.
        method Log(since: ?int, after: ?int, group: ?string, user: ?string) -> (records: []LogRecord, more: bool, problem: ?string)

        # check: a stable name (docs/doctor.md). verdict: ok, note (nothing to mend), problem. message, advice: for people to read.
        type Finding (check: string, verdict: string, message: string, advice: ?string)

        # Looks at the TPM, the broker's process and files, the PAM services and the clock, and checks every row of the caller's vault. Nothing of another user's
        # and nothing secret is in the answer. One at a time of a user.
        method Diagnose(group: ?string, user: ?string) -> (findings: []Finding)

        # Checks the whole log. first, last: the numbers of the oldest and the newest record.
        method VerifyLog(group: ?string, user: ?string) -> (whole: bool, problem: ?string, records: int, first: ?int, last: ?int)

        # A person is needed: pass the challenge to org.coffer.Authentication.Begin, then repeat the call with it, from the same process.
        # purposes: what the person is asked for: create, unlock, read, change, rename, recovery, bind, unbind, rotate, accept, tieToBoot, releaseFromBoot, approveBoot; for enrolment nobody is asked: the authenticator looks whether fingers are enrolled.
        error AuthenticationRequired (challenge: string, purposes: []string)
        # The challenge is unknown, used, too old, another process's or another item's, or the item changed since: start again without one.
        error ChallengeRefused (message: string)
        # The item takes an application password, and the call had none: ask for it, and repeat the call with it.
        error ApplicationPasswordRequired (message: string)
        # It is wrong, or the item is damaged; or too many were wrong and it is too soon for another.
        error ApplicationPasswordRefused (message: string)
        # The item can be read with fingers only that are not the enrolled ones any more.
        error FingersChanged (message: string)
        error NotFound (message: string)
        # The account was left out and there are several.
        error Ambiguous (message: string, accounts: []string)
        error AlreadyExists (message: string)
        error Locked (message: string)
        error NotPermitted (message: string)
        # The store is damaged, or not the one that belongs here. kind: rollback where it is an older copy, or what counts is gone: root can accept it (AcceptVault).
        error Damaged (message: string, kind: ?string)
        # kind: unavailable, replaced, lockout, refused, exhausted, deadline, unsupported (an old TPM), renewed (the keys were renewed since this copy was made), boot (the machine was not
        # started in a way that was approved), boot-index (what says which boots are approved is gone), pin-index (what counts the tries of a bound vault's password is
        # gone), tries-used-up, busy (it spares its memory), other. code: the TPM's own, 0 where there is none.
        error TPM (message: string, kind: string, code: int)
        error LimitExceeded (message: string)
        error InvalidArgument (message: string)
        # The broker could not do it, for a reason that is neither the caller's nor the TPM's (disk full, say).
        error Failed (message: string)

        """#
}
