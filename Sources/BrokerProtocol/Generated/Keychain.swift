// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Item
import JSON
import Varlink

/// The vault of the calling user, or of one of their groups. The kernel says who calls (SO_PEERCRED). No parameter
/// does. Times are milliseconds since 1970-01-01 UTC. Values are base64.
///
/// Every method but CreateVault takes group and user. They say by name whose vault the call is about. A call has one
/// of them, or neither for the caller's own vault. group: the caller must be a member of it now. If the group does
/// not exist, has no vault or does not include the caller, the answer is NotFound. user: an account with a service
/// vault. Only root may name one. Otherwise the answer is NotPermitted.
///
/// What errors say. Programs tell errors apart by name, kind and code. These are words for a person: message: what
/// happened, as a clause without a capital and a full stop. advice: what to do about it, as such a clause. It is left
/// out if there is nothing to do but what the error's name says. cause: the error below this one, as a word and its
/// own number: tpm 0x101, errno 28, sqlite 13.
public enum Keychain {
    /// The interface's name.
    public static let interface = "org.coffer.Keychain"

    /// The interface file, word for word: what introspection gives out.
    public static let description = #"""
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

        # A field of an item, without its value.
        type Field (
          name: string,
          # What programs are to show it as: secret, otp (the seed of one-time codes), text (of several lines) or file.
          kind: string,
          # When its present value was set.
          set: int,
          # As Item.biometrySet.
          biometrySet: ?string
        )

        # An item without its values.
        type Item (
          id: string,
          service: string,
          account: string,
          # It is generic, internet, key, certificate, file or setting. Items of different kinds have different names,
          # even if service and account are the same. A setting is no secret: its access is always after-first-unlock, it requires
          # nothing, and it has the field secret alone.
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
          # The enrolled fingers that the field secret is bound to, as Biometry of org.coffer.Authentication names them.
          # It is absent if the field is bound to none.
          biometrySet: ?string,
          # All fields of the item: secret, if it has one, before the others. It is absent for an item that has secret alone.
          fields: ?[]Field,
          # When the item was put into the bin. It is absent for an item that is not there.
          deleted: ?int
        )

        # A value that an item had before.
        type FormerVersion (
          # The version that the item had with it.
          version: int,
          # The field that had it. It is absent for secret.
          field: ?string,
          # When it was set.
          set: int,
          # What reading it takes: the item's access control of that time.
          access: AccessControl,
          # The broker does not give it out after this time. It may drop it earlier, to keep newer values of the item.
          until: int
        )

        # What a vault keeps of values that were replaced, and of items that were deleted.
        type HistorySetting (
          # The most former values of one item, 0 to 10. 0: none.
          values: int,
          # For how many days, 0 to 366. 0: none.
          days: int,
          # For how many days the bin keeps deleted items, 0 to 366. 0: there is no bin, and what is deleted is gone at once.
          # A broker of an earlier version leaves it out, and has none.
          bin: ?int
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
          protected: ?bool,
          # True for a service vault: nobody can be asked for it, and only root opens it. Otherwise it is absent.
          service: ?bool
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
          # approve, lease (granted), lease-end, share (with other machines).
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

        # Stores a field of an item. All other fields of the item stay, unless the item has expired.
        # An item that is replaced keeps what is left out: access and each of its members, label, comment, attributes, expires.
        # An expired item keeps the same, except expires.
        # An empty label or comment, an empty list of attributes, and expires 0 remove what is there.
        # If the item has other fields, access must be as it is (InvalidArgument; Edit changes it). If they have an application
        # password, applicationPassword must be the same, and one of them is opened to check it, as Get does.
        method Set(
          service: string,
          account: string,
          # As Item.kind. It is generic if it is left out.
          kind: ?string,
          # The field that gets the value. It is secret if it is left out.
          field: ?string,
          # As Field.kind. If it is left out, the field keeps it. A new field is secret; otp and notes are otp and text.
          # For the field secret it is ignored.
          fieldKind: ?string,
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
          # When the former value of the field was set.
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
          # As for Set. For deleteService: only items of this kind. If it is left out, items of all kinds but settings.
          kind: ?string,
          # This one and what follows are as for Set, and only for set. ifRevision is for delete, too. Base64.
          value: ?string,
          field: ?string,
          fieldKind: ?string,
          access: ?AccessChange,
          label: ?string,
          comment: ?string,
          attributes: ?[string]string,
          expires: ?int,
          mode: ?string,
          ifRevision: ?string,
          applicationPassword: ?string,
          # For delete only, and as for Delete.
          bin: ?bool
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
        # A field beside others that have an application password is refused (InvalidArgument), because Set alone checks it.
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
          # The field that is given out. If it is left out, it is secret, or the field of the version.
          # If the item has no such field, the answer is NotFound, and its advice names those that there are.
          field: ?string,
          # Gives out the value of this version, which may be a former one. Reading that takes what it took then.
          # If the item has no such value, or no longer, the answer is NotFound.
          version: ?int,
          # Gives out this revision of the field, which another machine has set at the same time (Conflicts of org.coffer.Sync).
          # Reading that takes what reading the present value takes, and an unlocked vault.
          revision: ?string,
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

        # A field of an item that a call about several names.
        type ItemName (
          service: string,
          # It is left out if the service has one account only.
          account: ?string,
          # As for Set.
          kind: ?string,
          # It is secret if it is left out.
          field: ?string
        )

        # An item and its value.
        type ItemValue (
          # Base64.
          value: string,
          item: Item
        )

        # Gives out the values of several items, or of several fields of an item, all or none. A person is asked once for all of them, and is shown every name.
        # If one item cannot be given out, nothing is, and nobody is asked. The error's message names that item.
        # No field of an item may be named twice. An item that can be read only with an application password is refused (InvalidArgument).
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

        # Lists the values that an item's fields had before, the newest first. It asks nobody.
        method History(
          service: string,
          account: ?string,
          # As for Set.
          kind: ?string,
          group: ?string,
          user: ?string
        ) -> (item: Item, versions: []FormerVersion)

        # Makes a former value the present one of its field, with the access control that it had. That is never looser than the present one.
        # If the item has other fields, it must be the same (InvalidArgument).
        # It asks the person as reading that value does. The present value becomes a former one, unless its access is looser.
        method Restore(
          service: string,
          account: string,
          # As for Set.
          kind: ?string,
          # The field that gets it back. If it is left out, it is the field of the version; without a version, secret.
          field: ?string,
          # If it is left out: the newest former value of the field.
          version: ?int,
          # Why the program asks, in its own words.
          reason: ?string,
          # As for Get.
          unlock: ?bool,
          # Base64. It is always given if the former value has one, because it is sealed under it again.
          applicationPassword: ?string,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> (
          item: Item,
          # As for Set.
          protected: ?bool
        )

        # Takes an item out of the bin: of all deleted items of this name, the one that was deleted last. It is again as it was.
        # It asks nobody, because it reads no value. If another item has the name by now, it is AlreadyExists.
        method RestoreDeleted(
          service: string,
          account: string,
          # As for Set.
          kind: ?string,
          group: ?string,
          user: ?string
        ) -> (item: Item)

        # Changes what the vault keeps of values that are replaced and of items that are deleted. What is left out stays.
        # What is too much then is dropped at once.
        method SetHistory(
          # 0 to 10.
          values: ?int,
          # 0 to 366.
          days: ?int,
          # 0 to 366.
          bin: ?int,
          group: ?string,
          user: ?string
        ) -> (
          history: HistorySetting,
          # As for Set. It is about the former values and the deleted items that were dropped.
          protected: ?bool
        )

        # Withdraws a challenge, because the caller can have nobody asked.
        # The access log then records the request at once, and not only when the challenge expires.
        method Withdraw(challenge: string, group: ?string, user: ?string) -> ()

        # Tells whether an item exists.
        method Exists(
          service: string,
          account: ?string,
          # As for Set.
          kind: ?string,
          group: ?string,
          user: ?string
        ) -> (exists: bool)

        # Returns an item without its value.
        method Show(
          service: string,
          account: ?string,
          # As for Set.
          kind: ?string,
          group: ?string,
          user: ?string
        ) -> (item: Item)

        # Lists the items, sorted by service, then by account, then by kind. With the "more" flag each reply has one item.
        # Without it, the answer is ExpectedMore if there are more items than one message has room for.
        method List(
          service: ?string,
          # Only these accounts of the service, 32 at most. Accounts that have no item are left out.
          accounts: ?[]string,
          # Only items of this kind. If it is left out, items of all kinds but settings.
          kind: ?string,
          # True: the items of the bin instead, of all accounts. Of one name, the one that was deleted last comes first.
          deleted: ?bool,
          group: ?string,
          user: ?string
        ) -> (items: []Item)

        # Lists the items that have all of the attributes and contain the text. The order and the "more" flag are as for List.
        method Search(
          # Service, account, label or comment contains it, in upper or lower case. It has 4 KiB at most, as a comment.
          text: ?string,
          attributes: ?[string]string,
          # As for List.
          kind: ?string,
          group: ?string,
          user: ?string
        ) -> (items: []Item)

        # Something that happened in a vault.
        type Event (
          # It is added, updated or deleted (an item), locked or unlocked (the vault), sharing, or missed.
          # sharing: the vault has given out or taken in something, or its circle or its conflicts have changed.
          # See State and Conflicts of org.coffer.Sync.
          # missed: there were more events than the caller took, or another file took the place of the vault's.
          # Call List and Status to see what was left out.
          # A newer broker may know more of them. Take an event that you do not know for missed.
          event: string,
          # The item after the event, or the last one if it was deleted. It is absent in events of the vault.
          item: ?Item,
          # When it happened.
          time: int
        )

        # Tells what happens in the vault from now on. Without the "more" flag the answer is ExpectedMore.
        # The first reply comes at once. It has no events, and every event after it is told. So call List after it, not before.
        # Each further reply has some events, in the order in which they happened. A change is told when it is in the vault's file.
        # A renamed item is deleted, and then added with the same id.
        # The call has the right of List, which is checked before each reply. If the right has ended, so does the call.
        # If the caller's own vault does not exist yet, the call waits for it. It is no use of the vault.
        method Monitor(
          # Only items of this service. Events of the vault are always told.
          service: ?string,
          # As for List.
          kind: ?string,
          group: ?string,
          user: ?string
        ) -> (events: []Event)

        # Changes an item, but not its value. What is left out stays as it is.
        # An empty label, comment or attribute value removes it.
        # A change of access asks the person as reading does.
        method Edit(
          service: string,
          account: string,
          # As for Set.
          kind: ?string,
          access: ?AccessControl,
          label: ?string,
          comment: ?string,
          attributes: ?[string]string,
          # 0: never.
          expires: ?int,
          # These fields are removed. Their values become former ones. It is left out beside access.
          unset: ?[]string,
          # As for Set. It is left out beside access.
          ifRevision: ?string,
          # Why the program asks, in its own words.
          reason: ?string,
          # As for Get.
          unlock: ?bool,
          # The one that reading takes, base64.
          applicationPassword: ?string,
          # The one that access requires from now on, base64. It is left out if it stays the same.
          newApplicationPassword: ?string,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> (
          item: Item,
          # As for Set.
          protected: ?bool
        )

        # Gives one item a fresh key. Access, metadata and times stay the same.
        # It asks the person as Get does. The value stays in the broker.
        method Rotate(
          service: string,
          account: ?string,
          # As for Set.
          kind: ?string,
          # As for Get.
          unlock: ?bool,
          # Base64. It is always given if the item has one, because the fresh key is sealed under it too.
          applicationPassword: ?string,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> (item: Item)

        # Deletes an item. Nobody is asked.
        method Delete(
          service: string,
          account: string,
          # As for Set.
          kind: ?string,
          # As for Set.
          ifRevision: ?string,
          # As for Apply.
          rollback: ?string,
          # True: the item is put into the bin, where it stays for the days of the vault's setting (SetHistory). RestoreDeleted takes
          # it out again. If there is no bin, or if the item is of the kind file or setting, it is deleted for good.
          bin: ?bool,
          # True: deletes for good all items of this name that are in the bin, and no other. It takes neither ifRevision nor bin.
          inBin: ?bool,
          group: ?string,
          user: ?string
        ) -> (
          # The item as it was; of several, the one that was deleted last.
          item: Item,
          # Until when the bin keeps it. It is absent if the item is gone for good.
          until: ?int,
          # As for Apply.
          protected: ?bool
        )

        # Gives an item another name. An item with requirements asks the person as reading does, because prompts show its name.
        # The purpose is rename. The kind stays the same.
        method Rename(
          service: string,
          account: string,
          # As for Set.
          kind: ?string,
          newService: string,
          newAccount: string,
          # Why the program asks, in its own words.
          reason: ?string,
          # As for Get.
          unlock: ?bool,
          # As for Get, base64.
          applicationPassword: ?string,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> (item: Item)

        # Locks the vault at once, even while other calls use it. A group's vault is locked for all members.
        # For a locked vault the answer has no items.
        method Lock(group: ?string, user: ?string) -> (vault: VaultState)

        # Opens the vault, and makes it if there is none. A group's vault opens only while the caller's own is unlocked.
        method Unlock(
          challenge: ?string,
          # True binds the vault to the login password. False unbinds it, and destroys its items of class passcode-set.
          # If it is left out, nothing changes.
          bind: ?bool,
          group: ?string,
          user: ?string
        ) -> (vault: VaultState)

        # Makes a service vault, for an account that has no person to ask, and opens it. Only root may call this. Nobody is asked.
        method CreateVault(
          # The account's name.
          owner: string,
          challenge: ?string
        ) -> (vault: VaultState)

        # After Damaged of kind rollback, accepts a vault's file as the newest, although the TPM has not counted it.
        # Only root may call this, for anybody's vault. The vault's owner is asked.
        # From then on every other copy of the file is refused. If there is nothing to accept, the answer is AlreadyExists.
        method AcceptVault(challenge: ?string, group: ?string, user: ?string) -> (vault: VaultState)

        # Moves a vault's files aside, with its access log, so that a new vault can be made. Only root may call this, for anybody's vault.
        # Nothing is removed or replaced. SetAside of org.coffer.Authentication moves the registry's record, and completes it.
        # If the broker opens the vault, or cannot find out, the answer is NotPermitted or the TPM's error, unless force is true.
        method SetAsideVault(
          force: ?bool,
          group: ?string,
          user: ?string
        ) -> (
          # user:UID or group:GID.
          owner: string,
          # The time in the names of the files.
          stamp: string,
          # Where the vault's file is now. It is absent if there was none.
          file: ?string
        )

        # What locks a vault by itself.
        type LockCauses (
          # A locked screen.
          screen: bool,
          sleep: bool,
          # The vault locks after so many minutes without use. It is absent if it does not.
          idleMinutes: ?int
        )

        # Returns the state of the vault, and the guarantees that hold here.
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
          # It is absent if it is not known, because the vault was not opened yet.
          recovery: ?RecoveryState,
          # What the vault keeps of values that were replaced. It is absent if the vault was not opened yet.
          history: ?HistorySetting,
          # The leases that the caller's user has from this vault, the oldest first.
          leases: []LeaseState
        )

        # Makes a recovery code for the caller's own vault. An earlier code stays valid until ConfirmRecoveryCode.
        method NewRecoveryCode(challenge: ?string, group: ?string, user: ?string) -> (
          # Six groups of five characters, joined by hyphens.
          code: string,
          # The number of the group that ConfirmRecoveryCode must repeat, from 1.
          part: int
        )

        # Confirms the code that NewRecoveryCode gave to this process at most ten minutes ago. The code is then valid.
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
          # It is absent if the vault is not tied to the boot.
          boot: ?BootState
        )

        # The parts of the present boot that a tie to these registers holds.
        # Coffer takes them from the firmware's log, as far as the TPM's registers confirm the log.
        type BootCoverage (
          registers: []int,
          # held: a start with another command line is another boot. open: it is not. unknown: the firmware's log does not tell.
          commandLine: string,
          # The same for another initrd.
          initrd: string,
          # Each change of the boot menu is another boot, too. Nobody can approve such a change in advance.
          changesWithMenu: bool,
          # Why something is unknown.
          reason: ?string
        )

        # Tells what a tie would hold or holds. It asks no person.
        method TieCoverage(
          # If it is left out: 4, 7, and those that hold the kernel's command line and initrd here.
          registers: ?[]int,
          group: ?string,
          user: ?string
        ) -> (coverage: BootCoverage)

        # Ties the vault to the present boot, or releases it.
        # If there is no recovery code, the answer is Failed. If the vault is tied already, the answer is AlreadyExists.
        method TieToBoot(
          # Registers of the TPM's SHA-256 bank: 0 to 22, except 16. If it is left out, they are those of TieCoverage.
          registers: ?[]int,
          # True ties the vault even if the command line is not held. Otherwise the answer is then Failed.
          weak: ?bool,
          # True releases the vault from the boot.
          release: ?bool,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> (boot: ?BootState)

        # Approves a future boot. Boots that were approved stay approved.
        # Without replacements and values, it approves the present boot alone.
        method ApproveBoot(
          # The present boot with other measurements. Each group is for one file.
          # At least one digest of each group was measured in this boot.
          replacements: ?[][]Replacement,
          # The boot with these values in its registers. A register that is left out stays as it is now.
          values: ?[]RegisterValue,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> (boot: ?BootState)

        # An item's application password, for a call that is about several items.
        type ItemPassword (
          # The item's id.
          item: string,
          # Base64.
          password: string
        )

        # Renews all keys of the vault. Another vault with the same items takes its place. A group's vault is refused.
        # When the call is repeated with its challenge, it may ask once more, for items that one prompt could not name.
        method RotateAll(
          # One for each item that has one.
          applicationPasswords: ?[]ItemPassword,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> (
          # How many items were sealed anew. It is absent if nothing was done.
          items: ?int,
          # The items whose application password must come with the call. Nothing was done if there are any.
          passwords: []Item,
          # The TPM no longer holds the former keys. Otherwise the broker tries again whenever the vault is opened.
          revoked: bool
        )

        # Returns the access log of the caller's vault, the oldest records first, some hundreds at a time.
        method Log(
          # Only records from this time on.
          since: ?int,
          # Only records after the one with this number.
          after: ?int,
          group: ?string,
          user: ?string
        ) -> (
          records: []LogRecord,
          # There are more. Call again with the last record's number.
          more: bool,
          # What is wrong with the log, for people to read.
          problem: ?string
        )

        # The result of one check.
        type Finding (
          # A stable name (docs/doctor.md). A newer broker may know more of them.
          check: string,
          # It is ok, note (nothing to do) or problem.
          verdict: string,
          # For people to read.
          message: string,
          # What to do, for people to read.
          advice: ?string
        )

        # Checks the TPM, the broker's process and files, the PAM services and the clock, and every row of the caller's vault.
        # The answer has nothing secret, and nothing about other users. A user has one such call at a time.
        method Diagnose(group: ?string, user: ?string) -> (findings: []Finding)

        # Checks the whole access log.
        method VerifyLog(group: ?string, user: ?string) -> (
          whole: bool,
          # What is wrong, for people to read.
          problem: ?string,
          # How many records there are.
          records: int,
          # The number of the oldest record.
          first: ?int,
          # The number of the newest record.
          last: ?int
        )

        # A person is needed. Pass the challenge to Begin of org.coffer.Authentication.
        # Then repeat the call with the challenge, from the same process.
        error AuthenticationRequired (
          challenge: string,
          # What the person is asked for: create, unlock, read, change, rename, recovery, bind, unbind, rotate, accept,
          # tieToBoot, releaseFromBoot, approveBoot, lease.
          # For enrolment nobody is asked: the authenticator checks whether fingers are enrolled.
          purposes: []string,
          # A lease covers the request, so Begin needs nobody. The authenticator has the last word.
          leased: ?bool
        )
        # The challenge is unknown, used, too old, or for another process or item. Or the item changed since.
        # Start again without one.
        error ChallengeRefused (message: string, advice: ?string)
        # The item needs an application password, and the call had none. Ask for it, and repeat the call with it.
        error ApplicationPasswordRequired (message: string, advice: ?string)
        # The application password is wrong, or the item is damaged. Or there were too many tries, and the caller must wait.
        error ApplicationPasswordRefused (message: string, advice: ?string)
        # The item can be read only with fingers that are no longer enrolled.
        error FingersChanged (message: string, advice: ?string)
        # There is no such item or vault for this caller.
        error NotFound (message: string, advice: ?string)
        # The account was left out, and the service has several.
        error Ambiguous (
          message: string,
          advice: ?string,
          # The accounts of the service.
          accounts: []string
        )
        # The vault or item that the call would make exists already.
        error AlreadyExists (message: string, advice: ?string)
        # The item is not in the state that ifRevision names: it was changed or deleted since. Nothing was changed.
        error Changed (message: string, advice: ?string)
        # The vault is locked. Unlock opens it.
        error Locked (message: string, advice: ?string)
        # The caller may not do this.
        error NotPermitted (message: string, advice: ?string)
        # The vault's file is damaged, or is not the one that belongs here.
        error Damaged (
          message: string,
          advice: ?string,
          # It is rollback if the file is an older copy, or if the counter is gone. Root can accept the file (AcceptVault).
          # It is missing if the vault's file or its record in the registry is not there, or if another file was put in the
          # place of the open one. Putting it back ends the error.
          # It is item if one item's value, fields or former values are damaged. The message names the item. All other items
          # can be used.
          kind: ?string,
          cause: ?string
        )
        # The TPM could not do it.
        error TPM (
          message: string,
          advice: ?string,
          # It is unavailable, replaced, lockout, refused, exhausted, deadline, tries-used-up, other, or one of these.
          # unsupported: the TPM is too old. busy: the TPM spares its memory, and asks to try again later.
          # renewed: the keys were renewed since this copy was made.
          # boot: this boot was not approved. boot-index: the record of the approved boots is gone.
          # pin-index: the count of a bound vault's password tries is gone.
          kind: string,
          # The TPM's own code, or 0.
          code: int
        )
        # The caller has reached a limit.
        error LimitExceeded (message: string, advice: ?string)
        # A parameter cannot be used.
        error InvalidArgument (message: string, advice: ?string)
        # The broker could not do it. Neither the caller nor the TPM is the reason (for example, the disk is full).
        error Failed (
          message: string,
          advice: ?string,
          # It is stopping if the broker is about to end, as at an upgrade. The next one answers.
          kind: ?string,
          cause: ?string
        )

        """#

    /// The members of an access control that a call changes. An existing item keeps what is left out. A new item gets
    /// the default: when-unlocked, false, nothing, false.
    public struct AccessChange: JSONValue, Equatable {
        public var accessibility: AccessControl.Accessibility?
        public var thisDeviceOnly: Bool?
        public var require: [AccessControl.Requirement]?
        /// It is false if it is left out beside require.
        public var any: Bool?

        public init(
            accessibility: AccessControl.Accessibility? = nil, thisDeviceOnly: Bool? = nil,
            require: [AccessControl.Requirement]? = nil, any: Bool? = nil
        ) {
            self.accessibility = accessibility
            self.thisDeviceOnly = thisDeviceOnly
            self.require = require
            self.any = any
        }

        private static let jsonNames = ["accessibility", "any", "require", "thisDeviceOnly"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var accessibility: AccessControl.Accessibility?
            var thisDeviceOnly: Bool?
            var require: [AccessControl.Requirement]?
            var any: Bool?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: accessibility = try reader.read()
                case 1: any = try reader.read()
                case 2: require = try reader.read()
                default: thisDeviceOnly = try reader.read()
                }
            }
            self.init(accessibility: accessibility, thisDeviceOnly: thisDeviceOnly, require: require, any: any)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("accessibility", accessibility)
            writer.member("any", any)
            writer.member("require", require)
            writer.member("thisDeviceOnly", thisDeviceOnly)
            writer.endObject()
        }
    }

    /// A field of an item, without its value.
    public struct Field: JSONValue, Equatable {
        public var name: String
        /// What programs are to show it as: secret, otp (the seed of one-time codes), text (of several lines) or
        /// file.
        public var kind: FieldKind
        /// When its present value was set.
        public var set: Int64
        /// As Item.biometrySet.
        public var biometrySet: String?

        public init(name: String, kind: FieldKind, set: Int64, biometrySet: String? = nil) {
            self.name = name
            self.kind = kind
            self.set = set
            self.biometrySet = biometrySet
        }

        private static let jsonNames = ["biometrySet", "kind", "name", "set"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var name: String?
            var kind: FieldKind?
            var set: Int64?
            var biometrySet: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: biometrySet = try reader.read()
                case 1: kind = try reader.read()
                case 2: name = try reader.read()
                default: set = try reader.read()
                }
            }
            self.init(
                name: try members.required(name, "name"), kind: try members.required(kind, "kind"),
                set: try members.required(set, "set"), biometrySet: biometrySet
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("biometrySet", biometrySet)
            writer.member("kind", kind)
            writer.member("name", name)
            writer.member("set", set)
            writer.endObject()
        }
    }

    /// An item without its values.
    public struct Item: JSONValue, Equatable {
        public var id: String
        public var service: String
        public var account: String
        /// It is generic, internet, key, certificate, file or setting. Items of different kinds have different names,
        /// even if service and account are the same. A setting is no secret: its access is always after-first-unlock,
        /// it requires nothing, and it has the field secret alone.
        public var kind: ItemKind
        public var label: String?
        public var comment: String?
        public var attributes: [String: String]
        public var access: AccessControl
        public var created: Int64
        public var modified: Int64
        public var expires: Int64?
        /// Counts the item's values, from 1.
        public var version: Int64
        /// Names this state of the item. It is another one after any change of value, access, name or settings, and
        /// after a renewal of its key. A state that was deleted never comes back under the same revision. See
        /// ifRevision.
        public var revision: String
        /// The enrolled fingers that the field secret is bound to, as Biometry of org.coffer.Authentication names
        /// them. It is absent if the field is bound to none.
        public var biometrySet: String?
        /// All fields of the item: secret, if it has one, before the others. It is absent for an item that has secret
        /// alone.
        public var fields: [Field]?
        /// When the item was put into the bin. It is absent for an item that is not there.
        public var deleted: Int64?

        public init(
            id: String, service: String, account: String, kind: ItemKind = .genericPassword, label: String? = nil,
            comment: String? = nil, attributes: [String: String], access: AccessControl, created: Int64,
            modified: Int64, expires: Int64? = nil, version: Int64, revision: String = "", biometrySet: String? = nil,
            fields: [Field]? = nil, deleted: Int64? = nil
        ) {
            self.id = id
            self.service = service
            self.account = account
            self.kind = kind
            self.label = label
            self.comment = comment
            self.attributes = attributes
            self.access = access
            self.created = created
            self.modified = modified
            self.expires = expires
            self.version = version
            self.revision = revision
            self.biometrySet = biometrySet
            self.fields = fields
            self.deleted = deleted
        }

        private static let jsonNames = [
            "access", "account", "attributes", "biometrySet", "comment", "created", "deleted", "expires", "fields",
            "id", "kind", "label", "modified", "revision", "service", "version",
        ]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var id: String?
            var service: String?
            var account: String?
            var kind: ItemKind?
            var label: String?
            var comment: String?
            var attributes: [String: String]?
            var access: AccessControl?
            var created: Int64?
            var modified: Int64?
            var expires: Int64?
            var version: Int64?
            var revision: String?
            var biometrySet: String?
            var fields: [Field]?
            var deleted: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: access = try reader.read()
                case 1: account = try reader.read()
                case 2: attributes = try reader.read()
                case 3: biometrySet = try reader.read()
                case 4: comment = try reader.read()
                case 5: created = try reader.read()
                case 6: deleted = try reader.read()
                case 7: expires = try reader.read()
                case 8: fields = try reader.read()
                case 9: id = try reader.read()
                case 10: kind = try reader.read()
                case 11: label = try reader.read()
                case 12: modified = try reader.read()
                case 13: revision = try reader.read()
                case 14: service = try reader.read()
                default: version = try reader.read()
                }
            }
            self.init(
                id: try members.required(id, "id"), service: try members.required(service, "service"),
                account: try members.required(account, "account"), kind: try members.required(kind, "kind"),
                label: label, comment: comment, attributes: try members.required(attributes, "attributes"),
                access: try members.required(access, "access"), created: try members.required(created, "created"),
                modified: try members.required(modified, "modified"), expires: expires,
                version: try members.required(version, "version"), revision: try members.required(revision, "revision"),
                biometrySet: biometrySet, fields: fields, deleted: deleted
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("access", access)
            writer.member("account", account)
            writer.member("attributes", attributes)
            writer.member("biometrySet", biometrySet)
            writer.member("comment", comment)
            writer.member("created", created)
            writer.member("deleted", deleted)
            writer.member("expires", expires)
            writer.member("fields", fields)
            writer.member("id", id)
            writer.member("kind", kind)
            writer.member("label", label)
            writer.member("modified", modified)
            writer.member("revision", revision)
            writer.member("service", service)
            writer.member("version", version)
            writer.endObject()
        }
    }

    /// A value that an item had before.
    public struct FormerVersion: JSONValue, Equatable {
        /// The version that the item had with it.
        public var version: Int64
        /// The field that had it. It is absent for secret.
        public var field: String?
        /// When it was set.
        public var set: Int64
        /// What reading it takes: the item's access control of that time.
        public var access: AccessControl
        /// The broker does not give it out after this time. It may drop it earlier, to keep newer values of the item.
        public var until: Int64

        public init(version: Int64, field: String? = nil, set: Int64, access: AccessControl, until: Int64) {
            self.version = version
            self.field = field
            self.set = set
            self.access = access
            self.until = until
        }

        private static let jsonNames = ["access", "field", "set", "until", "version"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var version: Int64?
            var field: String?
            var set: Int64?
            var access: AccessControl?
            var until: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: access = try reader.read()
                case 1: field = try reader.read()
                case 2: set = try reader.read()
                case 3: until = try reader.read()
                default: version = try reader.read()
                }
            }
            self.init(
                version: try members.required(version, "version"), field: field, set: try members.required(set, "set"),
                access: try members.required(access, "access"), until: try members.required(until, "until")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("access", access)
            writer.member("field", field)
            writer.member("set", set)
            writer.member("until", until)
            writer.member("version", version)
            writer.endObject()
        }
    }

    /// What a vault keeps of values that were replaced, and of items that were deleted.
    public struct HistorySetting: JSONValue, Equatable {
        /// The most former values of one item, 0 to 10. 0: none.
        public var values: Int64
        /// For how many days, 0 to 366. 0: none.
        public var days: Int64
        /// For how many days the bin keeps deleted items, 0 to 366. 0: there is no bin, and what is deleted is gone
        /// at once. A broker of an earlier version leaves it out, and has none.
        public var bin: Int64?

        public init(values: Int64, days: Int64, bin: Int64? = nil) {
            self.values = values
            self.days = days
            self.bin = bin
        }

        private static let jsonNames = ["bin", "days", "values"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var values: Int64?
            var days: Int64?
            var bin: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: bin = try reader.read()
                case 1: days = try reader.read()
                default: values = try reader.read()
                }
            }
            self.init(
                values: try members.required(values, "values"), days: try members.required(days, "days"), bin: bin
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("bin", bin)
            writer.member("days", days)
            writer.member("values", values)
            writer.endObject()
        }
    }

    /// The state of a vault.
    public struct VaultState: JSONValue, Equatable {
        /// It is none (no vault yet), sealed (not opened since the broker started), locked or unlocked.
        public var state: State
        /// Since when it is in this state.
        public var since: Int64?
        public var items: Int64?
        /// True if opening the vault takes the login password. Otherwise it is absent.
        public var bound: Bool?
        /// The registers that the vault is tied to. It is absent if the vault is not tied to the boot.
        public var boot: [Int64]?
        /// The NV index of the TPM's counter that reveals an older copy of the vault's file. It is absent if there is
        /// no counter.
        public var counter: Int64?
        /// False: the TPM has not counted the last deletions or stricter access controls yet, so an older copy of the
        /// file can still undo them. Otherwise it is absent.
        public var protected: Bool?
        /// True for a service vault: nobody can be asked for it, and only root opens it. Otherwise it is absent.
        public var service: Bool?

        public init(
            state: State, since: Int64? = nil, items: Int64? = nil, bound: Bool? = nil, boot: [Int64]? = nil,
            counter: Int64? = nil, protected: Bool? = nil, service: Bool? = nil
        ) {
            self.state = state
            self.since = since
            self.items = items
            self.bound = bound
            self.boot = boot
            self.counter = counter
            self.protected = protected
            self.service = service
        }

        private static let jsonNames = [
            "boot", "bound", "counter", "items", "protected", "service", "since", "state",
        ]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var state: State?
            var since: Int64?
            var items: Int64?
            var bound: Bool?
            var boot: [Int64]?
            var counter: Int64?
            var protected: Bool?
            var service: Bool?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: boot = try reader.read()
                case 1: bound = try reader.read()
                case 2: counter = try reader.read()
                case 3: items = try reader.read()
                case 4: protected = try reader.read()
                case 5: service = try reader.read()
                case 6: since = try reader.read()
                default: state = try reader.read()
                }
            }
            self.init(
                state: try members.required(state, "state"), since: since, items: items, bound: bound, boot: boot,
                counter: counter, protected: protected, service: service
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("boot", boot)
            writer.member("bound", bound)
            writer.member("counter", counter)
            writer.member("items", items)
            writer.member("protected", protected)
            writer.member("service", service)
            writer.member("since", since)
            writer.member("state", state)
            writer.endObject()
        }
    }

    /// A boot under which a vault opens.
    public struct ApprovedBoot: JSONValue, Equatable {
        /// SHA-256 over the values of the vault's registers in their order, hex.
        public var digest: String
        /// When it was approved.
        public var approved: Int64

        public init(digest: String, approved: Int64) {
            self.digest = digest
            self.approved = approved
        }

        private static let jsonNames = ["approved", "digest"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var digest: String?
            var approved: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: approved = try reader.read()
                default: digest = try reader.read()
                }
            }
            self.init(
                digest: try members.required(digest, "digest"), approved: try members.required(approved, "approved")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("approved", approved)
            writer.member("digest", digest)
            writer.endObject()
        }
    }

    /// How a vault is tied to the measured boot.
    public struct BootState: JSONValue, Equatable {
        /// The registers that tell one boot from another.
        public var registers: [Int64]
        /// The boots under which the vault opens.
        public var approved: [ApprovedBoot]
        /// The present digest of these registers, hex.
        public var now: String
        /// The vault opens under this boot.
        public var isApproved: Bool

        public init(registers: [Int64], approved: [ApprovedBoot], now: String, isApproved: Bool) {
            self.registers = registers
            self.approved = approved
            self.now = now
            self.isApproved = isApproved
        }

        private static let jsonNames = ["approved", "isApproved", "now", "registers"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var registers: [Int64]?
            var approved: [ApprovedBoot]?
            var now: String?
            var isApproved: Bool?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: approved = try reader.read()
                case 1: isApproved = try reader.read()
                case 2: now = try reader.read()
                default: registers = try reader.read()
                }
            }
            self.init(
                registers: try members.required(registers, "registers"),
                approved: try members.required(approved, "approved"), now: try members.required(now, "now"),
                isApproved: try members.required(isApproved, "isApproved")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("approved", approved)
            writer.member("isApproved", isApproved)
            writer.member("now", now)
            writer.member("registers", registers)
            writer.endObject()
        }
    }

    /// A digest that was measured in this boot, and the one that will replace it.
    public struct Replacement: JSONValue, Equatable {
        /// SHA-256, hex.
        public var old: String
        /// SHA-256, hex.
        public var new: String

        public init(old: String, new: String) {
            self.old = old
            self.new = new
        }

        private static let jsonNames = ["new", "old"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var old: String?
            var new: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: new = try reader.read()
                default: old = try reader.read()
                }
            }
            self.init(old: try members.required(old, "old"), new: try members.required(new, "new"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("new", new)
            writer.member("old", old)
            writer.endObject()
        }
    }

    /// What a register will hold.
    public struct RegisterValue: JSONValue, Equatable {
        public var register: Int64
        /// SHA-256, hex.
        public var value: String

        public init(register: Int64, value: String) {
            self.register = register
            self.value = value
        }

        private static let jsonNames = ["register", "value"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var register: Int64?
            var value: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: register = try reader.read()
                default: value = try reader.read()
                }
            }
            self.init(register: try members.required(register, "register"), value: try members.required(value, "value"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("register", register)
            writer.member("value", value)
            writer.endObject()
        }
    }

    /// Whether there is a recovery code.
    public struct RecoveryState: JSONValue, Equatable {
        /// When the valid code was made. It is absent if there is none.
        public var made: Int64?

        public init(made: Int64? = nil) { self.made = made }

        private static let jsonNames = ["made"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var made: Int64?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { made = try reader.read() }
            self.init(made: made)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("made", made)
            writer.endObject()
        }
    }

    /// What seals the vault.
    public struct Sealer: JSONValue, Equatable {
        /// It is tpm or software.
        public var kind: String
        public var manufacturer: String?
        public var model: String?
        /// How the TPM is known, besides by the pinned storage key: certified, issuerUnknown, foreignCertificate,
        /// noCertificate. It is absent if Diagnose was not called since the broker started.
        public var identity: String?

        public init(kind: String, manufacturer: String? = nil, model: String? = nil, identity: String? = nil) {
            self.kind = kind
            self.manufacturer = manufacturer
            self.model = model
            self.identity = identity
        }

        private static let jsonNames = ["identity", "kind", "manufacturer", "model"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var kind: String?
            var manufacturer: String?
            var model: String?
            var identity: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: identity = try reader.read()
                case 1: kind = try reader.read()
                case 2: manufacturer = try reader.read()
                default: model = try reader.read()
                }
            }
            self.init(
                kind: try members.required(kind, "kind"), manufacturer: manufacturer, model: model, identity: identity
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("identity", identity)
            writer.member("kind", kind)
            writer.member("manufacturer", manufacturer)
            writer.member("model", model)
            writer.endObject()
        }
    }

    /// One record of the access log. It has names, and never a value.
    public struct LogRecord: JSONValue, Equatable {
        /// Its number. The next record's number is one higher.
        public var sequence: Int64
        public var time: Int64
        /// What was done: create, unlock, lock, read, set, edit, rename, delete, recovery, bind, unbind, rotate, tie,
        /// release, approve, lease (granted), lease-end, share (with other machines). rollback: an older copy of the
        /// vault's file was refused. accept: root has accepted one. The log writes four events of its own. start: the
        /// log begins. dropped: old records were dropped. broken: earlier records are missing or changed. cut: the
        /// end was lost, for example by a power cut.
        public var event: String
        /// It is done, or one word for why it was refused: expired, cancelled, locked, password, and so on.
        /// authentication-required: a person was needed, but the program had none asked. expired: nobody answered in
        /// time.
        public var outcome: String
        public var uid: Int64?
        public var pid: Int64?
        /// If resolved, the program that the process ran when it connected. Otherwise the name that the process gives
        /// itself.
        public var program: String?
        /// The kernel named the program at that moment. The process may have run something else since.
        public var resolved: Bool
        public var controlGroup: String?
        public var item: String?
        public var service: String?
        public var account: String?
        /// The item's kind. It is absent if that is generic.
        public var kind: ItemKind?
        public var require: [String]
        /// Why the program asks, in its own words.
        public var reason: String?
        public var detail: String?
        /// How many records before this one could not be written.
        public var missed: Int64?

        public init(
            sequence: Int64, time: Int64, event: String, outcome: String, uid: Int64? = nil, pid: Int64? = nil,
            program: String? = nil, resolved: Bool, controlGroup: String? = nil, item: String? = nil,
            service: String? = nil, account: String? = nil, kind: ItemKind? = nil, require: [String],
            reason: String? = nil, detail: String? = nil, missed: Int64? = nil
        ) {
            self.sequence = sequence
            self.time = time
            self.event = event
            self.outcome = outcome
            self.uid = uid
            self.pid = pid
            self.program = program
            self.resolved = resolved
            self.controlGroup = controlGroup
            self.item = item
            self.service = service
            self.account = account
            self.kind = kind
            self.require = require
            self.reason = reason
            self.detail = detail
            self.missed = missed
        }

        private static let jsonNames = [
            "account", "controlGroup", "detail", "event", "item", "kind", "missed", "outcome", "pid", "program",
            "reason", "require", "resolved", "sequence", "service", "time", "uid",
        ]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var sequence: Int64?
            var time: Int64?
            var event: String?
            var outcome: String?
            var uid: Int64?
            var pid: Int64?
            var program: String?
            var resolved: Bool?
            var controlGroup: String?
            var item: String?
            var service: String?
            var account: String?
            var kind: ItemKind?
            var require: [String]?
            var reason: String?
            var detail: String?
            var missed: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: controlGroup = try reader.read()
                case 2: detail = try reader.read()
                case 3: event = try reader.read()
                case 4: item = try reader.read()
                case 5: kind = try reader.read()
                case 6: missed = try reader.read()
                case 7: outcome = try reader.read()
                case 8: pid = try reader.read()
                case 9: program = try reader.read()
                case 10: reason = try reader.read()
                case 11: require = try reader.read()
                case 12: resolved = try reader.read()
                case 13: sequence = try reader.read()
                case 14: service = try reader.read()
                case 15: time = try reader.read()
                default: uid = try reader.read()
                }
            }
            self.init(
                sequence: try members.required(sequence, "sequence"), time: try members.required(time, "time"),
                event: try members.required(event, "event"), outcome: try members.required(outcome, "outcome"),
                uid: uid, pid: pid, program: program, resolved: try members.required(resolved, "resolved"),
                controlGroup: controlGroup, item: item, service: service, account: account, kind: kind,
                require: try members.required(require, "require"), reason: reason, detail: detail, missed: missed
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("controlGroup", controlGroup)
            writer.member("detail", detail)
            writer.member("event", event)
            writer.member("item", item)
            writer.member("kind", kind)
            writer.member("missed", missed)
            writer.member("outcome", outcome)
            writer.member("pid", pid)
            writer.member("program", program)
            writer.member("reason", reason)
            writer.member("require", require)
            writer.member("resolved", resolved)
            writer.member("sequence", sequence)
            writer.member("service", service)
            writer.member("time", time)
            writer.member("uid", uid)
            writer.endObject()
        }
    }

    /// One change of Apply.
    public struct Change: JSONValue, Equatable {
        /// It is set, delete or deleteService.
        public var action: Action
        public var service: String
        /// It is left out for deleteService, and only there.
        public var account: String?
        /// As for Set. For deleteService: only items of this kind. If it is left out, items of all kinds but
        /// settings.
        public var kind: ItemKind?
        /// This one and what follows are as for Set, and only for set. ifRevision is for delete, too. Base64.
        public var value: String?
        public var field: String?
        public var fieldKind: FieldKind?
        public var access: AccessChange?
        public var label: String?
        public var comment: String?
        public var attributes: [String: String]?
        public var expires: Int64?
        public var mode: SetMode?
        public var ifRevision: String?
        public var applicationPassword: String?
        /// For delete only, and as for Delete.
        public var bin: Bool?

        public init(
            action: Action, service: String, account: String? = nil, kind: ItemKind? = nil, value: String? = nil,
            field: String? = nil, fieldKind: FieldKind? = nil, access: AccessChange? = nil, label: String? = nil,
            comment: String? = nil, attributes: [String: String]? = nil, expires: Int64? = nil, mode: SetMode? = nil,
            ifRevision: String? = nil, applicationPassword: String? = nil, bin: Bool? = nil
        ) {
            self.action = action
            self.service = service
            self.account = account
            self.kind = kind
            self.value = value
            self.field = field
            self.fieldKind = fieldKind
            self.access = access
            self.label = label
            self.comment = comment
            self.attributes = attributes
            self.expires = expires
            self.mode = mode
            self.ifRevision = ifRevision
            self.applicationPassword = applicationPassword
            self.bin = bin
        }

        private static let jsonNames = [
            "access", "account", "action", "applicationPassword", "attributes", "bin", "comment", "expires",
            "field", "fieldKind", "ifRevision", "kind", "label", "mode", "service", "value",
        ]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var action: Action?
            var service: String?
            var account: String?
            var kind: ItemKind?
            var value: String?
            var field: String?
            var fieldKind: FieldKind?
            var access: AccessChange?
            var label: String?
            var comment: String?
            var attributes: [String: String]?
            var expires: Int64?
            var mode: SetMode?
            var ifRevision: String?
            var applicationPassword: String?
            var bin: Bool?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: access = try reader.read()
                case 1: account = try reader.read()
                case 2: action = try reader.read()
                case 3: applicationPassword = try reader.read()
                case 4: attributes = try reader.read()
                case 5: bin = try reader.read()
                case 6: comment = try reader.read()
                case 7: expires = try reader.read()
                case 8: field = try reader.read()
                case 9: fieldKind = try reader.read()
                case 10: ifRevision = try reader.read()
                case 11: kind = try reader.read()
                case 12: label = try reader.read()
                case 13: mode = try reader.read()
                case 14: service = try reader.read()
                default: value = try reader.read()
                }
            }
            self.init(
                action: try members.required(action, "action"), service: try members.required(service, "service"),
                account: account, kind: kind, value: value, field: field, fieldKind: fieldKind, access: access,
                label: label, comment: comment, attributes: attributes, expires: expires, mode: mode,
                ifRevision: ifRevision, applicationPassword: applicationPassword, bin: bin
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("access", access)
            writer.member("account", account)
            writer.member("action", action)
            writer.member("applicationPassword", applicationPassword)
            writer.member("attributes", attributes)
            writer.member("bin", bin)
            writer.member("comment", comment)
            writer.member("expires", expires)
            writer.member("field", field)
            writer.member("fieldKind", fieldKind)
            writer.member("ifRevision", ifRevision)
            writer.member("kind", kind)
            writer.member("label", label)
            writer.member("mode", mode)
            writer.member("service", service)
            writer.member("value", value)
            writer.endObject()
        }
    }

    /// What became of one change.
    public struct ChangeResult: JSONValue, Equatable {
        /// The item's id. It is absent if there was no item to delete, and if several were deleted.
        public var item: String?
        /// The item's version and revision. They are there for set only.
        public var version: Int64?
        public var revision: String?
        /// When the former value was set. It is there for a set that replaced one.
        public var replaced: Int64?
        /// How many items were deleted.
        public var deleted: Int64

        public init(
            item: String? = nil, version: Int64? = nil, revision: String? = nil, replaced: Int64? = nil,
            deleted: Int64 = 0
        ) {
            self.item = item
            self.version = version
            self.revision = revision
            self.replaced = replaced
            self.deleted = deleted
        }

        private static let jsonNames = ["deleted", "item", "replaced", "revision", "version"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var item: String?
            var version: Int64?
            var revision: String?
            var replaced: Int64?
            var deleted: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: deleted = try reader.read()
                case 1: item = try reader.read()
                case 2: replaced = try reader.read()
                case 3: revision = try reader.read()
                default: version = try reader.read()
                }
            }
            self.init(
                item: item, version: version, revision: revision, replaced: replaced,
                deleted: try members.required(deleted, "deleted")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("deleted", deleted)
            writer.member("item", item)
            writer.member("replaced", replaced)
            writer.member("revision", revision)
            writer.member("version", version)
            writer.endObject()
        }
    }

    /// A field of an item that a call about several names.
    public struct ItemName: JSONValue, Equatable {
        public var service: String
        /// It is left out if the service has one account only.
        public var account: String?
        /// As for Set.
        public var kind: ItemKind?
        /// It is secret if it is left out.
        public var field: String?

        public init(service: String, account: String? = nil, kind: ItemKind? = nil, field: String? = nil) {
            self.service = service
            self.account = account
            self.kind = kind
            self.field = field
        }

        private static let jsonNames = ["account", "field", "kind", "service"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
            var field: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: field = try reader.read()
                case 2: kind = try reader.read()
                default: service = try reader.read()
                }
            }
            self.init(service: try members.required(service, "service"), account: account, kind: kind, field: field)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("field", field)
            writer.member("kind", kind)
            writer.member("service", service)
            writer.endObject()
        }
    }

    /// An item and its value.
    public struct ItemValue: JSONValue, Equatable {
        /// Base64.
        public var value: String
        public var item: Item

        public init(value: String, item: Item) {
            self.value = value
            self.item = item
        }

        private static let jsonNames = ["item", "value"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var value: String?
            var item: Item?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: item = try reader.read()
                default: value = try reader.read()
                }
            }
            self.init(value: try members.required(value, "value"), item: try members.required(item, "item"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("item", item)
            writer.member("value", value)
            writer.endObject()
        }
    }

    /// A lease: one process and its descendants read some items without a prompt, until it ends.
    public struct LeaseState: JSONValue, Equatable {
        /// Names the lease, for the log and for people. Knowing it permits nothing.
        public var id: Int64
        /// The process that has it, and its descendants.
        public var pid: Int64
        /// The command that it said it would run.
        public var command: String?
        /// The program that the process ran when it connected, by the kernel's word.
        public var program: String?
        /// The items that it still covers. An item that was changed since is no longer among them.
        public var items: [ItemName]
        public var granted: Int64
        public var ends: Int64

        public init(
            id: Int64, pid: Int64, command: String? = nil, program: String? = nil, items: [ItemName], granted: Int64,
            ends: Int64
        ) {
            self.id = id
            self.pid = pid
            self.command = command
            self.program = program
            self.items = items
            self.granted = granted
            self.ends = ends
        }

        private static let jsonNames = ["command", "ends", "granted", "id", "items", "pid", "program"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var id: Int64?
            var pid: Int64?
            var command: String?
            var program: String?
            var items: [ItemName]?
            var granted: Int64?
            var ends: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: command = try reader.read()
                case 1: ends = try reader.read()
                case 2: granted = try reader.read()
                case 3: id = try reader.read()
                case 4: items = try reader.read()
                case 5: pid = try reader.read()
                default: program = try reader.read()
                }
            }
            self.init(
                id: try members.required(id, "id"), pid: try members.required(pid, "pid"), command: command,
                program: program, items: try members.required(items, "items"),
                granted: try members.required(granted, "granted"), ends: try members.required(ends, "ends")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("command", command)
            writer.member("ends", ends)
            writer.member("granted", granted)
            writer.member("id", id)
            writer.member("items", items)
            writer.member("pid", pid)
            writer.member("program", program)
            writer.endObject()
        }
    }

    /// Something that happened in a vault.
    public struct Event: JSONValue, Equatable {
        /// It is added, updated or deleted (an item), locked or unlocked (the vault), sharing, or missed. sharing:
        /// the vault has given out or taken in something, or its circle or its conflicts have changed. See State and
        /// Conflicts of org.coffer.Sync. missed: there were more events than the caller took, or another file took
        /// the place of the vault's. Call List and Status to see what was left out. A newer broker may know more of
        /// them. Take an event that you do not know for missed.
        public var event: Kind
        /// The item after the event, or the last one if it was deleted. It is absent in events of the vault.
        public var item: Item?
        /// When it happened.
        public var time: Int64

        public init(event: Kind, item: Item? = nil, time: Int64) {
            self.event = event
            self.item = item
            self.time = time
        }

        private static let jsonNames = ["event", "item", "time"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var event: Kind?
            var item: Item?
            var time: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: event = try reader.read()
                case 1: item = try reader.read()
                default: time = try reader.read()
                }
            }
            self.init(event: try members.required(event, "event"), item: item, time: try members.required(time, "time"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("event", event)
            writer.member("item", item)
            writer.member("time", time)
            writer.endObject()
        }
    }

    /// What locks a vault by itself.
    public struct LockCauses: JSONValue, Equatable {
        /// A locked screen.
        public var screen: Bool
        public var sleep: Bool
        /// The vault locks after so many minutes without use. It is absent if it does not.
        public var idleMinutes: Int64?

        public init(screen: Bool = false, sleep: Bool = false, idleMinutes: Int64? = nil) {
            self.screen = screen
            self.sleep = sleep
            self.idleMinutes = idleMinutes
        }

        private static let jsonNames = ["idleMinutes", "screen", "sleep"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var screen: Bool?
            var sleep: Bool?
            var idleMinutes: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: idleMinutes = try reader.read()
                case 1: screen = try reader.read()
                default: sleep = try reader.read()
                }
            }
            self.init(
                screen: try members.required(screen, "screen"), sleep: try members.required(sleep, "sleep"),
                idleMinutes: idleMinutes
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("idleMinutes", idleMinutes)
            writer.member("screen", screen)
            writer.member("sleep", sleep)
            writer.endObject()
        }
    }

    /// The parts of the present boot that a tie to these registers holds. Coffer takes them from the firmware's log,
    /// as far as the TPM's registers confirm the log.
    public struct BootCoverage: JSONValue, Equatable {
        public var registers: [Int64]
        /// held: a start with another command line is another boot. open: it is not. unknown: the firmware's log does
        /// not tell.
        public var commandLine: Part
        /// The same for another initrd.
        public var initrd: Part
        /// Each change of the boot menu is another boot, too. Nobody can approve such a change in advance.
        public var changesWithMenu: Bool
        /// Why something is unknown.
        public var reason: String?

        public init(registers: [Int64], commandLine: Part, initrd: Part, changesWithMenu: Bool, reason: String? = nil) {
            self.registers = registers
            self.commandLine = commandLine
            self.initrd = initrd
            self.changesWithMenu = changesWithMenu
            self.reason = reason
        }

        private static let jsonNames = ["changesWithMenu", "commandLine", "initrd", "reason", "registers"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var registers: [Int64]?
            var commandLine: Part?
            var initrd: Part?
            var changesWithMenu: Bool?
            var reason: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: changesWithMenu = try reader.read()
                case 1: commandLine = try reader.read()
                case 2: initrd = try reader.read()
                case 3: reason = try reader.read()
                default: registers = try reader.read()
                }
            }
            self.init(
                registers: try members.required(registers, "registers"),
                commandLine: try members.required(commandLine, "commandLine"),
                initrd: try members.required(initrd, "initrd"),
                changesWithMenu: try members.required(changesWithMenu, "changesWithMenu"), reason: reason
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("changesWithMenu", changesWithMenu)
            writer.member("commandLine", commandLine)
            writer.member("initrd", initrd)
            writer.member("reason", reason)
            writer.member("registers", registers)
            writer.endObject()
        }
    }

    /// An item's application password, for a call that is about several items.
    public struct ItemPassword: JSONValue, Equatable {
        /// The item's id.
        public var item: String
        /// Base64.
        public var password: String

        public init(item: String, password: String) {
            self.item = item
            self.password = password
        }

        private static let jsonNames = ["item", "password"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var item: String?
            var password: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: item = try reader.read()
                default: password = try reader.read()
                }
            }
            self.init(item: try members.required(item, "item"), password: try members.required(password, "password"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("item", item)
            writer.member("password", password)
            writer.endObject()
        }
    }

    /// The result of one check.
    public struct Finding: JSONValue, Equatable {
        /// A stable name (docs/doctor.md). A newer broker may know more of them.
        public var check: String
        /// It is ok, note (nothing to do) or problem.
        public var verdict: Verdict
        /// For people to read.
        public var message: String
        /// What to do, for people to read.
        public var advice: String?

        public init(check: String, verdict: Verdict, message: String, advice: String? = nil) {
            self.check = check
            self.verdict = verdict
            self.message = message
            self.advice = advice
        }

        private static let jsonNames = ["advice", "check", "message", "verdict"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var check: String?
            var verdict: Verdict?
            var message: String?
            var advice: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: advice = try reader.read()
                case 1: check = try reader.read()
                case 2: message = try reader.read()
                default: verdict = try reader.read()
                }
            }
            self.init(
                check: try members.required(check, "check"), verdict: try members.required(verdict, "verdict"),
                message: try members.required(message, "message"), advice: advice
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("advice", advice)
            writer.member("check", check)
            writer.member("message", message)
            writer.member("verdict", verdict)
            writer.endObject()
        }
    }

    /// What Show, Rotate, Rename and RestoreDeleted reply.
    public struct ItemReply: JSONValue, Equatable {
        public var item: Item

        public init(item: Item) { self.item = item }

        private static let jsonNames = ["item"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var item: Item?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { item = try reader.read() }
            self.init(item: try members.required(item, "item"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("item", item)
            writer.endObject()
        }
    }

    /// What Edit and Restore reply.
    public struct ChangedItemReply: JSONValue, Equatable {
        public var item: Item
        /// As for Set.
        public var protected: Bool?

        public init(item: Item, protected: Bool? = nil) {
            self.item = item
            self.protected = protected
        }

        private static let jsonNames = ["item", "protected"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var item: Item?
            var protected: Bool?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: item = try reader.read()
                default: protected = try reader.read()
                }
            }
            self.init(item: try members.required(item, "item"), protected: protected)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("item", item)
            writer.member("protected", protected)
            writer.endObject()
        }
    }

    /// What List and Search reply.
    public struct ItemsReply: JSONValue, Equatable {
        public var items: [Item]

        public init(items: [Item]) { self.items = items }

        private static let jsonNames = ["items"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var items: [Item]?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { items = try reader.read() }
            self.init(items: try members.required(items, "items"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("items", items)
            writer.endObject()
        }
    }

    /// What Lock, Unlock, CreateVault and AcceptVault reply.
    public struct VaultReply: JSONValue, Equatable {
        public var vault: VaultState

        public init(vault: VaultState) { self.vault = vault }

        private static let jsonNames = ["vault"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var vault: VaultState?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { vault = try reader.read() }
            self.init(vault: try members.required(vault, "vault"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("vault", vault)
            writer.endObject()
        }
    }

    /// What Boot, TieToBoot and ApproveBoot reply.
    public struct BootReply: JSONValue, Equatable {
        /// It is absent if the vault is not tied to the boot.
        public var boot: BootState?

        public init(boot: BootState? = nil) { self.boot = boot }

        private static let jsonNames = ["boot"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var boot: BootState?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { boot = try reader.read() }
            self.init(boot: boot)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("boot", boot)
            writer.endObject()
        }
    }

    /// Stores a field of an item. All other fields of the item stay, unless the item has expired. An item that is
    /// replaced keeps what is left out: access and each of its members, label, comment, attributes, expires. An
    /// expired item keeps the same, except expires. An empty label or comment, an empty list of attributes, and
    /// expires 0 remove what is there. If the item has other fields, access must be as it is (InvalidArgument; Edit
    /// changes it). If they have an application password, applicationPassword must be the same, and one of them is
    /// opened to check it, as Get does.
    public struct Set: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Set"
        public var service: String
        public var account: String
        /// As Item.kind. It is generic if it is left out.
        public var kind: ItemKind?
        /// The field that gets the value. It is secret if it is left out.
        public var field: String?
        /// As Field.kind. If it is left out, the field keeps it. A new field is secret; otp and notes are otp and
        /// text. For the field secret it is ignored.
        public var fieldKind: FieldKind?
        /// Base64.
        public var value: String
        public var access: AccessChange?
        public var label: String?
        public var comment: String?
        public var attributes: [String: String]?
        /// The item is not given out after this time. 0: never expires.
        public var expires: Int64?
        /// It is replace (the default), new or existing.
        public var mode: SetMode?
        /// The item must be in the state that this revision names. Otherwise the answer is Changed, and nothing is
        /// changed.
        public var ifRevision: String?
        /// Base64. It is given exactly if the item requires app-password from then on.
        public var applicationPassword: String?
        public var challenge: String?

        public init(
            service: String, account: String, kind: ItemKind? = nil, field: String? = nil, fieldKind: FieldKind? = nil,
            value: String, access: AccessChange? = nil, label: String? = nil, comment: String? = nil,
            attributes: [String: String]? = nil, expires: Int64? = nil, mode: SetMode? = nil, ifRevision: String? = nil,
            applicationPassword: String? = nil, challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.kind = kind
            self.field = field
            self.fieldKind = fieldKind
            self.value = value
            self.access = access
            self.label = label
            self.comment = comment
            self.attributes = attributes
            self.expires = expires
            self.mode = mode
            self.ifRevision = ifRevision
            self.applicationPassword = applicationPassword
            self.challenge = challenge
        }

        private static let jsonNames = [
            "access", "account", "applicationPassword", "attributes", "challenge", "comment", "expires", "field",
            "fieldKind", "ifRevision", "kind", "label", "mode", "service", "value",
        ]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
            var field: String?
            var fieldKind: FieldKind?
            var value: String?
            var access: AccessChange?
            var label: String?
            var comment: String?
            var attributes: [String: String]?
            var expires: Int64?
            var mode: SetMode?
            var ifRevision: String?
            var applicationPassword: String?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: access = try reader.read()
                case 1: account = try reader.read()
                case 2: applicationPassword = try reader.read()
                case 3: attributes = try reader.read()
                case 4: challenge = try reader.read()
                case 5: comment = try reader.read()
                case 6: expires = try reader.read()
                case 7: field = try reader.read()
                case 8: fieldKind = try reader.read()
                case 9: ifRevision = try reader.read()
                case 10: kind = try reader.read()
                case 11: label = try reader.read()
                case 12: mode = try reader.read()
                case 13: service = try reader.read()
                default: value = try reader.read()
                }
            }
            self.init(
                service: try members.required(service, "service"), account: try members.required(account, "account"),
                kind: kind, field: field, fieldKind: fieldKind, value: try members.required(value, "value"),
                access: access, label: label, comment: comment, attributes: attributes, expires: expires, mode: mode,
                ifRevision: ifRevision, applicationPassword: applicationPassword, challenge: challenge
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("access", access)
            writer.member("account", account)
            writer.member("applicationPassword", applicationPassword)
            writer.member("attributes", attributes)
            writer.member("challenge", challenge)
            writer.member("comment", comment)
            writer.member("expires", expires)
            writer.member("field", field)
            writer.member("fieldKind", fieldKind)
            writer.member("ifRevision", ifRevision)
            writer.member("kind", kind)
            writer.member("label", label)
            writer.member("mode", mode)
            writer.member("service", service)
            writer.member("value", value)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            public var item: Item
            /// When the former value of the field was set.
            public var replaced: Int64?
            /// The version with the former value, if the vault keeps it. Restore brings it back.
            public var former: Int64?
            /// False: an older copy of the vault's file can still undo the change of access, because too many changes
            /// of that sort came before it. The change is on the disk, and the TPM counts it within 20 seconds.
            /// Otherwise it is absent.
            public var protected: Bool?

            public init(item: Item, replaced: Int64? = nil, former: Int64? = nil, protected: Bool? = nil) {
                self.item = item
                self.replaced = replaced
                self.former = former
                self.protected = protected
            }

            private static let jsonNames = ["former", "item", "protected", "replaced"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var item: Item?
                var replaced: Int64?
                var former: Int64?
                var protected: Bool?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: former = try reader.read()
                    case 1: item = try reader.read()
                    case 2: protected = try reader.read()
                    default: replaced = try reader.read()
                    }
                }
                self.init(
                    item: try members.required(item, "item"), replaced: replaced, former: former, protected: protected
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("former", former)
                writer.member("item", item)
                writer.member("protected", protected)
                writer.member("replaced", replaced)
                writer.endObject()
            }
        }
    }

    /// Makes all of these changes in their order, or none of them. Nobody ever sees only some of them, not even after
    /// a crash. An item that is to be deleted may be missing, unless ifRevision is given. A field beside others that
    /// have an application password is refused (InvalidArgument), because Set alone checks it. An error begins with
    /// the number of the change that it is about, from 1: "change 3: the item exists already".
    public struct Apply: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Apply"
        public var changes: [Change]
        /// later: an older copy of the vault's file may undo these changes for some minutes, as it may undo what was
        /// only written. The call then never waits for the TPM. It is for caches and the like. Otherwise it is left
        /// out.
        public var rollback: RollbackTime?
        public var challenge: String?

        public init(changes: [Change], rollback: RollbackTime? = nil, challenge: String? = nil) {
            self.changes = changes
            self.rollback = rollback
            self.challenge = challenge
        }

        private static let jsonNames = ["challenge", "changes", "rollback"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var changes: [Change]?
            var rollback: RollbackTime?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                case 1: changes = try reader.read()
                default: rollback = try reader.read()
                }
            }
            self.init(changes: try members.required(changes, "changes"), rollback: rollback, challenge: challenge)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("changes", changes)
            writer.member("rollback", rollback)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// One for each change, in the same order.
            public var results: [ChangeResult]
            /// As for Set. It is absent with rollback.
            public var protected: Bool?

            public init(results: [ChangeResult], protected: Bool? = nil) {
                self.results = results
                self.protected = protected
            }

            private static let jsonNames = ["protected", "results"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var results: [ChangeResult]?
                var protected: Bool?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: protected = try reader.read()
                    default: results = try reader.read()
                    }
                }
                self.init(results: try members.required(results, "results"), protected: protected)
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("protected", protected)
                writer.member("results", results)
                writer.endObject()
            }
        }
    }

    /// Gives out an item's value.
    public struct Get: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Get"
        public var service: String
        public var account: String?
        /// As for Set.
        public var kind: ItemKind?
        /// The field that is given out. If it is left out, it is secret, or the field of the version. If the item has
        /// no such field, the answer is NotFound, and its advice names those that there are.
        public var field: String?
        /// Gives out the value of this version, which may be a former one. Reading that takes what it took then. If
        /// the item has no such value, or no longer, the answer is NotFound.
        public var version: Int64?
        /// Gives out this revision of the field, which another machine has set at the same time (Conflicts of
        /// org.coffer.Sync). Reading that takes what reading the present value takes, and an unlocked vault.
        public var revision: String?
        /// Why the program asks, in its own words.
        public var reason: String?
        /// If the vault is locked, the answer is a challenge that also opens it, instead of Locked.
        public var unlock: Bool?
        /// Base64. It is given if the item requires app-password. If any is set, giving it chooses this way, and
        /// leaving it out chooses the others.
        public var applicationPassword: String?
        /// The program asks for another one, as the Secret Service does. No lease of its own is used, and the access
        /// log says so.
        public var forOthers: Bool?
        public var challenge: String?

        public init(
            service: String, account: String? = nil, kind: ItemKind? = nil, field: String? = nil, version: Int64? = nil,
            revision: String? = nil, reason: String? = nil, unlock: Bool? = nil, applicationPassword: String? = nil,
            forOthers: Bool? = nil, challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.kind = kind
            self.field = field
            self.version = version
            self.revision = revision
            self.reason = reason
            self.unlock = unlock
            self.applicationPassword = applicationPassword
            self.forOthers = forOthers
            self.challenge = challenge
        }

        private static let jsonNames = [
            "account", "applicationPassword", "challenge", "field", "forOthers", "kind", "reason", "revision",
            "service", "unlock", "version",
        ]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
            var field: String?
            var version: Int64?
            var revision: String?
            var reason: String?
            var unlock: Bool?
            var applicationPassword: String?
            var forOthers: Bool?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: applicationPassword = try reader.read()
                case 2: challenge = try reader.read()
                case 3: field = try reader.read()
                case 4: forOthers = try reader.read()
                case 5: kind = try reader.read()
                case 6: reason = try reader.read()
                case 7: revision = try reader.read()
                case 8: service = try reader.read()
                case 9: unlock = try reader.read()
                default: version = try reader.read()
                }
            }
            self.init(
                service: try members.required(service, "service"), account: account, kind: kind, field: field,
                version: version, revision: revision, reason: reason, unlock: unlock,
                applicationPassword: applicationPassword, forOthers: forOthers, challenge: challenge
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("applicationPassword", applicationPassword)
            writer.member("challenge", challenge)
            writer.member("field", field)
            writer.member("forOthers", forOthers)
            writer.member("kind", kind)
            writer.member("reason", reason)
            writer.member("revision", revision)
            writer.member("service", service)
            writer.member("unlock", unlock)
            writer.member("version", version)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// Base64.
            public var value: String
            public var item: Item

            public init(value: String, item: Item) {
                self.value = value
                self.item = item
            }

            private static let jsonNames = ["item", "value"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var value: String?
                var item: Item?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: item = try reader.read()
                    default: value = try reader.read()
                    }
                }
                self.init(value: try members.required(value, "value"), item: try members.required(item, "item"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("item", item)
                writer.member("value", value)
                writer.endObject()
            }
        }
    }

    /// Gives out the values of several items, or of several fields of an item, all or none. A person is asked once
    /// for all of them, and is shown every name. If one item cannot be given out, nothing is, and nobody is asked.
    /// The error's message names that item. No field of an item may be named twice. An item that can be read only
    /// with an application password is refused (InvalidArgument). There are 32 items at most, and the answer must fit
    /// into one message. Otherwise the answer is LimitExceeded.
    public struct GetAll: VarlinkMethod {
        public static let name = "org.coffer.Keychain.GetAll"
        public var items: [ItemName]
        /// Why the program asks, in its own words.
        public var reason: String?
        /// As for Get.
        public var unlock: Bool?
        /// As for Get.
        public var forOthers: Bool?
        /// It is good for these items in this order, each in the version that the person was asked for.
        public var challenge: String?

        public init(
            items: [ItemName], reason: String? = nil, unlock: Bool? = nil, forOthers: Bool? = nil,
            challenge: String? = nil
        ) {
            self.items = items
            self.reason = reason
            self.unlock = unlock
            self.forOthers = forOthers
            self.challenge = challenge
        }

        private static let jsonNames = ["challenge", "forOthers", "items", "reason", "unlock"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var items: [ItemName]?
            var reason: String?
            var unlock: Bool?
            var forOthers: Bool?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                case 1: forOthers = try reader.read()
                case 2: items = try reader.read()
                case 3: reason = try reader.read()
                default: unlock = try reader.read()
                }
            }
            self.init(
                items: try members.required(items, "items"), reason: reason, unlock: unlock, forOthers: forOthers,
                challenge: challenge
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("forOthers", forOthers)
            writer.member("items", items)
            writer.member("reason", reason)
            writer.member("unlock", unlock)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// In the order of the call.
            public var items: [ItemValue]

            public init(items: [ItemValue]) { self.items = items }

            private static let jsonNames = ["items"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var items: [ItemValue]?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { items = try reader.read() }
                self.init(items: try members.required(items, "items"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("items", items)
                writer.endObject()
            }
        }
    }

    /// Grants the calling process and its descendants a lease: they read these items without a prompt for so long.
    /// The purpose is lease. The person is shown the items, the time, the program, the command and the reason. The
    /// authenticator signs for each read still, and only for these items in their present versions. The lease ends
    /// with its time, with the process, with a lock, with EndLeases, and when the broker or the machine starts again.
    /// An item that can be read only with an application password is refused (InvalidArgument). A locked vault is
    /// Locked. There are 32 items at most, as for GetAll.
    public struct Lease: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Lease"
        public var items: [ItemName]
        /// How long it lasts, from the person's answer on. It is at least 1, and at most what root allows
        /// (lease-limit).
        public var seconds: Int64
        /// The command that the process is about to run, in its own words.
        public var command: String?
        /// Why the program asks, in its own words.
        public var reason: String?
        public var challenge: String?

        public init(
            items: [ItemName], seconds: Int64, command: String? = nil, reason: String? = nil, challenge: String? = nil
        ) {
            self.items = items
            self.seconds = seconds
            self.command = command
            self.reason = reason
            self.challenge = challenge
        }

        private static let jsonNames = ["challenge", "command", "items", "reason", "seconds"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var items: [ItemName]?
            var seconds: Int64?
            var command: String?
            var reason: String?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                case 1: command = try reader.read()
                case 2: items = try reader.read()
                case 3: reason = try reader.read()
                default: seconds = try reader.read()
                }
            }
            self.init(
                items: try members.required(items, "items"), seconds: try members.required(seconds, "seconds"),
                command: command, reason: reason, challenge: challenge
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("command", command)
            writer.member("items", items)
            writer.member("reason", reason)
            writer.member("seconds", seconds)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// It is absent if none of the items requires a person. Nobody was asked then, and no lease is needed.
            public var lease: LeaseState?

            public init(lease: LeaseState? = nil) { self.lease = lease }

            private static let jsonNames = ["lease"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var lease: LeaseState?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { lease = try reader.read() }
                self.init(lease: lease)
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("lease", lease)
                writer.endObject()
            }
        }
    }

    /// Ends all leases that the caller's user has from this vault. It asks nobody.
    public struct EndLeases: VarlinkMethod {
        public static let name = "org.coffer.Keychain.EndLeases"

        public init() {}

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            try reader.emptyObject()
            self.init()
        }

        public func write(to writer: inout JSONWriter) { writer.emptyObject() }

        public struct Reply: JSONValue, Equatable {
            /// How many there were.
            public var ended: Int64

            public init(ended: Int64) { self.ended = ended }

            private static let jsonNames = ["ended"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var ended: Int64?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { ended = try reader.read() }
                self.init(ended: try members.required(ended, "ended"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("ended", ended)
                writer.endObject()
            }
        }
    }

    /// Lists the values that an item's fields had before, the newest first. It asks nobody.
    public struct History: VarlinkMethod {
        public static let name = "org.coffer.Keychain.History"
        public var service: String
        public var account: String?
        /// As for Set.
        public var kind: ItemKind?

        public init(service: String, account: String? = nil, kind: ItemKind? = nil) {
            self.service = service
            self.account = account
            self.kind = kind
        }

        private static let jsonNames = ["account", "kind", "service"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: kind = try reader.read()
                default: service = try reader.read()
                }
            }
            self.init(service: try members.required(service, "service"), account: account, kind: kind)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("kind", kind)
            writer.member("service", service)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            public var item: Item
            public var versions: [FormerVersion]

            public init(item: Item, versions: [FormerVersion]) {
                self.item = item
                self.versions = versions
            }

            private static let jsonNames = ["item", "versions"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var item: Item?
                var versions: [FormerVersion]?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: item = try reader.read()
                    default: versions = try reader.read()
                    }
                }
                self.init(
                    item: try members.required(item, "item"), versions: try members.required(versions, "versions")
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("item", item)
                writer.member("versions", versions)
                writer.endObject()
            }
        }
    }

    /// Makes a former value the present one of its field, with the access control that it had. That is never looser
    /// than the present one. If the item has other fields, it must be the same (InvalidArgument). It asks the person
    /// as reading that value does. The present value becomes a former one, unless its access is looser.
    public struct Restore: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Restore"
        public typealias Reply = ChangedItemReply
        public var service: String
        public var account: String
        /// As for Set.
        public var kind: ItemKind?
        /// The field that gets it back. If it is left out, it is the field of the version; without a version, secret.
        public var field: String?
        /// If it is left out: the newest former value of the field.
        public var version: Int64?
        /// Why the program asks, in its own words.
        public var reason: String?
        /// As for Get.
        public var unlock: Bool?
        /// Base64. It is always given if the former value has one, because it is sealed under it again.
        public var applicationPassword: String?
        public var challenge: String?

        public init(
            service: String, account: String, kind: ItemKind? = nil, field: String? = nil, version: Int64? = nil,
            reason: String? = nil, unlock: Bool? = nil, applicationPassword: String? = nil, challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.kind = kind
            self.field = field
            self.version = version
            self.reason = reason
            self.unlock = unlock
            self.applicationPassword = applicationPassword
            self.challenge = challenge
        }

        private static let jsonNames = [
            "account", "applicationPassword", "challenge", "field", "kind", "reason", "service", "unlock", "version",
        ]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
            var field: String?
            var version: Int64?
            var reason: String?
            var unlock: Bool?
            var applicationPassword: String?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: applicationPassword = try reader.read()
                case 2: challenge = try reader.read()
                case 3: field = try reader.read()
                case 4: kind = try reader.read()
                case 5: reason = try reader.read()
                case 6: service = try reader.read()
                case 7: unlock = try reader.read()
                default: version = try reader.read()
                }
            }
            self.init(
                service: try members.required(service, "service"), account: try members.required(account, "account"),
                kind: kind, field: field, version: version, reason: reason, unlock: unlock,
                applicationPassword: applicationPassword, challenge: challenge
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("applicationPassword", applicationPassword)
            writer.member("challenge", challenge)
            writer.member("field", field)
            writer.member("kind", kind)
            writer.member("reason", reason)
            writer.member("service", service)
            writer.member("unlock", unlock)
            writer.member("version", version)
            writer.endObject()
        }
    }

    /// Takes an item out of the bin: of all deleted items of this name, the one that was deleted last. It is again as
    /// it was. It asks nobody, because it reads no value. If another item has the name by now, it is AlreadyExists.
    public struct RestoreDeleted: VarlinkMethod {
        public static let name = "org.coffer.Keychain.RestoreDeleted"
        public typealias Reply = ItemReply
        public var service: String
        public var account: String
        /// As for Set.
        public var kind: ItemKind?

        public init(service: String, account: String, kind: ItemKind? = nil) {
            self.service = service
            self.account = account
            self.kind = kind
        }

        private static let jsonNames = ["account", "kind", "service"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: kind = try reader.read()
                default: service = try reader.read()
                }
            }
            self.init(
                service: try members.required(service, "service"), account: try members.required(account, "account"),
                kind: kind
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("kind", kind)
            writer.member("service", service)
            writer.endObject()
        }
    }

    /// Changes what the vault keeps of values that are replaced and of items that are deleted. What is left out
    /// stays. What is too much then is dropped at once.
    public struct SetHistory: VarlinkMethod {
        public static let name = "org.coffer.Keychain.SetHistory"
        /// 0 to 10.
        public var values: Int64?
        /// 0 to 366.
        public var days: Int64?
        /// 0 to 366.
        public var bin: Int64?

        public init(values: Int64? = nil, days: Int64? = nil, bin: Int64? = nil) {
            self.values = values
            self.days = days
            self.bin = bin
        }

        private static let jsonNames = ["bin", "days", "values"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var values: Int64?
            var days: Int64?
            var bin: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: bin = try reader.read()
                case 1: days = try reader.read()
                default: values = try reader.read()
                }
            }
            self.init(values: values, days: days, bin: bin)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("bin", bin)
            writer.member("days", days)
            writer.member("values", values)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            public var history: HistorySetting
            /// As for Set. It is about the former values and the deleted items that were dropped.
            public var protected: Bool?

            public init(history: HistorySetting, protected: Bool? = nil) {
                self.history = history
                self.protected = protected
            }

            private static let jsonNames = ["history", "protected"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var history: HistorySetting?
                var protected: Bool?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: history = try reader.read()
                    default: protected = try reader.read()
                    }
                }
                self.init(history: try members.required(history, "history"), protected: protected)
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("history", history)
                writer.member("protected", protected)
                writer.endObject()
            }
        }
    }

    /// Withdraws a challenge, because the caller can have nobody asked. The access log then records the request at
    /// once, and not only when the challenge expires.
    public struct Withdraw: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Withdraw"
        public typealias Reply = Nothing
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }

        private static let jsonNames = ["challenge"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { challenge = try reader.read() }
            self.init(challenge: try members.required(challenge, "challenge"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.endObject()
        }
    }

    /// Tells whether an item exists.
    public struct Exists: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Exists"
        public var service: String
        public var account: String?
        /// As for Set.
        public var kind: ItemKind?

        public init(service: String, account: String? = nil, kind: ItemKind? = nil) {
            self.service = service
            self.account = account
            self.kind = kind
        }

        private static let jsonNames = ["account", "kind", "service"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: kind = try reader.read()
                default: service = try reader.read()
                }
            }
            self.init(service: try members.required(service, "service"), account: account, kind: kind)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("kind", kind)
            writer.member("service", service)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            public var exists: Bool

            public init(exists: Bool) { self.exists = exists }

            private static let jsonNames = ["exists"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var exists: Bool?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { exists = try reader.read() }
                self.init(exists: try members.required(exists, "exists"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("exists", exists)
                writer.endObject()
            }
        }
    }

    /// Returns an item without its value.
    public struct Show: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Show"
        public typealias Reply = ItemReply
        public var service: String
        public var account: String?
        /// As for Set.
        public var kind: ItemKind?

        public init(service: String, account: String? = nil, kind: ItemKind? = nil) {
            self.service = service
            self.account = account
            self.kind = kind
        }

        private static let jsonNames = ["account", "kind", "service"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: kind = try reader.read()
                default: service = try reader.read()
                }
            }
            self.init(service: try members.required(service, "service"), account: account, kind: kind)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("kind", kind)
            writer.member("service", service)
            writer.endObject()
        }
    }

    /// Lists the items, sorted by service, then by account, then by kind. With the "more" flag each reply has one
    /// item. Without it, the answer is ExpectedMore if there are more items than one message has room for.
    public struct List: VarlinkMethod {
        public static let name = "org.coffer.Keychain.List"
        public typealias Reply = ItemsReply
        public var service: String?
        /// Only these accounts of the service, 32 at most. Accounts that have no item are left out.
        public var accounts: [String]?
        /// Only items of this kind. If it is left out, items of all kinds but settings.
        public var kind: ItemKind?
        /// True: the items of the bin instead, of all accounts. Of one name, the one that was deleted last comes
        /// first.
        public var deleted: Bool?

        public init(service: String? = nil, accounts: [String]? = nil, kind: ItemKind? = nil, deleted: Bool? = nil) {
            self.service = service
            self.accounts = accounts
            self.kind = kind
            self.deleted = deleted
        }

        private static let jsonNames = ["accounts", "deleted", "kind", "service"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var accounts: [String]?
            var kind: ItemKind?
            var deleted: Bool?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: accounts = try reader.read()
                case 1: deleted = try reader.read()
                case 2: kind = try reader.read()
                default: service = try reader.read()
                }
            }
            self.init(service: service, accounts: accounts, kind: kind, deleted: deleted)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("accounts", accounts)
            writer.member("deleted", deleted)
            writer.member("kind", kind)
            writer.member("service", service)
            writer.endObject()
        }
    }

    /// Lists the items that have all of the attributes and contain the text. The order and the "more" flag are as for
    /// List.
    public struct Search: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Search"
        public typealias Reply = ItemsReply
        /// Service, account, label or comment contains it, in upper or lower case. It has 4 KiB at most, as a
        /// comment.
        public var text: String?
        public var attributes: [String: String]?
        /// As for List.
        public var kind: ItemKind?

        public init(text: String? = nil, attributes: [String: String]? = nil, kind: ItemKind? = nil) {
            self.text = text
            self.attributes = attributes
            self.kind = kind
        }

        private static let jsonNames = ["attributes", "kind", "text"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var text: String?
            var attributes: [String: String]?
            var kind: ItemKind?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: attributes = try reader.read()
                case 1: kind = try reader.read()
                default: text = try reader.read()
                }
            }
            self.init(text: text, attributes: attributes, kind: kind)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("attributes", attributes)
            writer.member("kind", kind)
            writer.member("text", text)
            writer.endObject()
        }
    }

    /// Tells what happens in the vault from now on. Without the "more" flag the answer is ExpectedMore. The first
    /// reply comes at once. It has no events, and every event after it is told. So call List after it, not before.
    /// Each further reply has some events, in the order in which they happened. A change is told when it is in the
    /// vault's file. A renamed item is deleted, and then added with the same id. The call has the right of List,
    /// which is checked before each reply. If the right has ended, so does the call. If the caller's own vault does
    /// not exist yet, the call waits for it. It is no use of the vault.
    public struct Monitor: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Monitor"
        /// Only items of this service. Events of the vault are always told.
        public var service: String?
        /// As for List.
        public var kind: ItemKind?

        public init(service: String? = nil, kind: ItemKind? = nil) {
            self.service = service
            self.kind = kind
        }

        private static let jsonNames = ["kind", "service"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var kind: ItemKind?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: kind = try reader.read()
                default: service = try reader.read()
                }
            }
            self.init(service: service, kind: kind)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("kind", kind)
            writer.member("service", service)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            public var events: [Event]

            public init(events: [Event]) { self.events = events }

            private static let jsonNames = ["events"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var events: [Event]?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { events = try reader.read() }
                self.init(events: try members.required(events, "events"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("events", events)
                writer.endObject()
            }
        }
    }

    /// Changes an item, but not its value. What is left out stays as it is. An empty label, comment or attribute
    /// value removes it. A change of access asks the person as reading does.
    public struct Edit: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Edit"
        public typealias Reply = ChangedItemReply
        public var service: String
        public var account: String
        /// As for Set.
        public var kind: ItemKind?
        public var access: AccessControl?
        public var label: String?
        public var comment: String?
        public var attributes: [String: String]?
        /// 0: never.
        public var expires: Int64?
        /// These fields are removed. Their values become former ones. It is left out beside access.
        public var unset: [String]?
        /// As for Set. It is left out beside access.
        public var ifRevision: String?
        /// Why the program asks, in its own words.
        public var reason: String?
        /// As for Get.
        public var unlock: Bool?
        /// The one that reading takes, base64.
        public var applicationPassword: String?
        /// The one that access requires from now on, base64. It is left out if it stays the same.
        public var newApplicationPassword: String?
        public var challenge: String?

        public init(
            service: String, account: String, kind: ItemKind? = nil, access: AccessControl? = nil, label: String? = nil,
            comment: String? = nil, attributes: [String: String]? = nil, expires: Int64? = nil, unset: [String]? = nil,
            ifRevision: String? = nil, reason: String? = nil, unlock: Bool? = nil, applicationPassword: String? = nil,
            newApplicationPassword: String? = nil, challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.kind = kind
            self.access = access
            self.label = label
            self.comment = comment
            self.attributes = attributes
            self.expires = expires
            self.unset = unset
            self.ifRevision = ifRevision
            self.reason = reason
            self.unlock = unlock
            self.applicationPassword = applicationPassword
            self.newApplicationPassword = newApplicationPassword
            self.challenge = challenge
        }

        private static let jsonNames = [
            "access", "account", "applicationPassword", "attributes", "challenge", "comment", "expires",
            "ifRevision", "kind", "label", "newApplicationPassword", "reason", "service", "unlock", "unset",
        ]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
            var access: AccessControl?
            var label: String?
            var comment: String?
            var attributes: [String: String]?
            var expires: Int64?
            var unset: [String]?
            var ifRevision: String?
            var reason: String?
            var unlock: Bool?
            var applicationPassword: String?
            var newApplicationPassword: String?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: access = try reader.read()
                case 1: account = try reader.read()
                case 2: applicationPassword = try reader.read()
                case 3: attributes = try reader.read()
                case 4: challenge = try reader.read()
                case 5: comment = try reader.read()
                case 6: expires = try reader.read()
                case 7: ifRevision = try reader.read()
                case 8: kind = try reader.read()
                case 9: label = try reader.read()
                case 10: newApplicationPassword = try reader.read()
                case 11: reason = try reader.read()
                case 12: service = try reader.read()
                case 13: unlock = try reader.read()
                default: unset = try reader.read()
                }
            }
            self.init(
                service: try members.required(service, "service"), account: try members.required(account, "account"),
                kind: kind, access: access, label: label, comment: comment, attributes: attributes, expires: expires,
                unset: unset, ifRevision: ifRevision, reason: reason, unlock: unlock,
                applicationPassword: applicationPassword, newApplicationPassword: newApplicationPassword,
                challenge: challenge
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("access", access)
            writer.member("account", account)
            writer.member("applicationPassword", applicationPassword)
            writer.member("attributes", attributes)
            writer.member("challenge", challenge)
            writer.member("comment", comment)
            writer.member("expires", expires)
            writer.member("ifRevision", ifRevision)
            writer.member("kind", kind)
            writer.member("label", label)
            writer.member("newApplicationPassword", newApplicationPassword)
            writer.member("reason", reason)
            writer.member("service", service)
            writer.member("unlock", unlock)
            writer.member("unset", unset)
            writer.endObject()
        }
    }

    /// Gives one item a fresh key. Access, metadata and times stay the same. It asks the person as Get does. The
    /// value stays in the broker.
    public struct Rotate: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Rotate"
        public typealias Reply = ItemReply
        public var service: String
        public var account: String?
        /// As for Set.
        public var kind: ItemKind?
        /// As for Get.
        public var unlock: Bool?
        /// Base64. It is always given if the item has one, because the fresh key is sealed under it too.
        public var applicationPassword: String?
        public var challenge: String?

        public init(
            service: String, account: String? = nil, kind: ItemKind? = nil, unlock: Bool? = nil,
            applicationPassword: String? = nil, challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.kind = kind
            self.unlock = unlock
            self.applicationPassword = applicationPassword
            self.challenge = challenge
        }

        private static let jsonNames = [
            "account", "applicationPassword", "challenge", "kind", "service", "unlock",
        ]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
            var unlock: Bool?
            var applicationPassword: String?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: applicationPassword = try reader.read()
                case 2: challenge = try reader.read()
                case 3: kind = try reader.read()
                case 4: service = try reader.read()
                default: unlock = try reader.read()
                }
            }
            self.init(
                service: try members.required(service, "service"), account: account, kind: kind, unlock: unlock,
                applicationPassword: applicationPassword, challenge: challenge
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("applicationPassword", applicationPassword)
            writer.member("challenge", challenge)
            writer.member("kind", kind)
            writer.member("service", service)
            writer.member("unlock", unlock)
            writer.endObject()
        }
    }

    /// Deletes an item. Nobody is asked.
    public struct Delete: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Delete"
        public var service: String
        public var account: String
        /// As for Set.
        public var kind: ItemKind?
        /// As for Set.
        public var ifRevision: String?
        /// As for Apply.
        public var rollback: RollbackTime?
        /// True: the item is put into the bin, where it stays for the days of the vault's setting (SetHistory).
        /// RestoreDeleted takes it out again. If there is no bin, or if the item is of the kind file or setting, it
        /// is deleted for good.
        public var bin: Bool?
        /// True: deletes for good all items of this name that are in the bin, and no other. It takes neither
        /// ifRevision nor bin.
        public var inBin: Bool?

        public init(
            service: String, account: String, kind: ItemKind? = nil, ifRevision: String? = nil,
            rollback: RollbackTime? = nil, bin: Bool? = nil, inBin: Bool? = nil
        ) {
            self.service = service
            self.account = account
            self.kind = kind
            self.ifRevision = ifRevision
            self.rollback = rollback
            self.bin = bin
            self.inBin = inBin
        }

        private static let jsonNames = ["account", "bin", "ifRevision", "inBin", "kind", "rollback", "service"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
            var ifRevision: String?
            var rollback: RollbackTime?
            var bin: Bool?
            var inBin: Bool?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: bin = try reader.read()
                case 2: ifRevision = try reader.read()
                case 3: inBin = try reader.read()
                case 4: kind = try reader.read()
                case 5: rollback = try reader.read()
                default: service = try reader.read()
                }
            }
            self.init(
                service: try members.required(service, "service"), account: try members.required(account, "account"),
                kind: kind, ifRevision: ifRevision, rollback: rollback, bin: bin, inBin: inBin
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("bin", bin)
            writer.member("ifRevision", ifRevision)
            writer.member("inBin", inBin)
            writer.member("kind", kind)
            writer.member("rollback", rollback)
            writer.member("service", service)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// The item as it was; of several, the one that was deleted last.
            public var item: Item
            /// Until when the bin keeps it. It is absent if the item is gone for good.
            public var until: Int64?
            /// As for Apply.
            public var protected: Bool?

            public init(item: Item, until: Int64? = nil, protected: Bool? = nil) {
                self.item = item
                self.until = until
                self.protected = protected
            }

            private static let jsonNames = ["item", "protected", "until"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var item: Item?
                var until: Int64?
                var protected: Bool?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: item = try reader.read()
                    case 1: protected = try reader.read()
                    default: until = try reader.read()
                    }
                }
                self.init(item: try members.required(item, "item"), until: until, protected: protected)
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("item", item)
                writer.member("protected", protected)
                writer.member("until", until)
                writer.endObject()
            }
        }
    }

    /// Gives an item another name. An item with requirements asks the person as reading does, because prompts show
    /// its name. The purpose is rename. The kind stays the same.
    public struct Rename: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Rename"
        public typealias Reply = ItemReply
        public var service: String
        public var account: String
        /// As for Set.
        public var kind: ItemKind?
        public var newService: String
        public var newAccount: String
        /// Why the program asks, in its own words.
        public var reason: String?
        /// As for Get.
        public var unlock: Bool?
        /// As for Get, base64.
        public var applicationPassword: String?
        public var challenge: String?

        public init(
            service: String, account: String, kind: ItemKind? = nil, newService: String, newAccount: String,
            reason: String? = nil, unlock: Bool? = nil, applicationPassword: String? = nil, challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.kind = kind
            self.newService = newService
            self.newAccount = newAccount
            self.reason = reason
            self.unlock = unlock
            self.applicationPassword = applicationPassword
            self.challenge = challenge
        }

        private static let jsonNames = [
            "account", "applicationPassword", "challenge", "kind", "newAccount", "newService", "reason", "service",
            "unlock",
        ]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
            var newService: String?
            var newAccount: String?
            var reason: String?
            var unlock: Bool?
            var applicationPassword: String?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: applicationPassword = try reader.read()
                case 2: challenge = try reader.read()
                case 3: kind = try reader.read()
                case 4: newAccount = try reader.read()
                case 5: newService = try reader.read()
                case 6: reason = try reader.read()
                case 7: service = try reader.read()
                default: unlock = try reader.read()
                }
            }
            self.init(
                service: try members.required(service, "service"), account: try members.required(account, "account"),
                kind: kind, newService: try members.required(newService, "newService"),
                newAccount: try members.required(newAccount, "newAccount"), reason: reason, unlock: unlock,
                applicationPassword: applicationPassword, challenge: challenge
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("applicationPassword", applicationPassword)
            writer.member("challenge", challenge)
            writer.member("kind", kind)
            writer.member("newAccount", newAccount)
            writer.member("newService", newService)
            writer.member("reason", reason)
            writer.member("service", service)
            writer.member("unlock", unlock)
            writer.endObject()
        }
    }

    /// Locks the vault at once, even while other calls use it. A group's vault is locked for all members. For a
    /// locked vault the answer has no items.
    public struct Lock: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Lock"
        public typealias Reply = VaultReply

        public init() {}

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            try reader.emptyObject()
            self.init()
        }

        public func write(to writer: inout JSONWriter) { writer.emptyObject() }
    }

    /// Opens the vault, and makes it if there is none. A group's vault opens only while the caller's own is unlocked.
    public struct Unlock: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Unlock"
        public typealias Reply = VaultReply
        public var challenge: String?
        /// True binds the vault to the login password. False unbinds it, and destroys its items of class
        /// passcode-set. If it is left out, nothing changes.
        public var bind: Bool?

        public init(challenge: String? = nil, bind: Bool? = nil) {
            self.challenge = challenge
            self.bind = bind
        }

        private static let jsonNames = ["bind", "challenge"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var bind: Bool?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: bind = try reader.read()
                default: challenge = try reader.read()
                }
            }
            self.init(challenge: challenge, bind: bind)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("bind", bind)
            writer.member("challenge", challenge)
            writer.endObject()
        }
    }

    /// Makes a service vault, for an account that has no person to ask, and opens it. Only root may call this. Nobody
    /// is asked.
    public struct CreateVault: VarlinkMethod {
        public static let name = "org.coffer.Keychain.CreateVault"
        public typealias Reply = VaultReply
        /// The account's name.
        public var owner: String
        public var challenge: String?

        public init(owner: String, challenge: String? = nil) {
            self.owner = owner
            self.challenge = challenge
        }

        private static let jsonNames = ["challenge", "owner"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var owner: String?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                default: owner = try reader.read()
                }
            }
            self.init(owner: try members.required(owner, "owner"), challenge: challenge)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("owner", owner)
            writer.endObject()
        }
    }

    /// After Damaged of kind rollback, accepts a vault's file as the newest, although the TPM has not counted it.
    /// Only root may call this, for anybody's vault. The vault's owner is asked. From then on every other copy of the
    /// file is refused. If there is nothing to accept, the answer is AlreadyExists.
    public struct AcceptVault: VarlinkMethod {
        public static let name = "org.coffer.Keychain.AcceptVault"
        public typealias Reply = VaultReply
        public var challenge: String?

        public init(challenge: String? = nil) { self.challenge = challenge }

        private static let jsonNames = ["challenge"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { challenge = try reader.read() }
            self.init(challenge: challenge)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.endObject()
        }
    }

    /// Moves a vault's files aside, with its access log, so that a new vault can be made. Only root may call this,
    /// for anybody's vault. Nothing is removed or replaced. SetAside of org.coffer.Authentication moves the
    /// registry's record, and completes it. If the broker opens the vault, or cannot find out, the answer is
    /// NotPermitted or the TPM's error, unless force is true.
    public struct SetAsideVault: VarlinkMethod {
        public static let name = "org.coffer.Keychain.SetAsideVault"
        public var force: Bool?

        public init(force: Bool? = nil) { self.force = force }

        private static let jsonNames = ["force"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var force: Bool?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { force = try reader.read() }
            self.init(force: force)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("force", force)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// user:UID or group:GID.
            public var owner: String
            /// The time in the names of the files.
            public var stamp: String
            /// Where the vault's file is now. It is absent if there was none.
            public var file: String?

            public init(owner: String, stamp: String, file: String? = nil) {
                self.owner = owner
                self.stamp = stamp
                self.file = file
            }

            private static let jsonNames = ["file", "owner", "stamp"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var owner: String?
                var stamp: String?
                var file: String?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: file = try reader.read()
                    case 1: owner = try reader.read()
                    default: stamp = try reader.read()
                    }
                }
                self.init(
                    owner: try members.required(owner, "owner"), stamp: try members.required(stamp, "stamp"), file: file
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("file", file)
                writer.member("owner", owner)
                writer.member("stamp", stamp)
                writer.endObject()
            }
        }
    }

    /// Returns the state of the vault, and the guarantees that hold here.
    public struct Status: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Status"

        public init() {}

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            try reader.emptyObject()
            self.init()
        }

        public func write(to writer: inout JSONWriter) { writer.emptyObject() }

        public struct Reply: JSONValue, Equatable {
            public var vault: VaultState
            public var sealer: Sealer
            /// The broker's.
            public var version: String
            /// The broker is a sandbox, which protects nothing.
            public var sandbox: Bool
            /// What locks the vault by itself, for people to read: screen, sleep, 15 min idle.
            public var locks: [String]
            /// The same for programs.
            public var lockedBy: LockCauses
            /// What weakens the guarantees here (sandbox, broker run as root), for people to read.
            public var warnings: [String]
            /// It is absent if it is not known, because the vault was not opened yet.
            public var recovery: RecoveryState?
            /// What the vault keeps of values that were replaced. It is absent if the vault was not opened yet.
            public var history: HistorySetting?
            /// The leases that the caller's user has from this vault, the oldest first.
            public var leases: [LeaseState]

            public init(
                vault: VaultState, sealer: Sealer, version: String, sandbox: Bool, locks: [String] = [],
                lockedBy: LockCauses = LockCauses(), warnings: [String], recovery: RecoveryState? = nil,
                history: HistorySetting? = nil, leases: [LeaseState] = []
            ) {
                self.vault = vault
                self.sealer = sealer
                self.version = version
                self.sandbox = sandbox
                self.locks = locks
                self.lockedBy = lockedBy
                self.warnings = warnings
                self.recovery = recovery
                self.history = history
                self.leases = leases
            }

            private static let jsonNames = [
                "history", "leases", "lockedBy", "locks", "recovery", "sandbox", "sealer", "vault", "version",
                "warnings",
            ]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var vault: VaultState?
                var sealer: Sealer?
                var version: String?
                var sandbox: Bool?
                var locks: [String]?
                var lockedBy: LockCauses?
                var warnings: [String]?
                var recovery: RecoveryState?
                var history: HistorySetting?
                var leases: [LeaseState]?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: history = try reader.read()
                    case 1: leases = try reader.read()
                    case 2: lockedBy = try reader.read()
                    case 3: locks = try reader.read()
                    case 4: recovery = try reader.read()
                    case 5: sandbox = try reader.read()
                    case 6: sealer = try reader.read()
                    case 7: vault = try reader.read()
                    case 8: version = try reader.read()
                    default: warnings = try reader.read()
                    }
                }
                self.init(
                    vault: try members.required(vault, "vault"), sealer: try members.required(sealer, "sealer"),
                    version: try members.required(version, "version"),
                    sandbox: try members.required(sandbox, "sandbox"), locks: try members.required(locks, "locks"),
                    lockedBy: try members.required(lockedBy, "lockedBy"),
                    warnings: try members.required(warnings, "warnings"), recovery: recovery, history: history,
                    leases: try members.required(leases, "leases")
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("history", history)
                writer.member("leases", leases)
                writer.member("lockedBy", lockedBy)
                writer.member("locks", locks)
                writer.member("recovery", recovery)
                writer.member("sandbox", sandbox)
                writer.member("sealer", sealer)
                writer.member("vault", vault)
                writer.member("version", version)
                writer.member("warnings", warnings)
                writer.endObject()
            }
        }
    }

    /// Makes a recovery code for the caller's own vault. An earlier code stays valid until ConfirmRecoveryCode.
    public struct NewRecoveryCode: VarlinkMethod {
        public static let name = "org.coffer.Keychain.NewRecoveryCode"
        public var challenge: String?

        public init(challenge: String? = nil) { self.challenge = challenge }

        private static let jsonNames = ["challenge"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { challenge = try reader.read() }
            self.init(challenge: challenge)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// Six groups of five characters, joined by hyphens.
            public var code: String
            /// The number of the group that ConfirmRecoveryCode must repeat, from 1.
            public var part: Int64

            public init(code: String, part: Int64) {
                self.code = code
                self.part = part
            }

            private static let jsonNames = ["code", "part"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var code: String?
                var part: Int64?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: code = try reader.read()
                    default: part = try reader.read()
                    }
                }
                self.init(code: try members.required(code, "code"), part: try members.required(part, "part"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("code", code)
                writer.member("part", part)
                writer.endObject()
            }
        }
    }

    /// Confirms the code that NewRecoveryCode gave to this process at most ten minutes ago. The code is then valid.
    public struct ConfirmRecoveryCode: VarlinkMethod {
        public static let name = "org.coffer.Keychain.ConfirmRecoveryCode"
        /// The group that was asked back. After the fifth wrong one the code is dropped.
        public var characters: String

        public init(characters: String) { self.characters = characters }

        private static let jsonNames = ["characters"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var characters: String?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { characters = try reader.read() }
            self.init(characters: try members.required(characters, "characters"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("characters", characters)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// When the code was made.
            public var made: Int64

            public init(made: Int64) { self.made = made }

            private static let jsonNames = ["made"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var made: Int64?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { made = try reader.read() }
                self.init(made: try members.required(made, "made"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("made", made)
                writer.endObject()
            }
        }
    }

    /// Tells how the caller's own vault is tied to the measured boot.
    public struct Boot: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Boot"
        public typealias Reply = BootReply

        public init() {}

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            try reader.emptyObject()
            self.init()
        }

        public func write(to writer: inout JSONWriter) { writer.emptyObject() }
    }

    /// Tells what a tie would hold or holds. It asks no person.
    public struct TieCoverage: VarlinkMethod {
        public static let name = "org.coffer.Keychain.TieCoverage"
        /// If it is left out: 4, 7, and those that hold the kernel's command line and initrd here.
        public var registers: [Int64]?

        public init(registers: [Int64]? = nil) { self.registers = registers }

        private static let jsonNames = ["registers"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var registers: [Int64]?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { registers = try reader.read() }
            self.init(registers: registers)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("registers", registers)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            public var coverage: BootCoverage

            public init(coverage: BootCoverage) { self.coverage = coverage }

            private static let jsonNames = ["coverage"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var coverage: BootCoverage?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { coverage = try reader.read() }
                self.init(coverage: try members.required(coverage, "coverage"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("coverage", coverage)
                writer.endObject()
            }
        }
    }

    /// Ties the vault to the present boot, or releases it. If there is no recovery code, the answer is Failed. If the
    /// vault is tied already, the answer is AlreadyExists.
    public struct TieToBoot: VarlinkMethod {
        public static let name = "org.coffer.Keychain.TieToBoot"
        public typealias Reply = BootReply
        /// Registers of the TPM's SHA-256 bank: 0 to 22, except 16. If it is left out, they are those of TieCoverage.
        public var registers: [Int64]?
        /// True ties the vault even if the command line is not held. Otherwise the answer is then Failed.
        public var weak: Bool?
        /// True releases the vault from the boot.
        public var release: Bool?
        public var challenge: String?

        public init(registers: [Int64]? = nil, weak: Bool? = nil, release: Bool? = nil, challenge: String? = nil) {
            self.registers = registers
            self.weak = weak
            self.release = release
            self.challenge = challenge
        }

        private static let jsonNames = ["challenge", "registers", "release", "weak"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var registers: [Int64]?
            var weak: Bool?
            var release: Bool?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                case 1: registers = try reader.read()
                case 2: release = try reader.read()
                default: weak = try reader.read()
                }
            }
            self.init(registers: registers, weak: weak, release: release, challenge: challenge)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("registers", registers)
            writer.member("release", release)
            writer.member("weak", weak)
            writer.endObject()
        }
    }

    /// Approves a future boot. Boots that were approved stay approved. Without replacements and values, it approves
    /// the present boot alone.
    public struct ApproveBoot: VarlinkMethod {
        public static let name = "org.coffer.Keychain.ApproveBoot"
        public typealias Reply = BootReply
        /// The present boot with other measurements. Each group is for one file. At least one digest of each group
        /// was measured in this boot.
        public var replacements: [[Replacement]]?
        /// The boot with these values in its registers. A register that is left out stays as it is now.
        public var values: [RegisterValue]?
        public var challenge: String?

        public init(replacements: [[Replacement]]? = nil, values: [RegisterValue]? = nil, challenge: String? = nil) {
            self.replacements = replacements
            self.values = values
            self.challenge = challenge
        }

        private static let jsonNames = ["challenge", "replacements", "values"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var replacements: [[Replacement]]?
            var values: [RegisterValue]?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                case 1: replacements = try reader.read()
                default: values = try reader.read()
                }
            }
            self.init(replacements: replacements, values: values, challenge: challenge)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("replacements", replacements)
            writer.member("values", values)
            writer.endObject()
        }
    }

    /// Renews all keys of the vault. Another vault with the same items takes its place. A group's vault is refused.
    /// When the call is repeated with its challenge, it may ask once more, for items that one prompt could not name.
    public struct RotateAll: VarlinkMethod {
        public static let name = "org.coffer.Keychain.RotateAll"
        /// One for each item that has one.
        public var applicationPasswords: [ItemPassword]?
        public var challenge: String?

        public init(applicationPasswords: [ItemPassword]? = nil, challenge: String? = nil) {
            self.applicationPasswords = applicationPasswords
            self.challenge = challenge
        }

        private static let jsonNames = ["applicationPasswords", "challenge"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var applicationPasswords: [ItemPassword]?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: applicationPasswords = try reader.read()
                default: challenge = try reader.read()
                }
            }
            self.init(applicationPasswords: applicationPasswords, challenge: challenge)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("applicationPasswords", applicationPasswords)
            writer.member("challenge", challenge)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// How many items were sealed anew. It is absent if nothing was done.
            public var items: Int64?
            /// The items whose application password must come with the call. Nothing was done if there are any.
            public var passwords: [Item]
            /// The TPM no longer holds the former keys. Otherwise the broker tries again whenever the vault is
            /// opened.
            public var revoked: Bool

            public init(items: Int64? = nil, passwords: [Item] = [], revoked: Bool = false) {
                self.items = items
                self.passwords = passwords
                self.revoked = revoked
            }

            private static let jsonNames = ["items", "passwords", "revoked"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var items: Int64?
                var passwords: [Item]?
                var revoked: Bool?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: items = try reader.read()
                    case 1: passwords = try reader.read()
                    default: revoked = try reader.read()
                    }
                }
                self.init(
                    items: items, passwords: try members.required(passwords, "passwords"),
                    revoked: try members.required(revoked, "revoked")
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("items", items)
                writer.member("passwords", passwords)
                writer.member("revoked", revoked)
                writer.endObject()
            }
        }
    }

    /// Returns the access log of the caller's vault, the oldest records first, some hundreds at a time.
    public struct Log: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Log"
        /// Only records from this time on.
        public var since: Int64?
        /// Only records after the one with this number.
        public var after: Int64?

        public init(since: Int64? = nil, after: Int64? = nil) {
            self.since = since
            self.after = after
        }

        private static let jsonNames = ["after", "since"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var since: Int64?
            var after: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: after = try reader.read()
                default: since = try reader.read()
                }
            }
            self.init(since: since, after: after)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("after", after)
            writer.member("since", since)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            public var records: [LogRecord]
            /// There are more. Call again with the last record's number.
            public var more: Bool
            /// What is wrong with the log, for people to read.
            public var problem: String?

            public init(records: [LogRecord], more: Bool, problem: String? = nil) {
                self.records = records
                self.more = more
                self.problem = problem
            }

            private static let jsonNames = ["more", "problem", "records"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var records: [LogRecord]?
                var more: Bool?
                var problem: String?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: more = try reader.read()
                    case 1: problem = try reader.read()
                    default: records = try reader.read()
                    }
                }
                self.init(
                    records: try members.required(records, "records"), more: try members.required(more, "more"),
                    problem: problem
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("more", more)
                writer.member("problem", problem)
                writer.member("records", records)
                writer.endObject()
            }
        }
    }

    /// Checks the TPM, the broker's process and files, the PAM services and the clock, and every row of the caller's
    /// vault. The answer has nothing secret, and nothing about other users. A user has one such call at a time.
    public struct Diagnose: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Diagnose"

        public init() {}

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            try reader.emptyObject()
            self.init()
        }

        public func write(to writer: inout JSONWriter) { writer.emptyObject() }

        public struct Reply: JSONValue, Equatable {
            public var findings: [Finding]

            public init(findings: [Finding]) { self.findings = findings }

            private static let jsonNames = ["findings"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var findings: [Finding]?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { findings = try reader.read() }
                self.init(findings: try members.required(findings, "findings"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("findings", findings)
                writer.endObject()
            }
        }
    }

    /// Checks the whole access log.
    public struct VerifyLog: VarlinkMethod {
        public static let name = "org.coffer.Keychain.VerifyLog"

        public init() {}

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            try reader.emptyObject()
            self.init()
        }

        public func write(to writer: inout JSONWriter) { writer.emptyObject() }

        public struct Reply: JSONValue, Equatable {
            public var whole: Bool
            /// What is wrong, for people to read.
            public var problem: String?
            /// How many records there are.
            public var records: Int64
            /// The number of the oldest record.
            public var first: Int64?
            /// The number of the newest record.
            public var last: Int64?

            public init(whole: Bool, problem: String? = nil, records: Int64, first: Int64? = nil, last: Int64? = nil) {
                self.whole = whole
                self.problem = problem
                self.records = records
                self.first = first
                self.last = last
            }

            private static let jsonNames = ["first", "last", "problem", "records", "whole"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var whole: Bool?
                var problem: String?
                var records: Int64?
                var first: Int64?
                var last: Int64?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: first = try reader.read()
                    case 1: last = try reader.read()
                    case 2: problem = try reader.read()
                    case 3: records = try reader.read()
                    default: whole = try reader.read()
                    }
                }
                self.init(
                    whole: try members.required(whole, "whole"), problem: problem,
                    records: try members.required(records, "records"), first: first, last: last
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("first", first)
                writer.member("last", last)
                writer.member("problem", problem)
                writer.member("records", records)
                writer.member("whole", whole)
                writer.endObject()
            }
        }
    }
}

extension Fault.Name {
    /// A person is needed. Pass the challenge to Begin of org.coffer.Authentication. Then repeat the call with the
    /// challenge, from the same process.
    ///
    /// purposes: What the person is asked for: create, unlock, read, change, rename, recovery, bind, unbind, rotate,
    /// accept, tieToBoot, releaseFromBoot, approveBoot, lease. For enrolment nobody is asked: the authenticator
    /// checks whether fingers are enrolled.
    ///
    /// leased: A lease covers the request, so Begin needs nobody. The authenticator has the last word.
    public static let authenticationRequired = Self(rawValue: "org.coffer.Keychain.AuthenticationRequired")
    /// The challenge is unknown, used, too old, or for another process or item. Or the item changed since. Start
    /// again without one.
    public static let challengeRefused = Self(rawValue: "org.coffer.Keychain.ChallengeRefused")
    /// The item needs an application password, and the call had none. Ask for it, and repeat the call with it.
    public static let applicationPasswordRequired = Self(rawValue: "org.coffer.Keychain.ApplicationPasswordRequired")
    /// The application password is wrong, or the item is damaged. Or there were too many tries, and the caller must
    /// wait.
    public static let applicationPasswordRefused = Self(rawValue: "org.coffer.Keychain.ApplicationPasswordRefused")
    /// The item can be read only with fingers that are no longer enrolled.
    public static let fingersChanged = Self(rawValue: "org.coffer.Keychain.FingersChanged")
    /// There is no such item or vault for this caller.
    public static let notFound = Self(rawValue: "org.coffer.Keychain.NotFound")
    /// The account was left out, and the service has several.
    ///
    /// accounts: The accounts of the service.
    public static let ambiguous = Self(rawValue: "org.coffer.Keychain.Ambiguous")
    /// The vault or item that the call would make exists already.
    public static let alreadyExists = Self(rawValue: "org.coffer.Keychain.AlreadyExists")
    /// The item is not in the state that ifRevision names: it was changed or deleted since. Nothing was changed.
    public static let changed = Self(rawValue: "org.coffer.Keychain.Changed")
    /// The vault is locked. Unlock opens it.
    public static let locked = Self(rawValue: "org.coffer.Keychain.Locked")
    /// The caller may not do this.
    public static let notPermitted = Self(rawValue: "org.coffer.Keychain.NotPermitted")
    /// The vault's file is damaged, or is not the one that belongs here.
    ///
    /// kind: It is rollback if the file is an older copy, or if the counter is gone. Root can accept the file
    /// (AcceptVault). It is missing if the vault's file or its record in the registry is not there, or if another
    /// file was put in the place of the open one. Putting it back ends the error. It is item if one item's value,
    /// fields or former values are damaged. The message names the item. All other items can be used.
    public static let damaged = Self(rawValue: "org.coffer.Keychain.Damaged")
    /// The TPM could not do it.
    ///
    /// kind: It is unavailable, replaced, lockout, refused, exhausted, deadline, tries-used-up, other, or one of
    /// these. unsupported: the TPM is too old. busy: the TPM spares its memory, and asks to try again later. renewed:
    /// the keys were renewed since this copy was made. boot: this boot was not approved. boot-index: the record of
    /// the approved boots is gone. pin-index: the count of a bound vault's password tries is gone.
    ///
    /// code: The TPM's own code, or 0.
    public static let tpm = Self(rawValue: "org.coffer.Keychain.TPM")
    /// The caller has reached a limit.
    public static let limitExceeded = Self(rawValue: "org.coffer.Keychain.LimitExceeded")
    /// A parameter cannot be used.
    public static let invalidArgument = Self(rawValue: "org.coffer.Keychain.InvalidArgument")
    /// The broker could not do it. Neither the caller nor the TPM is the reason (for example, the disk is full).
    ///
    /// kind: It is stopping if the broker is about to end, as at an upgrade. The next one answers.
    public static let failed = Self(rawValue: "org.coffer.Keychain.Failed")
}
