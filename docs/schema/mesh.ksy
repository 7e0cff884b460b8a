meta:
  id: mesh
  title: 'MESH'
  ks-version: '0.11'
  endian: le
  bit-endian: le
doc: |
  A MESH file: sections without padding between them.
seq:
  - id: header
    type: 'header'
    doc: |
      The header, always present.
  - id: vertices
    type: 'vertex(header.format)'
    repeat: expr
    repeat-expr: 'header.vertex_count'
    doc: |
      One entry per vertex.
  - id: indices
    type: u4
    repeat: expr
    repeat-expr: 'header.index_count'
    valid:
      expr: '(not (header.vertex_count > 0) or _ < header.vertex_count)'
    doc: |
      Vertex indices, three per triangle, although the specification does not state it (M13).
      Each must be below header.vertex_count if header.vertex_count > 0 (MESH-INDEX-RANGE, error).
  - id: joints
    type: 'joint'
    repeat: expr
    repeat-expr: 'header.joint_count'
    doc: |
      The skeleton, up to 255 joints.
  - id: animations
    type: 'animation(header.joint_count)'
    repeat: expr
    repeat-expr: 'header.animation_count'
    doc: |
      Animations of varying size (M4): up to 255, or 65,535 in the renderlib dialect.
  - id: strings
    terminator: 0
    eos-error: false
    repeat: eos
    doc: |
      Names of the animations, up to the end of the file (M3). The renderlib dialect has none.
      The last string must end with a NUL (MESH-STRING-END, error).
types:
  header:
    doc: |
      The header: 13 bytes, or 78 in the renderlib dialect.
    seq:
      - id: version
        type: u1
        doc: |
          Version of the format, minor and major as nibbles: 0x01 is 1.0 (M1).
      - id: check_version
        size: 0
        valid:
          expr: 'version == 1'
        doc: |
          Fails with: the version is not 1.0 (0x01).
      - id: format
        type: 'vertex_format'
        doc: |
          The vertex attributes.
          Reserved bits must be 0 (MESH-FORMAT-BITS, error).
      - id: check_format
        size: 0
        valid:
          expr: 'format.position'
        doc: |
          Fails with: bit 0 is not set: a vertex without a position.
      - id: check_format_2
        size: 0
        valid:
          expr: 'format.unused == 0'
        doc: |
          Reserved bits must be 0 (MESH-FORMAT-BITS, error).
      - id: vertex_count
        type: u4
        doc: |
          Number of entries in the vertex data.
          vertex_count > 0 must hold (MESH-EMPTY, warning).
      - id: check_vertex_count
        size: 0
        valid:
          expr: 'vertex_count > 0'
        doc: |
          vertex_count > 0 must hold (MESH-EMPTY, warning).
      - id: index_count
        type: u4
        doc: |
          Number of indices in the index data.
          index_count > 0 must hold (MESH-EMPTY, warning).
          index_count % 3 == 0 must hold (MESH-TRIANGLES, warning).
      - id: check_index_count
        size: 0
        valid:
          expr: 'index_count > 0'
        doc: |
          index_count > 0 must hold (MESH-EMPTY, warning).
      - id: check_index_count_2
        size: 0
        valid:
          expr: 'index_count % 3 == 0'
        doc: |
          index_count % 3 == 0 must hold (MESH-TRIANGLES, warning).
      - id: joint_count
        type: u1
        doc: |
          Number of joints in the joint data.
      - id: animation_count
        type: u1
        doc: |
          Number of animations in the animation data.
  vertex_format:
    doc: |
      The attributes of a vertex: 16 bits.
    seq:
      - id: position
        type: b1
        doc: |
          Position. Mandatory: a format without this bit is an error.
      - id: normal
        type: b1
        doc: |
          Normal vector.
      - id: uv
        type: b1
        doc: |
          Texture coordinate (UV).
      - id: joints
        type: b1
        doc: |
          Joint ids and weights.
      - id: unused
        type: b12
        doc: |
          Unused. Set bits are an error; lenient reading keeps them (M7).
  vertex:
    doc: |
      A vertex: the attributes in the format, in this order, tightly packed (M2).
    params:
      - id: format
        type: vertex_format
    seq:
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 3
        valid:
          expr: '_ - _ == 0'
        doc: |
          Vertex coordinate (X, Y, Z).
          Must be finite (MESH-NON-FINITE, warning).
      - id: normal
        if: 'format.normal'
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Normal vector (X, Y, Z).
      - id: uv
        if: 'format.uv'
        type: f4
        repeat: expr
        repeat-expr: 2
        doc: |
          Texture coordinate (U, V).
      - id: joint_ids
        if: 'format.joints'
        type: u1
        repeat: expr
        repeat-expr: 4
        doc: |
          Joints that the vertex is bound to; 255 with weight 0 for none (M9).
          Must be an index into joints, or 255 with 0 in joint_weights for none (MESH-VERTEX-JOINT, warning).
      - id: joint_weights
        if: 'format.joints'
        type: u1
        repeat: expr
        repeat-expr: 4
        doc: |
          Weights of the joints, 0 to 255; 255 is the full weight.
          Decoded as x / 255.0.
  joint:
    doc: |
      A joint of the skeleton: 66 bytes.
    seq:
      - id: id
        type: u1
        doc: |
          Identifier: the position of the entry (M10).
          The numbers must be a permutation of 0, 1, 2, … (MESH-JOINT-ID, error).
          Must be the index of the item (MESH-JOINT-ORDER, warning).
      - id: parent
        type: u1
        doc: |
          Index of the parent entry; 255 for a root (M10).
          Must be the index or the id of the parent (the same one in all items); the items form no cycles; 255 means no parent (MESH-PARENT, error).
      - id: transform
        type: f4
        repeat: expr
        repeat-expr: 16
        doc: |
          Model space to joint space, 4×4, row-major (M15).
  animation:
    doc: |
      An animation of P poses and J joints: 16 + 4 · P + 44 · J · P bytes (M4). In the renderlib dialect, 12 + 4 · P +
      41 · J · P.
    params:
      - id: joint_count
        type: u1
    seq:
      - id: name
        type: u4
        doc: |
          Index of the name in the strings, zero-based (M6). The renderlib dialect has no names.
          Must be an index into strings (MESH-NAME, error).
      - id: duration
        type: f4
        doc: |
          Duration in ticks.
          In ticks.
      - id: speed
        type: f4
        doc: |
          Speed in ticks per second.
          In ticks/s.
      - id: pose_count
        type: u4
        doc: |
          Number of skeleton poses.
      - id: timestamps
        type: f4
        repeat: expr
        repeat-expr: 'pose_count'
        valid:
          expr: '(_index == 0 or not (_ < timestamps[_index - 1]))'
        doc: |
          Time of each pose in ticks.
          In ticks.
          Must not decrease from item to item (MESH-POSE-TIME, warning).
      - id: poses
        type: 'pose'
        repeat: expr
        repeat-expr: 'pose_count * joint_count'
        doc: |
          For each timestamp, one entry per joint, in any order (M11).
          The values of joint of each joint_count must be a permutation of 0, 1, 2, … (MESH-POSE-JOINT, fatal).
  pose:
    doc: |
      The pose of a joint at one time: 44 bytes.
    seq:
      - id: joint
        type: u4
        doc: |
          The joint (M11).
      - id: position
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Position (X, Y, Z).
      - id: rotation
        type: f4
        repeat: expr
        repeat-expr: 4
        doc: |
          Rotation quaternion (W, X, Y, Z) (M15).
      - id: scale
        type: f4
        repeat: expr
        repeat-expr: 3
        doc: |
          Scale (X, Y, Z).
