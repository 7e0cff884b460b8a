// The tree of fields: branches that the page contains, and list items derived from the first item.

const BIG_ENDIAN = /^big-endian /;
const NUMBER = /^(?:big-endian )?([uif])(\d+)((?:\[\d+\])*)$/;
const GETTERS = {
  u8: "getUint8", u16: "getUint16", u32: "getUint32", u64: "getBigUint64",
  i8: "getInt8", i16: "getInt16", i32: "getInt32", i64: "getBigInt64", f32: "getFloat32", f64: "getFloat64",
};

/** A field, struct, list or item. */
export class Field {
  constructor(tree, branch, parent, index = null) {
    this.tree = tree;
    this.branch = branch;
    this.parent = parent;
    this.index = index;
    this.path = (parent?.path ?? "") + branch.step;
    this.cache = new Map();
  }

  get name() {
    const { step, label } = this.branch;
    return step.replace(/^\./, "") || label || (this.parent ? "content" : "file");
  }

  /** The index of the unpacked block to which the byte offsets refer; `null` for the file. */
  get block() {
    return this.branch.block ?? null;
  }

  get range() {
    return { block: this.block, start: this.branch.offset, end: this.branch.offset + this.branch.size };
  }

  /** The number of parts: fields, or items of a list. */
  get partCount() {
    return this.branch.count ?? this.branch.parts?.length ?? 0;
  }

  /** Returns a part by position; `null` if the page omits it. */
  part(position) {
    if (!this.cache.has(position)) this.cache.set(position, this.makePart(position));
    return this.cache.get(position);
  }

  makePart(position) {
    const { branch } = this;
    const parts = branch.parts ?? [];
    if (position < parts.length) return new Field(this.tree, parts[position], this, position);
    if (position >= this.partCount) return null;
    if (branch.stride && parts.length) {
      const item = shifted(this.tree, parts[0], branch.stride * position, `[${position}]`);
      return new Field(this.tree, item, this, position);
    }
    return this.partAt(position, branch.starts?.[position - parts.length]);
  }

  /** Returns a list item for which the page contains only the offset; `null` without an offset. */
  partAt(position, offset) {
    if (offset === undefined) return null;
    const { branch, tree } = this;
    const item = { step: `[${position}]`, type: "", offset, size: 0, block: branch.block };
    const next = branch.starts[position - (branch.parts?.length ?? 0) + 1] ?? branch.offset + branch.size;
    item.size = Math.max(0, next - offset);
    if (tree.isText) {
      const line = tree.textAt(offset);
      [item.size, item.value] = [line.size, line.text];
    } else {
      item.meaning = "its fields are omitted from this page";
    }
    return new Field(tree, item, this, position);
  }

  /** Returns this field and its ancestors, starting with the file. */
  ancestors() {
    return this.parent ? [...this.parent.ancestors(), this] : [this];
  }
}

/** Returns a copy of an item at another offset, with numbers decoded from the bytes. Bit fields have the byte order of their word. */
function shifted(tree, branch, delta, step, isBig = false) {
  const copy = { ...branch, step, offset: branch.offset + delta };
  isBig = branch.bits ? isBig : BIG_ENDIAN.test(branch.type ?? "");
  copy.value = decoded(tree, copy, branch.value ?? "", isBig);
  copy.parts = branch.parts?.map((part) => shifted(tree, part, delta, part.step, isBig));
  return copy;
}

function decoded(tree, { type, offset, size, block, bits, parts }, like, isBig) {
  const bytes = tree.bytesOf(block ?? null);
  if (!like || offset + size > bytes.length) return "";
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, size);
  if (bits) return String((wordOf(view, isBig) >> BigInt(bits.offset)) & ((1n << BigInt(bits.width)) - 1n));
  const match = NUMBER.exec(type ?? "");
  const getter = match && GETTERS[match[1] + match[2]];
  if (!getter) return parts?.length ? `0x${wordOf(view, isBig).toString(16)}` : hexOf(view);
  const width = Number(match[2]) / 8;
  const values = Array.from({ length: size / width }, (_, index) => shortNumber(view[getter](index * width, !isBig), match));
  return match[3] ? `[${values.join(", ")}]` : values[0];
}

function shortNumber(value, [, kind, width]) {
  if (kind !== "f") return String(value);
  return width === "32" ? shortest(value) : String(value);
}

/** Returns the shortest decimal that rounds to the given 32-bit float. */
function shortest(value) {
  for (let digits = 1; digits <= 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(value);
}

function wordOf(view, isBig) {
  const bytes = Array.from({ length: view.byteLength }, (_, index) => view.getUint8(index));
  if (!isBig) bytes.reverse();
  return bytes.reduce((word, byte) => (word << 8n) | BigInt(byte), 0n);
}

function hexOf(view) {
  const digits = Array.from({ length: Math.min(view.byteLength, 16) }, (_, index) => view.getUint8(index).toString(16).padStart(2, "0"));
  return digits.join(" ");
}

export class Tree {
  /** `blocks` contains the bytes of the unpacked blocks. */
  constructor(root, bytes, blocks, isText) {
    this.bytes = bytes;
    this.blocks = blocks;
    this.isText = isText;
    this.root = new Field(this, root, null);
    this.spansByBlock = new Map();
    this.index(this.root);
    for (const spans of this.spansByBlock.values()) spans.sort((a, b) => a.start - b.start);
  }

  bytesOf(block) {
    return block === null ? this.bytes : this.blocks[block] ?? new Uint8Array();
  }

  /** Returns the size and the text of the line at an offset in a text file. */
  textAt(offset) {
    let end = this.bytes.indexOf(10, offset);
    if (end < 0) end = this.bytes.length;
    if (end > offset && this.bytes[end - 1] === 13) end--;
    return { size: end - offset, text: new TextDecoder().decode(this.bytes.subarray(offset, Math.min(end, offset + 800))) };
  }

  /** Indexes the byte ranges of values, and of list items without a branch. */
  index(field) {
    const { branch } = field;
    const shown = branch.parts?.length ?? 0;
    const isWord = shown > 0 && branch.parts[0].bits;
    if (!shown || isWord || branch.unpacks_to !== undefined) this.addSpan(field, branch.offset, branch.size, false);
    if (field.partCount > shown) {
      const first = branch.stride ? branch.offset + branch.stride * shown : branch.starts?.[0];
      if (first !== undefined) this.addSpan(field, first, branch.offset + branch.size - first, true);
    }
    if (!isWord) for (let part = 0; part < shown; part++) this.index(field.part(part));
  }

  addSpan(field, start, size, isList) {
    if (!size) return;
    if (!this.spansByBlock.has(field.block)) this.spansByBlock.set(field.block, []);
    this.spansByBlock.get(field.block).push({ start, end: start + size, field, isList });
  }

  /** Returns the innermost field at a byte; `null` if no field covers it. */
  fieldAt(block, offset) {
    const spans = this.spansByBlock.get(block) ?? [];
    let [low, high] = [0, spans.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (spans[middle].start <= offset) low = middle + 1;
      else high = middle;
    }
    for (let index = low - 1; index >= Math.max(0, low - 8); index--) {
      const { end, field, isList } = spans[index];
      if (offset < end) return isList ? innermost(itemAt(field, offset), offset) : field;
    }
    return null;
  }

  /** Returns the field with a path; `null` if no field has it. Of several fields, returns the innermost one with parts. */
  find(path) {
    let [field, found] = [this.root, path === "" ? this.root : null];
    for (;;) {
      const next = this.step(field, path);
      if (!next) return found;
      field = next;
      if (field.path === path && (!found || field.partCount || !found.partCount)) found = field;
    }
  }

  step(field, path) {
    const rest = path.slice(field.path.length);
    const index = /^\[(\d+)\]/.exec(rest);
    if (index && field.branch.count !== undefined) {
      const part = field.part(Number(index[1]));
      if (part) return part;
    }
    let same = null;
    for (let position = 0; position < (field.branch.parts?.length ?? 0); position++) {
      const part = field.part(position);
      if (part.branch.step === "" && part.partCount) same = part;
      const after = path[part.path.length];
      const isAncestorOrSelf = path.startsWith(part.path) && (after === undefined || after === "." || after === "[");
      if (part.branch.step !== "" && isAncestorOrSelf) return part;
    }
    return same;
  }

  /** Returns up to `max` fields whose path contains a string. If a field has exactly this path, it comes first. */
  search(text, max) {
    const found = [];
    const exact = this.find(text);
    if (exact) found.push(exact);
    const visit = (field) => {
      if (found.length >= max) return;
      if (field.path.includes(text) && field !== exact && field.parent) found.push(field);
      for (let part = 0; part < (field.branch.parts?.length ?? 0); part++) visit(field.part(part));
    };
    visit(this.root);
    return found;
  }
}

/** Returns the list item at an offset after the items with a branch. */
function itemAt(list, offset) {
  const { branch } = list;
  if (branch.stride) return list.part(Math.floor((offset - branch.offset) / branch.stride));
  let [low, high] = [0, branch.starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (branch.starts[middle] <= offset) low = middle + 1;
    else high = middle;
  }
  return list.part((branch.parts?.length ?? 0) + low - 1);
}

function innermost(field, offset) {
  for (let position = 0; position < (field?.branch.parts?.length ?? 0); position++) {
    const part = field.part(position);
    const { start, end } = part.range;
    if (!part.branch.bits && offset >= start && offset < end) return innermost(part, offset);
  }
  return field;
}
