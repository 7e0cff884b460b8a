// The controls of the model: mode, level of detail, meshes, joints and animations.

import { MODES } from "./renderer.js";
import { counted, decimal, element } from "./text.js";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

/** Creates a labelled select element. Calls `onChange` with the index of the selected option. */
function choice(label, options, onChange, selected = 0) {
  const select = element("select", {}, options.map((option, index) => element("option", { value: index, selected: index === selected }, option)));
  select.addEventListener("change", () => onChange(Number(select.value)));
  const control = element("label", {}, `${label} `, select);
  control.select = select;
  return control;
}

function checkbox(label, isOn, onChange) {
  const input = element("input", { type: "checkbox", checked: isOn });
  input.addEventListener("change", () => onChange(input.checked));
  return element("label", {}, input, label);
}

/** Fills the bar above the model. */
export function makeControls(view) {
  const { meshes, model, stage } = view;
  const { state } = stage;
  const has = { normals: true, shaded: true, wireframe: true };
  has.checkerboard = meshes.some((mesh) => mesh.uvs);
  has.colours = meshes.some((mesh) => mesh.colors);
  has.weights = meshes.some((mesh) => mesh.joints) && model.joints.length > 0;
  has.distances = meshes.some((mesh) => mesh.distances);
  const joint = choice("Joint", model.joints.map(({ name }, index) => name || `joint ${index}`), (index) => stage.set({ joint: index }));
  joint.hidden = MODES[state.mode] !== "weights";
  const mode = choice("Show", MODES, (index) => {
    joint.hidden = MODES[index] !== "weights";
    stage.set({ mode: index });
  }, state.mode);
  [...mode.select.options].forEach((option, index) => {
    option.disabled = !has[MODES[index]];
    option.hidden = MODES[index] === "distances" && option.disabled;
  });
  stage.modeSelect = mode.select;
  stage.jointSelect = joint.select;
  const fit = element("button", { type: "button", title: "Show the whole model (F)" }, "Fit");
  fit.addEventListener("click", () => stage.fit());
  const controls = [mode, joint, fit, checkbox("Grid", state.grid, (grid) => stage.set({ grid }))];
  if (model.joints.length) controls.push(checkbox("Joints", state.joints, (joints) => stage.set({ joints })));
  if (model.lods.length) controls.push(lodChoice(view));
  controls.push(meshList(view));
  document.getElementById("controls").replaceChildren(...controls);
}

function lodChoice(view) {
  const { lods } = view.model;
  const levels = lods.map(({ distance }, index) => `${index}: from ${distance === null ? "infinity" : `${decimal(distance)} m`}`);
  return choice("Level", ["all", ...levels], (index) => view.showLevel(index - 1));
}

function meshList(view) {
  const rows = view.meshes.map((mesh) => {
    const size = `${counted(mesh.triangleCount, "triangle", "triangles")}, ${counted(mesh.vertexCount, "vertex", "vertices")}`;
    const label = checkbox(`${mesh.index}: ${mesh.title} (${size})`, mesh.visible, (visible) => view.setVisible(mesh, visible));
    mesh.box = label.querySelector("input");
    return label;
  });
  const title = counted(view.meshes.length, "mesh", "meshes");
  return element("details", {}, element("summary", {}, title), element("div", { id: "meshes" }, rows));
}

/** Shows the colours of the axes, the spacing of the grid, and the colour scale of distances. */
export function showLegend({ state, grid }) {
  const axes = ["x", "y", "z"].map((axis) => element("span", { class: axis }, `${axis.toUpperCase()} `));
  const parts = [...axes, `grid ${decimal(grid.step)} m`];
  if (MODES[state.mode] === "distances") {
    parts.push(element("br"), "distance 0 ", element("span", { class: "scale" }), ` ${decimal(state.largest)} m`);
  }
  document.getElementById("legend").replaceChildren(...parts);
}

/** Fills the bar below the model, if there are animations. */
export function makeTimeline(view) {
  const { animations } = view;
  const container = document.getElementById("timeline");
  container.hidden = !animations.length;
  if (!animations.length) return;
  const names = ["none: at rest", ...animations.map((animation) => animation.title)];
  const animation = choice("Animation", names, (index) => view.setAnimation(index - 1));
  const play = element("button", { type: "button", title: "Play or pause (Space)" }, "Play");
  play.addEventListener("click", () => view.togglePlaying());
  const slider = element("input", { type: "range", min: 0, max: 1, step: "any", value: 0 });
  slider.setAttribute("aria-label", "Time");
  slider.addEventListener("input", () => view.setTime(Number(slider.value)));
  const speed = choice("Speed", SPEEDS.map((factor) => `${factor}×`), (index) => view.setSpeed(SPEEDS[index]), SPEEDS.indexOf(1));
  const clock = element("output", {}, "");
  container.replaceChildren(animation, play, slider, clock, speed);
  view.onTime = ({ index, first, last, seconds, isPlaying }) => {
    animation.select.value = index + 1;
    play.textContent = isPlaying ? "Pause" : "Play";
    play.disabled = slider.disabled = index < 0;
    [slider.min, slider.max, slider.value] = [first, last, seconds];
    clock.textContent = index < 0 ? "" : `${seconds.toFixed(2)} of ${last.toFixed(2)} s`;
  };
}
