// The shaders. Joint matrices are in a texture: 4 texels each, 64 joints a row.

const MESH_VERTEX = `#version 300 es
precision highp float;
precision highp int;
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 3) in vec4 color;
layout(location = 4) in uvec4 joints;
layout(location = 5) in vec4 weights;
uniform mat4 view, projection, place;
uniform highp sampler2D matrices;
uniform bool skinned;
uniform int joint;
out vec3 eyePosition, eyeNormal;
out vec2 coordinate;
out vec4 tint;
out float weight;

mat4 matrixOf(uint index) {
  ivec2 at = ivec2(int(index % 64u) * 4, int(index / 64u));
  return mat4(texelFetch(matrices, at, 0), texelFetch(matrices, at + ivec2(1, 0), 0),
    texelFetch(matrices, at + ivec2(2, 0), 0), texelFetch(matrices, at + ivec2(3, 0), 0));
}

void main() {
  mat4 skin = mat4(1.0);
  float sum = weights.x + weights.y + weights.z + weights.w;
  if (skinned && sum > 0.0) {
    skin = (matrixOf(joints.x) * weights.x + matrixOf(joints.y) * weights.y
      + matrixOf(joints.z) * weights.z + matrixOf(joints.w) * weights.w) / sum;
  }
  mat4 model = view * place * skin;
  vec4 eye = model * vec4(position, 1.0);
  eyePosition = eye.xyz;
  eyeNormal = mat3(model) * normal;
  coordinate = uv;
  tint = color;
  weight = dot(vec4(equal(ivec4(joints), ivec4(joint))), weights) / max(sum, 1e-6);
  gl_Position = projection * eye;
}`;

const MESH_FRAGMENT = `#version 300 es
precision highp float;
precision highp int;
in vec3 eyePosition, eyeNormal;
in vec2 coordinate;
in vec4 tint;
in float weight;
uniform int mode;
uniform bool hasNormals;
uniform vec3 baseColor;
uniform mat4 view;
out vec4 result;

float lit(vec3 n) {
  float key = max(dot(n, normalize(vec3(0.4, 0.6, 0.7))), 0.0);
  float fill = max(dot(n, normalize(vec3(-0.8, 0.1, 0.4))), 0.0);
  float rim = max(dot(n, normalize(vec3(0.1, -0.7, -0.3))), 0.0);
  return 0.34 + 0.6 * key + 0.26 * fill + 0.16 * rim;
}

vec3 heat(float x) {
  return clamp(vec3(1.5 * x - 0.3, 1.2 - abs(2.4 * x - 1.2), 1.0 - 1.7 * x), 0.0, 1.0);
}

void main() {
  vec3 flatNormal = normalize(cross(dFdx(eyePosition), dFdy(eyePosition)));
  vec3 n = hasNormals && dot(eyeNormal, eyeNormal) > 0.0 ? normalize(eyeNormal) : flatNormal;
  vec3 shown = n;
  if (dot(n, eyePosition) > 0.0) n = -n;
  float light = lit(n);
  vec3 color = baseColor * light;
  if (mode == 1) color = baseColor * (0.55 + 0.35 * light);
  if (mode == 2) color = transpose(mat3(view)) * shown * 0.5 + 0.5;
  if (mode == 3) {
    vec2 cell = floor(coordinate * 8.0);
    float odd = mod(cell.x + cell.y, 2.0);
    vec3 pattern = mix(vec3(0.92), vec3(0.25, 0.35, 0.5), odd);
    vec2 tile = fract(coordinate);
    color = pattern * mix(vec3(1.0), vec3(0.6 + 0.4 * tile, 0.8), 0.6) * light;
  }
  if (mode == 4) color = tint.rgb;
  if (mode == 5) color = heat(weight) * (0.5 + 0.5 * light);
  result = vec4(color, 1.0);
}`;

const LINE_VERTEX = `#version 300 es
precision highp float;
layout(location = 0) in vec3 position;
layout(location = 3) in vec4 color;
uniform mat4 view, projection, place;
uniform float size;
out vec4 tint;
void main() {
  tint = color;
  gl_Position = projection * view * place * vec4(position, 1.0);
  gl_PointSize = size;
}`;

const LINE_FRAGMENT = `#version 300 es
precision highp float;
in vec4 tint;
out vec4 result;
void main() { result = tint; }`;

const WIRE_FRAGMENT = `#version 300 es
precision highp float;
uniform vec4 wire;
out vec4 result;
void main() { result = wire; }`;

/** Compiles the programs for meshes, their wires, and lines. */
export function compilePrograms(gl) {
  return {
    mesh: program(gl, MESH_VERTEX, MESH_FRAGMENT),
    wires: program(gl, MESH_VERTEX, WIRE_FRAGMENT),
    lines: program(gl, LINE_VERTEX, LINE_FRAGMENT),
  };
}

function program(gl, vertex, fragment) {
  const made = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
  const uniforms = {};
  for (let index = 0; index < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); index++) {
    const { name } = gl.getActiveUniform(made, index);
    uniforms[name] = gl.getUniformLocation(made, name);
  }
  return { program: made, uniforms };
}
