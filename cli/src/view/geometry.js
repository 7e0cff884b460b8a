// Loads meshes and animations, and computes positions in a pose.

import { takeArray } from "./data.js";
import { IDENTITY, multiply, transformPoint } from "./math.js";

/** Loads the arrays of all meshes. */
export function loadMeshes(model) {
  const modelTransform = model.transform ?? IDENTITY;
  return model.meshes.map((mesh, index) => ({
    index,
    title: mesh.name || mesh.material || `mesh ${index}`,
    baseColor: mesh.base_color,
    vertexCount: mesh.vertices,
    triangleCount: mesh.triangles,
    uvFromBottom: mesh.uv_from_bottom,
    visible: true,
    placements: (mesh.placements.length ? mesh.placements : [IDENTITY]).map((placement) => multiply(modelTransform, placement)),
    positions: takeArray(mesh.positions),
    indices: takeArray(mesh.indices),
    faces: takeArray(mesh.faces),
    normals: takeArray(mesh.normals),
    uvs: takeArray(mesh.uvs),
    texture: mesh.texture,
    colors: takeArray(mesh.colors),
    joints: takeArray(mesh.joints),
    weights: takeArray(mesh.weights),
    distances: takeArray(mesh.distances),
    centers: mesh.centers && { indices: takeArray(mesh.centers.indices), distances: takeArray(mesh.centers.distances) },
  }));
}

/** Loads the arrays of all animations. */
export function loadAnimations(model) {
  return model.animations.map((animation, index) => ({
    ...animation,
    title: animation.name || `animation ${index}`,
    times: animation.times.map(takeArray),
    channels: animation.channels.map((channel) => ({ ...channel, values: takeArray(channel.values) })),
  }));
}

/** Returns the base colour images, still encoded. */
export function loadImages(model) {
  return model.images.map(({ media_type: type, bytes }) => ({ type, bytes: takeArray(bytes) }));
}

/** Returns the positions of a mesh after skinning with the given matrices. */
export function posedPositions(mesh, matrices) {
  if (!mesh.joints || !matrices.length) return mesh.positions;
  const { positions, joints, weights } = mesh;
  const posed = new Float32Array(positions.length);
  for (let vertex = 0; vertex < mesh.vertexCount; vertex++) {
    const [x, y, z] = [positions[3 * vertex], positions[3 * vertex + 1], positions[3 * vertex + 2]];
    let [px, py, pz, sum] = [0, 0, 0, 0];
    for (let slot = 4 * vertex; slot < 4 * vertex + 4; slot++) {
      const weight = weights[slot];
      const m = weight && matrices[joints[slot]];
      if (!m) continue;
      sum += weight;
      px += weight * (m[0] * x + m[4] * y + m[8] * z + m[12]);
      py += weight * (m[1] * x + m[5] * y + m[9] * z + m[13]);
      pz += weight * (m[2] * x + m[6] * y + m[10] * z + m[14]);
    }
    posed.set(sum > 0 ? [px / sum, py / sum, pz / sum] : [x, y, z], 3 * vertex);
  }
  return posed;
}

/** Returns a bounding box of points in all their placements. Ignores non-finite points. */
export function boundsOf(parts) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  const add = (point) => {
    if (!point.every(Number.isFinite)) return;
    for (let axis = 0; axis < 3; axis++) {
      low[axis] = Math.min(low[axis], point[axis]);
      high[axis] = Math.max(high[axis], point[axis]);
    }
  };
  for (const { positions, placements } of parts) {
    const box = positionBox(positions);
    if (!box) continue;
    for (const placement of placements) {
      for (let corner = 0; corner < 8; corner++) {
        add(transformPoint(placement, [0, 1, 2].map((axis) => box[(corner >> axis) & 1][axis])));
      }
    }
  }
  return low[0] <= high[0] ? { low, high } : { low: [-1, -1, -1], high: [1, 1, 1] };
}

/** Returns the bounding box of the finite points, as two corners; `null` if no point is finite. */
export function positionBox(positions) {
  let [x0, y0, z0, x1, y1, z1] = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
  for (let at = 0; at + 2 < positions.length; at += 3) {
    const [x, y, z] = [positions[at], positions[at + 1], positions[at + 2]];
    if (!(Math.abs(x) < Infinity && Math.abs(y) < Infinity && Math.abs(z) < Infinity)) continue;
    if (x < x0) x0 = x;
    if (x > x1) x1 = x;
    if (y < y0) y0 = y;
    if (y > y1) y1 = y;
    if (z < z0) z0 = z;
    if (z > z1) z1 = z;
  }
  return x0 <= x1 ? [[x0, y0, z0], [x1, y1, z1]] : null;
}
