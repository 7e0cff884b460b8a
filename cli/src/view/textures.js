// Textures with base colour images, which the browser decodes without a network request.

/** Decodes an image and uploads it as a texture. Shrinks images that exceed the maximum texture size. */
export async function loadTexture(gl, { type, bytes }) {
  const options = { colorSpaceConversion: "none", premultiplyAlpha: "none" };
  let image = await createImageBitmap(new Blob([bytes], { type }), options);
  const shrink = gl.getParameter(gl.MAX_TEXTURE_SIZE) / Math.max(image.width, image.height);
  if (shrink < 1) {
    const [resizeWidth, resizeHeight] = [image.width, image.height].map((side) => Math.max(1, Math.floor(side * shrink)));
    image = await createImageBitmap(image, { ...options, resizeWidth, resizeHeight });
  }
  const texture = gl.createTexture();
  gl.activeTexture(gl.TEXTURE1);
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, image);
  gl.generateMipmap(gl.TEXTURE_2D);
  image.close();
  return texture;
}

/** Creates a sampler with the wrapping and filters of a texture. */
export function makeSampler(gl, { wrap, is_nearest: isNearest }) {
  const sampler = gl.createSampler();
  gl.samplerParameteri(sampler, gl.TEXTURE_WRAP_S, gl[wrap[0]]);
  gl.samplerParameteri(sampler, gl.TEXTURE_WRAP_T, gl[wrap[1]]);
  gl.samplerParameteri(sampler, gl.TEXTURE_MAG_FILTER, isNearest ? gl.NEAREST : gl.LINEAR);
  gl.samplerParameteri(sampler, gl.TEXTURE_MIN_FILTER, isNearest ? gl.NEAREST_MIPMAP_NEAREST : gl.LINEAR_MIPMAP_LINEAR);
  return sampler;
}
