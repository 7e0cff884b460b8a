meta:
  id: bmd
  title: 'BMD'
  ks-version: '0.11'
  endian: le
  bit-endian: le
doc: |
  A BMD file.
seq:
  - id: header
    type: 'header'
    doc: |
      The header.
instances:
  meshes:
    io: _root._io
    pos: 'header.ofs_meshes'
    type: 'mesh_def'
    repeat: expr
    repeat-expr: 'header.sz_meshes / 32'
    doc: |
      Meshes.
  lods:
    io: _root._io
    pos: 'header.ofs_lods'
    type: 'lod_def'
    repeat: expr
    repeat-expr: 'header.sz_lods / 4'
    doc: |
      Levels of detail.
  bones:
    io: _root._io
    pos: 'header.ofs_bones'
    type: 'bone_def'
    repeat: expr
    repeat-expr: 'header.sz_bones / 16'
    doc: |
      The skeleton.
  animations:
    io: _root._io
    pos: 'header.ofs_anims'
    type: 'anim_def'
    repeat: expr
    repeat-expr: 'header.sz_anims / 16'
    doc: |
      Animations.
types:
  header:
    doc: |
      The header: 48 bytes.
    seq:
      - id: magic_bytes
        contents: [0x42, 0x4d, 0x44, 0x31]
      - id: resv1
        type: u4
        valid:
          any-of: ['0']
        doc: |
          Reserved; must be zero (B28).
          Must be 0 (BMD-RESERVED, warning).
      - id: resv2
        type: u4
        valid:
          any-of: ['0']
        doc: |
          Reserved; must be zero (B28).
          Must be 0 (BMD-RESERVED, warning).
      - id: resv3
        type: u4
        valid:
          any-of: ['0']
        doc: |
          Reserved; must be zero (B28).
          Must be 0 (BMD-RESERVED, warning).
      - id: ofs_meshes
        type: u4
        doc: |
          Offset of the mesh list.
      - id: check_ofs_meshes
        size: 0
        valid:
          expr: 'ofs_meshes % 4 == 0'
        doc: |
          Fails with: the offset is not a multiple of 4.
      - id: sz_meshes
        type: u4
        doc: |
          Size of the mesh list in bytes.
      - id: check_sz_meshes
        size: 0
        valid:
          expr: 'sz_meshes % 32 == 0'
        doc: |
          Fails with: the size is not a multiple of the size of an entry.
      - id: check_sz_meshes_2
        size: 0
        valid:
          expr: 'sz_meshes == 0 or ofs_meshes >= 48'
        doc: |
          Fails with: the list overlaps the header.
      - id: ofs_lods
        type: u4
        doc: |
          Offset of the list of levels of detail.
      - id: check_ofs_lods
        size: 0
        valid:
          expr: 'ofs_lods % 4 == 0'
        doc: |
          Fails with: the offset is not a multiple of 4.
      - id: sz_lods
        type: u4
        doc: |
          Size of the list of levels of detail in bytes.
      - id: check_sz_lods
        size: 0
        valid:
          expr: 'sz_lods % 4 == 0'
        doc: |
          Fails with: the size is not a multiple of the size of an entry.
      - id: check_sz_lods_2
        size: 0
        valid:
          expr: 'sz_lods == 0 or ofs_lods >= 48'
        doc: |
          Fails with: the list overlaps the header.
      - id: ofs_bones
        type: u4
        doc: |
          Offset of the bone list; must be zero in a static model.
      - id: check_ofs_bones
        size: 0
        valid:
          expr: 'ofs_bones % 4 == 0'
        doc: |
          Fails with: the offset is not a multiple of 4.
      - id: sz_bones
        type: u4
        doc: |
          Size of the bone list in bytes; must be zero in a static model.
      - id: check_sz_bones
        size: 0
        valid:
          expr: 'sz_bones % 16 == 0'
        doc: |
          Fails with: the size is not a multiple of the size of an entry.
      - id: check_sz_bones_2
        size: 0
        valid:
          expr: 'sz_bones / 16 <= 255'
        doc: |
          Fails with: there are more than 255 bones.
      - id: check_sz_bones_3
        size: 0
        valid:
          expr: 'sz_bones == 0 or ofs_bones >= 48'
        doc: |
          Fails with: the list overlaps the header.
      - id: ofs_anims
        type: u4
        doc: |
          Offset of the animation list; must be zero in a static model.
      - id: check_ofs_anims
        size: 0
        valid:
          expr: 'ofs_anims % 4 == 0'
        doc: |
          Fails with: the offset is not a multiple of 4.
      - id: sz_anims
        type: u4
        doc: |
          Size of the animation list in bytes; must be zero in a static model.
      - id: check_sz_anims
        size: 0
        valid:
          expr: 'sz_anims % 16 == 0'
        doc: |
          Fails with: the size is not a multiple of the size of an entry.
      - id: check_sz_anims_2
        size: 0
        valid:
          expr: 'sz_anims == 0 or ofs_anims >= 48'
        doc: |
          Fails with: the list overlaps the header.
  mesh_def:
    doc: |
      A mesh: a 32-byte table entry whose lists are stored elsewhere.
    seq:
      - id: ofs_vtx
        type: u4
        doc: |
          Offset of the vertex list.
      - id: check_ofs_vtx
        size: 0
        valid:
          expr: 'ofs_vtx % 4 == 0'
        doc: |
          Fails with: the offset is not a multiple of 4.
      - id: ofs_tris
        type: u4
        doc: |
          Offset of the face list.
      - id: check_ofs_tris
        size: 0
        valid:
          expr: 'ofs_tris % 4 == 0'
        doc: |
          Fails with: the offset is not a multiple of 4.
      - id: ofs_mat
        type: u4
        doc: |
          Offset of the material name; 0 for none.
      - id: check_ofs_mat
        size: 0
        valid:
          expr: 'ofs_mat == 0 or ofs_mat >= 48'
        doc: |
          Fails with: the name overlaps the header.
      - id: n_vtx
        type: u2
        doc: |
          Number of vertices.
          Must be the number of items in vertices (BMD-VERTEX-COUNT, fatal).
      - id: n_tris
        type: u2
        doc: |
          Number of triangles (B12).
      - id: sz_vtx
        type: u4
        doc: |
          Size of the vertex list in bytes.
      - id: check_sz_vtx
        size: 0
        valid:
          expr: 'sz_vtx == 0 or ofs_vtx >= 48'
        doc: |
          Fails with: the vertices overlap the header.
      - id: sz_tris
        type: u4
        doc: |
          Size of the face list in bytes.
      - id: check_sz_tris
        size: 0
        valid:
          expr: 'sz_tris == 0 or ofs_tris >= 48'
        doc: |
          Fails with: the faces overlap the header.
      - id: flags
        type: 'control_flags'
        doc: |
          The forms that the vertices and faces may have.
          Reserved bits must be 0 (BMD-RESERVED, warning).
      - id: check_flags
        size: 0
        valid:
          expr: 'flags.reserved == 0'
        doc: |
          Reserved bits must be 0 (BMD-RESERVED, warning).
      - id: resv3
        type: u4
        valid:
          any-of: ['0']
        doc: |
          Reserved; must be zero (B28).
          Must be 0 (BMD-RESERVED, warning).
    instances:
      material:
        io: _root._io
        pos: 'ofs_mat'
        if: 'ofs_mat != 0'
        terminator: 0
        doc: |
          The name of the material; `None` for a mesh that must not be drawn.
      as_vertices:
        io: _root._io
        pos: 'ofs_vtx'
        size: 'sz_vtx'
        type: 'vertex_list(flags.vertex_subtype, ofs_mat != 0 and (material.length >= 7 and material[0] == 0x23 and ((material[1] >= 0x30 and material[1] <= 0x39) or (material[1] >= 0x41 and material[1] <= 0x46) or (material[1] >= 0x61 and material[1] <= 0x66)) and ((material[2] >= 0x30 and material[2] <= 0x39) or (material[2] >= 0x41 and material[2] <= 0x46) or (material[2] >= 0x61 and material[2] <= 0x66)) and ((material[3] >= 0x30 and material[3] <= 0x39) or (material[3] >= 0x41 and material[3] <= 0x46) or (material[3] >= 0x61 and material[3] <= 0x66)) and ((material[4] >= 0x30 and material[4] <= 0x39) or (material[4] >= 0x41 and material[4] <= 0x46) or (material[4] >= 0x61 and material[4] <= 0x66)) and ((material[5] >= 0x30 and material[5] <= 0x39) or (material[5] >= 0x41 and material[5] <= 0x46) or (material[5] >= 0x61 and material[5] <= 0x66)) and ((material[6] >= 0x30 and material[6] <= 0x39) or (material[6] >= 0x41 and material[6] <= 0x46) or (material[6] >= 0x61 and material[6] <= 0x66))))'
        doc: |
          The vertices, in any mix of forms.
      as_faces:
        io: _root._io
        pos: 'ofs_tris'
        size: 'sz_tris'
        type: 'face_list(flags.triangles_type)'
        doc: |
          The faces, in any mix of forms.
  control_flags:
    doc: |
      The allowed forms of the vertices and faces of a mesh: 32 bits. A hint for loaders (B11).
    seq:
      - id: vertex_subtype
        type: b2
        doc: |
          0: 64 bits; 1: any; 2: 128 bits; 3: 96 bits.
      - id: triangles_type
        type: b2
        doc: |
          0: 32 bits, triangles; 1: any; 2: 64 bits, triangles; 3: 64 bits, triangles or quads.
      - id: reserved
        type: b28
        doc: |
          Reserved.
  vertex_list:
    doc: |
      Vertices in any mix of sizes, up to the end of their bytes.
    params:
      - id: subtype
        type: u1
      - id: flat
        type: bool
    seq:
      - id: vertices
        type: 'vertex_item(subtype, flat)'
        repeat: eos
        doc: |
          The vertices.
  vertex_item:
    doc: |
      A vertex in the form that its tag selects.
    params:
      - id: subtype
        type: u1
      - id: flat
        type: bool
    seq:
      - id: textured_64
        if: 'first.tag < 240 and not flat'
        type: 'textured_vertex64'
        doc: |
          64 bits, if the material is a texture.
          subtype <= 1 must hold (BMD-FLAGS, error).
      - id: check_textured_64
        if: '(first.tag < 240 and not flat)'
        size: 0
        valid:
          expr: 'subtype <= 1'
        doc: |
          subtype <= 1 must hold (BMD-FLAGS, error).
      - id: flat_64
        if: 'first.tag < 240 and flat'
        type: 'flat_vertex64'
        doc: |
          64 bits, if the material is a flat colour.
          subtype <= 1 must hold (BMD-FLAGS, error).
      - id: check_flat_64
        if: '(first.tag < 240 and flat)'
        size: 0
        valid:
          expr: 'subtype <= 1'
        doc: |
          subtype <= 1 must hold (BMD-FLAGS, error).
      - id: fine_96
        if: 'first.tag >= 240 and first.tag < 252 and first.tag % 2 == 0'
        type: 'fine_vertex96'
        doc: |
          96 bits, with an even tag.
          subtype == 1 or subtype == 3 must hold (BMD-FLAGS, error).
      - id: check_fine_96
        if: '(first.tag >= 240 and first.tag < 252 and first.tag % 2 == 0)'
        size: 0
        valid:
          expr: 'subtype == 1 or subtype == 3'
        doc: |
          subtype == 1 or subtype == 3 must hold (BMD-FLAGS, error).
      - id: scaled_96
        if: 'first.tag >= 240 and first.tag < 252 and first.tag % 2 == 1'
        type: 'scaled_vertex96'
        doc: |
          96 bits, with an odd tag.
          subtype == 1 or subtype == 3 must hold (BMD-FLAGS, error).
      - id: check_scaled_96
        if: '(first.tag >= 240 and first.tag < 252 and first.tag % 2 == 1)'
        size: 0
        valid:
          expr: 'subtype == 1 or subtype == 3'
        doc: |
          subtype == 1 or subtype == 3 must hold (BMD-FLAGS, error).
      - id: vertex_128
        if: 'first.tag >= 252'
        type: 'vertex128'
        doc: |
          128 bits with tag FD. FC, FE and FF are reserved; lenient mode reads them like FD (B8).
          subtype == 1 or subtype == 2 must hold (BMD-FLAGS, error).
      - id: check_vertex_128
        if: '(first.tag >= 252)'
        size: 0
        valid:
          expr: 'subtype == 1 or subtype == 2'
        doc: |
          subtype == 1 or subtype == 2 must hold (BMD-FLAGS, error).
    instances:
      first:
        pos: _io.pos
        type: 'vertex_tag'
        doc: |
          The start of the item, with the tag that selects the form.
  vertex_tag:
    doc: |
      The first word of any vertex.
    seq:
      - id: content
        type: b56
        doc: |
          The remaining bits; their meaning depends on the form.
      - id: tag
        type: b8
        doc: |
          The bone of a 64-bit vertex if below F0, otherwise the form.
  textured_vertex64:
    doc: |
      The 64-bit form for textured surfaces: no normal.
    seq:
      - id: position_frac_x_bits
        type: b9
        doc: |
          Fraction of X.
      - id: position_frac_y_bits
        type: b9
        doc: |
          Fraction of Y.
      - id: position_frac_z_bits
        type: b9
        doc: |
          Fraction of Z.
      - id: position_exponent
        type: b5
        doc: |
          The shared exponent.
      - id: st_frac_s
        type: b11
        doc: |
          Fraction of S.
      - id: st_frac_t
        type: b11
        doc: |
          Fraction of T.
      - id: st_exponent
        type: b2
        doc: |
          The shared exponent.
      - id: bone
        type: b8
        doc: |
          Bone, below F0 (B9); bone 0 is the model itself.
          Must be an index into bones, or 0 for none (BMD-VERTEX-BONE, warning).
    instances:
      position_frac_x:
        value: '(position_frac_x_bits ^ 256) - 256'
        doc: |
          Fraction of X.
      position_frac_y:
        value: '(position_frac_y_bits ^ 256) - 256'
        doc: |
          Fraction of Y.
      position_frac_z:
        value: '(position_frac_z_bits ^ 256) - 256'
        doc: |
          Fraction of Z.
  triple:
    doc: |
      Three signed fractions with a shared exponent, 32 bits. The values are fraction · 2^(exponent − 22) (B3).
      Decoded as [ldexp(frac_x, exponent - 22), ldexp(frac_y, exponent - 22), ldexp(frac_z, exponent - 22)].
    seq:
      - id: frac_x_bits
        type: b9
        doc: |
          Fraction of X.
      - id: frac_y_bits
        type: b9
        doc: |
          Fraction of Y.
      - id: frac_z_bits
        type: b9
        doc: |
          Fraction of Z.
      - id: exponent
        type: b5
        doc: |
          The shared exponent.
    instances:
      frac_x:
        value: '(frac_x_bits ^ 256) - 256'
        doc: |
          Fraction of X.
      frac_y:
        value: '(frac_y_bits ^ 256) - 256'
        doc: |
          Fraction of Y.
      frac_z:
        value: '(frac_z_bits ^ 256) - 256'
        doc: |
          Fraction of Z.
  scaled_st:
    doc: |
      Texture coordinates with a shared exponent: (fraction / 1024 − 0.5) · 4^exponent (B4).
      Decoded as [ldexp(frac_s / 1024.0 - 0.5, 2 * exponent), ldexp(frac_t / 1024.0 - 0.5, 2 * exponent)].
    seq:
      - id: frac_s
        type: b11
        doc: |
          Fraction of S.
      - id: frac_t
        type: b11
        doc: |
          Fraction of T.
      - id: exponent
        type: b2
        doc: |
          The shared exponent.
  flat_vertex64:
    doc: |
      The 64-bit form for surfaces of a flat colour: no texture coordinate.
    seq:
      - id: position_frac_x_bits
        type: b9
        doc: |
          Fraction of X.
      - id: position_frac_y_bits
        type: b9
        doc: |
          Fraction of Y.
      - id: position_frac_z_bits
        type: b9
        doc: |
          Fraction of Z.
      - id: position_exponent
        type: b5
        doc: |
          The shared exponent.
      - id: normal_x
        type: b8
        doc: |
          X.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
      - id: normal_y
        type: b8
        doc: |
          Y.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
      - id: normal_z
        type: b8
        doc: |
          Z.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
      - id: bone
        type: b8
        doc: |
          Bone, below F0 (B9); bone 0 is the model itself.
          Must be an index into bones, or 0 for none (BMD-VERTEX-BONE, warning).
    instances:
      position_frac_x:
        value: '(position_frac_x_bits ^ 256) - 256'
        doc: |
          Fraction of X.
      position_frac_y:
        value: '(position_frac_y_bits ^ 256) - 256'
        doc: |
          Fraction of Y.
      position_frac_z:
        value: '(position_frac_z_bits ^ 256) - 256'
        doc: |
          Fraction of Z.
  normal:
    doc: |
      Three F8A: a vector, not normalised.
      Decoded as [x, y, z], each decoded as F8A.
    seq:
      - id: x
        type: b8
        doc: |
          X.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
      - id: y
        type: b8
        doc: |
          Y.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
      - id: z
        type: b8
        doc: |
          Z.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
  fine_vertex96:
    doc: |
      The 96-bit form with an even tag: fine texture coordinates (B5).
    seq:
      - id: position_frac_x_bits
        type: b9
        doc: |
          Fraction of X.
      - id: position_frac_y_bits
        type: b9
        doc: |
          Fraction of Y.
      - id: position_frac_z_bits
        type: b9
        doc: |
          Fraction of Z.
      - id: position_exponent
        type: b5
        doc: |
          The shared exponent.
      - id: st_frac_s
        type: b12
        doc: |
          Fraction of S.
      - id: st_frac_t
        type: b12
        doc: |
          Fraction of T.
      - id: tag
        type: b8
        doc: |
          F8 or FA; F0, F2, F4 and F6 are not defined.
          Must be 248 or 250 (BMD-VERTEX-UNDEFINED, warning).
      - id: normal_x
        type: b8
        doc: |
          X.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
      - id: normal_y
        type: b8
        doc: |
          Y.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
      - id: normal_z
        type: b8
        doc: |
          Z.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
      - id: color_or_bone
        type: b8
        doc: |
          Colour/shade for tag F8, bone for tag FA (B10).
          Must be an index into bones, or 0 for none if tag == 250 (BMD-VERTEX-BONE, warning).
    instances:
      position_frac_x:
        value: '(position_frac_x_bits ^ 256) - 256'
        doc: |
          Fraction of X.
      position_frac_y:
        value: '(position_frac_y_bits ^ 256) - 256'
        doc: |
          Fraction of Y.
      position_frac_z:
        value: '(position_frac_z_bits ^ 256) - 256'
        doc: |
          Fraction of Z.
  fine_st:
    doc: |
      Texture coordinates of a fixed range: fraction / 2048 − 0.5 (B5).
      Decoded as [frac_s / 2048.0 - 0.5, frac_t / 2048.0 - 0.5].
    seq:
      - id: frac_s
        type: b12
        doc: |
          Fraction of S.
      - id: frac_t
        type: b12
        doc: |
          Fraction of T.
  scaled_vertex96:
    doc: |
      The 96-bit form with an odd tag: texture coordinates with a shared exponent (B4).
    seq:
      - id: position_frac_x_bits
        type: b9
        doc: |
          Fraction of X.
      - id: position_frac_y_bits
        type: b9
        doc: |
          Fraction of Y.
      - id: position_frac_z_bits
        type: b9
        doc: |
          Fraction of Z.
      - id: position_exponent
        type: b5
        doc: |
          The shared exponent.
      - id: st_frac_s
        type: b11
        doc: |
          Fraction of S.
      - id: st_frac_t
        type: b11
        doc: |
          Fraction of T.
      - id: st_exponent
        type: b2
        doc: |
          The shared exponent.
      - id: tag
        type: b8
        doc: |
          F9 or FB; F1, F3, F5 and F7 are not defined.
          Must be 249 or 251 (BMD-VERTEX-UNDEFINED, warning).
      - id: normal_x
        type: b8
        doc: |
          X.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
      - id: normal_y
        type: b8
        doc: |
          Y.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
      - id: normal_z
        type: b8
        doc: |
          Z.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
      - id: color_or_bone
        type: b8
        doc: |
          Colour/shade for tag F9, bone for tag FB (B10).
          Must be an index into bones, or 0 for none if tag == 251 (BMD-VERTEX-BONE, warning).
    instances:
      position_frac_x:
        value: '(position_frac_x_bits ^ 256) - 256'
        doc: |
          Fraction of X.
      position_frac_y:
        value: '(position_frac_y_bits ^ 256) - 256'
        doc: |
          Fraction of Y.
      position_frac_z:
        value: '(position_frac_z_bits ^ 256) - 256'
        doc: |
          Fraction of Z.
  vertex128:
    doc: |
      The 128-bit form.
    seq:
      - id: org_x
        type: b16
        doc: |
          X in bone space, as binary16 (B7).
          Decoded as x as IEEE 754 binary16, in m.
          (org_x & 31744) != 31744 must hold (BMD-NON-FINITE, error).
      - id: org_y
        type: b16
        doc: |
          Y, as binary16.
          Decoded as x as IEEE 754 binary16, in m.
          (org_y & 31744) != 31744 must hold (BMD-NON-FINITE, error).
      - id: org_z
        type: b16
        doc: |
          Z, as binary16.
          Decoded as x as IEEE 754 binary16, in m.
          (org_z & 31744) != 31744 must hold (BMD-NON-FINITE, error).
      - id: color
        type: b8
        doc: |
          Colour/shade.
      - id: tag
        type: b8
        doc: |
          FD; other values are reserved.
          Must be 253 (BMD-VERTEX-TAG, error).
      - id: st_frac_s
        type: b14
        doc: |
          Fraction of S.
      - id: st_frac_t
        type: b14
        doc: |
          Fraction of T.
      - id: st_exponent
        type: b4
        doc: |
          The shared exponent.
      - id: normal_x
        type: b8
        doc: |
          X.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
      - id: normal_y
        type: b8
        doc: |
          Y.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
      - id: normal_z
        type: b8
        doc: |
          Z.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
      - id: bone
        type: b8
        doc: |
          Bone; bone 0 is the model itself.
          Must be an index into bones, or 0 for none (BMD-VERTEX-BONE, warning).
  wide_st:
    doc: |
      Q2.12 texture coordinates with a shared exponent: (fraction / 4096 − 2) · 2^exponent (B6).
      Decoded as [ldexp(frac_s / 4096.0 - 2.0, exponent), ldexp(frac_t / 4096.0 - 2.0, exponent)].
    seq:
      - id: frac_s
        type: b14
        doc: |
          Fraction of S.
      - id: frac_t
        type: b14
        doc: |
          Fraction of T.
      - id: exponent
        type: b4
        doc: |
          The shared exponent.
  face_list:
    doc: |
      A list of faces in any mix of forms, up to the end of its bytes.
    params:
      - id: kind
        type: u1
    seq:
      - id: faces
        type: 'face_item(kind)'
        repeat: eos
        doc: |
          The faces.
  face_item:
    doc: |
      A face in the form that its tag selects.
    params:
      - id: kind
        type: u1
    seq:
      - id: triangle_32
        if: 'first.tag == 0'
        type: 'triangle32'
        doc: |
          A triangle of 32 bits: tag 00.
          kind <= 1 must hold (BMD-FLAGS, error).
      - id: check_triangle_32
        if: '(first.tag == 0)'
        size: 0
        valid:
          expr: 'kind <= 1'
        doc: |
          kind <= 1 must hold (BMD-FLAGS, error).
      - id: quad_32
        if: 'first.tag == 1'
        type: 'quad32'
        doc: |
          A quad of 32 bits: tag 01.
          kind == 1 must hold (BMD-FLAGS, error).
      - id: check_quad_32
        if: '(first.tag == 1)'
        size: 0
        valid:
          expr: 'kind == 1'
        doc: |
          kind == 1 must hold (BMD-FLAGS, error).
      - id: triangle_64
        if: 'first.tag == 2'
        type: 'triangle64'
        doc: |
          A triangle of 64 bits: tag 10.
          kind != 0 must hold (BMD-FLAGS, error).
      - id: check_triangle_64
        if: '(first.tag == 2)'
        size: 0
        valid:
          expr: 'kind != 0'
        doc: |
          kind != 0 must hold (BMD-FLAGS, error).
      - id: quad_64
        if: 'first.tag == 3'
        type: 'quad64'
        doc: |
          A quad of 64 bits: tag 11.
          kind == 1 or kind == 3 must hold (BMD-FLAGS, error).
      - id: check_quad_64
        if: '(first.tag == 3)'
        size: 0
        valid:
          expr: 'kind == 1 or kind == 3'
        doc: |
          kind == 1 or kind == 3 must hold (BMD-FLAGS, error).
    instances:
      first:
        pos: _io.pos
        type: 'face_tag'
        doc: |
          The start of the item, with the tag that selects the form.
  face_tag:
    doc: |
      The first byte of any face.
    seq:
      - id: tag
        type: b2
        doc: |
          The form: bit 0 for a quad, bit 1 for 64 bits.
      - id: content
        type: b6
        doc: |
          The remaining bits; their meaning depends on the form.
  triangle32:
    doc: |
      A triangle of 32 bits: indices up to 1,023.
    seq:
      - id: tag
        type: b2
        doc: |
          Always 0.
      - id: v0
        type: b10
        doc: |
          First vertex.
          Must be below n_vtx (BMD-INDEX-RANGE, error).
      - id: v1
        type: b10
        doc: |
          Second vertex.
          Must be below n_vtx (BMD-INDEX-RANGE, error).
      - id: v2
        type: b10
        doc: |
          Third vertex.
          Must be below n_vtx (BMD-INDEX-RANGE, error).
  quad32:
    doc: |
      A quad of 32 bits: indices up to 127.
    seq:
      - id: tag
        type: b2
        doc: |
          Always 1.
      - id: v0
        type: b7
        doc: |
          First vertex.
          Must be below n_vtx (BMD-INDEX-RANGE, error).
      - id: v1
        type: b7
        doc: |
          Second vertex.
          Must be below n_vtx (BMD-INDEX-RANGE, error).
      - id: v2
        type: b7
        doc: |
          Third vertex.
          Must be below n_vtx (BMD-INDEX-RANGE, error).
      - id: v3
        type: b7
        doc: |
          Fourth vertex.
          Must be below n_vtx (BMD-INDEX-RANGE, error).
      - id: tag2
        type: b2
        doc: |
          Must be 0 (B13).
          Must be 0 (BMD-TAG2, error).
  triangle64:
    doc: |
      A triangle of 64 bits: indices up to 1,048,575.
    seq:
      - id: tag
        type: b2
        doc: |
          Always 2.
      - id: v0
        type: b20
        doc: |
          First vertex.
          Must be below n_vtx (BMD-INDEX-RANGE, error).
      - id: v1
        type: b20
        doc: |
          Second vertex.
          Must be below n_vtx (BMD-INDEX-RANGE, error).
      - id: v2
        type: b20
        doc: |
          Third vertex.
          Must be below n_vtx (BMD-INDEX-RANGE, error).
      - id: tag2
        type: b2
        doc: |
          Must be 0 (B13).
          Must be 0 (BMD-TAG2, error).
  quad64:
    doc: |
      A quad of 64 bits: indices up to 32,767.
    seq:
      - id: tag
        type: b2
        doc: |
          Always 3.
      - id: v0
        type: b15
        doc: |
          First vertex.
          Must be below n_vtx (BMD-INDEX-RANGE, error).
      - id: v1
        type: b15
        doc: |
          Second vertex.
          Must be below n_vtx (BMD-INDEX-RANGE, error).
      - id: v2
        type: b15
        doc: |
          Third vertex.
          Must be below n_vtx (BMD-INDEX-RANGE, error).
      - id: v3
        type: b15
        doc: |
          Fourth vertex.
          Must be below n_vtx (BMD-INDEX-RANGE, error).
      - id: tag2
        type: b2
        doc: |
          Must be 0 (B13).
          Must be 0 (BMD-TAG2, error).
  lod_def:
    doc: |
      A level of detail: a 4-byte table entry.
    seq:
      - id: id_mesh
        type: u1
        doc: |
          Index of the first mesh.
      - id: n_mesh
        type: u1
        doc: |
          Number of meshes.
          The range of this many items starting at id_mesh must lie within meshes (BMD-LOD-RANGE, error).
      - id: ld_sc
        type: 'f8_a'
        doc: |
          Nominal scale: at scale s, the viewing distance is 1/s − 1 metres (B18).
      - id: resv1
        type: u1
        valid:
          any-of: ['0']
        doc: |
          Reserved; must be zero (B28).
          Must be 0 (BMD-RESERVED, warning).
  f8_a:
    doc: |
      An 8-bit float: sign, 3 exponent bits, 4 fraction bits (B2).
      Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
    seq:
      - id: fraction
        type: b4
        doc: |
          Fraction below an implicit leading one.
      - id: exponent
        type: b3
        doc: |
          Exponent: the value of the leading one is 2^(exponent − 7).
      - id: negative
        type: b1
        doc: |
          Set for negative values.
  bone_def:
    doc: |
      A bone: a 16-byte table entry.
    seq:
      - id: xform
        if: 'entry.id_parent != 255'
        type: 'bone_transform'
        doc: |
          Base transform relative to the parent; 0 for bone 0.
      - id: pseudo
        if: 'entry.id_parent == 255'
        type: 'pseudo_transform'
        doc: |
          For a pseudo-bone, the bones that it blends, and their weights (B22).
      - id: ofs_name
        type: u4
        doc: |
          Offset of the bone name; 0 for none.
      - id: check_ofs_name
        size: 0
        valid:
          expr: 'ofs_name == 0 or ofs_name >= 48'
        doc: |
          Fails with: the name overlaps the header.
      - id: id_parent
        type: u1
        doc: |
          Parent bone, which precedes this bone; 0 for bone 0, FF for a pseudo-bone (B21).
          Must be the index of the parent, lower than the index of the item; the first item is its own parent; 255 means no parent (BMD-PARENT, error).
      - id: id_solid
        type: u1
        doc: |
          Index of the mesh that is the bone's solid; 0 for none.
          Must be an index into meshes, or 0 for none (BMD-SOLID-RANGE, error).
      - id: resv1
        type: u1
        valid:
          any-of: ['0']
        doc: |
          Reserved; must be zero (B28).
          Must be 0 (BMD-RESERVED, warning).
      - id: resv2
        type: u1
        valid:
          any-of: ['0']
        doc: |
          Reserved; must be zero (B28).
          Must be 0 (BMD-RESERVED, warning).
    instances:
      entry:
        pos: _io.pos
        type: 'bone_entry'
        doc: |
          The entry up to the parent, read first because the parent determines the type of the transform.
      name:
        io: _root._io
        pos: 'ofs_name'
        if: 'ofs_name != 0'
        terminator: 0
        doc: |
          The name.
  bone_entry:
    doc: |
      The first 13 bytes of a bone: up to and including its parent.
    seq:
      - id: content
        type: u1
        repeat: expr
        repeat-expr: 12
        doc: |
          The transform, and the offset of the name.
      - id: id_parent
        type: u1
        doc: |
          Parent bone; FF for a pseudo-bone.
  bone_transform:
    doc: |
      The transform of a bone relative to its parent: 64 bits (B19).
    seq:
      - id: origin_frac_x_bits
        type: b9
        doc: |
          Fraction of X.
      - id: origin_frac_y_bits
        type: b9
        doc: |
          Fraction of Y.
      - id: origin_frac_z_bits
        type: b9
        doc: |
          Fraction of Z.
      - id: origin_exponent
        type: b5
        doc: |
          The shared exponent.
      - id: rotation_i
        type: b8
        doc: |
          I.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
      - id: rotation_j
        type: b8
        doc: |
          J.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
      - id: rotation_k
        type: b8
        doc: |
          K.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
      - id: rotation_r
        type: b8
        doc: |
          R, the real part.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
    instances:
      origin_frac_x:
        value: '(origin_frac_x_bits ^ 256) - 256'
        doc: |
          Fraction of X.
      origin_frac_y:
        value: '(origin_frac_y_bits ^ 256) - 256'
        doc: |
          Fraction of Y.
      origin_frac_z:
        value: '(origin_frac_z_bits ^ 256) - 256'
        doc: |
          Fraction of Z.
  rotation:
    doc: |
      Four F8A: a quaternion, normalised by the reader (B19).
      Decoded as [i, j, k, r], each decoded as F8A, divided by their length; [0, 0, 0, 1] if that is 0.
    seq:
      - id: i
        type: b8
        doc: |
          I.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
      - id: j
        type: b8
        doc: |
          J.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
      - id: k
        type: b8
        doc: |
          K.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
      - id: r
        type: b8
        doc: |
          R, the real part.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
  pseudo_transform:
    doc: |
      The bones that a pseudo-bone blends, with their weights: 64 bits (B22).
    seq:
      - id: bone_0
        type: b8
        doc: |
          First bone.
      - id: bone_1
        type: b8
        doc: |
          Second bone.
      - id: bone_2
        type: b8
        doc: |
          Third bone.
      - id: bone_3
        type: b8
        doc: |
          Fourth bone.
      - id: weight_0
        type: b8
        doc: |
          Weight of the first bone.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
      - id: weight_1
        type: b8
        doc: |
          Weight of the second bone.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
      - id: weight_2
        type: b8
        doc: |
          Weight of the third bone.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
      - id: weight_3
        type: b8
        doc: |
          Weight of the fourth bone.
          Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
  anim_def:
    doc: |
      An animation: a 16-byte table entry whose keys are stored elsewhere.
    seq:
      - id: ofs_name
        type: u4
        doc: |
          Offset of the name; 0 for none.
      - id: check_ofs_name
        size: 0
        valid:
          expr: 'ofs_name == 0 or ofs_name >= 48'
        doc: |
          Fails with: the name overlaps the header.
      - id: n_frames
        type: u1
        doc: |
          Number of frames.
      - id: fl_hz
        type: 'anim_rate'
        doc: |
          Frame rate, and whether the animation loops.
      - id: resv1
        type: u1
        valid:
          any-of: ['0']
        doc: |
          Reserved; must be zero (B28).
          Must be 0 (BMD-RESERVED, warning).
      - id: resv2
        type: u1
        valid:
          any-of: ['0']
        doc: |
          Reserved; must be zero (B28).
          Must be 0 (BMD-RESERVED, warning).
      - id: ofs_frames
        type: u4
        doc: |
          Offset of the frames list.
      - id: sz_frames
        type: u4
        doc: |
          Size of the frames list in bytes.
          n_frames > 0 or sz_frames == 0 must hold (BMD-NO-FRAMES, error).
      - id: check_sz_frames
        size: 0
        valid:
          expr: 'sz_frames == 0 or ofs_frames >= 48'
        doc: |
          Fails with: the frames overlap the header.
      - id: check_sz_frames_2
        size: 0
        valid:
          expr: 'n_frames > 0 or sz_frames == 0'
        doc: |
          n_frames > 0 or sz_frames == 0 must hold (BMD-NO-FRAMES, error).
    instances:
      name:
        io: _root._io
        pos: 'ofs_name'
        if: 'ofs_name != 0'
        terminator: 0
        doc: |
          The name.
      as_frames:
        io: _root._io
        pos: 'ofs_frames'
        size: 'sz_frames'
        type: 'key_list'
        doc: |
          The keys of all normal bones, bone by bone.
  anim_rate:
    doc: |
      Frame rate and loop flag of an animation: 8 bits (B27).
      Decoded as quarter_hz * 0.25, in frames/s.
    seq:
      - id: quarter_hz
        type: b7
        doc: |
          Frame rate in units of 0.25 Hz.
      - id: no_loop
        type: b1
        doc: |
          Whether playback stops at the end.
  key_list:
    doc: |
      The keys of an animation, up to the end of their bytes.
    seq:
      - id: frames
        type: 'key'
        repeat: eos
        doc: |
          The keys of each normal bone, each followed by an end tag of 00.
  key:
    doc: |
      A keyframe of a bone, or the end of a track (B23).
    seq:
      - id: tag
        type: 'anim_tag'
        doc: |
          The skipped frames and the present values; 00 ends the track.
      - id: rotation
        if: 'tag.rotation'
        type: 'rotation'
        doc: |
          Rotation.
      - id: translation
        if: 'tag.translation'
        type: 'triple'
        doc: |
          Translation.
          In m.
      - id: scale
        if: 'tag.scale'
        type: 'triple'
        doc: |
          Scale.
  anim_tag:
    doc: |
      The tag of a key: 8 bits.
    seq:
      - id: skip
        type: b5
        doc: |
          Number of preceding frames without a key.
      - id: scale
        type: b1
        doc: |
          Whether the key has a scale.
      - id: translation
        type: b1
        doc: |
          Whether the key has a translation.
      - id: rotation
        type: b1
        doc: |
          Whether the key has a rotation.
