// The shaders, compiled for each mode. Joint matrices are stored in a texture: 4 texels per joint, 64 joints per row.

/** The colours of distances from 0 to 1, as in `meshspec render --diff`: grey for 0, then blue, yellow, and red for 1. */
const RAMP = `
vec3 ramp(float x) {
  const vec3 blue = vec3(0.05, 0.25, 0.9), yellow = vec3(0.95, 0.75, 0.05), red = vec3(0.85, 0.03, 0.02);
  vec3 linear = x > 0.5 ? mix(yellow, red, 2.0 * x - 1.0) : x > 0.0 ? mix(blue, yellow, 2.0 * x) : vec3(0.6);
  return sqrt(linear);
}`;

const MESH_VERTEX = `
precision highp float;
precision highp int;
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 3) in vec4 color;
layout(location = 4) in uvec4 joints;
layout(location = 5) in vec4 weights;
layout(location = 6) in float distance;
uniform mat4 modelView, projection;
out vec3 eyePosition;
#ifdef SMOOTH
uniform float unit;
out vec3 eyeNormal;
#endif
#if MODE == 3 || defined(TEXTURED)
out vec2 coordinate;
#elif MODE == 4
out vec4 tint;
#elif MODE == 5
uniform int joint;
out float weight;
#elif MODE == 6
out float fraction;
uniform float largest;
#endif

#ifdef SKINNED
uniform highp sampler2D matrices;
mat4 matrixOf(uint index) {
  ivec2 at = ivec2(int(index % 64u) * 4, int(index / 64u));
  return mat4(texelFetch(matrices, at, 0), texelFetch(matrices, at + ivec2(1, 0), 0),
    texelFetch(matrices, at + ivec2(2, 0), 0), texelFetch(matrices, at + ivec2(3, 0), 0));
}
#endif

void main() {
  mat4 model = modelView;
#if defined(SKINNED) || MODE == 5
  float sum = weights.x + weights.y + weights.z + weights.w;
#endif
#ifdef SKINNED
  if (sum > 0.0) {
    model = model * (matrixOf(joints.x) * weights.x + matrixOf(joints.y) * weights.y
      + matrixOf(joints.z) * weights.z + matrixOf(joints.w) * weights.w) * (1.0 / sum);
  }
#endif
  vec4 eye = model * vec4(position, 1.0);
  eyePosition = eye.xyz;
#ifdef SMOOTH
  eyeNormal = mat3(model) * normal * unit;
#endif
#if MODE == 3 || defined(TEXTURED)
  coordinate = uv;
#elif MODE == 4
  tint = color;
#elif MODE == 5
  weight = dot(vec4(equal(ivec4(joints), ivec4(joint))), weights) / max(sum, 1e-6);
#elif MODE == 6
  fraction = largest > 0.0 ? distance / largest : 0.0;
#endif
  gl_Position = projection * eye;
}`;

const MESH_FRAGMENT = `
precision highp float;
precision highp int;
in vec3 eyePosition;
#ifdef SMOOTH
in vec3 eyeNormal;
#endif
#if MODE == 3 || defined(TEXTURED)
in vec2 coordinate;
#elif MODE == 4
in vec4 tint;
#elif MODE == 5
in float weight;
#elif MODE == 6
in float fraction;
#endif
#ifdef TEXTURED
uniform sampler2D image;
uniform float cutoff;
uniform bool fromBottom;
#endif
uniform vec3 baseColor;
uniform mat4 view;
out vec4 result;

float lit(vec3 n) {
  float key = max(dot(n, vec3(0.4, 0.6, 0.7)), 0.0);
  float fill = max(dot(n, vec3(-0.89, 0.11, 0.44)), 0.0);
  float rim = max(dot(n, vec3(0.13, -0.91, -0.39)), 0.0);
  return 0.42 + 0.1 * n.y + 0.5 * key + 0.3 * fill + 0.16 * rim;
}

vec3 heat(float x) {
  return clamp(vec3(1.5 * x - 0.3, 1.2 - abs(2.4 * x - 1.2), 1.0 - 1.7 * x), 0.0, 1.0);
}

${RAMP}

void main() {
  vec3 n = normalize(cross(dFdx(eyePosition), dFdy(eyePosition)));
#ifdef SMOOTH
  if (dot(eyeNormal, eyeNormal) > 0.0) n = normalize(eyeNormal);
#endif
  float light = lit(dot(n, eyePosition) > 0.0 ? -n : n);
#if MODE == 1
  vec3 color = baseColor * (0.55 + 0.35 * light);
#elif MODE == 2
  vec3 color = transpose(mat3(view)) * n * 0.5 + 0.5;
#elif MODE == 3
  vec2 cell = floor(coordinate * 8.0);
  vec3 pattern = mix(vec3(0.92), vec3(0.25, 0.35, 0.5), mod(cell.x + cell.y, 2.0));
  vec3 color = pattern * mix(vec3(1.0), vec3(0.6 + 0.4 * fract(coordinate), 0.8), 0.6) * light;
#elif MODE == 4
  vec3 color = tint.rgb;
#elif MODE == 5
  vec3 color = heat(weight) * (0.5 + 0.5 * light);
#elif MODE == 6
  vec3 color = ramp(fraction) * (0.4 + 0.6 * light);
#elif defined(TEXTURED)
  vec4 sampled = texture(image, vec2(coordinate.x, fromBottom ? 1.0 - coordinate.y : coordinate.y));
  if (sampled.a < cutoff) discard;
  vec3 color = baseColor * sampled.rgb * light;
#else
  vec3 color = baseColor * light;
#endif
  result = vec4(color, 1.0);
}`;

const LINE_VERTEX = `
precision highp float;
layout(location = 0) in vec3 position;
layout(location = 3) in vec4 color;
uniform mat4 modelView, projection;
uniform float size;
out vec4 tint;
void main() {
  tint = color;
  gl_Position = projection * modelView * vec4(position, 1.0);
  gl_PointSize = size;
}`;

const CENTER_FRAGMENT = `
precision highp float;
in vec4 tint;
out vec4 result;
${RAMP}
void main() { result = vec4(ramp(tint.x), 1.0); }`;

const LINE_FRAGMENT = `
precision highp float;
in vec4 tint;
out vec4 result;
void main() { result = tint; }`;

const WIRE_FRAGMENT = `
precision highp float;
uniform vec4 wire;
out vec4 result;
void main() { result = wire; }`;

/** Compiles programs when they are first used. */
export class Programs {
  constructor(gl) {
    this.gl = gl;
    this.known = new Map();
  }

  /**
   * Returns the program for surfaces in a mode. `skinned` is set if joints move the vertices, `smooth` if the mesh has normals, and
   * `textured` if its base colour image is loaded.
   */
  mesh(mode, { skinned, smooth, textured }) {
    const all = { SKINNED: skinned, SMOOTH: smooth, TEXTURED: textured && mode === 0 };
    const features = Object.keys(all).filter((name) => all[name]).map((name) => `#define ${name}\n`).join("");
    return this.get(`#define MODE ${mode}\n${features}`, MESH_VERTEX, MESH_FRAGMENT);
  }

  /** Returns the program for mesh edges in one colour. */
  wires({ skinned }) {
    return this.get(`#define MODE -1\n${skinned ? "#define SKINNED\n" : ""}`, MESH_VERTEX, WIRE_FRAGMENT);
  }

  /** Returns the program for points, lines and triangles with a colour per vertex. */
  lines() {
    return this.get("", LINE_VERTEX, LINE_FRAGMENT);
  }

  /** Returns the program for triangles with a distance per vertex, stored in the red channel of its colour. */
  centers() {
    return this.get("", LINE_VERTEX, CENTER_FRAGMENT);
  }

  get(defines, vertex, fragment) {
    const key = defines + fragment;
    if (!this.known.has(key)) this.known.set(key, linkProgram(this.gl, defines, vertex, fragment));
    return this.known.get(key);
  }
}

function linkProgram(gl, defines, vertex, fragment) {
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, `#version 300 es\n${defines}${source}`);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  const uniforms = {};
  for (let index = 0; index < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); index++) {
    const { name } = gl.getActiveUniform(program, index);
    uniforms[name] = gl.getUniformLocation(program, name);
  }
  return { program, uniforms };
}
