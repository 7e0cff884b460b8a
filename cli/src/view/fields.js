// Shows the tree of fields, expanded on demand, with long lists in pages.

import { counted, element, escapeControls, grouped, hexadecimal } from "./text.js";

const PAGE_SIZE = 100;
const MAX_MATCHES = 50;

export class FieldsView {
  /** Calls `onSelect` with a field when it is selected. */
  constructor(side, onSelect) {
    this.onSelect = onSelect;
    this.container = document.getElementById("tree");
    this.container.addEventListener("keydown", (event) => this.onKey(event));
    this.connectSearch();
    this.setSide(side);
  }

  /** Shows the fields of a file. */
  setSide(side) {
    const { root } = side.tree;
    this.side = side;
    this.tree = side.tree;
    this.open = new Set([root]);
    this.pages = new Map();
    this.selected = null;
    this.others = new Set();
    if (root.partCount <= 3) root.branch.parts?.forEach((_, part) => this.open.add(root.part(part)));
    this.render();
  }

  /** Marks a field as selected and others as related, and expands the ancestors of the selected one. */
  show(field, others = []) {
    this.selected = field;
    this.others = new Set(others);
    for (const ancestor of field?.ancestors().slice(0, -1) ?? []) this.open.add(ancestor);
    for (const inside of field?.ancestors() ?? []) {
      if (inside.parent) this.pages.set(inside.parent, Math.floor(inside.index / PAGE_SIZE));
    }
    this.render();
    this.reveal();
  }

  /** Scrolls to the selected field. */
  reveal() {
    const row = this.container.querySelector(".row.selected");
    if (!row?.offsetParent) return;
    row.scrollIntoView({ block: "nearest" });
    this.container.scrollLeft = 0;
  }

  render() {
    const list = element("ul", { role: "group" }, this.item(this.tree.root));
    this.container.replaceChildren(list);
  }

  item(field) {
    const isOpen = this.open.has(field);
    const row = this.row(field, isOpen);
    return element("li", { role: "none" }, row, isOpen && field.partCount ? this.parts(field) : null);
  }

  row(field, isOpen) {
    const { branch } = field;
    const toggle = element("span", { class: "toggle" }, field.partCount ? (isOpen ? "▾" : "▸") : "");
    const classes = ["row"];
    if (field === this.selected) classes.push("selected");
    else if (this.others.has(field)) classes.push("selected2");
    if (this.side.isWrong(field.path) && field.parent) classes.push("wrong");
    const row = element(
      "div",
      { class: classes.join(" "), role: "treeitem", title: escapeControls(branch.meaning || field.path || "The file") },
      toggle,
      element("span", { class: "key" }, field.name),
      branch.value ? element("span", { class: "value" }, branch.value) : null,
      branch.type ? element("span", { class: "type" }, branch.type) : null,
      element("span", { class: "meaning" }, branch.meaning ?? ""),
      element("span", { class: "range" }, rangeText(field)),
    );
    if (field.partCount) row.ariaExpanded = String(isOpen);
    row.ariaSelected = String(field === this.selected);
    row.dataset.path = field.path;
    toggle.addEventListener("click", (event) => {
      event.stopPropagation();
      this.toggle(field);
    });
    row.addEventListener("click", () => this.onSelect(field));
    row.addEventListener("dblclick", () => this.toggle(field));
    return row;
  }

  toggle(field, isOpen = !this.open.has(field)) {
    if (isOpen) this.open.add(field);
    else this.open.delete(field);
    this.render();
  }

  parts(field) {
    const count = field.partCount;
    const page = Math.min(this.pages.get(field) ?? 0, Math.floor((count - 1) / PAGE_SIZE));
    const items = [];
    let leftOut = 0;
    for (let position = page * PAGE_SIZE; position < Math.min(count, (page + 1) * PAGE_SIZE); position++) {
      const part = field.part(position);
      if (part) items.push(this.item(part));
      else leftOut++;
    }
    if (leftOut) {
      const hint = `${counted(leftOut, "item is", "items are")} not in this page: meshspec dump --path '${field.path}' --all shows them`;
      items.push(element("li", { class: "pager" }, hint));
    }
    return element("ul", { role: "group" }, count > PAGE_SIZE ? this.pager(field, page, count) : null, items);
  }

  /** Creates the controls for the pages of a list. */
  pager(field, page, count) {
    const last = Math.floor((count - 1) / PAGE_SIZE);
    const go = (to) => {
      this.pages.set(field, Math.max(0, Math.min(last, to)));
      this.render();
    };
    const button = (text, to, label) => {
      const node = element("button", { type: "button", title: label, disabled: to < 0 || to > last }, text);
      node.addEventListener("click", () => go(to));
      return node;
    };
    const input = element("input", { type: "number", min: 0, max: count - 1, placeholder: "index" });
    input.setAttribute("aria-label", "Go to index");
    input.addEventListener("change", () => {
      const part = field.part(Number(input.value));
      if (part) this.onSelect(part);
    });
    const shown = `${grouped(page * PAGE_SIZE)} to ${grouped(Math.min(count, (page + 1) * PAGE_SIZE) - 1)} of ${grouped(count)}`;
    return element("li", { class: "pager" }, button("‹", page - 1, "Previous items"), shown, button("›", page + 1, "Next items"), input);
  }

  onKey(event) {
    const field = this.selected ?? this.tree.root;
    const rows = [...this.container.querySelectorAll(".row")];
    const position = rows.findIndex((row) => row.classList.contains("selected"));
    const moves = {
      ArrowDown: () => rows[position + 1]?.click(),
      ArrowUp: () => rows[position - 1]?.click(),
      ArrowRight: () => (this.open.has(field) ? rows[position + 1]?.click() : this.toggle(field, true)),
      ArrowLeft: () => (this.open.has(field) && field.parent ? this.toggle(field, false) : field.parent && this.onSelect(field.parent)),
      Enter: () => this.toggle(field),
    };
    if (!moves[event.key] || event.target !== this.container) return;
    event.preventDefault();
    moves[event.key]();
  }

  connectSearch() {
    const input = document.getElementById("path");
    const matches = document.getElementById("matches");
    const close = () => {
      matches.hidden = true;
    };
    input.addEventListener("input", () => {
      const text = input.value.trim();
      matches.hidden = !text;
      if (!text) return;
      const found = this.tree.search(text, MAX_MATCHES);
      const items = found.map((field) => {
        const button = element("button", { type: "button" }, field.path);
        button.addEventListener("click", () => {
          close();
          this.onSelect(field);
        });
        return element("li", {}, button);
      });
      matches.replaceChildren(...(items.length ? items : [element("li", {}, "No field has this in its path")]));
    });
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") matches.querySelector("button")?.click();
      if (event.key === "Escape") close();
    });
  }
}

/** Returns the byte or bit range of a field as text: `0x10..0x14`. */
export function rangeText({ branch, block }) {
  if (branch.bits) return `bits ${branch.bits.offset}–${branch.bits.offset + branch.bits.width - 1}`;
  const end = branch.offset + branch.size;
  return `${block === null ? "" : "~"}${hexadecimal(branch.offset)}..${block === null ? "" : "~"}${hexadecimal(end)}`;
}
