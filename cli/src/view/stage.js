// The shared state of a page's models: camera, grid and mode.

import { Camera } from "./camera.js";
import { showLegend } from "./controls.js";

/** The shared state of the views. `largest` is the distance at the end of the colour scale. */
export class Stage {
  camera = new Camera();
  state = { mode: 0, joint: 0, grid: true, joints: false, largest: 0 };
  views = [];

  /** Fits all models into the picture. */
  fit() {
    const all = this.views.map((view) => view.bounds());
    const bounds = { low: perAxis(all.map(({ low }) => low), Math.min), high: perAxis(all.map(({ high }) => high), Math.max) };
    this.camera.fit(bounds, Math.min(...this.views.map((view) => view.renderer.resize())));
    this.grid = gridOf(bounds);
    this.set({});
  }

  set(changes) {
    Object.assign(this.state, changes);
    showLegend(this);
    this.draw();
  }

  draw() {
    for (const view of this.views) view.draw();
  }

  /** Draws a frame of all views during movement. */
  move() {
    for (const view of this.views) view.move();
  }
}

/** Applies `choose`, `Math.min` or `Math.max`, to the coordinates of points along each axis. */
function perAxis(points, choose) {
  return [0, 1, 2].map((axis) => choose(...points.map((point) => point[axis])));
}

/** Returns the lines of the axes and of a ground grid for a bounding box. The spacing of the grid is a power of ten. */
function gridOf({ low, high }) {
  const size = Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2]) || 1;
  const step = 10 ** Math.floor(Math.log10(size));
  const [points, colors] = [[], []];
  const line = (a, b, color) => {
    points.push(...a, ...b);
    colors.push(...color, ...color);
  };
  const from = [0, 2].map((axis) => Math.floor(Math.min(low[axis], 0) / step - 1) * step);
  const to = [0, 2].map((axis) => Math.ceil(Math.max(high[axis], 0) / step + 1) * step);
  const grey = [0.5, 0.5, 0.5, 0.45];
  const maxLines = 200;
  for (let n = 0; n <= Math.min(maxLines, Math.round((to[0] - from[0]) / step)); n++) {
    const x = from[0] + n * step;
    line([x, 0, from[1]], [x, 0, to[1]], grey);
  }
  for (let n = 0; n <= Math.min(maxLines, Math.round((to[1] - from[1]) / step)); n++) {
    const z = from[1] + n * step;
    line([from[0], 0, z], [to[0], 0, z], grey);
  }
  const length = Math.max(step, size / 4);
  line([0, 0, 0], [length, 0, 0], [0.85, 0.2, 0.2, 1]);
  line([0, 0, 0], [0, length, 0], [0.2, 0.6, 0.2, 1]);
  line([0, 0, 0], [0, 0, length], [0.2, 0.45, 0.95, 1]);
  return { points, colors, step };
}
