// Draws meshes and lines with WebGL 2.

import { coarseIndices } from "./coarse.js";
import { positionBox } from "./geometry.js";
import { IDENTITY, multiply, scaling } from "./math.js";
import { Programs } from "./shaders.js";
import { loadTexture, makeSampler } from "./textures.js";

/** The maximum number of triangles for which antialiasing is enabled, since it is slow without a GPU. */
const MAX_ANTIALIASED_TRIANGLES = 50_000;
const JOINTS_PER_ROW = 64;
const GREY = [0.72, 0.74, 0.77];
const WHITE = [1, 1, 1];

/** The drawing modes of surfaces, in the order of `MODE` in the shaders. */
export const MODES = ["shaded", "wireframe", "normals", "checkerboard", "colours", "weights", "distances"];

export class Renderer {
  constructor(canvas, triangles) {
    // Preserves the drawing buffer for screenshots of the page.
    const gl = canvas.getContext("webgl2", { alpha: false, antialias: triangles <= MAX_ANTIALIASED_TRIANGLES, preserveDrawingBuffer: true });
    if (!gl) throw new Error("This browser does not support WebGL 2, which is required to show the model. Fields and bytes are still shown.");
    this.gl = gl;
    this.canvas = canvas;
    this.programs = new Programs(gl);
    this.matrices = gl.createTexture();
    this.jointCount = 0;
    this.setMatrices([]);
  }

  /** Uploads a mesh. */
  addMesh(mesh) {
    const { gl } = this;
    mesh.array = gl.createVertexArray();
    gl.bindVertexArray(mesh.array);
    this.attribute(0, mesh.positions, 3, gl.FLOAT);
    this.attribute(1, mesh.normals, 4, gl.BYTE, true);
    this.attribute(2, mesh.uvs, 2, gl.FLOAT);
    this.attribute(3, mesh.colors, 4, gl.UNSIGNED_BYTE, true);
    if (mesh.joints) {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, mesh.joints, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(4);
      gl.vertexAttribIPointer(4, 4, gl.UNSIGNED_SHORT, 0, 0);
    } else {
      gl.vertexAttribI4ui(4, 0, 0, 0, 0);
    }
    this.attribute(5, mesh.weights, 4, gl.UNSIGNED_BYTE, true);
    this.attribute(6, mesh.distances, 1, gl.FLOAT);
    if (mesh.texture) mesh.sampler = makeSampler(gl, mesh.texture);
    mesh.faceBuffer = this.indexBuffer(mesh.indices);
    const [low, high] = positionBox(mesh.positions) ?? [[0, 0, 0], [0, 0, 0]];
    const coarse = coarseIndices(mesh, { low, high });
    mesh.coarse = coarse && { count: coarse.length, buffer: this.indexBuffer(coarse) };
    gl.bindVertexArray(null);
  }

  /** Decodes and uploads the images of meshes. Resolves to messages about images that cannot be decoded. */
  async addImages(images, meshes) {
    const loads = images.map(async (image, index) => {
      const texture = await loadTexture(this.gl, image);
      for (const mesh of meshes) if (mesh.texture?.image === index) mesh.image = texture;
    });
    const results = await Promise.allSettled(loads);
    return results.flatMap(({ reason }, index) => (reason ? [`Texture ${index} not shown: ${reason.message}`] : []));
  }

  attribute(location, values, size, type, normalized = false) {
    const { gl } = this;
    if (!values) return gl.disableVertexAttribArray(location);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, size, type, normalized, 0, 0);
  }

  indexBuffer(values) {
    const { gl } = this;
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, values, gl.STATIC_DRAW);
    return buffer;
  }

  /** Returns the index buffer for the edges of a mesh. Creates it on first use. */
  wireBuffer(mesh) {
    if (!mesh.wires) {
      const wires = new Uint32Array(2 * mesh.indices.length);
      for (let at = 0; at < mesh.indices.length; at += 3) {
        const [a, b, c] = mesh.indices.subarray(at, at + 3);
        wires.set([a, b, b, c, c, a], 2 * at);
      }
      mesh.wires = this.indexBuffer(wires);
    }
    return mesh.wires;
  }

  /** Sets the skinning matrix of each joint. */
  setMatrices(matrices) {
    const { gl } = this;
    this.jointCount = matrices.length;
    const rows = Math.max(1, Math.ceil(matrices.length / JOINTS_PER_ROW));
    const texels = new Float32Array(16 * JOINTS_PER_ROW * rows);
    matrices.forEach((matrix, joint) => texels.set(matrix, 16 * joint));
    gl.bindTexture(gl.TEXTURE_2D, this.matrices);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, 4 * JOINTS_PER_ROW, rows, 0, gl.RGBA, gl.FLOAT, texels);
    for (const parameter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) {
      gl.texParameteri(gl.TEXTURE_2D, parameter, gl.NEAREST);
    }
  }

  /** Adapts the resolution of the picture to the size of the canvas on the screen. Returns the aspect ratio. */
  resize() {
    const { canvas } = this;
    const scale = Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((size) => Math.max(1, Math.round(size * scale)));
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    return width / height;
  }

  beginFrame(background, camera) {
    const { gl } = this;
    const aspect = this.resize();
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...background, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    // Uses the radius as the unit, so that products of lengths fit in 32-bit floats even for tiny and huge models.
    this.unit = camera.radius;
    this.rotation = camera.view();
    this.view = multiply(scaling(1 / this.unit), this.rotation);
    this.projection = camera.projection(aspect, this.unit);
  }

  useProgram({ program, uniforms }, placement = IDENTITY) {
    const { gl } = this;
    gl.useProgram(program);
    gl.uniformMatrix4fv(uniforms.modelView, false, multiply(this.view, placement));
    gl.uniformMatrix4fv(uniforms.projection, false, this.projection);
    return uniforms;
  }

  /** Draws a mesh in all its placements. During movement, draws the coarse version of a large mesh. */
  drawMesh(mesh, { mode, joint, tint, wire, isMoving, largest }) {
    const { gl } = this;
    const coarse = isMoving ? mesh.coarse : null;
    const count = coarse?.count ?? mesh.indices.length;
    if (!count) return;
    const features = { skinned: Boolean(mesh.joints) && this.jointCount > 0, smooth: Boolean(mesh.normals), textured: Boolean(mesh.image) };
    gl.bindVertexArray(mesh.array);
    gl.vertexAttrib4f(3, 1, 1, 1, 1);
    gl.vertexAttrib4f(5, 0, 0, 0, 0);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.matrices);
    if (mesh.image) {
      gl.activeTexture(gl.TEXTURE1);
      gl.bindTexture(gl.TEXTURE_2D, mesh.image);
      gl.bindSampler(1, mesh.sampler);
    }
    const plain = mesh.image && mode === 0 ? WHITE : GREY;
    for (const placement of mesh.placements) {
      const uniforms = this.useProgram(this.programs.mesh(mode, features), placement);
      gl.uniform1i(uniforms.matrices, 0);
      gl.uniform1i(uniforms.joint, joint);
      gl.uniform1f(uniforms.largest, largest);
      gl.uniform1i(uniforms.image, 1);
      gl.uniform1f(uniforms.cutoff, mesh.texture?.cutoff ?? 0);
      gl.uniform1i(uniforms.fromBottom, mesh.uvFromBottom ? 1 : 0);
      gl.uniform3fv(uniforms.baseColor, tint ?? mesh.baseColor?.slice(0, 3) ?? plain);
      gl.uniformMatrix4fv(uniforms.view, false, this.rotation);
      gl.uniform1f(uniforms.unit, this.unit);
      gl.enable(gl.POLYGON_OFFSET_FILL);
      gl.polygonOffset(1, 1);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, coarse?.buffer ?? mesh.faceBuffer);
      gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 0);
      gl.disable(gl.POLYGON_OFFSET_FILL);
      if (MODES[mode] === "wireframe" && !coarse) {
        const wires = this.useProgram(this.programs.wires(features), placement);
        gl.uniform1i(wires.matrices, 0);
        gl.uniform4fv(wires.wire, wire);
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.wireBuffer(mesh));
        gl.drawElements(gl.LINES, 2 * count, gl.UNSIGNED_INT, 0);
      }
    }
    gl.bindVertexArray(null);
  }

  /** Draws lines, points or triangles from `{ points, colors }`; `kind` is a WebGL primitive. */
  drawPrimitives({ points, colors }, kind = "LINES", { isOnTop = false, size = 7, program = this.programs.lines() } = {}) {
    const { gl } = this;
    if (!points.length) return;
    this.lines ??= { array: gl.createVertexArray(), points: gl.createBuffer(), colors: gl.createBuffer() };
    gl.bindVertexArray(this.lines.array);
    for (const [location, buffer, values, width] of [[0, this.lines.points, points, 3], [3, this.lines.colors, colors, 4]]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), gl.DYNAMIC_DRAW);
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, width, gl.FLOAT, false, 0, 0);
    }
    const uniforms = this.useProgram(program);
    gl.uniform1f(uniforms.size, size);
    gl.enable(gl.BLEND);
    if (isOnTop) gl.disable(gl.DEPTH_TEST);
    gl.drawArrays(gl[kind], 0, points.length / 3);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    gl.bindVertexArray(null);
  }
}
