// Maps vertices, faces, joints and keys of the model to fields, and back.

import { takeArray } from "./data.js";

export class SourceFields {
  /** `counts` contains the numbers of vertices and faces of each mesh. */
  constructor({ meshes, joints, animations }, counts) {
    this.meshes = meshes.map((mesh, index) => ({ ...mesh, counts: counts[index] ?? { vertices: 0, faces: 0 } }));
    this.joints = joints;
    this.animations = animations.map(({ list, channels }) => ({ list, channels: channels.map(takeArray) }));
  }

  /** Returns the list items that store a vertex, as an array of `{ list, first, width }`. */
  ofVertex(mesh, vertex) {
    return itemsOf(this.meshes[mesh]?.vertices, vertex);
  }

  /** Returns the list items that store a face, as an array of `{ list, first, width }`. */
  ofFace(mesh, face) {
    return itemsOf(this.meshes[mesh]?.faces, face);
  }

  ofJoint(joint) {
    return this.joints[joint] ? [this.joints[joint]] : [];
  }

  ofKey(animation, channel, sample) {
    const { list, channels } = this.animations[animation] ?? {};
    const key = channels?.[channel]?.[sample];
    return key === undefined ? [] : [`${list}[${key}]`];
  }

  /** Returns the location of a field in the model, as `{ kind, … }`; `null` if the field has no location. */
  locate(path) {
    for (const [mesh, { vertices, faces, counts }] of this.meshes.entries()) {
      const vertex = indexOfItem(vertices, path, counts.vertices);
      if (vertex !== null) return { kind: "vertex", mesh, vertex };
      const face = indexOfItem(faces, path, counts.faces);
      if (face !== null) return { kind: "face", mesh, face };
    }
    const joint = this.joints.findIndex((field) => isWithin(path, field));
    if (joint >= 0) return { kind: "joint", joint };
    return this.locateKey(path) ?? this.locateMesh(path);
  }

  locateKey(path) {
    for (const [animation, { list, channels }] of this.animations.entries()) {
      const key = indexAfter(path, list);
      if (key === null) continue;
      for (const [channel, keys] of channels.entries()) {
        const sample = keys.indexOf(key);
        if (sample >= 0) return { kind: "key", animation, channel, sample };
      }
    }
    return null;
  }

  /** Returns the mesh to which a list of vertices or faces, or a struct with such a list, belongs; `null` if several meshes share it. */
  locateMesh(path) {
    if (!path) return null;
    const belongs = ({ vertices, faces }) => [...vertices, ...faces].some(({ list }) => isWithin(list, path) || isWithin(path, list));
    const meshes = this.meshes.map((mesh, index) => (belongs(mesh) ? index : -1)).filter((index) => index >= 0);
    return meshes.length === 1 ? { kind: "mesh", mesh: meshes[0] } : null;
  }
}

function itemsOf(lists, index) {
  return (lists ?? []).map(({ list, first, width }) => ({ list, first: first + index * width, width }));
}

/** Returns the index of the vertex or face to which a path belongs; `null` if it belongs to no existing one. */
function indexOfItem(lists, path, count) {
  for (const { list, first, width } of lists) {
    const position = indexAfter(path, list);
    const index = Math.floor((position - first) / width);
    if (position !== null && index >= 0 && index < count) return index;
  }
  return null;
}

function indexAfter(path, list) {
  if (!path.startsWith(`${list}[`)) return null;
  const index = Number.parseInt(path.slice(list.length + 1), 10);
  return Number.isNaN(index) ? null : index;
}

function isWithin(path, outer) {
  return path === outer || (path.startsWith(outer) && ".[".includes(path[outer.length]));
}
