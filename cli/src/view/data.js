// Reads the data of the page: JSON, and arrays of numbers in base64.

const VIEWS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array };

/** Parses the JSON data of the page. */
export function readData() {
  return JSON.parse(document.getElementById("data").textContent);
}

/** Returns the numbers of an array; `undefined` if `ref` is missing. Removes the element of the array to free its memory. */
export function takeArray(ref) {
  if (!ref) return undefined;
  const script = document.getElementById(`array-${ref.id}`);
  const bytes = fromBase64(script.textContent);
  script.remove();
  return new VIEWS[ref.type](bytes.buffer);
}

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = characters.charCodeAt(index);
  return bytes;
}
