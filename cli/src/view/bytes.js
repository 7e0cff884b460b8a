// Shows the bytes of a file in hexadecimal and as text, coloured by field.

import { counted, element, hexadecimal } from "./text.js";

const ROWS = 24;
/** The possible numbers of bytes per row, and the approximate widths in pixels of a byte (hexadecimal and text) and an offset. */
const COLUMNS = [16, 8, 4];
const BYTE_WIDTH = 29;
const OFFSET_WIDTH = 110;
const COLOR_COUNT = 8;

export class BytesView {
  /** Calls `onSelect` with the field of a byte when it is selected. */
  constructor(side, onSelect) {
    this.onSelect = onSelect;
    this.container = document.getElementById("bytes");
    this.columns = 16;
    this.setSide(side);
    new ResizeObserver(() => this.fit()).observe(this.container);
  }

  /** Shows the bytes of a file. */
  setSide(side) {
    this.side = side;
    this.tree = side.tree;
    this.blocks = side.blocks;
    this.wrong = side.wrongMarks;
    this.starts = new Map();
    this.block = null;
    this.marks = [];
    this.render();
  }

  /** Adapts the number of bytes per row to the width of the view. */
  fit() {
    if (this.columns !== this.fittingColumns()) this.render();
  }

  fittingColumns() {
    const width = this.container.clientWidth / (this.block === null ? 1 : 2);
    return COLUMNS.find((columns) => columns * BYTE_WIDTH + OFFSET_WIDTH <= width) ?? COLUMNS.at(-1);
  }

  /** Marks ranges `{ block, start, end, kind }`, and scrolls to the first. */
  show(marks) {
    this.marks = marks;
    const [first] = marks;
    if (first) {
      this.block = first.block;
      this.columns = this.fittingColumns();
      this.reveal(first);
      const packed = this.blocks[first.block]?.packed;
      if (packed) {
        this.marks = [...marks, { block: null, ...packed, kind: "selected2" }];
        this.reveal({ block: null, ...packed });
      }
    }
    this.render();
  }

  /** Scrolls the file or block to the start of a range. */
  reveal({ block, start }) {
    const length = ROWS * this.columns;
    const shown = this.starts.get(block) ?? 0;
    if (start >= shown && start < shown + length - this.columns * 2) return;
    const row = Math.floor(start / this.columns) * this.columns;
    this.starts.set(block, Math.max(0, row - 2 * this.columns));
  }

  render() {
    this.columns = this.fittingColumns();
    const panes = [this.pane(null)];
    if (this.block !== null) panes.push(this.pane(this.block));
    this.container.replaceChildren(...panes);
  }

  pane(block) {
    const bytes = this.tree.bytesOf(block);
    const size = this.side.sizeOf(block);
    const length = ROWS * this.columns;
    const start = Math.min(this.starts.get(block) ?? 0, Math.max(0, bytes.length - 1));
    const packed = this.blocks[block]?.packed;
    const title = packed ? `Unpacked from ${hexadecimal(packed.start)}..${hexadecimal(packed.end)}` : "File";
    const rows = [];
    for (let at = start; at < Math.min(bytes.length, start + length); at += this.columns) rows.push(this.line(block, bytes, at));
    const omitted = counted(size - bytes.length, "byte is", "bytes are");
    const note = bytes.length < size ? element("p", { class: "none" }, `${omitted} omitted from this page.`) : null;
    const heading = element("h2", {}, `${title}, ${counted(size, "byte", "bytes")}`);
    return element("div", { class: "hex" }, heading, this.pager(block, bytes.length, start, length), element("pre", {}, rows), note);
  }

  pager(block, size, start, length) {
    const go = (to) => {
      const last = Math.floor(Math.max(0, size - 1) / this.columns) * this.columns;
      this.starts.set(block, Math.max(0, Math.min(to, last)));
      this.render();
    };
    const button = (text, label, to, disabled) => {
      const node = element("button", { type: "button", title: label, disabled }, text);
      node.addEventListener("click", () => go(to));
      return node;
    };
    const input = element("input", { placeholder: "offset", title: "An offset, such as 0x40 or 64" });
    input.setAttribute("aria-label", "Go to offset");
    input.addEventListener("change", () => {
      const offset = Number(input.value);
      if (Number.isInteger(offset)) go(Math.floor(offset / this.columns) * this.columns);
    });
    return element(
      "div",
      { class: "pager" },
      button("‹", "Previous bytes", start - length, start === 0),
      button("›", "Next bytes", start + length, start + length >= size),
      input,
      `from ${hexadecimal(start)}`,
    );
  }

  line(block, bytes, at) {
    const [hex, text] = [[], []];
    for (let position = at; position < at + this.columns; position++) {
      if (position >= bytes.length) {
        hex.push("   ");
        continue;
      }
      const byte = bytes[position];
      const field = this.tree.fieldAt(block, position);
      const classes = `b ${this.classOf(block, position, field)}`;
      const character = byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·";
      const cells = [byte.toString(16).padStart(2, "0"), character].map((shown, column) => {
        const span = element("span", { class: column ? classes.slice(2) : classes, title: field?.path ?? "no field" }, shown);
        span.dataset.at = position;
        span.addEventListener("click", () => field && this.onSelect(field));
        return span;
      });
      hex.push(cells[0]);
      text.push(cells[1]);
    }
    const offset = `${block === null ? " " : "~"}${at.toString(16).padStart(8, "0")} `;
    return element("div", {}, element("span", { class: "offset" }, offset), hex, " ", text);
  }

  classOf(block, position, field) {
    const covers = (mark) => mark.block === block && position >= mark.start && position < mark.end;
    const mark = this.marks.find(covers);
    const wrong = this.wrong.some(covers) ? " wrong" : "";
    const color = field ? `h${colorOf(field.path)}` : "";
    return `${color}${mark ? ` ${mark.kind}` : ""}${wrong}`;
  }
}

/** Returns the index of the colour of a field. Fields with the same name have the same colour. */
function colorOf(path) {
  const name = path.replace(/\[\d+\]/g, "").split(".").pop();
  let hash = 0;
  for (const character of name) hash = (hash * 31 + character.codePointAt(0)) >>> 0;
  return hash % COLOR_COUNT;
}
