// Opens pages in Chromium, and returns the content that they show.

import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [, , executablePath, , folder] = process.argv;
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
export const browser = await chromium.launch({ executablePath, args: FLAGS });
export const WIDE = { width: 1000, height: 800 };
export const NARROW = { width: 390, height: 780 };

/** Opens a page. `close` fails if the page logged an error or requested anything except itself. */
export async function open(address, { viewport = WIDE, colorScheme = "light" } = {}) {
  const page = await browser.newPage({ viewport, colorScheme });
  page.problems = [];
  page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
  page.on("pageerror", (error) => page.problems.push(error.stack));
  page.on("request", (request) => {
    const isOwn = request.url() === address || request.url().replace("/stamp/", "/view/") === address;
    if (!isOwn && !request.url().startsWith("data:")) page.problems.push(`requests ${request.url()}`);
  });
  await page.goto(address);
  await page.waitForFunction(() => document.querySelector("#selection").textContent !== "");
  return page;
}

export function file(name, options) {
  return open(pathToFileURL(join(folder, `${name}.html`)).href, options);
}

export async function close(page) {
  assert.deepEqual(page.problems, []);
  await page.close();
}

/** Draws a canvas and stores its pixels in the page. Returns how many pixels differ from the previous snapshot. */
export function snapshot(page, canvas = "canvas") {
  return page.evaluate(async (id) => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const canvas = document.getElementById(id);
    const { width, height } = canvas;
    const context = new OffscreenCanvas(width, height).getContext("2d");
    context.drawImage(canvas, 0, 0);
    const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
    const before = window.kept ?? new Uint32Array(pixels.length);
    window.kept = pixels;
    window.keptWidth = width;
    return pixels.reduce((count, pixel, at) => count + Number(pixel !== before[at]), 0);
  }, canvas);
}

/** Returns the number of colours in the canvas. */
export async function colorCount(page) {
  await snapshot(page);
  return page.evaluate(() => new Set(window.kept).size);
}

/** Returns the count and the mean position, from 0 to 1, of the orange pixels of a selection; `null` for fewer than 20. */
export async function markedPlace(page) {
  await snapshot(page);
  return page.evaluate(() => {
    const height = window.kept.length / window.keptWidth;
    let [x, y, count] = [0, 0, 0];
    window.kept.forEach((pixel, at) => {
      const [red, green, blue] = [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
      if (red < 190 || green < 110 || red - blue < 70) return;
      x += at % window.keptWidth;
      y += Math.floor(at / window.keptWidth);
      count++;
    });
    return count > 20 ? { x: x / count / window.keptWidth, y: y / count / height, count } : null;
  });
}

export async function clickCanvas(page, x, y) {
  const box = await page.locator("#canvas").boundingBox();
  await page.mouse.click(box.x + x * box.width, box.y + y * box.height);
}

export async function selectPath(page, path) {
  await page.fill("#path", path);
  await page.press("#path", "Enter");
}

export const selection = (page) => page.locator("#selection").innerText();

/** Returns the offsets of marked bytes, in the file (`pane` 0) or in the unpacked block beside it (`pane` 1). */
export function markedBytes(page, kind = "selected", pane = 0) {
  return page.evaluate(([kind, pane]) => {
    const holder = document.querySelectorAll("#bytes .hex")[pane];
    return [...holder.querySelectorAll(`.b.${kind}`)].map((byte) => Number(byte.dataset.at));
  }, [kind, pane]);
}

export const range = (start, end) => Array.from({ length: end - start }, (_, place) => start + place);

/** Opens the list of a folder. */
export async function openList(address) {
  const page = await browser.newPage();
  await page.goto(address);
  return page;
}
