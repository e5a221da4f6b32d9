// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Item
import JSON
import Varlink

extension Keychain {
    static let text2 = #"""
        # Lists the values that an item had before, the newest first. It asks nobody.
        method History(
          service: string,
          account: ?string,
          # As for Set.
          kind: ?string,
          group: ?string,
          user: ?string
        ) -> (item: Item, versions: []FormerVersion)

        # Makes a former value the item's present one, with the access control that it had. That is never looser than the present one.
        # It asks the person as reading that value does. The present value becomes a former one, unless its access is looser.
        method Restore(
          service: string,
          account: string,
          # As for Set.
          kind: ?string,
          # If it is left out: the newest former value.
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

        # Changes what the vault keeps of values that are replaced. What is left out stays. Values that are too many then are dropped at once.
        method SetHistory(
          # 0 to 10.
          values: ?int,
          # 0 to 366.
          days: ?int,
          group: ?string,
          user: ?string
        ) -> (
          history: HistorySetting,
          # As for Set. It is about the former values that were dropped.
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
          # Only items of this kind. If it is left out, items of all kinds.
          kind: ?string,
          group: ?string,
          user: ?string
        ) -> (items: []Item)

        # Lists the items that have all of the attributes and contain the text. The order and the "more" flag are as for List.
        method Search(
          # Service, account, label or comment contains it, in upper or lower case.
          text: ?string,
          attributes: ?[string]string,
          # As for List.
          kind: ?string,
          group: ?string,
          user: ?string
        ) -> (items: []Item)

        # Something that happened in a vault.
        type Event (
          # It is added, updated or deleted (an item), locked or unlocked (the vault), or missed.
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

        # Deletes an item.
        method Delete(
          service: string,
          account: string,
          # As for Set.
          kind: ?string,
          # As for Set.
          ifRevision: ?string,
          # As for Apply.
          rollback: ?string,
          group: ?string,
          user: ?string
        ) -> (
          item: Item,
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


        """#
}
