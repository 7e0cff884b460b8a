// Vectors, quaternions (x, y, z, w) and column-major 4×4 matrices.

export const IDENTITY = Object.freeze([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);

export function subtract(a, b) {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

export function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function dot(a, b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function unit(vector) {
  const length = Math.hypot(...vector) || 1;
  return vector.map((component) => component / length);
}

export function scaling(factor) {
  return [factor, 0, 0, 0, 0, factor, 0, 0, 0, 0, factor, 0, 0, 0, 0, 1];
}

/** Returns the product of two matrices: `b` applies first. */
export function multiply(a, b) {
  const product = new Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      product[4 * column + row] = sum;
    }
  }
  return product;
}

/** Transforms a point by a matrix, including perspective division. */
export function transformPoint(m, [x, y, z]) {
  const w = m[3] * x + m[7] * y + m[11] * z + m[15] || 1;
  return [0, 1, 2].map((row) => (m[row] * x + m[row + 4] * y + m[row + 8] * z + m[row + 12]) / w);
}

/** Returns the inverse of a matrix; the identity if it is singular. */
export function invert(m) {
  // Gauss-Jordan elimination on the matrix augmented with the identity.
  const rows = [0, 1, 2, 3].map((row) => [0, 1, 2, 3, 4, 5, 6, 7].map((k) => (k < 4 ? m[4 * k + row] : Number(k - 4 === row))));
  for (let column = 0; column < 4; column++) {
    let pivot = column;
    for (let row = column; row < 4; row++) {
      if (Math.abs(rows[row][column]) > Math.abs(rows[pivot][column])) pivot = row;
    }
    [rows[column], rows[pivot]] = [rows[pivot], rows[column]];
    const scale = rows[column][column];
    if (!scale || !Number.isFinite(scale)) return [...IDENTITY];
    rows[column] = rows[column].map((value) => value / scale);
    for (let row = 0; row < 4; row++) {
      const factor = rows[row][column];
      if (row !== column && factor) rows[row] = rows[row].map((value, k) => value - factor * rows[column][k]);
    }
  }
  return Array.from({ length: 16 }, (_, index) => rows[index % 4][4 + Math.floor(index / 4)]);
}

export function perspective(fieldOfView, aspect, near, far) {
  const f = 1 / Math.tan(fieldOfView / 2);
  const depth = near - far;
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / depth, -1, 0, 0, (2 * far * near) / depth, 0];
}

export function lookAt(eye, target, up) {
  const z = unit(subtract(eye, target));
  const x = unit(cross(up, z));
  const y = cross(z, x);
  return [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1];
}

/** Returns the matrix that scales, then rotates, then translates. */
export function compose([tx, ty, tz], rotation, [sx, sy, sz]) {
  const length = Math.hypot(...rotation);
  const [x, y, z, w] = length > 0 ? rotation.map((component) => component / length) : [0, 0, 0, 1];
  return [
    sx * (1 - 2 * (y * y + z * z)), sx * 2 * (x * y + z * w), sx * 2 * (x * z - y * w), 0,
    sy * 2 * (x * y - z * w), sy * (1 - 2 * (x * x + z * z)), sy * 2 * (y * z + x * w), 0,
    sz * 2 * (x * z + y * w), sz * 2 * (y * z - x * w), sz * (1 - 2 * (x * x + y * y)), 0,
    tx, ty, tz, 1,
  ];
}

export function mix(a, b, fraction) {
  return a.map((component, k) => component + (b[k] - component) * fraction);
}

/** Interpolates quaternions spherically along the shorter arc. */
export function slerp(a, b, fraction) {
  let cosine = a.reduce((sum, component, k) => sum + component * b[k], 0);
  const sign = cosine < 0 ? -1 : 1;
  cosine = Math.min(1, Math.abs(cosine));
  const angle = Math.acos(cosine);
  const sine = Math.sin(angle);
  const [from, to] = sine < 1e-4 ? [1 - fraction, fraction] : [Math.sin((1 - fraction) * angle) / sine, Math.sin(fraction * angle) / sine];
  return a.map((component, k) => component * from + b[k] * to * sign);
}
