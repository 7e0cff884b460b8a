meta:
  id: second
  title: 'Sample: one of everything'
  ks-version: '0.11'
  endian: le
  bit-endian: le
doc: |
  The second layout.
seq:
  - id: count
    type: u2
  - id: flags
    type: 'flags'
  - id: given
    type: 'given(count, flags)'
  - id: wide
    if: 'ahead.wide'
    type: 'far'
  - id: as_titled
    size: '8'
    type: 'titled(count != 0 and (name.length >= 2 and name[0] == 0x23 and ((name[1] >= 0x30 and name[1] <= 0x39) or (name[1] >= 0x41 and name[1] <= 0x46) or (name[1] >= 0x61 and name[1] <= 0x66))))'
    doc: |
      Differs by the name.
instances:
  ahead:
    pos: _io.pos
    type: 'flags'
    doc: |
      The kind of the next field.
  name:
    io: _root._io
    pos: 'count'
    if: 'count != 0'
    terminator: 0
    doc: |
      A name somewhere else.
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
  given:
    doc: |
      A structure whose size follows from what it is given.
    params:
      - id: count
        type: u2
      - id: flags
        type: flags
    seq:
      - id: fixed_value
        type: 'fixed_value'
        repeat: expr
        repeat-expr: 'count'
      - id: low
        if: 'flags.inner_low > 1 and not flags.wide'
        type: u2
      - id: shifted
        if: 'flags.shift > 3'
        type: u4
        repeat: expr
        repeat-expr: '(flags.wide ? 1 : (count * 2))'
  fixed_value:
    doc: |
      A structure of fixed size with names that are words of C.
    seq:
      - id: magic_bytes
        contents: [0x46, 0x58]
      - id: int_value
        type: s4
      - id: class_value
        type: 'flags'
      - id: kind
        type: u1
        enum: kind
        valid:
          in-enum: true
      - id: double_value
        type: f8
        repeat: expr
        repeat-expr: 2
        doc: |
          The sum must be 1.5 ± 0.25 (SAMPLE-SUM, error).
  far:
    doc: |
      At a separate offset.
    seq:
      - id: field_0
        type: u2
  titled:
    doc: |
      Numbers to the end, after a title or without one.
    params:
      - id: has_title
        type: bool
    seq:
      - id: title
        if: 'has_title'
        type: u4
      - id: numbers
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
