// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Varlink

extension Keychain {
    static let text1 = #"""
        # The keychain of the calling user, or of a group of his.
        # The kernel says who calls (SO_PEERCRED), and a parameter never does.
        # Times are milliseconds since 1970-01-01 UTC. Values are base64.
        #
        # Every method but CreateVault takes group and user. They say by name whose vault the call is about.
        # A call has one of them, or neither for the caller's own vault.
        # group: the caller must be a member of it now.
        # NotFound is the answer for a group that is missing or foreign, or has no vault.
        # user: an account with a service vault. Only root may name one. NotPermitted is the answer for anything else.
        interface org.coffer.Keychain

        # Who may read an item, and when.
        type AccessControl (
          # It is when-unlocked, after-first-unlock, passcode-set or always.
          accessibility: string,
          # The value opens on this machine's TPM only. A recovery code does not bring it back.
          thisDeviceOnly: bool,
          # Each is presence, biometry, biometry-current-set, passcode or app-password.
          require: []string,
          # One of require is enough. Otherwise all of them are needed.
          any: bool
        )

        # What a call names of an access control. An item that is there keeps what is left out.
        # A new one has the default: when-unlocked, false, nothing, false.
        type AccessChange (
          accessibility: ?string,
          thisDeviceOnly: ?bool,
          require: ?[]string,
          # It is false where it is left out beside require.
          any: ?bool
        )

        # What is known of an item, without its value.
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
          # The enrolled fingers that the value is bound to, as Biometry of org.coffer.Authentication names them.
          # It is absent where the value is bound to none.
          biometrySet: ?string
        )

        # The state of a vault.
        type VaultState (
          # It is none (no vault yet), sealed (not opened since the broker started), locked or unlocked.
          state: string,
          # Since when it is in this state.
          since: ?int,
          items: ?int,
          # Opening the vault takes the login password. It is absent where it does not.
          bound: ?bool,
          # The registers that tell the boot which the vault is tied to. It is absent where it is tied to none.
          boot: ?[]int,
          # The NV index of the TPM's counter that tells an older copy of the vault's file. It is absent where nothing counts.
          counter: ?int
        )

        # A boot under which a vault opens.
        type ApprovedBoot (
          # SHA-256 over the values of the vault's registers in their order, hex.
          digest: string,
          # When it was approved.
          approved: int
        )

        # How a vault is tied to the measured boot.
        type BootState (
          # What a boot is told by.
          registers: []int,
          # The boots under which the vault opens.
          approved: []ApprovedBoot,
          # The digest of these registers as they are, hex.
          now: string,
          # The vault opens under this boot.
          isApproved: bool
        )

        # A digest that was measured in this boot, and the one that will be in its place.
        type Replacement (
          # SHA-256, hex.
          old: string,
          # SHA-256, hex.
          new: string
        )

        # What a register will hold.
        type RegisterValue (
          register: int,
          # SHA-256, hex.
          value: string
        )

        # Whether there is a recovery code.
        type RecoveryState (
          # When the valid code was made. It is absent where there is none.
          made: ?int
        )

        # What seals the vault.
        type Sealer (
          # It is tpm or software.
          kind: string,
          manufacturer: ?string,
          model: ?string,
          # How the TPM is known, besides by the pinned storage key: certified, issuerUnknown, foreignCertificate, noCertificate.
          # It is absent where Diagnose was not called since the broker started.
          identity: ?string
        )

        # One record of the access log. It has names, and never a value.
        type LogRecord (
          # Its number. The next record has one more.
          sequence: int,
          time: int,
          # What was done: create, unlock, lock, read, set, edit, rename, delete, recovery, bind, unbind, rotate, tie, release,
          # approve.
          # rollback: an older copy of the vault's file was refused. accept: root has accepted one.
          # The log's own are start, dropped (old records), broken (what was before is missing or changed) and cut.
          # cut: the end was lost, as by a power cut.
          event: string,
          # It is done, or says in one word why it was refused: expired, cancelled, locked, password, and so on.
          # authentication-required: a person would have been needed, and the program asked none.
          # expired: nobody answered in time.
          outcome: string,
          uid: ?int,
          pid: ?int,
          # What the process ran when it connected to the authenticator, if resolved. Otherwise what the process calls itself.
          program: ?string,
          # The program is the kernel's word of that moment. The process may have run something else since.
          resolved: bool,
          controlGroup: ?string,
          item: ?string,
          service: ?string,
          account: ?string,
          require: []string,
          # Why the program asks, in its own words.
          reason: ?string,
          detail: ?string,
          # How many records before this one could not be written.
          missed: ?int
        )

        # Stores an item.
        # A replaced one keeps what is left out: access and each of its members, label, comment, attributes, expires.
        # One that has expired keeps the same, but not expires.
        # An empty label or comment, an empty list of attributes, and expires 0 take away what is there.
        method Set(
          service: string,
          account: string,
          # Base64.
          value: string,
          access: ?AccessChange,
          label: ?string,
          comment: ?string,
          attributes: ?[string]string,
          # The item is not given out after this time. 0: never expires.
          expires: ?int,
          # It is replace (the default), new or existing.
          mode: ?string,
          # Base64. It is given where the item requires app-password from then on, and only there.
          applicationPassword: ?string,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> (
          item: Item,
          # When the value that was replaced had been set.
          replaced: ?int
        )

        # Gives out an item's value.
        method Get(
          service: string,
          account: ?string,
          # Why the program asks, in its own words.
          reason: ?string,
          # Where the vault is locked, the answer is a challenge that opens it too, and not Locked.
          unlock: ?bool,
          # Base64. It is given where the item requires app-password.
          # With any, giving it chooses that way, and leaving it out chooses the others.
          applicationPassword: ?string,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> (
          # Base64.
          value: string,
          item: Item
        )

        # Takes back a challenge that the caller can have nobody pass.
        # The access log then says at once that the caller asked, and not only when the challenge is too old.
        method Withdraw(challenge: string, group: ?string, user: ?string) -> ()

        # Tells whether an item is there.
        method Exists(service: string, account: ?string, group: ?string, user: ?string) -> (exists: bool)

        # Tells what is known of an item.
        method Show(service: string, account: ?string, group: ?string, user: ?string) -> (item: Item)

        # Tells the items, sorted by service, then by account. With the "more" flag there is one item a reply.
        method List(service: ?string, group: ?string, user: ?string) -> (items: []Item)

        # Tells the items that have every one of the attributes and contain the text.
        method Search(
          # Service, account, label or comment contain it, whatever its case.
          text: ?string,
          attributes: ?[string]string,
          group: ?string,
          user: ?string
        ) -> (items: []Item)

        # Changes what is known of an item. What is left out stays as it is.
        # An empty label, comment or attribute value takes it away.
        # A change of access asks as reading does.
        method Edit(
          service: string,
          account: string,
          access: ?AccessControl,
          label: ?string,
          comment: ?string,
          attributes: ?[string]string,
          # 0: never.
          expires: ?int,
          # As for Get.
          unlock: ?bool,
          # The one that reading takes, base64.
          applicationPassword: ?string,
          # The one that access requires from now on, base64. It is left out where it stays the same.
          newApplicationPassword: ?string,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> (item: Item)

        # Gives one item a fresh key, of the same access, metadata and times.
        # It asks as Get does, and the value stays in the broker.
        method Rotate(
          service: string,
          account: ?string,
          # As for Get.
          unlock: ?bool,
          # Base64. It is given wherever the item has one, with any too, because the fresh key is put under it anew.
          applicationPassword: ?string,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> (item: Item)

        # Takes an item away.
        method Delete(service: string, account: string, group: ?string, user: ?string) -> (item: Item)

        # Gives an item another name. One with requirements asks as reading does, because a prompt asks for an item by its name.
        # The purpose is rename.
        method Rename(
          service: string,
          account: string,
          newService: string,
          newAccount: string,
          # As for Get.
          unlock: ?bool,
          # As for Get, base64.
          applicationPassword: ?string,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> (item: Item)

        # Locks at once, whatever else the vault is asked for. A group's vault is locked for all members.
        # The answer for a locked vault has no items.
        method Lock(group: ?string, user: ?string) -> (vault: VaultState)

        # Opens the vault, and makes it where there is none. A group's opens only while the caller's own is unlocked.
        method Unlock(
          challenge: ?string,
          # True binds the vault to the login password. It stays as it is where this is left out.
          # False unbinds it, and destroys its items of class passcode-set.
          bind: ?bool,
          group: ?string,
          user: ?string
        ) -> (vault: VaultState)

        # Makes the vault of an account that nobody can be asked for, and opens it. Only root may call this, and nobody is asked.
        method CreateVault(
          # The account's name.
          owner: string,
          challenge: ?string
        ) -> (vault: VaultState)

        # Takes a vault's file for the newest though the TPM has not counted it so, after Damaged of kind rollback.
        # Only root may call this, about anybody's vault. The vault's owner is asked.
        # Every other copy of the file is refused from then on. AlreadyExists is the answer where there is nothing to accept.
        method AcceptVault(challenge: ?string, group: ?string, user: ?string) -> (vault: VaultState)

        # What locks a vault by itself.
        type LockCauses (
          # A locked screen.
          screen: bool,
          sleep: bool,
          # So many minutes without use. It is absent where that does not lock the vault.
          idleMinutes: ?int
        )

        # Tells how the vault and its guarantees are here.
        method Status(group: ?string, user: ?string) -> (
          vault: VaultState,
          sealer: Sealer,
          # The broker's.
          version: string,
          # The broker is a sandbox, which protects nothing.
          sandbox: bool,
          # What locks the vault by itself, for people to read: screen, sleep, 15 min idle.
          locks: []string,
          # The same for programs.
          lockedBy: LockCauses,
          # What weakens the guarantees here (sandbox, broker run as root), for people to read.
          warnings: []string,
          # It is absent where it is not known, because the vault was not looked into yet.
          recovery: ?RecoveryState
        )

        # Makes a recovery code for the caller's own vault. An earlier code stays valid until ConfirmRecoveryCode.
        method NewRecoveryCode(challenge: ?string, group: ?string, user: ?string) -> (
          # Six groups of five characters, joined by hyphens.
          code: string,
          # Which of its groups ConfirmRecoveryCode is to bring back, from 1.
          part: int
        )

        # Makes the code valid that NewRecoveryCode gave to this process at most ten minutes ago.
        method ConfirmRecoveryCode(
          # The group that was asked back. After the fifth wrong one the code is dropped.
          characters: string,
          group: ?string,
          user: ?string
        ) -> (
          # When the code was made.
          made: int
        )

        # Tells how the caller's own vault is tied to the measured boot.
        method Boot(group: ?string, user: ?string) -> (
          # It is absent where the vault is tied to no boot.
          boot: ?BootState
        )

        # What a tie to registers holds of the boot that the machine was started with.
        # It goes by the firmware's log, as far as the TPM's registers vouch for that log.
        type BootCoverage (
          registers: []int,
          # held: a start with another command line is another boot. open: it is not. unknown: the firmware's log does not tell.
          commandLine: string,
          # The same of another initrd.
          initrd: string,
          # Each change of the boot menu is another boot, too. No such change can be approved before it.
          changesWithMenu: bool,
          # Why something is unknown.
          reason: ?string
        )

        # Tells what a tie would hold, before it is made or while it is there. It asks no person.
        method TieCoverage(
          # It is left out for 4 and 7 and those that hold the kernel's command line and initrd here.
          registers: ?[]int,
          group: ?string,
          user: ?string
        ) -> (coverage: BootCoverage)


        """#
}
