meta:
  id: iyma
  title: 'IyMA'
  ks-version: '0.11'
  endian: le
  bit-endian: le
doc: |
  A file. The dialects encode the usages in the descriptor differently (I1).
seq:
  - id: header
    type: 'header'
    doc: |
      The header.
  - id: descriptor
    size: 'header.descriptor_len'
    process: 'meshspec_bitcode'
    type: 'descriptor'
    doc: |
      The structure of the data, encoded with bitcode.
      Checksum: RapidHash of the metadata, stored in header.metadata_checksum.
  - id: check_descriptor_end
    size: 0
    valid:
      expr: 'descriptor._io.eof'
    doc: |
      The unpacked content has no trailing bytes.
  - id: data
    size-eos: true
    process: 'meshspec_zstd(descriptor.data_len)'
    type: 'data(descriptor.user_data_len, descriptor.has_indices, descriptor.index_format, descriptor.n_indices, descriptor.n_vertices, descriptor.attributes)'
    doc: |
      All buffers, compressed with zstd, up to the end of the file.
      Checksum: RapidHash of the data, stored in header.data_checksum, or 0 for none.
  - id: check_data_end
    size: 0
    valid:
      expr: 'data._io.eof'
    doc: |
      The unpacked content has no trailing bytes.
types:
  header:
    doc: |
      The header: 24 bytes.
    seq:
      - id: magic_bytes
        contents: [0x49, 0x79, 0x4d, 0x41]
      - id: version
        type: u2
        doc: |
          Version of the format: 1.
      - id: check_version
        size: 0
        valid:
          expr: 'version == 1'
        doc: |
          Fails with: the version is not 1.
      - id: descriptor_len
        type: u2
        doc: |
          Size of the encoded descriptor in bytes.
      - id: metadata_checksum
        type: u8
        doc: |
          RapidHash of the encoded descriptor, its length and the data checksum (I3, I4).
      - id: data_checksum
        type: u8
        doc: |
          RapidHash of the compressed data; 0 if absent (I5).
  descriptor:
    doc: |
      The structure of the data. Files store it encoded with bitcode. This struct declares its content as plain fields.
    seq:
      - id: data_len
        type: u8
        doc: |
          Size of the uncompressed data in bytes: the sum of the buffer sizes below (I6). Not stored in the file.
      - id: n_vertices
        type: u4
        doc: |
          Number of vertices.
      - id: user_data_len
        type: u4
        doc: |
          Size of the user data in bytes.
      - id: mesh_count
        type: u4
        doc: |
          Number of meshes.
      - id: meshes
        type: 'mesh_info'
        repeat: expr
        repeat-expr: 'mesh_count'
        doc: |
          The range of each mesh in the buffers.
      - id: has_indices
        type: u1
        doc: |
          Whether there is an index buffer.
      - id: n_indices
        type: u4
        doc: |
          Number of indices in the index buffer; 0 without one.
      - id: index_format
        type: u1
        enum: index_format
        valid:
          in-enum: true
        doc: |
          Format of the indices.
      - id: attribute_count
        type: u4
        doc: |
          Number of vertex buffers.
      - id: attributes
        type: 'attribute_fields'
        repeat: expr
        repeat-expr: 'attribute_count'
        doc: |
          The vertex buffers, in data order (I8). Dialects encode their usages differently.
  mesh_info:
    doc: |
      The range of a mesh in the buffers.
    seq:
      - id: first_index
        type: u4
        doc: |
          Position of the first index in the index buffer.
      - id: index_count
        type: u4
        doc: |
          Number of indices.
          first_index + index_count must not exceed n_indices (IYMA-MESH-RANGE, error).
      - id: first_vertex
        type: u4
        doc: |
          Position of the first vertex in the vertex buffers; the indices are relative to it.
      - id: vertex_count
        type: u4
        doc: |
          Number of vertices.
          first_vertex + vertex_count must not exceed n_vertices (IYMA-MESH-RANGE, error).
  attribute_fields:
    doc: |
      A vertex buffer as plain fields.
    seq:
      - id: usage
        type: u1
        enum: usage_field
        valid:
          in-enum: true
        doc: |
          The usage of the values.
      - id: custom
        if: 'usage.to_i == 0'
        type: u4
        doc: |
          The number of a custom usage.
      - id: name_len
        if: 'usage.to_i == 0'
        type: u4
        doc: |
          Size of a custom usage's name in bytes. The reference dialect has no names.
      - id: name
        if: 'usage.to_i == 0'
        size: 'name_len'
        doc: |
          The name, in UTF-8.
      - id: format
        type: u1
        enum: vertex_format
        valid:
          in-enum: true
        doc: |
          The format of the values.
  data:
    doc: |
      The uncompressed buffers, concatenated.
    params:
      - id: user_data_len
        type: u4
      - id: has_indices
        type: u1
      - id: index_format
        type: u8
        enum: index_format
      - id: n_indices
        type: u4
      - id: n_vertices
        type: u4
      - id: attributes
        type: attribute_fields[]
    seq:
      - id: user_data
        size: 'user_data_len'
        doc: |
          Application-defined bytes.
      - id: indices
        if: 'has_indices != 0'
        type: 'index_data(index_format, n_indices)'
        doc: |
          The index buffer.
      - id: vertices
        type: 'vertex_buffer(attributes[_index].format, n_vertices)'
        repeat: expr
        repeat-expr: 'attributes.size'
        doc: |
          The vertex buffers, in descriptor order (I8).
  index_data:
    doc: |
      The index buffer.
    params:
      - id: index_format
        type: u8
        enum: index_format
      - id: n_indices
        type: u4
    seq:
      - id: as_u16
        if: 'choice == 0'
        type: u2
        repeat: expr
        repeat-expr: 'n_indices'
        doc: |
          16-bit indices.
      - id: as_u32
        if: 'choice == 1'
        type: u4
        repeat: expr
        repeat-expr: 'n_indices'
        doc: |
          32-bit indices.
      - id: check_choice
        size: 0
        valid:
          expr: 'choice >= 0'
        doc: |
          The condition of a variant holds.
    instances:
      choice:
        value: >-
          (index_format.to_i == 0) ? 0 :
          (index_format.to_i == 1) ? 1 :
          -1
        doc: |
          The index of the chosen variant.
  vertex_buffer:
    doc: |
      A vertex buffer: a value per vertex.
    params:
      - id: format
        type: u8
        enum: vertex_format
      - id: n_vertices
        type: u4
    seq:
      - id: as_float16
        if: 'choice == 0'
        type: u2
        repeat: expr
        repeat-expr: 'n_vertices'
        doc: |
          One 16-bit float.
          Decoded as x as IEEE 754 binary16.
      - id: as_float32
        if: 'choice == 1'
        type: f4
        repeat: expr
        repeat-expr: 'n_vertices'
        doc: |
          One 32-bit float.
      - id: as_float64
        if: 'choice == 2'
        type: f8
        repeat: expr
        repeat-expr: 'n_vertices'
        doc: |
          One 64-bit float.
      - id: as_float16x2
        if: 'choice == 3'
        type: u2
        repeat: expr
        repeat-expr: 'n_vertices * 2'
        doc: |
          Two 16-bit floats.
          Decoded as x as IEEE 754 binary16.
      - id: as_float16x4
        if: 'choice == 4'
        type: u2
        repeat: expr
        repeat-expr: 'n_vertices * 4'
        doc: |
          Four 16-bit floats.
          Decoded as x as IEEE 754 binary16.
      - id: as_float32x2
        if: 'choice == 5'
        type: f4
        repeat: expr
        repeat-expr: 'n_vertices * 2'
        doc: |
          Two 32-bit floats.
      - id: as_float32x3
        if: 'choice == 6'
        type: f4
        repeat: expr
        repeat-expr: 'n_vertices * 3'
        doc: |
          Three 32-bit floats.
      - id: as_float32x4
        if: 'choice == 7'
        type: f4
        repeat: expr
        repeat-expr: 'n_vertices * 4'
        doc: |
          Four 32-bit floats.
      - id: as_float64x2
        if: 'choice == 8'
        type: f8
        repeat: expr
        repeat-expr: 'n_vertices * 2'
        doc: |
          Two 64-bit floats.
      - id: as_float64x3
        if: 'choice == 9'
        type: f8
        repeat: expr
        repeat-expr: 'n_vertices * 3'
        doc: |
          Three 64-bit floats.
      - id: as_float64x4
        if: 'choice == 10'
        type: f8
        repeat: expr
        repeat-expr: 'n_vertices * 4'
        doc: |
          Four 64-bit floats.
      - id: as_sint8
        if: 'choice == 11'
        type: s1
        repeat: expr
        repeat-expr: 'n_vertices'
        doc: |
          One signed 8-bit integer.
      - id: as_sint8x2
        if: 'choice == 12'
        type: s1
        repeat: expr
        repeat-expr: 'n_vertices * 2'
        doc: |
          Two signed 8-bit integers.
      - id: as_sint8x4
        if: 'choice == 13'
        type: s1
        repeat: expr
        repeat-expr: 'n_vertices * 4'
        doc: |
          Four signed 8-bit integers.
      - id: as_sint16
        if: 'choice == 14'
        type: s2
        repeat: expr
        repeat-expr: 'n_vertices'
        doc: |
          One signed 16-bit integer.
      - id: as_sint32
        if: 'choice == 15'
        type: s4
        repeat: expr
        repeat-expr: 'n_vertices'
        doc: |
          One signed 32-bit integer.
      - id: as_sint16x2
        if: 'choice == 16'
        type: s2
        repeat: expr
        repeat-expr: 'n_vertices * 2'
        doc: |
          Two signed 16-bit integers.
      - id: as_sint16x4
        if: 'choice == 17'
        type: s2
        repeat: expr
        repeat-expr: 'n_vertices * 4'
        doc: |
          Four signed 16-bit integers.
      - id: as_sint32x2
        if: 'choice == 18'
        type: s4
        repeat: expr
        repeat-expr: 'n_vertices * 2'
        doc: |
          Two signed 32-bit integers.
      - id: as_sint32x3
        if: 'choice == 19'
        type: s4
        repeat: expr
        repeat-expr: 'n_vertices * 3'
        doc: |
          Three signed 32-bit integers.
      - id: as_sint32x4
        if: 'choice == 20'
        type: s4
        repeat: expr
        repeat-expr: 'n_vertices * 4'
        doc: |
          Four signed 32-bit integers.
      - id: as_snorm8
        if: 'choice == 21'
        type: s1
        repeat: expr
        repeat-expr: 'n_vertices'
        doc: |
          One signed normalised 8-bit integer, −1 to 1.
          Decoded as fmax(x / 127.0, -1.0).
      - id: as_snorm8x2
        if: 'choice == 22'
        type: s1
        repeat: expr
        repeat-expr: 'n_vertices * 2'
        doc: |
          Two signed normalised 8-bit integers, −1 to 1.
          Decoded as fmax(x / 127.0, -1.0).
      - id: as_snorm8x4
        if: 'choice == 23'
        type: s1
        repeat: expr
        repeat-expr: 'n_vertices * 4'
        doc: |
          Four signed normalised 8-bit integers, −1 to 1.
          Decoded as fmax(x / 127.0, -1.0).
      - id: as_snorm16
        if: 'choice == 24'
        type: s2
        repeat: expr
        repeat-expr: 'n_vertices'
        doc: |
          One signed normalised 16-bit integer, −1 to 1.
          Decoded as fmax(x / 32767.0, -1.0).
      - id: as_snorm16x2
        if: 'choice == 25'
        type: s2
        repeat: expr
        repeat-expr: 'n_vertices * 2'
        doc: |
          Two signed normalised 16-bit integers, −1 to 1.
          Decoded as fmax(x / 32767.0, -1.0).
      - id: as_snorm16x4
        if: 'choice == 26'
        type: s2
        repeat: expr
        repeat-expr: 'n_vertices * 4'
        doc: |
          Four signed normalised 16-bit integers, −1 to 1.
          Decoded as fmax(x / 32767.0, -1.0).
      - id: as_uint8
        if: 'choice == 27'
        size: 'n_vertices'
        doc: |
          One unsigned 8-bit integer.
      - id: as_uint8x2
        if: 'choice == 28'
        type: u1
        repeat: expr
        repeat-expr: 'n_vertices * 2'
        doc: |
          Two unsigned 8-bit integers.
      - id: as_uint8x4
        if: 'choice == 29'
        type: u1
        repeat: expr
        repeat-expr: 'n_vertices * 4'
        doc: |
          Four unsigned 8-bit integers.
      - id: as_uint16
        if: 'choice == 30'
        type: u2
        repeat: expr
        repeat-expr: 'n_vertices'
        doc: |
          One unsigned 16-bit integer.
      - id: as_uint32
        if: 'choice == 31'
        type: u4
        repeat: expr
        repeat-expr: 'n_vertices'
        doc: |
          One unsigned 32-bit integer.
      - id: as_uint16x2
        if: 'choice == 32'
        type: u2
        repeat: expr
        repeat-expr: 'n_vertices * 2'
        doc: |
          Two unsigned 16-bit integers.
      - id: as_uint16x4
        if: 'choice == 33'
        type: u2
        repeat: expr
        repeat-expr: 'n_vertices * 4'
        doc: |
          Four unsigned 16-bit integers.
      - id: as_uint32x2
        if: 'choice == 34'
        type: u4
        repeat: expr
        repeat-expr: 'n_vertices * 2'
        doc: |
          Two unsigned 32-bit integers.
      - id: as_uint32x3
        if: 'choice == 35'
        type: u4
        repeat: expr
        repeat-expr: 'n_vertices * 3'
        doc: |
          Three unsigned 32-bit integers.
      - id: as_uint32x4
        if: 'choice == 36'
        type: u4
        repeat: expr
        repeat-expr: 'n_vertices * 4'
        doc: |
          Four unsigned 32-bit integers.
      - id: as_unorm8
        if: 'choice == 37'
        size: 'n_vertices'
        doc: |
          One unsigned normalised 8-bit integer, 0 to 1.
          Decoded as x / 255.0.
      - id: as_unorm8x2
        if: 'choice == 38'
        type: u1
        repeat: expr
        repeat-expr: 'n_vertices * 2'
        doc: |
          Two unsigned normalised 8-bit integers, 0 to 1.
          Decoded as x / 255.0.
      - id: as_unorm8x4
        if: 'choice == 39'
        type: u1
        repeat: expr
        repeat-expr: 'n_vertices * 4'
        doc: |
          Four unsigned normalised 8-bit integers, 0 to 1.
          Decoded as x / 255.0.
      - id: as_unorm8x4_bgra
        if: 'choice == 40'
        type: u1
        repeat: expr
        repeat-expr: 'n_vertices * 4'
        doc: |
          Four unsigned normalised 8-bit integers, 0 to 1: blue, green, red, alpha.
          Decoded as x / 255.0.
      - id: as_unorm16
        if: 'choice == 41'
        type: u2
        repeat: expr
        repeat-expr: 'n_vertices'
        doc: |
          One unsigned normalised 16-bit integer, 0 to 1.
          Decoded as x / 65535.0.
      - id: as_unorm10_10_10_2
        if: 'choice == 42'
        type: 'unorm10x3x2'
        repeat: expr
        repeat-expr: 'n_vertices'
        doc: |
          Unsigned normalised integers of 10, 10, 10 and 2 bits, each 0 to 1, packed in a word from the lowest bit.
      - id: as_unorm16x2
        if: 'choice == 43'
        type: u2
        repeat: expr
        repeat-expr: 'n_vertices * 2'
        doc: |
          Two unsigned normalised 16-bit integers, 0 to 1.
          Decoded as x / 65535.0.
      - id: as_unorm16x4
        if: 'choice == 44'
        type: u2
        repeat: expr
        repeat-expr: 'n_vertices * 4'
        doc: |
          Four unsigned normalised 16-bit integers, 0 to 1.
          Decoded as x / 65535.0.
      - id: check_choice
        size: 0
        valid:
          expr: 'choice >= 0'
        doc: |
          The condition of a variant holds.
    instances:
      choice:
        value: >-
          (format.to_i == 0) ? 0 :
          (format.to_i == 1) ? 1 :
          (format.to_i == 2) ? 2 :
          (format.to_i == 3) ? 3 :
          (format.to_i == 4) ? 4 :
          (format.to_i == 5) ? 5 :
          (format.to_i == 6) ? 6 :
          (format.to_i == 7) ? 7 :
          (format.to_i == 8) ? 8 :
          (format.to_i == 9) ? 9 :
          (format.to_i == 10) ? 10 :
          (format.to_i == 11) ? 11 :
          (format.to_i == 12) ? 12 :
          (format.to_i == 13) ? 13 :
          (format.to_i == 14) ? 14 :
          (format.to_i == 15) ? 15 :
          (format.to_i == 16) ? 16 :
          (format.to_i == 17) ? 17 :
          (format.to_i == 18) ? 18 :
          (format.to_i == 19) ? 19 :
          (format.to_i == 20) ? 20 :
          (format.to_i == 21) ? 21 :
          (format.to_i == 22) ? 22 :
          (format.to_i == 23) ? 23 :
          (format.to_i == 24) ? 24 :
          (format.to_i == 25) ? 25 :
          (format.to_i == 26) ? 26 :
          (format.to_i == 27) ? 27 :
          (format.to_i == 28) ? 28 :
          (format.to_i == 29) ? 29 :
          (format.to_i == 30) ? 30 :
          (format.to_i == 31) ? 31 :
          (format.to_i == 32) ? 32 :
          (format.to_i == 33) ? 33 :
          (format.to_i == 34) ? 34 :
          (format.to_i == 35) ? 35 :
          (format.to_i == 36) ? 36 :
          (format.to_i == 37) ? 37 :
          (format.to_i == 38) ? 38 :
          (format.to_i == 39) ? 39 :
          (format.to_i == 40) ? 40 :
          (format.to_i == 41) ? 41 :
          (format.to_i == 42) ? 42 :
          (format.to_i == 43) ? 43 :
          (format.to_i == 44) ? 44 :
          -1
        doc: |
          The index of the chosen variant.
  unorm10x3x2:
    doc: |
      A value of four components in one word.
    seq:
      - id: x
        type: b10
        doc: |
          X or red.
          Decoded as x / 1023.0.
      - id: y
        type: b10
        doc: |
          Y or green.
          Decoded as x / 1023.0.
      - id: z
        type: b10
        doc: |
          Z or blue.
          Decoded as x / 1023.0.
      - id: w
        type: b2
        doc: |
          W or alpha.
          Decoded as x / 3.0.
enums:
  index_format:
    0:
      id: u16
      doc: |
        16-bit indices.
    1:
      id: u32
      doc: |
        32-bit indices.
  usage_field:
    0:
      id: custom
      doc: |
        A custom usage.
    1:
      id: position
      doc: |
        Position.
    2:
      id: normal
      doc: |
        Normal.
    3:
      id: tangent
      doc: |
        Tangent.
    4:
      id: color
      doc: |
        Colour.
    5:
      id: uv
      doc: |
        Texture coordinate; the reference dialect's first set.
    6:
      id: uv1
      doc: |
        The reference dialect's second set of texture coordinates.
    7:
      id: joint_index
      doc: |
        Joint indices.
    8:
      id: joint_weight
      doc: |
        Joint weights.
  vertex_format:
    0:
      id: float16
      doc: |
        One 16-bit float.
    1:
      id: float32
      doc: |
        One 32-bit float.
    2:
      id: float64
      doc: |
        One 64-bit float.
    3:
      id: float16x2
      doc: |
        Two 16-bit floats.
    4:
      id: float16x4
      doc: |
        Four 16-bit floats.
    5:
      id: float32x2
      doc: |
        Two 32-bit floats.
    6:
      id: float32x3
      doc: |
        Three 32-bit floats.
    7:
      id: float32x4
      doc: |
        Four 32-bit floats.
    8:
      id: float64x2
      doc: |
        Two 64-bit floats.
    9:
      id: float64x3
      doc: |
        Three 64-bit floats.
    10:
      id: float64x4
      doc: |
        Four 64-bit floats.
    11:
      id: sint8
      doc: |
        One signed 8-bit integer.
    12:
      id: sint8x2
      doc: |
        Two signed 8-bit integers.
    13:
      id: sint8x4
      doc: |
        Four signed 8-bit integers.
    14:
      id: sint16
      doc: |
        One signed 16-bit integer.
    15:
      id: sint32
      doc: |
        One signed 32-bit integer.
    16:
      id: sint16x2
      doc: |
        Two signed 16-bit integers.
    17:
      id: sint16x4
      doc: |
        Four signed 16-bit integers.
    18:
      id: sint32x2
      doc: |
        Two signed 32-bit integers.
    19:
      id: sint32x3
      doc: |
        Three signed 32-bit integers.
    20:
      id: sint32x4
      doc: |
        Four signed 32-bit integers.
    21:
      id: snorm8
      doc: |
        One signed normalised 8-bit integer, −1 to 1.
    22:
      id: snorm8x2
      doc: |
        Two signed normalised 8-bit integers, −1 to 1.
    23:
      id: snorm8x4
      doc: |
        Four signed normalised 8-bit integers, −1 to 1.
    24:
      id: snorm16
      doc: |
        One signed normalised 16-bit integer, −1 to 1.
    25:
      id: snorm16x2
      doc: |
        Two signed normalised 16-bit integers, −1 to 1.
    26:
      id: snorm16x4
      doc: |
        Four signed normalised 16-bit integers, −1 to 1.
    27:
      id: uint8
      doc: |
        One unsigned 8-bit integer.
    28:
      id: uint8x2
      doc: |
        Two unsigned 8-bit integers.
    29:
      id: uint8x4
      doc: |
        Four unsigned 8-bit integers.
    30:
      id: uint16
      doc: |
        One unsigned 16-bit integer.
    31:
      id: uint32
      doc: |
        One unsigned 32-bit integer.
    32:
      id: uint16x2
      doc: |
        Two unsigned 16-bit integers.
    33:
      id: uint16x4
      doc: |
        Four unsigned 16-bit integers.
    34:
      id: uint32x2
      doc: |
        Two unsigned 32-bit integers.
    35:
      id: uint32x3
      doc: |
        Three unsigned 32-bit integers.
    36:
      id: uint32x4
      doc: |
        Four unsigned 32-bit integers.
    37:
      id: unorm8
      doc: |
        One unsigned normalised 8-bit integer, 0 to 1.
    38:
      id: unorm8x2
      doc: |
        Two unsigned normalised 8-bit integers, 0 to 1.
    39:
      id: unorm8x4
      doc: |
        Four unsigned normalised 8-bit integers, 0 to 1.
    40:
      id: unorm8x4_bgra
      doc: |
        Four unsigned normalised 8-bit integers, 0 to 1: blue, green, red, alpha.
    41:
      id: unorm16
      doc: |
        One unsigned normalised 16-bit integer, 0 to 1.
    42:
      id: unorm10_10_10_2
      doc: |
        Unsigned normalised integers of 10, 10, 10 and 2 bits, each 0 to 1, packed in a word from the lowest bit.
    43:
      id: unorm16x2
      doc: |
        Two unsigned normalised 16-bit integers, 0 to 1.
    44:
      id: unorm16x4
      doc: |
        Four unsigned normalised 16-bit integers, 0 to 1.
