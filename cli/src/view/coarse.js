// Coarse versions of large meshes, drawn during movement, since drawing millions of triangles without a GPU is too slow.

/** Meshes with more triangles get a coarse version. */
const MAX_TRIANGLES = 150_000;
/** The number of grid cells along the longest side of the bounding box. */
const CELLS_PER_SIDE = 160;

/**
 * Returns the indices of a mesh with fewer triangles; `null` if the mesh is small. Merges all vertices in a grid cell into one of
 * them, so that the vertex attributes remain valid.
 */
export function coarseIndices({ positions, indices, triangleCount }, { low, high }) {
  if (triangleCount <= MAX_TRIANGLES) return null;
  const scale = CELLS_PER_SIDE / (Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2]) || 1);
  const cellOf = (vertex) => {
    const [x, y, z] = [0, 1, 2].map((axis) => Math.floor((positions[3 * vertex + axis] - low[axis]) * scale));
    return x + (CELLS_PER_SIDE + 1) * (y + (CELLS_PER_SIDE + 1) * z);
  };
  const firstOf = new Map();
  const merged = new Uint32Array(positions.length / 3);
  for (let vertex = 0; vertex < merged.length; vertex++) {
    const cell = cellOf(vertex);
    if (!firstOf.has(cell)) firstOf.set(cell, vertex);
    merged[vertex] = firstOf.get(cell);
  }
  const kept = [];
  for (let at = 0; at + 2 < indices.length; at += 3) {
    const [a, b, c] = [merged[indices[at]], merged[indices[at + 1]], merged[indices[at + 2]]];
    if (a !== b && b !== c && c !== a) kept.push(a, b, c);
  }
  return Uint32Array.from(kept);
}
