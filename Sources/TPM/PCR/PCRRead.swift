extension TPMContext {
    /// `TPM2_PCR_Read` of the SHA-256 bank: each register's value, 32 bytes. Takes one command for each eight
    /// registers. Part 3, section 22.4.
    ///
    /// - Throws: `.unsupported` if the firmware has switched the bank off; `.busy` if the registers change meanwhile.
    public func measurements(_ selection: PCRSelection) throws(TPMError) -> [Int: [UInt8]] {
        var values: [Int: [UInt8]] = [:]
        var counter: UInt32?
        while values.count < selection.registers.count {
            let missing = try PCRSelection(selection.registers.subtracting(values.keys))
            var reader = MarshalledReader(try engine.channel.exchange(.readPCR, missing.marshalled))
            let moved = try reader.number32()
            guard counter == nil || counter == moved else {
                throw TPMError(.busy, "the boot's measurements changed while they were read", advice: "try again")
            }
            counter = moved
            let answered = try PCRSelection.registers(&reader).intersection(missing.registers).sorted()
            guard try reader.number32() == UInt32(answered.count), !answered.isEmpty else {
                throw TPMError(
                    .unsupported, "this TPM keeps no SHA-256 measurements", advice: "switch them on in the firmware")
            }
            for register in answered {
                let value = try reader.sized()
                guard value.count == 32 else { throw TPMError(.other, "a measured register is not 32 bytes") }
                values[register] = value
            }
            try reader.end()
        }
        return values
    }

    /// The digest of the registers' present values.
    public func state(of selection: PCRSelection) throws(TPMError) -> PCRState {
        try PCRState(selection: selection, values: measurements(selection))
    }
}

extension PCRSelection {
    /// The registers of the SHA-256 bank in a `TPML_PCR_SELECTION`. Skips other banks.
    static func registers(_ reader: inout MarshalledReader) throws(TPMError) -> Set<Int> {
        let banks = try reader.number32()
        guard banks <= 16 else { throw TPMError(.other, "the TPM lists more banks than there are algorithms") }
        var registers: Set<Int> = []
        for _ in 0..<banks {
            let algorithm = try reader.number16()
            let bits = try reader.take(Int(try reader.number8()))
            guard algorithm == PublicArea.nameAlgorithm else { continue }
            for (index, byte) in bits.enumerated() {
                for bit in 0..<8 where byte & 1 << UInt8(bit) != 0 { registers.insert(index * 8 + bit) }
            }
        }
        return registers
    }
}
