// Writes files with known geometry, many triangles, and malicious names.
//
// Usage: node make_files.mjs FOLDER

import { writeFileSync } from "node:fs";
import { join } from "node:path";

const [, , folder] = process.argv;

/** Returns a MESH file with positions and indices. */
function mesh(positions, indices) {
  const head = Buffer.alloc(13);
  head.writeUInt8(1, 0);
  head.writeUInt16LE(1, 1);
  head.writeUInt32LE(positions.length / 3, 3);
  head.writeUInt32LE(indices.length, 7);
  return Buffer.concat([head, Buffer.from(Float32Array.from(positions).buffer), Buffer.from(Uint32Array.from(indices).buffer)]);
}

/** Returns a MESH file of hills in a square, `side` quads wide. */
function hills(side) {
  return mesh(...hillArrays(side));
}

function hillArrays(side) {
  const [positions, indices] = [[], []];
  for (let z = 0; z <= side; z++) {
    for (let x = 0; x <= side; x++) {
      positions.push(x / side, 0.08 * Math.sin((9 * x) / side) * Math.cos((7 * z) / side), z / side);
    }
  }
  for (let z = 0; z < side; z++) {
    for (let x = 0; x < side; x++) {
      const at = z * (side + 1) + x;
      indices.push(at, at + side + 1, at + 1, at + 1, at + side + 1, at + side + 2);
    }
  }
  return [positions, indices];
}

// Two versions: one vertex is higher by 0.2 in the second, and a triangle is missing.
const [positions, indices] = hillArrays(8);
writeFileSync(join(folder, "before.mesh"), mesh(positions, indices));
const changed = positions.map((value, at) => (at === 3 * 40 + 1 ? value + 0.2 : value));
writeFileSync(join(folder, "after.mesh"), mesh(changed, indices.slice(0, -3)));

// The smallest and the largest models that 32-bit floats can store with sufficient precision.
for (const [name, scale] of [["tiny", 1e-30], ["huge", 1e30]]) {
  writeFileSync(join(folder, `${name}.mesh`), mesh(positions.map((value) => value * scale), indices));
}

// Triangle 0 is on the left, triangle 1 on the right.
const two = [-3, 0, 0, -1, 0, 0, -2, 2, 0, 1, 0, 0, 3, 0, 0, 2, 2, 0];
writeFileSync(join(folder, "two.mesh"), mesh(two, [0, 1, 2, 3, 4, 5]));
writeFileSync(join(folder, "hills_100k.mesh"), hills(224));
writeFileSync(join(folder, "hills_500k.mesh"), hills(500));

const hostile = '</script><script>window.ran=1</script><img src=x onerror="window.ran=2">\'"&\u202egnp\u2028\u0007';
const seed = (text) => `[name]=${text}\n[mat0]=${text}\n[type]=STATIC\np 0, 0, 0\np 1, 0, 0\np 0, 1, 0\nn 0, 0, 1\nn 0, 0, 1\nn 0, 0, 1\nu0 0, 0\nu0 1, 0\nu0 0, 1\nf 0, 1, 2\n`;
// Seed does not allow control characters.
const printable = hostile.replace("\u0007", "");
writeFileSync(join(folder, "hostile.mesh"), seed(printable));
writeFileSync(join(folder, "hostile_broken.mesh"), seed(hostile));
writeFileSync(join(folder, "<img src=x onerror=window.ran=3>'\".mesh"), seed(printable));
// A square with a texture beside it, red above and blue below.
const png = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR4nGP4z8AARAxg8j8AG/ID/fPnS7EAAAAASUVORK5CYII=";
writeFileSync(join(folder, "image.png"), Buffer.from(png, "base64"));
writeFileSync(join(folder, "square.mtl"), "newmtl m\nmap_Kd image.png\n");
const corners = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n";
writeFileSync(join(folder, "square.obj"), `mtllib square.mtl\n${corners}usemtl m\nf 1/1 2/2 3/3 4/4\n`);
const gltf = {
  asset: { version: "2.0" },
  scene: 0,
  scenes: [{ nodes: [0] }],
  // The path of the loss ends in an unclosed bracket.
  nodes: [{ name: hostile, mesh: 0, extensions: { [`${printable}[x`]: {} } }],
  meshes: [{ name: hostile, primitives: [{ attributes: { POSITION: 0 } }] }],
  accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: "VEC3", min: [0, 0, 0], max: [1, 1, 0] }],
  bufferViews: [{ buffer: 0, byteLength: 36 }],
  buffers: [{ byteLength: 36, uri: `data:application/octet-stream;base64,${Buffer.from(Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer).toString("base64")}` }],
};
writeFileSync(join(folder, "hostile.gltf"), JSON.stringify(gltf));
