// Puts the page together: a selection in one part shows in all.

import { BytesView } from "./bytes.js";
import { readAbout, takeArray } from "./data.js";
import { FieldsView, rangeText } from "./fields.js";
import { showFindings } from "./findings.js";
import { keptState, reloadOnChange } from "./live.js";
import { ModelView } from "./model.js";
import { Places } from "./places.js";
import { counted, element, plain } from "./text.js";
import { Tree } from "./tree.js";

const KEYS = [
  ["/", "find a path"],
  ["Drag, arrows", "orbit"],
  ["Shift-drag, Shift-arrows", "pan"],
  ["Wheel, + and -", "zoom"],
  ["F", "show the whole model"],
  ["1 to 6", "shaded, wireframe, normals, checkerboard, colours, weights"],
  ["Space", "play or pause the animation"],
  ["Click on the model", "select a triangle and its nearest vertex, with their fields and bytes"],
  ["Click on a field or byte", "select it, and its place in the model"],
  ["Arrows, Enter in the tree", "move, open and close"],
  ["?", "this list"],
];

const about = readAbout();
const blocks = about.blocks.map(({ packed, size, bytes }) => ({ packed, size, bytes: takeArray(bytes) }));
const tree = new Tree(about.tree, takeArray(about.bytes), blocks.map(({ bytes }) => bytes), about.is_text);
const wrongPaths = about.findings.map(({ path }) => path).concat(about.fault?.path ?? []);
const isWrong = (path) => wrongPaths.some((wrong) => wrong === path || (path && wrong.startsWith(path) && ".[".includes(wrong[path.length])));

document.title = plain(`${about.file} · meshspec view`);
document.getElementById("file").textContent = plain(about.file);

const model = startModel();
const counts = (about.model?.meshes ?? []).map((mesh, index) => {
  const faces = model?.meshes[index].faces;
  return { vertices: mesh.vertices, faces: faces?.length ? faces[faces.length - 1] + 1 : mesh.triangles };
});
const places = new Places(about.places, counts);
const fields = new FieldsView(tree, (field) => select(field), isWrong);
const bytes = new BytesView(tree, blocks, (block) => (block === null ? about.size : blocks[block].size), (field) => select(field));
bytes.wrong = about.findings.flatMap(({ span }) => marksOf(span, "wrong"));
bytes.render();
const summary = [about.title, about.dialect && `dialect ${about.dialect}`, counted(about.size, "byte", "bytes")];
summary.push(showFindings(about, selectPath));
document.getElementById("summary").textContent = plain(summary.filter(Boolean).join(" · "));
select(null);
connectTabs();
connectKeys();
if (about.is_served) serve();

/** Starts the model; without one, or without WebGL, says why. */
function startModel() {
  try {
    if (about.model) return new ModelView(about.model, selectPicked);
  } catch (error) {
    about.notes.push(error.message);
  }
  const holder = document.getElementById("no-model");
  holder.hidden = false;
  holder.replaceChildren(...(about.notes.length ? about.notes : ["This file has no model."]).map((note) => element("p", {}, note)));
  document.getElementById("hint").hidden = true;
  return null;
}

/** Selects a field, its bytes and its place in the model. */
function select(field, place = field && places.locate(field.path)) {
  describe(field ? [describeField(field), describePlace(place)] : [hint()]);
  fields.show(field);
  bytes.show(field ? [{ ...field.range, kind: "selected" }] : []);
  model?.show(place);
}

function selectPath(path, span) {
  const field = nearest(path);
  const place = places.locate(path);
  const marks = marksOf(span, "selected");
  describe([describeField(field), describePlace(place)]);
  fields.show(field);
  bytes.show(marks.length ? marks : [{ ...field.range, kind: "selected" }]);
  model?.show(place);
}

/** The field of a path, or the innermost that contains it. */
function nearest(path) {
  for (let rest = path; rest; rest = rest.replace(/(\.[^.[]*|\[\d+\]|^[^.[]+)$/, "")) {
    const field = tree.find(rest);
    if (field) return field;
  }
  return tree.root;
}

function marksOf(span, kind) {
  if (!span) return [];
  if (span.bytes) return [{ block: null, ...span.bytes, kind }];
  if (span.text) return [{ block: null, ...span.text.range, kind }];
  const block = blocks.findIndex(({ packed }) => packed.start === span.unpacked.packed.start);
  return block < 0 ? [] : [{ block, ...span.unpacked.range, kind }];
}

/** Selects what is under the pointer: a face first, then its nearest vertex. */
function selectPicked(hit) {
  if (!hit) return select(null);
  const { mesh, triangle, face, vertex } = hit;
  const shares = [places.ofFace(mesh, face), places.ofVertex(mesh, vertex)];
  const [ofFace, ofVertex] = shares.map((all) => all.map(fieldsOf).filter(Boolean));
  const all = [...ofFace.map((share) => ({ ...share, kind: "selected" })), ...ofVertex.map((share) => ({ ...share, kind: "selected2" }))];
  const title = `Triangle ${triangle} of ${meshName(mesh)}, vertex ${vertex}`;
  // The other parts scroll in the room that the description leaves.
  describe([element("p", {}, title), links("Face", ofFace), links("Vertex", ofVertex)]);
  fields.show(all[0]?.fields[0] ?? null, all.flatMap((share) => share.fields));
  bytes.show(all.map(({ range, kind }) => ({ ...range, kind })));
  model.show({ kind: "picked", mesh, triangles: model.trianglesOf(mesh, face), vertex });
}

/** The fields of a share of a list, and their bytes together. */
function fieldsOf({ list, first, width }) {
  const holder = tree.find(list);
  const items = Array.from({ length: width }, (_, place) => holder?.part(first + place)).filter(Boolean);
  if (!items.length) return null;
  const range = { ...items[0].range, end: items.at(-1).range.end };
  return { fields: items, range, label: width === 1 ? items[0].path : `${list}[${first}..${first + width}]` };
}

function links(title, all) {
  if (!all.length) return null;
  const buttons = all.map(({ fields: [field], label }) => link(label, field));
  return element("div", {}, `${title}: `, buttons);
}

function link(label, field) {
  const button = element("button", { type: "button" }, label, field.branch.value ? ` = ${field.branch.value}` : "");
  button.addEventListener("click", () => select(field));
  return button;
}

function describe(parts) {
  document.getElementById("selection").replaceChildren(...parts.filter(Boolean));
}

function hint() {
  return element("p", { class: "meaning" }, "Select a triangle, a field or a byte: the other parts show where it is.");
}

function describeField(field) {
  const { branch } = field;
  const value = branch.value ? ` = ${branch.value}` : "";
  const where = `${branch.type ?? ""} ${branch.bits ? "" : "bytes "}${rangeText(field)}${field.block === null ? "" : " of the unpacked block"}`;
  return element("div", {}, element("b", {}, field.path || field.name), value, " ", element("span", { class: "meaning" }, where, branch.meaning ? ` — ${branch.meaning}` : ""));
}

function describePlace(place) {
  if (!place) return null;
  const texts = {
    vertex: () => `In the model: vertex ${place.vertex} of ${meshName(place.mesh)}`,
    face: () => `In the model: face ${place.face} of ${meshName(place.mesh)}`,
    mesh: () => `In the model: ${meshName(place.mesh)}`,
    joint: () => `In the model: joint ${place.joint}`,
    key: () => `In the model: a key of animation ${place.animation}`,
  };
  return model && element("p", {}, texts[place.kind]());
}

/** Reloads when the file changes, and goes on where the page was. */
function serve() {
  const kept = keptState();
  if (kept?.path) selectPath(kept.path, null);
  if (kept?.tab) document.querySelector(`#tabs [data-tab="${kept.tab}"]`).click();
  if (kept?.view && model) model.restore(kept.view);
  reloadOnChange(() => ({ path: fields.selected?.path ?? "", tab: document.body.dataset.tab, view: model?.saved() }));
}

function meshName(mesh) {
  const { title } = model.meshes[mesh];
  return `mesh ${mesh}${title === `mesh ${mesh}` ? "" : ` (${title})`}`;
}

function connectTabs() {
  const buttons = [...document.querySelectorAll("#tabs button")];
  const show = (tab) => {
    document.body.dataset.tab = tab;
    buttons.forEach((button) => {
      button.ariaSelected = String(button.dataset.tab === tab);
    });
    model?.draw();
    fields.reveal();
  };
  buttons.forEach((button) => button.addEventListener("click", () => show(button.dataset.tab)));
  show("model");
}

function connectKeys() {
  const help = document.getElementById("help");
  document.getElementById("keys").replaceChildren(...KEYS.flatMap(([key, does]) => [element("dt", {}, key), element("dd", {}, does)]));
  document.getElementById("help-button").addEventListener("click", () => help.showModal());
  document.addEventListener("keydown", (event) => {
    if (["INPUT", "SELECT"].includes(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") {
      event.preventDefault();
      document.querySelector('#tabs [data-tab="fields"]').click();
      document.getElementById("path").focus();
    }
    if (event.key === "?") help.showModal();
  });
}
