// The view of a model: state, drawing, pointer and keyboard.

import { makeControls, makeTimeline } from "./controls.js";
import { centerTriangles } from "./distances.js";
import { boundsOf, loadAnimations, loadImages, loadMeshes, posedPositions } from "./geometry.js";
import { IDENTITY, multiply, transformPoint } from "./math.js";
import { pickTriangle } from "./pick.js";
import { poseAt, spanOf } from "./pose.js";
import { MODES, Renderer } from "./renderer.js";

const ACCENT = [1, 0.62, 0.1, 1];
const VERTEX = [0.1, 0.75, 1, 1];
/** The delay after a movement before large meshes are drawn with all triangles, in milliseconds. */
const REFINE_DELAY = 200;
const JOINT = [0.95, 0.35, 0.75, 1];

export class ModelView {
  highlight = null;
  animation = -1;
  seconds = 0;
  speed = 1;
  isPlaying = false;
  onTime = () => {};

  /** Calls `onPick` with `{ mesh, triangle, face, vertex }` when a triangle is clicked; with `null` for the background. */
  constructor(model, stage, canvas, onPick) {
    this.model = model;
    this.stage = stage;
    this.onPick = onPick;
    this.canvas = canvas;
    const triangles = model.meshes.reduce((sum, mesh) => sum + mesh.triangles, 0);
    this.renderer = new Renderer(this.canvas, triangles);
    this.meshes = loadMeshes(model);
    this.animations = loadAnimations(model);
    this.spans = this.animations.map(spanOf);
    this.modelTransform = model.transform ?? IDENTITY;
    this.camera = stage.camera;
    this.meshes.forEach((mesh) => this.renderer.addMesh(mesh));
    stage.state.joints = this.meshes.every((mesh) => !mesh.triangleCount);
    stage.views.push(this);
    this.applyPose();
    this.connectPointer();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  /** Decodes the base colour images. Resolves to messages about images that cannot be decoded. */
  async loadImages() {
    const failed = await this.renderer.addImages(loadImages(this.model), this.meshes);
    this.draw();
    return failed;
  }

  /** Connects the controls and the timeline to this model. */
  connectControls() {
    for (const view of this.stage.views) view.onTime = () => {};
    makeControls(this);
    makeTimeline(this);
    this.notifyTime();
  }

  /** Draws a frame during movement, and schedules a complete drawing for afterwards. */
  move() {
    this.isMoving = true;
    clearTimeout(this.refineTimer);
    this.refineTimer = setTimeout(() => {
      this.isMoving = false;
      this.draw();
    }, REFINE_DELAY);
    this.draw();
  }

  /** Returns the bounding box of all visible meshes in their pose; of the joints if no visible mesh has vertices. */
  bounds() {
    const visible = this.meshes.filter((mesh) => mesh.visible);
    const parts = visible.map((mesh) => ({ positions: this.positionsOf(mesh), placements: mesh.placements }));
    if (!parts.some(({ positions }) => positions.length)) {
      parts.push({ positions: Float32Array.from(this.pose.flatMap((matrix) => matrix.slice(12, 15))), placements: [this.modelTransform] });
    }
    return boundsOf(parts);
  }

  setVisible(mesh, visible) {
    mesh.visible = visible;
    mesh.box.checked = visible;
    this.draw();
  }

  /** Shows the meshes of a level of detail, and meshes without a level; all meshes if `level` is -1. */
  showLevel(level) {
    const { lods } = this.model;
    const levelled = new Set(lods.flatMap(({ meshes }) => meshes));
    for (const mesh of this.meshes) {
      this.setVisible(mesh, level < 0 || lods[level].meshes.includes(mesh.index) || !levelled.has(mesh.index));
    }
  }

  setAnimation(index) {
    this.animation = index;
    this.isPlaying = index >= 0;
    this.setTime(index >= 0 ? this.spans[index][0] : 0);
    if (this.isPlaying) this.play();
  }

  setTime(seconds) {
    this.seconds = seconds;
    this.applyPose();
    this.notifyTime();
    this.draw();
  }

  setSpeed(speed) {
    this.speed = speed;
  }

  togglePlaying() {
    if (this.animation < 0) return this.setAnimation(this.animations.length ? 0 : -1);
    this.isPlaying = !this.isPlaying;
    this.notifyTime();
    return this.isPlaying && this.play();
  }

  play() {
    let before = performance.now();
    const step = (now) => {
      if (!this.isPlaying) return;
      const [first, last] = this.spans[this.animation];
      const next = this.seconds + ((now - before) / 1000) * this.speed;
      before = now;
      this.move();
      this.setTime(next > last ? first + ((next - first) % Math.max(last - first, 1e-6)) : next);
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  notifyTime() {
    const [first, last] = this.spans[this.animation] ?? [0, 1];
    this.onTime({ index: this.animation, first, last, seconds: this.seconds, isPlaying: this.isPlaying });
  }

  applyPose() {
    const { joints } = this.model;
    this.pose = poseAt(joints, this.animations[this.animation], this.seconds);
    this.matrices = this.pose.map((matrix, joint) => multiply(matrix, joints[joint].inverse_bind));
    this.renderer.setMatrices(this.matrices);
    this.posed = new Map();
  }

  /** Returns the posed positions of a mesh. */
  positionsOf(mesh) {
    if (!this.posed.has(mesh)) this.posed.set(mesh, posedPositions(mesh, this.matrices));
    return this.posed.get(mesh);
  }

  draw() {
    if (this.isScheduled) return;
    this.isScheduled = true;
    requestAnimationFrame(() => {
      this.isScheduled = false;
      this.paint();
    });
  }

  paint() {
    const { renderer } = this;
    const { state, grid } = this.stage;
    const style = getComputedStyle(document.getElementById("stage"));
    const background = style.backgroundColor.match(/[\d.]+/g).slice(0, 3).map((channel) => Number(channel) / 255);
    renderer.beginFrame(background, this.camera);
    if (state.grid) renderer.drawPrimitives(grid);
    const isDark = background[0] < 0.5;
    const wire = isDark ? [0.85, 0.9, 1, 0.8] : [0.08, 0.1, 0.15, 0.8];
    for (const mesh of this.meshes) {
      const tint = this.highlight?.kind === "mesh" && this.highlight.mesh === mesh.index ? [1, 0.75, 0.4] : null;
      if (!mesh.visible) continue;
      renderer.drawMesh(mesh, { ...state, tint, wire, isMoving: this.isMoving });
      if (MODES[state.mode] !== "distances" || !mesh.centers) continue;
      const centers = centerTriangles(mesh, this.positionsOf(mesh), state.largest);
      renderer.drawPrimitives(centers, "TRIANGLES", { program: renderer.programs.centers() });
    }
    if (state.joints || this.highlight?.kind === "joint") renderer.drawPrimitives(this.bones(), "LINES", { isOnTop: true });
    this.paintHighlight();
  }

  /** Returns lines from joints to their parents. */
  bones() {
    const [points, colors] = [[], []];
    const at = (joint) => transformPoint(this.modelTransform, this.pose[joint].slice(12, 15));
    this.model.joints.forEach(({ parent }, joint) => {
      if (parent === null || !this.pose[parent]) return;
      points.push(...at(parent), ...at(joint));
      colors.push(...JOINT, ...JOINT);
    });
    return { points, colors };
  }

  paintHighlight() {
    const { highlight, renderer } = this;
    if (highlight?.kind === "joint") {
      const point = transformPoint(this.modelTransform, this.pose[highlight.joint]?.slice(12, 15) ?? [0, 0, 0]);
      renderer.drawPrimitives({ points: point, colors: VERTEX }, "POINTS", { isOnTop: true, size: 12 });
    }
    const mesh = this.meshes[highlight?.mesh];
    if (!mesh) return;
    const positions = this.positionsOf(mesh);
    for (const placement of mesh.placements) {
      const at = (vertex) => transformPoint(placement, Array.from(positions.subarray(3 * vertex, 3 * vertex + 3)));
      const cornersOf = (triangle) => Array.from(mesh.indices.subarray(3 * triangle, 3 * triangle + 3)).map(at);
      const corners = (highlight.triangles ?? []).map(cornersOf);
      const faces = corners.flat(2);
      const edges = corners.flatMap(([a, b, c]) => [a, b, b, c, c, a]).flat();
      const colors = (points, [r, g, b], alpha) => Array(points.length / 3).fill([r, g, b, alpha]).flat();
      renderer.drawPrimitives({ points: faces, colors: colors(faces, ACCENT, 0.45) }, "TRIANGLES", { isOnTop: true });
      renderer.drawPrimitives({ points: edges, colors: colors(edges, ACCENT, 1) }, "LINES", { isOnTop: true });
      const vertices = (highlight.vertices ?? [highlight.vertex]).filter((vertex) => vertex !== undefined).flatMap(at);
      renderer.drawPrimitives({ points: vertices, colors: colors(vertices, VERTEX, 1) }, "POINTS", { isOnTop: true, size: 10 });
    }
  }

  /** Highlights a location in the model: the result of `SourceFields.locate`, or `null` for none. */
  highlightLocation(location) {
    this.highlight = location;
    if (location?.kind === "face") location.triangles = this.trianglesOf(location.mesh, location.face);
    if (location?.kind === "key") this.showKey(location);
    if (location?.kind === "joint" && this.stage.jointSelect) {
      this.stage.jointSelect.value = location.joint;
      this.stage.state.joint = location.joint;
    }
    this.draw();
  }

  showKey({ animation, channel, sample }) {
    const shown = this.animations[animation];
    const { joint, times } = shown.channels[channel];
    this.highlight = { kind: "joint", joint };
    this.showTime(animation, shown.times[times][sample] / (shown.rate > 0 ? shown.rate : 1));
  }

  /** Shows an animation at a time, paused. */
  showTime(animation, seconds) {
    this.animation = animation;
    this.isPlaying = false;
    this.setTime(seconds);
  }

  /** Returns the state of the camera and the animation. */
  viewState() {
    const { target, distance, yaw, pitch } = this.camera;
    return { camera: { target, distance, yaw, pitch }, animation: this.animation, seconds: this.seconds };
  }

  restore({ camera, animation, seconds }) {
    Object.assign(this.camera, camera);
    if (animation < this.animations.length) this.animation = animation;
    this.setTime(seconds);
    this.stage.draw();
  }

  trianglesOf(mesh, face) {
    const { faces, triangleCount } = this.meshes[mesh];
    if (!faces) return face < triangleCount ? [face] : [];
    const triangles = [];
    for (let at = faces.indexOf(face); at >= 0 && faces[at] === face && at < triangleCount; at++) triangles.push(at);
    return triangles;
  }

  connectPointer() {
    const { canvas, camera } = this;
    const pointers = new Map();
    let moved = 0;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
      moved = 0;
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const [right, down] = [event.clientX - before[0], event.clientY - before[1]];
      moved += Math.hypot(right, down);
      const others = [...pointers].filter(([id]) => id !== event.pointerId);
      if (others.length) pinch(camera, others[0][1], before, [event.clientX, event.clientY], canvas.clientHeight);
      else if (event.shiftKey || event.buttons & 6) camera.pan(right / canvas.clientHeight, -down / canvas.clientHeight);
      else camera.orbit(right * 0.01, down * 0.01);
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
      this.stage.move();
    });
    const end = (event) => {
      const isClick = pointers.size === 1 && moved < 4 && event.type === "pointerup" && event.button === 0;
      pointers.delete(event.pointerId);
      if (isClick) this.pick(event);
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        camera.zoom(Math.exp(Math.max(-100, Math.min(100, event.deltaY)) * 0.002));
        this.stage.move();
      },
      { passive: false },
    );
    canvas.addEventListener("keydown", (event) => this.onKey(event));
  }

  pick(event) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const x = (2 * (event.clientX - left)) / width - 1;
    const y = 1 - (2 * (event.clientY - top)) / height;
    const visible = this.meshes.filter((mesh) => mesh.visible);
    const hit = pickTriangle(visible, (mesh) => this.positionsOf(mesh), this.camera.view(), this.camera.projection(width / height), x, y);
    if (!hit) return this.onPick(null);
    const { mesh, triangle, vertex } = hit;
    return this.onPick({ mesh: mesh.index, triangle, face: mesh.faces?.[triangle] ?? triangle, vertex });
  }

  onKey(event) {
    const { camera } = this;
    const step = 0.12;
    const moves = {
      ArrowLeft: () => (event.shiftKey ? camera.pan(-0.05, 0) : camera.orbit(-step, 0)),
      ArrowRight: () => (event.shiftKey ? camera.pan(0.05, 0) : camera.orbit(step, 0)),
      ArrowUp: () => (event.shiftKey ? camera.pan(0, 0.05) : camera.orbit(0, step)),
      ArrowDown: () => (event.shiftKey ? camera.pan(0, -0.05) : camera.orbit(0, -step)),
      "+": () => camera.zoom(0.85),
      "-": () => camera.zoom(1 / 0.85),
      f: () => this.stage.fit(),
      " ": () => this.togglePlaying(),
    };
    if (event.key >= "1" && event.key <= String(MODES.length)) {
      moves[event.key] = () => {
        const { modeSelect } = this.stage;
        const option = modeSelect.options[Number(event.key) - 1];
        if (option.disabled) return;
        modeSelect.value = option.value;
        modeSelect.dispatchEvent(new Event("change"));
      };
    }
    if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    moves[event.key]();
    this.stage.draw();
  }
}

/** Handles movement of one of two fingers: zooms by their distance, and pans by their midpoint. */
function pinch(camera, other, before, after, height) {
  const distance = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]) || 1;
  camera.zoom(distance(before) / distance(after));
  camera.pan((after[0] - before[0]) / 2 / height, -(after[1] - before[1]) / 2 / height);
}
