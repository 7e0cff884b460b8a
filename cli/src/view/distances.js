// Distances between two models: the largest one, and triangles for which the distance of the centre is given.

import { transformPoint } from "./math.js";

/** Returns the triangles with a distance of the centre, each divided into three at the centre, as points with colours. */
export function centerTriangles({ centers, distances, placements }, positions, largest) {
  const [points, colors] = [[], []];
  const colorOf = (distance) => [distance / largest, 0, 0, 1];
  for (const placement of placements) {
    centers.distances.forEach((distance, number) => {
      const own = Array.from(centers.corners.subarray(3 * number, 3 * number + 3));
      const at = own.map((vertex) => transformPoint(placement, Array.from(positions.subarray(3 * vertex, 3 * vertex + 3))));
      const center = [0, 1, 2].map((axis) => (at[0][axis] + at[1][axis] + at[2][axis]) / 3);
      for (const [a, b] of [[0, 1], [1, 2], [2, 0]]) {
        points.push(...at[a], ...at[b], ...center);
        colors.push(...colorOf(distances[own[a]]), ...colorOf(distances[own[b]]), ...colorOf(distance));
      }
    });
  }
  return { points, colors };
}

/** Returns the vertex of these meshes that is farthest from the other model, as `{ mesh, vertex, distance }`. */
export function farthestVertex(meshes) {
  let best = { mesh: 0, vertex: 0, distance: -1 };
  const offer = (mesh, vertex, distance) => {
    if (distance > best.distance) best = { mesh: mesh.index, vertex, distance };
  };
  for (const mesh of meshes) {
    mesh.distances?.forEach((distance, vertex) => offer(mesh, vertex, distance));
    mesh.centers?.distances.forEach((distance, number) => offer(mesh, mesh.centers.corners[3 * number], distance));
  }
  return best;
}
