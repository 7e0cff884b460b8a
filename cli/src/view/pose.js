// Computes the pose of joints at a time of an animation.

import { IDENTITY, compose, mix, multiply, slerp } from "./math.js";

/** Returns the start and end time of an animation, in seconds. */
export function spanOf(animation) {
  let [first, last] = [0, animation.duration];
  for (const times of animation.times) {
    for (const time of times) [first, last] = [Math.min(first, time), Math.max(last, time)];
  }
  return [first / rateOf(animation), last / rateOf(animation)];
}

export function rateOf(animation) {
  return animation.rate > 0 && Number.isFinite(animation.rate) ? animation.rate : 1;
}

/** Returns the matrix of each joint to model space; in the rest pose if there is no animation. */
export function poseAt(joints, animation, seconds) {
  const local = joints.map(({ translation, rotation, scale }) => ({ translation, rotation, scale }));
  for (const channel of animation?.channels ?? []) {
    if (!local[channel.joint]) continue;
    const value = sample(animation, channel, seconds * rateOf(animation));
    if (value) local[channel.joint][channel.property] = value;
  }
  const global = new Array(joints.length);
  for (const joint of parentsFirst(joints)) {
    const { translation, rotation, scale } = local[joint];
    const matrix = compose(translation, rotation, scale);
    const parent = joints[joint].parent;
    global[joint] = parent === null ? matrix : multiply(global[parent] ?? IDENTITY, matrix);
  }
  return Array.from(global, (matrix) => matrix ?? IDENTITY);
}

/** Returns the index of the last sample at or before a time; 0 if all samples are later. */
export function sampleBefore(times, ticks) {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= ticks) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

function sample(animation, channel, ticks) {
  const times = animation.times[channel.times];
  if (!times?.length) return null;
  const width = channel.property === "rotation" ? 4 : 3;
  const at = (index) => Array.from(channel.values.subarray(width * index, width * (index + 1)));
  const before = sampleBefore(times, ticks);
  let after = Math.min(before + 1, times.length - 1);
  let [start, end] = [times[before], times[after]];
  const isPastEnd = animation.looped && before === times.length - 1 && times.length > 1;
  if (isPastEnd) {
    // A looped animation continues with its first sample.
    after = 0;
    end = times[0] + animation.duration;
  }
  const fraction = end > start ? Math.min(1, Math.max(0, (ticks - start) / (end - start))) : 0;
  if (channel.interpolation === "step" || fraction === 0) return at(before);
  const [from, to] = [at(before), at(after)];
  return width === 4 && channel.interpolation === "linear" ? slerp(from, to, fraction) : mix(from, to, fraction);
}

/** Returns the indices of the joints, parents before children. Omits joints in cycles and their descendants. */
function parentsFirst(joints) {
  const children = joints.map(() => []);
  const order = [];
  joints.forEach((joint, index) => (joint.parent === null ? order : (children[joint.parent] ?? [])).push(index));
  for (let next = 0; next < order.length; next++) order.push(...children[order[next]]);
  return order;
}
