// Connects the parts of the page, so that a selection in one part is shown in all parts.

import { BytesView } from "./bytes.js";
import { readData } from "./data.js";
import { farthestVertex } from "./distances.js";
import { FieldsView, rangeText } from "./fields.js";
import { showFindings } from "./findings.js";
import { keptState, reloadOnChange } from "./live.js";
import { ModelView } from "./model.js";
import { MODES } from "./renderer.js";
import { Side } from "./side.js";
import { Stage } from "./stage.js";
import { counted, decimal, element, escapeControls } from "./text.js";

const KEYS = [
  ["/", "find a path"],
  ["Drag, arrows", "orbit"],
  ["Shift-drag, Shift-arrows", "pan"],
  ["Wheel, + and -", "zoom"],
  ["F", "show the whole model"],
  ["1 to 7", "shaded, wireframe, normals, checkerboard, colours, weights, distances of two files"],
  ["Space", "play or pause the animation"],
  ["Click on the model", "select a triangle and its nearest vertex, with their fields and bytes"],
  ["Click on a field or byte", "select it, and show it in the model"],
  ["Arrows, Enter in the tree", "move, open and close"],
  ["?", "show this list"],
];
/** The maximum number of items to mark for a group of differences. */
const MAX_MARKED = 500;

const { file, other, comparison } = readData();
const sides = [file, other].filter(Boolean).map((about) => new Side(about));
const stage = new Stage();
/** The file names without folders, or with folders if both names are the same. */
const titles = sides.map((side) => (sides.some((peer) => peer !== side && peer.name === side.name) ? side.about.file : side.name));
let [current] = sides;
document.title = escapeControls(`${sides.map(({ about }) => about.file).join(" and ")} · meshspec view`);
startModels();
const fields = new FieldsView(current, (field) => select(field));
const bytes = new BytesView(current, (field) => select(field));
const fileButtons = sides.length > 1 ? connectFiles() : [];
showSide(current);
select(null);
connectTabs();
connectKeys();
if (file.is_served) serve();

/** Starts the view of each model. Without a model or WebGL, shows the reason instead. */
function startModels() {
  for (const side of sides) {
    const container = side === sides[0] ? document.getElementById("pane") : addPane();
    if (sides.length > 1) container.append(element("p", { class: "name" }, titles[sides.indexOf(side)]));
    side.setModel(startModel(side, container));
  }
  if (!stage.views.length) document.getElementById("hint").hidden = true;
  else {
    if (comparison?.largest > 0) Object.assign(stage.state, { mode: MODES.indexOf("distances"), largest: comparison.largest });
    stage.fit();
  }
  for (const { model, about } of sides) {
    model?.loadImages().then((failed) => {
      about.notes.push(...failed);
      if (failed.length) showAbout();
    });
  }
}

/** Adds a second pane beside or below the first. */
function addPane() {
  const canvas = document.getElementById("canvas").cloneNode();
  canvas.id = "other-canvas";
  const pane = element("div", { class: "pane" }, canvas);
  document.getElementById("pane").after(pane);
  return pane;
}

function startModel(side, container) {
  const { about } = side;
  const canvas = container.querySelector("canvas");
  try {
    if (about.model) return new ModelView(about.model, stage, canvas, (hit) => selectPicked(side, hit));
  } catch (error) {
    about.notes.push(error.message);
  }
  const notes = about.notes.length ? about.notes : ["This file has no model."];
  canvas.hidden = true;
  container.prepend(element("div", { class: "no-model" }, notes.map((note) => element("p", {}, note))));
  return null;
}

/** Creates the buttons that select the file whose fields, bytes and controls are shown. */
function connectFiles() {
  const buttons = sides.map((side, index) => {
    const button = element("button", { type: "button", title: "Show the fields and bytes of this file" }, titles[index]);
    button.addEventListener("click", () => {
      const path = fields.selected?.path;
      showSide(side);
      if (path) selectPath(path, null);
      else select(null);
    });
    return button;
  });
  document.getElementById("file").replaceChildren(...buttons);
  return buttons;
}

/** Shows the fields, bytes, findings and controls of a file. */
function showSide(side) {
  current = side;
  fields.setSide(side);
  bytes.setSide(side);
  side.model?.connectControls();
  fileButtons.forEach((button, index) => {
    button.ariaPressed = String(sides[index] === side);
  });
  document.querySelectorAll(".pane").forEach((pane, index) => pane.classList.toggle("current", sides.length > 1 && sides[index] === side));
  showAbout();
}

function showAbout() {
  const { about } = current;
  const summary = [about.title, about.dialect && `dialect ${about.dialect}`, counted(about.size, "byte", "bytes")];
  summary.push(showFindings(about, comparison, selectPath, selectDifference));
  if (!fileButtons.length) document.getElementById("file").textContent = escapeControls(about.file);
  document.getElementById("summary").textContent = escapeControls(summary.filter(Boolean).join(" · "));
}

/** Highlights a location in the model of the current file, and nothing in the other model. */
function showLocation(location) {
  for (const { model } of sides) model?.highlightLocation(model === current.model ? location : null);
}

/** Selects a field, its bytes and its location in the model. */
function select(field, location = field && current.sourceFields.locate(field.path)) {
  describe(field ? [describeField(field), describeLocation(location)] : [hint()]);
  fields.show(field);
  bytes.show(field ? [{ ...field.range, kind: "selected" }] : []);
  showLocation(location);
}

function selectPath(path, span) {
  const field = current.nearest(path);
  const location = current.sourceFields.locate(path);
  const marks = current.marksOf(span, "selected");
  describe([describeField(field), describeLocation(location)]);
  fields.show(field);
  bytes.show(marks.length ? marks : [{ ...field.range, kind: "selected" }]);
  showLocation(location);
}

/** Selects a difference in its file. Highlights a changed value in both models. */
function selectDifference({ path, kind, text }) {
  const pose = /^animations\[(?:"(.*)"|(\d+))\]@([\d.e-]+)\.(?:surface|points)$/.exec(path);
  if (pose) return showPose(text, { name: pose[1], index: pose[2] }, Number(pose[3]));
  if (/^(surface|bounds\.)/.test(path)) return selectFarthest(text);
  // Differences in counts and names of scenes have no location.
  if (comparison.compared === "scenes") return describe([element("div", {}, element("b", {}, text))]);
  showSide(kind === "added" ? sides[1] : sides[0]);
  const paths = pathsOf(path);
  const [field, last] = [current.nearest(paths[0]), current.nearest(paths.at(-1))];
  const end = last.block === field.block ? last.range.end : field.range.end;
  describe([element("div", {}, element("b", {}, text)), describeLocation(current.sourceFields.locate(paths[0]))]);
  fields.show(field);
  bytes.show([{ ...field.range, end, kind: "selected" }]);
  for (const side of sides) side.model?.highlightLocation(side === current || kind === "changed" ? side.locationOf(paths) : null);
  return undefined;
}

/** Returns the paths of a difference: `list[3..5].x` expands to `list[3].x` and `list[4].x`. */
function pathsOf(path) {
  const range = /\[(\d+)\.\.(\d+)\]/.exec(path);
  if (!range) return [path];
  const [first, end] = [Number(range[1]), Number(range[2])];
  const indices = Array.from({ length: Math.min(end - first, MAX_MARKED) }, (_, offset) => first + offset);
  if (indices.at(-1) !== end - 1) indices.push(end - 1);
  return indices.map((index) => path.replace(range[0], `[${index}]`));
}

/** Shows both models at a time of a shared animation, by its name or, if it is `undefined`, its index. */
function showPose(text, { name, index }, seconds) {
  describe([element("div", {}, element("b", {}, text))]);
  for (const { model } of sides) {
    const found = name === undefined ? Number(index) : (model?.animations.findIndex((animation) => animation.name === name) ?? -1);
    if (model?.animations[found]) model.showTime(found, seconds);
  }
}

/** Selects the vertex farthest from the other model. */
function selectFarthest(text) {
  const title = element("div", {}, element("b", {}, text));
  const all = sides.filter(({ model }) => model).map((side) => ({ side, ...farthestVertex(side.model.meshes) }));
  const best = all.reduce((farthest, next) => (next.distance > farthest.distance ? next : farthest), { distance: 0 });
  if (!best.side) return describe([title]);
  const { side, mesh, vertex, distance } = best;
  showSide(side);
  const stored = side.sourceFields.ofVertex(mesh, vertex).map((items) => side.fieldsOf(items)).filter(Boolean);
  describe([title, element("p", {}, `Farthest: vertex ${vertex} of ${side.meshName(mesh)}, ${decimal(distance)} m`), links("Vertex", stored)]);
  fields.show(stored[0]?.fields[0] ?? null, stored.flatMap((part) => part.fields));
  bytes.show(stored.map(({ range }) => ({ ...range, kind: "selected" })));
  return showLocation({ kind: "vertex", mesh, vertex });
}

/** Selects a picked face, and its vertex nearest to the pointer. */
function selectPicked(side, hit) {
  if (side !== current) showSide(side);
  if (!hit) return select(null);
  const { mesh, triangle, face, vertex } = hit;
  const items = [side.sourceFields.ofFace(mesh, face), side.sourceFields.ofVertex(mesh, vertex)];
  const [ofFace, ofVertex] = items.map((all) => all.map((part) => side.fieldsOf(part)).filter(Boolean));
  const all = [...ofFace.map((part) => ({ ...part, kind: "selected" })), ...ofVertex.map((part) => ({ ...part, kind: "selected2" }))];
  const meters = side.model.meshes[mesh].distances?.[vertex];
  const distance = meters === undefined ? "" : `, ${decimal(meters)} m from the other file`;
  const title = `Triangle ${triangle} of ${side.meshName(mesh)}, vertex ${vertex}${distance}`;
  // Sets the description first, since it resizes the other parts, which then scroll to the selection.
  describe([element("p", {}, title), links("Face", ofFace), links("Vertex", ofVertex)]);
  fields.show(all[0]?.fields[0] ?? null, all.flatMap((part) => part.fields));
  bytes.show(all.map(({ range, kind }) => ({ ...range, kind })));
  return showLocation({ kind: "picked", mesh, triangles: side.model.trianglesOf(mesh, face), vertex });
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
  const both = sides.length > 1 ? " The fields and bytes are those of the file with the outline." : "";
  return element("p", { class: "meaning" }, `Select a triangle, a field or a byte to show it in the other parts.${both}`);
}

function describeField(field) {
  const { branch } = field;
  const value = branch.value ? ` = ${branch.value}` : "";
  const where = `${branch.type ?? ""} ${branch.bits ? "" : "bytes "}${rangeText(field)}${field.block === null ? "" : " of the unpacked block"}`;
  return element("div", {}, element("b", {}, field.path || field.name), value, " ", element("span", { class: "meaning" }, where, branch.meaning ? ` — ${branch.meaning}` : ""));
}

function describeLocation(location) {
  if (!location) return null;
  const texts = {
    vertex: () => `In the model: vertex ${location.vertex} of ${current.meshName(location.mesh)}`,
    face: () => `In the model: face ${location.face} of ${current.meshName(location.mesh)}`,
    mesh: () => `In the model: ${current.meshName(location.mesh)}`,
    joint: () => `In the model: joint ${location.joint}`,
    key: () => `In the model: a key of animation ${location.animation}`,
  };
  return current.model && element("p", {}, texts[location.kind]());
}

/** Restores the state of the page after a reload, and reloads it when the file changes. */
function serve() {
  const { model } = current;
  const kept = keptState();
  if (kept?.path) selectPath(kept.path, null);
  if (kept?.tab) document.querySelector(`#tabs [data-tab="${kept.tab}"]`).click();
  if (kept?.view && model) model.restore(kept.view);
  reloadOnChange(() => ({ path: fields.selected?.path ?? "", tab: document.body.dataset.tab, view: model?.viewState() }));
}

function connectTabs() {
  const buttons = [...document.querySelectorAll("#tabs button")];
  const show = (tab) => {
    document.body.dataset.tab = tab;
    buttons.forEach((button) => {
      button.ariaSelected = String(button.dataset.tab === tab);
    });
    stage.draw();
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
