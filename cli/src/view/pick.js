// Finds the triangle under the pointer.

import { invert, multiply, subtract, transformPoint } from "./math.js";

/**
 * Returns the nearest triangle at the point (`x`, `y`) of the picture, and its vertex nearest to the hit; `null` without a hit.
 * `x` and `y` range from -1 to 1. `positionsOf` returns the posed positions of a mesh.
 */
export function pickTriangle(meshes, positionsOf, view, projection, x, y) {
  let best = null;
  for (const mesh of meshes) {
    const positions = positionsOf(mesh);
    for (const placement of mesh.placements) {
      const toMesh = invert(multiply(projection, multiply(view, placement)));
      const near = transformPoint(toMesh, [x, y, -1]);
      const direction = subtract(transformPoint(toMesh, [x, y, 1]), near);
      const hit = nearestHit(mesh.indices, positions, near, direction);
      // Distances are fractions of the line from the near to the far plane, so they are comparable between meshes.
      if (hit && (!best || hit.distance < best.distance)) best = { ...hit, mesh, placement };
    }
  }
  return best && { ...best, vertex: nearestCorner(best, positionsOf(best.mesh)) };
}

/** Returns the nearest intersection of a line with a triangle, from either side (Möller–Trumbore); `null` if none. */
function nearestHit(indices, positions, [ox, oy, oz], [dx, dy, dz]) {
  let distance = Infinity;
  let triangle = -1;
  for (let at = 0; at + 2 < indices.length; at += 3) {
    const [a, b, c] = [3 * indices[at], 3 * indices[at + 1], 3 * indices[at + 2]];
    const [ax, ay, az] = [positions[a], positions[a + 1], positions[a + 2]];
    const [ux, uy, uz] = [positions[b] - ax, positions[b + 1] - ay, positions[b + 2] - az];
    const [vx, vy, vz] = [positions[c] - ax, positions[c + 1] - ay, positions[c + 2] - az];
    const [px, py, pz] = [dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx];
    const determinant = ux * px + uy * py + uz * pz;
    if (determinant === 0) continue;
    const [tx, ty, tz] = [ox - ax, oy - ay, oz - az];
    const u = (tx * px + ty * py + tz * pz) / determinant;
    if (!(u >= 0 && u <= 1)) continue;
    const [qx, qy, qz] = [ty * uz - tz * uy, tz * ux - tx * uz, tx * uy - ty * ux];
    const v = (dx * qx + dy * qy + dz * qz) / determinant;
    if (!(v >= 0 && u + v <= 1)) continue;
    const t = (vx * qx + vy * qy + vz * qz) / determinant;
    if (t >= 0 && t < distance) [distance, triangle] = [t, at / 3];
  }
  const point = [ox + dx * distance, oy + dy * distance, oz + dz * distance];
  return triangle < 0 ? null : { triangle, distance, point };
}

function nearestCorner({ mesh, triangle, point }, positions) {
  const corners = Array.from(mesh.indices.subarray(3 * triangle, 3 * triangle + 3));
  const distanceOf = (vertex) => Math.hypot(...subtract(Array.from(positions.subarray(3 * vertex, 3 * vertex + 3)), point));
  return corners.reduce((nearest, vertex) => (distanceOf(vertex) < distanceOf(nearest) ? vertex : nearest));
}
