// Creates text and elements. Text from a file is never inserted as markup.

/** Characters that can control a terminal, end a line or change the direction of text. */
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Returns text with control characters replaced by escapes: `\u{202e}`. */
export function escapeControls(text) {
  return String(text).replace(CONTROL_CHARACTERS, (character) => `\\u{${character.codePointAt(0).toString(16)}}`);
}

/** Creates an element with properties and children. Strings become text nodes. */
export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") node.className = value;
    else if (name in node) node[name] = value;
    else node.setAttribute(name, value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== "") node.append(child instanceof Node ? child : escapeControls(child));
  }
  return node;
}

/** Returns a number in hexadecimal: `0x2f`. */
export function hexadecimal(number) {
  return `0x${number.toString(16)}`;
}

/** Returns a whole number with separators: `1,500,000`. */
export function grouped(number) {
  return number.toLocaleString("en-US");
}

/** Returns a count with its noun: `1 vertex`, `2 vertices`. */
export function counted(count, one, many) {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** Returns a short decimal: `0.25`, `1.5e-7`. */
export function decimal(number) {
  return String(Number(number.toPrecision(5)));
}
