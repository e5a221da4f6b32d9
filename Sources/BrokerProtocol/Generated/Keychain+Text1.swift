// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Item
import JSON
import Varlink

extension Keychain {
    static let text1 = #"""
        # The vault of the calling user, or of one of their groups.
        # The kernel says who calls (SO_PEERCRED). No parameter does.
        # Times are milliseconds since 1970-01-01 UTC. Values are base64.
        #
        # Every method but CreateVault takes group and user. They say by name whose vault the call is about.
        # A call has one of them, or neither for the caller's own vault.
        # group: the caller must be a member of it now.
        # If the group does not exist, has no vault or does not include the caller, the answer is NotFound.
        # user: an account with a service vault. Only root may name one. Otherwise the answer is NotPermitted.
        #
        # What errors say. Programs tell errors apart by name, kind and code. These are words for a person:
        # message: what happened, as a clause without a capital and a full stop.
        # advice: what to do about it, as such a clause. It is left out if there is nothing to do but what the error's name says.
        # cause: the error below this one, as a word and its own number: tpm 0x101, errno 28, sqlite 13.
        interface org.coffer.Keychain

        # Who may read an item, and when.
        type AccessControl (
          # It is when-unlocked, after-first-unlock, passcode-set or always.
          accessibility: string,
          # The value opens on this machine's TPM only. A recovery code does not restore it.
          thisDeviceOnly: bool,
          # Each is presence, biometry, biometry-current-set, passcode or app-password.
          require: []string,
          # One of require is enough. Otherwise all of them are needed.
          any: bool
        )

        # The members of an access control that a call changes. An existing item keeps what is left out.
        # A new item gets the default: when-unlocked, false, nothing, false.
        type AccessChange (
          accessibility: ?string,
          thisDeviceOnly: ?bool,
          require: ?[]string,
          # It is false if it is left out beside require.
          any: ?bool
        )

        # An item without its value.
        type Item (
          id: string,
          service: string,
          account: string,
          # It is generic, internet, key, certificate or file. Items of different kinds have different names,
          # even if service and account are the same.
          kind: string,
          label: ?string,
          comment: ?string,
          attributes: [string]string,
          access: AccessControl,
          created: int,
          modified: int,
          expires: ?int,
          # Counts the item's values, from 1.
          version: int,
          # Names this state of the item. It is another one after any change of value, access, name or settings, and after a
          # renewal of its key. A state that was deleted never comes back under the same revision. See ifRevision.
          revision: string,
          # The enrolled fingers that the value is bound to, as Biometry of org.coffer.Authentication names them.
          # It is absent if the value is bound to none.
          biometrySet: ?string
        )

        # A value that an item had before.
        type FormerVersion (
          # The version that the item had with it.
          version: int,
          # When it was set.
          set: int,
          # What reading it takes: the item's access control of that time.
          access: AccessControl,
          # The broker does not give it out after this time. It may drop it earlier, to keep newer values of the item.
          until: int
        )

        # What a vault keeps of values that were replaced.
        type HistorySetting (
          # The most former values of one item, 0 to 10. 0: none.
          values: int,
          # For how many days, 0 to 366. 0: none.
          days: int
        )

        # The state of a vault.
        type VaultState (
          # It is none (no vault yet), sealed (not opened since the broker started), locked or unlocked.
          state: string,
          # Since when it is in this state.
          since: ?int,
          items: ?int,
          # True if opening the vault takes the login password. Otherwise it is absent.
          bound: ?bool,
          # The registers that the vault is tied to. It is absent if the vault is not tied to the boot.
          boot: ?[]int,
          # The NV index of the TPM's counter that reveals an older copy of the vault's file. It is absent if there is no counter.
          counter: ?int,
          # False: the TPM has not counted the last deletions or stricter access controls yet, so an older copy of the file can
          # still undo them. Otherwise it is absent.
          protected: ?bool
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
          # The registers that tell one boot from another.
          registers: []int,
          # The boots under which the vault opens.
          approved: []ApprovedBoot,
          # The present digest of these registers, hex.
          now: string,
          # The vault opens under this boot.
          isApproved: bool
        )

        # A digest that was measured in this boot, and the one that will replace it.
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
          # When the valid code was made. It is absent if there is none.
          made: ?int
        )

        # What seals the vault.
        type Sealer (
          # It is tpm or software.
          kind: string,
          manufacturer: ?string,
          model: ?string,
          # How the TPM is known, besides by the pinned storage key: certified, issuerUnknown, foreignCertificate, noCertificate.
          # It is absent if Diagnose was not called since the broker started.
          identity: ?string
        )

        # One record of the access log. It has names, and never a value.
        type LogRecord (
          # Its number. The next record's number is one higher.
          sequence: int,
          time: int,
          # What was done: create, unlock, lock, read, set, edit, rename, delete, recovery, bind, unbind, rotate, tie, release,
          # approve, lease (granted), lease-end.
          # rollback: an older copy of the vault's file was refused. accept: root has accepted one.
          # The log writes four events of its own. start: the log begins. dropped: old records were dropped.
          # broken: earlier records are missing or changed. cut: the end was lost, for example by a power cut.
          event: string,
          # It is done, or one word for why it was refused: expired, cancelled, locked, password, and so on.
          # authentication-required: a person was needed, but the program had none asked.
          # expired: nobody answered in time.
          outcome: string,
          uid: ?int,
          pid: ?int,
          # If resolved, the program that the process ran when it connected. Otherwise the name that the process gives itself.
          program: ?string,
          # The kernel named the program at that moment. The process may have run something else since.
          resolved: bool,
          controlGroup: ?string,
          item: ?string,
          service: ?string,
          account: ?string,
          # The item's kind. It is absent if that is generic.
          kind: ?string,
          require: []string,
          # Why the program asks, in its own words.
          reason: ?string,
          detail: ?string,
          # How many records before this one could not be written.
          missed: ?int
        )

        # Stores an item.
        # An item that is replaced keeps what is left out: access and each of its members, label, comment, attributes, expires.
        # An expired item keeps the same, except expires.
        # An empty label or comment, an empty list of attributes, and expires 0 remove what is there.
        method Set(
          service: string,
          account: string,
          # As Item.kind. It is generic if it is left out.
          kind: ?string,
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
          # The item must be in the state that this revision names. Otherwise the answer is Changed, and nothing is changed.
          ifRevision: ?string,
          # Base64. It is given exactly if the item requires app-password from then on.
          applicationPassword: ?string,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> (
          item: Item,
          # When the former value was set.
          replaced: ?int,
          # The version with the former value, if the vault keeps it. Restore brings it back.
          former: ?int,
          # False: an older copy of the vault's file can still undo the change of access, because too many changes of that sort
          # came before it. The change is on the disk, and the TPM counts it within 20 seconds. Otherwise it is absent.
          protected: ?bool
        )

        # One change of Apply.
        type Change (
          # It is set, delete or deleteService.
          action: string,
          service: string,
          # It is left out for deleteService, and only there.
          account: ?string,
          # As for Set. For deleteService: only items of this kind. If it is left out, items of all kinds.
          kind: ?string,
          # This one and what follows are as for Set, and only for set. ifRevision is for delete, too. Base64.
          value: ?string,
          access: ?AccessChange,
          label: ?string,
          comment: ?string,
          attributes: ?[string]string,
          expires: ?int,
          mode: ?string,
          ifRevision: ?string,
          applicationPassword: ?string
        )

        # What became of one change.
        type ChangeResult (
          # The item's id. It is absent if there was no item to delete, and if several were deleted.
          item: ?string,
          # The item's version and revision. They are there for set only.
          version: ?int,
          revision: ?string,
          # When the former value was set. It is there for a set that replaced one.
          replaced: ?int,
          # How many items were deleted.
          deleted: int
        )

        # Makes all of these changes in their order, or none of them. Nobody ever sees only some of them, not even after a crash.
        # An item that is to be deleted may be missing, unless ifRevision is given.
        # An error begins with the number of the change that it is about, from 1: "change 3: the item exists already".
        method Apply(
          changes: []Change,
          # later: an older copy of the vault's file may undo these changes for some minutes, as it may undo what was only written.
          # The call then never waits for the TPM. It is for caches and the like. Otherwise it is left out.
          rollback: ?string,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> (
          # One for each change, in the same order.
          results: []ChangeResult,
          # As for Set. It is absent with rollback.
          protected: ?bool
        )

        # Gives out an item's value.
        method Get(
          service: string,
          account: ?string,
          # As for Set.
          kind: ?string,
          # Gives out the value of this version, which may be a former one. Reading that takes what it took then.
          # If the item has no such value, or no longer, the answer is NotFound.
          version: ?int,
          # Why the program asks, in its own words.
          reason: ?string,
          # If the vault is locked, the answer is a challenge that also opens it, instead of Locked.
          unlock: ?bool,
          # Base64. It is given if the item requires app-password.
          # If any is set, giving it chooses this way, and leaving it out chooses the others.
          applicationPassword: ?string,
          # The program asks for another one, as the Secret Service does. No lease of its own is used, and the access log says so.
          forOthers: ?bool,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> (
          # Base64.
          value: string,
          item: Item
        )

        # An item that a call about several items names.
        type ItemName (
          service: string,
          # It is left out if the service has one account only.
          account: ?string,
          # As for Set.
          kind: ?string
        )

        # An item and its value.
        type ItemValue (
          # Base64.
          value: string,
          item: Item
        )

        # Gives out the values of several items, all or none. A person is asked once for all of them, and is shown every name.
        # If one item cannot be given out, nothing is, and nobody is asked. The error's message names that item.
        # No item may be named twice. An item that can be read only with an application password is refused (InvalidArgument).
        # There are 32 items at most, and the answer must fit into one message. Otherwise the answer is LimitExceeded.
        method GetAll(
          items: []ItemName,
          # Why the program asks, in its own words.
          reason: ?string,
          # As for Get.
          unlock: ?bool,
          # As for Get.
          forOthers: ?bool,
          # It is good for these items in this order, each in the version that the person was asked for.
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> (
          # In the order of the call.
          items: []ItemValue
        )

        # A lease: one process and its descendants read some items without a prompt, until it ends.
        type LeaseState (
          # Names the lease, for the log and for people. Knowing it permits nothing.
          id: int,
          # The process that has it, and its descendants.
          pid: int,
          # The command that it said it would run.
          command: ?string,
          # The program that the process ran when it connected, by the kernel's word.
          program: ?string,
          # The items that it still covers. An item that was changed since is no longer among them.
          items: []ItemName,
          granted: int,
          ends: int
        )

        # Grants the calling process and its descendants a lease: they read these items without a prompt for so long.
        # The purpose is lease. The person is shown the items, the time, the program, the command and the reason.
        # The authenticator signs for each read still, and only for these items in their present versions.
        # The lease ends with its time, with the process, with a lock, with EndLeases, and when the broker or the machine starts again.
        # An item that can be read only with an application password is refused (InvalidArgument). A locked vault is Locked.
        # There are 32 items at most, as for GetAll.
        method Lease(
          items: []ItemName,
          # How long it lasts, from the person's answer on. It is at least 1, and at most what root allows (lease-limit).
          seconds: int,
          # The command that the process is about to run, in its own words.
          command: ?string,
          # Why the program asks, in its own words.
          reason: ?string,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> (
          # It is absent if none of the items requires a person. Nobody was asked then, and no lease is needed.
          lease: ?LeaseState
        )

        # Ends all leases that the caller's user has from this vault. It asks nobody.
        method EndLeases(group: ?string, user: ?string) -> (
          # How many there were.
          ended: int
        )


        """#
}
