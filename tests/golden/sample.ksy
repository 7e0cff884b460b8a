meta:
  id: sample
  title: 'Sample: one of everything'
  ks-version: '0.11'
  endian: le
  bit-endian: le
doc: |
  A file with one of everything: it's "quoted" | piped.

  A second paragraph.
seq:
  - id: magic_bytes
    contents: [0x4f, 0x4e, 0x45, 0x00]
  - id: kind
    type: u1
    enum: kind
    valid:
      in-enum: true
    doc: |
      Which kind of content.
  - id: flags
    type: 'flags'
    doc: |
      How it is stored.
      Reserved bits must be 0 (SAMPLE-BITS, error).
      flags.rows > 0 must hold if flags.wide (SAMPLE-ROWS, error).
  - id: check_flags
    size: 0
    valid:
      expr: 'not flags.inner_unused'
    doc: |
      Reserved bits must be 0 (SAMPLE-BITS, error).
  - id: check_flags_2
    if: 'flags.wide'
    size: 0
    valid:
      expr: 'flags.rows > 0'
    doc: |
      flags.rows > 0 must hold if flags.wide (SAMPLE-ROWS, error).
  - id: packed_size
    type: s4
    doc: |
      Size of the packed numbers.
  - id: unpacked_size
    type: s4
    valid:
      any-of: ['0', '16']
    doc: |
      Their size once unpacked.
      Must be 0 or 16 (SAMPLE-SIZE, error).
  - id: table
    type: u4
  - id: check_table
    size: 0
    valid:
      expr: 'packed_size >= 0 and (unpacked_size % 4 == 0 or not flags.wide)'
    doc: |
      Fails with: the sizes are negative or "odd".
  - id: check_numbers_count
    size: 0
    valid:
      expr: 'packed_size >= 0'
    doc: |
      The count is not negative.
  - id: check_numbers_size
    size: 0
    valid:
      expr: 'unpacked_size >= 0'
    doc: |
      The size is not negative.
  - id: numbers
    size: 'packed_size'
    process: 'meshspec_lz4(unpacked_size)'
    type: 'numbers(flags, kind.to_i)'
    doc: |
      Sixteen-bit or floating-point numbers.
  - id: check_numbers_end
    size: 0
    valid:
      expr: 'numbers._io.eof'
    doc: |
      The unpacked content has no trailing bytes.
  - id: pairs
    size: '18'
    process: 'meshspec_lz4(16)'
    type: 'sample_pairs'
    doc: |
      Plain numbers, packed.
  - id: check_pairs_end
    size: 0
    valid:
      expr: 'pairs._io.eof'
    doc: |
      The unpacked content has no trailing bytes.
  - id: as_stored
    size: '12'
    type: 'stored'
    doc: |
      Not compressed.
  - id: rows
    type: f4
    repeat: expr
    repeat-expr: '(flags.rows + 1) * 2 * 6'
    valid:
      expr: '_ - _ == 0'
    doc: |
      Rows of columns.
      Each must be finite (SAMPLE-FINITE, error).
  - id: names
    terminator: 0
    eos-error: false
    repeat: eos
    doc: |
      To the end.
instances:
  far:
    io: _root._io
    pos: 'table'
    if: 'table != 0'
    type: 'far'
    repeat: expr
    repeat-expr: '2'
    valid:
      expr: '(table % 2 == 0)'
    doc: |
      Somewhere else.
types:
  flags:
    doc: |
      Flags and small numbers.
    seq:
      - id: wide
        type: b1
        doc: |
          Whether numbers are wide.
      - id: shift_bits
        type: b5
        doc: |
          A number between -16 and 15.
      - id: rows
        type: b9
      - id: single_bits
        type: b1
        doc: |
          A number of one bit.
      - id: inner_low
        type: b3
      - id: inner_high_bits
        type: b4
      - id: inner_unused
        type: b1
    instances:
      shift:
        value: '(shift_bits ^ 16) - 16'
        doc: |
          A number between -16 and 15.
      single:
        value: 'single_bits.to_i'
        doc: |
          A number of one bit.
      inner_high:
        value: '(inner_high_bits ^ 8) - 8'
  inner:
    doc: |
      A word for other words.
    seq:
      - id: low
        type: b3
      - id: high_bits
        type: b4
      - id: unused
        type: b1
    instances:
      high:
        value: '(high_bits ^ 8) - 8'
  numbers:
    doc: |
      Numbers of one kind.
    params:
      - id: flags
        type: flags
      - id: kind
        type: u1
    seq:
      - id: as_sevens
        if: 'choice == 0'
        type: 'sevens'
        doc: |
          Wide and of a certain kind.
      - id: as_wide
        if: 'choice == 1'
        type: f4
        repeat: expr
        repeat-expr: '4'
        doc: |
          Wide.
      - id: as_narrow
        if: 'choice == 2'
        type: u2
        repeat: expr
        repeat-expr: '8'
        valid:
          expr: '(not (kind > 0) or _ < (kind + 9)) and (_index == 0 or not (_ < as_narrow[_index - 1]))'
        doc: |
          Narrow.
          Each must be below kind + 9 if kind > 0 (SAMPLE-NARROW, error).
          Must not decrease from item to item (SAMPLE-ORDER, error).
          Must be unique in the list (SAMPLE-UNIQUE, error).
      - id: check_choice
        size: 0
        valid:
          expr: 'choice >= 0'
        doc: |
          The condition of a variant holds.
    instances:
      choice:
        value: >-
          (flags.wide and kind == 7) ? 0 :
          flags.wide ? 1 :
          (not flags.wide) ? 2 :
          -1
        doc: |
          The index of the chosen variant.
  sevens:
    doc: |
      Pairs of a wide and a signed number, up to the end of the file.
    seq:
      - id: struct_value
        type: u8
      - id: signed_value
        type: s2
      - id: double_value
        type: f8
  stored:
    doc: |
      Content that is not packed.
    seq:
      - id: first
        type: u4
      - id: rest
        type: u2
        repeat: expr
        repeat-expr: 4
  far:
    doc: |
      At a separate offset.
    seq:
      - id: field_0
        type: u2
  sample_pairs:
    seq:
      - id: as_items
        type: u2
        repeat: eos
enums:
  kind:
    0:
      id: plain
      doc: |
        Nothing in particular.
    7:
      id: very_full
      doc: |
        A lot.
