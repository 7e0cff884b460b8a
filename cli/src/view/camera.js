// A camera that orbits a target.

import { cross, lookAt, perspective, subtract, unit } from "./math.js";

const FIELD_OF_VIEW = 0.7;
const MAX_PITCH = Math.PI / 2 - 0.01;

export class Camera {
  target = [0, 0, 0];
  distance = 5;
  /** The angles around the vertical axis and upwards, in radians. */
  yaw = 0.6;
  pitch = 0.35;
  /** The radius of the model, in metres. */
  radius = 1;

  /** Returns the position of the eye. */
  eye() {
    const flat = Math.cos(this.pitch) * this.distance;
    const offset = [Math.sin(this.yaw) * flat, Math.sin(this.pitch) * this.distance, Math.cos(this.yaw) * flat];
    return this.target.map((center, axis) => center + offset[axis]);
  }

  view() {
    return lookAt(this.eye(), this.target, [0, 1, 0]);
  }

  /** Returns the projection matrix for coordinates in units of `unit` metres. */
  projection(aspect, unit = 1) {
    const far = this.distance + this.radius * 20;
    const near = Math.max(this.distance - this.radius * 3, this.distance / 200);
    return perspective(FIELD_OF_VIEW, aspect, near / unit, far / unit);
  }

  orbit(right, up) {
    this.yaw -= right;
    this.pitch = Math.max(-MAX_PITCH, Math.min(MAX_PITCH, this.pitch + up));
  }

  /** Moves the picture to the right and up, by fractions of its height. */
  pan(right, up) {
    const forward = unit(subtract(this.target, this.eye()));
    const side = unit(cross(forward, [0, 1, 0]));
    const above = cross(side, forward);
    const scale = 2 * this.distance * Math.tan(FIELD_OF_VIEW / 2);
    this.target = this.target.map((center, axis) => center - (side[axis] * right + above[axis] * up) * scale);
  }

  zoom(factor) {
    this.distance = Math.max(this.radius * 1e-3, Math.min(this.radius * 100, this.distance * factor));
  }

  /** Fits a bounding box into a picture with the given aspect ratio. */
  fit({ low, high }, aspect) {
    this.target = low.map((value, axis) => (value + high[axis]) / 2);
    this.radius = Math.hypot(...subtract(high, low)) / 2 || 1;
    this.distance = (this.radius / Math.sin(FIELD_OF_VIEW / 2) / Math.min(1, aspect)) * 1.1;
  }
}
