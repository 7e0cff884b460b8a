meta:
  id: crucible_chunk
  title: 'Crucible'
  ks-version: '0.11'
  endian: le
  bit-endian: le
doc: |
  A Crucible file: one chunk, or a container of chunks (C11).
seq:
  - id: chunks
    type: 'chunk'
    repeat: expr
    repeat-expr: '1'
    doc: |
      The chunks, one per mesh; exactly one in a bare file.
types:
  chunk:
    doc: |
      A mesh.
    seq:
      - id: index_size
        type: u1
        valid:
          any-of: ['0', '1']
        doc: |
          0 for 16-bit indices, 1 for 32-bit indices (C5).
          Must be 0 or 1 (CRUCIBLE-INDEX-SIZE, error).
      - id: indices
        type: 'index_stream(index_size)'
        doc: |
          The indices, compressed.
      - id: attribute_count
        type: u1
        doc: |
          Number of attribute streams.
          attribute_count > 0 must hold (CRUCIBLE-NO-STREAMS, warning).
      - id: check_attribute_count
        size: 0
        valid:
          expr: 'attribute_count > 0'
        doc: |
          attribute_count > 0 must hold (CRUCIBLE-NO-STREAMS, warning).
      - id: streams
        type: 'stream'
        repeat: expr
        repeat-expr: 'attribute_count'
        doc: |
          The attribute streams, in any order.
  index_stream:
    doc: |
      The compressed indices.
    params:
      - id: index_size
        type: u1
    seq:
      - id: compressed_size
        type: s4
        doc: |
          Size of the compressed data in bytes, at least 1 (C3).
      - id: check_compressed_size
        size: 0
        valid:
          expr: 'compressed_size > 0'
        doc: |
          Fails with: an LZ4 block has at least 1 byte.
      - id: uncompressed_size
        type: s4
        doc: |
          Size of the uncompressed data in bytes.
      - id: check_uncompressed_size
        size: 0
        valid:
          expr: 'uncompressed_size >= 0'
        doc: |
          Fails with: a size cannot be negative.
      - id: check_data_count
        size: 0
        valid:
          expr: 'compressed_size >= 0'
        doc: |
          The count is not negative.
      - id: check_data_size
        size: 0
        valid:
          expr: 'uncompressed_size >= 0'
        doc: |
          The size is not negative.
      - id: data
        size: 'compressed_size'
        process: 'meshspec_lz4(uncompressed_size)'
        type: 'indices(index_size, uncompressed_size)'
        doc: |
          One raw LZ4 block (C3).
      - id: check_data_end
        size: 0
        valid:
          expr: 'data._io.eof'
        doc: |
          The unpacked content has no trailing bytes.
  indices:
    doc: |
      Vertex indices, in the width stored in the file.
    params:
      - id: index_size
        type: u1
      - id: size
        type: s4
    seq:
      - id: check_as_u16_count
        if: 'choice == 0'
        size: 0
        valid:
          expr: '(size / 2) >= 0'
        doc: |
          The count is not negative.
      - id: as_u16
        if: 'choice == 0'
        type: u2
        repeat: expr
        repeat-expr: 'size / 2'
        doc: |
          16-bit indices.
          Each must be an index into streams[0].data (CRUCIBLE-INDEX-RANGE, error).
          size / 2 % 3 == 0 must hold (CRUCIBLE-TRIANGLES, warning).
      - id: check_as_u16
        if: 'choice == 0'
        size: 0
        valid:
          expr: 'size % 2 == 0'
        doc: |
          Fails with: the size is not a multiple of the size of a value.
      - id: check_as_u16_3
        if: '(choice == 0)'
        size: 0
        valid:
          expr: 'size / 2 % 3 == 0'
        doc: |
          size / 2 % 3 == 0 must hold (CRUCIBLE-TRIANGLES, warning).
      - id: check_as_u32_count
        if: 'choice == 1'
        size: 0
        valid:
          expr: '(size / 4) >= 0'
        doc: |
          The count is not negative.
      - id: as_u32
        if: 'choice == 1'
        type: u4
        repeat: expr
        repeat-expr: 'size / 4'
        doc: |
          32-bit indices.
          Each must be an index into streams[0].data (CRUCIBLE-INDEX-RANGE, error).
          size / 4 % 3 == 0 must hold (CRUCIBLE-TRIANGLES, warning).
      - id: check_as_u32
        if: 'choice == 1'
        size: 0
        valid:
          expr: 'size % 4 == 0'
        doc: |
          Fails with: the size is not a multiple of the size of a value.
      - id: check_as_u32_3
        if: '(choice == 1)'
        size: 0
        valid:
          expr: 'size / 4 % 3 == 0'
        doc: |
          size / 4 % 3 == 0 must hold (CRUCIBLE-TRIANGLES, warning).
      - id: check_choice
        size: 0
        valid:
          expr: 'choice >= 0'
        doc: |
          The condition of a variant holds.
    instances:
      choice:
        value: >-
          (index_size == 0) ? 0 :
          (index_size != 0) ? 1 :
          -1
        doc: |
          The index of the chosen variant.
  stream:
    doc: |
      A vertex attribute: a header and the compressed values.
    seq:
      - id: attribute
        type: 'attribute_flags'
        doc: |
          The attribute; exactly one bit is set (C2).
          Must be unique in the list (CRUCIBLE-DUPLICATE, fatal).
          attribute.position_3d or attribute.position_2d must hold for at least one item of the list (CRUCIBLE-POSITION, warning).
      - id: check_attribute
        size: 0
        valid:
          expr: 'attribute.position_3d.to_i + attribute.position_2d.to_i + attribute.normal.to_i + attribute.uv.to_i + attribute.bit_4.to_i + attribute.bit_5.to_i + attribute.bit_6.to_i == 1 and attribute.reserved == 0 and not attribute.bit_6'
        doc: |
          Fails with: the attribute does not have exactly one known bit set.
      - id: compressed_size
        type: s4
        doc: |
          Size of the compressed data in bytes, at least 1 (C3).
      - id: check_compressed_size
        size: 0
        valid:
          expr: 'compressed_size > 0'
        doc: |
          Fails with: an LZ4 block has at least 1 byte.
      - id: uncompressed_size
        type: s4
        doc: |
          Size of the uncompressed data in bytes.
      - id: check_uncompressed_size
        size: 0
        valid:
          expr: 'uncompressed_size >= 0'
        doc: |
          Fails with: a size cannot be negative.
      - id: check_data_count
        size: 0
        valid:
          expr: 'compressed_size >= 0'
        doc: |
          The count is not negative.
      - id: check_data_size
        size: 0
        valid:
          expr: 'uncompressed_size >= 0'
        doc: |
          The size is not negative.
      - id: data
        size: 'compressed_size'
        process: 'meshspec_lz4(uncompressed_size)'
        type: 'values(attribute, uncompressed_size)'
        doc: |
          One raw LZ4 block (C3).
      - id: check_data_end
        size: 0
        valid:
          expr: 'data._io.eof'
        doc: |
          The unpacked content has no trailing bytes.
  attribute_flags:
    doc: |
      The attribute of a stream: 16 bits (C1).
    seq:
      - id: position_3d
        type: b1
        doc: |
          3D position.
      - id: position_2d
        type: b1
        doc: |
          2D position.
      - id: normal
        type: b1
        doc: |
          Normal.
      - id: uv
        type: b1
        doc: |
          UV coordinate.
      - id: bit_4
        type: b1
        doc: |
          Colour; tangent in the tangent dialect.
      - id: bit_5
        type: b1
        doc: |
          Bone weights; colour in the tangent dialect.
      - id: bit_6
        type: b1
        doc: |
          Reserved; bone weights in the tangent dialect.
      - id: reserved
        type: b9
        doc: |
          Reserved for future use.
  values:
    doc: |
      The values of one attribute, one per vertex.
    params:
      - id: attribute
        type: attribute_flags
      - id: size
        type: s4
    seq:
      - id: check_as_position3d_count
        if: 'choice == 0'
        size: 0
        valid:
          expr: '(size / 12) >= 0'
        doc: |
          The count is not negative.
      - id: as_position3d
        if: 'choice == 0'
        type: f4
        repeat: expr
        repeat-expr: 'size / 12 * 3'
        doc: |
          Position (X, Y, Z): +X right, +Y up, +Z forward (C12).
          Must be as long as in the other items (CRUCIBLE-COUNT, fatal).
      - id: check_as_position3d
        if: 'choice == 0'
        size: 0
        valid:
          expr: 'size % 12 == 0'
        doc: |
          Fails with: the size is not a multiple of the size of a value.
      - id: check_as_position2d_count
        if: 'choice == 1'
        size: 0
        valid:
          expr: '(size / 8) >= 0'
        doc: |
          The count is not negative.
      - id: as_position2d
        if: 'choice == 1'
        type: f4
        repeat: expr
        repeat-expr: 'size / 8 * 2'
        doc: |
          Position (X, Y): +X right, +Y up.
          Must be as long as in the other items (CRUCIBLE-COUNT, fatal).
      - id: check_as_position2d
        if: 'choice == 1'
        size: 0
        valid:
          expr: 'size % 8 == 0'
        doc: |
          Fails with: the size is not a multiple of the size of a value.
      - id: check_as_normal_count
        if: 'choice == 2'
        size: 0
        valid:
          expr: '(size / 12) >= 0'
        doc: |
          The count is not negative.
      - id: as_normal
        if: 'choice == 2'
        type: f4
        repeat: expr
        repeat-expr: 'size / 12 * 3'
        doc: |
          Normal (X, Y, Z).
          Must be as long as in the other items (CRUCIBLE-COUNT, fatal).
      - id: check_as_normal
        if: 'choice == 2'
        size: 0
        valid:
          expr: 'size % 12 == 0'
        doc: |
          Fails with: the size is not a multiple of the size of a value.
      - id: check_as_uv_count
        if: 'choice == 3'
        size: 0
        valid:
          expr: '(size / 8) >= 0'
        doc: |
          The count is not negative.
      - id: as_uv
        if: 'choice == 3'
        type: f4
        repeat: expr
        repeat-expr: 'size / 8 * 2'
        doc: |
          UV coordinate (U, V): (0, 0) is the top left of the image.
          Must be as long as in the other items (CRUCIBLE-COUNT, fatal).
      - id: check_as_uv
        if: 'choice == 3'
        size: 0
        valid:
          expr: 'size % 8 == 0'
        doc: |
          Fails with: the size is not a multiple of the size of a value.
      - id: check_as_color_count
        if: 'choice == 4'
        size: 0
        valid:
          expr: '(size / 4) >= 0'
        doc: |
          The count is not negative.
      - id: as_color
        if: 'choice == 4'
        type: u1
        repeat: expr
        repeat-expr: 'size / 4 * 4'
        doc: |
          Colour (red, green, blue, alpha).
          Must be as long as in the other items (CRUCIBLE-COUNT, fatal).
      - id: check_as_color
        if: 'choice == 4'
        size: 0
        valid:
          expr: 'size % 4 == 0'
        doc: |
          Fails with: the size is not a multiple of the size of a value.
      - id: check_as_bone_weights_count
        if: 'choice == 5'
        size: 0
        valid:
          expr: '(size / 24) >= 0'
        doc: |
          The count is not negative.
      - id: as_bone_weights
        if: 'choice == 5'
        type: 'bone_weight'
        repeat: expr
        repeat-expr: 'size / 24 * 4'
        doc: |
          Four bones and their influences (C7).
          Must be as long as in the other items (CRUCIBLE-COUNT, fatal).
          The sum of influence must be 1 ± 0.001 (CRUCIBLE-WEIGHT-SUM, warning).
      - id: check_as_bone_weights
        if: 'choice == 5'
        size: 0
        valid:
          expr: 'size % 24 == 0'
        doc: |
          Fails with: the size is not a multiple of the size of a value.
      - id: check_choice
        size: 0
        valid:
          expr: 'choice >= 0'
        doc: |
          The condition of a variant holds.
    instances:
      choice:
        value: >-
          attribute.position_3d ? 0 :
          attribute.position_2d ? 1 :
          attribute.normal ? 2 :
          attribute.uv ? 3 :
          attribute.bit_4 ? 4 :
          attribute.bit_5 ? 5 :
          -1
        doc: |
          The index of the chosen variant.
  bone_weight:
    doc: |
      A bone and its influence on a vertex: 6 bytes (C7).
    seq:
      - id: bone
        type: u2
        doc: |
          Bone ID.
      - id: influence
        type: f4
        doc: |
          Influence; the four influences of a vertex add up to 1.0 (C8).
