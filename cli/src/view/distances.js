// Distances between two models: the largest one, and triangles for which the distance of the centre is given.

import { transformPoint } from "./math.js";

/** Returns the triangles for which the distance of the centre is given, each divided into three at the centre, as points with colours. */
export function centerTriangles({ centers, distances, placements }, positions, largest) {
  const [points, colors] = [[], []];
  const colorOf = (distance) => [distance / largest, 0, 0, 1];
  for (const placement of placements) {
    centers.distances.forEach((distance, index) => {
      const vertices = Array.from(centers.indices.subarray(3 * index, 3 * index + 3));
      const corners = vertices.map((vertex) => transformPoint(placement, Array.from(positions.subarray(3 * vertex, 3 * vertex + 3))));
      const center = [0, 1, 2].map((axis) => (corners[0][axis] + corners[1][axis] + corners[2][axis]) / 3);
      for (const [a, b] of [[0, 1], [1, 2], [2, 0]]) {
        points.push(...corners[a], ...corners[b], ...center);
        colors.push(...colorOf(distances[vertices[a]]), ...colorOf(distances[vertices[b]]), ...colorOf(distance));
      }
    });
  }
  return { points, colors };
}

/** Returns the vertex farthest from the other model, or a corner of the triangle with the farthest centre, as `{ mesh, vertex, distance }`. */
export function farthestVertex(meshes) {
  let best = { mesh: 0, vertex: 0, distance: -1 };
  const offer = (mesh, vertex, distance) => {
    if (distance > best.distance) best = { mesh: mesh.index, vertex, distance };
  };
  for (const mesh of meshes) {
    mesh.distances?.forEach((distance, vertex) => offer(mesh, vertex, distance));
    mesh.centers?.distances.forEach((distance, index) => offer(mesh, mesh.centers.indices[3 * index], distance));
  }
  return best;
}
