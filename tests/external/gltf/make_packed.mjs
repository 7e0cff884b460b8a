// Prints numbers packed by meshoptimizer and Draco, with the output of their decoders: tests/suite/gltf/packed.json.
import draco3d from 'draco3d';
import { MeshoptDecoder, MeshoptEncoder } from 'meshoptimizer';

const hex = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('hex');
const list = (count, value) => Array.from({ length: count }, (_, index) => value(index));

/** Returns the triangles of a grid of `side` by `side` vertices. */
const grid = (side) =>
    list((side - 1) * (side - 1), (cell) => {
        const corner = Math.floor(cell / (side - 1)) * side + (cell % (side - 1));
        return [corner, corner + 1, corner + side, corner + side, corner + 1, corner + side + 1];
    }).flat();

await MeshoptEncoder.ready;
await MeshoptDecoder.ready;

const meshopt = [];
function pack(extension, mode, filter, array, stride, accessor) {
    const source = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    const count = source.length / stride;
    const version = extension.startsWith('KHR') ? 1 : 0;
    const packed = MeshoptEncoder.encodeGltfBuffer(source, count, stride, mode, version);
    const plain = new Uint8Array(source.length);
    MeshoptDecoder.decodeGltfBuffer(plain, count, stride, packed, mode, filter);
    meshopt.push({
        extension, mode, filter, byteStride: stride, count, accessor, packed: hex(packed), plain: hex(plain),
    });
}

const float = { componentType: 5126, type: 'VEC3', semantic: 'POSITION' };
const short = (type, semantic) => ({ componentType: 5122, type, normalized: true, semantic });
const corners = (size) => ({ componentType: size === 2 ? 5123 : 5125, type: 'SCALAR' });
const directions = list(20, (i) => [Math.sin(i) * Math.cos(i), Math.sin(i) * Math.sin(i), Math.cos(i), 0]).flat();
const rotations = list(20, (i) => [Math.sin(i) * 0.6, Math.sin(i) * 0.8, 0, Math.cos(i)]).flat();
const colors = list(20, (i) => [i / 19, 1 - i / 19, (i % 3) / 2, 1 - (i % 5) / 8]).flat();
for (const extension of ['EXT_meshopt_compression', 'KHR_meshopt_compression']) {
    const positions = new Float32Array(list(300, (i) => [i % 20, Math.floor(i / 20), ((i * 7) % 5) / 4]).flat());
    pack(extension, 'ATTRIBUTES', 'NONE', positions, 12, float);
    pack(extension, 'ATTRIBUTES', 'EXPONENTIAL', MeshoptEncoder.encodeFilterExp(positions.slice(0, 60), 20, 12, 12), 12, float);
    const normals = new Float32Array(directions);
    const bytes = { ...short('VEC3', 'NORMAL'), componentType: 5120 };
    pack(extension, 'ATTRIBUTES', 'OCTAHEDRAL', MeshoptEncoder.encodeFilterOct(normals, 20, 4, 8), 4, bytes);
    pack(extension, 'ATTRIBUTES', 'OCTAHEDRAL', MeshoptEncoder.encodeFilterOct(normals, 20, 8, 12), 8, short('VEC3', 'NORMAL'));
    const turns = MeshoptEncoder.encodeFilterQuat(new Float32Array(rotations), 20, 8, 12);
    pack(extension, 'ATTRIBUTES', 'QUATERNION', turns, 8, short('VEC4', '_ROTATION'));
    for (const size of [2, 4]) {
        const indices = (size === 2 ? Uint16Array : Uint32Array).from(grid(5));
        pack(extension, 'TRIANGLES', 'NONE', indices, size, corners(size));
        pack(extension, 'INDICES', 'NONE', indices, size, corners(size));
    }
}
for (const size of [1, 2]) {
    const filtered = MeshoptEncoder.encodeFilterColor(new Float32Array(colors), 20, 4 * size, 8 * size);
    const accessor = { componentType: size === 1 ? 5121 : 5123, type: 'VEC4', normalized: true, semantic: 'COLOR_0' };
    pack('KHR_meshopt_compression', 'ATTRIBUTES', 'COLOR', filtered, 4 * size, accessor);
}

const encoders = await draco3d.createEncoderModule({});
const decoders = await draco3d.createDecoderModule({});

/** Returns the mesh compressed by Draco. Each attribute is [name, Draco's kind, numbers, components, bits]. */
function encode(method, indices, attributes) {
    const [encoder, builder, mesh] = [new encoders.Encoder(), new encoders.MeshBuilder(), new encoders.Mesh()];
    builder.AddFacesToMesh(mesh, indices.length / 3, Uint32Array.from(indices));
    const ids = {};
    for (const [name, kind, array, components, bits] of attributes) {
        const add = { Float32Array: 'AddFloatAttribute', Uint16Array: 'AddUInt16Attribute', Uint8Array: 'AddUInt8Attribute' };
        ids[name] = builder[add[array.constructor.name]](mesh, encoders[kind], array.length / components, components, array);
        if (bits) encoder.SetAttributeQuantization(encoders[kind], bits);
    }
    encoder.SetEncodingMethod(encoders[method]);
    encoder.SetSpeedOptions(0, 0);
    const out = new encoders.DracoInt8Array();
    const length = encoder.EncodeMeshToDracoBuffer(mesh, out);
    return [ids, Int8Array.from(list(length, (index) => out.GetValue(index)))];
}

const TYPES = {
    Float32Array: ['DT_FLOAT32', 5126], Uint16Array: ['DT_UINT16', 5123], Uint8Array: ['DT_UINT8', 5121],
};
const draco = [];
function packMesh(method, indices, attributes) {
    const [ids, packed] = encode(method, indices, attributes);
    const [decoder, mesh] = [new decoders.Decoder(), new decoders.Mesh()];
    const status = decoder.DecodeArrayToMesh(packed, packed.length, mesh);
    if (!status.ok()) throw new Error(status.error_msg());
    const read = (bytes, get) => {
        const at = decoders._malloc(bytes);
        get(at);
        const copy = decoders.HEAPU8.slice(at, at + bytes);
        decoders._free(at);
        return hex(copy);
    };
    const points = mesh.num_points();
    const accessors = attributes.map(([name, , array, components]) => {
        const [type, componentType] = TYPES[array.constructor.name];
        const bytes = points * components * array.BYTES_PER_ELEMENT;
        const attribute = decoder.GetAttributeByUniqueId(mesh, ids[name]);
        const plain = read(bytes, (at) =>
            decoder.GetAttributeDataArrayForAllPoints(mesh, attribute, decoders[type], bytes, at));
        const normalized = componentType === 5121 ? { normalized: true } : {};
        return { semantic: name, id: ids[name], componentType, type: `VEC${components}`, ...normalized, plain };
    });
    const bytes = mesh.num_faces() * 12;
    const plain = read(bytes, (at) => decoder.GetTrianglesUInt32Array(mesh, bytes, at));
    draco.push({ method, points, packed: hex(packed), accessors, indices: { count: bytes / 4, plain } });
}

const spots = list(25, (i) => [i % 5, Math.floor(i / 5)]);
const attributes = [
    ['POSITION', 'POSITION', new Float32Array(spots.flatMap(([x, y]) => [x, y, (x * y) % 3])), 3, 11],
    ['NORMAL', 'NORMAL', new Float32Array(directions.concat(directions).filter((_, i) => i % 4 < 3).slice(0, 75)), 3, 8],
    ['TEXCOORD_0', 'TEX_COORD', new Float32Array(spots.flatMap(([x, y]) => [x / 4, y / 4])), 2, 10],
    ['COLOR_0', 'COLOR', new Uint8Array(spots.flatMap(([x, y]) => [x * 50, y * 50, 0, 255])), 4],
    ['JOINTS_0', 'GENERIC', new Uint16Array(spots.flatMap(([x, y]) => [x % 2, 1 - (x % 2), y % 2, 0])), 4],
    ['WEIGHTS_0', 'GENERIC', new Float32Array(spots.flatMap(([x]) => [0.5 + x / 16, 0.5 - x / 16, 0, 0])), 4, 10],
];
packMesh('MESH_EDGEBREAKER_ENCODING', grid(5), attributes);
packMesh('MESH_SEQUENTIAL_ENCODING', grid(5), attributes);

// Enough triangles for Draco's valence encoding, at integer coordinates.
const large = new Float32Array(list(32 * 32, (i) => [i % 32, Math.floor(i / 32), (i % 32) ** 2 % 32]).flat());
const [, valence] = encode('MESH_EDGEBREAKER_ENCODING', grid(32), [['POSITION', 'POSITION', large, 3, 5]]);

console.log(JSON.stringify({ meshopt, draco, valence: hex(valence) }, null, 1));
