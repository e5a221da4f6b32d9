import Item
import Testing

/// The numbers of the pages (docs/broker-protocol.md, "Limits"; docs/vault-format.md).
@Suite struct ItemLimitNumbersTests {
    @Test func anItemIsAsLargeAsThePagesSay() {
        #expect(ItemLimits.value == 1_048_576 && ItemLimits.settingValue == 65_536)
        #expect(ItemLimits.name == 1024 && ItemLimits.label == 1024 && ItemLimits.comment == 4096)
        #expect(ItemLimits.fields == 16 && ItemLimits.fieldName == 128 && ItemLimits.signatures == 32)
        #expect(ItemLimits.attributes == 64 && ItemLimits.attribute == 4096)
        #expect(ItemLimits.applicationPassword == 1024 && ItemLimits.reason == 512)
    }

    @Test func aVaultHoldsAsMuchAsThePagesSay() {
        #expect(ItemLimits.items == 10_000 && ItemLimits.changes == 128 && ItemLimits.reads == 32)
        let settings = ItemLimits.settings
        #expect(settings.ofService == 1024 && settings.bytesOfService == 1_048_576 && settings.all == 4096)
    }

    @Test func whatWasReplacedAndDeletedStaysAsLongAsThePagesSay() {
        let (values, days, bin) = (ItemLimits.formerValues, ItemLimits.formerDays, ItemLimits.binDays)
        #expect(values.usual == 3 && values.most == 10)
        #expect(days.usual == 30 && days.most == 366)
        #expect(bin.usual == 30 && bin.most == 366)
    }

    @Test func aSettingIsSmallerThanOtherValues() {
        func error(_ count: Int, _ kind: ItemKind) -> ItemLimitError? {
            do throws(ItemLimitError) {
                try ItemLimits.check(valueOf: count, of: kind)
                return nil
            } catch { return error }
        }
        #expect(error(65_536, .setting) == nil && error(65_537, .setting) == .longSetting(65_537))
        #expect(error(65_537, .genericPassword) == nil)
        #expect(error(1_048_577, .setting) == .longValue(1_048_577))
        #expect(ItemLimitError.longSetting(65_537).isExcess)
    }

    @Test func eachTextNamesItsOwnLimit() {
        let texts: [(text: ItemLimitError.Text, limit: Int)] = [
            (.service, 1024), (.account, 1024), (.label, 1024), (.comment, 4096),
        ]
        for (text, limit) in texts {
            let reason = ItemLimitError.longText(text, count: limit + 1).reason
            #expect(reason == "the \(text.rawValue) has \(limit + 1) bytes, but may have \(limit) at most")
        }
        #expect(ItemLimitError.noService.advice == "name one" && ItemLimitError.noAttributeName.advice == "")
    }
}
