// Writes models with other glTF writers, and the expected results of reading: node make_models.mjs OUT_DIR
//
// Each model is FILE.glb or FILE.gltf, with the expected counts and values in FILE.json.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Accessor, Document, NodeIO, Primitive } from '@gltf-transform/core';
import * as THREE from 'three';
import { GLTFExporter } from 'three/addons/exporters/GLTFExporter.js';

const out = process.argv[2];
mkdirSync(out, { recursive: true });
const save = (name, bytes, expected) => {
  writeFileSync(join(out, name), bytes);
  writeFileSync(join(out, `${name}.json`), JSON.stringify(expected, null, 2));
};

// A substitute for the browser API that three.js requires.
globalThis.FileReader ??= class {
  readAsArrayBuffer(blob) {
    blob.arrayBuffer().then((buffer) => {
      this.result = buffer;
      this.onloadend?.();
    });
  }
  readAsDataURL(blob) {
    blob.arrayBuffer().then((buffer) => {
      this.result = `data:${blob.type || 'application/octet-stream'};base64,${Buffer.from(buffer).toString('base64')}`;
      this.onloadend?.();
    });
  }
};

const exporter = new GLTFExporter();

// A box below a translated, rotated and scaled group; positions are compared in scene space.
{
  const box = new THREE.Mesh(new THREE.BoxGeometry(1, 2, 3), new THREE.MeshStandardMaterial({ color: 0xff8000, name: 'orange' }));
  box.name = 'box';
  box.position.set(1, 2, 3);
  const group = new THREE.Group();
  group.add(box);
  group.rotation.set(0.3, 0.4, 0.5);
  group.scale.setScalar(2);
  const scene = new THREE.Scene();
  scene.add(group, new THREE.PerspectiveCamera());
  scene.updateMatrixWorld(true);
  const positions = box.geometry.getAttribute('position');
  const vertices = [...Array(positions.count).keys()].map((i) =>
    new THREE.Vector3().fromBufferAttribute(positions, i).applyMatrix4(box.matrixWorld).toArray());
  const expected = { vertices, indices: [...box.geometry.getIndex().array], name: 'box', material: 'orange', losses: ['cameras'] };
  save('three_box.glb', new Uint8Array(await exporter.parseAsync(scene, { binary: true })), expected);
  save('three_box.gltf', JSON.stringify(await exporter.parseAsync(scene, { binary: false })), expected);
}

// A skinned strip along two bones, the second of which rotates.
{
  const geometry = new THREE.PlaneGeometry(1, 4, 1, 4);
  const positions = geometry.getAttribute('position');
  const indices = [];
  const weights = [];
  for (let i = 0; i < positions.count; i += 1) {
    const share = (positions.getY(i) + 2) / 4;
    indices.push(0, 1, 0, 0);
    weights.push(1 - share, share, 0, 0);
  }
  geometry.setAttribute('skinIndex', new THREE.Uint16BufferAttribute(indices, 4));
  geometry.setAttribute('skinWeight', new THREE.Float32BufferAttribute(weights, 4));
  const [root, tip] = [new THREE.Bone(), new THREE.Bone()];
  [root.name, tip.name] = ['root', 'tip'];
  root.position.y = -2;
  tip.position.y = 2;
  root.add(tip);
  const mesh = new THREE.SkinnedMesh(geometry, new THREE.MeshStandardMaterial());
  mesh.name = 'strip';
  mesh.add(root);
  const scene = new THREE.Scene();
  scene.add(mesh);
  scene.updateMatrixWorld(true);
  mesh.bind(new THREE.Skeleton([root, tip]));
  const half = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(0, 0, 1), 1);
  const clip = new THREE.AnimationClip('bend', 1, [
    new THREE.QuaternionKeyframeTrack('tip.quaternion', [0, 1], [0, 0, 0, 1, ...half.toArray()]),
  ]);
  const mixer = new THREE.AnimationMixer(mesh);
  mixer.clipAction(clip).play();
  const poses = [0, 0.25, 0.75].map((time) => {
    mixer.setTime(time);
    scene.updateMatrixWorld(true);
    const vertices = [...Array(positions.count).keys()].map((i) =>
      mesh.applyBoneTransform(i, new THREE.Vector3().fromBufferAttribute(positions, i)).toArray());
    return { time, vertices };
  });
  mixer.setTime(0);
  const bytes = await exporter.parseAsync(scene, { binary: true, animations: [clip] });
  save('three_skin.glb', new Uint8Array(bytes), { poses, joints: ['root', 'tip'], animation: 'bend', name: 'strip', losses: [] });
}

// Sparse, normalized and custom attributes, extras, a strip, a spline and lines.
{
  const document = new Document();
  const buffer = document.createBuffer();
  const accessor = (type, array, normalized = false) =>
    document.createAccessor().setType(type).setArray(array).setNormalized(normalized).setBuffer(buffer);
  const corners = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0]);
  const primitive = document.createPrimitive()
    .setMode(Primitive.Mode.TRIANGLE_STRIP)
    .setAttribute('POSITION', accessor(Accessor.Type.VEC3, corners))
    .setAttribute('COLOR_0', accessor(Accessor.Type.VEC3, new Uint8Array([255, 0, 0, 0, 255, 0, 0, 0, 255, 1, 2, 3]), true))
    .setAttribute('TEXCOORD_0', accessor(Accessor.Type.VEC2, new Uint16Array([0, 0, 65535, 0, 0, 65535, 65535, 65535]), true))
    .setAttribute('_HEAT', accessor(Accessor.Type.SCALAR, new Float32Array([0, 0, 5, 0])).setSparse(true));
  const lines = document.createPrimitive()
    .setMode(Primitive.Mode.LINES)
    .setAttribute('POSITION', accessor(Accessor.Type.VEC3, corners.slice(0, 6)));
  const mesh = document.createMesh('sheet').addPrimitive(primitive).addPrimitive(lines).setExtras({ made: 'by hand' });
  const node = document.createNode('sheet').setMesh(mesh);
  const joint = document.createNode('hinge');
  document.createSkin().addJoint(joint);
  const sampler = document.createAnimationSampler()
    .setInterpolation('CUBICSPLINE')
    .setInput(accessor(Accessor.Type.SCALAR, new Float32Array([0, 2])))
    .setOutput(accessor(Accessor.Type.VEC3, new Float32Array([0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0])));
  const channel = document.createAnimationChannel().setTargetNode(joint).setTargetPath('translation').setSampler(sampler);
  document.createAnimation('wave').addSampler(sampler).addChannel(channel);
  document.createScene().addChild(node).addChild(joint).setExtras({ year: 2000 });
  save('transform_sheet.glb', await new NodeIO().writeBinary(document), {
    vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]],
    indices: [0, 1, 2, 2, 1, 3],
    colors: [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [1, 2, 3, 255]],
    uvs: [[0, 0], [1, 0], [0, 1], [1, 1]],
    heat: [0, 0, 5, 0],
    name: 'sheet',
    // A Hermite spline from 0 to 1 in 2 seconds with slopes of 1 and 0, in the middle.
    translation: { time: 1, value: [0.75, 0, 0] },
    losses: ['animations[0].channels.translation', 'meshes[0].primitives[0].mode', 'meshes[0].primitives[1]'],
  });
}
