import Testing

@testable import Recovery

/// What people read of codes: why one is refused, and the words that two of them compare.
@Suite struct RecoveryWordTests {
    @Test func aStrangeCharacterIsShownIfItCanBe() {
        for byte in UInt8.min...UInt8.max {
            let reason = RecoveryCodeError(.strangeCharacter(byte)).description
            if byte > 0x20, byte < 0x7F {
                #expect(reason == "no code has the character “\(Character(UnicodeScalar(byte)))”")
            } else {
                #expect(reason == "the code holds something other than letters and digits", "\(byte)")
            }
        }
    }

    @Test func theReasonSaysWhatIsWrongWithACode() {
        func reason(_ count: Int) -> String { RecoveryCodeError(.wrongLength(count, expected: 30)).description }
        #expect(reason(29) == "the code is too short: 29 letters and digits instead of 30")
        #expect(reason(31) == "the code is too long: 31 letters and digits instead of 30")
        #expect(
            RecoveryCodeError(.mistyped).description == "the code is mistyped, because its checksum is wrong")
        #expect(RecoveryCodeError(.noMemory).description == "there is no memory for the code")
    }

    @Test func theListHasWordsAndNothingElse() {
        #expect(WordList.all.count == 1296 && Set(WordList.all).count == 1296)
        #expect(WordList.all.first == "acid" && WordList.all.last == "zoo")
        for word in WordList.all {
            #expect((3...6).contains(word.count) && word.utf8.allSatisfy { (97...122).contains($0) }, "\(word)")
        }
    }
}
