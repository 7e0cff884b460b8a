// A file of the page: its fields and bytes, and their locations in the model.

import { takeArray } from "./data.js";
import { SourceFields } from "./source_fields.js";
import { Tree } from "./tree.js";

export class Side {
  constructor(about) {
    this.about = about;
    this.blocks = about.blocks.map(({ packed, size, bytes }) => ({ packed, size, bytes: takeArray(bytes) }));
    this.tree = new Tree(about.tree, takeArray(about.bytes), this.blocks.map(({ bytes }) => bytes), about.is_text);
    this.wrongPaths = about.findings.map(({ path }) => path).concat(about.fault?.path ?? []);
    this.wrongMarks = about.findings.flatMap(({ span }) => this.marksOf(span, "wrong"));
  }

  /** The file name without folders. */
  get name() {
    return this.about.file.split(/[\\/]/).pop();
  }

  /** Sets the view of the model; `null` if no model is shown. */
  setModel(model) {
    this.model = model;
    const counts = (this.about.model?.meshes ?? []).map((mesh, index) => {
      const faces = model?.meshes[index].faces;
      return { vertices: mesh.vertices, faces: faces?.length ? faces[faces.length - 1] + 1 : mesh.triangles };
    });
    this.sourceFields = new SourceFields(this.about.places, counts);
  }

  /** Returns `true` if there is a finding about a path or a path within it. */
  isWrong(path) {
    return this.wrongPaths.some((wrong) => wrong === path || (path && wrong.startsWith(path) && ".[".includes(wrong[path.length])));
  }

  /** Returns the size of an unpacked block, or of the file if `block` is `null`, including bytes that the page omits. */
  sizeOf(block) {
    return block === null ? this.about.size : this.blocks[block].size;
  }

  /** Returns the field with a path, or the innermost field that contains the path. */
  nearest(path) {
    for (let rest = path; rest; ) {
      const field = this.tree.find(rest);
      if (field) return field;
      const outer = rest.replace(/(\.[^.[]*|\[\d+\]|^[^.[]+)$/, "");
      // Stops if nothing was removed, since names from the file may contain any characters.
      if (outer === rest) break;
      rest = outer;
    }
    return this.tree.root;
  }

  marksOf(span, kind) {
    if (!span) return [];
    if (span.bytes) return [{ block: null, ...span.bytes, kind }];
    if (span.text) return [{ block: null, ...span.text.range, kind }];
    const block = this.blocks.findIndex(({ packed }) => packed.start === span.unpacked.packed.start);
    return block < 0 ? [] : [{ block, ...span.unpacked.range, kind }];
  }

  /** Returns the fields of a range of list items, with their combined byte range and a label. */
  fieldsOf({ list, first, width }) {
    const listField = this.tree.find(list);
    const items = Array.from({ length: width }, (_, offset) => listField?.part(first + offset)).filter(Boolean);
    if (!items.length) return null;
    const range = { ...items[0].range, end: items.at(-1).range.end };
    return { fields: items, range, label: width === 1 ? items[0].path : `${list}[${first}..${first + width}]` };
  }

  /** Returns the location of list items in the model: all vertices or faces in the mesh of the first item, otherwise the first item. */
  locationOf(paths) {
    const [first, ...rest] = paths.map((path) => this.sourceFields.locate(path));
    if (!rest.length || !["vertex", "face"].includes(first?.kind)) return first ?? null;
    const all = [first, ...rest].filter((location) => location?.kind === first.kind && location.mesh === first.mesh);
    const { mesh } = first;
    if (first.kind === "vertex") return { kind: "picked", mesh, vertices: all.map(({ vertex }) => vertex) };
    return { kind: "picked", mesh, triangles: [...new Set(all.flatMap(({ face }) => this.model.trianglesOf(mesh, face)))] };
  }

  meshName(mesh) {
    const { title } = this.model.meshes[mesh];
    return `mesh ${mesh}${title === `mesh ${mesh}` ? "" : ` (${title})`}`;
  }
}
